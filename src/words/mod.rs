//! What screen, accessible mode and command line say, in each language. The English text stands where it is said; the Chinese one beside it
//! in the tables of this folder. A text without a translation does not compile.

mod clinic;
mod keys;
mod screen;
mod sheets;
mod spoken;

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::LazyLock;

use crate::config::LanguageChoice;
use crate::text::{counted, grouped, is_chinese};

/// English texts with their Chinese translations.
type Table = &'static [(&'static str, &'static str)];

const TABLES: [Table; 5] = [screen::TABLE, sheets::TABLE, clinic::TABLE, keys::TABLE, spoken::TABLE];

/// The same for texts that are known only when Catena runs: the help of the keymap, and words that are the same in every report.
static CHINESE: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| TABLES.iter().flat_map(|table| table.iter().copied()).collect());

/// The language of the interface. The answer is always in the language of its question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// The language that is set; without one, that of the question.
    pub fn of(choice: LanguageChoice, question: &str) -> Self {
        match choice {
            LanguageChoice::English => Self::English,
            LanguageChoice::Chinese => Self::Chinese,
            LanguageChoice::Auto if is_chinese(question) => Self::Chinese,
            LanguageChoice::Auto => Self::English,
        }
    }

    /// One of two texts; [`words!`] looks up the second.
    pub(crate) fn choose(self, english: &'static str, chinese: &'static str) -> &'static str {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }

    /// A text in this language, if it is one of the tables' texts; else as it is.
    pub(crate) fn known(self, english: &str) -> &str {
        match self {
            Self::English => english,
            Self::Chinese => CHINESE.get(english).copied().unwrap_or(english),
        }
    }

    /// A number of things: “3 chains”, “3 条链”.
    pub(crate) fn counted(self, number: u64, one: &str, many: &str, chinese: &str) -> String {
        match self {
            Self::English => counted(number, one, many),
            Self::Chinese => format!("{} {chinese}", grouped(number)),
        }
    }

    /// Names in a row: “a, b and c”, “a、b、c”.
    pub(crate) fn listed(self, items: &[String]) -> String {
        match (self, items) {
            (Self::Chinese, items) => items.join("、"),
            (_, []) => String::new(),
            (_, [one]) => one.clone(),
            (_, [first @ .., last]) => format!("{} and {last}", first.join(", ")),
        }
    }
}

/// The translation of an English text; for [`words!`], which calls it when Catena is compiled.
pub(crate) const fn chinese(english: &str) -> &'static str {
    let mut table = 0;
    while table < TABLES.len() {
        let mut row = 0;
        while row < TABLES[table].len() {
            if same(TABLES[table][row].0.as_bytes(), english.as_bytes()) {
                return TABLES[table][row].1;
            }
            row += 1;
        }
        table += 1;
    }
    // Only ever evaluated by the compiler, which reports it as an error.
    #[allow(clippy::panic, reason = "a text without a translation is to be a compiler's error")]
    {
        panic!("this text has no translation in src/words")
    }
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// A text with values in place of `{name}`. A value is never searched for names itself: it can be foreign text.
pub(crate) fn fill(text: &str, values: &[(&str, &dyn Display)]) -> String {
    let mut filled = String::with_capacity(text.len() + 16 * values.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let inside = rest[open + 1..].split_once('}').map(|(name, _)| name);
        let value = inside.and_then(|name| values.iter().find(|(known, _)| *known == name));
        filled.push_str(&rest[..open]);
        match (inside, value) {
            (Some(name), Some((_, value))) => {
                filled.push_str(&value.to_string());
                rest = &rest[open + name.len() + 2..];
            }
            _ => {
                filled.push('{');
                rest = &rest[open + 1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// A text in a language, by its English words; values take the places of `{name}`. Words without a translation do not compile.
macro_rules! words {
    ($language:expr, $english:literal) => {{
        const CHINESE: &str = $crate::words::chinese($english);
        $language.choose($english, CHINESE)
    }};
    ($language:expr, $english:literal, $($name:ident = $value:expr),+ $(,)?) => {
        $crate::words::fill($crate::words::words!($language, $english), &[$((stringify!($name), &$value as &dyn std::fmt::Display)),+])
    };
}
pub(crate) use words;

/// A number of things in a language, by the English words for one and for many.
macro_rules! counted_words {
    ($language:expr, $number:expr, $one:literal, $many:literal) => {{
        const CHINESE: &str = $crate::words::chinese($many);
        $language.counted($number, $one, $many, CHINESE)
    }};
}
pub(crate) use counted_words;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_translation_is_chinese_and_has_the_same_places() {
        let places = |text: &str| -> Vec<String> {
            let mut names: Vec<String> = text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect();
            names.sort();
            names
        };
        for (english, chinese) in TABLES.iter().flat_map(|table| table.iter()) {
            // A colon or a bracket has its Chinese form, too; places alone need no word.
            let words = chinese.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect::<String>();
            assert!(english != chinese && (!chinese.is_ascii() || words.trim().is_empty()), "{english}: {chinese}");
            assert_eq!(places(english), places(chinese), "{english}");
        }
        let all: usize = TABLES.iter().map(|table| table.len()).sum();
        assert_eq!(CHINESE.len(), all, "no text stands in the tables twice");
    }

    #[test]
    fn texts_are_filled_and_counted_in_either_language() {
        let say = |language: Language| words!(language, "kept as {at} of {total}", at = 2, total = 10);
        assert_eq!((say(Language::English), say(Language::Chinese)), ("kept as 2 of 10".into(), "已保留，第 2 条，共 10 条".into()));
        assert_eq!(fill("a {b} {c", &[("b", &"{c}")]), "a {c} {c", "what is filled in is not filled again");
        assert_eq!(counted_words!(Language::Chinese, 12_345, "chain", "chains"), "12,345 条链");
        assert_eq!(counted_words!(Language::English, 1, "chain", "chains"), "1 chain");
        assert_eq!(Language::of(LanguageChoice::Auto, "胃痛 B12?"), Language::Chinese);
        assert_eq!(Language::of(LanguageChoice::English, "胃痛"), Language::English);
    }
}
