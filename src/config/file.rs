//! The configuration file and the environment (`assets/config.toml` documents every key).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{DeviceChoice, LanguageChoice, ModelRole, PromptSize, RemoteTable};
use crate::text::suggest::did_you_mean;

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{} cannot be read: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file is not valid.
    #[error("{}, line {line}: {problem}", file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it, in plain words.
        problem: String,
    },
    /// An environment variable has an invalid value.
    #[error("the environment variable {variable} is {value:?}; it must be {expected}")]
    Environment {
        /// The variable.
        variable: String,
        /// Its value.
        value: String,
        /// The expected form, with its article; and what was probably meant.
        expected: String,
    },
    /// A role names a server that the configuration does not describe.
    #[error(
        "the {role} is set to remote:{name}, but the configuration has no table [remote.{name}] ({known}); assets/config.toml shows an example"
    )]
    NoRemote {
        /// The role.
        role: ModelRole,
        /// The table's name.
        name: String,
        /// The existing tables, as a clause.
        known: String,
    },
    /// The description of a server is invalid.
    #[error("the table [remote.{name}] of the configuration cannot be used: {problem}")]
    Remote {
        /// The table's name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// The user's settings; `None` where the default applies.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The name of the graph to use.
    pub kg: Option<String>,
    /// The collections of documents that questions use; `None` uses those chosen with `catena docs use`.
    pub docs: Option<Vec<String>>,
    /// The longest chain, in relations.
    pub k: Option<usize>,
    /// How many chains are kept.
    pub top_k: Option<usize>,
    /// The linking threshold: a cosine.
    pub delta: Option<f64>,
    /// The most chains of a JSON trace.
    pub max_chains: Option<usize>,
    /// The words of a fragment against which chains are ranked.
    pub fragment_words: Option<usize>,
    /// How many words neighbouring fragments share.
    pub fragment_overlap: Option<usize>,
    /// The name of the method that answers.
    pub method: Option<String>,
    /// The seed of all random choices.
    pub seed: Option<i64>,
    /// Theme: a built-in name or a path.
    pub theme: Option<String>,
    /// The language of the interface.
    pub language: Option<LanguageChoice>,
    /// Whether Catena prints plain lines instead of opening the screen.
    pub accessible: Option<bool>,
    /// Whether past questions are kept.
    pub history: Option<bool>,
    /// Whether the runs of the terminal interface are recorded as sessions.
    pub sessions: Option<bool>,
    /// How many sessions are kept.
    pub sessions_keep: Option<usize>,
    /// A file of relation roles.
    pub roles: Option<PathBuf>,
    /// The model that writes hypothesis and answer; see [`Config::choice`].
    pub generator: Option<String>,
    /// The model that embeds mentions and names.
    pub encoder: Option<String>,
    /// The model that scores fragments against chains.
    pub reranker: Option<String>,
    /// The recogniser of names that the graph does not know: `w2ner`, `gazetteer` (none), a name or a path.
    pub recogniser: Option<String>,
    /// Where local models run.
    pub device: Option<DeviceChoice>,
    /// Which prompts a language model gets.
    pub prompt_size: Option<PromptSize>,
    /// How much less likely a local language model's words become once its text has them: 1 (not at all) to 2.
    pub repetition_penalty: Option<f32>,
    /// Which unlikely words a local language model never writes: 0 (all can be written) to 1 (only the likeliest).
    pub min_p: Option<f64>,
    /// The folder of models; see [`super::Paths::models`] for the default.
    pub models: Option<PathBuf>,
    /// The settings of the DKG.
    pub dkg: DkgConfig,
    /// Models on servers, by name.
    pub remote: BTreeMap<String, RemoteTable>,
}

/// The user's settings of the DKG (the table `[dkg]`); `None` where the default applies.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DkgConfig {
    /// Whether questions use learned triples.
    #[serde(rename = "use")]
    pub in_use: Option<bool>,
    /// Whether new proposals are learned without a review.
    pub auto_accept: Option<bool>,
    /// Whether a known triple of the same two entities makes another redundant only if it says at least as much.
    pub compare_relation: Option<bool>,
    /// L' of WTS: the most `1 − cos` of two triples that say nearly the same; 0 to 2, negative for never.
    pub redundancy_distance: Option<f64>,
}

