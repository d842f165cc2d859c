//! The patient's state as a case holds it: pregnancy with its week, breastfeeding, kidney and liver function, smoking.

use std::sync::LazyLock;

use serde::Deserialize;

use super::weeks::{opening_week, weeks_behind_age};
use super::{Age, FERTILE, GROWN_UP, Patient, Sex, reading};
use crate::language::lab::Measured;
use crate::language::phrase_table::{FoundPhrase, PhraseTable};
use crate::language::recognise::Span;
use crate::pipeline::understand::layout::gap;
use crate::pipeline::understand::scope::Scopes;
use crate::pipeline::understand::times::{chinese_number, number_of};
use crate::run::{AgeMonths, CasePatient, OrganFunction, PatientSex, Pregnancy, ResultDirection, Smoking};
use crate::text::Token;

/// The latest week of a pregnancy.
const LAST_WEEK: f64 = 45.0;
/// From this creatinine on, in µmol/l, an adult's filtration rate is below 30 ml/min at any age and of either sex; and µmol/l in a mg/dl.
const SEVERE_CREATININE: f64 = 300.0;
const CREATININE: f64 = 88.4;
/// How many words a word that makes a pregnancy doubtful may stand before it.
const DOUBT_WITHIN: usize = 4;

/// Words about the patient's state.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StateWords {
    pregnant: Vec<String>,
    not_before: Vec<String>,
    /// After these, the word of a pregnancy tells of a fear or a wish.
    not_told_after: Vec<String>,
    not_behind: Vec<String>,
    #[serde(deserialize_with = "crate::language::wordings::deserialize")]
    positive_test: Vec<String>,
    #[serde(deserialize_with = "crate::language::wordings::deserialize")]
    postpartum: Vec<String>,
    breastfeeding: Vec<String>,
    trimesters: Vec<Vec<String>>,
    renal: Vec<Vec<String>>,
    hepatic: Vec<Vec<String>>,
    smoking: Vec<Vec<String>>,
}

/// What a phrase says of the patient's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    Pregnant,
    PositiveTest,
    Postpartum,
    Breastfeeding,
    Trimester(u8),
    Renal(usize),
    Hepatic(usize),
    Smoking(usize),
}

static PHRASES: LazyLock<PhraseTable<Says>> = LazyLock::new(|| {
    let words = &reading::WORDS.state;
    let plain = [
        (&words.pregnant, Says::Pregnant),
        (&words.positive_test, Says::PositiveTest),
        (&words.postpartum, Says::Postpartum),
        (&words.breastfeeding, Says::Breastfeeding),
    ];
    let mut all: Vec<(&str, Says)> =
        plain.into_iter().flat_map(|(list, says)| list.iter().map(move |word| (word.as_str(), says))).collect();
    type Grade = fn(usize) -> Says;
    let graded: [(&Vec<Vec<String>>, Grade); 4] = [
        (&words.trimesters, |at| Says::Trimester(at as u8 + 1)),
        (&words.renal, Says::Renal),
        (&words.hepatic, Says::Hepatic),
        (&words.smoking, Says::Smoking),
    ];
    for (lists, says) in graded {
        all.extend(lists.iter().enumerate().flat_map(|(at, list)| list.iter().map(move |word| (word.as_str(), says(at)))));
    }
    PhraseTable::of(all)
});
static DOUBTS: LazyLock<[PhraseTable<()>; 2]> = LazyLock::new(|| {
    let words = &reading::WORDS.state;
    [&words.not_before, &words.not_behind].map(PhraseTable::of_phrases)
});

static NOT_TOLD: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(&reading::WORDS.state.not_told_after));

/// Whether a pregnancy at this place is a fear or a wish: "I can't be pregnant, I'm at university".
pub(in crate::pipeline::understand) fn is_no_pregnancy_told(tokens: &[Token], at: usize) -> bool {
    (at.saturating_sub(DOUBT_WITHIN)..at).filter_map(|first| NOT_TOLD.at(tokens, first)).any(|found| found.last == at)
}

