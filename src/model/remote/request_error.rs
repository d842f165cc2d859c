//! Why a request failed, what the server said, and when to retry.

use std::error::Error;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use serde_json::Value;

use super::RemoteError;
use crate::text::sanitise_line;

/// The pause before the first retry. Each next pause is twice as long, plus a random part of up to the same length,
/// so that the clients of a busy server do not all return at once.
const FIRST_PAUSE: Duration = Duration::from_millis(300);
/// The longest pause, without the random part.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);
/// If a server asks for a longer wait, the request fails at once.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// The most characters of a server's message that are shown.
const SHOWN: usize = 300;

/// Why a request has no result.
#[derive(Debug)]
pub(in crate::model) enum RequestError {
    /// The caller no longer wants the result.
    Cancelled,
    /// It failed.
    Failed {
        /// The error.
        error: RemoteError,
        /// The wait that the server asks for.
        retry_after: Option<Duration>,
    },
}

impl From<RemoteError> for RequestError {
    fn from(error: RemoteError) -> Self {
        Self::Failed { error, retry_after: None }
    }
}

impl From<RequestError> for crate::model::ModelError {
    fn from(ended: RequestError) -> Self {
        match ended {
            RequestError::Cancelled => Self::Cancelled,
            RequestError::Failed { error, .. } => Self::Remote(error),
        }
    }
}

/// The attempts of one request, and the pauses between them.
#[derive(Debug)]
pub(super) struct Attempts {
    pauses: ExponentialBackoff,
    made: u32,
}

impl Attempts {
    /// With at most this many retries.
    pub(super) fn new(repetitions: u32) -> Self {
        let pauses = ExponentialBuilder::new()
            .with_min_delay(FIRST_PAUSE)
            .with_max_delay(LONGEST_PAUSE)
            .with_max_times(repetitions as usize)
            .with_jitter();
        Self { pauses: pauses.build(), made: 0 }
    }

    /// The pause before the next attempt, or the error if there is none.
    pub(super) fn pause(&mut self, ended: RequestError) -> Result<Duration, RequestError> {
        self.made += 1;
        let RequestError::Failed { error, retry_after } = ended else { return Err(ended) };
        let pause = if error.is_transient() && retry_after.is_none_or(|wait| wait <= LONGEST_WAIT) { self.pauses.next() } else { None };
        match pause {
            Some(pause) => Ok(retry_after.unwrap_or(pause)),
            None => Err(RequestError::Failed { error: error.after(self.made), retry_after }),
        }
    }
}

/// A server's error message, from JSON or plain text.
#[derive(Debug, Default)]
pub(super) struct ServerMessage {
    message: String,
    code: String,
}

impl ServerMessage {
    /// From the body of a response.
    pub(super) fn in_body(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::in_json(&value),
            Err(_) if is_web_page(body) => Self::default(),
            Err(_) => Self { message: body.into(), code: String::new() },
        }
    }

    /// From a JSON object in any of the forms that servers use: `{"error": {"message", "code", "type"}}`,
    /// `{"error": "…"}`, `{"message": "…"}`, `{"detail": "…"}`, and FastAPI's `{"detail": [{"loc": ["body", "FIELD"], "msg": "…"}]}`.
    pub(super) fn in_json(value: &Value) -> Self {
        let error = &value["error"];
        let texts = [&error["message"], error, &value["message"], &value["detail"], value];
        let codes = [&error["code"], &error["type"], &value["code"], &value["type"], &value["error_type"]];
        Self {
            message: texts.into_iter().find_map(Value::as_str).map_or_else(|| invalid_fields(&value["detail"]), str::to_owned),
            code: codes.into_iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        }
    }

    /// The error in a JSON object that came instead of a result, if it is one.
    pub(super) fn error_in(value: &Value) -> Option<Self> {
        let is_error = value.get("error").is_some_and(|error| !error.is_null()) || value["object"] == "error";
        is_error.then(|| Self::in_json(value))
    }

    /// Whether the prompt is too long.
    pub(super) fn is_context(&self) -> bool {
        let message = self.message.to_lowercase();
        let code = self.code.to_lowercase();
        ["context_length_exceeded", "exceed_context_size"].iter().any(|known| code.contains(known))
            || ["context length", "context size", "context window", "maximum model length", "prompt is too long"]
                .iter()
                .any(|known| message.contains(known))
    }

    /// Whether a sampling parameter is refused.
    pub(super) fn is_sampling(&self) -> bool {
        let words = self.message.to_lowercase();
        words.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| matches!(word, "temperature" | "top_p" | "seed"))
    }

    /// Whether the model's name is wrong.
    pub(super) fn is_model(&self) -> bool {
        let message = self.message.to_lowercase();
        self.code.contains("model_not_found") || (message.contains("model") && !message.contains("method"))
    }

    /// Whether a quota is used up, so that waiting does not help.
    pub(super) fn is_quota(&self) -> bool {
        self.code.contains("insufficient_quota")
    }

    /// As the end of a sentence: empty, or a colon and the message, shortened and safe to show. `clean` removes the key.
    pub(super) fn shown(&self, clean: impl Fn(&str) -> String) -> String {
        let message = clean(&sanitise_line(&self.message));
        let mut shown: String = message.chars().take(SHOWN).collect();
        if shown.len() < message.len() {
            shown.push('…');
        }
        if shown.is_empty() { shown } else { format!(": {shown}") }
    }
}

