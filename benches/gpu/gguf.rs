//! Writes language models with random weights as GGUF files, tensor by tensor, so that one of 15 GB needs no such memory here.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

/// How the numbers of a tensor are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Storage {
    F32,
    Bf16,
    Q5_0,
    Q8_0,
    Q4K,
    Q6K,
}

/// How the matrices of a model are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantisation {
    F32,
    Bf16,
    Q8_0,
    /// Most matrices in four bits, some in six.
    Q4KM,
}

impl Quantisation {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::Bf16 => "BF16",
            Self::Q8_0 => "Q8_0",
            Self::Q4KM => "Q4_K_M",
        }
    }

    /// How a matrix is stored, as llama.cpp does it.
    fn of(self, shape: &Shape, name: &str, columns: usize) -> Storage {
        let whole = columns.is_multiple_of(256);
        match self {
            Self::F32 => Storage::F32,
            Self::Bf16 => Storage::Bf16,
            Self::Q8_0 => Storage::Q8_0,
            Self::Q4KM => {
                let output = name == "output.weight" || (shape.tied && name == "token_embd.weight");
                // Every second layer has six bits where an error costs the most.
                let layer: usize = name.split('.').nth(1).and_then(|layer| layer.parse().ok()).unwrap_or(1);
                let exact = output || (layer.is_multiple_of(2) && (name.contains("attn_v") || name.contains("ffn_down")));
                match (exact, whole) {
                    (true, true) => Storage::Q6K,
                    (true, false) => Storage::Q8_0,
                    (false, true) => Storage::Q4K,
                    (false, false) => Storage::Q5_0,
                }
            }
        }
    }
}

/// A deviation that real models have.
const DEVIATION: f32 = 0.02;

impl Storage {
    /// Its number in files.
    fn number(self) -> u32 {
        match self {
            Self::F32 => 0,
            Self::Q5_0 => 6,
            Self::Q8_0 => 8,
            Self::Q4K => 12,
            Self::Q6K => 14,
            Self::Bf16 => 30,
        }
    }

    /// Values in a block, and its bytes.
    fn block(self) -> (usize, usize) {
        match self {
            Self::F32 => (32, 128),
            Self::Bf16 => (32, 64),
            Self::Q5_0 => (32, 22),
            Self::Q8_0 => (32, 34),
            Self::Q4K => (256, 144),
            Self::Q6K => (256, 210),
        }
    }

    /// So many random values, a whole number of blocks.
    pub(crate) fn random(self, random: &mut Random, values: usize) -> Vec<u8> {
        let mut blocks = Vec::new();
        // Cut from a thousand blocks, as their kernels take the same time whatever the values are.
        (0..1021).for_each(|_| self.push_block(random, &mut blocks));
        blocks.iter().copied().cycle().take(bytes(self, 1, values) as usize).collect()
    }

