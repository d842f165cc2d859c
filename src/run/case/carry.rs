//! Follow-up questions: what a question takes over from the case of the run before.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Case, CasePatient};
use crate::run::{AnswerLine, AnswerPart, Trace, UrgencyLevel};

impl Trace {
    /// The case for a question that follows this run: with the treatments that its answer offers, each once, and with its alarm. What raised that may stand
    /// in no finding ("back from Kenya"), and the next question need not say it again.
    pub fn case_to_follow(&self) -> Arc<Case> {
        let lines = self.answer.lines.iter().filter(|line| line.part == AnswerPart::Treatments);
        let mut offered: Vec<String> = Vec::new();
        for name in lines.flat_map(AnswerLine::stated) {
            if !offered.iter().any(|known| known == name) {
                offered.push(name.to_owned());
            }
        }
        let is_alarm = matches!(self.urgency.level, Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent));
        let warned_before = is_alarm.then(|| Box::new(self.urgency.clone()));
        Arc::new(Case { offered, warned_before, ..Case::clone(&self.case) })
    }
}

impl Case {
    /// Takes over what an earlier case knows and this one does not say: the patient, findings, results, drugs and conditions. What both
    /// name is as this one says. Spans of what is taken over are empty, because its words stand in another question.
    pub fn carry_over(&mut self, before: &Self, chinese: bool) {
        let mut carried = Self { patient: self.patient.carry_over(&before.patient), ..Self::default() };
        let named: BTreeSet<String> = self
            .findings
            .iter()
            .filter_map(|finding| finding.entity.clone())
            .chain(self.drugs.iter().filter_map(|drug| drug.entity.clone()))
            .chain(self.conditions.iter().filter_map(|condition| condition.entity.clone()))
            .collect();
        let is_new = |entity: &Option<String>| entity.as_ref().is_some_and(|entity| !named.contains(entity));
        let measured: BTreeSet<&str> = self.results.iter().map(|result| result.test.as_str()).collect();
        carried.findings = before.findings.iter().filter(|finding| is_new(&finding.entity)).cloned().collect();
        carried.drugs = before.drugs.iter().filter(|drug| is_new(&drug.entity)).cloned().collect();
        carried.conditions = before.conditions.iter().filter(|condition| is_new(&condition.entity)).cloned().collect();
        carried.results = before.results.iter().filter(|result| !measured.contains(result.test.as_str())).cloned().collect();
        carried.findings.iter_mut().for_each(|item| (item.start, item.end) = (0, 0));
        carried.drugs.iter_mut().for_each(|item| (item.start, item.end) = (0, 0));
        carried.conditions.iter_mut().for_each(|item| (item.start, item.end) = (0, 0));
        carried.results.iter_mut().for_each(|item| (item.start, item.end) = (0, 0));
        // The alarm was about the earlier patient.
        if !self.patient.differs_from(&before.patient) {
            self.warned_before.clone_from(&before.warned_before);
        }
        let line = carried.read_as(chinese);
        if line.is_empty() {
            return;
        }
        self.patient.fill_from(&before.patient);
        self.findings.extend(carried.findings);
        self.results.extend(carried.results);
        self.drugs.extend(carried.drugs);
        self.conditions.extend(carried.conditions);
        self.carried_over = line.split(" · ").map(str::to_owned).collect();
        self.looks_like_follow_up = false;
    }
}

impl CasePatient {
    /// What an earlier case says of the patient and this one does not.
    fn carry_over(&self, before: &Self) -> Self {
        let mut carried = before.clone();
        let mut drop_known = |known: bool, forget: fn(&mut Self)| {
            if known {
                forget(&mut carried);
            }
        };
        drop_known(self.age_months.is_some(), |patient| patient.age_months = None);
        drop_known(self.sex.is_some(), |patient| patient.sex = None);
        drop_known(self.pregnancy.is_some(), |patient| patient.pregnancy = None);
        drop_known(self.breastfeeding, |patient| patient.breastfeeding = false);
        drop_known(self.renal.is_some(), |patient| patient.renal = None);
        drop_known(self.hepatic.is_some(), |patient| patient.hepatic = None);
        drop_known(self.smoking.is_some(), |patient| patient.smoking = None);
        carried.allergies.retain(|allergy| !self.allergies.contains(allergy));
        // "He" of a boy of six is a boy, not a man.
        if carried.age_months.is_some() {
            carried.sex = self.sex.or(carried.sex);
        }
        carried
    }

