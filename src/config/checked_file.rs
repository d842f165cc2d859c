//! Remembers which files were checked in full, so that opening one again need not read every page. A note next to the file identifies
//! it by size, time of change, inode and checksum.

use std::fs::{self, Metadata};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::private_file::write_atomically;

/// The path of the note about a file.
fn note_beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".verified");
    path.with_file_name(name)
}

fn note(state: &Metadata, checksum: u64) -> String {
    let changed = state.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(state);
    #[cfg(not(unix))]
    let inode = 0;
    format!("catena-verified 1 {} {} {inode} {checksum:016x}\n", state.len(), changed.as_nanos())
}

/// Whether this file was checked in full and has not changed since.
pub fn is_verified(path: &Path, state: &Metadata, checksum: u64) -> bool {
    fs::read_to_string(note_beside(path)).is_ok_and(|kept| kept == note(state, checksum))
}

/// Notes that this file was checked in full. If the note cannot be written (in someone else's folder), the file is checked
/// again the next time, which only costs time.
pub fn mark_verified(path: &Path, state: &Metadata, checksum: u64) {
    let _ = write_atomically(&note_beside(path), |out| out.write_all(note(state, checksum).as_bytes()));
}
