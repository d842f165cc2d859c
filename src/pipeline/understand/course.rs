//! The course of what a question tells: whether it came suddenly, is over, comes in spells, or is happening now. The words are in `assets/course.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::language::phrase_table::PhraseTable;
use crate::text::{Token, tokenise};

/// How many words before "back to normal" may deny it.
const DENIED_WITHIN: usize = 3;
/// How many words behind "mild" what it is said of may begin.
const MILD_WITHIN: usize = 2;

/// How far behind a complaint it may be said what brings it on, in bytes.
const BROUGHT_ON_WITHIN: usize = 48;

/// How far from a value it may be said to be unchanged, in bytes: the "chronic" of a disease's name says nothing of it.
const UNCHANGED_WITHIN: usize = 24;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    sudden: Vec<String>,
    ended: Vec<String>,
    not: Vec<String>,
    goes_on: Vec<String>,
    now: Vec<String>,
    spells: Vec<String>,
    recurs: Vec<String>,
    mild: Vec<String>,
    changes: Vec<String>,
    unchanged: Vec<String>,
    pressed: Vec<String>,
    risks: Vec<String>,
    lately: Vec<String>,
    exertion: Vec<String>,
    at_rest: Vec<String>,
    fever_ended: Vec<String>,
    fever_again: Vec<String>,
    days_ago: Vec<String>,
    looked_into: Vec<String>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/course.toml")).unwrap_or_default());
/// The phrases for what is sudden, over, going on, now, in spells, again and again, mild, what changes and what does not.
static PHRASES: LazyLock<[PhraseTable<()>; 9]> = LazyLock::new(|| {
    [&WORDS.sudden, &WORDS.ended, &WORDS.goes_on, &WORDS.now, &WORDS.spells, &WORDS.recurs, &WORDS.mild, &WORDS.changes, &WORDS.unchanged]
        .map(PhraseTable::of_phrases)
});
/// The phrases for what pressing brings on, what exertion brings on, and what is there at rest.
static BROUGHT_ON: LazyLock<[PhraseTable<()>; 3]> =
    LazyLock::new(|| [&WORDS.pressed, &WORDS.exertion, &WORDS.at_rest].map(PhraseTable::of_phrases));
/// The phrases for what may have hurt a chest or runs in the family, and for what has just begun.
static AGAINST: LazyLock<[PhraseTable<()>; 2]> = LazyLock::new(|| [&WORDS.risks, &WORDS.lately].map(PhraseTable::of_phrases));
/// The phrases for a fever that is over, for one that has come again, for what was days ago, and for what has been looked into.
static PASSED: LazyLock<[PhraseTable<()>; 4]> =
    LazyLock::new(|| [&WORDS.fever_ended, &WORDS.fever_again, &WORDS.days_ago, &WORDS.looked_into].map(PhraseTable::of_phrases));

/// Where a text says how things began and went on, in bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Course {
    sudden: Vec<usize>,
    ended: Vec<usize>,
    goes_on: Vec<usize>,
    now: Vec<usize>,
    spells: Vec<usize>,
    recurs: Vec<usize>,
    /// Where the words begin that are called mild.
    mild: Vec<usize>,
    /// Whether a value is said to have changed.
    changes: bool,
    /// Where a value is said to be as it has long been.
    unchanged: Vec<usize>,
    /// Where it says that pressing brings a pain on, that exertion brings something on, and that something is there at rest.
    pressed: Vec<usize>,
    exertion: Vec<usize>,
    at_rest: Vec<usize>,
    /// Whether it tells of an injury, a drug of abuse or a death.
    has_risk: bool,
    /// Where it says that something has just begun.
    lately: Vec<usize>,
    /// Whether it says that a fever is over, and not that it came again.
    is_fever_over: bool,
    /// Where it says that something was days or weeks ago.
    days_ago: Vec<usize>,
    /// Whether it says that this has been looked into.
    is_looked_into: bool,
    /// Where its sentences end.
    ends: Vec<usize>,
}