/// Whether a span is only about smoking, which is the patient's and no drug.
pub(in crate::pipeline::understand) fn is_smoking(tokens: &[Token], span: Span) -> bool {
    let begin = span.first.saturating_sub(2);
    (begin..span.last)
        .filter_map(|at| PHRASES.at(tokens, at))
        .any(|found| matches!(found.means, Says::Smoking(_)) && found.first <= span.first && span.last <= found.last)
}

/// Whether a text says that the patient smokes now.
pub(in crate::pipeline::understand) fn smokes(tokens: &[Token], scopes: &Scopes) -> bool {
    smoking(&PHRASES.find_all(tokens), scopes) == Some(Smoking::Current)
}

/// "Ex-smoker" says more than "smoker"; "no smoking" is denied as a whole.
fn smoking(found: &[FoundPhrase<Says>], scopes: &Scopes) -> Option<Smoking> {
    let stated = |at: usize| !scopes.at(at).family && !scopes.at(at).absent;
    let said =
        found.iter().filter_map(|phrase| if let Says::Smoking(grade) = phrase.means { Some((grade, stated(phrase.first))) } else { None });
    said.max_by_key(|(grade, _)| *grade).map(|(grade, stated)| match (grade, stated) {
        (0, true) => Smoking::Current,
        (1, _) => Smoking::Former,
        _ => Smoking::Never,
    })
}

/// The patient of a case.
pub(in crate::pipeline::understand) fn read(
    patient: &Patient,
    text: &str,
    tokens: &[Token],
    scopes: &Scopes,
    results: &[Measured],
) -> CasePatient {
    let found = PHRASES.find_all(tokens);
    let stated = |at: usize| !scopes.at(at).family && !scopes.at(at).absent;
    let has = |says: Says| found.iter().any(|phrase| phrase.means == says && stated(phrase.first));
    // "My friend says it's liver disease", "AKI risk": nobody has found ill organs.
    let is_found = |at: usize| stated(at) && !scopes.at(at).hearsay && !scopes.at(at).risk;
    let worst =
        |of: fn(Says) -> Option<usize>| found.iter().filter(|phrase| is_found(phrase.first)).filter_map(|phrase| of(phrase.means)).min();
    let mut case = CasePatient {
        // One who asks for himself may be of any age; that is nothing to show.
        age_months: patient
            .age
            .filter(|age| *age != Age { from: 6 * 12, to: 120 * 12 })
            .map(|age| AgeMonths { from: age.from, to: age.to }),
        sex: patient.sex.map(|sex| if sex == Sex::Male { PatientSex::Male } else { PatientSex::Female }),
        breastfeeding: has(Says::Breastfeeding),
        ..CasePatient::default()
    };
    case.pregnancy = pregnancy(patient, text, tokens, (&found, results), scopes);
    if case.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant) && case.sex.is_none() {
        case.sex = Some(PatientSex::Female);
    }
    // The baby of a pregnant woman is no patient yet, and a child that she speaks of is not who is pregnant.
    let is_pregnant = case.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant);
    case.age_months = case.age_months.filter(|age| !is_pregnant || age.to >= FERTILE.from);
    let renal = worst(|says| if let Says::Renal(grade) = says { Some(grade) } else { None });
    let degrees = [OrganFunction::Dialysis, OrganFunction::Severe, OrganFunction::Moderate, OrganFunction::Mild, OrganFunction::Impaired];
    let by_words = renal.and_then(|grade| degrees.get(grade).copied());
    let raised = results.iter().any(|result| result.is_of("creatinine") && result.direction == ResultDirection::High);
    let is_grown = case.age_months.is_none_or(|age| age.from >= GROWN_UP);
    case.renal = match (by_words, by_filtration(results)) {
        (Some(OrganFunction::Dialysis), _) => Some(OrganFunction::Dialysis),
        // A filtration rate of 60 to 90 is an impairment only of kidneys that are said to be ill.
        (None, Some(OrganFunction::Mild)) if !raised => Some(OrganFunction::Normal),
        // An earlier rate says nothing beside a creatinine that is high now.
        (_, Some(OrganFunction::Mild | OrganFunction::Normal)) if is_grown && has_severe_creatinine(results) => Some(OrganFunction::Severe),
        (_, Some(measured)) => Some(measured),
        // Of an adult so much creatinine says how bad it is, whatever words say.
        (_, None) if is_grown && has_severe_creatinine(results) => Some(OrganFunction::Severe),
        (words, None) => words.or_else(|| raised.then_some(OrganFunction::Impaired)),
    };
    let hepatic = worst(|says| if let Says::Hepatic(grade) = says { Some(grade) } else { None });
    let degrees = [OrganFunction::Severe, OrganFunction::Moderate, OrganFunction::Mild, OrganFunction::Impaired];
    let normal = |test: &str| {
        results.iter().any(|result| result.is_of(test) && result.direction == ResultDirection::Normal).then_some(OrganFunction::Normal)
    };
    case.hepatic = hepatic.and_then(|grade| degrees.get(grade).copied()).or_else(|| normal("liver function tests"));
    case.renal = case.renal.or_else(|| normal("urea and electrolytes")).or_else(|| normal("renal function"));
    case.smoking = smoking(&found, scopes);
    case
}

