//! Reading of the patient from the words of a question.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Age, Course, FERTILE, GROWN_UP, NameWords, Patient, Sex, YEAR};
use crate::text::{Token, tokenise};

/// The least age of one who asks for himself, in months: a child that writes.
const WRITES: u16 = 6 * YEAR;
/// How many words may stand between "my" and the person, and between the person and what is said of him.
const BETWEEN: usize = 3;
/// How many words after a relative his age may stand.
const RELATIVE_WITHIN: usize = 5;
/// The longest acute and the shortest chronic course, in days.
const ACUTE_DAYS: f32 = 14.0;
const CHRONIC_DAYS: f32 = 90.0;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    people: Vec<People>,
    chinese: Vec<People>,
    words: Lists,
    pub(super) state: super::state::StateWords,
    pub(super) names: NameWords,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct People {
    words: Vec<String>,
    sex: Option<Sex>,
    years: Option<[u16; 2]>,
    pub(super) called: bool,
    /// Nobody of that name is a child: of a child of three, "grandma" is somebody else.
    grown_up: bool,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    calls: Vec<String>,
    suffers: Vec<String>,
    but_not: Vec<String>,
    elderly: Vec<String>,
    male_organs: Vec<String>,
    female_organs: Vec<String>,
    pregnant: Vec<String>,
    with_child: Vec<String>,
    tells: Vec<String>,
    not_pregnant: Vec<String>,
    trying: Vec<String>,
    for_how_long: Vec<String>,
    acute: Vec<String>,
    chronic: Vec<String>,
    subacute: Vec<String>,
}

pub(super) static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(include_str!("../../../../assets/patient.toml")).unwrap_or_default());

/// What is stated of one thing: nothing, one thing, or several that contradict each other.
struct Stated<T>(Vec<T>);

impl<T: PartialEq> Stated<T> {
    fn one(mut self) -> Option<T> {
        self.0.dedup();
        if self.0.len() == 1 { self.0.pop() } else { None }
    }
}

/// Reads what a question says of the patient.
pub(super) fn read(tokens: &[Token]) -> Patient {
    let question = Question { tokens };
    let pregnant = question.pregnant();
    let mut numbers = question.ages_of_patient();
    if numbers.is_empty() {
        numbers = question.told_ages();
    }
    let is_child = !numbers.is_empty() && numbers.iter().all(|age| age.to < GROWN_UP);
    let (mut sexes, mut ages) = question.people(pregnant == Some(true), is_child);
    let organs = question.organs();
    sexes.extend(organs);
    sexes.extend((0..tokens.len()).filter_map(|at| question.sex_of_notes(at)));
    sexes.extend((0..tokens.len()).filter_map(|at| question.chinese_sex(at)));
    let asks_for_self = question.asks_for_self();
    // "He" is the patient where nobody else is spoken of; in a pregnancy it may be the child.
    if sexes.is_empty() && pregnant != Some(true) && (!ages.is_empty() || !question.has_any(&["i", "im", "ive", "me", "doctor"])) {
        sexes.extend(question.pronouns());
    }
    // The baby of a mother who asks for herself is not the patient.
    let is_mother = question.is_nursing_mother();
    if is_mother {
        sexes = vec![Sex::Female];
        ages.retain(|age| age.to >= FERTILE.from);
        numbers.retain(|age| age.to >= FERTILE.from);
    }
    let age = if numbers.is_empty() {
        // "My son, a boy": the narrower.
        ages.sort_by_key(|age| age.to - age.from);
        let all_meet = ages.iter().all(|age| ages.iter().all(|other| age.meets(*other)));
        let stated = ages.first().copied().filter(|_| all_meet);
        stated.or_else(|| (ages.is_empty() && (asks_for_self || is_mother)).then_some(Age { from: WRITES, to: 120 * YEAR }))
    } else {
        Stated(numbers).one()
    };
    sexes.sort_by_key(|sex| *sex == Sex::Male);
    Patient { age, sex: Stated(sexes).one(), pregnant, postpartum: false, course: question.course() }
}

