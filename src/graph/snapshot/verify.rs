//! Checks of a snapshot: sizes at every opening, the whole content when a file is opened for the first time.

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::{Section, Snapshot, SnapshotError, SnapshotMeta};
use crate::graph::entity::EntityId;
use crate::graph::name_index::{IndexParts, Posting};
use crate::graph::qualifiers::Qualifiers;
use crate::graph::store::{Edge, TripleKey, far_degree};
use crate::graph::view::{Direction, GraphRows};

impl Snapshot {
    pub(in crate::graph) fn meta(&self, shown: &str) -> Result<SnapshotMeta, SnapshotError> {
        self.check_sum(Section::Meta, shown)?;
        serde_json::from_slice(self.raw(Section::Meta)).map_err(|_| damaged(Section::Meta, shown))
    }

    fn check_sum(&self, section: Section, shown: &str) -> Result<(), SnapshotError> {
        if xxh3_64(self.raw(section)) == self.table.checksum_of(section as usize) { Ok(()) } else { Err(damaged(section, shown)) }
    }

    /// Checks that every section has the length that follows from the metadata.
    pub(super) fn check_sizes(&self, meta: &SnapshotMeta, shown: &str) -> Result<(), SnapshotError> {
        let length = |section| self.raw(section).len() as u64;
        let one_more = |count: u64| count.saturating_add(1);
        let exactly = |section, count: u64, size: usize| {
            if count.checked_mul(size as u64) == Some(length(section)) { Ok(()) } else { Err(damaged(section, shown)) }
        };
        if u32::try_from(meta.entities).is_err() || u32::try_from(meta.triples).is_err() || u32::try_from(meta.names).is_err() {
            return Err(damaged(Section::Meta, shown));
        }
        if meta.relations.len() > usize::from(u16::MAX) || meta.kinds.len() > usize::from(u16::MAX) + 1 {
            return Err(damaged(Section::Meta, shown));
        }
        let (entities, names) = (meta.entities, meta.names);
        exactly(Section::NameStarts, one_more(entities), 4)?;
        exactly(Section::NameOffsets, one_more(names), 8)?;
        exactly(Section::Kinds, entities, 2)?;
        exactly(Section::Flags, entities, 1)?;
        for optional in [Section::DescriptionOffsets, Section::IdentifierOffsets] {
            if length(optional) != 0 {
                exactly(optional, one_more(entities), 8)?;
            }
        }
        // Both counts fit into 32 bits, so neither can overflow.
        exactly(Section::RowStarts, one_more(2 * entities), 4)?;
        exactly(Section::Edges, 2 * meta.triples, size_of::<Edge>())?;
        exactly(Section::Rarity, entities, 8)?;
        exactly(Section::Features, entities, 8)?;
        let each = [
            (Section::KeyStarts, 4),
            (Section::Postings, size_of::<Posting>()),
            (Section::QualifiedTriples, size_of::<TripleKey>()),
            (Section::AttributedEntities, size_of::<EntityId>()),
        ];
        for (section, size) in each {
            exactly(section, length(section) / size as u64, size)?;
        }
        for (rows, size, offsets) in [
            (Section::QualifiedTriples, size_of::<TripleKey>(), Section::QualifierOffsets),
            (Section::AttributedEntities, size_of::<EntityId>(), Section::AttributeOffsets),
        ] {
            match length(rows) / size as u64 {
                0 => exactly(offsets, 0, 8)?,
                count => exactly(offsets, one_more(count), 8)?,
            }
        }
        if fst::Map::new(self.raw(Section::NameMap)).is_err() {
            return Err(damaged(Section::NameMap, shown));
        }
        Ok(())
    }

