//! What the "Read as" line says once although the case holds it twice: an allergy to a drug, what was taken over from the run before, words
//! from which two findings were read.

use super::read_as::{comma, result, say, shown};
use super::{Case, CaseCondition, CaseFinding, CasePatient, ConditionStatus, DrugStatus};

impl Case {
    /// The names and words of the drugs to which the patient is allergic.
    pub(super) fn allergic_to(&self) -> impl Iterator<Item = &str> {
        let drugs = self.drugs.iter().filter(|drug| drug.status == DrugStatus::Allergic);
        drugs.flat_map(|drug| drug.entity.as_deref().into_iter().chain([drug.text.as_str()]))
    }

    /// What the question says itself, and what was taken over from the run before: each is told once.
    pub(super) fn parted(&self, chinese: bool) -> (Self, Self) {
        let (mut own, mut carried) = (self.clone(), Self::default());
        // "pregnant 30 weeks · has pregnancy" says one thing twice.
        own.conditions.retain(|condition| !self.patient.tells(condition));
        if self.carried_over.is_empty() {
            return (own, carried);
        }
        let says = |text: &str| self.carried_over.iter().any(|part| part.contains(text));
        // The words of what is taken over stand in another question.
        (carried.findings, own.findings) = self
            .findings
            .iter()
            .cloned()
            .partition(|item| item.start == item.end && says(&shown(item.entity.as_deref(), &item.text, chinese)));
        (carried.results, own.results) =
            self.results.iter().cloned().partition(|item| item.start == item.end && says(&result(item, chinese)));
        (carried.drugs, own.drugs) = self.drugs.iter().cloned().partition(|item| item.start == item.end && says(&item.shown(chinese)));
        (carried.conditions, own.conditions) = own
            .conditions
            .into_iter()
            .partition(|item| item.start == item.end && says(&shown(item.entity.as_deref(), &item.text, chinese)));
        let patient = self.carried_over.first().map(String::as_str).unwrap_or_default();
        (own.patient, carried.patient) = self.patient.parted(patient, chinese);
        (own, carried)
    }

    /// Whether a drug or a condition of the case says what the patient is said to be allergic to.
    pub(super) fn is_allergy_told(&self, allergy: &str) -> bool {
        let is_held = |condition: &CaseCondition| condition.status == ConditionStatus::Known && condition.is_allergy_to(allergy);
        self.allergic_to().any(|name| name.eq_ignore_ascii_case(allergy)) || self.conditions.iter().any(is_held)
    }

    /// Whether a condition is an allergy to a drug that is read as one the patient is allergic to.
    pub(super) fn is_told_as_drug(&self, condition: &CaseCondition) -> bool {
        self.allergic_to().any(|drug| condition.is_allergy_to(drug))
    }
}

impl CaseCondition {
    /// Whether it is an allergy to a drug, as its name says.
    pub(super) fn is_allergy_to(&self, drug: &str) -> bool {
        is_allergy_to(self.entity.as_deref().unwrap_or(&self.text), drug)
    }
}

/// Whether a condition of this name is an allergy to a drug.
pub(super) fn is_allergy_to(condition: &str, drug: &str) -> bool {
    let name = condition.to_lowercase();
    let first = |name: &str| name.split_whitespace().next().map(str::to_lowercase);
    name.strip_suffix(" allergy").is_some_and(|of| first(of) == first(drug))
}

impl CasePatient {
    /// Whether what is said of the patient says that of a condition, too.
    fn tells(&self, condition: &CaseCondition) -> bool {
        let name = condition.entity.as_deref().unwrap_or(&condition.text);
        let is_pregnant = self.pregnancy.map(|pregnancy| pregnancy.pregnant);
        match condition.status {
            ConditionStatus::Known if name.eq_ignore_ascii_case("breastfeeding") => self.breastfeeding,
            ConditionStatus::Known => is_pregnant == Some(true) && name.eq_ignore_ascii_case("pregnancy"),
            ConditionStatus::Excluded => is_pregnant == Some(false) && name.eq_ignore_ascii_case("pregnancy"),
            ConditionStatus::Suspected | ConditionStatus::Past => false,
        }
    }

