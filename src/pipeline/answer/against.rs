//! Why the evidence speaks against a part of the hypothesis: the contraindication that rules a treatment out.

use crate::graph::{Hop, Role, qualifier_keys as keys};
use crate::run::{AnchorOrigin, AnswerPart, Trace};

/// A part of the hypothesis, and what the graph states against it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Against {
    /// The treatment, by name.
    pub(crate) treatment: String,
    /// How it is related to what rules it out, as the graph says it.
    pub(crate) relation: String,
    /// What of the question rules it out, by name.
    pub(crate) state: String,
    /// How strictly, as the graph says it; empty if it does not.
    pub(crate) severity: String,
}

impl Against {
    /// The parts of the hypothesis that the question rules out, according to a chain that was found. Leaves out what a line on safety says already, and
    /// a treatment's own line with its caution.
    pub(crate) fn all(trace: &Trace) -> Vec<Self> {
        let is_said = |name: &str| {
            let says = |line: &crate::run::AnswerLine| {
                matches!(line.part, AnswerPart::Safety | AnswerPart::Treatments) && !line.citations.is_empty()
            };
            trace.answer.lines.iter().any(|line| says(line) && line.stated().any(|stated| stated == name))
        };
        let corrected = trace.answer.corrected.iter().filter(|name| !is_said(name));
        corrected.filter_map(|name| Self::of(trace, name)).collect()
    }

    /// What the question rules out of one treatment; `None` where no chain that was found states a reason.
    pub(crate) fn of(trace: &Trace, treatment: &str) -> Option<Self> {
        let table = &trace.table;
        let name = |node: u32| table.entities.get(node as usize).map(|entity| entity.name.as_str());
        let of_question =
            |other: &str| trace.anchors.iter().any(|anchor| anchor.origin != AnchorOrigin::Hypothesis && anchor.entity == other);
        let reason = |hop: Hop| {
            let relation = table.relations.get(usize::from(hop.relation)).filter(|relation| relation.role == Role::Contraindication)?;
            // The drug is contraindicated in the state: from head to tail.
            let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
            let state = name(tail).filter(|state| name(head) == Some(treatment) && of_question(state))?;
            let severity = table.qualifiers(hop).and_then(|qualifiers| qualifiers.get(keys::SEVERITY)).unwrap_or_default().to_owned();
            Some(Self { treatment: treatment.to_owned(), relation: relation.display.clone(), state: state.to_owned(), severity })
        };
        table.chains.iter().flat_map(crate::graph::Chain::hops).find_map(reason)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::graph::{Chain, ChainTable, Player, TableEntity, TableRelation};
    use crate::run::{Anchor, Answer};

    #[test]
    fn what_the_question_rules_out_is_told_with_its_reason() {
        let entity = |name: &str| TableEntity { name: name.into(), kind: String::new(), description: String::new() };
        let relation = |name: &str, role: Role| TableRelation { name: name.into(), display: name.into(), role, player: Player::Tail };
        let anchor = |name: &str, origin| Anchor {
            entity: name.into(),
            kind: String::new(),
            score: 1.0,
            origin,
            mention: name.into(),
            by_model: false,
        };
        let mut trace = Trace::default();
        let mut chain = Chain::start(0);
        chain.push(1, false, 1);
        chain.push(0, true, 2);
        chain.push(0, false, 3);
        trace.table = Arc::new(ChainTable {
            entities: ["Myopathy", "Rosuvastatin", "Kidney failure", "Metformin"].map(entity).to_vec(),
            relations: vec![relation("is contraindicated in", Role::Contraindication), relation("treats", Role::Treatment)],
            chains: vec![chain],
            ..ChainTable::default()
        });
        trace.anchors = vec![anchor("Kidney failure", AnchorOrigin::Question), anchor("Myopathy", AnchorOrigin::Hypothesis)];
        trace.answer = Answer { corrected: vec!["Rosuvastatin".into(), "Myopathy".into()], ..Answer::default() };
        let all = Against::all(&trace);
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!((all[0].treatment.as_str(), all[0].state.as_str()), ("Rosuvastatin", "Kidney failure"));
        assert!(Against::of(&trace, "Kidney failure").is_none(), "what rules out is not ruled out");
        trace.anchors.clear();
        assert!(Against::all(&trace).is_empty(), "nobody said so of the patient");
    }
}
