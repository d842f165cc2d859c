//! The list of tests: names, limits, and what is found outside them.

use std::sync::LazyLock;

use serde::Deserialize;

use super::value::{Stated, is_grade};
use crate::language::phrase_table::PhraseTable;
use crate::run::{CasePatient, PatientSex, ResultDirection};
use crate::text::{Token, tokenise};

/// A value may differ from its limits by this factor; beyond it, the unit must be another.
const PLAUSIBLE: (f64, f64) = (5.0, 6.0);
/// Months in a year.
const MONTHS: u16 = 12;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    analyte: Vec<Analyte>,
    together: Vec<Together>,
    specimen: Vec<Specimen>,
    heading: HeadingWords,
    linking: LinkingWords,
}

/// Words that may stand between a test's name and its result.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkingWords {
    /// Whatever the result is.
    pub(super) both: Vec<String>,
    /// Where it is a number.
    pub(super) value: Vec<String>,
    /// Where it is a word.
    pub(super) word: Vec<String>,
}

/// Words of headings that name a specimen.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeadingWords {
    /// What may stand between a specimen and the colon behind it.
    pub(super) between: Vec<String>,
    /// What names a test of the blood wherever it stands.
    pub(super) blood: Vec<String>,
}

/// A specimen other than blood, whose cells and sugar mean something else.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Specimen {
    /// How a heading calls it.
    pub(super) headings: Vec<String>,
    /// How the names of its tests begin.
    pub(super) tests: Vec<String>,
    /// Words that say, before a result in its sentence, that it is of this specimen: English ones whole, Chinese ones anywhere.
    pub(super) words: Vec<String>,
    /// How the names of the tests begin that its heading governs; empty: all.
    #[serde(default)]
    pub(super) only: Vec<String>,
}

/// What several results say together.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Together {
    /// Tests by their first names, with their directions.
    pub(super) of: Vec<(String, ResultDirection)>,
    /// Results with which it does not hold.
    #[serde(default)]
    pub(super) unless: Vec<(String, ResultDirection)>,
    /// What the first of the tests is called then, best name first.
    pub(super) means: Vec<String>,
}

/// All tests.
pub(super) fn all() -> impl Iterator<Item = &'static Analyte> {
    FILE.analyte.iter()
}

/// What several results say together, in the order of the list.
pub(super) fn together() -> &'static [Together] {
    &FILE.together
}

/// The specimens other than blood and urine, in the order of the list.
pub(super) fn specimens() -> &'static [Specimen] {
    &FILE.specimen
}

/// The words that may stand between a test's name and its result.
pub(super) fn linking() -> &'static LinkingWords {
    &FILE.linking
}

/// The words of headings that name a specimen.
pub(super) fn heading_words() -> &'static HeadingWords {
    &FILE.heading
}

/// A test.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Analyte {
    pub(super) names: Vec<String>,
    /// Names that count only as they are written here.
    #[serde(default)]
    written: Vec<String>,
    /// Names that count only with a value right behind them.
    #[serde(default)]
    valued: Vec<String>,
    /// Names that count only with a grade.
    #[serde(default)]
    graded: Vec<String>,
    /// Names that count only where a word calls them normal, or a value stands behind them: "kidneys fine".
    #[serde(default)]
    told: Vec<String>,
    /// The same for names of conditions that the test finds: "b12, thyroid and coeliac all normal".
    #[serde(default)]
    conditions: Vec<String>,
    pub(super) ranges: Vec<Range>,
    pub(super) high: Vec<String>,
    pub(super) low: Vec<String>,
    #[serde(default)]
    pub(super) positive: Vec<String>,
    #[serde(default)]
    pub(super) rules_out: Vec<String>,
    /// Whether fluids other than blood are tested for it, too.
    #[serde(default)]
    in_fluids: bool,
    /// What is wanted under a treatment.
    #[serde(default)]
    treated: Option<Treated>,
    /// What a doubtful value is called.
    #[serde(default)]
    between: Option<Between>,
    /// A fall that is a sign of harm, whatever the limits are.
    #[serde(default)]
    fall: Option<Fall>,
    /// A rise that is one.
    #[serde(default)]
    rise: Option<Rise>,
    /// Whether women have other limits than men.
    #[serde(default)]
    by_sex: bool,
    /// Whether the limits hold for everybody: at every age, for both sexes and in pregnancy.
    #[serde(default)]
    for_all: bool,
    /// Limits of those for whom others hold than `ranges`; the first that fit the patient count.
    #[serde(default)]
    limits: Vec<Limits>,
}

/// A limit that holds while one of these drugs is taken: an INR of 2.5 under warfarin is as it should be.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Treated {
    drugs: Vec<String>,
    high: f64,
}

