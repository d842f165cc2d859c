//! Merges collected records of the same entity.
//!
//! - The same name after folding (case, width, punctuation) and the same kind: one entity. An unknown kind matches any
//!   other, as long as the name has only one.
//! - The same name and different kinds: homonyms, which stay separate.
//! - An exact synonym that is another entity's name, of the same kind: one entity.
//! - The source itself separates two entities by giving both an identifier of one namespace (`DOID:1`, `DOID:2`). They never
//!   become one entity, whatever they are called, nor by way of a third. A name that they share leads to neither.
//!
//! Every merge is recorded with its reason and can be listed. petgraph's `UnionFind` keeps the groups.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use petgraph::unionfind::UnionFind;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::build::{EntityRecord, GraphBuilder, Synonymy};
use super::report::BuildReport;
use crate::text::fold;

/// An entry of the list of merges: the number of the entity that stays, the name and identifier of the merged one, and the reason.
pub(super) struct MergedEntity {
    pub(super) kept: u32,
    pub(super) name: Arc<str>,
    pub(super) identifier: Arc<str>,
    pub(super) why: &'static str,
}

/// How the report counts a triple whose two ends were merged into one entity.
const COLLAPSED: &str = "triple between two names of one entity";
const SAME_NAME: &str = "same name";
const SYNONYM: &str = "exact synonym";

/// Merges the records of the same entity. Merged records keep their place in the builder with an empty name; no triple
/// refers to them afterwards.
pub(super) fn merge(builder: &mut GraphBuilder, report: &mut BuildReport) -> Vec<MergedEntity> {
    for record in &mut builder.entities {
        if record.name.is_empty() {
            record.name = Arc::clone(&record.identifier);
        }
    }
    let mut groups = EntityGroups::new(builder.entities.len());
    let mut reasons: HashMap<u32, &'static str> = HashMap::new();
    let mut shared_names = HashSet::new();
    // Names whose folded forms are equal have equal hashes. Equal hashes are confirmed by comparing the names.
    let hashes: Vec<u64> = builder.entities.par_iter().map(|record| hash_of(&record.name)).collect();
    let mut order: Vec<u32> = (0..hashes.len() as u32).filter(|i| hashes[*i as usize] != 0).collect();
    order.par_sort_unstable_by_key(|i| (hashes[*i as usize], *i));

    for group in order.chunk_by(|a, b| hashes[*a as usize] == hashes[*b as usize]).filter(|g| g.len() > 1) {
        unite_equal_names(&builder.entities, group, &mut groups, &mut reasons, &mut shared_names);
    }
    let pairs = synonym_pairs(builder, &hashes, &order, &shared_names);
    for (a, b) in pairs {
        groups.unite(&builder.entities, a, b, SYNONYM, &mut reasons);
    }
    apply(builder, &mut groups, &reasons, report)
}

/// The hash of a folded name; 0 if the folded name is empty.
fn hash_of(name: &str) -> u64 {
    let folded = fold(name);
    if folded.is_empty() { 0 } else { xxh3_64(folded.as_bytes()).max(1) }
}

/// A name that entities of one namespace share: its folded form and the kind.
type SharedNames = HashSet<(String, u16)>;

fn unite_equal_names(
    entities: &[EntityRecord],
    group: &[u32],
    groups: &mut EntityGroups,
    reasons: &mut HashMap<u32, &'static str>,
    shared: &mut SharedNames,
) {
    // By folded name and kind. Kind 0 is unknown.
    let mut named: BTreeMap<String, BTreeMap<u16, Vec<u32>>> = BTreeMap::new();
    for i in group {
        let record = &entities[*i as usize];
        named.entry(fold(&record.name)).or_default().entry(record.kind).or_default().push(*i);
    }
    for (folded, by_kind) in named {
        // An unknown kind is that of the others, if they have only one.
        let may_join = by_kind.len() == 2 && by_kind.contains_key(&0);
        let everyone: Vec<u32> = by_kind.values().flatten().copied().collect();
        if may_join && !has_separated(entities, &everyone) {
            groups.unite_all(entities, &everyone, reasons);
            continue;
        }
        for (kind, members) in by_kind {
            if has_separated(entities, &members) {
                let nameless: Vec<u32> = members.into_iter().filter(|i| namespace(&entities[*i as usize]).is_none()).collect();
                groups.unite_all(entities, &nameless, reasons);
                shared.insert((folded.clone(), kind));
            } else {
                groups.unite_all(entities, &members, reasons);
            }
        }
    }
}

