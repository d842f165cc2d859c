//! Corrections of how a question was read: decisions of the doctor, kept with the others in [`Triage`](crate::run::Triage).

use serde::{Deserialize, Serialize};

use super::duplicates::is_allergy_to;
use super::{AskKind, Case, CaseAsk, CaseCondition, CaseDrug, CaseFinding, ConditionStatus, DrugStatus, FindingStatus};
use crate::run::Triage;
use crate::text::sanitise_line;

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
    /// A drug is in play in another way; one that the question does not tell of is added.
    Drug {
        /// The drug: its entity, or its words where it has none.
        item: String,
        /// How it is in play.
        status: DrugStatus,
    },
    /// A condition is in play in another way; one that the question does not tell of is added.
    Condition {
        /// The condition: its entity, or its words where it has none.
        item: String,
        /// How it is in play.
        status: ConditionStatus,
    },
    /// A finding, result, drug or condition is no part of the case.
    Remove {
        /// Its entity (of a result: its test), or its words where it has none.
        item: String,
    },
    /// What these words say holds in place of what the question says of the same ("potassium 6.1", "aged 34, 20 weeks pregnant").
    Words {
        /// The words, as the doctor typed them.
        text: String,
    },
    /// Something else is asked.
    Asks {
        /// What, in this order.
        kinds: Vec<AskKind>,
    },
}

impl CaseCorrection {
    /// Whether it is about the same: about what is asked, or about the item of this name and kind. What is removed is of any kind. Words replace the
    /// same words alone: what each of them says is known only when they are read.
    fn replaces(&self, other: &Self) -> bool {
        if matches!(self, Self::Words { .. }) || matches!(other, Self::Words { .. }) {
            return self == other;
        }
        let is_of_any = |of: &Self| matches!(of, Self::Remove { .. });
        let is_alike = std::mem::discriminant(self) == std::mem::discriminant(other) || is_of_any(self) || is_of_any(other);
        self.item() == other.item() && is_alike
    }

    /// The name of the item that it is about; `None` if it is about what is asked, or said in words.
    pub fn item(&self) -> Option<&str> {
        match self {
            Self::Status { item, .. } | Self::Drug { item, .. } | Self::Condition { item, .. } | Self::Remove { item } => Some(item),
            Self::Words { .. } | Self::Asks { .. } => None,
        }
    }

    /// The warning about words that nothing could be read from.
    pub(crate) fn unread(text: &str) -> String {
        format!("Catena does not understand your correction “{}”.", sanitise_line(text))
    }

    /// The words in which it is said, if it is.
    pub fn words(&self) -> Option<&str> {
        if let Self::Words { text } = self { Some(text) } else { None }
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

    /// Removes a correction in words.
    pub fn forget_words(&mut self, text: &str) {
        self.case.retain(|correction| correction.words() != Some(text));
    }
}

impl std::fmt::Display for CaseCorrection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status { item, status } => write!(f, "{item}: {}", status.word()),
            Self::Drug { item, status } => write!(f, "{item}: {}", status.word()),
            Self::Condition { item, status } => write!(f, "{item}: {}", status.word()),
            Self::Remove { item } => write!(f, "{item}: removed"),
            Self::Words { text } => write!(f, "in words: {text}"),
            Self::Asks { kinds } if kinds.is_empty() => f.write_str("asks nothing in particular"),
            Self::Asks { kinds } => {
                let kinds: Vec<&str> = kinds.iter().map(|kind| kind.title(false)).collect();
                write!(f, "asks {}", kinds.join(", "))
            }
        }
    }
}

impl Case {
    /// Applies the doctor's corrections, in order. A finding, drug or condition that the case does not hold is added, without words of the
    /// question; anything else that a correction names and the case does not hold changes nothing. Words change nothing either: they must be read.
    pub fn correct(&mut self, corrections: &[CaseCorrection]) {
        self.correct_with(corrections, &|_| Self::default());
    }

