//! Questions for one kind of thing: "which foods must I avoid in pregnancy?", "painkillers not to take with warfarin". What is listed is then of
//! that kind: one of `assets/kinds.toml`, or a class of the graph.

use std::sync::LazyLock;

use serde::Deserialize;

use super::states::entity_of;
use crate::graph::{EntityId, EvolvingGraph, Kind, classes_of};
use crate::language::phrase_table::PhraseTable;
use crate::text::{Token, is_chinese, tokenise};

/// The most words between what asks and the kind: "which over-the-counter painkillers".
const APART: usize = 4;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    before: Vec<String>,
    behind: Vec<String>,
    everything: Vec<String>,
    kind: Vec<KindOfThing>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KindOfThing {
    words: Vec<String>,
    #[serde(default)]
    asks: Vec<String>,
    members: Vec<String>,
}

/// The file, ready to be looked up: what asks before and behind a kind, and the kinds by their number and whether the words ask by themselves.
#[derive(Debug, Default)]
struct Kinds {
    before: PhraseTable<()>,
    behind: PhraseTable<()>,
    everything: PhraseTable<()>,
    words: PhraseTable<(usize, bool)>,
    members: Vec<Vec<String>>,
}

static KINDS: LazyLock<Kinds> = LazyLock::new(|| Kinds::parse(include_str!("../../../assets/kinds.toml")).unwrap_or_default());

impl Kinds {
    fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let file: File = toml::from_str(text)?;
        let table = |words: &[String]| PhraseTable::of_phrases(words);
        let words = file.kind.iter().enumerate().flat_map(|(number, kind)| {
            let named = kind.words.iter().map(move |word| (word.as_str(), (number, false)));
            named.chain(kind.asks.iter().map(move |word| (word.as_str(), (number, true))))
        });
        Ok(Self {
            before: table(&file.before),
            behind: table(&file.behind),
            everything: table(&file.everything),
            words: PhraseTable::of(words),
            members: file.kind.iter().map(|kind| kind.members.clone()).collect(),
        })
    }
}

/// A kind of thing that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskedKind {
    /// The words of the question for it.
    pub(super) said: String,
    /// The entities that it is made of, each with its kinds.
    roots: Vec<EntityId>,
}

impl AskedKind {
    /// The kind of thing that a question asks for; `None` if it asks for none, or for everything besides.
    pub(crate) fn of(graph: &EvolvingGraph, question: &str) -> Option<Self> {
        let tokens = tokenise(question);
        let (mut said, mut roots, mut past): (Option<(usize, usize)>, Vec<EntityId>, usize) = (None, Vec::new(), 0);
        for at in 0..tokens.len() {
            let Some(named) = named_at(graph, &tokens, at).filter(|_| at >= past) else { continue };
            past = named.last;
            // "Foods and herbal remedies": what follows the first is asked for with it.
            let is_joined = said.is_some_and(|(_, last)| joins(&tokens, last, at));
            if !is_joined && !(said.is_none() && (named.asks || is_asked(&tokens, at, named.last))) {
                continue;
            }
            if is_beside_everything(&tokens, at, named.last) {
                return None;
            }
            said = Some((said.map_or(at, |(first, _)| first), named.last));
            roots.extend(named.roots);
        }
        let (first, last) = said?;
        let text = question.get(tokens.get(first)?.start..tokens.get(last.checked_sub(1)?)?.end)?;
        // "What can't I eat" asks for food by another word.
        let text = if KINDS.words.at(&tokens, first).is_some_and(|found| found.means.1) { food(text) } else { text };
        (!roots.is_empty()).then(|| Self { said: text.to_lowercase(), roots })
    }

    /// Whether something is the kind itself, or what it is made of.
    pub(super) fn is_root(&self, entity: EntityId) -> bool {
        self.roots.contains(&entity)
    }

    /// Whether something is of that kind.
    pub(super) fn holds(&self, graph: &EvolvingGraph, entity: EntityId) -> bool {
        self.is_root(entity) || classes_of(graph, entity).iter().any(|class| self.roots.contains(class))
    }
}

/// What the kind is called that is asked for without being named.
fn food(text: &str) -> &'static str {
    if is_chinese(text) { "食物" } else { "food and drink" }
}

/// A kind that is named somewhere.
struct NamedKind {
    last: usize,
    /// Whether the words ask for it by themselves.
    asks: bool,
    roots: Vec<EntityId>,
}

