//! Results that a word or a sign says: "raised troponin", "ECG unremarkable", "HBsAg (+)", "3+ protein".

use super::analytes::NameUse;
use super::{Measured, NamedTest, gap, joined};
use crate::language::direction::{is_eaten, may_stand_between, result_at};
use crate::language::recognise::Span;
use crate::run::ResultDirection;
use crate::text::Token;

/// The most words between a test's name and the word that says what came out.
const APART: usize = 4;
/// The same for a name as short as "K" or "Hb", which may mean something else.
const APART_FROM_SHORT: usize = 1;
/// Words that may stand between them, besides those of a value.
const FILLERS: [&str; 24] = [
    "is", "was", "of", "at", "to", "level", "levels", "reading", "count", "value", "about", "around", "now", "over", "under", "came",
    "result", "results", "screen", "both", "x2", "all", "scan", "test",
];

/// A test's result where a word says it. Its words lie within `around`, between the tests before and after.
pub(super) fn read(text: &str, tokens: &[Token], test: &NamedTest, around: Span) -> Option<Measured> {
    let (first, last) = (test.span.first, test.span.last);
    if test.used == NameUse::Valued || tokens.get(last).is_some_and(is_eaten) {
        return None;
    }
    let result = |span: Span, direction: ResultDirection| {
        let direction = match direction {
            // A test without limits is positive or negative, not high.
            ResultDirection::High | ResultDirection::Low if test.analyte.high.is_empty() && test.analyte.low.is_empty() => {
                ResultDirection::Positive
            }
            direction => direction,
        };
        Measured {
            span,
            name: test.span,
            analyte: test.analyte,
            value: None,
            unit: None,
            unit_inferred: false,
            direction,
            critical: false,
            together: &[],
            said: None,
            earlier: None,
        }
    };
    if let Some(span) = above_limit(text, tokens, test.span) {
        return Some(result(span, ResultDirection::High));
    }
    if let Some((direction, span)) = signed(text, tokens, test.span) {
        return Some(result(span, direction));
    }
    if test.used == NameUse::Graded {
        return None;
    }
    let is_short = tokens.get(first..last)?.iter().map(|token| token.text.chars().count()).sum::<usize>() < 3 && !tokens.get(first)?.cjk;
    let apart = if is_short { APART_FROM_SHORT } else { APART };
    let is_filler = |token: &Token| FILLERS.contains(&token.text.as_str()) || may_stand_between(token);
    // "high levels of calcium", and "calcium is high"; not beyond the clause.
    let leads_here = |from: usize| {
        let found = result_at(tokens, from).filter(|found| found.last <= first)?;
        let between = tokens.get(found.last..first)?;
        (joined(text, tokens, from, first) && between.len() <= apart && between.iter().all(is_filler))
            .then(|| result(Span { first: from, last }, found.means))
    };
    let follows = |from: usize| {
        let found = result_at(tokens, from).filter(|found| found.last <= around.last)?;
        let between = tokens.get(last..from)?;
        (joined(text, tokens, last - 1, from) && between.iter().all(is_filler))
            .then(|| result(Span { first, last: found.last }, found.means))
    };
    // What stands behind it says more: "normal renal function" but "CT chest: normal".
    (last..=(last + apart).min(tokens.len()))
        .find_map(follows)
        .or_else(|| (first.saturating_sub(apart + 2).max(around.first)..first).rev().find_map(leads_here))
}

/// A value told as a multiple of the upper limit: "3x ULN", "ten times the upper limit of normal", "正常上限3倍".
fn above_limit(text: &str, tokens: &[Token], name: Span) -> Option<Span> {
    const LIMITS: [&str; 6] = ["uln", "the uln", "upper limit", "the upper limit", "normal", "正常上限"];
    const TIMES: [&str; 5] = ["x", "×", "times", "fold", "-fold"];
    let begin = name.last.checked_sub(1).and_then(|at| tokens.get(at))?.end;
    let rest = text.get(begin..)?.trim_start_matches([' ', ':', '=', '>', '≥', '~', '≈']);
    let rest: String = rest.chars().take(40).flat_map(char::to_lowercase).collect();
    let number = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let digits = rest.len() - number.len();
    let range = number.strip_prefix(['-', '–']).map_or(number, |behind| behind.trim_start_matches(|c: char| c.is_ascii_digit()));
    let range = range.trim_start();
    let behind = TIMES.iter().find_map(|times| range.strip_prefix(times)).filter(|_| digits > 0)?.trim_start();
    let is_limit = LIMITS.iter().any(|limit| behind.starts_with(limit));
    // The value's token at least belongs to it.
    is_limit.then_some(Span { first: name.first, last: (name.last + 1).min(tokens.len()) })
}

/// What a sign says: "+ve", "(-)", "3+".
fn signed(text: &str, tokens: &[Token], name: Span) -> Option<(ResultDirection, Span)> {
    let behind = gap(text, tokens, name.last.checked_sub(1)?).trim_start();
    let next = tokens.get(name.last).map(|token| token.text.as_str());
    let sign = |c: char| match c {
        '+' | '＋' => Some(ResultDirection::Positive),
        '-' | '−' | '–' | '－' => Some(ResultDirection::Negative),
        _ => None,
    };
    if next == Some("ve") {
        return Some((behind.chars().next_back().and_then(sign)?, Span { first: name.first, last: name.last + 1 }));
    }
    let bracketed = behind.strip_prefix(['(', '（']).filter(|rest| rest.chars().nth(1).is_some_and(|c| matches!(c, ')' | '）' | '+')));
    if let Some(direction) = bracketed.and_then(|rest| rest.chars().next()).and_then(sign) {
        return Some((direction, name));
    }
    let is_grade = |at: usize| {
        tokens.get(at).is_some_and(|token| matches!(token.text.as_str(), "1" | "2" | "3" | "4")) && gap(text, tokens, at).starts_with('+')
    };
    // "Protein 4+, BP normal": the grade belongs to what stands before it.
    if name.first.checked_sub(1).is_some_and(|before| is_grade(before) && joined(text, tokens, before, name.first)) {
        return Some((ResultDirection::Positive, Span { first: name.first - 1, last: name.last }));
    }
    if is_grade(name.last) {
        return Some((ResultDirection::Positive, Span { first: name.first, last: name.last + 1 }));
    }
    (behind.starts_with("++") || behind.starts_with("＋＋")).then_some((ResultDirection::Positive, name))
}

/// Whether only what joins a list stands between two tests: "U&E and LFT", "bili/ALT", "血红蛋白、血小板".
pub(super) fn is_list(text: &str, tokens: &[Token], from: usize, to: usize) -> bool {
    let words = tokens.get(from..to).unwrap_or_default();
    let are_joining = words.len() <= 1 && words.iter().all(|word| matches!(word.text.as_str(), "and" | "及" | "和" | "与"));
    are_joining
        && from.checked_sub(1).is_some_and(|before| {
            (before..to).all(|at| gap(text, tokens, at).chars().all(|c| c.is_whitespace() && c != '\n' || "/&+,，、".contains(c)))
        })
}