    /// Applies the doctor's corrections, in order, as [`correct`](Self::correct) does, and those in words as `reread` reads them.
    pub(crate) fn correct_with(&mut self, corrections: &[CaseCorrection], reread: &dyn Fn(&str) -> Self) {
        for correction in corrections {
            match correction {
                CaseCorrection::Status { item, status } => {
                    let is_meant = |finding: &CaseFinding| finding.entity.as_deref().unwrap_or(&finding.text) == item;
                    if !self.findings.iter().any(is_meant) {
                        self.findings.push(CaseFinding { text: item.clone(), entity: Some(item.clone()), ..CaseFinding::default() });
                    }
                    self.findings.iter_mut().filter(|finding| is_meant(finding)).for_each(|finding| finding.status = *status);
                }
                CaseCorrection::Drug { item, status } => self.correct_drug(item, *status),
                CaseCorrection::Condition { item, status } => {
                    let is_meant = |condition: &CaseCondition| condition.entity.as_deref().unwrap_or(&condition.text) == item;
                    if !self.conditions.iter().any(is_meant) {
                        self.conditions.push(CaseCondition { text: item.clone(), entity: Some(item.clone()), ..CaseCondition::default() });
                    }
                    self.conditions.iter_mut().filter(|condition| is_meant(condition)).for_each(|condition| condition.status = *status);
                    self.settle_asks(item, *status);
                    if *status == ConditionStatus::Excluded {
                        self.forget_allergy_of(item);
                    }
                }
                CaseCorrection::Remove { item } => self.remove(item),
                CaseCorrection::Words { text } => self.amend(reread(text)),
                CaseCorrection::Asks { kinds } => {
                    let of = self.asks.first().map(|ask| ask.of.clone()).unwrap_or_default();
                    self.asks = kinds.iter().map(|kind| CaseAsk { kind: *kind, of: of.clone() }).collect();
                }
            }
        }
    }

    /// A drug is in play as `status` says. The patient's allergies follow.
    fn correct_drug(&mut self, item: &str, status: DrugStatus) {
        let is_meant = |drug: &CaseDrug| drug.entity.as_deref().unwrap_or(&drug.text) == item;
        if !self.drugs.iter().any(is_meant) {
            self.drugs.push(CaseDrug { text: item.to_owned(), entity: Some(item.to_owned()), ..CaseDrug::default() });
        }
        for drug in self.drugs.iter_mut().filter(|drug| is_meant(drug)) {
            // When it was started or stopped was told of what it was read as.
            if drug.status != status {
                (drug.status, drug.days) = (status, None);
            }
        }
        self.settle_allergy(item, status);
    }

    /// The patient's allergies follow the status of a drug.
    pub(super) fn settle_allergy(&mut self, item: &str, status: DrugStatus) {
        self.patient.allergies.retain(|allergy| allergy != item);
        if status == DrugStatus::Allergic {
            self.patient.allergies.push(item.to_owned());
        } else {
            self.forget_allergy_to(item);
        }
    }

    /// "Allergic to penicillin" is read as a condition, too, which goes with the allergy; unless it is that to another drug of the patient's allergies.
    fn forget_allergy_to(&mut self, drug: &str) {
        let allergic = self.drugs.iter().filter(|other| other.status == DrugStatus::Allergic);
        let allergic = allergic.map(|other| other.entity.as_deref().unwrap_or(&other.text));
        let told = self.patient.allergies.iter().map(String::as_str);
        let others: Vec<&str> = allergic.chain(told).filter(|other| *other != drug).collect();
        let is_of_other = |condition: &CaseCondition| others.iter().any(|other| condition.is_allergy_to(other));
        self.conditions.retain(|condition| !condition.is_allergy_to(drug) || is_of_other(condition));
    }

    /// What a condition that is the allergy to a drug says is also said of the patient and of the drug.
    fn forget_allergy_of(&mut self, condition: &str) {
        self.patient.allergies.retain(|allergy| !is_allergy_to(condition, allergy));
        let stays = |drug: &CaseDrug| {
            let name = drug.entity.as_deref().unwrap_or(&drug.text);
            drug.status != DrugStatus::Allergic || !is_allergy_to(condition, name)
        };
        self.drugs.retain(stays);
    }

    /// Nothing is asked about a condition that is excluded.
    pub(super) fn settle_asks(&mut self, item: &str, status: ConditionStatus) {
        if status == ConditionStatus::Excluded {
            self.asks.iter_mut().for_each(|ask| ask.of.retain(|of| of != item));
        }
    }

