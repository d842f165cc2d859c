//! Tests that were done again, in whatever sentence: "K 6.6, sample haemolysed. Repeat K 4.2", "血钾6.6，溶血，复查4.2". The later value counts,
//! and of a spoiled sample and a good one the good one, whichever is told first.

use super::analytes::Analyte;
use super::series::Before;
use super::specimen::is_of_other_fluid;
use super::value::Stated;
use super::{Measured, gap};
use crate::text::Token;

/// Words that say that a test was done again.
const AGAIN: [&str; 13] = [
    "repeat",
    "repeats",
    "repeated",
    "rpt",
    "rptd",
    "recheck",
    "rechecked",
    "redone",
    "retest",
    "retested",
    "resent",
    "resample",
    "resampled",
];
const AGAIN_CHINESE: [&str; 9] = ["复查", "复测", "复检", "重测", "重查", "重抽", "再查", "再测", "再抽"];
/// Words that say that a value is the one of now; they count close to it.
const NOW: [&str; 6] = ["now", "today", "todays", "currently", "latest", "newest"];
const NOW_CHINESE: [&str; 6] = ["现在", "目前", "今天", "今日", "今早", "最新"];
const NOW_WITHIN: usize = 3;
/// Words that say that a sample is of no use; those of haemolysis only beside the sample.
const SPOILED: [&str; 18] = [
    "haemolysed",
    "hemolysed",
    "haemolyzed",
    "hemolyzed",
    "clotted",
    "contaminated",
    "contamination",
    "spurious",
    "spuriously",
    "artefact",
    "artefactual",
    "artifact",
    "artifactual",
    "lipaemic",
    "lipemic",
    "mislabelled",
    "pseudohyperkalaemia",
    "pseudohyperkalemia",
];
const HAEMOLYSIS: [&str; 2] = ["haemolysis", "hemolysis"];
const SPOILED_CHINESE: [&str; 5] = ["溶血", "污染", "凝固", "凝块", "误差"];
/// What may stand between an earlier value and the word for doing it again, besides what says that it was spoiled; and behind that word.
const OF_SAMPLE: &str = "sample specimen samples bloods blood routine urgent was is were the a but drip arm taken tube lab mmol l umol g dl mg iu on by this of \
    from and likely probably query 标 本 样 溶 血 污 染 考 虑 后";
const LEADS: &str = "sample samples specimen bloods blood urgent venous gas vbg abg lab formal level value result results is was came back as now today \
    later hour hours h hr hrs min mins minutes day days showed shows of the a 查 测 检 抽 为 是 示 显 结 果 标 本 已 降 至 到 升 了";
/// The most tokens from a value to one that was measured again.
const WITHIN: usize = 14;
/// Behind a number, these say how often or when.
const NO_VALUE: [&str; 10] = ["hourly", "hrly", "daily", "weekly", "monthly", "am", "pm", "th", "x", "times"];
/// Tests of which a later value takes nothing from an earlier one: what was so low, or so hot, asks for help though it is treated.
const STAYS: [&str; 3] = ["temperature", "oxygen saturation", "GCS"];

/// Whether a later value of a test takes nothing from an earlier one.
pub(super) fn has_stays(analyte: &Analyte) -> bool {
    analyte.names.first().is_some_and(|name| STAYS.contains(&name.as_str()))
}

/// The value, without its test's name, to which the one at token `at` came when it was measured again: "K 6.6 (haemolysed), repeat 4.2".
pub(super) fn repeated_to(text: &str, tokens: &[Token], at: usize, (end, analyte): (usize, &Analyte)) -> Option<(usize, Stated)> {
    if has_stays(analyte) {
        return None;
    }
    let (mut leads, mut sentences) = (false, 0);
    let is_in = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    for next in at + 1..end.min(at + 1 + WITHIN) {
        let joint = gap(text, tokens, next - 1);
        let is_end = ends_sentence(joint);
        sentences += usize::from(is_end);
        if (is_end && leads) || sentences > 1 || joint.contains('\n') {
            return None;
        }
        let word = tokens.get(next)?.text.as_str();
        let is_part = matches!(joint, "/" | "^");
        if word.starts_with(|c: char| c.is_ascii_digit()) && !is_part {
            if !leads {
                return None;
            }
            let behind = gap(text, tokens, next);
            let follows = tokens.get(next + 1).map_or("", |token| token.text.as_str());
            if let Some(stated) = Stated::at(text, tokens, next) {
                let is_time = behind.starts_with(':') && !behind.ends_with(' ') || NO_VALUE.contains(&follows) && behind.trim().is_empty();
                let is_time = is_time || stated.unit.starts_with("am") || stated.unit.starts_with("pm");
                let is_pair = stated.second.is_some() && gap(text, tokens, at) != "/";
                return (!is_time && !is_pair).then_some((next, stated));
            }
            // "Repeat 2h later 4.2".
            continue;
        }
        if is_again(tokens, next) {
            leads = true;
        } else if (leads && !is_in(LEADS, word)) || (!leads && !is_part && !is_in(OF_SAMPLE, word) && !is_spoiling(tokens, next)) {
            return None;
        }
    }
    None
}

