//! What the clinical pictures of conditions ([`crate::language::pictures`]) add to what they explain of a case.

use super::assess::Ranking;
use crate::graph::EntityId;

/// What the clinical picture adds at most to what a condition explains of the case.
const MOST: f64 = 2.0;
/// The BM25 score up to which too little was said for a picture, and the one from which on it counts in full.
const FAINT: f64 = 8.0;
const WHOLE: f64 = 22.0;
/// The share of the best score from which on a picture adds anything.
const LEAST: f64 = 0.5;

/// What a picture adds that is clearly better than every other: it leads, unless the case speaks against it.
const CLEARLY: f64 = 2.5;

/// What the clinical pictures add: the best most, those half as good nothing; the more, the more was said. `recognised`: the condition whose
/// picture is clearly better than the others'.
pub(super) fn pictured(pictures: &Ranking, recognised: Option<EntityId>) -> Ranking {
    let best = pictures.first().map_or(0.0, |(_, score)| *score);
    let weight = MOST * ((best - FAINT) / (WHOLE - FAINT)).clamp(0.0, 1.0);
    let share = |score: f64| ((score / best.max(f64::MIN_POSITIVE) - LEAST) / (1.0 - LEAST)).max(0.0);
    let mut added: Ranking =
        pictures.iter().map(|(condition, score)| (*condition, weight * share(*score))).filter(|(_, added)| *added > 0.0).collect();
    added.extend(recognised.map(|condition| (condition, CLEARLY)));
    added
}
