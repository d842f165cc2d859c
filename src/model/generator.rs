//! The trait of language models: prompts in, text out, piece by piece.

use super::{Constraint, ModelError};

/// A prompt: a system message and a user message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prompt {
    /// The system message. It is the same for all calls of one prompt template, so a local model can reuse what it has computed of it.
    pub system: String,
    /// The user's message, in parts that are joined without separators.
    pub parts: Vec<PromptPart>,
}

/// A part of a user's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptPart {
    /// Its text.
    pub text: String,
    /// `None`: never left out. Otherwise the part can be left out if the model's context is too short, highest
    /// rank first.
    pub rank: Option<u32>,
}

impl Prompt {
    /// A prompt whose message is one part that is never left out.
    pub fn new(system: impl Into<String>, user: impl Into<String>) -> Self {
        Self { system: system.into(), parts: vec![PromptPart { text: user.into(), rank: None }] }
    }

    /// The user's message with the parts whose rank is below `limit`, and those without a rank.
    pub fn user(&self, limit: u32) -> String {
        self.parts.iter().filter(|part| part.rank.is_none_or(|rank| rank < limit)).map(|part| part.text.as_str()).collect()
    }

    /// The distinct ranks, highest (left out first) first.
    pub fn ranks(&self) -> Vec<u32> {
        let mut ranks: Vec<u32> = self.parts.iter().filter_map(|part| part.rank).collect();
        ranks.sort_unstable_by(|a, b| b.cmp(a));
        ranks.dedup();
        ranks
    }
}

/// How a text is written: its limit, its form, and how the next token is drawn (HyKGE 2025, A.2.3: temperature 0.6, at most 500 tokens).
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    /// The most new tokens.
    pub max_tokens: usize,
    /// 0: always the likeliest token; otherwise logits are divided by it. 0 to 2.
    pub temperature: f64,
    /// Only this many likeliest tokens are drawn from.
    pub top_k: Option<usize>,
    /// Only the likeliest tokens that together have this probability are drawn from. 0 to 1.
    pub top_p: Option<f64>,
    /// Only tokens that have at least this share of the likeliest token's probability are drawn from: 0 (all) to 1. `None`: what is usual for the model.
    pub min_p: Option<f64>,
    /// Logits of tokens that the text already has are divided by it (multiplied where negative); 1 changes nothing. `None`: what is usual for the
    /// model. The prompt does not count: names in it are there to be repeated. Texts with a constraint are not penalised, since their form
    /// repeats itself.
    pub repetition_penalty: Option<f32>,
    /// Seed of the draws.
    pub seed: u64,
    /// What the text must be; `None`: any text.
    pub constraint: Option<Constraint>,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            max_tokens: 500,
            temperature: 0.6,
            top_k: None,
            top_p: Some(0.95),
            min_p: None,
            repetition_penalty: None,
            seed: 0,
            constraint: None,
        }
    }
}

/// Why a text ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model ended the text.
    Stop,
    /// The limit of tokens, or the end of the context. A text with a constraint is brought to a valid end even then, by local models.
    Length,
    /// The text began to repeat itself; the repeated end was dropped.
    Loop,
    /// The caller wanted no more.
    Cancelled,
}

/// Statistics of a written text.
#[derive(Debug, Clone, PartialEq)]
pub struct Generation {
    /// Why it ended.
    pub finish: Finish,
    /// Ranks of the parts of the prompt that did not fit, highest first.
    pub left_out: Vec<u32>,
    /// Tokens of the prompt; `None` where a server does not say.
    pub prompt_tokens: Option<usize>,
    /// How many of them were reused from the previous call.
    pub reused_tokens: usize,
    /// Tokens written; `None` where a server does not say.
    pub new_tokens: Option<usize>,
    /// Milliseconds until the first token.
    pub first_token_ms: f64,
    /// Milliseconds from the first token to the last.
    pub decode_ms: f64,
}

/// A language model. Owned by one thread.
pub trait Generator: Send {
    /// Its name, as traces show it.
    fn name(&self) -> &str;

    /// `candle` or `http`.
    fn kind(&self) -> &'static str;

    /// Where it runs: `cpu`, `cuda:0`, `metal:0`, `remote`.
    fn device(&self) -> String;

    /// What the user should know about it although it can be used, in plain words.
    fn warning(&self) -> Option<&str> {
        None
    }

    /// Writes a text. `emit` receives each piece as it is written, in whole characters. It is also called with an empty piece at least once for
    /// each token and while the prompt is read; it returns `false` to stop.
    ///
    /// # Errors
    /// If the model fails, or the prompt does not fit into its context even without the parts that can be left out.
    fn generate(&mut self, prompt: &Prompt, sampling: &Sampling, emit: &mut dyn FnMut(&str) -> bool) -> Result<Generation, ModelError>;

    /// The natural logarithm of the probability of each token of a text, given the tokens before it: as a reply to a prompt, or as all
    /// there is. Without a prompt, the first token has one only if the model begins every text with a special token. Tokens beyond the
    /// context are ignored; where prompt and text do not both fit, the beginning of the prompt is forgotten. Takes as long as writing the
    /// text; `wanted` is checked for every token. `None` from models that do not report probabilities.
    ///
    /// # Errors
    /// If the model fails, and [`ModelError::Cancelled`] if `wanted` returned `false`.
    fn log_probabilities(
        &mut self,
        _prompt: Option<&Prompt>,
        _text: &str,
        _wanted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Vec<f64>>, ModelError> {
        Ok(None)
    }
}
