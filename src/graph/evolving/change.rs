//! Learning and unlearning: triples by name become numbers of this graph.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::order::first_from;
use super::pages::RowChange;
use super::{EvolvingGraph, NewEntity, PORTION};
use crate::graph::entity::{EntityId, RelationId};
use crate::graph::named::{LearnedTriple, NamedEntity, NamedRelation, NamedTriple};
use crate::graph::role::Relation;
use crate::graph::store::{Edge, Triple};
use crate::graph::view::Direction;

/// Many learned triples, with tables of what occurs in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LearnedTable {
    /// The entities.
    pub entities: Vec<NamedEntity>,
    /// The relation types.
    pub relations: Vec<NamedRelation>,
    /// Head, relation and tail as places in these, and the record by which the triple was learned.
    pub triples: Vec<(u32, u16, u32, u64)>,
}

impl LearnedTable {
    /// The table of some triples.
    pub fn of(triples: &[LearnedTriple]) -> Self {
        let mut table = Self::default();
        let (mut entities, mut relations) = (HashMap::new(), HashMap::new());
        for learned in triples {
            let mut place = |entity: &NamedEntity| {
                *entities.entry(entity.clone()).or_insert_with(|| {
                    table.entities.push(entity.clone());
                    table.entities.len() as u32 - 1
                })
            };
            let (head, tail) = (place(&learned.triple.head), place(&learned.triple.tail));
            let relation = *relations.entry(learned.triple.relation.clone()).or_insert_with(|| {
                table.relations.push(learned.triple.relation.clone());
                table.relations.len() - 1
            });
            // More relation types than a graph has room for are turned away when the table is taken in.
            table.triples.push((head, u16::try_from(relation).unwrap_or(u16::MAX), tail, learned.record));
        }
        table
    }
}

impl LearnedTable {
    /// The triples by name; those that refer outside the table are left out.
    pub fn iter(&self) -> impl Iterator<Item = LearnedTriple> + '_ {
        self.triples.iter().filter_map(|(head, relation, tail, record)| {
            let triple = NamedTriple {
                head: self.entities.get(*head as usize)?.clone(),
                relation: self.relations.get(usize::from(*relation))?.clone(),
                tail: self.entities.get(*tail as usize)?.clone(),
            };
            Some(LearnedTriple { triple, record: *record })
        })
    }
}

/// What a change came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changed {
    /// Triples that were learned.
    pub learned: usize,
    /// Triples that the base had, or that were learned before.
    pub known: usize,
    /// Triples that are learned no longer.
    pub unlearned: usize,
    /// Triples that found no room: a graph has 65,536 relation types and four thousand million entities at most.
    pub no_room: usize,
}

impl EvolvingGraph {
    /// Lays triples over the graph. An entity of the base, or one learned before, with that name or alias is the one that is meant, first of
    /// all one of that kind.
    pub fn learn(&mut self, table: &LearnedTable) -> Changed {
        let mut changed = Changed::default();
        let entities = self.entities_of(&table.entities);
        let relations: Vec<Option<RelationId>> = table.relations.iter().map(|relation| self.relation_of(relation)).collect();
        let mut triples = Vec::with_capacity(table.triples.len());
        for (head, relation, tail, record) in &table.triples {
            let entity = |at: &u32| entities.get(*at as usize).copied().flatten();
            let relation = relations.get(usize::from(*relation)).copied().flatten();
            match (entity(head), relation, entity(tail)) {
                (Some(head), Some(relation), Some(tail)) => triples.push((Triple { head, relation, tail }, *record)),
                _ => changed.no_room += 1,
            }
        }
        triples.sort_unstable();
        let mut new = Vec::with_capacity(triples.len());
        let mut again: BTreeMap<Triple, u32> = BTreeMap::new();
        let edge = |triple: &Triple| Edge::new(triple.tail, triple.relation);
        for (triple, record) in triples {
            let of_base = self.base.outgoing(triple.head).binary_search(&edge(&triple)).is_ok();
            let before = new.last().is_some_and(|(last, _)| *last == triple) || self.records.get(triple).is_some();
            if before {
                *again.entry(triple).or_default() += 1;
            }
            if of_base || before {
                changed.known += 1;
            } else {
                new.push((triple, record));
            }
        }
        if !again.is_empty() {
            let known = Arc::make_mut(&mut self.again);
            again.into_iter().for_each(|(triple, times)| *known.entry(triple).or_default() += times);
        }
        changed.learned = new.len();
        self.learned += new.len();
        self.change_rows(new.into_iter().map(|(triple, record)| (triple, Some(record))).collect());
        changed
    }

