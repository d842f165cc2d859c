//! Lay language: patients' words turned into the wording of medical names.
//!
//! "My eye is really bothering me, it is swollen" names no entity; *swollen eye* may be one. A complaint is combined with the part
//! of the body that it is about, and idioms ("out of breath") are translated. The words are in
//! `assets/lay.toml`, whose head explains its templates. A result counts only if the graph has a name like it.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;
use toml::Spanned;

use super::exposure;
use super::fillers::without_fillers;
use super::negation::{is_denied_complaint, is_denying, is_perfect_denial};
use super::phrase_pattern::words_of;
use super::phrase_template::{Classes, FoundTemplate, Malformed, TemplateTable};
use super::recognise::{Phrase, Span};
use crate::text::{StopWords, Token};

/// The largest distance between a part of the body and its complaint, in words of the same sentence.
const WITHIN: usize = 8;
/// The distance that a comma counts for, in words.
const COMMA: usize = 3;
/// A phrase that spans more words is shown as its complaint alone.
const SHOWN: usize = 6;
/// Words that may stand between parts of the body that share a complaint ("my arms and both legs").
const JOINING: [&str; 12] = ["and", "or", "my", "the", "both", "his", "her", "left", "right", "also", "as", "well"];
/// The class of the words for parts of the body, which a template may name like those of the file.
const PART: &str = "part";
/// Words that refer to a part of the body named in the sentence before.
const TAKING_UP: [&str; 6] = ["it", "its", "they", "theyre", "them", "there"];

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    classes: BTreeMap<String, Vec<Spanned<String>>>,
    body: Body,
    turns: Turns,
    idle: Idle,
    events: Events,
    exposure: exposure::Words,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    parts: Vec<Part>,
    complaints: Vec<Complaint>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turns {
    phrases: Vec<Turn>,
    /// Those that are read beside the others, and take the place of none: they are many, and less tried.
    further: Vec<Turn>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Idle {
    says: Vec<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Events {
    names: HashSet<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Complaint {
    says: Vec<Spanned<String>>,
    alone: Vec<String>,
    with: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    says: Vec<Spanned<String>>,
    names: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    says: Vec<Spanned<String>>,
    names: Vec<String>,
}

/// The entries of the file, by first word.
#[derive(Debug, Default)]
struct Lexicon<'f> {
    complaints: TemplateTable<&'f Complaint>,
    parts: TemplateTable<&'f Part>,
    turns: TemplateTable<&'f Turn>,
    further: TemplateTable<&'f Turn>,
    idle: TemplateTable<()>,
}

impl<'f> Lexicon<'f> {
    /// The entries of a file (`text`).
    fn of(text: &str, file: &'f File) -> Result<Self, Malformed> {
        let mut classes = file.classes.clone();
        let of_body = file.body.parts.iter().flat_map(|part| part.says.iter().cloned());
        classes.entry(PART.to_owned()).or_default().extend(of_body);
        let classes = Classes::of(text, &classes)?;
        let complaints = file.body.complaints.iter().flat_map(|complaint| complaint.says.iter().map(move |says| (says, complaint)));
        let parts = file.body.parts.iter().flat_map(|part| part.says.iter().map(move |says| (says, part)));
        let turns = file.turns.phrases.iter().flat_map(|turn| turn.says.iter().map(move |says| (says, turn)));
        let further = file.turns.further.iter().flat_map(|turn| turn.says.iter().map(move |says| (says, turn)));
        Ok(Self {
            complaints: TemplateTable::of(text, &classes, complaints)?,
            parts: TemplateTable::of(text, &classes, parts)?,
            turns: TemplateTable::of(text, &classes, turns)?,
            further: TemplateTable::of(text, &classes, further)?,
            idle: TemplateTable::of(text, &classes, file.idle.says.iter().map(|says| (says, ())))?,
        })
    }
}

const TEXT: &str = include_str!("../../assets/lay.toml");

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());
static PARTS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let names = FILE.body.parts.iter().flat_map(|part| &part.names).flat_map(|name| words_of(name));
    let words = LEXICON.parts.words().into_iter().chain(names).chain(["upper", "lower", "left", "right", "both"].map(str::to_owned));
    words.filter(|word| !StopWords::built_in().contains(word)).collect()
});
static LEXICON: LazyLock<Lexicon<'static>> = LazyLock::new(|| Lexicon::of(TEXT, &FILE).unwrap_or_default());

