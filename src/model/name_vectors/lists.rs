//! The index: rows filed in lists by what they are near to, with a sketch each, mapped into memory.
//!
//! Every row stands in two lists (see [`super::group`]). A search looks at the [`PROBES`] lists whose centroids are
//! nearest to the query, takes the [`CANDIDATES`] rows whose sketches differ least from the query's, and compares those
//! with the stored vectors.
//!
//! After the header: centroids (bytes, then factors `f32`), where each list begins (`u32`, one more than lists), the row
//! of each entry (`u32`), the sketch of each entry, and the checksum of all that.

use std::cmp::Ordering;
use std::fs::Metadata;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3Builder, xxh3_64_with_seed};

use super::draft::{SUM_BYTES, beside, header_sum};
use super::error::{Rebuild, VectorsError};
use super::group::Filed;
use super::header::{HEADER_BYTES, Header, Kind};
use super::quantise::{Quantised, products, signed};
use super::rows::Rows;
use super::sketch::{SKETCH_BITS, SKETCH_BYTES, differences, sketch};
use super::{map, scan, shown, verified};
use crate::config::write_atomically;
use crate::model::Matrix;

/// How many lists a search looks into. With the two lists of each row, 24 of some 4,500 find the nearest of 1.29 million
/// names in more than 99 of 100 searches (`benches/RESULTS.md`).
const PROBES: usize = 24;
/// How many rows a search compares with the stored vectors.
const CANDIDATES: usize = 128;

/// The index of stored vectors.
#[derive(Debug)]
pub(super) struct Lists {
    map: Mmap,
    header: Header,
    offsets: Range<usize>,
    rows: Range<usize>,
    sketches: Range<usize>,
    checksum: u64,
}

/// Where the index of a graph's vectors is kept.
pub(super) fn path_of(stem: &Path) -> PathBuf {
    beside(stem, ".ann")
}

impl Lists {
    /// Maps the file; checks all of it unless that was done before and nothing has changed since.
    pub(super) fn open(stem: &Path, of: &Rows) -> Result<Result<Self, Rebuild>, VectorsError> {
        let path = path_of(stem);
        let (map, file) = match map::map(&path) {
            Ok(mapped) => mapped,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Err(Rebuild::Missing)),
            Err(source) => return Err(VectorsError::Io { file: shown(&path), source }),
        };
        let state = file.metadata().map_err(|source| VectorsError::Io { file: shown(&path), source })?;
        Ok(Self::of(map, &path, of).and_then(|lists| lists.checked(&path, &state)))
    }

    fn of(map: Mmap, path: &Path, of: &Rows) -> Result<Self, Rebuild> {
        let header = Header::read(&map, Kind::Lists, &of.header.key, &shown(path))?;
        if header.of != of.checksum || header.rows != of.len() {
            return Err(Rebuild::OtherVectors { file: shown(path) });
        }
        let damaged = || Rebuild::Damaged { file: shown(path) };
        let part = |begin: usize, count: usize, size: usize| Some(begin..begin.checked_add(count.checked_mul(size)?)?);
        let parts = || {
            let centroids = part(HEADER_BYTES, header.parts, header.key.dim + size_of::<f32>())?;
            let offsets = part(centroids.end, header.parts.checked_add(1)?, size_of::<u32>())?;
            let rows = part(offsets.end, header.entries, size_of::<u32>())?;
            let sketches = part(rows.end, header.entries, SKETCH_BYTES)?;
            Some((offsets, rows, sketches))
        };
        let (offsets, rows, sketches) = parts().ok_or_else(damaged)?;
        let expected = (sketches.end as u64).saturating_add(SUM_BYTES as u64);
        if map.len() as u64 != expected {
            return Err(Rebuild::WrongLength { file: shown(path), found: map.len() as u64, expected });
        }
        let mut first = [0; HEADER_BYTES];
        first.copy_from_slice(&map[..HEADER_BYTES]);
        let checksum = header_sum(&first);
        Ok(Self { map, header, offsets, rows, sketches, checksum })
    }

    fn checked(self, path: &Path, state: &Metadata) -> Result<Self, Rebuild> {
        if !verified::is_verified(path, state, self.checksum) {
            let (body, sum) = self.map[HEADER_BYTES..].split_at(self.sketches.end - HEADER_BYTES);
            if xxh3_64_with_seed(body, self.checksum).to_le_bytes() != sum {
                return Err(Rebuild::Damaged { file: shown(path) });
            }
            verified::set_verified(path, state, self.checksum);
        }
        Ok(self)
    }

    /// Number of lists.
    pub(super) fn len(&self) -> usize {
        self.header.parts
    }

    /// The `place`th number of a part of the file; 0 beyond its end, which the checks at opening rule out.
    fn number(&self, part: &Range<usize>, place: usize) -> u32 {
        let bytes = self.map[part.clone()].get(place * 4..place * 4 + 4);
        bytes.map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    /// Entries of a list; none where the file says something that cannot be.
    fn entries(&self, list: usize) -> Range<usize> {
        let (begin, end) = (self.number(&self.offsets, list) as usize, self.number(&self.offsets, list + 1) as usize);
        if begin <= end && end <= self.header.entries { begin..end } else { 0..0 }
    }

    /// The rows nearest to each query, as far as the lists lead to them. Queries have length 1.
    pub(super) fn nearest(&self, rows: &Rows, queries: &Matrix, count: usize, above: f64) -> Vec<Vec<(u32, f32)>> {
        let rounded = Quantised::of(queries);
        (0..queries.rows())
            .into_par_iter()
            .map(|query| scan::settle(rows, queries.row(query), self.candidates(rows, rounded.row(query), count), count, above))
            .collect()
    }

    /// Rows worth comparing, each once.
    fn candidates(&self, rows: &Rows, (query, factor): (&[i8], f32), count: usize) -> Vec<u32> {
        if factor == 0.0 {
            return Vec::new();
        }
        let (lists, sought) = (self.probed(query), sketch(query));
        let mut bits = Vec::new();
        for list in &lists {
            let entries = self.entries(*list);
            let sketches = &self.map[self.sketches.clone()];
            differences(&sketches[entries.start * SKETCH_BYTES..entries.end * SKETCH_BYTES], &sought, &mut bits);
        }
        // Each row may stand there twice. All with as few differing bits as the last one taken are taken, whatever their place.
        let most = enough(&bits, CANDIDATES.max(count.saturating_mul(4)).saturating_mul(2));
        let mut bits = bits.into_iter();
        let mut found = Vec::new();
        for list in lists {
            found.extend(
                self.entries(list).zip(bits.by_ref()).filter(|(_, bits)| *bits <= most).map(|(entry, _)| self.number(&self.rows, entry)),
            );
        }
        found.sort_unstable();
        found.dedup();
        best_of(rows, query, found, count.saturating_add(SPARE))
    }

    /// Lists whose centroids are nearest, in order of their numbers.
    fn probed(&self, query: &[i8]) -> Vec<usize> {
        let bytes = self.len() * self.header.key.dim;
        let (centroids, factors) = self.map[HEADER_BYTES..self.offsets.start].split_at(bytes);
        let mut out = Vec::new();
        products(signed(centroids), query, query.len(), &mut out);
        let factors = factors.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let mut scores: Vec<(f32, usize)> = out.into_iter().zip(factors).map(|(p, factor)| p as f32 * factor).zip(0..).collect();
        if scores.len() > PROBES {
            scores.select_nth_unstable_by(PROBES, nearer);
            scores.truncate(PROBES);
        }
        let mut lists: Vec<usize> = scores.into_iter().map(|(_, list)| list).collect();
        lists.sort_unstable();
        lists
    }
}

