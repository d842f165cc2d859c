//! The key of stored vectors: the graph and the encoder that they belong to.

use xxhash_rust::xxh3::Xxh3;

use crate::model::{EncoderHandle, ModelError};

/// Texts whose vectors identify an encoder's weights: words, a phrase, an unknown word, Chinese, figures.
const PROBES: [&str; 6] = [
    "heartburn",
    "pain in the upper belly after meals",
    "hyperzorbemia",
    "饭后胃部反酸",
    "alpha-1 antitrypsin",
    "diabetes mellitus type 2",
];

/// Identifies what vectors were made from. Vectors with another key are never used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorKey {
    /// A number that changes with the content of the graph.
    pub graph: u128,
    /// The encoder's name.
    pub encoder: String,
    /// A number that changes with the encoder's weights; see [`fingerprint`].
    pub fingerprint: u64,
    /// Components of a vector.
    pub dim: usize,
}

impl VectorKey {
    /// The key of a graph's names with an encoder. Waits for the encoder to be loaded, and embeds six short texts.
    ///
    /// # Errors
    /// If the encoder cannot be loaded or fails.
    pub fn of(graph: u128, encoder: &EncoderHandle) -> Result<Self, ModelError> {
        Ok(Self { graph, encoder: encoder.name().to_owned(), fingerprint: fingerprint(encoder)?, dim: encoder.dim()? })
    }
}

/// A number that changes when an encoder's name, dimension or weights do: the checksum (XXH3) of its vectors of a
/// few fixed texts. Components of the unit vectors are rounded to three decimals, so that another
/// processor's order of additions gives the same number.
///
/// # Errors
/// If the encoder cannot be loaded or fails.
pub fn fingerprint(encoder: &EncoderHandle) -> Result<u64, ModelError> {
    let vectors = encoder.encode(PROBES.map(str::to_owned).to_vec())?.normalised();
    let mut hash = Xxh3::new();
    hash.update(encoder.name().as_bytes());
    hash.update(&(vectors.dim() as u64).to_le_bytes());
    for component in vectors.data() {
        hash.update(&((component * 1000.0).round() as i32).to_le_bytes());
    }
    Ok(hash.digest())
}
