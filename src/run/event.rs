//! Events: everything that happens in a run, in order. A run **is** its stream of events; see [`super::Trace`].

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::graph::{ChainKind, ChainTable, Role};

/// One thing that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The run's id; events of a run that was stopped are dropped by it.
    pub run: Arc<str>,
    /// Milliseconds since the run began.
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
    /// The models are others than was said at the start: one has loaded, or another had to take its place.
    ModelsChanged {
        /// The models in use from now on.
        models: Models,
    },
    /// What a model is doing while the run waits for it.
    ModelActive {
        /// Which, and how far it is.
        activity: ModelActivity,
    },
    /// A prompt went to the language model.
    PromptSent {
        /// What it was told.
        prompt: SentPrompt,
    },
    /// More of the hypothesis.
    HypothesisToken {
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
        /// The anchor; one that is known already (same entity) replaces the earlier one.
        anchor: Anchor,
    },
    /// A mention could not be linked.
    MentionUnlinked {
        /// Its text.
        text: String,
    },
    /// The search goes on: how many chains there are so far.
    ChainsProgress {
        /// Chains found so far.
        found: u64,
    },
    /// The search ended: the chains, in the search's order (length, cost, name).
    ChainsFound {
        /// The chains that are kept in memory, with the names of everything in them.
        table: Arc<ChainTable>,
        /// How many were found in all.
        found: u64,
        /// The same by kind.
        by_kind: BTreeMap<ChainKind, u64>,
        /// Why the search stopped early; `None` when it is exact.
        truncated: Option<String>,
    },
    /// The chains were pruned.
    ChainsPruned {
        /// The scores behind the choice.
        pruning: Arc<Pruning>,
    },
    /// More of the answer.
    AnswerToken {
        /// The text to append.
        text: String,
    },
    /// The answer is complete.
    AnswerFinished {
        /// The whole of it, in parts.
        answer: Answer,
    },
    /// Something that the doctor should know, in plain words.
    Warning {
        /// What happened, what it means and what to do.
        text: String,
    },
    /// The doctor changed something, and the run goes on from a stage: what that stage and those after it said
    /// before is said anew. Comes after a `RunFinished`, and another one follows.
    Revised {
        /// Everything that was decided so far.
        triage: Arc<super::Triage>,
        /// The first stage that runs again.
        from: Stage,
    },
    /// The run ended. Always the last event of a run, or of its revision.
    RunFinished {
        /// How.
        outcome: Outcome,
        /// Time from the run's start, in milliseconds.
        total_ms: f64,
    },
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// With an answer from evidence.
    Answered,
    /// Nothing could be linked or no evidence was found, and the answer says so.
    NothingFound,
    /// The user stopped it.
    Cancelled,
    /// It failed.
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
    /// Longest chain, in relations: 1 to [`crate::graph::MAX_HOPS`].
    pub k: usize,
    /// How many chains are kept.
    pub top_k: usize,
    /// Linking threshold, 0 to 1: a mention links when its similarity exceeds it.
    pub delta: f64,
    /// Words in a fragment (`lc`).
    pub fragment_words: usize,
    /// Words that neighbouring fragments share (`oc`).
    pub fragment_overlap: usize,
    /// Seed of everything that is drawn at random.
    pub seed: i64,
}

/// A model of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// `graph` (built from the graph itself), `candle`, `http`; `loading` while that is not known.
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

/// What a model is to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelRole {
    /// It writes hypothesis and answer.
    Generator,
    /// It embeds mentions and names.
    Encoder,
    /// It scores fragments against chains.
    Reranker,
}

/// What a model is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelState {
    /// It is being loaded.
    Loading,
    /// It waits for work.
    #[default]
    Idle,
    /// It works.
    Busy,
    /// It could not be loaded, or broke.
    Failed,
}

/// A model at one moment of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelActivity {
    /// Which.
    pub role: ModelRole,
    /// What it is doing.
    pub state: ModelState,
    /// How many orders wait for it.
    pub queued: u64,
    /// How far the work under way has come …
    pub done: u64,
    /// … of how much (tokens: at most; pairs; texts); 0 where that is not known.
    pub total: u64,
    /// Tokens that it writes a second.
    #[serde(default)]
    pub tokens_per_second: Option<f64>,
}

