//! Results in a question: "K+ 6.1" is hyperkalaemia, "BP 180/110" hypertension, and so is "my blood pressure is too high"; "troponin normal"
//! and "CT negative" are results that speak for nothing.
//!
//! A result is a test's name with a number and, where stated, a unit, or with a word or sign that says what came out. `assets/analytes.toml`
//! holds names and limits. A value of unclear unit has no direction, and a test that is merely named is no result. Limits that are not
//! those of the patient, as of a child, give way to the word beside the value ([`for_patient`]).

mod analytes;
mod bands;
mod bare_test;
mod drug_level;
mod heat;
mod home;
mod in_context;
mod patient;
mod postural;
mod power;
mod rates;
mod repeat;
mod said;
mod series;
mod specimen;
mod value;
mod word;

use crate::language::recognise::Span;
use crate::run::{CaseResult, ResultDirection};
use crate::text::Token;
use analytes::{Analyte, NameUse, named_at};
pub(crate) use bands::{Band, band_of, is_called_by_itself, is_never_calm};
use drug_level::level_at;
pub(crate) use in_context::{read_in_context, remark};
pub(crate) use patient::for_patient;
pub(crate) use postural::{postural_fall, unequal_arms};
use specimen::{Specimens, is_of_other_fluid};

/// A result found in a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    /// Its words.
    pub(crate) span: Span,
    /// The words that name the test.
    pub(crate) name: Span,
    analyte: &'static Analyte,
    /// The value in `unit`.
    pub(crate) value: Option<f64>,
    /// What stands behind its slash: a diastolic pressure.
    pub(crate) second: Option<f64>,
    pub(crate) unit: Option<&'static str>,
    pub(crate) unit_inferred: bool,
    pub(crate) direction: ResultDirection,
    /// Whether the value alone is an emergency.
    pub(crate) critical: bool,
    /// What it is called beside the other results, best name first.
    together: &'static [String],
    /// What a word beside the value says of it.
    said: Option<ResultDirection>,
    /// What it was before, where that is told.
    earlier: Option<series::Before>,
    /// The words of the value that it replaces, as it was measured again.
    pub(crate) replaces: Option<Span>,
    /// Whether it shares a word that stands before its list: "normal FBC and U&E".
    is_led: bool,
}

impl Measured {
    /// The same said of another test.
    fn of_test(&self, test: &NamedTest) -> Self {
        Self { span: test.span, name: test.span, analyte: test.analyte, ..self.clone() }
    }

    /// Whether nothing is wrong with it.
    fn is_well(&self) -> bool {
        matches!(self.direction, ResultDirection::Normal | ResultDirection::Negative)
    }

