//! The built-in encoder: static token embeddings distilled from all-MiniLM-L6-v2, run by candle.
//!
//! A text's vector is the sum of the vectors of its words, of two-word phrases, and of hashed character
//! n-grams for words outside the vocabulary and for Chinese. The rules are in `assets/encoder/SPEC.md`,
//! the recipe in `assets/encoder/distill/`.

use std::thread;

use candle_core::{DType, Device, Tensor, safetensors};
use catena_encoder::{VOCABULARY, WEIGHTS};
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::{Model, OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer};

use super::ngram::{add_signs, buckets, is_ideograph};
use super::thread_pool::{Idle, ThreadPool};
use crate::model::{Encoder, Matrix, ModelError};

const NAME: &str = "catena-static";

/// Texts that are summed at a time: their rows stay in the processor's cache …
const PORTION: usize = 8;
/// … and the most rows of these texts: from 65,536 elements on (256 rows of 256), candle wakes a thread pool that spins
/// for longer than the sum takes.
const PORTION_ROWS: usize = 255;

/// From this many texts on, all cores take part; for fewer, waking them costs more than it saves.
const IN_PARALLEL: usize = 256;

/// The cosine at which this encoder is as precise as MiniLM at 0.7; see `assets/encoder/SPEC.md` §6.
const DELTA: f64 = 0.71;

/// The built-in static encoder. About 10 MB in memory.
pub struct StaticEncoder {
    pieces: WordPiece,
    normaliser: BertNormalizer,
    /// `[rows, dim]`, `U8`: vocabulary entries, then n-gram buckets.
    rows: Tensor,
    /// Scale of each row.
    scale: Vec<f32>,
    /// Weights of the characters from U+4E00, times 255.
    ideograph_weight: Vec<u8>,
    ideograph_scale: f32,
    words: u32,
    dim: usize,
    device: Device,
    /// Started with the first large call.
    pool: Option<ThreadPool>,
}

/// The summands of a text: rows of the table with factors, and computed vectors of ideographs.
#[derive(Default)]
struct Parts {
    rows: Vec<(u32, f32)>,
    ideographs: Vec<(String, f32)>,
}

impl StaticEncoder {
    /// Its name.
    pub const NAME: &str = NAME;

    /// Loads the embedded model onto the CPU.
    ///
    /// # Errors
    /// If the embedded files are inconsistent, which a test rules out.
    pub fn built_in() -> Result<Self, ModelError> {
        Self::load(VOCABULARY.as_bytes(), WEIGHTS, &Device::Cpu)
    }

