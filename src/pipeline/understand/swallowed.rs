//! A drug that a small child swallowed: "our toddler swallowed one glipizide tablet". One tablet can be enough, so no number is asked for.
//!
//! The words are in `assets/swallowed.toml`.

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::layout::Layout;
use super::named::{Class, Named};
use super::others_medicine::OthersWords;
use super::patient::Age;
use crate::graph::EvolvingGraph;
use crate::language::phrase_table::PhraseTable;
use crate::language::recognise::Span;
use crate::language::word_list::WordList;
use crate::text::{Token, clause_around, word};

/// What the graph calls it.
const SWALLOWED: &str = "Tablets swallowed by a child";
/// Months of life in which a child puts what it finds into its mouth.
const SMALL: u16 = 72;
/// An age that lies within more months than these is not told: that of "grandma".
const DECADE: u16 = 120;
/// How many words may stand between what the child did and the drug: "swallowed one of her gran's slow-release".
const WITHIN: usize = 8;
/// How many words before them it is said whose they are: "grandad's heart pills", "my blood pressure tablets".
const OWNED_WITHIN: usize = 3;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    small: Vec<String>,
    by_mistake: Vec<String>,
    taken: WordList,
    for_sweets: Vec<String>,
    tablets: WordList,
    pub(super) owners: Vec<String>,
    not_of_child: Vec<String>,
    as_usual: Vec<String>,
    long_ago: Vec<String>,
    now: WordList,
    grown_up: Vec<String>,
    child: Vec<String>,
    between: WordList,
    pub(super) others: OthersWords,
}

pub(super) static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(include_str!("../../../assets/swallowed.toml")).unwrap_or_default());

static SMALL_ONES: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(&WORDS.small));
static FOR_SWEETS: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(&WORDS.for_sweets));
static BY_MISTAKES: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(&WORDS.by_mistake));
static OTHERS_DRUGS: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(WORDS.owners.iter().chain(&WORDS.not_of_child)));
static LONG_AGOS: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(&WORDS.long_ago));
static AS_USUALS: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(&WORDS.as_usual));
/// People, and whether they are children.
static PEOPLE: LazyLock<PhraseTable<bool>> = LazyLock::new(|| {
    let (grown_up, children) = (WORDS.grown_up.iter().map(|who| (who.as_str(), false)), WORDS.child.iter().map(|who| (who.as_str(), true)));
    PhraseTable::of(grown_up.chain(children))
});

/// Whether an entity of this name is such an accident.
pub(super) fn is_swallowed_by_child(name: &str) -> bool {
    name == SWALLOWED
}