    /// Appends a random block whose values have about [`DEVIATION`].
    fn push_block(self, random: &mut Random, out: &mut Vec<u8>) {
        let mut bytes =
            |out: &mut Vec<u8>, count: usize| out.extend((0..count.div_ceil(8)).flat_map(|_| random.next().to_le_bytes()).take(count));
        match self {
            Self::F32 | Self::Bf16 => {
                for _ in 0..32 {
                    let unit = (random.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
                    let value = (unit * DEVIATION * 3f32.sqrt()).to_le_bytes();
                    out.extend(if self == Self::F32 { &value[..] } else { &value[2..] });
                }
            }
            Self::Q5_0 => {
                out.extend(half(DEVIATION / 9.2));
                bytes(out, 20);
            }
            Self::Q8_0 => {
                out.extend(half(DEVIATION / 73.9));
                let from = out.len();
                bytes(out, 32);
                // −128 has no counterpart, and no file has it.
                out.iter_mut().skip(from).filter(|byte| **byte == 0x80).for_each(|byte| *byte = 0x81);
            }
            Self::Q4K => {
                // A value is d·scale·q − dmin·m, with six bits of scale and m and four of q: dmin = 7.5·d makes the mean zero.
                out.extend(half(DEVIATION / 256.0));
                out.extend(half(7.5 * DEVIATION / 256.0));
                bytes(out, 140);
            }
            Self::Q6K => {
                bytes(out, 208);
                out.extend(half(DEVIATION / 1369.0));
            }
        }
    }
}

/// A positive number below 1 as a 16-bit float, rounded down.
fn half(value: f32) -> [u8; 2] {
    let bits = value.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let mantissa = (bits & 0x7f_ffff) | 0x80_0000;
    let half = if exponent >= -14 {
        (((exponent + 15) as u32) << 10) | ((mantissa >> 13) & 0x3ff)
    } else {
        mantissa >> (13 - 14 - exponent).clamp(0, 31)
    };
    (half as u16).to_le_bytes()
}

/// SplitMix64: the same numbers on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The shape of a language model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    /// `qwen2`, `qwen3` or `llama`.
    pub(crate) family: &'static str,
    pub(crate) layers: usize,
    pub(crate) hidden: usize,
    pub(crate) heads: usize,
    pub(crate) kv_heads: usize,
    pub(crate) head_dim: usize,
    pub(crate) feed_forward: usize,
    pub(crate) vocabulary: usize,
    /// The embedding is the output, too.
    pub(crate) tied: bool,
    /// The base of the rotary frequencies.
    pub(crate) theta: f32,
}

impl Shape {
    /// Its matrices: name, rows, columns.
    fn matrices(&self) -> Vec<(String, usize, usize)> {
        let (hidden, q, kv, inner) = (self.hidden, self.heads * self.head_dim, self.kv_heads * self.head_dim, self.feed_forward);
        let mut all = vec![("token_embd.weight".to_owned(), self.vocabulary, hidden)];
        if !self.tied {
            all.push(("output.weight".to_owned(), self.vocabulary, hidden));
        }
        for layer in 0..self.layers {
            for (part, rows, columns) in [
                ("attn_q", q, hidden),
                ("attn_k", kv, hidden),
                ("attn_v", kv, hidden),
                ("attn_output", hidden, q),
                ("ffn_gate", inner, hidden),
                ("ffn_up", inner, hidden),
                ("ffn_down", hidden, inner),
            ] {
                all.push((format!("blk.{layer}.{part}.weight"), rows, columns));
            }
        }
        all
    }

    /// Its vectors: name, length, value.
    fn vectors(&self) -> Vec<(String, usize, f32)> {
        let (q, kv) = (self.heads * self.head_dim, self.kv_heads * self.head_dim);
        let mut all = vec![("output_norm.weight".to_owned(), self.hidden, 1.0)];
        for layer in 0..self.layers {
            let mut add = |part: &str, length, value| all.push((format!("blk.{layer}.{part}"), length, value));
            add("attn_norm.weight", self.hidden, 1.0);
            add("ffn_norm.weight", self.hidden, 1.0);
            let more: &[(&str, usize, f32)] = match self.family {
                "qwen2" => &[("attn_q.bias", q, 0.01), ("attn_k.bias", kv, 0.01), ("attn_v.bias", kv, 0.01)],
                "qwen3" => &[("attn_q_norm.weight", self.head_dim, 1.0), ("attn_k_norm.weight", self.head_dim, 1.0)],
                _ => &[],
            };
            more.iter().for_each(|(part, length, value)| add(part, *length, *value));
        }
        all
    }

    /// Its matrices with how each is stored: name, rows, columns, storage.
    pub(crate) fn stored(&self, quantisation: Quantisation) -> Vec<(String, usize, usize, Storage)> {
        let stored = |(name, rows, columns): (String, usize, usize)| {
            let storage = quantisation.of(self, &name, columns);
            (name, rows, columns, storage)
        };
        self.matrices().into_iter().map(stored).collect()
    }

    /// Bytes of matrices that every token written has to read: all but an embedding that is not the output.
    pub(crate) fn bytes_per_token(&self, quantisation: Quantisation) -> u64 {
        let read = self.stored(quantisation).into_iter().filter(|(name, ..)| self.tied || name != "token_embd.weight");
        read.map(|(_, rows, columns, storage)| bytes(storage, rows, columns)).sum()
    }

