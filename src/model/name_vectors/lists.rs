//! The index: rows filed in lists by what they are near to, with a sketch each, mapped into memory.
//!
//! Every row stands in two lists (see [`super::file`]), and lists in groups (see [`super::group`]). A search looks in the
//! groups whose centroids are nearest to the query for the nearest lists, takes those of their rows whose sketches differ
//! least from the query's, and compares them with the stored vectors.
//!
//! After the header: centroids of the groups (bytes, then factors `f32`), at which list each group begins (`u32`, one
//! more than groups), centroids of the lists, at which entry each list begins (`u32`, one more than lists), the row of
//! each entry (`u32`), the sketch of each entry, and the checksum of all that.

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
use super::file::Filed;
use super::group::{Centroids, group_count};
use super::header::{HEADER_BYTES, Header, Kind};
use super::quantise::{Quantised, products, signed};
use super::rows::Rows;
use super::sketch::{SKETCH_BITS, SKETCH_BYTES, differences, sketch};
use super::{map, scan, shown};
use crate::config::write_atomically;
use crate::config::{is_verified, set_verified};
use crate::model::Matrix;

/// How far a search goes, by the number of groups and lists that there are. Chosen by measurement: the least with which
/// the nearest of 1.29 million invented names, and of 98,000 real ones, is found for 99 of 100 mentions. `benches/RESULTS.md`
/// has what less costs and misses.
const GROUPS_FOR_ROOT: f64 = 3.2;
const LISTS_FOR_ROOT: f64 = 2.2;
const CANDIDATES_FOR_ROOT: f64 = 0.9;
/// The fewest rows that a search compares with the stored vectors.
const FEWEST_CANDIDATES: usize = 96;

/// The square root of a number of groups or lists, so many times.
fn share(count: usize, of_root: f64) -> usize {
    ((count as f64).sqrt() * of_root) as usize + 1
}

