//! What a question says of the patient: age, sex, pregnancy, and how long it has been going on; and which conditions do not fit.
//!
//! Nothing is guessed: what the question does not state, or states in two ways, is not known. How well a condition fits is told
//! from its name alone ("neonatal", "of pregnancy", "prostat…"); the words are in `assets/patient.toml`.

mod ages;
mod babies;
mod behind_sex;
mod beside;
mod compact;
mod not_hers;
mod nursing;
mod nursing_chinese;
mod reading;
pub(super) mod state;
mod stated_age;
mod weeks;

pub(super) use compact::{is_age_and_sex, is_note};
pub(super) use reading::is_unit_of_time;

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::beside_self::of_others;
use crate::run::case::Pregnancy;
use crate::run::{CasePatient, PatientSex};
use crate::text::Token;

/// What a condition of the other sex's organs keeps of its rank. Not nothing: a question may be about two people.
pub(crate) const OTHER_SEX: f64 = 0.2;
/// What a condition of another age keeps.
const OTHER_AGE: f64 = 0.4;
/// What a condition of pregnancy keeps where the patient is not pregnant, or cannot be.
const NOT_PREGNANT: f64 = 0.2;
/// The same where nothing is said of pregnancy: a pregnancy is mentioned as a rule, and may yet be unknown.
const PREGNANCY_UNSTATED: f64 = 0.75;
/// What a congenital condition keeps for an adult: most are known since childhood.
const CONGENITAL_IN_ADULTS: f64 = 0.7;
/// What a condition keeps that is called acute where it lasts for months, or chronic where it began days ago: the one may follow from the other.
const OTHER_COURSE: f64 = 0.85;

/// Months in a year.
pub(crate) const YEAR: u16 = 12;
/// From this age on, in months, a patient is grown up.
const GROWN_UP: u16 = 16 * YEAR;
/// Ages in months between which a woman can be pregnant.
const FERTILE: Age = Age { from: 10 * YEAR, to: 56 * YEAR };

/// Sex, as far as it decides which organs there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sex {
    Male,
    Female,
}

/// Ages in months, from the youngest to the oldest that it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Age {
    pub(crate) from: u16,
    pub(crate) to: u16,
}

impl Age {
    fn meets(self, other: Self) -> bool {
        self.from <= other.to && other.from <= self.to
    }
}

/// How long it has been going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    /// Up to two weeks.
    Acute,
    /// Between.
    Subacute,
    /// Three months or longer.
    Chronic,
}

/// What a question says of the patient.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Patient {
    pub(crate) age: Option<Age>,
    pub(crate) sex: Option<Sex>,
    /// Whether pregnant, or lately so.
    pub(crate) pregnant: Option<bool>,
    /// Whether a birth was lately, as the case tells.
    pub(crate) postpartum: bool,
    pub(crate) course: Option<Course>,
}

impl Patient {
    /// Takes over what a case knows of the patient and this does not.
    pub(crate) fn take_case(&mut self, patient: &CasePatient) {
        self.age = self.age.or(patient.age_months.map(|age| Age { from: age.from, to: age.to }));
        self.sex = self.sex.or(patient.sex.map(|sex| match sex {
            PatientSex::Male => Sex::Male,
            PatientSex::Female => Sex::Female,
        }));
        self.postpartum |= patient.pregnancy.is_some_and(|pregnancy| pregnancy.postpartum);
        // A case knows of a pregnancy also from its weeks and from tests.
        let says_more = |pregnancy: &Pregnancy| pregnancy.pregnant || (self.pregnant.is_none() && !pregnancy.postpartum);
        if let Some(pregnancy) = patient.pregnancy.filter(says_more) {
            self.pregnant = Some(pregnancy.pregnant);
        }
        // Nor is the child of whom a pregnant woman speaks the one who is pregnant.
        if self.pregnant == Some(true) && patient.age_months.is_none() {
            self.age = self.age.filter(|age| age.to >= FERTILE.from);
        }
    }
}

/// What a condition's name says of whom it befalls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Befalls {
    Pregnancy,
    /// What comes of a birth.
    Birth,
    /// A pregnancy of which a woman need not know.
    Ectopic,
    Female,
    Male,
    Newborn,
    Infant,
    Child,
    Old,
    Congenital,
    Acute,
    Chronic,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NameWords {
    pregnancy: Vec<String>,
    said_in_pregnancy: Vec<String>,
    birth: Vec<String>,
    ectopic: Vec<String>,
    female: Vec<String>,
    male: Vec<String>,
    newborn: Vec<String>,
    infant: Vec<String>,
    child: Vec<String>,
    old: Vec<String>,
    congenital: Vec<String>,
    acute: Vec<String>,
    chronic: Vec<String>,
}

