//! Results with a number: where it stands, its unit, and on which side of the limits it lies.

use super::analytes::{Analyte, NameUse, Range, linking};
use super::power::in_own_power;
use super::repeat::{has_stays, repeated_to};
use super::series::{Before, called_present, is_present, is_step, is_year, past_dated_bracket};
use super::{Measured, NamedTest, gap, joined};
use crate::language::direction::result_at;
use crate::language::recognise::Span;
use crate::run::ResultDirection;
use crate::text::Token;

/// A test of which the lower limit is at least so many percent is never as little as one.
const IN_FULL: f64 = 10.0;
/// The most words between a test's name and its value.
const BETWEEN: usize = 4;

/// Whether the word may stand between a test's name and its value.
fn is_filler(word: &str) -> bool {
    linking().both.iter().chain(&linking().value).any(|filler| filler == word)
}
/// What stands between an earlier value and a later one: "Hb 130 last year, now 92", "由80升至131"; those of [`LEADS`] lead to the later one.
const COURSE: [&str; 46] = [
    "pre",
    "preop",
    "op",
    "post",
    "postop",
    "on",
    "at",
    "in",
    "since",
    "earlier",
    "prior",
    "admission",
    "booking",
    "usual",
    "术前",
    "last",
    "year",
    "yr",
    "month",
    "week",
    "wk",
    "day",
    "yesterday",
    "ago",
    "previously",
    "before",
    "baseline",
    "then",
    "was",
    "is",
    "down",
    "up",
    "falling",
    "fell",
    "fallen",
    "dropped",
    "dropping",
    "rising",
    "rose",
    "risen",
    "gone",
    "went",
    "升",
    "降",
    "上",
    "下",
];
const LEADS: [&str; 9] = ["to", "now", "today", "至", "到", "为", "现", "今", "成"];
/// The most words between an earlier value and a later one.
const TO_LATER: usize = 5;
/// Units of doses and times, which no result has.
const NO_RESULT: [&str; 44] = [
    "mg", "mcg", "ug", "g", "iu", "units", "unit", "tablets", "tablet", "tabs", "tab", "ml", "h", "hr", "hrs", "hour", "hours", "d", "day",
    "days", "wk", "wks", "week", "weeks", "month", "months", "year", "years", "yrs", "yr", "x", "times", "min", "mins", "minutes", "pills",
    "capsules", "puffs", "yo", "片", "天", "年", "次", "岁",
];

/// A test's result where a number says it.
pub(super) fn read(text: &str, tokens: &[Token], test: &NamedTest, around: Span) -> Option<Measured> {
    if matches!(test.used, NameUse::Graded | NameUse::Condition) || test.analyte.ranges.is_empty() {
        return None;
    }
    let most = if test.used == NameUse::Valued { 1 } else { BETWEEN };
    let last = around.last.min(test.span.last + most + 1);
    let at = (test.span.last..last).find(|at| tokens.get(*at).is_some_and(|token| !is_filler(&token.text)))?;
    if !joined(text, tokens, test.span.last.checked_sub(1)?, at) || is_person(test, tokens.get(at)?) {
        return None;
    }
    value_at(text, tokens, test, at, around)
}

/// Whether a number with a letter says who has it, and no value: "shingles T4 in 70F".
fn is_person(test: &NamedTest, token: &Token) -> bool {
    let is_age = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let has_sex = token.text.strip_suffix(['f', 'm']).is_some_and(is_age);
    has_sex && !test.analyte.ranges.iter().any(|range| range.unit == "f")
}

