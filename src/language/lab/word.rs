//! Results that a word or a sign says: "raised troponin", "ECG unremarkable", "HBsAg (+)", "3+ protein".

use super::analytes::{Analyte, NameUse, linking};
use super::value::is_grade;
use super::{Measured, NamedTest, gap, joined};
use crate::language::direction::{is_eaten, may_stand_between, result_at};
use crate::language::recognise::Span;
use crate::run::ResultDirection;
use crate::text::Token;

/// The most words between a test's name and the word that says what came out.
const APART: usize = 4;
/// The same for a name as short as "K" or "Hb", which may mean something else.
const APART_FROM_SHORT: usize = 1;
/// The same in Chinese, in characters: 检查结果都正常.
const APART_CHINESE: usize = 6;
/// Behind a word that calls something normal, these say that only its size is: "liver normal size".
const SIZES: [&str; 5] = ["size", "sized", "shape", "大", "形"];

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
            // Of what is only ever too low, none is the lowest: "haptoglobin undetectable".
            ResultDirection::Negative if is_only_low(test.analyte) => ResultDirection::Low,
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
            second: None,
            earlier: None,
            replaces: None,
            is_led: false,
        }
    };
    if let Some(span) = above_limit(text, tokens, test.span) {
        return Some(result(span, ResultDirection::High));
    }
    if let Some((direction, span)) = signed(text, tokens, test.span) {
        return Some(result(span, direction));
    }
    if is_plus(text, tokens, test) {
        return Some(result(test.span, ResultDirection::Positive));
    }
    if test.used == NameUse::Graded {
        return None;
    }
    let is_short = tokens.get(first..last)?.iter().map(|token| token.text.chars().count()).sum::<usize>() < 3 && !tokens.get(first)?.cjk;
    let is_chinese = tokens.get(last.checked_sub(1)?).is_some_and(|token| token.cjk);
    let apart = match () {
        () if is_short => APART_FROM_SHORT,
        () if is_chinese => APART_CHINESE,
        () => APART,
    };
    let is_filler =
        |token: &Token| linking().both.contains(&token.text) || linking().word.contains(&token.text) || may_stand_between(token);
    // An organ or a condition is no test that could be high: only that nothing is wrong with it is a result.
    let may_say = |direction: ResultDirection, from: usize, end: usize| {
        let is_well = matches!(direction, ResultDirection::Normal | ResultDirection::Negative);
        let is_size = tokens.get(end).is_some_and(|next| !next.after_break && SIZES.contains(&next.text.as_str()));
        let says = tokens.get(from).map_or("", |token| token.text.as_str());
        let is_said = match test.used {
            NameUse::Told => !matches!(says, "stable" | "satisfactory"),
            // "Coeliac, stable" is there.
            NameUse::Condition => {
                matches!(says, "normal" | "negative" | "neg" | "clear" | "nad" | "all" | "阴") || of_all(tokens, last, from)
            }
            _ => return true,
        };
        is_well && is_said && !is_size
    };
    // "high levels of calcium", and "calcium is high"; not beyond the clause.
    let leads_here = |from: usize| {
        let found = result_at(tokens, from).filter(|found| found.last <= first)?;
        let between = tokens.get(found.last..first)?;
        (joined(text, tokens, from, first) && between.len() <= apart && between.iter().all(is_filler) && may_say(found.means, from, last))
            .then(|| result(Span { first: from, last }, found.means))
    };
    let follows = |from: usize| {
        let (means, end) = match result_at(tokens, from).filter(|found| found.last <= around.last) {
            Some(found) => (found.means, found.last),
            None => (is_letter_of_normal(text, tokens, from, around.last).then_some(ResultDirection::Normal)?, from + 1),
        };
        // "Bloods: low ferritin": what is said stands before its own test.
        let is_of_next = end == around.last && !ends_clause(tokens, end) && gap(text, tokens, last - 1).contains([':', '：']);
        let between = tokens.get(last..from).filter(|_| !is_of_next)?;
        (joined(text, tokens, last - 1, from) && between.iter().all(is_filler) && may_say(means, from, end))
            .then(|| result(Span { first, last: end }, means))
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
    if matches!(next, Some("ve" | "ive")) {
        return Some((behind.chars().next_back().and_then(sign)?, Span { first: name.first, last: name.last + 1 }));
    }
    let bracketed = behind.strip_prefix(['(', '（']).filter(|rest| rest.chars().nth(1).is_some_and(|c| matches!(c, ')' | '）' | '+')));
    if let Some(direction) = bracketed.and_then(|rest| rest.chars().next()).and_then(sign) {
        return Some((direction, name));
    }
    let is_grade = |at: usize| is_grade(text, tokens, at);
    // "Protein 4+, BP normal": the grade belongs to what stands before it.
    if name.first.checked_sub(1).is_some_and(|before| is_grade(before) && joined(text, tokens, before, name.first)) {
        return Some((ResultDirection::Positive, Span { first: name.first - 1, last: name.last }));
    }
    if is_grade(name.last) {
        return Some((ResultDirection::Positive, Span { first: name.first, last: name.last + 1 }));
    }
    (behind.starts_with("++") || behind.starts_with("＋＋")).then_some((ResultDirection::Positive, name))
}

