//! The records of the journal, one per line: changes that a person made or that Catena proposed.
//!
//! The state of the DKG is the fold of its records (`state/`). A record never changes; a later one can undo it
//! ([`Change::Undo`]).

use serde::{Deserialize, Serialize};

use crate::graph::NamedTriple;

/// A record of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// When it was written: milliseconds since 1970, UTC.
    pub at_ms: u64,
    /// What happened.
    pub change: Change,
    /// Its number: 1, 2, 3, … without a gap.
    pub seq: u64,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// Someone rated an answer.
    Feedback(Feedback),
    /// Changes were proposed because of a rating.
    Proposed(Proposed),
    /// Proposals were accepted: their triples are learned, or retracted.
    Accept {
        /// Which.
        proposals: Vec<ProposalId>,
    },
    /// Proposals were rejected.
    Reject {
        /// Which.
        proposals: Vec<ProposalId>,
    },
    /// A proposal was reworded; it waits for the review again.
    Edit {
        /// Which.
        proposal: ProposalId,
        /// The new triple.
        triple: NamedTriple,
        /// The check of the new triple.
        standing: CheckOutcome,
    },
    /// Triples were imported from another team's export.
    Import(Import),
    /// Chains are kept for questions like the rated one, because the rating states what they state.
    Pin(Pin),
    /// A record is undone. Undoing an undo brings the record into force again.
    Undo {
        /// The record's number.
        record: u64,
    },
}

/// The rating of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rating {
    /// It was good.
    Good,
    /// It was bad.
    Bad,
    /// A mentor gave the answer that it should have been (WTS, apprenticeship).
    Gold,
}

/// A rating, with the question and the answer that were rated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// The rated answer.
    pub answer: String,
    /// The chains that the answer cited, as text.
    pub cited: Vec<String>,
    /// The doctor's comment; may be empty.
    pub comment: String,
    /// The answer that it should have been, for [`Rating::Gold`]; else empty.
    pub gold: String,
    /// The graph that was asked.
    pub kg: String,
    /// The models that took part, with their roles ("generator: graph-derived").
    pub models: Vec<String>,
    /// The question.
    pub question: String,
    /// The rating.
    pub rating: Rating,
    /// The run's id.
    pub run: String,
}

/// What stands in place of the question where a fact was taught directly.
pub const TAUGHT: &str = "Taught directly";

impl Feedback {
    /// Whether it is no rating of an answer, but a fact that was taught directly.
    pub fn is_taught(&self) -> bool {
        self.run.is_empty() && self.rating == Rating::Gold && self.question == TAUGHT
    }
}

/// Proposals that follow from a rating.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposed {
    /// The feedback's record.
    pub feedback: u64,
    /// The proposals; a [`ProposalId`] counts from 0.
    pub proposals: Vec<Proposal>,
}

/// Facts that a rating states and that the graph holds, although the rated answer left them out. Questions like the rated one keep their
/// chains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// What the question asks ("treatment"), sorted.
    pub asks: Vec<String>,
    /// The chains.
    pub chains: Vec<PinnedChain>,
    /// The feedback's record.
    pub feedback: u64,
    /// The entities that the question names, sorted. A question is like this one if it names the same and asks the same.
    pub linked: Vec<String>,
}

/// A chain that a rating pins, by the names of its entities and relations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedChain {
    /// Names of its entities, in order.
    pub entities: Vec<String>,
    /// What it was pinned for: one of its triples, as the graph states it.
    pub fact: NamedTriple,
    /// Names of its relations, in order, and whether each runs forward.
    pub relations: Vec<(String, bool)>,
}

/// A proposal's number: its record, and its place in it. Written `12.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProposalId {
    /// Its place in the record, from 0.
    pub item: u32,
    /// The record that proposed it.
    pub record: u64,
}

impl std::fmt::Display for ProposalId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.record, self.item)
    }
}

/// Reads `12.0`.
impl std::str::FromStr for ProposalId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form = "a proposal's number looks like 12.0: record, full stop, place";
        let (record, item) = text.split_once('.').ok_or(form)?;
        Ok(Self { item: item.parse().map_err(|_| form)?, record: record.parse().map_err(|_| form)? })
    }
}

/// A proposed change of the graph, which a person decides on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// Whether to learn the triple or to retract it.
    pub act: Act,
    /// The reasons for it.
    pub basis: Basis,
    /// The ends that are new to the graph: none, `head`, `tail` or both.
    pub new_entities: Vec<String>,
    /// Who proposed it.
    pub proposer: Proposer,
    /// The check against known triples.
    pub standing: CheckOutcome,
    /// The triple.
    pub triple: NamedTriple,
}

/// What a proposal does once it is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// The triple is learned.
    Add,
    /// The learned triple is retracted.
    Retract,
}

/// Who proposed a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proposer {
    /// A rule, from the answer's cited chains and roles.
    Rule,
    /// A language model, by name.
    Model(String),
    /// The doctor, by hand.
    Doctor,
}

/// The reasons for a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Basis {
    /// The chains it follows from, as text.
    pub chains: Vec<String>,
    /// Why it follows, in words ("the answer states it as a test").
    pub why: String,
}

/// The result of checking a proposed triple against known ones (WTS, section 3.2, redundancy checking).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case", deny_unknown_fields)]
pub enum CheckOutcome {
    /// No known triple repeats or contradicts it.
    New,
    /// A known triple relates the same two entities already, or says nearly the same.
    Redundant {
        /// `1 − cos` of the two; 0 where head and tail are the same after folding.
        distance: f64,
        /// Whether the known triple was learned, rather than being the graph's own.
        learned: bool,
        /// The known triple, as text.
        with: String,
    },
    /// A known triple of the same two entities contradicts it.
    Conflict {
        /// Whether that triple was learned.
        learned: bool,
        /// The known triple, as text.
        with: String,
        /// What contradicts what, in words.
        why: String,
    },
}

/// Triples imported from another team's export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// The file's name (without its folder).
    pub file: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// The imported triples.
    pub triples: Vec<ImportedTriple>,
}

/// A triple of another team's export, with its origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportedTriple {
    /// Its origin, in the other team's words; may be empty.
    pub origin: String,
    /// The triple.
    pub triple: NamedTriple,
}
