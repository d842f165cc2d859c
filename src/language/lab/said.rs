//! What is told beside a value: a word for its direction ("raised at 98", "98 (high for her age)", "肌酐98，偏高"), and what it was before
//! ("160 from 420"). The number decides over the word, but where the limits are those of other patients.

use super::analytes::Analyte;
use super::series::{Before, former_in_brackets, is_over_years};
use super::value::{Stated, is_change};
use super::{Measured, gap, joined};
use crate::language::direction::{may_stand_between, result_at};
use crate::language::negation::is_denying;
use crate::language::recognise::Span;
use crate::run::ResultDirection;
use crate::text::Token;

/// The most words between such a word and the test's name behind it, and between a value with its unit and the word behind that.
const BEFORE: usize = 3;
const BEHIND: usize = 4;
/// The most words of a unit, or of the second of two numbers.
const UNIT: usize = 6;
/// The most words from a value to the earlier one behind it.
const TO_EARLIER: usize = 6;
/// What leads to an earlier value behind a later one.
const WAS: [&str; 9] = ["from", "was", "were", "previously", "before", "baseline", "从", "由", "原"];
/// Words that may stand between a name and its word, or a value and its word.
const BETWEEN: [&str; 16] =
    ["serum", "plasma", "blood", "at", "of", "is", "was", "which", "that", "looks", "seems", "rather", "slightly", "mildly", "为", "是"];
/// Words of the same lists that tell of something else beside a value: "weight loss, Hb 110".
const OTHERWISE: [&str; 9] = ["loss", "lost", "losing", "gain", "gained", "gaining", "heavy", "heavier", "lacking"];
/// What may follow behind the word, besides the end of its clause: "high for her age".
const FOR: [&str; 6] = ["for", "in", "considering", "given", "at", "and"];

/// Finds for each result with a number what stands beside it.
pub(super) fn read(text: &str, tokens: &[Token], results: &mut [Measured]) {
    let spans: Vec<Span> = results.iter().map(|result| result.span).collect();
    for (number, result) in results.iter_mut().enumerate().filter(|(_, result)| !result.is_told()) {
        let first = number.checked_sub(1).and_then(|at| spans.get(at)).map_or(0, |span| span.last);
        let last = spans.get(number + 1).map_or(tokens.len(), |span| span.first);
        let beside = Beside { text, tokens, around: Span { first, last }, result };
        let said = beside.between().or_else(|| beside.behind()).or_else(|| beside.before());
        let earlier = result.earlier.or_else(|| beside.value_before()).or_else(|| former_in_brackets(text, tokens, result));
        let earlier = earlier.map(|before| Before { is_long_ago: is_over_years(text, tokens, result, last), ..before });
        (result.said, result.earlier) = (said, earlier);
    }
}

/// A result and the words around it, up to the results before and behind.
struct Beside<'a> {
    text: &'a str,
    tokens: &'a [Token],
    around: Span,
    result: &'a Measured,
}

