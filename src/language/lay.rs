//! Lay language: patients' words turned into the wording of medical names.
//!
//! "My eye is really bothering me, it is swollen" names no entity; *swollen eye* may be one. A complaint is combined with the part
//! of the body that it is about, and idioms ("out of breath") are translated. The words are in
//! `assets/lay.toml`. A result counts only if the graph has a name like it.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::negation::is_denied_complaint;
use super::phrase_pattern::{pattern_at, words_of};
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
/// Words that refer to a part of the body named in the sentence before.
const TAKING_UP: [&str; 6] = ["it", "its", "they", "theyre", "them", "there"];

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    complaint: Vec<Complaint>,
    part: Vec<Part>,
    phrase: Vec<Turn>,
    idle: Idle,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Idle {
    says: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Complaint {
    words: Vec<String>,
    alone: Vec<String>,
    with: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    words: Vec<String>,
    names: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    says: Vec<String>,
    names: Vec<String>,
}

/// The entries of the file, by first word.
#[derive(Debug, Default)]
struct Lexicon {
    complaints: HashMap<String, &'static Complaint>,
    parts: HashMap<String, Vec<(Vec<String>, &'static Part)>>,
    turns: HashMap<String, Vec<(Vec<String>, &'static Turn)>>,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../assets/lay.toml")).unwrap_or_default());
static IDLE: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| FILE.idle.says.iter().map(|says| words_of(says)).collect());
static PARTS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let words = FILE.part.iter().flat_map(|part| part.words.iter().chain(&part.names)).flat_map(|words| words_of(words));
    // The "of" of "one of his testicles" names no part.
    words.filter(|word| !StopWords::built_in().contains(word)).collect()
});
static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon::default();
    for complaint in &FILE.complaint {
        lexicon.complaints.extend(complaint.words.iter().map(|word| (word.clone(), complaint)));
    }
    for part in &FILE.part {
        for words in part.words.iter().map(|words| words_of(words)) {
            lexicon.parts.entry(words.first().cloned().unwrap_or_default()).or_default().push((words, part));
        }
    }
    for turn in &FILE.phrase {
        for words in turn.says.iter().map(|words| words_of(words)) {
            lexicon.turns.entry(words.first().cloned().unwrap_or_default()).or_default().push((words, turn));
        }
    }
    // The longest match wins.
    lexicon.parts.values_mut().for_each(|parts| parts.sort_by_key(|(words, _)| std::cmp::Reverse(words.len())));
    lexicon.turns.values_mut().for_each(|turns| turns.sort_by_key(|(words, _)| std::cmp::Reverse(words.len())));
    lexicon
});

/// A part of the body that a text names, in tokens `first..last`.
#[derive(Debug, Clone, Copy)]
struct Named {
    first: usize,
    last: usize,
    part: &'static Part,
    sentence: usize,
}

