//! Recognising mentions: a gazetteer of all names and aliases, and candidate spans in the remaining text.

use super::abbreviation::{self, Ambiguous};
use super::comma::within_phrase;
use super::common_words::{common, of_register, only_common};
use super::lab::Measured;
use super::lay;
use super::negation::{Denied, is_denying};
use super::reordered_names::MEASURING;
use super::spelling::Respelled;
use crate::graph::{EntityId, EvolvingNames, NameHit};
use crate::run::event::{Mention, MentionOrigin};
use crate::text::{StopWords, Token, tokenise};

mod names;

/// The recogniser of names whose words stand in another order.
pub(crate) const REORDERED: &str = "reordered name";
/// The most tokens of a text that are read.
pub(crate) const MOST_TOKENS: usize = 4000;
/// The most words of a candidate span.
const SPAN_WORDS: usize = 6;
/// The most characters of a candidate span in Chinese.
const SPAN_IDEOGRAPHS: usize = 8;
/// The most candidate spans per text; more would take the encoder seconds.
const MOST_SPANS: usize = 3000;

/// The tokens of a text that are read.
#[derive(Debug)]
pub(crate) struct ReadTokens {
    pub(crate) tokens: Vec<Token>,
    /// Whether the text is longer than that.
    cut: bool,
}

impl ReadTokens {
    /// The first tokens of a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut tokens = tokenise(text);
        let cut = tokens.len() > MOST_TOKENS;
        tokens.truncate(MOST_TOKENS);
        Self { tokens, cut }
    }
}

/// A text cut into tokens, with what the recogniser knows about each.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    text: &'a str,
    /// The offset of the text in the whole hypothesis, in bytes (0 for a question).
    base: usize,
    origin: MentionOrigin,
    pub(crate) tokens: Vec<Token>,
    /// Tokens that belong to a mention.
    covered: Vec<bool>,
    /// Tokens that carry no content: stop words, words of the clinical register, numbers, cue words.
    empty: Vec<bool>,
    /// Common words: they may be a name, but no similarity rests on them.
    common: Vec<bool>,
    /// Findings that the question denies.
    denied: Vec<Denied>,
    /// Tokens that argue for nothing: denied, normal, or somebody else's. Names among them are found; nothing is linked to them by similarity.
    silent: Vec<bool>,
    /// Words that ask or carry a unit, a time or a heading.
    cues: Vec<bool>,
    /// Whether the text was too long to be read whole.
    pub(crate) cut: bool,
}

/// A run of tokens `first..last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// Words of a text that may name something, in the wording that a name would have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    /// Where it stands in the text.
    pub(crate) span: Span,
    /// Its tokens: all in the span, or, for words that stand apart, some of them.
    pub(crate) parts: Vec<usize>,
    /// The words themselves, or the medical wording for lay words.
    pub(crate) text: String,
    /// Whether the text is medical wording for lay words ([`super::lay`]).
    pub(crate) reworded: bool,
    /// Whether the wording stands beside others of the same words, and takes the place of none.
    pub(crate) is_further: bool,
}

impl Phrase {
    /// The last of its tokens; for combined lay words, the complaint.
    fn complaint(&self) -> Option<usize> {
        self.parts.last().copied()
    }
}

/// A name of the graph found in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameMention {
    pub(crate) span: Span,
    pub(crate) entities: Vec<(EntityId, bool)>,
    /// The recogniser that found it.
    pub(crate) recogniser: &'static str,
}

impl<'a> Reading<'a> {
    /// Reads a text that is not a question.
    pub(crate) fn of(text: &'a str, base: usize, origin: MentionOrigin, stop: &StopWords) -> Self {
        Self::of_tokens(text, base, origin, ReadTokens::of(text), &[], stop)
    }

    /// Reads a question. `cues`: for each token, whether it is an intent cue. `denied`, `silent`: what it says is not there, and the tokens
    /// that argue for nothing.
    pub(crate) fn of_question(
        text: &'a str,
        tokens: ReadTokens,
        cues: &[bool],
        (denied, silent): (Vec<Denied>, Vec<bool>),
        stop: &StopWords,
    ) -> Self {
        let mut reading = Self::of_tokens(text, 0, MentionOrigin::Question, tokens, cues, stop);
        reading.denied = denied;
        reading.denied.retain(|denied| reading.empty.get(denied.first..denied.last).is_some_and(|empty| empty.contains(&false)));
        reading.silent.iter_mut().zip(silent).for_each(|(known, silent)| *known = silent);
        reading
    }