/// Leaves of two values of one test that which counts, where one was measured again or its sample was spoiled.
pub(super) fn keep_latest(text: &str, tokens: &[Token], results: &mut Vec<Measured>) {
    let mut number = 1;
    while number < results.len() {
        match replaced(text, tokens, results, number) {
            // The one that is told first goes; the other is looked at again, as it may replace more.
            Some((old, new)) => {
                let (span, value, before) = results.get(old).map_or((None, None, None), |old| (Some(old.span), old.value, old.earlier));
                if let Some(result) = results.get_mut(new) {
                    let was = value.filter(|_| old < new).map(Before::of);
                    let earlier = [was, before, result.earlier].into_iter().flatten().reduce(Before::with);
                    (result.replaces, result.earlier) = (span, earlier);
                }
                results.remove(old);
                number = number.max(2) - 1;
            }
            None => number += 1,
        }
    }
}

/// Which result gives way to which, where the one with this number is of the same test as one before it.
fn replaced(text: &str, tokens: &[Token], results: &[Measured], number: usize) -> Option<(usize, usize)> {
    let later = results.get(number).filter(|later| is_replaceable(text, tokens, later))?;
    let is_same = |other: &Measured| std::ptr::eq(other.analyte, later.analyte) && other.unit == later.unit;
    let before = (0..number).rev().find(|at| results.get(*at).is_some_and(is_same))?;
    let earlier = results.get(before).filter(|earlier| is_replaceable(text, tokens, earlier))?;
    let least = number.checked_sub(1).and_then(|at| results.get(at)).map_or(0, |result| result.span.last);
    // Where the words of the later one begin: with its sentence, or where it says that it was done again.
    // What stands in the clause of the earlier value is said of that: "K 6.6 today, K 4.2 yesterday".
    let breaks = |at: &usize| tokens.get(*at).is_some_and(|token| token.after_break);
    let clause = (earlier.span.last..=later.name.first).find(breaks).unwrap_or(earlier.span.last);
    let sentence = sentence_start(text, tokens, later.name.first, earlier.span.last).max(clause);
    let from_least = sentence.max(least);
    let again = (sentence..later.span.last).find(|at| is_again(tokens, *at));
    // "K 6.6, sample haemolysed, K 4.2": what stands between belongs to the earlier one.
    let is_one_sentence = sentence_start(text, tokens, later.name.first, earlier.span.last) == earlier.span.last;
    let begin = again.unwrap_or(if is_one_sentence { later.name.first } else { from_least });
    let past = before.checked_sub(1).and_then(|at| results.get(at)).map_or(0, |result| result.span.last);
    let begin_of_earlier = sentence_start(text, tokens, earlier.name.first, past);
    let end = sentence_end(text, tokens, later.span.last, results.get(number + 1).map_or(tokens.len(), |next| next.span.first));
    let is_spoiled = |from: usize, to: usize| (from..to).any(|at| is_spoiling(tokens, at));
    let (old_is_spoiled, new_is_spoiled) = (is_spoiled(begin_of_earlier, begin.max(earlier.span.last)), is_spoiled(begin, end));
    let near = later.name.first.saturating_sub(NOW_WITHIN).max(from_least)..later.span.last;
    let behind = later.span.last..end.min(later.span.last + NOW_WITHIN);
    let is_now = is_now_at(tokens, sentence) || near.chain(behind.clone()).any(|at| is_now_at(tokens, at));
    let is_again_behind = behind.clone().any(|at| is_again(tokens, at));
    match (old_is_spoiled, new_is_spoiled) {
        (true, false) => Some((before, number)),
        (false, true) => (begin_of_earlier..earlier.span.last).any(|at| is_again(tokens, at)).then_some((number, before)),
        (true, true) => None,
        (false, false) => (again.is_some() || is_again_behind || is_now).then_some((before, number)),
    }
}

/// Whether a result is a value that another of the same test may replace.
fn is_replaceable(text: &str, tokens: &[Token], result: &Measured) -> bool {
    const POSTURES: [&str; 8] = ["lying", "standing", "sitting", "supine", "erect", "stood", "left", "right"];
    let near = tokens.get(result.span.first.saturating_sub(3)..tokens.len().min(result.span.last + 3)).unwrap_or_default();
    let has_posture = result.is_of("blood pressure") && near.iter().any(|token| POSTURES.contains(&token.text.as_str()));
    result.value.is_some() && !STAYS.iter().any(|test| result.is_of(test)) && !has_posture && !is_of_other_fluid(text, tokens, result)
}

