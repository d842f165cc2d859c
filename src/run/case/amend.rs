//! Corrections in words: what another text says of the patient holds in place of what the question says of the same.

use super::{Case, CaseResult, NotUnderstood, ResultDirection};

/// The tests of which a value alone says how the kidneys work.
const RENAL: [&str; 2] = ["creatinine", "eGFR"];

impl Case {
    /// What `told` says takes the place of what this case says of the same: the patient, findings, results, drugs and conditions. What only it
    /// says is added, and so is what was not understood of it. What it asks changes nothing. Spans of what it says are empty, because its words stand
    /// in no question.
    pub(super) fn amend(&mut self, told: Self) {
        let mut patient = told.patient;
        let says_renal = patient.renal.is_some();
        patient.fill_from(&self.patient);
        // How the kidneys work was read from the value that is corrected: a normal creatinine in its place says nothing of the kind.
        let is_renal = |result: &&CaseResult| RENAL.contains(&result.test.as_str());
        let is_abnormal = |result: &CaseResult| result.direction != ResultDirection::Normal;
        let is_normal_now = told.results.iter().filter(is_renal).any(|result| !is_abnormal(result));
        if is_normal_now && !says_renal && self.results.iter().filter(is_renal).any(is_abnormal) {
            patient.renal = None;
        }
        self.patient = patient;
        for mut finding in told.findings {
            (finding.start, finding.end) = (0, 0);
            put(&mut self.findings, finding, |one, other| named(&one.entity, &one.text) == named(&other.entity, &other.text));
        }
        for mut result in told.results {
            (result.start, result.end) = (0, 0);
            put(&mut self.results, result, |one, other| one.test == other.test);
        }
        for mut drug in told.drugs {
            (drug.start, drug.end) = (0, 0);
            self.settle_allergy(named(&drug.entity, &drug.text), drug.status);
            put(&mut self.drugs, drug, |one, other| named(&one.entity, &one.text) == named(&other.entity, &other.text));
        }
        for mut condition in told.conditions {
            (condition.start, condition.end) = (0, 0);
            self.settle_asks(named(&condition.entity, &condition.text), condition.status);
            put(&mut self.conditions, condition, |one, other| named(&one.entity, &one.text) == named(&other.entity, &other.text));
        }
        // No answer hangs on words with which the doctor only corrects.
        let unknown = told.not_understood.into_iter().map(|word| NotUnderstood { start: 0, end: 0, subject: false, ..word });
        self.not_understood.extend(unknown);
    }
}

fn named<'a>(entity: &'a Option<String>, text: &'a str) -> &'a str {
    entity.as_deref().unwrap_or(text)
}

/// Puts an item in the place of the first that is the same, of which no other stays; else behind all.
fn put<T>(items: &mut Vec<T>, item: T, is_same: impl Fn(&T, &T) -> bool) {
    let at = items.iter().position(|known| is_same(known, &item)).unwrap_or(items.len());
    items.retain(|known| !is_same(known, &item));
    items.insert(at.min(items.len()), item);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::case::{AgeMonths, CaseFinding, CasePatient, FindingStatus, OrganFunction, Pregnancy};

    fn age(years: u16) -> CasePatient {
        CasePatient { age_months: Some(AgeMonths { from: 12 * years, to: 12 * years + 11 }), ..CasePatient::default() }
    }

    #[test]
    fn what_is_told_takes_the_place_of_the_same_and_the_rest_stays() {
        let result = |test: &str, value| CaseResult { test: test.into(), value: Some(value), start: 4, end: 9, ..CaseResult::default() };
        let finding = |name: &str, status| CaseFinding {
            text: name.into(),
            entity: Some(name.into()),
            status,
            start: 1,
            end: 5,
            ..CaseFinding::default()
        };
        let mut case = Case {
            patient: CasePatient { pregnancy: Some(Pregnancy { pregnant: true, ..Pregnancy::default() }), ..age(34) },
            findings: vec![finding("Cough", FindingStatus::Present), finding("Fever", FindingStatus::Present)],
            results: vec![result("sodium", 140.0), result("potassium", 7.1), result("glucose", 5.0)],
            ..Case::default()
        };
        case.amend(Case {
            patient: age(43),
            findings: vec![finding("Cough", FindingStatus::Absent), finding("Nausea", FindingStatus::Present)],
            results: vec![result("potassium", 4.1)],
            not_understood: vec![NotUnderstood { text: "zorb".into(), start: 3, end: 7, subject: true, ..NotUnderstood::default() }],
            ..Case::default()
        });
        let results: Vec<_> = case.results.iter().map(|result| (result.test.as_str(), result.value, result.end)).collect();
        assert_eq!(results, [("sodium", Some(140.0), 9), ("potassium", Some(4.1), 0), ("glucose", Some(5.0), 9)]);
        let findings: Vec<_> = case.findings.iter().map(|finding| (finding.text.as_str(), finding.status, finding.end)).collect();
        assert_eq!(
            findings,
            [("Cough", FindingStatus::Absent, 0), ("Fever", FindingStatus::Present, 5), ("Nausea", FindingStatus::Present, 0)]
        );
        assert_eq!(case.patient.age_months, age(43).age_months);
        assert!(case.patient.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant), "what is not told stays");
        assert_eq!(case.not_understood, [NotUnderstood { text: "zorb".into(), ..NotUnderstood::default() }]);
    }

    #[test]
    fn the_kidneys_follow_a_corrected_creatinine() {
        let of = |test: &str, direction| CaseResult { test: test.into(), direction, ..CaseResult::default() };
        let case = || Case {
            patient: CasePatient { renal: Some(OrganFunction::Impaired), ..CasePatient::default() },
            results: vec![of("creatinine", ResultDirection::High)],
            ..Case::default()
        };
        for (corrected, renal) in [
            (of("creatinine", ResultDirection::Normal), None),
            (of("creatinine", ResultDirection::High), Some(OrganFunction::Impaired)),
            (of("sodium", ResultDirection::Normal), Some(OrganFunction::Impaired)),
        ] {
            let mut case = case();
            case.amend(Case { results: vec![corrected.clone()], ..Case::default() });
            assert_eq!(case.patient.renal, renal, "{corrected:?}");
        }
    }
}
