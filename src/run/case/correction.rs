//! Corrections of how a question was read: decisions of the doctor, kept with the others in [`Triage`](crate::run::Triage).

use serde::{Deserialize, Serialize};

use super::{AskKind, Case, CaseAsk, FindingStatus};

/// One correction of a case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "correct", rename_all = "snake_case")]
pub enum CaseCorrection {
    /// A finding has another status.
    Status {
        /// The finding: its entity, or its words where it has none.
        item: String,
        /// Its status.
        status: FindingStatus,
    },
    /// A finding, result, drug or condition is no part of the case.
    Remove {
        /// Its entity (of a result: its test), or its words where it has none.
        item: String,
    },
    /// Something else is asked.
    Asks {
        /// What, in this order.
        kinds: Vec<AskKind>,
    },
}

impl Case {
    /// Applies the doctor's corrections, in order. What a correction names and the case does not hold changes nothing.
    pub fn correct(&mut self, corrections: &[CaseCorrection]) {
        for correction in corrections {
            match correction {
                CaseCorrection::Status { item, status } => {
                    let meant = |entity: &Option<String>, text: &str| entity.as_deref().unwrap_or(text) == item;
                    self.findings.iter_mut().filter(|f| meant(&f.entity, &f.text)).for_each(|finding| finding.status = *status);
                }
                CaseCorrection::Remove { item } => self.remove(item),
                CaseCorrection::Asks { kinds } => {
                    let of = self.asks.first().map(|ask| ask.of.clone()).unwrap_or_default();
                    self.asks = kinds.iter().map(|kind| CaseAsk { kind: *kind, of: of.clone() }).collect();
                }
            }
        }
    }

    fn remove(&mut self, item: &str) {
        let stays = |entity: &Option<String>, text: &str| entity.as_deref().unwrap_or(text) != item;
        self.findings.retain(|finding| stays(&finding.entity, &finding.text));
        self.results.retain(|result| stays(&result.finding, &result.test) && result.test != item);
        self.drugs.retain(|drug| stays(&drug.entity, &drug.text));
        self.conditions.retain(|condition| stays(&condition.entity, &condition.text));
        self.not_understood.retain(|word| word.text != item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::case::{CaseFinding, CaseResult};

    #[test]
    fn findings_are_marked_absent_or_removed_and_asks_replaced() {
        let finding = |name: &str| CaseFinding { text: name.into(), entity: Some(name.into()), ..CaseFinding::default() };
        let result = CaseResult { test: "potassium".into(), finding: Some("Hyperkalaemia".into()), ..CaseResult::default() };
        let mut case = Case { findings: vec![finding("Cough"), finding("Fever")], results: vec![result], ..Case::default() };
        case.correct(&[
            CaseCorrection::Status { item: "Cough".into(), status: FindingStatus::Absent },
            CaseCorrection::Remove { item: "Fever".into() },
            CaseCorrection::Remove { item: "potassium".into() },
            CaseCorrection::Remove { item: "not there".into() },
            CaseCorrection::Asks { kinds: vec![AskKind::Tests] },
        ]);
        assert_eq!(case.findings.iter().map(|f| (f.text.as_str(), f.status)).collect::<Vec<_>>(), [("Cough", FindingStatus::Absent)]);
        assert!(case.results.is_empty());
        assert_eq!(case.asks, [CaseAsk { kind: AskKind::Tests, of: vec![] }]);
    }
}
