//! A `[remote.NAME]` table: a model on a server with OpenAI's protocol.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::ConfigError;

/// The default time for making a connection, in seconds.
const CONNECT: f64 = 10.0;
/// The default time until the first token, in seconds: large models read long prompts slowly, and a server may have
/// to load the model first.
const FIRST_TOKEN: f64 = 120.0;
/// The default time for which a stream may be silent, in seconds.
const STALL: f64 = 30.0;
/// The default number of retries.
const RETRIES: u32 = 4;
/// The default number of texts in one request.
const BATCH: usize = 64;
/// The default cosine above which two names mean the same (HyKGE 2025, A.2.3, uses 0.7 for GTE). Each encoder deserves its own value.
const DELTA: f64 = 0.7;
/// The longest timeout, in seconds: a day.
const LONGEST: f64 = 86_400.0;

/// Servers with a known address and known defaults.
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

    /// Where the server's key is by default.
    fn key(self) -> KeySource {
        match self {
            Self::Ollama => KeySource::None,
            Self::Vllm => KeySource::Environment { variable: "VLLM_API_KEY".into(), required: false },
            Self::LlamaCpp => KeySource::Environment { variable: "LLAMA_API_KEY".into(), required: false },
            Self::OpenAi => KeySource::Environment { variable: "OPENAI_API_KEY".into(), required: true },
        }
    }
}

/// The scale of a reranker's scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreScale {
    /// From 0 to 1.
    Probability,
    /// Any number; the logistic function maps it to 0 to 1.
    Logit,
}

/// The address of a proxy. It may hold a password, so `Debug` shows only the host.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ProxyAddress(String);

impl ProxyAddress {
    /// The full address, including any password.
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

/// A `[remote.NAME]` table as written; `assets/config.toml` explains each key.
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

/// Where to find the key of a server. The configuration never holds the key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The server needs no key.
    None,
    /// In an environment variable.
    Environment {
        /// The variable's name.
        variable: String,
        /// Whether requests need the key.
        required: bool,
    },
    /// In a file that only its owner can read.
    File(PathBuf),
}

/// The proxy for requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProxyChoice {
    /// The proxy that the environment names (`HTTPS_PROXY`, `NO_PROXY`, …), if any.
    System,
    /// No proxy.
    Direct,
    /// This proxy.
    Address(ProxyAddress),
}

/// A model on a server, with all its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct RemoteConfig {
    /// The table's name.
    pub name: String,
    /// The preset, if the table names one.
    pub preset: Option<Preset>,
    /// The base of request URLs: `http` or `https`, without a trailing slash, user name or password.
    pub base_url: String,
    /// The model's name on the server.
    pub model: String,
    /// Where to find its key.
    pub key: KeySource,
    /// How long a connection may take.
    pub connect_timeout: Duration,
    /// How long the first token, or a response that is not a stream, may take.
    pub first_token_timeout: Duration,
    /// How long a stream may be silent.
    pub stall_timeout: Duration,
    /// How often a request is retried after a temporary failure.
    pub retries: u32,
    /// The most tokens of prompt and answer together, if known.
    pub context: Option<usize>,
    /// The most tokens with which a reasoning model may think, in addition to those of the answer.
    pub thinking_tokens: usize,
    /// Whether to send temperature, top-p and seed; some models reject them.
    pub sampling: bool,
    /// The proxy.
    pub proxy: ProxyChoice,
    /// A file of PEM certificates to trust in addition to the system's.
    pub ca_file: Option<PathBuf>,
    /// As an encoder: the cosine above which two names mean the same, 0 to 1.
    pub delta: f64,
    /// As an encoder: the number of components of a vector, if known.
    pub dimension: Option<usize>,
    /// As an encoder or reranker: the number of texts in one request, at least 1.
    pub batch: usize,
    /// As a reranker: the scale of its scores.
    pub scores: ScoreScale,
}

impl RemoteConfig {
    /// Whether the server runs on this machine.
    pub fn is_this_machine(&self) -> bool {
        let host = self.base_url.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
        // The port follows the last colon outside brackets.
        let name = if host.starts_with('[') { host.split_inclusive(']').next() } else { host.split(':').next() };
        let name = name.unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl RemoteTable {
    /// The table with its preset's values and the defaults for missing keys.
    ///
    /// # Errors
    /// If a key is missing or invalid; the message names the key and never shows a secret.
    pub fn resolve(&self, name: &str) -> Result<RemoteConfig, ConfigError> {
        let wrong = |problem: String| ConfigError::Remote { name: name.into(), problem };
        let base_url = match (&self.base_url, self.preset) {
            (Some(url), _) => checked_url(url).map_err(wrong)?,
            (None, Some(preset)) => preset.base_url().into(),
            (None, None) => return Err(wrong("it needs a preset (ollama, vllm, llama.cpp, openai) or a base_url".into())),
        };
        let Some(model) = self.model.clone().filter(|model| !model.trim().is_empty()) else {
            return Err(wrong("it does not name a model; add a line: model = \"NAME ON THE SERVER\"".into()));
        };
        let key = match (&self.key_env, &self.key_file) {
            (Some(_), Some(_)) => return Err(wrong("it has both a key_env and a key_file; keep the one that holds the key".into())),
            (Some(variable), None) if is_variable(variable) => KeySource::Environment { variable: variable.clone(), required: true },
            (Some(_), None) => {
                let problem = "key_env must be the name of an environment variable (capitals, digits, underscores), not the key itself";
                return Err(wrong(problem.into()));
            }
            (None, Some(file)) => KeySource::File(file.clone()),
            // Never send the preset's key to another address.
            (None, None) if self.base_url.is_some() => KeySource::None,
            (None, None) => self.preset.map_or(KeySource::None, Preset::key),
        };
        let seconds = |key: &str, value: Option<f64>, default: f64| match value.unwrap_or(default) {
            seconds if seconds > 0.0 && seconds <= LONGEST => Ok(Duration::from_secs_f64(seconds)),
            _ => Err(wrong(format!("{key} must be a number of seconds above 0, and at most a day"))),
        };
        let delta = self.delta.unwrap_or(DELTA);
        if !(0.0..=1.0).contains(&delta) {
            return Err(wrong("delta must be a number from 0 to 1".into()));
        }
        for (key, value) in [("context", self.context), ("dimension", self.dimension), ("batch", self.batch)] {
            if value == Some(0) {
                return Err(wrong(format!("{key} must be a whole number above 0")));
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
            // llama.cpp returns the classifier's raw output.
            scores: self.scores.unwrap_or(if self.preset == Some(Preset::LlamaCpp) { ScoreScale::Logit } else { ScoreScale::Probability }),
        })
    }
}

/// The address without a trailing slash. Error messages do not show it, because it may hold a password.
fn checked_url(url: &str) -> Result<String, String> {
    let url = url.trim();
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let Some(rest) = rest.filter(|rest| !rest.is_empty() && !rest.starts_with('/')) else {
        return Err("base_url must be an address that begins with http:// or https://, for example http://127.0.0.1:8000/v1".into());
    };
    if rest.split('/').next().is_some_and(|host| host.contains('@')) {
        return Err("base_url holds a name or password; keys belong in an environment variable (key_env) or a file (key_file)".into());
    }
    if rest.contains(['?', '#']) || rest.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("base_url must end with a path, for example /v1, and must not contain ?, # or blanks".into());
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
    fn this_machine_is_distinguished_from_others() {
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