    /// The words of its vocabulary: English words of general and medical texts, in small letters.
    pub(crate) fn vocabulary_words() -> impl Iterator<Item = &'static str> {
        VOCABULARY.lines().flat_map(str::split_whitespace).filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()))
    }

    fn load(vocabulary: &[u8], weights: &[u8], device: &Device) -> Result<Self, ModelError> {
        let fail = |problem: String| ModelError::Load { name: NAME.into(), problem };
        let tensors = safetensors::load_buffer(weights, device).map_err(|e| fail(e.to_string()))?;
        let tensor = |name: &str| tensors.get(name).cloned().ok_or_else(|| fail(format!("the tensor {name} is missing")));
        let rows = tensor("rows")?;
        let (row_count, dim) = rows.dims2().map_err(|e| fail(e.to_string()))?;
        let vocabulary = WordPiece::read_bytes(vocabulary).map_err(|e| fail(e.to_string()))?;
        let words = vocabulary.len() as u32;
        let scale: Vec<f32> = tensor("scale")?.to_vec1().map_err(|e| fail(e.to_string()))?;
        if scale.len() != row_count || row_count <= words as usize || dim % 64 != 0 {
            return Err(fail(format!(
                "{row_count} rows of {dim} components do not fit {words} vocabulary entries and {} scales",
                scale.len()
            )));
        }
        let pieces = WordPiece::builder().vocab(vocabulary).unk_token("[UNK]".into()).build().map_err(|e| fail(e.to_string()))?;
        let ideograph_scale = metadata(weights, "cjk_scale").ok_or_else(|| fail("the metadata cjk_scale is missing".into()))?;
        Ok(Self {
            pieces,
            normaliser: BertNormalizer::new(true, true, Some(true), true),
            rows,
            scale,
            ideograph_weight: tensor("cjk_weight")?.to_vec1().map_err(|e| fail(e.to_string()))?,
            ideograph_scale: ideograph_scale / (dim as f32).sqrt(),
            words,
            dim,
            device: device.clone(),
            pool: None,
        })
    }

    /// The words of a text, split by BERT's normaliser and pre-tokeniser.
    fn words(&self, text: &str) -> Result<Vec<String>, ModelError> {
        if text.chars().all(is_plain) {
            return Ok(plain_words(text));
        }
        self.words_of_any(text)
    }

    fn words_of_any(&self, text: &str) -> Result<Vec<String>, ModelError> {
        let fail = |e: tokenizers::Error| ModelError::Compute { name: NAME.into(), problem: e.to_string() };
        let mut string = PreTokenizedString::from(text);
        string.normalize(|s| tokenizers::Normalizer::normalize(&self.normaliser, s)).map_err(fail)?;
        BertPreTokenizer.pre_tokenize(&mut string).map_err(fail)?;
        let splits = string.get_splits(OffsetReferential::Normalized, OffsetType::Byte);
        Ok(splits.into_iter().map(|(word, ..)| word.to_owned()).collect())
    }

    fn row_of(&self, entry: &str) -> Option<u32> {
        self.pieces.token_to_id(entry)
    }

    fn parts(&self, text: &str) -> Result<Parts, ModelError> {
        let mut parts = Parts::default();
        let mut last = String::new();
        let mut run: Vec<char> = Vec::new();
        for word in self.words(text)? {
            let first = word.chars().next();
            if let Some(c) = first.filter(|c| is_ideograph(*c)) {
                run.push(c);
                last.clear();
                continue;
            }
            self.add_run(&mut run, &mut parts);
            if let Some(row) = self.row_of(&word) {
                parts.rows.push((row, 1.0));
            } else if word.chars().any(char::is_alphanumeric) {
                self.add_unknown(&word, &mut parts);
            } else {
                if !matches!(word.as_str(), "'" | "’" | "-") {
                    last.clear();
                }
                continue;
            }
            if !last.is_empty()
                && let Some(row) = self.row_of(&format!("{last} {word}"))
            {
                parts.rows.push((row, 1.0));
            }
            last = word;
        }
        self.add_run(&mut run, &mut parts);
        Ok(parts)
    }

    /// A word outside the vocabulary: its pieces, and its character n-grams.
    fn add_unknown(&self, word: &str, parts: &mut Parts) {
        if let Ok(pieces) = self.pieces.tokenize(word) {
            parts.rows.extend(pieces.iter().map(|piece| (piece.id, 1.0)));
        }
        let buckets = buckets(word, (self.scale.len() - self.words as usize) as u64);
        let weight = 1.0 / (buckets.len().max(1) as f32).sqrt();
        parts.rows.extend(buckets.into_iter().map(|bucket| (self.words + bucket, weight)));
    }

    /// A run of ideographs: the characters and the pairs of neighbours.
    fn add_run(&self, run: &mut Vec<char>, parts: &mut Parts) {
        let weight = |c: char| {
            let known = (c as usize).checked_sub(0x4E00).and_then(|i| self.ideograph_weight.get(i));
            known.map_or(1.0, |w| f32::from(*w) / 255.0)
        };
        for (i, c) in run.iter().enumerate() {
            parts.ideographs.push((c.to_string(), weight(*c)));
            if let Some(next) = run.get(i + 1) {
                parts.ideographs.push((format!("{c}{next}"), weight(*c).min(weight(*next))));
            }
        }
        run.clear();
    }

    /// Sums of table rows for each text: `[texts, dim]`, by look-up, scaling and segment sums.
    fn sums(&self, parts: &[Parts]) -> candle_core::Result<Vec<f32>> {
        let (mut rows, mut factors, mut text_of) = (Vec::new(), Vec::new(), Vec::new());
        for (text, part) in (0u32..).zip(parts) {
            for (row, factor) in &part.rows {
                rows.push(*row);
                factors.push(factor * self.scale[*row as usize]);
                text_of.push(text);
            }
        }
        if rows.is_empty() {
            return Ok(vec![0.0; parts.len() * self.dim]);
        }
        let count = rows.len();
        let rows = Tensor::from_vec(rows, count, &self.device)?;
        let factors = Tensor::from_vec(factors, (count, 1), &self.device)?;
        let text_of = Tensor::from_vec(text_of, count, &self.device)?;
        let vectors = self.rows.index_select(&rows, 0)?.to_dtype(DType::F32)?.affine(1.0, -128.0)?.broadcast_mul(&factors)?;
        let sums = Tensor::zeros((parts.len(), self.dim), DType::F32, &self.device)?.index_add(&text_of, &vectors, 0)?;
        sums.flatten_all()?.to_vec1()
    }
}

/// Whether BERT's rules for a character are those of ASCII. The arrows of chains are letters to it: neither signs nor accents.
fn is_plain(c: char) -> bool {
    c.is_ascii() || matches!(c, '→' | '←')
}

