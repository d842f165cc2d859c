//! Blood pressures that are averages of home or ambulatory readings: their limits are lower than those of one reading in the clinic (NICE NG136,
//! Hypertension in adults, 2023: from 135/85 mmHg on).

use std::sync::LazyLock;

use super::Measured;
use crate::run::ResultDirection;
use crate::text::Token;

/// From these pressures on, in mmHg, an average of home or daytime readings is high.
const SYSTOLIC: f64 = 135.0;
const DIASTOLIC: f64 = 85.0;
/// How far before the pressure it may be told where it was measured, in words.
const BEFORE: usize = 4;
/// Words that tell where.
const HOME: [&str; 6] = ["home", "hbpm", "abpm", "ambulatory", "动", "家"];
/// Words that tell of an average; what the machine gives is one.
const AVERAGE: [&str; 9] = ["average", "averages", "averaging", "averaged", "avg", "mean", "hbpm", "abpm", "均"];

/// What a pressure is called that is high in the clinic and normal at home, and the pressures from which on it is too high to be called so.
pub(super) const WHITE_COAT: &str = "High clinic but normal home blood pressure";
const SEVERE: f64 = 180.0;
const SEVERE_DIASTOLIC: f64 = 110.0;
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| vec![WHITE_COAT.to_owned()]);

/// Calls a pressure high that is within the limits of the clinic, and above those of an average of readings at home.
pub(super) fn allow_for(tokens: &[Token], results: &mut [Measured]) {
    let says = |words: &[&str], from: usize, to: usize| {
        let near = tokens.get(from.saturating_sub(BEFORE)..to.min(tokens.len())).unwrap_or_default();
        near.iter().any(|token| words.contains(&token.text.as_str()))
    };
    for result in results.iter_mut().filter(|result| result.is_of("blood pressure") && result.direction == ResultDirection::Normal) {
        let span = result.span;
        let is_high = result.value.is_some_and(|value| value >= SYSTOLIC) || result.second.is_some_and(|diastolic| diastolic >= DIASTOLIC);
        if is_high && says(&HOME, span.first, span.last) && says(&AVERAGE, span.first, span.last) {
            result.direction = ResultDirection::High;
        }
    }
    let is_at_home =
        |result: &Measured| says(&HOME, result.span.first, result.span.last) && says(&AVERAGE, result.span.first, result.span.last);
    let is_pressure = |result: &Measured, direction| result.is_of("blood pressure") && result.direction == direction;
    if results.iter().any(|result| is_pressure(result, ResultDirection::Normal) && is_at_home(result)) {
        let is_moderate = |result: &Measured| {
            result.value.is_some_and(|value| value < SEVERE) && result.second.is_none_or(|diastolic| diastolic < SEVERE_DIASTOLIC)
        };
        for result in results.iter_mut().filter(|result| is_pressure(result, ResultDirection::High) && is_moderate(result)) {
            result.together = &NAMES;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::language::lab::results;
    use crate::run::ResultDirection::{High, Normal};
    use crate::text::tokenise;

    #[test]
    fn an_average_of_home_readings_is_high_from_lower_limits_on() {
        let read = |text: &str| results(text, &tokenise(text)).iter().map(|result| result.direction).collect::<Vec<_>>();
        for text in ["HBPM average 152/94", "home BP average 138/88", "ABPM daytime 150/95", "home BP averaging 148/92"] {
            assert_eq!(read(text), [High], "{text}");
        }
        for text in ["HBPM average 128/78", "clinic BP 138/86", "home BP 136/80 today"] {
            assert_eq!(read(text), [Normal], "{text}");
        }
    }
}