    fn of_tokens(text: &'a str, base: usize, origin: MentionOrigin, read: ReadTokens, cues: &[bool], stop: &StopWords) -> Self {
        let ReadTokens { tokens, cut } = read;
        let is_cue = |i: usize| cues.get(i).copied().unwrap_or(false);
        let (stopped, idle, register) = (stop.mark(&tokens), lay::idle(&tokens), of_register(&tokens));
        let is_empty = |(i, token): (usize, &Token)| is_cue(i) || stopped[i] || idle[i] || register[i] || is_number(&token.text);
        let empty: Vec<bool> = tokens.iter().enumerate().map(is_empty).collect();
        let (covered, common) = (vec![false; tokens.len()], common(&tokens));
        let silent = vec![false; tokens.len()];
        Self { text, base, origin, tokens, covered, empty, common, denied: Vec::new(), silent, cues: cues.to_vec(), cut }
    }

    /// Counts words as part of a mention.
    pub(crate) fn take(&mut self, span: Span) {
        self.covered.iter_mut().take(span.last).skip(span.first).for_each(|covered| *covered = true);
    }

    /// Whether a token belongs to a mention.
    pub(crate) fn is_taken(&self, token: usize) -> bool {
        self.covered.get(token).copied().unwrap_or(false)
    }

    /// Makes words argue for nothing.
    pub(crate) fn silence(&mut self, span: Span) {
        self.silent.iter_mut().take(span.last).skip(span.first).for_each(|silent| *silent = true);
    }

    /// Names of the graph, leftmost first, the longest at each place. Stop words and intent cues alone are no
    /// name ("test", "it"). A longer name in the other spelling, British or American, takes
    /// precedence.
    pub(crate) fn names(&mut self, index: EvolvingNames<'_>) -> Vec<NameMention> {
        let tokens = std::mem::take(&mut self.tokens);
        let respelled = Respelled::of(&tokens);
        let mut mentions = Vec::new();
        let mut first = 0;
        while first < tokens.len() {
            let names_something =
                |hit: &NameHit| self.names_something(hit.first..hit.last) && !is_word_like_abbreviation(index, self.text, &tokens, hit);
            let written = index.longest_at(&tokens, first).filter(names_something);
            let written = written.and_then(|hit| within_phrase(index, self.text, &tokens, hit));
            let past = written.as_ref().map_or(first, |hit| hit.last);
            let longer = respelled.longest_at(index, first, past).filter(names_something);
            let Some(hit) = longer.or(written) else {
                first += 1;
                continue;
            };
            let hit = self.without_opening(index, &tokens, &hit).unwrap_or(hit);
            self.covered[hit.first..hit.last].fill(true);
            first = hit.last;
            let span = Span { first: hit.first, last: hit.last };
            mentions.push(NameMention { span, entities: hit.entities, recogniser: "gazetteer" });
        }
        self.tokens = tokens;
        mentions
    }

    /// The name that begins behind words that name nothing and goes on behind this one: in "have a cold sore", not "have a cold".
    fn without_opening(&self, index: EvolvingNames<'_>, tokens: &[Token], hit: &NameHit) -> Option<NameHit> {
        let opening = (hit.first + 1..hit.last).take_while(|at| self.empty.get(at - 1) == Some(&true));
        let beyond = |at: usize| index.longest_at(tokens, at).filter(|other| other.last > hit.last);
        opening.filter_map(beyond).find(|other| self.names_something(other.first..other.last))
    }

    fn names_something(&self, words: std::ops::Range<usize>) -> bool {
        self.empty[words.clone()].contains(&false) && !self.covered[words].contains(&true)
    }

