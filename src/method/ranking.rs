//! Chains ranked by a method's own scores, and the choice of those that are kept.

use std::collections::{HashMap, HashSet};

use crate::run::triage::MOST_KEPT;
use crate::run::{Fate, Pruning, ScoredBy, ScoredChain};

/// The number of chains that are recorded with their scores although they were not kept.
const RUNNERS_UP: usize = 20;

/// Scores that a language model has already given, by chain number; it is not asked twice.
pub(super) type Scores = HashMap<u32, f64>;

/// The scores that a pruning recorded.
pub(super) fn scores_in(pruning: &Pruning) -> Scores {
    pruning.kept.iter().chain(&pruning.runners_up).map(|scored| (scored.chain, scored.score)).collect()
}

/// Chains that may be kept, best first.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Ranked {
    /// The texts that chains were compared with; empty if there was no comparison.
    pub(super) fragments: Vec<String>,
    /// Number, score (0 to 1), and similarity with each fragment.
    pub(super) order: Vec<ScoredChain>,
    /// How many chains each scorer scored.
    pub(super) scored: Vec<ScoredBy>,
    /// Record the score of every chain, because it cannot be computed again.
    pub(super) record_all: bool,
}

impl Ranked {
    /// In the search's order (HyKGE's ablation "w/o Reranker"); the score is one divided by the rank.
    pub(super) fn as_searched(open: &[u32]) -> Self {
        let order = open.iter().zip(1u32..).map(|(chain, place)| ScoredChain {
            chain: *chain,
            score: 1.0 / f64::from(place),
            by_fragment: Vec::new(),
        });
        let scored = vec![ScoredBy { scorer: "the search's own order".into(), chains: open.len() as u64 }];
        Self { order: order.collect(), scored, ..Self::default() }
    }

    /// Sorts best first; equal scores keep the search's order.
    pub(super) fn sort(&mut self) {
        self.order.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.chain.cmp(&b.chain)));
    }

    /// Keeps the best `top_k`, and every pinned chain whatever its score.
    pub(super) fn choose(mut self, pinned: &[u32], top_k: usize) -> Pruning {
        let known: HashSet<u32> = self.order.iter().map(|scored| scored.chain).collect();
        for chain in pinned.iter().filter(|chain| !known.contains(chain)) {
            self.order.push(ScoredChain { chain: *chain, score: 0.0, by_fragment: vec![0.0; self.fragments.len()] });
        }
        let pinned: HashSet<u32> = pinned.iter().copied().take(MOST_KEPT).collect();
        let mut room = top_k.saturating_sub(pinned.len());
        let (mut kept, mut others) = (Vec::new(), Vec::new());
        for scored in self.order {
            if pinned.contains(&scored.chain) {
                kept.push(scored);
            } else if room > 0 {
                room -= 1;
                kept.push(scored);
            } else {
                others.push(scored);
            }
        }
        others.truncate(if self.record_all { MOST_KEPT } else { RUNNERS_UP });
        Pruning { fragments: self.fragments, kept, runners_up: others, scored: self.scored, of_model: 0 }
    }

    /// Why a chain was not kept, by its rank; `None` if nothing was kept.
    pub(super) fn fate_of(self, pruning: &Pruning, number: u32) -> Option<(Fate, ScoredChain)> {
        let least_kept = pruning.kept.last()?.score;
        let scored = self.order.into_iter().find(|scored| scored.chain == number);
        let sieved = || ScoredChain { chain: number, score: 0.0, by_fragment: vec![0.0; pruning.fragments.len()] };
        Some(match scored {
            Some(scored) => (Fate::Outscored { score: scored.score, least_kept }, scored),
            None => (Fate::PrefilteredOut { read: pruning.scored.last().map_or(0, |by| by.chains) }, sieved()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_kept_and_what_is_pinned_in_its_place() {
        let numbers = |scored: &[ScoredChain]| scored.iter().map(|scored| scored.chain).collect::<Vec<_>>();
        let ranked = || Ranked::as_searched(&[0, 1, 2, 3, 5]);
        let pruning = ranked().choose(&[], 2);
        assert_eq!((numbers(&pruning.kept), numbers(&pruning.runners_up)), (vec![0, 1], vec![2, 3, 5]));
        assert_eq!(pruning.kept[1].score, 0.5);
        // 9 has no score of its own; two places are for pinned chains, so one is left.
        let pruning = ranked().choose(&[3, 9], 3);
        assert_eq!((numbers(&pruning.kept), numbers(&pruning.runners_up)), (vec![0, 3, 9], vec![1, 2, 5]));
        assert_eq!(numbers(&ranked().choose(&[2, 3], 1).kept), [2, 3]);
    }
}
