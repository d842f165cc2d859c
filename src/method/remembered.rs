//! What ratings pinned for questions like this one: facts that an answer left out before, with the chains that state them.

use std::collections::BTreeSet;

use super::run_state::Understood;
use crate::dkg::Pin;
use crate::graph::{ChainTable, EntityId, NamedEntity, Role};
use crate::language::Knowledge;
use crate::language::knowledge::named;
use crate::run::{ChainKey, Decided, QuestionKind, Triage, Verdict};

/// The most that is remembered for one question, so that most of its evidence is its own.
const MOST: usize = 8;

/// A chain that a rating pinned.
#[derive(Debug, Clone)]
pub(super) struct Remembered {
    /// The record that pins it.
    pub(super) record: u64,
    pub(super) key: ChainKey,
    /// Of what it says what.
    pub(super) fact: (EntityId, Role, EntityId),
}

/// What is remembered for a question, the latest first.
pub(super) fn for_question(knowledge: &Knowledge, understood: &Understood) -> Vec<Remembered> {
    if knowledge.preferences().pins().is_empty() {
        return Vec::new();
    }
    let linked = understood.anchors.iter().map(|(entity, _)| knowledge.graph.entity_name(*entity).to_owned());
    of_kind(knowledge, &QuestionKind::of(linked.collect(), &understood.case))
}

/// What is remembered for questions of a kind, the latest first.
pub(super) fn of_kind(knowledge: &Knowledge, kind: &QuestionKind) -> Vec<Remembered> {
    let is_meant = |pin: &Pin| pin.linked == kind.linked && pin.asks == kind.asks;
    let pins = knowledge.preferences().pins().iter().rev().filter(|(_, pin)| is_meant(pin));
    let entity = |name: &NamedEntity| named(&knowledge.graph, &name.name, &name.kind);
    let mut seen = BTreeSet::new();
    let mut remembered = Vec::new();
    for (record, chain) in pins.flat_map(|(record, pin)| pin.chains.iter().map(move |chain| (*record, chain))) {
        let key = ChainKey { entities: chain.entities.clone(), relations: chain.relations.clone() };
        if remembered.len() == MOST || !seen.insert(key.clone()) {
            continue;
        }
        let fact = entity(chain.fact.owner()).zip(entity(chain.fact.player()));
        // What nobody accepted, or somebody took back, is not remembered.
        let role = chain.fact.relation.role;
        let states = |(owner, player): &(EntityId, EntityId)| knowledge.facts().states(*owner, *player, |stated| stated == role);
        let Some((owner, player)) = fact.filter(states) else { continue };
        remembered.push(Remembered { record, key, fact: (owner, role, player) });
    }
    remembered
}

/// Pins what is remembered, as far as it was found and the doctor does not keep it out; at most half of the `top_k` places are for it.
pub(super) fn pin(remembered: &[Remembered], table: &ChainTable, top_k: usize, decided: &mut Decided) {
    if remembered.is_empty() {
        return;
    }
    let pinned = Triage { pinned: remembered.iter().map(|one| one.key.clone()).collect(), ..Triage::default() };
    let verdicts = pinned.verdicts(table);
    let may_be_kept = |number: &u32| {
        decided.rejected.binary_search(number).is_err() && decided.open.as_ref().is_none_or(|open| open.binary_search(number).is_ok())
    };
    let numbers = (0u32..).zip(&table.chains).filter(|(_, chain)| verdicts.of(chain) == Verdict::Pinned).map(|(number, _)| number);
    let numbers: Vec<u32> = numbers.filter(may_be_kept).take(top_k.div_ceil(2)).collect();
    decided.pinned.extend(numbers);
    decided.pinned.sort_unstable();
    decided.pinned.dedup();
}
