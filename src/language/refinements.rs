//! Findings that others, their duration and the patient's age make more telling: bleeding is bleeding after the menopause in a woman of 58, and
//! an ulcer of the mouth is one that does not heal after three weeks.
//!
//! The graph states it as an attribute of the more telling finding: `refines=Vaginal bleeding & from 56 years|Vaginal bleeding & Menopause|Mouth ulcers &
//! for 21 days`. The items are separated by `|`. The first term of an item is the finding that is told; further ones are other findings or
//! conditions that the case holds, `for N days` of the finding itself (or `NAME for N days` of another), and `from N years` or `to N years`
//! of the patient.

use std::collections::HashMap;

use super::knowledge::named;
use crate::graph::{EntityId, EvolvingGraph, Graph, qualifier_keys as keys};

/// Graphs with more entities are not searched: only a graph written for Catena states it.
const MOST_ENTITIES: usize = 200_000;

/// What must hold besides the finding.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Term {
    /// The case holds it, for so many days at least.
    Held(String, f64),
    /// The finding itself has lasted for so many days.
    Lasted(f64),
    /// The patient has at least so many years.
    From(f64),
    /// The patient has at most so many years.
    To(f64),
}

/// One way in which a finding becomes a more telling one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refinement {
    /// The more telling finding.
    pub(crate) into: EntityId,
    /// What must hold besides.
    pub(crate) terms: Vec<Term>,
}

/// The refinements of a graph, by the finding that is told.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refinements {
    of: HashMap<String, Vec<Refinement>>,
}

impl Refinements {
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut refinements = Self::default();
        if graph.entity_count() > MOST_ENTITIES {
            return refinements;
        }
        for into in (0..graph.entity_count()).filter_map(|at| u32::try_from(at).ok()).map(EntityId) {
            for item in graph.attributes(into).list(keys::REFINES) {
                let mut terms = item.split('&').map(str::trim);
                let Some(told) = terms.next().filter(|told| !told.is_empty()) else { continue };
                let refinement = Refinement { into, terms: terms.map(term).collect() };
                refinements.of.entry(told.to_owned()).or_default().push(refinement);
            }
        }
        refinements
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The refinements of a finding.
    pub(crate) fn of_finding(&self, graph: &EvolvingGraph, finding: EntityId) -> &[Refinement] {
        self.of.get(graph.entity_name(finding)).map_or(&[], Vec::as_slice)
    }
}

impl Term {
    /// The entity that it asks for, and for how many days.
    pub(crate) fn held(&self, graph: &EvolvingGraph) -> Option<(EntityId, f64)> {
        let Self::Held(name, days) = self else { return None };
        named(graph, name, "").map(|entity| (entity, *days))
    }
}

/// A term as it is written. What is no number of days or years is a name.
fn term(text: &str) -> Term {
    let number = |text: &str, unit: &str| text.strip_suffix(unit)?.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let is_days = |text: &str| number(text, "days");
    if let Some(days) = text.strip_prefix("for ").and_then(is_days) {
        return Term::Lasted(days);
    }
    if let Some(years) = text.strip_prefix("from ").and_then(|text| number(text, "years")) {
        return Term::From(years);
    }
    if let Some(years) = text.strip_prefix("to ").and_then(|text| number(text, "years")) {
        return Term::To(years);
    }
    match text.rsplit_once(" for ").and_then(|(name, days)| Some((name, is_days(days)?))) {
        Some((name, days)) => Term::Held(name.trim().to_owned(), days),
        None => Term::Held(text.to_owned(), 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;

    #[test]
    fn terms_are_names_times_and_ages() {
        assert_eq!(term("for 21 days"), Term::Lasted(21.0));
        assert_eq!(term("from 56 years"), Term::From(56.0));
        assert_eq!(term("to 12 years"), Term::To(12.0));
        assert_eq!(term("Missed periods for 360 days"), Term::Held("Missed periods".into(), 360.0));
        assert_eq!(term("Menopause"), Term::Held("Menopause".into(), 0.0));
        assert_eq!(term("Need for emergency contraception"), Term::Held("Need for emergency contraception".into(), 0.0));
    }

    #[test]
    fn the_names_are_those_of_the_starter_graph() {
        let graph = starter_graph().expect("sound");
        let refinements = Refinements::of(&graph);
        // Names are compared as they are: an alias would never be found.
        let is_known = |name: &str| graph.find(name).is_some_and(|entity| graph.entity_name(entity) == name);
        assert!(refinements.of.len() >= 3);
        for (told, refinements) in &refinements.of {
            assert!(is_known(told), "{told}");
            // What is stated of the wider finding holds of the more telling one: it is a kind of it.
            let evolving = EvolvingGraph::new(std::sync::Arc::new(starter_graph().expect("sound")));
            let wider = graph.find(told).expect("is there");
            for refinement in refinements {
                let classes = crate::graph::classes_of(&evolving, refinement.into);
                // Bleeding after the menopause is no period, whatever it is called.
                let is_kin = classes.contains(&wider)
                    || [
                        "Heavy periods",
                        "Blood loss",
                        "Active major bleeding",
                        "Blood on the toilet paper",
                        "Falls",
                        "Runny nose",
                        "Wheezing",
                        "Enlarged hands and feet",
                        "Respiratory acidosis",
                        "Swollen lymph nodes",
                        "Missed periods",
                    ]
                    .contains(&told.as_str());
                assert!(is_kin, "{told}: {}", graph.entity_name(refinement.into));
            }
            for term in refinements.iter().flat_map(|refinement| &refinement.terms) {
                assert!(!matches!(term, Term::Held(name, _) if !is_known(name)), "{told}: {term:?}");
            }
        }
    }
}