    /// The test, by its first name.
    pub(crate) fn test(&self) -> &'static str {
        self.analyte.names.first().map_or("", String::as_str)
    }

    /// What the result is called, best name first; nothing if it is normal.
    pub(crate) fn findings(&self) -> impl Iterator<Item = &'static String> + use<> {
        let analyte = self.analyte;
        let alone: &'static [String] = match self.direction {
            ResultDirection::High => &analyte.high,
            ResultDirection::Low if self.is_share() => &[],
            ResultDirection::Low => &analyte.low,
            ResultDirection::Positive if analyte.positive.is_empty() => &analyte.high,
            ResultDirection::Positive => &analyte.positive,
            ResultDirection::Normal | ResultDirection::Negative | ResultDirection::Unknown => &[],
        };
        self.together.iter().chain(alone)
    }

    /// The names of what a result speaks against: a normal one against all that the test finds, a low one against what a high one would be.
    pub(crate) fn against(&self) -> impl Iterator<Item = &'static str> + use<> {
        let analyte = self.analyte;
        let is_normal = matches!(self.direction, ResultDirection::Normal | ResultDirection::Negative) && !self.is_share();
        let all = analyte.high.iter().chain(&analyte.low).chain(&analyte.positive).chain(&analyte.rules_out);
        let opposite: &'static [String] = match self.direction {
            ResultDirection::High if !self.is_share() => &analyte.low,
            ResultDirection::Low if !self.is_share() => &analyte.high,
            _ => &[],
        };
        all.filter(move |_| is_normal).chain(opposite).map(String::as_str)
    }

    /// Whether it is the share of cells that are also counted: 60 % of very few white cells are too few neutrophils, and 30 % of many, as
    /// in every small child, are enough.
    fn is_share(&self) -> bool {
        self.unit == Some("%") && self.analyte.ranges.iter().any(|range| range.unit == "x10")
    }

    /// Makes a high value normal if it is wanted under a drug in use, and low what has fallen so far under one that it is a sign of harm; says what a
    /// doubtful one means. `in_use`: whether the patient takes a drug of this name; `is_known`: whether the text says by this word that he has something.
    pub(crate) fn allow_for(&mut self, in_use: impl Fn(&str) -> bool, is_known: impl Fn(&str) -> bool) {
        let is_wanted = self.value.is_some_and(|value| self.analyte.is_wanted(value, &in_use));
        if is_wanted && self.direction == ResultDirection::High {
            self.direction = ResultDirection::Normal;
        }
        let analyte = self.analyte;
        // What is below the limits is called so.
        let change = self.earlier.zip(self.value).filter(|_| self.direction != ResultDirection::Low);
        if let Some(means) = change.and_then(|(from, to)| analyte.fall_under((from.highest, to), self.unit, &in_use, &is_known)) {
            self.direction = ResultDirection::Low;
            self.together = means;
        }
        // What has risen so far is high, whatever the limits say; over years it is not acute.
        let risen = self.earlier.zip(self.value).and_then(|(from, to)| Some((from, analyte.risen(from.lowest, to)?)));
        if let Some((from, means)) = risen {
            self.direction = ResultDirection::High;
            if !from.is_long_ago {
                self.together = means;
            }
        }
        let is_doubtful = self
            .value
            .zip(self.unit)
            .is_some_and(|(value, unit)| analyte.ranges.iter().any(|range| range.unit == unit && range.is_doubtful(value)));
        if is_doubtful
            && self.direction == ResultDirection::Unknown
            && let Some(means) = analyte.between(&in_use, is_known)
        {
            self.together = means;
        }
    }

    /// Its unit in full, for people to read.
    pub(crate) fn shown_unit(&self) -> Option<&'static str> {
        let unit = self.unit?;
        Some(self.analyte.ranges.iter().find(|range| range.unit == unit).map_or(unit, |range| range.shown()))
    }

    /// Whether only words say it, not a number.
    pub(crate) fn is_told(&self) -> bool {
        self.value.is_none()
    }

    /// Whether it is this test.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        self.test().eq_ignore_ascii_case(name)
    }
}

/// A diastolic pressure that is no longer mild.
const HIGH_DIASTOLIC: f64 = 110.0;

/// The test of this first name.
fn analyte_of(test: &str) -> Option<&'static Analyte> {
    analytes::all().find(|analyte| analyte.names.first().is_some_and(|name| name == test))
}

/// Whether words are the name of a test or score, and nothing else.
pub(crate) fn is_name(words: &str) -> bool {
    analytes::called(words).is_some()
}

/// Whether the unit of a test makes no difference: it has one, or the same limits in all (potassium in mmol/L and mEq/L).
pub(crate) fn has_one_unit(test: &str) -> bool {
    analyte_of(test).is_some_and(|analyte| {
        let limits = |range: &analytes::Range| (range.low, range.high);
        // Some units count only where they are written.
        let mut inferred = analyte.ranges.iter().filter(|range| range.is_possible(range.low)).map(limits);
        let first = inferred.next();
        inferred.all(|other| Some(other) == first)
    })
}