pub(super) struct Question<'a> {
    pub(super) tokens: &'a [Token],
}

impl Question<'_> {
    pub(super) fn word(&self, at: usize) -> &str {
        // "My 8 year old's got a headache."
        self.tokens.get(at).map_or("", |token| if token.text == "olds" { "old" } else { token.text.as_str() })
    }

    fn is_one_of(&self, at: usize, words: &[String]) -> bool {
        self.tokens.get(at).is_some_and(|token| words.contains(&token.text))
    }

    fn has_any(&self, words: &[&str]) -> bool {
        self.tokens.iter().any(|token| words.contains(&token.text.as_str()))
    }

    /// Where a phrase begins.
    pub(super) fn places(&self, phrase: &str) -> impl Iterator<Item = usize> {
        let words: Vec<String> = tokenise(phrase).into_iter().map(|token| token.text).collect();
        (0..self.tokens.len()).filter(move |at| words.iter().enumerate().all(|(i, word)| self.word(at + i) == word))
    }

    fn has_phrase(&self, phrases: &[String]) -> bool {
        phrases.iter().any(|phrase| self.places(phrase).next().is_some())
    }

    pub(super) fn number(&self, at: usize) -> Option<f32> {
        let word = self.word(at);
        let spelled = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
        let chinese = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十"];
        let nth = |words: &[&str]| words.iter().position(|known| *known == word).map(|at| at as f32 + 1.0);
        match word {
            "a" | "an" | "半" => Some(1.0),
            "couple" | "两" => Some(2.0),
            "few" | "several" | "几" | "数" => Some(3.0),
            _ => {
                word.parse().ok().filter(|number: &f32| (0.0..1000.0).contains(number)).or_else(|| nth(&spelled)).or_else(|| nth(&chinese))
            }
        }
    }

    /// Sex and age by what the patient is called. `of_mother`: the child that is spoken of may be unborn. `is_of_child`: the
    /// patient is a child, so that no grown-up is meant.
    fn people(&self, of_mother: bool, is_of_child: bool) -> (Vec<Sex>, Vec<Age>) {
        let (mut sexes, mut ages) = (Vec::new(), Vec::new());
        let age = |people: &People| people.years.map(|[from, to]| Age { from: from * YEAR, to: (to * YEAR).max(1) });
        let suffers_self = self.suffers_self() || self.asks_of_own_drug();
        for at in 0..self.tokens.len() {
            let Some(people) = self.person(at) else { continue };
            let is_child = people.sex.is_none() && people.years.is_some_and(|[_, to]| to <= 2);
            if of_mother && is_child {
                continue;
            }
            if self.is_as_or_with(at) {
                continue;
            }
            let begins = at == 0 || self.tokens.get(at).is_some_and(|token| token.after_break && !self.has_any(&["i", "im", "my"]));
            let behind_age = at > 0 && self.word(at - 1).starts_with(|c: char| c.is_ascii_digit());
            let is_called = people.called && (begins || behind_age || self.is_one_of(at - 1, &WORDS.words.calls) || self.is_behind_old(at));
            if is_called || (!suffers_self && self.is_patient(at)) {
                sexes.extend(people.sex);
                ages.extend(age(people));
                if (at.saturating_sub(2)..at).any(|before| self.is_one_of(before, &WORDS.words.elderly)) {
                    ages.push(Age { from: 60 * YEAR, to: 120 * YEAR });
                }
            }
        }
        for people in &WORDS.chinese {
            // The child that a pregnant woman speaks of is not born yet.
            let is_child = people.years.is_some_and(|[from, to]| from == 0 && to <= 18);
            if (people.grown_up && is_of_child) || !self.tells_of(&people.words, is_child, people.grown_up) {
                continue;
            }
            if !(of_mother && is_child && self.has_phrase(&WORDS.words.with_child)) {
                sexes.extend(people.sex);
                ages.extend(age(people));
            }
        }
        (sexes, ages)
    }

    /// Whether the word at this token ends what began with an age: "45 year old white man".
    fn is_behind_old(&self, at: usize) -> bool {
        let begin = at.saturating_sub(BETWEEN);
        let old = (begin..at).find(|before| matches!(self.word(*before), "old" | "yo"));
        old.is_some_and(|old| (old + 1..=at).all(|next| self.tokens.get(next).is_some_and(|token| !token.after_break)))
    }

    /// Who is named at this token, as "husband", "husband's" or "husbands".
    pub(super) fn person(&self, at: usize) -> Option<&'static People> {
        let word = self.word(at);
        let one = word.strip_suffix('s').unwrap_or(word);
        WORDS.people.iter().find(|people| people.words.iter().any(|known| known == word || known == one))
    }

    /// Whether somebody is named at this token.
    pub(super) fn is_person(&self, at: usize) -> bool {
        self.person(at).is_some()
    }

    /// Whether the person at this token is whom the question is about: "my 5-year-old son has", "my wife's breast".
    fn is_patient(&self, at: usize) -> bool {
        // "Mum's face drooped": whoever begins with somebody of the family speaks of the own.
        let begins = at == 0 && self.person(at).is_some_and(|people| !people.called && people.sex.is_some());
        let is_mine =
            begins || (at.saturating_sub(BETWEEN + 2)..at).any(|before| matches!(self.word(before), "my" | "our" | "the" | "a" | "this"));
        let after = (at + 1..=at + BETWEEN).find(|after| self.is_one_of(*after, &WORDS.words.suffers));
        let is_owner = self.word(at).ends_with('s') && self.tokens.get(at + 1).is_some_and(|next| !next.after_break);
        // "Daughter (19), about to start …": an age says it as well.
        let has_age = begins && self.word(at + 1).starts_with(|c: char| c.is_ascii_digit());
        // "She's got a boyfriend": of whom the other is the partner.
        let is_partner = matches!(self.word(at), "boyfriend" | "girlfriend" | "husband" | "wife")
            && (at.saturating_sub(4)..at).any(|who| matches!(self.word(who), "she" | "shes" | "he" | "hes"))
            && (at.saturating_sub(3)..at).any(|has| matches!(self.word(has), "got" | "has" | "shes" | "hes" | "with"))
            && self.word(at.saturating_sub(1)) == "a";
        // "My dad had a stroke at 80" behind what the writer tells of himself.
        let had = matches!(self.word(at + 1), "had" | "died" | "passed");
        let is_told_before = had && (0..at).any(|before| matches!(self.word(before), "i" | "im" | "ive" | "me"));
        let is_other = || {
            is_told_before || (at + 1..=at + BETWEEN).any(|after| self.is_one_of(after, &WORDS.words.but_not) || self.word(after) == "i")
        };
        is_mine
            && (after.is_some() || is_owner || has_age || self.is_struck(at))
            && !is_partner
            && !is_other()
            && !self.asks_to_share(at)
            && !self.is_of_described(at)
    }

    /// Whether the one who asks says that it is himself who suffers.
    fn suffers_self(&self) -> bool {
        (0..self.tokens.len()).any(|at| {
            let says = |from: usize, words: &[&str]| (from..from + BETWEEN).any(|after| words.contains(&self.word(after)));
            match self.word(at) {
                "i" => {
                    says(at + 1, &["feel", "felt", "suffer", "experiencing", "having", "feeling", "suffering", "diagnosed", "struggling"])
                }
                "im" | "ive" => {
                    says(at + 1, &["experiencing", "having", "feeling", "suffering", "diagnosed", "struggling", "pregnant", "had"])
                }
                _ => false,
            }
        })
    }

    /// Whether it is asked for oneself, and nobody else is spoken of.
    fn asks_for_self(&self) -> bool {
        let begins = |at: usize| match self.word(at) {
            "im" | "ive" => true,
            "i" => {
                matches!(self.word(at + 1), "have" | "am" | "feel" | "had" | "was" | "keep" | "get" | "cannot" | "cant" | "suffer" | "felt")
            }
            _ => false,
        };
        let is_person = |at: usize| self.person(at).is_some();
        (0..self.tokens.len()).any(begins)
            && !(0..self.tokens.len()).any(is_person)
            && !self.has_any(&["he", "she", "his", "her", "him", "babies", "children"])
    }

    fn pronouns(&self) -> Vec<Sex> {
        let is_he = self.has_any(&["he", "his", "him"]) && !self.lives_with(&["husband", "boyfriend", "partner", "fiance"]);
        let stated = [(is_he, Sex::Male), (self.has_any(&["she", "her", "hers"]), Sex::Female)];
        stated.into_iter().filter(|(is_stated, _)| *is_stated).map(|(_, sex)| sex).collect()
    }

    fn organs(&self) -> Vec<Sex> {
        let lists = [(&WORDS.words.male_organs, Sex::Male), (&WORDS.words.female_organs, Sex::Female)];
        let has = |words: &[String]| {
            (0..self.tokens.len()).any(|at| {
                let is_own = (at.saturating_sub(2)..at).any(|before| matches!(self.word(before), "my" | "his" | "her"));
                is_own && self.is_one_of(at, words)
            })
        };
        lists.into_iter().filter(|(words, _)| has(words.as_slice())).map(|(_, sex)| sex).collect()
    }

    /// Ages in numbers: "5-year-old", "aged 67", "I am 45", "45岁".
    fn ages(&self) -> Vec<Age> {
        let mut ages: Vec<Age> = (0..self.tokens.len()).filter_map(|at| self.age_at(at)).collect();
        ages.sort_by_key(|age| age.from);
        ages.dedup();
        ages
    }

    /// The ages that may be the patient's: not that of a relative who is named before it ("dad bowel cancer aged 60") where another is
    /// stated.
    fn ages_of_patient(&self) -> Vec<Age> {
        let all = self.ages();
        let own = |at: usize| {
            let is_relative = |before: usize| self.person(before).is_some_and(|people| !people.called) && self.word(before + 1) != "is";
            let is_of_relative = (at.saturating_sub(RELATIVE_WITHIN)..at).any(is_relative) && at > RELATIVE_WITHIN;
            self.age_at(at).filter(|_| !is_of_relative)
        };
        if all.len() < 2 {
            return all;
        }
        let mut ages: Vec<Age> = (0..self.tokens.len()).filter_map(own).collect();
        ages.sort_by_key(|age| age.from);
        ages.dedup();
        if ages.is_empty() { all } else { ages }
    }

    pub(super) fn age_at(&self, at: usize) -> Option<Age> {
        let word = self.word(at);
        let is_chinese = self.tokens.get(at).is_some_and(|token| token.cjk);
        if let Some(age) = self.chinese_age(at) {
            return Some(age);
        }
        if is_chinese {
            return None;
        }
        if self.is_in_compact(at) {
            return None;
        }
        if let Some(compact) = self.compact(at) {
            return Some(compact.age);
        }
        if let Some((years, _)) = self.shorthand(at) {
            return age_of(years);
        }
        if let Some(age) = self.age_in_parts(at) {
            return Some(age);
        }
        if matches!(word, "a" | "an" | "couple" | "few" | "several" | "几" | "数" | "半") {
            return None;
        }
        let number = self.number(at)?;
        let (one, two, before) = (self.word(at + 1), self.word(at + 2), at.checked_sub(1).map_or("", |before| self.word(before)));
        let is_old = |from: usize| {
            matches!(self.word(from), "old" | "o") || (self.word(from) == "of" && self.word(from + 1) == "age") || self.is_aged_child(at)
        };
        let in_years = match one {
            "year" | "years" | "yr" | "yrs" | "y" if is_old(at + 2) => Some(number),
            "month" | "months" if is_old(at + 2) || self.is_told_in_months(at) => Some(number / 12.0),
            "week" | "weeks" if is_old(at + 2) => Some(number / 52.0),
            "day" | "days" if is_old(at + 2) => Some(number / 365.0),
            "yo" | "岁" => Some(number),
            "y" | "yr" if at == 0 && self.tokens.get(2).is_some_and(|next| next.after_break) => Some(number),
            "个" if two == "月" && matches!(self.word(at + 3), "大" | "的") => Some(number / 12.0),
            _ if before == "aged" || self.is_age_of_somebody(at) => Some(number),
            _ => {
                let is_me = before == "im" || (before == "am" && at > 1 && self.word(at - 2) == "i");
                let ends = self.tokens.get(at + 1).is_none_or(|next| next.after_break || matches!(one, "and" | "male" | "female"));
                (is_me && ends && number >= 10.0).then_some(number)
            }
        };
        in_years.and_then(age_of)
    }

    /// Ages that a number and its unit state in several tokens: "9yr old", "5/52 boy", "my son 14", "8 month old".
    fn age_in_parts(&self, at: usize) -> Option<Age> {
        let word = self.word(at);
        let digits = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
        let (number, unit) = (word.get(..digits)?.parse::<f32>().ok()?, word.get(digits..)?);
        let is_old = matches!(self.word(at + 1), "old" | "o");
        let in_years = |per_year: f32| age_of(number / per_year);
        match unit {
            "yr" | "yrs" | "y" | "year" if is_old || matches!(self.word(at + 1), "male" | "female" | "man" | "woman" | "boy" | "girl") => {
                return in_years(1.0);
            }
            "mo" | "m" | "mth" | "mths" if is_old => return in_years(12.0),
            "wk" | "wks" | "w" if is_old => return in_years(52.0),
            "" => {}
            _ => return None,
        }
        let is_child = |at: usize| matches!(self.word(at), "boy" | "girl" | "baby" | "infant" | "old" | "male" | "female" | "child");
        // A word may describe the child ("5 week premature boy"), but "34 weeks and baby has hardly kicked" is no baby of 34 weeks.
        let describes = !self.tokens.get(at + 3).is_some_and(|next| next.after_break)
            && !matches!(
                self.word(at + 2),
                "pregnant" | "and" | "or" | "but" | "my" | "the" | "our" | "his" | "her" | "with" | "since" | "after"
            );
        let is_childs = is_child(at + 2) || (describes && is_child(at + 3));
        if is_childs && !self.is_of_unborn(at) && self.tokens.get(at + 1).is_some_and(|next| !next.after_break) {
            let per_year = match self.word(at + 1) {
                "7" | "day" | "days" => 365.0,
                "52" | "wk" | "wks" | "week" | "weeks" => 52.0,
                "12" | "mo" | "mth" | "month" | "months" => 12.0,
                _ => 0.0,
            };
            if per_year > 0.0 && (per_year < 365.0 || self.word(at + 1) != "7" || is_child(at + 2)) {
                return in_years(per_year);
            }
        }
        // "宝宝8个月"
        if self.word(at + 1) == "个"
            && self.word(at + 2) == "月"
            && at >= 2
            && [self.word(at - 2), self.word(at - 1)].concat().contains("宝")
        {
            return in_years(12.0);
        }
        // "my son 14 woke", "man 41,"
        let before = at.checked_sub(1).and_then(|before| self.person(before));
        let ends = self.tokens.get(at + 1).is_none_or(|next| next.after_break || self.is_one_of(at + 1, &WORDS.words.suffers));
        // "Boy 14 sudden groin pain": who is called so at the beginning of a text or clause.
        let is_called = before.is_some_and(|people| people.called)
            && (at == 1 || at.checked_sub(1).and_then(|who| self.tokens.get(who)).is_some_and(|token| token.after_break));
        let is_unit = is_unit_of_time(self.word(at + 1)) || super::ages::is_measure(self.word(at + 1));
        let ends = ends || self.is_one_of(at + 1, &WORDS.words.tells) || (is_called && !is_unit && number >= 2.0);
        let after_is = at >= 2 && self.word(at - 1) == "is" && self.person(at - 2).is_some();
        ((before.is_some() || after_is) && ends && (1.0..=110.0).contains(&number)).then(|| age_of(number)).flatten()
    }

    /// Whether a pregnancy is stated, or denied.
    pub(super) fn pregnant(&self) -> Option<bool> {
        let lists = &WORDS.words;
        let mut stated = None;
        for at in lists.pregnant.iter().flat_map(|phrase| self.places(phrase)) {
            let near = at.saturating_sub(3)..at;
            if near.clone().any(|before| self.is_one_of(before, &lists.trying)) || self.is_not_yet(at) || self.is_of_other_woman(at) {
                continue;
            }
            let is_denied = near.clone().any(|before| self.is_one_of(before, &lists.not_pregnant));
            stated = Some(stated.unwrap_or(false) || !is_denied);
        }
        stated
    }

    /// How long it has been going on; nothing where several things have been so for times that differ.
    fn course(&self) -> Option<Course> {
        let lists = &WORDS.words;
        let mut all: Vec<Course> = (0..self.tokens.len()).filter_map(|at| self.days_at(at)).map(course_of).collect();
        let phrases = [(&lists.acute, Course::Acute), (&lists.subacute, Course::Subacute), (&lists.chronic, Course::Chronic)];
        all.extend(phrases.into_iter().filter(|(phrases, _)| self.has_phrase(phrases)).map(|(_, course)| course));
        Stated(all).one()
    }

    /// A time since when it has been so, in days: "for 3 days", "over the past few weeks", "三天".
    fn days_at(&self, at: usize) -> Option<f32> {
        let number = self.number(at)?;
        let (one, two) = (self.word(at + 1), self.word(at + 2));
        // "A few weeks" is three of them, once.
        if self.word(at) == "a" && self.number(at + 1).is_some() {
            return None;
        }
        let one = if one == "of" { two } else { one };
        let english = match one {
            "hour" | "hours" => Some(number / 24.0),
            "day" | "days" => Some(number),
            "week" | "weeks" => Some(number * 7.0),
            "month" | "months" => Some(number * 30.0),
            "year" | "years" => Some(number * 365.0),
            _ => None,
        };
        if let Some(days) = english {
            let introduced = (at.saturating_sub(3)..at).any(|before| self.is_one_of(before, &WORDS.words.for_how_long));
            let is_other = (at + 2..at + 4).any(|after| matches!(self.word(after), "old" | "ago" | "of" | "pregnant" | "postpartum"));
            return (introduced && !is_other).then_some(days);
        }
        let (days, next) = match (one, two) {
            ("天" | "日", next) => (number, next),
            ("周", next) => (number * 7.0, next),
            ("个", "月") => (number * 30.0, self.word(at + 3)),
            ("年", next) => (number * 365.0, next),
            _ => return None,
        };
        (!matches!(next, "前" | "后" | "大")).then_some(days)
    }
}

pub(in crate::pipeline::understand) fn is_unit_of_time(word: &str) -> bool {
    let units = ["minute", "min", "hour", "hr", "day", "week", "wk", "month", "mth", "year", "yr"];
    units.iter().any(|unit| word.strip_suffix('s').unwrap_or(word) == *unit) || matches!(word, "7" | "52" | "12")
}

fn age_of(years: f32) -> Option<Age> {
    // Full months: 19 days are none. A hundredth more, because a month is no exact part of a year.
    let months = (years * f32::from(YEAR) + 0.01).floor() as u16;
    (0.0..=120.0).contains(&years).then_some(Age { from: months, to: months })
}

fn course_of(days: f32) -> Course {
    if days <= ACUTE_DAYS {
        Course::Acute
    } else if days < CHRONIC_DAYS {
        Course::Subacute
    } else {
        Course::Chronic
    }
}

#[cfg(test)]
#[path = "reading_tests.rs"]
mod tests;