    /// Clinical abbreviations, as the names that they stand for; and those whose meaning the context does not decide. The words of both are
    /// covered, so that nothing else is made of them.
    pub(crate) fn abbreviations(&mut self, index: EvolvingNames<'_>) -> (Vec<NameMention>, Vec<Ambiguous>) {
        let (mut mentions, mut ambiguous) = (Vec::new(), Vec::new());
        for found in abbreviation::found(self.text, &self.tokens) {
            let words = found.span.first..found.span.last;
            if self.covered[words.clone()].contains(&true) {
                continue;
            }
            if found.is_silent() {
                self.empty[words].fill(true);
                continue;
            }
            // A longer name that holds it says more ("US Marine", "CT angiography").
            let longer = (words.start.saturating_sub(2)..=words.start).filter_map(|at| index.longest_at(&self.tokens, at));
            if longer.into_iter().any(|hit| hit.last >= words.end && hit.last - hit.first > words.len()) {
                continue;
            }
            match found.meaning(index) {
                abbreviation::Meaning::Known(entities) => {
                    self.covered[words].fill(true);
                    let entities = entities.into_iter().map(|entity| (entity, false)).collect();
                    mentions.push(NameMention { span: found.span, entities, recogniser: "abbreviation" });
                }
                abbreviation::Meaning::Several(drugs) => {
                    self.covered[words].fill(true);
                    mentions.extend(drugs.into_iter().map(|entities| {
                        let entities = entities.into_iter().map(|entity| (entity, false)).collect();
                        NameMention { span: found.span, entities, recogniser: "abbreviation" }
                    }));
                }
                abbreviation::Meaning::Ambiguous(names) => {
                    self.covered[words].fill(true);
                    let (start, end) = (self.tokens[found.span.first].start, self.tokens[found.span.last - 1].end);
                    ambiguous.push(Ambiguous { span: found.span, start, end, names });
                }
                abbreviation::Meaning::Unknown if found.is_test() => self.empty[words].fill(true),
                abbreviation::Meaning::Unknown => {}
            }
        }
        (mentions, ambiguous)
    }

    /// The names of what results amount to ("K+ 6.1"), each with the number of its result. The words of every result are covered, so that a normal
    /// one never counts as evidence for a name that it resembles.
    pub(crate) fn values(&mut self, index: EvolvingNames<'_>, results: &[Measured]) -> Vec<(usize, NameMention)> {
        let mut mentions = Vec::new();
        for (number, result) in results.iter().enumerate() {
            let words = result.span.first..result.span.last;
            if let Some(covered) = self.covered.get_mut(words) {
                covered.fill(true);
            }
            if let Some(entities) = result.findings().map(|name| index.lookup_exact(name)).find(|entities| !entities.is_empty()) {
                let entities = entities.into_iter().map(|entity| (entity, false)).collect();
                mentions.push((number, NameMention { span: result.span, entities, recogniser: "lab value" }));
            }
        }
        mentions
    }

    /// Findings that the question denies, each with the denying word: they are reported and not linked. A denying word within a
    /// name does not count ("migraine without aura").
    pub(crate) fn denials(&self) -> Vec<Span> {
        let apart = self.denied.iter().filter(|denied| !self.covered[denied.cue..denied.last].contains(&true));
        apart.map(|denied| Span { first: denied.cue, last: denied.last }).collect()
    }

    /// Spans of uncovered words within one clause that begin and end with a content word.
    pub(crate) fn candidates(&self) -> Vec<Phrase> {
        self.as_written(self.spans(|token| self.covered[token]))
    }

    /// The same for all words, covered or not, and the medical wording of lay words among them.
    pub(crate) fn phrases(&self) -> Vec<Phrase> {
        let mut phrases = self.as_written(self.spans(|_| false));
        phrases.extend(self.reworded());
        phrases
    }

    /// The text to compare is that of the content words, so that no common word decides what a phrase is like; and, for names that hold a
    /// common word themselves, that of all but the stop words.
    fn as_written(&self, spans: Vec<Span>) -> Vec<Phrase> {
        let text = |span: &Span, is_left_out: &dyn Fn(usize) -> bool| {
            let kept = (span.first..span.last).filter(|at| !is_left_out(*at) || is_number(&self.tokens[*at].text));
            kept.map(|at| &self.text[self.tokens[at].start..self.tokens[at].end]).collect::<Vec<_>>().join(" ")
        };
        let phrases = |span: Span| {
            let phrase = |text: String| Phrase { parts: (span.first..span.last).collect(), text, span, reworded: false, is_further: false };
            if self.tokens[span.first].cjk {
                return vec![phrase(self.text_of(&span).to_owned())];
            }
            let content = text(&span, &|at: usize| self.is_idle(at));
            let whole = text(&span, &|at: usize| self.empty[at]);
            let differs = whole != content;
            [Some(content), differs.then_some(whole)].into_iter().flatten().map(phrase).collect()
        };
        spans.into_iter().filter(|span| !self.is_of_two_parts(span)).flat_map(phrases).collect()
    }

