//! Query expansion (HyKGE's baseline QE, after Azad and Deepak, 2019): a language model adds terms of similar meaning to the question; what both name is
//! retrieved and ranked against both, and the model answers. Two calls.

use super::from_triples::Baseline;
use super::run_state::RunState;
use crate::language::prompt::PromptFor;

/// Expands the question.
pub(super) struct Qe;

impl Baseline for Qe {
    fn hypothesis_prompt(&self) -> Option<PromptFor> {
        Some(PromptFor::QueryExpansion)
    }

    fn query(&self, state: &RunState<'_>) -> String {
        format!("{}\n{}", state.question, state.hypothesis).trim_end().to_owned()
    }
}