fn two(tokens: &[Token], at: usize) -> String {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    [word(at), word(at + 1)].concat()
}

fn is_again(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    if token.cjk { AGAIN_CHINESE.contains(&two(tokens, at).as_str()) } else { AGAIN.contains(&token.text.as_str()) }
}

fn is_now_at(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    if token.cjk { NOW_CHINESE.contains(&two(tokens, at).as_str()) } else { NOW.contains(&token.text.as_str()) }
}

/// Whether a token says that a sample was of no use; not "not haemolysed", nor haemolysis that the patient has.
fn is_spoiling(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let before = |back: usize| at.checked_sub(back).map_or("", word);
    let is_denied =
        (1..=2).any(|back| matches!(before(back), "not" | "no" | "non" | "isnt" | "wasnt" | "without" | "无" | "未" | "非" | "没"));
    let is_sample = || (at.saturating_sub(3)..at + 4).any(|at| matches!(word(at), "sample" | "specimen" | "lab" | "tube"));
    let is_spoiled = match word(at) {
        "drip" => word(at + 1) == "arm",
        known if HAEMOLYSIS.contains(&known) => is_sample(),
        known if SPOILED.contains(&known) => true,
        _ => SPOILED_CHINESE.contains(&two(tokens, at).as_str()) && !matches!(word(at + 2), "性" | "病"),
    };
    is_spoiled && !is_denied
}

fn ends_sentence(joint: &str) -> bool {
    joint.contains(['.', ';', '?', '!', '。', '；', '？', '！', '\n'])
}

/// The first token of the sentence of a token, not before `least`.
fn sentence_start(text: &str, tokens: &[Token], at: usize, least: usize) -> usize {
    let ends = |before: &usize| ends_sentence(gap(text, tokens, *before));
    (least.saturating_sub(1)..at).rev().find(ends).map_or(least, |end| (end + 1).max(least))
}

/// One past the last token of the sentence that goes on at a token, not past `most`.
fn sentence_end(text: &str, tokens: &[Token], at: usize, most: usize) -> usize {
    (at..most).find(|next| next.checked_sub(1).is_some_and(|before| ends_sentence(gap(text, tokens, before)))).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::super::results;
    use crate::text::tokenise;

    fn values(text: &str) -> Vec<f64> {
        results(text, &tokenise(text)).into_iter().filter_map(|result| result.value).collect()
    }

    #[test]
    fn what_was_measured_again_counts() {
        for (text, value) in [
            ("K 6.9, haemolysed. Rpt K 4.4", 4.4),
            ("Potassium 7.1 from the drip arm. Lab sent another sample: potassium 4.0", 4.0),
            ("Potassium 6.8 this morning, well. Rechecked potassium 4.6", 4.6),
            ("K 6.7 (clotted specimen), repeat 4.3", 4.3),
            ("Hb 64 last week. Hb today 101", 101.0),
            ("sodium 118. Now sodium 127", 127.0),
            ("glucose 2.1 mmol/l. On repeat glucose 5.6 mmol/l", 5.6),
            ("血钾6.8，标本溶血。复查血钾4.1", 4.1),
            ("血钾6.8，溶血，复查4.1", 4.1),
            ("Repeat K 4.2, first K 6.9 haemolysed", 4.2),
            ("Hb 118 -> 71", 71.0),
            ("creat 95 last month, now 260", 260.0),
            ("potassium 4.1. Repeat potassium 6.9", 6.9),
        ] {
            assert_eq!(values(text), [value], "{text}");
        }
        let of_two = "Na 138, K 6.8, creat 80. Sample haemolysed. Repeat K 4.5";
        assert_eq!(values(of_two), [138.0, 80.0, 4.5]);
    }

    #[test]
    fn values_that_nothing_replaces_stay() {
        for (text, all) in [
            ("K 6.6. Repeat in 3 days", vec![6.6]),
            ("K 6.6, repeat 2 hourly", vec![6.6]),
            ("K 6.6 today, K 4.2 yesterday", vec![6.6, 4.2]),
            ("K 6.6, sample not haemolysed, K 6.4", vec![6.6, 6.4]),
            ("K 4.2. Repeat K 6.9, haemolysed", vec![4.2, 6.9]),
            ("sats 84% on air, now sats 95% on oxygen", vec![84.0, 95.0]),
            ("K 6.6 haemolysed", vec![6.6]),
            ("sodium 128. Repeat dose 2 g", vec![128.0]),
        ] {
            assert_eq!(values(text), all, "{text}");
        }
    }
}
