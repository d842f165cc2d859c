//! The hypothesis: a guess at the answer, before any evidence is retrieved (HyKGE 2025, §4.1.1).
//!
//! Without a language model it is derived from the graph: the conditions, tests and treatments that the question's anchors speak for,
//! worded as a short text. Linking and search treat that text like a model's.

use super::wording::Wording;
use crate::graph::EntityId;
use crate::language::generate::Writing;
use crate::language::knowledge::Knowledge;
use crate::pipeline::differential::assess::{Assessment, Ranking};
use crate::pipeline::understand::intent::Intent;
use crate::run::event::AnswerPart;

/// The most entities named in a part that the question asks for.
const ASKED: usize = 12;
/// The same for conditions; few are ever right.
const ASKED_CONDITIONS: usize = 6;
/// The most entities named in another part.
const NOT_ASKED: usize = 4;

/// Writes a hypothesis piece by piece; `emit` returns `false` to stop it.
pub(crate) trait HypothesisWriter: Send {
    /// Writes it. A writer that fails says so and hands over to another.
    fn write(&self, emit: &mut dyn FnMut(Writing) -> bool);
}

/// The graph-derived hypothesis.
pub(crate) struct GraphHypothesis {
    sentences: Vec<String>,
}

impl GraphHypothesis {
    /// Words what a question about safety alone concerns. It asks for no diagnosis, so none is guessed.
    pub(crate) fn of_safety(knowledge: &Knowledge, assessment: &Assessment, concerned: &[EntityId], wording: &Wording) -> Self {
        let named = concerned.iter().map(|entity| wording.name(&knowledge.graph, *entity)).collect();
        let cautions = assessment.cautions.iter().map(|(entity, _)| *entity).filter(|entity| !concerned.contains(entity));
        let cautions: Vec<String> = cautions.take(ASKED).map(|entity| wording.name(&knowledge.graph, entity)).collect();
        Self::of(wording, [(&wording.hypothesis.conditions_named, named), (&wording.hypothesis.cautions, cautions)])
    }

    /// Words an assessment. `named`: conditions that the question names.
    pub(crate) fn new(knowledge: &Knowledge, assessment: &Assessment, intent: &Intent, named: &[EntityId], wording: &Wording) -> Self {
        let nothing_asked = intent.parts.is_empty() || intent.parts == [AnswerPart::Cautions];
        // A question for the diagnosis also wants tests.
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
        Self::of(wording, parts)
    }

    fn of<'a>(wording: &Wording, parts: impl IntoIterator<Item = (&'a String, Vec<String>)>) -> Self {
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
