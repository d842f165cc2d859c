//! Two blood pressures, one taken lying and the other standing: "lying/standing BP 140/80 -> 98/60", "卧位150/85，立位118/70"; or one of each arm: "R arm
//! 186/102, L arm 142/80".

use super::gap;
use crate::language::recognise::Span;
use crate::text::Token;

/// How far the systolic and the diastolic pressure must fall on standing, in mmHg, to be a postural hypotension.
const FALL: (f64, f64) = (20.0, 10.0);
/// Possible pressures.
const SYSTOLIC: std::ops::RangeInclusive<f64> = 40.0..=280.0;
const DIASTOLIC: std::ops::RangeInclusive<f64> = 15.0..=180.0;
/// Words for the two postures. Sitting counts as lying.
const LYING: [&str; 7] = ["lying", "supine", "laying", "recumbent", "sitting", "lie", "seated"];
const STANDING: [&str; 6] = ["standing", "stand", "erect", "upright", "stood", "tilt"];
const CHINESE: [(&str, &str, bool); 6] =
    [("卧", "位", true), ("平", "卧", true), ("坐", "位", true), ("立", "位", false), ("站", "立", false), ("直", "立", false)];
/// The most words between a posture and a pressure, or two pressures.
const WITHIN: usize = 8;

/// A pressure: its first token, and its two numbers.
type Pressure = (usize, f64, f64);

/// The words of two pressures that show a fall on standing.
pub(crate) fn postural_fall(text: &str, tokens: &[Token]) -> Option<Span> {
    let pressures: Vec<Pressure> = (0..tokens.len()).filter_map(|at| pressure_at(text, tokens, at)).collect();
    let postures: Vec<(usize, bool)> = (0..tokens.len()).filter_map(|at| Some((at, posture_at(tokens, at)?))).collect();
    pressures.windows(2).find_map(|two| {
        let [one, other] = two else { return None };
        let is_near = |at: usize| at + WITHIN >= one.0 && at <= other.0 + WITHIN;
        let mut near: Vec<bool> = postures.iter().filter(|(at, _)| is_near(*at)).map(|(_, lies)| *lies).collect();
        near.dedup();
        // The first pressure is that of the posture that is named first.
        let (lying, standing) = match near.as_slice() {
            [true, false] => (one, other),
            [false, true] => (other, one),
            _ => return None,
        };
        let falls = lying.1 - standing.1 >= FALL.0 || lying.2 - standing.2 >= FALL.1 && lying.1 > standing.1;
        (falls && other.0 <= one.0 + 2 + WITHIN).then_some(Span { first: one.0, last: other.0 + 2 })
    })
}

/// How far the systolic pressures of the two arms must differ to be unequal, in mmHg.
const ARMS_APART: f64 = 20.0;

/// The words of two pressures of the two arms that clearly differ.
pub(crate) fn unequal_arms(text: &str, tokens: &[Token]) -> Option<Span> {
    let pressures: Vec<Pressure> = (0..tokens.len()).filter_map(|at| pressure_at(text, tokens, at)).collect();
    let sides: Vec<(usize, bool)> = (0..tokens.len()).filter_map(|at| Some((at, side_at(tokens, at)?))).collect();
    pressures.windows(2).find_map(|two| {
        let [one, other] = two else { return None };
        let is_near = |at: usize| at + WITHIN >= one.0 && at <= other.0 + WITHIN;
        let near: Vec<bool> = sides.iter().filter(|(at, _)| is_near(*at)).map(|(_, right)| *right).collect();
        let are_both = near.contains(&true) && near.contains(&false);
        let is_one_pair = other.0 <= one.0 + 2 + WITHIN;
        (are_both && is_one_pair && (one.1 - other.1).abs() >= ARMS_APART).then_some(Span { first: one.0, last: other.0 + 2 })
    })
}

/// Whether a token names an arm, and whether it is the right one: "R arm", "left arm", 右上肢, "in the left" beside "right arm".
fn side_at(tokens: &[Token], at: usize) -> Option<bool> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_arm = |word: &str| matches!(word, "arm" | "arms" | "upper" | "brachial");
    let names_arm = || (0..tokens.len()).any(|at| is_arm(word(at)));
    let is_side = match word(at) {
        "右" | "左" => matches!(word(at + 1), "上" | "臂" | "侧"),
        "right" | "left" => names_arm(),
        "r" | "l" | "rt" | "lt" => is_arm(word(at + 1)),
        _ => false,
    };
    is_side.then(|| matches!(word(at), "右" | "right" | "r" | "rt"))
}

fn pressure_at(text: &str, tokens: &[Token], at: usize) -> Option<Pressure> {
    let number = |at: usize| tokens.get(at)?.text.parse::<f64>().ok();
    let (systolic, diastolic) = (number(at)?, number(at + 1)?);
    let is_one = gap(text, tokens, at) == "/" && SYSTOLIC.contains(&systolic) && DIASTOLIC.contains(&diastolic) && diastolic < systolic;
    is_one.then_some((at, systolic, diastolic))
}

/// Whether a token begins a word for lying, or for standing.
fn posture_at(tokens: &[Token], at: usize) -> Option<bool> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let chinese = CHINESE.iter().find(|(one, two, _)| *one == word(at) && *two == word(at + 1)).map(|(.., lies)| *lies);
    let english = || LYING.contains(&word(at)).then_some(true).or_else(|| STANDING.contains(&word(at)).then_some(false));
    chinese.or_else(english)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn pressures_of_two_arms_are_unequal_from_twenty_on() {
        let differ = |text: &str| unequal_arms(text, &tokenise(text)).is_some();
        for text in [
            "BP 190/100 R arm 150/85 L arm",
            "BP R arm 186/102, L arm 142/80",
            "BP 190/100 in the right arm, 150/85 in the left",
            "右上肢血压180/100，左上肢血压140/80",
        ] {
            assert!(differ(text), "{text}");
        }
        for text in [
            "BP R arm 146/82, L arm 142/80",
            "BP 190/100 yesterday, 150/85 now, pain in the left arm",
            "BP 190/100, left leg weak",
            "right arm weak, BP 190/100",
        ] {
            assert!(!differ(text), "{text}");
        }
    }

    #[test]
    fn a_fall_from_lying_to_standing_is_read_by_the_order_of_the_postures() {
        let falls = |text: &str| postural_fall(text, &tokenise(text)).is_some();
        for text in [
            "72F collapse, lying/standing BP 140/80 -> 98/60, on doxazosin",
            "BP 150/85 lying, 118/70 standing",
            "lying BP 138/82, standing BP 104/66",
            "standing BP 104/66, lying 138/82",
            "卧位血压150/85，立位118/70",
        ] {
            assert!(falls(text), "{text}");
        }
        for text in [
            "lying/standing BP 140/80 -> 132/78",
            "lying BP 98/60, standing BP 140/80",
            "BP 140/80 -> 98/60",
            "BP 190/100 in the right arm, 150/85 in the left",
            "BP 140/80 standing",
            "standing all day, BP 140/80 last week, 98/60 now",
        ] {
            assert!(!falls(text), "{text}");
        }
    }
}
