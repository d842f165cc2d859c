//! The file of vectors: rows of bytes with their factors, in blocks with a checksum each, mapped into memory.
//!
//! After the header: blocks of [`ROWS_PER_BLOCK`] rows (the last may be shorter). A block is its rows' bytes, then
//! their factors (`f32`), then the checksum of both.

use std::path::{Path, PathBuf};

use memmap2::Mmap;
use rayon::prelude::*;

use super::error::{Rebuild, VectorsError};
use super::header::{FileKind, HEADER_BYTES, Header};
use super::key::VectorKey;
use super::partial_file::{SUM_BYTES, block_sum, header_sum};
use super::quantise::{Quantised, signed};
use super::{mmap, shown};
use crate::config::{is_verified, set_verified};

/// Rows of a block: the most that a killed process loses, and the unit of work of a thread.
pub(super) const ROWS_PER_BLOCK: usize = 4096;

/// Stored vectors.
#[derive(Debug)]
pub(super) struct QuantisedRows {
    map: Mmap,
    pub(super) header: Header,
    pub(super) checksum: u64,
}

/// The path of the vectors of a graph.
pub(super) fn path_of(stem: &Path) -> PathBuf {
    super::partial_file::with_suffix(stem, ".vectors")
}

/// The header of a file with this many vectors.
pub(super) fn header(key: &VectorKey, rows: usize) -> Header {
    Header { kind: FileKind::Vectors, key: key.clone(), rows, parts: ROWS_PER_BLOCK, entries: 0, of: 0 }
}

/// Bytes of a block, without its checksum; `None` after the last.
pub(super) fn block_bytes(rows: usize, dim: usize, block: usize) -> Option<usize> {
    let left = rows.checked_sub(block * ROWS_PER_BLOCK).filter(|left| *left > 0)?;
    Some(left.min(ROWS_PER_BLOCK) * (dim + size_of::<f32>()))
}

/// The bytes of a block.
pub(super) fn block_of(rows: &Quantised) -> Vec<u8> {
    let mut block: Vec<u8> = bytemuck::cast_slice(&rows.bytes).to_vec();
    block.extend(rows.factors.iter().flat_map(|factor| factor.to_le_bytes()));
    block
}

impl QuantisedRows {
    /// Maps the file; verifies all checksums unless that was done before and the file has not changed.
    pub(super) fn open(stem: &Path, key: &VectorKey) -> Result<Result<Self, Rebuild>, VectorsError> {
        let path = path_of(stem);
        let (map, file) = match mmap::map(&path) {
            Ok(mapped) => mapped,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Err(Rebuild::Missing)),
            Err(source) => return Err(VectorsError::Io { file: shown(&path), source }),
        };
        let state = file.metadata().map_err(|source| VectorsError::Io { file: shown(&path), source })?;
        Ok(Self::of(map, &path, key).and_then(|rows| {
            if !is_verified(&path, &state, rows.checksum) {
                rows.verify().map_err(|()| Rebuild::Damaged { file: shown(&path) })?;
                set_verified(&path, &state, rows.checksum);
            }
            Ok(rows)
        }))
    }

    fn of(map: Mmap, path: &Path, key: &VectorKey) -> Result<Self, Rebuild> {
        let header = Header::read(&map, FileKind::Vectors, key, &shown(path))?;
        if header.parts != ROWS_PER_BLOCK {
            return Err(Rebuild::Damaged { file: shown(path) });
        }
        let blocks = header.rows.div_ceil(ROWS_PER_BLOCK);
        let expected = (HEADER_BYTES + header.rows * (header.key.dim + size_of::<f32>()) + blocks * SUM_BYTES) as u64;
        if map.len() as u64 != expected {
            return Err(Rebuild::WrongLength { file: shown(path), found: map.len() as u64, expected });
        }
        let mut first = [0; HEADER_BYTES];
        first.copy_from_slice(&map[..HEADER_BYTES]);
        Ok(Self { map, header, checksum: header_sum(&first) })
    }

    fn verify(&self) -> Result<(), ()> {
        (0..self.blocks()).into_par_iter().try_for_each(|block| {
            let (begin, length) = self.place(block).ok_or(())?;
            let bytes = self.map.get(begin..begin + length).ok_or(())?;
            let sum = self.map.get(begin + length..begin + length + SUM_BYTES).ok_or(())?;
            if block_sum(bytes, block, self.checksum) == sum { Ok(()) } else { Err(()) }
        })
    }

    pub(super) fn len(&self) -> usize {
        self.header.rows
    }

    pub(super) fn dim(&self) -> usize {
        self.header.key.dim
    }

    pub(super) fn blocks(&self) -> usize {
        self.len().div_ceil(ROWS_PER_BLOCK)
    }

    /// Where a block begins, and its bytes without the checksum.
    fn place(&self, block: usize) -> Option<(usize, usize)> {
        let length = block_bytes(self.len(), self.dim(), block)?;
        Some((HEADER_BYTES + block * (ROWS_PER_BLOCK * (self.dim() + size_of::<f32>()) + SUM_BYTES), length))
    }

    /// The rows of a block, and their factors.
    pub(super) fn block(&self, block: usize) -> Option<(&[i8], impl ExactSizeIterator<Item = f32>)> {
        let (begin, length) = self.place(block)?;
        let rows = length / (self.dim() + size_of::<f32>());
        let (bytes, factors) = self.map.get(begin..begin + length)?.split_at_checked(rows * self.dim())?;
        Some((signed(bytes), factors.chunks_exact(4).map(|f| f32::from_le_bytes([f[0], f[1], f[2], f[3]]))))
    }

    /// One row and its factor.
    pub(super) fn row(&self, row: usize) -> Option<(&[i8], f32)> {
        let (begin, length) = self.place(row / ROWS_PER_BLOCK).filter(|_| row < self.len())?;
        let (rows, row, dim) = (length / (self.dim() + size_of::<f32>()), row % ROWS_PER_BLOCK, self.dim());
        let bytes = self.map.get(begin + row * dim..begin + (row + 1) * dim)?;
        let at = begin + rows * dim + row * size_of::<f32>();
        let factor = self.map.get(at..at + size_of::<f32>())?;
        Some((signed(bytes), f32::from_le_bytes([factor[0], factor[1], factor[2], factor[3]])))
    }
}
