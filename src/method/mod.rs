//! Methods, and the engine that answers questions with them.
//!
//! A `Method` is a value that supplies what differs between methods: the hypothesis, the search, the ranking, the prompts. The
//! `driver` decides which stage runs when, for first runs and revisions alike; no stage knows which method it works for.

mod base;
mod between_anchors;
mod by_model;
mod by_query;
mod catena;
mod chain_of_note;
mod cok;
mod documents;
mod driver;
mod embed;
mod engine;
mod examples;
mod explain;
mod extracted;
mod find;
mod from_triples;
mod hykge;
mod hykge_by_model;
mod kalmv;
mod kg_gpt;
mod kgrag;
mod mindmap;
mod model_hypothesis;
mod models;
mod named_by_model;
mod named_facts;
mod overlap;
mod planned;
mod qe;
mod ranking;
mod relevance;
mod remembered;
mod rok;
mod run_cache;
mod run_state;
mod sure;
mod tog;
mod triple_similarity;
mod with_model;
mod wts;
mod wts_reply;
mod wts_walk;

pub use crate::run::{ByModel, MethodName, Retrieval, UnknownMethod, Without};
pub use engine::{Engine, EngineError, EngineOptions};
pub use models::{EngineModels, LateWarnings};

use between_anchors::BetweenAnchors;
use by_model::AskedModel;
use from_triples::FromTriples;
use ranking::{Ranked, Scores};
use run_state::{RunState, Subject};

use crate::evidence::SearchMethod;
use crate::graph::{Chain, ChainSearch, EvolvingGraph, FoundChains};
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::pipeline::llm::ReaderPrompt;
use crate::pipeline::prune::ScoreCache;
use crate::run::{Decided, Fate, Pruning, ScoredChain, Settings};

/// What a method supplies. The defaults are those of a method that retrieves single triples and asks a language model for the
/// answer alone.
trait Method: Send + Sync {
    /// Whether the question is linked to the graph at all.
    fn uses_graph(&self) -> bool {
        true
    }

    /// How passages are searched, where the answer comes from documents alone.
    fn documents(&self) -> Option<SearchMethod> {
        None
    }

