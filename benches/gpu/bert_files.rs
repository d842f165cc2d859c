//! Writes encoders and cross-encoders of the BERT family with random weights, as folders as they are published.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use catena::graph::starter_graph;
use serde_json::{Value, json};

use super::gguf::Random;

/// What a model of the family is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BertKind {
    /// BERT that reads one text and gives the mean of its vectors.
    Sentences,
    /// XLM-RoBERTa that reads two texts and gives one number.
    Pairs,
}

/// The shape of a model of the family.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BertShape {
    pub(crate) name: &'static str,
    pub(crate) kind: BertKind,
    pub(crate) hidden: usize,
    pub(crate) heads: usize,
    pub(crate) layers: usize,
    pub(crate) inner: usize,
    pub(crate) vocabulary: usize,
    pub(crate) positions: usize,
}

/// Letters of a piece of a word: names then have about as many tokens as with a published vocabulary.
const PIECE: usize = 5;

/// The names of the starter graph.
fn all_names() -> &'static [String] {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let graph = starter_graph().expect("the starter graph is sound");
        graph.entity_ids().map(|entity| graph.entity_name(entity).to_owned()).collect()
    })
}

/// So many of them, in an order that mixes all kinds.
pub(crate) fn names(count: usize) -> Vec<String> {
    let all = all_names();
    (0..count).map(|i| all[i * 7919 % all.len()].clone()).collect()
}

/// The pieces of all names, and letters for the rest.
fn pieces(most: usize) -> Vec<String> {
    let letters = ('a'..='z').chain('0'..='9').flat_map(|letter| [letter.to_string(), format!("##{letter}")]);
    let mut all: Vec<String> = letters.collect();
    let mut known = std::collections::HashSet::new();
    for name in all_names() {
        for word in name.to_lowercase().split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
            for (number, part) in word.as_bytes().chunks(PIECE).enumerate() {
                let part = String::from_utf8_lossy(part);
                let piece = if number == 0 { part.into_owned() } else { format!("##{part}") };
                if piece.trim_start_matches('#').len() > 1 && known.insert(piece.clone()) {
                    all.push(piece);
                }
            }
        }
    }
    all.truncate(most);
    all
}

impl BertShape {
    /// The marks: padding, unknown, begin and end.
    fn marks(&self) -> [&'static str; 4] {
        match self.kind {
            BertKind::Sentences => ["[PAD]", "[UNK]", "[CLS]", "[SEP]"],
            BertKind::Pairs => ["<unk>", "<pad>", "<s>", "</s>"],
        }
    }