/// A test's result where a word stands before the number that says the same or another thing: "saturation raised at 28 %", "血钾偏高4.3".
/// Where the number decides, it counts, whatever the word says. A change without "to" ("fell 2 %") tells of no value.
pub(super) fn read_behind_word(text: &str, tokens: &[Token], test: &NamedTest, around: Span) -> Option<Measured> {
    if !matches!(test.used, NameUse::Free | NameUse::Told) || test.analyte.ranges.is_empty() {
        return None;
    }
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_between = |at: &usize| is_filler(word(*at)) || matches!(word(*at), "has" | "have" | "had");
    let begins = (test.span.last..around.last.min(test.span.last + BETWEEN)).find(|at| !is_between(at) || is_change(word(*at)))?;
    let said = result_at(tokens, begins)
        .filter(|found| matches!(found.means, ResultDirection::High | ResultDirection::Low | ResultDirection::Normal))
        .map(|found| found.last);
    // 血糖掉到2.5; 升高 says a direction by itself.
    let is_moved = is_change(word(begins)) || said.is_none() && matches!(word(begins), "降" | "掉" | "跌" | "升" | "涨" | "飙");
    let said = said.or_else(|| is_moved.then_some(begins + 1))?;
    let leads = ["to", "at", "of", "is", "was", "到", "至", "为", "是", "达"];
    let at = (said..around.last.min(said + 3)).find(|at| !leads.contains(&word(*at)) && !is_filler(word(*at)))?;
    let is_led = at > said || !is_moved;
    let is_year = word(at).len() == 4 && word(at).starts_with(['1', '2']) && word(at).bytes().all(|byte| byte.is_ascii_digit());
    if !is_led || is_year || !joined(text, tokens, test.span.last.checked_sub(1)?, at) {
        return None;
    }
    // "My sugar dropped to 2.4"; not "cut my sugar down to 2 spoons".
    let has_fallen = matches!(word(begins), "dropped" | "dropping" | "fell" | "falling" | "fallen" | "rose" | "risen");
    if test.used == NameUse::Told && !(has_fallen && ends_thought(tokens, at + 1)) {
        return None;
    }
    value_at(text, tokens, test, at, around).filter(|result| result.direction != ResultDirection::Unknown)
}

/// Whether nothing that would be counted stands at a token: the clause ends, or another thought begins.
fn ends_thought(tokens: &[Token], at: usize) -> bool {
    const BEGINS: [&str; 14] =
        ["and", "so", "but", "with", "now", "today", "this", "last", "at", "after", "before", "yesterday", "i", "overnight"];
    tokens.get(at).is_none_or(|next| next.after_break || BEGINS.contains(&next.text.as_str()))
}

/// Whether a word tells of a change, so that a number behind it may say by how much.
pub(super) fn is_change(word: &str) -> bool {
    const WORDS: &str = "up down dropped dropping fell falling fallen rising rose risen lost gained increased decreased reduced 上 下 减";
    WORDS.split(' ').any(|change| change == word)
}

/// Whether a number is a grade of a strip ("glucose 3+", not "Gleason 3+4"), and no value.
pub(super) fn is_grade(text: &str, tokens: &[Token], at: usize) -> bool {
    let is_small = tokens.get(at).is_some_and(|token| matches!(token.text.as_str(), "1" | "2" | "3" | "4"));
    let between = gap(text, tokens, at);
    let is_sum = between == "+" && tokens.get(at + 1).is_some_and(|next| next.text.starts_with(|c: char| c.is_ascii_digit()));
    is_small && !is_sum && between.starts_with(['+', '＋'])
}

/// A test's result by the number at token `at`.
fn value_at(text: &str, tokens: &[Token], test: &NamedTest, at: usize, around: Span) -> Option<Measured> {
    if is_grade(text, tokens, at) {
        return None;
    }
    let (at, mut stated, before) = latest(text, tokens, at, around.last, test)?;
    if let Some(unit) = unit_of_bare(text, tokens, test, (at, &stated)) {
        unit.clone_into(&mut stated.unit);
    }
    let is_fever = || test.analyte.ranges.iter().any(|range| range.is_possible(stated.value));
    if matches!(test.used, NameUse::Valued | NameUse::Told) && !is_fever() {
        return None;
    }
    let span = Span { first: test.span.first, last: at + 1 };
    let result = measured(test.analyte, test.span, span, &stated)?;
    // An earlier value was written in the same power of ten.
    let factor = result.value.filter(|_| stated.value > 0.0).map_or(1.0, |value| value / stated.value);
    Some(Measured { earlier: before.map(|before| before.times(factor)), ..result })
}