impl Course {
    /// Reads a text.
    pub(crate) fn of(text: &str) -> Self {
        let tokens = tokenise(text);
        let [sudden, ended, goes_on, now, spells, recurs, mild, changes, unchanged] = &*PHRASES;
        let [pressed, exertion, at_rest] = &*BROUGHT_ON;
        let [risks, lately] = &*AGAINST;
        let [fever_ended, fever_again, days_ago, looked_into] = &*PASSED;
        let all = |table: &PhraseTable<()>, counts: &dyn Fn(usize) -> bool| -> Vec<usize> {
            let found = table.find_all(&tokens).into_iter().map(|found| found.first).filter(|first| counts(*first));
            found.filter_map(|first| tokens.get(first).map(|token| token.start)).collect()
        };
        let is_open = |at: usize| tokens.get(at).is_some_and(|token| !token.after_break);
        let is_denied = |first: usize| {
            let before = tokens.get(first.saturating_sub(DENIED_WITHIN)..first).unwrap_or_default();
            let behind_break = |at: usize| tokens.get(at..=first).unwrap_or_default().iter().skip(1).any(|token| token.after_break);
            let begin = first - before.len();
            before.iter().enumerate().any(|(at, token)| is_word_of_denial(token) && !behind_break(begin + at))
        };
        // "Not mild"; "mild viral croup".
        let called = |table: &PhraseTable<()>| -> Vec<usize> {
            let found = table.find_all(&tokens).into_iter().filter(|found| !is_denied(found.first));
            let words = found.flat_map(|found| (found.last..found.last + MILD_WITHIN).take_while(|at| is_open(*at)));
            words.filter_map(|at| tokens.get(at).map(|token| token.start)).collect()
        };
        Self {
            sudden: all(sudden, &|first| !is_denied(first)),
            ended: all(ended, &|first| !is_denied(first)),
            goes_on: all(goes_on, &|_| true),
            now: all(now, &|_| true),
            spells: all(spells, &|_| true),
            recurs: all(recurs, &|first| !is_denied(first)),
            mild: called(mild),
            unchanged: all(unchanged, &|first| !is_denied(first)),
            pressed: all(pressed, &|first| !is_denied(first)),
            exertion: all(exertion, &|first| !is_denied(first)),
            at_rest: all(at_rest, &|first| !is_denied(first)),
            has_risk: !risks.find_all(&tokens).is_empty(),
            lately: all(lately, &|_| true),
            changes: !changes.find_all(&tokens).is_empty(),
            is_fever_over: !all(fever_ended, &|first| !is_denied(first)).is_empty() && fever_again.find_all(&tokens).is_empty(),
            days_ago: all(days_ago, &|_| true),
            is_looked_into: !all(looked_into, &|first| !is_denied(first)).is_empty(),
            ends: sentence_ends(text),
        }
    }

    /// Whether what stands there is said to have come suddenly.
    pub(crate) fn is_sudden(&self, at: usize) -> bool {
        self.sudden.iter().any(|cue| self.sentence(*cue) == self.sentence(at))
    }

    /// Whether what stands there is said to be over, and not to go on.
    pub(crate) fn is_over(&self, at: usize) -> bool {
        self.ended.iter().any(|cue| *cue > at) && !self.goes_on.iter().any(|cue| *cue > at)
    }

    /// Whether a fever is said to be over, and not to have come again.
    pub(crate) fn is_fever_over(&self) -> bool {
        self.is_fever_over
    }

    /// Whether what stands there is said to have been days or weeks ago and to have been looked into, and nothing to be now, to go on or to come again.
    pub(crate) fn is_looked_into(&self, at: usize) -> bool {
        let is_beside = |cue: &usize| self.sentence(*cue) == self.sentence(at);
        let is_now = !(self.now.is_empty() && self.goes_on.is_empty() && self.sudden.is_empty() && self.recurs.is_empty());
        self.is_looked_into && self.days_ago.iter().any(is_beside) && !is_now
    }

    /// Whether what stands there is said to be happening now, or to have just happened.
    pub(crate) fn is_now(&self, at: usize) -> bool {
        self.now.iter().any(|cue| self.sentence(*cue) == self.sentence(at)) || self.is_sudden(at)
    }

