//! What HyKGE's baselines have in common (2025, A.2): the linking of HyKGE, the triples around the linked entities, the common reranker, and a language
//! model that writes the answer. A baseline is what it does besides.

use super::Method;
use super::by_model::AskedModel;
use super::by_query::by_query;
use super::ranking::{Ranked, Scores};
use super::run_state::{RunState, Subject};
use crate::graph::{Chain, ChainSearch, EvolvingGraph, FoundChains, neighbourhood};
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::pipeline::llm::ReaderPrompt;

/// The most triples around the question's entities.
pub(super) const AROUND: usize = 20_000;
/// What a baseline without its language model is.
pub(super) const NO_MODEL: &str =
    "No language model is in use: the method only searches by similarity to the question, and the built-in reader writes the answer.";

/// What one baseline does in its own way. The defaults: it ranks the triples against the question, and asks for the answer as HyKGE does.
pub(super) trait Baseline: Send + Sync {
    /// The prompt of a text that is written before the search.
    fn hypothesis_prompt(&self) -> Option<PromptFor> {
        None
    }

    /// Chooses among the triples around the linked entities, or finds more.
    fn narrow(&self, _ctx: &mut RunContext<'_>, _subject: &Subject<'_>, _found: &mut FoundChains) -> Result<(), StageError> {
        Ok(())
    }

    /// What the triples are ranked against.
    fn query(&self, state: &RunState<'_>) -> String {
        state.question.to_owned()
    }

    /// The triples that may be kept, best first.
    fn order(&self, ctx: &mut RunContext<'_>, state: &RunState<'_>, open: &[u32]) -> Result<Ranked, StageError> {
        by_query(ctx, state, &self.query(state), open)
    }

    /// Has the language model write the answer.
    fn write_answer(&self, ctx: &mut RunContext<'_>, asked: &AskedModel<'_>) -> Result<Option<String>, StageError> {
        asked.read(ctx, ReaderPrompt::default())
    }
}

/// A baseline as a method.
pub(super) struct FromTriples<B>(pub(super) B);

impl<B: Baseline> Method for FromTriples<B> {
    fn warning(&self, ctx: &RunContext<'_>) -> Option<&'static str> {
        ctx.generator.is_none().then_some(NO_MODEL)
    }

    fn links_by_cosine(&self) -> bool {
        true
    }

    fn is_answered_by_model(&self, _bare: bool) -> bool {
        true
    }

    fn hypothesis_prompt(&self) -> Option<PromptFor> {
        self.0.hypothesis_prompt()
    }

    fn search(
        &self,
        ctx: &mut RunContext<'_>,
        _search: ChainSearch<'_, EvolvingGraph>,
        subject: &Subject<'_>,
    ) -> Result<(FoundChains, Scores), StageError> {
        let mut found = neighbourhood(&ctx.knowledge.graph, &subject.anchors.entities(), AROUND);
        self.0.narrow(ctx, subject, &mut found)?;
        Ok((found, Scores::new()))
    }

    fn order(&self, ctx: &mut RunContext<'_>, state: &RunState<'_>, open: &[u32]) -> Result<Ranked, StageError> {
        self.0.order(ctx, state, open)
    }

    fn write_answer(&self, ctx: &mut RunContext<'_>, asked: &AskedModel<'_>) -> Result<Option<String>, StageError> {
        self.0.write_answer(ctx, asked)
    }
}

/// Keeps the triples of a list that are wanted, and counts those that are left.
pub(super) fn keep(found: &mut FoundChains, is_wanted: impl Fn(&Chain) -> bool) {
    let before = found.chains.len() as u64;
    found.chains.retain(is_wanted);
    let left_out = before - found.chains.len() as u64;
    found.found -= left_out.min(found.found);
    found.by_kind.values_mut().for_each(|count| *count -= left_out.min(*count));
}
