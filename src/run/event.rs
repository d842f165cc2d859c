//! Events: everything that happens in a run, in order. A run is its stream of events; [`super::Trace`] is the state that they add up to.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::case::Case;
use super::passage::QuotedPassage;
use super::reasoned::Reasoned;
use crate::graph::{ChainKind, ChainTable};

pub use super::answer::{Answer, AnswerLine, AnswerPart, Urgency, UrgencyLevel, UrgencyReason, UrgencyReasonKind};

/// One thing that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The id of the run to which it belongs.
    pub run: Arc<str>,
    /// Time since the start of the run, in milliseconds.
    pub at_ms: f64,
    /// What happened.
    #[serde(flatten)]
    pub what: EventKind,
}

/// A stage of the pipeline (design §4), in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Writing the hypothesis.
    Hypothesis,
    /// Finding mentions of entities.
    Recognise,
    /// Linking mentions to the graph.
    Link,
    /// Searching for chains.
    Search,
    /// Pruning them to the few that matter.
    Prune,
    /// Writing the answer.
    Read,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 6] = [Self::Hypothesis, Self::Recognise, Self::Link, Self::Search, Self::Prune, Self::Read];

    /// The stage's name, as traces and screens show it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hypothesis => "hypothesis",
            Self::Recognise => "recognise",
            Self::Link => "link",
            Self::Search => "search",
            Self::Prune => "prune",
            Self::Read => "read",
        }
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "a run has hundreds of events, not millions; the heavy parts are shared behind an Arc")]
pub enum EventKind {
    /// The run began. Always the first event.
    RunStarted {
        /// The question, as typed (sanitised).
        question: String,
        /// The method's name.
        method: String,
        /// The graph in use.
        kg: KgInfo,
        /// The settings in force.
        settings: Settings,
        /// The models in use.
        models: Models,
    },
    /// A stage began. Stages overlap, so several can be running.
    StageStarted {
        /// Which.
        stage: Stage,
    },
    /// A stage ended.
    StageFinished {
        /// Which.
        stage: Stage,
        /// Time spent in it, in milliseconds (work time, where it overlapped with others).
        elapsed_ms: f64,
    },
    /// The models have changed since the start: one has loaded, or another has replaced it.
    ModelsChanged {
        /// The models in use from now on.
        models: Models,
    },
    /// The activity of a model for which the run waits.
    ModelActive {
        /// The model, and its progress.
        activity: ModelActivity,
    },
    /// A prompt went to the language model.
    PromptSent {
        /// The prompt.
        prompt: SentPrompt,
    },
    /// More of the hypothesis.
    HypothesisToken {
        /// The text to append.
        text: String,
    },
    /// More of the language model's hypothesis, which follows the graph's.
    HypothesisAdded {
        /// The text to append.
        text: String,
    },
    /// A mention of an entity was found.
    MentionFound {
        /// The mention.
        mention: Mention,
    },
    /// A mention was linked to an entity.
    AnchorLinked {
        /// The anchor; it replaces an earlier one of the same entity.
        anchor: Anchor,
    },
    /// A mention could not be linked.
    MentionUnlinked {
        /// Its text.
        text: String,
    },
    /// The question follows another one, whose case it continues.
    Followed {
        /// The case of the run before.
        case: Arc<Case>,
    },
    /// How the question was read, with the doctor's corrections. A later one replaces it.
    CaseRead {
        /// The case.
        case: Arc<Case>,
    },
    /// A method that reasons depth by depth has ended its search. A later one replaces it.
    Reasoned {
        /// How it ended.
        reasoned: Reasoned,
    },
    /// How urgent the case is. A later one replaces it.
    UrgencyJudged {
        /// The level, what to do, and what raised it.
        urgency: Urgency,
    },
    /// The search has found more chains.
    ChainsProgress {
        /// Chains found so far.
        found: u64,
    },
    /// The search ended. The chains are in its order: by length, cost and name. A choice among earlier chains no longer holds.
    ChainsFound {
        /// The chains held in memory, with the names of their entities and relations.
        table: Arc<ChainTable>,
        /// How many were found in total.
        found: u64,
        /// How many were found by kind.
        by_kind: BTreeMap<ChainKind, u64>,
        /// Why the search stopped early; `None` if it found every chain.
        truncated: Option<String>,
    },
    /// A language model brought further chains. Those found before come first, so that a choice among them still holds.
    ChainsAdded {
        /// All chains held in memory.
        table: Arc<ChainTable>,
        /// How many of them, the last, the language model brought.
        of_model: u64,
    },
    /// The chains were pruned.
    ChainsPruned {
        /// The kept chains, the runners-up and their scores.
        pruning: Arc<Pruning>,
    },
    /// Passages of documents were found. Their ids are their places in the list: `D1` is the first.
    PassagesFound {
        /// The passages: those that the answer cites, in its order, then others that fit the question, the best first.
        passages: Arc<Vec<QuotedPassage>>,
    },
    /// More of the answer.
    AnswerToken {
        /// The text to append.
        text: String,
    },
    /// The answer is complete.
    AnswerFinished {
        /// The whole answer.
        answer: Answer,
    },
    /// A warning for the doctor, in plain words.
    Warning {
        /// What happened, what it means and what to do.
        text: String,
    },
    /// The doctor changed something, and the run continues from a stage: the results of that stage and of those after it are replaced. Comes after
    /// a `RunFinished`, and another `RunFinished` follows.
    Revised {
        /// All decisions so far.
        triage: Arc<super::Triage>,
        /// The first stage that runs again.
        from: Stage,
    },
    /// The run ended. Always the last event of a run, or of its revision.
    RunFinished {
        /// How.
        outcome: Outcome,
        /// Time since the start of the run, in milliseconds.
        total_ms: f64,
    },
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// With an answer that rests on evidence.
    Answered,
    /// Without evidence: nothing could be linked, or no chain was found. The answer says so.
    NothingFound,
    /// The user stopped the run.
    Cancelled,
    /// The run failed.
    Failed {
        /// Why, in plain words.
        message: String,
    },
}