/// What a doubtful value means in somebody who is not known to have what a higher one shows, and takes nothing for it: an HbA1c of 44 mmol/mol.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Between {
    means: Vec<String>,
    /// Who takes one of these, or of their members, is treated for what a higher value shows.
    drugs: Vec<String>,
    /// Of whom one of these is told, in him the value means something else: diabetes, a pregnancy, a transfusion.
    known: Vec<String>,
}

/// What it means that a value has fallen to this share of what it was while one of these drugs is taken, or without any: platelets under heparin.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fall {
    #[serde(default)]
    under: Vec<String>,
    to: f64,
    /// Only below this value, by its unit.
    #[serde(default)]
    below: Vec<(String, f64)>,
    /// Not in somebody of whom one of these is told.
    #[serde(default)]
    unless: Vec<String>,
    means: Vec<String>,
}

/// What it means that a value has risen to so many times what it was: a creatinine.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rise {
    to: f64,
    means: Vec<String>,
}

/// Limits of certain patients; each condition that is stated must hold.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    #[serde(default)]
    sex: Option<PatientSex>,
    /// From this age on, in years, and below that.
    #[serde(default)]
    years: Option<(u16, u16)>,
    /// The same in months, for children.
    #[serde(default)]
    months: Option<(u16, u16)>,
    /// Whether they are of pregnancy; others are of nobody who is pregnant or has just given birth.
    #[serde(default)]
    pregnant: bool,
    pub(super) ranges: Vec<Range>,
}

impl Limits {
    /// Whether they are of this patient; not where it is not known.
    pub(super) fn fit(&self, patient: &CasePatient) -> bool {
        let is_of_age = |(from, below): (u16, u16)| {
            patient.age_months.is_some_and(|age| age.from >= from.saturating_mul(MONTHS) && age.to < below.saturating_mul(MONTHS))
        };
        let is_pregnant = patient.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant);
        let has_given_birth = patient.pregnancy.is_some_and(|pregnancy| pregnancy.postpartum);
        self.sex.is_none_or(|sex| patient.sex == Some(sex))
            && self.years.is_none_or(is_of_age)
            && self.months.is_none_or(|(from, below)| patient.age_months.is_some_and(|age| age.from >= from && age.to < below))
            && if self.pregnant { is_pregnant } else { !is_pregnant && !has_given_birth }
    }
}

impl Analyte {
    /// The limits that the file holds for this very patient; `None` if only those of adult men.
    pub(super) fn limits_of(&self, patient: &CasePatient) -> Option<&Limits> {
        self.limits.iter().find(|limits| limits.fit(patient))
    }

    /// The limits of all ages that a child may have, where the file holds some.
    pub(super) fn of_children<'a>(&'a self, patient: &CasePatient) -> impl Iterator<Item = &'a Limits> {
        let age = patient.age_months;
        let may_be = move |(from, below): (u16, u16)| age.is_some_and(|age| age.from < below && from <= age.to);
        self.limits.iter().filter(move |limits| limits.months.is_some_and(may_be))
    }

    /// Whether women have other limits than men.
    pub(super) fn is_by_sex(&self) -> bool {
        self.by_sex
    }

    /// Whether the limits hold for everybody.
    pub(super) fn is_for_all(&self) -> bool {
        self.for_all
    }

    /// What a fall of this size means, where it counts only under a drug that is in use; `None` if nothing of its own.
    pub(super) fn fall_under(
        &self,
        (from, to): (f64, f64),
        unit: Option<&str>,
        in_use: impl Fn(&str) -> bool,
        is_known: impl Fn(&str) -> bool,
    ) -> Option<&[String]> {
        let fall = self.fall.as_ref().filter(|fall| to <= from * fall.to)?;
        let is_below = fall.below.is_empty() || fall.below.iter().any(|(of, below)| unit == Some(of.as_str()) && to < *below);
        let counts = fall.under.is_empty() || fall.under.iter().any(|drug| in_use(drug));
        (is_below && counts && !fall.unless.iter().any(|word| is_known(word))).then_some(fall.means.as_slice())
    }

    /// What a rise of this size means; `None` if nothing of its own.
    pub(super) fn risen(&self, from: f64, to: f64) -> Option<&[String]> {
        self.rise.as_ref().filter(|rise| from > 0.0 && to >= from * rise.to).map(|rise| rise.means.as_slice())
    }

    /// What a doubtful value means in this patient; `None` if nothing.
    pub(super) fn between(&self, in_use: impl Fn(&str) -> bool, is_known: impl Fn(&str) -> bool) -> Option<&[String]> {
        let between = self.between.as_ref()?;
        let is_passed = between.drugs.iter().any(|drug| in_use(drug)) || between.known.iter().any(|word| is_known(word));
        (!is_passed).then_some(between.means.as_slice())
    }

    /// Whether a high value is wanted under a drug in use.
    pub(super) fn is_wanted(&self, value: f64, in_use: impl Fn(&str) -> bool) -> bool {
        self.treated.as_ref().is_some_and(|treated| value <= treated.high && treated.drugs.iter().any(|drug| in_use(drug)))
    }

    /// Whether fluids other than blood are tested for it, too.
    pub(super) fn is_in_fluids(&self) -> bool {
        self.in_fluids
    }
}

