//! Loads the weights of a model by their GGUF names, from any file format.

use std::borrow::Cow;

use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use candle_core::{Device, Tensor};

use super::config::{Family, TransformerConfig};
use super::quantise::to_q8_0;

/// A matrix in the format of its file: rows of blocks.
#[derive(Debug, Clone)]
pub(super) struct RawMatrix {
    /// Its GGUF name, for messages.
    pub(super) name: String,
    pub(super) kind: GgmlDType,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) data: Vec<u8>,
}

/// Bytes of `rows` rows of `columns` values, or `None` if the format cannot store them.
pub(super) fn bytes_of(kind: GgmlDType, rows: usize, columns: usize) -> Option<usize> {
    let block = kind.block_size();
    if !columns.is_multiple_of(block) {
        return None;
    }
    (columns / block).checked_mul(kind.type_size())?.checked_mul(rows)
}

impl RawMatrix {
    /// The rows from `from`, `count` of them, as a matrix of its own.
    fn slice(&self, from: usize, count: usize) -> Self {
        let row = self.data.len() / self.rows.max(1);
        Self { rows: count, data: self.data[from * row..(from + count) * row].to_vec(), ..self.clone_without_data() }
    }

    fn clone_without_data(&self) -> Self {
        Self { name: self.name.clone(), kind: self.kind, rows: self.rows, columns: self.columns, data: Vec::new() }
    }

    /// As one of candle's quantised tensors on a device.
    pub(super) fn to_candle(&self, device: &Device) -> candle_core::Result<QTensor> {
        QTensor::new(QStorage::from_data(Cow::Borrowed(&self.data), device, self.kind)?, (self.rows, self.columns))
    }

    /// Its values as 32-bit floats, row by row.
    pub(super) fn to_floats(&self) -> candle_core::Result<Vec<f32>> {
        let tensor: Tensor = self.to_candle(&Device::Cpu)?.dequantize(&Device::Cpu)?;
        tensor.flatten_all()?.to_vec1()
    }

    /// Floating-point weights as 8-bit blocks of 32 (Q8_0); others, and rows that do not divide into blocks, as they are.
    fn in_bytes(self) -> Result<Self, String> {
        let float = matches!(self.kind, GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16);
        if !float || !self.columns.is_multiple_of(32) {
            return Ok(self);
        }
        let floats = self.to_floats().map_err(|e| format!("the tensor {}: {e}", self.name))?;
        Ok(Self { kind: GgmlDType::Q8_0, data: to_q8_0(&floats), ..self.clone_without_data() })
    }
}

/// A file or folder with weights.
pub(super) trait TensorSource {
    /// A tensor by its GGUF name; one of one dimension has one row. `None` if there is none.
    ///
    /// # Errors
    /// In plain words, if it cannot be read.
    fn tensor(&mut self, name: &str) -> Result<Option<RawMatrix>, String>;
}

/// Weights of a layer, matrices in the form `M`.
#[derive(Debug)]
pub(super) struct LayerWeights<M> {
    pub(super) attention_norm: Vec<f32>,
    pub(super) q: M,
    pub(super) k: M,
    pub(super) v: M,
    pub(super) q_bias: Option<Vec<f32>>,
    pub(super) k_bias: Option<Vec<f32>>,
    pub(super) v_bias: Option<Vec<f32>>,
    pub(super) q_norm: Option<Vec<f32>>,
    pub(super) k_norm: Option<Vec<f32>>,
    pub(super) o: M,
    pub(super) post_attention_norm: Option<Vec<f32>>,
    pub(super) feed_forward_norm: Vec<f32>,
    pub(super) gate: M,
    pub(super) up: M,
    pub(super) down: M,
    pub(super) post_feed_forward_norm: Option<Vec<f32>>,
}

/// Weights of a model, matrices in the form `M`.
#[derive(Debug)]
pub(super) struct ModelWeights<M> {
    pub(super) embedding: M,
    pub(super) layers: Vec<LayerWeights<M>>,
    pub(super) output_norm: Vec<f32>,
    /// `None`: the embedding serves as output, too.
    pub(super) output: Option<M>,
}

/// Reads the weights of a model; `make` brings each matrix into its form.
pub(super) struct Loader<'a, M> {
    pub(super) source: &'a mut dyn TensorSource,
    pub(super) config: &'a TransformerConfig,
    /// Floating-point matrices become Q8_0.
    pub(super) to_q8_0: bool,
    pub(super) make: &'a dyn Fn(&RawMatrix) -> Result<M, String>,
}

