//! The same network by candle's tensors, for devices other than the processor: texts of a batch are padded to the longest.

use candle_core::{D, Device, Tensor};
use candle_nn::ops::{layer_norm, softmax_last_dim};

use super::config::{Activation, BertConfig};
use super::folder::Pooling;
use super::tokens::TokenisedText;
use super::weights::WeightFile;
use crate::model::ModelError;

pub(super) struct TensorNetwork {
    device: Device,
    heads: usize,
    head: usize,
    activation: Activation,
    first_position: u32,
    epsilon: f32,
    words: Tensor,
    positions: Tensor,
    types: Tensor,
    norm: WeightAndBias,
    layers: Vec<TensorLayer>,
}

/// Weights and bias: of a dense layer `[inputs, outputs]` and `[outputs]`, of a normalisation `[hidden]` both.
struct WeightAndBias(Tensor, Tensor);

struct TensorLayer {
    /// Query, key, value side by side.
    attention: WeightAndBias,
    mix: WeightAndBias,
    mix_norm: WeightAndBias,
    widen: WeightAndBias,
    narrow: WeightAndBias,
    narrow_norm: WeightAndBias,
}

impl WeightAndBias {
    fn dense(&self, rows: &Tensor) -> candle_core::Result<Tensor> {
        rows.broadcast_matmul(&self.0)?.broadcast_add(&self.1)
    }

    fn norm(&self, rows: &Tensor, epsilon: f32) -> candle_core::Result<Tensor> {
        layer_norm(&rows.contiguous()?, &self.0, &self.1, epsilon)
    }
}

impl TensorNetwork {
    /// Reads the weights onto the device.
    pub(super) fn load(config: &BertConfig, weights: &mut WeightFile, device: &Device) -> Result<Self, ModelError> {
        let (hidden, inner) = (config.hidden, config.intermediate);
        let tensor = |weights: &mut WeightFile, name: &str, shape: &[usize]| -> Result<Tensor, ModelError> {
            let numbers = weights.of_network(name, shape)?;
            Tensor::from_vec(numbers, shape, device).map_err(|error| weights.fails(format!("the tensor {name}: {error}")))
        };
        let norm = |weights: &mut WeightFile, name: &str| -> Result<WeightAndBias, ModelError> {
            Ok(WeightAndBias(tensor(weights, &format!("{name}.weight"), &[hidden])?, tensor(weights, &format!("{name}.bias"), &[hidden])?))
        };
        let dense = |weights: &mut WeightFile, names: &[String], outputs: usize, inputs: usize| -> Result<WeightAndBias, ModelError> {
            let mut parts = (Vec::new(), Vec::new());
            for name in names {
                parts.0.push(tensor(weights, &format!("{name}.weight"), &[outputs, inputs])?);
                parts.1.push(tensor(weights, &format!("{name}.bias"), &[outputs])?);
            }
            let joined = || -> candle_core::Result<WeightAndBias> {
                Ok(WeightAndBias(Tensor::cat(&parts.0, 0)?.t()?.contiguous()?, Tensor::cat(&parts.1, 0)?))
            };
            joined().map_err(|error| weights.fails(error.to_string()))
        };
        let mut layers = Vec::with_capacity(config.layers);
        for layer in 0..config.layers {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            let parts = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
            layers.push(TensorLayer {
                attention: dense(weights, &parts, hidden, hidden)?,
                mix: dense(weights, &[name("attention.output.dense")], hidden, hidden)?,
                mix_norm: norm(weights, &name("attention.output.LayerNorm"))?,
                widen: dense(weights, &[name("intermediate.dense")], inner, hidden)?,
                narrow: dense(weights, &[name("output.dense")], hidden, inner)?,
                narrow_norm: norm(weights, &name("output.LayerNorm"))?,
            });
        }
        let types = tensor(weights, "embeddings.token_type_embeddings.weight", &[config.types, hidden])?;
        Ok(Self {
            device: device.clone(),
            heads: config.heads,
            head: config.head(),
            activation: config.activation,
            first_position: config.first_position() as u32,
            epsilon: config.epsilon,
            words: tensor(weights, "embeddings.word_embeddings.weight", &[config.vocabulary, hidden])?,
            positions: tensor(weights, "embeddings.position_embeddings.weight", &[config.positions, hidden])?,
            types,
            norm: norm(weights, "embeddings.LayerNorm")?,
            layers,
        })
    }