    /// What is said of the patient by the question itself, and what was taken over from the run before, whose reading begins with `before`.
    fn parted(&self, before: &str, chinese: bool) -> (Self, Self) {
        let (mut own, mut carried) = (self.clone(), Self::default());
        let mut words = before.split(comma(chinese)).map(|word| word.strip_prefix("aged ").unwrap_or(word));
        if self.age_months.is_some_and(|age| words.clone().any(|word| word == age.read_as(chinese))) {
            carried.age_months = own.age_months.take();
        }
        let sexes = [("woman", "女"), ("girl", "女孩"), ("man", "男"), ("boy", "男孩")].map(|pair| say(chinese, pair));
        if self.sex.is_some() && words.any(|word| sexes.contains(&word)) {
            carried.sex = own.sex.take();
        }
        let says = |only: Self| before.contains(&only.read_as(chinese));
        if self.pregnancy.is_some() && says(Self { pregnancy: self.pregnancy, ..Self::default() }) {
            carried.pregnancy = own.pregnancy.take();
        }
        if self.breastfeeding && says(Self { breastfeeding: true, ..Self::default() }) {
            (own.breastfeeding, carried.breastfeeding) = (false, true);
        }
        if self.renal.is_some() && says(Self { renal: self.renal, ..Self::default() }) {
            carried.renal = own.renal.take();
        }
        if self.hepatic.is_some() && says(Self { hepatic: self.hepatic, ..Self::default() }) {
            carried.hepatic = own.hepatic.take();
        }
        if self.smoking.is_some() && says(Self { smoking: self.smoking, ..Self::default() }) {
            carried.smoking = own.smoking.take();
        }
        (carried.allergies, own.allergies) = self.allergies.iter().cloned().partition(|allergy| before.contains(allergy.as_str()));
        (own, carried)
    }
}

