//! A GGUF file of Qwen2-0.5B's shape with random Q8_0 weights: 494 million of them, 530 MB.

use std::borrow::Cow;
use std::path::Path;

use candle_core::Device;
use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QStorage, QTensor};

const LAYERS: usize = 24;
const HIDDEN: usize = 896;
const HEADS: usize = 14;
const KV_HEADS: usize = 2;
const HEAD_DIM: usize = 64;
const FEED_FORWARD: usize = 4864;
const VOCABULARY: usize = 151_936;

/// Bytes of weights that each token written has to read: all of them, the embedding as the output.
pub(crate) fn bytes_per_token() -> usize {
    let layer = HIDDEN * (2 * HEADS + 2 * KV_HEADS) * HEAD_DIM + 3 * HIDDEN * FEED_FORWARD;
    (LAYERS * layer + VOCABULARY * HIDDEN) / 32 * 34
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn tensor(data: &[u8], kind: GgmlDType, dims: &[usize]) -> QTensor {
    QStorage::from_data(Cow::Borrowed(data), &Device::Cpu, kind).and_then(|storage| QTensor::new(storage, dims)).expect("a tensor")
}

fn matrix(random: &mut Random, rows: usize, columns: usize) -> QTensor {
    let mut data = Vec::with_capacity(rows * columns / 32 * 34);
    for _ in 0..rows * columns / 32 {
        // A deviation of 0.02, as such models have it.
        data.extend(half::f16::from_f32(0.02 / 73.0).to_le_bytes());
        for _ in 0..4 {
            data.extend(random.next().to_le_bytes().map(|byte| if byte == 0x80 { 0x81 } else { byte }));
        }
    }
    tensor(&data, GgmlDType::Q8_0, &[rows, columns])
}

fn vector(length: usize, value: f32) -> QTensor {
    let data: Vec<u8> = (0..length).flat_map(|_| value.to_le_bytes()).collect();
    tensor(&data, GgmlDType::F32, &[length])
}

/// Writes the file.
pub(crate) fn write(path: &Path) {
    let mut random = Random(1);
    let mut tensors: Vec<(String, QTensor)> =
        vec![("token_embd.weight".into(), matrix(&mut random, VOCABULARY, HIDDEN)), ("output_norm.weight".into(), vector(HIDDEN, 1.0))];
    let (q, kv) = (HEADS * HEAD_DIM, KV_HEADS * HEAD_DIM);
    for layer in 0..LAYERS {
        let mut add = |part: &str, tensor| tensors.push((format!("blk.{layer}.{part}"), tensor));
        for (part, rows, columns) in [
            ("attn_q", q, HIDDEN),
            ("attn_k", kv, HIDDEN),
            ("attn_v", kv, HIDDEN),
            ("attn_output", HIDDEN, q),
            ("ffn_gate", FEED_FORWARD, HIDDEN),
            ("ffn_up", FEED_FORWARD, HIDDEN),
            ("ffn_down", HIDDEN, FEED_FORWARD),
        ] {
            add(&format!("{part}.weight"), matrix(&mut random, rows, columns));
        }
        add("attn_q.bias", vector(q, 0.01));
        add("attn_k.bias", vector(kv, 0.01));
        add("attn_v.bias", vector(kv, 0.01));
        add("attn_norm.weight", vector(HIDDEN, 1.0));
        add("ffn_norm.weight", vector(HIDDEN, 1.0));
    }
    let mut odd = 0x100u32;
    let letters = (0..=255u8).map(|byte| match byte {
        b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff => char::from(byte).to_string(),
        _ => {
            odd += 1;
            char::from_u32(odd - 1).map(String::from).unwrap_or_default()
        }
    });
    let word = |id| if id == 258 { "t256t257".into() } else { format!("t{id}") };
    let tokens: Vec<String> = letters.chain((256..VOCABULARY).map(word)).collect();
    let number = |n: usize| Value::U32(n as u32);
    let text = |t: &str| Value::String(t.into());
    let fields = [
        ("general.architecture", text("qwen2")),
        ("general.name", text("random weights in the shape of Qwen2-0.5B")),
        ("qwen2.block_count", number(LAYERS)),
        ("qwen2.context_length", number(32_768)),
        ("qwen2.embedding_length", number(HIDDEN)),
        ("qwen2.feed_forward_length", number(FEED_FORWARD)),
        ("qwen2.attention.head_count", number(HEADS)),
        ("qwen2.attention.head_count_kv", number(KV_HEADS)),
        ("qwen2.attention.layer_norm_rms_epsilon", Value::F32(1e-6)),
        ("qwen2.rope.freq_base", Value::F32(1e6)),
        ("general.file_type", number(7)),
        ("tokenizer.ggml.model", text("gpt2")),
        ("tokenizer.ggml.pre", text("qwen2")),
        (
            "tokenizer.ggml.token_type",
            Value::Array((0..VOCABULARY).map(|id| Value::I32(if id == VOCABULARY - 1 { 3 } else { 1 })).collect()),
        ),
        ("tokenizer.ggml.tokens", Value::Array(tokens.into_iter().map(Value::String).collect())),
        // No merge: every letter is a token. An empty list has no type, so one that never applies stands here.
        ("tokenizer.ggml.merges", Value::Array(vec![text("t256 t257")])),
        ("tokenizer.ggml.eos_token_id", number(VOCABULARY - 1)),
        ("tokenizer.ggml.bos_token_id", number(VOCABULARY - 1)),
    ];
    let fields: Vec<(&str, &Value)> = fields.iter().map(|(key, value)| (*key, value)).collect();
    let tensors: Vec<(&str, &QTensor)> = tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).expect("the file can be written"));
    gguf_file::write(&mut file, &fields, &tensors).expect("the file can be written");
}
