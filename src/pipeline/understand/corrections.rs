//! What the doctor's corrections mean for linking: what they take out of the case argues for nothing, what they put back does.

use std::collections::BTreeSet;

use crate::run::{CaseCorrection, ConditionStatus, DrugStatus, FindingStatus};

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
            let (item, argues) = match correction {
                CaseCorrection::Status { item, status } => (item, matches!(status, FindingStatus::Present | FindingStatus::Uncertain)),
                CaseCorrection::Drug { item, status } => (item, *status != DrugStatus::Allergic),
                CaseCorrection::Condition { item, status } => (item, *status != ConditionStatus::Excluded),
                CaseCorrection::Remove { item } => (item, false),
                CaseCorrection::Asks { .. } => continue,
            };
            let (to, from) = if argues { (&mut corrected.back, &mut corrected.out) } else { (&mut corrected.out, &mut corrected.back) };
            from.remove(item);
            to.insert(item.clone());
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
