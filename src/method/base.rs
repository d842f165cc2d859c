//! The baselines without a graph: the language model alone, asked for the answer (Base, which WTS calls IO) or for its thoughts before it (CoT, with five
//! examples).

use super::Method;
use super::ranking::{Ranked, Scores};
use super::run_state::{RunState, Subject};
use crate::graph::{ChainSearch, EvolvingGraph, FoundChains};
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::pipeline::llm::ReaderPrompt;

/// Asks the language model and nothing else.
pub(super) struct Alone {
    pub(super) prompt: PromptFor,
}

impl Method for Alone {
    fn uses_graph(&self) -> bool {
        false
    }

    fn search(
        &self,
        _ctx: &mut RunContext<'_>,
        _search: ChainSearch<'_, EvolvingGraph>,
        _subject: &Subject<'_>,
    ) -> Result<(FoundChains, Scores), StageError> {
        Ok((FoundChains::default(), Scores::new()))
    }

    fn order(&self, _ctx: &mut RunContext<'_>, _state: &RunState<'_>, open: &[u32]) -> Result<Ranked, StageError> {
        Ok(Ranked::as_searched(open))
    }

    fn reader(&self) -> ReaderPrompt {
        ReaderPrompt { prompt: self.prompt, ..ReaderPrompt::default() }
    }
}
