//! The report of an import: what it accepted, rejected and left out, with the reasons.

use std::collections::BTreeMap;

/// A rejected line and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Line number in the file, from 1.
    pub line: usize,
    /// What is wrong with it, in plain words.
    pub reason: String,
}

/// What an import accepted, rejected and left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildReport {
    /// Lines read, without blank lines and comments.
    pub lines: usize,
    /// Distinct triples accepted.
    pub accepted: usize,
    /// Lines that repeat an accepted triple.
    pub duplicates: usize,
    /// The first [`Self::SHOWN`] rejected lines.
    pub rejected: Vec<Rejection>,
    /// All rejected lines, counted by reason.
    pub rejected_by_reason: BTreeMap<String, usize>,
    /// Entities that were merged into others.
    pub merged: usize,
    /// Content that Catena leaves out on purpose (obsolete terms, for example), counted by type.
    pub left_out: BTreeMap<String, usize>,
    /// Content that was accepted but may not be meant as it was read, counted by type.
    pub hints: BTreeMap<String, usize>,
}

impl BuildReport {
    /// How many rejected lines [`Self::rejected`] lists.
    pub const SHOWN: usize = 20;

    /// Counts a rejected line.
    pub fn reject(&mut self, line: usize, reason: &str) {
        *self.rejected_by_reason.entry(reason.to_owned()).or_default() += 1;
        if self.rejected.len() < Self::SHOWN {
            self.rejected.push(Rejection { line, reason: reason.to_owned() });
        }
    }

    /// Counts something that is left out on purpose.
    pub fn leave_out(&mut self, what: &str) {
        *self.left_out.entry(what.to_owned()).or_default() += 1;
    }

    /// How many lines were rejected.
    pub fn rejected_count(&self) -> usize {
        self.rejected_by_reason.values().sum()
    }

    /// One line with counts and reasons for the user; `None` if every line was accepted.
    pub fn summary(&self) -> Option<String> {
        if self.rejected_by_reason.is_empty() && self.duplicates == 0 {
            return None;
        }
        let mut parts = Vec::new();
        if self.duplicates > 0 {
            parts.push(format!("{} repeat an earlier triple", self.duplicates));
        }
        for (reason, count) in &self.rejected_by_reason {
            parts.push(format!("{count} rejected: {reason}"));
        }
        let first = self.rejected.first().map(|r| format!(" (first at line {})", r.line)).unwrap_or_default();
        Some(format!("{} of {} lines were not imported: {}{first}", self.duplicates + self.rejected_count(), self.lines, parts.join("; ")))
    }
}
