//! Catena's own algorithm, whole or without some of its parts. It has HyKGE's stages (hypothesis, recognition, linking, chains between anchors,
//! rerank by fragments, reader), but links by more than a cosine, weighs chains by what the graph's facts speak for, and has its answer planned.
//! [`super::hykge`] is the paper's.

use super::between_anchors::{ChainRanking, Explained};
use super::run_state::RunState;
use crate::language::context::{RunContext, StageError};
use crate::pipeline::prune::{Fragments, PruneInput, ScoreCache, explain, prune};
use crate::run::{Decided, Pruning, Without};

/// Catena's ranking.
pub(super) struct Catena;

fn prune_input<'a>((state, without): (&'a RunState<'_>, Without), decided: &'a Decided) -> PruneInput<'a> {
    PruneInput {
        found: &state.searched.found,
        decided,
        anchors: state.anchors,
        assessment: state.assessment,
        intent: &state.understood.intent,
        question: state.question,
        hypothesis: state.hypothesis,
        fragments: if without.fragment { Fragments::WholeText } else { Fragments::Windows },
        descriptions: !without.description,
        ratings: !without.ratings,
    }
}

impl ChainRanking for Catena {
    const IS_PUBLISHED: bool = false;
    const NO_DESCRIPTIONS: &'static str =
        "No reranker or language model is in use to read descriptions, so leaving them out (catena-description) changes nothing.";

    fn rank(
        &self,
        ctx: &mut RunContext<'_>,
        of: (&RunState<'_>, Without),
        decided: &Decided,
        cache: &mut ScoreCache,
    ) -> Result<Pruning, StageError> {
        let input = prune_input(of, decided);
        ctx.with_encoder(|ctx| prune(ctx, &input, cache))
    }

    fn explain(
        &self,
        ctx: &mut RunContext<'_>,
        of: (&RunState<'_>, Without),
        (decided, pruning): (&Decided, &Pruning),
        cache: &mut ScoreCache,
        number: u32,
    ) -> Result<Explained, StageError> {
        let input = prune_input(of, decided);
        ctx.with_encoder(|ctx| explain(ctx, &input, cache, pruning, number))
    }
}
