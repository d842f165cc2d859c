//! A streamed chat completion, from events to pieces of text.

use std::collections::VecDeque;

use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use super::RemoteError;
use super::outcome::{Ended, Said};
use super::server::{Server, Wanted};
use super::sse::{EventReader, LineTooLong};

/// No stream is longer, in bytes: some 50,000 tokens, with all that is sent around each.
const LONGEST: usize = 16 << 20;
/// How long the number of tokens is waited for once the text is complete.
const AFTERTHOUGHT: std::time::Duration = std::time::Duration::from_millis(500);
/// The event that ends a stream.
const DONE: &str = "[DONE]";

/// What one event, or a whole answer that is no stream, says.
#[derive(Debug, Default)]
pub(super) struct Delta {
    /// More of the text.
    pub(super) text: String,
    /// Whether the model is thinking.
    pub(super) thinks: bool,
    /// Why the text has ended, if it has.
    pub(super) finish: Option<String>,
    /// How many tokens there were.
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
    /// Known from a call before.
    pub(super) cached_tokens: Option<usize>,
}

#[derive(Deserialize)]
struct Completion {
    choices: Option<Vec<Choice>>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(alias = "message")]
    delta: Option<Message>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    refusal: Option<String>,
}

impl Delta {
    /// Reads an event's JSON.
    fn read(server: &Server, data: &str) -> Result<Self, RemoteError> {
        let value: Value = serde_json::from_str(data).map_err(|error| server.no_json(data.as_bytes(), 200, &error))?;
        if let Some(said) = Said::error_in(&value) {
            return Err(server.reported(&said));
        }
        let unexpected =
            |_| RemoteError::Unexpected { server: server.shown.clone(), problem: "it is no piece of a chat completion".into() };
        let completion = Completion::deserialize(value).map_err(unexpected)?;
        let mut delta = Self { usage: completion.usage, ..Self::default() };
        if let Some(choice) = completion.choices.into_iter().flatten().next() {
            delta.finish = choice.finish_reason.filter(|reason| !reason.is_empty());
            if let Some(message) = choice.delta {
                let thoughts = [message.reasoning_content, message.reasoning];
                delta.thinks = thoughts.iter().flatten().any(|thought| !thought.is_empty());
                delta.text = message.content.unwrap_or_default() + &message.refusal.unwrap_or_default();
            }
        }
        Ok(delta)
    }
}

/// The answer to a request, piece by piece.
pub(super) struct Stream<'a> {
    server: &'a Server,
    response: Response,
    reader: EventReader,
    /// Events that have come and have not been given yet.
    waiting: VecDeque<String>,
    /// Bytes so far.
    bytes: usize,
    /// When the next event has to be there, and what to say if it is not.
    deadline: Instant,
    begun: bool,
    finished: bool,
    ended: bool,
}

impl<'a> Stream<'a> {
    /// Takes a response whose head has come. `deadline` is that of its first event.
    ///
    /// Gives the whole answer at once where the server does not stream.
    pub(super) async fn open(
        server: &'a Server,
        response: Response,
        deadline: Instant,
        wanted: Wanted<'_>,
    ) -> Result<(Self, Option<Delta>), Ended> {
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
    pub(super) async fn next(&mut self, wanted: Wanted<'_>) -> Result<Option<Delta>, Ended> {
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
                self.deadline = Instant::now() + if self.finished { AFTERTHOUGHT } else { self.server.config.stall_timeout };
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
                Err(Ended::Cancelled) => return Err(Ended::Cancelled),
                // What comes after the text is of no consequence.
                Err(_) if self.finished => return Ok(None),
                Err(ended) => return Err(ended),
            }
        }
    }

    /// A page is told as one even if it ends the stream.
    fn begun_with_page(&self, data: &str) -> bool {
        !self.begun && super::outcome::is_web_page(data)
    }

    async fn chunk(&mut self, wanted: Wanted<'_>) -> Result<Option<impl std::ops::Deref<Target = [u8]> + use<>>, Ended> {
        let chunk = match self.server.chunk(&mut self.response, self.deadline, wanted).await {
            Err(Ended::Failed { error: RemoteError::Stalled { server, .. }, .. }) if !self.begun => {
                let seconds = self.server.config.first_token_timeout.as_secs_f64();
                return Err(RemoteError::NoAnswer { server, seconds }.into());
            }
            other => other?,
        };
        self.bytes += chunk.as_ref().map_or(0, |chunk| chunk.len());
        if self.bytes > LONGEST { Err(self.too_large(LONGEST)) } else { Ok(chunk) }
    }

    fn cut_off(&self) -> Ended {
        RemoteError::CutOff { server: self.server.shown.clone() }.into()
    }

    fn too_large(&self, bound: usize) -> Ended {
        RemoteError::TooLarge { server: self.server.shown.clone(), bound }.into()
    }
}