    /// Multiplications and additions that a token of a prompt takes in the layers.
    pub(crate) fn operations_per_token(&self) -> u64 {
        let in_layers = self.matrices().into_iter().filter(|(name, ..)| name.starts_with("blk."));
        in_layers.map(|(_, rows, columns)| 2 * (rows * columns) as u64).sum()
    }

    /// Bytes of keys and values that a token takes, as 32-bit floats.
    pub(crate) fn kv_bytes_per_token(&self) -> u64 {
        (self.layers * self.kv_heads * self.head_dim * 2 * 4) as u64
    }
}

fn bytes(storage: Storage, rows: usize, columns: usize) -> u64 {
    let (values, bytes) = storage.block();
    (rows * columns / values * bytes) as u64
}

/// A value of the header.
enum Field<'a> {
    Number(usize),
    Float(f32),
    Text(&'a str),
    Numbers(Vec<i32>),
    Texts(Vec<String>),
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

impl Field<'_> {
    fn write(&self, key: &str, out: &mut Vec<u8>) {
        text(out, key);
        let kind = |out: &mut Vec<u8>, kind: u32| out.extend(kind.to_le_bytes());
        match self {
            Self::Number(number) => {
                kind(out, 4);
                out.extend((*number as u32).to_le_bytes());
            }
            Self::Float(number) => {
                kind(out, 6);
                out.extend(number.to_le_bytes());
            }
            Self::Text(value) => {
                kind(out, 8);
                text(out, value);
            }
            Self::Numbers(numbers) => {
                kind(out, 9);
                kind(out, 5);
                out.extend((numbers.len() as u64).to_le_bytes());
                numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
            }
            Self::Texts(texts) => {
                kind(out, 9);
                kind(out, 8);
                out.extend((texts.len() as u64).to_le_bytes());
                texts.iter().for_each(|value| text(out, value));
            }
        }
    }
}

/// GPT-2's letters for all bytes, then words that nothing is spelt with, then the end of a text.
fn vocabulary(size: usize) -> Vec<String> {
    let mut odd = 0x100u32;
    let letters = (0..=255u8).map(|byte| match byte {
        b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff => char::from(byte).to_string(),
        _ => {
            odd += 1;
            char::from_u32(odd - 1).map(String::from).unwrap_or_default()
        }
    });
    let word = |id| if id == 258 { "t256t257".into() } else { format!("t{id}") };
    letters.chain((256..size).map(word)).collect()
}

fn fields(shape: &Shape) -> Vec<(String, Field<'_>)> {
    let own = |part: &str| format!("{}.{part}", shape.family);
    let last = shape.vocabulary - 1;
    let kinds = (0..shape.vocabulary).map(|id| if id == last { 3 } else { 1 }).collect();
    vec![
        ("general.architecture".into(), Field::Text(shape.family)),
        ("general.name".into(), Field::Text(shape.name)),
        (own("block_count"), Field::Number(shape.layers)),
        (own("context_length"), Field::Number(32_768)),
        (own("embedding_length"), Field::Number(shape.hidden)),
        (own("feed_forward_length"), Field::Number(shape.feed_forward)),
        (own("attention.head_count"), Field::Number(shape.heads)),
        (own("attention.head_count_kv"), Field::Number(shape.kv_heads)),
        (own("attention.key_length"), Field::Number(shape.head_dim)),
        (own("attention.value_length"), Field::Number(shape.head_dim)),
        (own("attention.layer_norm_rms_epsilon"), Field::Float(1e-6)),
        (own("rope.freq_base"), Field::Float(shape.theta)),
        (own("rope.dimension_count"), Field::Number(shape.head_dim)),
        ("tokenizer.ggml.model".into(), Field::Text("gpt2")),
        ("tokenizer.ggml.pre".into(), Field::Text(if shape.family == "llama" { "llama-bpe" } else { "qwen2" })),
        ("tokenizer.ggml.tokens".into(), Field::Texts(vocabulary(shape.vocabulary))),
        ("tokenizer.ggml.token_type".into(), Field::Numbers(kinds)),
        // No merge: every letter is a token. An empty list has no type, so one that never applies stands here.
        ("tokenizer.ggml.merges".into(), Field::Texts(vec!["t256 t257".into()])),
        ("tokenizer.ggml.eos_token_id".into(), Field::Number(last)),
        ("tokenizer.ggml.bos_token_id".into(), Field::Number(last)),
    ]
}

