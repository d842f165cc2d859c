//! Values of one test in a row, of which the last is the present one: "creat 96 (Jan) -> 178 -> 288", "96 in January, 178 in March, 288 today",
//! "K 5.7 (5.1)"; and how far the present one has risen.

use super::analytes::Analyte;
use super::value::Stated;
use super::{Measured, gap};
use crate::text::{Token, word};

/// The most words in brackets that say when a value was so.
const DATED: usize = 4;
/// How far from a value the one of now may stand, in words.
const TO_NOW: usize = 16;
/// Words of a date or a time, besides numbers.
const OF_TIME: &str = "jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october nov november dec \
    december mon monday tue tues tuesday wed wednesday thu thurs thursday fri friday sat saturday sun sunday day days d week weeks wk wks month months mth \
    mths year years yr yrs h hr hrs hour hours ago last previous previously prior before baseline old yesterday morning evening am pm in on at the \
    admission booking usual since early late mid spring summer autumn winter 年 月 日 号 天 周 前 去 上 昨 基 线";
/// What joins values of a row, and what says that one is the present.
const JOINS: &str = "and then to was is were of value result";
const NOW: [&str; 5] = ["now", "today", "currently", "presently", "tonight"];
const NOW_CHINESE: [&str; 5] = ["现在", "目前", "今天", "今日", "今晨"];
/// Words of years: what has risen over them is no acute change.
const YEARS: [&str; 6] = ["year", "years", "yr", "yrs", "年", "decade"];

/// What a value was before: of several, the highest and the lowest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Before {
    pub(super) highest: f64,
    pub(super) lowest: f64,
    /// Whether years lie between.
    pub(super) is_long_ago: bool,
}

impl Before {
    pub(super) fn of(value: f64) -> Self {
        Self { highest: value, lowest: value, is_long_ago: false }
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self {
            highest: self.highest.max(other.highest),
            lowest: self.lowest.min(other.lowest),
            is_long_ago: self.is_long_ago || other.is_long_ago,
        }
    }

