//! The growth of the DKG in numbers.

use serde::{Deserialize, Serialize};

/// Milliseconds of a day.
const DAY_MS: u64 = 86_400_000;

/// What was recorded on one day (UTC), including what was undone later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Day {
    /// Days since 1970-01-01.
    pub day: u64,
    /// Rated answers.
    pub feedback: u64,
    /// Proposals, redundant and conflicting ones included.
    pub proposed: u64,
    /// Redundant proposals.
    pub redundant: u64,
    /// Proposals in conflict with known triples.
    pub conflicting: u64,
    /// Accepted proposals.
    pub accepted: u64,
    /// Rejected proposals.
    pub rejected: u64,
    /// Reworded proposals.
    pub edited: u64,
    /// Undone records.
    pub undone: u64,
    /// Imported triples.
    pub imported: u64,
    /// Learned triples at the end of the day.
    pub learned: u64,
}

/// Records by type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordCounts {
    /// Ratings.
    pub feedback: u64,
    /// Records that propose.
    pub proposed: u64,
    /// Records that accept.
    pub accept: u64,
    /// Records that reject.
    pub reject: u64,
    /// Records that reword a proposal.
    pub edit: u64,
    /// Imports.
    pub import: u64,
    /// Records that pin chains.
    #[serde(default)]
    pub pin: u64,
    /// Records that undo.
    pub undo: u64,
}

/// A point of the growth curve: a record that changed how much is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growth {
    /// The record.
    pub record: u64,
    /// When it was written: milliseconds since 1970.
    pub at_ms: u64,
    /// How many triples were learned after it.
    pub learned: u64,
}

/// The DKG in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// How many records the journal has.
    pub records: u64,
    /// How many of each type.
    pub by_type: RecordCounts,
    /// How many triples are learned.
    pub learned: u64,
    /// How many proposals wait for the review.
    pub pending: u64,
    /// How many are set aside as redundant.
    pub redundant: u64,
    /// How many are held back because they contradict a known triple.
    pub conflicting: u64,
    /// Days with records, in order.
    pub days: Vec<Day>,
    /// Records that changed the number of learned triples, in order.
    pub growth: Vec<Growth>,
}

/// The day of a time.
pub(crate) fn day_of(at_ms: u64) -> u64 {
    at_ms / DAY_MS
}