/// A part of the body that a text names, in tokens `first..last`.
#[derive(Debug, Clone, Copy)]
struct Named {
    first: usize,
    last: usize,
    part: &'static Part,
    sentence: usize,
}

/// Medical wordings of a text's lay words; several wordings of one thing follow each other. The last token of a phrase's parts is
/// its complaint. What Chinese puts between them is skipped. `is_closed`: tokens that cannot state a finding.
pub(crate) fn reworded(text: &str, tokens: &[Token], is_closed: impl Fn(usize) -> bool) -> Vec<Phrase> {
    let mut phrases = reworded_as_written(text, tokens, &is_closed);
    let kept = without_fillers(tokens);
    if kept.len() == tokens.len() {
        return phrases;
    }
    let short: Vec<Token> = kept.iter().filter_map(|at| tokens.get(*at)).cloned().collect();
    let written = |at: &usize| kept.get(*at).copied();
    let whole = |phrase: Phrase| {
        let parts: Vec<usize> = phrase.parts.iter().filter_map(written).collect();
        let span = Span { first: written(&phrase.span.first)?, last: written(&phrase.span.last.checked_sub(1)?)? + 1 };
        Some(Phrase { span, parts, ..phrase })
    };
    let found = reworded_as_written(text, &short, &|at| kept.get(at).is_none_or(|at| is_closed(*at)));
    let known = phrases.clone();
    let is_new =
        |phrase: &Phrase| !known.iter().any(|other| other.text == phrase.text && phrase.parts.iter().any(|at| other.parts.contains(at)));
    phrases.extend(found.into_iter().filter_map(whole).filter(is_new));
    phrases
}

/// The same of tokens that stand together.
fn reworded_as_written(text: &str, tokens: &[Token], is_closed: &dyn Fn(usize) -> bool) -> Vec<Phrase> {
    let sentences = sentences(text, tokens);
    let idle = idle(tokens);
    let is_idle = |token: usize| idle.get(token).copied().unwrap_or(false);
    let mut phrases = Vec::new();
    let mut used = vec![false; tokens.len()];
    let add_turns = |table: &TemplateTable<&Turn>, used: &mut Vec<bool>, phrases: &mut Vec<Phrase>, is_further: bool| {
        for first in 0..tokens.len() {
            let fits = |found: &FoundTemplate<&Turn>| {
                let is_new = |token: &usize| !used[*token];
                // What says more than what is read already: "my chest gets tight whenever I rush".
                let is_open = if is_further { found.own.iter().any(is_new) } else { found.own.iter().all(is_new) };
                let is_within = sentences[first] == sentences[found.last - 1] && !found.own.iter().any(|token| is_closed(*token));
                // "When do I worry?" tells of no worry.
                is_open && is_within && !found.own.iter().all(|token| is_idle(*token)) && !(is_further && is_of_a_thing(tokens, found))
            };
            if let Some(FoundTemplate { means: turn, last, own, .. }) = table.all_at(tokens, first).into_iter().find(fits) {
                own.iter().for_each(|token| used[*token] = true);
                let is_said = |name: &String| phrases.iter().any(|said| said.text == *name && said.parts.iter().any(|at| own.contains(at)));
                let names: Vec<&String> = turn.names.iter().filter(|name| !is_further || !is_said(name)).collect();
                let phrase = |name: &String| Phrase { is_further, ..phrase(Span { first, last }, own.clone(), name.clone()) };
                phrases.extend(names.into_iter().map(phrase));
            }
        }
    };
    add_turns(&LEXICON.turns, &mut used, &mut phrases, false);
    let named = parts_of_body(tokens, &sentences, &idle);
    for at in 0..tokens.len() {
        let is_open = |found: &FoundTemplate<_>| !found.own.iter().any(|token| used[*token] || is_idle(*token) || is_closed(*token));
        let Some(said) = LEXICON.complaints.all_at(tokens, at).into_iter().find(is_open) else { continue };
        let (complaint, end) = (said.means, said.last);
        if is_denied_complaint(tokens, at) {
            continue;
        }
        let of = said_of(tokens, &named, at, &sentences);
        for part in of.iter().filter(|_| !complaint.with.is_empty()) {
            let (first, last) = (part.first.min(at), part.last.max(end));
            let apart = last - first > SHOWN || part.sentence != sentences[at];
            let span = if apart { Span { first: at, last: end } } else { Span { first, last } };
            let parts: Vec<usize> = (part.first..part.last).filter(|token| !said.own.contains(token)).chain(said.own.clone()).collect();
            for (with, name) in complaint.with.iter().flat_map(|with| part.part.names.iter().map(move |name| (with, name))) {
                phrases.push(phrase(span, parts.clone(), with.replace('%', name)));
            }
        }
        // For graphs without a name for both: weak legs are also a weakness.
        let alone = |name: &String| phrase(Span { first: at, last: end }, said.own.clone(), name.clone());
        phrases.extend(complaint.alone.iter().map(alone));
    }
    phrases.iter().flat_map(|phrase| &phrase.parts).for_each(|token| used[*token] = true);
    add_turns(&LEXICON.further, &mut used, &mut phrases, true);
    phrases
}

