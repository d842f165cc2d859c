//! Partial matches: names of the graph that some words of the question come near to, without linking to them.
//!
//! A question in lay words rarely has the graph's names: "blisters that itch on my hands" is none of them, yet it speaks for the conditions
//! whose names or features are like it. So every phrase of the question is compared with all names, and what comes near is kept.
//! What that says for each condition is weighed in the differential.

use crate::graph::EntityId;

/// How many of the names nearest to a phrase are kept.
pub(crate) const NEAREST: usize = 16;
/// The cosine from which on a name is near. Unlike the linking threshold δ, which keeps wrong links out and differs between encoders,
/// this is where near and unrelated phrases separate, and that is at about the same cosine for those that were measured.
const NEAR: f64 = 0.46;

/// Where a phrase stands: in the words `first..last`, of which it has `words` that carry content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) words: usize,
}

/// A name's entity near to a phrase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PartialMatch {
    pub(crate) place: Place,
    pub(crate) entity: EntityId,
    /// From 0 (as near as chance) to 1 (the name itself).
    pub(crate) force: f32,
}

/// Everything that the question's words are near to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PartialMatches {
    pub(crate) all: Vec<PartialMatch>,
    /// The number of words in the question.
    pub(crate) words: usize,
}

/// The cosine above which a name is a partial match; a name that may link is one in any case.
pub(crate) fn threshold(delta: f64) -> f64 {
    delta.clamp(0.0, NEAR)
}

impl PartialMatches {
    /// No matches yet, for a text of so many words.
    pub(crate) fn new(words: usize) -> Self {
        Self { all: Vec::new(), words }
    }

    /// Adds a name that is near to a phrase. `above`: the threshold that the cosine exceeds.
    pub(crate) fn take(&mut self, place: Place, entity: EntityId, cosine: f64, above: f64) {
        let force = ((cosine - above) / (1.0 - above).max(1e-6)).clamp(0.0, 1.0).powi(2) as f32;
        self.all.push(PartialMatch { place, entity, force });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_never_exceeds_delta() {
        assert!((threshold(0.7) - NEAR).abs() < 1e-9 && threshold(0.0) == 0.0 && (threshold(0.3) - 0.3).abs() < 1e-9);
    }
}