/// Medical wordings of a text's lay words; several wordings of one thing follow each other. The last token of a phrase's parts is
/// its complaint. `is_closed`: tokens that cannot state a finding.
pub(crate) fn reworded(text: &str, tokens: &[Token], is_closed: impl Fn(usize) -> bool) -> Vec<Phrase> {
    let sentences = sentences(text, tokens);
    let mut phrases = Vec::new();
    let mut used = vec![false; tokens.len()];
    for first in 0..tokens.len() {
        let Some(turns) = LEXICON.turns.get(&tokens[first].text) else { continue };
        let fits = |(words, turn): &(Vec<String>, &'static Turn)| {
            let mut parts = Vec::new();
            let ends_at = pattern_at(tokens, first, words, &mut parts)?;
            let within = sentences[first] == sentences[ends_at - 1] && !parts.iter().any(|token| used[*token] || is_closed(*token));
            within.then_some((parts, ends_at, *turn))
        };
        if let Some((parts, last, turn)) = turns.iter().find_map(fits) {
            parts.iter().for_each(|token| used[*token] = true);
            let phrase = |name: &String| phrase(Span { first, last }, parts.clone(), name.clone());
            phrases.extend(turn.names.iter().map(phrase));
        }
    }
    let named = parts_of_body(tokens, &sentences, &idle(tokens));
    for (at, token) in tokens.iter().enumerate() {
        let Some(complaint) = LEXICON.complaints.get(&token.text).filter(|_| !used[at] && !is_closed(at)) else { continue };
        if is_denied_complaint(tokens, at) {
            continue;
        }
        let of = said_of(tokens, &named, at, &sentences);
        for part in of.iter().filter(|_| !complaint.with.is_empty()) {
            let (first, last) = (part.first.min(at), part.last.max(at + 1));
            let apart = last - first > SHOWN || part.sentence != sentences[at];
            let span = if apart { Span { first: at, last: at + 1 } } else { Span { first, last } };
            let parts: Vec<usize> = (part.first..part.last).filter(|token| *token != at).chain([at]).collect();
            for (with, name) in complaint.with.iter().flat_map(|with| part.part.names.iter().map(move |name| (with, name))) {
                phrases.push(phrase(span, parts.clone(), with.replace('%', name)));
            }
        }
        // For graphs without a name for both: weak legs are also a weakness.
        let alone = |name: &String| phrase(Span { first: at, last: at + 1 }, vec![at], name.clone());
        phrases.extend(complaint.alone.iter().map(alone));
    }
    phrases
}

/// For each token, whether it belongs to an idiom that names nothing, whatever its words mean ("it came back").
pub(crate) fn idle(tokens: &[Token]) -> Vec<bool> {
    let mut idle = vec![false; tokens.len()];
    for first in 0..tokens.len() {
        for words in IDLE.iter() {
            let mut own = Vec::new();
            if pattern_at(tokens, first, words, &mut own).is_some() {
                own.into_iter().for_each(|token| idle[token] = true);
            }
        }
    }
    idle
}

/// Whether a turn of phrase is just these words: what it denies is part of what it says (没劲, "has not moved").
pub(crate) fn is_turn(tokens: &[Token], span: Span) -> bool {
    let turns = tokens.get(span.first).and_then(|first| LEXICON.turns.get(&first.text));
    turns.is_some_and(|turns| turns.iter().any(|(words, _)| pattern_at(tokens, span.first, words, &mut Vec::new()) == Some(span.last)))
}

/// Whether these words name a part of the body and nothing else. `words`: folded.
pub(crate) fn is_part_of_body(words: &[String]) -> bool {
    !words.is_empty() && words.iter().all(|word| PARTS.contains(word))
}

fn phrase(span: Span, parts: Vec<usize>, text: String) -> Phrase {
    Phrase { span, parts, text, reworded: true }
}

