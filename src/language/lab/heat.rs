//! Temperatures that no name introduces: "39.5°C", "shivery 38.7", "晚上量38.5", "烧到38度5".

use super::analytes::{Analyte, named_at};
use super::value::{Stated, measured};
use super::{Measured, gap};
use crate::language::common_words::is_common;
use crate::language::recognise::Span;
use crate::run::ResultDirection;
use crate::text::Token;

/// Words that tell of a temperature: a number with one decimal soon behind one of them is one ("feels hot, thermometer under the arm says 38.4").
const HEAT: [&str; 18] = [
    "temp",
    "temperature",
    "fever",
    "pyrexia",
    "hot",
    "thermometer",
    "shivery",
    "shivering",
    "shivers",
    "feverish",
    "burning",
    "sweaty",
    "clammy",
    "rigor",
    "rigors",
    "chills",
    "flushed",
    "temps",
];
const HEAT_CHINESE: [&str; 4] = ["烫", "烧", "热", "温"];
/// How many words behind.
const HEAT_WITHIN: usize = 10;
/// The temperatures of a living body, in degrees Celsius.
const OF_BODY: std::ops::RangeInclusive<f64> = 34.0..=42.5;

/// Those that a Chinese word for measuring makes one.
const DIGITS_CHINESE: [&str; 10] = ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
const OF_CHINESE: std::ops::RangeInclusive<f64> = 35.0..=42.5;

/// Whether a number that nothing names can only be a temperature.
fn is_of_heat(text: &str, tokens: &[Token], at: usize, value: f64) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    let (digits, decimals) = token.text.split_once('.').unwrap_or((&token.text, ""));
    let is_number = digits.len() == 2 && decimals.len() == 1 && decimals.bytes().all(|byte| byte.is_ascii_digit());
    let begin = at.saturating_sub(HEAT_WITHIN);
    let begin = (begin..at)
        .rev()
        .find(|before| gap(text, tokens, *before).contains(['.', '?', '!', '。', '？', '！', '\n']))
        .map_or(begin, |end| end + 1);
    let tells = |token: &Token| {
        let word = token.text.as_str();
        if token.cjk { HEAT_CHINESE.contains(&word) } else { HEAT.contains(&word) }
    };
    is_number && OF_BODY.contains(&value) && tokens.get(begin..at).is_some_and(|before| before.iter().any(tells))
}

/// Words behind a number that count or measure something else.
const COUNTED: [&str; 18] = [
    "percent", "kilos", "kilo", "pounds", "stone", "inches", "feet", "miles", "weeks", "days", "hours", "years", "months", "minutes",
    "units", "times", "million", "tablets",
];

/// Whether an ordinary word stands behind a number, and no unit: "38.5 twice", "38.6 this morning". `behind`: the text there.
fn is_word(behind: &str) -> bool {
    let word = behind.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let is_ratio = behind.get(word.len()..).is_some_and(|rest| rest.starts_with('/'));
    word.len() > 2 && is_common(word) && !is_ratio && !COUNTED.contains(&word)
}

/// What stands right before a temperature that was measured or reached: 量, 测了, 烧到 …
const MEASURED_CHINESE: [&str; 12] = ["量", "量了", "量出", "量的", "量是", "测", "测了", "测得", "测出", "烧到", "烧至", "烧起"];
/// Characters before 量 and 测 with which they are amounts, and words of what else is measured in degrees.
const AMOUNTS: &str = "尿剂用饮食流酒水气血含奶肺运质重热能力数";
const OF_ELSE: [&str; 13] = ["头围", "腰围", "胸围", "臂围", "水温", "气温", "室温", "天气", "空调", "外面", "血压", "体重", "血糖"];
/// How many characters before.
const MEASURED_WITHIN: usize = 4;
const ELSE_WITHIN: usize = 8;

/// The temperature at token `at` that Chinese tells with 度 ("38度5", "38.5度") or behind a word for measuring, and one past its last token.
fn in_chinese(text: &str, tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let token = tokens.get(at)?;
    let value: f64 = token.text.parse().ok().filter(|value| OF_CHINESE.contains(value))?;
    let is_decimal = token.text.contains('.');
    let before: String = tokens.get(at.saturating_sub(ELSE_WITHIN)..at)?.iter().map(|token| token.text.as_str()).collect();
    if OF_ELSE.iter().any(|word| before.contains(word)) {
        return None;
    }
    let near: String = tokens.get(at.saturating_sub(MEASURED_WITHIN)..at)?.iter().map(|token| token.text.as_str()).collect();
    let is_measured = MEASURED_CHINESE.iter().any(|word| {
        let led = near.strip_suffix(word).map(|led| led.chars().next_back());
        led.is_some_and(|last| last.is_none_or(|last| !AMOUNTS.contains(last)))
    });
    let is_heat = || before.contains(['烧', '热', '烫', '温']);
    let behind = text.get(token.end..)?.trim_start();
    let Some(degrees) = behind.strip_prefix('度') else {
        let ends = behind.is_empty() || behind.starts_with(|c: char| "，。；、,.;!！?？了）) 的左以".contains(c));
        let is_reached = near.ends_with("烧到") || near.ends_with("烧至");
        return (is_measured && ends && (is_decimal || is_reached)).then_some((value, at + 1));
    };
    // "38度5"
    let tenth = degrees.chars().next().and_then(|c| c.to_digit(10)).filter(|_| !is_decimal);
    let is_more = |c: char| c.is_ascii_digit() || c == '.';
    match tenth {
        Some(tenth) if !degrees.chars().nth(1).is_some_and(is_more) => Some((value + f64::from(tenth) / 10.0, at + 3)),
        _ => (is_measured || is_heat()).then_some((value, at + 2)),
    }
}