/// The kind that is named at a token: the longer of what the file and the graph know.
fn named_at(graph: &EvolvingGraph, tokens: &[Token], at: usize) -> Option<NamedKind> {
    let of_file = KINDS.words.at(tokens, at).map(|found| {
        let (number, asks) = found.means;
        let members = KINDS.members.get(number).map(Vec::as_slice).unwrap_or_default();
        NamedKind { last: found.last, asks, roots: members.iter().filter_map(|name| entity_of(graph, name)).collect() }
    });
    let hit = graph.names().longest_at(tokens, at);
    let of_graph = hit.map(|hit| {
        let classes = hit.entities.iter().map(|(entity, _)| *entity).filter(|entity| matches!(graph.kind(*entity), Kind::DrugClass));
        NamedKind { last: hit.last, asks: false, roots: classes.collect() }
    });
    let longer = |graph: &NamedKind| of_file.as_ref().is_none_or(|file| graph.last > file.last);
    let of_graph = of_graph.filter(longer);
    // A longer name that is no class ("food allergy") names no kind.
    of_graph.or(of_file).filter(|named| !named.roots.is_empty())
}

/// Whether the words before or behind a kind ask for it.
fn is_asked(tokens: &[Token], first: usize, last: usize) -> bool {
    let joined = |from: usize, to: usize| tokens.get(from + 1..=to).is_none_or(|words| words.iter().all(|token| !token.after_break));
    // "What is a statin?", "any reaction to antibiotics" ask for none.
    let chooses = |from: usize, to: usize| {
        let between = tokens.get(from..to).unwrap_or_default();
        !between.iter().any(|token| {
            matches!(
                token.text.as_str(),
                "is" | "are"
                    | "does"
                    | "do"
                    | "did"
                    | "can"
                    | "should"
                    | "to"
                    | "with"
                    | "on"
                    | "a"
                    | "an"
                    | "about"
                    | "if"
                    | "of"
                    | "after"
                    | "my"
            )
        })
    };
    let asks_before = |at: usize| {
        let found = KINDS.before.at(tokens, at).filter(|found| found.last <= first && found.last + APART >= first);
        found.is_some_and(|found| joined(at, first) && chooses(found.last, first))
    };
    let is_before = (first.saturating_sub(APART + 2)..first).any(asks_before);
    is_before || KINDS.behind.at(tokens, last).is_some_and(|_| joined(last.saturating_sub(1), last))
}

/// Whether only what joins stands between two kinds.
fn joins(tokens: &[Token], from: usize, to: usize) -> bool {
    let between = tokens.get(from..to).unwrap_or_default();
    between.len() <= 2 && between.iter().all(|token| matches!(token.text.as_str(), "and" | "or" | "和" | "或" | "或者" | "及" | "以及"))
}

/// Whether a word for everything stands beside a kind: "which foods and medicines".
fn is_beside_everything(tokens: &[Token], first: usize, last: usize) -> bool {
    let is_and = |at: usize| tokens.get(at).is_some_and(|token| matches!(token.text.as_str(), "and" | "or" | "和" | "或"));
    let is_everything = |at: usize| KINDS.everything.at(tokens, at).is_some();
    let behind = is_and(last) && (is_everything(last + 1) || is_everything(last + 2));
    let before = first.checked_sub(2).is_some_and(|at| is_everything(at) && is_and(first - 1));
    // "Food, drink, tablets": a list.
    let listed = tokens.get(last).is_some_and(|token| token.after_break) && is_everything(last);
    behind || before || listed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;

    fn graph() -> EvolvingGraph {
        EvolvingGraph::new(std::sync::Arc::new(starter_graph().expect("sound")))
    }

    #[test]
    fn every_member_is_an_entity_of_the_starter_graph() {
        let kinds = Kinds::parse(include_str!("../../../assets/kinds.toml")).expect("sound");
        let graph = graph();
        let missing: Vec<&String> = kinds.members.iter().flatten().filter(|name| entity_of(&graph, name).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn a_kind_is_asked_for_where_the_words_around_it_choose() {
        let graph = graph();
        let asked = |question: &str| AskedKind::of(&graph, question).map(|kind| kind.said);
        for (question, said) in [
            ("Which antibiotics must I avoid on methotrexate?", "antibiotics"),
            ("is there a list of foods I have to keep away from", "foods"),
            ("I take phenelzine. What can't I eat?", "food and drink"),
            ("painkillers to avoid with bad kidneys", "painkillers"),
            ("any over the counter cold remedies I shouldn't have with sertraline?", "cold remedies"),
            ("孕妇不能吃哪些食物？", "食物"),
            ("Which foods or herbal remedies interact with warfarin?", "foods or herbal remedies"),
        ] {
            assert_eq!(asked(question).as_deref(), Some(said), "{question}");
        }
        for question in [
            "I am on antibiotics, what should I avoid?",
            "Which foods and medicines should I avoid?",
            "things not to have with warfarin: food, tablets",
            "What is a statin?",
            "My food allergy is back",
        ] {
            assert_eq!(asked(question), None, "{question}");
        }
    }
}
