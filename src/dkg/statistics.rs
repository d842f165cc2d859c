//! How the evolving graph grew, in numbers.

use serde::{Deserialize, Serialize};

/// Milliseconds of a day.
const DAY_MS: u64 = 86_400_000;

/// What was recorded on one day (UTC). What was undone later stays counted: this is what happened, not what is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Day {
    /// Days since 1970-01-01.
    pub day: u64,
    /// Answers that were rated.
    pub feedback: u64,
    /// Changes that were proposed, whatever their standing.
    pub proposed: u64,
    /// Of these, such as said nothing new.
    pub redundant: u64,
    /// Of these, such as contradicted something known.
    pub conflicting: u64,
    /// Proposals that were accepted.
    pub accepted: u64,
    /// Proposals that were turned down.
    pub rejected: u64,
    /// Proposals that were worded anew.
    pub edited: u64,
    /// Records that were undone.
    pub undone: u64,
    /// Triples that were imported.
    pub imported: u64,
    /// How many triples were learned at the day's end.
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
    /// Records that turn down.
    pub reject: u64,
    /// Records that word a proposal anew.
    pub edit: u64,
    /// Imports.
    pub import: u64,
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

/// The evolving graph in numbers.
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
    /// How many wait aside because they say nothing new.
    pub redundant: u64,
    /// How many wait aside because they contradict something known.
    pub conflicting: u64,
    /// Day by day, those without a record left out.
    pub days: Vec<Day>,
    /// Record by record, those left out that changed nothing.
    pub growth: Vec<Growth>,
}

/// The day of a time.
pub(crate) fn day_of(at_ms: u64) -> u64 {
    at_ms / DAY_MS
}