    /// One row a text.
    pub(super) fn forward(&self, texts: &[&TokenisedText], pooling: Pooling) -> candle_core::Result<Vec<f32>> {
        let (rows, present) = self.states(texts)?;
        let pooled = match pooling {
            Pooling::First => rows.narrow(1, 0, 1)?.squeeze(1)?,
            Pooling::Mean => {
                let sums = rows.broadcast_mul(&present.unsqueeze(D::Minus1)?)?.sum(1)?;
                sums.broadcast_div(&present.sum_keepdim(1)?)?
            }
        };
        pooled.flatten_all()?.to_vec1()
    }

    /// One row a token of a text.
    pub(super) fn rows(&self, text: &TokenisedText) -> candle_core::Result<Vec<f32>> {
        self.states(&[text])?.0.flatten_all()?.to_vec1()
    }

    /// The vectors of all tokens, `[texts, longest, hidden]`, and which of them are there and no padding, `[texts, longest]`.
    fn states(&self, texts: &[&TokenisedText]) -> candle_core::Result<(Tensor, Tensor)> {
        let count = texts.len();
        let longest = texts.iter().map(|text| text.ids.len()).max().unwrap_or(0);
        let (mut ids, mut types, mut present) = (Vec::new(), Vec::new(), Vec::new());
        for text in texts {
            let own = text.ids.len();
            ids.extend(text.ids.iter().copied().chain(std::iter::repeat_n(0, longest - own)));
            types.extend(text.types.iter().copied().chain(std::iter::repeat_n(0, longest - own)));
            present.extend((0..longest).map(|place| if place < own { 1f32 } else { 0.0 }));
        }
        let positions: Vec<u32> = (0..longest as u32).map(|place| self.first_position + place).collect();
        let look_up = |table: &Tensor, rows: Vec<u32>| {
            let rows = Tensor::from_vec(rows.clone(), rows.len(), &self.device)?;
            table.index_select(&rows, 0)
        };
        let hidden = self.heads * self.head;
        let words = (look_up(&self.words, ids)? + look_up(&self.types, types)?)?.reshape((count, longest, hidden))?;
        let mut rows = self.norm.norm(&words.broadcast_add(&look_up(&self.positions, positions)?)?, self.epsilon)?;
        let present = Tensor::from_vec(present, (count, longest), &self.device)?;
        // Nothing for what is there, a large negative number for padding.
        let mask = present.affine(1e9, -1e9)?.reshape((count, 1, 1, longest))?;
        for layer in &self.layers {
            let attended = self.attend(layer, &rows, &mask)?;
            rows = layer.mix_norm.norm(&(rows + layer.mix.dense(&attended)?)?, self.epsilon)?;
            let inner = layer.widen.dense(&rows)?;
            let inner = match self.activation {
                Activation::Gelu => inner.gelu_erf()?,
                Activation::Relu => inner.relu()?,
            };
            rows = layer.narrow_norm.norm(&(rows + layer.narrow.dense(&inner)?)?, self.epsilon)?;
        }
        Ok((rows, present))
    }

