//! The forward pass with candle's operations, on any device: the reference for our own kernels.

use candle_core::quantized::{GgmlDType, QMatMul};
use candle_core::{D, DType, Device, Module, Result, Tensor};

use super::Forward;
use super::config::TransformerConfig;
use super::rope::Rope;
use super::source::{LayerWeights, ModelWeights, RawMatrix};

/// Positions by which the cache of keys and values grows.
const STEP: usize = 256;

/// Layers that a card is ordered to compute for a part of a prompt before it is waited for: some ten milliseconds for 7B.
const LAYERS_AHEAD: usize = 4;

/// A matrix that vectors are multiplied with.
#[derive(Debug)]
pub(super) enum TensorMatrix {
    /// Quantised blocks.
    Blocks(QMatMul),
    /// Floats, transposed for multiplication.
    Floats(Tensor),
}

impl TensorMatrix {
    /// Copies a matrix to a device. Half-precision floats are kept, except on a processor, which multiplies them slowly.
    pub(super) fn new(raw: &RawMatrix, device: &Device) -> std::result::Result<Self, String> {
        let made = || {
            let stored = match raw.kind {
                GgmlDType::F32 => DType::F32,
                GgmlDType::F16 => DType::F16,
                GgmlDType::BF16 => DType::BF16,
                _ => return Ok(Self::Blocks(QMatMul::from_qtensor(raw.to_candle(device)?)?)),
            };
            // As they are: by way of candle's quantised tensors they would travel to a card as 32-bit floats, and be converted here one by one.
            let tensor = Tensor::from_raw_buffer(&raw.data, stored, &[raw.rows, raw.columns], device)?;
            Ok(Self::Floats(if device.is_cpu() { tensor.to_dtype(DType::F32)? } else { tensor }))
        };
        made().map_err(|e: candle_core::Error| format!("the tensor {}: {e}", raw.name))
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Blocks(matrix) => matrix.forward(x),
            Self::Floats(matrix) => x.to_dtype(matrix.dtype())?.matmul(&matrix.t()?)?.to_dtype(DType::F32),
        }
    }

    fn rows(&self, ids: &Tensor) -> Result<Tensor> {
        match self {
            Self::Blocks(matrix) => matrix.embedding(ids),
            Self::Floats(matrix) => matrix.index_select(ids, 0)?.to_dtype(DType::F32),
        }
    }
}

#[derive(Debug)]
struct TensorLayer {
    weights: LayerWeights<TensorMatrix>,
    norms: Norms,
    window: Option<usize>,
    /// Keys and values, `[kv_heads, room, head_dim]`.
    keys: Option<Tensor>,
    values: Option<Tensor>,
}

/// Vectors of a layer as tensors on the device.
#[derive(Debug)]
struct Norms {
    attention: Tensor,
    q_bias: Option<Tensor>,
    k_bias: Option<Tensor>,
    v_bias: Option<Tensor>,
    q: Option<Tensor>,
    k: Option<Tensor>,
    post_attention: Option<Tensor>,
    feed_forward: Tensor,
    post_feed_forward: Option<Tensor>,
}

/// The rotation of layers that share one: cosines and sines of the positions so far, on the device, so that a step copies none there.
struct Rotation {
    rope: Rope,
    /// `[positions, rotary_dim / 2]` each.
    table: Option<(Tensor, Tensor)>,
}

impl Rotation {
    /// Cosines and sines of the positions from `position`.
    fn rows(&mut self, position: usize, count: usize, device: &Device) -> Result<(Tensor, Tensor)> {
        let end = position + count;
        let (cos, sin) = match self.table.take() {
            Some((cos, sin)) if cos.dim(0)? >= end => (cos, sin),
            _ => {
                self.rope.grow(end);
                let rows = self.rope.positions();
                let (cos, sin) = self.rope.rows(0, rows);
                let shape = (rows, self.rope.half());
                (Tensor::from_slice(cos, shape, device)?, Tensor::from_slice(sin, shape, device)?)
            }
        };
        let rows = (cos.narrow(0, position, count)?, sin.narrow(0, position, count)?);
        self.table = Some((cos, sin));
        Ok(rows)
    }
}