    /// Checks the whole content: checksums, then that every number refers to something that exists, then that the name
    /// index is the one that follows from the names. A snapshot that passes needs no further check.
    pub(in crate::graph) fn verify(&self, meta: &SnapshotMeta, shown: &str) -> Result<(), SnapshotError> {
        for section in Section::ALL {
            self.check_sum(section, shown)?;
        }
        let holds = |section, holds: bool| if holds { Ok(()) } else { Err(damaged(section, shown)) };
        let (entities, names) = (meta.entities as usize, meta.names as usize);
        let starts: &[u32] = self.rows(Section::NameStarts);
        // Every entity has a preferred name, so each has at least one row.
        holds(Section::NameStarts, starts.windows(2).all(|w| w[0] < w[1]) && ends(starts, names))?;
        for (offsets, bytes) in [
            (Section::NameOffsets, Section::NameBytes),
            (Section::DescriptionOffsets, Section::DescriptionBytes),
            (Section::IdentifierOffsets, Section::IdentifierBytes),
            (Section::QualifierOffsets, Section::QualifierBytes),
            (Section::AttributeOffsets, Section::AttributeBytes),
        ] {
            let starts: &[u64] = self.rows(offsets);
            let text = std::str::from_utf8(self.raw(bytes)).map_err(|_| damaged(bytes, shown))?;
            let whole = starts.is_empty() || (starts.first() == Some(&0) && starts.last() == Some(&(text.len() as u64)));
            let ordered = starts.windows(2).all(|w| w[0] <= w[1]) && starts.iter().all(|at| text.is_char_boundary(*at as usize));
            holds(offsets, whole && ordered)?;
        }
        let kinds: &[u16] = self.rows(Section::Kinds);
        holds(Section::Kinds, kinds.iter().all(|kind| usize::from(*kind) < meta.kinds.len()))?;
        let rows: &[u32] = self.rows(Section::RowStarts);
        let edges: &[Edge] = self.rows(Section::Edges);
        holds(Section::RowStarts, rows.windows(2).all(|w| w[0] <= w[1]) && ends(rows, edges.len()))?;
        let known = |edge: &Edge| edge.to.index() < entities && edge.relation.index() < meta.relations.len();
        holds(Section::Edges, edges.iter().all(known))?;
        let degree = |entity: EntityId| far_degree((rows[2 * entity.index() + 2] - rows[2 * entity.index()]) as usize);
        holds(Section::Edges, edges.par_iter().all(|edge| edge.far_degree == degree(edge.to)))?;
        holds(Section::Edges, rows.windows(2).all(|w| edges[w[0] as usize..w[1] as usize].is_sorted()))?;
        self.verify_qualifiers(entities, meta.relations.len(), shown)?;
        let finite = |section| self.rows::<f64>(section).iter().all(|weight| weight.is_finite());
        holds(Section::Rarity, finite(Section::Rarity))?;
        holds(Section::Features, finite(Section::Features))?;
        let index = IndexParts::of((0..entities as u32).into_par_iter().map(EntityId), |entity| self.entity_names(entity));
        holds(Section::NameMap, index.map == self.raw(Section::NameMap))?;
        holds(Section::KeyStarts, index.starts == self.rows::<u32>(Section::KeyStarts))?;
        holds(Section::Postings, index.postings == self.rows::<Posting>(Section::Postings))?;
        holds(Section::Merges, std::str::from_utf8(self.raw(Section::Merges)).is_ok())
    }

    /// Checks that qualifiers belong to triples, attributes to entities, and that all are in the form in which they are written.
    fn verify_qualifiers(&self, entities: usize, relations: usize, shown: &str) -> Result<(), SnapshotError> {
        let holds = |section, holds: bool| if holds { Ok(()) } else { Err(damaged(section, shown)) };
        let keys: &[TripleKey] = self.rows(Section::QualifiedTriples);
        let starts: &[u32] = self.rows(Section::RowStarts);
        let edges: &[Edge] = self.rows(Section::Edges);
        let rows = GraphRows::new(starts, edges);
        let stated = |key: &TripleKey| {
            let triple = key.triple();
            let exists = triple.relation.index() < relations && TripleKey::of(triple) == *key;
            exists && rows.row(triple.head, Direction::Out).binary_search(&Edge::new(triple.tail, triple.relation)).is_ok()
        };
        holds(Section::QualifiedTriples, keys.windows(2).all(|w| w[0] < w[1]) && keys.iter().all(stated))?;
        let attributed: &[EntityId] = self.rows(Section::AttributedEntities);
        let known = attributed.iter().all(|entity| entity.index() < entities);
        holds(Section::AttributedEntities, known && attributed.windows(2).all(|w| w[0] < w[1]))?;
        for (offsets, bytes, count) in [
            (Section::QualifierOffsets, Section::QualifierBytes, keys.len()),
            (Section::AttributeOffsets, Section::AttributeBytes, attributed.len()),
        ] {
            let sound = |at| {
                let text = self.text(offsets, bytes, at);
                !text.is_empty() && Qualifiers::of_stored(text).stored() == text
            };
            holds(bytes, (0..count).all(sound))?;
        }
        Ok(())
    }

    /// An entity's names, the preferred one first.
    pub(in crate::graph) fn entity_names(&self, entity: EntityId) -> impl Iterator<Item = &str> {
        let starts: &[u32] = self.rows(Section::NameStarts);
        let start = |i: usize| starts.get(i).copied().unwrap_or(0) as usize;
        (start(entity.index())..start(entity.index() + 1)).map(|row| self.text(Section::NameOffsets, Section::NameBytes, row))
    }
}

fn ends(starts: &[u32], count: usize) -> bool {
    starts.first() == Some(&0) && starts.last().is_some_and(|last| *last as usize == count)
}

fn damaged(section: Section, shown: &str) -> SnapshotError {
    SnapshotError::Damaged { file: shown.to_owned(), part: section.title().to_owned() }
}
