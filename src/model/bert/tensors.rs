//! The same network by candle's tensors, for devices other than the processor: texts of a batch are padded to the longest.

use candle_core::{D, Device, Tensor};
use candle_nn::ops::{layer_norm, softmax_last_dim};

use super::config::{Activation, Config};
use super::folder::Pooling;
use super::tokens::Tokens;
use super::weights::Weights;
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
    norm: Pair,
    layers: Vec<Layer>,
}

/// Weights and bias: of a dense layer `[inputs, outputs]` and `[outputs]`, of a normalisation `[hidden]` both.
struct Pair(Tensor, Tensor);

struct Layer {
    /// Query, key, value side by side.
    attention: Pair,
    mix: Pair,
    mix_norm: Pair,
    widen: Pair,
    narrow: Pair,
    narrow_norm: Pair,
}

impl Pair {
    fn dense(&self, rows: &Tensor) -> candle_core::Result<Tensor> {
        rows.broadcast_matmul(&self.0)?.broadcast_add(&self.1)
    }

    fn norm(&self, rows: &Tensor, epsilon: f32) -> candle_core::Result<Tensor> {
        layer_norm(&rows.contiguous()?, &self.0, &self.1, epsilon)
    }
}

impl TensorNetwork {
    /// Reads the weights onto the device.
    pub(super) fn load(config: &Config, weights: &mut Weights, device: &Device) -> Result<Self, ModelError> {
        let (hidden, inner) = (config.hidden, config.intermediate);
        let tensor = |weights: &mut Weights, name: &str, shape: &[usize]| -> Result<Tensor, ModelError> {
            let numbers = weights.of_network(name, shape)?;
            Tensor::from_vec(numbers, shape, device).map_err(|error| weights.fails(format!("the tensor {name}: {error}")))
        };
        let norm = |weights: &mut Weights, name: &str| -> Result<Pair, ModelError> {
            Ok(Pair(tensor(weights, &format!("{name}.weight"), &[hidden])?, tensor(weights, &format!("{name}.bias"), &[hidden])?))
        };
        let dense = |weights: &mut Weights, names: &[String], outputs: usize, inputs: usize| -> Result<Pair, ModelError> {
            let mut parts = (Vec::new(), Vec::new());
            for name in names {
                parts.0.push(tensor(weights, &format!("{name}.weight"), &[outputs, inputs])?);
                parts.1.push(tensor(weights, &format!("{name}.bias"), &[outputs])?);
            }
            let joined =
                || -> candle_core::Result<Pair> { Ok(Pair(Tensor::cat(&parts.0, 0)?.t()?.contiguous()?, Tensor::cat(&parts.1, 0)?)) };
            joined().map_err(|error| weights.fails(error.to_string()))
        };
        let mut layers = Vec::with_capacity(config.layers);
        for layer in 0..config.layers {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            let parts = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
            layers.push(Layer {
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
    pub(super) fn forward(&self, texts: &[&Tokens], pooling: Pooling) -> candle_core::Result<Vec<f32>> {
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
        let pooled = match pooling {
            Pooling::First => rows.narrow(1, 0, 1)?.squeeze(1)?,
            Pooling::Mean => {
                let sums = rows.broadcast_mul(&present.unsqueeze(D::Minus1)?)?.sum(1)?;
                sums.broadcast_div(&present.sum_keepdim(1)?)?
            }
        };
        pooled.flatten_all()?.to_vec1()
    }

    fn attend(&self, layer: &Layer, rows: &Tensor, mask: &Tensor) -> candle_core::Result<Tensor> {
        let (count, longest, hidden) = rows.dims3()?;
        let all = layer.attention.dense(rows)?.reshape((count, longest, 3, self.heads, self.head))?;
        let part = |i: usize| all.narrow(2, i, 1)?.squeeze(2)?.transpose(1, 2)?.contiguous();
        let (query, key, value) = (part(0)?, part(1)?, part(2)?);
        let scores = (query.matmul(&key.t()?)? * (1.0 / (self.head as f64).sqrt()))?.broadcast_add(mask)?;
        let attended = softmax_last_dim(&scores)?.matmul(&value)?;
        attended.transpose(1, 2)?.contiguous()?.reshape((count, longest, hidden))
    }
}