/// The graph of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KgInfo {
    /// Its name.
    pub name: String,
    /// How many entities it has.
    pub entities: u64,
    /// How many triples it has.
    pub triples: u64,
    /// How many of them were learned from feedback.
    pub learned: u64,
}

/// The settings of a run (defaults: HyKGE 2025, A.2.3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The longest chain, in relations: 1 to [`crate::graph::MAX_HOPS`].
    pub k: usize,
    /// How many chains are kept: 1 to 1000.
    pub top_k: usize,
    /// Linking threshold, 0 to 1: a mention links when its similarity exceeds it.
    pub delta: f64,
    /// Words in a fragment (`lc`).
    pub fragment_words: usize,
    /// Words that neighbouring fragments share (`oc`).
    pub fragment_overlap: usize,
    /// Seed of the random generator.
    pub seed: i64,
}

/// A model of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// `graph` (made from the graph itself), `candle` or `http`; `loading` while it is not known.
    pub kind: String,
    /// The model's name.
    pub name: String,
    /// Where it runs: `cpu`, `cuda:0`, `remote`.
    pub device: String,
}

/// The models of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Models {
    /// Writes hypothesis and answer.
    pub generator: ModelInfo,
    /// Embeds mentions and names.
    pub encoder: ModelInfo,
    /// Scores fragments against chains.
    pub reranker: ModelInfo,
}

/// The role of a model in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelRole {
    /// Writes the hypothesis and the answer.
    Generator,
    /// Embeds mentions and names.
    Encoder,
    /// Scores fragments against chains.
    Reranker,
}

/// The state of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelState {
    /// It is being loaded.
    Loading,
    /// It is waiting for work.
    #[default]
    Idle,
    /// It is working.
    Busy,
    /// It could not be loaded, or failed while working.
    Failed,
}

/// The activity of a model at one moment of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelActivity {
    /// Which.
    pub role: ModelRole,
    /// Its state.
    pub state: ModelState,
    /// How many requests are waiting for it.
    pub queued: u64,
    /// How much of the current work is done.
    pub done: u64,
    /// How much the current work is: at most so many tokens, or pairs, or texts; 0 if not known.
    pub total: u64,
    /// Speed, in tokens per second.
    #[serde(default)]
    pub tokens_per_second: Option<f64>,
    /// What a text cost that has just been written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<TokensSpent>,
}

/// The tokens of one call to a language model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokensSpent {
    /// Of the prompt; `None` where a server does not say.
    pub read: Option<u64>,
    /// Of the text; `None` where a server does not say.
    pub written: Option<u64>,
}

/// A prompt as sent to a language model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentPrompt {
    /// The stage that asked.
    pub stage: Stage,
    /// Its name: method and purpose, such as `hykge/reader`.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// The first 12 hexadecimal digits of the SHA-256 of its file.
    pub hash: String,
    /// Whether the user replaced the built-in prompt.
    pub own: bool,
    /// The system message.
    pub system: String,
    /// The user message, including any part that did not fit into the context of the model.
    pub user: String,
}

/// Where a mention came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MentionOrigin {
    /// The question.
    Question,
    /// The hypothesis.
    Hypothesis,
}

/// A mention: a part of the question or the hypothesis that may name an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// The text as written.
    pub text: String,
    /// Byte offset of its start in that text.
    pub start: usize,
    /// Byte offset of its end.
    pub end: usize,
    /// The text: question or hypothesis.
    pub origin: MentionOrigin,
    /// The recogniser that found it: `gazetteer`, `candidate`, `w2ner` and others.
    pub recogniser: String,
}

/// Where an anchor came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnchorOrigin {
    /// The question (red).
    Question,
    /// The hypothesis (blue).
    Hypothesis,
    /// Both (red: the words of the patient count more).
    Both,
}

/// An entity of the graph that the question or the hypothesis names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// The entity's name.
    pub entity: String,
    /// Its kind.
    pub kind: String,
    /// The confidence of the link, 0 to 1; 1 is an exact name or alias.
    pub score: f64,
    /// The text that names it.
    pub origin: AnchorOrigin,
    /// The mention's text.
    pub mention: String,
    /// Only a language model names it; its origin is then the hypothesis.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_model: bool,
}

/// The result of the pruning. Chain numbers are indexes of [`ChainTable::chains`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pruning {
    /// The fragments of question and hypothesis.
    pub fragments: Vec<String>,
    /// The kept chains, best first; at most 1000.
    pub kept: Vec<ScoredChain>,
    /// The runners-up, best first; at most 1000.
    pub runners_up: Vec<ScoredChain>,
    /// How many chains each scorer scored, cheapest scorer first: the order in which they filtered the chains.
    pub scored: Vec<ScoredBy>,
    /// How many of the kept chains, the last, are kept only because a language model brought or chose them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub of_model: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// How many chains a scorer scored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoredBy {
    /// The scorer.
    pub scorer: String,
    /// How many.
    pub chains: u64,
}

/// A chain with its scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoredChain {
    /// Its number in the table.
    pub chain: u32,
    /// The score by which it is ranked.
    pub score: f64,
    /// Its similarity to each fragment, in the order of the fragments; one number if the chain was scored as a whole, none if it was not scored.
    pub by_fragment: Vec<f64>,
}