/// The positions that some tokens, from `position` on, see in layers with the same window.
struct Sight {
    window: Option<usize>,
    /// The first position that any of them sees.
    from: usize,
    /// What each of them sees; `None` for one token, which sees all from `from` on.
    mask: Option<Tensor>,
}

impl Sight {
    fn new(window: Option<usize>, position: usize, count: usize, device: &Device) -> Result<Self> {
        let from = window.map_or(0, |window| (position + 1).saturating_sub(window));
        let mask = if count > 1 { Some(mask(position, count, from, window, device)?) } else { None };
        Ok(Self { window, from, mask })
    }
}

/// A model computed by candle.
pub(super) struct TensorForward {
    config: TransformerConfig,
    device: Device,
    embedding: TensorMatrix,
    layers: Vec<TensorLayer>,
    output_norm: Tensor,
    output: Option<TensorMatrix>,
    rotation: Rotation,
    local_rotation: Option<Rotation>,
    /// On a processor candle computes in this pool of rayon, not in the global one, whose threads may be waiting for this model.
    pool: Option<rayon::ThreadPool>,
    logits: Vec<f32>,
}

impl TensorForward {
    pub(super) fn new(
        config: &TransformerConfig,
        weights: ModelWeights<TensorMatrix>,
        device: &Device,
        threads: usize,
    ) -> std::result::Result<Self, String> {
        let (rope, local_rope) = Rope::of(config);
        let rotation = |rope| Rotation { rope, table: None };
        let pool = if device.is_cpu() {
            Some(rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| format!("no threads: {e}"))?)
        } else {
            None
        };
        let made = || {
            let vector = |v: &Vec<f32>| Tensor::from_slice(v, v.len(), device);
            let maybe = |v: &Option<Vec<f32>>| v.as_ref().map(vector).transpose();
            let mut layers = Vec::with_capacity(weights.layers.len());
            for (weights, window) in weights.layers.into_iter().zip(&config.windows) {
                let norms = Norms {
                    attention: vector(&weights.attention_norm)?,
                    q_bias: maybe(&weights.q_bias)?,
                    k_bias: maybe(&weights.k_bias)?,
                    v_bias: maybe(&weights.v_bias)?,
                    q: maybe(&weights.q_norm)?,
                    k: maybe(&weights.k_norm)?,
                    post_attention: maybe(&weights.post_attention_norm)?,
                    feed_forward: vector(&weights.feed_forward_norm)?,
                    post_feed_forward: maybe(&weights.post_feed_forward_norm)?,
                };
                layers.push(TensorLayer { weights, norms, window: *window, keys: None, values: None });
            }
            Ok(Self {
                config: config.clone(),
                device: device.clone(),
                embedding: weights.embedding,
                layers,
                output_norm: vector(&weights.output_norm)?,
                output: weights.output,
                rotation: rotation(rope),
                local_rotation: local_rope.map(rotation),
                pool,
                logits: Vec::new(),
            })
        };
        made().map_err(|e: candle_core::Error| e.to_string())
    }

    fn compute(&mut self, tokens: &[u32], position: usize, wanted: bool, go_on: &mut dyn FnMut() -> bool) -> Result<Option<Vec<f32>>> {
        let count = tokens.len();
        let global = self.rotation.rows(position, count, &self.device)?;
        let local = match &mut self.local_rotation {
            Some(rotation) => Some(rotation.rows(position, count, &self.device)?),
            None => None,
        };
        // One for each window, as layers share them: there are two at most.
        let mut sights: Vec<Sight> = Vec::new();
        let config = &self.config;
        let ids = Tensor::from_slice(tokens, count, &self.device)?;
        let mut x = (self.embedding.rows(&ids)? * f64::from(config.embedding_scale))?;
        for (number, layer) in self.layers.iter_mut().enumerate() {
            // A card takes orders ahead: it is waited for now and then, or "no" would be heard only when all of a prompt is read.
            if count > 1 && number.is_multiple_of(LAYERS_AHEAD) {
                self.device.synchronize()?;
            }
            if !go_on() {
                return Ok(None);
            }
            let rotation = if layer.window.is_some() { local.as_ref().unwrap_or(&global) } else { &global };
            let known = sights.iter().position(|sight| sight.window == layer.window);
            let sight = match known {
                Some(number) => number,
                None => {
                    sights.push(Sight::new(layer.window, position, count, &self.device)?);
                    sights.len() - 1
                }
            };
            let h = norm(&x, &layer.norms.attention, config.epsilon)?;
            let h = layer.attend(config, &h, position, (rotation, &sights[sight]))?;
            let h = maybe_norm(h, layer.norms.post_attention.as_ref(), config.epsilon)?;
            x = (x + h)?;
            let h = norm(&x, &layer.norms.feed_forward, config.epsilon)?;
            let gate = layer.weights.gate.forward(&h)?;
            let gate = if config.gelu { gate.gelu()? } else { gate.silu()? };
            let h = layer.weights.down.forward(&(gate * layer.weights.up.forward(&h)?)?)?;
            let h = maybe_norm(h, layer.norms.post_feed_forward.as_ref(), config.epsilon)?;
            x = (x + h)?;
        }
        if !wanted {
            return Ok(Some(Vec::new()));
        }
        let last = norm(&x.narrow(0, count - 1, 1)?.contiguous()?, &self.output_norm, config.epsilon)?;
        let logits = self.output.as_ref().unwrap_or(&self.embedding).forward(&last)?;
        cap(logits, config.logit_cap)?.flatten_all()?.to_vec1().map(Some)
    }
}