/// The unit of a value that has none, where the test takes such behind "<" or its name in capitals: "FIT <4", not "fit 3 times".
fn unit_of_bare(text: &str, tokens: &[Token], test: &NamedTest, (at, stated): (usize, &Stated)) -> Option<&'static str> {
    const MOST: f64 = 999.0;
    let range = test.analyte.ranges.iter().find(|range| range.bare)?;
    let name = text.get(tokens.get(test.span.first)?.start..tokens.get(test.span.last.checked_sub(1)?)?.end)?;
    let is_signed = gap(text, tokens, at.checked_sub(1)?).contains(['<', '>', '≤', '≥']);
    let is_capital = name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_lowercase() && name.starts_with('q'));
    let has_unit = stated.unit.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '%' | '/'));
    let is_whole = stated.second.is_none() && !gap(text, tokens, at).starts_with(['/', '-', ':']) && stated.value <= MOST;
    // "FIT 4 weeks ago" and "FIT 62 yo" are no values; nor is a day of the month.
    let ends = tokens.get(at + 1).is_none_or(|next| next.after_break) || is_signed;
    ((is_signed || is_capital && ends) && !has_unit && is_whole).then_some(range.unit.as_str())
}

/// The value at token `at`, or the last of those to which it changed, and the highest before: "260 -> 92", "80 to 131", "41 last year, now
/// 26". What is so now counts.
fn latest(text: &str, tokens: &[Token], at: usize, end: usize, test: &NamedTest) -> Option<(usize, Stated, Option<Before>)> {
    let is_volume = test.analyte.ranges.iter().any(|range| range.unit == "ml");
    let stated = Stated::at(text, tokens, at).or_else(|| Stated::of_volume(text, tokens, at).filter(|_| is_volume))?;
    let (mut at, mut stated, mut before) = (at, stated, None::<Before>);
    let of = (end, test.analyte);
    let present = |at: usize| called_present(text, tokens, at, of).filter(|_| !has_stays(test.analyte));
    let changed = |at: usize| changed_to(text, tokens, at, end).or_else(|| repeated_to(text, tokens, at, of)).or_else(|| present(at));
    while let Some((next, mut later)) = changed(at) {
        if later.unit.is_empty() || !later.unit.starts_with(char::is_alphanumeric) {
            later.unit.clone_from(&stated.unit);
        }
        // Another number may follow by chance: "sodium 128, now 3 falls".
        if !test.analyte.ranges.iter().any(|range| range.is_possible(later.value)) {
            break;
        }
        let was = Before::of(stated.value);
        before = Some(before.map_or(was, |before| before.with(was)));
        (at, stated) = (next, later);
    }
    Some((at, stated, before))
}

/// The value that the one at token `at` changed to, before token `end`.
fn changed_to(text: &str, tokens: &[Token], at: usize, end: usize) -> Option<(usize, Stated)> {
    // "288 today, 178 in March": what is the present value has no later one.
    if is_present(text, tokens, at + 1) && tokens.get(at + 2).is_none_or(|next| next.after_break) {
        return None;
    }
    let (mut leads, mut skipped) = (false, at);
    for next in at + 1..end.min(at + 2 + TO_LATER) {
        if next < skipped {
            continue;
        }
        // "96 (Jan) -> 178".
        if let Some(past) = past_dated_bracket(text, tokens, next) {
            skipped = past;
            continue;
        }
        let joint = gap(text, tokens, next - 1);
        if joint.contains(['.', ';', '。', '；', '\n', '(', '（', ':', '：']) {
            return None;
        }
        leads |= is_arrow(joint) || is_step(text, tokens, next);
        let word = tokens.get(next)?.text.as_str();
        // "150/90 -> 85/40", "260 x10^9/l -> 92": a number behind a slash or a power belongs to the one before.
        let is_part = matches!(joint, "/" | "^");
        // "90 in 2015, now 150".
        if is_year(word) && !leads && !is_part && next > at + 1 {
            continue;
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) && !is_part {
            return leads.then(|| Stated::at(text, tokens, next)).flatten().map(|stated| (next, stated));
        }
        let is_unit = word.len() <= 5 && (is_part || next == at + 1 && !joint.contains([',', '，']));
        if LEADS.contains(&word) {
            leads = true;
        } else if !COURSE.contains(&word) && !is_unit {
            return None;
        }
    }
    None
}

