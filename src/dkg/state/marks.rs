//! Marks for and against each triple. A mark is an import or an accepted proposal that is in force; a triple is learned if a mark for it is later
//! than every mark against it.
//!
//! A mark has 36 bytes, numbers little-endian: 16 bytes of the SHA-256 of what makes the triple the same (below), `u64` record (its top
//! bit: against), `u32` head, relation with the triple's qualifiers, tail, as spelled in that record. Marks are spread over as many values as names are.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use super::keys::{Draft, Keys};
use super::names::{AllNames, BUCKETS, Renumbered, bucket_key, entity_of, intern_entity, intern_relation, relation_of};
use crate::dkg::error::DkgError;
use crate::dkg::record::Act;
use crate::graph::{LearnedTable, LearnedTriple, NamedRelation, NamedTriple, Qualifiers};

const PREFIX: u8 = b't';
const BYTES: usize = 36;
/// The bit of a record's number that says "against".
const AGAINST: u64 = 1 << 63;

/// The identity of a triple: folded names, and the kinds of both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Identity([u8; 16]);

impl Identity {
    pub(super) fn of(triple: &NamedTriple) -> Self {
        let mut hasher = Sha256::new();
        let (head, relation, tail) = triple.folded();
        for part in [&head, &triple.head.kind, &relation, &tail, &triple.tail.kind] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let mut identity = [0; 16];
        identity.copy_from_slice(&hasher.finalize()[..16]);
        Self(identity)
    }

    fn key(self) -> Vec<u8> {
        bucket_key(PREFIX, u32::from(u16::from_be_bytes([self.0[0], self.0[1]])) % BUCKETS)
    }
}

/// A mark for or against a triple.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark {
    identity: Identity,
    pub(super) record: u64,
    against: bool,
    head: u32,
    relation: u32,
    tail: u32,
}

impl Mark {
    fn read(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
        let record = u64::from_le_bytes(bytes.get(16..24)?.try_into().ok()?);
        Some(Self {
            identity: Identity(bytes.get(..16)?.try_into().ok()?),
            record: record & !AGAINST,
            against: record & AGAINST != 0,
            head: number(24)?,
            relation: number(28)?,
            tail: number(32)?,
        })
    }

    fn bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..16].copy_from_slice(&self.identity.0);
        bytes[16..24].copy_from_slice(&(self.record | if self.against { AGAINST } else { 0 }).to_le_bytes());
        for (place, number) in bytes[24..].chunks_exact_mut(4).zip([self.head, self.relation, self.tail]) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// The triple as spelled in the mark's record.
    pub(super) fn learned(&self, draft: &Draft<'_>) -> Result<LearnedTriple, DkgError> {
        let (relation, qualifiers) = relation_of(draft, self.relation)?;
        let triple = NamedTriple { head: entity_of(draft, self.head)?, relation, tail: entity_of(draft, self.tail)?, qualifiers };
        Ok(LearnedTriple { triple, record: self.record })
    }
}

fn all(bytes: &[u8]) -> impl Iterator<Item = Mark> {
    bytes.chunks_exact(BYTES).filter_map(Mark::read)
}

/// Of the marks of one triple, those that make it learned: for it, and later than all against it.
fn supports(marks: &[Mark]) -> impl Iterator<Item = &Mark> {
    let retracted = marks.iter().filter(|mark| mark.against).map(|mark| mark.record).max().unwrap_or(0);
    marks.iter().filter(move |mark| !mark.against && mark.record > retracted)
}

/// The mark that a learned triple is shown with: the first, so that what was learned before does not change when it is learned again.
fn shown(marks: &[Mark]) -> Option<Mark> {
    supports(marks).min().copied()
}

fn marks_of(draft: &Draft<'_>, identity: Identity) -> Result<Vec<Mark>, DkgError> {
    draft.read(&identity.key(), |bytes| {
        let same = bytes.unwrap_or_default().chunks_exact(BYTES).filter(|mark| mark.starts_with(&identity.0));
        Ok(same.filter_map(Mark::read).collect())
    })
}

/// What a triple is shown with, if it is learned.
pub(super) fn shown_of(draft: &Draft<'_>, identity: Identity) -> Result<Option<Mark>, DkgError> {
    Ok(shown(&marks_of(draft, identity)?))
}