impl Forward for TensorForward {
    fn forward(
        &mut self,
        tokens: &[u32],
        position: usize,
        wanted: bool,
        go_on: &mut dyn FnMut() -> bool,
    ) -> std::result::Result<Option<&[f32]>, String> {
        let logits = match self.pool.take() {
            Some(pool) => {
                // Only what may be sent to another thread can be asked there: the answer is fetched before.
                let going = go_on();
                let logits = pool.install(|| self.compute(tokens, position, wanted, &mut || going));
                self.pool = Some(pool);
                logits
            }
            None => self.compute(tokens, position, wanted, go_on),
        };
        match logits.map_err(|e| e.to_string())? {
            Some(logits) => {
                self.logits = logits;
                Ok(Some(&self.logits))
            }
            None => Ok(None),
        }
    }

    fn portion(&self) -> usize {
        if self.device.is_cpu() { 32 } else { 512 }
    }
}

impl TensorLayer {
    fn attend(
        &mut self,
        config: &TransformerConfig,
        x: &Tensor,
        position: usize,
        (rotation, sight): (&(Tensor, Tensor), &Sight),
    ) -> Result<Tensor> {
        let count = x.dim(0)?;
        let heads = |matrix: &TensorMatrix, bias: Option<&Tensor>, heads: usize| -> Result<Tensor> {
            let y = matrix.forward(x)?;
            let y = bias.map_or(Ok(y.clone()), |bias| y.broadcast_add(bias))?;
            y.reshape((count, heads, config.head_dim))?.transpose(0, 1)?.contiguous()
        };
        let q = heads(&self.weights.q, self.norms.q_bias.as_ref(), config.heads)?;
        let k = heads(&self.weights.k, self.norms.k_bias.as_ref(), config.kv_heads)?;
        let v = heads(&self.weights.v, self.norms.v_bias.as_ref(), config.kv_heads)?;
        let q = rotate(config, &maybe_norm(q, self.norms.q.as_ref(), config.epsilon)?, rotation)?;
        let k = rotate(config, &maybe_norm(k, self.norms.k.as_ref(), config.epsilon)?, rotation)?;
        // A product takes rows that are not all there: what is seen need not be copied out of the room that was made for more.
        let seen = position + count - sight.from;
        let k = keep(&mut self.keys, &k, position)?.narrow(1, sight.from, seen)?;
        let v = keep(&mut self.values, &v, position)?.narrow(1, sight.from, seen)?;
        // Query heads of one key-value head side by side: [kv_heads, shared * count, head_dim].
        let shared = config.heads / config.kv_heads;
        let q = q.reshape((config.kv_heads, shared * count, config.head_dim))?;
        let scores = (q.matmul(&k.transpose(1, 2)?)? * f64::from(config.attention_scale))?;
        let scores = cap(scores, config.attention_cap)?.reshape((config.kv_heads, shared, count, seen))?;
        let scores = match &sight.mask {
            Some(mask) => scores.broadcast_add(mask)?,
            None => scores,
        };
        let weights = candle_nn::ops::softmax_last_dim(&scores)?.reshape((config.kv_heads, shared * count, seen))?;
        let y = weights.matmul(&v)?.reshape((config.heads, count, config.head_dim))?;
        self.weights.o.forward(&y.transpose(0, 1)?.contiguous()?.reshape((count, config.heads * config.head_dim))?)
    }
}

