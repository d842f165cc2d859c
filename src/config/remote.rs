//! A `[remote.NAME]` table: a model on a server that speaks OpenAI's protocol.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::ConfigError;

/// How long a connection may take to be made.
const CONNECT: f64 = 10.0;
/// How long a server may think before its first token: large models read long prompts slowly, and a server may have
/// to load the model first.
const FIRST_TOKEN: f64 = 120.0;
/// How long a stream may be silent once it has begun.
const STALL: f64 = 30.0;
/// How often a request is repeated.
const RETRIES: u32 = 4;
/// Texts in one request.
const BATCH: usize = 64;
/// The cosine above which two names mean the same (HyKGE 2025, A.2.3, uses 0.7 for GTE); an encoder of one's own deserves its own.
const DELTA: f64 = 0.7;
/// No timeout is longer, in seconds: a day.
const LONGEST: f64 = 86_400.0;

/// Servers whose address and habits are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Preset {
    /// Ollama on this machine.
    #[serde(rename = "ollama")]
    Ollama,
    /// vLLM on this machine.
    #[serde(rename = "vllm")]
    Vllm,
    /// llama.cpp's server on this machine.
    #[serde(rename = "llama.cpp")]
    LlamaCpp,
    /// OpenAI.
    #[serde(rename = "openai")]
    OpenAi,
}

impl Preset {
    fn base_url(self) -> &'static str {
        match self {
            Self::Ollama => "http://127.0.0.1:11434/v1",
            Self::Vllm => "http://127.0.0.1:8000/v1",
            Self::LlamaCpp => "http://127.0.0.1:8080/v1",
            Self::OpenAi => "https://api.openai.com/v1",
        }
    }

    /// The variable that holds the key, and whether the server can do without.
    fn key(self) -> KeySource {
        match self {
            Self::Ollama => KeySource::None,
            Self::Vllm => KeySource::Environment { variable: "VLLM_API_KEY".into(), required: false },
            Self::LlamaCpp => KeySource::Environment { variable: "LLAMA_API_KEY".into(), required: false },
            Self::OpenAi => KeySource::Environment { variable: "OPENAI_API_KEY".into(), required: true },
        }
    }
}

/// What a reranker's numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreScale {
    /// From 0 to 1.
    Probability,
    /// Any number; the logistic function makes it one from 0 to 1.
    Logit,
}

/// An address of a proxy, which may hold a password and so is not shown.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ProxyAddress(String);

impl ProxyAddress {
    /// The address, with what secrets it holds.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ProxyAddress {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.rsplit_once('@').map_or(self.0.as_str(), |(_, host)| host);
        write!(to, "{shown:?}")
    }
}

/// A `[remote.NAME]` table as it is written; `assets/config.toml` says what each key means.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "assets/config.toml documents each key")]
pub struct RemoteTable {
    pub preset: Option<Preset>,
    pub base_url: Option<String>,
    pub model: Option<String>,
    pub key_env: Option<String>,
    pub key_file: Option<PathBuf>,
    pub connect_timeout: Option<f64>,
    pub first_token_timeout: Option<f64>,
    pub stall_timeout: Option<f64>,
    pub retries: Option<u32>,
    pub context: Option<usize>,
    pub thinking_tokens: Option<usize>,
    pub sampling: Option<bool>,
    pub proxy: Option<ProxyAddress>,
    pub ca_file: Option<PathBuf>,
    pub delta: Option<f64>,
    pub dimension: Option<usize>,
    pub batch: Option<usize>,
    pub scores: Option<ScoreScale>,
}

/// Where the key of a server is found. The key itself is never part of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The server wants none.
    None,
    /// In an environment variable.
    Environment {
        /// The variable's name.
        variable: String,
        /// Whether nothing is asked of the server without it.
        required: bool,
    },
    /// In a file that only its owner can read.
    File(PathBuf),
}

/// Which proxy requests take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProxyChoice {
    /// The one that the environment names (`HTTPS_PROXY`, `NO_PROXY`, …), if any.
    System,
    /// None.
    Direct,
    /// This one.
    Address(ProxyAddress),
}

