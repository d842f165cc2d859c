//! Results of one kind that stand in one line: "Troponin, electrocardiogram and chest X-ray: tests for heart attack".

use super::PlannedLine;
use crate::graph::{Chain, EntityId};
use crate::pipeline::answer::wording::Wording;

/// The most results that one line states.
const MOST: usize = 6;
/// Where the results stand in a sentence about something else.
const NAMES: &str = "{names}";

/// One of several results of a line.
#[derive(Debug, Clone)]
pub(crate) struct StatedItem {
    pub(crate) entity: EntityId,
    /// Its name, with the condition under which the statement holds.
    pub(crate) shown: String,
    /// The chain that states it.
    pub(crate) proof: Chain,
}

/// What a line states of one result or several, so that it can be told of those whose proof is kept.
#[derive(Debug, Clone)]
pub(crate) struct StatedTogether {
    pub(crate) items: Vec<StatedItem>,
    /// What is said of one of them, and of several; a sentence about something else has a place for their names.
    pub(crate) said: [String; 2],
    pub(crate) wording: &'static Wording,
}

impl StatedTogether {
    /// Of those that `is_proven` accepts: the entities, and the text of the line; `None` if there are none.
    pub(crate) fn proven(&self, is_proven: impl Fn(&Chain) -> bool) -> Option<(Vec<EntityId>, String)> {
        let items: Vec<&StatedItem> = self.items.iter().filter(|item| is_proven(&item.proof)).collect();
        let names: Vec<String> = items.iter().map(|item| item.shown.clone()).collect();
        let said = &self.said[usize::from(items.len() > 1)];
        let text = match said.contains(NAMES) {
            true => self.wording.fill(said, &names),
            false => format!("{}{}{said}", self.wording.list(&names), self.wording.colon()),
        };
        (!items.is_empty()).then(|| (items.iter().map(|item| item.entity).collect(), text))
    }
}

/// Puts lines that say the same of the same subject together, at the place of the first, at most [`MOST`] results in each.
pub(super) fn joined(lines: Vec<PlannedLine>) -> Vec<PlannedLine> {
    let mut joined: Vec<PlannedLine> = Vec::new();
    for line in lines {
        let alone = added(&mut joined, line);
        joined.extend(alone);
    }
    joined
}

/// Adds a line to the first that says the same of the same subject and has room; gives it back if there is none.
pub(super) fn added(lines: &mut [PlannedLine], line: PlannedLine) -> Option<PlannedLine> {
    let says_same = |known: &&mut PlannedLine| {
        let is_full = known.together.as_ref().is_none_or(|together| together.items.len() >= MOST);
        !is_full && known.part == line.part && known.role == line.role && known.subject == line.subject
    };
    let known = line.together.as_ref().and_then(|_| lines.iter_mut().find(says_same));
    let (Some(known), Some(more)) = (known, line.together.as_ref()) else { return Some(line) };
    if let Some(together) = known.together.as_mut() {
        together.items.extend(more.items.iter().cloned());
        known.text = together.proven(|_| true).map_or_else(String::new, |(_, text)| text);
    }
    known.proofs.extend(line.proofs);
    None
}