    /// The same in another power of ten.
    pub(super) fn times(self, factor: f64) -> Self {
        Self { highest: self.highest * factor, lowest: self.lowest * factor, ..self }
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

pub(super) fn is_year(word: &str) -> bool {
    word.len() == 4 && (word.starts_with("19") || word.starts_with("20")) && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_of_time(word: &str) -> bool {
    !word.is_empty() && OF_TIME.split_whitespace().any(|known| known == word)
}

/// One past the words in the bracket that opens right before token `first`, if it holds nothing but a time: "(Jan)", "(2 weeks ago)", "(12/3)".
pub(super) fn past_dated_bracket(text: &str, tokens: &[Token], first: usize) -> Option<usize> {
    let before = first.checked_sub(1)?;
    if !gap(text, tokens, before).trim_end().ends_with(['(', '（']) {
        return None;
    }
    let last = (first..first + DATED).find(|at| gap(text, tokens, *at).contains([')', '）']))?;
    let words = || (first..=last).map(|at| word(tokens, at));
    // "(78)" may be another value.
    let tells_time = words().any(|word| is_of_time(word) || is_year(word)) || (first..last).any(|at| gap(text, tokens, at) == "/");
    (tells_time && words().all(|word| is_of_time(word) || is_number(word))).then_some(last + 1)
}

/// Whether ">" between two numbers stands for a change: "96>178>288". Behind a word it says how high something is.
pub(super) fn is_step(text: &str, tokens: &[Token], next: usize) -> bool {
    let Some(before) = next.checked_sub(1) else { return false };
    gap(text, tokens, before).trim() == ">" && is_number(word(tokens, before)) && is_number(word(tokens, next))
}

/// Whether the words right behind a value, from token `at`, say that it is the present one: "288 today", "288 (now)", 288现在.
pub(super) fn is_present(text: &str, tokens: &[Token], at: usize) -> bool {
    let joint = at.checked_sub(1).map_or("", |before| gap(text, tokens, before));
    let two = [word(tokens, at), word(tokens, at + 1)].concat();
    let is_now = NOW.contains(&word(tokens, at)) || NOW_CHINESE.contains(&two.as_str());
    let is_this = word(tokens, at) == "this" && matches!(word(tokens, at + 1), "morning" | "week" | "afternoon" | "evening");
    (is_now || is_this) && joint.chars().all(|c| c.is_whitespace() || matches!(c, '(' | '（'))
}

/// The value that is called the present one behind that at token `at`, in the same sentence, where nothing but values and times stands between: "96 in
/// January, 178 in March and 288 today".
pub(super) fn called_present(text: &str, tokens: &[Token], at: usize, (end, analyte): (usize, &Analyte)) -> Option<(usize, Stated)> {
    // What is the present value itself has no later one.
    if analyte.is_for_all() || is_present(text, tokens, at + 1) {
        return None;
    }
    let joins = |word: &str| JOINS.split_whitespace().any(|known| known == word);
    let mut told = false;
    for next in at + 1..end.min(at + 1 + TO_NOW) {
        let joint = gap(text, tokens, next - 1);
        if joint.contains(['.', ';', '。', '；', '\n', ':', '：', '?', '？']) {
            return None;
        }
        let said = word(tokens, next);
        if is_number(said) && is_present(text, tokens, next + 1) && told {
            let stated = Stated::at(text, tokens, next)?;
            return stated.second.is_none().then_some((next, stated));
        }
        let is_unit = next == at + 1 && said.len() <= 5 && !joint.contains([',', '，']);
        told |= is_of_time(said) || is_year(said);
        if !is_unit && !is_number(said) && !is_of_time(said) && !joins(said) && !matches!(joint, "/" | "^") {
            return None;
        }
    }
    None
}

/// The value in brackets right behind a present one: "K 5.7 (5.1)", "creat 178 (96 in March)". Limits ("(60-110)", "(<110)") are none.
pub(super) fn former_in_brackets(text: &str, tokens: &[Token], result: &Measured) -> Option<Before> {
    let value = result.span.last.checked_sub(1)?;
    // A unit may stand between.
    let is_unit =
        |at: &usize| !is_number(word(tokens, *at)) && word(tokens, *at).len() <= 5 && !gap(text, tokens, *at).contains([',', '.', ';']);
    let opens = |at: &usize| gap(text, tokens, *at).trim_end().ends_with(['(', '（']);
    let mut last = value;
    while !opens(&last) {
        last = Some(last + 1).filter(|next| *next <= value + 2 && is_unit(next))?;
    }
    let first = last + 1;
    if !gap(text, tokens, last).trim().chars().all(|c| matches!(c, '(' | '（' | '/' | '%' | '％')) {
        return None;
    }
    let close = (first..first + DATED + 1).find(|at| gap(text, tokens, *at).contains([')', '）']))?;
    let is_dated = (first + 1..=close).all(|at| is_of_time(word(tokens, at)) || is_year(word(tokens, at)));
    // "62-120", "96/60" and "178 (12 Jan)" are no former values.
    let is_apart = first == close || gap(text, tokens, first).trim().is_empty();
    let begins_date = (first + 1..=close).any(|at| is_of_time(word(tokens, at)) && word(tokens, at).len() == 3);
    let is_day = word(tokens, first).parse::<u8>().is_ok_and(|day| (1..=31).contains(&day));
    let is_whole_day = begins_date && is_day && first + 1 == close;
    if !is_number(word(tokens, first)) || is_year(word(tokens, first)) || !is_dated || !is_apart || is_whole_day {
        return None;
    }
    let former = Stated::at(text, tokens, first)?.value;
    result.analyte.ranges.iter().any(|range| range.is_possible(former)).then(|| Before::of(former))
}

/// Whether years lie between the values of a test: "creat 90 in 2015, now 140", "over 3 years". Words of the clauses from its name on.
pub(super) fn is_over_years(text: &str, tokens: &[Token], result: &Measured, end: usize) -> bool {
    let first = result.name.first;
    let ends = |at: &usize| {
        *at > result.span.last && at.checked_sub(1).is_some_and(|before| gap(text, tokens, before).contains(['.', ';', '。', '；', '\n']))
    };
    let last = (first..end).find(ends).unwrap_or(end);
    let is_age = |at: usize| matches!(word(tokens, at + 1), "old" | "of") || word(tokens, at).starts_with('岁');
    (first..last).any(|at| {
        YEARS.contains(&word(tokens, at)) && !is_age(at)
            || is_year(word(tokens, at)) && at > result.name.last && !is_value(result, tokens, at)
    })
}

/// Whether a number that looks like a year is the value itself.
fn is_value(result: &Measured, tokens: &[Token], at: usize) -> bool {
    result.value.is_some_and(|value| word(tokens, at).parse::<f64>().is_ok_and(|number| (number - value).abs() < 0.5))
}

#[cfg(test)]
mod tests {
    use crate::language::lab::results;
    use crate::run::ResultDirection;
    use crate::text::tokenise;

    fn first(text: &str) -> (Option<f64>, ResultDirection, bool) {
        let mut all = results(text, &tokenise(text));
        let result = all.first_mut().expect("a result");
        result.allow_for(|_| false, |word| text.to_lowercase().contains(word));
        let is_acute = result.findings().any(|name| name == "acute kidney injury");
        (result.value, result.direction, is_acute)
    }

    #[test]
    fn of_a_row_of_values_the_last_is_the_present() {
        for (text, value) in [
            ("Creat 96 (Jan) -> 178 -> 288 over 4 wks", 288.0),
            ("creat 96>178>288", 288.0),
            ("creat 96 (2 weeks ago) → 178", 178.0),
            ("creatinine 96 in January, 178 in March and 288 today", 288.0),
            ("Hb 130 last year, 92 now", 92.0),
            ("K 5.7 (5.1)", 5.7),
            ("Hb 118, was 140", 118.0),
            ("HbA1c 62, was 39 a year ago", 62.0),
            ("肌酐78→214", 214.0),
            ("creat 288 today, 178 in March", 288.0),
            ("creat 178 (60-110)", 178.0),
            ("creat 96 (day 1) -> 178 (day 3)", 178.0),
            ("creat 90 in 2015, now 150", 150.0),
        ] {
            assert_eq!(first(text).0, Some(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_row_keeps_its_value() {
        for (text, value) in [
            ("creat 96, 3 falls today", 96.0),
            ("creat 96 (78 kg), 288 ml urine today", 96.0),
            ("temp 39.5 yesterday, 37 today", 39.5),
            ("creat 96 in January. 3 tablets now", 96.0),
        ] {
            assert_eq!(first(text).0, Some(value), "{text}");
        }
    }

    #[test]
    fn a_creatinine_that_has_risen_by_half_is_acute() {
        for text in [
            "creat 55 -> 92 over 3 days",
            "Creat 96 (Jan) -> 178 -> 288 over 4 wks",
            "creatinine 190 (baseline 96)",
            "creat 178 (96)",
            "肌酐78→214",
            "creatinine 1.8, was 0.9",
        ] {
            let (_, direction, is_acute) = first(text);
            assert!(direction == ResultDirection::High && is_acute, "{text}");
        }
        for text in [
            "creat 90 -> 108 after ramipril",
            "creat 288 -> 178 -> 96",
            "creat 90 in 2015, now 150",
            "creat 100 -> 160 over 5 years",
            "creat 178 (60-110)",
            "creat 178 (<110)",
            "creat 178 (12 Jan)",
            "creat 178",
        ] {
            assert!(!first(text).2, "{text}");
        }
    }

    #[test]
    fn a_faecal_test_needs_no_unit_behind_its_sign() {
        for (text, direction) in [
            ("change in bowel habit, FIT <4", ResultDirection::Normal),
            ("fit <10, weight loss", ResultDirection::Normal),
            ("FIT 120, weight loss", ResultDirection::High),
            ("FIT 7", ResultDirection::Normal),
        ] {
            assert_eq!(first(text).1, direction, "{text}");
        }
        for text in ["fit 3 times today", "had a fit 45 minutes ago", "FIT 62M", "FIT 12/3/24", "fit 40, smoker"] {
            assert!(results(text, &tokenise(text)).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_clear_fall_of_haemoglobin_is_a_low_one() {
        for text in ["Hb 118, was 140", "Hb 148 -> 119"] {
            assert_eq!(first(text).1, ResultDirection::Low, "{text}");
        }
        for text in ["Hb 128, was 135", "Hb 170 -> 140 after venesection", "pregnant, Hb 118, was 140", "Hb 121"] {
            assert_ne!(first(text).1, ResultDirection::Low, "{text}");
        }
    }
}