/// Whether a creatinine was measured with which no adult's kidneys filter 30 ml a minute.
fn has_severe_creatinine(results: &[Measured]) -> bool {
    results.iter().filter(|result| result.is_of("creatinine")).any(|result| match (result.value, result.unit) {
        (Some(value), Some("mg/dl")) => value * CREATININE >= SEVERE_CREATININE,
        (Some(value), Some(_)) => value >= SEVERE_CREATININE,
        _ => false,
    })
}

/// Kidney function by filtration rate.
fn by_filtration(results: &[Measured]) -> Option<OrganFunction> {
    let rates = results.iter().filter(|result| result.is_of("eGFR")).filter_map(|result| result.value);
    rates.reduce(f64::min).map(|rate| match rate {
        rate if rate < 30.0 => OrganFunction::Severe,
        rate if rate < 60.0 => OrganFunction::Moderate,
        rate if rate < 90.0 => OrganFunction::Mild,
        _ => OrganFunction::Normal,
    })
}

fn pregnancy(
    patient: &Patient,
    text: &str,
    tokens: &[Token],
    (found, results): (&[FoundPhrase<Says>], &[Measured]),
    scopes: &Scopes,
) -> Option<Pregnancy> {
    if patient.sex == Some(Sex::Male) {
        return None;
    }
    let stated = |at: usize| !scopes.at(at).family && !scopes.at(at).risk;
    let says = |says: Says| found.iter().any(|phrase| phrase.means == says && stated(phrase.first));
    let postpartum = says(Says::Postpartum);
    let trimester = found.iter().find_map(|phrase| if let Says::Trimester(number) = phrase.means { Some(number) } else { None });
    let is_positive = |result: &Measured| matches!(result.direction, ResultDirection::High | ResultDirection::Positive);
    let mut sure = results.iter().any(|result| result.is_of("hCG") && is_positive(result))
        || says(Says::PositiveTest)
        || trimester.is_some()
        || tokens.iter().any(|token| is_gravida(&token.text));
    let mut denied = false;
    let question = reading::Question { tokens };
    let told: Vec<_> = found.iter().filter(|phrase| phrase.means == Says::Pregnant && stated(phrase.first)).collect();
    // "My son has chickenpox. My sister is 20 weeks pregnant and was here": the child is the patient.
    if told.first().is_some_and(|phrase| question.is_of_other_woman(phrase.first))
        && told.iter().all(|phrase| question.is_of_other_woman(phrase.first))
    {
        return None;
    }
    for phrase in told.into_iter().filter(|phrase| !question.is_not_yet(phrase.first)) {
        let [before, behind] = &*DOUBTS;
        let begin = phrase.first.saturating_sub(DOUBT_WITHIN);
        let begin =
            (begin..phrase.first).rev().find(|at| tokens.get(at + 1).is_some_and(|token| token.after_break)).map_or(begin, |at| at + 1);
        let is_short = tokens.get(phrase.first).is_some_and(|token| token.cjk);
        let begin = if is_short { begin.max(phrase.first.saturating_sub(3)) } else { begin };
        let doubted = (begin..phrase.first).filter_map(|at| before.at(tokens, at)).find(|found| found.last <= phrase.first);
        let refuted = behind.at(tokens, phrase.last).is_some()
            || tokens.get(phrase.last).is_some_and(|token| matches!(token.text.as_str(), "was" | "has"))
                && behind.at(tokens, phrase.last + 1).is_some();
        match doubted {
            None if !refuted && !scopes.at(phrase.first).absent => sure = true,
            None => denied = true,
            Some(doubt) => {
                denied |= tokens
                    .get(doubt.first)
                    .is_some_and(|token| matches!(token.text.as_str(), "not" | "no" | "non" | "isnt" | "never" | "未" | "没" | "不"))
            }
        }
    }
    let week = week(text, tokens, sure).or_else(|| opening_week(tokens, patient, results)).or_else(|| weeks_behind_age(tokens, patient));
    sure |= week.is_some_and(|(_, is_sure)| is_sure);
    let week = week.map(|(week, _)| week).filter(|_| sure);
    let pregnant = sure && !(postpartum && week.is_none() && trimester.is_none());
    if !pregnant && !postpartum {
        // A relative's or a doubtful pregnancy is none.
        return denied.then(Pregnancy::default);
    }
    let by_week = |week: u8| match week {
        0..=13 => 1,
        14..=27 => 2,
        _ => 3,
    };
    Some(Pregnancy { pregnant, postpartum: postpartum && !pregnant, week, trimester: trimester.or(week.map(by_week)) })
}

