//! Tiny models in the real formats, with random weights and real vocabularies.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};
use serde_json::json;
use tempfile::TempDir;

/// Tensors by their GGUF names: shape and values.
pub type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// What a tiny model looks like.
#[derive(Debug, Clone)]
pub struct Shape {
    pub family: &'static str,
    pub layers: usize,
    pub hidden: usize,
    pub heads: usize,
    pub kv_heads: usize,
    pub head_dim: usize,
    pub feed_forward: usize,
    pub context: usize,
    pub window: usize,
    pub tied: bool,
}

impl Shape {
    pub fn of(family: &'static str) -> Self {
        let tied = matches!(family, "qwen2" | "gemma3");
        Self { family, layers: 2, hidden: 256, heads: 4, kv_heads: 2, head_dim: 64, feed_forward: 512, context: 512, window: 64, tied }
    }

    pub fn pieces(&self) -> bool {
        matches!(self.family, "gemma3" | "phi3")
    }
}

/// Pseudo-random numbers, the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}

/// Random weights.
pub fn weights(shape: &Shape, seed: u64) -> Tensors {
    let mut random = Random(seed);
    let mut tensors = Tensors::new();
    let mut add = |name: String, dims: Vec<usize>, middle: f32, spread: f32| {
        let values = (0..dims.iter().product()).map(|_| middle + spread * random.unit()).collect();
        tensors.insert(name, (dims, values));
    };
    let (hidden, q, kv, ffn) = (shape.hidden, shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim, shape.feed_forward);
    let spread = |columns: usize| (3.0 / columns as f32).sqrt();
    let vocabulary = vocabulary(shape).0.len();
    // As the output, too, a large embedding would make every token follow itself.
    add("token_embd.weight".into(), vec![vocabulary, hidden], 0.0, if shape.tied { 0.15 } else { 1.0 });
    if !shape.tied {
        add("output.weight".into(), vec![vocabulary, hidden], 0.0, 2.0 * spread(hidden));
    }
    add("output_norm.weight".into(), vec![hidden], 1.0, 0.2);
    for layer in 0..shape.layers {
        let name = |part: &str| format!("blk.{layer}.{part}");
        add(name("attn_norm.weight"), vec![hidden], 1.0, 0.2);
        add(name("ffn_norm.weight"), vec![hidden], 1.0, 0.2);
        if shape.family == "phi3" {
            add(name("attn_qkv.weight"), vec![q + 2 * kv, hidden], 0.0, 2.0 * spread(hidden));
            add(name("ffn_up.weight"), vec![2 * ffn, hidden], 0.0, spread(hidden));
        } else {
            add(name("attn_q.weight"), vec![q, hidden], 0.0, 2.0 * spread(hidden));
            add(name("attn_k.weight"), vec![kv, hidden], 0.0, 2.0 * spread(hidden));
            add(name("attn_v.weight"), vec![kv, hidden], 0.0, spread(hidden));
            add(name("ffn_gate.weight"), vec![ffn, hidden], 0.0, spread(hidden));
            add(name("ffn_up.weight"), vec![ffn, hidden], 0.0, spread(hidden));
        }
        add(name("attn_output.weight"), vec![hidden, q], 0.0, spread(q));
        add(name("ffn_down.weight"), vec![hidden, ffn], 0.0, spread(ffn));
        if shape.family == "qwen2" {
            add(name("attn_q.bias"), vec![q], 0.0, 0.3);
            add(name("attn_k.bias"), vec![kv], 0.0, 0.3);
            add(name("attn_v.bias"), vec![kv], 0.0, 0.3);
        }
        if matches!(shape.family, "qwen3" | "gemma3") {
            add(name("attn_q_norm.weight"), vec![shape.head_dim], 1.0, 0.3);
            add(name("attn_k_norm.weight"), vec![shape.head_dim], 1.0, 0.3);
        }
        if shape.family == "gemma3" {
            add(name("post_attention_norm.weight"), vec![hidden], 1.0, 0.3);
            add(name("post_ffw_norm.weight"), vec![hidden], 1.0, 0.3);
        }
    }
    tensors
}