/// Tensors begin at multiples of it.
const ALIGNMENT: u64 = 32;

/// Random blocks of each kind, from which all tensors are cut: drawing 15 GB of numbers would take longer than all that is measured.
struct Blocks {
    /// How many there are of a kind: a prime, so that no two rows of a matrix are alike.
    count: usize,
    of: HashMap<Storage, Vec<u8>>,
}

impl Blocks {
    /// Writes a tensor's bytes, from the block `from` on, around the end as often as it takes.
    fn write(&mut self, storage: Storage, from: usize, bytes: u64, out: &mut impl Write) -> Result<()> {
        let count = self.count;
        let blocks = self.of.entry(storage).or_insert_with(|| {
            let mut blocks = Vec::with_capacity(count * storage.block().1);
            let mut random = Random(u64::from(storage.number()) + 1);
            (0..count).for_each(|_| storage.push_block(&mut random, &mut blocks));
            blocks
        });
        let (mut left, mut at) = (bytes as usize, from % count * storage.block().1);
        while left > 0 {
            let part = left.min(blocks.len() - at);
            out.write_all(&blocks[at..at + part])?;
            (left, at) = (left - part, 0);
        }
        Ok(())
    }
}

/// Writes a model.
pub(crate) fn write(path: &Path, shape: &Shape, quantisation: Quantisation) -> Result<()> {
    let matrices = shape.stored(quantisation);
    let vectors = shape.vectors();
    let fields = fields(shape);
    let mut header = Vec::new();
    header.extend(b"GGUF");
    header.extend(3u32.to_le_bytes());
    header.extend(((matrices.len() + vectors.len()) as u64).to_le_bytes());
    header.extend((fields.len() as u64).to_le_bytes());
    fields.iter().for_each(|(key, field)| field.write(key, &mut header));
    let mut offset = 0u64;
    for (name, rows, columns, storage) in &matrices {
        text(&mut header, name);
        header.extend(2u32.to_le_bytes());
        header.extend((*columns as u64).to_le_bytes());
        header.extend((*rows as u64).to_le_bytes());
        header.extend(storage.number().to_le_bytes());
        header.extend(offset.to_le_bytes());
        offset = (offset + bytes(*storage, *rows, *columns)).next_multiple_of(ALIGNMENT);
    }
    for (name, length, _) in &vectors {
        text(&mut header, name);
        header.extend(1u32.to_le_bytes());
        header.extend((*length as u64).to_le_bytes());
        header.extend(Storage::F32.number().to_le_bytes());
        header.extend(offset.to_le_bytes());
        offset = (offset + 4 * *length as u64).next_multiple_of(ALIGNMENT);
    }
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let pad = |out: &mut BufWriter<File>, written: u64| {
        let missing = written.next_multiple_of(ALIGNMENT) - written;
        out.write_all(&vec![0; missing as usize])
    };
    out.write_all(&header)?;
    pad(&mut out, header.len() as u64)?;
    let mut blocks = Blocks { count: if shape.vocabulary < 4096 { 4093 } else { 262_139 }, of: HashMap::new() };
    for (number, (_, rows, columns, storage)) in matrices.iter().enumerate() {
        let bytes = bytes(*storage, *rows, *columns);
        blocks.write(*storage, number * 7919, bytes, &mut out)?;
        pad(&mut out, bytes)?;
    }
    for (_, length, value) in &vectors {
        (0..*length).try_for_each(|_| out.write_all(&value.to_le_bytes()))?;
        pad(&mut out, 4 * *length as u64)?;
    }
    out.flush()
}