/// The words of names, by their first letter; Chinese ones by nothing, since they may stand anywhere.
#[derive(Debug, Default)]
struct NameTable {
    words: HashMap<u8, Vec<(String, Befalls)>>,
    chinese: Vec<(String, Befalls)>,
}

static NAMES: LazyLock<NameTable> = LazyLock::new(|| NameTable::of(reading::WORDS.names.clone()));

/// Whether a name, or words of a text, tell of pregnancy, birth or what follows them.
pub(crate) fn tells_of_pregnancy(text: &str) -> bool {
    NAMES.read(text).contains(&Befalls::Pregnancy)
}

/// Whether a word is an everyday one of a pregnancy or a birth, with which the name of a condition may be said.
pub(super) fn is_word_of_pregnancy(token: &crate::text::Token) -> bool {
    reading::WORDS.names.said_in_pregnancy.contains(&token.text)
}

impl NameTable {
    fn of(names: NameWords) -> Self {
        let kinds = [
            (names.pregnancy, Befalls::Pregnancy),
            (names.birth, Befalls::Birth),
            (names.ectopic, Befalls::Ectopic),
            (names.female, Befalls::Female),
            (names.male, Befalls::Male),
            (names.newborn, Befalls::Newborn),
            (names.infant, Befalls::Infant),
            (names.child, Befalls::Child),
            (names.old, Befalls::Old),
            (names.congenital, Befalls::Congenital),
            (names.acute, Befalls::Acute),
            (names.chronic, Befalls::Chronic),
        ];
        let mut table = Self::default();
        for (word, befalls) in kinds.into_iter().flat_map(|(words, befalls)| words.into_iter().map(move |word| (word, befalls))) {
            match word.bytes().next() {
                Some(first) if word.is_ascii() => table.words.entry(first).or_default().push((word, befalls)),
                _ => table.chinese.push((word, befalls)),
            }
        }
        table
    }

    /// What a name says; the same may come twice.
    fn read(&self, name: &str) -> Vec<Befalls> {
        let folded = crate::text::fold(name);
        let mut all = Vec::new();
        let begins = std::iter::once(0).chain(folded.match_indices(' ').map(|(at, _)| at + 1));
        for begin in begins {
            let rest = &folded[begin..];
            let Some(words) = rest.bytes().next().and_then(|first| self.words.get(&first)) else { continue };
            // Of three letters, only the whole word.
            let fits =
                |word: &str| rest.strip_prefix(word).is_some_and(|after| word.len() > 3 || after.is_empty() || after.starts_with(' '));
            all.extend(words.iter().filter(|(word, _)| fits(word)).map(|(_, befalls)| *befalls));
        }
        if !folded.is_ascii() {
            all.extend(self.chinese.iter().filter(|(word, _)| folded.contains(word.as_str())).map(|(_, befalls)| *befalls));
        }
        all
    }
}

/// Where a text holds ages in the notation of notes, in tokens: the same notation tells times.
pub(super) fn compact_ages(tokens: &[Token]) -> Vec<std::ops::Range<usize>> {
    let question = reading::Question { tokens };
    let compact = (0..tokens.len()).filter_map(|at| question.compact(at).map(|age| at..age.last));
    compact.chain(babies::ages_of_babies(&question)).chain(behind_sex::ages_behind_sex(&question)).collect()
}

impl Patient {
    /// Reads what a question says of the patient from its tokens.
    pub(crate) fn of(tokens: &[Token]) -> Self {
        // What is told of somebody else beside the patient says neither his sex nor his age.
        let mut others = of_others(tokens, &|_| false);
        others.extend(beside::chinese_kin(tokens));
        if others.is_empty() {
            return reading::read(tokens);
        }
        let is_own = |at: &usize| !others.iter().any(|told| told.contains(at));
        let own: Vec<Token> = (0..tokens.len()).filter(is_own).filter_map(|at| tokens.get(at)).cloned().collect();
        reading::read(&own)
    }

    /// Whether the patient may be pregnant, as far as sex and age tell.
    pub(crate) fn may_conceive(&self) -> bool {
        self.sex != Some(Sex::Male) && self.age.is_none_or(|age| age.meets(FERTILE))
    }

