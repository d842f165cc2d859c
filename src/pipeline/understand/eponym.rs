//! Diseases and drugs that are called by a name that nobody knows: "Perrin-Holloway fever", 赫兰登-韦氏综合征, 瑞索芬他汀. The whole term is unknown:
//! it is neither a fever nor a statin, and nothing that resembles it may stand for it. The words are `eponym` in `assets/unknown.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::layout::gap;
use super::unknown::{eponym_words, is_unfamiliar};
use crate::graph::EvolvingNames;
use crate::language::common_words::is_common;
use crate::language::misspelling::Spellings;
use crate::language::phrase_table::PhraseTable;
use crate::language::recognise::Span;
use crate::run::LikelyKind;
use crate::text::{Token, tokenise};

/// The most words of an English name before its head, and the most characters of a Chinese one.
const WORDS: usize = 4;
const CHARACTERS: usize = 12;
/// How far before it a known name may begin.
const BEFORE: usize = 6;
/// How many characters that transliterate must stand before a short head.
const TRANSLITERATED: usize = 3;
/// The fewest letters of a word that names somebody.
const LETTERS: usize = 5;

/// The words by which such names are known.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EponymWords {
    heads: Vec<String>,
    leads: Vec<String>,
    leads_names: Vec<String>,
    chinese_heads: Vec<String>,
    chinese_short_heads: Vec<String>,
    chinese_drug_heads: Vec<String>,
    transliterates: String,
    particles: String,
    no_names: Vec<String>,
}

static LEADS: LazyLock<PhraseTable<()>> =
    LazyLock::new(|| PhraseTable::of(eponym_words().leads.iter().map(|phrase| (phrase.as_str(), ()))));

/// A term that is unknown as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Eponym {
    pub(super) span: Span,
    pub(super) kind: LikelyKind,
}

/// The unknown terms of a text. `tokens`: with misspelt words corrected, and as they are written. `names`: those of the graph.
pub(super) fn eponyms(
    text: &str,
    (tokens, as_written): (&[Token], &[Token]),
    names: EvolvingNames<'_>,
    spellings: &Spellings,
) -> Vec<Eponym> {
    let reader = EponymReader { text, tokens, as_written, names, spellings };
    let mut all: Vec<Eponym> = Vec::new();
    for head in 0..tokens.len() {
        let found = reader.english(head).or_else(|| reader.chinese(head));
        let Some(found) = found.filter(|found| all.last().is_none_or(|before| before.span.last <= found.span.first)) else { continue };
        all.push(found);
    }
    all
}

/// Whether words that were not understood name a disease as a whole, not only a part of it.
pub(super) fn names_disease(text: &str) -> bool {
    let words = eponym_words();
    let tokens = tokenise(text);
    let ends_so = |heads: &[String]| heads.iter().any(|head| text.ends_with(head.as_str()));
    tokens.len() > 1
        && (tokens.last().is_some_and(|last| words.heads.contains(&last.text))
            || ends_so(&words.chinese_heads)
            || ends_so(&words.chinese_short_heads))
}

struct EponymReader<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The same before misspelt words were corrected.
    as_written: &'a [Token],
    names: EvolvingNames<'a>,
    spellings: &'a Spellings,
}