/// A model on a server, with every setting it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct RemoteConfig {
    /// The table's name.
    pub name: String,
    /// The kind of server, where it is a known one.
    pub preset: Option<Preset>,
    /// What requests' paths are appended to; `http` or `https`, without a slash at its end, without name or password.
    pub base_url: String,
    /// The model's name on the server.
    pub model: String,
    /// Where its key is.
    pub key: KeySource,
    /// How long a connection may take.
    pub connect_timeout: Duration,
    /// How long the first token (or an answer that is no stream) may take.
    pub first_token_timeout: Duration,
    /// How long a stream may be silent.
    pub stall_timeout: Duration,
    /// How often a request is repeated after a failure that may pass.
    pub retries: u32,
    /// Tokens that prompt and answer may have together, where that is known.
    pub context: Option<usize>,
    /// Tokens that a reasoning model may think with before its answer, beyond those of the answer.
    pub thinking_tokens: usize,
    /// Whether temperature, top-p and seed are sent; some models refuse them.
    pub sampling: bool,
    /// The proxy.
    pub proxy: ProxyChoice,
    /// A file of PEM certificates that are trusted besides the system's.
    pub ca_file: Option<PathBuf>,
    /// As an encoder: the cosine above which two names mean the same, 0 to 1.
    pub delta: f64,
    /// As an encoder: components of a vector, where that is known.
    pub dimension: Option<usize>,
    /// As an encoder or reranker: texts in one request, 1 and up.
    pub batch: usize,
    /// As a reranker: what its numbers are.
    pub scores: ScoreScale,
}

