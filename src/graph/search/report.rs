//! What a search says when its result is not complete.

use super::cost::shown;
use super::{ChainBudget, MOST_ANCHORS};

/// Why a search was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    Time,
    Cancelled,
    Memory,
}

/// Where in the order a search was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stop {
    /// Shorter chains are complete.
    pub(super) length: usize,
    /// Of this length, chains that cost less are complete.
    pub(super) below: u32,
    pub(super) why: Why,
}

impl Stop {
    /// Of two ends, what holds for both: the earlier place. Time and a wish to stop outlast want of room, because after
    /// them nothing more is searched.
    pub(super) fn or(self, later: Self) -> Self {
        let earlier = if (later.length, later.below) < (self.length, self.below) { later } else { self };
        Self { why: if later.why == Why::Memory { self.why } else { later.why }, ..earlier }
    }
}

/// The sentence for people; `None` when the result is complete. `full`: how many chains are kept if the count budget
/// cut some off.
pub(super) fn truncated(stop: Option<Stop>, budget: ChainBudget, full: Option<usize>, found: u64, unsearched: usize) -> Option<String> {
    let relations = |count: usize| if count == 1 { "1 relation".to_owned() } else { format!("{count} relations") };
    let mut parts = Vec::new();
    if let Some(stop) = stop {
        let among = format!("among chains of {}, after {found} chains", relations(stop.length));
        parts.push(match stop.why {
            Why::Time => format!("the time budget of {} ms ended the search {among}", budget.time.as_millis()),
            Why::Cancelled => format!("the search was stopped {among}"),
            Why::Memory => {
                format!("the search ended {among}, because longer ones pass so many triples that the memory budget forbids them")
            }
        });
        if full.is_none() {
            let mut known =
                if stop.length > 1 { format!("all chains of up to {} are here", relations(stop.length - 1)) } else { String::new() };
            if stop.below > 0 {
                let joint = if known.is_empty() { "" } else { ", and " };
                known += &format!("{joint}all of {} that cost less than {:.2}", relations(stop.length), shown(stop.below));
            }
            if !known.is_empty() {
                parts.push(known);
            }
        }
    }
    if let Some(kept) = full {
        let found = if stop.is_some() { String::new() } else { format!("{found} chains were found; ") };
        parts.push(format!("{found}the {kept} shortest and least hub-like of them are kept (count budget)"));
    }
    if unsearched > 0 {
        let why = if stop.is_some_and(|stop| stop.why != Why::Memory) {
            "came after that and were not searched".to_owned()
        } else {
            format!("were not searched: {MOST_ANCHORS} are the most that can be")
        };
        parts.push(format!("{unsearched} anchors {why}"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
