//! Results of patients whom the limits of adult men do not fit: children, pregnant women, and women where men have other limits.
//!
//! Where `assets/analytes.toml` holds limits of the very patient, they decide. Else the word beside the value does ("heart rate slow at 85"
//! of a newborn), and where there is none, the limits of all. A word never takes an emergency away.

use super::value::decide;
use super::{Measured, read_together};
use crate::run::{CasePatient, PatientSex, ResultDirection};

/// The age from which the limits of adults hold, and up to which somebody may be who is called a child, in months.
const GROWN_UP: u16 = 16 * 12;
const CALLED_CHILD: u16 = 18 * 12;

/// Decides results again by who the patient is, and what they say together.
pub(crate) fn for_patient(results: &mut [Measured], patient: &CasePatient) {
    let before: Vec<ResultDirection> = results.iter().map(|result| result.direction).collect();
    results.iter_mut().for_each(|result| result.decide_for(patient));
    if results.iter().zip(before).any(|(result, before)| result.direction != before) {
        results.iter_mut().for_each(|result| result.together = &[]);
        read_together(results);
    }
}

impl Measured {
    fn decide_for(&mut self, patient: &CasePatient) {
        let analyte = self.analyte;
        let Some(value) = self.value.filter(|_| !(analyte.is_in_fluids() && self.direction == ResultDirection::Unknown)) else { return };
        if let Some(limits) = analyte.limits_of(patient) {
            if let Some(range) = limits.ranges.iter().find(|range| Some(range.unit.as_str()) == self.unit) {
                decide(self, range, value);
            }
            return;
        }
        let is_child = patient.age_months.is_some_and(|age| age.from < GROWN_UP && age.to <= CALLED_CHILD);
        let is_pregnant = patient.is_pregnant_or_postpartum();
        let is_woman = patient.sex == Some(PatientSex::Female) && analyte.is_by_sex();
        let is_other = !analyte.is_for_all() && (is_child || is_pregnant || is_woman);
        let Some(said) = self.said.filter(|said| is_other && !(self.critical && *said != self.direction)) else { return };
        match said {
            // "Normal for her age": no finding, but nothing is ruled out by limits that nobody has checked.
            ResultDirection::Normal if is_child && self.direction != ResultDirection::Normal => self.direction = ResultDirection::Unknown,
            ResultDirection::High | ResultDirection::Low => self.direction = said,
            _ => {}
        }
    }
}
