//! Assembles a snapshot from what a [`GraphBuilder`] collected. Entities and relations are numbered in the order of their
//! names, so that "ordered by number" means "ordered by name" everywhere else; triples become compressed rows in both
//! directions.

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::build::{EntityRecord, GraphBuilder, RawTriple};
use super::derive::Derived;
use super::entity::{EntityId, Kind, RelationId};
use super::merge::MergedEntity;
use super::name_index::IndexParts;
use super::qualifiers::Qualifiers;
use super::report::BuildReport;
use super::snapshot::{Section, Snapshot, SnapshotMeta};
use super::store::{Edge, Graph, Triple, TripleKey, far_degree};
use super::view::{Direction, GraphRows};
use crate::text::{fold, sanitise_line};

/// How the report counts an alias that repeats another name.
const REPEATED_ALIAS: &str = "alias that repeats another name of its entity";

/// Adjacency in compressed rows: row `i` is `edges[starts[i]..starts[i + 1]]`, sorted by far end, then relation, each
/// edge once. Row `2e` is what starts at entity `e`, row `2e + 1` what ends at it.
struct Adjacency {
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

pub(super) fn assemble(builder: GraphBuilder, merges: Vec<MergedEntity>, report: &mut BuildReport) -> Graph {
    let GraphBuilder { name, entities, mut kinds, relations, triples, qualified, ambiguous, mut provenance, interned, .. } = builder;
    // Freeing a million names takes a while, so another thread does it.
    rayon::spawn(move || drop(interned));
    let (order, new_entity) = entity_order(&entities, &kinds);
    let relation_order = ranked(relations.len(), |a, b| relations[a].name.cmp(&relations[b].name));
    let new_relation = inverse(&relation_order, relations.len());
    let renumbered: Vec<RawTriple> = triples
        .into_par_iter()
        .map(|(h, r, t)| (new_entity[h as usize], new_relation[usize::from(r)] as u16, new_entity[t as usize]))
        .collect();

    let renumber = |(h, r, t): RawTriple| Triple {
        head: EntityId(new_entity[h as usize]),
        relation: RelationId(new_relation[usize::from(r)] as u16),
        tail: EntityId(new_entity[t as usize]),
    };
    let qualified: Vec<(Triple, Qualifiers)> = qualified.into_iter().map(|(triple, qualifiers)| (renumber(triple), qualifiers)).collect();

    let count = order.len();
    let mut adjacency = adjacency(2 * count, &renumbered);
    adjacency.note_far_degrees();
    report.accepted = adjacency.edges.len() / 2;
    report.duplicates = renumbered.len() - report.accepted;
    let aliases: usize = entities.iter().map(|record| record.aliases.len()).sum();
    let names: Vec<Vec<&str>> = order.par_iter().map(|i| names_of(&entities[*i as usize])).collect();
    let repeated_aliases = aliases + order.len() - names.iter().map(Vec::len).sum::<usize>();
    if repeated_aliases > 0 {
        report.left_out.insert(REPEATED_ALIAS.to_owned(), repeated_aliases);
    }
    provenance.lines = report.lines;
    provenance.duplicates = report.duplicates;
    provenance.rejected.clone_from(&report.rejected_by_reason);
    provenance.left_out.clone_from(&report.left_out);
    let relations: Vec<_> = relation_order.iter().map(|i| relations[*i as usize].clone()).collect();
    let rows = GraphRows::new(&adjacency.starts, &adjacency.edges);
    let stated_kinds: Vec<Option<u16>> = order.iter().map(|i| Some(entities[*i as usize].kind).filter(|kind| *kind != 0)).collect();
    let derived = Derived::of(&rows, &relations, &stated_kinds, &mut kinds);

    let index = IndexParts::of((0..count as u32).into_par_iter().map(EntityId), |entity| names[entity.index()].iter().copied());
    let mut name_starts = vec![0u32];
    name_starts.extend(names.iter().scan(0, |at, names| {
        *at += names.len() as u32;
        Some(*at)
    }));
    let (name_offsets, name_bytes) = texts(names.iter().flatten().copied());
    let record = |i: &u32| &entities[*i as usize];
    let (description_offsets, description_bytes) = optional(texts(order.iter().map(|i| record(i).description.as_str())));
    let (identifier_offsets, identifier_bytes) = optional(texts(order.iter().map(|i| &*record(i).identifier)));

    let meta = SnapshotMeta {
        name,
        entities: count as u64,
        triples: report.accepted as u64,
        names: u64::from(*name_starts.last().unwrap_or(&0)),
        conditions: derived.conditions,
        merges: merges.len() as u64,
        kinds: kinds.iter().map(|kind| kind.as_str().to_owned()).collect(),
        relations,
        ambiguous,
        provenance,
    };
    let mut sections: [Vec<u8>; Section::ALL.len()] = std::array::from_fn(|_| Vec::new());
    let mut put = |section: Section, content: &[u8]| sections[section as usize] = content.to_vec();
    // Writing the metadata as JSON cannot fail: it holds only texts and numbers.
    put(Section::Meta, &serde_json::to_vec(&meta).unwrap_or_default());
    put(Section::NameStarts, bytemuck::cast_slice(&name_starts));
    put(Section::NameOffsets, bytemuck::cast_slice(&name_offsets));
    put(Section::NameBytes, &name_bytes);
    put(Section::Kinds, bytemuck::cast_slice(&derived.kinds));
    put(Section::Flags, &derived.flags);
    put(Section::DescriptionOffsets, bytemuck::cast_slice(&description_offsets));
    put(Section::DescriptionBytes, &description_bytes);
    put(Section::IdentifierOffsets, bytemuck::cast_slice(&identifier_offsets));
    put(Section::IdentifierBytes, &identifier_bytes);
    put(Section::RowStarts, bytemuck::cast_slice(&adjacency.starts));
    put(Section::Edges, bytemuck::cast_slice(&adjacency.edges));
    put(Section::NameMap, &index.map);
    put(Section::KeyStarts, bytemuck::cast_slice(&index.starts));
    put(Section::Postings, bytemuck::cast_slice(&index.postings));
    put(Section::Rarity, bytemuck::cast_slice(&derived.rarity));
    put(Section::Features, bytemuck::cast_slice(&derived.features));
    let qualified = qualifiers_of(&rows, qualified);
    let keys: Vec<TripleKey> = qualified.iter().map(|(triple, _)| TripleKey::of(*triple)).collect();
    let (offsets, bytes) = optional_rows(qualified.iter().map(|(_, qualifiers)| qualifiers));
    put(Section::QualifiedTriples, bytemuck::cast_slice(&keys));
    put(Section::QualifierOffsets, bytemuck::cast_slice(&offsets));
    put(Section::QualifierBytes, &bytes);
    let attributes = || order.iter().map(|i| &record(i).attributes);
    let attributed: Vec<u32> = (0..).zip(attributes()).filter(|(_, held)| !held.is_empty()).map(|(i, _)| i).collect();
    let (offsets, bytes) = optional_rows(attributes().filter(|held| !held.is_empty()));
    put(Section::AttributedEntities, bytemuck::cast_slice(&attributed));
    put(Section::AttributeOffsets, bytemuck::cast_slice(&offsets));
    put(Section::AttributeBytes, &bytes);
    put(Section::Merges, list_of(&merges, &entities).as_bytes());
    Graph::over(Snapshot::assemble(sections), meta)
}

/// Entities in the order of their names (then kinds, then identifiers), and the place of each in that order. Entities without
/// a name were merged into others and are left out.
fn entity_order(entities: &[EntityRecord], kinds: &[Kind]) -> (Vec<u32>, Vec<u32>) {
    let mut order: Vec<u32> = (0..entities.len() as u32).filter(|i| !entities[*i as usize].name.is_empty()).collect();
    let key = |i: u32| {
        let record = &entities[i as usize];
        (&*record.name, kinds[usize::from(record.kind)].as_str(), &*record.identifier, i)
    };
    order.par_sort_unstable_by(|a, b| key(*a).cmp(&key(*b)));
    let places = inverse(&order, entities.len());
    (order, places)
}

fn ranked(count: usize, compare: impl Fn(usize, usize) -> std::cmp::Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by(|a, b| compare(*a as usize, *b as usize));
    order
}

fn inverse(order: &[u32], count: usize) -> Vec<u32> {
    let mut places = vec![u32::MAX; count];
    for (place, i) in (0u32..).zip(order) {
        places[*i as usize] = place;
    }
    places
}

impl Adjacency {
    /// Writes on each edge how many triples its far end takes part in.
    fn note_far_degrees(&mut self) {
        let starts = &self.starts;
        self.edges.par_iter_mut().for_each(|edge| {
            let row = 2 * edge.to.index();
            edge.far_degree = far_degree((starts[row + 2] - starts[row]) as usize);
        });
    }
}

fn adjacency(count: usize, triples: &[RawTriple]) -> Adjacency {
    let edges = || {
        triples.iter().flat_map(|(head, relation, tail)| {
            let edge = |to: &u32| Edge::new(EntityId(*to), RelationId(*relation));
            [(2 * *head as usize, edge(tail)), (2 * *tail as usize + 1, edge(head))]
        })
    };
    let mut starts = vec![0u32; count + 1];
    for (row, _) in edges() {
        starts[row + 1] += 1;
    }
    for i in 0..count {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut rows = vec![Edge::new(EntityId(0), RelationId(0)); starts[count] as usize];
    for (row, edge) in edges() {
        let slot = &mut next[row];
        rows[*slot as usize] = edge;
        *slot += 1;
    }
    // Sort each row and drop repeated edges; later rows move up as earlier ones shrink.
    let mut kept = 0;
    for i in 0..count {
        let (from, to) = (starts[i] as usize, starts[i + 1] as usize);
        rows[from..to].sort_unstable();
        starts[i] = kept as u32;
        for at in from..to {
            if at == from || rows[at] != rows[kept - 1] {
                rows[kept] = rows[at];
                kept += 1;
            }
        }
    }
    starts[count] = kept as u32;
    rows.truncate(kept);
    Adjacency { starts, edges: rows }
}

/// An entity's name, then its aliases without those that fold to a name before them.
fn names_of(record: &EntityRecord) -> Vec<&str> {
    let mut names = vec![&*record.name];
    if record.aliases.is_empty() {
        return names;
    }
    let mut known = HashSet::from([fold(&record.name)]);
    for (alias, _) in &record.aliases {
        let folded = fold(alias);
        if !folded.is_empty() && known.insert(folded) {
            names.push(alias);
        }
    }
    names
}

/// The texts joined, with the offset of each.
fn texts<'a>(texts: impl Iterator<Item = &'a str>) -> (Vec<u64>, Vec<u8>) {
    let mut offsets = vec![0u64];
    let mut bytes = Vec::new();
    for text in texts {
        bytes.extend_from_slice(text.as_bytes());
        offsets.push(bytes.len() as u64);
    }
    (offsets, bytes)
}

/// Qualifiers as texts.
fn optional_rows<'a>(qualifiers: impl Iterator<Item = &'a Qualifiers>) -> (Vec<u64>, Vec<u8>) {
    let stored: Vec<String> = qualifiers.map(Qualifiers::stored).collect();
    optional(texts(stored.iter().map(String::as_str)))
}

