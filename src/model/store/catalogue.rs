//! The list of models that can be downloaded by name (`assets/models.toml`).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::StoreError;
use crate::config::ModelRole;

const TEXT: &str = include_str!("../../../assets/models.toml");

/// A model that can be downloaded by name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownModel {
    /// Its name in Catena, and of its folder or file in the folder of models.
    pub name: String,
    /// The name that its makers use.
    pub title: String,
    /// What it is for.
    pub role: ModelRole,
    /// Its architecture.
    pub family: String,
    /// Its licence.
    pub licence: String,
    /// About how large its files are, in millions of bytes.
    pub megabytes: u64,
    /// Its repository on the Hub.
    pub repo: String,
    /// Its files, with the same paths there and here.
    pub files: Vec<String>,
    /// SHA-256 of the files, where it is known for certain.
    #[serde(default)]
    pub sha256: BTreeMap<String, String>,
    /// A Python package with the same files.
    pub package: Option<KnownPackage>,
}

/// A package of the Python package index.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownPackage {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The folder in it that holds the model.
    pub folder: String,
}

impl KnownModel {
    /// Whether it is a single file rather than a folder.
    pub fn is_single(&self) -> bool {
        matches!(&self.files[..], [file] if file.ends_with(".gguf"))
    }

    /// The name of its file or folder in the folder of models.
    pub fn file_name(&self) -> String {
        if self.is_single() { format!("{}.gguf", self.name) } else { self.name.clone() }
    }
}

/// All known models, in the order of the list: encoders, cross-encoders, language models.
///
/// # Errors
/// If the embedded list is wrong, which a test rules out.
pub fn known_models() -> Result<Vec<KnownModel>, StoreError> {
    #[derive(Deserialize)]
    struct List {
        model: Vec<KnownModel>,
    }
    toml::from_str::<List>(TEXT).map(|list| list.model).map_err(|error| StoreError::Catalogue(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sound() {
        let models = known_models().expect("valid");
        let mut names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), models.len());
        for model in &models {
            assert!(model.files.iter().all(|file| crate::model::store::pull::is_inside(file)), "{model:?}");
            assert_eq!(model.repo.split('/').count(), 2, "{model:?}");
            assert!(model.name.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c)) && !model.name.starts_with('.'));
            assert!(model.sha256.keys().all(|file| model.files.contains(file)));
            assert!(model.sha256.values().all(|sum| sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit())));
            assert!(model.is_single() || model.files.iter().any(|file| file == "config.json"), "{model:?}");
            // Built-in names are not hidden by it.
            assert!(ModelRole::ALL.iter().all(|role| role.built_in() != model.name));
        }
    }
}