/// For each token, whether it belongs to an idiom that names nothing, whatever its words mean ("it came back").
pub(crate) fn idle(tokens: &[Token]) -> Vec<bool> {
    let mut idle = vec![false; tokens.len()];
    for first in 0..tokens.len() {
        let own = LEXICON.idle.all_at(tokens, first).into_iter().flat_map(|found| found.own);
        own.for_each(|token| idle[token] = true);
    }
    idle
}

/// What is hot and no patient, and what is somebody's and no part of him.
const THINGS: &str = "water tea coffee oil fat milk soup drink drinks chocolate weather day days summer sun room rooms house flat car bath baths \
     shower tub pan iron food meal curry chilli flush flushes flash flashes climate country outside here laptop phone dress skirt shirt top \
     blouse coat jumper jeans trousers book books notes homework keyboard desk bag sofa carpet";

/// Whether a turn of phrase ends where it is said of something else: "boiling hot water", "spilled tea on her laptop", "feverish, stiff neck".
fn is_of_a_thing<T>(tokens: &[Token], found: &FoundTemplate<T>) -> bool {
    let ends = found.own.last().and_then(|last| tokens.get(*last)).map_or("", |token| token.text.as_str());
    let Some(next) = tokens.get(found.last).filter(|next| !next.after_break) else { return false };
    match ends {
        "hot" | "warm" | "her" | "roasting" | "boiling" => THINGS.split_whitespace().any(|thing| thing == next.text),
        "stiff" | "rigid" => is_part_of_body(std::slice::from_ref(&next.text)),
        _ => false,
    }
}

/// Whether a turn of phrase is just these words: what it denies is part of what it says (没劲, "has not moved").
pub(crate) fn is_turn(tokens: &[Token], span: Span) -> bool {
    // "My eyes aren't yellow" says something else than "my eyes are yellow".
    let is_denial = |token: &Token| is_denying(token) || is_perfect_denial(&token.text);
    let denies = |own: &[usize]| (span.first..span.last).any(|at| !own.contains(&at) && tokens.get(at).is_some_and(is_denial));
    let mut turns = LEXICON.turns.all_at(tokens, span.first).into_iter().chain(LEXICON.further.all_at(tokens, span.first));
    turns.any(|turn| turn.last == span.last && !denies(&turn.own))
}

/// Whether an entity of this name is what happens to somebody, so that lay words may name it though it is no finding: a burn, a bite.
pub(crate) fn is_event(name: &str) -> bool {
    FILE.events.names.contains(name)
}

/// The words of what gets into the eye.
pub(super) fn exposure() -> &'static exposure::Words {
    &FILE.exposure
}

/// Whether these words name a part of the body and nothing else. `words`: folded.
pub(crate) fn is_part_of_body(words: &[String]) -> bool {
    !words.is_empty() && words.iter().all(|word| PARTS.contains(word))
}

