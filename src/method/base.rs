//! The baseline without a graph: the language model alone.

use super::Method;
use super::ranking::{Ranked, Scores};
use super::run_state::{RunState, Subject};
use crate::graph::{ChainSearch, EvolvingGraph, FoundChains};
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::pipeline::llm::ReaderPrompt;

/// Asks the language model and nothing else.
pub(super) struct Base;

impl Method for Base {
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
        ReaderPrompt { prompt: PromptFor::Base, ..ReaderPrompt::default() }
    }
}
