//! What the doctor's corrections mean for linking: what they take out of the case argues for nothing, what they put back does.

use std::collections::BTreeSet;

use super::question::told_in;
use crate::language::Knowledge;
use crate::run::{Case, CaseCorrection, ConditionStatus, DrugStatus, FindingStatus};

fn argues(status: FindingStatus) -> bool {
    matches!(status, FindingStatus::Present | FindingStatus::Uncertain)
}

/// Names that corrections take out or put back.
#[derive(Debug, Default)]
pub(super) struct Corrected {
    out: BTreeSet<String>,
    back: BTreeSet<String>,
}

impl Corrected {
    pub(super) fn of(knowledge: &Knowledge, corrections: &[CaseCorrection]) -> Self {
        let mut corrected = Self::default();
        for correction in corrections {
            match correction {
                CaseCorrection::Status { item, status } => corrected.put(item, argues(*status)),
                CaseCorrection::Drug { item, status } => corrected.put(item, *status != DrugStatus::Allergic),
                CaseCorrection::Condition { item, status } => corrected.put(item, *status != ConditionStatus::Excluded),
                CaseCorrection::Remove { item } => corrected.put(item, false),
                CaseCorrection::Words { text } => corrected.put_case(&told_in(knowledge, text)),
                CaseCorrection::Asks { .. } => {}
            }
        }
        corrected
    }

    /// A name argues for something, or no longer does.
    fn put(&mut self, item: &str, argues: bool) {
        let (to, from) = if argues { (&mut self.back, &mut self.out) } else { (&mut self.out, &mut self.back) };
        from.remove(item);
        to.insert(item.to_owned());
    }

    /// What words say holds. The value of the question for a test that they name argues for nothing.
    fn put_case(&mut self, told: &Case) {
        for finding in &told.findings {
            self.put(finding.entity.as_deref().unwrap_or(&finding.text), argues(finding.status));
        }
        for drug in &told.drugs {
            self.put(drug.entity.as_deref().unwrap_or(&drug.text), drug.status != DrugStatus::Allergic);
        }
        for condition in &told.conditions {
            self.put(condition.entity.as_deref().unwrap_or(&condition.text), condition.status != ConditionStatus::Excluded);
        }
        told.results.iter().for_each(|result| self.put(&result.test, false));
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