    fn remove(&mut self, item: &str) {
        let stays = |entity: &Option<String>, text: &str| entity.as_deref().unwrap_or(text) != item;
        let is_allergen = |drug: &CaseDrug| drug.status == DrugStatus::Allergic && !stays(&drug.entity, &drug.text);
        let was_allergen = self.drugs.iter().any(is_allergen) || self.patient.allergies.iter().any(|allergy| allergy == item);
        self.findings.retain(|finding| stays(&finding.entity, &finding.text));
        self.results.retain(|result| stays(&result.finding, &result.test) && result.test != item);
        self.drugs.retain(|drug| stays(&drug.entity, &drug.text));
        self.patient.allergies.retain(|allergy| allergy != item);
        self.asks.iter_mut().for_each(|ask| ask.of.retain(|of| of != item));
        self.conditions.retain(|condition| stays(&condition.entity, &condition.text));
        self.not_understood.retain(|word| word.text != item);
        if was_allergen {
            self.forget_allergy_to(item);
        }
        self.forget_allergy_of(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::case::CaseResult;

    #[test]
    fn drugs_and_conditions_are_added_and_read_otherwise() {
        let drug =
            |name: &str, status, days| CaseDrug { text: name.into(), entity: Some(name.into()), status, days, ..CaseDrug::default() };
        let mut case = Case {
            drugs: vec![drug("Amiodarone", DrugStatus::New, Some(4.0)), drug("Warfarin", DrugStatus::Allergic, None)],
            conditions: vec![CaseCondition { text: "asthma".into(), entity: Some("Asthma".into()), ..CaseCondition::default() }],
            ..Case::default()
        };
        case.patient.allergies = vec!["Warfarin".into()];
        case.correct(&[
            CaseCorrection::Drug { item: "Amiodarone".into(), status: DrugStatus::Taken },
            CaseCorrection::Drug { item: "Warfarin".into(), status: DrugStatus::Taken },
            CaseCorrection::Drug { item: "Penicillin".into(), status: DrugStatus::Allergic },
            CaseCorrection::Condition { item: "Asthma".into(), status: ConditionStatus::Past },
            CaseCorrection::Condition { item: "Gout".into(), status: ConditionStatus::Known },
        ]);
        let drugs: Vec<_> = case.drugs.iter().map(|drug| (drug.text.as_str(), drug.status, drug.days)).collect();
        let expected =
            [("Amiodarone", DrugStatus::Taken, None), ("Warfarin", DrugStatus::Taken, None), ("Penicillin", DrugStatus::Allergic, None)];
        assert_eq!(drugs, expected);
        assert_eq!(case.patient.allergies, ["Penicillin"], "the allergies follow the drugs");
        let conditions: Vec<_> = case.conditions.iter().map(|condition| (condition.text.as_str(), condition.status)).collect();
        assert_eq!(conditions, [("asthma", ConditionStatus::Past), ("Gout", ConditionStatus::Known)]);
    }

    /// A patient who is allergic to penicillin, as the patient, a drug and a condition say.
    fn allergic() -> Case {
        let name = || Some("Penicillin antibiotic".to_owned());
        let condition = |name: &str| CaseCondition { text: name.into(), entity: Some(name.into()), ..CaseCondition::default() };
        let mut case = Case {
            drugs: vec![CaseDrug { text: "penicillin".into(), entity: name(), status: DrugStatus::Allergic, ..CaseDrug::default() }],
            conditions: vec![condition("Penicillin allergy"), condition("Gout")],
            ..Case::default()
        };
        case.patient.allergies.extend(name());
        case
    }

    #[test]
    fn an_allergy_that_is_taken_back_in_one_place_is_taken_back_in_all() {
        let remove = |item: &str| CaseCorrection::Remove { item: item.into() };
        let excluded = CaseCorrection::Condition { item: "Penicillin allergy".into(), status: ConditionStatus::Excluded };
        for correction in [remove("Penicillin antibiotic"), remove("Penicillin allergy"), excluded] {
            let mut case = allergic();
            case.correct(std::slice::from_ref(&correction));
            assert!(case.patient.allergies.is_empty() && case.drugs.is_empty(), "{correction:?}: {case:?}");
            let holds = case.conditions.iter().filter(|condition| condition.status != ConditionStatus::Excluded);
            assert_eq!(holds.map(|condition| condition.text.as_str()).collect::<Vec<_>>(), ["Gout"], "{correction:?}");
        }
    }

    #[test]
    fn an_allergy_to_another_drug_and_one_that_is_past_stay() {
        let remove = |item: &str| CaseCorrection::Remove { item: item.into() };
        let past = CaseCorrection::Condition { item: "Penicillin allergy".into(), status: ConditionStatus::Past };
        for correction in [remove("Gout"), remove("Amoxicillin"), past] {
            let mut case = allergic();
            case.correct(&[correction]);
            assert_eq!((case.patient.allergies.len(), case.drugs.len()), (1, 1), "{case:?}");
        }
        // A drug that is only asked about is no allergen: its removal takes no allergy back.
        let mut case = allergic();
        case.drugs = vec![CaseDrug { text: "penicillin V".into(), entity: Some("Penicillin V".into()), ..CaseDrug::default() }];
        case.correct(&[remove("Penicillin V")]);
        assert_eq!((case.patient.allergies.len(), case.conditions.len()), (1, 2), "{case:?}");
        // Of two penicillins, the other is still one that the patient must not have.
        let mut case = allergic();
        case.patient.allergies.push("Penicillin V".into());
        case.correct(&[remove("Penicillin V")]);
        assert_eq!((case.patient.allergies.len(), case.drugs.len(), case.conditions.len()), (1, 1, 2), "{case:?}");
    }

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
