//! What a value means by how far it is from normal: a potassium of 5.6 mmol/l is none of 6.4. The bands are in `assets/value-bands.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::run::{Case, CaseResult, PatientSex, ResultDirection};

/// The age from which the limits of adults hold, in years.
const GROWN_UP: u16 = 16;
const MONTHS: u16 = 12;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    band: Vec<Band>,
}

/// Values of a test between two limits, and what is to be told of them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Band {
    test: String,
    /// The unit, the first value, and the first one above it that is no longer meant.
    #[serde(default)]
    within: Vec<(String, f64, f64)>,
    /// Of a result without a value.
    direction: Option<ResultDirection>,
    #[serde(default)]
    pregnant: bool,
    sex: Option<PatientSex>,
    /// Ages in years: the first, and the first one above it that is no longer meant.
    years: Option<(u16, u16)>,
    /// Only where one of these drugs, or one of such a class, is in use.
    #[serde(default)]
    pub(crate) drugs: Vec<String>,
    /// Whether the value alone is no reason for haste.
    #[serde(default)]
    pub(crate) calm: bool,
    text: String,
    text_zh: String,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/value-bands.toml")).unwrap_or_default());

impl Band {
    /// What is told of a value, in English or Chinese.
    pub(crate) fn text(&self, chinese: bool) -> &str {
        if chinese { &self.text_zh } else { &self.text }
    }

    fn holds_value(&self, result: &CaseResult) -> bool {
        let unit = result.unit.as_deref().unwrap_or_default();
        let is_within = |value: f64| self.within.iter().any(|(of, from, below)| of == unit && value >= *from && value < *below);
        match result.value {
            Some(value) => is_within(value),
            None => self.direction == Some(result.direction),
        }
    }

    fn is_of_patient(&self, case: &Case) -> bool {
        let patient = &case.patient;
        let (from, below) = self.years.unwrap_or((GROWN_UP, u16::MAX));
        // Where the age is not told, an adult is meant, but none of a certain age.
        let is_of_age = match patient.age_months {
            Some(age) => age.from / MONTHS >= from && age.to / MONTHS < below,
            None => self.years.is_none(),
        };
        let is_pregnant = patient.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant);
        is_of_age && self.pregnant == is_pregnant && self.sex.is_none_or(|sex| patient.sex == Some(sex))
    }
}

/// What a result of a case means by how far it is from normal; `None` where nothing is told of it. `takes`: whether a drug, or one of a class, is in use.
pub(crate) fn band_of(case: &Case, result: &CaseResult, takes: impl Fn(&str) -> bool) -> Option<&'static Band> {
    let is_for_drug = |band: &Band| band.drugs.is_empty() || band.drugs.iter().any(|drug| takes(drug));
    let of_test = FILE.band.iter().filter(|band| band.test == result.test);
    of_test.filter(|band| band.holds_value(result) && band.is_of_patient(case)).find(|band| is_for_drug(band))
}

/// Whether a result is called something by itself, and not together with another: a low haemoglobin and small cells are a microcytic anaemia, a high
/// cholesterol and a high LDL one thing.
pub(crate) fn is_called_by_itself(case: &Case, result: &CaseResult) -> bool {
    let own = |result: &CaseResult| {
        let analyte = super::analyte_of(&result.test)?;
        match result.direction {
            ResultDirection::Low => analyte.low.first(),
            ResultDirection::High => analyte.high.first(),
            _ => analyte.positive.first(),
        }
    };
    let is_joined = |other: &CaseResult| other.test != result.test && other.finding == result.finding && own(other) != own(result);
    result.finding.is_none() || !case.results.iter().any(is_joined)
}

#[cfg(test)]
mod tests {
    use super::super::analytes::all;
    use super::*;
    use crate::graph::starter_graph;
    use crate::run::AgeMonths;

    #[test]
    fn bands_are_of_known_tests_units_and_drugs_and_hold_both_languages() {
        let graph = starter_graph().expect("sound");
        assert!(FILE.band.len() > 100);
        for band in &FILE.band {
            let analyte = all().find(|analyte| analyte.names.first() == Some(&band.test));
            let analyte = analyte.unwrap_or_else(|| panic!("{}: no such test", band.test));
            assert!(!band.within.is_empty() || band.direction.is_some(), "{}: no values", band.test);
            for (unit, from, below) in &band.within {
                assert!(analyte.ranges.iter().any(|range| range.shown() == unit), "{}: {unit}", band.test);
                assert!(from < below, "{}: {from} to {below}", band.test);
            }
            for drug in &band.drugs {
                assert!(graph.entity_ids().any(|entity| graph.entity_name(entity) == drug), "{}: {drug}", band.test);
            }
            for text in [&band.text, &band.text_zh] {
                assert!(!text.is_empty() && text.len() <= 500 && !text.ends_with(['.', '。']), "{}: {text}", band.test);
            }
        }
    }

    #[test]
    fn the_first_band_that_fits_the_patient_is_told() {
        let result = |test: &str, value: f64, unit: &str| CaseResult {
            test: test.to_owned(),
            value: Some(value),
            unit: Some(unit.to_owned()),
            ..CaseResult::default()
        };
        let mut case = Case::default();
        let inr = result("INR", 6.2, "");
        assert!(band_of(&case, &inr, |_| false).is_none(), "an INR of 6.2 without warfarin is told by no band");
        assert!(
            band_of(&case, &inr, |drug| drug == "Warfarin").is_some_and(|band| band.text(false).contains("leave out one or two doses"))
        );
        let dimer = result("D-dimer", 520.0, "ng/ml");
        assert!(band_of(&case, &dimer, |_| false).is_some_and(|band| !band.calm));
        case.patient.age_months = Some(AgeMonths { from: 68 * 12, to: 68 * 12 + 11 });
        assert!(band_of(&case, &dimer, |_| false).is_some_and(|band| band.calm && band.text(true).contains("界值")));
        case.patient.age_months = Some(AgeMonths { from: 60, to: 60 });
        assert!(band_of(&case, &result("potassium", 5.6, "mmol/l"), |_| false).is_none(), "bands are those of adults");
    }
}
