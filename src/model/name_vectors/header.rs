//! The header of both files, 256 bytes: the kind of file, the graph and encoder that it belongs to, and its size.
//!
//! All numbers are little-endian on every machine.

use xxhash_rust::xxh3::xxh3_64;

use super::error::{LONGEST_NAME, MOST_COMPONENTS, MOST_ROWS, Rebuild, VectorsError};
use super::key::VectorKey;

/// Length of a header, in bytes.
pub(super) const HEADER_BYTES: usize = 256;
/// Version of both formats. Since the second, vectors are rotated before they are rounded.
pub(super) const VERSION: u32 = 2;
const CHECKED: usize = HEADER_BYTES - 8;

/// The kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// Rows of bytes with their factors.
    Vectors,
    /// Inverted lists of rows.
    Index,
}

impl FileKind {
    fn magic(self) -> [u8; 8] {
        match self {
            Self::Vectors => *b"CATVEC\r\n",
            Self::Index => *b"CATANN\r\n",
        }
    }
}

/// The content of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: FileKind,
    pub(super) key: VectorKey,
    /// Number of names.
    pub(super) rows: usize,
    /// Of vectors: rows of a block. Of an index: the number of lists.
    pub(super) parts: usize,
    /// Of an index: the entries of all lists.
    pub(super) entries: usize,
    /// Of an index: the checksum of its vectors.
    pub(super) of: u64,
}

impl Header {
    pub(super) fn bytes(&self) -> Result<[u8; HEADER_BYTES], VectorsError> {
        let key = &self.key;
        if key.dim == 0 || key.dim > MOST_COMPONENTS || self.rows > MOST_ROWS {
            return Err(VectorsError::TooLarge { names: self.rows, dim: key.dim });
        }
        let name = key.encoder.as_bytes();
        if name.len() > LONGEST_NAME {
            return Err(VectorsError::LongName { name: key.encoder.clone() });
        }
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend(self.kind.magic());
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((key.dim as u32).to_le_bytes());
        bytes.extend((self.rows as u64).to_le_bytes());
        bytes.extend((self.parts as u64).to_le_bytes());
        bytes.extend((self.entries as u64).to_le_bytes());
        bytes.extend(self.of.to_le_bytes());
        bytes.extend(key.graph.to_le_bytes());
        bytes.extend(key.fingerprint.to_le_bytes());
        bytes.extend((name.len() as u64).to_le_bytes());
        bytes.extend(name);
        bytes.resize(CHECKED, 0);
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        let mut header = [0; HEADER_BYTES];
        header.copy_from_slice(&bytes);
        Ok(header)
    }

    /// Reads a header and compares it with the expected key.
    pub(super) fn read(bytes: &[u8], kind: FileKind, wanted: &VectorKey, file: &str) -> Result<Self, Rebuild> {
        let file = || file.to_owned();
        if bytes.get(..8) != Some(&kind.magic()) {
            return Err(Rebuild::Foreign { file: file() });
        }
        let Some(bytes) = bytes.get(..HEADER_BYTES) else {
            return Err(Rebuild::WrongLength { file: file(), found: bytes.len() as u64, expected: HEADER_BYTES as u64 });
        };
        let mut read = HeaderReader(&bytes[8..]);
        // Before the checksum: another version may have its checksum elsewhere.
        let version = read.number(4) as u32;
        if version != VERSION {
            return Err(Rebuild::OtherVersion { file: file(), found: version, known: VERSION });
        }
        if xxh3_64(&bytes[..CHECKED]).to_le_bytes() != bytes[CHECKED..] {
            return Err(Rebuild::Damaged { file: file() });
        }
        let dim = read.number(4) as usize;
        let [rows, parts, entries] = [0; 3].map(|_: u8| usize::try_from(read.number(8)).unwrap_or(usize::MAX));
        let of = read.number(8);
        let (low, high) = (read.number(8), read.number(8));
        let graph = (u128::from(high) << 64) | u128::from(low);
        let fingerprint = read.number(8);
        let length = usize::try_from(read.number(8)).unwrap_or(usize::MAX);
        let name = read.0.get(..length.min(LONGEST_NAME)).unwrap_or(&[]);
        let key = VectorKey { graph, encoder: String::from_utf8_lossy(name).into_owned(), fingerprint, dim };
        if dim == 0 || dim > MOST_COMPONENTS || rows > MOST_ROWS {
            return Err(Rebuild::Damaged { file: file() });
        }
        if (&key.encoder, key.fingerprint, key.dim) != (&wanted.encoder, wanted.fingerprint, wanted.dim) {
            let stored = crate::text::sanitise_line(&key.encoder).to_string();
            return Err(Rebuild::OtherEncoder { stored, wanted: wanted.encoder.clone() });
        }
        if key.graph != wanted.graph {
            return Err(Rebuild::OtherGraph);
        }
        Ok(Self { kind, key, rows, parts, entries, of })
    }
}

/// Reads numbers one after another.
struct HeaderReader<'a>(&'a [u8]);

impl HeaderReader<'_> {
    /// The next number of `bytes` bytes, at most 8; 0 beyond the end, which a header's length rules out.
    fn number(&mut self, bytes: usize) -> u64 {
        let (number, rest) = self.0.split_at(bytes.min(self.0.len()));
        self.0 = rest;
        number.iter().rev().fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
    }
}
