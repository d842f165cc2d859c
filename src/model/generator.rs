//! What a language model is to the rest of the program: prompts in, text out, piece by piece.

use super::ModelError;

/// A prompt: what the model is told to be, and what it is asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prompt {
    /// The system message. The same for all calls of one prompt template, so a local model can keep what it
    /// has computed of it between calls.
    pub system: String,
    /// The user's message, in parts that are joined as they are.
    pub parts: Vec<PromptPart>,
}

/// A part of a user's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptPart {
    /// Its text.
    pub text: String,
    /// `None`: always there. Otherwise it may be left out where the model's context is too short; the highest
    /// rank is left out first.
    pub rank: Option<u32>,
}

impl Prompt {
    /// A prompt whose message is one part that is always there.
    pub fn new(system: impl Into<String>, user: impl Into<String>) -> Self {
        Self { system: system.into(), parts: vec![PromptPart { text: user.into(), rank: None }] }
    }

    /// The user's message with the parts whose rank is below `limit`, and those without a rank.
    pub fn user(&self, limit: u32) -> String {
        self.parts.iter().filter(|part| part.rank.is_none_or(|rank| rank < limit)).map(|part| part.text.as_str()).collect()
    }

    /// The ranks that there are, highest (first to be left out) first, each once.
    pub fn ranks(&self) -> Vec<u32> {
        let mut ranks: Vec<u32> = self.parts.iter().filter_map(|part| part.rank).collect();
        ranks.sort_unstable_by(|a, b| b.cmp(a));
        ranks.dedup();
        ranks
    }
}

/// How the next token is drawn (HyKGE 2025, A.2.3: temperature 0.6, at most 500 tokens).
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    /// At most so many new tokens.
    pub max_tokens: usize,
    /// 0: always the likeliest token; otherwise logits are divided by it. 0 to 2.
    pub temperature: f64,
    /// Only the so many likeliest tokens are drawn from.
    pub top_k: Option<usize>,
    /// Only the likeliest tokens that together have this probability are drawn from. 0 to 1.
    pub top_p: Option<f64>,
    /// Logits of tokens that occurred are divided by it (multiplied where negative); 1 changes nothing.
    pub repetition_penalty: f32,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { max_tokens: 500, temperature: 0.6, top_k: None, top_p: Some(0.95), repetition_penalty: 1.0, seed: 0 }
    }
}

/// Why a text ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model said that it was done.
    Stop,
    /// The most tokens allowed, or the end of the context.
    Length,
    /// Nobody wanted more.
    Cancelled,
}

/// What is known of a text once it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Generation {
    /// Why it ended.
    pub finish: Finish,
    /// Ranks of the parts of the prompt that did not fit, highest first.
    pub left_out: Vec<u32>,
    /// Tokens of the prompt; `None` where a server does not say.
    pub prompt_tokens: Option<usize>,
    /// How many of them were known from the call before.
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

    /// Writes a text. `emit` gets each piece as it is written, in whole characters; it is also called with an
    /// empty piece at least once a token and while the prompt is being read, and gives `false` when nobody wants more.
    ///
    /// # Errors
    /// If the model fails, or the prompt does not fit into its context even without the parts that may be left out.
    fn generate(&mut self, prompt: &Prompt, sampling: &Sampling, emit: &mut dyn FnMut(&str) -> bool) -> Result<Generation, ModelError>;

    /// The natural logarithm of the probability of each token of a text, given those before it; the first one counts only where the model begins every text
    /// with a mark. What does not fit into its context is not looked at. It takes as long as writing the text; `wanted` is asked for every token. `None` from
    /// models that do not tell.
    ///
    /// # Errors
    /// If the model fails, and [`ModelError::Cancelled`] once nobody wants it.
    fn log_probabilities(&mut self, _text: &str, _wanted: &mut dyn FnMut() -> bool) -> Result<Option<Vec<f64>>, ModelError> {
        Ok(None)
    }
}
