//! A language model on a server: `POST {base}/chat/completions`, streamed.

use std::time::Instant;

use serde_json::{Value, json};

use super::error::{EmptyAnswer, RemoteError};
use super::fitted_prompt::FittedPrompt;
use super::request_error::RequestError;
use super::server::Server;
use super::stream::{CompletionStream, Delta, Usage};
use crate::config::{Preset, RemoteConfig};
use crate::model::{Finish, Generation, Generator, ModelError, Prompt, Sampling, ThinkingFilter};
use crate::text::sanitise;

const PATH: &str = "/chat/completions";
const STREAM: &str = "text/event-stream";

/// A language model on a server.
#[derive(Debug)]
pub struct RemoteGenerator {
    server: Server,
}

/// The answer of one attempt so far.
struct StreamedAnswer {
    began: Instant,
    filter: ThinkingFilter,
    /// Whether any text was emitted: a request is never retried after that.
    emitted: bool,
    first: Option<Instant>,
    last: Instant,
    finish: Option<String>,
    usage: Usage,
    called_tool: bool,
}

impl StreamedAnswer {
    /// Why there is no text.
    fn why_empty(&self) -> EmptyAnswer {
        match self.finish.as_deref() {
            Some("length") if self.filter.thought => EmptyAnswer::ThoughtToTheLimit,
            _ if self.called_tool => EmptyAnswer::ToolCall,
            Some("tool_calls" | "function_call") => EmptyAnswer::ToolCall,
            _ if self.filter.thought => EmptyAnswer::ThoughtOnly,
            _ => EmptyAnswer::Unknown,
        }
    }
}

impl RemoteGenerator {
    /// Prepares the client; sends nothing.
    ///
    /// # Errors
    /// If the key is missing or exposed, or proxy or certificates cannot be used.
    pub fn open(config: RemoteConfig) -> Result<Self, RemoteError> {
        Ok(Self { server: Server::open(config)? })
    }

    fn request(&self, system: &str, user: &str, sampling: &Sampling) -> Value {
        let config = &self.server.config;
        let mut messages = Vec::new();
        if !system.is_empty() {
            messages.push(json!({ "role": "system", "content": system }));
        }
        messages.push(json!({ "role": "user", "content": user }));
        let mut request = json!({
            "model": config.model,
            "messages": messages,
            "stream": true,
            "stream_options": { "include_usage": true },
        });
        // OpenAI has renamed the limit, and rejects the old name for its reasoning models.
        let limit = if config.preset == Some(Preset::OpenAi) { "max_completion_tokens" } else { "max_tokens" };
        request[limit] = (sampling.max_tokens + config.thinking_tokens).into();
        if config.sampling {
            request["temperature"] = sampling.temperature.into();
            if let Some(top_p) = sampling.top_p {
                request["top_p"] = top_p.into();
            }
            // Some servers store the seed as a signed 32-bit number.
            request["seed"] = (sampling.seed & 0x7FFF_FFFF).into();
        }
        request
    }

    /// Writes the text; retries, and shortens the prompt if it is too long.
    async fn write(
        &self,
        fitted: &mut FittedPrompt<'_>,
        system: &str,
        sampling: &Sampling,
        began: Instant,
        emit: &mut dyn FnMut(&str) -> bool,
    ) -> Result<StreamedAnswer, RequestError> {
        let mut attempts = self.server.attempts();
        loop {
            let request = self.request(system, &fitted.user(), sampling);
            let mut written = StreamedAnswer {
                began,
                filter: ThinkingFilter::default(),
                emitted: false,
                first: None,
                last: began,
                finish: None,
                usage: Usage::default(),
                called_tool: false,
            };
            let ended = match self.attempt(&request, &mut written, emit).await {
                Ok(()) => return Ok(written),
                Err(ended) => ended,
            };
            match ended {
                _ if written.emitted => return Err(ended),
                RequestError::Failed { error: RemoteError::ContextExceeded { .. }, .. } if fitted.shorten() => {}
                ended => self.server.pause(&mut attempts, ended, &mut || emit("")).await?,
            }
        }
    }

