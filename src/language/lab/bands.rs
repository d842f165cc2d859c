//! What a value means by how far it is from normal: a potassium of 5.6 mmol/l is none of 6.4. The bands are in `assets/value-bands.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::home::WHITE_COAT;
use crate::language::common_words::is_common;
use crate::language::word_list::WordList;
use crate::run::{Case, CaseResult, FindingStatus, NotUnderstood, OrganFunction, PatientSex, ResultDirection};
use crate::text::tokenise;

/// The age from which the limits of adults hold, in years.
const GROWN_UP: u16 = 16;
const MONTHS: u16 = 12;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Who has or takes one of these is not told that a value is calm.
    not_calm_with: Vec<String>,
    /// Words that were not understood, and say that somebody is well.
    well: WordList,
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
    /// Of a pair, as a blood pressure: the second value is lower than this.
    second_below: Option<f64>,
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
    /// Or where one of these is known: who has a mechanical valve takes warfarin.
    #[serde(default)]
    with: Vec<String>,
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
        let is_second_within = self.second_below.is_none_or(|below| result.second.is_none_or(|second| second < below));
        match result.value {
            Some(value) => is_within(value) && is_second_within,
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
        // In the weeks after a birth nothing is calm that is so for others: a pressure of 150 may be pre-eclampsia.
        let is_after_birth = !is_pregnant && patient.is_pregnant_or_postpartum();
        is_of_age && self.pregnant == is_pregnant && !(self.calm && is_after_birth) && self.sex.is_none_or(|sex| patient.sex == Some(sex))
    }
}

/// What a result of a case means by how far it is from normal; `None` where nothing is told of it. `takes`: whether a drug, or one of a class, is in use.
pub(crate) fn band_of(case: &Case, result: &CaseResult, takes: impl Fn(&str) -> bool) -> Option<&'static Band> {
    let has = |name: &String| case.conditions.iter().any(|of| of.status.is_had() && of.entity.as_deref() == Some(name.as_str()));
    let may_be_calm = tells_of_nothing_else(case) && !is_never_calm(case, &takes);
    let is_for_drug = |band: &Band| band.drugs.is_empty() || band.drugs.iter().any(|drug| takes(drug)) || band.with.iter().any(has);
    // What is high only in the clinic is told of by that name.
    if result.finding.as_deref() == Some(WHITE_COAT) {
        return None;
    }
    let of_test = FILE.band.iter().filter(|band| band.test == result.test && (may_be_calm || !band.calm));
    of_test.filter(|band| band.holds_value(result) && band.is_of_patient(case)).find(|band| is_for_drug(band))
}

/// Whether a case is of somebody in whom no value is called calm.
pub(crate) fn is_never_calm(case: &Case, takes: &impl Fn(&str) -> bool) -> bool {
    let has = |name: &String| case.conditions.iter().any(|of| of.status.is_had() && of.entity.as_deref() == Some(name.as_str()));
    FILE.not_calm_with.iter().any(|name| has(name) || takes(name))
}

/// Whether all that a case tells was understood, and none of it is of a relative or of somebody on dialysis: a value is calm only where nothing speaks
/// against it.
fn tells_of_nothing_else(case: &Case) -> bool {
    let is_kin = case.findings.iter().any(|finding| finding.status == FindingStatus::FamilyHistory);
    let is_idle = |word: &NotUnderstood| tokenise(&word.text).iter().all(|token| FILE.well.has(&token.text) || is_common(&token.text));
    let is_well = |word: &NotUnderstood| !word.subject && (is_idle(word) || FILE.well.is_in(&word.text) && !word.passage);
    !is_kin && case.patient.renal != Some(OrganFunction::Dialysis) && case.not_understood.iter().all(is_well)
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
    use crate::run::{AgeMonths, Pregnancy};

    #[test]
    fn bands_are_of_known_tests_units_and_drugs_and_hold_both_languages() {
        let graph = starter_graph().expect("sound");
        assert!(FILE.band.len() > 100);
        for name in &FILE.not_calm_with {
            assert!(graph.entity_ids().any(|entity| graph.entity_name(entity) == name), "{name}");
        }
        for band in &FILE.band {
            let analyte = all().find(|analyte| analyte.names.first() == Some(&band.test));
            let analyte = analyte.unwrap_or_else(|| panic!("{}: no such test", band.test));
            assert!(!band.within.is_empty() || band.direction.is_some(), "{}: no values", band.test);
            for (unit, from, below) in &band.within {
                assert!(analyte.ranges.iter().any(|range| range.shown() == unit), "{}: {unit}", band.test);
                assert!(from < below, "{}: {from} to {below}", band.test);
            }
            for drug in band.drugs.iter().chain(&band.with) {
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
        assert!(band_of(&case, &inr, |_| false).is_some_and(|band| !band.calm && band.text(false).contains("liver failure")));
        assert!(
            band_of(&case, &inr, |drug| drug == "Warfarin").is_some_and(|band| band.text(false).contains("leave out one or two doses"))
        );
        let mut pressure = CaseResult { second: Some(96.0), ..result("blood pressure", 155.0, "mmhg") };
        assert!(band_of(&case, &pressure, |_| false).is_some_and(|band| band.calm));
        case.patient.pregnancy = Some(Pregnancy { postpartum: true, ..Pregnancy::default() });
        assert!(band_of(&case, &pressure, |_| false).is_none_or(|band| !band.calm), "after a birth");
        case.patient.pregnancy = None;
        pressure.second = Some(115.0);
        assert!(band_of(&case, &pressure, |_| false).is_none_or(|band| !band.calm), "by its second value");
        let dimer = result("D-dimer", 520.0, "ng/ml");
        assert!(band_of(&case, &dimer, |_| false).is_some_and(|band| !band.calm));
        case.patient.age_months = Some(AgeMonths { from: 68 * 12, to: 68 * 12 + 11 });
        assert!(band_of(&case, &dimer, |_| false).is_some_and(|band| band.calm && band.text(true).contains("界值")));
        case.patient.age_months = Some(AgeMonths { from: 60, to: 60 });
        assert!(band_of(&case, &result("potassium", 5.6, "mmol/l"), |_| false).is_none(), "bands are those of adults");
    }
}
