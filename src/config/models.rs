//! The choice of models and device: which model fills each role, and what a name in the configuration refers to.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use super::{Config, ConfigError, RemoteConfig};
use crate::text::suggest::did_you_mean;

/// What a model is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelRole {
    /// Writes hypothesis and answer.
    Generator,
    /// Turns mentions and names into vectors.
    Encoder,
    /// Scores chains against fragments.
    Reranker,
}

impl ModelRole {
    /// All roles.
    pub const ALL: [Self; 3] = [Self::Generator, Self::Encoder, Self::Reranker];

    /// The role's name, which is also its key in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Generator => "generator",
            Self::Encoder => "encoder",
            Self::Reranker => "reranker",
        }
    }

    /// The name that chooses the built-in implementation.
    pub fn built_in(self) -> &'static str {
        match self {
            Self::Generator => "graph",
            Self::Encoder => "catena-static",
            Self::Reranker => "encoder",
        }
    }
}

impl fmt::Display for ModelRole {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.as_str())
    }
}

/// The model for a role.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelChoice {
    /// The built-in implementation.
    BuiltIn,
    /// A model on this machine: the name of one in the folder of models, or a path.
    Local(String),
    /// A model on a server.
    Remote(Box<RemoteConfig>),
}

/// Marks a name as that of a `[remote.NAME]` table.
const REMOTE: &str = "remote:";

impl Config {
    /// The model for a role: the flag's value, otherwise that of the environment or the file, otherwise the built-in one.
    ///
    /// A value is tried as the built-in name, as `remote:NAME` or the NAME of a `[remote.NAME]` table, and then as the name of a
    /// model in the folder of models or a path.
    ///
    /// # Errors
    /// If there is no table of that name, or it is invalid.
    pub fn choice(&self, role: ModelRole, flag: Option<&str>) -> Result<ModelChoice, ConfigError> {
        let configured = match role {
            ModelRole::Generator => &self.generator,
            ModelRole::Encoder => &self.encoder,
            ModelRole::Reranker => &self.reranker,
        };
        let Some(value) = flag.or(configured.as_deref()).map(str::trim).filter(|value| !value.is_empty()) else {
            return Ok(ModelChoice::BuiltIn);
        };
        if value == role.built_in() {
            return Ok(ModelChoice::BuiltIn);
        }
        let marked = value.strip_prefix(REMOTE);
        let name = marked.unwrap_or(value);
        match self.remote.get(name) {
            Some(table) => Ok(ModelChoice::Remote(Box::new(table.resolve(name)?))),
            None if marked.is_some() => Err(ConfigError::NoRemote { role, name: name.into(), known: self.remotes() }),
            None => Ok(ModelChoice::Local(value.into())),
        }
    }

    /// The names of the `[remote.NAME]` tables, for a message.
    fn remotes(&self) -> String {
        if self.remote.is_empty() {
            return "it has no such table".into();
        }
        format!("it has {}", self.remote.keys().cloned().collect::<Vec<_>>().join(", "))
    }
}

/// Which prompts a language model gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum PromptSize {
    /// Those for its size, as far as its name says it.
    #[default]
    Auto,
    /// The short ones, with one task and one example.
    Small,
    /// The full ones.
    Full,
}

/// The text does not name a size of prompts.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no size of prompts; choose auto, small or full{like}", like = did_you_mean(.0, PromptSize::NAMES))]
pub struct UnknownPromptSize(String);

impl PromptSize {
    /// The names of all sizes.
    pub(super) const NAMES: [&'static str; 3] = ["auto", "small", "full"];
}

impl FromStr for PromptSize {
    type Err = UnknownPromptSize;

    fn from_str(text: &str) -> Result<Self, UnknownPromptSize> {
        match text {
            "auto" => Ok(Self::Auto),
            "small" => Ok(Self::Small),
            "full" => Ok(Self::Full),
            _ => Err(UnknownPromptSize(text.into())),
        }
    }
}

impl TryFrom<String> for PromptSize {
    type Error = UnknownPromptSize;

    fn try_from(text: String) -> Result<Self, UnknownPromptSize> {
        text.parse()
    }
}

/// Where local models run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum DeviceChoice {
    /// The processor.
    #[default]
    Cpu,
    /// The first graphics card that this build can use and that has room for the model, otherwise the processor.
    Auto,
    /// An NVIDIA card by number, 0 and up.
    Cuda(usize),
    /// An Apple graphics processor by number, 0 and up.
    Metal(usize),
}

