//! Why a chain was kept or not, from the same scores as the choice.

use super::choose::{Candidate, Coverage, in_common, squashed};
use super::{PruneInput, ScoreCache, by_ratings, ratings_of, weigh};
use crate::language::context::{RunContext, StageError};
use crate::run::event::{Pruning, ScoredChain};
use crate::run::triage::Fate;

/// Why a chain was not kept although nobody rejected it, with its scores by the encoder. `None` if there is no such chain.
pub(crate) fn explain(
    ctx: &mut RunContext<'_>,
    input: &PruneInput<'_>,
    cache: &mut ScoreCache,
    pruning: &Pruning,
    number: u32,
) -> Result<Option<(Fate, ScoredChain)>, StageError> {
    let weighed = weigh(ctx, input, cache)?;
    let Some(chain) = input.found.chains.get(number as usize) else { return Ok(None) };
    // The encoder can score any chain, even one that the cross-encoder has not read.
    let by_fragment = cache.by_fragment(ctx, weighed.features.graph(), &[chain])?.pop().unwrap_or_default();
    let best = by_fragment.iter().copied().fold(0.0, f64::max);
    let candidate = weighed.candidates.iter().find(|candidate| candidate.number == number);
    let rated = if input.ratings { by_ratings(ratings_of(ctx.knowledge, chain)) } else { 0.0 };
    let prior = weighed.features.prior(&weighed.features.local(chain)) + rated;
    let score = squashed(candidate.map_or(best + prior, |candidate| candidate.score));
    let fate = match candidate {
        Some(candidate) => fate_of(candidate, &weighed.candidates, pruning, &input.decided.pinned),
        None => Fate::PrefilteredOut { read: pruning.scored.last().map_or(0, |by| by.chains) },
    };
    Ok(Some((fate, ScoredChain { chain: number, score, by_fragment })))
}

/// Why a candidate was not chosen: others scored better, or it repeats what a kept chain states and would otherwise have been chosen.
fn fate_of(candidate: &Candidate, candidates: &[Candidate], pruning: &Pruning, pinned: &[u32]) -> Fate {
    let score = squashed(candidate.score);
    let by_score = pruning.kept.iter().rfind(|kept| pinned.binary_search(&kept.chain).is_err());
    let Some(least) = by_score.or(pruning.kept.last()) else { return Fate::Undecided };
    let chosen = |kept: &ScoredChain| candidates.iter().find(|other| other.number == kept.chain);
    let mut shown = Coverage::new(candidate.by_fragment.len());
    pruning.kept.iter().filter_map(chosen).for_each(|other| shown.take(other));
    if shown.repeats(candidate) > 0.0 && squashed(shown.would_add(candidate)) >= least.score {
        let shared = pruning.kept.iter().zip(1u32..).filter_map(|(kept, id)| Some((in_common(candidate, chosen(kept)?), id)));
        // Of equal ones, the better.
        let most = shared.max_by(|(a, first), (b, second)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(second.cmp(first)));
        if let Some((_, kept)) = most {
            return Fate::Alike { kept, score };
        }
    }
    // A chain is chosen for what it adds, too: one that scores less by itself may be kept. Then the next better one is what it lost to.
    let better = pruning.kept.iter().map(|kept| kept.score).filter(|kept| *kept > score).reduce(f64::min);
    Fate::Outscored { score, least_kept: better.unwrap_or(least.score) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Role;

    fn candidate(number: u32, score: f64, wanted: &[(u16, f64)], facts: &[(Role, u32, u32)]) -> Candidate {
        Candidate { number, pinned: false, score, wanted: wanted.to_vec(), facts: facts.to_vec(), by_fragment: vec![0.5] }
    }

    #[test]
    fn what_repeats_a_kept_chain_is_told_from_what_is_not_good_enough() {
        let (one, two) = ((Role::Treatment, 1, 2), (Role::Symptom, 3, 4));
        let kept = [candidate(7, 0.9, &[(1, 0.5)], &[two]), candidate(5, 0.8, &[(2, 1.0)], &[one])];
        let alike = candidate(6, 0.8, &[(2, 1.0)], &[one]);
        let weak = candidate(8, 0.1, &[], &[(Role::Test, 5, 6)]);
        let weak_and_alike = candidate(9, 0.1, &[], &[one]);
        let all = [kept[0].clone(), kept[1].clone(), alike, weak, weak_and_alike];
        let (chosen, _) = crate::pipeline::prune::choose::choose(all.to_vec(), 2, 1);
        let numbers: Vec<u32> = chosen.iter().map(|kept| kept.chain).collect();
        assert_eq!(numbers, [5, 7]);
        let least_kept = chosen[1].score;
        let pruning = Pruning { kept: chosen, ..Pruning::default() };
        let fate = |at: usize| fate_of(&all[at], &all, &pruning, &[]);
        assert_eq!(fate(2), Fate::Alike { kept: 1, score: squashed(0.8) });
        assert_eq!(fate(3), Fate::Outscored { score: squashed(0.1), least_kept });
        assert_eq!(fate(4), Fate::Outscored { score: squashed(0.1), least_kept });
    }
}