impl Beside<'_> {
    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    /// What the words from token `at` on say of a value, and one past the last of them.
    fn said_at(&self, at: usize) -> Option<(ResultDirection, usize)> {
        let found = result_at(self.tokens, at)?;
        let is_side = matches!(found.means, ResultDirection::High | ResultDirection::Low | ResultDirection::Normal);
        let is_denied = at.checked_sub(1).and_then(|before| self.tokens.get(before)).is_some_and(is_denying);
        (is_side && !is_denied && !OTHERWISE.contains(&self.word(at))).then_some((found.means, found.last))
    }

    fn may_stand(&self, at: usize) -> bool {
        BETWEEN.contains(&self.word(at)) || self.tokens.get(at).is_some_and(may_stand_between)
    }

    /// "Creatinine raised at 98". That it rose to 98 tells how it went, not that it is high.
    fn between(&self) -> Option<ResultDirection> {
        let (name, value) = (self.result.name.last, self.result.span.last.checked_sub(1)?);
        let is_number = |at: &usize| self.word(*at).starts_with(|c: char| c.is_ascii_digit());
        let begin = (name..value).rev().find(is_number).map_or(name, |number| number + 1);
        let (at, (said, last)) = (begin..value).find_map(|at| Some((at, self.said_at(at)?)))?;
        let is_course = is_change(self.word(at)) && matches!(self.word(last), "to" | "by" | "from" | "到" | "至");
        (last <= value && !is_course).then_some(said)
    }

    /// "Raised creatinine of 98"; not the word of the result before it.
    fn before(&self) -> Option<ResultDirection> {
        let name = self.result.name.first;
        (name.saturating_sub(BEFORE).max(self.around.first)..name).find_map(|at| {
            let (said, last) = self.said_at(at).filter(|(_, last)| *last <= name)?;
            let is_joined = joined(self.text, self.tokens, at, name);
            let is_of_other = at == self.around.first && at > 0 && self.tokens.get(at).is_some_and(|token| !token.after_break);
            (is_joined && !is_of_other && !is_change(self.word(at)) && (last..name).all(|at| self.may_stand(at))).then_some(said)
        })
    }

    /// "98 µmol/l (raised)", "138/88, which is high for her": the word must end its clause, or it may be of what follows ("98, low mood").
    fn behind(&self) -> Option<ResultDirection> {
        let value = self.result.span.last.checked_sub(1)?;
        let is_open = |at: usize| {
            let joint = gap(self.text, self.tokens, at - 1);
            !joint.contains(['.', ';', '。', '；', '\n', '?', '!', '？', '！', ':', '：'])
        };
        let unit = (value + 1..self.around.last.min(value + 1 + UNIT)).take_while(|at| is_open(*at) && self.is_unit(*at)).last();
        let begin = unit.map_or(value + 1, |unit| unit + 1);
        let end = self.around.last.min(begin + BEHIND);
        let at = (begin..end).take_while(|at| is_open(*at)).find(|at| !self.may_stand(*at))?;
        let (said, last) = self.said_at(at).filter(|(_, last)| *last <= self.around.last)?;
        let next = self.tokens.get(last);
        let ends = next.is_none_or(|next| next.after_break || FOR.contains(&next.text.as_str()));
        (ends && !is_change(self.word(at))).then_some(said)
    }

    /// Whether a word belongs to the unit behind a value, or is the second of two numbers.
    fn is_unit(&self, at: usize) -> bool {
        const PARTS: [&str; 14] = ["x", "10", "9", "109", "l", "dl", "ml", "mm", "hg", "beats", "per", "minute", "min", "h"];
        let joint = gap(self.text, self.tokens, at - 1);
        let word = self.word(at).replace('μ', "u");
        joint.contains(['/', '^']) || PARTS.contains(&word.as_str()) || units(self.result.analyte).any(|unit| unit == word)
    }

    /// The value before, where it is told behind the later one: "160 from 420", "62 (were 240)", "145，原380".
    fn value_before(&self) -> Option<Before> {
        let value = self.result.span.last.checked_sub(1)?;
        let is_open = |at: &usize| !gap(self.text, self.tokens, at - 1).contains(['.', ';', '。', '；', '\n']);
        let end = self.around.last.min(value + 1 + TO_EARLIER);
        let within: Vec<usize> = (value + 1..end).take_while(is_open).collect();
        let leads = within.iter().position(|at| WAS.contains(&self.word(*at)))?;
        let is_number = |at: &&usize| self.word(**at).starts_with(|c: char| c.is_ascii_digit());
        let at = within.get(leads + 1..)?.iter().take(2).find(is_number)?;
        let is_year = self.word(*at).len() == 4 && self.word(*at).starts_with(['1', '2']);
        let earlier = Stated::at(self.text, self.tokens, *at).filter(|_| !is_year)?.value;
        let is_possible = self.result.analyte.ranges.iter().any(|range| range.is_possible(earlier));
        is_possible.then(|| Before::of(earlier))
    }
}

/// The words of a test's units.
fn units(analyte: &'static Analyte) -> impl Iterator<Item = &'static str> {
    analyte.ranges.iter().flat_map(|range| range.unit.split(|c: char| !c.is_alphanumeric())).filter(|unit| !unit.is_empty())
}