/// The same in Chinese numerals: "三十八度五", "烧到四十度".
fn in_numerals(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let digit = |at: usize| DIGITS_CHINESE.iter().position(|digit| *digit == word(at)).map(|digit| digit as f64);
    let tens = digit(at).filter(|tens| (3.0..=4.0).contains(tens) && word(at + 1) == "十")?;
    let (ones, past) = digit(at + 2).map_or((0.0, at + 2), |ones| (ones, at + 3));
    let whole = tens * 10.0 + ones;
    if word(past) != "度" || !OF_CHINESE.contains(&whole) {
        return None;
    }
    let before: String = tokens.get(at.saturating_sub(ELSE_WITHIN)..at)?.iter().map(|token| token.text.as_str()).collect();
    if OF_ELSE.iter().any(|word| before.contains(word)) {
        return None;
    }
    let tenth = if word(past + 1) == "半" { Some(5.0) } else { digit(past + 1) };
    match tenth {
        Some(tenth) => Some((whole + tenth / 10.0, past + 2)),
        None => before.contains(['烧', '热', '烫', '量', '测']).then_some((whole, past + 1)),
    }
}

/// Temperatures that only their unit names, or what is told beside them: "39.5°C", "shivery 38.7".
pub(super) fn temperatures(text: &str, tokens: &[Token], known: &[Measured]) -> Vec<Measured> {
    let is_known = |at: usize| known.iter().any(|result| (result.span.first..result.span.last).contains(&at));
    let read = |at: usize| {
        if let Some((value, last)) =
            in_chinese(text, tokens, at).or_else(|| in_numerals(tokens, at)).filter(|(_, last)| !(at..*last).any(is_known))
        {
            let span = Span { first: at, last: last.min(tokens.len()) };
            return measured(tokenised_temperature()?, span, span, &Stated { value, second: None, unit: "c".to_owned() });
        }
        let mut stated = Stated::at(text, tokens, at)?;
        if is_word(&stated.unit) {
            stated.unit.clear();
        }
        let degrees = gap(text, tokens, at);
        let is_degree = degrees.starts_with('℃')
            || degrees.starts_with('°')
            || tokens.get(at)?.text.ends_with('c') && text.get(tokens.get(at)?.end..)?.is_empty();
        let named = tokenised_temperature()?;
        let span = Span { first: at, last: at + 1 };
        let has_no_unit = stated.unit.is_empty() || !stated.unit.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '%' | '/'));
        let is_told = is_degree || has_no_unit && (is_of_heat(text, tokens, at, stated.value) || is_bare(text, tokens, at, stated.value));
        measured(named, span, span, &stated).filter(|_| is_told && !is_known(at))
    };
    (0..tokens.len()).filter_map(read).filter(|result| result.direction != ResultDirection::Unknown).collect()
}

/// Degrees that a number alone may mean where a person is told of.
const BARE: std::ops::RangeInclusive<f64> = 37.5..=42.0;
/// Words for a person, and characters of Chinese ones.
const PERSONS: &str = "baby babys newborn neonate infant toddler son daughter child kid boy girl twin i im ive me my he hes she shes him her his we \
                       our it its mum mom mother dad father wife husband gran nan grandad grandma grandpa brother sister partner patient pt man \
                       woman male female yo";
const PERSONS_CHINESE: &str = "男女患孩宝婴娃儿我妈爸爷奶父母妻夫公婆她他岁龄";
/// What may stand between a person and the number: "she was still about 38.4", "is up to 38.4 now".
const LEADS: &str = "is was were are been be has had have got gets hit reached reads read says said measured showing shows runs running at to up of about \
                     around roughly nearly almost still now just only even and but so then today tonight yesterday last this that night morning afternoon \
                     evening old day days week weeks month months year years hour hours ago since with on a the again later s";
const LEADS_CHINESE: &str = "了到是为都又才就有还现今昨明天早晚上下午中夜晨里刚月周日点时后在一直";
/// Measures of which no value is a temperature: their names stand in the sentence.
const MEASURES: &str = "weight weighs weighed weighing weigh bmi waist circumference height tall head hct haematocrit hematocrit albumin score index ratio \
                        kg kilo kilos cm mm inches feet stone lb lbs cost costs paid price dose percent centile ofc pack units";

