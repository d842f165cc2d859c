//! What the words around a name say of it: that it is absent, resolved, uncertain, past, a risk, or a relative's. The cues are in
//! `assets/status.toml`, those of denial in `assets/negation.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::layout::{Headings, Layout, Section, gap};
use crate::language::negation::{Denied, IsFindingAt, denied, is_denied_complaint};
use crate::language::phrase_table::PhraseTable;
use crate::text::Token;

/// How many words what a relative has may reach.
const RELATIVE_REACH: usize = 12;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    cue: Vec<Cue>,
    relatives: Relatives,
    others: Others,
    opinions: Opinions,
    absent_words: HashMap<String, String>,
    pub(super) sections: Headings,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Relatives {
    words: Vec<String>,
    report: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Others {
    who: Vec<String>,
    places: Vec<String>,
    has: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Opinions {
    who: Vec<String>,
    holds: Vec<String>,
    within: usize,
    reach: usize,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cue {
    means: Means,
    #[serde(default)]
    reach: Reach,
    says: Vec<String>,
    within: usize,
    #[serde(default)]
    list: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Means {
    #[default]
    Uncertain,
    Past,
    Resolved,
    Risk,
    Absent,
    Family,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reach {
    #[default]
    After,
    Before,
}

pub(super) static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(include_str!("../../../assets/status.toml")).unwrap_or_default());
static CUES: LazyLock<PhraseTable<(Means, Reach, usize, bool)>> = LazyLock::new(|| {
    PhraseTable::of(
        WORDS.cue.iter().flat_map(|cue| cue.says.iter().map(move |says| (says.as_str(), (cue.means, cue.reach, cue.within, cue.list)))),
    )
});
static RELATIVES: LazyLock<PhraseTable<()>> =
    LazyLock::new(|| PhraseTable::of(WORDS.relatives.words.iter().map(|word| (word.as_str(), ()))));
static OTHERS: LazyLock<[PhraseTable<()>; 2]> =
    LazyLock::new(|| [&WORDS.others.who, &WORDS.others.places].map(|list| PhraseTable::of(list.iter().map(|word| (word.as_str(), ())))));
static OPINIONS: LazyLock<[PhraseTable<()>; 2]> =
    LazyLock::new(|| [&WORDS.opinions.who, &WORDS.opinions.holds].map(|list| PhraseTable::of(list.iter().map(|word| (word.as_str(), ())))));
static ABSENT_WORDS: LazyLock<PhraseTable<&'static str>> =
    LazyLock::new(|| PhraseTable::of(WORDS.absent_words.iter().map(|(word, finding)| (word.as_str(), finding.as_str()))));

/// What is said of a token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) absent: bool,
    pub(crate) resolved: bool,
    pub(crate) uncertain: bool,
    pub(crate) past: bool,
    pub(crate) risk: bool,
    pub(crate) family: bool,
    /// What a colleague or somebody else holds it to be, or rules out.
    pub(crate) opinion: bool,
}

/// What is said of each token of a question.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    marks: Vec<Marks>,
    /// Tokens that say it.
    cues: Vec<bool>,
    /// What is denied, each with its cue.
    pub(crate) denied: Vec<Denied>,
    /// Findings that one word says to be absent: its token, one past its last, and the finding.
    pub(crate) absent_words: Vec<(usize, usize, &'static str)>,
}

impl Scopes {
    /// Reads the scopes of a text. `speaks_of_relative`: whether the patient himself is called a relative ("my son has …").
    pub(crate) fn of(text: &str, tokens: &[Token], layout: &Layout, is_finding_at: IsFindingAt<'_>) -> Self {
        let mut scopes = Self { marks: vec![Marks::default(); tokens.len()], cues: vec![false; tokens.len()], ..Self::default() };
        scopes.denied = denied(text, tokens, is_finding_at);
        for denied in &mut scopes.denied {
            denied.last = denied.last.min(layout.sentence(denied.cue).last);
        }
        scopes.denied.retain(|denied| denied.last > denied.first);
        for denied in scopes.denied.clone() {
            scopes.mark(denied.first..denied.last, |marks| marks.absent = true);
            scopes.cues.iter_mut().take(denied.first).skip(denied.cue).for_each(|cue| *cue = true);
        }
        for at in 0..tokens.len() {
            if is_denied_complaint(tokens, at) && !is_not_denial(tokens, at) {
                scopes.mark(at..at + 1, |marks| marks.absent = true);
            }
            match layout.section(at) {
                Section::Family => scopes.mark(at..at + 1, |marks| marks.family = true),
                Section::Past => scopes.mark(at..at + 1, |marks| marks.past = true),
                Section::Impression => scopes.mark(at..at + 1, |marks| marks.uncertain = true),
                _ => {}
            }
            // "?PE"
            let before = at.checked_sub(1).map_or_else(
                || text.get(..tokens.first().map_or(0, |token| token.start)).unwrap_or_default(),
                |before| gap(text, tokens, before),
            );
            if before.ends_with(['?', '？'])
                && (before.trim_end_matches(['?', '？']).is_empty()
                    || before.trim_end_matches(['?', '？']).ends_with([' ', '(', ',', ':', '\n', '-', '/']))
            {
                let end = layout.sentence(at).last.min(at + 4);
                let end = (at + 1..end).find(|next| tokens.get(*next).is_some_and(|token| token.after_break)).unwrap_or(end);
                scopes.mark(at..end, |marks| marks.uncertain = true);
            }
        }
        scopes.absent_words = ABSENT_WORDS.find_all(tokens).into_iter().map(|found| (found.first, found.last, found.means)).collect();
        for found in CUES.find_all(tokens) {
            let (means, reach, within, list) = found.means;
            if means == Means::Past
                && (is_duration_of_history(tokens, found.first)
                    || is_old_of_age(tokens, found.first)
                    || !is_past_had(tokens, found.first, found.last, layout))
            {
                continue;
            }
            let sentence = layout.sentence(found.first);
            let range = match reach {
                Reach::After => {
                    let end = sentence.last.min(found.last + within);
                    let ends = |at: &usize| tokens.get(*at).is_some_and(|token| (token.after_break && !list) || is_contrast(&token.text));
                    found.last..(found.last..end).find(|at| *at > found.last && ends(at)).unwrap_or(end)
                }
                Reach::Before => {
                    let begin = sentence.first.max(found.first.saturating_sub(within));
                    let breaks = |at: &usize| tokens.get(*at + 1).is_some_and(|token| token.after_break);
                    let begin = (begin..found.first).rev().find(breaks).map_or(begin, |at| at + 1);
                    let begin = if list { list_before(text, tokens, (sentence.first, begin)) } else { begin };
                    begin..found.first
                }
            };
            if range.is_empty() {
                continue;
            }
            scopes.cues.iter_mut().take(found.last).skip(found.first).for_each(|cue| *cue = true);
            scopes.mark(range, |marks| match means {
                Means::Uncertain => marks.uncertain = true,
                Means::Past => marks.past = true,
                Means::Resolved => marks.resolved = true,
                Means::Risk => marks.risk = true,
                Means::Absent => marks.absent = true,
                Means::Family => marks.family = true,
            });
        }
        scopes.find_relatives(tokens, layout);
        scopes.find_others(tokens, layout);
        scopes.find_opinions(tokens, layout);
        scopes
    }

    /// Marks what somebody has who is named by a place: "a girl at nursery got meningitis", "a boy in his class had measles".
    fn find_others(&mut self, tokens: &[Token], layout: &Layout) {
        let [who, places] = &*OTHERS;
        for person in who.find_all(tokens) {
            let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
            let sentence = layout.sentence(person.first);
            // "My girl at nursery has …", "Girl at nursery has …": it is about her.
            let begin = person.first.saturating_sub(4);
            if begin == 0 || (begin..person.first).any(|at| matches!(word(at), "my" | "our")) {
                continue;
            }
            let Some(place) = places.at(tokens, person.last).filter(|place| place.last < sentence.last) else { continue };
            let tells = |at: &usize| WORDS.others.has.iter().any(|has| has == word(*at));
            let Some(told) = (place.last..place.last + 3).find(tells) else { continue };
            let end = sentence.last.min(told + RELATIVE_REACH);
            let ends = |at: &usize| tokens.get(*at).is_none_or(|token| token.after_break || is_contrast(&token.text));
            let end = (told..end).find(ends).unwrap_or(end);
            self.mark(person.first..end, |marks| marks.family = true);
        }
    }

    /// Marks what somebody holds it to be.
    fn find_opinions(&mut self, tokens: &[Token], layout: &Layout) {
        let [who, holds] = &*OPINIONS;
        for person in who.find_all(tokens) {
            let sentence = layout.sentence(person.first);
            let said = holds
                .find_all(tokens)
                .into_iter()
                .find(|said| said.first >= person.last && said.first < person.last + WORDS.opinions.within && said.last <= sentence.last);
            let Some(said) = said else { continue };
            // "The doctor says I have gout" tells of a diagnosis.
            let tells = |at: usize| {
                tokens
                    .get(at)
                    .is_some_and(|token| matches!(token.text.as_str(), "have" | "ive" | "has" | "got" | "my" | "我" | "得" | "有"))
            };
            if (said.last..said.last + 3).any(tells) {
                continue;
            }
            let end = sentence.last.min(said.last + WORDS.opinions.reach);
            let ends = |at: &usize| tokens.get(*at).is_some_and(|token| is_contrast(&token.text));
            let end = (said.last..end).find(ends).unwrap_or(end);
            self.mark(said.last..end, |marks| marks.opinion = true);
        }
    }

    fn mark(&mut self, range: std::ops::Range<usize>, set: impl Fn(&mut Marks)) {
        self.marks.iter_mut().take(range.end).skip(range.start).for_each(set);
    }

    /// Marks what relatives have. The question is about a relative where it begins with one; then nothing is marked.
    fn find_relatives(&mut self, tokens: &[Token], layout: &Layout) {
        let named = RELATIVES.find_all(tokens);
        let speaks_of_self = |from: usize, to: usize| {
            let said = tokens.get(from..to).unwrap_or_default();
            said.iter().any(|token| matches!(token.text.as_str(), "i" | "im" | "ive" | "me" | "my" | "我"))
        };
        for (number, found) in named.iter().enumerate() {
            let next = tokens.get(found.last).map_or("", |token| token.text.as_str());
            let sentence = layout.sentence(found.first);
            let told = tokens.get(found.last..(found.last + 3).min(sentence.last)).unwrap_or_default();
            let had = told
                .iter()
                .any(|token| matches!(token.text.as_str(), "had" | "died" | "has" | "with" | "have" | "diagnosed" | "患" | "有" | "得"));
            let only_had = told.iter().take(2).any(|token| matches!(token.text.as_str(), "had" | "died" | "diagnosed"));
            let reports = told.iter().any(|token| WORDS.relatives.report.contains(&token.text));
            let owns =
                matches!(next, "s") || tokens.get(found.first).is_some_and(|token| token.text.ends_with('s') && token.text.len() > 3);
            // Somebody else is spoken of before: "74 yr old teacher … Mother had a stroke", "I have a cough. My father …".
            let greets = |token: &Token| {
                // "My 40 year old husband".
                let is_age =
                    token.text.starts_with(|c: char| c.is_ascii_digit()) || matches!(token.text.as_str(), "year" | "yr" | "yo" | "old");
                let is_owned = tokens.first().is_some_and(|first| matches!(first.text.as_str(), "my" | "our"));
                (is_age && is_owned && !token.after_break)
                    || matches!(
                        token.text.as_str(),
                        "hi" | "hello"
                            | "dear"
                            | "doctor"
                            | "dr"
                            | "my"
                            | "our"
                            | "the"
                            | "so"
                            | "please"
                            | "hey"
                            | "help"
                            | "a"
                            | "your"
                            | "his"
                            | "her"
                            | "good"
                            | "morning"
                            | "evening"
                            | "also"
                            | "and"
                            | "is"
                            | "can"
                            | "should"
                            | "if"
                            | "how"
                            | "what"
                            | "why"
                            | "我"
                            | "你"
                            | "您"
                            | "好"
                            | "医"
                            | "生"
                            | "请"
                            | "问"
                            | "家"
                            | "的"
                    )
            };
            // "我和老公都头疼", "me and my husband feel sick": what both have, the patient has.
            let joined = (found.first.saturating_sub(4)..found.first).any(|at| {
                let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
                matches!(word(at), "我" | "i" | "me") && matches!(word(at + 1), "和" | "跟" | "与" | "and")
            });
            let joined = joined || matches!((next, told.get(1).map_or("", |token| token.text.as_str())), ("and", "i" | "me"));
            let begins_text = number == 0 && tokens.get(..found.first).unwrap_or_default().iter().all(greets);
            let protagonist = begins_text && !(only_had && speaks_of_self(found.last, tokens.len()));
            // A direct apposition: "brother T1DM", "mother hypothyroid".
            let apposed = told
                .first()
                .is_some_and(|token| !token.after_break && !matches!(token.text.as_str(), "and" | "is" | "was" | "who" | "to" | "for"));
            if protagonist || joined || reports || owns || !(had || apposed) {
                continue;
            }
            let end = sentence.last.min(found.last + RELATIVE_REACH);
            let ends = |at: &usize| {
                let Some(token) = tokens.get(*at) else { return true };
                // "Mother had a stroke, and I feel dizzy"
                is_contrast(&token.text)
                    || matches!(token.text.as_str(), "i" | "im" | "ive" | "he" | "she" | "my" | "我")
                    || (token.after_break && *at > found.last)
            };
            let end = (found.last..end).find(ends).unwrap_or(end);
            self.mark(found.first..end, |marks| marks.family = true);
        }
    }

    /// What is said of a token.
    pub(crate) fn at(&self, token: usize) -> Marks {
        self.marks.get(token).copied().unwrap_or_default()
    }

    /// Whether a token belongs to a cue.
    pub(crate) fn is_cue(&self, token: usize) -> bool {
        self.cues.get(token).copied().unwrap_or(false)
    }

    /// For each token whether what it names argues for nothing.
    pub(crate) fn silent(&self) -> Vec<bool> {
        let absent = |at: usize| self.denied.iter().any(|denied| (denied.first..denied.last).contains(&at));
        self.marks.iter().enumerate().map(|(at, marks)| marks.resolved || marks.family || (marks.absent && absent(at))).collect()
    }
}

/// Where a list begins that ends with the words from `begin` on: "hep B/C", "甲肝、乙肝、丙肝". Only slashes and the Chinese list comma join, one
/// word a slash.
fn list_before(text: &str, tokens: &[Token], (least, begin): (usize, usize)) -> usize {
    let mut begin = begin;
    while begin > least {
        let joint = gap(text, tokens, begin - 1).trim();
        let item = match joint {
            "/" => begin - 1,
            "、" => {
                let breaks = |at: &usize| tokens.get(*at).is_some_and(|token| token.after_break);
                (least..begin).rev().find(breaks).unwrap_or(least)
            }
            _ => break,
        };
        begin = item.max(least);
    }
    begin
}

/// A word after which another thought begins.
fn is_contrast(word: &str) -> bool {
    matches!(word, "but" | "however" | "although" | "though" | "now" | "presents" | "presenting" | "但" | "现")
}

/// Whether "not" before a word denies nothing: "not only", "not sure".
fn is_not_denial(tokens: &[Token], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    matches!(
        before(1),
        "only" | "sure" | "just" | "know" | "responding" | "improving" | "controlled" | "help" | "better" | "touching" | "sleep" | "eat"
    )
}

/// "3 day history of": how long it has lasted, not what was.
fn is_duration_of_history(tokens: &[Token], first: usize) -> bool {
    let is_time = |token: &Token| {
        let word = token.text.trim_start_matches(|c: char| c.is_ascii_digit());
        matches!(
            word,
            "day"
                | "days"
                | "week"
                | "weeks"
                | "month"
                | "months"
                | "year"
                | "years"
                | "hour"
                | "hours"
                | "h"
                | "d"
                | "w"
                | "wk"
                | "hr"
                | "7"
                | "52"
                | "12"
                | "short"
                | "long"
        )
    };
    let before = tokens.get(first.saturating_sub(2)..first).unwrap_or_default();
    let slash = before.len() == 2 && matches!(before.last().map(|token| token.text.as_str()), Some("7" | "52" | "12"));
    before.iter().any(|token| is_time(token) && token.text.parse::<u32>().is_err()) || slash
}

/// "72 year old", "5yr old": how old the patient is, not what was.
fn is_old_of_age(tokens: &[Token], first: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let before = first.checked_sub(1).map_or("", word).trim_start_matches(|c: char| c.is_ascii_digit());
    let is_unit = matches!(
        before,
        "" | "year"
            | "years"
            | "yr"
            | "yrs"
            | "y"
            | "month"
            | "months"
            | "mth"
            | "mths"
            | "mo"
            | "week"
            | "weeks"
            | "wk"
            | "day"
            | "days"
            | "how"
    );
    word(first) == "old" && is_unit
}

/// "Had a" tells of the past only where it says when, or with "previously".
fn is_past_had(tokens: &[Token], first: usize, last: usize, layout: &Layout) -> bool {
    if tokens.get(first).is_none_or(|token| token.text != "had") {
        return true;
    }
    let sentence = layout.sentence(first);
    let rest = tokens.get(last..sentence.last).unwrap_or_default();
    rest.iter().take(8).any(|token| {
        matches!(token.text.as_str(), "ago" | "previously" | "childhood")
            || (token.text.len() == 4
                && (token.text.starts_with("19") || token.text.starts_with("20"))
                && token.text.parse::<u32>().is_ok())
    }) && !rest.iter().take(8).any(|token| matches!(token.text.as_str(), "day" | "days" | "hour" | "hours" | "week" | "weeks"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    fn marks(text: &str, word: &str) -> Marks {
        let tokens = tokenise(text);
        let at = tokens.iter().position(|token| token.text == word).unwrap_or_else(|| panic!("{word} in {text}"));
        Scopes::of(text, &tokens, &Layout::of(text, &tokens), &|_| false).at(at)
    }

    #[test]
    fn the_file_is_valid() {
        let words: Words = toml::from_str(include_str!("../../../assets/status.toml")).expect("valid");
        assert!(words.cue.iter().all(|cue| cue.within > 0 && !cue.says.is_empty()));
    }

    #[test]
    fn a_cue_reaches_no_further_than_its_clause() {
        assert!(marks("Denies chest pain, SOB, fever, back pain. Cough", "back").absent);
        assert!(!marks("Denies chest pain, SOB, fever, back pain. Cough", "cough").absent);
        assert!(marks("No PE, ?DVT in the leg", "dvt").uncertain && !marks("No PE, ?DVT in the leg", "dvt").absent);
        assert!(marks("history of asthma, now wheezy", "asthma").past && !marks("history of asthma, now wheezy", "wheezy").past);
        assert!(!marks("3 day history of cough", "cough").past);
        assert!(marks("on theophylline, old stroke with spasticity", "stroke").past);
        assert!(!marks("72 year old diabetic", "diabetic").past && !marks("a 5yr old asthmatic", "asthmatic").past);
        assert!(marks("PE was ruled out", "pe").absent && marks("CT to rule out PE", "pe").uncertain);
        assert!(
            marks("the rash has settled, the fever has not", "rash").resolved
                && !marks("the rash has settled, the fever has not", "fever").resolved
        );
        assert!(marks("否认胸痛，有咳嗽", "痛").absent);
    }

    #[test]
    fn what_a_relative_has_is_the_relatives_unless_the_question_is_about_him() {
        assert!(marks("34M with anaemia; brother T1DM", "t1dm").family);
        assert!(marks("I am 30 and tired. My mother had breast cancer, is it serious?", "breast").family);
        assert!(!marks("My father has chest pain", "chest").family);
        assert!(!marks("dad is 64, tightness across his chest", "tightness").family);
        assert!(marks("58M, cough. FH: lung cancer.", "lung").family);
        assert!(marks("2 days of rifampicin cause a girl at nursery got meningitis", "meningitis").family);
        assert!(marks("My son has had spots since Friday. A boy in his class had measles.", "measles").family);
        assert!(!marks("3 year old girl at nursery all week, now has a rash", "rash").family);
        assert!(!marks("Hello, my little girl at nursery has a rash", "rash").family);
        assert!(!marks("Seen a boy with a stiff neck", "stiff").family);
    }
}
