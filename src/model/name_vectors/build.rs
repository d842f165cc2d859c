//! Building what is stored: vectors block by block, then the index. Both can be interrupted at any time and go on
//! where they were.

use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::thread;

use super::draft::{Draft, beside};
use super::error::{Rebuild, VectorsError};
use super::file::{Filed, file_block};
use super::group::{self, Centroids, ROUNDS};
use super::header::{Header, Kind};
use super::key::VectorKey;
use super::lists::{self, Lists};
use super::quantise::Quantised;
use super::rotate::rotated;
use super::rows::{self, ROWS_PER_BLOCK, Rows};
use super::{EXACT_UP_TO, NameRows, shown};
use crate::model::{EncoderHandle, Matrix, ModelError};

/// Names that are embedded at a time: a slow encoder can be stopped after so many.
const BATCH: usize = 1024;
/// Blocks of rows that are filed before the draft of the index grows.
const BLOCKS_FILED: usize = 8;

/// What a build is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildPhase {
    /// Names are embedded; counted in names.
    Embedding,
    /// The centroids of the index are found; counted in steps.
    Grouping,
    /// Names are filed in the index; counted in names.
    Filing,
}

/// How far a build has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildProgress {
    /// What is being done.
    pub phase: BuildPhase,
    /// How much of it is done.
    pub done: usize,
    /// How much there is to do.
    pub total: usize,
}

type Progress<'a> = &'a mut dyn FnMut(BuildProgress) -> bool;

fn tell(progress: Progress<'_>, phase: BuildPhase, done: usize, total: usize) -> Result<(), VectorsError> {
    if progress(BuildProgress { phase, done, total }) { Ok(()) } else { Err(VectorsError::Interrupted) }
}

/// Builds what is missing of vectors and index.
pub(super) fn build(
    stem: &Path,
    key: &VectorKey,
    names: &dyn NameRows,
    encoder: &EncoderHandle,
    progress: Progress<'_>,
) -> Result<(), VectorsError> {
    let rows = match Rows::open(stem, key)? {
        Ok(rows) if rows.len() == names.len() => rows,
        _ => {
            embed(stem, key, names, encoder, progress)?;
            reopened(stem, Rows::open(stem, key)?)?
        }
    };
    if rows.len() > EXACT_UP_TO && Lists::open(stem, &rows)?.is_err() {
        index(stem, &rows, progress)?;
    }
    Ok(())
}

/// What was just written must be there; where it is not, somebody else is at work on the same files.
fn reopened<T>(stem: &Path, opened: Result<T, Rebuild>) -> Result<T, VectorsError> {
    opened.map_err(|why| VectorsError::Io { file: shown(stem), source: std::io::Error::other(why.to_string()) })
}

/// Embeds names that have no vectors yet. The next names are embedded while the last are quantised and written.
fn embed(stem: &Path, key: &VectorKey, names: &dyn NameRows, encoder: &EncoderHandle, progress: Progress<'_>) -> Result<(), VectorsError> {
    let path = rows::path_of(stem);
    let failed = |source| VectorsError::Io { file: shown(&path), source };
    let total = names.len();
    let header = rows::header(key, total).bytes()?;
    let mut draft = Draft::open(beside(&path, ".part"), &header, |block| rows::block_bytes(total, key.dim, block), drop).map_err(failed)?;
    let begin = draft.blocks() * ROWS_PER_BLOCK;
    tell(progress, BuildPhase::Embedding, begin.min(total), total)?;
    thread::scope(|scope| {
        let (send, batches) = sync_channel::<Result<Matrix, ModelError>>(1);
        scope.spawn(move || {
            // Blocks are whole batches, so that a build that goes on gives the encoder the same batches.
            for first in (begin..total).step_by(BATCH) {
                let texts = (first..total.min(first + BATCH)).map(|row| names.name(row).into_owned()).collect();
                let vectors = encoder.encode(texts);
                let last = vectors.is_err();
                if send.send(vectors).is_err() || last {
                    return;
                }
            }
        });
        let mut block = Quantised { dim: key.dim, ..Quantised::default() };
        let mut done = begin;
        while done < total {
            let vectors = batches.recv().map_err(|_| ModelError::Gone { name: key.encoder.clone() })??.normalised();
            let vectors = rotated(&vectors);
            let expected = BATCH.min(total - done);
            if vectors.rows() != expected || vectors.dim() != key.dim {
                let (found, dim) = (vectors.rows(), vectors.dim());
                return Err(VectorsError::Unexpected { encoder: key.encoder.clone(), found, dim, expected });
            }
            for row in 0..expected {
                block.push(vectors.row(row));
            }
            done += expected;
            if block.rows() == ROWS_PER_BLOCK || done == total {
                draft.append(rows::block_of(&block)).map_err(failed)?;
                block = Quantised { dim: key.dim, ..Quantised::default() };
            }
            tell(progress, BuildPhase::Embedding, done, total)?;
        }
        draft.finish(&path).map_err(failed)
    })
}