/// How many more rows than asked for are compared without rounding.
const SPARE: usize = 16;

fn nearer(a: &(f32, usize), b: &(f32, usize)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

/// The least number of differing bits that at least `wanted` entries do not exceed.
fn enough(bits: &[u16], wanted: usize) -> u16 {
    let mut counts = [0usize; SKETCH_BITS + 1];
    for bits in bits {
        counts[usize::from(*bits).min(SKETCH_BITS)] += 1;
    }
    let mut sum = 0;
    let last = counts.iter().position(|count| {
        sum += count;
        sum >= wanted
    });
    last.unwrap_or(SKETCH_BITS) as u16
}

/// Those of the rows that are nearest to the query, both rounded.
fn best_of(rows: &Rows, query: &[i8], candidates: Vec<u32>, count: usize) -> Vec<u32> {
    let (mut bytes, mut factors) = (Vec::with_capacity(candidates.len() * query.len()), Vec::with_capacity(candidates.len()));
    let mut best = scan::Best::new(count);
    let mut known = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        if let Some((row, factor)) = rows.row(candidate as usize) {
            bytes.extend_from_slice(row);
            factors.push(factor);
            known.push(candidate);
        }
    }
    let mut out = Vec::new();
    products(&bytes, query, query.len(), &mut out);
    for ((product, factor), row) in out.into_iter().zip(factors).zip(known) {
        best.offer(row, product as f32 * factor);
    }
    best.into_vec().into_iter().map(|(row, _)| row).collect()
}

/// Writes the file: lists from the two numbers of each row.
pub(super) fn write(stem: &Path, rows: &Rows, centroids: &Quantised, filed: &[Filed]) -> Result<(), VectorsError> {
    let lists = centroids.rows();
    let mut counts = vec![0u32; lists + 1];
    let both = |filed: &Filed| filed.lists().into_iter().flatten();
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
    let sketches: Vec<[u8; SKETCH_BYTES]> =
        (0..rows.len()).into_par_iter().map(|row| rows.row(row).map_or([0; SKETCH_BYTES], |(bytes, _)| sketch(bytes))).collect();
    let key = rows.header.key.clone();
    let header = Header { kind: Kind::Lists, key, rows: rows.len(), parts: lists, entries, of: rows.checksum }.bytes()?;
    let path = path_of(stem);
    write_atomically(&path, |out| {
        let mut sum = Xxh3Builder::new().with_seed(header_sum(&header)).build();
        out.write_all(&header)?;
        let mut put = |bytes: &[u8]| {
            sum.update(bytes);
            out.write_all(bytes)
        };
        put(bytemuck::cast_slice(&centroids.bytes))?;
        centroids.factors.iter().try_for_each(|factor| put(&factor.to_le_bytes()))?;
        counts.iter().try_for_each(|begin| put(&begin.to_le_bytes()))?;
        row_of.iter().try_for_each(|row| put(&row.to_le_bytes()))?;
        row_of.iter().try_for_each(|row| put(&sketches[*row as usize]))?;
        let sum = sum.digest();
        out.write_all(&sum.to_le_bytes())
    })
    .map_err(|source| VectorsError::Io { file: shown(&path), source })
}
