//! What a follow-up means without naming it: "which of these is safe for her?" is about the drugs that the answer before it offers.

use super::gate::Phrases;
use super::unknown::meant_before;
use crate::graph::{EntityId, Kind};
use crate::language::knowledge::{Knowledge, named};
use crate::run::{AskKind, Case, CaseDrug, DrugStatus};
use crate::text::{Token, is_chinese, is_cjk, tokenise};

/// Words that mean what was named before.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MeantBefore {
    /// Also beside a drug that the question names itself.
    beside: Phrases,
    /// Where it names none.
    alone: Phrases,
    /// Where one drug was offered.
    one: Phrases,
    /// Not before these: "these symptoms".
    not_before: Phrases,
}

/// The drugs that a question is about without naming them: those that the answer before it offers, as drugs that are considered.
pub(super) fn referred(knowledge: &Knowledge, question: &str, case: &Case, before: &Case) -> Vec<CaseDrug> {
    let graph = &knowledge.graph;
    let is_about_drugs = |kind| matches!(kind, AskKind::Safety | AskKind::Interactions | AskKind::Contraindications | AskKind::SideEffects);
    if !case.asks.iter().any(|ask| is_about_drugs(ask.kind)) {
        return Vec::new();
    }
    let offered = before.offered.iter().filter_map(|name| named(graph, name, ""));
    let offered: Vec<EntityId> = offered.filter(|entity| matches!(graph.kind(*entity), Kind::Drug | Kind::DrugClass)).collect();
    if !refers(&tokenise(question), case.drugs.is_empty(), offered.len()) {
        return Vec::new();
    }
    let drug = |entity: EntityId| {
        let name = graph.entity_name(entity);
        let chinese = || graph.aliases(entity).find(|alias| alias.chars().any(is_cjk));
        let text = chinese().filter(|_| is_chinese(question)).unwrap_or(name).to_owned();
        CaseDrug { entity: Some(name.to_owned()), text, status: DrugStatus::Proposed, ..CaseDrug::default() }
    };
    offered.into_iter().map(drug).collect()
}

/// Whether a question means so many things that were named before it. `alone`: it names no drug itself.
fn refers(tokens: &[Token], alone: bool, offered: usize) -> bool {
    let words = meant_before();
    let means = |phrases: &Phrases| phrases.all(tokens).any(|(_, last)| words.not_before.at(tokens, last).is_none());
    offered > 0 && (means(&words.beside) || (alone && (means(&words.alone) || (offered == 1 && means(&words.one)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_mean_what_was_offered() {
        let refers = |question: &str, alone, offered| refers(&tokenise(question), alone, offered);
        for question in ["Is any of those harmful?", "Are these safe for her?", "May he have any of them?", "这些药孕妇能用吗？"] {
            assert!(refers(question, true, 3) && refers(question, false, 3) && !refers(question, true, 0), "{question}");
        }
        for question in ["Which one is contraindicated?", "Are they safe in renal failure?", "哪种对他安全？"] {
            assert!(refers(question, true, 2) && !refers(question, false, 2), "{question}");
        }
        assert!(refers("Is it safe in pregnancy?", true, 1) && !refers("Is it safe in pregnancy?", true, 2));
        for question in ["Are these symptoms dangerous?", "Which test is contraindicated?", "这些症状危险吗？", "Is aspirin safe?"]
        {
            assert!(!refers(question, true, 3), "{question}");
        }
    }
}
