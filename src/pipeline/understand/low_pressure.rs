//! A systolic pressure at the lower limit beside a drug that lowers it, or in an emergency: 90 is low then, and what is little above it is not called normal.

use crate::graph::{EntityId, Kind, Role, classes_of};
use crate::language::knowledge::{Knowledge, named};
use crate::language::lab::Measured;
use crate::pipeline::differential::evidence::urgency_of;
use crate::run::{CasePatient, ResultDirection};
use crate::text::Token;

/// What the blood pressure is called among the analytes, and in the graph what it is if it is low.
const PRESSURE: &str = "blood pressure";
const LOW: &str = "Low blood pressure";
/// Up to this pressure it is low, and below that one it is no normal one, in mmHg.
const AT_MOST: f64 = 90.0;
const BORDERLINE: f64 = 100.0;
/// From this age on, in months, the limits are those of a grown-up.
const GROWN_UP: u16 = 16 * 12;

/// Calls such pressures low, or says nothing of them, where the text names a drug that lowers the pressure or an emergency.
pub(super) fn lower_limit(knowledge: &Knowledge, tokens: &[Token], patient: &CasePatient, results: &mut [Measured]) {
    let is_child = patient.age_months.is_some_and(|age| age.from < GROWN_UP && age.to <= 18 * 12);
    let is_near = |result: &&mut Measured| {
        result.is_of(PRESSURE) && result.direction == ResultDirection::Normal && result.value.is_some_and(|value| value < BORDERLINE)
    };
    let mut near = results.iter_mut().filter(is_near).peekable();
    if is_child || near.peek().is_none() || !names_what_matters(knowledge, tokens) {
        return;
    }
    for result in near {
        let is_low = result.value.is_some_and(|value| value <= AT_MOST);
        result.direction = if is_low { ResultDirection::Low } else { ResultDirection::Unknown };
    }
}

/// Whether a text names an emergency, or a drug that lowers the blood pressure or must not be given where it is low.
fn names_what_matters(knowledge: &Knowledge, tokens: &[Token]) -> bool {
    let (graph, facts) = (&knowledge.graph, knowledge.facts());
    let Some(low) = named(graph, LOW, "") else { return false };
    let lowers = |drug: EntityId| facts.states(drug, low, |role| matches!(role, Role::AdverseEffect | Role::Contraindication));
    let matters = |entity: EntityId| match graph.kind(entity) {
        Kind::Drug | Kind::DrugClass => std::iter::once(entity).chain(classes_of(graph, entity)).any(lowers),
        Kind::Disease | Kind::Symptom => urgency_of(knowledge, entity) == Some("emergency"),
        _ => false,
    };
    (0..tokens.len())
        .filter_map(|at| graph.names().longest_at(tokens, at))
        .any(|hit| hit.entities.iter().any(|(entity, _)| matters(*entity)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use crate::run::ResultDirection::{self, Low, Normal, Unknown};

    #[test]
    fn a_pressure_at_the_limit_is_low_beside_a_drug_that_lowers_it_and_in_an_emergency() {
        let direction = |text: &str| read(text).results.first().map(|result| result.direction);
        for (text, expected) in [
            ("Man 60, inferior STEMI, BP 90/60. Can I give nitroglycerin?", Low),
            ("Man 60, inferior STEMI, BP 96/60. Can I give nitroglycerin?", Unknown),
            ("Man 60 with angina, BP 90/55. Isosorbide mononitrate?", Low),
            ("BP 90/60, woman 25, feels well. Normal?", Normal),
            ("Man 60, inferior STEMI, BP 120/80. Can I give nitroglycerin?", Normal),
        ] {
            let expected: Option<ResultDirection> = Some(expected);
            assert_eq!(direction(text), expected, "{text}");
        }
    }
}
