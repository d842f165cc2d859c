//! The shape of a decoder-only transformer: one description for all families and file formats.

/// Limits on the claims of a file: far above any model for one machine, far below values that could overflow.
const MOST_LAYERS: usize = 512;
const MOST_HEADS: usize = 1024;
const MOST_WIDTH: usize = 1 << 20;
const MOST_TOKENS: usize = 1 << 22;
const MOST_CONTEXT: usize = 1 << 24;

/// A family of models: families differ in the names of tensors, the order of rotary pairs and the format of conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Qwen2,
    Qwen3,
    Llama,
    Gemma3,
    Phi3,
}

impl Family {
    /// By `general.architecture` of a GGUF file or `model_type` of a `config.json`.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "qwen2" => Self::Qwen2,
            "qwen3" => Self::Qwen3,
            "llama" => Self::Llama,
            "gemma3" => Self::Gemma3,
            "phi3" => Self::Phi3,
            _ => return None,
        })
    }

    /// Its name in files.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Qwen2 => "qwen2",
            Self::Qwen3 => "qwen3",
            Self::Llama => "llama",
            Self::Gemma3 => "gemma3",
            Self::Phi3 => "phi3",
        }
    }
}

/// The rotary embeddings as the file specifies them; [`super::rope`] computes the frequencies.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RopeConfig {
    /// Base of the frequencies.
    pub(super) theta: f64,
    /// How frequencies are stretched.
    pub(super) scaling: RopeScaling,
}

/// How rotary frequencies are stretched for long contexts.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RopeScaling {
    /// As they are.
    None,
    /// All divided by one factor.
    Linear(f64),
    /// Llama 3.1's rule: low frequencies divided, high ones kept, a ramp in between.
    Llama3 { factor: f64, low: f64, high: f64, original: usize },
    /// Each divided by a factor of its own, from a tensor of the file; cosines and sines times `magnitude` (LongRoPE, rope_freqs).
    Factors { factors: Vec<f32>, magnitude: f32 },
}

/// The shape of a model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TransformerConfig {
    pub(super) family: Family,
    /// Tokens of the vocabulary.
    pub(super) vocabulary: usize,
    /// Components of a hidden state.
    pub(super) hidden: usize,
    pub(super) layers: usize,
    /// Query heads.
    pub(super) heads: usize,
    /// Heads of keys and values; each serves `heads / kv_heads` query heads.
    pub(super) kv_heads: usize,
    /// Components of a head.
    pub(super) head_dim: usize,
    /// Components within the feed-forward part.
    pub(super) feed_forward: usize,
    /// The model's own limit of tokens.
    pub(super) context: usize,
    /// Added to the mean square in RMS normalisation.
    pub(super) epsilon: f32,
    /// Components of a head that are rotated; the rest are left as they are.
    pub(super) rotary_dim: usize,
    /// Pairs are neighbours (2i, 2i+1) rather than halves (i, i + dim/2).
    pub(super) interleaved: bool,
    pub(super) rope: RopeConfig,
    /// Of layers with a window, where it differs.
    pub(super) local_rope: Option<RopeConfig>,
    /// For each layer the number of latest positions that it sees; `None`: all.
    pub(super) windows: Vec<Option<usize>>,
    /// Query–key products are multiplied by it.
    pub(super) attention_scale: f32,
    /// GELU (tanh) rather than SiLU in the feed-forward gate.
    pub(super) gelu: bool,
    /// Embeddings are multiplied by it.
    pub(super) embedding_scale: f32,
    /// Attention scores are limited to ± this by tanh.
    pub(super) attention_cap: Option<f32>,
    /// Logits are limited to ± this by tanh.
    pub(super) logit_cap: Option<f32>,
}

impl TransformerConfig {
    /// Bytes of keys and values that one token takes (32-bit floats).
    pub(super) fn kv_bytes_per_token(&self) -> u64 {
        (self.layers * self.kv_heads * self.head_dim * 2 * size_of::<f32>()) as u64
    }

    /// Rejects impossible values before they are used as sizes.
    ///
    /// # Errors
    /// The field and what is wrong with it.
    pub(super) fn check(&self) -> Result<(), String> {
        let within = |field: &str, value: usize, most: usize| {
            if value == 0 || value > most { Err(format!("{field} is {value}; it must be from 1 to {most}")) } else { Ok(()) }
        };
        within("the number of layers", self.layers, MOST_LAYERS)?;
        within("the number of heads", self.heads, MOST_HEADS)?;
        within("the number of key-value heads", self.kv_heads, MOST_HEADS)?;
        within("the embedding length", self.hidden, MOST_WIDTH)?;
        within("the feed-forward length", self.feed_forward, MOST_WIDTH)?;
        within("the head length", self.head_dim, 4096)?;
        within("the vocabulary", self.vocabulary, MOST_TOKENS)?;
        within("the context length", self.context, MOST_CONTEXT)?;
        if !self.heads.is_multiple_of(self.kv_heads) {
            return Err(format!("{} heads cannot share {} key-value heads evenly", self.heads, self.kv_heads));
        }
        if self.rotary_dim == 0 || !self.rotary_dim.is_multiple_of(2) || self.rotary_dim > self.head_dim {
            return Err(format!(
                "the rotary dimension is {}; it must be even and at most the head length {}",
                self.rotary_dim, self.head_dim
            ));
        }
        if !(self.epsilon.is_finite() && self.epsilon > 0.0 && self.epsilon < 1.0) {
            return Err(format!("the epsilon of the normalisation is {}; it must be a small positive number", self.epsilon));
        }
        for rope in [Some(&self.rope), self.local_rope.as_ref()].into_iter().flatten() {
            if !(rope.theta.is_finite() && rope.theta >= 1.0) {
                return Err(format!("the base of the rotary frequencies is {}; it must be a number of at least 1", rope.theta));
            }
            match &rope.scaling {
                RopeScaling::Linear(factor) if !(factor.is_finite() && *factor > 0.0) => {
                    return Err(format!("the rotary scaling factor is {factor}; it must be positive"));
                }
                RopeScaling::Llama3 { factor, low, high, original } if !(*factor > 0.0 && *low > 0.0 && high > low && *original > 0) => {
                    return Err("the llama3 rotary scaling has inconsistent factors".into());
                }
                RopeScaling::Factors { factors, magnitude } => {
                    if factors.len() != self.rotary_dim / 2 {
                        return Err(format!("{} rotary factors do not fit a rotary dimension of {}", factors.len(), self.rotary_dim));
                    }
                    if !(magnitude.is_finite() && factors.iter().all(|f| f.is_finite() && *f > 0.0)) {
                        return Err("a rotary factor is not a positive number".into());
                    }
                }
                _ => {}
            }
        }
        let finite = [self.attention_scale, self.embedding_scale, self.attention_cap.unwrap_or(1.0), self.logit_cap.unwrap_or(1.0)];
        if finite.iter().any(|x| !(x.is_finite() && *x > 0.0)) {
            return Err("a scale or cap of the model is not a positive number".into());
        }
        if self.windows.len() != self.layers || self.windows.contains(&Some(0)) {
            return Err("the attention windows do not fit the layers".into());
        }
        Ok(())
    }
}
