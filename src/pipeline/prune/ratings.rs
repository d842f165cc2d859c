//! What ratings add to a chain's score: chains that good answers cited gain, chains that bad answers cited lose.

use crate::dkg::ChainRatings;
use crate::graph::Chain;
use crate::language::knowledge::Knowledge;

/// What one rated answer adds or takes: about as much as a neighbouring rank.
const STEP: f64 = 0.02;
/// The most that all of them together add or take, so that a chain which does not fit the question is never kept for its fame.
const MOST: f64 = 0.08;

/// How answers were rated that cited a chain, read from either end.
pub(crate) fn ratings_of(knowledge: &Knowledge, chain: &Chain) -> ChainRatings {
    let preferences = knowledge.preferences();
    if !preferences.has_ratings() {
        return ChainRatings::default();
    }
    let of = |chain: &Chain| preferences.of_chain(&knowledge.graph.chain_text(chain));
    of(chain).plus(of(&chain.reversed()))
}

/// What ratings add to a score.
pub(crate) fn by_ratings(ratings: ChainRatings) -> f64 {
    (STEP * (ratings.good as f64 - ratings.bad as f64)).clamp(-MOST, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ratings_add_has_the_sign_of_the_majority_and_a_bound() {
        let added = |good, bad| by_ratings(ChainRatings { good, bad });
        assert_eq!(added(0, 0), 0.0);
        assert_eq!((added(1, 0), added(0, 1)), (STEP, -STEP));
        assert_eq!(added(3, 3), 0.0, "as many for it as against it");
        assert_eq!((added(1_000_000, 0), added(0, 1_000_000)), (MOST, -MOST));
    }
}