/// The index of stored vectors.
#[derive(Debug)]
pub(super) struct Lists {
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
        let (dim, count) = (header.key.dim, group_count(header.parts));
        let parts = || {
            let groups = part(HEADER_BYTES, count, dim + size_of::<f32>())?;
            let group_begins = part(groups.end, count.checked_add(1)?, size_of::<u32>())?;
            let centroids = part(group_begins.end, header.parts, dim + size_of::<f32>())?;
            let begins = part(centroids.end, header.parts.checked_add(1)?, size_of::<u32>())?;
            let rows = part(begins.end, header.entries, size_of::<u32>())?;
            let sketches = part(rows.end, header.entries, SKETCH_BYTES)?;
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

    /// Number of lists.
    pub(super) fn len(&self) -> usize {
        self.header.parts
    }

    /// The `place`th number of a part of the file; 0 beyond its end, which the checks at opening rule out.
    fn number(&self, part: &Range<usize>, place: usize) -> u32 {
        let bytes = self.map[part.clone()].get(place * 4..place * 4 + 4);
        bytes.map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    /// From one of the places where something begins to the next; nothing where the file says what cannot be.
    fn between(&self, begins: &Range<usize>, place: usize, most: usize) -> Range<usize> {
        let (begin, end) = (self.number(begins, place) as usize, self.number(begins, place + 1) as usize);
        if begin <= end && end <= most { begin..end } else { 0..0 }
    }

    fn entries(&self, list: usize) -> Range<usize> {
        self.between(&self.begins, list, self.header.entries)
    }

    /// The rows nearest to each query, as far as the lists lead to them. Queries have length 1.
    pub(super) fn nearest(&self, rows: &Rows, queries: &Matrix, count: usize, above: f64) -> Vec<Vec<(u32, f32)>> {
        let rounded = Quantised::of(queries);
        self.probed(&rounded)
            .into_par_iter()
            .enumerate()
            .map(|(query, lists)| {
                let candidates = self.candidates(rows, rounded.row(query), &lists, count);
                scan::settle(rows, queries.row(query), candidates, count, above)
            })
            .collect()
    }

    /// Rows worth comparing, each once.
    fn candidates(&self, rows: &Rows, (query, factor): (&[i8], f32), lists: &[usize], count: usize) -> Vec<u32> {
        if factor == 0.0 {
            return Vec::new();
        }
        let sought = sketch(query);
        let mut bits = Vec::new();
        for list in lists {
            let entries = self.entries(*list);
            let sketches = &self.map[self.sketches.clone()];
            differences(&sketches[entries.start * SKETCH_BYTES..entries.end * SKETCH_BYTES], &sought, &mut bits);
        }
        // Each row may stand there twice. All with as few differing bits as the last one taken are taken, whatever their place.
        let compared = share(self.len(), CANDIDATES_FOR_ROOT).max(FEWEST_CANDIDATES);
        let most = enough(&bits, compared.max(count.saturating_mul(4)).saturating_mul(2));
        let mut bits = bits.into_iter();
        let mut found = Vec::new();
        for list in lists {
            found.extend(
                self.entries(*list).zip(bits.by_ref()).filter(|(_, bits)| *bits <= most).map(|(entry, _)| self.number(&self.rows, entry)),
            );
        }
        found.sort_unstable();
        found.dedup();
        best_of(rows, query, found, count.saturating_add(SPARE))
    }

    /// For each query the lists whose centroids are nearest, in order of their numbers.
    ///
    /// The lists of a group are compared with all queries to which the group is near, so that its centroids, most of what a
    /// search reads, are read once.
    fn probed(&self, queries: &Quantised) -> Vec<Vec<usize>> {
        let groups = group_count(self.len());
        let mut asking: Vec<Vec<usize>> = vec![Vec::new(); groups];
        let all: Vec<usize> = (0..queries.rows()).collect();
        for (query, mut scores) in self.scores(&self.groups, 0..groups, groups, queries, &all) {
            for group in nearest(&mut scores, share(groups, GROUPS_FOR_ROOT)) {
                asking[group].push(query);
            }
        }
        let scored: Vec<Vec<(usize, Scores)>> = asking
            .par_iter()
            .enumerate()
            .filter(|(_, asking)| !asking.is_empty())
            .map(|(group, asking)| {
                let lists = self.between(&self.group_begins, group, self.len());
                self.scores(&self.centroids, lists, self.len(), queries, asking)
            })
            .collect();
        let mut of_query: Vec<Scores> = vec![Vec::new(); queries.rows()];
        for (query, scores) in scored.into_iter().flatten() {
            of_query[query].extend(scores);
        }
        of_query.par_iter_mut().map(|scores| nearest(scores, share(self.len(), LISTS_FOR_ROOT))).collect()
    }

    /// For each of the queries `asking` the scores of some of the centroids in a part of the file, which holds `count` of them.
    fn scores(&self, part: &Range<usize>, some: Range<usize>, count: usize, queries: &Quantised, asking: &[usize]) -> Vec<(usize, Scores)> {
        let dim = queries.dim;
        let (bytes, factors) = self.map[part.clone()].split_at(count * dim);
        let factors = factors[some.start * size_of::<f32>()..].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let sought: Vec<i8> = asking.iter().flat_map(|query| queries.row(*query).0).copied().collect();
        let mut out = Vec::new();
        products(signed(&bytes[some.start * dim..some.end * dim]), &sought, dim, &mut out);
        let mut scores: Vec<(usize, Scores)> = asking.iter().map(|query| (*query, Vec::with_capacity(some.len()))).collect();
        for ((products, factor), number) in out.chunks_exact(asking.len().max(1)).zip(factors).zip(some) {
            for (product, (_, scores)) in products.iter().zip(&mut scores) {
                scores.push((*product as f32 * factor, number));
            }
        }
        scores
    }
}

/// Centroids by number, each with how near it is.
type Scores = Vec<(f32, usize)>;

/// The numbers with the best scores, in order; ties by number.
fn nearest(scores: &mut Vec<(f32, usize)>, count: usize) -> Vec<usize> {
    if scores.len() > count {
        scores.select_nth_unstable_by(count, nearer);
        scores.truncate(count);
    }
    let mut numbers: Vec<usize> = scores.iter().map(|(_, number)| *number).collect();
    numbers.sort_unstable();
    numbers
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
pub(super) fn write(stem: &Path, rows: &Rows, centroids: &Centroids, filed: &[Filed]) -> Result<(), VectorsError> {
    let lists = centroids.lists.rows();
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
