//! How well each condition accounts for the question's words.
//!
//! A condition is scored by how well its own name and its features account for the question: each phrase counts by the one of
//! them that it is nearest to (MaxSim of Khattab and Zaharia, *ColBERT*, 2020, Eq. 3, with phrases for tokens), the rarer the feature
//! the more, and of overlapping phrases those are chosen that add up to the most. So a word counts once, however
//! many names or relations say the same of it: neither a well-described condition nor a triple and its inverse count twice.

use std::collections::HashMap;

use super::assess::{Ranking, pull};
use crate::graph::EntityId;
use crate::language::knowledge::Knowledge;
use crate::language::partial_matches::{PartialMatch, PartialMatches, Place};

/// How a phrase's value grows with its words: two words together say more than one, and less than two separate ones.
const WORDS: f32 = 0.6;
/// The value of a condition's own name, against 1 for a feature that no other condition has.
const OWN_NAME: f64 = 1.5;
/// From this force on, a phrase counts as the name itself.
const EXACT: f32 = 0.85;
/// The factor for a condition's own name if the words are a finding's name: "fever" means *Fever*, and *Scarlet fever* merely
/// contains the word.
const LIKE_A_FINDING: f32 = 0.5;
/// The least account that is believed if no name of the graph links: non-medical text also comes near to some names.
const TRUSTED: f64 = 0.5;

/// What the words `first..last` say for a condition.
#[derive(Debug, Clone, Copy)]
struct Said {
    condition: EntityId,
    first: usize,
    last: usize,
    value: f32,
}

/// How well each condition accounts for the question's words, as a share of the best account; empty if even
/// that is too small to be believed without a `linked` name. `without`: entities that the doctor rejected.
pub(crate) fn accounts(matches: &PartialMatches, knowledge: &Knowledge, linked: bool, without: impl Fn(EntityId) -> bool) -> Ranking {
    let said = said(matches, knowledge, without);
    let mut accounts: Ranking = Vec::new();
    let mut best_up_to = vec![0f32; matches.words + 1];
    for of_condition in said.chunk_by(|a, b| a.condition == b.condition) {
        accounts.push((of_condition[0].condition, f64::from(account(of_condition, &mut best_up_to))));
    }
    let best = accounts.iter().map(|(_, account)| *account).fold(0.0, f64::max);
    if best <= 0.0 || (!linked && best < TRUSTED) {
        return Ranking::new();
    }
    accounts.into_iter().map(|(condition, account)| (condition, account / best)).collect()
}

/// What each phrase says for each condition: the best of the names near to it. Sorted by condition, then by last word.
fn said(matches: &PartialMatches, knowledge: &Knowledge, without: impl Fn(EntityId) -> bool) -> Vec<Said> {
    let facts = knowledge.facts();
    let greatest = knowledge.greatest_rarity();
    let mut of_entity: HashMap<EntityId, Vec<(EntityId, f32)>> = HashMap::new();
    let mut said = Vec::new();
    let finding = |hint: &&PartialMatch| hint.force >= EXACT && knowledge.is_finding(hint.entity);
    let said_exactly: Vec<Place> = matches.all.iter().filter(finding).map(|hint| hint.place).collect();
    for hint in matches.all.iter().filter(|hint| hint.force > 0.0 && !without(hint.entity)) {
        let Place { first, last, words } = hint.place;
        let is_said_otherwise = hint.force < EXACT && said_exactly.iter().any(|place| place.first <= first && last <= place.last);
        let force = hint.force * (words as f32).powf(WORDS);
        let speaks_for = of_entity.entry(hint.entity).or_insert_with(|| {
            let rarity = (knowledge.rarity(hint.entity) / greatest).clamp(0.0, 1.0);
            let owners = facts.owners(hint.entity);
            let owners = owners.iter().filter(|fact| knowledge.is_condition(fact.other));
            let of_owners = owners.map(|fact| (fact.other, (rarity * pull(fact.role)) as f32)).filter(|(_, weight)| *weight > 0.0);
            let own = knowledge.is_condition(hint.entity).then_some((hint.entity, OWN_NAME as f32));
            of_owners.chain(own).collect()
        });
        said.extend(speaks_for.iter().map(|(condition, weight)| {
            let only_like_it = is_said_otherwise && *condition == hint.entity;
            let weight = weight * if only_like_it { LIKE_A_FINDING } else { 1.0 };
            Said { condition: *condition, first, last, value: force * weight }
        }));
    }
    said.sort_unstable_by(|a, b| {
        (a.condition, a.last, a.first).cmp(&(b.condition, b.last, b.first)).then_with(|| b.value.total_cmp(&a.value))
    });
    said.dedup_by_key(|said| (said.condition, said.first, said.last));
    said
}

