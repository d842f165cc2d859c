//! A file while it is being written: a header, then blocks with a checksum each. A process that is killed loses at
//! most the block it was writing; whoever opens the draft again goes on behind the last complete one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::header::HEADER_BYTES;

/// Bytes of a checksum.
pub(super) const SUM_BYTES: usize = 8;

/// The checksum of a block: of its bytes, its number and the file that it belongs to, so that a block of another file
/// or place does not fit.
pub(super) fn block_sum(bytes: &[u8], block: usize, header_sum: u64) -> [u8; SUM_BYTES] {
    xxh3_64_with_seed(bytes, header_sum.wrapping_add(block as u64)).to_le_bytes()
}

/// The checksum of a header: its last bytes.
pub(super) fn header_sum(header: &[u8; HEADER_BYTES]) -> u64 {
    header[HEADER_BYTES - SUM_BYTES..].iter().rev().fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

/// A path with something added to the name of the file: a graph's name may have dots of its own.
pub(super) fn beside(path: &Path, added: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(added);
    path.with_file_name(name)
}

/// A file that grows block by block.
pub(super) struct Draft {
    file: File,
    path: PathBuf,
    header_sum: u64,
    blocks: usize,
}

impl Draft {
    /// Opens what is left of an earlier draft with the same header, or begins anew. `bytes_of` says how long a block is
    /// (`None` after the last); each complete block is handed to `keep`, in order.
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
        // A file that was there before keeps its mode when it is opened.
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

    /// Complete blocks.
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    /// Adds a block.
    pub(super) fn append(&mut self, mut block: Vec<u8>) -> io::Result<()> {
        // In one write, so that a block and its checksum are hardly ever torn apart.
        block.extend(block_sum(&block, self.blocks, self.header_sum));
        self.file.write_all(&block)?;
        self.blocks += 1;
        Ok(())
    }

    /// Moves the complete file to its place, once it is on disk.
    pub(super) fn finish(self, to: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, to)?;
        // The new name itself must survive a power cut too; not every file system can be asked for that.
        if let Some(Ok(folder)) = to.parent().map(File::open) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    /// Removes the draft, when what it was for is done.
    pub(super) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }
}