/// Whether the source separates any two of these entities.
fn has_separated(entities: &[EntityRecord], members: &[u32]) -> bool {
    let mut known = HashSet::new();
    members.iter().filter_map(|i| namespace(&entities[*i as usize])).any(|namespace| !known.insert(namespace))
}

/// Entities with the entities whose names are exact synonyms of theirs. Ordered by names and identifiers, because of two pairs that exclude
/// each other the first counts.
fn synonym_pairs(builder: &GraphBuilder, hashes: &[u64], order: &[u32], shared: &SharedNames) -> Vec<(u32, u32)> {
    let key = |i: u32| (hashes[i as usize], builder.entities[i as usize].kind);
    let mut candidates: Vec<u32> = Vec::new();
    let mut pairs = Vec::new();
    for (i, record) in (0u32..).zip(&builder.entities) {
        for (alias, _) in record.aliases.iter().filter(|(_, synonymy)| *synonymy == Synonymy::Exact) {
            if candidates.is_empty() {
                candidates = representatives(builder, hashes, order);
            }
            let wanted = (hash_of(alias), record.kind);
            let from = candidates.partition_point(|o| key(*o) < wanted);
            for other in candidates[from..].iter().copied().take_while(|o| key(*o) == wanted) {
                let named = &builder.entities[other as usize];
                if other == i || separated_by_source(record, named) {
                    continue;
                }
                let folded = fold(alias);
                if folded == fold(&named.name) && !shared.contains(&(folded, record.kind)) {
                    pairs.push((i, other));
                }
            }
        }
    }
    let place = |i: u32| (&builder.entities[i as usize].name, &builder.entities[i as usize].identifier, i);
    pairs.sort_by(|a, b| (place(a.0), place(a.1)).cmp(&(place(b.0), place(b.1))));
    pairs
}

/// The candidates for a merge by synonym. Entities of one name and kind are merged already; of each such group this returns only
/// as many as show whether any of them is not [`separated_by_source`] from another entity: one without an identifier, or the first two of
/// different series. Comparing all of them would take quadratic time if thousands share a name. Sorted by hash of the name, then kind.
fn representatives(builder: &GraphBuilder, hashes: &[u64], order: &[u32]) -> Vec<u32> {
    let record = |i: u32| &builder.entities[i as usize];
    let mut chosen: Vec<u32> = Vec::with_capacity(order.len());
    for named in order.chunk_by(|a, b| hashes[*a as usize] == hashes[*b as usize]) {
        if let [only] = named {
            chosen.push(*only);
            continue;
        }
        let mut named = named.to_vec();
        named.sort_by_key(|i| record(*i).kind);
        for group in named.chunk_by(|a, b| record(*a).kind == record(*b).kind) {
            // Holds more than one name only if hashes collide.
            let mut by_name: HashMap<String, Vec<u32>> = HashMap::new();
            for i in group.iter().copied() {
                let known = by_name.entry(fold(&record(i).name)).or_default();
                let same_series = known.iter().any(|o| separated_by_source(record(*o), record(i)));
                let settled = known.iter().any(|o| record(*o).identifier.is_empty());
                if !settled && (record(i).identifier.is_empty() || known.len() < 2 && !same_series) {
                    known.push(i);
                    chosen.push(i);
                }
            }
        }
    }
    chosen
}