impl DkgConfig {
    /// Whether questions use learned triples; by default they do.
    pub fn is_in_use(&self) -> bool {
        self.in_use.unwrap_or(true)
    }

    /// Whether new proposals are learned without a review; by default they wait.
    pub fn accepts_at_once(&self) -> bool {
        self.auto_accept.unwrap_or(false)
    }
}

/// What the reader of the file says, without its list of forty keys: the nearest of them is what was meant. Where a value is one of a
/// few, all are named.
fn in_words(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    match quoted.next() {
        Some(key) if message.starts_with("unknown field") => {
            let like = did_you_mean(key, quoted);
            let like = if like.is_empty() { "; assets/config.toml lists every key".to_owned() } else { like };
            format!("there is no key {key:?}{like}")
        }
        Some(value) if message.starts_with("unknown variant") => {
            let known: Vec<&str> = quoted.collect();
            let like = did_you_mean(value, known.iter().copied());
            format!("there is no {value:?}; choose one of {}{like}", known.join(", "))
        }
        _ => message.trim_end().replace('\n', " "),
    }
}

impl Config {
    /// Whether Catena prints plain lines instead of opening the screen; by default it opens the screen.
    pub fn is_accessible(&self) -> bool {
        self.accessible.unwrap_or(false)
    }

    /// The language of the interface: as set, else Chinese where the system is, else that of each question.
    pub fn language(&self) -> LanguageChoice {
        self.language.unwrap_or_else(LanguageChoice::of_system)
    }

    /// Whether past questions are kept; by default they are not.
    pub fn keeps_history(&self) -> bool {
        self.history.unwrap_or(false)
    }

    /// Whether runs of the terminal interface are recorded; by default they are.
    pub fn records_sessions(&self) -> bool {
        self.sessions.unwrap_or(true)
    }

