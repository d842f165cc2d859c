//! What the system says of this process and of the files it opens (Linux).

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

/// Resident memory in MiB: all of it, pages of files, and everything else; and the most it has been.
pub(crate) fn memory() -> Value {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mib = |field: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        line.and_then(|value| value.trim().trim_end_matches(" kB").parse::<f64>().ok()).map(|kib| kib / 1024.0)
    };
    json!({
        "resident_mib": mib("VmRSS"),
        "file_mib": mib("RssFile"),
        "anonymous_mib": mib("RssAnon"),
        "most_mib": mib("VmHWM"),
    })
}

/// Takes a file out of the page cache and makes sure that it is out; says how that was done.
///
/// `dd` with `iflag=nocache` and no block to copy asks for just that (`posix_fadvise`, `POSIX_FADV_DONTNEED`), and only for this file;
/// `fincore` says what stayed. Where pages stay, the whole cache is dropped, which needs to be root.
pub(crate) fn drop_from_cache(file: &Path) -> &'static str {
    File::open(file).and_then(|opened| opened.sync_all()).expect("the file can be written out");
    let asked = Command::new("dd").arg(format!("if={}", file.display())).args(["iflag=nocache", "count=0", "status=none"]).status();
    match (asked, bytes_in_cache(file)) {
        (Ok(status), Some(0)) if status.success() => "posix_fadvise(DONTNEED) for the file; fincore sees no page of it left",
        _ => {
            let dropped = Command::new("sync").status().is_ok() && std::fs::write("/proc/sys/vm/drop_caches", "1").is_ok();
            assert!(dropped, "the page cache can be dropped neither for {} nor as a whole", file.display());
            assert!(bytes_in_cache(file).is_none_or(|bytes| bytes == 0), "pages of {} stay in the cache", file.display());
            "/proc/sys/vm/drop_caches"
        }
    }
}

fn bytes_in_cache(file: &Path) -> Option<u64> {
    let told = Command::new("fincore").args(["--bytes", "--noheadings", "--output", "RES"]).arg(file).output().ok()?;
    String::from_utf8(told.stdout).ok()?.trim().parse().ok()
}

/// A time in milliseconds.
pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The middle of some figures (the lower one of two); NaN of none.
pub(crate) fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

/// Least, middle and most of some figures.
pub(crate) fn spread(figures: &[f64]) -> Value {
    let (least, most) = figures.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), f| (low.min(*f), high.max(*f)));
    json!({ "min": least, "median": median(figures), "max": most })
}