    /// Whether two cases state another sex, or ages that cannot be one.
    fn differs_from(&self, before: &Self) -> bool {
        let other_sex = self.sex.zip(before.sex).is_some_and(|(one, other)| one != other);
        let ages = self.age_months.zip(before.age_months);
        other_sex || ages.is_some_and(|(one, other)| one.from > other.to || other.from > one.to)
    }

    /// Fills in what is not known from an earlier case.
    pub(super) fn fill_from(&mut self, before: &Self) {
        let carried = self.carry_over(before);
        self.age_months = self.age_months.or(carried.age_months);
        self.sex = self.sex.or(carried.sex);
        self.pregnancy = self.pregnancy.or(carried.pregnancy);
        self.breastfeeding |= carried.breastfeeding;
        self.renal = self.renal.or(carried.renal);
        self.hepatic = self.hepatic.or(carried.hepatic);
        self.smoking = self.smoking.or(carried.smoking);
        self.allergies.extend(carried.allergies);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Urgency;
    use crate::run::case::{AgeMonths, CaseDrug, DrugStatus, PatientSex, Pregnancy};

    #[test]
    fn who_is_only_called_he_keeps_his_age() {
        let age = Some(AgeMonths { from: 72, to: 83 });
        let before = Case { patient: CasePatient { age_months: age, ..CasePatient::default() }, ..Case::default() };
        let mut case = Case { patient: CasePatient { sex: Some(PatientSex::Male), ..CasePatient::default() }, ..Case::default() };
        case.carry_over(&before, false);
        assert_eq!(case.read_as(false), "carried over: boy, 6");
        assert_eq!((case.patient.age_months, case.patient.sex), (age, Some(PatientSex::Male)));
    }

    #[test]
    fn a_warning_is_kept_for_the_same_patient() {
        let patient =
            |sex, from: u16| CasePatient { sex: Some(sex), age_months: Some(AgeMonths { from, to: from + 11 }), ..CasePatient::default() };
        let warned_before = Some(Box::new(Urgency { level: Some(UrgencyLevel::Emergency), ..Urgency::default() }));
        let before = Case { patient: patient(PatientSex::Female, 360), warned_before, ..Case::default() };
        let is_kept = |patient: CasePatient| {
            let mut case = Case { patient, ..Case::default() };
            case.carry_over(&before, false);
            case.warned_before.is_some()
        };
        assert!(is_kept(CasePatient::default()) && is_kept(patient(PatientSex::Female, 360)));
        assert!(!is_kept(patient(PatientSex::Male, 360)) && !is_kept(patient(PatientSex::Female, 480)));
    }

    #[test]
    fn a_follow_up_keeps_what_it_does_not_say_itself() {
        let drug =
            |name: &str, status| CaseDrug { entity: Some(name.into()), text: name.into(), status, start: 3, end: 9, ..CaseDrug::default() };
        let before = Case {
            patient: CasePatient {
                age_months: Some(AgeMonths { from: 360, to: 371 }),
                sex: Some(PatientSex::Female),
                ..CasePatient::default()
            },
            drugs: vec![drug("Warfarin", DrugStatus::Taken), drug("Ibuprofen", DrugStatus::Proposed)],
            ..Case::default()
        };
        let mut case = Case {
            patient: CasePatient { pregnancy: Some(Pregnancy { pregnant: true, ..Pregnancy::default() }), ..CasePatient::default() },
            drugs: vec![drug("Ibuprofen", DrugStatus::Stopped)],
            looks_like_follow_up: true,
            ..Case::default()
        };
        case.carry_over(&before, false);
        assert_eq!(
            case.drugs.iter().map(|d| (d.text.as_str(), d.status)).collect::<Vec<_>>(),
            [("Ibuprofen", DrugStatus::Stopped), ("Warfarin", DrugStatus::Taken)]
        );
        assert_eq!((case.drugs[1].start, case.drugs[1].end), (0, 0));
        assert_eq!(case.carried_over, ["woman, 30", "takes warfarin"]);
        assert!(case.patient.sex.is_some() && case.patient.pregnancy.is_some() && !case.looks_like_follow_up);
        let said = case.clone();
        case.carry_over(&Case::default(), false);
        assert_eq!(case, said, "an empty case gives nothing");
    }
}
