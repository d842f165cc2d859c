//! Laboratory values in a question: "K+ 6.1" is hyperkalaemia, "BP 180/110" hypertension, and so is "my blood pressure is too high".
//!
//! A value is an analyte's name, a number and, where stated, a unit; `assets/analytes.toml` holds the names of high and low
//! values. A value within its limits, or of unclear unit, yields no finding.

use std::sync::LazyLock;

use serde::Deserialize;

use super::direction::{Direction, direction_at, is_eaten, may_stand_between};
use super::recognise::Span;
use crate::text::{Token, tokenise};

/// The most words between an analyte's name and its value.
const BETWEEN: usize = 3;
/// Words that may stand between them.
const FILLERS: [&str; 16] =
    ["is", "was", "of", "at", "to", "level", "levels", "reading", "count", "value", "about", "around", "now", "over", "under", "came"];
/// The most words between an analyte's name and the word that says it is high or low.
const APART: usize = 4;
/// The same for a name as short as "K" or "Hb", which may mean something else.
const APART_FROM_SHORT: usize = 1;
/// A value may differ from its limits by this factor; beyond it, the unit must be another.
const PLAUSIBLE: (f64, f64) = (5.0, 6.0);

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    analyte: Vec<Analyte>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Analyte {
    names: Vec<String>,
    ranges: Vec<Range>,
    high: Vec<String>,
    low: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    unit: String,
    low: f64,
    high: f64,
    /// The possible values; `None`: limits times [`PLAUSIBLE`].
    #[serde(default)]
    within: Option<(f64, f64)>,
}

impl Range {
    fn is_possible(&self, value: f64) -> bool {
        let (from, to) = self.within.unwrap_or((self.low / PLAUSIBLE.0, self.high * PLAUSIBLE.1));
        value > from && value < to
    }
}

static ANALYTES: LazyLock<Vec<(Vec<String>, usize)>> = LazyLock::new(|| {
    let folded = |name: &String| tokenise(name).into_iter().map(|token| token.text).collect();
    let mut names: Vec<(Vec<String>, usize)> = FILE
        .analyte
        .iter()
        .enumerate()
        .flat_map(|(number, analyte)| analyte.names.iter().map(move |name| (folded(name), number)))
        .collect();
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    names
});
static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../assets/analytes.toml")).unwrap_or_default());

/// A value found in a text, with possible names of its finding, best first; none if it is within its limits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    pub(crate) span: Span,
    pub(crate) findings: &'static [String],
}

/// The measured values of a text, in order.
pub(crate) fn measured(text: &str, tokens: &[Token]) -> Vec<Measured> {
    let mut all: Vec<Measured> = Vec::new();
    let mut first = 0;
    while first < tokens.len() {
        let found = value_at(text, tokens, first);
        first = found.as_ref().map_or(first + 1, |found| found.span.last);
        all.extend(found);
    }
    all
}

/// The analytes that a text calls high or low without a value, in order.
pub(crate) fn told(tokens: &[Token]) -> Vec<Measured> {
    let mut all: Vec<Measured> = Vec::new();
    let mut first = 0;
    while first < tokens.len() {
        let found = told_at(tokens, first);
        first = found.as_ref().map_or(first + 1, |found| found.span.last.max(first + 1));
        all.extend(found);
    }
    all
}

fn told_at(tokens: &[Token], first: usize) -> Option<Measured> {
    let (analyte, after) = analyte_at(tokens, first)?;
    if tokens.get(after).is_some_and(is_eaten) {
        return None;
    }
    let is_short = tokens[first..after].iter().map(|token| token.text.chars().count()).sum::<usize>() < 3 && !tokens[first].cjk;
    let apart = if is_short { APART_FROM_SHORT } else { APART };
    let is_filler = |token: &Token| FILLERS.contains(&token.text.as_str()) || may_stand_between(token);
    // "high levels of calcium", and "calcium is high"; not beyond the clause.
    let leads_here = |from: usize| {
        let (direction, last) = direction_at(tokens, from).filter(|(_, last)| *last <= first)?;
        let between = &tokens[last..first];
        let joined = tokens[from + 1..=first].iter().all(|token| !token.after_break);
        (joined && between.len() <= apart && between.iter().all(is_filler)).then_some((direction, from, after))
    };
    let follows = |from: usize| {
        let (direction, last) = direction_at(tokens, from)?;
        let joined = tokens[after..last].iter().all(|token| !token.after_break);
        (joined && tokens[after..from].iter().all(is_filler)).then_some((direction, first, last))
    };
    let before = (first.saturating_sub(apart + 2)..first).rev().find_map(leads_here);
    let (direction, from, last) = before.or_else(|| (after..=(after + apart).min(tokens.len())).find_map(follows))?;
    let findings: &'static [String] = match direction {
        Direction::More => &analyte.high,
        Direction::Less => &analyte.low,
    };
    (!findings.is_empty()).then_some(Measured { span: Span { first: from, last }, findings })
}

