//! The prefilter: of all chains, the best by their cheap score, and for each result that the answer wants the best that show it, so that
//! a few strong results cannot hide the rest.

use std::cmp::Ordering;
use std::collections::HashSet;

use rayon::prelude::*;

use super::features::Features;
use crate::language::context::StageError;
use crate::model::CancelToken;

/// Chains that are scored between two checks for cancellation.
const PORTION: usize = 4096;

/// A chain's score and number.
type Scored = (f64, u32);

/// Best first; equals in the search's order.
fn by_score(a: &Scored, b: &Scored) -> Ordering {
    b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1))
}

/// The best chains seen so far, at most `most` of them.
#[derive(Debug, Clone)]
struct Best {
    most: usize,
    found: Vec<Scored>,
    /// The worst that is still kept, once there are enough.
    last: Option<Scored>,
}

impl Best {
    fn of(most: usize) -> Self {
        Self { most, found: Vec::new(), last: None }
    }

    fn take(&mut self, scored: Scored) {
        if self.last.is_some_and(|last| by_score(&scored, &last) != Ordering::Less) {
            return;
        }
        self.found.push(scored);
        // Selects only when four times as many have gathered, to spread the cost.
        if self.found.len() >= 4 * self.most {
            self.cut();
        }
    }

    fn merge(&mut self, other: Self) {
        for scored in other.found {
            self.take(scored);
        }
    }

    fn cut(&mut self) {
        if self.found.len() > self.most {
            let (_, last, _) = self.found.select_nth_unstable_by(self.most - 1, by_score);
            self.last = Some(*last);
            self.found.truncate(self.most);
        }
    }

    fn cut_to(mut self) -> Vec<Scored> {
        self.cut();
        self.found
    }
}

/// Which chains are scored.
pub(super) enum Scope<'a> {
    /// As many as there are.
    All(usize),
    /// Those with these numbers.
    These(&'a [u32]),
}

impl Scope<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::All(count) => *count,
            Self::These(numbers) => numbers.len(),
        }
    }

    fn number(&self, at: usize) -> u32 {
        match self {
            Self::All(_) => at as u32,
            Self::These(numbers) => numbers[at],
        }
    }
}

/// The chains that pass the prefilter.
#[derive(Debug, Clone)]
pub(super) struct Prefiltered {
    overall: Best,
    by_want: Vec<Best>,
}

/// Gives chains their cheap score; keeps the `most` best, and `per_want` for each wanted result. The result does not depend on which
/// thread scores which chain, because the order of scores is total.
pub(super) fn prefilter(
    features: &Features<'_>,
    which: &Scope<'_>,
    most: usize,
    per_want: usize,
    cancel: &CancelToken,
) -> Result<Prefiltered, StageError> {
    let empty = || Prefiltered { overall: Best::of(most), by_want: vec![Best::of(per_want); features.wants()] };
    (0..which.len().div_ceil(PORTION))
        .into_par_iter()
        .try_fold(empty, |mut best, portion| {
            if cancel.is_cancelled() {
                return None;
            }
            for at in portion * PORTION..((portion + 1) * PORTION).min(which.len()) {
                let number = which.number(at);
                let chain = features.local(&features.chains()[number as usize]);
                let scored = (features.cheap_score(&chain), number);
                best.overall.take(scored);
                features.for_each_want(&chain, |want, _| best.by_want[usize::from(want)].take(scored));
            }
            Some(best)
        })
        .try_reduce(empty, |mut a, b| {
            a.overall.merge(b.overall);
            for (best, others) in a.by_want.iter_mut().zip(b.by_want) {
                best.merge(others);
            }
            Some(a)
        })
        .ok_or(StageError::Cancelled)
}

impl Prefiltered {
    /// Numbers of all chains that it holds back, each once, in no order.
    pub(super) fn everything(self) -> Vec<u32> {
        let all = std::iter::once(self.overall).chain(self.by_want).flat_map(Best::cut_to);
        let numbers: HashSet<u32> = all.map(|(_, number)| number).collect();
        numbers.into_iter().collect()
    }

    /// Numbers of the best overall, and of at most `wanted` more that are the best for something wanted; best first.
    pub(super) fn best_and_wanted(self, wanted: usize) -> Vec<u32> {
        let mut overall = self.overall.cut_to();
        let known: HashSet<u32> = overall.iter().map(|(_, number)| *number).collect();
        let mut others: Vec<Scored> = self.by_want.into_iter().flat_map(Best::cut_to).collect();
        others.retain(|(_, number)| !known.contains(number));
        others.sort_unstable_by(by_score);
        others.dedup();
        others.truncate(wanted);
        overall.extend(others);
        overall.sort_unstable_by(by_score);
        overall.into_iter().map(|(_, number)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_those_of_a_full_sort_however_they_were_portioned_out(
            scores in prop::collection::vec(0u8..20, 0..300),
            most in 1usize..12,
            portion in 1usize..60,
        ) {
            let all: Vec<Scored> = scores.iter().map(|score| f64::from(*score)).zip(0..).collect();
            let mut merged = Best::of(most);
            for portion in all.chunks(portion) {
                let mut best = Best::of(most);
                portion.iter().for_each(|scored| best.take(*scored));
                merged.merge(best);
            }
            let mut found = merged.cut_to();
            found.sort_unstable_by(by_score);
            let mut sorted = all;
            sorted.sort_unstable_by(by_score);
            sorted.truncate(most);
            prop_assert_eq!(found, sorted);
        }
    }
}
