//! A language model on a server: `POST {base}/chat/completions`, streamed. Where a form is asked for, by `response_format`; if the server refuses that, in the
//! next simpler way.

use std::cell::Cell;
use std::time::Instant;

use serde_json::{Value, json};

use super::error::{EmptyAnswer, RemoteError};
use super::fitted_prompt::FittedPrompt;
use super::request_error::RequestError;
use super::server::Server;
use super::stream::{CompletionStream, Delta, Usage};
use crate::config::{Preset, RemoteConfig};
use crate::model::{Constraint, Finish, Generation, Generator, ModelError, Prompt, Sampling, ThinkingFilter};
use crate::text::sanitise;

const PATH: &str = "/chat/completions";
const STREAM: &str = "text/event-stream";

/// A language model on a server.
#[derive(Debug)]
pub struct RemoteGenerator {
    server: Server,
    /// The best way to ask for JSON, and for other texts, that the server has not refused.
    json: Cell<FormRequest>,
    text: Cell<FormRequest>,
}

/// How a server is asked for a text of a given form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FormRequest {
    /// By a JSON schema.
    Schema,
    /// For any JSON object.
    AnyObject,
    /// By the words of the prompt alone.
    Words,
}

impl FormRequest {
    /// What to try next.
    fn simpler(self, constraint: &Constraint) -> Option<Self> {
        match self {
            Self::Schema if constraint.is_json() => Some(Self::AnyObject),
            Self::Schema | Self::AnyObject => Some(Self::Words),
            Self::Words => None,
        }
    }
}

/// The answer of one attempt so far.
struct StreamedAnswer {
    began: Instant,
    filter: ThinkingFilter,
    /// Whether any text was emitted: a request is never retried after that.
    emitted: bool,
    /// The text so far, if it comes in an object that it must be taken out of at the end.
    wrapped: Option<String>,
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
        Ok(Self { server: Server::open(config)?, json: Cell::new(FormRequest::Schema), text: Cell::new(FormRequest::Schema) })
    }

    /// The way to ask for a form that this server is known to accept, or has not refused yet.
    fn known(&self, constraint: &Constraint) -> &Cell<FormRequest> {
        if constraint.is_json() { &self.json } else { &self.text }
    }

    fn request(&self, system: &str, user: &str, sampling: &Sampling, form: FormRequest) -> Value {
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
        match (&sampling.constraint, form) {
            (Some(constraint), FormRequest::Schema) => {
                let (name, mut schema) = constraint.for_servers();
                if config.preset == Some(Preset::OpenAi) {
                    without_lengths(&mut schema);
                }
                request["response_format"] =
                    json!({ "type": "json_schema", "json_schema": { "name": name, "strict": true, "schema": schema } });
            }
            (Some(_), FormRequest::AnyObject) => request["response_format"] = json!({ "type": "json_object" }),
            _ => {}
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
        let mut form = sampling.constraint.as_ref().map_or(FormRequest::Words, |constraint| self.known(constraint).get());
        loop {
            let request = self.request(system, &fitted.user(), sampling, form);
            let wrapped = form == FormRequest::Schema && sampling.constraint.as_ref().is_some_and(Constraint::is_wrapped);
            let mut written = StreamedAnswer {
                began,
                filter: ThinkingFilter::default(),
                emitted: false,
                wrapped: wrapped.then(String::new),
                first: None,
                last: began,
                finish: None,
                usage: Usage::default(),
                called_tool: false,
            };
            let ended = match self.attempt(&request, &mut written, sampling, emit).await {
                Ok(()) => {
                    if let Some(constraint) = &sampling.constraint {
                        self.known(constraint).set(form);
                    }
                    return Ok(written);
                }
                Err(ended) => ended,
            };
            let simpler = sampling.constraint.as_ref().and_then(|constraint| form.simpler(constraint));
            match ended {
                _ if written.emitted => return Err(ended),
                RequestError::Failed { error: RemoteError::ContextExceeded { .. }, .. } if fitted.shorten() => {}
                RequestError::Failed { error: RemoteError::Rejected { status: 400 | 422, .. }, .. } if simpler.is_some() => {
                    form = simpler.unwrap_or(FormRequest::Words);
                }
                ended => self.server.pause(&mut attempts, ended, &mut || emit("")).await?,
            }
        }
    }

    async fn attempt(
        &self,
        request: &Value,
        written: &mut StreamedAnswer,
        sampling: &Sampling,
        emit: &mut dyn FnMut(&str) -> bool,
    ) -> Result<(), RequestError> {
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
        if let (Some(whole), Some(constraint)) = (written.wrapped.take(), &sampling.constraint) {
            emit_piece(&constraint.unwrapped(whole), written, emit)?;
        }
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

/// Without the lengths of texts, which OpenAI's strict schemas do not allow.
fn without_lengths(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for name in ["minLength", "maxLength"] {
                if fields.get(name).is_some_and(Value::is_number) {
                    fields.remove(name);
                }
            }
            fields.values_mut().for_each(without_lengths);
        }
        Value::Array(items) => items.iter_mut().for_each(without_lengths),
        _ => {}
    }
}

/// Emits a piece of the answer, or keeps it if it must be taken out of an object first.
fn emit_piece(text: &str, written: &mut StreamedAnswer, emit: &mut dyn FnMut(&str) -> bool) -> Result<(), RequestError> {
    if let Some(whole) = &mut written.wrapped {
        whole.push_str(text);
        return if emit("") { Ok(()) } else { Err(RequestError::Cancelled) };
    }
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
