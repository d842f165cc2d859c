//! The bytes of a snapshot: a file mapped into memory, or memory of our own. The one place of the graph with
//! code that the compiler cannot check.

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

use memmap2::Mmap;

/// Bytes that begin on an 8-byte boundary.
pub(in crate::graph) enum Bytes {
    /// A file; its pages are read when they are first touched.
    Mapped(Mmap),
    /// Words of our own, and how many bytes of them count.
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
    pub(in crate::graph) fn map(file: &File) -> io::Result<Self> {
        // SAFETY: snapshots are never changed once they have their name: they are written under another one and
        // moved into place, which leaves a mapped file what it was. Files are private to their owner (0600).
        Ok(Self::Mapped(unsafe { Mmap::map(file)? }))
    }

    /// Copies bytes into aligned memory.
    pub(in crate::graph) fn copied(bytes: &[u8]) -> Self {
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

/// A part of the bytes that can be handed to something that wants to own what it reads.
#[derive(Debug, Clone)]
pub(in crate::graph) struct Part {
    pub(super) bytes: Arc<Bytes>,
    pub(super) range: Range<usize>,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or(&[])
    }
}
