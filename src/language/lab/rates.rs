//! Breaths, heartbeats and saturations whose name stands behind the number or further off: "breathing 6 a minute", "42 bpm", "92 % on air",
//! "呼吸6次/分".

use super::analytes::{Analyte, named_at};
use super::value::{Stated, measured};
use super::{Measured, gap};
use crate::language::recognise::Span;
use crate::run::ResultDirection;
use crate::text::{Token, word};

/// How many words before a rate may tell of what it is.
const WITHIN: usize = 8;
/// Words for breathing and for the heart.
const BREATHING: [&str; 11] =
    ["breathing", "breaths", "breath", "breathes", "breathe", "respirations", "respiration", "resps", "respiratory", "panting", "呼吸"];
const BEATING: [&str; 10] = ["heart", "hearts", "heartbeat", "heartbeats", "beats", "beating", "pulse", "心跳", "心率", "脉搏"];
/// Words with which something else is counted: pauses, coughs, puffs.
const OF_ELSE: [&str; 14] =
    ["stops", "stopped", "stopping", "pauses", "paused", "pause", "holds", "coughs", "coughing", "gasps", "misses", "skips", "停", "咳"];
/// Words beside the number of heartbeats that somebody reaches when he exerts himself, or is to reach.
const OF_EXERCISE: [&str; 10] = ["treadmill", "gym", "workout", "target", "maximum", "max", "zone", "reach", "reaches", "hits"];
/// Of whom the limits of adults do not hold, and how often they may breathe in a minute.
const OF_NEWBORN: std::ops::Range<f64> = 20.0..60.0;
const NEWBORN: [&str; 12] =
    ["newborn", "neonate", "neonatal", "baby", "babys", "infant", "toddler", "fetal", "foetal", "fetus", "ctg", "婴"];
/// Names of fast rhythms, behind which a bare number is how fast the heart beats: "AF 168", "SVT at 190", "sinus tachy 130".
const RHYTHMS: [&str; 10] = ["af", "afib", "fibrillation", "flutter", "svt", "psvt", "tachy", "tachycardia", "vt", "rvr"];
const RHYTHMS_CHINESE: [&str; 4] = ["房颤", "房扑", "室速", "上速"];
/// What may stand between such a name and the number, and the word that says that it is a rate.
const TO_RATE: [&str; 15] =
    ["at", "rate", "rates", "of", "with", "a", "vent", "ventricular", "around", "about", "approx", "running", "going", "fast", "now"];
/// The most such words.
const RATE_WITHIN: usize = 5;
/// Slower than this, a bare number behind a rhythm may be an age or a year of onset.
const FAST: f64 = 100.0;
const SLOWEST: f64 = 30.0;
const FASTEST: f64 = 300.0;
/// What is counted, between a number and its minute.
const COUNTED: [&str; 5] = ["times", "breaths", "resps", "beats", "次"];

/// What a rate is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rate {
    Breaths,
    Heartbeats,
    Saturation,
}

impl Rate {
    fn analyte(self) -> Option<&'static Analyte> {
        let name = match self {
            Self::Breaths => "respiratory rate",
            Self::Heartbeats => "pulse",
            Self::Saturation => "oxygen saturation",
        };
        named_at(name, &crate::text::tokenise(name), 0).map(|(analyte, ..)| analyte)
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Breaths => "/min",
            Self::Heartbeats => "bpm",
            Self::Saturation => "%",
        }
    }
}

/// Whether this word, or the two Chinese characters there, are one of some words.
fn is_one_of(words: &[&str], tokens: &[Token], at: usize) -> bool {
    let two = [word(tokens, at), word(tokens, at + 1)].concat();
    let is_chinese = tokens.get(at).is_some_and(|token| token.cjk);
    words.contains(&word(tokens, at)) || is_chinese && words.contains(&two.as_str())
}

