//! The built-in scorer of a triple's relevance to a question, used where a paper asks a language model.

use std::collections::HashMap;

use super::triple_similarity::{Compared, TripleVectors};
use crate::graph::{Chain, EntityId};
use crate::language::context::{RunContext, StageError};
use crate::pipeline::differential::assess::Assessment;
use crate::pipeline::understand::intent::Intent;
use crate::run::AnswerPart;

/// The weight of an entity in a part that the question does not ask for, against 1 for one that it asks for.
const NOT_ASKED: f64 = 0.5;

/// The value of entities for the answer, 0 to 1: their score divided by the best score in their part.
#[derive(Debug, Default)]
pub(super) struct Worth(HashMap<EntityId, f64>);

impl Worth {
    /// From the assessment of the question's anchors.
    pub(super) fn of(assessment: &Assessment, intent: &Intent) -> Self {
        let mut worth: HashMap<EntityId, f64> = HashMap::new();
        let parts = [
            (AnswerPart::Conditions, &assessment.conditions),
            (AnswerPart::Tests, &assessment.tests),
            (AnswerPart::Treatments, &assessment.treatments),
            (AnswerPart::Cautions, &assessment.cautions),
        ];
        for (part, ranking) in parts {
            let asked = if intent.parts.is_empty() || intent.asks(part) { 1.0 } else { NOT_ASKED };
            let best = ranking.first().map_or(1.0, |(_, score)| *score).max(f64::MIN_POSITIVE);
            for (entity, score) in ranking {
                let known = worth.entry(*entity).or_default();
                *known = known.max(asked * (score / best).clamp(0.0, 1.0));
            }
        }
        Self(worth)
    }

    /// The value of the entity at a triple's far end; where the triple starts is already known.
    pub(super) fn of_far_end(&self, chain: &Chain) -> f64 {
        chain.nodes().last().and_then(|node| self.0.get(&EntityId(*node))).copied().unwrap_or(0.0)
    }

    /// The score of a triple, 0 to 1: half similarity to the question, half value of its far end.
    pub(super) fn score(&self, chain: &Chain, cosine: f64) -> f64 {
        0.5 * cosine + 0.5 * self.of_far_end(chain)
    }
}

/// The name of the built-in scorer in a trace.
pub(super) const SCORER: &str = "similarity to the question and what the graph's facts speak for";

/// A triple's score.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Score {
    /// Index among the chains.
    pub(super) at: usize,
    /// 0 to 1.
    pub(super) score: f64,
    /// Similarity to the question, 0 to 1; part of the score.
    pub(super) cosine: f64,
}

/// Scores chains of one triple. Chains that the prefilter by names drops are left out.
pub(super) fn scores(
    ctx: &mut RunContext<'_>,
    vectors: &TripleVectors,
    worth: &Worth,
    question: &str,
    chains: &[Chain],
) -> Result<(Vec<Score>, Compared), StageError> {
    let compared = vectors.compare(ctx, question, chains)?;
    let score = |(at, cosine): &(usize, f64)| Score { at: *at, score: worth.score(&chains[*at], *cosine), cosine: *cosine };
    let scored = compared.cosines.iter().map(score).collect();
    Ok((scored, compared))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_worth_more_and_half_of_a_score_is_similarity() {
        let (a, b, c) = (EntityId(1), EntityId(2), EntityId(3));
        let assessment = Assessment { conditions: vec![(a, 0.8), (b, 0.4)], tests: vec![(c, 0.2), (b, 0.2)], ..Assessment::default() };
        let intent = Intent { parts: vec![AnswerPart::Conditions], ..Intent::default() };
        let worth = Worth::of(&assessment, &intent);
        let to = |entity: EntityId| {
            let mut chain = Chain::start(9);
            chain.push(0, true, entity.0);
            chain
        };
        assert_eq!([a, b, c, EntityId(4)].map(|entity| worth.of_far_end(&to(entity))), [1.0, 0.5, 0.5, 0.0]);
        assert!((worth.score(&to(b), 0.4) - 0.45).abs() < 1e-12);
        assert_eq!(Worth::of(&assessment, &Intent::default()).of_far_end(&to(c)), 1.0);
    }
}