/// Whether a part of somebody's body is named: "a dark line under my thumbnail".
pub(crate) fn names_own_part(tokens: &[Token]) -> bool {
    let owner = |token: &Token| matches!(token.text.as_str(), "my" | "his" | "her" | "their");
    let part = |token: &Token| is_part_of_body(std::slice::from_ref(&token.text));
    tokens.windows(2).any(|two| matches!(two, [of, what] if owner(of) && part(what)))
}

fn phrase(span: Span, parts: Vec<usize>, text: String) -> Phrase {
    Phrase { span, parts, text, reworded: true, is_further: false }
}

/// The number of the sentence of each token.
fn sentences(text: &str, tokens: &[Token]) -> Vec<usize> {
    let mut sentence = 0;
    let mut before = 0;
    let number = |token: &Token| {
        // Two tokens can come of one letter (ヿ): the second begins before the first ends.
        let between = text.get(before..token.start).unwrap_or_default();
        before = token.end;
        sentence += usize::from(between.contains(['.', '!', '?', '\n', '。', '！', '？']));
        sentence
    };
    tokens.iter().map(number).collect()
}

/// Parts of the body, leftmost first, the longest at each place.
fn parts_of_body(tokens: &[Token], sentences: &[usize], idle: &[bool]) -> Vec<Named> {
    let mut named: Vec<Named> = Vec::new();
    for first in 0..tokens.len() {
        if idle[first] || named.last().is_some_and(|before| before.last > first) {
            continue;
        }
        let found = LEXICON.parts.all_at(tokens, first).into_iter().next();
        // "Breast cancer (the red one)": the part only describes the cancer.
        let found = found.filter(|found| !tokens.get(found.last).is_some_and(|next| !next.after_break && is_growth(&next.text)));
        named.extend(found.map(|found| Named { first, last: found.last, part: found.means, sentence: sentences[first] }));
    }
    named
}

/// Whether a word means a growth, which the part of the body before it only describes.
fn is_growth(word: &str) -> bool {
    matches!(word, "cancer" | "cancers" | "ca" | "carcinoma" | "tumour" | "tumor" | "tumours" | "tumors" | "癌" | "瘤")
}

/// The parts of the body that the complaint at a token is about: the nearest in its sentence and those joined to it, or, if the
/// sentence refers back ("it is swollen"), the last of the sentence before.
fn said_of(tokens: &[Token], named: &[Named], at: usize, sentences: &[usize]) -> Vec<Named> {
    let distance = |part: &Named| {
        let (from, to) = if part.first > at { (at + 1, part.first + 1) } else { (part.last, at + 1) };
        // "His feet and ulcers on his tongue": what stands before an "and" has another complaint.
        let is_new = part.last + 1 == at && tokens.get(part.last).is_some_and(|token| matches!(token.text.as_str(), "and" | "or"));
        if is_new {
            return usize::MAX;
        }
        let commas = tokens.get(from..to).map_or(0, |between| between.iter().filter(|token| token.after_break).count());
        to.saturating_sub(from) + COMMA * commas
    };
    let here = || named.iter().enumerate().filter(|(_, part)| part.sentence == sentences[at]);
    if let Some((nearest, _)) = here().filter(|(_, part)| distance(part) <= WITHIN).min_by_key(|(_, part)| distance(part)) {
        let joined = |a: &Named, b: &Named| {
            a.sentence == b.sentence && tokens[a.last..b.first].iter().all(|token| JOINING.contains(&token.text.as_str()))
        };
        let from = (1..=nearest).rev().find(|next| !joined(&named[next - 1], &named[*next])).unwrap_or(0);
        let to = (nearest + 1..named.len()).find(|next| !joined(&named[next - 1], &named[*next])).unwrap_or(named.len());
        return named[from..to].to_vec();
    }
    let taken_up = (0..at).rev().take_while(|token| sentences[*token] == sentences[at]);
    let takes_up = here().next().is_none() && taken_up.into_iter().any(|token| TAKING_UP.contains(&tokens[token].text.as_str()));
    let before = named.iter().rev().find(|part| part.sentence + 1 == sentences[at]);
    before.filter(|_| takes_up).copied().into_iter().collect()
}

#[cfg(test)]
#[path = "lay_tests.rs"]
mod tests;
