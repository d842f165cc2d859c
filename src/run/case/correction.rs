//! Corrections of how a question was read: decisions of the doctor, kept with the others in [`Triage`](crate::run::Triage).

use serde::{Deserialize, Serialize};

use super::{AskKind, Case, CaseAsk, CaseFinding, FindingStatus};
use crate::run::Triage;

/// One correction of a case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "correct", rename_all = "snake_case")]
pub enum CaseCorrection {
    /// A finding has another status; one that the question does not tell of is added.
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

impl CaseCorrection {
    /// Whether it is about what is asked, or about the item of this name.
    fn replaces(&self, other: &Self) -> bool {
        match (self.item(), other.item()) {
            (None, None) => true,
            (one, other) => one == other,
        }
    }

    /// The name of the item that it is about; `None` if it is about what is asked.
    pub fn item(&self) -> Option<&str> {
        match self {
            Self::Status { item, .. } | Self::Remove { item } => Some(item),
            Self::Asks { .. } => None,
        }
    }
}

impl Triage {
    /// Corrects the case; an earlier correction of the same item, or of what is asked, no longer holds.
    pub fn correct(&mut self, correction: CaseCorrection) {
        self.case.retain(|earlier| !correction.replaces(earlier));
        self.case.push(correction);
    }

    /// Removes every correction of an item.
    pub fn forget_correction(&mut self, item: &str) {
        self.case.retain(|correction| correction.item() != Some(item));
    }
}

impl std::fmt::Display for CaseCorrection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status { item, status } => write!(f, "{item}: {}", status.word()),
            Self::Remove { item } => write!(f, "{item}: removed"),
            Self::Asks { kinds } if kinds.is_empty() => f.write_str("asks nothing in particular"),
            Self::Asks { kinds } => {
                let kinds: Vec<&str> = kinds.iter().map(|kind| kind.title(false)).collect();
                write!(f, "asks {}", kinds.join(", "))
            }
        }
    }
}

impl Case {
    /// Applies the doctor's corrections, in order. A finding that the case does not hold is added, without words of the question; anything else
    /// that a correction names and the case does not hold changes nothing.
    pub fn correct(&mut self, corrections: &[CaseCorrection]) {
        for correction in corrections {
            match correction {
                CaseCorrection::Status { item, status } => {
                    let is_meant = |finding: &CaseFinding| finding.entity.as_deref().unwrap_or(&finding.text) == item;
                    if !self.findings.iter().any(is_meant) {
                        self.findings.push(CaseFinding { text: item.clone(), entity: Some(item.clone()), ..CaseFinding::default() });
                    }
                    self.findings.iter_mut().filter(|finding| is_meant(finding)).for_each(|finding| finding.status = *status);
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
        self.patient.allergies.retain(|allergy| allergy != item);
        self.asks.iter_mut().for_each(|ask| ask.of.retain(|of| of != item));
        self.conditions.retain(|condition| stays(&condition.entity, &condition.text));
        self.not_understood.retain(|word| word.text != item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::case::CaseResult;

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
        case.asks = vec![CaseAsk { kind: AskKind::Safety, of: vec!["Ibuprofen".into(), "Asthma".into()] }];
        case.correct(&[CaseCorrection::Remove { item: "Asthma".into() }]);
        assert_eq!(case.asks[0].of, ["Ibuprofen"], "nor is anything asked about what is no part of the case");
        case.patient.allergies = vec!["Methotrexate".into(), "Penicillin".into()];
        case.correct(&[CaseCorrection::Remove { item: "Methotrexate".into() }]);
        assert_eq!(case.patient.allergies, ["Penicillin"], "a drug that is taken out is no allergen either");
        case.correct(&[CaseCorrection::Status { item: "Fatigue".into(), status: FindingStatus::Absent }]);
        let added = case.findings.last().map(|finding| (finding.entity.as_deref(), finding.status, finding.end));
        assert_eq!(added, Some((Some("Fatigue"), FindingStatus::Absent, 0)), "what the question does not tell is added");
        case.correct(&[CaseCorrection::Asks { kinds: vec![AskKind::Tests] }]);
        assert_eq!(case.asks, [CaseAsk { kind: AskKind::Tests, of: vec!["Ibuprofen".into()] }]);
    }
}