    /// What the user must know about this method under these models: a part of the paper that has no model here, or an
    /// ablation that changes nothing.
    fn warning(&self, _ctx: &RunContext<'_>) -> Option<&'static str> {
        None
    }

    /// Whether earlier ratings decide about chains: those that good answers cited gain, and what a rating pinned is kept.
    fn uses_ratings(&self) -> bool {
        false
    }

    /// Whether mentions link to their nearest name above δ and to nothing else, as HyKGE publishes it.
    fn links_by_cosine(&self) -> bool {
        false
    }

    /// Whether a language model, where there is one, writes hypothesis and answer itself, as the method's paper has it. Otherwise it only adds to what
    /// stands without it. `bare`: the paper's algorithm alone was asked for.
    fn is_answered_by_model(&self, _bare: bool) -> bool {
        false
    }

    /// The prompt of the text that is written before the search; `None` where the method writes none.
    fn hypothesis_prompt(&self) -> Option<PromptFor> {
        None
    }

    /// The prompt by which a language model that answers itself lists the names in question and hypothesis, once that is written; `None`:
    /// names are recognised and linked as they come.
    fn names_prompt(&self, _bare: bool) -> Option<PromptFor> {
        None
    }

    /// The longest chain, in relations, that is searched between anchors while they come in; 0 where the method searches otherwise.
    fn chain_length(&self, _settings: &Settings) -> usize {
        0
    }

    /// Ends the search between anchors, or retrieves in the method's own way; a method that does not need the graph finds no
    /// chain. With the chains come scores that a language model gave them on the way.
    fn search(
        &self,
        _ctx: &mut RunContext<'_>,
        _search: ChainSearch<'_, EvolvingGraph>,
        _subject: &Subject<'_>,
    ) -> Result<(FoundChains, Scores), StageError> {
        Ok((FoundChains::default(), Scores::new()))
    }

    /// What the doctor's decisions mean for the chains: which may be kept, and which are kept in any case.
    fn decided(&self, _ctx: &RunContext<'_>, state: &RunState<'_>) -> Decided {
        Decided::of_any(state.triage, &state.searched.table)
    }

    /// The chains that may be kept, best first; where nothing ranks them, in the order of the search. `open`: their numbers.
    fn order(&self, _ctx: &mut RunContext<'_>, _state: &RunState<'_>, open: &[u32]) -> Result<Ranked, StageError> {
        Ok(Ranked::as_searched(open))
    }

    /// Chooses the chains that are kept.
    fn rank(
        &self,
        ctx: &mut RunContext<'_>,
        state: &RunState<'_>,
        decided: &Decided,
        _cache: &mut ScoreCache,
    ) -> Result<Pruning, StageError> {
        Ok(self.order(ctx, state, &state.open(decided))?.choose(&decided.pinned, ctx.settings.top_k))
    }

    /// Scores one chain again, as [`Self::rank`] did, and says why it was not kept.
    fn explain(
        &self,
        ctx: &mut RunContext<'_>,
        state: &RunState<'_>,
        (decided, pruning): (&Decided, &Pruning),
        _cache: &mut ScoreCache,
        number: u32,
    ) -> Result<Option<(Fate, ScoredChain)>, StageError> {
        Ok(self.order(ctx, state, &state.open(decided))?.fate_of(pruning, number))
    }

    /// Whether the details of the answer are read from the whole graph, and the chains that prove them join those kept. Otherwise
    /// only what the method's own chains state is stated.
    fn joins_proofs(&self) -> bool {
        false
    }

    /// The chains that a language model, asked in the method's own way, would keep, best first. They may join those that are kept without it.
    fn chosen_by_model(&self, _ctx: &mut RunContext<'_>, _state: &RunState<'_>, _subject: &Subject<'_>) -> Result<Vec<Chain>, StageError> {
        Ok(Vec::new())
    }

    /// How a language model is asked for the answer.
    fn reader(&self) -> ReaderPrompt {
        ReaderPrompt::default()
    }

    /// Has the language model write the answer. `None`: it failed or wrote nothing; a warning has said so.
    fn write_answer(&self, ctx: &mut RunContext<'_>, asked: &AskedModel<'_>) -> Result<Option<String>, StageError> {
        asked.read(ctx, self.reader())
    }
}

/// The method of a name: the one place where names become methods.
fn method(name: MethodName) -> Box<dyn Method> {
    match name {
        MethodName::Catena(without) => Box::new(BetweenAnchors { without, ranking: catena::Catena }),
        MethodName::Hykge(without) => Box::new(BetweenAnchors { without, ranking: hykge::Hykge { by_model: None } }),
        MethodName::HykgeByModel(part) => {
            Box::new(BetweenAnchors { without: Without::default(), ranking: hykge::Hykge { by_model: Some(part) } })
        }
        MethodName::Rok => Box::new(rok::Rok),
        MethodName::Wts(retrieval) => Box::new(wts::Wts { retrieval }),
        MethodName::Qe => Box::new(FromTriples(qe::Qe)),
        MethodName::Con => Box::new(FromTriples(chain_of_note::ChainOfNote)),
        MethodName::Cok => Box::new(FromTriples(cok::ChainOfKnowledge)),
        MethodName::Kalmv => Box::new(FromTriples(kalmv::Kalmv)),
        MethodName::KgGpt => Box::new(FromTriples(kg_gpt::KgGpt)),
        MethodName::Sure => Box::new(FromTriples(sure::Sure)),
        MethodName::KgRag => Box::new(FromTriples(kgrag::KgRag)),
        MethodName::Embed => Box::new(embed::Embed),
        MethodName::Tog => Box::new(FromTriples(tog::ThinkOnGraph)),
        MethodName::MindMap => Box::new(FromTriples(mindmap::MindMap)),
        MethodName::Base => Box::new(base::Alone { prompt: PromptFor::Base }),
        MethodName::Cot => Box::new(base::Alone { prompt: PromptFor::FromExamples }),
        MethodName::Idep => Box::new(documents::OfDocuments(SearchMethod::default())),
        MethodName::Bm25 => Box::new(documents::OfDocuments(SearchMethod::Bm25)),
        MethodName::Vector => Box::new(documents::OfDocuments(SearchMethod::Vector)),
        MethodName::GraphRag => Box::new(documents::OfDocuments(SearchMethod::GraphRag)),
    }
}
