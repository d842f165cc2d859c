//! A streamed chat completion, from events to pieces of text.

use std::collections::VecDeque;

use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use super::RemoteError;
use super::request_error::{RequestError, ServerMessage};
use super::server::{Server, Wanted};
use super::sse::{EventReader, LineTooLong};

/// The longest stream, in bytes: some 50,000 tokens with the JSON around each.
const LONGEST: usize = 16 << 20;
/// How long to wait for the number of tokens after the text is complete.
const USAGE_WAIT: std::time::Duration = std::time::Duration::from_millis(500);
/// The event that ends a stream.
const DONE: &str = "[DONE]";

/// The content of one event, or of a whole answer that is not a stream.
#[derive(Debug, Default)]
pub(super) struct Delta {
    /// More of the text.
    pub(super) text: String,
    /// Whether the model is thinking.
    pub(super) thinks: bool,
    /// Whether it calls a tool.
    pub(super) calls_tool: bool,
    /// Why the text has ended, if it has.
    pub(super) finish: Option<String>,
    /// The numbers of tokens.
    pub(super) usage: Option<Usage>,
}

/// Tokens, as the server counts them.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(super) struct Usage {
    pub(super) prompt_tokens: Option<usize>,
    pub(super) completion_tokens: Option<usize>,
    #[serde(default)]
    pub(super) prompt_tokens_details: Option<PromptTokens>,
}

/// Some of the tokens of a prompt.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(super) struct PromptTokens {
    /// Reused from an earlier call.
    pub(super) cached_tokens: Option<usize>,
}