/// Whether a test has values of which only low ones mean something.
fn is_only_low(analyte: &Analyte) -> bool {
    !analyte.ranges.is_empty() && analyte.high.is_empty() && analyte.positive.is_empty() && !analyte.low.is_empty()
}

/// Whether a single plus behind a test calls it positive: "TRAb +, T4 48", "HPV+ / NILM". Before another word it joins ("CRP + ESR"), unless it is written to
/// the name of a test that has no values: "HLA-B27+ back pain". "K+" is an ion, and "+/-" a doubt.
fn is_plus(text: &str, tokens: &[Token], test: &NamedTest) -> bool {
    if matches!(test.used, NameUse::Told | NameUse::Condition) {
        return false;
    }
    let Some(behind) = test.span.last.checked_sub(1).map(|last| gap(text, tokens, last)) else { return false };
    let Some(rest) = behind.trim_start_matches(' ').strip_prefix(['+', '＋']) else { return false };
    let is_doubt = rest.starts_with(['/', '-', '−', '–']) && rest.get(1..).is_some_and(|rest| rest.starts_with(['-', '−', '–']));
    let rest = rest.trim_start_matches(' ');
    let is_last = rest.is_empty() && tokens.get(test.span.last).is_none();
    let ends = is_last || rest.starts_with([',', ';', '.', '/', ')', '?', '!', '\n', '，', '；', '。', '、', '）', '？']);
    let is_written =
        behind.starts_with(['+', '＋']) && behind.ends_with(' ') && test.analyte.ranges.is_empty() && test.used != NameUse::Graded;
    !test.analyte.positive.is_empty() && !is_doubt && (ends || is_written)
}

/// Whether the capital "N" of notes stands here, which ends what is said of a test: "gluc N", "WCC N, CRP 4".
fn is_letter_of_normal(text: &str, tokens: &[Token], at: usize, end: usize) -> bool {
    let Some(token) = tokens.get(at).filter(|_| at < end) else { return false };
    let is_capital = text.get(token.start..token.end) == Some("N");
    let next = tokens.get(at + 1);
    let ends = at + 1 == end || next.is_none_or(|next| next.after_break || matches!(next.text.as_str(), "and" | "but"));
    let behind = text.get(token.end..).unwrap_or_default();
    is_capital && ends && !behind.starts_with(|c: char| c.is_alphanumeric() || "=-/'’".contains(c))
}

/// The most words between two tests of a list.
const IN_LIST: usize = 3;
/// Words that stand with a test within a list, besides what joins it: "TSH, 9am cortisol", "BNP blood and wee test".
const OF_TEST: [&str; 23] = [
    "and", "及", "和", "与", "serum", "plasma", "random", "fasting", "morning", "repeat", "blood", "bloods", "test", "tests", "scan",
    "level", "levels", "function", "profile", "screen", "my", "her", "his",
];