/// Findings in the words of the question, with how long they have lasted. Two names can be read from words that overlap (胸骨后压榨样疼, 压榨样疼痛):
/// these words are shown whole, and once.
pub(super) fn in_words<'a>(findings: impl Iterator<Item = &'a CaseFinding>) -> Vec<(String, Option<f64>)> {
    let mut shown: Vec<(String, Option<f64>, usize, usize)> = Vec::new();
    for finding in findings {
        let CaseFinding { text, days, start, end, .. } = finding;
        let overlapping = shown.iter_mut().find(|(_, _, from, to)| start < to && from < end && *start >= *from);
        match overlapping.filter(|(known, _, from, to)| known.len() == to - from && text.len() == end - start) {
            Some((known, lasted, _, to)) => {
                if let Some(rest) = text.get(to.saturating_sub(*start).min(text.len())..) {
                    known.push_str(rest);
                }
                *to = (*to).max(*end);
                *lasted = lasted.or(*days);
            }
            None => shown.push((text.clone(), *days, *start, *end)),
        }
    }
    shown.into_iter().map(|(text, days, ..)| (text, days)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::case::{AgeMonths, CaseDrug, FindingStatus, PatientSex, Pregnancy};

    #[test]
    fn an_allergy_is_told_once() {
        let case = Case {
            patient: CasePatient { allergies: vec!["Sulfonamide antibiotic".into()], ..CasePatient::default() },
            drugs: vec![CaseDrug {
                entity: Some("Sulfonamide antibiotic".into()),
                text: "sulfonamides".into(),
                status: DrugStatus::Allergic,
                ..CaseDrug::default()
            }],
            conditions: ["Sulfonamide allergy", "Gout"]
                .map(|name| CaseCondition { entity: Some(name.into()), ..CaseCondition::default() })
                .into(),
            ..Case::default()
        };
        assert_eq!(case.read_as(false), "allergic to sulfonamide antibiotic · has gout");
        let other = Case { drugs: Vec::new(), ..case };
        assert_eq!(other.read_as(false), "allergy: Sulfonamide antibiotic · has sulfonamide allergy, gout");
    }

    #[test]
    fn an_allergy_is_one_item_of_the_list_to_correct() {
        let condition = |name: &str| CaseCondition { entity: Some(name.into()), ..CaseCondition::default() };
        let mut case = Case {
            patient: CasePatient { allergies: vec!["Penicillin antibiotic".into()], ..CasePatient::default() },
            drugs: vec![CaseDrug {
                entity: Some("Penicillin antibiotic".into()),
                text: "penicillin".into(),
                status: DrugStatus::Allergic,
                ..CaseDrug::default()
            }],
            conditions: vec![condition("Penicillin allergy"), condition("Gout")],
            ..Case::default()
        };
        let names = |case: &Case| case.items(false).into_iter().map(|item| item.name).collect::<Vec<_>>();
        assert_eq!(names(&case), ["Penicillin antibiotic", "Gout"]);
        case.drugs.clear();
        assert_eq!(names(&case), ["Penicillin allergy", "Gout"]);
        case.conditions.clear();
        assert_eq!(names(&case), ["patient"], "what nothing else says is said of the patient");
    }

    #[test]
    fn a_state_of_the_patient_is_told_once_also_when_it_is_carried_over() {
        let pregnancy =
            |status| CaseCondition { entity: Some("Pregnancy".into()), text: "pregnant".into(), status, ..CaseCondition::default() };
        let case = |pregnant, status| Case {
            patient: CasePatient {
                pregnancy: Some(Pregnancy { pregnant, week: pregnant.then_some(12), ..Pregnancy::default() }),
                ..CasePatient::default()
            },
            conditions: vec![pregnancy(status)],
            ..Case::default()
        };
        let pregnant = case(true, ConditionStatus::Known);
        assert_eq!(pregnant.read_as(false), "pregnant 12 weeks");
        assert_eq!(case(false, ConditionStatus::Excluded).read_as(false), "not pregnant");
        assert_eq!(case(true, ConditionStatus::Past).read_as(false), "pregnant 12 weeks · past: pregnancy", "another one");
        let mut next = Case::default();
        next.carry_over(&pregnant, false);
        assert_eq!(next.read_as(false), "carried over: pregnant 12 weeks");
        assert_eq!(next.conditions, pregnant.conditions, "it is part of the case all the same");
    }

    #[test]
    fn what_was_carried_over_is_told_once_as_it_is_now() {
        let finding = |name: &str, start, end| CaseFinding {
            text: name.to_lowercase(),
            entity: Some(name.into()),
            start,
            end,
            ..CaseFinding::default()
        };
        let before = Case {
            patient: CasePatient {
                age_months: Some(AgeMonths { from: 360, to: 371 }),
                sex: Some(PatientSex::Male),
                ..CasePatient::default()
            },
            findings: vec![finding("Itching", 5, 12), finding("Jaundice", 14, 22)],
            ..Case::default()
        };
        let mut case = Case { findings: vec![finding("Dark urine", 0, 10)], ..Case::default() };
        case.carry_over(&before, false);
        assert_eq!(case.read_as(false), "dark urine · carried over: man, 30, itching, jaundice");
        case.findings.retain(|finding| finding.text != "itching");
        case.findings.iter_mut().filter(|finding| finding.text == "jaundice").for_each(|finding| finding.status = FindingStatus::Absent);
        assert_eq!(case.read_as(false), "dark urine · carried over: man, 30, no jaundice", "a correction counts here, too");
    }

    #[test]
    fn overlapping_words_are_shown_whole_and_once() {
        let question = "右上腹绞痛样疼痛，恶心";
        let finding = |text: &str, days| {
            let start = question.find(text).expect("stands in it");
            CaseFinding { text: text.into(), entity: Some(text.into()), start, end: start + text.len(), days, ..CaseFinding::default() }
        };
        let findings = vec![finding("右上腹绞痛样疼", None), finding("绞痛样疼痛", Some(2.0)), finding("恶心", None)];
        assert_eq!(Case { findings, ..Case::default() }.read_as(true), "右上腹绞痛样疼痛（2天）、恶心");
    }
}