    fn tokenizer(&self) -> Value {
        let marks = self.marks();
        let pieces = pieces(self.vocabulary - marks.len());
        let all = marks.iter().map(|mark| (*mark).to_owned()).chain(pieces);
        let vocabulary: BTreeMap<String, usize> = all.enumerate().map(|(id, piece)| (piece, id)).collect();
        let added: Vec<Value> = marks
            .iter()
            .enumerate()
            .map(|(id, mark)| {
                json!({"id": id, "content": mark, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
                    "special": true})
            })
            .collect();
        let (begin, end) = (marks[2], marks[3]);
        let mark = |text: &str, kind: u32| json!({"SpecialToken": {"id": text, "type_id": kind}});
        let sequence = |id: &str, kind: u32| json!({"Sequence": {"id": id, "type_id": kind}});
        let pair = match self.kind {
            BertKind::Sentences => vec![mark(begin, 0), sequence("A", 0), mark(end, 0), sequence("B", 1), mark(end, 1)],
            BertKind::Pairs => vec![mark(begin, 0), sequence("A", 0), mark(end, 0), mark(end, 0), sequence("B", 0), mark(end, 0)],
        };
        let special = |text: &str, id: u32| json!({"id": text, "ids": [id], "tokens": [text]});
        json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": added, "decoder": null,
            "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
                "lowercase": true},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {
                "type": "TemplateProcessing", "single": [mark(begin, 0), sequence("A", 0), mark(end, 0)], "pair": pair,
                "special_tokens": {begin: special(begin, 2), end: special(end, 3)},
            },
            "model": {"type": "WordPiece", "unk_token": marks[if self.kind == BertKind::Sentences { 1 } else { 0 }],
                "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocabulary},
        })
    }

    fn config(&self) -> Value {
        let (kind, model, padding, types) = match self.kind {
            BertKind::Sentences => ("bert", "BertModel", 0, 2),
            BertKind::Pairs => ("xlm-roberta", "XLMRobertaForSequenceClassification", 1, 1),
        };
        json!({
            "architectures": [model], "model_type": kind, "vocab_size": self.vocabulary, "hidden_size": self.hidden,
            "num_hidden_layers": self.layers, "num_attention_heads": self.heads, "intermediate_size": self.inner,
            "max_position_embeddings": self.positions, "type_vocab_size": types, "layer_norm_eps": 1e-5, "hidden_act": "gelu",
            "pad_token_id": padding, "position_embedding_type": "absolute",
        })
    }

    /// Its tensors: name and shape. Weights of normalisations are ones, all else is random.
    fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let (hidden, inner) = (self.hidden, self.inner);
        let prefix = if self.kind == BertKind::Pairs { "roberta." } else { "" };
        let mut all = Vec::new();
        let mut dense = |name: String, weight: &[usize]| {
            all.push((format!("{name}.weight"), weight.to_vec()));
            all.push((format!("{name}.bias"), weight[..1].to_vec()));
        };
        dense(format!("{prefix}embeddings.LayerNorm"), &[hidden]);
        for layer in 0..self.layers {
            let name = |part: &str| format!("{prefix}encoder.layer.{layer}.{part}");
            for part in ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"] {
                dense(name(part), &[hidden, hidden]);
            }
            dense(name("attention.output.LayerNorm"), &[hidden]);
            dense(name("intermediate.dense"), &[inner, hidden]);
            dense(name("output.dense"), &[hidden, inner]);
            dense(name("output.LayerNorm"), &[hidden]);
        }
        if self.kind == BertKind::Pairs {
            dense("classifier.dense".into(), &[hidden, hidden]);
            dense("classifier.out_proj".into(), &[1, hidden]);
        }
        let types = if self.kind == BertKind::Pairs { 1 } else { 2 };
        for (table, rows) in [("word", self.vocabulary), ("position", self.positions), ("token_type", types)] {
            all.push((format!("{prefix}embeddings.{table}_embeddings.weight"), vec![rows, hidden]));
        }
        all
    }

    /// Writes the model into a folder of its name below `dir`, unless it is there.
    pub(crate) fn folder(&self, dir: &Path) -> std::io::Result<PathBuf> {
        let folder = dir.join(self.name);
        if folder.is_dir() {
            return Ok(folder);
        }
        std::fs::create_dir_all(folder.join("1_Pooling"))?;
        let write = |name: &str, value: &Value| std::fs::write(folder.join(name), value.to_string());
        write("tokenizer.json", &self.tokenizer())?;
        write("config.json", &self.config())?;
        if self.kind == BertKind::Sentences {
            write("1_Pooling/config.json", &json!({"word_embedding_dimension": self.hidden, "pooling_mode_mean_tokens": true}))?;
        }
        self.weights(&folder.join("model.safetensors"))?;
        Ok(folder)
    }

    /// The weights, as bf16: a deviation of 0.05, cut from a pool of random numbers.
    fn weights(&self, path: &Path) -> std::io::Result<()> {
        let mut random = Random(5);
        let pool: Vec<u8> = (0..1_048_573)
            .flat_map(|_| {
                let unit = (random.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
                let [_, _, low, high] = (unit * 0.05 * 3f32.sqrt()).to_le_bytes();
                [low, high]
            })
            .collect();
        let tensors = self.tensors();
        let mut list = serde_json::Map::new();
        let mut end = 0;
        for (name, shape) in &tensors {
            let begin = end;
            end += 2 * shape.iter().product::<usize>();
            list.insert(name.clone(), json!({"dtype": "BF16", "shape": shape, "data_offsets": [begin, end]}));
        }
        let header = Value::Object(list).to_string();
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        out.write_all(&(header.len() as u64).to_le_bytes())?;
        out.write_all(header.as_bytes())?;
        for (number, (name, shape)) in tensors.iter().enumerate() {
            let count: usize = shape.iter().product();
            if name.ends_with("LayerNorm.weight") {
                (0..count).try_for_each(|_| out.write_all(&[0x80, 0x3f]))?;
                continue;
            }
            let (mut left, mut at) = (2 * count, 2 * (number * 7919 % 1_000_003));
            while left > 0 {
                let part = left.min(pool.len() - at);
                out.write_all(&pool[at..at + part])?;
                (left, at) = (left - part, 0);
            }
        }
        out.flush()
    }
}