    /// Whether a span joins words of two phrases, each about a part of the body of its own: the cold of "cold hands and sore legs" is none of the sore's.
    fn is_of_two_parts(&self, span: &Span) -> bool {
        let is_part = |at: usize| self.tokens.get(at).is_some_and(|token| lay::is_part_of_body(std::slice::from_ref(&token.text)));
        let is_joint = |at: &usize| matches!(self.tokens[*at].text.as_str(), "and" | "or");
        let goes_on = is_part(span.last) && !self.tokens[span.last].after_break;
        let joined = |joint: usize| is_part(joint - 1) && !(joint + 1..span.last).any(is_part);
        goes_on && (span.first + 1..span.last).filter(is_joint).any(joined)
    }

    /// Whether nothing can be like a token's word: it carries no content, or is common.
    fn is_idle(&self, token: usize) -> bool {
        self.empty[token] || self.common[token]
    }

    /// The medical wording of lay words, except denied ones.
    fn reworded(&self) -> Vec<Phrase> {
        let mut phrases = lay::reworded(self.text, &self.tokens, |token| self.is_silent(token));
        phrases.retain(|phrase| !self.is_asked(phrase));
        phrases
    }

    /// Whether a complaint only asks: "should I worry?" tells of no worry.
    fn is_asked(&self, phrase: &Phrase) -> bool {
        phrase.parts.len() == 1 && phrase.complaint().is_some_and(|token| self.cues.get(token).copied().unwrap_or(false))
    }

    fn is_silent(&self, token: usize) -> bool {
        self.silent.get(token).copied().unwrap_or(false)
    }

    /// Whether no mention covers any of a phrase's words.
    pub(crate) fn is_open(&self, phrase: &Phrase) -> bool {
        match phrase.complaint().filter(|_| phrase.reworded) {
            Some(complaint) => !self.covered[complaint],
            None => !phrase.parts.iter().any(|token| self.covered[*token]),
        }
    }

    /// The number of content words in a phrase; at least one.
    pub(crate) fn words_of(&self, phrase: &Phrase) -> usize {
        phrase.parts.iter().filter(|token| !self.is_idle(**token)).count().max(1)
    }