/// Limits in one unit.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Range {
    /// How a question begins the unit: "x10" of "x10^9/l".
    pub(super) unit: String,
    /// The unit in full, where that is more.
    #[serde(default)]
    shown: Option<String>,
    pub(super) low: f64,
    pub(super) high: f64,
    /// The possible values; `None`: limits times [`PLAUSIBLE`].
    #[serde(default)]
    within: Option<(f64, f64)>,
    /// At or below the first, or at or above the second, the value is an emergency.
    #[serde(default)]
    critical: Option<(f64, f64)>,
    /// From the first to the second, a value outside the limits is no reason for haste by itself.
    #[serde(default)]
    mild: Option<(f64, f64)>,
    /// Whether it is the unit of a value without one behind a sign, or behind a name in capitals.
    #[serde(default)]
    pub(super) bare: bool,
    /// From the first to the second, a value speaks neither for nor against anything: a vitamin B12 of 250 ng/l.
    #[serde(default)]
    doubtful: Option<(f64, f64)>,
}

impl Range {
    /// The unit in full.
    pub(super) fn shown(&self) -> &str {
        self.shown.as_deref().unwrap_or(&self.unit)
    }

    /// Whether a value can be of this unit.
    pub(super) fn is_possible(&self, value: f64) -> bool {
        let (from, to) = self.within.unwrap_or((self.low / PLAUSIBLE.0, self.high * PLAUSIBLE.1));
        value >= from && value <= to
    }

    /// Whether a value is an emergency.
    pub(super) fn is_critical(&self, value: f64) -> bool {
        self.critical.is_some_and(|(low, high)| value <= low || value >= high)
    }

    /// Whether a value is no reason for haste by itself, though it may be outside the limits.
    pub(super) fn is_mild(&self, value: f64) -> bool {
        self.mild.is_some_and(|(from, to)| value >= from && value <= to)
    }

    /// Whether a value is neither a lack nor enough.
    pub(super) fn is_doubtful(&self, value: f64) -> bool {
        self.doubtful.is_some_and(|(from, to)| value >= from && value <= to)
    }

    /// Whether the unit is of the kind that names amounts in moles or litres.
    pub(super) fn is_si(&self) -> bool {
        !self.unit.contains("dl") && ["mol", "/l", "kpa", "x10"].iter().any(|part| self.unit.contains(part)) || self.unit == "c"
    }
}

/// How a name counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameUse {
    /// Anywhere.
    Free,
    /// Only as written.
    Written,
    /// Only with a value.
    Valued,
    /// Only with a grade.
    Graded,
    /// Only where it is called normal, or with a value.
    Told,
    /// A condition: only where its test is called normal or negative.
    Condition,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/analytes.toml")).unwrap_or_default());

static NAMES: LazyLock<PhraseTable<(usize, usize, NameUse)>> = LazyLock::new(|| {
    let of = |number: usize, names: &'static [String], used: NameUse| {
        names.iter().enumerate().map(move |(name, text)| (text.as_str(), (number, name, used)))
    };
    PhraseTable::of(FILE.analyte.iter().enumerate().flat_map(|(number, analyte)| {
        of(number, &analyte.names, NameUse::Free)
            .chain(of(number, &analyte.written, NameUse::Written))
            .chain(of(number, &analyte.valued, NameUse::Valued))
            .chain(of(number, &analyte.graded, NameUse::Graded))
            .chain(of(number, &analyte.told, NameUse::Told))
            .chain(of(number, &analyte.conditions, NameUse::Condition))
    }))
});

/// The test whose name begins at a token, one past its last word, and how the name counts.
pub(super) fn named_at(text: &str, tokens: &[Token], first: usize) -> Option<(&'static Analyte, usize, NameUse)> {
    NAMES.all_at(tokens, first).find_map(|found| {
        let (number, name, used) = found.means;
        let analyte = FILE.analyte.get(number)?;
        let is_written = || {
            let token = tokens.get(first)?;
            (text.get(token.start..token.end)? == analyte.written.get(name)?).then_some(())
        };
        let counts = match used {
            NameUse::Written => is_written().is_some() || is_before_number(tokens, first, found.last),
            // Without its value, "UA" may be another test or a condition.
            NameUse::Valued => is_before_value(text, tokens, found.last, analyte),
            NameUse::Free | NameUse::Graded | NameUse::Told | NameUse::Condition => true,
        };
        counts.then_some((analyte, found.last, used))
    })
}

