//! Which of the collected entities are one.
//!
//! - The same name after folding (case, width, punctuation) and the same kind: one entity. A kind that is not
//!   stated fits any other, as long as the name has only one.
//! - The same name and different kinds: homonyms, which stay apart.
//! - An exact synonym that is another entity's name, of the same kind: one entity, unless the source itself keeps
//!   the two apart by giving both an identifier of one series (`DOID:1`, `DOID:2`).
//!
//! Every merge is recorded with its reason and can be listed.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::build::{EntityRecord, GraphBuilder, Synonymy};
use super::report::BuildReport;
use crate::text::fold;

/// A merge, for the list: (number of the entity kept, name and identifier of the one merged, reason).
pub(super) struct Merged {
    pub(super) kept: u32,
    pub(super) name: Arc<str>,
    pub(super) identifier: Arc<str>,
    pub(super) why: &'static str,
}

/// What a triple is called whose two ends turned out to be one entity.
const COLLAPSED: &str = "triple between two names of one entity";
const SAME_NAME: &str = "same name";
const SYNONYM: &str = "exact synonym";

/// Merges what is one entity. Merged entities keep their place in the builder with an empty name, and no triple
/// refers to them any more.
pub(super) fn merge(builder: &mut GraphBuilder, report: &mut BuildReport) -> Vec<Merged> {
    for record in &mut builder.entities {
        if record.name.is_empty() {
            record.name = Arc::clone(&record.identifier);
        }
    }
    let mut groups = Groups((0..builder.entities.len() as u32).collect());
    let mut reasons: HashMap<u32, &'static str> = HashMap::new();
    // Names whose folded forms are equal have equal hashes; that the reverse holds too is checked where it matters.
    let hashes: Vec<u64> = builder.entities.par_iter().map(|record| hash_of(&record.name)).collect();
    let mut order: Vec<u32> = (0..hashes.len() as u32).filter(|i| hashes[*i as usize] != 0).collect();
    order.par_sort_unstable_by_key(|i| (hashes[*i as usize], *i));

    for group in order.chunk_by(|a, b| hashes[*a as usize] == hashes[*b as usize]).filter(|g| g.len() > 1) {
        unite_equal_names(builder, group, &mut groups, &mut reasons);
    }
    unite_synonyms(builder, &hashes, &order, &mut groups, &mut reasons);
    apply(builder, &mut groups, &reasons, report)
}

/// The hash of a folded name; 0 where nothing is left of it.
fn hash_of(name: &str) -> u64 {
    let folded = fold(name);
    if folded.is_empty() { 0 } else { xxh3_64(folded.as_bytes()).max(1) }
}

fn unite_equal_names(builder: &GraphBuilder, group: &[u32], groups: &mut Groups, reasons: &mut HashMap<u32, &'static str>) {
    // By folded name and kind: the first of each. Kind 0 is unknown.
    let mut first: HashMap<(String, u16), u32> = HashMap::new();
    let mut kinds_of: HashMap<String, Vec<u16>> = HashMap::new();
    for i in group {
        let record = &builder.entities[*i as usize];
        let folded = fold(&record.name);
        match first.get(&(folded.clone(), record.kind)) {
            Some(known) => groups.unite(*known, *i, SAME_NAME, reasons),
            None => {
                kinds_of.entry(folded.clone()).or_default().push(record.kind);
                first.insert((folded, record.kind), *i);
            }
        }
    }
    for (folded, kinds) in kinds_of {
        if let [0, kind] | [kind, 0] = kinds[..]
            && let (Some(a), Some(b)) = (first.get(&(folded.clone(), kind)), first.get(&(folded, 0)))
        {
            groups.unite(*a, *b, SAME_NAME, reasons);
        }
    }
}

