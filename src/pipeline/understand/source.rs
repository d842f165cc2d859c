//! Whose blood it was: "nurse with a needlestick, source HIV positive on treatment". What is told of the source is not what the asker has or takes.
//!
//! The words are in `assets/exposure-source.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::layout::Layout;
use super::scope::Scopes;
use crate::language::word_list::WordList;
use crate::text::{Token, word};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    exposed: WordList,
    exposed_zh: WordList,
    own: WordList,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/exposure-source.toml")).unwrap_or_default());

impl Scopes {
    /// Marks what is told of the source of an exposure as another's.
    pub(super) fn find_source(&mut self, text: &str, tokens: &[Token], layout: &Layout) {
        let word = |at: usize| word(tokens, at);
        let is_stick = |at: usize| word(at) == "needle" && word(at + 1) == "stick";
        let is_word = |at: usize| WORDS.exposed.has(word(at)) || is_stick(at);
        let is_exposed = (0..tokens.len()).any(is_word) || WORDS.exposed_zh.is_in(text);
        if !is_exposed {
            return;
        }
        for at in 0..tokens.len() {
            // 源患者, 暴露源; not "source of infection", "the source is found".
            let behind = match (word(at), word(at + 1), word(at + 2)) {
                ("source", "of" | "control" | "unknown", _) => None,
                ("source", "patient" | "person" | "pt", _) => Some(at + 2),
                ("source", ..) => Some(at + 1),
                ("源", "患", "者") | ("源", "病", "人") => Some(at + 3),
                ("露", "源", _) => Some(at + 2),
                ("from", "a" | "an" | "my" | "the" | "her" | "his", next) if next != "needle" => Some(at + 2),
                ("from", ..) => Some(at + 1),
                _ => None,
            };
            let Some(first) = behind else { continue };
            let last = layout.sentence(at).last;
            let end = (first..last).find(|at| WORDS.own.has(word(*at))).unwrap_or(last);
            self.mark(first..end, |marks| marks.family = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;

    #[test]
    fn the_list_is_valid() {
        toml::from_str::<super::Words>(include_str!("../../../assets/exposure-source.toml")).expect("valid");
    }

    #[test]
    fn what_the_source_has_is_not_the_askers() {
        let has = |text: &str, what: &str| read(text).conditions.iter().any(|condition| condition.text.to_lowercase().contains(what));
        assert!(!has("Nurse with a needlestick an hour ago, source has asthma. PEP?", "asthma"));
        assert!(!has("Needle stick from an asthma patient, what do I do now?", "asthma"));
        assert!(has("Needlestick an hour ago, source well. I have asthma.", "asthma"));
        assert!(has("She has asthma and a fever, source unclear.", "asthma"));
        assert!(has("Needlestick injury. She has asthma, source unknown.", "asthma"));
    }
}