/// The accident, once, where a small child is told to have swallowed a drug that is named. In doubt it is told: a false alarm costs less than a missed one.
pub(super) fn swallowed_by_child(
    graph: &EvolvingGraph,
    (tokens, layout): (&[Token], &Layout),
    named: &[Named],
    age: Option<Age>,
) -> Option<Named> {
    let entity = graph.find(SWALLOWED).filter(|entity| !named.iter().any(|of| of.entity == *entity))?;
    // 孩子 alone says no age; who takes tablets for sweets is small.
    let is_chinese = |at: usize| tokens.get(at).is_some_and(|token| token.cjk);
    // Who is called 孩子 and took something by mistake is, too.
    let is_chinese_child = || {
        let is_child = |at: usize| is_chinese(at) && PEOPLE.at(tokens, at).is_some_and(|person| person.means);
        let is_mistake = |at: usize| is_chinese(at) && BY_MISTAKES.at(tokens, at).is_some();
        (0..tokens.len()).any(is_child) && (0..tokens.len()).any(is_mistake)
    };
    // A child of unknown age that got at somebody else's drug is small, too.
    let got_at_others = || {
        let is_child = |token: &Token| matches!(token.text.as_str(), "child" | "kid" | "kids" | "children" | "daughter" | "son");
        // "My child" says nothing of whose drug it was.
        let is_own = |at: usize| tokens.get(at).is_some_and(|token| matches!(token.text.as_str(), "my" | "our"));
        let is_others = OTHERS_DRUGS.find_all(tokens).iter().any(|found| !is_own(found.first));
        tokens.iter().any(is_child) && is_others && !BY_MISTAKES.find_all(tokens).is_empty()
    };
    let is_small =
        || got_at_others() || !SMALL_ONES.find_all(tokens).is_empty() || !FOR_SWEETS.find_all(tokens).is_empty() || is_chinese_child();
    // "My child swallowed grandma's tablets": as old as grandma is no child.
    let is_owners = |age: Age| age.to.saturating_sub(age.from) > DECADE && got_at_others();
    let is_grown = |age: Age| !is_owners(age) && (age.from >= SMALL || (age.to >= SMALL && !(age.from == 0 && is_small())));
    if age.map_or_else(|| !is_small(), is_grown) {
        return None;
    }
    let is_any = |table: &PhraseTable<()>, mut range: Range<usize>| range.any(|at| table.at(tokens, at).is_some());
    let is_over = |at: usize| {
        let told = layout.sentence(at).first..at;
        let is_now = tokens.get(told.clone()).unwrap_or_default().iter().any(|token| WORDS.now.has(&token.text));
        !is_now && is_any(&LONG_AGOS, told)
    };
    let is_told = |drug: &Span| {
        let clause = clause_around(tokens, drug.first);
        let from = clause.start.max(drug.first.saturating_sub(WITHIN));
        let is_accident = |at: usize| {
            let is_others = || WORDS.taken.has(word(tokens, at)) && is_any(&OTHERS_DRUGS, at + 1..drug.first);
            (BY_MISTAKES.at(tokens, at).is_some() || is_others())
                && !is_of_grown_up(tokens, clause.start, at)
                && !is_over(at)
                && !is_meal(tokens, at, drug.first)
        };
        // "My glipizide that I take every day" is as usual of somebody else.
        let is_others = is_any(&OTHERS_DRUGS, from..drug.first);
        let behind = drug.last..clause.end.min(drug.last + WITHIN);
        // 孩子把降压药误服了: Chinese may say behind the drug what the child did.
        let is_mistake = |at: usize| FOR_SWEETS.at(tokens, at).is_some() || (is_chinese(at) && BY_MISTAKES.at(tokens, at).is_some());
        let is_for_sweets = behind.clone().any(is_mistake) && !is_over(drug.last) && !tells_of_grown_up_alone(tokens, &clause);
        (is_for_sweets || (from..drug.first).any(is_accident)) && (is_others || !is_any(&AS_USUALS, clause.clone()))
    };
    let drugs = named.iter().filter(|of| of.class == Class::Drug).map(|of| of.span);
    let tablets = |at: usize| {
        let is_tablet = tokens.get(at).is_some_and(|token| WORDS.tablets.has(&token.text));
        let from = clause_around(tokens, at).start.max(at.saturating_sub(WITHIN));
        let takes = |verb: usize| {
            let is_taken = WORDS.taken.has(word(tokens, verb));
            is_taken || BY_MISTAKES.at(tokens, verb).is_some()
        };
        // "My toddler swallowed her tablet" is her own.
        let is_others = |verb: usize| is_any(&OTHERS_DRUGS, (verb + 1).max(at.saturating_sub(OWNED_WITHIN))..at);
        (is_tablet && (from..at).any(|verb| takes(verb) && is_others(verb))).then_some(Span { first: at, last: at + 1 })
    };
    let span = drugs.chain((0..tokens.len()).filter_map(tablets)).find(is_told)?;
    Some(Named { span, entity, class: Class::Condition })
}

/// Whether a grown-up did what is told at a token: he stands right before it, or, behind "and", his clause begins with him ("my wife has a 3 year old and
/// swallowed her levothyroxine").
fn is_of_grown_up(tokens: &[Token], begin: usize, at: usize) -> bool {
    let person = |at: usize| PEOPLE.at(tokens, at).map(|found| found.means);
    let word = |at: usize| word(tokens, at);
    let before = (begin..at).rev().find(|before| !WORDS.between.has(word(*before)));
    match before {
        Some(and) if word(and) == "and" => (begin..and).find_map(person) == Some(false),
        Some(who) => person(who) == Some(false),
        None => false,
    }
}

/// Whether a clause tells of a grown-up who is not merely the owner of something, and of no child: 奶奶误服了华法林; not 我女儿把奶奶的华法林误服了.
fn tells_of_grown_up_alone(tokens: &[Token], clause: &Range<usize>) -> bool {
    let people: Vec<_> = clause.clone().filter_map(|at| PEOPLE.at(tokens, at)).collect();
    let owns = |last: usize| tokens.get(last).is_some_and(|next| next.text == "的");
    people.iter().any(|person| !person.means && !owns(person.last)) && !people.iter().any(|person| person.means)
}