impl RemoteConfig {
    /// Whether the address is this machine's own.
    pub fn is_this_machine(&self) -> bool {
        let host = self.base_url.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
        // Only what follows the last colon outside of brackets is a port.
        let name = if host.starts_with('[') { host.split_inclusive(']').next() } else { host.split(':').next() };
        let name = name.unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl RemoteTable {
    /// The table with its preset's values and the defaults where it says nothing itself.
    ///
    /// # Errors
    /// If something is missing or makes no sense; the message names the key and never shows a secret.
    pub fn resolve(&self, name: &str) -> Result<RemoteConfig, ConfigError> {
        let wrong = |problem: String| ConfigError::Remote { name: name.into(), problem };
        let base_url = match (&self.base_url, self.preset) {
            (Some(url), _) => checked_url(url).map_err(wrong)?,
            (None, Some(preset)) => preset.base_url().into(),
            (None, None) => return Err(wrong("it needs a preset (ollama, vllm, llama.cpp, openai) or a base_url".into())),
        };
        let Some(model) = self.model.clone().filter(|model| !model.trim().is_empty()) else {
            return Err(wrong("it does not say which model; add a line: model = \"NAME ON THE SERVER\"".into()));
        };
        let key = match (&self.key_env, &self.key_file) {
            (Some(_), Some(_)) => return Err(wrong("it has both a key_env and a key_file; keep the one that holds the key".into())),
            (Some(variable), None) if is_variable(variable) => KeySource::Environment { variable: variable.clone(), required: true },
            (Some(_), None) => {
                let problem = "key_env is to be the name of an environment variable (capitals, digits, underscores), not the key itself";
                return Err(wrong(problem.into()));
            }
            (None, Some(file)) => KeySource::File(file.clone()),
            // A key for a known address is not for any other.
            (None, None) if self.base_url.is_some() => KeySource::None,
            (None, None) => self.preset.map_or(KeySource::None, Preset::key),
        };
        let seconds = |key: &str, value: Option<f64>, default: f64| match value.unwrap_or(default) {
            seconds if seconds > 0.0 && seconds <= LONGEST => Ok(Duration::from_secs_f64(seconds)),
            _ => Err(wrong(format!("{key} is to be a number of seconds above 0, and at most a day"))),
        };
        let delta = self.delta.unwrap_or(DELTA);
        if !(0.0..=1.0).contains(&delta) {
            return Err(wrong("delta is to be a number from 0 to 1".into()));
        }
        for (key, value) in [("context", self.context), ("dimension", self.dimension), ("batch", self.batch)] {
            if value == Some(0) {
                return Err(wrong(format!("{key} is to be a whole number above 0")));
            }
        }
        Ok(RemoteConfig {
            name: name.into(),
            preset: self.preset,
            base_url,
            model,
            key,
            connect_timeout: seconds("connect_timeout", self.connect_timeout, CONNECT)?,
            first_token_timeout: seconds("first_token_timeout", self.first_token_timeout, FIRST_TOKEN)?,
            stall_timeout: seconds("stall_timeout", self.stall_timeout, STALL)?,
            retries: self.retries.unwrap_or(RETRIES),
            context: self.context,
            thinking_tokens: self.thinking_tokens.unwrap_or(0),
            sampling: self.sampling.unwrap_or(true),
            proxy: match &self.proxy {
                None => ProxyChoice::System,
                Some(address) if address.reveal() == "none" => ProxyChoice::Direct,
                Some(address) => ProxyChoice::Address(address.clone()),
            },
            ca_file: self.ca_file.clone(),
            delta,
            dimension: self.dimension,
            batch: self.batch.unwrap_or(BATCH),
            // llama.cpp gives the classifier's output as it is.
            scores: self.scores.unwrap_or(if self.preset == Some(Preset::LlamaCpp) { ScoreScale::Logit } else { ScoreScale::Probability }),
        })
    }
}

/// An address without a slash at its end; the message of a refusal does not show it, since it may hold a password.
fn checked_url(url: &str) -> Result<String, String> {
    let url = url.trim();
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let Some(rest) = rest.filter(|rest| !rest.is_empty() && !rest.starts_with('/')) else {
        return Err("base_url is to be an address that begins with http:// or https://, for example http://127.0.0.1:8000/v1".into());
    };
    if rest.split('/').next().is_some_and(|host| host.contains('@')) {
        return Err("base_url holds a name or password; keys belong into an environment variable (key_env) or a file (key_file)".into());
    }
    if rest.contains(['?', '#']) || rest.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("base_url is to end with a path, for example /v1: no question mark, no #, no blanks".into());
    }
    Ok(url.trim_end_matches('/').to_owned())
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 64
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> RemoteTable {
        toml::from_str(text).expect("valid")
    }

    #[test]
    fn presets_give_address_and_key_and_a_table_can_say_otherwise() {
        let remote = table("preset = \"openai\"\nmodel = \"m\"").resolve("o").expect("valid");
        assert_eq!(remote.key, KeySource::Environment { variable: "OPENAI_API_KEY".into(), required: true });
        let moved = table("preset = \"openai\"\nmodel = \"m\"\nbase_url = \"http://ward.example:81/v1/\"").resolve("o").expect("valid");
        assert_eq!((moved.base_url.as_str(), moved.key), ("http://ward.example:81/v1", KeySource::None));
        let own = table("preset = \"llama.cpp\"\nmodel = \"m\"\nkey_file = \"/k\"\nstall_timeout = 2").resolve("o").expect("valid");
        assert_eq!((own.key, own.stall_timeout, own.scores), (KeySource::File("/k".into()), Duration::from_secs(2), ScoreScale::Logit));
    }

    #[test]
    fn this_machine_is_told_from_others() {
        let at = |url: &str| table(&format!("model = \"m\"\nbase_url = \"{url}\"")).resolve("o").expect("valid").is_this_machine();
        for url in ["http://127.0.0.1:8000/v1", "http://localhost/v1", "https://[::1]:8/v1", "http://[::1]/v1", "http://127.1.2.3"] {
            assert!(at(url), "{url}");
        }
        for url in ["http://10.0.0.1/v1", "https://localhost.example/v1", "http://[2001:db8::1]:8/v1"] {
            assert!(!at(url), "{url}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_key_and_secrets_are_not_repeated() {
        let cases = [
            ("", "preset"),
            ("preset = \"vllm\"", "model"),
            ("base_url = \"ftp://x\"\nmodel = \"m\"", "base_url"),
            ("base_url = \"http://me:hunter2@x/v1\"\nmodel = \"m\"", "password"),
            ("preset = \"vllm\"\nmodel = \"m\"\nkey_env = \"sk-hunter2\"", "not the key itself"),
            ("preset = \"vllm\"\nmodel = \"m\"\nkey_env = \"A\"\nkey_file = \"b\"", "both"),
            ("preset = \"vllm\"\nmodel = \"m\"\nstall_timeout = 0", "stall_timeout"),
            ("preset = \"vllm\"\nmodel = \"m\"\nconnect_timeout = nan", "connect_timeout"),
            ("preset = \"vllm\"\nmodel = \"m\"\ndelta = 1.5", "delta"),
            ("preset = \"vllm\"\nmodel = \"m\"\nbatch = 0", "batch"),
        ];
        for (text, said) in cases {
            let error = table(text).resolve("ward").expect_err(text).to_string();
            assert!(error.contains(said) && error.contains("[remote.ward]") && !error.contains("hunter2"), "{error}");
        }
        assert!(toml::from_str::<RemoteTable>("key = \"x\"").is_err(), "a key cannot be written into the file");
        let proxied = table("preset = \"vllm\"\nmodel = \"m\"\nproxy = \"http://me:hunter2@proxy:3128\"");
        let shown = format!("{proxied:?} {:?}", proxied.resolve("ward").expect("valid"));
        assert!(shown.contains("proxy:3128") && !shown.contains("hunter2"), "{shown}");
    }
}