    /// Takes learned triples away; those of the base stay. What was learned twice goes when it was taken away twice.
    pub fn unlearn<'a>(&mut self, triples: impl IntoIterator<Item = &'a NamedTriple>) -> Changed {
        let mut gone: BTreeSet<Triple> = BTreeSet::new();
        for triple in triples {
            let (head, tail) = (self.meant(&triple.head), self.meant(&triple.tail));
            let relation = self.relations.iter().position(|known| known.name == triple.relation.name);
            let (Some(head), Some(relation), Some(tail)) = (head, relation, tail) else { continue };
            let triple = Triple { head, relation: RelationId(relation as u16), tail };
            if self.record_of(triple).is_none() || gone.contains(&triple) {
                continue;
            }
            if self.again.contains_key(&triple) {
                let again = Arc::make_mut(&mut self.again);
                if let Some(times) = again.get_mut(&triple) {
                    *times -= 1;
                    if *times == 0 {
                        again.remove(&triple);
                    }
                }
            } else {
                gone.insert(triple);
            }
        }
        self.learned -= gone.len();
        let changed = Changed { unlearned: gone.len(), ..Changed::default() };
        self.change_rows(gone.into_iter().map(|triple| (triple, None)).collect());
        changed
    }

    /// Puts triples into both rows, or takes them out; keeps count of the conditions.
    fn change_rows(&mut self, triples: Vec<(Triple, Option<u64>)>) {
        if triples.is_empty() {
            return;
        }
        let mut touched: Vec<EntityId> = triples.iter().flat_map(|(triple, _)| [triple.head, triple.tail]).collect();
        touched.par_sort_unstable();
        touched.dedup();
        let conditions = |graph: &Self| touched.par_iter().with_min_len(256).filter(|entity| graph.is_condition(**entity)).count();
        let before = conditions(self);
        let ends = |(triple, record): &(Triple, Option<u64>)| {
            let comes = record.is_some();
            let end = |of, to, direction| RowChange { of, direction, edge: Edge::new(to, triple.relation), comes };
            [end(triple.head, triple.tail, Direction::Out), end(triple.tail, triple.head, Direction::In)]
        };
        let base = Arc::clone(&self.base);
        self.rows.change(&base.rows(), self.entity_count(), triples.iter().flat_map(ends).collect());
        self.records.change(&triples);
        self.conditions = (self.conditions + conditions(self)).saturating_sub(before);
    }

    /// The entity that a name and kind mean: of the base, or learned; `None` where there is none.
    pub fn meant(&self, entity: &NamedEntity) -> Option<EntityId> {
        let mut all = self.base.names().lookup_exact(&entity.name);
        all.extend(self.names.of_name(self, &entity.name));
        let kind = entity.kind();
        let nearness = |id: &EntityId| (*self.kind(*id) != kind, self.entity_name(*id) != entity.name, *id);
        all.into_iter().min_by_key(nearness)
    }

    fn entities_of(&mut self, wanted: &[NamedEntity]) -> Vec<Option<EntityId>> {
        let known: Vec<Option<EntityId>> = wanted.par_iter().with_min_len(64).map(|entity| self.meant(entity)).collect();
        let mut added: Vec<(u32, u32)> = Vec::new();
        let first = self.entity_count();
        let mut all = Vec::with_capacity(known.len());
        for (entity, known) in wanted.iter().zip(known) {
            // One of the names before may be this one in another spelling.
            let known = known.or_else(|| self.names.of_name(self, &entity.name).into_iter().find(|id| id.index() >= first));
            let Some(id) = known.or_else(|| self.add_entity(entity)) else {
                all.push(None);
                continue;
            };
            if id.index() == first + added.len() {
                let base = Arc::clone(&self.base);
                let standing = first_from(base.entity_count(), |at| base.entity_name(EntityId(at)) > entity.name.as_str());
                added.push((id.0 - base.entity_count() as u32, standing));
            }
            all.push(Some(id));
        }
        if !added.is_empty() {
            let mut order = Arc::clone(&self.entity_order);
            let offset = self.base.entity_count() as u32;
            let name = |new: u32| (self.entity_name(EntityId(offset + new)), new);
            Arc::make_mut(&mut order).insert(added, |a, b| name(a).cmp(&name(b)));
            self.entity_order = order;
        }
        all
    }

    fn add_entity(&mut self, entity: &NamedEntity) -> Option<EntityId> {
        let id = u32::try_from(self.entity_count()).ok().filter(|id| *id < u32::MAX).map(EntityId)?;
        let new = NewEntity { name: entity.name.clone(), kind: entity.kind() };
        match self.entities.last_mut().filter(|last| last.len() < PORTION) {
            Some(last) => Arc::make_mut(last).push(new),
            None => self.entities.push(Arc::new(vec![new])),
        }
        self.names.insert(&entity.name, id);
        Some(id)
    }

    fn relation_of(&mut self, wanted: &NamedRelation) -> Option<RelationId> {
        let known = self.relations.iter().position(|known| known.name == wanted.name);
        let at = known.unwrap_or(self.relations.len());
        let id = u16::try_from(at).ok().filter(|id| *id < u16::MAX).map(RelationId)?;
        if known.is_none() {
            let display = wanted.name.replace('_', " ");
            let NamedRelation { name, player, role } = wanted.clone();
            Arc::make_mut(&mut self.relations).push(Relation { name, display, inverse: String::new(), role, player, guessed: false });
            let old = self.base.relations();
            let before = old.partition_point(|old| old.name <= wanted.name) as u32;
            let relations = Arc::clone(&self.relations);
            let name = |new: u32| relations.get(old.len() + new as usize).map(|relation| &relation.name);
            Arc::make_mut(&mut self.relation_order).insert(vec![((at - old.len()) as u32, before)], |a, b| name(a).cmp(&name(b)));
        }
        Some(id)
    }
}