/// BERT's words of a text without accents and ideographs: small letters, each sign a word of its own, control characters left out. Most names and chains
/// are such texts, and this takes a fifth of the time that the general rules take.
fn plain_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if matches!(c, ' ' | '\t' | '\n' | '\r') || c.is_ascii_punctuation() {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if c.is_ascii_punctuation() {
                words.push(c.to_string());
            }
        } else if !c.is_ascii_control() {
            word.push(c.to_ascii_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

impl Encoder for StaticEncoder {
    fn name(&self) -> &str {
        NAME
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn delta(&self) -> f64 {
        DELTA
    }

    /// This many take a tenth of a second and keep all cores busy.
    fn portion(&self) -> usize {
        4096
    }

    fn encode(&mut self, texts: &[String]) -> Result<Matrix, ModelError> {
        if texts.len() < IN_PARALLEL {
            return Ok(Matrix::new(self.dim, self.encode_portions(texts)?));
        }
        // Portions are independent: whichever thread adds one up, the sums and their order are the same.
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let share = texts.len().div_ceil(threads).next_multiple_of(PORTION);
        let fail = |problem: String| ModelError::Compute { name: NAME.into(), problem };
        let mut pool = match self.pool.take() {
            Some(pool) => pool,
            None => ThreadPool::new("static encoder", threads, Idle::Sleep).map_err(fail)?,
        };
        let shares = pool.map_chunks(texts, share, |texts| self.encode_portions(texts));
        self.pool = Some(pool);
        let mut data = Vec::with_capacity(texts.len() * self.dim);
        for share in shares.ok_or_else(|| fail("one of its threads failed".into()))? {
            data.extend(share?);
        }
        Ok(Matrix::new(self.dim, data))
    }
}

impl StaticEncoder {
    fn encode_portions(&self, texts: &[String]) -> Result<Vec<f32>, ModelError> {
        let mut data = Vec::with_capacity(texts.len() * self.dim);
        for portion in texts.chunks(PORTION) {
            data.extend(self.encode_portion(portion)?);
        }
        Ok(data)
    }

    fn encode_portion(&self, texts: &[String]) -> Result<Vec<f32>, ModelError> {
        let parts = texts.iter().map(|text| self.parts(text)).collect::<Result<Vec<_>, _>>()?;
        let mut data = Vec::with_capacity(texts.len() * self.dim);
        let mut rest = &parts[..];
        while !rest.is_empty() {
            let mut rows = 0;
            let fitting = rest.iter().take_while(|part| {
                rows += part.rows.len();
                rows <= PORTION_ROWS
            });
            // A text too long for any portion is a portion by itself.
            let (portion, others) = rest.split_at(fitting.count().max(1));
            data.extend(self.sums(portion).map_err(|error| ModelError::Compute { name: NAME.into(), problem: error.to_string() })?);
            rest = others;
        }
        for (row, part) in data.chunks_exact_mut(self.dim).zip(&parts) {
            for (gram, weight) in &part.ideographs {
                add_signs(gram, weight * self.ideograph_scale, row);
            }
        }
        Ok(data)
    }
}

/// A number from the metadata in a safetensors header.
fn metadata(weights: &[u8], key: &str) -> Option<f32> {
    let length = u64::from_le_bytes(weights.get(..8)?.try_into().ok()?);
    let header = weights.get(8..8usize.checked_add(usize::try_from(length).ok()?)?)?;
    let header: serde_json::Value = serde_json::from_slice(header).ok()?;
    header["__metadata__"][key].as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::starter_graph;

    #[test]
    fn the_short_way_splits_every_name_as_the_general_rules_do() {
        let encoder = StaticEncoder::built_in().expect("loads");
        let graph = starter_graph().expect("sound");
        let names = (0..graph.name_count()).map(|row| graph.name_at(row)).filter(|name| name.is_ascii());
        let mut compared = 0;
        for name in names {
            assert_eq!(plain_words(name), encoder.words_of_any(name).expect("splits"), "{name}");
            compared += 1;
        }
        assert!(compared > 10_000, "{compared}");
        for text in ["Reflux → has symptom → Heartburn", "A→b ←c", "→ ← →", "X-ray →(2) ← y's"] {
            assert!(text.chars().all(is_plain));
            assert_eq!(plain_words(text), encoder.words_of_any(text).expect("splits"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn and_every_ascii_text(text in "[ -~\\x00-\\x1f\\x7f]{0,40}") {
            static ENCODER: std::sync::LazyLock<StaticEncoder> = std::sync::LazyLock::new(|| StaticEncoder::built_in().expect("loads"));
            prop_assert_eq!(plain_words(&text), ENCODER.words_of_any(&text).expect("splits"));
        }
    }
}