/// Whether a meal is meant, beside which the drug is taken: "she had eaten before her amoxicillin".
fn is_meal(tokens: &[Token], at: usize, drug: usize) -> bool {
    let word = |at: usize| word(tokens, at);
    matches!(word(at), "ate" | "eaten" | "has")
        && (drug.saturating_sub(2).max(at + 1)..drug).any(|at| matches!(word(at), "with" | "after" | "before"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;
    use crate::text::tokenise;

    #[test]
    fn the_list_is_valid() {
        toml::from_str::<Words>(include_str!("../../../assets/swallowed.toml")).expect("valid");
    }

    #[test]
    fn tablets_without_a_name_are_swallowed_where_they_are_somebody_elses() {
        let graph = EvolvingGraph::new(std::sync::Arc::new(starter_graph().expect("sound")));
        let told = |text: &str, months: u16| {
            let tokens = tokenise(text);
            swallowed_by_child(&graph, (&tokens, &Layout::of(text, &tokens)), &[], Some(Age { from: months, to: months + 11 })).is_some()
        };
        for text in [
            "took some of grandads heart pills",
            "she swallowed her nan's tablets",
            "my toddler chewed two of my tablets",
            "got into my meds",
        ] {
            assert!(told(text, 24), "{text}");
        }
        for text in [
            "she swallowed her tablet with water",
            "my toddler swallowed her tablet",
            "I took my tablets and she has a fever",
            "he took his medicine",
            "can he have my tablets later",
            "my mum swallowed her tablets",
        ] {
            assert!(!told(text, 24), "{text}");
        }
        assert!(!told("took some of grandads heart pills", 480), "a grown-up");
    }

    #[test]
    fn one_tablet_is_enough_in_a_small_child_and_a_dose_is_none() {
        let graph = EvolvingGraph::new(std::sync::Arc::new(starter_graph().expect("sound")));
        let drug = graph.find("Glipizide").expect("known");
        let told = |text: &str, months: u16| {
            let tokens = tokenise(text);
            let at = tokens.iter().position(|token| token.text == "glipizide").expect("named");
            let named = [Named { span: Span { first: at, last: at + 1 }, entity: drug, class: Class::Drug }];
            swallowed_by_child(&graph, (&tokens, &Layout::of(text, &tokens)), &named, Some(Age { from: months, to: months + 11 })).is_some()
        };
        assert!(told("toddler swallowed one glipizide tablet, seems well", 24));
        assert!(told("he has eaten two of grandad's glipizide", 36));
        assert!(told("she got hold of her gran's glipizide", 12));
        assert!(!told("swallowed one glipizide tablet", 480), "a grown-up takes it");
        assert!(!told("he takes glipizide", 24));
        assert!(told("my toddler took my glipizide", 24) && told("he had one of grandad's glipizide", 24));
        assert!(!told("he took his glipizide", 24) && !told("she had glipizide this morning", 24));
        assert!(!told("I took my glipizide", 24));
        assert!(told("my toddler swallowed my glipizide I take every day", 24));
        assert!(!told("prescribed glipizide, cannot swallow it", 24));
        for now in [
            "my toddler swallowed my glipizide can he die",
            "my toddler swallowed my glipizide what should I give her",
            "she swallowed my prescribed glipizide",
            "I think my daughters swallowed my glipizide",
            "My 2 year old swallowed my glipizide. I was put on it 3 months ago.",
            "she swallowed a glipizide that I started 3 months ago",
        ] {
            assert!(told(now, 24), "{now}");
        }
        assert!(!told("has he eaten before his glipizide", 24));
        for other in [
            "my wife has a 3 year old and swallowed her glipizide with coffee",
            "I have a 2 year old and I swallowed my glipizide",
            "my dad swallowed his glipizide",
            "he swallowed his daily glipizide as usual",
            "2 years ago my son, who is 5, swallowed one glipizide",
            "she swallowed the glipizide the doctor gave her",
        ] {
            assert!(!told(other, 36), "{other}");
        }
        assert!(told("I left the room and my son swallowed a glipizide", 36));
        assert!(told("my son climbed up and swallowed a glipizide", 36));
    }
}
