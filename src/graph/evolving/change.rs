//! Learning and unlearning of triples in the DKG: resolves names to the graph's numbers and changes its rows.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::order::first_from;
use super::pages::RowChange;
use super::{EvolvingGraph, NewEntity, PORTION};
use crate::graph::entity::{EntityId, RelationId};
use crate::graph::named::{LearnedTriple, NamedEntity, NamedRelation, NamedTriple};
use crate::graph::qualifiers::Qualifiers;
use crate::graph::role::Relation;
use crate::graph::store::{Edge, Triple};
use crate::graph::view::Direction;

/// Many learned triples, with tables of their entities and relation types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LearnedTable {
    /// The entities.
    pub entities: Vec<NamedEntity>,
    /// The relation types.
    pub relations: Vec<NamedRelation>,
    /// Head, relation and tail as indices into these tables, and the number of the record that taught the triple.
    pub triples: Vec<(u32, u16, u32, u64)>,
    /// The qualifiers of those triples that have any, by index.
    pub qualifiers: BTreeMap<u32, Qualifiers>,
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
            if !learned.triple.qualifiers.is_empty() {
                table.qualifiers.insert(table.triples.len() as u32, learned.triple.qualifiers.clone());
            }
            // `EvolvingGraph::learn` rejects relation types beyond the limit.
            table.triples.push((head, u16::try_from(relation).unwrap_or(u16::MAX), tail, learned.record));
        }
        table
    }
}

impl LearnedTable {
    /// The triples by name, without those that refer outside the table.
    pub fn iter(&self) -> impl Iterator<Item = LearnedTriple> + '_ {
        (0..).zip(&self.triples).filter_map(|(place, (head, relation, tail, record))| {
            let triple = NamedTriple {
                head: self.entities.get(*head as usize)?.clone(),
                relation: self.relations.get(usize::from(*relation))?.clone(),
                tail: self.entities.get(*tail as usize)?.clone(),
                qualifiers: self.qualifiers.get(&place).cloned().unwrap_or_default(),
            };
            Some(LearnedTriple { triple, record: *record })
        })
    }
}

/// The counts of a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChangeCounts {
    /// Triples that were learned.
    pub learned: usize,
    /// Triples that the base graph states, or that were learned before.
    pub known: usize,
    /// Triples that were unlearned.
    pub unlearned: usize,
    /// Triples beyond the limits: a graph has at most 65,535 relation types and about four thousand million entities.
    pub no_room: usize,
}

impl EvolvingGraph {
    /// Adds learned triples. A name refers to an entity of the base graph, or one learned before, with that name or alias, preferably of the
    /// same kind; otherwise it adds an entity.
    pub fn learn(&mut self, table: &LearnedTable) -> ChangeCounts {
        let mut changed = ChangeCounts::default();
        let entities = self.entities_of(&table.entities);
        let relations: Vec<Option<RelationId>> = table.relations.iter().map(|relation| self.relation_of(relation)).collect();
        let mut triples = Vec::with_capacity(table.triples.len());
        for (place, (head, relation, tail, record)) in (0u32..).zip(&table.triples) {
            let entity = |at: &u32| entities.get(*at as usize).copied().flatten();
            let relation = relations.get(usize::from(*relation)).copied().flatten();
            match (entity(head), relation, entity(tail)) {
                (Some(head), Some(relation), Some(tail)) => triples.push((Triple { head, relation, tail }, *record, place)),
                _ => changed.no_room += 1,
            }
        }
        triples.sort_unstable();
        let mut new = Vec::with_capacity(triples.len());
        let mut repeats: BTreeMap<Triple, u32> = BTreeMap::new();
        let edge = |triple: &Triple| Edge::new(triple.tail, triple.relation);
        let mut qualified = Vec::new();
        for (triple, record, place) in triples {
            let of_base = self.base.outgoing(triple.head).binary_search(&edge(&triple)).is_ok();
            let before = new.last().is_some_and(|(last, _)| *last == triple) || self.records.get(triple).is_some();
            if before {
                *repeats.entry(triple).or_default() += 1;
            }
            if of_base || before {
                changed.known += 1;
            } else {
                new.push((triple, record));
                qualified.extend(table.qualifiers.get(&place).map(|qualifiers| (triple, qualifiers.clone())));
            }
        }
        if !repeats.is_empty() {
            let known = Arc::make_mut(&mut self.repeats);
            repeats.into_iter().for_each(|(triple, times)| *known.entry(triple).or_default() += times);
        }
        if !qualified.is_empty() {
            Arc::make_mut(&mut self.qualified).extend(qualified);
        }
        changed.learned = new.len();
        self.learned += new.len();
        self.change_rows(new.into_iter().map(|(triple, record)| (triple, Some(record))).collect());
        changed
    }