/// FastAPI's list of invalid fields: each with its place in the request, without the word for the request itself, and the problem.
fn invalid_fields(detail: &Value) -> String {
    let problem = |item: &Value| {
        let problem = item["msg"].as_str()?;
        let place: Vec<String> = item["loc"].as_array().into_iter().flatten().map(part_of_place).collect();
        let place = match place.as_slice() {
            [first, rest @ ..] if first == "body" && !rest.is_empty() => rest.join("."),
            all => all.join("."),
        };
        Some(if place.is_empty() { problem.to_owned() } else { format!("{place}: {problem}") })
    };
    detail.as_array().into_iter().flatten().filter_map(problem).collect::<Vec<_>>().join("; ")
}

fn part_of_place(part: &Value) -> String {
    part.as_str().map_or_else(|| part.to_string(), str::to_owned)
}

/// Whether a body is a web page.
pub(super) fn is_web_page(body: &str) -> bool {
    let begin: String = body.trim_start().chars().take(15).collect::<String>().to_lowercase();
    begin.starts_with("<!doctype html") || begin.starts_with("<html") || begin.starts_with("<head") || begin.starts_with("<?xml")
}

/// The first cause of this type; unlike `Error::source`, it also looks into wrapped `io::Error`s.
pub(super) fn cause<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = match error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

/// The message of the innermost cause, safe to show.
pub(in crate::model) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    sanitise_line(&innermost.to_string()).chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(status: u16) -> RequestError {
        RemoteError::Failing { server: "s".into(), status, attempts: 1, said: String::new() }.into()
    }

    #[test]
    fn pauses_grow_and_end_and_a_servers_wish_is_heard_within_bounds() {
        let mut attempts = Attempts::new(3);
        for least in [300, 600, 1200] {
            let pause = attempts.pause(failing(503)).expect("again").as_millis();
            assert!((least..=2 * least + 1).contains(&pause), "{pause}");
        }
        let Err(RequestError::Failed { error: RemoteError::Failing { attempts: 4, .. }, .. }) = attempts.pause(failing(503)) else {
            panic!("four attempts were made")
        };
        let busy = |wait| RequestError::Failed {
            error: RemoteError::Busy { server: "s".into(), attempts: 1, said: String::new() },
            retry_after: Some(Duration::from_secs(wait)),
        };
        assert_eq!(Attempts::new(1).pause(busy(7)).expect("again"), Duration::from_secs(7));
        assert!(Attempts::new(1).pause(busy(31)).is_err());
        assert!(Attempts::new(0).pause(busy(1)).is_err());
        assert!(Attempts::new(5).pause(failing(501)).is_err());
    }

    #[test]
    fn servers_say_what_is_wrong_in_many_forms() {
        for (body, message) in [
            (r#"{"error":{"message":"a","type":"t","code":null}}"#, ": a"),
            (r#"{"error":"a"}"#, ": a"),
            (r#"{"object":"error","message":"a"}"#, ": a"),
            (r#"{"detail":[{"msg":"a"}]}"#, ": a"),
            // FastAPI 0.115's own form for a request that its model refuses (pydantic 2.10).
            (
                r#"{"detail":[{"type":"less_than_equal","loc":["body","temperature"],"msg":"Input should be less than or equal to 2","input":3},
                    {"type":"missing","loc":["body","messages",0,"role"],"msg":"Field required","input":{}}]}"#,
                ": temperature: Input should be less than or equal to 2; messages.0.role: Field required",
            ),
            ("a\u{1b}[31m\nb", ": a[31m b"),
            ("<html>a</html>", ""),
            ("", ""),
            ("{}", ""),
        ] {
            assert_eq!(ServerMessage::in_body(body).shown(str::to_owned), message, "{body}");
        }
        assert_eq!(ServerMessage::in_body(&"x".repeat(10_000)).shown(str::to_owned).chars().count(), SHOWN + 3);
        for said in [
            r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#,
            r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, …"}"#,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
        ] {
            assert!(ServerMessage::in_body(said).is_context(), "{said}");
        }
        assert!(!ServerMessage::in_body(r#"{"error":"model \"x\" not found"}"#).is_context());
    }
}
