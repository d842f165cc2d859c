//! Snapshots whose checksums are made to fit again after their bytes were changed.

use xxhash_rust::xxh3::xxh3_64;

// As `src/graph/snapshot/layout.rs` describes it.
const LENGTH_AT: usize = 16;
const CHECKSUM_AT: usize = 32;
const FIXED: usize = 40;
const PER_SECTION: usize = 24;
const SECTIONS: usize = 20;
const HEADER: usize = FIXED + PER_SECTION * SECTIONS;

/// The same bytes with the file's length and all checksums as they should be, so that a reader comes to the content.
/// `None` where there is no room for a header. Sections that do not lie within the file stay as they are.
pub fn repaired(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut file = bytes.to_vec();
    if file.len() < HEADER {
        return None;
    }
    put(&mut file, LENGTH_AT, bytes.len() as u64);
    for section in 0..SECTIONS {
        let at = FIXED + PER_SECTION * section;
        let (offset, length) = (word(bytes, at), word(bytes, at + 8));
        let content = usize::try_from(offset).ok().zip(usize::try_from(length).ok()).and_then(|(offset, length)| {
            let end = offset.checked_add(length)?;
            bytes.get(offset..end)
        });
        if let Some(content) = content {
            put(&mut file, at + 16, xxh3_64(content));
        }
    }
    put(&mut file, CHECKSUM_AT, 0);
    let checksum = xxh3_64(&file[..HEADER]);
    put(&mut file, CHECKSUM_AT, checksum);
    Some(file)
}

fn word(file: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(file[at..at + 8].try_into().expect("eight bytes"))
}

fn put(file: &mut [u8], at: usize, word: u64) {
    file[at..at + 8].copy_from_slice(&word.to_ne_bytes());
}