/// 0 where a position is seen, −∞ where not: a row for each token, a column for each position from `from` on.
fn mask(position: usize, count: usize, from: usize, window: Option<usize>, device: &Device) -> Result<Tensor> {
    let columns = position + count - from;
    let mut mask = vec![f32::NEG_INFINITY; count * columns];
    for (row, seen) in mask.chunks_exact_mut(columns).enumerate() {
        let at = position + row;
        let first = window.map_or(0, |window| (at + 1).saturating_sub(window));
        seen[first - from..=at - from].fill(0.0);
    }
    Tensor::from_vec(mask, (count, columns), device)
}

/// Writes keys or values of the positions from `position`; returns the tensor with all positions, grown if needed.
fn keep(room: &mut Option<Tensor>, new: &Tensor, position: usize) -> Result<Tensor> {
    let (heads, count, dim) = new.dims3()?;
    let needed = position + count;
    let held = match room.take() {
        Some(held) if held.dim(1)? >= needed => held,
        held => {
            let grown = Tensor::zeros((heads, needed.next_multiple_of(STEP), dim), DType::F32, new.device())?;
            if let Some(held) = held.filter(|_| position > 0) {
                grown.slice_set(&held.narrow(1, 0, position.min(held.dim(1)?))?.contiguous()?, 1, 0)?;
            }
            grown
        }
    };
    held.slice_set(&new.contiguous()?, 1, position)?;
    *room = Some(held.clone());
    Ok(held)
}

/// Rotates the first components of each head, `[heads, count, head_dim]`.
fn rotate(config: &TransformerConfig, x: &Tensor, (cos, sin): &(Tensor, Tensor)) -> Result<Tensor> {
    let turn = |x: &Tensor| {
        let x = x.unsqueeze(0)?.contiguous()?;
        let turned =
            if config.interleaved { candle_nn::rotary_emb::rope_i(&x, cos, sin) } else { candle_nn::rotary_emb::rope(&x, cos, sin) };
        turned?.squeeze(0)
    };
    if config.rotary_dim == config.head_dim {
        return turn(x);
    }
    let turned = turn(&x.narrow(D::Minus1, 0, config.rotary_dim)?)?;
    let rest = x.narrow(D::Minus1, config.rotary_dim, config.head_dim - config.rotary_dim)?;
    Tensor::cat(&[&turned, &rest], D::Minus1)
}

fn norm(x: &Tensor, weight: &Tensor, epsilon: f32) -> Result<Tensor> {
    candle_nn::ops::rms_norm(&x.contiguous()?, weight, epsilon)
}

fn maybe_norm(x: Tensor, weight: Option<&Tensor>, epsilon: f32) -> Result<Tensor> {
    weight.map_or(Ok(x.clone()), |weight| norm(&x, weight, epsilon))
}

/// Squashes values to ± `cap`.
fn cap(x: Tensor, cap: Option<f32>) -> Result<Tensor> {
    match cap {
        None => Ok(x),
        Some(cap) => (x / f64::from(cap))?.tanh()? * f64::from(cap),
    }
}