    /// How much of its rank a condition keeps for this patient, by what its name says: 1 where it fits, or nothing is known.
    pub(crate) fn fit(&self, name: &str) -> f64 {
        let befalls = NAMES.read(name);
        if befalls.is_empty() {
            return 1.0;
        }
        let says = |what: Befalls| befalls.contains(&what);
        let mut fit = 1.0;
        // Men have no wombs; a condition of both ("ovary and testis") fits either.
        let of_women = says(Befalls::Female) || says(Befalls::Pregnancy);
        match self.sex {
            Some(Sex::Male) if of_women && !says(Befalls::Male) => fit *= OTHER_SEX,
            Some(Sex::Female) if says(Befalls::Male) && !of_women => fit *= OTHER_SEX,
            // Who thinks that she is not pregnant, because of a coil or a late period, does not know it. A negative test speaks against it as a result.
            _ if says(Befalls::Ectopic) && self.may_be_pregnant() => fit *= PREGNANCY_UNSTATED,
            // What comes of a birth fits who has given birth.
            _ if self.postpartum && says(Befalls::Birth) => {}
            _ if says(Befalls::Pregnancy) => fit *= self.fit_of_pregnancy(),
            _ => {}
        }
        if let Some(age) = self.age {
            let years = |from: u16, to: u16| Age { from: from * YEAR, to: to * YEAR };
            let ages = [
                (Befalls::Newborn, Age { from: 0, to: 3 }),
                (Befalls::Infant, years(0, 3)),
                (Befalls::Child, years(0, 18)),
                (Befalls::Old, years(40, 120)),
            ];
            if ages.into_iter().any(|(what, of)| says(what) && !age.meets(of)) {
                fit *= OTHER_AGE;
            } else if says(Befalls::Congenital) && age.from >= GROWN_UP {
                fit *= CONGENITAL_IN_ADULTS;
            }
        }
        match self.course {
            Some(Course::Acute) if says(Befalls::Chronic) && !says(Befalls::Acute) => fit *= OTHER_COURSE,
            Some(Course::Chronic) if says(Befalls::Acute) && !says(Befalls::Chronic) => fit *= OTHER_COURSE,
            _ => {}
        }
        fit
    }

    /// Whether a condition comes of a birth, by its name, and the text tells of no birth or pregnancy.
    pub(crate) fn lacks_birth(&self, name: &str) -> bool {
        !self.postpartum && self.pregnant.is_none() && NAMES.read(name).contains(&Befalls::Birth)
    }

    fn may_be_pregnant(&self) -> bool {
        self.pregnant == Some(false) && self.age.is_none_or(|age| age.meets(FERTILE))
    }

    fn fit_of_pregnancy(&self) -> f64 {
        match self.pregnant {
            Some(true) => 1.0,
            Some(false) => NOT_PREGNANT,
            None if self.age.is_some_and(|age| !age.meets(FERTILE)) => NOT_PREGNANT,
            None => PREGNANCY_UNSTATED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn what_does_not_fit_the_patient_is_told_from_the_name() {
        let fit = |question: &str, name: &str| Patient::of(&tokenise(question)).fit(name);
        let man = "I am a 45-year-old man with lower abdominal pain";
        assert_eq!(fit(man, "Ovarian cyst"), OTHER_SEX);
        assert_eq!(fit(man, "Ectopic pregnancy"), OTHER_SEX);
        assert_eq!(fit(man, "Prostatitis"), 1.0);
        assert_eq!(fit(man, "Neonatal jaundice"), OTHER_AGE);
        assert_eq!(fit(man, "Congenital heart defect"), CONGENITAL_IN_ADULTS);
        assert_eq!(fit(man, "Appendicitis"), 1.0);
        let woman = "My wife has been bleeding since yesterday";
        assert_eq!(fit(woman, "Prostate cancer"), OTHER_SEX);
        assert_eq!(fit(woman, "Uterine fibroids"), 1.0);
        assert_eq!(fit(woman, "Placenta previa"), PREGNANCY_UNSTATED);
        assert_eq!(fit(woman, "Chronic gastritis"), OTHER_COURSE);
        assert_eq!(fit("I'm 20 weeks pregnant and bleeding", "Placenta previa"), 1.0);
        assert_eq!(fit("I am not pregnant, I bleed", "Placenta previa"), NOT_PREGNANT);
        assert_eq!(fit("My 5-year-old son has a fever", "Senile dementia"), OTHER_AGE);
        assert_eq!(fit("My 5-year-old son has a fever", "Congenital heart defect"), 1.0);
        assert_eq!(fit("I have had a cough for years", "Acute bronchitis"), OTHER_COURSE);
        assert_eq!(fit("45岁男性，腹痛三天", "子宫内膜异位症"), OTHER_SEX);
        assert_eq!(fit("45岁男性，腹痛三天", "慢性胃炎"), OTHER_COURSE);
        assert_eq!(fit("stomach pain", "Cervical spondylosis"), 1.0);
        assert_eq!(fit("As a woman, my neck hurts", "Menetrier disease"), 1.0, "not of men");
    }

    #[test]
    fn where_nothing_is_stated_only_pregnancy_is_less_likely() {
        for name in ["Prostatitis", "Ovarian cyst", "Neonatal jaundice", "Senile dementia", "Chronic gastritis", "Acute bronchitis"] {
            assert_eq!(Patient::default().fit(name), 1.0, "{name}");
        }
        assert_eq!(Patient::default().fit("Ectopic pregnancy"), PREGNANCY_UNSTATED);
    }
}
