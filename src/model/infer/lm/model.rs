//! A loaded language model: writes texts, and keeps the keys and values of a prompt for the next prompt with the same beginning.

use std::path::Path;
use std::time::Instant;

use candle_core::Device;

use super::config::TransformerConfig;
use super::cpu::{CpuForward, PackedMatrix};
use super::decoding::Decoding;
use super::grammar::{Form, Grammars};
use super::inspection::{OpenedHeaders, open_headers};
use super::sampling::Sampler;
use super::source::Loader;
use super::stream::Characters;
use super::template::ChatTemplate;
use super::tensors::{TensorForward, TensorMatrix};
use super::tokens::{Piece, Tokens};
use super::{CONTEXT, Computation, Forward, Options};
use crate::model::infer::device_name;
use crate::model::{Finish, Generation, Generator, ModelError, Prompt, Sampling};

/// A language model that runs in this process. Owned by one thread.
pub struct LanguageModel {
    name: String,
    device: Device,
    config: TransformerConfig,
    context: usize,
    tokens: Tokens,
    template: ChatTemplate,
    decoding: Decoding,
    /// Prepared when the first text of a given form is asked for.
    grammars: Option<Grammars>,
    compute: Box<dyn Forward>,
    /// Tokens whose keys and values are cached.
    cached: Vec<u32>,
    /// Tokens of the latest prompt and the text written to it.
    conversation: Vec<u32>,
}

impl std::fmt::Debug for LanguageModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LanguageModel")
            .field("name", &self.name)
            .field("config", &self.config)
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

