//! The index: inverted lists of rows, grouped by centroids, with the sketch of each row. The file is mapped into memory.
//!
//! Every row is in two lists (see [`super::assign`]), and lists in groups (see [`super::centroids`]); [`super::index_search`] searches
//! them.
//!
//! After the header: centroids of the groups (bytes, then factors `f32`), at which list each group begins (`u32`, one
//! more than groups), centroids of the lists, at which entry each list begins (`u32`, one more than lists), the row of
//! each entry (`u32`), the sketch of each entry, and the checksum of all that.

use std::fs::Metadata;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3Builder, xxh3_64_with_seed};

use super::assign::ListAssignment;
use super::centroids::{Centroids, group_count};
use super::error::{Rebuild, VectorsError};
use super::header::{FileKind, HEADER_BYTES, Header};
use super::partial_file::{SUM_BYTES, header_sum, with_suffix};
use super::quantise::signed;
use super::quantised_rows::QuantisedRows;
use super::simhash::{SIMHASH_BYTES, simhash};
use super::{mmap, shown};
use crate::config::write_atomically;
use crate::config::{is_verified, set_verified};

/// The index of stored vectors.
#[derive(Debug)]
pub(super) struct InvertedLists {
    map: Mmap,
    header: Header,
    groups: Range<usize>,
    group_begins: Range<usize>,
    centroids: Range<usize>,
    begins: Range<usize>,
    rows: Range<usize>,
    sketches: Range<usize>,
    checksum: u64,
}

/// The path of the index of a graph's vectors.
pub(super) fn path_of(stem: &Path) -> PathBuf {
    with_suffix(stem, ".ann")
}

impl InvertedLists {
    /// Maps the file; verifies its checksum unless that was done before and the file has not changed.
    pub(super) fn open(stem: &Path, of: &QuantisedRows) -> Result<Result<Self, Rebuild>, VectorsError> {
        let path = path_of(stem);
        let (map, file) = match mmap::map(&path) {
            Ok(mapped) => mapped,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Err(Rebuild::Missing)),
            Err(source) => return Err(VectorsError::Io { file: shown(&path), source }),
        };
        let state = file.metadata().map_err(|source| VectorsError::Io { file: shown(&path), source })?;
        Ok(Self::of(map, &path, of).and_then(|lists| lists.checked(&path, &state)))
    }

    fn of(map: Mmap, path: &Path, of: &QuantisedRows) -> Result<Self, Rebuild> {
        let header = Header::read(&map, FileKind::Index, &of.header.key, &shown(path))?;
        if header.of != of.checksum || header.rows != of.len() {
            return Err(Rebuild::OtherVectors { file: shown(path) });
        }
        let damaged = || Rebuild::Damaged { file: shown(path) };
        let part = |begin: usize, count: usize, size: usize| Some(begin..begin.checked_add(count.checked_mul(size)?)?);
        let (dim, count) = (header.key.dim, group_count(header.parts));
        let parts = || {
            let groups = part(HEADER_BYTES, count, dim + size_of::<f32>())?;
            let group_begins = part(groups.end, count.checked_add(1)?, size_of::<u32>())?;
            let centroids = part(group_begins.end, header.parts, dim + size_of::<f32>())?;
            let begins = part(centroids.end, header.parts.checked_add(1)?, size_of::<u32>())?;
            let rows = part(begins.end, header.entries, size_of::<u32>())?;
            let sketches = part(rows.end, header.entries, SIMHASH_BYTES)?;
            Some((groups, group_begins, centroids, begins, rows, sketches))
        };
        let (groups, group_begins, centroids, begins, rows, sketches) = parts().ok_or_else(damaged)?;
        let expected = (sketches.end as u64).saturating_add(SUM_BYTES as u64);
        if map.len() as u64 != expected {
            return Err(Rebuild::WrongLength { file: shown(path), found: map.len() as u64, expected });
        }
        let mut first = [0; HEADER_BYTES];
        first.copy_from_slice(&map[..HEADER_BYTES]);
        let checksum = header_sum(&first);
        Ok(Self { map, header, groups, group_begins, centroids, begins, rows, sketches, checksum })
    }

    fn checked(self, path: &Path, state: &Metadata) -> Result<Self, Rebuild> {
        if !is_verified(path, state, self.checksum) {
            let (body, sum) = self.map[HEADER_BYTES..].split_at(self.sketches.end - HEADER_BYTES);
            if xxh3_64_with_seed(body, self.checksum).to_le_bytes() != sum {
                return Err(Rebuild::Damaged { file: shown(path) });
            }
            set_verified(path, state, self.checksum);
        }
        Ok(self)
    }

    /// The number of lists.
    pub(super) fn len(&self) -> usize {
        self.header.parts
    }

    /// The number at index `place` of a section of the file; 0 beyond its end, which the checks at opening rule out.
    fn number(&self, part: &Range<usize>, place: usize) -> u32 {
        let bytes = self.map[part.clone()].get(place * 4..place * 4 + 4);
        bytes.map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    /// The range from one beginning to the next; empty if the file contains impossible values.
    fn between(&self, begins: &Range<usize>, place: usize, most: usize) -> Range<usize> {
        let (begin, end) = (self.number(begins, place) as usize, self.number(begins, place + 1) as usize);
        if begin <= end && end <= most { begin..end } else { 0..0 }
    }

    /// The entries of a list.
    pub(super) fn entries(&self, list: usize) -> Range<usize> {
        self.between(&self.begins, list, self.header.entries)
    }

    /// The row of an entry.
    pub(super) fn row_of(&self, entry: usize) -> u32 {
        self.number(&self.rows, entry)
    }

    /// The sketches of some entries.
    pub(super) fn sketches(&self, entries: &Range<usize>) -> &[u8] {
        &self.map[self.sketches.clone()][entries.start * SIMHASH_BYTES..entries.end * SIMHASH_BYTES]
    }

    /// The number of groups.
    pub(super) fn group_count(&self) -> usize {
        group_count(self.len())
    }

    /// The lists of a group.
    pub(super) fn lists_of(&self, group: usize) -> Range<usize> {
        self.between(&self.group_begins, group, self.len())
    }

    /// Centroids of all groups, and their factors.
    pub(super) fn group_centroids(&self) -> (&[i8], impl Iterator<Item = f32>) {
        self.some_centroids(&self.groups, 0..self.group_count(), self.group_count())
    }

    /// Centroids of some of the lists, and their factors.
    pub(super) fn centroids_of(&self, lists: Range<usize>) -> (&[i8], impl Iterator<Item = f32>) {
        self.some_centroids(&self.centroids, lists, self.len())
    }

    /// Some of the `count` centroids in a section of the file.
    fn some_centroids(&self, part: &Range<usize>, some: Range<usize>, count: usize) -> (&[i8], impl Iterator<Item = f32>) {
        let dim = self.header.key.dim;
        let (bytes, factors) = self.map[part.clone()].split_at(count * dim);
        let factors = factors[some.start * size_of::<f32>()..some.end * size_of::<f32>()].chunks_exact(4);
        (signed(&bytes[some.start * dim..some.end * dim]), factors.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])))
    }
}