/// The qualifiers of each triple that exists, ordered by triple. Those of one triple are merged in the order in which they were stated.
fn qualifiers_of(rows: &GraphRows<'_>, mut stated: Vec<(Triple, Qualifiers)>) -> Vec<(Triple, Qualifiers)> {
    stated.sort_by_key(|(triple, _)| *triple);
    let mut merged: Vec<(Triple, Qualifiers)> = Vec::new();
    for (triple, qualifiers) in stated {
        let edge = Edge::new(triple.tail, triple.relation);
        if rows.row(triple.head, Direction::Out).binary_search(&edge).is_err() {
            continue;
        }
        match merged.last_mut().filter(|(last, _)| *last == triple) {
            Some((_, known)) => known.merge(&qualifiers),
            None => merged.push((triple, qualifiers)),
        }
    }
    merged
}

/// Stores nothing if all texts are empty.
fn optional((offsets, bytes): (Vec<u64>, Vec<u8>)) -> (Vec<u64>, Vec<u8>) {
    if bytes.is_empty() { (Vec::new(), bytes) } else { (offsets, bytes) }
}

fn list_of(merges: &[MergedEntity], entities: &[EntityRecord]) -> String {
    let mut lines: Vec<String> = merges
        .iter()
        .map(|m| {
            let kept: &Arc<str> = &entities[m.kept as usize].name;
            format!("{}\t{}\t{}\t{}\n", sanitise_line(kept), sanitise_line(&m.name), sanitise_line(&m.identifier), m.why)
        })
        .collect();
    lines.sort_unstable();
    lines.concat()
}