    /// Reads the file, if it exists, and then the environment, which takes precedence.
    ///
    /// # Errors
    /// If the file cannot be read or a value does not fit its key.
    pub fn load(file: &Path) -> Result<Self, ConfigError> {
        let config = match std::fs::read_to_string(file) {
            Ok(text) => toml::from_str(&text).map_err(|error| {
                let line = error.span().map_or(0, |span| text.bytes().take(span.start).filter(|byte| *byte == b'\n').count());
                // What a value belongs to, where the problem is the value: "top_k: invalid type …".
                let key = text.lines().nth(line).and_then(|line| line.split_once('=')).map_or("", |(key, _)| key.trim());
                let said = in_words(error.message());
                let problem = if key.is_empty() || said.contains(key) { said } else { format!("{key}: {said}") };
                ConfigError::Syntax { file: file.to_path_buf(), line: line + 1, problem }
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::default(),
            Err(source) => return Err(ConfigError::Io { file: file.to_path_buf(), source }),
        };
        config.overridden_by(|variable| std::env::var(variable).ok().filter(|value| !value.is_empty()))
    }

    fn overridden_by(mut self, environment: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        fn set<T: std::str::FromStr>(
            slot: &mut Option<T>,
            variable: &str,
            value: Option<String>,
            expected: &'static str,
        ) -> Result<(), ConfigError> {
            if let Some(value) = value {
                let wrong = |_| ConfigError::Environment { variable: variable.into(), value: value.clone(), expected: expected.into() };
                *slot = Some(value.parse().map_err(wrong)?);
            }
            Ok(())
        }
        // The same for a value that is one of a few.
        fn choose<T: std::str::FromStr>(
            slot: &mut Option<T>,
            variable: &str,
            value: Option<String>,
            (expected, known): (&'static str, [&'static str; 3]),
        ) -> Result<(), ConfigError> {
            let like = value.as_deref().map(|value| did_you_mean(value, known)).unwrap_or_default();
            set(slot, variable, value, expected).map_err(|error| match error {
                ConfigError::Environment { variable, value, expected } => {
                    ConfigError::Environment { variable, value, expected: expected + &like }
                }
                other => other,
            })
        }
        let get = |variable: &str| environment(variable);
        set(&mut self.kg, "CATENA_KG", get("CATENA_KG"), "a name")?;
        if let Some(names) = get("CATENA_DOCS") {
            self.docs = Some(names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect());
        }
        set(&mut self.k, "CATENA_K", get("CATENA_K"), "a whole number")?;
        set(&mut self.top_k, "CATENA_TOP_K", get("CATENA_TOP_K"), "a whole number")?;
        set(&mut self.delta, "CATENA_DELTA", get("CATENA_DELTA"), "a number")?;
        set(&mut self.max_chains, "CATENA_MAX_CHAINS", get("CATENA_MAX_CHAINS"), "a whole number")?;
        set(&mut self.seed, "CATENA_SEED", get("CATENA_SEED"), "a whole number")?;
        set(&mut self.fragment_words, "CATENA_FRAGMENT_WORDS", get("CATENA_FRAGMENT_WORDS"), "a whole number")?;
        set(&mut self.fragment_overlap, "CATENA_FRAGMENT_OVERLAP", get("CATENA_FRAGMENT_OVERLAP"), "a whole number")?;
        set(&mut self.method, "CATENA_METHOD", get("CATENA_METHOD"), "a name")?;
        set(&mut self.theme, "CATENA_THEME", get("CATENA_THEME"), "a name")?;
        let languages = ("a language (auto, en, zh)", LanguageChoice::NAMES);
        choose(&mut self.language, "CATENA_LANGUAGE", get("CATENA_LANGUAGE"), languages)?;
        set(&mut self.accessible, "CATENA_ACCESSIBLE", get("CATENA_ACCESSIBLE"), "`true` or `false`")?;
        set(&mut self.history, "CATENA_HISTORY", get("CATENA_HISTORY"), "`true` or `false`")?;
        set(&mut self.sessions, "CATENA_SESSIONS", get("CATENA_SESSIONS"), "`true` or `false`")?;
        set(&mut self.sessions_keep, "CATENA_SESSIONS_KEEP", get("CATENA_SESSIONS_KEEP"), "a whole number")?;
        set(&mut self.roles, "CATENA_ROLES", get("CATENA_ROLES"), "a path")?;
        set(&mut self.generator, "CATENA_GENERATOR", get("CATENA_GENERATOR"), "a name")?;
        set(&mut self.encoder, "CATENA_ENCODER", get("CATENA_ENCODER"), "a name")?;
        set(&mut self.reranker, "CATENA_RERANKER", get("CATENA_RERANKER"), "a name")?;
        set(&mut self.recogniser, "CATENA_RECOGNISER", get("CATENA_RECOGNISER"), "a name")?;
        let devices = ("a device (cpu, auto, cuda, cuda:1, metal)", DeviceChoice::LIKELY);
        choose(&mut self.device, "CATENA_DEVICE", get("CATENA_DEVICE"), devices)?;
        let sizes = ("a size (auto, small, full)", PromptSize::NAMES);
        choose(&mut self.prompt_size, "CATENA_PROMPT_SIZE", get("CATENA_PROMPT_SIZE"), sizes)?;
        set(&mut self.repetition_penalty, "CATENA_REPETITION_PENALTY", get("CATENA_REPETITION_PENALTY"), "a number")?;
        set(&mut self.min_p, "CATENA_MIN_P", get("CATENA_MIN_P"), "a number")?;
        set(&mut self.models, "CATENA_MODELS", get("CATENA_MODELS"), "a path")?;
        let dkg = &mut self.dkg;
        set(&mut dkg.in_use, "CATENA_DKG_USE", get("CATENA_DKG_USE"), "`true` or `false`")?;
        set(&mut dkg.auto_accept, "CATENA_DKG_AUTO_ACCEPT", get("CATENA_DKG_AUTO_ACCEPT"), "`true` or `false`")?;
        set(&mut dkg.compare_relation, "CATENA_DKG_COMPARE_RELATION", get("CATENA_DKG_COMPARE_RELATION"), "`true` or `false`")?;
        let distance = get("CATENA_DKG_REDUNDANCY_DISTANCE");
        set(&mut dkg.redundancy_distance, "CATENA_DKG_REDUNDANCY_DISTANCE", distance, "a number")?;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_file_parses_and_names_every_key() {
        let text = include_str!("../../assets/config.toml");
        let is_key = |key: &str| key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        let uncommented: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("# "))
            .filter(|line| line.starts_with('[') || line.split_once(" = ").is_some_and(|(key, _)| is_key(key)))
            .collect();
        let config: Config = toml::from_str(&uncommented.join("\n")).expect("every documented key exists and has the right type");
        assert!(config.kg.is_some() && config.k.is_some() && config.top_k.is_some() && config.delta.is_some());
        assert!(
            config.max_chains.is_some()
                && config.seed.is_some()
                && config.theme.is_some()
                && config.accessible.is_some()
                && config.history.is_some()
                && config.sessions.is_some()
                && config.sessions_keep.is_some()
                && config.roles.is_some()
        );
        assert!(config.docs.is_some());
        assert!(config.generator.is_some() && config.encoder.is_some() && config.reranker.is_some());
        assert!(config.device.is_some() && config.models.is_some());
        assert!(config.repetition_penalty.is_some() && config.min_p.is_some() && config.prompt_size.is_some());
        let dkg = &config.dkg;
        assert!(dkg.in_use.is_some() && dkg.auto_accept.is_some() && dkg.compare_relation.is_some() && dkg.redundancy_distance.is_some());
        let tables: Vec<_> = config.remote.iter().map(|(name, table)| (name.as_str(), table.resolve(name))).collect();
        assert!(tables.iter().all(|(_, resolved)| resolved.is_ok()), "{tables:?}");
        // One of the tables documents every key but that which the other one has.
        let (full, ward) = (&config.remote["clinic"], &config.remote["ward"]);
        assert!(ward.key_file.is_some());
        assert!(!format!("{full:?}").replace("key_file: None", "").contains(": None"), "{full:?}");
    }

    #[test]
    fn a_slip_in_the_file_is_told_with_its_line_and_what_was_meant() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("config.toml");
        let told = |text: &str| {
            std::fs::write(&file, text).expect("written");
            Config::load(&file).expect_err("a slip").to_string()
        };
        assert!(told("k = 2\nthmee = \"dark\"").ends_with("config.toml, line 2: there is no key \"thmee\". Did you mean \"theme\"?"));
        assert!(told("nonsense_xyz = 1").ends_with("assets/config.toml lists every key"));
        assert!(told("k = \"two\"").contains("line 1: k: invalid type"));
        // Values that are one of a few, too.
        for (text, said) in [
            ("language = \"zhh\"", "choose auto, en or zh. Did you mean \"zh\"?"),
            ("prompt_size = \"ful\"", "choose auto, small or full. Did you mean \"full\"?"),
            ("device = \"cude\"", "or metal. Did you mean \"cuda\"?"),
            ("[remote.ward]\npreset = \"vlm\"", "choose one of ollama, vllm, llama.cpp, openai. Did you mean \"vllm\"?"),
            ("[remote.ward]\nscores = \"logits\"", "there is no \"logits\"; choose one of probability, logit. Did you mean \"logit\"?"),
        ] {
            assert!(told(text).ends_with(said), "{}", told(text));
        }
        let environment = |variable: &str| (variable == "CATENA_LANGUAGE").then(|| "eng".to_owned());
        let error = Config::default().overridden_by(environment).expect_err("a slip").to_string();
        assert!(error.ends_with("it must be a language (auto, en, zh). Did you mean \"en\"?"), "{error}");
    }

    #[test]
    fn the_environment_comes_before_the_file_and_is_checked() {
        let file: Config = toml::from_str("k = 2\ntop_k = 5").expect("valid");
        let environment = |variable: &str| (variable == "CATENA_K").then(|| "4".to_owned());
        let config = file.clone().overridden_by(environment).expect("valid");
        assert_eq!((config.k, config.top_k), (Some(4), Some(5)));
        let wrong = |variable: &str| (variable == "CATENA_DELTA").then(|| "high".to_owned());
        assert!(file.overridden_by(wrong).expect_err("not a number").to_string().contains("CATENA_DELTA"));
        assert!(toml::from_str::<Config>("kay = 3").is_err(), "unknown keys are refused");
        assert!(toml::from_str::<Config>("[dkg]\nused = true").is_err(), "in tables, too");
        let environment = |variable: &str| (variable == "CATENA_DKG_USE").then(|| "false".to_owned());
        let config = Config::default().overridden_by(environment).expect("valid");
        assert_eq!((config.dkg.in_use, config.dkg.auto_accept), (Some(false), None));
    }
}
