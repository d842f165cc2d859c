//! The language of the interface.

use std::str::FromStr;

use serde::Deserialize;

use crate::text::suggest::did_you_mean;

/// The language of the interface; answers are always in the language of their question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum LanguageChoice {
    /// That of the question.
    #[default]
    Auto,
    /// English.
    English,
    /// Simplified Chinese.
    Chinese,
}

/// The text does not name a language.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no language of the interface; choose auto, en or zh{like}", like = did_you_mean(.0, LanguageChoice::NAMES))]
pub struct UnknownLanguage(String);

impl LanguageChoice {
    /// The names of all choices.
    pub(super) const NAMES: [&'static str; 3] = ["auto", "en", "zh"];

    /// Chinese where the environment says that the system is; else by the question.
    pub fn of_system() -> Self {
        Self::of_environment(|variable| std::env::var(variable).ok())
    }

    fn of_environment(get: impl Fn(&str) -> Option<String>) -> Self {
        // The first that is set decides, as POSIX has it.
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(get).find(|value| !value.is_empty());
        let is_chinese = locale.is_some_and(|locale| locale.split(['_', '.', '-', '@']).next() == Some("zh"));
        if is_chinese { Self::Chinese } else { Self::Auto }
    }
}

impl FromStr for LanguageChoice {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        match text {
            "auto" => Ok(Self::Auto),
            "en" => Ok(Self::English),
            "zh" => Ok(Self::Chinese),
            _ => Err(UnknownLanguage(text.into())),
        }
    }
}

impl TryFrom<String> for LanguageChoice {
    type Error = UnknownLanguage;

    fn try_from(text: String) -> Result<Self, UnknownLanguage> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_in_a_language_is_told_with_what_was_meant() {
        let told = |text: &str| text.parse::<LanguageChoice>().expect_err("a slip").to_string();
        assert_eq!(told("zhh"), "\"zhh\" is no language of the interface; choose auto, en or zh. Did you mean \"zh\"?");
        assert_eq!(told("fr"), "\"fr\" is no language of the interface; choose auto, en or zh");
        assert!(LanguageChoice::NAMES.iter().all(|name| name.parse::<LanguageChoice>().is_ok()));
    }

    #[test]
    fn the_first_variable_that_is_set_names_the_language_of_the_system() {
        let of = |set: &[(&str, &str)]| {
            LanguageChoice::of_environment(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(of(&[]), LanguageChoice::Auto);
        assert_eq!(of(&[("LANG", "zh_CN.UTF-8")]), LanguageChoice::Chinese);
        assert_eq!(of(&[("LC_ALL", ""), ("LC_MESSAGES", "zh"), ("LANG", "en_GB.UTF-8")]), LanguageChoice::Chinese);
        assert_eq!(of(&[("LC_ALL", "C"), ("LANG", "zh_CN.UTF-8")]), LanguageChoice::Auto);
        assert_eq!(of(&[("LANG", "zha_CN")]), LanguageChoice::Auto, "another language");
    }
}
