//! What the doctor's corrections mean for linking: what they take out of the case argues for nothing, what they put back does.

use std::collections::BTreeSet;

use crate::run::{CaseCorrection, FindingStatus};

/// Names that corrections take out or put back.
#[derive(Debug, Default)]
pub(super) struct Corrected {
    out: BTreeSet<String>,
    back: BTreeSet<String>,
}

impl Corrected {
    pub(super) fn of(corrections: &[CaseCorrection]) -> Self {
        let mut corrected = Self::default();
        for correction in corrections {
            match correction {
                CaseCorrection::Status { item, status: FindingStatus::Present | FindingStatus::Uncertain } => {
                    corrected.out.remove(item);
                    corrected.back.insert(item.clone());
                }
                CaseCorrection::Status { item, .. } | CaseCorrection::Remove { item } => {
                    corrected.back.remove(item);
                    corrected.out.insert(item.clone());
                }
                CaseCorrection::Asks { .. } => {}
            }
        }
        corrected
    }

    /// Whether a name was taken out.
    pub(super) fn is_out(&self, name: &str) -> bool {
        self.out.contains(name)
    }

    /// Whether a name was put back.
    pub(super) fn is_back(&self, name: &str) -> bool {
        self.back.contains(name)
    }
}
