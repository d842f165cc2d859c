//! Maps files into memory (unsafe code).

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

/// Maps a whole file for reading; its pages are read on first access.
///
/// # Errors
/// If the file cannot be opened or mapped.
#[allow(unsafe_code, reason = "a mapping is only sound while nobody else changes the file")]
pub(super) fn map(path: &Path) -> io::Result<(Mmap, File)> {
    let file = File::open(path)?;
    // SAFETY: finished files are never changed: they are written under another name and moved into place, which leaves
    // a mapped file what it was. They are private to their owner (0600). All that is read from them are bytes, and each
    // number read from them is checked before it is used as an index.
    let map = unsafe { Mmap::map(&file)? };
    Ok((map, file))
}
