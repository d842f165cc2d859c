//! The shape of the model that a GGUF file holds.

use super::config::{Family, RopeConfig, RopeScaling, TransformerConfig};
use super::gguf::Gguf;
use super::source::TensorSource;

/// Gemma 3: every sixth layer sees all positions, the others only their window.
const GEMMA_PATTERN: usize = 6;
/// Gemma 3's largest member, which scales attention by another rule, is known by its layers (as llama.cpp does).
const GEMMA_27B_LAYERS: usize = 62;

/// Reads the shape; `most` is how many tokens of context will be used at most.
///
/// # Errors
/// The field that is missing or impossible.
pub(super) fn config(file: &mut Gguf, most: usize) -> Result<TransformerConfig, String> {
    let name = file.text("general.architecture")?.ok_or("the field general.architecture is missing")?.to_owned();
    let family =
        Family::named(&name).ok_or_else(|| format!("its architecture is {name:?}; Catena can run qwen2, qwen3, llama, gemma3 and phi3"))?;
    let key = |part: &str| format!("{name}.{part}");
    if file.count(&key("expert_count"))?.unwrap_or(0) > 1 {
        return Err("it is a mixture of experts, which Catena cannot run".into());
    }
    let hidden = file.required(&key("embedding_length"))?;
    let layers = file.required(&key("block_count"))?;
    let heads = file.required(&key("attention.head_count"))?;
    let kv_heads = file.count(&key("attention.head_count_kv"))?.unwrap_or(heads);
    let head_dim = match file.count(&key("attention.key_length"))? {
        Some(length) => length,
        None => hidden.checked_div(heads).unwrap_or(0),
    };
    if file.count(&key("attention.value_length"))?.is_some_and(|length| length != head_dim) {
        return Err(format!("the field {name}.attention.value_length differs from the length of keys, which Catena cannot compute"));
    }
    let context = file.required(&key("context_length"))?;
    let epsilon = file
        .number(&key("attention.layer_norm_rms_epsilon"))?
        .ok_or_else(|| format!("the field {name}.attention.layer_norm_rms_epsilon is missing"))?;
    let vocabulary = file.shape("token_embd.weight").ok_or("the tensor token_embd.weight is missing")?.0;
    let rotary_dim = file.count(&key("rope.dimension_count"))?.unwrap_or(head_dim);
    let gemma = family == Family::Gemma3;
    let theta = file.number(&key("rope.freq_base"))?.unwrap_or(if gemma { 1e6 } else { 1e4 });
    let scaling = scaling(file, &name, context.min(most))?;
    let (mut windows, mut local_rope) = (vec![None; layers.min(1 << 16)], None);
    if gemma {
        let window = file.required(&key("attention.sliding_window"))?;
        let pattern = file.count(&key("attention.sliding_window_pattern")).ok().flatten().unwrap_or(GEMMA_PATTERN).max(1);
        for (layer, seen) in windows.iter_mut().enumerate() {
            *seen = (!(layer + 1).is_multiple_of(pattern)).then_some(window);
        }
        let theta = file.number(&key("rope.freq_base_swa"))?.or(file.number(&key("rope.local_freq_base"))?).unwrap_or(1e4);
        local_rope = Some(RopeConfig { theta, scaling: RopeScaling::None });
    }
    let per_head = if gemma && layers == GEMMA_27B_LAYERS { hidden.checked_div(heads).unwrap_or(0) } else { head_dim };
    let cap = |value: Option<f64>| value.filter(|cap| *cap != 0.0).map(|cap| cap as f32);
    let config = TransformerConfig {
        family,
        vocabulary,
        hidden,
        layers,
        heads,
        kv_heads,
        head_dim,
        feed_forward: file.required(&key("feed_forward_length"))?,
        context,
        epsilon: epsilon as f32,
        rotary_dim,
        // Files of the architecture llama hold queries and keys in the order of its first release.
        interleaved: family == Family::Llama,
        rope: RopeConfig { theta, scaling },
        local_rope,
        windows,
        attention_scale: 1.0 / (per_head as f32).sqrt(),
        gelu: gemma,
        embedding_scale: if gemma { (hidden as f32).sqrt() } else { 1.0 },
        attention_cap: cap(file.number(&key("attn_logit_softcapping"))?),
        logit_cap: cap(file.number(&key("final_logit_softcapping"))?),
    };
    config.check()?;
    Ok(config)
}

fn scaling(file: &mut Gguf, name: &str, context: usize) -> Result<RopeScaling, String> {
    let key = |part: &str| format!("{name}.rope.scaling.{part}");
    let kind = file.text(&key("type"))?.unwrap_or("none").to_owned();
    let factor = file.number(&key("factor"))?;
    let original = file.count(&key("original_context_length"))?;
    // Factors of their own for each frequency: Llama 3.1 and later; LongRoPE has one set for long contexts and one for short ones.
    let long = original.is_some_and(|original| context > original);
    for tensor in ["rope_freqs.weight", if long { "rope_factors_long.weight" } else { "rope_factors_short.weight" }] {
        if let Some(raw) = file.tensor(tensor)? {
            let magnitude = file.number(&key("attn_factor"))?.unwrap_or(1.0) as f32;
            let factors = raw.to_floats().map_err(|e| format!("the tensor {tensor}: {e}"))?;
            return Ok(RopeScaling::Factors { factors, magnitude });
        }
    }
    match (kind.as_str(), factor) {
        ("linear", Some(factor)) => Ok(RopeScaling::Linear(factor)),
        ("none" | "linear" | "longrope", _) => Ok(RopeScaling::None),
        (other, _) => Err(format!("the field {name}.rope.scaling.type is {other:?}, which Catena cannot compute")),
    }
}
