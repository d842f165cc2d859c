//! Why a chain was kept or not, told from the same scores as the choice.

use super::choose::{Candidate, Shown, in_common, squashed};
use super::{Known, PruneInput, weigh};
use crate::pipeline::context::{RunContext, StageError};
use crate::pipeline::event::{Pruning, ScoredChain};
use crate::pipeline::triage::Fate;

/// What the scores say of a chain that was not kept and that nobody rejected, and its scores by the encoder.
pub(crate) fn explain(
    ctx: &mut RunContext<'_>,
    input: &PruneInput<'_>,
    known: &mut Known,
    pruning: &Pruning,
    number: u32,
) -> Result<Option<(Fate, ScoredChain)>, StageError> {
    let weighed = weigh(ctx, input, known)?;
    let Some(chain) = input.found.chains.get(number as usize) else { return Ok(None) };
    // Whatever a cross-encoder said of it, the encoder can be asked of any chain.
    let by_fragment = known.by_fragment(ctx, weighed.judge.graph(), &[chain])?.pop().unwrap_or_default();
    let best = by_fragment.iter().copied().fold(0.0, f64::max);
    let candidate = weighed.candidates.iter().find(|candidate| candidate.number == number);
    let prior = weighed.judge.prior(&weighed.judge.local(chain));
    let score = squashed(candidate.map_or(best + prior, |candidate| candidate.score));
    let fate = match candidate {
        Some(candidate) => fate_of(candidate, &weighed.candidates, pruning, &input.decided.pinned),
        None => Fate::SievedOut { read: pruning.scored.last().map_or(0, |by| by.chains) },
    };
    Ok(Some((fate, ScoredChain { chain: number, score, by_fragment })))
}

/// What kept a candidate out: others had better scores, or it repeats what one of them states and would else have had a place.
fn fate_of(candidate: &Candidate, candidates: &[Candidate], pruning: &Pruning, pinned: &[u32]) -> Fate {
    let score = squashed(candidate.score);
    let by_score = pruning.kept.iter().rfind(|kept| pinned.binary_search(&kept.chain).is_err());
    let Some(least) = by_score.or(pruning.kept.last()) else { return Fate::Undecided };
    let chosen = |kept: &ScoredChain| candidates.iter().find(|other| other.number == kept.chain);
    let mut shown = Shown::new(candidate.by_fragment.len());
    pruning.kept.iter().filter_map(chosen).for_each(|other| shown.take(other));
    if shown.repeats(candidate) > 0.0 && squashed(shown.adds(candidate)) >= least.score {
        let shared = pruning.kept.iter().zip(1u32..).filter_map(|(kept, id)| Some((in_common(candidate, chosen(kept)?), id)));
        // Of equals the better one.
        let most = shared.max_by(|(a, first), (b, second)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(second.cmp(first)));
        if let Some((_, kept)) = most {
            return Fate::Alike { kept, score };
        }
    }
    Fate::Outscored { score, least_kept: least.score }
}
