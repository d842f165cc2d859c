//! How the doctor judged each chain of the table; made when triage or table change, read when drawing.

use crate::run::triage::Verdict;
use crate::run::{Trace, Triage};

/// How a chain was judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stand {
    /// Nothing was decided.
    #[default]
    Open,
    Pinned,
    Rejected,
}

impl Stand {
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
pub(crate) struct Verdicts {
    /// By number in the table; empty when nothing was decided.
    stands: Vec<Stand>,
    pub(crate) pinned: usize,
    pub(crate) rejected: usize,
}

impl Verdicts {
    pub(crate) fn of(trace: &Trace, triage: &Triage) -> Self {
        if triage.is_empty() {
            return Self::default();
        }
        let verdicts = triage.verdicts(&trace.table);
        let stands: Vec<Stand> = trace
            .table
            .chains
            .iter()
            .map(|chain| match verdicts.of(chain) {
                Verdict::Pinned => Stand::Pinned,
                verdict if verdict.is_rejected() => Stand::Rejected,
                _ => Stand::Open,
            })
            .collect();
        let count = |stand| stands.iter().filter(|s| **s == stand).count();
        Self { pinned: count(Stand::Pinned), rejected: count(Stand::Rejected), stands }
    }

    /// Whether nothing was decided about any chain.
    pub(crate) fn is_empty(&self) -> bool {
        self.pinned == 0 && self.rejected == 0
    }

    pub(crate) fn stand(&self, chain: u32) -> Stand {
        self.stands.get(chain as usize).copied().unwrap_or_default()
    }
}
