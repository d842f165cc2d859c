//! The configuration file and the environment (`assets/config.toml` documents every key).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{DeviceChoice, ModelRole, RemoteTable};

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{} cannot be read: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not as it should be.
    #[error("{}: {source}", file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// Line and field.
        source: Box<toml::de::Error>,
    },
    /// An environment variable is not as it should be.
    #[error("the environment variable {variable} is {value:?}, which is no {expected}")]
    Environment {
        /// The variable.
        variable: String,
        /// Its value.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A role is to be filled by a server that is not described.
    #[error(
        "the {role} is to be remote:{name}, but the configuration has no table [remote.{name}] ({known}); assets/config.toml shows one"
    )]
    NoRemote {
        /// The role.
        role: ModelRole,
        /// The table's name.
        name: String,
        /// Which tables there are, as a clause.
        known: String,
    },
    /// A description of a server cannot be used.
    #[error("the table [remote.{name}] of the configuration cannot be used: {problem}")]
    Remote {
        /// The table's name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// Settings as far as the user has made any.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The graph to use.
    pub kg: Option<String>,
    /// Longest chain.
    pub k: Option<usize>,
    /// How many chains are kept.
    pub top_k: Option<usize>,
    /// Linking threshold.
    pub delta: Option<f64>,
    /// How many chains a JSON trace holds at most.
    pub max_chains: Option<usize>,
    /// Seed.
    pub seed: Option<i64>,
    /// Theme: a built-in name or a path.
    pub theme: Option<String>,
    /// Whether Catena talks in plain lines instead of opening the screen.
    pub accessible: Option<bool>,
    /// Whether past questions are kept.
    pub history: Option<bool>,
    /// Whether the runs of the terminal interface are recorded as sessions.
    pub sessions: Option<bool>,
    /// How many sessions are kept.
    pub sessions_keep: Option<usize>,
    /// A file of relation roles.
    pub roles: Option<PathBuf>,
    /// What writes hypothesis and answer; see [`Config::choice`].
    pub generator: Option<String>,
    /// What embeds mentions and names.
    pub encoder: Option<String>,
    /// What scores fragments against chains.
    pub reranker: Option<String>,
    /// Where local models run.
    pub device: Option<DeviceChoice>,
    /// The folder of models; see [`super::Paths::models`] for the default.
    pub models: Option<PathBuf>,
    /// The evolving graph.
    pub dkg: DkgConfig,
    /// Models on servers, by name.
    pub remote: BTreeMap<String, RemoteTable>,
}

/// What is learned from feedback, as far as the user has made settings (the table `[dkg]`).
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DkgConfig {
    /// Whether questions see what was learned.
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
    /// Whether questions see what was learned; by default they do.
    pub fn is_in_use(&self) -> bool {
        self.in_use.unwrap_or(true)
    }

    /// Whether new proposals are learned without a review; by default they wait.
    pub fn accepts_at_once(&self) -> bool {
        self.auto_accept.unwrap_or(false)
    }
}

impl Config {
    /// Whether Catena talks in plain lines instead of opening the screen; by default it opens the screen.
    pub fn is_accessible(&self) -> bool {
        self.accessible.unwrap_or(false)
    }

    /// Whether past questions are kept; by default they are not.
    pub fn keeps_history(&self) -> bool {
        self.history.unwrap_or(false)
    }

    /// Whether runs of the terminal interface are recorded; by default they are.
    pub fn records_sessions(&self) -> bool {
        self.sessions.unwrap_or(true)
    }

    /// Reads the file, if there is one, and then the environment.
    ///
    /// # Errors
    /// If the file cannot be read or a value does not fit its key.
    pub fn load(file: &Path) -> Result<Self, ConfigError> {
        let config = match std::fs::read_to_string(file) {
            Ok(text) => {
                toml::from_str(&text).map_err(|source| ConfigError::Syntax { file: file.to_path_buf(), source: Box::new(source) })?
            }
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
                let parsed =
                    value.parse().map_err(|_| ConfigError::Environment { variable: variable.into(), value: value.clone(), expected })?;
                *slot = Some(parsed);
            }
            Ok(())
        }
        let get = |variable: &str| environment(variable);
        set(&mut self.kg, "CATENA_KG", get("CATENA_KG"), "name")?;
        set(&mut self.k, "CATENA_K", get("CATENA_K"), "whole number")?;
        set(&mut self.top_k, "CATENA_TOP_K", get("CATENA_TOP_K"), "whole number")?;
        set(&mut self.delta, "CATENA_DELTA", get("CATENA_DELTA"), "number")?;
        set(&mut self.max_chains, "CATENA_MAX_CHAINS", get("CATENA_MAX_CHAINS"), "whole number")?;
        set(&mut self.seed, "CATENA_SEED", get("CATENA_SEED"), "whole number")?;
        set(&mut self.theme, "CATENA_THEME", get("CATENA_THEME"), "name")?;
        set(&mut self.accessible, "CATENA_ACCESSIBLE", get("CATENA_ACCESSIBLE"), "`true` or `false`")?;
        set(&mut self.history, "CATENA_HISTORY", get("CATENA_HISTORY"), "`true` or `false`")?;
        set(&mut self.sessions, "CATENA_SESSIONS", get("CATENA_SESSIONS"), "`true` or `false`")?;
        set(&mut self.sessions_keep, "CATENA_SESSIONS_KEEP", get("CATENA_SESSIONS_KEEP"), "whole number")?;
        set(&mut self.roles, "CATENA_ROLES", get("CATENA_ROLES"), "path")?;
        set(&mut self.generator, "CATENA_GENERATOR", get("CATENA_GENERATOR"), "name")?;
        set(&mut self.encoder, "CATENA_ENCODER", get("CATENA_ENCODER"), "name")?;
        set(&mut self.reranker, "CATENA_RERANKER", get("CATENA_RERANKER"), "name")?;
        set(&mut self.device, "CATENA_DEVICE", get("CATENA_DEVICE"), "device (cpu, auto, cuda, cuda:1, metal)")?;
        set(&mut self.models, "CATENA_MODELS", get("CATENA_MODELS"), "path")?;
        let dkg = &mut self.dkg;
        set(&mut dkg.in_use, "CATENA_DKG_USE", get("CATENA_DKG_USE"), "`true` or `false`")?;
        set(&mut dkg.auto_accept, "CATENA_DKG_AUTO_ACCEPT", get("CATENA_DKG_AUTO_ACCEPT"), "`true` or `false`")?;
        set(&mut dkg.compare_relation, "CATENA_DKG_COMPARE_RELATION", get("CATENA_DKG_COMPARE_RELATION"), "`true` or `false`")?;
        let distance = get("CATENA_DKG_REDUNDANCY_DISTANCE");
        set(&mut dkg.redundancy_distance, "CATENA_DKG_REDUNDANCY_DISTANCE", distance, "number")?;
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
        assert!(config.generator.is_some() && config.encoder.is_some() && config.reranker.is_some());
        assert!(config.device.is_some() && config.models.is_some());
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
