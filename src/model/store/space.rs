//! Free disk space and memory.

use std::path::Path;

/// Free bytes for the user on the disk of this folder (or of its nearest existing parent); `None` where the system does not say.
pub(super) fn free_space(folder: &Path) -> Option<u64> {
    let there = folder.ancestors().find(|folder| folder.exists())?;
    #[cfg(unix)]
    {
        let state = rustix::fs::statvfs(there).ok()?;
        Some(state.f_bavail.saturating_mul(state.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = there;
        None
    }
}

/// Bytes of memory, total and available without swapping; `None` where the system does not say.
pub fn available_memory() -> Option<(u64, u64)> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let bytes = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
    };
    Some((bytes("MemTotal:")?, bytes("MemAvailable:")?))
}

/// A number of bytes for people: `12 kB`, `3 MB`, `4.5 GB`.
pub(crate) fn in_words(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
