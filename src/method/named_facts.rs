//! Facts that link two entities which the question itself names: what it asks about, whatever else is stated of either.

use super::remembered::Remembered;
use crate::graph::{EntityId, Role};
use crate::language::Knowledge;
use crate::run::{Case, ChainKey, DrugStatus};

/// The entities of a question that are looked at; no question is about more.
const ENTITIES: usize = 24;
/// The most learned facts that are kept for one question, so that most of its evidence is its own.
const MOST: usize = 4;

/// A fact between two entities of a question.
#[derive(Debug, Clone)]
pub(super) struct NamedFact {
    /// Of what it says what.
    pub(super) fact: (EntityId, Role, EntityId),
    /// The record by which it was learned, with its chain; `None` if the graph states it.
    learned: Option<(u64, ChainKey)>,
}

/// The facts between the entities that a question names, in its order.
pub(super) fn of_question(knowledge: &Knowledge, of_question: &[EntityId]) -> Vec<NamedFact> {
    let graph = &knowledge.graph;
    let named = of_question.get(..ENTITIES).unwrap_or(of_question);
    let pairs = named.iter().flat_map(|owner| named.iter().map(move |player| (*owner, *player))).filter(|(owner, player)| owner != player);
    let stated = pairs.flat_map(|(owner, player)| {
        knowledge.facts().triples(owner, player).into_iter().map(move |(role, triple)| ((owner, role, player), triple))
    });
    let key = |triple: crate::graph::Triple| ChainKey {
        entities: [triple.head, triple.tail].map(|end| graph.entity_name(end).to_owned()).to_vec(),
        relations: vec![(graph.relation(triple.relation).name.clone(), true)],
    };
    stated.map(|(fact, triple)| NamedFact { fact, learned: graph.record_of(triple).map(|record| (record, key(triple))) }).collect()
}

/// Those that were learned: somebody taught the very fact, so its chain is kept.
pub(super) fn learned(facts: &[NamedFact]) -> Vec<Remembered> {
    let learned = facts.iter().filter_map(|named| Some((named.fact, named.learned.clone()?)));
    learned.take(MOST).map(|(fact, (record, key))| Remembered { record, key, fact }).collect()
}

/// The uses of drugs that the question considers, which have a place in the lists of the answer, wherever they rank.
pub(super) fn considered(knowledge: &Knowledge, facts: &[NamedFact], case: &Case) -> Vec<(EntityId, Role, EntityId)> {
    let is_considered = |drug: EntityId| {
        let name = knowledge.graph.entity_name(drug);
        case.drugs.iter().any(|known| known.status == DrugStatus::Proposed && known.entity.as_deref() == Some(name))
    };
    let is_use = |role: Role| role.is_treatment() || role == Role::Prevention;
    facts.iter().map(|named| named.fact).filter(|(_, role, player)| is_use(*role) && is_considered(*player)).collect()
}
