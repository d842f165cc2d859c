//! British and American spelling: "diarrhea" finds *Diarrhoea*, "albuterol" finds *Salbutamol*, and the other way round.
//!
//! Only the words looked up are respelled, never the graph; the pairs are in `assets/spelling.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::graph::{EvolvingNames, NameHit};
use crate::text::{Token, tokenise};

/// The most words of the text that are respelled together for one name.
const WINDOW: usize = 8;
/// The most spellings tried for those words.
const MOST_WAYS: usize = 16;
/// The shortest word whose parts are respelled; shorter ones have no second spelling ("fed", "hem").
const SHORTEST: usize = 4;
/// Short for cancer, beside an organ.
const CANCER: &str = "ca";

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpellingFile {
    parts: Vec<[String; 2]>,
    names: Vec<Vec<String>>,
}

/// The pairs, indexed.
#[derive(Debug, Default)]
struct Spellings {
    /// Parts of words and their replacements, towards American and towards British; the longest first.
    parts: [Vec<(String, String)>; 2],
    /// Names of the same thing, as words.
    names: Vec<Vec<Vec<String>>>,
}

static SPELLINGS: LazyLock<Spellings> = LazyLock::new(|| Spellings::parse(include_str!("../../assets/spelling.toml")).unwrap_or_default());

impl Spellings {
    fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let file: SpellingFile = toml::from_str(text)?;
        let mut parts = [Vec::new(), Vec::new()];
        for [british, american] in file.parts {
            parts[0].push((british.clone(), american.clone()));
            parts[1].push((american, british));
        }
        for parts in &mut parts {
            parts.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        }
        let words = |name: &String| tokenise(name).into_iter().map(|token| token.text).collect();
        Ok(Self { parts, names: file.names.iter().map(|names| names.iter().map(words).collect()).collect() })
    }
}

/// Other words for the tokens from a place on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Other {
    words: Vec<String>,
    /// The number of tokens that they replace.
    length: usize,
}

/// The other spellings of a text's words.
#[derive(Debug)]
pub(crate) struct Respelled<'a> {
    tokens: &'a [Token],
    /// Replacements for the tokens that begin here.
    others: Vec<Vec<Other>>,
}

impl<'a> Respelled<'a> {
    pub(crate) fn of(tokens: &'a [Token]) -> Self {
        Self { tokens, others: (0..tokens.len()).map(|at| others_at(tokens, at)).collect() }
    }

    /// The longest name that begins at token `first` and ends behind token `past`, with some words respelled. No entity is named exactly by it.
    pub(crate) fn longest_at(&self, index: EvolvingNames<'_>, first: usize, past: usize) -> Option<NameHit> {
        let end = self.tokens.len().min(first + WINDOW);
        if self.others[first..end].iter().all(Vec::is_empty) {
            return None;
        }
        let mut ways = Ways { of: self, end, index, first, left: MOST_WAYS, best: None };
        ways.walk(first, &mut Vec::new(), &mut Vec::new());
        ways.best.filter(|hit| hit.last > past)
    }
}

/// The ways in which the words up to a place can be respelled.
struct Ways<'a, 'b> {
    of: &'b Respelled<'a>,
    end: usize,
    index: EvolvingNames<'b>,
    first: usize,
    left: usize,
    best: Option<NameHit>,
}

impl Ways<'_, '_> {
    /// `words`: what stands for the tokens before `at`; `ends`: behind which token each of them ends, if it is the last of what stands for it.
    fn walk(&mut self, at: usize, words: &mut Vec<Token>, ends: &mut Vec<Option<usize>>) {
        if self.left == 0 {
            return;
        }
        if at >= self.end {
            self.left -= 1;
            self.look_up(words, ends);
            return;
        }
        let (tokens, before) = (self.of.tokens, words.len());
        for other in &self.of.others[at] {
            for (i, text) in other.words.iter().enumerate() {
                words.push(Token { text: text.clone(), cjk: false, ..tokens[at].clone() });
                ends.push((i + 1 == other.words.len()).then_some(at + other.length));
            }
            self.walk(at + other.length, words, ends);
            words.truncate(before);
            ends.truncate(before);
        }
        words.push(tokens[at].clone());
        ends.push(Some(at + 1));
        self.walk(at + 1, words, ends);
        words.truncate(before);
        ends.truncate(before);
    }

