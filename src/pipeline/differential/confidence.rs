//! Confidence in a result, on one scale for all parts of the answer: the share of the weight of the conditions that speak for it.
//!
//! It orders the results of a question that asks for no part. Shares are ratios, so the order does not depend on the scale
//! of an encoder's similarities.

use std::collections::HashMap;

use super::assess::{Assessment, Ranking};
use crate::graph::EntityId;
use crate::run::event::AnswerPart;

/// The factor for a condition's share against a test's. Of a few conditions one is right, of a condition's tests most are: a condition
/// with a sixth of the weight is worth stating before certain tests.
const CONDITION: f64 = 6.0;
/// The factor for a treatment's score: a suspicion is confirmed by tests before it is treated.
const TREATMENT: f64 = 0.7;
/// The number of conditions, and of tests and treatments, expected in an answer.
const EXPECTED: (usize, usize) = (5, 12);

/// The confidence in each entity of an assessment.
pub(crate) struct Confidence {
    conditions: HashMap<EntityId, f64>,
    tests: HashMap<EntityId, f64>,
    treatments: HashMap<EntityId, f64>,
}

impl Confidence {
    pub(crate) fn of(assessment: &Assessment) -> Self {
        // First-line treatments weigh more than their condition, but are no more certain than it is.
        let scores = |ranking: &Ranking, weight: f64| ranking.iter().map(|(entity, score)| (*entity, weight * score.min(1.0))).collect();
        Self {
            conditions: assessment.leading().map(|(condition, share)| (condition, CONDITION * share)).collect(),
            tests: scores(&assessment.tests, 1.0),
            treatments: scores(&assessment.treatments, TREATMENT),
        }
    }

    /// The confidence in an entity as part of the answer; 0 if nothing speaks for it.
    pub(crate) fn in_part(&self, part: AnswerPart, entity: EntityId) -> f64 {
        let of_part = match part {
            AnswerPart::Conditions => &self.conditions,
            AnswerPart::Tests => &self.tests,
            AnswerPart::Treatments => &self.treatments,
            _ => return 0.0,
        };
        of_part.get(&entity).copied().unwrap_or(0.0)
    }
}

/// What an answer to a question that asks for no part would state if chains showed all of it, most confident first. It begins
/// with the leading condition, because the rest depends on it.
pub(crate) fn expected(assessment: &Assessment) -> Vec<(AnswerPart, EntityId)> {
    let confidence = Confidence::of(assessment);
    let parts = [
        (AnswerPart::Conditions, &assessment.conditions, EXPECTED.0),
        (AnswerPart::Tests, &assessment.tests, EXPECTED.1),
        (AnswerPart::Treatments, &assessment.treatments, EXPECTED.1),
    ];
    let all = parts.into_iter().flat_map(|(part, ranking, most)| ranking.iter().take(most).map(move |(entity, _)| (part, *entity)));
    let mut order: Vec<(AnswerPart, EntityId)> = all.collect();
    let rest = usize::from(!assessment.conditions.is_empty());
    order[rest..].sort_by(|a, b| confidence.in_part(b.0, b.1).total_cmp(&confidence.in_part(a.0, a.1)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(of: &[(u32, f64)]) -> Ranking {
        of.iter().map(|(entity, score)| (EntityId(*entity), *score)).collect()
    }

    fn order(assessment: &Assessment) -> Vec<u32> {
        expected(assessment).into_iter().map(|(_, entity)| entity.0).collect()
    }

    #[test]
    fn what_a_clear_leader_needs_is_surer_than_other_conditions_and_a_close_second_is_surer_than_tests() {
        let players = |share: f64| (ranking(&[(10, share), (11, 0.02)]), ranking(&[(20, 1.5 * share), (21, 0.02)]));
        let (tests, treatments) = players(0.97);
        let clear = Assessment { conditions: ranking(&[(1, 2.0), (2, 0.9)]), tests, treatments, cautions: Ranking::new() };
        assert_eq!(order(&clear), [1, 10, 20, 11, 21, 2]);
        let (tests, treatments) = players(0.5);
        let close = Assessment { conditions: ranking(&[(1, 2.0), (2, 1.99)]), tests, treatments, cautions: Ranking::new() };
        assert_eq!(order(&close), [1, 2, 20, 10, 11, 21]);
        let scaled = Assessment { conditions: ranking(&[(1, 0.2), (2, 0.199)]), ..close.clone() };
        assert_eq!(order(&scaled), order(&close));
        assert!(order(&Assessment::default()).is_empty());
    }
}
