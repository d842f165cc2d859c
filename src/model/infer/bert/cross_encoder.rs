//! A cross-encoder: two texts read together, to one number (Nogueira and Cho 2019, "Passage re-ranking with BERT").

use std::path::Path;

use candle_core::Device;

use super::config::{BertConfig, BertFamily};
use super::folder::{ModelFolder, Pooling};
use super::kernel::{DenseLayer, StridedRows};
use super::runner::NetworkRunner;
use super::tokens::Tokeniser;
use super::weights::WeightFile;
use crate::model::infer::device_name;
use crate::model::{Matrix, ModelError, Reranker, dot};

/// Pairs that are tokenised before they are computed: limits the memory.
const PORTION: usize = 1024;

/// A cross-encoder of the BERT family with one logit, from a folder of files.
pub(super) struct CrossEncoder {
    name: String,
    device: String,
    tokeniser: Tokeniser,
    runner: NetworkRunner,
    hidden: usize,
    /// The layers after the network: a dense layer with tanh over the first token, and the weights and bias of the logit.
    dense: DenseLayer,
    logit: Vec<f32>,
    bias: f32,
}

impl CrossEncoder {
    pub(super) fn open(folder: &Path, device: &Device) -> Result<Self, ModelError> {
        let folder = ModelFolder::at(folder)?;
        let config = BertConfig::read(&folder)?;
        let tokeniser = Tokeniser::load(&folder, &config, config.most_tokens())?;
        let mut weights = WeightFile::open(&folder)?;
        let hidden = config.hidden;
        let (weight, bias, name) = match config.family {
            BertFamily::Bert => {
                let weight = weights.of_network("pooler.dense.weight", &[hidden, hidden])?;
                (weight, weights.of_network("pooler.dense.bias", &[hidden])?, "classifier")
            }
            BertFamily::Roberta => {
                let weight = weights.whole("classifier.dense.weight", &[hidden, hidden])?;
                (weight, weights.whole("classifier.dense.bias", &[hidden])?, "classifier.out_proj")
            }
        };
        let logit = weights.whole(&format!("{name}.weight"), &[1, hidden])?;
        let logit_bias = weights.whole(&format!("{name}.bias"), &[1])?;
        Ok(Self {
            device: device_name(device),
            tokeniser,
            runner: NetworkRunner::load(&config, &mut weights, device)?,
            hidden,
            dense: DenseLayer::new(hidden, hidden, |output, input| weight[output * hidden + input], |output| bias[output]),
            logit,
            bias: logit_bias.first().copied().unwrap_or(0.0),
            name: folder.name,
        })
    }

    /// Relevance of each pair, 0 to 1.
    fn relevance(&mut self, pairs: &[(&str, &str)], cancelled: &dyn Fn() -> bool) -> Result<Vec<f32>, ModelError> {
        let tokens = pairs.iter().map(|(query, document)| self.tokeniser.pair(query, document)).collect::<Result<Vec<_>, _>>()?;
        let rows = self.runner.run(&tokens, self.hidden, Pooling::First, cancelled).map_err(|error| error.of(&self.name))?;
        let mut inner = Vec::new();
        self.dense.apply(
            StridedRows { numbers: &rows, stride: self.hidden, count: pairs.len() },
            0..self.dense.panels(),
            None,
            &mut inner,
            &mut Vec::new(),
        );
        for x in &mut inner {
            *x = x.tanh();
        }
        let stride = inner.len() / pairs.len().max(1);
        let logit = |row: &[f32]| dot(&row[..self.hidden], &self.logit) + self.bias;
        Ok(inner.chunks_exact(stride.max(1)).map(|row| 1.0 / (1.0 + (-logit(row)).exp())).collect())
    }
}

impl Reranker for CrossEncoder {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "candle"
    }

    fn device(&self) -> String {
        self.device.clone()
    }

    fn score(&mut self, queries: &[String], documents: &[String], cancelled: &dyn Fn() -> bool) -> Result<Matrix, ModelError> {
        let pairs: Vec<(&str, &str)> =
            queries.iter().flat_map(|query| documents.iter().map(move |document| (query.as_str(), document.as_str()))).collect();
        let mut scores = Vec::with_capacity(pairs.len());
        for portion in pairs.chunks(PORTION) {
            if cancelled() {
                return Err(ModelError::Cancelled);
            }
            scores.extend(self.relevance(portion, cancelled)?);
        }
        Ok(Matrix::new(documents.len(), scores))
    }
}