/// Whether this stands for a change: an arrow, in whatever way it is typed.
fn is_arrow(joint: &str) -> bool {
    ["->", "=>", "→", "-->", "⇒", "↓", "↑"].iter().any(|arrow| joint.contains(arrow))
}

/// A number as it stands, with what follows it.
pub(super) struct Stated {
    pub(super) value: f64,
    /// Behind a slash: a diastolic pressure.
    pub(super) second: Option<f64>,
    pub(super) unit: String,
}

impl Stated {
    pub(super) fn at(text: &str, tokens: &[Token], at: usize) -> Option<Self> {
        Self::of(text, tokens, at, false)
    }

    /// The same of a test that is given in millilitres, as doses are: "FVC 900 ml".
    fn of_volume(text: &str, tokens: &[Token], at: usize) -> Option<Self> {
        Self::of(text, tokens, at, true).filter(|stated| stated.unit.starts_with("ml"))
    }

    fn of(text: &str, tokens: &[Token], at: usize, is_volume: bool) -> Option<Self> {
        let rest = text.get(tokens.get(at)?.start..)?;
        let (value, rest) = number(rest)?;
        let (value, rest) = tenths(value, rest);
        let sign = at.checked_sub(1).map_or("", |before| gap(text, tokens, before));
        // "<0.01" is a little less than that.
        let value = if is_arrow(sign) || is_step(text, tokens, at) {
            value
        } else if sign.contains(['<', '≤']) {
            value * 0.99
        } else if sign.contains(['>', '≥']) {
            value * 1.01
        } else {
            value
        };
        let value = if sign.ends_with(['-', '−']) && sign.len() > 1 && !is_arrow(sign) { -value } else { value };
        let (second, rest) = match rest.strip_prefix('/').and_then(number) {
            Some((second, rest)) => (Some(second), rest),
            None => (None, rest),
        };
        // "2-3": a range of values.
        let rest = rest.strip_prefix(['-', '–']).and_then(number).map_or(rest, |(_, rest)| rest);
        let unit: String = rest.chars().take(24).flat_map(char::to_lowercase).collect();
        let unit = unit
            .trim_start_matches([' ', '°', '(', '*'])
            .replace(['µ', 'μ'], "u")
            .replace('％', "%")
            .replace('℃', "c")
            .replace('℉', "f")
            .replace('×', "x")
            .replace("x 10", "x10");
        let word: String = unit.chars().take_while(|c| c.is_alphabetic()).collect();
        // "39.1 x 10d" says for how long; "12 x10^9/l" is a unit, and "x2" a count.
        let is_power = unit.strip_prefix("x10").is_some_and(|power| power.starts_with(['^', '*', 'e', '⁹', '⁶', '³', '¹', '9', '6', '1']));
        let lasts = word == "x" && value.fract() != 0.0 && !is_power;
        // "BP 88/50 HR 120": the next test, and no hours.
        let begins_next = word == "hr" && unit.get(word.len()..).is_some_and(|rest| is_rate(rest.trim_start()));
        // "Na 128 Mg 0.5": magnesium, and no milligrams.
        let begins_next =
            begins_next || rest.trim_start().starts_with("Mg") && unit.get(word.len()..).is_some_and(|rest| is_rate(rest.trim_start()));
        let (unit, word) = if lasts || begins_next { (String::new(), String::new()) } else { (unit, word) };
        let is_dose = NO_RESULT.contains(&word.as_str()) && !is_power && !unit.get(word.len()..).is_some_and(|rest| rest.starts_with('/'));
        // "96 (day 1)" tells when.
        let is_dose = is_dose && !rest.trim_start().starts_with(['(', '（']);
        let is_dose = is_dose || unit.starts_with(['片', '天', '年', '次', '岁', '周']);
        (!is_dose || is_volume).then_some(Self { value, second, unit })
    }
}

