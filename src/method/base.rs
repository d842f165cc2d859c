//! The baselines without a graph: the language model alone, asked for the answer (Base, which WTS calls IO) or for its thoughts before it (CoT, with five
//! examples).

use super::Method;
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

    fn reader(&self) -> ReaderPrompt {
        ReaderPrompt { prompt: self.prompt, ..ReaderPrompt::default() }
    }
}