    /// Whether what stands there is said to come in spells, and nothing in its sentence says that one is on now: "BP 210/120 in the spells".
    pub(crate) fn is_of_spells(&self, at: usize) -> bool {
        let is_beside = |cue: &usize| self.sentence(*cue) == self.sentence(at);
        self.spells.iter().any(is_beside) && !self.now.iter().chain(&self.goes_on).chain(&self.sudden).any(is_beside)
    }

    /// Whether what stands there is said to come again and again, so that the time that is told is not how long it has lasted.
    pub(crate) fn recurs(&self, at: usize) -> bool {
        self.recurs.iter().any(|cue| self.sentence(*cue) == self.sentence(at))
    }

    /// Whether what begins there is called mild.
    pub(crate) fn is_mild(&self, at: usize) -> bool {
        self.mild.contains(&at)
    }

    /// Whether a value is said to have changed, or something to have come suddenly: kidneys that work badly may then do so since today.
    pub(crate) fn changes(&self) -> bool {
        self.changes || !self.sudden.is_empty()
    }

    /// Whether what stands there is said to be as it has long been, and nothing in the text to change.
    pub(crate) fn is_unchanged(&self, at: usize) -> bool {
        let is_beside = |cue: &usize| self.sentence(*cue) == self.sentence(at) && cue.abs_diff(at) <= UNCHANGED_WITHIN;
        !self.changes() && self.unchanged.iter().any(is_beside)
    }

    /// Whether the text says that pressing brings a pain on.
    pub(crate) fn is_on_pressing(&self) -> bool {
        !self.pressed.is_empty()
    }

    /// Whether the text tells of an injury, a drug of abuse or a death.
    pub(crate) fn has_risk(&self) -> bool {
        self.has_risk
    }

    /// Whether what stands there is said to come with exertion, and nothing in its sentence that it is there at rest or has just begun.
    pub(crate) fn is_on_exertion(&self, at: usize) -> bool {
        let is_beside = |cue: &usize| self.sentence(*cue) == self.sentence(at);
        let is_behind = |cue: &usize| is_beside(cue) && *cue + 8 >= at && cue.saturating_sub(at) <= BROUGHT_ON_WITHIN;
        self.exertion.iter().any(is_behind) && !self.at_rest.iter().chain(&self.lately).any(is_beside)
    }

    fn sentence(&self, at: usize) -> usize {
        self.ends.partition_point(|end| *end <= at)
    }
}

fn is_word_of_denial(token: &Token) -> bool {
    WORDS.not.contains(&token.text)
}