/// Whether a result is no reason for haste by itself, though it may be outside the limits: a potassium of 5.6 mmol/l.
pub(crate) fn is_mild(result: &CaseResult) -> bool {
    let Some((value, analyte)) = result.value.zip(analyte_of(&result.test)) else { return false };
    let is_of_unit = |range: &&analytes::Range| result.unit.as_deref().is_none_or(|unit| unit == range.shown());
    let mut possible = analyte.ranges.iter().filter(is_of_unit).filter(|range| range.is_possible(value)).peekable();
    // A diastolic pressure has limits of its own.
    let is_pair_mild = result.second.is_none_or(|second| second < HIGH_DIASTOLIC);
    !result.critical && is_pair_mild && possible.peek().is_some() && possible.all(|range| range.is_mild(value))
}

/// The Chinese name of a test, by its first name.
pub(crate) fn chinese_name(test: &str) -> Option<&'static str> {
    analyte_of(test)?.names.iter().map(String::as_str).find(|name| name.chars().any(|c| ('\u{3400}'..='\u{9fff}').contains(&c)))
}

/// A test that the text names, before its result is known.
struct NamedTest {
    span: Span,
    analyte: &'static Analyte,
    used: NameUse,
}

/// The results of a text, in order.
pub(crate) fn results(text: &str, tokens: &[Token]) -> Vec<Measured> {
    let mut named: Vec<NamedTest> = Vec::new();
    let specimens = Specimens::of(text, tokens);
    let mut first = 0;
    while first < tokens.len() {
        let named_here =
            specimens.test_at(text, tokens, first).or_else(|| named_at(text, tokens, first)).or_else(|| bare_test::test_at(tokens, first));
        // "Hb level 90" is no level of the drug before it.
        let is_apart = named.last().is_none_or(|test| test.span.last < first);
        let level = || level_at(text, tokens, first).filter(|_| is_apart).map(|(analyte, last)| (analyte, last, NameUse::Free));
        match named_here.or_else(level) {
            Some((analyte, last, used)) => {
                let past = named.last().map_or(0, |test| test.span.last);
                if matches!(used, NameUse::Told | NameUse::Condition) && !word::begins_item(text, tokens, first, past) {
                    first += 1;
                    continue;
                }
                named.push(NamedTest { span: Span { first, last }, analyte, used });
                first = last;
            }
            None => first += 1,
        }
    }
    let mut found: Vec<Option<Measured>> = vec![None; named.len()];
    for (number, test) in named.iter().enumerate() {
        let before = number.checked_sub(1).and_then(|at| named.get(at)).map_or(0, |test| test.span.last);
        let after = named.get(number + 1).map_or(tokens.len(), |test| test.span.first);
        let around = Span { first: before, last: after };
        let result = value::read(text, tokens, test, around)
            .or_else(|| value::read_behind_word(text, tokens, test, around))
            .or_else(|| word::read(text, tokens, test, around));
        if let Some(slot) = found.get_mut(number) {
            *slot = result;
        }
    }
    // "ALT, bilirubin normal": a test without a result of its own shares that of the next in its list …
    let mut speaks_of_all = false;
    for number in (0..named.len().saturating_sub(1)).rev() {
        let (Some(test), Some(next)) = (named.get(number), named.get(number + 1)) else { continue };
        // "CRP, normal ECG": what stands before a test is said of no other before it.
        let is_told = |said: &Measured| said.is_told() && said.span.first == said.name.first;
        let Some(shared) = found.get(number + 1).and_then(Clone::clone).filter(is_told) else { continue };
        if shared.span.last > shared.name.last {
            speaks_of_all = word::of_all(tokens, shared.name.last, shared.span.last);
        }
        // "On iron and folate, B12 normal": what is taken is no test.
        let mut begin = number;
        while let Some((one, other)) = begin.checked_sub(1).and_then(|before| Some((named.get(before)?, named.get(begin)?))) {
            let goes_on = word::is_list(text, tokens, one.span.last, other.span.first) && !word::ends_clause(tokens, other.span.first);
            if !goes_on {
                break;
            }
            begin -= 1;
        }
        let begin = named.get(begin).map_or(test.span.first, |first| first.span.first);
        if word::is_taken(tokens, begin) || !word::shares(text, tokens, (test, next), &shared, speaks_of_all) {
            continue;
        }
        if let Some(slot @ None) = found.get_mut(number) {
            *slot = Some(shared.of_test(test));
        }
    }
    // … and "normal FBC, U&E and ECG" that of the one before, if nothing more is said of it.
    for number in 1..named.len() {
        let (Some(test), Some(before)) = (named.get(number), named.get(number - 1)) else { continue };
        let leads = |said: &Measured| said.is_told() && said.is_well() && (said.span.first < said.name.first || said.is_led);
        let Some(shared) = found.get(number - 1).and_then(Clone::clone).filter(leads) else { continue };
        let ends = named.get(number + 1).is_some_and(|next| word::is_list(text, tokens, test.span.last, next.span.first))
            || word::ends_clause(tokens, test.span.last);
        let is_list = test.used == NameUse::Free && word::is_list(text, tokens, before.span.last, test.span.first);
        if let Some(slot @ None) = found.get_mut(number).filter(|_| is_list && ends) {
            *slot = Some(Measured { is_led: true, ..shared.of_test(test) });
        }
    }
    let mut results: Vec<Measured> = found.into_iter().flatten().collect();
    value::decide_units(&mut results);
    results.extend(heat::temperatures(text, tokens, &results));
    results.extend(rates::rates(text, tokens, &results));
    results.sort_by_key(|result| result.span.first);
    // A word between two tests belongs to the first that claims it.
    let mut past = 0;
    results.retain(|result| {
        let apart = result.span.first >= past;
        past = past.max(if apart { result.span.last } else { past });
        apart
    });
    home::allow_for(tokens, &mut results);
    said::read(text, tokens, &mut results);
    repeat::keep_latest(text, tokens, &mut results);
    for result in &mut results {
        let is_under_heading = specimens.governs(tokens, result.span.first) && result.analyte.is_in_fluids();
        if is_under_heading || is_of_other_fluid(text, tokens, result) {
            result.direction = ResultDirection::Unknown;
            result.said = None;
        }
    }
    // What a pressure falls to on standing is not normal, within whatever limits it is.
    if let Some(fall) = postural_fall(text, tokens) {
        let is_of_it = |result: &&mut Measured| result.span.first < fall.last && fall.first < result.span.last;
        for result in results.iter_mut().filter(is_of_it).filter(|result| result.direction == ResultDirection::Normal) {
            result.direction = ResultDirection::Unknown;
        }
    }
    read_together(&mut results);
    results
}