#[derive(Deserialize)]
struct Completion {
    choices: Option<Vec<CompletionChoice>>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct CompletionChoice {
    #[serde(alias = "message")]
    delta: Option<CompletionMessage>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct CompletionMessage {
    #[serde(default)]
    content: Value,
    #[serde(default)]
    reasoning_content: Value,
    #[serde(default)]
    reasoning: Value,
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Value,
    #[serde(default)]
    function_call: Value,
}

/// Whether a field is there and holds something.
fn is_given(field: &Value) -> bool {
    match field {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

impl Delta {
    /// Reads an event's JSON.
    fn read(server: &Server, data: &str) -> Result<Self, RemoteError> {
        let value: Value = serde_json::from_str(data).map_err(|error| server.no_json(data.as_bytes(), 200, &error))?;
        if let Some(said) = ServerMessage::error_in(&value) {
            return Err(server.reported(&said));
        }
        let unexpected =
            |()| RemoteError::Unexpected { server: server.shown.clone(), problem: "it is not part of a chat completion".into() };
        let completion = Completion::deserialize(value).map_err(|_| unexpected(()))?;
        let mut delta = Self { usage: completion.usage, ..Self::default() };
        if let Some(choice) = completion.choices.into_iter().flatten().next() {
            delta.finish = choice.finish_reason.filter(|reason| !reason.is_empty());
            if let Some(message) = choice.delta {
                delta.thinks = is_given(&message.reasoning_content) || is_given(&message.reasoning);
                delta.calls_tool = is_given(&message.tool_calls) || is_given(&message.function_call);
                delta.take_content(&message.content).ok_or_else(|| unexpected(()))?;
                delta.text += &message.refusal.unwrap_or_default();
            }
        }
        Ok(delta)
    }

    /// Adds a content: a text, or a list of parts, of which some are thoughts (`{"type": "thinking", …}`) and some texts
    /// (`{"type": "text", "text": "…"}`). `None` if it is neither.
    fn take_content(&mut self, content: &Value) -> Option<()> {
        match content {
            Value::Null => {}
            Value::String(text) => self.text += text,
            Value::Array(parts) => {
                for part in parts {
                    match part["type"].as_str() {
                        Some(kind) if kind.contains("think") || kind.contains("reason") => self.thinks = true,
                        _ => self.text += part.as_str().or(part["text"].as_str())?,
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// The answer to a request, piece by piece.
pub(super) struct CompletionStream<'a> {
    server: &'a Server,
    response: Response,
    reader: EventReader,
    /// Events that have arrived and were not returned yet.
    waiting: VecDeque<String>,
    /// Bytes so far.
    bytes: usize,
    /// When the next event must have arrived.
    deadline: Instant,
    begun: bool,
    finished: bool,
    ended: bool,
}

impl<'a> CompletionStream<'a> {
    /// Reads a response whose head has arrived; `deadline` is that of its first event.
    ///
    /// Also returns the whole answer if the server does not stream.
    pub(super) async fn open(
        server: &'a Server,
        response: Response,
        deadline: Instant,
        wanted: Wanted<'_>,
    ) -> Result<(Self, Option<Delta>), RequestError> {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_lowercase();
        let mut stream = Self {
            server,
            response,
            reader: EventReader::default(),
            waiting: VecDeque::new(),
            bytes: 0,
            deadline,
            begun: false,
            finished: false,
            ended: false,
        };
        if kind.starts_with("text/event-stream") || kind.is_empty() {
            return Ok((stream, None));
        }
        let mut body = Vec::new();
        while let Some(chunk) = stream.chunk(wanted).await? {
            body.extend_from_slice(&chunk);
        }
        stream.ended = true;
        let whole = Delta::read(server, &String::from_utf8_lossy(&body))?;
        Ok((stream, Some(whole)))
    }

    /// The next piece; `None` when the answer is complete.
    pub(super) async fn next(&mut self, wanted: Wanted<'_>) -> Result<Option<Delta>, RequestError> {
        loop {
            if let Some(data) = self.waiting.pop_front() {
                if data.trim() == DONE {
                    self.finished = true;
                    self.ended = true;
                    self.waiting.clear();
                    return Ok(None);
                }
                if data.trim().is_empty() {
                    continue;
                }
                let delta = match Delta::read(self.server, &data) {
                    // The last event of a stream that broke off.
                    Err(RemoteError::NotJson { .. }) if self.ended && !self.begun_with_page(&data) => return Err(self.cut_off()),
                    read => read?,
                };
                self.begun = true;
                self.finished |= delta.finish.is_some();
                self.deadline = Instant::now() + if self.finished { USAGE_WAIT } else { self.server.config.stall_timeout };
                return Ok(Some(delta));
            }
            if self.ended {
                return if self.finished { Ok(None) } else { Err(self.cut_off()) };
            }
            match self.chunk(wanted).await {
                Ok(Some(chunk)) => match self.reader.push(&chunk) {
                    Ok(events) => self.waiting.extend(events),
                    Err(LineTooLong) => return Err(self.too_large(EventReader::LONGEST_LINE)),
                },
                Ok(None) => {
                    self.ended = true;
                    self.waiting.extend(self.reader.end());
                }
                Err(RequestError::Cancelled) => return Err(RequestError::Cancelled),
                // Errors after the complete text do not matter.
                Err(_) if self.finished => return Ok(None),
                Err(ended) => return Err(ended),
            }
        }
    }

    /// Whether the stream consists of a web page.
    fn begun_with_page(&self, data: &str) -> bool {
        !self.begun && super::request_error::is_web_page(data)
    }

    async fn chunk(&mut self, wanted: Wanted<'_>) -> Result<Option<impl std::ops::Deref<Target = [u8]> + use<>>, RequestError> {
        let chunk = match self.server.chunk(&mut self.response, self.deadline, wanted).await {
            Err(RequestError::Failed { error: RemoteError::Stalled { server, .. }, .. }) if !self.begun => {
                let seconds = self.server.config.first_token_timeout.as_secs_f64();
                return Err(RemoteError::NoAnswer { server, seconds }.into());
            }
            other => other?,
        };
        self.bytes += chunk.as_ref().map_or(0, |chunk| chunk.len());
        if self.bytes > LONGEST { Err(self.too_large(LONGEST)) } else { Ok(chunk) }
    }

    fn cut_off(&self) -> RequestError {
        RemoteError::CutOff { server: self.server.shown.clone() }.into()
    }

    fn too_large(&self, bound: usize) -> RequestError {
        RemoteError::TooLarge { server: self.server.shown.clone(), bound }.into()
    }
}