/// Whether the source itself separates two entities: both have an identifier of the same namespace.
fn separated_by_source(a: &EntityRecord, b: &EntityRecord) -> bool {
    namespace(a).is_some() && namespace(a) == namespace(b)
}

/// Under it, IRIs of many ontologies stand side by side: `…/obo/DOID_1`, `…/obo/HP_2`.
const OBO_IRIS: &str = "http://purl.obolibrary.org/obo/";

/// The namespace of an entity's identifier: what stands before its last part, or nothing if it has one part. `None` if it has no
/// identifier; blank nodes of RDF have none, because their labels mean nothing outside their file.
fn namespace(record: &EntityRecord) -> Option<&str> {
    let identifier = &*record.identifier;
    if identifier.is_empty() || identifier.starts_with("_:") {
        return None;
    }
    let parts = if identifier.starts_with(OBO_IRIS) { identifier.rsplit_once('_') } else { identifier.rsplit_once([':', '/', '#']) };
    Some(parts.map_or("", |(namespace, _)| namespace))
}

/// Moves names, kinds and triples of merged entities to those that stay, and counts.
fn apply(
    builder: &mut GraphBuilder,
    groups: &mut EntityGroups,
    reasons: &HashMap<u32, &'static str>,
    report: &mut BuildReport,
) -> Vec<MergedEntity> {
    if reasons.is_empty() {
        return Vec::new();
    }
    let mut of_group: HashMap<u32, Vec<u32>> = HashMap::new();
    for i in 0..builder.entities.len() as u32 {
        let head = groups.find(i);
        if head != i {
            of_group.entry(head).or_insert_with(|| vec![head]).push(i);
        }
    }
    let mut degree: HashMap<u32, usize> = of_group.values().flatten().map(|i| (*i, 0)).collect();
    for (head, _, tail) in &builder.triples {
        for end in [head, tail] {
            if let Some(degree) = degree.get_mut(end) {
                *degree += 1;
            }
        }
    }
    let mut target: HashMap<u32, u32> = HashMap::new();
    let mut merges = Vec::new();
    let mut all: Vec<Vec<u32>> = of_group.into_values().collect();
    all.sort_unstable();
    for mut members in all {
        // The spelling that most triples use stays; among equals the first by name, so the order of lines does not matter.
        let record = |i: &u32| &builder.entities[*i as usize];
        let mut uses: HashMap<Arc<str>, usize> = HashMap::new();
        for i in &members {
            *uses.entry(Arc::clone(&record(i).name)).or_default() += degree[i];
        }
        members.sort_by_cached_key(|i| {
            let EntityRecord { name, identifier, .. } = record(i);
            (Reverse(uses[name]), Arc::clone(name), Reverse(degree[i]), Arc::clone(identifier), *i)
        });
        let kept = members[0];
        let identifiers = joined(members.iter().map(|i| &builder.entities[*i as usize].identifier));
        builder.entities[kept as usize].identifier = identifiers;
        for merged in &members[1..] {
            target.insert(*merged, kept);
            let taken = std::mem::take(&mut builder.entities[*merged as usize]);
            let why = reasons.get(merged).or_else(|| reasons.get(&kept)).copied().unwrap_or(SAME_NAME);
            merges.push(MergedEntity { kept, name: Arc::clone(&taken.name), identifier: Arc::clone(&taken.identifier), why });
            absorb(&mut builder.entities[kept as usize], taken);
        }
    }
    let stated = builder.triples.len();
    builder.triples.retain_mut(|(head, _, tail)| {
        let was_loop = head == tail;
        *head = target.get(head).copied().unwrap_or(*head);
        *tail = target.get(tail).copied().unwrap_or(*tail);
        // Once both ends are one entity, the triple carries no information.
        was_loop || head != tail
    });
    for ((head, _, tail), _) in &mut builder.qualified {
        *head = target.get(head).copied().unwrap_or(*head);
        *tail = target.get(tail).copied().unwrap_or(*tail);
    }
    if builder.triples.len() < stated {
        report.left_out.insert(COLLAPSED.to_owned(), stated - builder.triples.len());
    }
    report.merged = merges.len();
    merges
}

