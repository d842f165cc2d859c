//! What the words around a name say of it: that it is absent, resolved, uncertain, past, a risk, or a relative's. The cues are in
//! `assets/status.toml`, those of denial in `assets/negation.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::answered::{denied_behind, rest_of_list};
use super::cue_limits::{asks_whether, has_turned, is_old_of_age, is_other_risk, is_still_there, told_before};
use super::denied_verbs::DeniedVerbs;
use super::hedges::{is_hedged_number, is_just_of_time, is_of_the_past};
use super::layout::{Headings, Layout, Section, gap};
use super::others::Others;
use super::whose::{Opinions, Relatives};
use crate::language::negation::{Denied, IsFindingAt, denied, is_denied_complaint, is_denying};
use crate::language::phrase_table::PhraseTable;
use crate::language::recognise::Span;
use crate::text::Token;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    cue: Vec<Cue>,
    pub(super) relatives: Relatives,
    pub(super) others: Others,
    pub(super) opinions: Opinions,
    pub(super) denied_verbs: DeniedVerbs,
    absent_words: HashMap<String, String>,
    pub(super) sections: Headings,
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
pub(super) enum Means {
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
pub(super) enum Reach {
    #[default]
    After,
    Before,
}

pub(super) static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(include_str!("../../../assets/status.toml")).unwrap_or_default());
pub(super) static CUES: LazyLock<PhraseTable<(Means, Reach, usize, bool)>> = LazyLock::new(|| {
    PhraseTable::of(
        WORDS.cue.iter().flat_map(|cue| cue.says.iter().map(move |says| (says.as_str(), (cue.means, cue.reach, cue.within, cue.list)))),
    )
});
static ABSENT_WORDS: LazyLock<PhraseTable<&'static str>> =
    LazyLock::new(|| PhraseTable::of(WORDS.absent_words.iter().map(|(word, finding)| (word.as_str(), finding.as_str()))));

/// What somebody who "had" it is over, and within how many words it stands.
const MALIGNANT: [&str; 7] = ["cancer", "lymphoma", "leukaemia", "leukemia", "melanoma", "carcinoma", "sarcoma"];
const MALIGNANT_WITHIN: usize = 4;

/// The most words of a bare name between two denials.
const BARE: usize = 3;

