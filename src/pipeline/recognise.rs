//! Recognising mentions: a gazetteer over all names and aliases, and candidate spans in what it leaves over.

use super::event::{Mention, MentionOrigin};
use super::intent::Intent;
use crate::graph::{EntityId, Names};
use crate::text::{StopWords, Token, tokenise};

/// The most tokens of one text that are read; a question of 100 kB is not a question any more.
pub(crate) const MOST_TOKENS: usize = 4000;
/// The most words of a candidate span.
const SPAN_WORDS: usize = 6;
/// The most characters of a candidate span in Chinese.
const SPAN_IDEOGRAPHS: usize = 8;
/// The most candidate spans of one text; the encoder would take seconds for more.
const MOST_SPANS: usize = 3000;

/// A text cut into tokens, with what the recogniser knows about each.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    text: &'a str,
    /// Where the text begins in the whole hypothesis (0 for a question).
    base: usize,
    origin: MentionOrigin,
    pub(crate) tokens: Vec<Token>,
    /// Tokens that belong to a mention.
    covered: Vec<bool>,
    /// Tokens that say what is asked for, or nothing.
    empty: Vec<bool>,
    /// Whether the text was longer than is read.
    pub(crate) cut: bool,
}

/// A run of tokens `first..last` with what it may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// A name of the graph found in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameMention {
    pub(crate) span: Span,
    pub(crate) entities: Vec<(EntityId, bool)>,
}

impl<'a> Reading<'a> {
    /// Cuts a text into tokens; of a question, the words that say what is asked for are set apart.
    pub(crate) fn of(text: &'a str, base: usize, origin: MentionOrigin, stop: &StopWords) -> (Self, Intent) {
        let mut tokens = tokenise(text);
        let cut = tokens.len() > MOST_TOKENS;
        tokens.truncate(MOST_TOKENS);
        let intent = if origin == MentionOrigin::Question { Intent::of(&tokens) } else { Intent::default() };
        let is_cue = |i: usize| intent.cue_tokens.get(i).copied().unwrap_or(false);
        let stopped = stop.mark(&tokens);
        let empty = tokens.iter().enumerate().map(|(i, t)| is_cue(i) || stopped[i] || is_number(&t.text)).collect();
        let covered = vec![false; tokens.len()];
        (Self { text, base, origin, tokens, covered, empty, cut }, intent)
    }

    /// Names of the graph, leftmost first and longest at each place. A name that consists of stop words
    /// or of words that only say what is asked for is not one ("test", "it").
    pub(crate) fn names(&mut self, index: Names<'_>) -> Vec<NameMention> {
        let mut mentions = Vec::new();
        let mut first = 0;
        while first < self.tokens.len() {
            match index.longest_at(&self.tokens, first) {
                Some(hit) if !self.empty[hit.first..hit.last].iter().all(|empty| *empty) => {
                    self.covered[hit.first..hit.last].fill(true);
                    first = hit.last;
                    mentions.push(NameMention { span: Span { first: hit.first, last: hit.last }, entities: hit.entities });
                }
                _ => first += 1,
            }
        }
        mentions
    }

    /// Spans of uncovered words within one clause that begin and end with a word of content.
    pub(crate) fn candidates(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        for first in 0..self.tokens.len() {
            if self.covered[first] || self.empty[first] {
                continue;
            }
            let longest = if self.tokens[first].cjk { SPAN_IDEOGRAPHS } else { SPAN_WORDS };
            for last in first + 1..=(first + longest).min(self.tokens.len()) {
                let end = &self.tokens[last - 1];
                if self.covered[last - 1] || (last - 1 > first && end.after_break) || end.cjk != self.tokens[first].cjk {
                    break;
                }
                // One ideograph says too little.
                if self.empty[last - 1] || (end.cjk && last - first < 2) {
                    continue;
                }
                spans.push(Span { first, last });
                if spans.len() == MOST_SPANS {
                    return spans;
                }
            }
        }
        spans
    }

    /// Marks a span as belonging to a mention; `false` if part of it does already.
    pub(crate) fn cover(&mut self, span: &Span) -> bool {
        let tokens = &mut self.covered[span.first..span.last];
        if tokens.contains(&true) {
            return false;
        }
        tokens.fill(true);
        true
    }

    /// Runs of words of content that no mention covers: what was not understood.
    pub(crate) fn leftovers(&self) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for i in 0..self.tokens.len() {
            if self.covered[i] || self.empty[i] {
                continue;
            }
            match spans.last_mut() {
                Some(span) if span.last == i && !self.tokens[i].after_break => span.last = i + 1,
                _ => spans.push(Span { first: i, last: i + 1 }),
            }
        }
        spans
    }

    /// A span's text as written.
    pub(crate) fn text_of(&self, span: &Span) -> &'a str {
        &self.text[self.tokens[span.first].start..self.tokens[span.last - 1].end]
    }

    /// A span as a mention.
    pub(crate) fn mention(&self, span: &Span, recogniser: &str) -> Mention {
        Mention {
            text: self.text_of(span).to_owned(),
            start: self.base + self.tokens[span.first].start,
            end: self.base + self.tokens[span.last - 1].end,
            origin: self.origin,
            recogniser: recogniser.to_owned(),
        }
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_the_words_nobody_understood() {
        let text = "I feel zorbing after eating. What medicine should I take for 3 days, blorb?";
        let (reading, intent) = Reading::of(text, 0, MentionOrigin::Question, StopWords::built_in());
        assert!(!intent.parts.is_empty());
        let words: Vec<_> = reading.leftovers().iter().map(|span| reading.text_of(span)).collect();
        assert_eq!(words, ["zorbing", "eating", "blorb"]);
    }

    #[test]
    fn candidate_spans_stay_within_a_clause_and_begin_and_end_with_content() {
        let text = "can't stop worrying, heart racing";
        let (reading, _) = Reading::of(text, 0, MentionOrigin::Question, StopWords::built_in());
        let spans: Vec<_> = reading.candidates().iter().map(|span| reading.text_of(span)).collect();
        assert_eq!(spans, ["stop", "stop worrying", "worrying", "heart", "heart racing", "racing"]);
    }
}
