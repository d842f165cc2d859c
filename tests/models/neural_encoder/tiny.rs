//! Tiny models with random weights, written as they are published: `config.json`, `tokenizer.json`, `model.safetensors`, `1_Pooling`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::{bert, xlm_roberta};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokenizers::models::unigram::Unigram;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::pre_tokenizers::metaspace::Metaspace;
use tokenizers::processors::template::TemplateProcessing;
use tokenizers::{AddedToken, Tokenizer};

/// Words that the tokenisers know; everything else is unknown to them.
pub const WORDS: [&str; 24] = [
    "pain", "fever", "cough", "reflux", "ulcer", "heart", "stomach", "knee", "head", "ache", "treats", "causes", "sign", "of", "the",
    "with", "after", "meal", "drug", "test", "acid", "high", "low", "left",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Bert,
    XlmRoberta,
}

/// What a tiny model is like.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub family: Family,
    pub hidden: usize,
    pub heads: usize,
    pub layers: usize,
    pub inner: usize,
    pub positions: usize,
    /// `cls` or `mean`; none: a cross-encoder.
    pub pooling: Option<&'static str>,
}

impl Shape {
    /// A sentence encoder whose heads do not fill whole vectors of the processor.
    pub const BERT: Self = Self { family: Family::Bert, hidden: 48, heads: 4, layers: 2, inner: 88, positions: 40, pooling: Some("mean") };
    pub const XLM: Self =
        Self { family: Family::XlmRoberta, hidden: 64, heads: 2, layers: 3, inner: 100, positions: 34, pooling: Some("cls") };
}

pub struct Tiny {
    folder: TempDir,
    pub shape: Shape,
    pub tensors: HashMap<String, Tensor>,
}