impl LanguageModel {
    /// Loads it; see [`super::open`].
    ///
    /// # Errors
    /// As [`super::open`].
    pub fn open(path: &Path, device: &Device, options: &Options) -> Result<Self, ModelError> {
        let wanted = options.context.unwrap_or(CONTEXT).max(1);
        let opened = open_headers(path, wanted)?;
        let fail = |problem: String| ModelError::Load { name: path.display().to_string(), problem };
        let (tokens, template) = opened.texts(path).map_err(fail)?;
        let OpenedHeaders { name, config, mut files } = opened;
        let decoding = Decoding::of(config.family, files.parameters(), options).map_err(fail)?;
        let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).clamp(1, 256);
        let source = files.source();
        let compute: Box<dyn Forward> = if device.is_cpu() && options.computation == Computation::Fastest {
            let weights = Loader { source, config: &config, to_q8_0: options.to_q8_0, make: &PackedMatrix::new }.load().map_err(fail)?;
            Box::new(CpuForward::new(&config, weights, threads).map_err(fail)?)
        } else {
            let make = |raw: &_| TensorMatrix::new(raw, device);
            let weights = Loader { source, config: &config, to_q8_0: options.to_q8_0, make: &make }.load().map_err(fail)?;
            Box::new(TensorForward::new(&config, weights, device, threads).map_err(fail)?)
        };
        let context = wanted.min(config.context);
        let device = device.clone();
        let (cached, conversation) = (Vec::new(), Vec::new());
        Ok(Self { name, device, config, context, tokens, template, decoding, grammars: None, compute, cached, conversation })
    }

    /// The most tokens of prompt and answer together.
    pub fn context(&self) -> usize {
        self.context
    }

    /// Tokens of its vocabulary.
    pub fn vocabulary(&self) -> usize {
        self.config.vocabulary
    }

    /// The tokens of a prompt, as they would be read.
    ///
    /// # Errors
    /// If the vocabulary cannot spell it (damaged files).
    pub fn tokens(&self, prompt: &Prompt) -> Result<Vec<u32>, ModelError> {
        self.encode(prompt, None)
    }

    /// The tokens of a text alone, without a chat template.
    ///
    /// # Errors
    /// As [`Self::tokens`].
    pub fn text_tokens(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        self.tokens.encode(&[Piece::Content(text)]).map_err(|problem| self.failed(problem))
    }

    /// Tokens of the latest prompt and the text that was written to it.
    pub fn conversation(&self) -> &[u32] {
        &self.conversation
    }

    /// Logits after the last of some tokens, without using the cache.
    ///
    /// # Errors
    /// If there are none or too many, one is not of the vocabulary, or computing fails.
    pub fn logits(&mut self, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
        self.cached.clear();
        self.continue_logits(tokens)
    }

    /// Logits after the last of some tokens; cached tokens at their beginning are not computed again.
    ///
    /// # Errors
    /// As [`Self::logits`].
    pub fn continue_logits(&mut self, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
        if tokens.is_empty() || tokens.len() > self.context {
            return Err(self.failed(format!("{} tokens do not fit a context of {}", tokens.len(), self.context)));
        }
        self.check(tokens)?;
        let alike = self.cached.iter().zip(tokens).take_while(|(a, b)| a == b).count();
        self.cached.truncate(alike.min(tokens.len() - 1));
        let mut logits = Vec::new();
        self.read(tokens, &mut logits, &mut |_| true)?;
        Ok(logits)
    }

    fn failed(&self, problem: String) -> ModelError {
        ModelError::Compute { name: self.name.clone(), problem }
    }

    fn check(&self, tokens: &[u32]) -> Result<(), ModelError> {
        match tokens.iter().find(|token| **token as usize >= self.config.vocabulary) {
            Some(token) => {
                Err(self.failed(format!("its tokenizer produced the token {token}, but the model knows only {}", self.config.vocabulary)))
            }
            None => Ok(()),
        }
    }

    /// The tokens of a prompt with the parts whose rank is below `limit`, or all.
    fn encode(&self, prompt: &Prompt, limit: Option<u32>) -> Result<Vec<u32>, ModelError> {
        let user = limit.map_or_else(|| prompt.parts.iter().map(|part| part.text.as_str()).collect(), |limit| prompt.user(limit));
        self.tokens.encode(&self.template.pieces(&prompt.system, &user)).map_err(|problem| self.failed(problem))
    }

    /// The tokens of a prompt that leave room for an answer, and the ranks of the parts that were left out.
    fn fit(&self, prompt: &Prompt, sampling: &Sampling) -> Result<(Vec<u32>, Vec<u32>), ModelError> {
        // At most a quarter of a small context is reserved for the answer.
        let room = self.context - sampling.max_tokens.min(self.context / 4).max(1).min(self.context);
        let whole = self.encode(prompt, None)?;
        if whole.len() <= room {
            return Ok((whole, Vec::new()));
        }
        let ranks = prompt.ranks();
        // Binary search for the fewest parts to leave out: leaving out more never makes the prompt longer.
        let (mut few, mut many) = (0, ranks.len());
        let mut fitting = None;
        while few < many {
            let middle = few + (many - few) / 2;
            let tokens = self.encode(prompt, Some(ranks[middle]))?;
            if tokens.len() <= room {
                fitting = Some((tokens, middle + 1));
                many = middle;
            } else {
                few = middle + 1;
            }
        }
        match fitting {
            Some((tokens, gone)) => Ok((tokens, ranks[..gone].to_vec())),
            None => {
                let least = ranks.last().map_or(Ok(whole.len()), |rank| self.encode(prompt, Some(*rank)).map(|tokens| tokens.len()))?;
                Err(self.failed(format!(
                    "the question is too long for it: {least} tokens even without the chains that can be left out, but only {room} tokens of its \
                     context of {} are available for the question; shorten the question, or give the model a longer context",
                    self.context
                )))
            }
        }
    }

    /// The form that a text should have, if any.
    fn form(&mut self, sampling: &Sampling) -> Result<Option<Form>, ModelError> {
        let Some(constraint) = &sampling.constraint else { return Ok(None) };
        let grammars = match self.grammars.take() {
            Some(grammars) => grammars,
            None => Grammars::new(&self.tokens, self.config.vocabulary).map_err(|problem| self.failed(problem))?,
        };
        let form = grammars.begin(constraint).map_err(|problem| self.failed(problem));
        self.grammars = Some(grammars);
        form.map(Some)
    }

    /// Reads the tokens that are not cached yet and puts the logits into `logits`; `false` if `emit` returned `false`.
    fn read(&mut self, tokens: &[u32], logits: &mut Vec<f32>, emit: &mut dyn FnMut(&str) -> bool) -> Result<bool, ModelError> {
        while self.cached.len() < tokens.len() {
            let from = self.cached.len();
            let to = tokens.len().min(from + self.compute.portion());
            match self.compute.forward(&tokens[from..to], from, to == tokens.len(), &mut || emit("")) {
                Ok(Some(last)) => {
                    logits.clear();
                    logits.extend_from_slice(last);
                }
                // The next call overwrites the incomplete positions.
                Ok(None) => return Ok(false),
                Err(problem) => {
                    self.cached.clear();
                    return Err(self.failed(problem));
                }
            }
            self.cached.extend_from_slice(&tokens[from..to]);
        }
        Ok(true)
    }
}

impl Generator for LanguageModel {
    fn warning(&self) -> Option<&str> {
        self.template.warning()
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "candle"
    }

