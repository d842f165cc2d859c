//! Weeks of a pregnancy that no word beside them calls so: "34 weeks, BP 150/95, headache", "28F 18 weeks, spotting, rhesus negative".

use super::{Patient, Sex, reading};
use crate::language::lab::Measured;
use crate::text::Token;

/// What is told of pregnant women alone; the weeks that they tell; and the last word of a text at which these may stand.
const OF_PREGNANT: [&str; 12] =
    ["rhesus", "rh", "fundal", "fetal", "foetal", "fetus", "foetus", "liquor", "ctg", "booking", "placenta", "antenatal"];
const WEEKS_TOLD: std::ops::RangeInclusive<u8> = 4..=42;
const LATEST: usize = 4;

/// The weeks with which a text may begin that are of a pregnancy, and of no baby.
const OPENING: std::ops::RangeInclusive<u8> = 20..=42;
/// What only the mother has, and who else may be of so many weeks.
const OF_MOTHERS: [&str; 9] = ["bleeding", "bleed", "spotting", "waters", "contractions", "contracting", "tightenings", "placenta", "bump"];
const OF_BABIES: [&str; 10] = ["old", "he", "his", "him", "son", "daughter", "nappy", "gums", "nose", "ago"];

/// The weeks that a text begins with where a blood pressure is told and no age, or how the child moves: "34 weeks, BP 150/95, headache"
/// is of a pregnancy.
pub(super) fn opening_week(tokens: &[Token], patient: &Patient, results: &[Measured]) -> Option<(u8, bool)> {
    let [number, unit, rest @ ..] = tokens else { return None };
    let week = number.text.parse::<u8>().ok().filter(|week| OPENING.contains(week))?;
    let is_week = matches!(unit.text.as_str(), "week" | "weeks" | "wk" | "wks" | "w" | "周") && !unit.after_break;
    let ends = rest.first().is_some_and(|next| next.after_break);
    let is_measured = patient.age.is_none() && results.iter().any(|result| result.is_of("blood pressure"));
    let has = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.text.as_str()));
    // "38 weeks, bleeding and belly hard": no baby of that age bleeds.
    let is_told = has(&OF_MOTHERS) && !has(&OF_BABIES);
    let is_mother = is_measured || is_told || reading::Question { tokens }.is_of_unborn(0);
    (is_week && ends && is_mother).then_some((week, true))
}

/// The weeks right behind the age of a woman where something is told that only pregnant women have: "28F 18 weeks, spotting, rhesus negative".
pub(super) fn weeks_behind_age(tokens: &[Token], patient: &Patient) -> Option<(u8, bool)> {
    if patient.sex != Some(Sex::Female) || patient.age.is_none() {
        return None;
    }
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_told = tokens.iter().any(|token| OF_PREGNANT.contains(&token.text.as_str()));
    let is_week = |at: usize| matches!(word(at), "week" | "weeks" | "wk" | "wks" | "w");
    let week = |at: usize| word(at).parse::<u8>().ok().filter(|week| WEEKS_TOLD.contains(week));
    let ends = |at: usize| tokens.get(at).is_none_or(|next| next.after_break);
    let found = (1..=LATEST).find_map(|at| week(at).filter(|_| is_week(at + 1) && ends(at + 2)));
    found.filter(|_| is_told).map(|week| (week, true))
}