    /// Removes learned triples; those of the base graph stay. A triple that was learned twice must be removed twice.
    pub fn unlearn<'a>(&mut self, triples: impl IntoIterator<Item = &'a NamedTriple>) -> ChangeCounts {
        let mut gone: BTreeSet<Triple> = BTreeSet::new();
        for triple in triples {
            let (head, tail) = (self.resolve(&triple.head), self.resolve(&triple.tail));
            let relation = self.relations.iter().position(|known| known.name == triple.relation.name);
            let (Some(head), Some(relation), Some(tail)) = (head, relation, tail) else { continue };
            let triple = Triple { head, relation: RelationId(relation as u16), tail };
            if self.record_of(triple).is_none() || gone.contains(&triple) {
                continue;
            }
            if self.repeats.contains_key(&triple) {
                let repeats = Arc::make_mut(&mut self.repeats);
                if let Some(times) = repeats.get_mut(&triple) {
                    *times -= 1;
                    if *times == 0 {
                        repeats.remove(&triple);
                    }
                }
            } else {
                gone.insert(triple);
            }
        }
        self.learned -= gone.len();
        if gone.iter().any(|triple| self.qualified.contains_key(triple)) {
            Arc::make_mut(&mut self.qualified).retain(|triple, _| !gone.contains(triple));
        }
        let changed = ChangeCounts { unlearned: gone.len(), ..ChangeCounts::default() };
        self.change_rows(gone.into_iter().map(|triple| (triple, None)).collect());
        changed
    }

    /// Adds triples (`Some` record) to the rows of both ends, or removes them (`None`); updates the number of conditions.
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

    /// The entity of the base graph, or learned, to which a name and kind refer; `None` if there is none.
    pub fn resolve(&self, entity: &NamedEntity) -> Option<EntityId> {
        let mut all = self.base.names().lookup_exact(&entity.name);
        all.extend(self.names.of_name(self, &entity.name));
        let kind = entity.kind();
        let nearness = |id: &EntityId| (*self.kind(*id) != kind, self.entity_name(*id) != entity.name, *id);
        all.into_iter().min_by_key(nearness)
    }

    fn entities_of(&mut self, wanted: &[NamedEntity]) -> Vec<Option<EntityId>> {
        let known: Vec<Option<EntityId>> = wanted.par_iter().with_min_len(64).map(|entity| self.resolve(entity)).collect();
        let mut added: Vec<(u32, u32)> = Vec::new();
        let first = self.entity_count();
        let mut all = Vec::with_capacity(known.len());
        for (entity, known) in wanted.iter().zip(known) {
            // An earlier name of this table may be the same name in another spelling.
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
            let relation = Relation { name, display, inverse: String::new(), role, player, guessed: false, inherits: role.inherits() };
            Arc::make_mut(&mut self.relations).push(relation);
            let old = self.base.relations();
            let before = old.partition_point(|old| old.name <= wanted.name) as u32;
            let relations = Arc::clone(&self.relations);
            let name = |new: u32| relations.get(old.len() + new as usize).map(|relation| &relation.name);
            Arc::make_mut(&mut self.relation_order).insert(vec![((at - old.len()) as u32, before)], |a, b| name(a).cmp(&name(b)));
        }
        Some(id)
    }
}