    fn attend(&self, layer: &TensorLayer, rows: &Tensor, mask: &Tensor) -> candle_core::Result<Tensor> {
        let (count, longest, hidden) = rows.dims3()?;
        let all = layer.attention.dense(rows)?.reshape((count, longest, 3, self.heads, self.head))?;
        let part = |i: usize| all.narrow(2, i, 1)?.squeeze(2)?.transpose(1, 2)?.contiguous();
        let (query, key, value) = (part(0)?, part(1)?, part(2)?);
        let scores = (query.matmul(&key.t()?)? * (1.0 / (self.head as f64).sqrt()))?.broadcast_add(mask)?;
        let attended = softmax_last_dim(&scores)?.matmul(&value)?;
        attended.transpose(1, 2)?.contiguous()?.reshape((count, longest, hidden))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::model::infer::bert::all_gather::AllGather;
    use crate::model::infer::bert::folder::ModelFolder;
    use crate::model::infer::bert::network::{Network, Workspace};

    /// A model with random weights in a folder.
    fn written(folder: &std::path::Path) -> (BertConfig, WeightFile) {
        let config = r#"{"model_type": "bert", "vocab_size": 20, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2,
            "intermediate_size": 40, "max_position_embeddings": 16, "type_vocab_size": 2}"#;
        std::fs::write(folder.join("config.json"), config).expect("a file");
        let mut tensors = HashMap::new();
        let mut add = |name: &str, shape: &[usize]| {
            tensors.insert(name.to_owned(), Tensor::randn(0f32, 0.5, shape, &Device::Cpu).expect("a tensor"));
        };
        add("embeddings.word_embeddings.weight", &[20, 24]);
        add("embeddings.position_embeddings.weight", &[16, 24]);
        add("embeddings.token_type_embeddings.weight", &[2, 24]);
        let mut dense = |name: &str, weight: &[usize]| {
            add(&format!("{name}.weight"), weight);
            add(&format!("{name}.bias"), &weight[..1]);
        };
        dense("embeddings.LayerNorm", &[24]);
        for layer in 0..2 {
            for part in ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"] {
                dense(&format!("encoder.layer.{layer}.{part}"), &[24, 24]);
            }
            for part in ["attention.output.LayerNorm", "output.LayerNorm"] {
                dense(&format!("encoder.layer.{layer}.{part}"), &[24]);
            }
            dense(&format!("encoder.layer.{layer}.intermediate.dense"), &[40, 24]);
            dense(&format!("encoder.layer.{layer}.output.dense"), &[24, 40]);
        }
        candle_core::safetensors::save(&tensors, folder.join("model.safetensors")).expect("weights can be written");
        let folder = ModelFolder::at(folder).expect("a folder");
        (BertConfig::read(&folder).expect("a configuration"), WeightFile::open(&folder).expect("weights"))
    }

    #[test]
    fn padded_tensors_and_unpadded_rows_come_to_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let (config, mut weights) = written(folder.path());
        let network = Network::load(&config, &mut weights).expect("loads");
        let tensors = TensorNetwork::load(&config, &mut weights, &Device::Cpu).expect("loads");
        let text = |ids: &[u32]| TokenisedText { ids: ids.to_vec(), types: ids.iter().map(|id| id % 2).collect(), known: true };
        let texts = [text(&[2, 5, 6, 7, 8, 9, 3]), text(&[2, 11, 3]), text(&[2, 3, 4, 19, 3])];
        let texts: Vec<&TokenisedText> = texts.iter().collect();
        let (mut workspace, alone) = (Workspace::default(), AllGather::new(1));
        let rows = network.forward(&texts, &alone.rank(0), &mut workspace).expect("computes").to_vec();
        // Bit for bit, also with more threads than heads and panels.
        for size in [2, 3, 7] {
            let shared = AllGather::new(size);
            std::thread::scope(|scope| {
                for index in 0..size {
                    let (shared, network, texts, rows) = (&shared, &network, &texts, &rows);
                    scope.spawn(move || {
                        let mut workspace = Workspace::default();
                        assert_eq!(network.forward(texts, &shared.rank(index), &mut workspace).expect("computes"), &rows[..]);
                    });
                }
            });
        }
        let first = tensors.forward(&texts, Pooling::First).expect("computes");
        let mean = tensors.forward(&texts, Pooling::Mean).expect("computes");
        let mut begin = 0;
        for (i, text) in texts.iter().enumerate() {
            let count = text.ids.len();
            let own = tensors.rows(text).expect("computes");
            assert_eq!(own.len(), count * 24);
            assert!(own.iter().zip(&rows[begin * 24..]).all(|(a, b)| (a - b).abs() < 1e-4));
            for column in 0..24 {
                let of_token = |token: usize| rows[(begin + token) * 24 + column];
                assert!((of_token(0) - first[i * 24 + column]).abs() < 1e-4);
                let sum: f32 = (0..count).map(of_token).sum();
                assert!((sum / count as f32 - mean[i * 24 + column]).abs() < 1e-4);
            }
            begin += count;
        }
    }
}