impl EponymReader<'_> {
    fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    fn written(&self, at: usize) -> &str {
        self.token(at).and_then(|token| self.text.get(token.start..token.end)).unwrap_or_default()
    }

    /// Whether words that begin at token `first`, or near it, name something that goes on to token `head` or ends right before it.
    fn is_known(&self, first: usize, head: usize) -> bool {
        (first.saturating_sub(BEFORE)..head).any(|at| self.names.longest_at(self.tokens, at).is_some_and(|hit| hit.last >= head))
    }

    fn english(&self, head: usize) -> Option<Eponym> {
        let words = eponym_words();
        let token = self.token(head).filter(|token| !token.after_break && words.heads.contains(&token.text))?;
        let begins = |first: usize| self.is_name_like(first, head) && !self.token(first + 1).is_some_and(|next| next.after_break);
        let mut first = head;
        while first > 0 && head - first < WORDS && begins(first - 1) {
            first -= 1;
        }
        if first == head || self.is_known(first, head) {
            return None;
        }
        let is_fever = token.text == "fever";
        let is_joined = first + 1 < head && gap(self.text, self.tokens, first).contains(['-', '–']);
        let is_new = (first..head).any(|at| self.as_written.get(at).is_some_and(is_unfamiliar));
        let is_capital = self.written(first).starts_with(char::is_uppercase);
        let is_owned = self.written(head - 1).contains(['\'', '’']);
        let before = first.checked_sub(1).and_then(|at| self.token(at)).filter(|_| !self.token(first).is_some_and(|t| t.after_break));
        let leads = (first.saturating_sub(2)..first).any(|at| LEADS.at(self.tokens, at).is_some_and(|found| found.last == first));
        let leads_name = leads || before.is_some_and(|token| words.leads_names.contains(&token.text));
        let is_named = match () {
            () if is_joined => is_capital || is_new || leads_name,
            // "Sarah's fever".
            () if is_fever && is_owned => is_new && leads_name,
            () if is_capital && before.is_some() => leads_name,
            () if is_capital => is_new || !is_fever,
            () => is_new && leads,
        };
        is_named.then_some(Eponym { span: Span { first, last: head + 1 }, kind: LikelyKind::Condition })
    }

    /// Whether a word before a head may be a name that nobody knows.
    fn is_name_like(&self, at: usize, head: usize) -> bool {
        let (Some(token), Some(corrected)) = (self.as_written.get(at), self.token(at)) else { return false };
        if token.cjk || !token.text.chars().all(char::is_alphabetic) {
            return false;
        }
        let word = token.text.as_str();
        let written = self.written(at);
        let is_stressed = written.chars().filter(|c| c.is_alphabetic()).count() > 1 && !written.chars().any(char::is_lowercase);
        let is_capital = written.starts_with(char::is_uppercase) && !is_stressed;
        let beside_hyphen = (at + 1 < head && gap(self.text, self.tokens, at).contains(['-', '–']))
            || at.checked_sub(1).is_some_and(|before| gap(self.text, self.tokens, before).trim() == "-");
        // A word that looks like another is a name only where it is written as one: "haemoragic fever" is misspelt.
        if corrected.text != *word && !(is_capital && at > 0 && !token.after_break) {
            return false;
        }
        let stem = word.strip_suffix('s').filter(|_| written.contains(['\'', '’'])).unwrap_or(word);
        let is_word = is_common(stem) || is_common(word) || eponym_words().no_names.iter().any(|no| no == word || no == stem);
        let is_in_names = self.spellings.begins_a_name(stem);
        !is_word && stem.len() >= LETTERS && !is_in_names && (is_unfamiliar(token) || is_capital || beside_hyphen)
    }

    fn chinese(&self, at: usize) -> Option<Eponym> {
        let words = eponym_words();
        let head = |heads: &[String]| {
            let length = |head: &String| {
                let chars: Vec<char> = head.chars().collect();
                let fits = chars
                    .iter()
                    .enumerate()
                    .all(|(i, c)| self.token(at + i).is_some_and(|token| token.cjk && token.text.chars().eq([*c]) && !token.after_break));
                fits.then_some(chars.len())
            };
            heads.iter().find_map(length)
        };
        let is_open = |from: usize| !self.is_known(from, at);
        let transliterates =
            |at: usize| self.token(at).is_some_and(|token| token.cjk && token.text.chars().all(|c| words.transliterates.contains(c)));
        // How far such characters go back, over hyphens.
        let run = |stops: &dyn Fn(usize) -> bool| {
            let mut first = at;
            while first > 0 && at - first < CHARACTERS && !self.token(first).is_some_and(|token| token.after_break) && !stops(first - 1) {
                first -= 1;
            }
            first
        };
        let condition = |first: usize, length: usize| Eponym { span: Span { first, last: at + length }, kind: LikelyKind::Condition };
        if let Some(length) = head(&words.chinese_heads) {
            let stops = |at: usize| {
                self.token(at)
                    .is_none_or(|token| is_common(&token.text) && !token.cjk || token.text.chars().any(|c| words.particles.contains(c)))
            };
            let first = run(&stops);
            return (at - first > 1 && is_open(first)).then(|| condition(first, length));
        }
        if let Some(length) = head(&words.chinese_drug_heads) {
            let first = run(&|at: usize| !transliterates(at));
            // 加瑞索芬他汀: the verb is no part of it.
            let is_verb = self.token(first).is_some_and(|token| matches!(token.text.as_str(), "加"));
            let first = if is_verb && at - first > 1 { first + 1 } else { first };
            return (at > first && is_open(first)).then_some(Eponym { span: Span { first, last: at + length }, kind: LikelyKind::Drug });
        }
        let length = head(&words.chinese_short_heads)?;
        let is_of_somebody = at.checked_sub(1).and_then(|before| self.token(before)).is_some_and(|token| token.text == "氏");
        let first = run(&|at: usize| !transliterates(at) && self.token(at).is_none_or(|token| token.text != "氏"));
        let is_long = at - first >= if is_of_somebody { 2 } else { TRANSLITERATED };
        (is_long && is_open(first)).then(|| condition(first, length))
    }
}
