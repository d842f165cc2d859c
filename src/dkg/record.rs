//! What the journal holds: records, one a line, each a change that someone made or that Catena proposed.
//!
//! The state of the evolving graph is the fold of its records (`state.rs`). A record never changes; what it did is taken
//! back by a later one ([`Change::Undo`]).

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
    /// Proposals were accepted: what they say is learned, or no longer learned.
    Accept {
        /// Which.
        proposals: Vec<ProposalId>,
    },
    /// Proposals were turned down.
    Reject {
        /// Which.
        proposals: Vec<ProposalId>,
    },
    /// A proposal was worded anew before anything else was decided about it; it waits for the review as before.
    Edit {
        /// Which.
        proposal: ProposalId,
        /// What it says now.
        triple: NamedTriple,
        /// How that stands to what is known.
        standing: CheckOutcome,
    },
    /// Triples of another team's export were taken over.
    Import(Import),
    /// What a record did is taken back. Undoing an undo brings it into force again.
    Undo {
        /// The record's number.
        record: u64,
    },
}

/// How an answer was found.
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

/// A rating of an answer, with what it was a rating of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// The answer that was rated.
    pub answer: String,
    /// The chains that it cited, as text.
    pub cited: Vec<String>,
    /// What the doctor said about it; may be empty.
    pub comment: String,
    /// The answer that it should have been, for [`Rating::Gold`]; else empty.
    pub gold: String,
    /// The graph that was asked.
    pub kg: String,
    /// The models that took part, by what they do ("generator: graph-derived").
    pub models: Vec<String>,
    /// The question.
    pub question: String,
    /// The rating.
    pub rating: Rating,
    /// The run's id.
    pub run: String,
}

/// What was proposed because of a rating.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposed {
    /// The feedback's record.
    pub feedback: u64,
    /// The proposals; a [`ProposalId`] counts from 0.
    pub proposals: Vec<Proposal>,
}

/// A proposal's number: the record that it stands in, and its place there. Written `12.0`.
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
        let form = "a proposal's number has the form 12.0: record, full stop, place";
        let (record, item) = text.split_once('.').ok_or(form)?;
        Ok(Self { item: item.parse().map_err(|_| form)?, record: record.parse().map_err(|_| form)? })
    }
}

/// A change of the graph that waits for someone's word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// Whether the triple is to be learned or no longer to be learned.
    pub act: Act,
    /// What it is based on.
    pub basis: Basis,
    /// The ends that no graph had when it was proposed: neither, `head`, `tail` or both.
    pub new_entities: Vec<String>,
    /// Who proposed it.
    pub proposer: Proposer,
    /// How it stands to what is known.
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
    /// The triple, learned before, is learned no longer.
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

/// What a proposal is based on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Basis {
    /// The chains it was drawn from, as text.
    pub chains: Vec<String>,
    /// In words: what makes it follow ("the answer states it as a test").
    pub why: String,
}

/// How a proposed triple stands to what is known (WTS, section 3.2, redundancy checking).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case", deny_unknown_fields)]
pub enum CheckOutcome {
    /// Nothing known says it, or speaks against it.
    New,
    /// It says nothing new.
    Redundant {
        /// `1 − cos` of the two; 0 where head and tail are the same after folding.
        distance: f64,
        /// Whether the known triple was learned, rather than being the graph's own.
        learned: bool,
        /// The known triple that says it, as text.
        with: String,
    },
    /// A known triple about the same two entities says otherwise.
    Conflict {
        /// Whether that triple was learned.
        learned: bool,
        /// The known triple, as text.
        with: String,
        /// What contradicts what, in words.
        why: String,
    },
}

/// Triples taken over from another team's export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// The file's name (without its folder).
    pub file: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// What was taken over.
    pub triples: Vec<ImportedTriple>,
}

/// A triple of another team's export, with where they had it from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportedTriple {
    /// Where the other team had it from, in their words; may be empty.
    pub origin: String,
    /// The triple.
    pub triple: NamedTriple,
}