/// The text does not name a device.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0:?} is not a device; choose cpu, auto, cuda, cuda:1 (the second NVIDIA card) or metal{like}",
    like = did_you_mean(.0, DeviceChoice::LIKELY)
)]
pub struct UnknownDevice(String);

impl DeviceChoice {
    /// The names that a slip may stand for. "cpu" is none of them: "gpu" is near to it, and means the contrary.
    pub(super) const LIKELY: [&'static str; 3] = ["auto", "cuda", "metal"];
}

impl FromStr for DeviceChoice {
    type Err = UnknownDevice;

    fn from_str(text: &str) -> Result<Self, UnknownDevice> {
        let (kind, number) = match text.split_once(':') {
            Some((kind, number)) => (kind, number.parse().map_err(|_| UnknownDevice(text.into()))?),
            None => (text, 0),
        };
        match kind {
            "cpu" if number == 0 => Ok(Self::Cpu),
            "auto" if number == 0 => Ok(Self::Auto),
            "cuda" => Ok(Self::Cuda(number)),
            "metal" => Ok(Self::Metal(number)),
            _ => Err(UnknownDevice(text.into())),
        }
    }
}

impl TryFrom<String> for DeviceChoice {
    type Error = UnknownDevice;

    fn try_from(text: String) -> Result<Self, UnknownDevice> {
        text.parse()
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => to.write_str("cpu"),
            Self::Auto => to.write_str("auto"),
            Self::Cuda(number) => write!(to, "cuda:{number}"),
            Self::Metal(number) => write!(to, "metal:{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_what_is_built_in_remote_or_local_in_this_order() {
        let config: Config =
            toml::from_str("generator = \"clinic\"\nencoder = \"minilm\"\n[remote.clinic]\npreset = \"vllm\"\nmodel = \"m\"")
                .expect("valid");
        let remote = |choice: ModelChoice| matches!(choice, ModelChoice::Remote(remote) if remote.name == "clinic");
        assert!(remote(config.choice(ModelRole::Generator, None).expect("a table")));
        assert!(remote(config.choice(ModelRole::Reranker, Some("remote:clinic")).expect("a table")));
        assert_eq!(config.choice(ModelRole::Encoder, None).expect("a name"), ModelChoice::Local("minilm".into()));
        assert_eq!(config.choice(ModelRole::Reranker, None).expect("nothing said"), ModelChoice::BuiltIn);
        for role in ModelRole::ALL {
            assert_eq!(config.choice(role, Some(role.built_in())).expect("built in"), ModelChoice::BuiltIn);
        }
        let error = config.choice(ModelRole::Encoder, Some("remote:ward")).expect_err("no table").to_string();
        assert!(error.contains("[remote.ward]") && error.contains("clinic") && error.contains("encoder"), "{error}");
    }

    #[test]
    fn a_slip_in_a_device_or_size_is_told_with_what_was_meant() {
        let size = |text: &str| text.parse::<PromptSize>().expect_err("a slip").to_string();
        assert_eq!(size("smal"), "\"smal\" is no size of prompts; choose auto, small or full. Did you mean \"small\"?");
        assert!(size("tiny").ends_with("choose auto, small or full"), "{}", size("tiny"));
        let device = |text: &str| text.parse::<DeviceChoice>().expect_err("a slip").to_string();
        assert!(device("metla").ends_with("or metal. Did you mean \"metal\"?"), "{}", device("metla"));
        assert!(!device("gpu").contains("Did you mean"), "a graphics card is not the processor: {}", device("gpu"));
    }

    #[test]
    fn devices_are_read_as_they_are_written() {
        for (text, device) in [
            ("cpu", DeviceChoice::Cpu),
            ("auto", DeviceChoice::Auto),
            ("cuda:1", DeviceChoice::Cuda(1)),
            ("cuda:0", DeviceChoice::Cuda(0)),
            ("metal:0", DeviceChoice::Metal(0)),
        ] {
            assert_eq!(text.parse::<DeviceChoice>().expect("a device"), device);
            assert_eq!(device.to_string(), text);
        }
        assert_eq!("cuda".parse::<DeviceChoice>().expect("the first"), DeviceChoice::Cuda(0));
        for wrong in ["", "gpu", "cuda:", "cuda:-1", "cpu:1", "CUDA"] {
            assert!(wrong.parse::<DeviceChoice>().is_err(), "{wrong}");
        }
    }
}