    fn look_up(&mut self, words: &[Token], ends: &[Option<usize>]) {
        let Some(hit) = self.index.longest_at(words, 0) else { return };
        let Some(last) = ends.get(hit.last - 1).copied().flatten() else { return };
        // "Serum ca 2.9" is no cancer.
        if last == self.first + 1 && self.of.tokens.get(self.first).is_some_and(|token| token.text == CANCER) {
            return;
        }
        if self.best.as_ref().is_none_or(|best| last > best.last) {
            let entities = hit.entities.into_iter().map(|(entity, _)| (entity, false)).collect();
            self.best = Some(NameHit { first: self.first, last, entities });
        }
    }
}

/// What may stand in place of the tokens that begin at `at`.
fn others_at(tokens: &[Token], at: usize) -> Vec<Other> {
    let word = tokens[at].text.as_str();
    if !word.is_ascii() {
        return Vec::new();
    }
    let mut others: Vec<Other> = Vec::new();
    for names in &SPELLINGS.names {
        let stands_here = |name: &&Vec<String>| {
            let here = tokens.get(at..at + name.len());
            here.is_some_and(|here| here.iter().map(|token| &token.text).eq(name.iter()))
        };
        if let Some(known) = names.iter().find(stands_here) {
            let rest = names.iter().filter(|name| *name != known);
            others.extend(rest.map(|name| Other { words: name.clone(), length: known.len() }));
        }
    }
    if word.len() >= SHORTEST {
        let respelled = SPELLINGS.parts.iter().filter_map(|parts| respelled(word, parts));
        others.extend(respelled.map(|word| Other { words: vec![word], length: 1 }));
    }
    others.extend(cancer_at(tokens, at));
    others
}

/// What "ca" stands for behind an organ: "prostate ca". Alone it is calcium.
fn cancer_at(tokens: &[Token], at: usize) -> Option<Other> {
    let token = tokens.get(at).filter(|token| token.text == CANCER && !token.after_break)?;
    let is_organ = |word: &str| word.len() >= SHORTEST && word.chars().all(|c| c.is_ascii_alphabetic());
    let organ = tokens.get(at.checked_sub(1)?).filter(|before| is_organ(&before.text));
    organ.filter(|organ| organ.end < token.start).map(|_| Other { words: vec!["cancer".to_owned()], length: 1 })
}