    fn spans(&self, is_covered: impl Fn(usize) -> bool) -> Vec<Span> {
        let is_taken = |token: usize| is_covered(token) || self.is_silent(token);
        // A "breath test" tells of no breath.
        let is_measured = |first: usize, last: usize| {
            let next = self.tokens.get(last).filter(|next| !next.after_break);
            last - first == 1 && next.is_some_and(|next| MEASURING.contains(&next.text.as_str()))
        };
        let mut spans = Vec::new();
        for first in 0..self.tokens.len() {
            if is_taken(first) || self.is_idle(first) {
                continue;
            }
            let longest = if self.tokens[first].cjk { SPAN_IDEOGRAPHS } else { SPAN_WORDS };
            for last in first + 1..=(first + longest).min(self.tokens.len()) {
                let end = &self.tokens[last - 1];
                if is_taken(last - 1) || (last - 1 > first && end.after_break) || end.cjk != self.tokens[first].cjk {
                    break;
                }
                // A single ideograph is too ambiguous.
                let is_too_short = end.cjk && (last - first < 2 || only_common(&self.tokens[first..last]));
                // "Memory not too bad": a phrase that ends with a denial lacks what is denied.
                let is_cut = !end.cjk && is_denying(end);
                if self.is_idle(last - 1) || is_cut || is_too_short || is_measured(first, last) {
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

    /// Marks a phrase as belonging to a mention; `false` if part of it does already.
    pub(crate) fn cover(&mut self, phrase: &Phrase) -> bool {
        if !self.is_open(phrase) {
            return false;
        }
        phrase.parts.iter().for_each(|token| self.covered[*token] = true);
        true
    }

    /// Runs of content words that no mention covers: what was not understood.
    pub(crate) fn leftovers(&self) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for i in 0..self.tokens.len() {
            if self.covered[i] || self.is_idle(i) || self.is_silent(i) {
                continue;
            }
            match spans.last_mut() {
                Some(span) if span.last == i && !self.tokens[i].after_break => span.last = i + 1,
                _ => spans.push(Span { first: i, last: i + 1 }),
            }
        }
        // A denying word alone is not reported; with what it denies it already is.
        spans.retain(|span| span.last > span.first + 1 || !is_denying(&self.tokens[span.first]));
        spans.retain(|span| !only_common(&self.tokens[span.first..span.last]));
        spans
    }

    /// The text of a span, as written.
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

/// Whether a name is an ordinary word in small letters that only looks like the abbreviation that it was found by: "my toe", not TOE.
fn is_word_like_abbreviation(index: EvolvingNames<'_>, text: &str, tokens: &[Token], hit: &NameHit) -> bool {
    let [token] = tokens.get(hit.first..hit.last).unwrap_or_default() else { return false };
    let is_small = || text.get(token.start..token.end).is_some_and(|written| written.chars().all(char::is_lowercase));
    abbreviation::is_also_word(&token.text)
        && is_small()
        && hit.entities.iter().all(|(entity, _)| index.is_in_capitals(*entity, &token.text))
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_denied_links_to_nothing_similar_and_is_reported_where_it_names_nothing() {
        let mut builder = crate::graph::GraphBuilder::new("t");
        for name in ["Cough", "Fever", "Migraine without aura", "Hyperkalemia"] {
            builder.entity(name);
        }
        let graph = crate::graph::EvolvingGraph::new(std::sync::Arc::new(builder.finish()));
        let read = |text: &str| -> (Vec<String>, Vec<String>) {
            let tokens = ReadTokens::of(text);
            let denied = super::super::negation::denied(text, &tokens.tokens, &|_| false);
            let silent = (0..tokens.tokens.len()).map(|at| denied.iter().any(|denied| (denied.first..denied.last).contains(&at))).collect();
            let results = super::super::lab::results(text, &tokens.tokens);
            let mut reading = Reading::of_question(text, tokens, &[], (denied, silent), StopWords::built_in());
            let mut found: Vec<NameMention> = reading.values(graph.names(), &results).into_iter().map(|(_, name)| name).collect();
            found.extend(reading.names(graph.names()));
            let names = found.iter().map(|name| graph.entity_name(name.entities[0].0).to_owned()).collect();
            assert!(reading.phrases().iter().all(|phrase| !phrase.text.contains("zorbing")), "{text}");
            (names, reading.denials().iter().map(|span| reading.text_of(span).to_owned()).collect())
        };
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(read("Cough but no zorbing"), (owned(&["Cough"]), owned(&["no zorbing"])));
        assert_eq!(read("no fever"), (owned(&["Fever"]), owned(&[])));
        assert_eq!(read("my potassium is too high"), (owned(&["Hyperkalemia"]), owned(&[])));
        assert_eq!(read("my potassium is not high, cough").0, owned(&["Cough"]));
        assert_eq!(read("migraine without aura"), (owned(&["Migraine without aura"]), owned(&[])));
        assert_eq!(read("K+ 6.8, cough"), (owned(&["Hyperkalemia", "Cough"]), owned(&[])));
        assert_eq!(read("potassium 4.1, cough"), (owned(&["Cough"]), owned(&[])));
    }

    #[test]
    fn candidate_spans_stay_within_a_clause_and_begin_and_end_with_content() {
        let text = "can't stop worrying, heart racing";
        let reading = Reading::of(text, 0, MentionOrigin::Question, StopWords::built_in());
        let spans: Vec<_> = reading.candidates().into_iter().map(|phrase| phrase.text).collect();
        assert_eq!(spans, ["worrying", "heart", "heart racing", "racing"], "common words neither begin nor end one");
    }

    #[test]
    fn lay_words_name_findings_but_no_conditions_and_not_within_longer_names() {
        let mut builder = crate::graph::GraphBuilder::new("t");
        for name in ["Eye redness", "Swollen eye", "Weakness", "Anxiety", "Muscle weakness syndrome"] {
            builder.entity(name);
        }
        let graph = crate::graph::EvolvingGraph::new(std::sync::Arc::new(builder.finish()));
        let read = |text: &str| -> Vec<(String, String)> {
            let mut reading = Reading::of(text, 0, MentionOrigin::Question, StopWords::built_in());
            let found = reading.lay_names(graph.names(), |entity| graph.entity_name(entity) != "Anxiety");
            let named = |name: &NameMention| (graph.entity_name(name.entities[0].0).to_owned(), reading.text_of(&name.span).to_owned());
            found.iter().map(named).collect()
        };
        let pairs = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>();
        assert_eq!(
            read("My eye is swollen and red, and I am weak."),
            pairs(&[("Swollen eye", "eye is swollen"), ("Eye redness", "eye is swollen and red"), ("Weakness", "weak")])
        );
        assert_eq!(read("I feel anxious."), []);
        assert_eq!(read("my eye is not swollen"), pairs(&[]), "what is denied is not there");
        assert_eq!(read("I have muscle weakness syndrome"), pairs(&[]));
    }
}