/// The records that make a triple learned, in order.
pub(super) fn supports_of(draft: &Draft<'_>, triple: &NamedTriple) -> Result<Vec<u64>, DkgError> {
    let marks = marks_of(draft, Identity::of(triple))?;
    let mut records: Vec<u64> = supports(&marks).map(|mark| mark.record).collect();
    records.sort_unstable();
    records.dedup();
    Ok(records)
}

fn mark(draft: &mut Draft<'_>, identity: Identity, triple: &NamedTriple, act: Act, record: u64) -> Result<[u8; BYTES], DkgError> {
    let mark = Mark {
        identity,
        record,
        against: act == Act::Retract,
        head: intern_entity(draft, &triple.head)?,
        relation: intern_relation(draft, &triple.relation, &triple.qualifiers)?,
        tail: intern_entity(draft, &triple.tail)?,
    };
    Ok(mark.bytes())
}

/// Puts a mark.
pub(super) fn put(draft: &mut Draft<'_>, identity: Identity, triple: &NamedTriple, act: Act, record: u64) -> Result<(), DkgError> {
    let mark = mark(draft, identity, triple, act, record)?;
    draft.slot(identity.key())?.get_or_insert_default().extend(mark);
    Ok(())
}

/// Takes a mark away that was put with the same words.
pub(super) fn take(draft: &mut Draft<'_>, identity: Identity, triple: &NamedTriple, act: Act, record: u64) -> Result<(), DkgError> {
    let mark = mark(draft, identity, triple, act, record)?;
    let slot = draft.slot(identity.key())?;
    let bytes = slot.get_or_insert_default();
    let Some(place) = bytes.chunks_exact(BYTES).position(|other| other == mark) else {
        return Err(DkgError::store("what made a triple learned is missing"));
    };
    bytes.drain(place * BYTES..(place + 1) * BYTES);
    if bytes.is_empty() {
        *slot = None;
    }
    Ok(())
}

/// Reads all that is learned, every name once. In the order of the records; of one record, in an order that is always the same. What has the
/// relation number 65,535 or a higher one stands under that number, for which a graph has no room.
pub(in crate::dkg) fn table(keys: &dyn Keys) -> Result<LearnedTable, DkgError> {
    let mut found: Vec<Mark> = Vec::new();
    keys.scan(&[PREFIX], &mut |_, value| {
        let mut marks: Vec<Mark> = all(value).collect();
        marks.sort_unstable();
        found.extend(marks.chunk_by(|a, b| a.identity == b.identity).filter_map(shown));
        Ok(())
    })?;
    rayon::slice::ParallelSliceMut::par_sort_unstable_by_key(&mut found[..], |mark| (mark.record, mark.identity));
    let names = AllNames::read(keys)?;
    let (mut entities, mut relations) = (Renumbered::entities(&names), Renumbered::relations(&names));
    let mut rows: Vec<(u32, u32, u32, u64)> = Vec::with_capacity(found.len());
    for mark in found {
        let (head, tail) = (entities.number(mark.head)?, entities.number(mark.tail)?);
        rows.push((head, relations.number(mark.relation)?, tail, mark.record));
    }
    // Triples of one relation with different qualifiers have one relation again.
    let mut table = LearnedTable { entities: entities.list, ..LearnedTable::default() };
    let mut numbers: HashMap<NamedRelation, usize> = HashMap::new();
    let mut split: Vec<(u16, Qualifiers)> = Vec::with_capacity(relations.list.len());
    for (relation, qualifiers) in relations.list {
        let number = *numbers.entry(relation).or_insert_with_key(|relation| {
            table.relations.push(relation.clone());
            table.relations.len() - 1
        });
        split.push((u16::try_from(number).unwrap_or(u16::MAX), qualifiers));
    }
    for (place, (head, relation, tail, record)) in (0u32..).zip(rows) {
        let Some((relation, qualifiers)) = split.get(relation as usize) else { continue };
        table.triples.push((head, *relation, tail, record));
        if !qualifiers.is_empty() {
            table.qualifiers.insert(place, qualifiers.clone());
        }
    }
    Ok(table)
}