/// What is said of a token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) absent: bool,
    pub(crate) resolved: bool,
    pub(crate) uncertain: bool,
    pub(crate) hardly: bool,
    pub(crate) past: bool,
    pub(crate) risk: bool,
    pub(crate) family: bool,
    /// What a colleague or somebody else holds it to be, or rules out.
    pub(crate) opinion: bool,
    /// What somebody who is no clinician holds it to be.
    pub(crate) hearsay: bool,
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
        for range in (1..tokens.len()).filter_map(|at| said_to_be_free(text, tokens, at, is_finding_at)) {
            scopes.mark(range, |marks| marks.absent = true);
        }
        let mut all = denied_behind(text, tokens, layout);
        for denied in scopes.denied.clone() {
            let rest = rest_of_list(text, tokens, layout, (denied.cue, denied.last), is_finding_at);
            all.extend(rest);
        }
        for range in all {
            // Silent, too: nothing that resembles it is there.
            scopes.denied.push(Denied { cue: range.start, first: range.start, last: range.end });
            scopes.mark(range, |marks| marks.absent = true);
        }
        scopes.denied.sort_by_key(|denied| denied.cue);
        scopes.doubt_between_denials(text, tokens, layout, is_finding_at);
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
            let is_here = means == Means::Resolved && (has_turned(tokens, found.last) || is_still_there(tokens, found.first));
            if is_here || means == Means::Risk && reach == Reach::Before && is_other_risk(tokens, found.first, found.last) {
                continue;
            }
            if means == Means::Uncertain && (is_just_of_time(tokens, found.first) || is_hedged_number(tokens, found.last)) {
                continue;
            }
            // 青霉素过敏家族史 is told of what stands before it.
            if means == Means::Family
                && let Some(told) = told_before(text, tokens, (found.first, found.last))
            {
                scopes.cues.iter_mut().take(found.last).skip(found.first).for_each(|cue| *cue = true);
                scopes.mark(told, |marks| marks.family = true);
                continue;
            }
            let sentence = layout.sentence(found.first);
            let is_asked = means == Means::Absent && reach == Reach::Before && asks_whether(tokens, sentence, (found.first, found.last));
            let means = if is_asked { Means::Uncertain } else { means };
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
            let range = if means == Means::Family { scopes.of_family(found.first, range) } else { range };
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
        scopes.find_visitors(tokens, layout);
        scopes.find_contacts(tokens, layout);
        scopes.find_treated_beside(tokens);
        scopes.find_beside_self(tokens, is_finding_at);
        scopes.find_source(text, tokens, layout);
        scopes.lessen(tokens);
        scopes.find_asked_chinese(tokens);
        scopes.find_long_ago(tokens);
        scopes.find_opinions(text, tokens, layout);
        scopes
    }

    /// "No family history of VTE, no weight loss": where the cue itself is denied, the next denial is of the patient again.
    fn of_family(&self, cue: usize, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let is_denied = self.denied.iter().any(|denied| (denied.cue..denied.last).contains(&cue));
        let next = self.denied.iter().map(|denied| denied.cue).filter(|next| is_denied && range.contains(next)).min();
        range.start..next.unwrap_or(range.end)
    }

    /// "No diplopia, dysarthria, no tinnitus": a bare name between two denials of a sentence was probably meant to be denied, too; whether it was
    /// there is not sure.
    fn doubt_between_denials(&mut self, text: &str, tokens: &[Token], layout: &Layout, is_finding_at: IsFindingAt<'_>) {
        for denied in self.denied.clone() {
            let sentence = layout.sentence(denied.cue);
            let begin = denied.last;
            let is_comma = |at: usize| at.checked_sub(1).is_some_and(|before| matches!(gap(text, tokens, before).trim(), "," | "，"));
            let end = (begin + 1..sentence.last).find(|at| tokens.get(*at).is_some_and(|token| token.after_break)).unwrap_or(sentence.last);
            let goes_on = self.denied.iter().any(|next| next.cue >= end && next.cue < sentence.last);
            let is_bare = end - begin.min(end) <= BARE && is_finding_at(begin) && is_comma(begin) && is_comma(end);
            if goes_on && is_bare && begin < end {
                self.mark(begin..end, |marks| marks.uncertain = true);
            }
        }
    }

    /// Where a name of these words begins with its own denial, that denies nothing: "has not been able to wee" tells of retention.
    pub(super) fn take_own_denial(&mut self, tokens: &[Token], span: Span) {
        let begins = tokens.get(span.first).is_some_and(|token| token.text == "not" || (is_denying(token) && token.text.ends_with("nt")));
        if begins && !self.at(span.first).absent {
            self.mark(span.first..span.last, |marks| marks.absent = false);
        }
    }

    pub(super) fn mark(&mut self, range: std::ops::Range<usize>, set: impl Fn(&mut Marks)) {
        self.marks.iter_mut().take(range.end).skip(range.start).for_each(set);
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

/// What "free" at a token denies: "seizure-free on valproate", "pain free.", "fever free 3 days"; not "free T4".
fn said_to_be_free(text: &str, tokens: &[Token], at: usize, is_finding_at: IsFindingAt<'_>) -> Option<std::ops::Range<usize>> {
    let is_joined = |at: usize| tokens.get(at).is_some_and(|token| !token.after_break);
    if tokens.get(at)?.text != "free" || !is_joined(at) {
        return None;
    }
    let is_number = || tokens.get(at + 1).is_some_and(|next| next.text.starts_with(|c: char| c.is_ascii_digit()));
    let is_told_of = |next: &Token| matches!(next.text.as_str(), "on" | "off" | "for" | "since" | "now" | "with" | "after" | "until");
    let ends = gap(text, tokens, at - 1).trim() == "-" || !is_joined(at + 1) || is_number() || tokens.get(at + 1).is_some_and(is_told_of);
    let begin = if at > 1 && is_joined(at - 1) && is_finding_at(at - 2) { at - 2 } else { at - 1 };
    (ends && is_finding_at(begin)).then_some(begin..at)
}

/// Where a list begins that ends with the words from `begin` on: "hep B/C", "甲肝、乙肝、丙肝". Only slashes and the Chinese list comma join, one
/// word a slash.
fn list_before(text: &str, tokens: &[Token], (least, begin): (usize, usize)) -> usize {
    let mut begin = begin;
    while begin > least {
        let joint = gap(text, tokens, begin - 1).trim();
        let item = match joint {
            "/" => begin - 1 - usize::from(is_of_hepatitis(text, tokens, begin - 1)),
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

/// Whether a word is the letter of a hepatitis: "hep B / TB screen".
fn is_of_hepatitis(text: &str, tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let named = at.checked_sub(1).filter(|before| matches!(word(*before), "hep" | "hepatitis"));
    word(at).len() == 1 && named.is_some_and(|before| gap(text, tokens, before).trim().is_empty())
}

/// A word after which another thought begins.
pub(super) fn is_contrast(word: &str) -> bool {
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

/// Whether a clause that begins with this word tells of the patient himself, whatever somebody says in the clause before it.
pub(super) fn begins_own(token: &Token) -> bool {
    token.text.starts_with(|c: char| c.is_ascii_digit()) || matches!(token.text.as_str(), "i" | "im" | "ive" | "我")
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

/// "Had a" tells of the past only where it says when, or with "previously".
fn is_past_had(tokens: &[Token], first: usize, last: usize, layout: &Layout) -> bool {
    if tokens.get(first).is_none_or(|token| token.text != "had") {
        return true;
    }
    let sentence = layout.sentence(first);
    let rest = tokens.get(last..sentence.last).unwrap_or_default();
    // Who "had breast cancer" has it no more; not who "has had" it for a year, or had chemotherapy for it.
    let before = first.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |before| before.text.as_str());
    if matches!(before, "has" | "have" | "ive") && rest.iter().any(|token| token.text == "since") {
        return false;
    }
    let near =
        rest.iter().take(MALIGNANT_WITHIN).take_while(|token| !matches!(token.text.as_str(), "for" | "with" | "because" | "against"));
    if !matches!(before, "has" | "have" | "ive") && near.into_iter().any(|token| MALIGNANT.contains(&token.text.as_str())) {
        return true;
    }
    // "Had a fall 4/7 ago": days and weeks as notes write them.
    let is_number = |token: &Token| token.text.bytes().all(|byte| byte.is_ascii_digit());
    let is_lately = |two: &[Token]| matches!(two, [one, unit] if is_number(one) && matches!(unit.text.as_str(), "7" | "52"));
    if rest.get(..rest.len().min(8)).unwrap_or_default().windows(2).any(is_lately) {
        return false;
    }
    rest.iter().take(8).any(|token| {
        is_of_the_past(rest, &token.text)
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
        assert!(marks("had a fit 5/12 ago", "fit").past && !marks("had a fit 5/7 ago", "fit").past);
        for text in ["her fingers have gone white", "the fingers have gone stiff and cold", "fingers have gone all tingly"] {
            assert!(!marks(text, "fingers").resolved, "{text}");
        }
        for text in
            ["the rash has gone", "the rash has gone now", "the rash has gone completely, thanks", "the rash has gone and he is fine"]
        {
            assert!(marks(text, "rash").resolved, "{text}");
        }
        assert!(marks("on theophylline, old stroke with spasticity", "stroke").past);
        assert!(!marks("72 year old diabetic", "diabetic").past && !marks("a 5yr old asthmatic", "asthmatic").past);
        assert!(marks("PE was ruled out", "pe").absent && marks("CT to rule out PE", "pe").uncertain);
        assert!(marks("hep B / TB screen not sent", "hep").uncertain && marks("hep B / TB screen not sent", "tb").uncertain);
        assert!(
            marks("the rash has settled, the fever has not", "rash").resolved
                && !marks("the rash has settled, the fever has not", "fever").resolved
        );
        assert!(marks("否认胸痛，有咳嗽", "痛").absent);
        assert!(marks("fever: no, cough: yes", "fever").absent && !marks("fever: no, cough: yes", "cough").absent);
        assert!(marks("发热（-），咯血（+）", "热").absent && !marks("发热（-），咯血（+）", "血").absent);
    }

    #[test]
    fn what_a_relative_has_is_the_relatives_unless_the_question_is_about_him() {
        assert!(marks("34M with anaemia; brother T1DM", "t1dm").family);
        assert!(marks("I am 30 and tired. My mother had breast cancer, is it serious?", "breast").family);
        assert!(!marks("My father has chest pain", "chest").family);
        assert!(marks("My mother has diabetes and I am always thirsty", "diabetes").family);
        assert!(!marks("My son has a rash and I have tried cream, I am worried", "rash").family);
        assert!(marks("His brother has schizophrenia; he now hears voices", "schizophrenia").family);
        assert!(marks("妈妈有糖尿病，我最近总口渴", "糖").family && !marks("妈妈有糖尿病，该怎么吃", "糖").family);
        assert!(marks("咳嗽3周，姑姑有乳腺癌", "乳").family && marks("34F, lump. Maternal aunt breast ca", "breast").family);
        assert!(!marks("dad is 64, tightness across his chest", "tightness").family);
        assert!(marks("58M, cough. FH: lung cancer.", "lung").family);
        assert!(!marks("DVT, no FHx VTE, no weight loss", "weight").family && marks("DVT, no FHx VTE, no weight loss", "vte").family);
        assert!(marks("FHx no cancer, no diabetes", "diabetes").family);
        assert!(marks("2 days of rifampicin cause a girl at nursery got meningitis", "meningitis").family);
        assert!(marks("My son has had spots since Friday. A boy in his class had measles.", "measles").family);
        assert!(!marks("3 year old girl at nursery all week, now has a rash", "rash").family);
        assert!(!marks("Hello, my little girl at nursery has a rash", "rash").family);
        assert!(!marks("Seen a boy with a stiff neck", "stiff").family);
    }
}
