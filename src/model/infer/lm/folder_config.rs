//! The shape of the model that a folder's `config.json` describes.

use serde_json::Value;

use super::config::{Family, RopeConfig, RopeScaling, TransformerConfig};

/// Reads the shape.
///
/// # Errors
/// The field of `config.json` that is missing or impossible.
pub(super) fn config(json: &Value) -> Result<TransformerConfig, String> {
    let fields = ConfigFields(json);
    let name = json["model_type"].as_str().ok_or("config.json: the field model_type is missing")?;
    let family = match Family::named(name) {
        Some(family @ (Family::Qwen2 | Family::Qwen3 | Family::Llama)) => family,
        _ => {
            return Err(format!(
                "config.json: the model_type is {name:?}; from a folder Catena can run qwen2, qwen3 and llama (others as GGUF files)"
            ));
        }
    };
    let (hidden, layers, heads) =
        (fields.required("hidden_size")?, fields.required("num_hidden_layers")?, fields.required("num_attention_heads")?);
    let head_dim = fields.count("head_dim")?.unwrap_or_else(|| hidden.checked_div(heads).unwrap_or(0));
    if let Some(act) = json["hidden_act"].as_str().filter(|act| !matches!(*act, "silu" | "swish")) {
        return Err(format!("config.json: the field hidden_act is {act:?}, which Catena cannot compute"));
    }
    let mut windows = vec![None; layers.min(1 << 16)];
    if json["use_sliding_window"].as_bool() == Some(true)
        && let Some(window) = fields.count("sliding_window")?
    {
        let full = fields.count("max_window_layers")?.unwrap_or(layers).min(windows.len());
        windows[full..].fill(Some(window));
    }
    // Newer files hold both under rope_parameters.
    let rope = if json["rope_parameters"].is_object() { &json["rope_parameters"] } else { &json["rope_scaling"] };
    let theta = rope["rope_theta"].as_f64().or(json["rope_theta"].as_f64()).unwrap_or(1e4);
    let config = TransformerConfig {
        family,
        vocabulary: fields.required("vocab_size")?,
        hidden,
        layers,
        heads,
        kv_heads: fields.count("num_key_value_heads")?.unwrap_or(heads),
        head_dim,
        feed_forward: fields.required("intermediate_size")?,
        context: fields.required("max_position_embeddings")?,
        epsilon: json["rms_norm_eps"].as_f64().unwrap_or(1e-6) as f32,
        rotary_dim: head_dim,
        interleaved: false,
        rope: RopeConfig { theta, scaling: scaling(rope)? },
        local_rope: None,
        windows,
        attention_scale: 1.0 / (head_dim as f32).sqrt(),
        gelu: false,
        embedding_scale: 1.0,
        attention_cap: None,
        logit_cap: None,
    };
    config.check().map_err(|problem| format!("config.json: {problem}"))?;
    Ok(config)
}

fn scaling(rope: &Value) -> Result<RopeScaling, String> {
    let kind = rope["rope_type"].as_str().or(rope["type"].as_str()).unwrap_or("default");
    let number = |field: &str| rope[field].as_f64().ok_or_else(|| format!("config.json: the rotary scaling has no number {field}"));
    match kind {
        "default" => Ok(RopeScaling::None),
        "linear" => Ok(RopeScaling::Linear(number("factor")?)),
        "llama3" => Ok(RopeScaling::Llama3 {
            factor: number("factor")?,
            low: number("low_freq_factor")?,
            high: number("high_freq_factor")?,
            original: ConfigFields(rope).required("original_max_position_embeddings")?,
        }),
        other => Err(format!("config.json: the type of the rotary scaling is {other:?}, which Catena cannot compute")),
    }
}

struct ConfigFields<'a>(&'a Value);

impl ConfigFields<'_> {
    fn count(&self, field: &str) -> Result<Option<usize>, String> {
        match &self.0[field] {
            Value::Null => Ok(None),
            value => value
                .as_u64()
                .and_then(|n| usize::try_from(n).ok())
                .map(Some)
                .ok_or_else(|| format!("config.json: the field {field} is {value}")),
        }
    }

    fn required(&self, field: &str) -> Result<usize, String> {
        self.count(field)?.ok_or_else(|| format!("config.json: the field {field} is missing"))
    }
}