/// Makes the index of the vectors.
fn index(stem: &Path, rows: &Rows, progress: Progress<'_>) -> Result<(), VectorsError> {
    let path = lists::path_of(stem);
    let failed = |source| VectorsError::Io { file: shown(&path), source };
    let (total, dim, lists) = (rows.len(), rows.dim(), group::list_count(rows.len()));
    let header = Header { kind: Kind::Lists, key: rows.header.key.clone(), rows: total, parts: lists, entries: 0, of: rows.checksum };
    let portion = BLOCKS_FILED * ROWS_PER_BLOCK;
    // The draft's first block is the centroids, the others are the numbers of lists, row by row.
    let bytes_of = |block: usize| match block.checked_sub(1) {
        None => Some(Centroids::block_bytes(lists, dim)),
        Some(before) => total.checked_sub(before * portion).filter(|left| *left > 0).map(|left| left.min(portion) * Filed::BYTES),
    };
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let mut draft = Draft::open(beside(&path, ".part"), &header.bytes()?, bytes_of, |block| kept.push(block)).map_err(failed)?;
    let mut kept = kept.into_iter();
    let centroids = match kept.next() {
        Some(block) => Centroids::of(&block, lists, dim),
        None => {
            let centroids = grouped(rows, progress)?;
            draft.append(centroids.block()).map_err(failed)?;
            centroids
        }
    };
    let mut filed: Vec<Filed> = kept.flat_map(|block| Filed::of(&block)).collect();
    tell(progress, BuildPhase::Filing, filed.len(), total)?;
    while filed.len() < total {
        let first = filed.len() / ROWS_PER_BLOCK;
        let mut portion = Vec::new();
        for block in first..(first + BLOCKS_FILED).min(rows.blocks()) {
            portion.extend(file_block(rows, &centroids, block));
            tell(progress, BuildPhase::Filing, filed.len() + portion.len(), total)?;
        }
        draft.append(portion.iter().flat_map(|filed| filed.bytes()).collect()).map_err(failed)?;
        filed.extend(portion);
    }
    lists::write(stem, rows, &centroids, &filed)?;
    draft.remove();
    Ok(())
}

/// Finds the centroids. Counted in steps: the rounds for the groups, and one a block of rows.
fn grouped(rows: &Rows, progress: Progress<'_>) -> Result<Centroids, VectorsError> {
    let total = ROUNDS + rows.blocks();
    tell(progress, BuildPhase::Grouping, 0, total)?;
    let told = &mut |round| progress(BuildProgress { phase: BuildPhase::Grouping, done: round, total });
    let groups = group::groups(rows, told).ok_or(VectorsError::Interrupted)?;
    let mut group_of = Vec::with_capacity(rows.len());
    for block in 0..rows.blocks() {
        group_of.extend(group::groups_of_block(rows, &groups, block));
        tell(progress, BuildPhase::Grouping, ROUNDS + block + 1, total)?;
    }
    Ok(group::lists(rows, groups, &group_of))
}
