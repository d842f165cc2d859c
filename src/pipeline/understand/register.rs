//! Who asks: somebody who tells of himself or of his own people, or a clinician who presents a patient.

use std::sync::LazyLock;

use serde::Deserialize;

use super::patient::is_note;
use crate::text::Token;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    own: Vec<String>,
    own_chinese: Vec<String>,
    clinical: Vec<String>,
    clinical_chinese: Vec<String>,
    professions: Vec<String>,
    presented: Vec<String>,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/askers.toml")).unwrap_or_default());

/// Whether the person who asks tells of himself or of his own people, and not as a clinician: "my dad", not "73M" and not "my patient".
pub(crate) fn is_lay(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_of = |words: &[String], word: &str| words.iter().any(|of| of == word);
    let has = |words: &[String]| tokens.iter().any(|token| is_of(words, &token.text));
    let chinese: String = tokens.iter().filter(|token| token.cjk).map(|token| token.text.as_str()).collect();
    let says = |words: &[String]| words.iter().any(|word| chinese.contains(word.as_str()));
    let says_what_he_is = (1..tokens.len()).any(|at| {
        let before = at.checked_sub(2).map_or("", word);
        is_of(&FILE.professions, word(at))
            && (matches!(word(at - 1), "a" | "the") && matches!(before, "im" | "am" | "as") || word(at - 1) == "as")
    });
    // "A 45 year old woman" is presented; "my 45 year old daughter" is told of. 男，50岁.
    let is_presented = |at: usize| {
        let is_old = at > 0 && word(at - 1) == "old" && is_of(&FILE.presented, word(at));
        let is_owned = (at.saturating_sub(6)..at).any(|before| matches!(word(before), "my" | "im" | "am" | "our"));
        let is_sex = matches!(word(at), "男" | "女")
            && tokens.get(at + 1).is_some_and(|next| next.after_break || next.text.starts_with(|c: char| c.is_ascii_digit()));
        (is_old && !is_owned) || (is_sex && tokens.get(at).is_some_and(|sex| at == 0 || sex.after_break))
    };
    let is_presented = (0..tokens.len()).any(is_presented);
    // "What do I use?" is asked by anybody.
    let is_asking = |at: usize| at > 0 && matches!(word(at - 1), "do" | "can" | "should" | "shall" | "could" | "would" | "may" | "did");
    let tells = (0..tokens.len()).any(|at| word(at) == "i" && !is_asking(at));
    (tells || has(&FILE.own) || says(&FILE.own_chinese))
        && !has(&FILE.clinical)
        && !says(&FILE.clinical_chinese)
        && !says_what_he_is
        && !is_presented
        && !is_note(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn the_file_is_valid() {
        let file: File = toml::from_str(include_str!("../../../assets/askers.toml")).expect("valid");
        assert!(!file.own.is_empty() && !file.clinical.is_empty() && !file.professions.is_empty() && !file.presented.is_empty());
    }

    #[test]
    fn who_tells_of_his_own_is_no_clinician() {
        for question in [
            "My dad's chest hurts",
            "My 3yo can't breathe",
            "I'm a 27 year old woman and I bleed",
            "im bleeding, what should I do",
            "我妈胸口疼",
            "孩子发烧抽了",
        ] {
            assert!(is_lay(&tokenise(question)), "{question}");
        }
        for question in [
            "73M, chest pain 2 h",
            "My patient has chest pain",
            "34yo G2P1, I think she bleeds",
            "患者男，我科会诊",
            "Chest pain, what do I give?",
        ] {
            assert!(!is_lay(&tokenise(question)), "{question}");
        }
    }
}