fn unite_synonyms(builder: &GraphBuilder, hashes: &[u64], order: &[u32], groups: &mut Groups, reasons: &mut HashMap<u32, &'static str>) {
    let key = |i: u32| (hashes[i as usize], builder.entities[i as usize].kind);
    let mut candidates: Vec<u32> = Vec::new();
    for (i, record) in (0u32..).zip(&builder.entities) {
        for (alias, _) in record.aliases.iter().filter(|(_, synonymy)| *synonymy == Synonymy::Exact) {
            if candidates.is_empty() {
                candidates = representatives(builder, hashes, order);
            }
            let wanted = (hash_of(alias), record.kind);
            let from = candidates.partition_point(|o| key(*o) < wanted);
            for other in candidates[from..].iter().copied().take_while(|o| key(*o) == wanted) {
                let named = &builder.entities[other as usize];
                if other != i && !kept_apart(record, named) && fold(alias) == fold(&named.name) {
                    groups.unite(i, other, SYNONYM, reasons);
                }
            }
        }
    }
}

/// Of the entities of one name and kind, which are one already, as many as it takes to tell whether any of them is not
/// [`kept_apart`] from some other: one without an identifier, or the first two of different series. To ask all of them
/// would take quadratic time where thousands have one name. Sorted by hash of the name, then kind.
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
            // More than one name only where hashes collide.
            let mut by_name: HashMap<String, Vec<u32>> = HashMap::new();
            for i in group.iter().copied() {
                let known = by_name.entry(fold(&record(i).name)).or_default();
                let same_series = known.iter().any(|o| kept_apart(record(*o), record(i)));
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

/// Whether the source itself says that two entities are not one: both have an identifier of the same series.
fn kept_apart(a: &EntityRecord, b: &EntityRecord) -> bool {
    fn series(record: &EntityRecord) -> Option<&str> {
        record.identifier.rsplit_once([':', '/', '#']).map(|(series, _)| series)
    }
    !a.identifier.is_empty() && !b.identifier.is_empty() && series(a) == series(b)
}

/// Moves what merged entities bring to those that stay, and counts.
fn apply(builder: &mut GraphBuilder, groups: &mut Groups, reasons: &HashMap<u32, &'static str>, report: &mut BuildReport) -> Vec<Merged> {
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
        // The spelling that most triples use stays; of equals the first by name, so that the order of lines does not matter.
        members.sort_by_key(|i| (Reverse(degree[i]), Arc::clone(&builder.entities[*i as usize].name), *i));
        let kept = members[0];
        let identifiers = joined(members.iter().map(|i| &builder.entities[*i as usize].identifier));
        builder.entities[kept as usize].identifier = identifiers;
        for merged in &members[1..] {
            target.insert(*merged, kept);
            let taken = std::mem::take(&mut builder.entities[*merged as usize]);
            let why = reasons.get(merged).or_else(|| reasons.get(&kept)).copied().unwrap_or(SAME_NAME);
            merges.push(Merged { kept, name: Arc::clone(&taken.name), identifier: Arc::clone(&taken.identifier), why });
            absorb(&mut builder.entities[kept as usize], taken);
        }
    }
    let stated = builder.triples.len();
    builder.triples.retain_mut(|(head, _, tail)| {
        let was_loop = head == tail;
        *head = target.get(head).copied().unwrap_or(*head);
        *tail = target.get(tail).copied().unwrap_or(*tail);
        // Where merging has made one entity of both ends, the triple says nothing any more.
        was_loop || head != tail
    });
    if builder.triples.len() < stated {
        report.left_out.insert(COLLAPSED.to_owned(), stated - builder.triples.len());
    }
    report.merged = merges.len();
    merges
}

/// All identifiers that are not empty. Joined at once: one by one would copy the long text of a hostile file for each.
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
}

/// Disjoint groups; the head of each is its lowest number.
struct Groups(Vec<u32>);

impl Groups {
    fn find(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            let above = self.0[self.0[i as usize] as usize];
            self.0[i as usize] = above;
            i = above;
        }
        i
    }

    fn unite(&mut self, a: u32, b: u32, why: &'static str, reasons: &mut HashMap<u32, &'static str>) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.0[a.max(b) as usize] = a.min(b);
            reasons.insert(a.max(b), why);
        }
    }
}