/// One past the words behind token `at` that say "a minute", with what is counted before them.
fn per_minute<'t>(text: &str, tokens: &'t [Token], number: usize) -> Option<(usize, &'t str)> {
    let at = number + 1;
    let counted = Some(word(tokens, at)).filter(|counted| COUNTED.contains(counted) || *counted == "bpm");
    if counted == Some("bpm") {
        return Some((at + 1, "beats"));
    }
    let at = at + usize::from(counted.is_some());
    let is_minute = |at: usize| matches!(word(tokens, at), "minute" | "minutes" | "min" | "mins" | "分");
    let is_per = matches!(word(tokens, at), "a" | "per" | "each" | "every" | "每");
    let is_split = at.checked_sub(1).is_some_and(|before| gap(text, tokens, before).contains('/'));
    let past = match () {
        () if is_per && is_minute(at + 1) => at + 2,
        () if is_split && is_minute(at) => at + 1,
        // 呼吸40次分
        () if counted == Some("次") && word(tokens, at) == "分" => at + 1,
        () => return None,
    };
    // 分钟
    Some((past + usize::from(word(tokens, past) == "钟"), counted.unwrap_or_default()))
}

/// Where Chinese says "a minute" before the number: 每分钟40次.
fn led_by_minute(tokens: &[Token], number: usize) -> bool {
    let before: String = tokens.get(number.saturating_sub(3)..number).unwrap_or_default().iter().map(|token| token.text.as_str()).collect();
    before.ends_with("每分钟") || before.ends_with("每分")
}

/// What a rate at a token is of, by what is counted or the nearest word before.
fn rate_of(tokens: &[Token], number: usize, counted: &str) -> Option<Rate> {
    match counted {
        "breaths" | "resps" => return Some(Rate::Breaths),
        "beats" => return Some(Rate::Heartbeats),
        _ => {}
    }
    let before = || (number.saturating_sub(WITHIN)..number).rev();
    if before().any(|at| is_one_of(&OF_ELSE, tokens, at)) {
        return None;
    }
    before().find_map(|at| {
        if is_one_of(&BREATHING, tokens, at) { Some(Rate::Breaths) } else { is_one_of(&BEATING, tokens, at).then_some(Rate::Heartbeats) }
    })
}

/// Whether a percentage is a saturation: "92 % sats", "88% on room air".
fn is_saturation(text: &str, tokens: &[Token], number: usize) -> Option<usize> {
    let behind = number + 1;
    let is_percent = gap(text, tokens, number).trim_start().starts_with(['%', '％']);
    if !is_percent || tokens.get(behind).is_none_or(|token| token.after_break) {
        return None;
    }
    match (word(tokens, behind), word(tokens, behind + 1), word(tokens, behind + 2)) {
        ("sats" | "saturation" | "saturations" | "spo2" | "sat", ..) => Some(behind + 1),
        ("on", "air" | "ra", _) => Some(behind + 2),
        ("on", "room", "air") => Some(behind + 3),
        _ => None,
    }
}

/// Whether the number at a token is the rate of a rhythm that is named before it: "AF 168", "SVT with a rate of 190". A dose, a pressure or an age has a unit
/// or a slash, or is no fast rate.
fn is_rate_of_rhythm(text: &str, tokens: &[Token], number: usize, value: f64) -> bool {
    let Some(stated) = Stated::at(text, tokens, number) else { return false };
    let is_bare = stated.second.is_none() && !stated.unit.starts_with(['/', '%', '-', '+', '.']);
    let unit: String = stated.unit.chars().take_while(|c| c.is_alphanumeric()).collect();
    let is_other = matches!(
        unit.as_str(),
        "y" | "m" | "f" | "ms" | "joules" | "j" | "kg" | "cm" | "mmhg" | "patients" | "people" | "weekly" | "systolic"
    );
    let mut says_rate = false;
    for at in (number.saturating_sub(RATE_WITHIN)..number).rev() {
        let next = at + 1;
        if tokens.get(next).is_some_and(|token| token.after_break) || gap(text, tokens, at).contains(['(', ')', ':']) {
            return false;
        }
        let is_chinese = at.checked_sub(1).is_some_and(|before| is_one_of(&RHYTHMS_CHINESE, tokens, before));
        if RHYTHMS.contains(&word(tokens, at)) || is_chinese {
            let least = if says_rate { SLOWEST } else { FAST };
            return is_bare && !is_other && (least..=FASTEST).contains(&value) && value.fract() == 0.0;
        }
        if !TO_RATE.contains(&word(tokens, at)) {
            return false;
        }
        says_rate |= matches!(word(tokens, at), "rate" | "rates" | "ventricular" | "vent");
    }
    false
}

