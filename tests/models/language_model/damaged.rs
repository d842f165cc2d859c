//! Damaged and hostile files: an error that says what is wrong, no panic, and no memory taken on a file's word.

use candle_core::quantized::gguf_file::Value;
use candle_core::{DType, Device};
use catena::model::infer::lm::{LanguageModel, Options, inspect};
use catena::model::{Generator, ModelError, Prompt, Sampling};

use crate::support::lm_files::{self, Random, Shape};

fn small() -> Shape {
    Shape { layers: 1, hidden: 64, heads: 2, kv_heads: 1, head_dim: 32, feed_forward: 64, ..Shape::of("qwen2") }
}

fn open(path: &std::path::Path) -> Result<LanguageModel, ModelError> {
    LanguageModel::open(path, &Device::Cpu, &Options { threads: Some(1), ..Options::default() })
}

fn problem(path: &std::path::Path) -> String {
    match open(path) {
        Err(error @ ModelError::Load { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    let (folder, path) = lm_files::gguf(&small(), lm_files::bytes);
    let bytes = std::fs::read(&path).expect("a file");
    let cut = folder.path().join("cut.gguf");
    // The last tensor is padded: what is cut there is not missed.
    for length in (0..200).chain((200..bytes.len() - 64).step_by(997)) {
        std::fs::write(&cut, &bytes[..length]).expect("written");
        let told = problem(&cut);
        assert!(told.contains("cut.gguf"), "{told}");
        assert!(inspect(&cut).is_err());
    }
}

#[test]
fn changed_bytes_in_the_header_do_no_harm() {
    let (folder, path) = lm_files::gguf(&small(), lm_files::bytes);
    let bytes = std::fs::read(&path).expect("a file");
    let changed = folder.path().join("changed.gguf");
    let mut random = Random(11);
    let mut refused = 0;
    let header = bytes.len().min(9000);
    for at in (0..header).step_by(13) {
        let mut bytes = bytes.clone();
        bytes[at] ^= [0xff, 0x01, 0x80, 0x40][((random.unit() + 1.0) * 2.0) as usize % 4];
        std::fs::write(&changed, &bytes).expect("written");
        match open(&changed) {
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains("changed.gguf"), "{error}");
            }
            Ok(mut model) => {
                // A changed letter of a token; it may well go on, or say why not.
                let sampling = Sampling { max_tokens: 2, ..Sampling::default() };
                let _ = model.generate(&Prompt::new("s", "what"), &sampling, &mut |_| true);
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn impossible_fields_are_named() {
    let shape = small();
    for (field, value, told) in [
        ("qwen2.attention.head_count", Value::U32(3), "head"),
        ("qwen2.attention.head_count", Value::U32(0), "heads is 0"),
        ("qwen2.block_count", Value::U32(4_000_000_000), "layers"),
        ("qwen2.block_count", Value::U32(2), "blk.1"),
        ("qwen2.embedding_length", Value::U32(128), "token_embd.weight"),
        ("qwen2.embedding_length", Value::String("64".into()), "qwen2.embedding_length is not a whole number"),
        ("qwen2.feed_forward_length", Value::U64(u64::MAX), "feed_forward_length"),
        ("qwen2.context_length", Value::U32(0), "context"),
        ("qwen2.rope.freq_base", Value::F32(f32::NAN), "rotary"),
        ("qwen2.rope.dimension_count", Value::U32(33), "rotary dimension"),
        ("qwen2.attention.layer_norm_rms_epsilon", Value::F32(-1.0), "epsilon"),
        ("qwen2.rope.scaling.type", Value::String("yarn".into()), "yarn"),
        ("qwen2.expert_count", Value::U32(8), "mixture"),
        ("general.architecture", Value::String("mamba".into()), "mamba"),
        ("general.alignment", Value::U32(0), "general.alignment"),
        ("tokenizer.ggml.model", Value::String("bert".into()), "tokenizer.ggml.model"),
        ("tokenizer.ggml.pre", Value::String("unheard-of".into()), "unheard-of"),
        ("tokenizer.ggml.tokens", Value::Array(vec![]), "tokenizer.ggml.tokens"),
        ("tokenizer.ggml.eos_token_id", Value::U32(1_000_000), "eos_token_id"),
        ("tokenizer.ggml.merges", Value::Array(vec![Value::String("one".into())]), "merges"),
    ] {
        let (_folder, path) = lm_files::gguf_with(&shape, lm_files::floats, &[(field, value)]);
        let error = problem(&path);
        assert!(error.contains(told), "{field}: {error}");
    }
}

/// A header of a few bytes that claims the largest sizes there are.
#[test]
fn claims_larger_than_the_file_take_no_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("claims.gguf");
    let header = |parts: &[&[u8]]| [&b"GGUF"[..], &3u32.to_le_bytes(), &parts.concat()].concat();
    let (zero, one, huge) = (0u64.to_le_bytes(), 1u64.to_le_bytes(), u64::MAX.to_le_bytes());
    let text = |t: &str| [&(t.len() as u64).to_le_bytes()[..], t.as_bytes()].concat();
    let tensor = |dims: &[u64], kind: u32| {
        let dims: Vec<u8> = dims.iter().flat_map(|d| d.to_le_bytes()).collect();
        [&one[..], &zero, &text("t"), &((dims.len() / 8) as u32).to_le_bytes(), &dims, &kind.to_le_bytes(), &zero].concat()
    };
    for (content, told) in [
        (header(&[&huge, &zero]), "tensors"),
        (header(&[&zero, &huge]), "fields"),
        (header(&[&zero, &one, &huge]), "name of a field"),
        (header(&[&zero, &one, &text("k"), &8u32.to_le_bytes(), &huge]), "k claims"),
        (header(&[&zero, &one, &text("k"), &9u32.to_le_bytes(), &0u32.to_le_bytes(), &huge]), "k claims"),
        (header(&[&zero, &one, &text("k"), &99u32.to_le_bytes(), &huge]), "number 99"),
        (header(&[&tensor(&[u64::MAX, u64::MAX], 0)]), "larger than any file"),
        (header(&[&tensor(&[1 << 40, 1 << 10], 0)]), "ends beyond"),
        (header(&[&tensor(&[33], 8)]), "blocks"),
        (header(&[&tensor(&[32], 20)]), "number 20"),
        (header(&[&tensor(&[1; 5], 0)]), "dimensions"),
        (b"GGUF\x01\0\0\0".to_vec(), "version"),
        (b"<!DOCTYPE html>".to_vec(), "not a GGUF"),
    ] {
        std::fs::write(&path, content).expect("written");
        let error = problem(&path);
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn broken_folders_are_told_by_file_and_field() {
    let shape = small();
    let tensors = lm_files::weights(&shape, 1);
    let broken = |file: &str, content: &str| {
        let folder = lm_files::folder(&shape, &tensors, DType::F32, 2);
        std::fs::write(folder.path().join(file), content).expect("written");
        problem(folder.path())
    };
    let config = |field: &str, value: serde_json::Value| {
        let mut config = lm_files::config(&shape);
        config[field] = value;
        broken("config.json", &config.to_string())
    };
    for (error, told) in [
        (broken("config.json", "{"), "config.json is damaged"),
        (config("model_type", "t5".into()), "t5"),
        (config("hidden_size", 0.into()), "embedding length"),
        (config("hidden_size", (-3).into()), "hidden_size"),
        (config("num_attention_heads", 7.into()), "attn_q.weight has 64 rows of 64"),
        (config("num_key_value_heads", 3.into()), "heads"),
        (config("num_hidden_layers", 3.into()), "blk.1"),
        (config("vocab_size", 9.into()), "token_embd.weight"),
        (config("rope_scaling", serde_json::json!({"rope_type": "yarn", "factor": 4.0})), "yarn"),
        (config("hidden_act", "relu".into()), "relu"),
        (broken("tokenizer.json", "[]"), "tokenizer.json"),
        (broken("model.safetensors.index.json", r#"{"weight_map": {"a": "../../secret"}}"#), "not a file of this folder"),
        (broken("model.safetensors.index.json", r#"{"weight_map": {"a": "missing.safetensors"}}"#), "missing.safetensors"),
        (broken("part-1.safetensors", "short"), "part-1.safetensors"),
        (broken("part-1.safetensors", "\u{7f}\u{7f}\u{7f}\u{7f}\0\0\0\0{}"), "part-1.safetensors: its header claims"),
    ] {
        assert!(error.contains(told), "{told}: {error}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    assert!(problem(folder.path()).contains("config.json"));
    assert!(problem(&folder.path().join("nothing.gguf")).contains("cannot be opened"));
}
