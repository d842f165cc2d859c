//! Values of an unknown measurement: "XYZ 1.1 L". Somebody gives a value with its unit for a reason, so Catena lists the word before it as not
//! understood.

use super::layout::gap;
use super::named::{Class, Named};
use super::unknown::is_unfamiliar;
use crate::language::recognise::Span;
use crate::run::{LikelyKind, NotUnderstood};
use crate::text::Token;

/// Units in which results are given, and no dose, time, length or age. Of "l" alone only the capital letter is one.
const UNITS: [&str; 30] = [
    "mmol", "umol", "µmol", "μmol", "nmol", "pmol", "mosm", "mosmol", "meq", "mmhg", "cmh2o", "kpa", "bpm", "u/l", "iu/l", "iu/ml", "u/ml",
    "miu/l", "mu/l", "g/l", "mg/l", "ug/l", "µg/l", "μg/l", "ng/l", "ng/ml", "pg/ml", "g/dl", "mg/dl", "ml/kg",
];
/// Likewise; only right behind the number, or with something behind.
const RATES: [&str; 5] = ["ml/min", "l/min", "/mm3", "x10", "/ul"];
/// What may stand between a name and its value.
const LINKS: [&str; 9] = ["is", "was", "of", "at", "only", "now", "to", "falling", "rising"];
/// The most of them.
const MOST_LINKS: usize = 2;

/// Whether a number with the unit of a result begins at a token, and one past its number.
fn value_at(text: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let token = tokens.get(at).filter(|token| token.text.starts_with(|c: char| c.is_ascii_digit()))?;
    let digits = token.text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let start = token.end - digits.len().min(token.end);
    let rest = text.get(start..)?.trim_start();
    let lower: String = rest.chars().take(12).flat_map(char::to_lowercase).collect();
    let is_whole = |unit: &str| lower.strip_prefix(unit).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphabetic()));
    let is_litres = rest.strip_prefix('L').is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '-')));
    let is_unit =
        lower.starts_with(['%', '％']) || is_litres || UNITS.iter().any(|unit| is_whole(unit)) || RATES.iter().any(|unit| is_whole(unit));
    is_unit.then_some(at + 1)
}

/// One past the value that stands right behind a name, or behind a word that links the two.
fn value_behind(text: &str, tokens: &[Token], last: usize) -> Option<usize> {
    let is_link = |at: &usize| tokens.get(*at).is_some_and(|token| !token.after_break && LINKS.contains(&token.text.as_str()));
    let links = (last..last + MOST_LINKS).take_while(is_link).count();
    let at = last + links;
    // A sign may stand before it: "NIF -18 cmH2O".
    let is_apart = tokens.get(at).is_none_or(|token| token.after_break)
        && at.checked_sub(1).is_none_or(|before| gap(text, tokens, before).trim() != "-");
    if is_apart { None } else { value_at(text, tokens, at) }
}

/// Whether words that were not understood are the name of something that was measured: written as an abbreviation, or known to nobody.
pub(super) fn is_measured(text: &str, tokens: &[Token], span: Span) -> bool {
    let Some(token) = span.last.checked_sub(1).and_then(|at| tokens.get(at)) else { return false };
    let written = text.get(token.start..token.end).unwrap_or_default();
    let is_abbreviation = written.len() > 1 && written.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    (is_abbreviation || is_unfamiliar(token)) && value_behind(text, tokens, span.last).is_some()
}

/// The values of tests that are known by name but not by their limits, so that nothing is said of them. `is_read`: whether a token was read as a result.
pub(super) fn unread_values(text: &str, tokens: &[Token], named: &[Named], is_read: impl Fn(usize) -> bool) -> Vec<NotUnderstood> {
    let tests = named.iter().filter(|named| named.class == Class::Test);
    let unread = tests.filter_map(|test| {
        let last = value_behind(text, tokens, test.span.last).filter(|last| !(test.span.first..*last).any(&is_read))?;
        let (start, end) = (tokens.get(test.span.first)?.start, tokens.get(last.checked_sub(1)?)?.end);
        let term = NotUnderstood {
            text: text.get(start..end)?.to_owned(),
            start,
            end,
            likely: Some(LikelyKind::Test),
            ..NotUnderstood::default()
        };
        Some(term)
    });
    unread.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn a_value_with_the_unit_of_a_result_makes_a_test_of_the_word_before_it() {
        let measured = |text: &str, word: &str| {
            let tokens = tokenise(text);
            let first = tokens.iter().position(|token| token.text == word).expect("is there");
            is_measured(text, &tokens, Span { first, last: first + 1 })
        };
        for (text, word) in [
            ("62M, XYZ 1.1 L, tired", "xyz"),
            ("GBS, NIF -18 cmH2O", "nif"),
            ("zorbin 14 mmol/L", "zorbin"),
            ("QLT was 12%", "qlt"),
            ("ABX 18 ml/kg", "abx"),
        ] {
            assert!(measured(text, word), "{text}");
        }
        for (text, word) in [
            ("zorbin 14 mg", "zorbin"),
            ("zorbin 2 ml", "zorbin"),
            ("zorbin 3 weeks", "zorbin"),
            ("zorbin 2 tablets", "zorbin"),
            ("XYZ 12 May", "xyz"),
            ("XYZ 2 km", "xyz"),
            ("tea 2 L a day", "tea"),
            ("zorbin, 14 mmol/L", "zorbin"),
        ] {
            assert!(!measured(text, word), "{text}");
        }
    }
}
