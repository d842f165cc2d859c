//! The shared evaluation data, which is not part of the repository.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

/// A file of the shared data: under `CATENA_TEST_DATA`, else in `../shared/data` beside the repository.
///
/// `None` where it is absent: the test is skipped (see [`skip`]).
pub fn shared(name: &str) -> Option<PathBuf> {
    let folder =
        std::env::var_os("CATENA_TEST_DATA").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    let path = folder.join(name);
    if path.is_file() {
        return Some(path);
    }
    skip(&format!("{} is not there. CATENA_TEST_DATA names the folder of the shared data.", path.display()));
    None
}

/// The GGUF file of SmolLM2-135M-Instruct, a real language model: `CATENA_TEST_SMOLLM2`. `None` where it is not known: the test is skipped.
pub fn smollm2() -> Option<PathBuf> {
    let file = std::env::var_os("CATENA_TEST_SMOLLM2").map(PathBuf::from);
    if file.is_none() {
        skip("CATENA_TEST_SMOLLM2 does not name the GGUF file of SmolLM2-135M-Instruct.");
    }
    file
}

/// Says on standard error that a test is skipped. With `CATENA_REQUIRE_DATA=1` (as in CI) it fails instead, so that no test passes
/// by not being run.
pub fn skip(why: &str) {
    assert!(std::env::var("CATENA_REQUIRE_DATA").as_deref() != Ok("1"), "CATENA_REQUIRE_DATA=1 forbids to skip: {why}");
    eprintln!("SKIPPED: {why}");
}

/// A gzipped file, unpacked.
pub fn unpacked(path: &Path) -> GzDecoder<File> {
    GzDecoder::new(File::open(path).expect("the shared data can be read"))
}

/// The lines of a gzipped file.
pub fn lines(path: &Path) -> impl Iterator<Item = String> {
    BufReader::new(unpacked(path)).lines().map(|line| line.expect("the shared data are gzipped UTF-8"))
}

/// Numbers that look random and are the same in every run (SplitMix64).
pub struct Draw(pub u64);

impl Draw {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below a bound, which counts as at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// `count` of the items, drawn without putting back.
    pub fn sample<T>(&mut self, mut items: Vec<T>, count: usize) -> Vec<T> {
        let count = count.min(items.len());
        for i in 0..count {
            let rest = items.len() - i;
            items.swap(i, i + self.below(rest));
        }
        items.truncate(count);
        items
    }
}
