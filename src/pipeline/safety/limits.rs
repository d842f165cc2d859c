//! Whether measured values rule out the condition of a statement: "eGFR below 45", with 70; "above 185/110 mmHg", with 178/96.

use crate::run::{Case, CaseResult, ResultDirection};

/// What was measured that statements set limits for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct MeasuredValues {
    /// The filtration rate of the kidneys, in ml/min: the lowest that is told.
    filtration: Option<f64>,
    /// The blood pressure, in mmHg: the highest that is told.
    pressure: Option<(f64, f64)>,
}

impl MeasuredValues {
    pub(super) fn of(case: &Case) -> Self {
        let of = |test: &'static str| case.results.iter().filter(move |result| result.test == test);
        let pair = |result: &CaseResult| result.value.zip(result.second);
        // A rate that was measured before the creatinine rose rules nothing out.
        let is_raised = of("creatinine").any(|result| result.direction == ResultDirection::High);
        Self {
            filtration: of("eGFR").filter(|_| !is_raised).filter_map(|result| result.value).reduce(f64::min),
            pressure: of("blood pressure").filter_map(pair).reduce(|one, other| (one.0.max(other.0), one.1.max(other.1))),
        }
    }

    /// Whether what was measured rules out a condition in the words of the graph. One that names something else besides is left open.
    pub(super) fn rules_out(&self, when: &str) -> bool {
        let when = when.to_lowercase();
        let is_open = || when.replace("or above", "").contains(" or ");
        if is_open() {
            return false;
        }
        // A clearance by weight may be far below the rate: only limits of the rate itself count.
        let is_below = when.contains("egfr") && (when.contains("below") || when.contains(" to "));
        let limit = numbers(&when).filter(|_| is_below).reduce(f64::max);
        let pair = pressure_in(&when).filter(|_| when.contains("above"));
        let is_filtered = self.filtration.zip(limit).is_some_and(|(rate, limit)| rate >= limit);
        let is_lower = self.pressure.zip(pair).is_some_and(|(found, limit)| found.0 < limit.0 && found.1 < limit.1);
        is_filtered || is_lower
    }
}

/// The whole numbers of a text.
fn numbers(text: &str) -> impl Iterator<Item = f64> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.').filter_map(|number| number.trim_matches('.').parse().ok())
}

/// A blood pressure in a text, as "185/110".
fn pressure_in(text: &str) -> Option<(f64, f64)> {
    let digits = |part: &str| part.chars().all(|c| c.is_ascii_digit()) && part.len() > 1;
    text.split_whitespace().find_map(|word| {
        let (upper, lower) = word.split_once('/')?;
        (digits(upper) && digits(lower)).then_some(())?;
        Some((upper.parse().ok()?, lower.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_beyond_the_limit_rules_a_condition_out() {
        let rate = |rate| MeasuredValues { filtration: Some(rate), ..MeasuredValues::default() };
        let pressure = |upper, lower| MeasuredValues { pressure: Some((upper, lower)), ..MeasuredValues::default() };
        for (measured, when, expected) in [
            (rate(70.0), "eGFR below 45; a short course from 30 only for resistant germs", true),
            (rate(44.0), "eGFR below 45; a short course from 30 only for resistant germs", false),
            (rate(40.0), "severe renal impairment (eGFR below 30)", true),
            (rate(40.0), "eGFR 30 to 45: reduce; below 30: stop", false),
            (rate(70.0), "eGFR below 30, acute kidney injury or arterial contrast", false),
            (rate(70.0), "severe liver disease", false),
            (rate(34.0), "creatinine clearance below 30 mL/min", false),
            (rate(12.0), "under 2 months", false),
            (pressure(178.0, 96.0), "above 185/110 mmHg despite treatment", true),
            (pressure(192.0, 96.0), "above 185/110 mmHg despite treatment", false),
            (pressure(120.0, 80.0), "160/100 mmHg or above, or vascular disease; otherwise relative", false),
            (MeasuredValues::default(), "eGFR below 45", false),
        ] {
            assert_eq!(measured.rules_out(when), expected, "{measured:?}: {when}");
        }
    }
}