/// Where the sentences of a text end: behind a mark that ends one, and a space or nothing.
fn sentence_ends(text: &str) -> Vec<usize> {
    let mut chars = text.char_indices().peekable();
    let mut ends = Vec::new();
    while let Some((at, c)) = chars.next() {
        let is_followed_by_space = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if matches!(c, '。' | '？' | '！' | '；' | '\n') || (matches!(c, '.' | '?' | '!' | ';') && is_followed_by_space) {
            ends.push(at + c.len_utf8());
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_valid() {
        let words: Words = toml::from_str(include_str!("../../../assets/course.toml")).expect("valid");
        assert!([&words.sudden, &words.ended, &words.not, &words.goes_on, &words.now].iter().all(|list| !list.is_empty()));
    }

    #[test]
    fn what_is_over_or_was_looked_into_is_told_from_what_goes_on() {
        let over = |text: &str| Course::of(text).is_fever_over();
        assert!(over("39 for three days, fever gone today, now a rash") && over("高烧三天，今天烧退了，出了疹子"));
        assert!(!over("the fever has not gone") && !over("烧退了又烧") && !over("fever gone, then came back"));
        let seen = |text: &str| Course::of(text).is_looked_into(at(text, "seizure"));
        assert!(seen("had my first ever seizure last week, scan was normal, clear EEG. waiting for neurology. am i allowed to drive?"));
        for text in [
            "had my first seizure last week, am I allowed to drive?",
            "seizure last week, scan normal, another one this morning",
            "seizures for two weeks, scan normal",
            "had a seizure last week, scan normal, still twitching",
        ] {
            assert!(!seen(text), "{text}");
        }
    }

    fn at(text: &str, word: &str) -> usize {
        text.find(word).unwrap_or_else(|| panic!("{word} in {text}"))
    }

    #[test]
    fn an_end_counts_behind_what_ended_unless_it_is_denied_or_goes_on() {
        let is_over = |text: &str, word: &str| Course::of(text).is_over(at(text, word));
        assert!(is_over("Two seizures last week, typical for her, recovered fully.", "seizures"));
        assert!(is_over("She had a fit with a temperature; right as rain after.", "fit"));
        assert!(is_over("抽搐约1分钟，自行缓解。", "抽搐"));
        assert!(!is_over("Had a fit and is not back to normal.", "fit"));
        assert!(!is_over("Recovered fully from the first, now a second fit.", "second fit"));
        assert!(!is_over("One fit, recovered fully, now fitting again and still shaking.", "fit"));
    }

    #[test]
    fn a_value_is_unchanged_where_nothing_changes() {
        let is_unchanged = |text: &str| Course::of(text).is_unchanged(at(text, "eGFR"));
        assert!(is_unchanged("eGFR 26, stable for 5 years") && is_unchanged("eGFR 22, chronic"));
        assert!(!is_unchanged("eGFR 26, not stable") && !is_unchanged("eGFR 26. Angina stable"));
        let copd = "COPD usually stable, breathless on stairs since yesterday";
        assert!(!Course::of(copd).is_unchanged(at(copd, "breathless")) && !Course::of(copd).is_on_exertion(at(copd, "breathless")));
        assert!(!is_unchanged("eGFR 26, stable until it fell last week") && !is_unchanged("eGFR 26"));
    }

    #[test]
    fn what_comes_with_exertion_is_not_there_at_rest() {
        let is_so = |text: &str| Course::of(text).is_on_exertion(at(text, "breathless"));
        assert!(is_so("NYHA III, breathless on one flight, sleeps on two pillows") && is_so("breathless climbing hills"));
        assert!(
            !is_so("breathless at rest and on the stairs")
                && !is_so("breathless on minimal exertion")
                && !is_so("breathless. Fell on the stairs")
        );
        for text in [
            "Man 36, chest pain since he fell off a ladder, tender to touch, brother died suddenly at 30",
            "25-year-old woman, chest pain, tender when pressed, father died suddenly at 30",
            "Man 38, cocaine last night, chest pain 20 minutes, sore to touch",
        ] {
            assert!(Course::of(text).has_risk(), "{text}");
        }
        assert!(!Course::of("sore chest after push-ups, hurts when I press on it, 24 years old").has_risk());
        assert!(Course::of("sore chest, hurts when I press on it").is_on_pressing());
        assert!(!Course::of("chest pain, not reproducible").is_on_pressing() && !Course::of("pressing chest pain").is_on_pressing());
    }

    #[test]
    fn mildness_is_said_of_what_follows_right_behind_it() {
        for (text, word, is_mild) in [
            ("Mild croup, 20 months", "croup", true),
            ("A mild viral croup", "croup", true),
            ("轻度哮吼", "哮吼", true),
            ("Mild fever, croup", "croup", false),
            ("It is not a mild croup", "croup", false),
            ("Mild cough, then a bad asthma attack", "asthma", false),
        ] {
            assert_eq!(Course::of(text).is_mild(at(text, word)), is_mild, "{text}");
        }
    }

    #[test]
    fn suddenness_and_the_present_reach_as_far_as_their_sentence() {
        let course = |text: &'static str| (Course::of(text), text);
        let (told, text) = course("Sudden slurred speech. Numb feet for years.");
        assert!(told.is_sudden(at(text, "slurred")) && !told.is_sudden(at(text, "Numb")));
        let (told, text) = course("Not sudden: breathless on hills.");
        assert!(!told.is_sudden(at(text, "breathless")));
        let (told, text) = course("Having a stroke now? Asthma as a child.");
        assert!(told.is_now(at(text, "stroke")) && !told.is_now(at(text, "Asthma")));
    }
}