impl<M> Loader<'_, M> {
    /// All weights.
    ///
    /// # Errors
    /// The tensor that is missing or has another shape than the configuration says.
    pub(super) fn load(&mut self) -> Result<ModelWeights<M>, String> {
        let (hidden, vocabulary) = (self.config.hidden, self.config.vocabulary);
        let embedding = self.matrix("token_embd.weight", vocabulary, hidden)?;
        let layers = (0..self.config.layers).map(|layer| self.layer(layer)).collect::<Result<_, _>>()?;
        let output_norm = self.vector("output_norm.weight", hidden)?;
        let output = match self.optional("output.weight", vocabulary, hidden)? {
            Some(raw) => Some(self.make(raw)?),
            None => None,
        };
        Ok(ModelWeights { embedding, layers, output_norm, output })
    }

    fn layer(&mut self, layer: usize) -> Result<LayerWeights<M>, String> {
        let TransformerConfig { hidden, heads, kv_heads, head_dim, feed_forward, family, .. } = *self.config;
        let (queries, keys) = (heads * head_dim, kv_heads * head_dim);
        let name = |part: &str| format!("blk.{layer}.{part}");
        // Some files hold queries, keys and values, or gate and up, as one matrix: rows one after another.
        let [q, k, v] = match self.optional(&name("attn_qkv.weight"), queries + 2 * keys, hidden)? {
            Some(all) => [all.slice(0, queries), all.slice(queries, keys), all.slice(queries + keys, keys)],
            None => [
                self.raw(&name("attn_q.weight"), queries, hidden)?,
                self.raw(&name("attn_k.weight"), keys, hidden)?,
                self.raw(&name("attn_v.weight"), keys, hidden)?,
            ],
        };
        let [gate, up] = match self.optional(&name("ffn_gate.weight"), feed_forward, hidden)? {
            Some(gate) => [gate, self.raw(&name("ffn_up.weight"), feed_forward, hidden)?],
            None => {
                let both = self.raw(&name("ffn_up.weight"), 2 * feed_forward, hidden)?;
                [both.slice(0, feed_forward), both.slice(feed_forward, feed_forward)]
            }
        };
        let [q_bias, k_bias, v_bias] = match self.optional_vector(&name("attn_qkv.bias"), queries + 2 * keys)? {
            Some(all) => [Some(all[..queries].to_vec()), Some(all[queries..queries + keys].to_vec()), Some(all[queries + keys..].to_vec())],
            None => [
                self.optional_vector(&name("attn_q.bias"), queries)?,
                self.optional_vector(&name("attn_k.bias"), keys)?,
                self.optional_vector(&name("attn_v.bias"), keys)?,
            ],
        };
        let weights = LayerWeights {
            attention_norm: self.vector(&name("attn_norm.weight"), hidden)?,
            q: self.make(q)?,
            k: self.make(k)?,
            v: self.make(v)?,
            q_bias,
            k_bias,
            v_bias,
            q_norm: self.optional_vector(&name("attn_q_norm.weight"), head_dim)?,
            k_norm: self.optional_vector(&name("attn_k_norm.weight"), head_dim)?,
            o: self.matrix(&name("attn_output.weight"), hidden, queries)?,
            post_attention_norm: self.optional_vector(&name("post_attention_norm.weight"), hidden)?,
            feed_forward_norm: self.vector(&name("ffn_norm.weight"), hidden)?,
            gate: self.make(gate)?,
            up: self.make(up)?,
            down: self.matrix(&name("ffn_down.weight"), hidden, feed_forward)?,
            post_feed_forward_norm: self.optional_vector(&name("post_ffw_norm.weight"), hidden)?,
        };
        let missing = match family {
            Family::Qwen2 if weights.q_bias.is_none() || weights.k_bias.is_none() || weights.v_bias.is_none() => "attn_q.bias",
            Family::Qwen3 | Family::Gemma3 if weights.q_norm.is_none() || weights.k_norm.is_none() => "attn_q_norm.weight",
            Family::Gemma3 if weights.post_attention_norm.is_none() || weights.post_feed_forward_norm.is_none() => "post_ffw_norm.weight",
            _ => return Ok(weights),
        };
        Err(format!(
            "the tensor {} (or one that belongs to it) is missing; every model of the family {} has it",
            name(missing),
            family.name()
        ))
    }

    fn make(&self, raw: RawMatrix) -> Result<M, String> {
        let raw = if self.to_q8_0 { raw.in_bytes()? } else { raw };
        (self.make)(&raw)
    }

    fn matrix(&mut self, name: &str, rows: usize, columns: usize) -> Result<M, String> {
        let raw = self.raw(name, rows, columns)?;
        self.make(raw)
    }

    fn raw(&mut self, name: &str, rows: usize, columns: usize) -> Result<RawMatrix, String> {
        self.optional(name, rows, columns)?.ok_or_else(|| format!("the tensor {name} is missing"))
    }

    fn optional(&mut self, name: &str, rows: usize, columns: usize) -> Result<Option<RawMatrix>, String> {
        let Some(raw) = self.source.tensor(name)? else { return Ok(None) };
        if (raw.rows, raw.columns) == (rows, columns) {
            return Ok(Some(raw));
        }
        Err(format!(
            "the tensor {name} has {} rows of {}; according to the model's own description it should have {rows} of {columns}",
            raw.rows, raw.columns
        ))
    }

    fn vector(&mut self, name: &str, length: usize) -> Result<Vec<f32>, String> {
        self.optional_vector(name, length)?.ok_or_else(|| format!("the tensor {name} is missing"))
    }

    fn optional_vector(&mut self, name: &str, length: usize) -> Result<Option<Vec<f32>>, String> {
        let Some(raw) = self.optional(name, 1, length)? else { return Ok(None) };
        raw.to_floats().map(Some).map_err(|e| format!("the tensor {name}: {e}"))
    }
}