/// A prompt as it went to a language model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentPrompt {
    /// The stage that asked.
    pub stage: Stage,
    /// The prompt's name: method and purpose, such as `hykge/reader`.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// The first 12 hexadecimal digits of the SHA-256 of its file.
    pub hash: String,
    /// Whether it is the user's own rather than the built-in one.
    pub own: bool,
    /// The system message.
    pub system: String,
    /// The user's message; what did not fit into the model's context is still there.
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

/// A mention: a piece of question or hypothesis that may name an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// The text as written.
    pub text: String,
    /// Byte offset of its start in question or hypothesis.
    pub start: usize,
    /// Byte offset of its end.
    pub end: usize,
    /// Which of the two.
    pub origin: MentionOrigin,
    /// What found it: `gazetteer` or `candidate`.
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
    /// Both (red: what the patient said weighs more).
    Both,
}

/// An entity of the graph that question or hypothesis mention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// The entity's name.
    pub entity: String,
    /// Its kind.
    pub kind: String,
    /// How surely the mention means it, 0 to 1; 1 is an exact name or alias.
    pub score: f64,
    /// Where it was mentioned.
    pub origin: AnchorOrigin,
    /// The mention's text.
    pub mention: String,
}

/// What pruning saw and chose. Chain numbers index [`ChainTable::chains`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pruning {
    /// The fragments of question and hypothesis.
    pub fragments: Vec<String>,
    /// The chosen chains, best first.
    pub kept: Vec<ScoredChain>,
    /// The best of the others, best first.
    pub runners_up: Vec<ScoredChain>,
    /// How many chains each scorer saw, cheapest first: the order in which they were sieved.
    pub scored: Vec<ScoredBy>,
}

/// How many chains a scorer saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoredBy {
    /// What scored them.
    pub scorer: String,
    /// How many.
    pub chains: u64,
}

/// A chain with its scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoredChain {
    /// Its number in the table.
    pub chain: u32,
    /// The score it was ranked by.
    pub score: f64,
    /// Its similarity with each fragment, in the fragments' order.
    pub by_fragment: Vec<f64>,
}

/// The part of an answer that a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerPart {
    /// Conditions to think of.
    Conditions,
    /// Tests to consider.
    Tests,
    /// Treatments to consider.
    Treatments,
    /// What to be careful about.
    Cautions,
    /// Other things that the evidence shows.
    Findings,
}

impl AnswerPart {
    /// The heading of the part.
    pub fn title(self) -> &'static str {
        match self {
            Self::Conditions => "Conditions",
            Self::Tests => "Tests",
            Self::Treatments => "Treatments",
            Self::Cautions => "Cautions",
            Self::Findings => "Related findings",
        }
    }
}

/// One cited line of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerLine {
    /// The part it belongs to.
    pub part: AnswerPart,
    /// The entity that it states.
    pub entity: String,
    /// The role that the entity plays, where one is known.
    pub role: Option<Role>,
    /// The line's text, without the citations.
    pub text: String,
    /// Ids of the chains that it rests on (1 is the best kept chain).
    pub citations: Vec<u32>,
    /// Whether something in it is the language model's own: about entities of the graph, and not supported by what it cites.
    #[serde(default)]
    pub unsupported: bool,
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The whole text, with `[n]` citations.
    pub text: String,
    /// What it states as its result, most confident first.
    pub entities: Vec<String>,
    /// Ids of the cited chains, ascending.
    pub citations: Vec<u32>,
    /// Entities about which the hypothesis said otherwise than the evidence.
    pub corrected: Vec<String>,
    /// `false`: no evidence was found, and the answer says so.
    pub grounded: bool,
    /// The text's lines that state something about an entity. An extractive answer consists of them; a language model's
    /// text has others between them.
    #[serde(default)]
    pub lines: Vec<AnswerLine>,
    /// Whether a language model wrote the text.
    #[serde(default)]
    pub by_model: bool,
}