/// Tokens with their kinds (1 plain, 2 unknown, 3 control, 4 the user's, 6 byte), scores and merges.
pub fn vocabulary(shape: &Shape) -> (Vec<(String, i32)>, Vec<f32>, Vec<String>) {
    let mut tokens: Vec<(String, i32)> = Vec::new();
    let mut merges = Vec::new();
    if shape.pieces() {
        for (text, kind) in [("<unk>", 2), ("<s>", 3), ("</s>", 3)] {
            tokens.push((text.into(), kind));
        }
        tokens.extend((0..=255).map(|byte| (format!("<0x{byte:02X}>"), 6)));
        let plain = ["▁", "\n", "e", "t", "h", "a", "o", "w", "s", "r", "u", ".", ">", "<", "|", "_", "/"];
        tokens.extend(plain.map(|text| (text.into(), 1)));
        tokens.extend(["th", "▁t", "▁th", "the", "▁the", "ha", "at", "hat", "w▁", "ow"].map(|text| (text.into(), 1)));
        if shape.family == "gemma3" {
            tokens.extend([("<start_of_turn>", 3), ("<end_of_turn>", 3), ("\n\n", 4), ("▁▁", 4)].map(|(text, kind)| (text.into(), kind)));
        } else {
            tokens.extend(["<|system|>", "<|user|>", "<|assistant|>", "<|end|>", "<|endoftext|>"].map(|text| (text.into(), 3)));
        }
    } else {
        tokens.extend(byte_letters().map(|letter| (letter.to_string(), 1)));
        for (left, right) in
            [("t", "h"), ("th", "e"), ("Ġ", "the"), ("h", "a"), ("Ġ", "w"), ("ha", "t"), ("å", "¼"), ("å¼", "º"), ("Ċ", "Ċ")]
        {
            tokens.push((format!("{left}{right}"), 1));
            merges.push(format!("{left} {right}"));
        }
        let control: &[&str] = if shape.family == "llama" {
            &["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
        } else {
            &["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
        };
        tokens.extend(control.iter().map(|text| ((*text).into(), 3)));
        tokens.extend(["<tool_call>", "<think>", "</think>"].map(|text| (text.into(), 4)));
    }
    let scores = (0..tokens.len()).map(|id| -(id as f32)).collect();
    (tokens, scores, merges)
}

/// GPT-2's letters for the bytes 0 to 255.
fn byte_letters() -> impl Iterator<Item = char> {
    let mut odd = 0x100u32;
    (0..=255u8).map(move |byte| match byte {
        b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff => char::from(byte),
        _ => {
            odd += 1;
            char::from_u32(odd - 1).expect("a letter")
        }
    })
}

/// The number of a token.
pub fn id(shape: &Shape, text: &str) -> u32 {
    vocabulary(shape).0.iter().position(|(token, _)| token == text).expect("a token") as u32
}

/// How a tensor is stored.
pub type Kind = fn(&str) -> GgmlDType;

pub fn floats(_: &str) -> GgmlDType {
    GgmlDType::F32
}

fn is_matrix(name: &str) -> bool {
    name.ends_with(".weight") && !name.contains("norm")
}

pub fn bytes(name: &str) -> GgmlDType {
    if is_matrix(name) { GgmlDType::Q8_0 } else { GgmlDType::F32 }
}

/// Many forms in one file, as Q4_K_M files have them.
pub fn mixed(name: &str) -> GgmlDType {
    match name {
        _ if !is_matrix(name) => GgmlDType::F32,
        "token_embd.weight" | "output.weight" => GgmlDType::Q6K,
        _ if name.contains("attn_v") || name.contains("qkv") => GgmlDType::F16,
        _ if name.contains("ffn_down") => GgmlDType::Q6K,
        _ if name.contains("attn_output") => GgmlDType::Q8_0,
        _ => GgmlDType::Q4K,
    }
}

/// Metadata of a GGUF file.
pub fn metadata(shape: &Shape) -> Vec<(String, Value)> {
    let (tokens, scores, merges) = vocabulary(shape);
    let number = |n: usize| Value::U32(n as u32);
    let text = |t: &str| Value::String(t.into());
    let own = |part: &str| format!("{}.{part}", shape.family);
    let mut fields = vec![
        ("general.architecture".into(), text(shape.family)),
        ("general.dtype".into(), Value::U32(0)),
        (own("block_count"), number(shape.layers)),
        (own("embedding_length"), number(shape.hidden)),
        (own("feed_forward_length"), number(shape.feed_forward)),
        (own("attention.head_count"), number(shape.heads)),
        (own("attention.head_count_kv"), number(shape.kv_heads)),
        (own("attention.layer_norm_rms_epsilon"), Value::F32(1e-6)),
        (own("context_length"), number(shape.context)),
        (own("rope.dimension_count"), number(shape.head_dim)),
        (own("rope.freq_base"), Value::F32(if shape.family == "gemma3" { 1e6 } else { 1e4 })),
        ("tokenizer.ggml.tokens".into(), Value::Array(tokens.iter().map(|(token, _)| text(token)).collect())),
        ("tokenizer.ggml.token_type".into(), Value::Array(tokens.iter().map(|(_, kind)| Value::I32(*kind)).collect())),
    ];
    if matches!(shape.family, "qwen3" | "gemma3") {
        fields.push((own("attention.key_length"), number(shape.head_dim)));
        fields.push((own("attention.value_length"), number(shape.head_dim)));
    }
    if shape.family == "gemma3" {
        fields.push((own("attention.sliding_window"), number(shape.window)));
        fields.push(("tokenizer.ggml.add_space_prefix".into(), Value::Bool(false)));
    }
    let (bos, eos) = match shape.family {
        "llama" => ("<|begin_of_text|>", "<|eot_id|>"),
        "gemma3" => ("<s>", "<end_of_turn>"),
        "phi3" => ("<s>", "<|end|>"),
        _ => ("<|endoftext|>", "<|im_end|>"),
    };
    fields.push(("tokenizer.ggml.bos_token_id".into(), number(id(shape, bos) as usize)));
    fields.push(("tokenizer.ggml.eos_token_id".into(), number(id(shape, eos) as usize)));
    if shape.pieces() {
        fields.push(("tokenizer.ggml.model".into(), text("llama")));
        fields.push(("tokenizer.ggml.scores".into(), Value::Array(scores.into_iter().map(Value::F32).collect())));
        fields.push(("tokenizer.ggml.unknown_token_id".into(), number(0)));
    } else {
        fields.push(("tokenizer.ggml.model".into(), text("gpt2")));
        fields.push(("tokenizer.ggml.pre".into(), text(if shape.family == "llama" { "llama-bpe" } else { "qwen2" })));
        fields.push(("tokenizer.ggml.merges".into(), Value::Array(merges.iter().map(|merge| text(merge)).collect())));
        fields.push(("tokenizer.ggml.add_bos_token".into(), Value::Bool(shape.family == "llama")));
    }
    fields
}

/// Writes a GGUF file.
pub fn write_gguf(path: &Path, fields: &[(String, Value)], tensors: &Tensors, kind: Kind) {
    let stored: Vec<(String, QTensor)> = tensors
        .iter()
        .map(|(name, (dims, values))| {
            let tensor = Tensor::from_slice(values, dims.as_slice(), &Device::Cpu).expect("a tensor");
            (name.clone(), QTensor::quantize(&tensor, kind(name)).expect("quantises"))
        })
        .collect();
    let fields: Vec<(&str, &Value)> = fields.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let stored: Vec<(&str, &QTensor)> = stored.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
    gguf_file::write(&mut std::fs::File::create(path).expect("a file"), &fields, &stored).expect("written");
}

/// The values that are left of some tensors once they are stored.
pub fn rounded(tensors: &Tensors, kind: Kind) -> Tensors {
    let round = |(name, (dims, values)): (&String, &(Vec<usize>, Vec<f32>))| {
        let tensor = Tensor::from_slice(values, dims.as_slice(), &Device::Cpu).expect("a tensor");
        let stored =
            QTensor::quantize(&tensor, kind(name)).and_then(|t| t.dequantize(&Device::Cpu)?.flatten_all()?.to_vec1()).expect("values");
        (name.clone(), (dims.clone(), stored))
    };
    tensors.iter().map(round).collect()
}

/// A tiny GGUF model in a folder of its own.
pub fn gguf(shape: &Shape, kind: Kind) -> (TempDir, PathBuf) {
    gguf_with(shape, kind, &[])
}

/// The same with more metadata.
pub fn gguf_with(shape: &Shape, kind: Kind, more: &[(&str, Value)]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tiny.gguf");
    let mut fields = metadata(shape);
    fields.retain(|(key, _)| more.iter().all(|(other, _)| key != other));
    fields.extend(more.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    write_gguf(&path, &fields, &weights(shape, 1), kind);
    (folder, path)
}

/// The same without one field, but with more metadata.
pub fn gguf_without(shape: &Shape, kind: Kind, field: &str, more: &[(&str, Value)]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tiny.gguf");
    let mut fields = metadata(shape);
    fields.retain(|(key, _)| key != field && more.iter().all(|(other, _)| key != other));
    fields.extend(more.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    write_gguf(&path, &fields, &weights(shape, 1), kind);
    (folder, path)
}

/// What Hugging Face calls a tensor.
pub fn hugging_face(name: &str) -> String {
    let pairs = [
        ("token_embd", "model.embed_tokens"),
        ("output_norm", "model.norm"),
        ("attn_norm", "input_layernorm"),
        ("post_attention_norm", "post_attention_layernorm"),
        ("post_ffw_norm", "post_feedforward_layernorm"),
        ("attn_q_norm", "self_attn.q_norm"),
        ("attn_k_norm", "self_attn.k_norm"),
        ("attn_output", "self_attn.o_proj"),
        ("attn_q", "self_attn.q_proj"),
        ("attn_k", "self_attn.k_proj"),
        ("attn_v", "self_attn.v_proj"),
        ("ffn_norm", "post_attention_layernorm"),
        ("ffn_gate", "mlp.gate_proj"),
        ("ffn_up", "mlp.up_proj"),
        ("ffn_down", "mlp.down_proj"),
        ("output", "lm_head"),
    ];
    let (stem, end) = name.rsplit_once('.').expect("a name");
    let (prefix, part) = match stem.strip_prefix("blk.") {
        Some(rest) => rest.split_once('.').map(|(layer, part)| (format!("model.layers.{layer}."), part)).expect("a layer"),
        None => (String::new(), stem),
    };
    let (_, theirs) = pairs.iter().find(|(ours, _)| *ours == part).expect("a known part");
    format!("{prefix}{theirs}.{end}")
}

/// `config.json` of a folder.
pub fn config(shape: &Shape) -> serde_json::Value {
    json!({
        "model_type": shape.family, "vocab_size": vocabulary(shape).0.len(), "hidden_size": shape.hidden, "intermediate_size": shape.feed_forward,
        "num_hidden_layers": shape.layers, "num_attention_heads": shape.heads, "num_key_value_heads": shape.kv_heads, "head_dim": shape.head_dim,
        "max_position_embeddings": shape.context, "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "tie_word_embeddings": shape.tied, "hidden_act": "silu",
        "attention_bias": false, "sliding_window": 64, "max_window_layers": 2, "use_sliding_window": false,
        "eos_token_id": id(shape, if shape.family == "llama" { "<|eot_id|>" } else { "<|im_end|>" }),
    })
}

/// `tokenizer.json` of a folder, for the vocabularies of bytes.
pub fn tokenizer_json(shape: &Shape) -> serde_json::Value {
    let (tokens, _, merges) = vocabulary(shape);
    let plain: HashMap<&str, usize> =
        tokens.iter().enumerate().filter(|(_, (_, kind))| *kind == 1).map(|(id, (token, _))| (token.as_str(), id)).collect();
    let added: Vec<_> = tokens
        .iter()
        .enumerate()
        .filter(|(_, (_, kind))| *kind != 1)
        .map(|(id, (token, kind))| json!({"id": id, "content": token, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": *kind == 3}))
        .collect();
    let words = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added, "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": words}, "behavior": "Isolated", "invert": false},
            {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]},
        "post_processor": null, "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
        "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null, "end_of_word_suffix": null,
            "fuse_unk": false, "byte_fallback": false, "ignore_merges": false, "vocab": plain, "merges": merges},
    })
}

/// A tiny model as a folder; `files` safetensors files of the type `kind`.
pub fn folder(shape: &Shape, tensors: &Tensors, kind: candle_core::DType, files: usize) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, value: &serde_json::Value| std::fs::write(folder.path().join(name), value.to_string()).expect("written");
    write("config.json", &config(shape));
    write("tokenizer.json", &tokenizer_json(shape));
    let mut parts: Vec<HashMap<String, Tensor>> = vec![HashMap::new(); files];
    let mut map = serde_json::Map::new();
    for (number, (name, (dims, values))) in tensors.iter().enumerate() {
        let tensor = Tensor::from_slice(values, dims.as_slice(), &Device::Cpu).and_then(|t| t.to_dtype(kind)).expect("a tensor");
        map.insert(hugging_face(name), json!(format!("part-{}.safetensors", number % files)));
        parts[number % files].insert(hugging_face(name), tensor);
    }
    if files == 1 {
        candle_core::safetensors::save(&parts[0], folder.path().join("model.safetensors")).expect("written");
    } else {
        for (number, part) in parts.iter().enumerate() {
            candle_core::safetensors::save(part, folder.path().join(format!("part-{number}.safetensors"))).expect("written");
        }
        write("model.safetensors.index.json", &json!({"metadata": {}, "weight_map": map}));
    }
    folder
}
