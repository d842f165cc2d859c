//! A sentence encoder: texts to unit vectors.

use std::num::NonZero;
use std::path::Path;
use std::thread;

use candle_core::Device;

use super::compute::Engine;
use super::config::Config;
use super::device_name;
use super::folder::{Folder, Pooling};
use super::tokens::{Tokeniser, Tokens};
use super::weights::Weights;
use crate::model::{Encoder, Matrix, ModelError};

/// δ of encoders for which nothing else is known: HyKGE's for GTE (2025, A.2.3).
const DELTA: f64 = 0.7;

/// δ of encoders that were measured, by a part of the name they were trained under and their components.
///
/// MiniLM: `benches/encoder_throughput/calibrate.py` links 12,045 synonyms of the Disease Ontology to its 6,874 names, each once as it is and once as a
/// near-miss, its own term taken away. F1 of links is best, 0.460, from 0.80 to 0.825 (0.431 at 0.7); the lower one loses fewer mentions.
const CALIBRATED: [(&str, usize, f64); 1] = [("minilm-l6-h384", 384, 0.8)];

/// From so many texts on, threads share the cutting into tokens.
const TOKENS_IN_PARALLEL: usize = 32;

/// A sentence encoder of the BERT family, from a folder of files.
pub(super) struct BertEncoder {
    name: String,
    device: String,
    tokeniser: Tokeniser,
    engine: Engine,
    dim: usize,
    pooling: Pooling,
    delta: f64,
}

impl BertEncoder {
    pub(super) fn open(folder: &Path, device: &Device) -> Result<Self, ModelError> {
        let folder = Folder::at(folder)?;
        let config = Config::read(&folder)?;
        let sentences = folder.sentences(config.hidden)?;
        let limit = sentences.max_seq_length.unwrap_or(usize::MAX).min(config.most_tokens());
        let tokeniser = Tokeniser::load(&folder, &config, limit)?;
        let engine = Engine::load(&config, &mut Weights::open(&folder)?, device)?;
        let origin = config.origin.to_lowercase();
        let calibrated = CALIBRATED.iter().find(|(part, dim, _)| origin.contains(part) && *dim == config.hidden).map(|known| known.2);
        Ok(Self {
            name: folder.name,
            device: device_name(device),
            tokeniser,
            engine,
            dim: config.hidden,
            pooling: sentences.pooling,
            delta: sentences.delta.or(calibrated).unwrap_or(DELTA),
        })
    }

    fn tokens(&self, texts: &[String]) -> Result<Vec<Tokens>, ModelError> {
        let cut = |texts: &[String]| texts.iter().map(|text| self.tokeniser.text(text)).collect::<Result<Vec<_>, _>>();
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        if texts.len() < TOKENS_IN_PARALLEL || threads == 1 {
            return cut(texts);
        }
        let parts: Vec<_> = thread::scope(|scope| {
            let started: Vec<_> = texts.chunks(texts.len().div_ceil(threads)).map(|part| scope.spawn(move || cut(part))).collect();
            started.into_iter().map(thread::ScopedJoinHandle::join).collect()
        });
        let mut tokens = Vec::with_capacity(texts.len());
        for part in parts {
            tokens.extend(part.map_err(|_| ModelError::Compute { name: self.name.clone(), problem: "one of its threads failed".into() })??);
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
            // Of a text of which the model knows nothing it could only say that it knows nothing.
            *text = Tokens::default();
        }
        let rows = self.engine.run(&tokens, self.dim, self.pooling, &|| false).map_err(|stop| stop.of(&self.name))?;
        Ok(Matrix::new(self.dim, rows).normalised())
    }

    fn encode_tokens(&mut self, texts: &[String]) -> Result<Option<Matrix>, ModelError> {
        let mut data = Vec::new();
        for text in texts {
            let (tokens, is_of_text) = self.tokeniser.marked(text)?;
            if !tokens.known {
                continue;
            }
            let rows = self.engine.rows(&tokens).map_err(|stop| stop.of(&self.name))?;
            let of_text = rows.chunks_exact(self.dim).zip(is_of_text).filter(|(_, is_of_text)| *is_of_text);
            data.extend(of_text.flat_map(|(row, _)| row).copied());
        }
        Ok(Some(Matrix::new(self.dim, data).normalised()))
    }
}