/// Behind a number they make it a dose.
const DOSING: &str = "daily once twice bd bid od tds tid qds qid mane nocte mg mcg ug ml tablet tablets each every";

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

/// Whether a number with one decimal is the temperature of a person though nothing names it: "my newborn is 38.5 since lunch", "3 weeks old, 38.3 under
/// the arm". Between the person, or the beginning of the clause, and the number nothing may stand that it could be a measure of.
fn is_bare(text: &str, tokens: &[Token], at: usize, value: f64) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    let (digits, decimals) = token.text.split_once('.').unwrap_or((&token.text, ""));
    let is_number = digits.len() == 2 && decimals.len() == 1 && decimals.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || !BARE.contains(&value) {
        return false;
    }
    // "72F".
    let is_sex =
        |word: &str| word.strip_suffix(['f', 'm']).is_some_and(|age| !age.is_empty() && age.bytes().all(|byte| byte.is_ascii_digit()));
    let is_person = |token: &Token| {
        if token.cjk { PERSONS_CHINESE.contains(&token.text) } else { is_in(PERSONS, &token.text) || is_sex(&token.text) }
    };
    let is_age = |token: &Token| token.text.starts_with(|c: char| c.is_ascii_digit()) && !token.text.contains('.');
    let may_lead = |token: &Token| is_age(token) || if token.cjk { LEADS_CHINESE.contains(&token.text) } else { is_in(LEADS, &token.text) };
    let ends = |before: usize| gap(text, tokens, before).contains(['.', '?', '!', '。', '？', '！', '\n']);
    let begin = (0..at).rev().find(|before| ends(*before)).map_or(0, |end| end + 1);
    let sentence = tokens.get(begin..at).unwrap_or_default();
    let written: String = sentence.iter().filter(|token| token.cjk).map(|token| token.text.as_str()).collect();
    let is_measure = sentence.iter().any(|token| is_in(MEASURES, &token.text)) || OF_ELSE.iter().any(|word| written.contains(word));
    // "Na 128, 38.5 …": a value beside others may be of a test that is not known. The age is no value.
    let is_list = (begin..at).any(|at| named_at(text, tokens, at).is_some());
    // "Venlafaxine, 37.5 twice daily".
    let is_dose = |token: &Token| is_in(DOSING, &token.text);
    let is_dosed = tokens.get(at + 1).is_some_and(|next| !next.after_break && is_dose(next));
    if is_measure || is_list || is_dosed || !tokens.iter().any(is_person) {
        return false;
    }
    let break_before =
        |at: usize| at == 0 || tokens.get(at).is_some_and(|token| token.after_break) || gap(text, tokens, at - 1).contains(['·', '|']);
    let mut first = at;
    while !break_before(first) && first.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(may_lead) {
        first -= 1;
    }
    break_before(first) || first.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(is_person)
}

fn tokenised_temperature() -> Option<&'static Analyte> {
    let tokens = crate::text::tokenise("temperature");
    named_at("temperature", &tokens, 0).map(|(analyte, ..)| analyte)
}

#[cfg(test)]
mod tests {
    use crate::text::tokenise;

    fn values(text: &str) -> Vec<f64> {
        let tokens = tokenise(text);
        super::super::results(text, &tokens).iter().filter(|result| result.is_of("temperature")).filter_map(|result| result.value).collect()
    }

    #[test]
    fn a_number_that_can_only_be_the_heat_of_a_person_is_one() {
        for (text, value) in [
            ("my 3 week old feels warm, 38.3 under the arm, otherwise feeding ok I think", 38.3),
            ("Baby is 10 days old and was 38.4 this morning, otherwise fine", 38.4),
            ("my newborn is 38.5 since lunch, 12 days old", 38.5),
            ("女 · 38.5", 38.5),
            ("宝宝20天，昨晚38.6，不怎么吃奶", 38.6),
            ("She has been up to 39.1 and is coughing", 39.1),
        ] {
            assert_eq!(values(text), [value], "{text}");
        }
    }

    #[test]
    fn a_number_of_something_else_is_no_heat() {
        for text in [
            "her BMI is 38.5",
            "BMI 38.5, he wants to lose weight",
            "my albumin was 38.5",
            "Hct 38.5 in a man of 60",
            "she weighs 38.5 now",
            "weight: 38.5",
            "she is 38.5 weeks pregnant",
            "he has 38.5% burns",
            "I paid 38.5 for my tablets",
            "head circumference of my baby is 38.5",
            "zorbin 38.5 in a woman of 60",
            "我腰围38.5",
            "he is 38.5 kg",
            "the ratio of 38.5 worries me",
            "38.5 is a number",
        ] {
            assert!(values(text).is_empty(), "{text}: {:?}", values(text));
        }
    }
}
