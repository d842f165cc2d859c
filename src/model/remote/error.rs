//! The errors of models on servers, each with its meaning and a remedy.

use std::path::PathBuf;

/// Why a server's model cannot be used or returned no result.
///
/// `server` is the name of the `[remote.NAME]` table with the address, `said` the server's own message: shortened, safe to
/// show, and without the key.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are described above and by the messages")]
pub enum RemoteError {
    /// The configuration of the HTTP client is invalid.
    #[error("the settings of {server} cannot be used: {problem}")]
    Setup { server: String, problem: String },
    /// The environment variable of the key is not set.
    #[error(
        "{server} requires a key, but the environment variable {variable} is not set; set it to the key that the server's operator gave you"
    )]
    KeyMissing { server: String, variable: String },
    /// The key cannot be read, or is not a key.
    #[error("the key of {server} cannot be used: {problem}")]
    KeyUnusable { server: String, problem: String },
    /// Others can read the key file.
    #[error("the key in {} can be read by others on this machine (mode {mode:04o}); run: chmod 600 {}", file.display(), file.display())]
    KeyExposed { file: PathBuf, mode: u32 },
    /// The connection was refused.
    #[error("{server} refused the connection: nothing listens there; start the server, or correct base_url")]
    Refused { server: String },
    /// The host name cannot be resolved.
    #[error("{server} was not found: its host name cannot be resolved; check base_url, and whether this machine is online")]
    NoSuchHost { server: String },
    /// The TLS connection failed.
    #[error(
        "no secure connection to {server} is possible: {problem}; check whether base_url begins with the right one of http and https; if your \
         institution issues its own certificates, set ca_file to the file of its issuer"
    )]
    Tls { server: String, problem: String },
    /// The connection took too long.
    #[error("{server} could not be reached within {seconds} s; check base_url, the network and the proxy, or raise connect_timeout")]
    ConnectTimeout { server: String, seconds: f64 },
    /// The connection failed in another way, or broke before the answer began.
    #[error("the connection to {server} failed: {problem}; check that the server runs, and the network and the proxy")]
    Connection { server: String, problem: String },
    /// 401 or 403. The server's own words may repeat the key, so they are not shown.
    #[error("{server} refuses access (HTTP {status}): {advice}")]
    Unauthorised { server: String, status: u16, advice: String },
    /// 404: the model does not exist.
    #[error(
        "{server} has no model {model:?}: correct `model` in the configuration (`catena models list` shows what is configured), or \
         install it on the server"
    )]
    NoModel { server: String, model: String },
    /// 404 or 405: the path is wrong.
    #[error(
        "{server} has nothing at {path} (HTTP {status}): base_url is probably wrong (it usually ends with /v1), or this server does \
         not support the request"
    )]
    NoPath { server: String, path: String, status: u16 },
    /// 3xx: the key and the question would go to another address.
    #[error(
        "{server} redirects to {target}, and Catena sends neither keys nor questions there; if the address is right, use it as base_url"
    )]
    Redirected { server: String, target: String },
    /// 429.
    #[error("{server} is overloaded or a quota is used up (HTTP 429, tried {attempts} times){said}; try again later")]
    Busy { server: String, attempts: u32, said: String },
    /// 5xx.
    #[error("{server} failed (HTTP {status}, tried {attempts} times){said}; its log says more")]
    Failing { server: String, status: u16, attempts: u32, said: String },
    /// 400 or 422 because of the temperature, `top_p` or the seed.
    #[error(
        "{server} does not accept the request (HTTP {status}){said}; set `sampling = false` for this server in the configuration: then \
         Catena sends no temperature, top_p or seed"
    )]
    SamplingRejected { server: String, status: u16, said: String },
    /// Any other refusal.
    #[error("{server} does not accept the request (HTTP {status}){said}")]
    Rejected { server: String, status: u16, said: String },
    /// The prompt is too long, even without the parts that can be left out.
    #[error(
        "the question does not fit into the context of {model:?} on {server}{said}; use a model or a server setting with a longer context"
    )]
    ContextExceeded { server: String, model: String, said: String },
    /// No answer came in time.
    #[error(
        "{server} accepted the question but sent nothing for {seconds} s; it may be loading the model: try again, or raise first_token_timeout"
    )]
    NoAnswer { server: String, seconds: f64 },
    /// A stream stalled.
    #[error("{server} began to answer, then sent nothing for {seconds} s; try again, or raise stall_timeout")]
    Stalled { server: String, seconds: f64 },
    /// A stream ended before the text was complete.
    #[error("the answer from {server} broke off before its end; try again, and check the server's log if it happens again")]
    CutOff { server: String },
    /// The answer is not JSON.
    #[error("{server} sent something that is not valid JSON ({problem}); base_url may not be the address of a model server")]
    NotJson { server: String, problem: String },
    /// The answer is a web page.
    #[error(
        "{server} sent a web page (HTTP {status}) instead of JSON; base_url is not the address of a model server, or a proxy or log-in page is \
         in between"
    )]
    WebPage { server: String, status: u16 },
    /// JSON with unexpected content.
    #[error("{server} sent an answer that Catena does not understand: {problem}; this kind of server may not be supported")]
    Unexpected { server: String, problem: String },
    /// An error instead of (more) text.
    #[error("{server} reported an error while answering{said}")]
    Reported { server: String, said: String },
    /// The server's own filter ended the text.
    #[error("the content filter of {server} stopped the answer; ask in other words, or use another model")]
    Filtered { server: String },
    /// The answer has no text.
    #[error("{server} sent an empty answer{why}")]
    Empty { server: String, why: EmptyAnswer },
    /// The answer is too long.
    #[error("{server} sent more than {bound} bytes, more than any answer needs; the rest was not read")]
    TooLarge { server: String, bound: usize },
}

/// Why an answer has no text. As the end of a sentence, it says what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EmptyAnswer {
    /// Unknown.
    #[error("; try again, or use another model")]
    Unknown,
    /// The model reached the limit of tokens while thinking.
    #[error(": the model used all its tokens for thinking; raise thinking_tokens")]
    ThoughtToTheLimit,
    /// The model ended after its thoughts.
    #[error(": the model thought and then ended without an answer; try again, or use another model")]
    ThoughtOnly,
    /// The model called a tool.
    #[error(": the model called a tool, and Catena has offered none; switch tools off on the server, or use another model")]
    ToolCall,
}

impl RemoteError {
    /// Whether the same request may succeed later.
    pub(super) fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Refused { .. } | Self::ConnectTimeout { .. } | Self::Connection { .. } | Self::CutOff { .. } | Self::Busy { .. }
        ) || matches!(self, Self::Failing { status, .. } if *status != 501)
    }

    /// The same error, after this many attempts.
    pub(super) fn after(mut self, times: u32) -> Self {
        if let Self::Busy { attempts, .. } | Self::Failing { attempts, .. } = &mut self {
            *attempts = times;
        }
        self
    }
}
