//! The hypothesis: what the answer might be, before any evidence is looked at (HyKGE 2025, §4.1.1).
//!
//! Without a language model it is derived from the graph: what the question's own anchors speak for,
//! worded as a short text. Linking and search treat that text as they would a model's.

use super::wording::Wording;
use crate::graph::EntityId;
use crate::language::generate::Writing;
use crate::language::knowledge::Knowledge;
use crate::pipeline::differential::assess::{Assessment, Ranking};
use crate::pipeline::understand::intent::Intent;
use crate::run::event::AnswerPart;

/// How many entities a part of the hypothesis names where the question asks for that part.
const ASKED: usize = 12;
/// The same for conditions, of which few are ever right.
const ASKED_CONDITIONS: usize = 6;
/// How many where the question asks for something else.
const NOT_ASKED: usize = 4;

/// Writes a hypothesis piece by piece; `emit` gives `false` when it should stop.
pub(crate) trait HypothesisWriter: Send {
    /// Writes it. A writer that fails says so and lets another write on.
    fn write(&self, emit: &mut dyn FnMut(Writing) -> bool);
}

/// The graph-derived hypothesis.
pub(crate) struct GraphHypothesis {
    sentences: Vec<String>,
}

impl GraphHypothesis {
    /// Words what the assessment says. `named`: conditions that the question itself names.
    pub(crate) fn new(knowledge: &Knowledge, assessment: &Assessment, intent: &Intent, named: &[EntityId], wording: &Wording) -> Self {
        let nothing_asked = intent.parts.is_empty() || intent.parts == [AnswerPart::Cautions];
        // Asked what it is, one also says what would tell.
        let goes_along = |part: AnswerPart| part == AnswerPart::Tests && intent.parts == [AnswerPart::Conditions];
        let many = |part: AnswerPart, asked: usize| {
            if nothing_asked || intent.asks(part) || goes_along(part) { asked } else { NOT_ASKED }
        };
        let names = |ranking: &Ranking, most: usize| -> Vec<String> {
            ranking.iter().take(most).map(|(entity, _)| wording.name(&knowledge.graph, *entity)).collect()
        };
        let texts = &wording.hypothesis;
        let leads_with_named = assessment.conditions.first().is_some_and(|(condition, _)| named.contains(condition));
        let conditions = if leads_with_named && !intent.asks(AnswerPart::Conditions) {
            (&texts.conditions_named, names(&assessment.conditions, named.len().min(NOT_ASKED)))
        } else {
            (&texts.conditions, names(&assessment.conditions, many(AnswerPart::Conditions, ASKED_CONDITIONS)))
        };
        let share = if nothing_asked || goes_along(AnswerPart::Tests) { ASKED / 2 + 2 } else { ASKED };
        let parts = [
            conditions,
            (&texts.tests, names(&assessment.tests, many(AnswerPart::Tests, share))),
            (&texts.treatments, names(&assessment.treatments, many(AnswerPart::Treatments, share))),
            (&texts.cautions, names(&assessment.cautions, ASKED)),
        ];
        let sentences = parts.into_iter().filter(|(_, names)| !names.is_empty()).map(|(text, names)| wording.fill(text, &names)).collect();
        Self { sentences }
    }
}

impl HypothesisWriter for GraphHypothesis {
    fn write(&self, emit: &mut dyn FnMut(Writing) -> bool) {
        for sentence in &self.sentences {
            if !emit(Writing::Text(sentence.clone())) {
                return;
            }
        }
    }
}
