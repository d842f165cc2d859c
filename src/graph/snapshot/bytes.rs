//! The bytes of a snapshot, or of a segment of documents: a file mapped into memory, or owned memory. This is the only file of the graph with
//! unsafe code.

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

use memmap2::Mmap;

/// Bytes that begin on an 8-byte boundary.
pub(crate) enum Bytes {
    /// A mapped file; its pages are read on first access.
    Mapped(Mmap),
    /// Owned words, and how many bytes of them are used.
    Owned(Vec<u64>, usize),
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if matches!(self, Self::Mapped(_)) { "mapped" } else { "owned" };
        write!(f, "{} bytes, {kind}", self.len())
    }
}

impl Bytes {
    /// Maps a whole file.
    #[allow(unsafe_code, reason = "a mapping is only sound while nobody else changes the file")]
    pub(crate) fn map(file: &File) -> io::Result<Self> {
        // SAFETY: a snapshot or segment never changes once it has its name: it is written under another name and then moved into
        // place, which leaves an already mapped file as it was. Files are private to their owner (0600).
        Ok(Self::Mapped(unsafe { Mmap::map(file)? }))
    }

    /// Copies bytes into aligned memory.
    pub(crate) fn copied(bytes: &[u8]) -> Self {
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Self::Owned(words, bytes.len())
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(words, length) => &bytemuck::cast_slice(words)[..*length],
        }
    }
}

/// A range of the bytes that keeps the snapshot alive, for readers that own their data.
#[derive(Debug, Clone)]
pub(in crate::graph) struct SnapshotSlice {
    pub(super) bytes: Arc<Bytes>,
    pub(super) range: Range<usize>,
}

impl AsRef<[u8]> for SnapshotSlice {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or(&[])
    }
}
