//! What a server's refusal means, and when it is worth asking again.

use std::error::Error;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use serde_json::Value;

use super::RemoteError;
use crate::text::sanitise_line;

/// The pause before the first repetition; each next one is twice as long, and up to as much again is added by chance,
/// so that many clients of a busy server do not all come back at once.
const FIRST_PAUSE: Duration = Duration::from_millis(300);
/// No pause is longer by itself.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);
/// A server that asks for a longer wait is not waited for: whoever asked should know now.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// So many characters of what a server says are shown.
const SHOWN: usize = 300;

/// Why a request came to nothing.
#[derive(Debug)]
pub(in crate::model) enum Ended {
    /// Nobody wanted it any more.
    Cancelled,
    /// It failed.
    Failed {
        /// How.
        error: RemoteError,
        /// When the server wants to be asked again.
        retry_after: Option<Duration>,
    },
}

impl From<RemoteError> for Ended {
    fn from(error: RemoteError) -> Self {
        Self::Failed { error, retry_after: None }
    }
}

impl From<Ended> for crate::model::ModelError {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Cancelled => Self::Cancelled,
            Ended::Failed { error, .. } => Self::Remote(error),
        }
    }
}

/// How often one request has been made, and the pauses in between.
#[derive(Debug)]
pub(super) struct Attempts {
    pauses: ExponentialBackoff,
    made: u32,
}

impl Attempts {
    /// At most so many repetitions.
    pub(super) fn new(repetitions: u32) -> Self {
        let pauses = ExponentialBuilder::new()
            .with_min_delay(FIRST_PAUSE)
            .with_max_delay(LONGEST_PAUSE)
            .with_max_times(repetitions as usize)
            .with_jitter();
        Self { pauses: pauses.build(), made: 0 }
    }

    /// The pause before asking again after a failure, or why it is not asked again.
    pub(super) fn pause(&mut self, ended: Ended) -> Result<Duration, Ended> {
        self.made += 1;
        let Ended::Failed { error, retry_after } = ended else { return Err(ended) };
        let pause = if error.may_pass() && retry_after.is_none_or(|wait| wait <= LONGEST_WAIT) { self.pauses.next() } else { None };
        match pause {
            Some(pause) => Ok(retry_after.unwrap_or(pause)),
            None => Err(Ended::Failed { error: error.after(self.made), retry_after }),
        }
    }
}

/// What a server says of an error, in JSON or in plain words.
#[derive(Debug, Default)]
pub(super) struct Said {
    message: String,
    code: String,
}

impl Said {
    /// From the body of a response.
    pub(super) fn in_body(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::in_json(&value),
            Err(_) if is_web_page(body) => Self::default(),
            Err(_) => Self { message: body.into(), code: String::new() },
        }
    }

    /// From a JSON object in any of the forms that servers use: `{"error": {"message", "code", "type"}}`,
    /// `{"error": "…"}`, `{"message": "…"}`, `{"detail": "…"}`.
    pub(super) fn in_json(value: &Value) -> Self {
        let error = &value["error"];
        let texts = [&error["message"], error, &value["message"], &value["detail"], &value["detail"][0]["msg"], value];
        let codes = [&error["code"], &error["type"], &value["code"], &value["type"], &value["error_type"]];
        Self {
            message: texts.into_iter().find_map(Value::as_str).unwrap_or_default().into(),
            code: codes.into_iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        }
    }

    /// Whether a JSON object that came in place of a result speaks of an error.
    pub(super) fn error_in(value: &Value) -> Option<Self> {
        let is_error = value.get("error").is_some_and(|error| !error.is_null()) || value["object"] == "error";
        is_error.then(|| Self::in_json(value))
    }

    /// Whether it is the prompt's length.
    pub(super) fn is_context(&self) -> bool {
        let message = self.message.to_lowercase();
        let code = self.code.to_lowercase();
        ["context_length_exceeded", "exceed_context_size"].iter().any(|known| code.contains(known))
            || ["context length", "context size", "context window", "maximum model length", "prompt is too long"]
                .iter()
                .any(|known| message.contains(known))
    }

    /// Whether it is the model's name.
    pub(super) fn is_model(&self) -> bool {
        let message = self.message.to_lowercase();
        self.code.contains("model_not_found") || (message.contains("model") && !message.contains("method"))
    }

    /// Whether waiting does not help.
    pub(super) fn is_quota(&self) -> bool {
        self.code.contains("insufficient_quota")
    }

    /// As the end of a sentence: nothing, or a colon and the words, shortened and safe to show. `clean` takes the key out.
    pub(super) fn shown(&self, clean: impl Fn(&str) -> String) -> String {
        let message = clean(&sanitise_line(&self.message));
        let mut shown: String = message.chars().take(SHOWN).collect();
        if shown.len() < message.len() {
            shown.push('…');
        }
        if shown.is_empty() { shown } else { format!(": {shown}") }
    }
}

/// Whether a body is a web page.
pub(super) fn is_web_page(body: &str) -> bool {
    let begin: String = body.trim_start().chars().take(15).collect::<String>().to_lowercase();
    begin.starts_with("<!doctype html") || begin.starts_with("<html") || begin.starts_with("<head") || begin.starts_with("<?xml")
}

/// The first cause of this type; unlike `Error::source`, it looks into what `io::Error`s wrap.
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

/// The words of the innermost cause, made safe to show.
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

    fn failing(status: u16) -> Ended {
        RemoteError::Failing { server: "s".into(), status, attempts: 1, said: String::new() }.into()
    }

    #[test]
    fn pauses_grow_and_end_and_a_servers_wish_is_heard_within_bounds() {
        let mut attempts = Attempts::new(3);
        for least in [300, 600, 1200] {
            let pause = attempts.pause(failing(503)).expect("again").as_millis();
            assert!((least..=2 * least + 1).contains(&pause), "{pause}");
        }
        let Err(Ended::Failed { error: RemoteError::Failing { attempts: 4, .. }, .. }) = attempts.pause(failing(503)) else {
            panic!("four attempts were made")
        };
        let busy = |wait| Ended::Failed {
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
            ("a\u{1b}[31m\nb", ": a[31m b"),
            ("<html>a</html>", ""),
            ("", ""),
            ("{}", ""),
        ] {
            assert_eq!(Said::in_body(body).shown(str::to_owned), message, "{body}");
        }
        assert_eq!(Said::in_body(&"x".repeat(10_000)).shown(str::to_owned).chars().count(), SHOWN + 3);
        for said in [
            r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#,
            r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, …"}"#,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
        ] {
            assert!(Said::in_body(said).is_context(), "{said}");
        }
        assert!(!Said::in_body(r#"{"error":"model \"x\" not found"}"#).is_context());
    }
}