/// Whether a number begins what follows "hr", and no minutes do: "1 hr 30 min".
fn is_rate(rest: &str) -> bool {
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    behind.len() < rest.len() && !behind.starts_with(" min") && !behind.starts_with("min")
}

/// A number at the beginning of a text, and the rest.
fn number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let digits = text.get(..end)?.trim_end_matches('.');
    let rest = text.get(digits.len()..)?;
    if let Some((thousands, rest)) = thousands(digits, rest) {
        return Some((thousands, rest));
    }
    let value: f64 = digits.parse().ok()?;
    value.is_finite().then_some((value, rest))
}

/// "38度5": a digit behind 度 is a tenth.
fn tenths(value: f64, rest: &str) -> (f64, &str) {
    let digit = rest.strip_prefix('度').and_then(|behind| Some((behind.chars().next()?.to_digit(10)?, behind.get(1..)?)));
    match digit {
        Some((digit, behind)) if value.fract() == 0.0 && !behind.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            (value + f64::from(digit) / 10.0, behind)
        }
        _ => (value, rest),
    }
}

/// A number whose thousands are set apart: "18 000", "150,000". Behind a space the hundreds must be round, or it may be another number.
fn thousands<'a>(digits: &str, rest: &'a str) -> Option<(f64, &'a str)> {
    let separator = rest.chars().next().filter(|c| matches!(c, ' ' | ',' | '\u{a0}' | '\u{202f}'))?;
    let behind = rest.get(separator.len_utf8()..)?;
    let group = behind.get(..3).filter(|group| group.bytes().all(|byte| byte.is_ascii_digit()))?;
    let after = behind.get(3..)?;
    // A full stop ends the sentence: "CK 14,000."
    let is_decimal = after.strip_prefix('.').is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
    let is_end = !is_decimal && !after.starts_with(|c: char| c.is_ascii_digit() || c == '/');
    let is_round = separator == ',' || group.ends_with("00");
    if digits.is_empty() || digits.len() > 3 || digits.contains('.') || digits.starts_with('0') || !is_end || !is_round {
        return None;
    }
    Some((format!("{digits}{group}").parse().ok()?, behind.get(3..)?))
}