/// A word with every part replaced that has another spelling; `None` if no part has one.
fn respelled(word: &str, parts: &[(String, String)]) -> Option<String> {
    let mut other = String::with_capacity(word.len() + 4);
    let mut rest = word;
    while let Some(letter) = rest.chars().next() {
        match parts.iter().find(|(from, _)| rest.starts_with(from.as_str())) {
            Some((from, to)) => {
                other.push_str(to);
                rest = &rest[from.len()..];
            }
            None => {
                other.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    (other != word).then_some(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{EvolvingGraph, GraphBuilder};

    #[test]
    fn the_spelling_file_is_valid() {
        let spellings = Spellings::parse(include_str!("../../assets/spelling.toml")).expect("valid");
        assert!(spellings.parts[0].len() > 40 && spellings.names.len() > 60);
        assert!(spellings.names.iter().all(|names| names.len() > 1 && names.iter().all(|name| !name.is_empty())));
    }

    #[test]
    fn words_are_respelled_in_both_directions() {
        let pairs = [
            ("diarrhoea", "diarrhea"),
            ("haematemesis", "hematemesis"),
            ("anaemia", "anemia"),
            ("leukaemia", "leukemia"),
            ("ischaemic", "ischemic"),
            ("oesophagitis", "esophagitis"),
            ("lymphoedema", "lymphedema"),
            ("tumours", "tumors"),
            ("paediatric", "pediatric"),
            ("gynaecomastia", "gynecomastia"),
            ("faecal", "fecal"),
            ("foetal", "fetal"),
            ("coeliac", "celiac"),
            ("haemorrhoids", "hemorrhoids"),
            ("orthopaedic", "orthopedic"),
            ("anaesthesia", "anesthesia"),
            ("caecum", "cecum"),
            ("dyspnoea", "dyspnea"),
            ("apnoea", "apnea"),
            ("goitre", "goiter"),
            ("oestrogen", "estrogen"),
            ("sulphate", "sulfate"),
            ("phaeochromocytoma", "pheochromocytoma"),
            ("hypoglycaemia", "hypoglycemia"),
            ("haemophilia", "hemophilia"),
            ("catheterisation", "catheterization"),
            ("amenorrhoea", "amenorrhea"),
        ];
        let [to_american, to_british] = &SPELLINGS.parts;
        for (british, american) in pairs {
            assert_eq!(respelled(british, to_american).as_deref(), Some(american));
            assert_eq!(respelled(american, to_british).as_deref(), Some(british));
        }
        assert_eq!(respelled("cough", to_british), None);
    }

    /// The names found in a text, each with its words and whether it is written exactly so.
    fn found(names: &[&str], text: &str) -> Vec<(String, String, bool)> {
        let mut builder = GraphBuilder::new("t");
        for name in names {
            builder.entity(name);
        }
        let graph = EvolvingGraph::new(std::sync::Arc::new(builder.finish()));
        let mut reading =
            crate::language::recognise::Reading::of(text, 0, crate::run::MentionOrigin::Question, crate::text::StopWords::built_in());
        let mentions = reading.names(graph.names());
        let told = mentions.iter().map(|name| {
            let (entity, exact) = name.entities[0];
            (graph.entity_name(entity).to_owned(), reading.text_of(&name.span).to_owned(), exact)
        });
        told.collect()
    }

    #[test]
    fn a_name_is_found_in_the_other_spelling_but_not_as_an_exact_one() {
        let one = |name: &str, text: &str| vec![(name.to_owned(), text.to_owned(), false)];
        assert_eq!(found(&["Diarrhoea"], "sudden diarrhea"), one("Diarrhoea", "diarrhea"));
        assert_eq!(found(&["Diarrhea"], "sudden diarrhoea"), one("Diarrhea", "diarrhoea"));
        assert_eq!(
            found(&["Gastro-oesophageal reflux"], "gastroesophageal or gastro-esophageal reflux"),
            one("Gastro-oesophageal reflux", "gastro-esophageal reflux")
        );
        assert_eq!(found(&["Oesophageal tumor"], "esophageal tumours"), one("Oesophageal tumor", "esophageal tumours"));
        assert_eq!(found(&["Salbutamol"], "albuterol inhaler"), one("Salbutamol", "albuterol"));
        assert_eq!(found(&["Acetylsalicylic acid"], "aspirin."), one("Acetylsalicylic acid", "aspirin"));
        assert_eq!(found(&["Aspirin"], "acetylsalicylic acid."), one("Aspirin", "acetylsalicylic acid"));
        assert_eq!(found(&["Complete blood count"], "a full blood count"), one("Complete blood count", "full blood count"));
        assert!(found(&["Acid"], "aspirin").is_empty(), "half of another name is no name");
        let cancers = ["Prostate cancer", "Breast cancer", "Cancer"];
        assert_eq!(found(&cancers, "prostate ca, back pain"), one("Prostate cancer", "prostate ca"));
        assert!(found(&cancers, "serum ca 2.9, prostate").is_empty());
    }

    #[test]
    fn a_name_as_written_wins_and_a_longer_one_wins_before_it() {
        assert_eq!(found(&["Diarrhea", "Diarrhoea"], "diarrhea"), [("Diarrhea".to_owned(), "diarrhea".to_owned(), true)]);
        assert_eq!(
            found(&["Paracetamol", "Acetaminophen"], "acetaminophen"),
            [("Acetaminophen".to_owned(), "acetaminophen".to_owned(), true)]
        );
        assert_eq!(found(&["Brain", "Brain tumour"], "brain tumor"), [("Brain tumour".to_owned(), "brain tumor".to_owned(), false)]);
    }
}