/// "G2P1", "P0".
fn is_gravida(word: &str) -> bool {
    let rest = word.strip_prefix('g').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    word.len() >= 3
        && rest.is_some_and(|rest| {
            rest.len() >= 2
                && rest.len() < word.len() - 1 + 1
                && rest.starts_with('p')
                && rest.get(1..).is_some_and(|digits| digits.chars().all(|c| c.is_ascii_digit()))
        })
        && word.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
}

/// The week of the pregnancy, and whether its notation alone says that there is one: "33/40", "32+4", "28 weeks pregnant", "孕28周".
fn week(text: &str, tokens: &[Token], pregnant: bool) -> Option<(u8, bool)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let whole = |number: f64| (0.0..=LAST_WEEK).contains(&number).then_some(number as u8);
    for at in 0..tokens.len() {
        let chinese = chinese_number(tokens, at);
        let number = chinese.map(|(number, _)| f64::from(number)).or_else(|| number_of(word(at)));
        let Some(number) = number.filter(|_| !matches!(word(at), "a" | "an")) else {
            // "孕", "怀孕" before a number are met at the number.
            continue;
        };
        // "Neonate 29/40": how long it was in the womb.
        if (reading::Question { tokens }).is_born_at(at) {
            continue;
        }
        if gap(text, tokens, at) == "/"
            && word(at + 1) == "40"
            && number >= 3.0
            && !matches!(at.checked_sub(1).map_or("", word), "score" | "scored")
        {
            return whole(number).map(|week| (week, true));
        }
        let plus = gap(text, tokens, at).trim() == "+" && word(at + 1).parse::<u8>().is_ok_and(|days| days < 7);
        let next = if plus { at + 2 } else { chinese.map_or(at + 1, |(_, end)| end) };
        // 三十五 is read at its first character.
        if at.checked_sub(1).is_some_and(|before| chinese_number(tokens, before).is_some_and(|(_, end)| end > at)) {
            continue;
        }
        if plus && gap(text, tokens, at + 1) == "/" && word(at + 2) == "40" {
            return whole(number).map(|week| (week, true));
        }
        let is_week = matches!(word(next), "week" | "weeks" | "wk" | "wks" | "w" | "周") || (word(next) == "孕" && word(next + 1) == "周");
        let is_of = (next..next + 4)
            .any(|at| matches!(word(at), "pregnant" | "gestation" | "gravid" | "pregnancy" | "gestational") || word(at) == "孕");
        // "I'm 10 weeks gone"; not "three weeks gone by".
        let is_gone = is_week && number >= 4.0 && word(next + 1) == "gone" && !matches!(word(next + 2), "by" | "since" | "past");
        let is_of = is_of || is_gone;
        let follows = (at.saturating_sub(2)..at).any(|at| matches!(word(at), "pregnant" | "孕" | "妊" | "娠" | "gestation" | "at"));
        // "I'm 34 weeks and …": only who is pregnant counts herself in weeks.
        let before = |back: usize| at.checked_sub(back).map_or("", word);
        let is_me = before(1) == "im" || (before(2) == "i" && before(1) == "am");
        let ends = tokens.get(next + 1).is_none_or(|token| token.after_break || matches!(token.text.as_str(), "and" | "now" | "with"));
        let is_own = is_week && is_me && ends && number >= 4.0;
        if is_week && (is_of || is_own || (follows && pregnant)) {
            return whole(number).map(|week| (week, is_of || is_own));
        }
        if plus && pregnant && number >= 4.0 {
            return whole(number).map(|week| (week, false));
        }
        let is_month = matches!(word(next), "month" | "months") || (word(next) == "个" && word(next + 1) == "月");
        if is_month && pregnant && (is_of || follows || (at.saturating_sub(3)..at).any(|at| word(at) == "孕")) && number <= 9.0 {
            return whole((number * 30.4 / 7.0).floor()).map(|week| (week, false));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::lab::results;
    use crate::pipeline::understand::layout::Layout;
    use crate::text::tokenise;

    fn patient(text: &str) -> CasePatient {
        let tokens = tokenise(text);
        let scopes = Scopes::of(text, &tokens, &Layout::of(text, &tokens), &|_| false);
        read(&Patient::of(&tokens), text, &tokens, &scopes, &results(text, &tokens))
    }

    #[test]
    fn a_pregnancy_and_its_week_in_every_notation() {
        for (text, week) in [
            ("G1 33/40. BP 168/112", Some(33)),
            ("G2P1 32+4 weeks, itching", Some(32)),
            ("12 weeks pregnant and asthmatic", Some(12)),
            ("im 10 weeks gone and spotting", Some(10)),
            ("怀孕三十五周，头痛", Some(35)),
            ("孕十二周出血", Some(12)),
            ("孕32周，咳嗽十周", Some(32)),
            ("She is pregnant, at 28 weeks", Some(28)),
            ("孕10周，新诊断Graves病", Some(10)),
            ("怀孕七个月了，腰痛", Some(30)),
            ("second trimester, headache", None),
            ("just got a positive pregnancy test", None),
            ("im 34 weeks and baby has hardly kicked", Some(34)),
            ("I am 12 weeks, bleeding since this morning", Some(12)),
            ("is ibuprofen ok in pregnancy?", None),
            ("36 weeks, BP 142/96, seeing stars", Some(36)),
            ("G2P1 29/40, first baby born at 31/40", Some(29)),
            ("threatened preterm labour 29/40", Some(29)),
            ("29/40 prem labour, contracting", Some(29)),
            ("I'm pregnant and can't be sure which week", None),
            ("怀孕了，能不能吃布洛芬", None),
            ("33 weeks, baby is moving less today", Some(33)),
            ("34周，血压150/100，头痛", Some(34)),
        ] {
            let read = patient(text).pregnancy.unwrap_or_else(|| panic!("{text}"));
            assert!(read.pregnant && read.week == week, "{text}: {read:?}");
        }
        assert!(patient("避孕药吃了十二周，左小腿肿痛").pregnancy.is_none());
        for text in [
            "could be pregnant",
            "trying to get pregnant",
            "pregnancy excluded",
            "not pregnant",
            "58M, BP 120/40",
            "备孕",
            "未怀孕",
            "urine pregnancy test negative",
            "34 weeks, grunting, SpO2 88",
            "30 weeks of headache, BP 150/95",
            "30 weeks, baby boy, BP 60/30",
            "neonate 29/40 1.18kg D3",
            "ex 29/40 prem, now 6 weeks",
            "i cant be pregnant im at uni",
            "it cannot possibly be a pregnancy",
            "正准备要孩子，吃四联药能马上怀孕吗",
            "什么时候可以怀孕",
            "My son 4yo has chickenpox. My sister was round on sunday and shes 20 weeks pregnant.",
        ] {
            assert!(patient(text).pregnancy.is_none_or(|read| !read.pregnant), "{text}");
        }
        assert!(
            patient("3 weeks postpartum, breastfeeding").breastfeeding
                && patient("2 weeks postpartum").pregnancy.is_some_and(|read| read.postpartum)
        );
    }

    #[test]
    fn the_child_that_a_pregnant_woman_speaks_of_is_not_the_patient() {
        for text in [
            "32 weeks pregnant, baby hasn't moved since yesterday",
            "i'm 30 weeks and the baby is quiet",
            "孕28周，宝宝会被传染吗",
            "怀孕五个月，孩子怎么保护",
            "I am 20 weeks pregnant and my 4 year old has chickenpox",
        ] {
            let read = patient(text);
            assert!(read.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant) && read.sex == Some(PatientSex::Female), "{text}: {read:?}");
            assert!(read.age_months.is_none_or(|age| age.to >= FERTILE.from), "{text}: {read:?}");
        }
        assert_eq!(patient("breastfeeding, my 6 week old baby has a fever").age_months.map(|age| age.from), Some(1));
    }

    #[test]
    fn age_and_sex_in_shorthand() {
        for (text, months, sex) in [
            ("58M crushing chest pain", 58 * 12, Some(PatientSex::Male)),
            ("72F AF, warfarin", 72 * 12, Some(PatientSex::Female)),
            ("81 year old woman on digoxin", 81 * 12, Some(PatientSex::Female)),
            ("3yo, drooling", 36, None),
            ("5/52 boy, projectile vomits", 1, Some(PatientSex::Male)),
            ("my son 14 woke with pain", 14 * 12, Some(PatientSex::Male)),
            ("65岁男，房颤", 65 * 12, Some(PatientSex::Male)),
            ("宝宝8个月，一阵一阵地哭", 8, None),
            ("a 3-month-old baby with fever", 3, None),
            ("4 y, loose stools, creatinine raised at 60", 48, None),
        ] {
            let read = patient(text);
            assert_eq!(read.age_months.map(|age| age.from), Some(months), "{text}");
            assert_eq!(read.sex, sex, "{text}");
        }
    }

    #[test]
    fn kidney_liver_and_smoking() {
        for (text, renal) in [
            ("eGFR 24", Some(OrganFunction::Severe)),
            ("CKD 4, on ramipril", Some(OrganFunction::Severe)),
            ("CKD 3b (baseline creat 138)", Some(OrganFunction::Moderate)),
            ("on dialysis", Some(OrganFunction::Dialysis)),
            ("CrCl 12", Some(OrganFunction::Severe)),
            ("his kidney function has dropped to 24", Some(OrganFunction::Severe)),
            ("renal function of 41, fit otherwise", Some(OrganFunction::Moderate)),
            ("kidneys working at 22 %", Some(OrganFunction::Severe)),
            ("肾功能只剩25%", Some(OrganFunction::Severe)),
            ("creatinine 410 umol/l", Some(OrganFunction::Severe)),
            ("creatinine 4.2 mg/dl", Some(OrganFunction::Severe)),
            ("creatinine 170 umol/l", Some(OrganFunction::Impaired)),
            ("kidney function normal", Some(OrganFunction::Normal)),
            ("肾功能不全", Some(OrganFunction::Impaired)),
            ("no renal failure", None),
            ("40F, mother has kidney failure", None),
        ] {
            assert_eq!(patient(text).renal, renal, "{text}");
        }
        assert_eq!(patient("red dots on my chest, my friend says its liver disease").hepatic, None);
        assert_eq!(patient("my friend says its gas, I have cirrhosis").hepatic, Some(OrganFunction::Impaired));
        assert_eq!(patient("radiology refuse contrast because of AKI risk").renal, None);
        assert_eq!(patient("Child-Pugh C cirrhosis").hepatic, Some(OrganFunction::Severe));
        assert_eq!(patient("45M smoker").smoking, Some(Smoking::Current));
        assert_eq!(patient("ex-smoker, no alcohol").smoking, Some(Smoking::Former));
        assert_eq!(patient("non-smoker").smoking, Some(Smoking::Never));
        assert_eq!(patient("chest xray was clear and never smoked").smoking, Some(Smoking::Never));
    }
}