/// All identifiers that are not empty, joined. One join instead of many: appending one by one would copy a hostile file's long text each time.
fn joined<'a>(identifiers: impl Iterator<Item = &'a Arc<str>>) -> Arc<str> {
    let identifiers: Vec<&str> = identifiers.map(|identifier| &**identifier).filter(|identifier| !identifier.is_empty()).collect();
    identifiers.join(" | ").into()
}

fn absorb(kept: &mut EntityRecord, merged: EntityRecord) {
    if kept.kind == 0 {
        kept.kind = merged.kind;
    }
    if kept.description.is_empty() {
        kept.description = merged.description;
    }
    kept.aliases.push((merged.name.as_ref().into(), Synonymy::Exact));
    kept.aliases.extend(merged.aliases);
    kept.attributes.merge(&merged.attributes);
}

/// Disjoint groups of entities ([`petgraph::unionfind`]). The lowest number of a group names it. No group holds two entities that the
/// source separates.
struct EntityGroups {
    sets: UnionFind<u32>,
    /// The lowest number of each set, by petgraph's representative of the set.
    lowest: Vec<u32>,
    /// The namespaces of the identifiers in each set of more than one entity, by its representative.
    namespaces: HashMap<u32, HashSet<String>>,
}

impl EntityGroups {
    fn new(entities: usize) -> Self {
        Self { sets: UnionFind::new(entities), lowest: (0..entities as u32).collect(), namespaces: HashMap::new() }
    }

    fn find(&mut self, i: u32) -> u32 {
        self.lowest[self.sets.find_mut(i) as usize]
    }

    fn unite_all(&mut self, entities: &[EntityRecord], members: &[u32], reasons: &mut HashMap<u32, &'static str>) {
        for pair in members.windows(2) {
            self.unite(entities, pair[0], pair[1], SAME_NAME, reasons);
        }
    }

    /// Unites the groups of two entities, unless that would join two entities that the source separates.
    fn unite(&mut self, entities: &[EntityRecord], a: u32, b: u32, why: &'static str, reasons: &mut HashMap<u32, &'static str>) {
        let sets = [self.sets.find_mut(a), self.sets.find_mut(b)];
        if sets[0] == sets[1] {
            return;
        }
        let [mut less, mut more] = sets.map(|set| {
            let own = || namespace(&entities[set as usize]).map(str::to_owned).into_iter().collect::<HashSet<_>>();
            self.namespaces.remove(&set).unwrap_or_else(own)
        });
        if !less.is_disjoint(&more) {
            self.namespaces.extend(sets.into_iter().zip([less, more]));
            return;
        }
        let (first, second) = (self.find(a), self.find(b));
        self.sets.union(a, b);
        let set = self.sets.find_mut(a);
        self.lowest[set as usize] = first.min(second);
        reasons.insert(first.max(second), why);
        if less.len() > more.len() {
            std::mem::swap(&mut less, &mut more);
        }
        more.extend(less);
        self.namespaces.insert(set, more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_number_names_a_group_whatever_the_order() {
        let entities = vec![EntityRecord::default(); 6];
        let mut groups = EntityGroups::new(6);
        let mut reasons = HashMap::new();
        for (a, b, why) in [(4, 5, "a"), (3, 4, "b"), (5, 1, "c"), (3, 1, "d")] {
            groups.unite(&entities, a, b, why, &mut reasons);
        }
        assert_eq!((0..6).map(|i| groups.find(i)).collect::<Vec<_>>(), [0, 1, 2, 1, 1, 1]);
        assert_eq!(reasons, HashMap::from([(5, "a"), (4, "b"), (3, "c")]));
    }
}
