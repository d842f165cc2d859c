//! Results of patients whom the limits of adult men do not fit: children, pregnant women, and women where men have other limits.
//!
//! Where `assets/analytes.toml` holds limits of the very patient, they decide. Else the word beside the value does ("heart rate slow at 85"
//! of a newborn), and where there is none, the limits of all. A word never takes an emergency away.

use super::value::decide;
use super::{Measured, read_together};
use crate::run::{CasePatient, PatientSex, ResultDirection};

/// A diastolic pressure from here on is high, and an emergency.
const DIASTOLIC: f64 = 90.0;
const CRITICAL_DIASTOLIC: f64 = 120.0;
/// The age from which the limits of adults hold, and up to which somebody may be who is called a child, in months.
pub(super) const GROWN_UP: u16 = 16 * 12;
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
    /// Decides the value of a child whose age is not known exactly ("baby") by the limits of all ages that it may have: they must agree, but where one of
    /// them calls it an emergency, it is one. Whether there were such limits.
    fn decide_for_child(&mut self, patient: &CasePatient, value: f64) -> bool {
        let is_child = patient.age_months.is_some_and(|age| age.from < GROWN_UP && age.to <= CALLED_CHILD);
        if !is_child {
            return false;
        }
        let analyte = self.analyte;
        let unit = self.unit;
        let ranges = analyte.of_children(patient).flat_map(|limits| &limits.ranges).filter(|range| Some(range.unit.as_str()) == unit);
        let mut sides = Vec::new();
        for range in ranges {
            decide(self, range, value);
            sides.push((self.direction, self.critical));
        }
        let Some((first, _)) = sides.first().copied() else { return false };
        let agree = sides.iter().all(|(direction, _)| *direction == first);
        self.direction =
            if agree { first } else { self.said.filter(|said| *said != ResultDirection::Normal).unwrap_or(ResultDirection::Unknown) };
        self.critical = agree && sides.iter().any(|(_, critical)| *critical);
        self.allow_for_word();
        self.allow_for_second();
        true
    }

    /// Within the limits of a child's age, the word of who saw it decides: "heart rate 62, which is slow for her".
    fn allow_for_word(&mut self) {
        if let (ResultDirection::Normal, Some(said @ (ResultDirection::High | ResultDirection::Low))) = (self.direction, self.said) {
            self.direction = said;
        }
    }

    /// A diastolic pressure that is too high in everybody.
    fn allow_for_second(&mut self) {
        let Some(second) = self.second else { return };
        if second >= DIASTOLIC && matches!(self.direction, ResultDirection::Normal | ResultDirection::Unknown) {
            self.direction = ResultDirection::High;
        }
        self.critical |= second >= CRITICAL_DIASTOLIC;
    }

    fn decide_for(&mut self, patient: &CasePatient) {
        let analyte = self.analyte;
        let Some(value) = self.value.filter(|_| !(analyte.is_in_fluids() && self.direction == ResultDirection::Unknown)) else { return };
        if let Some(limits) = analyte.limits_of(patient) {
            if let Some(range) = limits.ranges.iter().find(|range| Some(range.unit.as_str()) == self.unit) {
                decide(self, range, value);
                if patient.age_months.is_some_and(|age| age.to < GROWN_UP) {
                    self.allow_for_word();
                }
                self.allow_for_second();
            }
            return;
        }
        if self.decide_for_child(patient, value) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::lab::results;
    use crate::run::AgeMonths;
    use crate::text::tokenise;

    fn read(text: &str, months: (u16, u16)) -> (ResultDirection, bool) {
        let mut all = results(text, &tokenise(text));
        let patient = CasePatient { age_months: Some(AgeMonths { from: months.0, to: months.1 }), ..CasePatient::default() };
        for_patient(&mut all, &patient);
        all.first().map(|result| (result.direction, result.critical)).expect("a result")
    }

    #[test]
    fn vital_signs_of_children_are_judged_by_their_age() {
        use ResultDirection::{High, Low, Normal};
        for (text, months, direction, critical) in [
            ("RR 28", 36, Normal, false),
            ("HR 150", 8, Normal, false),
            ("HR 120", 24, Normal, false),
            ("BP 85/50", 24, Normal, false),
            ("RR 45", 6, Normal, false),
            ("RR 60", 60, High, true),
            ("RR 44", 24, High, false),
            ("HR 60", 3, Low, true),
            ("HR 220", 8, High, true),
            ("HR 165", 8, High, false),
            ("BP 60/30", 24, Low, true),
            ("BP 150/95", 60, High, true),
            ("RR 8", 24, Low, true),
            ("RR 28", 170, High, false),
            ("HR 110", 400, High, false),
            ("RR 28", 400, High, false),
            ("BP 85/50", 400, Low, true),
        ] {
            assert_eq!(read(text, (months, months)), (direction, critical), "{text} at {months} months");
        }
        // A baby, and a child of whatever age.
        assert_eq!(read("HR 150", (0, 23)), (Normal, false));
        assert_eq!(read("HR 60", (0, 23)), (Low, true));
        assert_eq!(read("HR 230", (0, 23)), (High, true));
        assert!(!read("RR 28", (0, 191)).1);
    }
}