/// The analyte whose name begins at a token, and one past its last word.
fn analyte_at(tokens: &[Token], first: usize) -> Option<(&'static Analyte, usize)> {
    let is_there =
        |name: &[String]| name.iter().enumerate().all(|(i, word)| tokens.get(first + i).is_some_and(|token| token.text == *word));
    let (name, number) = ANALYTES.iter().find(|(name, _)| is_there(name))?;
    Some((FILE.analyte.get(*number)?, first + name.len()))
}

fn value_at(text: &str, tokens: &[Token], first: usize) -> Option<Measured> {
    let (analyte, after) = analyte_at(tokens, first)?;
    let at = (after..tokens.len().min(after + BETWEEN + 1)).find(|at| !FILLERS.contains(&tokens[*at].text.as_str()))?;
    let rest = text.get(tokens[at].start..)?;
    let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let value: f64 = rest.get(..digits)?.trim_end_matches('.').parse().ok()?;
    let unit = rest.get(digits..)?.trim_start_matches([' ', '°', '×', '*']).to_lowercase();
    let side = side(analyte, value, &unit)?;
    let findings: &'static [String] = match side {
        std::cmp::Ordering::Less => &analyte.low,
        std::cmp::Ordering::Equal => &[],
        std::cmp::Ordering::Greater => &analyte.high,
    };
    Some(Measured { span: Span { first, last: at + 1 }, findings })
}

/// Whether a value is below, within or above its limits; `None` if its unit is unclear.
fn side(analyte: &Analyte, value: f64, unit: &str) -> Option<std::cmp::Ordering> {
    let stated = analyte.ranges.iter().find(|range| unit.starts_with(&range.unit));
    let mut sides = stated
        .map_or_else(|| analyte.ranges.iter().filter(|range| range.is_possible(value)).collect(), |range| vec![range])
        .into_iter()
        .map(|range| {
            if value < range.low {
                std::cmp::Ordering::Less
            } else if value > range.high {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        });
    let side = sides.next()?;
    sides.all(|other| other == side).then_some(side)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> Vec<Option<&'static str>> {
        measured(text, &tokenise(text)).into_iter().map(|measured| measured.findings.first().map(String::as_str)).collect()
    }

    #[test]
    fn values_outside_their_limits_are_findings() {
        assert_eq!(
            findings("glucose 300 mg/dL, K+ 6.1 and BP 180/110"),
            [Some("hyperglycaemia"), Some("hyperkalaemia"), Some("hypertension")]
        );
        assert_eq!(findings("Her blood sugar is 2.8 mmol/l."), [Some("hypoglycaemia")]);
        assert_eq!(findings("Hb 82 g/l, temperature of 39.2°C, temp 103"), [Some("anaemia"), Some("fever"), Some("fever")]);
        assert_eq!(findings("blood sugar 300mg/dl"), [Some("hyperglycaemia")]);
        assert_eq!(findings("血钾2.9"), [Some("hypokalaemia")]);
    }

    #[test]
    fn what_is_said_to_be_high_or_low_is_a_finding_too() {
        let told = |text: &str| -> Vec<(&str, String)> {
            let tokens = tokenise(text);
            let shown = |span: Span| text[tokens[span.first].start..tokens[span.last - 1].end].to_owned();
            told(&tokens).into_iter().map(|told| (told.findings[0].as_str(), shown(told.span))).collect()
        };
        assert_eq!(told("I have high levels of calcium in my blood"), [("hypercalcaemia", "high levels of calcium".to_owned())]);
        assert_eq!(told("my potassium level was really low"), [("hypokalaemia", "potassium level was really low".to_owned())]);
        assert_eq!(told("low K and a high BP"), [("hypokalaemia", "low K".to_owned()), ("hypertension", "high BP".to_owned())]);
        assert_eq!(told("血钾偏低"), [("hypokalaemia", "血钾偏低".to_owned())]);
        for nothing in ["a low sodium diet", "my potassium is not high", "I feel low, potassium was measured", "high fever and 20 mg of it"]
        {
            assert!(told(nothing).is_empty(), "{nothing}: {:?}", told(nothing));
        }
    }

    #[test]
    fn values_within_their_limits_or_without_a_number_say_nothing() {
        assert_eq!(findings("sodium 140 mmol/l"), [None]);
        assert!(findings("is potassium bad for me?").is_empty());
        assert!(findings("my pulse in 2 places").is_empty());
        assert!(findings("glucose 20").is_empty(), "20 mg/dl is low, 20 mmol/l is high");
    }
}
