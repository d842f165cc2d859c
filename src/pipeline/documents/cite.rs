//! The passages that an answer cites, numbered in the order in which it cites them.

use crate::run::{MOST_PASSAGES, PassageId, QuotedPassage};

/// Passages with ids.
#[derive(Debug, Default)]
pub(crate) struct CitedPassages(Vec<QuotedPassage>);

impl CitedPassages {
    /// The id of a passage; the next one if it has none yet.
    pub(crate) fn cite(&mut self, passage: &QuotedPassage) -> PassageId {
        let place = self.place(passage).unwrap_or_else(|| {
            self.0.push(passage.clone());
            self.0.len() - 1
        });
        PassageId::at(place)
    }

    /// The same; `None` for one that would be more than a run can list.
    pub(super) fn cite_within(&mut self, passage: &QuotedPassage) -> Option<PassageId> {
        (self.0.len() < MOST_PASSAGES || self.has(passage)).then(|| self.cite(passage))
    }

    /// Whether a passage is cited.
    pub(crate) fn has(&self, passage: &QuotedPassage) -> bool {
        self.place(passage).is_some()
    }

    fn place(&self, passage: &QuotedPassage) -> Option<usize> {
        let key = passage.key();
        self.0.iter().position(|known| known.key() == key)
    }

    /// Those cited, then at most `most` others.
    pub(super) fn and_others(mut self, others: impl Iterator<Item = QuotedPassage>, most: usize) -> Vec<QuotedPassage> {
        for passage in others.take(most) {
            if !self.has(&passage) {
                self.0.push(passage);
            }
        }
        self.0.truncate(MOST_PASSAGES);
        self.0
    }
}
