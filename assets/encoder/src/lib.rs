//! The data of Catena's built-in sentence encoder; the program `catena` has the code that runs it.
//!
//! A crate of its own, because the registry takes at most 10 MiB for each: the weights are most of that. `SPEC.md` beside
//! this crate says how a text becomes a vector, and `NOTICE` where the data come from.

/// The weights, in the safetensors format: the tensors `rows`, `scale` and `cjk_weight`, and the metadata `cjk_scale`.
///
/// A `static`, so that a program holds its nine megabytes once.
pub static WEIGHTS: &[u8] = include_bytes!("../encoder.safetensors");

/// The vocabulary: one entry on each line; line *i* (from 0) is the row *i* of [`WEIGHTS`]. Entries that begin with `##`
/// continue a word, and entries with a blank are phrases.
pub static VOCABULARY: &str = include_str!("../vocab.txt");