    async fn attempt(&self, request: &Value, written: &mut StreamedAnswer, emit: &mut dyn FnMut(&str) -> bool) -> Result<(), RequestError> {
        let deadline = tokio::time::Instant::now() + self.server.config.first_token_timeout;
        let response = self.server.post(PATH, request, STREAM, &mut || emit("")).await?;
        let (mut stream, whole) = CompletionStream::open(&self.server, response, deadline, &mut || emit("")).await?;
        match whole {
            Some(delta) => self.take(delta, written, emit)?,
            None => {
                while let Some(delta) = stream.next(&mut || emit("")).await? {
                    self.take(delta, written, emit)?;
                }
            }
        }
        let rest = written.filter.end();
        emit_piece(&rest, written, emit)?;
        let server = self.server.shown.clone();
        if written.finish.as_deref() == Some("content_filter") {
            return Err(RemoteError::Filtered { server }.into());
        }
        if !written.emitted {
            return Err(RemoteError::Empty { server, why: written.why_empty() }.into());
        }
        Ok(())
    }

    fn take(&self, delta: Delta, written: &mut StreamedAnswer, emit: &mut dyn FnMut(&str) -> bool) -> Result<(), RequestError> {
        if !delta.text.is_empty() || delta.thinks {
            written.last = Instant::now();
            written.first.get_or_insert(written.last);
        }
        written.filter.thought |= delta.thinks;
        written.called_tool |= delta.calls_tool;
        written.finish = delta.finish.or(written.finish.take());
        written.usage = delta.usage.unwrap_or(written.usage);
        let text = written.filter.push(&delta.text);
        emit_piece(&text, written, emit)
    }
}

/// Emits a piece of the answer.
fn emit_piece(text: &str, written: &mut StreamedAnswer, emit: &mut dyn FnMut(&str) -> bool) -> Result<(), RequestError> {
    let text = sanitise(text);
    // White space alone does not rule out a retry.
    written.emitted |= !text.trim().is_empty();
    if emit(&text) { Ok(()) } else { Err(RequestError::Cancelled) }
}

impl Generator for RemoteGenerator {
    fn name(&self) -> &str {
        self.server.model()
    }

    fn kind(&self) -> &'static str {
        "http"
    }

    fn device(&self) -> String {
        "remote".into()
    }

    fn generate(&mut self, prompt: &Prompt, sampling: &Sampling, emit: &mut dyn FnMut(&str) -> bool) -> Result<Generation, ModelError> {
        let began = Instant::now();
        let config = &self.server.config;
        let room = config.context.map(|context| context.saturating_sub(sampling.max_tokens + config.thinking_tokens));
        let mut fitted = FittedPrompt::new(prompt, room);
        let written = self.server.block_on(self.write(&mut fitted, &prompt.system, sampling, began, emit));
        let milliseconds = |from: Instant, to: Instant| to.saturating_duration_since(from).as_secs_f64() * 1e3;
        let mut generation = Generation {
            finish: Finish::Cancelled,
            left_out: fitted.left_out(),
            prompt_tokens: None,
            reused_tokens: 0,
            new_tokens: None,
            first_token_ms: milliseconds(began, Instant::now()),
            decode_ms: 0.0,
        };
        let written = match written {
            Ok(written) => written,
            Err(RequestError::Cancelled) => return Ok(generation),
            Err(ended) => return Err(ended.into()),
        };
        generation.finish = if written.finish.as_deref() == Some("length") { Finish::Length } else { Finish::Stop };
        generation.prompt_tokens = written.usage.prompt_tokens;
        generation.new_tokens = written.usage.completion_tokens;
        generation.reused_tokens = written.usage.prompt_tokens_details.and_then(|details| details.cached_tokens).unwrap_or(0);
        if let Some(first) = written.first {
            generation.first_token_ms = milliseconds(written.began, first);
            generation.decode_ms = milliseconds(first, written.last);
        }
        Ok(generation)
    }
}
