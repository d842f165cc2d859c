//! A sentence encoder: texts to unit vectors.

use std::path::Path;

use candle_core::Device;

use super::config::BertConfig;
use super::folder::{ModelFolder, Pooling};
use super::runner::NetworkRunner;
use super::tokens::{TokenisedText, Tokeniser};
use super::weights::WeightFile;
use crate::model::infer::device_name;
use crate::model::{Encoder, Matrix, ModelError};

/// The default δ of encoders: HyKGE's value for GTE (2025, A.2.3).
const DELTA: f64 = 0.7;

/// The measured δ of encoders, by a part of the name under which they were trained and their components.
///
/// MiniLM: `benches/encoder_throughput/calibrate.py` links 12,045 synonyms of the Disease Ontology to its 6,874 names, each once as it is and once as a
/// near-miss, its own term taken away. F1 of links is best, 0.460, from 0.80 to 0.825 (0.431 at 0.7); the lower one loses fewer mentions.
const CALIBRATED: [(&str, usize, f64); 1] = [("minilm-l6-h384", 384, 0.8)];

/// From this many texts on, the threads share the tokenising.
const PARALLEL_TOKENISING: usize = 32;

/// A sentence encoder of the BERT family, from a folder of files.
pub(super) struct BertEncoder {
    name: String,
    device: String,
    tokeniser: Tokeniser,
    runner: NetworkRunner,
    dim: usize,
    pooling: Pooling,
    delta: f64,
}

impl BertEncoder {
    pub(super) fn open(folder: &Path, device: &Device) -> Result<Self, ModelError> {
        let folder = ModelFolder::at(folder)?;
        let config = BertConfig::read(&folder)?;
        let sentences = folder.sentences(config.hidden)?;
        let limit = sentences.max_seq_length.unwrap_or(usize::MAX).min(config.most_tokens());
        let tokeniser = Tokeniser::load(&folder, &config, limit)?;
        let runner = NetworkRunner::load(&config, &mut WeightFile::open(&folder)?, device)?;
        let origin = config.origin.to_lowercase();
        let calibrated = CALIBRATED.iter().find(|(part, dim, _)| origin.contains(part) && *dim == config.hidden).map(|known| known.2);
        Ok(Self {
            name: folder.name,
            device: device_name(device),
            tokeniser,
            runner,
            dim: config.hidden,
            pooling: sentences.pooling,
            delta: sentences.delta.or(calibrated).unwrap_or(DELTA),
        })
    }

    fn tokens(&mut self, texts: &[String]) -> Result<Vec<TokenisedText>, ModelError> {
        let Self { name, tokeniser, runner, .. } = self;
        let tokenise = |texts: &[String]| texts.iter().map(|text| tokeniser.text(text)).collect::<Result<Vec<_>, _>>();
        let threads = runner.pool().threads();
        if texts.len() < PARALLEL_TOKENISING || threads == 1 {
            return tokenise(texts);
        }
        let chunks = runner.pool().map_chunks(texts, texts.len().div_ceil(threads), tokenise);
        let chunks = chunks.ok_or_else(|| ModelError::Compute { name: name.clone(), problem: "one of its threads failed".into() })?;
        let mut tokens = Vec::with_capacity(texts.len());
        for chunk in chunks {
            tokens.extend(chunk?);
        }
        Ok(tokens)
    }
}

impl Encoder for BertEncoder {
    fn name(&self) -> &str {
        &self.name
    }

    fn device(&self) -> String {
        self.device.clone()
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn delta(&self) -> f64 {
        self.delta
    }

    fn encode(&mut self, texts: &[String]) -> Result<Matrix, ModelError> {
        let mut tokens = self.tokens(texts)?;
        for text in tokens.iter_mut().filter(|text| !text.known) {
            // For a text without a known token the vector would only say "unknown", so such texts get a row of zeros.
            *text = TokenisedText::default();
        }
        let rows = self.runner.run(&tokens, self.dim, self.pooling, &|| false).map_err(|error| error.of(&self.name))?;
        Ok(Matrix::new(self.dim, rows).normalised())
    }

    fn encode_tokens(&mut self, texts: &[String]) -> Result<Option<Matrix>, ModelError> {
        let mut data = Vec::new();
        for text in texts {
            let (tokens, is_of_text) = self.tokeniser.marked(text)?;
            if !tokens.known {
                continue;
            }
            let rows = self.runner.rows(&tokens).map_err(|error| error.of(&self.name))?;
            let of_text = rows.chunks_exact(self.dim).zip(is_of_text).filter(|(_, is_of_text)| *is_of_text);
            data.extend(of_text.flat_map(|(row, _)| row).copied());
        }
        Ok(Some(Matrix::new(self.dim, data).normalised()))
    }
}
