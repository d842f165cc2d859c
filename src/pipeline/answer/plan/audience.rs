//! Whom a part of a text is about: "Men and after the menopause: endoscopy" is not said of a toddler, "infant: the same day" not of a grown-up.
//!
//! Only a part that begins with such words and a colon is left out, up to the next semicolon or full stop, and only where the case says that the patient is
//! somebody else. A text that would be empty is told as it is.
//!
//! The labels are in `assets/audience.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::language::word_list::WordList;
use crate::run::{CasePatient, PatientSex};

/// Months in a year.
const YEAR: u16 = 12;
/// From this age on, in months, nobody is a child; below it, nobody is grown up.
const GROWN_UP: u16 = 18 * YEAR;
const NO_ADULT: u16 = 12 * YEAR;
/// Below this age no woman has had her menopause, as a rule; from that one on none is pregnant, and below the third none either.
const MENOPAUSE: u16 = 45 * YEAR;
const PAST_CHILDBEARING: u16 = 58 * YEAR;
const CHILDBEARING: u16 = 9 * YEAR;
/// From this age on somebody is old, and below that one nobody is.
const NOT_OLD: u16 = 50 * YEAR;

/// Labels, by whom they name.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Labels {
    men: WordList,
    women: WordList,
    men_and_after_menopause: WordList,
    after_menopause: WordList,
    pregnant: WordList,
    babies: WordList,
    children: WordList,
    boys: WordList,
    teenagers: WordList,
    adults: WordList,
    old: WordList,
}

static LABELS: LazyLock<Labels> = LazyLock::new(|| toml::from_str(include_str!("../../../../assets/audience.toml")).unwrap_or_default());

/// A text without the parts that are about somebody else than the patient.
pub(super) fn fitting(text: &str, patient: &CasePatient) -> String {
    let parts = parts(text);
    let kept: Vec<&Part<'_>> =
        parts.iter().filter(|part| !part.label().is_some_and(|label| is_another(&label.to_lowercase(), patient))).collect();
    if kept.is_empty() || kept.len() == parts.len() {
        return text.to_owned();
    }
    let mut said = String::new();
    for (number, part) in kept.iter().enumerate() {
        let begins = number == 0 || kept.get(number - 1).is_some_and(|before| before.ends_sentence());
        let words = part.words.trim_start();
        let space = if said.is_empty() || words.chars().next().is_some_and(|first| !first.is_ascii()) { "" } else { " " };
        said.push_str(space);
        // What began a sentence may now go on with a semicolon before it, or the other way round.
        let mut letters = words.chars();
        match letters.next() {
            Some(first) if begins => said.extend(first.to_uppercase().chain(letters)),
            _ => said.push_str(words),
        }
        match part.end {
            Some(end) if number + 1 < kept.len() || end != ';' && end != '；' => said.push(end),
            Some('；') => said.push('。'),
            Some(_) => said.push('.'),
            None => {}
        }
    }
    said
}

/// A part of a text, and the sign behind it.
struct Part<'a> {
    words: &'a str,
    end: Option<char>,
}

impl<'a> Part<'a> {
    /// The words before the first colon.
    fn label(&self) -> Option<&'a str> {
        self.words.split_once([':', '：']).map(|(label, _)| label.trim())
    }

    fn ends_sentence(&self) -> bool {
        matches!(self.end, Some('.' | '。'))
    }
}

/// The parts of a text: up to a semicolon, or a full stop before a space or the end ("0.5 mg" has none).
fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut all, mut begin) = (Vec::new(), 0);
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let next = signs.peek().map(|(_, next)| *next);
        let ends = matches!(sign, ';' | '；' | '。') || sign == '.' && next.is_none_or(|next| next == ' ');
        if ends {
            all.extend(text.get(begin..at).map(|words| Part { words, end: Some(sign) }));
            begin = at + sign.len_utf8();
        }
    }
    all.extend(text.get(begin..).filter(|words| !words.trim().is_empty()).map(|words| Part { words, end: None }));
    all
}

