//! `config.json`: the kind and shape of a network.

use serde::Deserialize;

use super::folder::ModelFolder;
use crate::model::ModelError;

const FILE: &str = "config.json";

/// The families differ in how they count positions and in the layers after the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BertFamily {
    /// Positions from 0; kinds of tokens for the first and the second text.
    Bert,
    /// RoBERTa, XLM-RoBERTa, CamemBERT: positions from the number of the padding token plus one; one kind of token.
    Roberta,
}

/// The activation between the two layers of a feed-forward block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Activation {
    /// `x · Φ(x)` by the error function.
    Gelu,
    /// `max(x, 0)`.
    Relu,
}

/// A network's shape, checked: every number is within the limits below, so that products of two of them fit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BertConfig {
    pub(super) family: BertFamily,
    pub(super) model_type: String,
    pub(super) vocabulary: usize,
    pub(super) hidden: usize,
    pub(super) layers: usize,
    pub(super) heads: usize,
    pub(super) intermediate: usize,
    pub(super) positions: usize,
    pub(super) types: usize,
    pub(super) epsilon: f32,
    pub(super) activation: Activation,
    pub(super) padding: usize,
    /// The name under which it was trained, if the file has it.
    pub(super) origin: String,
    /// Whether `architectures` names a classifier.
    pub(super) classifier: bool,
}

#[derive(Deserialize)]
struct ConfigFile {
    model_type: Option<String>,
    vocab_size: Option<u64>,
    hidden_size: Option<u64>,
    num_hidden_layers: Option<u64>,
    num_attention_heads: Option<u64>,
    intermediate_size: Option<u64>,
    max_position_embeddings: Option<u64>,
    type_vocab_size: Option<u64>,
    layer_norm_eps: Option<f64>,
    hidden_act: Option<String>,
    pad_token_id: Option<u64>,
    position_embedding_type: Option<String>,
    #[serde(rename = "_name_or_path")]
    origin: Option<String>,
    #[serde(default)]
    architectures: Option<Vec<String>>,
    is_decoder: Option<bool>,
}

impl BertConfig {
    /// Reads and checks it.
    pub(super) fn read(folder: &ModelFolder) -> Result<Self, ModelError> {
        let read: ConfigFile = folder.json(FILE)?;
        let number = |field: &str, value: Option<u64>, most: u64| match value {
            None => Err(folder.fails(FILE, format!("{field} is missing"))),
            Some(value) if (1..=most).contains(&value) => Ok(value as usize),
            Some(value) => Err(folder.fails(FILE, format!("{field} is {value}; it must be from 1 to {most}"))),
        };
        let model_type = read.model_type.unwrap_or_default();
        let family = match model_type.as_str() {
            "bert" => BertFamily::Bert,
            "roberta" | "xlm-roberta" | "camembert" => BertFamily::Roberta,
            other => {
                let problem = format!("model_type is {other:?}; Catena's encoders are of the types bert, roberta, xlm-roberta, camembert");
                return Err(folder.fails(FILE, problem));
            }
        };
        let epsilon = read.layer_norm_eps.unwrap_or(1e-12);
        if !(epsilon > 0.0 && epsilon < 0.1) {
            return Err(folder.fails(FILE, format!("layer_norm_eps is {epsilon}; it must be between 0 and 0.1")));
        }
        let activation = match read.hidden_act.as_deref() {
            None | Some("gelu") => Activation::Gelu,
            Some("relu") => Activation::Relu,
            Some(other) => return Err(folder.fails(FILE, format!("hidden_act is {other:?}; Catena computes gelu and relu"))),
        };
        if let Some(other) = read.position_embedding_type.filter(|kind| kind != "absolute") {
            return Err(folder.fails(FILE, format!("position_embedding_type is {other:?}; Catena computes absolute ones")));
        }
        if read.is_decoder == Some(true) {
            return Err(folder.fails(FILE, "is_decoder is true: this is not an encoder"));
        }
        let config = Self {
            family,
            model_type,
            vocabulary: number("vocab_size", read.vocab_size, 4 << 20)?,
            hidden: number("hidden_size", read.hidden_size, 1 << 14)?,
            layers: number("num_hidden_layers", read.num_hidden_layers, 256)?,
            heads: number("num_attention_heads", read.num_attention_heads, 1 << 10)?,
            intermediate: number("intermediate_size", read.intermediate_size, 1 << 16)?,
            positions: number("max_position_embeddings", read.max_position_embeddings, 1 << 20)?,
            types: number("type_vocab_size", read.type_vocab_size, 1 << 10)?,
            epsilon: epsilon as f32,
            activation,
            padding: read.pad_token_id.unwrap_or(if family == BertFamily::Bert { 0 } else { 1 }).min(u64::from(u32::MAX)) as usize,
            origin: read.origin.unwrap_or_default(),
            classifier: read.architectures.unwrap_or_default().iter().any(|a| a.ends_with("ForSequenceClassification")),
        };
        if !config.hidden.is_multiple_of(config.heads) {
            let problem = format!("hidden_size {} cannot be shared by num_attention_heads {}", config.hidden, config.heads);
            return Err(folder.fails(FILE, problem));
        }
        if config.most_tokens() < 3 {
            let problem = format!("max_position_embeddings {} leaves no room for a text", config.positions);
            return Err(folder.fails(FILE, problem));
        }
        Ok(config)
    }

    /// Components of a head.
    pub(super) fn head(&self) -> usize {
        self.hidden / self.heads
    }

    /// The position of a text's first token.
    pub(super) fn first_position(&self) -> usize {
        match self.family {
            BertFamily::Bert => 0,
            BertFamily::Roberta => self.padding + 1,
        }
    }

    /// The number of positions for tokens.
    pub(super) fn most_tokens(&self) -> usize {
        self.positions.saturating_sub(self.first_position())
    }

    /// The number of weights, without layers after the network.
    pub(super) fn parameters(&self) -> u64 {
        let [hidden, inner, layers] = [self.hidden, self.intermediate, self.layers].map(|n| n as u64);
        let embeddings = (self.vocabulary + self.positions + self.types + 2) as u64 * hidden;
        let layer = 4 * (hidden + 1) * hidden + (hidden + 1) * inner + (inner + 1) * hidden + 4 * hidden;
        embeddings + layers * layer
    }
}
