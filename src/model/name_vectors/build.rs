//! Builds the stored files: the vectors block by block, then the index. Both can be interrupted at any time and continue later.

use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::thread;

use super::assign::{ListAssignment, assign_block};
use super::centroids::{self, Centroids, ROUNDS};
use super::error::{Rebuild, VectorsError};
use super::header::{FileKind, Header};
use super::inverted_lists::{self, InvertedLists};
use super::key::VectorKey;
use super::partial_file::{PartialFile, with_suffix};
use super::quantise::Quantised;
use super::quantised_rows::{self, QuantisedRows, ROWS_PER_BLOCK};
use super::rotate::rotated;
use super::{EXACT_UP_TO, NameRows, shown};
use crate::model::{EncoderHandle, Matrix, ModelError};

/// Names embedded in one call: a slow encoder can be stopped after each call.
const BATCH: usize = 1024;
/// Blocks of rows that are assigned to lists before the partial index file grows.
const BLOCKS_PER_STEP: usize = 8;

/// What a build is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildPhase {
    /// Names are embedded; counted in names.
    Embedding,
    /// The centroids of the index are computed; counted in steps.
    Grouping,
    /// Names are assigned to lists; counted in names.
    Filing,
}

/// The progress of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildProgress {
    /// The current phase.
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

/// Builds the missing parts of vectors and index.
pub(super) fn build(
    stem: &Path,
    key: &VectorKey,
    names: &dyn NameRows,
    encoder: &EncoderHandle,
    progress: Progress<'_>,
) -> Result<(), VectorsError> {
    let rows = match QuantisedRows::open(stem, key)? {
        Ok(rows) if rows.len() == names.len() => rows,
        _ => {
            embed(stem, key, names, encoder, progress)?;
            reopened(stem, QuantisedRows::open(stem, key)?)?
        }
    };
    if rows.len() > EXACT_UP_TO && InvertedLists::open(stem, &rows)?.is_err() {
        index(stem, &rows, progress)?;
    }
    Ok(())
}

/// A file that was just written must exist; otherwise another process is working on the same files.
fn reopened<T>(stem: &Path, opened: Result<T, Rebuild>) -> Result<T, VectorsError> {
    opened.map_err(|why| VectorsError::Io { file: shown(stem), source: std::io::Error::other(why.to_string()) })
}

/// Embeds the names that have no vectors yet. While one batch is quantised and written, the next is embedded.
fn embed(stem: &Path, key: &VectorKey, names: &dyn NameRows, encoder: &EncoderHandle, progress: Progress<'_>) -> Result<(), VectorsError> {
    let path = quantised_rows::path_of(stem);
    let failed = |source| VectorsError::Io { file: shown(&path), source };
    let total = names.len();
    let header = quantised_rows::header(key, total).bytes()?;
    let mut draft =
        PartialFile::open(with_suffix(&path, ".part"), &header, |block| quantised_rows::block_bytes(total, key.dim, block), drop)
            .map_err(failed)?;
    let begin = draft.blocks() * ROWS_PER_BLOCK;
    tell(progress, BuildPhase::Embedding, begin.min(total), total)?;
    thread::scope(|scope| {
        let (send, batches) = sync_channel::<Result<Matrix, ModelError>>(1);
        scope.spawn(move || {
            // Blocks consist of whole batches, so that a continued build gives the encoder the same batches.
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
                draft.append(quantised_rows::block_of(&block)).map_err(failed)?;
                block = Quantised { dim: key.dim, ..Quantised::default() };
            }
            tell(progress, BuildPhase::Embedding, done, total)?;
        }
        draft.finish(&path).map_err(failed)
    })
}

/// Builds the index of the vectors.
fn index(stem: &Path, rows: &QuantisedRows, progress: Progress<'_>) -> Result<(), VectorsError> {
    let path = inverted_lists::path_of(stem);
    let failed = |source| VectorsError::Io { file: shown(&path), source };
    let (total, dim, lists) = (rows.len(), rows.dim(), centroids::list_count(rows.len()));
    let header = Header { kind: FileKind::Index, key: rows.header.key.clone(), rows: total, parts: lists, entries: 0, of: rows.checksum };
    let portion = BLOCKS_PER_STEP * ROWS_PER_BLOCK;
    // The first block holds the centroids, the others the list numbers of each row.
    let bytes_of = |block: usize| match block.checked_sub(1) {
        None => Some(Centroids::block_bytes(lists, dim)),
        Some(before) => total.checked_sub(before * portion).filter(|left| *left > 0).map(|left| left.min(portion) * ListAssignment::BYTES),
    };
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let mut draft = PartialFile::open(with_suffix(&path, ".part"), &header.bytes()?, bytes_of, |block| kept.push(block)).map_err(failed)?;
    let mut kept = kept.into_iter();
    let centroids = match kept.next() {
        Some(block) => Centroids::of(&block, lists, dim),
        None => {
            let centroids = grouped(rows, progress)?;
            draft.append(centroids.block()).map_err(failed)?;
            centroids
        }
    };
    let mut filed: Vec<ListAssignment> = kept.flat_map(|block| ListAssignment::of(&block)).collect();
    tell(progress, BuildPhase::Filing, filed.len(), total)?;
    while filed.len() < total {
        let first = filed.len() / ROWS_PER_BLOCK;
        let mut portion = Vec::new();
        for block in first..(first + BLOCKS_PER_STEP).min(rows.blocks()) {
            portion.extend(assign_block(rows, &centroids, block));
            tell(progress, BuildPhase::Filing, filed.len() + portion.len(), total)?;
        }
        draft.append(portion.iter().flat_map(|filed| filed.bytes()).collect()).map_err(failed)?;
        filed.extend(portion);
    }
    inverted_lists::write(stem, rows, &centroids, &filed)?;
    draft.remove();
    Ok(())
}

/// Computes the centroids. Progress counts the k-means rounds of the groups, then one step for each block of rows.
fn grouped(rows: &QuantisedRows, progress: Progress<'_>) -> Result<Centroids, VectorsError> {
    let total = ROUNDS + rows.blocks();
    tell(progress, BuildPhase::Grouping, 0, total)?;
    let on_round = &mut |round| progress(BuildProgress { phase: BuildPhase::Grouping, done: round, total });
    let groups = centroids::group_centroids(rows, on_round).ok_or(VectorsError::Interrupted)?;
    let mut group_of = Vec::with_capacity(rows.len());
    for block in 0..rows.blocks() {
        group_of.extend(centroids::groups_of_block(rows, &groups, block));
        tell(progress, BuildPhase::Grouping, ROUNDS + block + 1, total)?;
    }
    Ok(centroids::list_centroids(rows, groups, &group_of))
}