    fn device(&self) -> String {
        device_name(&self.device)
    }

    fn generate(&mut self, prompt: &Prompt, sampling: &Sampling, emit: &mut dyn FnMut(&str) -> bool) -> Result<Generation, ModelError> {
        let began = Instant::now();
        let (mut tokens, left_out) = self.fit(prompt, sampling)?;
        self.check(&tokens)?;
        let alike = self.cached.iter().zip(&tokens).take_while(|(a, b)| a == b).count();
        // The last token is always computed, for its logits.
        let reused_tokens = alike.min(tokens.len().saturating_sub(1));
        self.cached.truncate(reused_tokens);
        let prompt_tokens = tokens.len();
        let mut generation = Generation {
            finish: Finish::Cancelled,
            left_out,
            prompt_tokens: Some(prompt_tokens),
            reused_tokens,
            new_tokens: Some(0),
            first_token_ms: 0.0,
            decode_ms: 0.0,
        };
        let mut logits = Vec::new();
        let mut form = self.form(sampling)?;
        let mut sampler = Sampler::new(&self.decoding.settled(sampling));
        let mut characters = Characters::default();
        let mut first = None;
        generation.finish = loop {
            let written = tokens.len() - prompt_tokens;
            if written >= sampling.max_tokens || tokens.len() >= self.context {
                let end = form.as_mut().map_or(Ok(Vec::new()), |form| form.end(&self.tokens)).map_err(|problem| self.failed(problem))?;
                for token in end {
                    let text = characters.push(&self.tokens.bytes(token, tokens.len() == prompt_tokens));
                    tokens.push(token);
                    emit(&text);
                }
                break Finish::Length;
            }
            if !self.read(&tokens, &mut logits, emit)? {
                break Finish::Cancelled;
            }
            if let Some(form) = &mut form {
                form.restrict(&mut logits).map_err(|problem| self.failed(problem))?;
            }
            let token = sampler.draw(&logits, &tokens[prompt_tokens..]);
            let token = token.ok_or_else(|| self.failed("it computed no number for any token; its file may be damaged".into()))?;
            first.get_or_insert_with(Instant::now);
            if self.tokens.ends(token) {
                break Finish::Stop;
            }
            let text = characters.push(&self.tokens.bytes(token, written == 0));
            tokens.push(token);
            if !emit(&text) {
                break Finish::Cancelled;
            }
            if let Some(form) = &mut form {
                form.take(token, &self.tokens.bytes(token, false)).map_err(|problem| self.failed(problem))?;
                if form.is_complete() {
                    break Finish::Stop;
                }
            }
        };
        self.conversation.clone_from(&tokens);
        let rest = characters.finish();
        if !rest.is_empty() && generation.finish != Finish::Cancelled {
            emit(&rest);
        }
        let first = first.unwrap_or_else(Instant::now);
        generation.new_tokens = Some(tokens.len() - prompt_tokens);
        generation.first_token_ms = (first - began).as_secs_f64() * 1e3;
        generation.decode_ms = first.elapsed().as_secs_f64() * 1e3;
        Ok(generation)
    }

    fn log_probabilities(
        &mut self,
        prompt: Option<&Prompt>,
        text: &str,
        wanted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Vec<f64>>, ModelError> {
        let (mut tokens, before) = match prompt {
            None => (self.text_tokens(text)?, 0),
            Some(prompt) => {
                let mut tokens = self.encode(prompt, None)?;
                let own = self.tokens.encode_next(text).map_err(|problem| self.failed(problem))?;
                let excess = (tokens.len() + own.len()).saturating_sub(self.context);
                tokens.drain(..excess.min(tokens.len().saturating_sub(1)));
                let before = tokens.len();
                tokens.extend(own);
                (tokens, before)
            }
        };
        self.check(&tokens)?;
        tokens.truncate(self.context);
        self.cached.clear();
        let mut logits = Vec::new();
        let mut logs = Vec::with_capacity(tokens.len().saturating_sub(before.max(1)));
        for at in before.max(1)..tokens.len() {
            if !self.read(&tokens[..at], &mut logits, &mut |_| wanted())? {
                return Err(ModelError::Cancelled);
            }
            logs.push(log_probability(&logits, tokens[at]));
        }
        Ok(Some(logs))
    }
}

/// The logarithm of a token's softmax probability.
fn log_probability(logits: &[f32], token: u32) -> f64 {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = logits.iter().map(|logit| f64::from(logit - most).exp()).sum();
    logits.get(token as usize).map_or(f64::NEG_INFINITY, |logit| f64::from(logit - most) - sum.ln())
}