/// The greatest sum of phrases about one condition that share no word. `said`: sorted by last word; `best_up_to`: scratch space for
/// one value per word and one more.
fn account(said: &[Said], best_up_to: &mut [f32]) -> f32 {
    let Some((begin, end)) = said.iter().map(|said| said.first).min().zip(said.last().map(|said| said.last)) else { return 0.0 };
    best_up_to[begin] = 0.0;
    let mut ending_here = said.iter().peekable();
    for word in begin + 1..=end {
        let mut best = best_up_to[word - 1];
        while let Some(phrase) = ending_here.next_if(|said| said.last == word) {
            best = best.max(best_up_to[phrase.first] + phrase.value);
        }
        best_up_to[word] = best;
    }
    best_up_to[end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, RoleRules};
    use crate::model::EncoderHandle;
    use crate::model::infer::StaticEncoder;

    fn knowledge(triples: &[(&str, &str, &str)]) -> Knowledge {
        let rules = RoleRules::built_in().expect("rules");
        let mut builder = GraphBuilder::new("t");
        for (head, relation, tail) in triples {
            let relation = builder.relation(rules.guess(relation)).expect("room");
            let (head, tail) = (builder.entity(head), builder.entity(tail));
            builder.triple(head, relation, tail);
        }
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        Knowledge::prepare(builder.finish(), &encoder).expect("opens")
    }

    /// Accounts of conditions, best first; matches as (first word, one past the last, name, cosine) over six words of content.
    fn accounts(knowledge: &Knowledge, linked: bool, near: &[(usize, usize, &str, f64)]) -> Vec<(String, f64)> {
        let mut matches = PartialMatches::new(6);
        for (first, last, name, cosine) in near {
            let place = Place { first: *first, last: *last, words: last - first };
            matches.take(place, knowledge.graph.base().find(name).expect("is there"), *cosine, 0.5);
        }
        let mut accounts = super::accounts(&matches, knowledge, linked, |_| false);
        accounts.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        accounts.into_iter().map(|(condition, account)| (knowledge.graph.entity_name(condition).to_owned(), account)).collect()
    }

    #[test]
    fn a_condition_with_four_of_the_complaints_beats_a_hub() {
        let mut triples = vec![("Sinusitis", "has_symptom", "blocked nose"), ("Sinusitis", "has_symptom", "face ache")];
        triples.extend([("Sinusitis", "has_symptom", "cough"), ("Sinusitis", "has_symptom", "loss of smell")]);
        let others: Vec<String> = (0..60).map(|i| format!("complaint{i}")).collect();
        triples.extend(others.iter().map(|other| ("Hub", "has_symptom", other.as_str())));
        triples.extend([("Hub", "has_symptom", "cough"), ("Hub", "has_symptom", "face ache")]);
        let near = [(0, 1, "cough", 0.9), (1, 3, "blocked nose", 0.75), (3, 4, "face ache", 0.8), (4, 6, "loss of smell", 0.7)];
        let accounts = accounts(&knowledge(&triples), true, &near);
        assert_eq!((accounts[0].0.as_str(), accounts[0].1), ("Sinusitis", 1.0));
        assert!(accounts[1].1 < 0.8, "{accounts:?}");
    }

    #[test]
    fn inverse_and_repeated_relations_say_a_thing_once() {
        let once =
            [("A", "has_symptom", "cough"), ("B", "has_symptom", "cough"), ("B", "has_sign", "cough"), ("cough", "possible_disease", "B")];
        let accounts = accounts(&knowledge(&once), true, &[(0, 1, "cough", 0.9)]);
        assert_eq!(accounts.iter().map(|(_, account)| *account).collect::<Vec<_>>(), [1.0, 1.0]);
    }

    #[test]
    fn a_word_counts_once_however_many_phrases_have_it() {
        let triples = [
            ("A", "has_symptom", "cough"),
            ("A", "has_symptom", "dry cough"),
            ("B", "has_symptom", "dry cough"),
            ("B", "has_symptom", "chills"),
        ];
        let knowledge = knowledge(&triples);
        let apart = accounts(
            &knowledge,
            true,
            &[(0, 1, "cough", 0.95), (0, 2, "dry cough", 0.95), (1, 2, "dry cough", 0.9), (3, 4, "chills", 0.9)],
        );
        assert_eq!(apart[0].0, "B", "{apart:?}");
    }

    #[test]
    fn a_weak_likeness_is_believed_only_beside_a_linked_name() {
        let knowledge = knowledge(&[("Flu", "has_symptom", "shivering")]);
        assert!(accounts(&knowledge, false, &[(0, 1, "shivering", 0.7)]).is_empty());
        assert_eq!(accounts(&knowledge, true, &[(0, 1, "shivering", 0.7)]).len(), 1);
        assert_eq!(accounts(&knowledge, false, &[(0, 3, "Flu", 0.95)]).len(), 1);
    }

    #[test]
    fn a_condition_whose_name_has_the_findings_word_is_not_said_by_the_finding() {
        let graph = knowledge(&[
            ("Influenza", "has_symptom", "Fever"),
            ("Scarlet fever", "has_symptom", "Rash"),
            ("Other", "has_symptom", "Cough"),
        ]);
        let exactly = accounts(&graph, true, &[(0, 1, "Fever", 1.0), (0, 1, "Scarlet fever", 0.85)]);
        assert_eq!(exactly[0].0, "Influenza", "{exactly:?}");
        let nearly = accounts(&graph, true, &[(0, 1, "Fever", 0.8), (0, 1, "Scarlet fever", 0.85)]);
        assert_eq!(nearly[0].0, "Scarlet fever", "{nearly:?}");
    }
}
