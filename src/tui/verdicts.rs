//! What the doctor decided about each chain of the table; made when triage or table change, read when drawing.

use crate::run::triage::Verdict;
use crate::run::{Trace, Triage};

/// What the doctor decided about a chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ChainStatus {
    /// Nothing was decided.
    #[default]
    Open,
    Pinned,
    Rejected,
}

impl ChainStatus {
    /// The sign in the lists.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Open => " ",
            Self::Pinned => "▲",
            Self::Rejected => "✗",
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct ChainVerdicts {
    /// By number in the table; empty when nothing was decided.
    statuses: Vec<ChainStatus>,
    pub(crate) pinned: usize,
    pub(crate) rejected: usize,
}

impl ChainVerdicts {
    pub(crate) fn of(trace: &Trace, triage: &Triage) -> Self {
        if triage.is_empty() {
            return Self::default();
        }
        let verdicts = triage.verdicts(&trace.table);
        let statuses: Vec<ChainStatus> = trace
            .table
            .chains
            .iter()
            .map(|chain| match verdicts.of(chain) {
                Verdict::Pinned => ChainStatus::Pinned,
                verdict if verdict.is_rejected() => ChainStatus::Rejected,
                _ => ChainStatus::Open,
            })
            .collect();
        let count = |stand| statuses.iter().filter(|s| **s == stand).count();
        // A recording made earlier may not hold every chain that was rejected by itself: the decision counts all the same.
        let single = trace.table.chains.iter().filter(|chain| verdicts.of(chain) == Verdict::Rejected).count();
        let missing = triage.rejected.len().saturating_sub(single);
        Self { pinned: count(ChainStatus::Pinned), rejected: count(ChainStatus::Rejected) + missing, statuses }
    }

    /// Whether nothing was decided about any chain.
    pub(crate) fn is_empty(&self) -> bool {
        self.pinned == 0 && self.rejected == 0
    }

    pub(crate) fn status(&self, chain: u32) -> ChainStatus {
        self.statuses.get(chain as usize).copied().unwrap_or_default()
    }
}