/// The test of exactly this name.
pub(super) fn called(name: &str) -> Option<&'static Analyte> {
    let tokens = tokenise(name);
    let found = NAMES.at(&tokens, 0).filter(|found| found.last == tokens.len())?;
    FILE.analyte.get(found.means.0)
}

/// Whether a number that can be a value of this test stands right behind a name, or behind one word more. A grade ("1+") is none.
fn is_before_value(text: &str, tokens: &[Token], last: usize, analyte: &Analyte) -> bool {
    (last..last + 2).take_while(|at| tokens.get(*at).is_some_and(|token| !token.after_break)).any(|at| {
        let stated = Stated::at(text, tokens, at).filter(|_| !is_grade(text, tokens, at));
        stated.is_some_and(|stated| analyte.ranges.iter().any(|range| range.is_possible(stated.value)))
    })
}

/// Whether a short name stands before a number and behind no other, so that it is no unit ("k 5.6", not "20 mg 2 times").
fn is_before_number(tokens: &[Token], first: usize, last: usize) -> bool {
    let is_number = |token: &Token| token.text.parse::<f64>().is_ok();
    let is_unit = tokens.get(first).is_some_and(|token| matches!(token.text.as_str(), "mg" | "t" | "c"));
    let after_number =
        first.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|token| token.text.starts_with(|c: char| c.is_ascii_digit()));
    !is_unit && !after_number && tokens.get(last).is_some_and(|token| is_number(token) && !token.after_break)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_valid_and_its_limits_are_in_order() {
        let file: File = toml::from_str(include_str!("../../../assets/analytes.toml")).expect("valid");
        assert!(file.analyte.iter().filter(|analyte| !analyte.ranges.is_empty()).count() >= 60);
        for analyte in &file.analyte {
            assert!(!analyte.names.is_empty());
            for range in &analyte.ranges {
                assert!(range.low <= range.high, "{:?}", analyte.names);
                assert!(!range.is_critical(range.high), "{:?}", analyte.names);
                assert!(!range.is_critical(range.low), "{:?}", analyte.names);
            }
        }
    }

    #[test]
    fn each_specimen_has_headings_tests_and_words_that_a_text_can_say() {
        let file: File = toml::from_str(include_str!("../../../assets/analytes.toml")).expect("valid");
        assert!(!file.specimen.is_empty());
        for specimen in &file.specimen {
            assert!([&specimen.headings, &specimen.tests].iter().all(|list| !list.is_empty()), "{specimen:?}");
            // Beside a word that says the specimen, every cell is of it; a specimen that governs only some tests has none.
            assert!(specimen.words.is_empty() != specimen.only.is_empty(), "{specimen:?}");
            for word in &specimen.words {
                let is_one = word.chars().all(|c| c.is_ascii_lowercase()) || !word.is_ascii();
                assert!(is_one, "{word}: it is compared with single words in small letters");
            }
        }
    }

    #[test]
    fn limits_of_certain_patients_are_whole_and_of_nobody_else() {
        let file: File = toml::from_str(include_str!("../../../assets/analytes.toml")).expect("valid");
        assert!(file.analyte.iter().any(|analyte| !analyte.limits.is_empty()) && file.analyte.iter().any(|analyte| analyte.by_sex));
        for analyte in &file.analyte {
            let names = &analyte.names;
            assert!(!(analyte.for_all && (analyte.by_sex || !analyte.limits.is_empty())), "{names:?}: either all have the same, or not");
            assert!(
                analyte
                    .fall
                    .as_ref()
                    .is_none_or(|fall| fall.to < 1.0 && fall.under.is_empty() != fall.below.is_empty() && !fall.means.is_empty()),
                "{names:?}"
            );
            for limits in &analyte.limits {
                assert!(
                    limits.sex.is_some() || limits.years.is_some() || limits.months.is_some() || limits.pregnant,
                    "{names:?}: of whom?"
                );
                assert!(!limits.fit(&CasePatient::default()), "{names:?}: an unknown patient has the limits of all");
                for range in &analyte.ranges {
                    let own = limits.ranges.iter().find(|own| own.unit == range.unit);
                    let own = own.unwrap_or_else(|| panic!("{names:?}: no limits in {}", range.unit));
                    assert!(own.low <= own.high && !own.is_critical(own.low) && !own.is_critical(own.high), "{names:?}");
                    assert_eq!(own.critical.is_some(), range.critical.is_some(), "{names:?}: an emergency stays one");
                }
            }
        }
    }
}
