//! The message of a search whose result is incomplete.

use super::cost::cost_from_units;
use super::{ChainBudget, MOST_ANCHORS};
use crate::text::counted;

/// Why a search ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopReason {
    Time,
    Cancelled,
    Memory,
}

/// Where in the order of chains a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SearchStop {
    /// Shorter chains are complete.
    pub(super) length: usize,
    /// Of this length, chains that cost less are complete.
    pub(super) below: u32,
    pub(super) why: StopReason,
}

impl SearchStop {
    /// Combines two stops: the earlier position counts. Time and cancellation override memory as the reason, because nothing
    /// is searched after them.
    pub(super) fn combined(self, later: Self) -> Self {
        let earlier = if (later.length, later.below) < (self.length, self.below) { later } else { self };
        Self { why: if later.why == StopReason::Memory { self.why } else { later.why }, ..earlier }
    }
}

/// The message for the user; `None` if the result is complete. `full`: how many chains stay if the count budget
/// cut some off.
pub(super) fn truncated(
    stop: Option<SearchStop>,
    budget: ChainBudget,
    full: Option<usize>,
    found: u64,
    unsearched: usize,
) -> Option<String> {
    let relations = |count: usize| if count == 1 { "1 relation".to_owned() } else { format!("{count} relations") };
    let mut parts = Vec::new();
    if let Some(stop) = stop {
        let among = format!("among chains of {}, after {}", relations(stop.length), counted(found, "chain", "chains"));
        parts.push(match stop.why {
            StopReason::Time => format!("the time budget of {} ms ended the search {among}", budget.time.as_millis()),
            StopReason::Cancelled => format!("the search was stopped {among}"),
            StopReason::Memory => {
                format!("the search ended {among}, because longer chains pass more triples than the memory budget allows")
            }
        });
        if full.is_none() {
            let mut known =
                if stop.length > 1 { format!("all chains of up to {} are complete", relations(stop.length - 1)) } else { String::new() };
            if stop.below > 0 {
                let joint = if known.is_empty() { "" } else { ", and " };
                known += &format!("{joint}all of {} that cost less than {:.2}", relations(stop.length), cost_from_units(stop.below));
            }
            if !known.is_empty() {
                parts.push(known);
            }
        }
    }
    if let Some(kept) = full {
        let found = if stop.is_some() { String::new() } else { format!("{} were found; ", counted(found, "chain", "chains")) };
        parts.push(format!("{found}the {kept} shortest and least hub-like of them are kept (count budget)"));
    }
    if unsearched > 0 {
        let why = if stop.is_some_and(|stop| stop.why != StopReason::Memory) {
            "came after that and were not searched".to_owned()
        } else {
            format!("were not searched: a search takes at most {MOST_ANCHORS}")
        };
        parts.push(format!("{unsearched} anchors {why}"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