/// Writes the file from the two list numbers of each row.
pub(super) fn write(stem: &Path, rows: &QuantisedRows, centroids: &Centroids, filed: &[ListAssignment]) -> Result<(), VectorsError> {
    let lists = centroids.lists.rows();
    let mut counts = vec![0u32; lists + 1];
    let both = |filed: &ListAssignment| filed.lists().into_iter().flatten();
    for list in filed.iter().flat_map(both) {
        counts[list + 1] += 1;
    }
    for list in 0..lists {
        counts[list + 1] += counts[list];
    }
    let entries = counts[lists] as usize;
    let mut next = counts.clone();
    let mut row_of = vec![0u32; entries];
    for (row, filed) in (0..).zip(filed) {
        for list in both(filed) {
            row_of[next[list] as usize] = row;
            next[list] += 1;
        }
    }
    let sketches: Vec<[u8; SIMHASH_BYTES]> =
        (0..rows.len()).into_par_iter().map(|row| rows.row(row).map_or([0; SIMHASH_BYTES], |(bytes, _)| simhash(bytes))).collect();
    let key = rows.header.key.clone();
    let header = Header { kind: FileKind::Index, key, rows: rows.len(), parts: lists, entries, of: rows.checksum }.bytes()?;
    let path = path_of(stem);
    write_atomically(&path, |out| {
        let mut sum = Xxh3Builder::new().with_seed(header_sum(&header)).build();
        out.write_all(&header)?;
        let mut put = |bytes: &[u8]| {
            sum.update(bytes);
            out.write_all(bytes)
        };
        for (of, begins) in [(&centroids.groups, &centroids.begins), (&centroids.lists, &counts)] {
            put(bytemuck::cast_slice(&of.bytes))?;
            of.factors.iter().try_for_each(|factor| put(&factor.to_le_bytes()))?;
            begins.iter().try_for_each(|begin| put(&begin.to_le_bytes()))?;
        }
        row_of.iter().try_for_each(|row| put(&row.to_le_bytes()))?;
        row_of.iter().try_for_each(|row| put(&sketches[*row as usize]))?;
        let sum = sum.digest();
        out.write_all(&sum.to_le_bytes())
    })
    .map_err(|source| VectorsError::Io { file: shown(&path), source })
}
