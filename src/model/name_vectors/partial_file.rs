//! A file that is still being written: a header, then blocks with a checksum each. A killed process loses at most the
//! block that it was writing; the next build continues after the last complete block.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::header::HEADER_BYTES;

/// Bytes of a checksum.
pub(super) const SUM_BYTES: usize = 8;

/// The checksum of a block: over its bytes, its number and its file's header, so that a block from another file or position does not match.
pub(super) fn block_sum(bytes: &[u8], block: usize, header_sum: u64) -> [u8; SUM_BYTES] {
    xxh3_64_with_seed(bytes, header_sum.wrapping_add(block as u64)).to_le_bytes()
}

/// The checksum in a header: its last eight bytes.
pub(super) fn header_sum(header: &[u8; HEADER_BYTES]) -> u64 {
    header[HEADER_BYTES - SUM_BYTES..].iter().rev().fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

/// A path with a suffix added to its file name, which may itself contain dots.
pub(super) fn with_suffix(path: &Path, added: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(added);
    path.with_file_name(name)
}

/// A file that grows block by block.
pub(super) struct PartialFile {
    file: File,
    path: PathBuf,
    header_sum: u64,
    blocks: usize,
}

impl PartialFile {
    /// Opens the remains of an earlier build with the same header, or creates the file. `bytes_of` gives the length of a block
    /// (`None` after the last); `keep` receives each complete block, in order.
    pub(super) fn open(
        path: PathBuf,
        header: &[u8; HEADER_BYTES],
        bytes_of: impl Fn(usize) -> Option<usize>,
        mut keep: impl FnMut(Vec<u8>),
    ) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path)?;
        // Opening an existing file does not change its mode.
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        let header_sum = header_sum(header);
        let mut found = [0; HEADER_BYTES];
        let mut reader = BufReader::with_capacity(1 << 20, &file);
        let (mut blocks, mut end) = (0, HEADER_BYTES as u64);
        if reader.read_exact(&mut found).is_ok() && found == *header {
            while let Some(length) = bytes_of(blocks) {
                let (mut block, mut sum) = (vec![0; length], [0; SUM_BYTES]);
                if reader.read_exact(&mut block).is_err() || reader.read_exact(&mut sum).is_err() {
                    break;
                }
                if block_sum(&block, blocks, header_sum) != sum {
                    break;
                }
                keep(block);
                blocks += 1;
                end += (length + SUM_BYTES) as u64;
            }
            file.set_len(end)?;
            file.seek(SeekFrom::Start(end))?;
        } else {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(header)?;
        }
        Ok(Self { file, path, header_sum, blocks })
    }

    /// The number of complete blocks.
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    /// Appends a block.
    pub(super) fn append(&mut self, mut block: Vec<u8>) -> io::Result<()> {
        // In one write, so that a block is hardly ever written without its checksum.
        block.extend(block_sum(&block, self.blocks, self.header_sum));
        self.file.write_all(&block)?;
        self.blocks += 1;
        Ok(())
    }

    /// Syncs the complete file to disk and moves it to its final path.
    pub(super) fn finish(self, to: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, to)?;
        // The new name must survive a power cut too; not every file system supports that.
        if let Some(Ok(folder)) = to.parent().map(File::open) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    /// Removes the file after its content has been used.
    pub(super) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }
}