/// The number of the sentence of each token.
fn sentences(text: &str, tokens: &[Token]) -> Vec<usize> {
    let mut sentence = 0;
    let mut before = 0;
    let number = |token: &Token| {
        let between = &text[before..token.start];
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
        let Some(parts) = LEXICON.parts.get(&tokens[first].text) else { continue };
        let fits = |(words, part): &(Vec<String>, &'static Part)| {
            let last = pattern_at(tokens, first, words, &mut Vec::new())?;
            Some(Named { first, last, part, sentence: sentences[first] })
        };
        named.extend(parts.iter().find_map(fits));
    }
    named
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
mod tests {
    use super::*;
    use crate::text::tokenise;

    /// What the words of a text are called, with what is shown of it.
    fn called(text: &str) -> Vec<(String, String)> {
        let tokens = tokenise(text);
        let shown = |span: Span| text[tokens[span.first].start..tokens[span.last - 1].end].to_owned();
        reworded(text, &tokens, |_| false).into_iter().map(|phrase| (phrase.text, shown(phrase.span))).collect()
    }

    fn names(text: &str) -> Vec<String> {
        called(text).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn the_file_is_valid_and_folded() {
        let file: File = toml::from_str(include_str!("../../assets/lay.toml")).expect("valid");
        assert!(file.complaint.len() > 30 && file.part.len() > 40 && file.phrase.len() > 80);
        let mut seen = std::collections::HashSet::new();
        for word in file.complaint.iter().flat_map(|complaint| &complaint.words) {
            assert_eq!(words_of(word), std::slice::from_ref(word), "one folded word");
            assert!(seen.insert(word), "{word} twice");
        }
        for says in file.phrase.iter().flat_map(|turn| &turn.says) {
            assert!(!words_of(says).is_empty() && seen.insert(says), "{says}");
        }
        assert!(file.complaint.iter().flat_map(|complaint| &complaint.with).all(|with| !words_of(with).is_empty()));
    }

    #[test]
    fn a_complaint_is_said_of_the_nearest_part_of_the_body() {
        assert_eq!(names("chest pain and a red leg")[..2], ["chest pain", "pain in chest"]);
        assert_eq!(names("chest pain and swollen legs"), ["leg swelling", "peripheral edema", "chest pain", "pain in chest"]);
        assert_eq!(names("chest pain and swollen eyes")[2..], ["eye swelling", "swollen eye"]);
        assert!(called("My elbow often really hurts.").contains(&("elbow pain".to_owned(), "elbow often really hurts".to_owned())));
    }

    #[test]
    fn parts_of_the_body_that_are_joined_share_a_complaint() {
        let names = names("My arms and both legs feel weak.");
        assert_eq!(names, ["arm weakness", "leg weakness", "weakness"]);
    }

    #[test]
    fn a_sentence_may_take_up_the_part_of_the_body_of_the_one_before() {
        let called = called("My eye is really bothering me. It's swollen.");
        assert!(called.contains(&("swollen eye".to_owned(), "swollen".to_owned())), "{called:?}");
        assert!(names("My eye is fine. I noticed swollen things.").is_empty());
    }

    #[test]
    fn a_complaint_without_a_part_is_called_by_its_own_name_if_that_says_enough() {
        assert_eq!(names("I am weak and it is painful"), ["weakness"]);
        assert_eq!(names("I am so tired"), ["fatigue", "tiredness"]);
    }

    #[test]
    fn turns_of_phrase_have_gaps_and_stay_in_their_sentence() {
        assert_eq!(called("I get out of breath.")[0], ("shortness of breath".to_owned(), "out of breath".to_owned()));
        assert_eq!(names("I have a hard time sleeping")[0], "insomnia");
        assert!(names("I passed. Out there it rains.").is_empty());
        assert_eq!(names("拉肚子三天了"), ["腹泻"]);
        assert_eq!(called("我爸右边胳膊没劲")[0], ("weakness of one side".to_owned(), "右边胳膊没劲".to_owned()));
        let tokens = tokenise("右手没劲了");
        assert!(is_turn(&tokens, Span { first: 0, last: 4 }) && !is_turn(&tokens, Span { first: 0, last: 5 }));
    }

    #[test]
    fn what_is_denied_says_nothing() {
        let text = "no cough but a swollen eye";
        let tokens = tokenise(text);
        assert!(!reworded(text, &tokens, |_| false).is_empty());
        assert!(reworded(text, &tokens, |token| token == 4).is_empty(), "told so");
        assert!(names("my eye is not really swollen").is_empty());
        assert!(!names("it does not help, my eye is swollen").is_empty());
    }

    #[test]
    fn turns_of_phrase_that_name_nothing_are_of_no_part_of_the_body() {
        assert!(names("The pain came back").iter().all(|name| !name.contains("back")), "{:?}", names("The pain came back"));
        assert_eq!(names("The pain in my back came back")[0], "back pain");
        let idle = idle(&tokenise("I sit for long periods of time"));
        assert_eq!(idle, [false, false, true, true, true, true, true]);
        let folded = |text: &str| tokenise(text).into_iter().map(|token| token.text).collect::<Vec<_>>();
        assert!(is_part_of_body(&folded("lower back")) && !is_part_of_body(&folded("back pain")) && !is_part_of_body(&[]));
        assert!(["of", "my", "one"].iter().all(|word| !is_part_of_body(&folded(word))));
    }
}