/// What a value says; `None` if it can be of no unit.
pub(super) fn measured(analyte: &'static Analyte, name: Span, span: Span, stated: &Stated) -> Option<Measured> {
    // A share is of no other unit: "neutrophils 60 %" is no count, and "creatinine up 30 %" no creatinine.
    if stated.unit.starts_with('%') && !analyte.ranges.iter().any(|range| range.unit == "%") {
        return None;
    }
    let converted = fraction(analyte, stated).or_else(|| in_own_power(analyte, stated));
    let stated = converted.as_ref().unwrap_or(stated);
    let mut result = Measured {
        span,
        name,
        analyte,
        value: Some(stated.value),
        second: None,
        unit: None,
        unit_inferred: false,
        direction: ResultDirection::Unknown,
        critical: false,
        together: &[],
        said: None,
        earlier: None,
        replaces: None,
        is_led: false,
    };
    let unit_is = |range: &&Range| {
        let rest = stated.unit.strip_prefix(&range.unit.replace('µ', "u")).filter(|_| !range.unit.is_empty());
        rest.is_some_and(|rest| range.unit.ends_with(['%', '/']) || !rest.starts_with(char::is_alphanumeric))
    };
    if let Some(range) = analyte
        .ranges
        .iter()
        .find(unit_is)
        .or_else(|| analyte.ranges.iter().find(|range| range.unit.is_empty() && range.is_possible(stated.value)))
    {
        decide(&mut result, range, stated.value);
        result.unit = (!range.unit.is_empty()).then_some(range.unit.as_str());
    } else {
        let possible: Vec<&Range> = analyte.ranges.iter().filter(|range| range.is_possible(stated.value)).collect();
        let alike = possible.windows(2).all(|two| matches!(two, [one, other] if one.low == other.low && one.high == other.high));
        let sides: Vec<ResultDirection> = possible.iter().map(|range| side(range, stated.value)).collect();
        let agree = sides.windows(2).all(|two| matches!(two, [one, other] if one == other));
        match possible.first() {
            Some(range) if alike => infer(&mut result, range, stated.value),
            Some(range) if agree => {
                result.direction = side(range, stated.value);
                result.critical = possible.iter().all(|range| range.is_critical(stated.value));
            }
            Some(_) => {}
            None => return None,
        }
    }
    result.second = stated.second.filter(|low| result.is_of("blood pressure") && *low > 0.0 && *low < stated.value);
    // A diastolic pressure counts where the systolic says nothing.
    let is_pressure = result.is_of("blood pressure") && result.direction == ResultDirection::Normal;
    if stated.second.is_some_and(|low| is_pressure && low >= 90.0 && low < stated.value) {
        result.direction = ResultDirection::High;
    }
    if stated.second.is_some_and(|low| result.is_of("blood pressure") && (120.0..stated.value).contains(&low)) {
        result.critical = true;
    }
    Some(result)
}

/// A fraction of one in percent, where the test is given in percent and no other unit fits: "saturation 0.28".
fn fraction(analyte: &Analyte, stated: &Stated) -> Option<Stated> {
    let is_share = analyte.ranges.iter().any(|range| range.unit == "%" && range.low >= IN_FULL);
    let is_written = stated.unit.starts_with(|c: char| c.is_alphanumeric() || c == '%');
    let is_fraction = stated.value > 0.0 && stated.value <= 1.0 && !is_written;
    let fits_other = analyte.ranges.iter().any(|range| range.is_possible(stated.value));
    (is_share && is_fraction && !fits_other).then(|| Stated { value: stated.value * 100.0, second: None, unit: "%".to_owned() })
}

fn infer(result: &mut Measured, range: &'static Range, value: f64) {
    decide(result, range, value);
    result.unit = (!range.unit.is_empty()).then_some(range.unit.as_str());
    result.unit_inferred = result.unit.is_some();
}

pub(super) fn decide(result: &mut Measured, range: &Range, value: f64) {
    result.direction = side(range, value);
    result.critical = range.is_critical(value);
}

fn side(range: &Range, value: f64) -> ResultDirection {
    if value < range.low {
        ResultDirection::Low
    } else if value > range.high {
        ResultDirection::High
    } else if range.is_doubtful(value) {
        ResultDirection::Unknown
    } else {
        ResultDirection::Normal
    }
}

/// Decides values that could be of several units by the units of the others, where those agree.
pub(super) fn decide_units(results: &mut [Measured]) {
    let system = |result: &Measured| {
        let unit = result.unit?;
        let ranges = &result.analyte.ranges;
        // A unit says something only where there was a choice.
        let choice = ranges.iter().any(Range::is_si) && ranges.iter().any(|range| !range.is_si());
        ranges.iter().find(|range| range.unit == unit).filter(|_| choice).map(Range::is_si)
    };
    let systems: Vec<bool> = results.iter().filter_map(system).collect();
    let Some(si) = systems.first().copied().filter(|first| systems.iter().all(|other| other == first)) else { return };
    for result in results.iter_mut().filter(|result| result.unit.is_none() && result.value.is_some()) {
        let value = result.value.unwrap_or_default();
        let analyte = result.analyte;
        if let Some(range) = analyte.ranges.iter().find(|range| range.is_si() == si && !range.unit.is_empty() && range.is_possible(value)) {
            infer(result, range, value);
        }
    }
}
