//! Tokenises texts and pairs of texts with the model's own `tokenizer.json`.

use tokenizers::{EncodeInput, Encoding, PostProcessor, Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy};

use super::config::{BertConfig, BertFamily};
use super::folder::ModelFolder;
use crate::model::ModelError;

/// A tokenised text, or pair of texts with the separators of the template.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TokenisedText {
    pub(super) ids: Vec<u32>,
    /// The type of each token: which of the two texts it belongs to.
    pub(super) types: Vec<u32>,
    /// Whether there is any known token: neither a special token of the template nor the unknown token.
    pub(super) known: bool,
}

/// A word of a text as the tokeniser splits it before it looks up pieces: for BERT, between white space and single punctuation marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TokenisedWord {
    pub(super) pieces: Vec<u32>,
    /// Where it stands in the text, in bytes.
    pub(super) begin: usize,
    pub(super) end: usize,
}

/// A model's tokeniser, which truncates texts at the model's limit.
pub(super) struct Tokeniser {
    name: String,
    tokenizer: Tokenizer,
    unknown: Vec<u32>,
    vocabulary: usize,
    types: u32,
}

impl Tokeniser {
    /// Reads `tokenizer.json`; its own padding and truncation are replaced by `limit`.
    pub(super) fn load(folder: &ModelFolder, config: &BertConfig, limit: usize) -> Result<Self, ModelError> {
        let file = "tokenizer.json";
        let mut tokenizer = Tokenizer::from_bytes(folder.tokenizer()?).map_err(|error| folder.fails(file, error.to_string()))?;
        let most = tokenizer.get_vocab(true).into_values().max().unwrap_or(0) as usize;
        if most >= config.vocabulary {
            let problem =
                format!("numbers tokens up to {most}, but vocab_size in config.json is {}: it belongs to another model", config.vocabulary);
            return Err(folder.fails(file, problem));
        }
        let added = tokenizer.get_post_processor().map_or(0, |template| template.added_tokens(true));
        if limit <= added + 1 {
            return Err(folder.fails(file, format!("puts {added} marks around a pair of texts, but the model takes {limit} tokens in all")));
        }
        let truncation = TruncationParams {
            max_length: limit,
            strategy: TruncationStrategy::LongestFirst,
            stride: 0,
            direction: TruncationDirection::Right,
        };
        tokenizer.with_truncation(Some(truncation)).map_err(|error| folder.fails(file, error.to_string()))?;
        tokenizer.with_padding(None);
        // The space that SentencePiece leaves before an unknown word is not content either.
        let unknown = ["[UNK]", "<unk>", "▁"].iter().filter_map(|token| tokenizer.token_to_id(token)).collect();
        let types = if config.family == BertFamily::Roberta { 1 } else { config.types as u32 };
        Ok(Self { name: folder.name.clone(), tokenizer, unknown, vocabulary: config.vocabulary, types })
    }

    /// One text.
    pub(super) fn text(&self, text: &str) -> Result<TokenisedText, ModelError> {
        self.encode(text)
    }

    /// One text, and for each token whether it belongs to the text rather than to the template.
    pub(super) fn marked(&self, text: &str) -> Result<(TokenisedText, Vec<bool>), ModelError> {
        self.encode_marked(text)
    }

    /// The words of a text with their pieces, without the tokens of the template; cut at the limit.
    pub(super) fn words(&self, text: &str) -> Result<Vec<TokenisedWord>, ModelError> {
        let fails = |problem: String| ModelError::Compute { name: self.name.clone(), problem };
        let encoding = self.tokenizer.encode(text, false).map_err(|error| fails(error.to_string()))?;
        let mut words: Vec<TokenisedWord> = Vec::new();
        let mut before = None;
        for ((id, word), (begin, end)) in encoding.get_ids().iter().zip(encoding.get_word_ids()).zip(encoding.get_offsets()) {
            if *id as usize >= self.vocabulary {
                return Err(fails(format!("its tokenizer.json gives the token {id}, which the model does not have")));
            }
            match words.last_mut().filter(|_| word.is_some() && *word == before) {
                Some(known) => {
                    known.pieces.push(*id);
                    known.end = known.end.max(*end);
                }
                None => words.push(TokenisedWord { pieces: vec![*id], begin: *begin, end: *end }),
            }
            before = *word;
        }
        Ok(words)
    }

    /// The number of a token.
    pub(super) fn token(&self, token: &str) -> Option<u32> {
        self.tokenizer.token_to_id(token).filter(|id| (*id as usize) < self.vocabulary)
    }

    /// Two texts, in the template that the tokeniser has for pairs.
    pub(super) fn pair(&self, first: &str, second: &str) -> Result<TokenisedText, ModelError> {
        self.encode((first, second))
    }

    fn encode<'s>(&self, input: impl Into<EncodeInput<'s>>) -> Result<TokenisedText, ModelError> {
        self.encode_marked(input).map(|(tokens, _)| tokens)
    }

    fn encode_marked<'s>(&self, input: impl Into<EncodeInput<'s>>) -> Result<(TokenisedText, Vec<bool>), ModelError> {
        let fails = |problem: String| ModelError::Compute { name: self.name.clone(), problem };
        // One text at a time: the tokeniser's batch function waits for rayon's threads.
        let encoding: Encoding = self.tokenizer.encode_fast(input, true).map_err(|error| fails(error.to_string()))?;
        let ids = encoding.get_ids().to_vec();
        if let Some(id) = ids.iter().find(|id| **id as usize >= self.vocabulary) {
            return Err(fails(format!("its tokenizer.json gives the token {id}, which the model does not have")));
        }
        let marks = encoding.get_special_tokens_mask();
        let known = ids.iter().zip(marks).any(|(id, mark)| *mark == 0 && !self.unknown.contains(id));
        let types = encoding.get_type_ids().iter().map(|kind| (*kind).min(self.types.saturating_sub(1))).collect();
        Ok((TokenisedText { ids, types, known }, marks.iter().map(|mark| *mark == 0).collect()))
    }
}
