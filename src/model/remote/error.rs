//! What can go wrong with a model on a server, each with what it means and what to do.

use std::path::PathBuf;

/// Why a server's model cannot be used or gave no result.
///
/// `server` is the name of the `[remote.NAME]` table with the address, `said` what the server said: shortened, made safe to
/// show, and without the key.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are described above and by the messages")]
pub enum RemoteError {
    /// The HTTP client cannot be made from the configuration.
    #[error("the settings of {server} cannot be used: {problem}")]
    Setup { server: String, problem: String },
    /// The variable that is to hold the key is not set.
    #[error("{server} wants a key, and the environment variable {variable} is not set; set it to the key that the server's owner gave you")]
    KeyMissing { server: String, variable: String },
    /// The key cannot be taken from where it is to be.
    #[error("the key of {server} cannot be used: {problem}")]
    KeyUnusable { server: String, problem: String },
    /// A file that holds a key can be read by others.
    #[error("the key in {} can be read by others on this machine (mode {mode:04o}); run: chmod 600 {}", file.display(), file.display())]
    KeyExposed { file: PathBuf, mode: u32 },
    /// Nobody listens there.
    #[error("{server} refused the connection: nothing listens there; start the server, or correct base_url")]
    Refused { server: String },
    /// The host's name leads nowhere.
    #[error("{server} was not found: its host name cannot be resolved; check base_url, and whether this machine is online")]
    NoSuchHost { server: String },
    /// No encrypted connection came about.
    #[error(
        "no secure connection to {server} came about: {problem}; check that base_url is right about http or https; where your institution \
         issues its own certificates, name its issuer's file as ca_file"
    )]
    Tls { server: String, problem: String },
    /// The connection took too long.
    #[error("{server} could not be reached within {seconds} s; check base_url, the network and the proxy, or raise connect_timeout")]
    ConnectTimeout { server: String, seconds: f64 },
    /// The connection came to nothing in another way, or broke before the answer began.
    #[error("the connection to {server} failed: {problem}; check that the server runs, and the network and the proxy")]
    Connection { server: String, problem: String },
    /// 401 or 403. The server's own words may repeat the key, so they are not shown.
    #[error("{server} refuses access (HTTP {status}): {advice}")]
    Unauthorised { server: String, status: u16, advice: String },
    /// 404, and it is the model that is not there.
    #[error(
        "{server} has no model {model:?}: correct `model` in the configuration (`catena models list` shows what is configured), or \
         install it on the server"
    )]
    NoModel { server: String, model: String },
    /// 404 or 405: the path is wrong.
    #[error(
        "{server} has nothing at {path} (HTTP {status}): base_url is probably wrong (it mostly ends with /v1), or this server cannot do \
         what is asked"
    )]
    NoPath { server: String, path: String, status: u16 },
    /// 3xx: the key and the question would go somewhere else.
    #[error("{server} sends us on to {target}, and neither keys nor questions follow; if that is right, put it into base_url")]
    Redirected { server: String, target: String },
    /// 429.
    #[error("{server} has too much to do or a quota is used up (HTTP 429, asked {attempts} times){said}; try again later")]
    Busy { server: String, attempts: u32, said: String },
    /// 5xx.
    #[error("{server} failed (HTTP {status}, asked {attempts} times){said}; its log says more")]
    Failing { server: String, status: u16, attempts: u32, said: String },
    /// Any other refusal.
    #[error("{server} does not accept the request (HTTP {status}){said}")]
    Rejected { server: String, status: u16, said: String },
    /// The prompt is too long, even without what may be left out.
    #[error(
        "the question does not fit into the context of {model:?} on {server}{said}; use a model or a server setting with a longer context"
    )]
    ContextExceeded { server: String, model: String, said: String },
    /// Nothing came in time.
    #[error(
        "{server} took the question and sent nothing for {seconds} s; it may be loading the model: try again, or raise first_token_timeout"
    )]
    NoAnswer { server: String, seconds: f64 },
    /// A stream went silent.
    #[error("{server} began to answer and then sent nothing for {seconds} s; try again, or raise stall_timeout")]
    Stalled { server: String, seconds: f64 },
    /// A stream ended before the text did.
    #[error("the answer of {server} broke off before its end; try again, and look into the server's log if it happens again")]
    CutOff { server: String },
    /// What came is no JSON.
    #[error("{server} sent something that is no valid JSON ({problem}); base_url may lead to something else than a model server")]
    NotJson { server: String, problem: String },
    /// What came is a web page.
    #[error(
        "{server} sent a web page (HTTP {status}) where a model server would send JSON; base_url leads to something else, or a proxy or \
         log-in page stands in between"
    )]
    WebPage { server: String, status: u16 },
    /// JSON that does not hold what it should.
    #[error("{server} sent an answer that makes no sense: {problem}; this kind of server may not be supported")]
    Unexpected { server: String, problem: String },
    /// An error in place of (more) text.
    #[error("{server} reported an error while answering{said}")]
    Reported { server: String, said: String },
    /// The server's own filter ended the text.
    #[error("the content filter of {server} stopped the answer; ask in other words, or use another model")]
    Filtered { server: String },
    /// No text at all.
    #[error("{server} sent an empty answer{}", if *thought { ": the model used all its tokens for thinking; raise thinking_tokens" } else { "; try again, or use another model" })]
    Empty { server: String, thought: bool },
    /// More than any answer can need.
    #[error("{server} sent more than {bound} bytes, which no answer needs; the rest was not read")]
    TooLarge { server: String, bound: usize },
}

impl RemoteError {
    /// Whether the same request may succeed a little later.
    pub(super) fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Refused { .. } | Self::ConnectTimeout { .. } | Self::Connection { .. } | Self::CutOff { .. } | Self::Busy { .. }
        ) || matches!(self, Self::Failing { status, .. } if *status != 501)
    }

    /// The same, after so many attempts.
    pub(super) fn after(mut self, times: u32) -> Self {
        if let Self::Busy { attempts, .. } | Self::Failing { attempts, .. } = &mut self {
            *attempts = times;
        }
        self
    }
}