/// The results of a text that stand before their name or far behind it.
pub(super) fn rates(text: &str, tokens: &[Token], known: &[Measured]) -> Vec<Measured> {
    let is_known = |at: usize| known.iter().any(|result| (result.span.first..result.span.last).contains(&at));
    let read = |at: usize| {
        let value: f64 = word(tokens, at).parse().ok().filter(|value: &f64| value.is_finite())?;
        if is_known(at) {
            return None;
        }
        let (rate, last) = if let Some(last) = is_saturation(text, tokens, at) {
            (Rate::Saturation, last)
        } else if led_by_minute(tokens, at) && word(tokens, at + 1) == "次" {
            (rate_of(tokens, at, "")?, at + 2)
        } else if let Some((last, counted)) = per_minute(text, tokens, at) {
            (rate_of(tokens, at, counted)?, last)
        } else {
            (Rate::Heartbeats, is_rate_of_rhythm(text, tokens, at, value).then_some(at + 1)?)
        };
        let span = Span { first: at, last: last.min(tokens.len()) };
        let beside = at.saturating_sub(WITHIN)..(at + WITHIN).min(tokens.len());
        if rate == Rate::Heartbeats && beside.into_iter().any(|at| is_one_of(&OF_EXERCISE, tokens, at)) {
            return None;
        }
        // A newborn's heart beats twice as fast as an adult's, and so does he breathe.
        let is_usual = rate == Rate::Heartbeats || rate == Rate::Breaths && OF_NEWBORN.contains(&value);
        if is_usual && (0..tokens.len()).any(|at| is_one_of(&NEWBORN, tokens, at)) {
            return None;
        }
        let analyte = rate.analyte()?;
        let stated = Stated { value, second: None, unit: rate.unit().to_owned() };
        let is_possible = analyte.ranges.iter().any(|range| range.is_possible(value));
        measured(analyte, span, span, &stated).filter(|_| is_possible)
    };
    (0..tokens.len()).filter_map(read).filter(|result| result.direction != ResultDirection::Unknown).collect()
}

#[cfg(test)]
mod tests {
    use crate::language::lab::results;
    use crate::text::tokenise;

    fn read(text: &str) -> Vec<(&'static str, f64)> {
        results(text, &tokenise(text)).iter().filter_map(|result| Some((result.test(), result.value?))).collect()
    }

    #[test]
    fn a_rate_is_read_wherever_its_name_stands() {
        for (text, test, value) in [
            ("Breathing 6 a minute after morphine", "respiratory rate", 6.0),
            ("he's only breathing about 5 times a minute", "respiratory rate", 5.0),
            ("Respirations 8/min, pinpoint pupils", "respiratory rate", 8.0),
            ("taking 6 breaths per minute", "respiratory rate", 6.0),
            ("she is breathing really fast, about 44 times a minute", "respiratory rate", 44.0),
            ("呼吸6次/分，嗜睡", "respiratory rate", 6.0),
            ("呼吸每分钟8次", "respiratory rate", 8.0),
            ("Dizzy, 38 bpm", "pulse", 38.0),
            ("my heart is going 160 times a minute", "pulse", 160.0),
            ("心跳140次每分钟", "pulse", 140.0),
            ("88% on room air, wheezy", "oxygen saturation", 88.0),
            ("Breathless with 86 % sats", "oxygen saturation", 86.0),
            ("AF 168, sweating", "pulse", 168.0),
            ("Fast AF at 150", "pulse", 150.0),
            ("SVT with a rate of 190", "pulse", 190.0),
            ("sinus tachy 130", "pulse", 130.0),
            ("AF rate 60, well", "pulse", 60.0),
        ] {
            assert_eq!(read(text), [(test, value)], "{text}");
        }
    }

    #[test]
    fn what_else_is_counted_is_no_rate() {
        for text in [
            "He stops breathing 6 times a minute",
            "Breathing badly for 6 minutes",
            "Coughing 10 times a minute",
            "contractions every 3 minutes",
            "50% glucose, 20 ml a minute",
            "Breathing exercises 3 times a day",
            "60% on oxygen therapy recover",
            "On the treadmill I reach 165 bpm at 30 years old",
            "Newborn just delivered, heart going 110 a minute",
            "AF 78 year old",
            "AF, 150 mg of dabigatran",
            "AF on amiodarone 200 mg",
            "diagnosed with AF at 66",
            "DC shock for AF 150 J",
            "AF 2019, stroke 2021",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
    }
}