/// Whether words with which a part begins name somebody who the patient surely is not.
fn is_another(label: &str, patient: &CasePatient) -> bool {
    let (from, to) = patient.age_months.map_or((0, u16::MAX), |age| (age.from, age.to));
    let is_told = patient.age_months.is_some();
    let is = |sex| patient.sex == Some(sex);
    let is_with_child = patient.is_pregnant_or_postpartum() || patient.breastfeeding;
    let is_grown = is_told && from >= GROWN_UP;
    let among = |list: &WordList| list.has(label);
    if among(&LABELS.men_and_after_menopause) {
        return is_with_child || is_told && to < GROWN_UP || is(PatientSex::Female) && is_told && to < MENOPAUSE;
    }
    if among(&LABELS.after_menopause) {
        return is(PatientSex::Male) || is_with_child || is_told && to < MENOPAUSE;
    }
    if among(&LABELS.men) {
        return is(PatientSex::Female) || is_with_child;
    }
    if among(&LABELS.women) {
        return is(PatientSex::Male);
    }
    if among(&LABELS.pregnant) {
        return !is_with_child && (is(PatientSex::Male) || is_told && (to < CHILDBEARING || from >= PAST_CHILDBEARING));
    }
    if among(&LABELS.boys) {
        return is(PatientSex::Female) || is_grown;
    }
    if among(&LABELS.babies) {
        // Of a child of whom only the birth is told, or a mother, the baby may be meant.
        return !is_with_child && is_told && from >= 3 * YEAR;
    }
    if among(&LABELS.children) || among(&LABELS.teenagers) {
        return !is_with_child && is_grown;
    }
    if among(&LABELS.adults) {
        return is_told && to < NO_ADULT;
    }
    if among(&LABELS.old) {
        return is_told && to < NOT_OLD;
    }
    let years =
        |word: &str| label.strip_prefix(word).and_then(|years| years.trim().parse::<u16>().ok()).and_then(|years| years.checked_mul(YEAR));
    match (years("over "), years("under ")) {
        (Some(least), _) => is_told && to < least,
        (_, Some(most)) => is_told && from >= most,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::AgeMonths;

    #[test]
    fn the_list_is_valid() {
        toml::from_str::<Labels>(include_str!("../../../../assets/audience.toml")).expect("valid");
    }

    fn aged(years: u16, sex: Option<PatientSex>) -> CasePatient {
        let months = years * YEAR;
        CasePatient { age_months: Some(AgeMonths { from: months, to: months + 11 }), sex, ..CasePatient::default() }
    }

    #[test]
    fn what_is_about_somebody_else_is_not_said() {
        let text = "Men and after the menopause: endoscopy referral within two weeks; chest pain or breathlessness: same day.";
        let short = "Chest pain or breathlessness: same day.";
        assert_eq!(fitting(text, &aged(1, None)), short);
        assert_eq!(fitting(text, &aged(33, Some(PatientSex::Female))), short);
        for patient in [aged(60, Some(PatientSex::Male)), aged(52, Some(PatientSex::Female)), aged(33, None), CasePatient::default()] {
            assert_eq!(fitting(text, &patient), text);
        }
        assert_eq!(fitting("男性和绝经后：两周内转内镜；胸痛或气促当日。", &aged(1, None)), "胸痛或气促当日。");
        assert_eq!(fitting("Rest. Child: think of abuse. Night pain: see today", &aged(40, None)), "Rest. Night pain: see today");
        assert_eq!(fitting("Rest; over 50: DXA", &aged(30, None)), "Rest.");
        assert_eq!(
            fitting("Pregnant: eclampsia, magnesium. Isoniazid: pyridoxine", &aged(30, Some(PatientSex::Male))),
            "Isoniazid: pyridoxine"
        );
    }

    #[test]
    fn what_may_be_about_the_patient_is_said() {
        let mother = CasePatient { breastfeeding: true, ..aged(30, Some(PatientSex::Female)) };
        for (text, patient) in [
            ("Infant: same day; drowsy or blue: emergency services.", mother),
            ("Infant: same day.", aged(40, None)),
            ("Pregnant: specialist at once", aged(30, Some(PatientSex::Female))),
            ("Under 35: sexual infection. Shivering: hospital", aged(20, Some(PatientSex::Male))),
            ("Give 0.5 of it; fever over 39: today", aged(40, None)),
        ] {
            assert_eq!(fitting(text, &patient), text, "{text}");
        }
    }
}