/// Whether only what joins a list stands between two tests: "U&E and LFT", "bili/ALT", "血红蛋白、血小板".
pub(super) fn is_list(text: &str, tokens: &[Token], from: usize, to: usize) -> bool {
    let words = tokens.get(from..to).unwrap_or_default();
    let is_time = |word: &str| {
        let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
        unit.len() < word.len() && matches!(unit, "am" | "pm" | "h" | "hr")
    };
    let are_joining = words.len() <= IN_LIST && words.iter().all(|word| OF_TEST.contains(&word.text.as_str()) || is_time(&word.text));
    are_joining
        && from.checked_sub(1).is_some_and(|before| {
            (before..to).all(|at| gap(text, tokens, at).chars().all(|c| c.is_whitespace() && c != '\n' || "/&+,，、".contains(c)))
        })
}

/// What may stand before an item of a list of tests. Behind any other word, an organ is part of another name: "fatty liver, sugar fine".
const OPENERS: [&str; 44] = [
    "and",
    "my",
    "his",
    "her",
    "their",
    "our",
    "the",
    "your",
    "all",
    "both",
    "had",
    "have",
    "did",
    "done",
    "checked",
    "check",
    "tested",
    "says",
    "say",
    "said",
    "shows",
    "show",
    "showed",
    "including",
    "incl",
    "but",
    "bloods",
    "blood",
    "tests",
    "test",
    "results",
    "result",
    "also",
    "is",
    "are",
    "was",
    "were",
    "normal",
    "fine",
    "ok",
    "clear",
    "negative",
    "neg",
    "查",
];

/// Whether an item of a list begins at a token. `past`: where the name of a test ends before it.
pub(super) fn begins_item(text: &str, tokens: &[Token], first: usize, past: usize) -> bool {
    let Some(before) = first.checked_sub(1) else { return true };
    let is_apart =
        tokens.get(first).is_some_and(|token| token.after_break) || gap(text, tokens, before).contains(['+', '&', '/', '(', ':']);
    let opens = tokens.get(before).is_some_and(|token| OPENERS.contains(&token.text.as_str()));
    is_apart || opens || past == first
}

/// Behind these words a test's name is a drug that is taken: "on folate, B12 normal".
const TAKEN: [&str; 12] = ["on", "taking", "takes", "take", "took", "started", "prescribed", "stopped", "off", "吃", "服", "补"];

/// Whether the list that begins at a token is one of drugs.
pub(super) fn is_taken(tokens: &[Token], begin: usize) -> bool {
    begin.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|token| TAKEN.contains(&token.text.as_str()))
}

/// Whether a test of a list shares what is said of the next one. An organ that only names the next test ("liver USS normal") does not; nor does
/// a condition that a comma parts, unless the word speaks of all.
pub(super) fn shares(text: &str, tokens: &[Token], (test, next): (&NamedTest, &NamedTest), said: &Measured, speaks_of_all: bool) -> bool {
    if !is_list(text, tokens, test.span.last, next.span.first) {
        return false;
    }
    let joint: String = (test.span.last.saturating_sub(1)..next.span.first).map(|at| gap(text, tokens, at)).collect();
    let is_bare = joint.trim().is_empty() && test.span.last == next.span.first;
    let is_image = next.used == NameUse::Free && next.analyte.ranges.is_empty();
    match test.used {
        NameUse::Free => true,
        NameUse::Told => said.is_well() && !(is_bare && is_image),
        // "Coeliac, bloods normal" may tell of somebody who has it.
        NameUse::Condition => {
            said.is_well() && !(is_bare && is_image) && (!joint.contains([',', '，', '、']) || speaks_of_all && test.span.first > 0)
        }
        NameUse::Written => said.is_well(),
        NameUse::Valued | NameUse::Graded => false,
    }
}

/// Whether these tokens speak of all of a list: "all normal", "都正常".
pub(super) fn of_all(tokens: &[Token], from: usize, to: usize) -> bool {
    let words = tokens.get(from..to).unwrap_or_default();
    words.iter().any(|token| matches!(token.text.as_str(), "all" | "both" | "each" | "都" | "均" | "全" | "皆" | "切"))
}

/// Whether nothing more is said of a test, so that what stands before the list holds of it, too: "normal FBC, U&E and ECG."
pub(super) fn ends_clause(tokens: &[Token], last: usize) -> bool {
    tokens.get(last).is_none_or(|next| next.after_break)
}
