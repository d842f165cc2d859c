//! Whose a finding is: a relative's, somebody else's; and what is only somebody's opinion. The words are in `assets/status.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::layout::Layout;
use super::scope::{Scopes, WORDS, is_contrast};
use crate::language::phrase_table::PhraseTable;
use crate::text::Token;

/// What follows 我 where somebody tells of himself: 我最近, 我也, 我总是.
const OF_SELF: [&str; 16] = ["最", "也", "总", "现", "今", "昨", "近", "经", "一", "有", "头", "胸", "肚", "这", "自", "常"];
/// What follows "I have" where it is an illness, and what follows "I am" where it is none.
const AN_ILLNESS: [&str; 12] = ["a", "an", "the", "this", "these", "also", "some", "similar", "constant", "terrible", "bad", "been"];
const NO_ILLNESS: [&str; 27] = [
    "a",
    "an",
    "the",
    "his",
    "her",
    "their",
    "worried",
    "concerned",
    "scared",
    "asking",
    "calling",
    "writing",
    "not",
    "so",
    "very",
    "really",
    "at",
    "in",
    "on",
    "sure",
    "giving",
    "trying",
    "wondering",
    "afraid",
    "desperate",
    "out",
    "just",
];
/// How many words what a relative has may reach.
const RELATIVE_REACH: usize = 12;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Relatives {
    words: Vec<String>,
    report: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Others {
    who: Vec<String>,
    places: Vec<String>,
    has: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Opinions {
    pub(super) who: Vec<String>,
    holds: Vec<String>,
    within: usize,
    reach: usize,
}

static RELATIVES: LazyLock<PhraseTable<()>> =
    LazyLock::new(|| PhraseTable::of(WORDS.relatives.words.iter().map(|word| (word.as_str(), ()))));
static OTHERS: LazyLock<[PhraseTable<()>; 2]> =
    LazyLock::new(|| [&WORDS.others.who, &WORDS.others.places].map(|list| PhraseTable::of(list.iter().map(|word| (word.as_str(), ())))));
static OPINIONS: LazyLock<[PhraseTable<()>; 2]> =
    LazyLock::new(|| [&WORDS.opinions.who, &WORDS.opinions.holds].map(|list| PhraseTable::of(list.iter().map(|word| (word.as_str(), ())))));
/// Whether somebody tells from token `from` on of his own complaints: "my mother has diabetes and I am thirsty", 妈妈有糖尿病，我最近总口渴.
fn tells_of_self(tokens: &[Token], from: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    (from..tokens.len()).any(|at| {
        let asks = at > 0 && matches!(word(at - 1), "should" | "can" | "could" | "do" | "must" | "may" | "shall" | "what" | "will" | "am");
        match (word(at), word(at + 1)) {
            ("i", "feel" | "felt" | "keep" | "suffer") => !asks,
            ("i", "have" | "had" | "got") => !asks && AN_ILLNESS.contains(&word(at + 2)),
            ("i", "am") => !asks && !NO_ILLNESS.contains(&word(at + 2)),
            ("im", next) => !NO_ILLNESS.contains(&next),
            ("我", next) => OF_SELF.contains(&next) && tokens.get(at).is_some_and(|token| token.after_break),
            _ => false,
        }
    })
}

impl Scopes {
    /// Marks what somebody has who is named by a place: "a girl at nursery got meningitis", "a boy in his class had measles".
    pub(super) fn find_others(&mut self, tokens: &[Token], layout: &Layout) {
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
    pub(super) fn find_opinions(&mut self, tokens: &[Token], layout: &Layout) {
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

    /// Marks what relatives have. The question is about a relative where it begins with one; then nothing is marked.
    pub(super) fn find_relatives(&mut self, tokens: &[Token], layout: &Layout) {
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
            // "His brother has schizophrenia; he now hears voices": he is the patient.
            let owner = found.first.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
            let told_of = match owner {
                "his" => "he",
                "her" => "she",
                _ => "",
            };
            let is_of_another = tokens.get(sentence.first..).unwrap_or_default().iter().any(|token| token.text == told_of);
            let begins_text = begins_text && !is_of_another;
            let has_it = had && tells_of_self(tokens, found.last);
            let protagonist = begins_text && !has_it && !(only_had && speaks_of_self(found.last, tokens.len()));
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
            let end = if matches!(owner, "my" | "our" | "his" | "her") && goes_on(tokens, end, sentence.last) {
                let most = sentence.last.min(end + RELATIVE_REACH);
                (end + 1..most).find(ends).unwrap_or(most)
            } else {
                end
            };
            self.mark(found.first..end, |marks| marks.family = true);
        }
    }
}

/// Whether a clause at a token goes on about who was spoken of: "my nephew slept here, came out in chickenpox".
fn goes_on(tokens: &[Token], at: usize, last: usize) -> bool {
    let word = |at: usize| tokens.get(at).filter(|_| at < last).map_or("", |token| token.text.as_str());
    let begins = tokens.get(at).is_some_and(|token| token.after_break);
    let at = if matches!(word(at), "then" | "and" | "who" | "but") { at + 1 } else { at };
    let at = if matches!(word(at), "then" | "now" | "has" | "have") { at + 1 } else { at };
    begins
        && match word(at) {
            "came" | "come" | "broke" | "covered" => matches!(word(at + 1), "out" | "up" | "down" | "in"),
            "went" | "gone" => word(at + 1) == "down",
            "caught" | "diagnosed" => true,
            "tested" => word(at + 1) == "positive",
            "was" | "been" => matches!(word(at + 1), "diagnosed" | "found"),
            _ => false,
        }
}