/// Numbers from −1 to 1 that look random (SplitMix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn tensor(&mut self, shape: &[usize], middle: f32, spread: f32) -> Tensor {
        let count = shape.iter().product();
        let number = |_| middle + spread * ((self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0);
        Tensor::from_vec((0..count).map(number).collect::<Vec<f32>>(), shape, &Device::Cpu).expect("a tensor")
    }

    /// A text of so many known words.
    pub fn text(&mut self, words: usize) -> String {
        (0..words).map(|_| WORDS[self.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }
}

fn tokenizer(family: Family) -> Tokenizer {
    let mut tokenizer;
    let template = match family {
        Family::Bert => {
            let entries = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].into_iter().chain(WORDS);
            let vocabulary = entries.zip(0u32..).map(|(word, id)| (word.to_owned(), id)).collect::<Vec<_>>();
            let vocabulary: [(String, u32); 28] = vocabulary.try_into().expect("28 entries");
            tokenizer = Tokenizer::new(WordPiece::builder().vocab(vocabulary).unk_token("[UNK]".into()).build().expect("a model"));
            tokenizer.with_normalizer(Some(BertNormalizer::default()));
            tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
            tokenizer.add_special_tokens(&["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(|token| AddedToken::from(token, true)));
            TemplateProcessing::builder()
                .try_single("[CLS] $A [SEP]")
                .and_then(|b| b.try_pair("[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"))
                .expect("a template")
                .special_tokens(vec![("[CLS]", 2), ("[SEP]", 3)])
                .build()
        }
        Family::XlmRoberta => {
            let marks = ["<s>", "<pad>", "</s>", "<unk>"].map(|token| (token.to_owned(), 0.0));
            let words = WORDS.map(|word| (format!("▁{word}"), -3.0));
            let vocabulary = marks.into_iter().chain(words).chain([("▁".to_owned(), -8.0)]).collect();
            tokenizer = Tokenizer::new(Unigram::from(vocabulary, Some(3), false).expect("a model"));
            tokenizer.with_pre_tokenizer(Some(Metaspace::default()));
            tokenizer.add_special_tokens(&["<s>", "<pad>", "</s>", "<unk>"].map(|token| AddedToken::from(token, true)));
            TemplateProcessing::builder()
                .try_single("<s> $A </s>")
                .and_then(|b| b.try_pair("<s> $A </s> </s> $B </s>"))
                .expect("a template")
                .special_tokens(vec![("<s>", 0), ("</s>", 2)])
                .build()
        }
    };
    tokenizer.with_post_processor(Some(template.expect("a template")));
    tokenizer
}

impl Tiny {
    /// Writes a model of this shape; another seed gives other weights.
    pub fn new(shape: Shape, seed: u64) -> Self {
        let mut numbers = Numbers(seed);
        let (hidden, inner, vocabulary) = (shape.hidden, shape.inner, 30);
        let types = if shape.family == Family::Bert { 2 } else { 1 };
        let prefix = match (shape.family, shape.pooling) {
            (_, Some(_)) => "",
            (Family::Bert, None) => "bert.",
            (Family::XlmRoberta, None) => "roberta.",
        };
        let mut tensors = HashMap::new();
        let mut add = |name: String, shape: &[usize], middle: f32, spread: f32| {
            tensors.insert(name, numbers.tensor(shape, middle, spread));
        };
        let mut norm_or_dense = |name: &str, outputs: usize, inputs: Option<usize>| match inputs {
            None => {
                add(format!("{name}.weight"), &[outputs], 1.0, 0.3);
                add(format!("{name}.bias"), &[outputs], 0.0, 0.3);
            }
            Some(inputs) => {
                add(format!("{name}.weight"), &[outputs, inputs], 0.0, 3.0 / (inputs as f32).sqrt());
                add(format!("{name}.bias"), &[outputs], 0.0, 0.5);
            }
        };
        norm_or_dense(&format!("{prefix}embeddings.LayerNorm"), hidden, None);
        for layer in 0..shape.layers {
            let name = |part: &str| format!("{prefix}encoder.layer.{layer}.{part}");
            for part in ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"] {
                norm_or_dense(&name(part), hidden, Some(hidden));
            }
            norm_or_dense(&name("attention.output.LayerNorm"), hidden, None);
            norm_or_dense(&name("intermediate.dense"), inner, Some(hidden));
            norm_or_dense(&name("output.dense"), hidden, Some(inner));
            norm_or_dense(&name("output.LayerNorm"), hidden, None);
        }
        if shape.pooling.is_none() {
            let (dense, logit) = match shape.family {
                Family::Bert => ("bert.pooler.dense", "classifier"),
                Family::XlmRoberta => ("classifier.dense", "classifier.out_proj"),
            };
            norm_or_dense(dense, hidden, Some(hidden));
            norm_or_dense(logit, 1, Some(hidden));
        }
        add(format!("{prefix}embeddings.word_embeddings.weight"), &[vocabulary, hidden], 0.0, 1.0);
        add(format!("{prefix}embeddings.position_embeddings.weight"), &[shape.positions, hidden], 0.0, 1.0);
        add(format!("{prefix}embeddings.token_type_embeddings.weight"), &[types, hidden], 0.0, 1.0);

        let folder = tempfile::tempdir().expect("a folder");
        let tiny = Self { folder, shape, tensors };
        candle_core::safetensors::save(&tiny.tensors, tiny.path("model.safetensors")).expect("weights can be written");
        tokenizer(shape.family).save(tiny.path("tokenizer.json"), false).expect("a tokeniser can be written");
        let (model_type, kind, pad) = match shape.family {
            Family::Bert => ("bert", "Bert", 0),
            Family::XlmRoberta => ("xlm-roberta", "XLMRoberta", 1),
        };
        let purpose = if shape.pooling.is_some() { "Model" } else { "ForSequenceClassification" };
        tiny.write(
            "config.json",
            &json!({
                "architectures": [format!("{kind}{purpose}")], "model_type": model_type, "vocab_size": vocabulary, "hidden_size": hidden,
                "num_hidden_layers": shape.layers, "num_attention_heads": shape.heads, "intermediate_size": inner,
                "max_position_embeddings": shape.positions, "type_vocab_size": types, "layer_norm_eps": 1e-5, "hidden_act": "gelu",
                "pad_token_id": pad, "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "initializer_range": 0.02,
                "position_embedding_type": "absolute",
            }),
        );
        if let Some(pooling) = shape.pooling {
            std::fs::create_dir(tiny.path("1_Pooling")).expect("a folder");
            let (cls, mean) = (pooling == "cls", pooling == "mean");
            let modes = json!({"word_embedding_dimension": hidden, "pooling_mode_cls_token": cls, "pooling_mode_mean_tokens": mean});
            tiny.write("1_Pooling/config.json", &modes);
        }
        tiny
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, value: &Value) {
        std::fs::write(self.path(name), value.to_string()).expect("a file");
    }

    pub fn config(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.path("config.json")).expect("a file")).expect("JSON")
    }

    /// The configuration with one field changed.
    pub fn set(&self, field: &str, value: Value) {
        let mut config = self.config();
        config[field] = value;
        self.write("config.json", &config);
    }

    /// The tokens of a text or of a pair, cut at the model's limit by the tokenizers crate itself.
    pub fn tokens(&self, first: &str, second: Option<&str>) -> (Vec<u32>, Vec<u32>) {
        let mut tokenizer = Tokenizer::from_file(self.path("tokenizer.json")).expect("a tokeniser");
        let limit = if self.shape.family == Family::Bert { self.shape.positions } else { self.shape.positions - 2 };
        let truncation = tokenizers::TruncationParams { max_length: limit, ..Default::default() };
        tokenizer.with_truncation(Some(truncation)).expect("a limit");
        let encoding = match second {
            None => tokenizer.encode(first, true),
            Some(second) => tokenizer.encode((first, second), true),
        };
        let encoding = encoding.expect("tokens");
        (encoding.get_ids().to_vec(), encoding.get_type_ids().to_vec())
    }

    fn builder(&self) -> VarBuilder<'static> {
        VarBuilder::from_tensors(self.tensors.clone(), DType::F32, &Device::Cpu)
    }

    /// The vectors of all tokens as candle-transformers computes them, `[tokens, hidden]`.
    fn states(&self, ids: &[u32], types: &[u32]) -> Tensor {
        let row = |numbers: &[u32]| Tensor::new(numbers, &Device::Cpu).unwrap().unsqueeze(0).unwrap();
        let (ids, types) = (row(ids), row(types));
        let mask = ids.ones_like().unwrap();
        let states = match self.shape.family {
            Family::Bert => {
                let config: bert::Config = serde_json::from_value(self.config()).expect("a configuration");
                let model = bert::BertModel::load(self.builder(), &config).expect("a model");
                model.forward(&ids, &types, Some(&mask))
            }
            Family::XlmRoberta => {
                let config: xlm_roberta::Config = serde_json::from_value(self.config()).expect("a configuration");
                let model = xlm_roberta::XLMRobertaModel::new(&config, self.builder()).expect("a model");
                model.forward(&ids, &mask, &types.zeros_like().unwrap(), None, None, None)
            }
        };
        states.expect("computes").squeeze(0).unwrap()
    }

    /// A text's unit vector by candle-transformers.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let (ids, types) = self.tokens(text, None);
        let states = self.states(&ids, &types);
        let pooled = if self.shape.pooling == Some("cls") { states.get(0) } else { states.mean(0) }.unwrap();
        let norm = pooled.sqr().unwrap().sum_all().unwrap().sqrt().unwrap();
        pooled.broadcast_div(&norm).unwrap().to_vec1().unwrap()
    }

    /// The unit vectors of a text's tokens without the template's two marks, by candle-transformers.
    pub fn token_vectors(&self, text: &str) -> Vec<Vec<f32>> {
        let (ids, types) = self.tokens(text, None);
        let states: Vec<Vec<f32>> = self.states(&ids, &types).to_vec2().unwrap();
        let unit = |row: &Vec<f32>| {
            let norm = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            row.iter().map(|x| x / norm).collect()
        };
        states[1..states.len() - 1].iter().map(unit).collect()
    }

    /// A pair's relevance by candle-transformers.
    pub fn relevance(&self, query: &str, document: &str) -> f32 {
        let (ids, types) = self.tokens(query, Some(document));
        let logit = match self.shape.family {
            Family::Bert => {
                let first = self.states(&ids, &types).narrow(0, 0, 1).unwrap();
                let dense = |rows: &Tensor, name: &str| {
                    let (weight, bias) = (&self.tensors[&format!("{name}.weight")], &self.tensors[&format!("{name}.bias")]);
                    rows.matmul(&weight.t().unwrap()).unwrap().broadcast_add(bias).unwrap()
                };
                dense(&dense(&first, "bert.pooler.dense").tanh().unwrap(), "classifier")
            }
            Family::XlmRoberta => {
                let config: xlm_roberta::Config = serde_json::from_value(self.config()).expect("a configuration");
                let model = xlm_roberta::XLMRobertaForSequenceClassification::new(1, &config, self.builder()).expect("a model");
                let ids = Tensor::new(&ids[..], &Device::Cpu).unwrap().unsqueeze(0).unwrap();
                model.forward(&ids, &ids.ones_like().unwrap(), &ids.zeros_like().unwrap()).unwrap()
            }
        };
        let logit: f32 = logit.flatten_all().unwrap().to_vec1().unwrap()[0];
        1.0 / (1.0 + (-logit).exp())
    }
}