/// Finds what results say together that none says alone: a low pH with much carbon dioxide is a respiratory acidosis.
fn read_together(results: &mut [Measured]) {
    for rule in analytes::together() {
        let place = |(test, direction): &(String, ResultDirection)| {
            results.iter().position(|result| result.direction == *direction && result.is_of(test))
        };
        let holds = rule.of.iter().all(|of| place(of).is_some()) && !rule.unless.iter().any(|of| place(of).is_some());
        let first = rule.of.first().and_then(place).filter(|_| holds);
        if let Some(result) = first.and_then(|at| results.get_mut(at)).filter(|result| result.together.is_empty()) {
            result.together = &rule.means;
        }
    }
}

/// The text between two neighbouring tokens.
fn gap<'t>(text: &'t str, tokens: &[Token], before: usize) -> &'t str {
    let begin = tokens.get(before).map_or(text.len(), |token| token.end);
    let end = tokens.get(before + 1).map_or(text.len(), |token| token.start);
    text.get(begin..end).unwrap_or_default()
}

/// Whether tokens `from..=to` stand together: nothing but spaces and what joins a name and its value between them.
fn joined(text: &str, tokens: &[Token], from: usize, to: usize) -> bool {
    (from..to)
        .all(|at| gap(text, tokens, at).chars().all(|c| c.is_whitespace() && c != '\n' || ":：=(（)）+-−–~≈<>≥≤^'\"“”*×℃°%—".contains(c)))
}

#[cfg(test)]
mod tests;
