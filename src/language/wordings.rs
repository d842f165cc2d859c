//! Wordings that differ in a few words, written once: `what (can|should) (i|we) [safely] take` stands for eight phrases.
//!
//! Unlike the templates of [`super::phrase_template`] they are written out, so they fit any table of phrases; a template makes at most
//! [`MOST`] of them.

use serde::{Deserialize, Deserializer};

/// The most phrases that a template stands for.
const MOST: usize = 4_000;

/// The phrases that a template stands for: `(a|b)` is one of these, `[a|b]` one of these or nothing. A template that is not closed, or that makes
/// too many, stands for itself.
pub(crate) fn wordings(template: &str) -> Vec<String> {
    written_out(template).unwrap_or_else(|| vec![template.to_owned()])
}

fn written_out(template: &str) -> Option<Vec<String>> {
    let mut phrases = vec![String::new()];
    let mut rest = template;
    while let Some(at) = rest.find(['(', '[']) {
        let (before, from) = rest.split_at(at);
        let close = if from.starts_with('(') { ')' } else { ']' };
        let (inside, behind) = from.get(1..)?.split_once(close)?;
        let mut choices: Vec<&str> = inside.split('|').map(str::trim).collect();
        if close == ']' {
            choices.push("");
        }
        phrases = phrases.iter().flat_map(|phrase| choices.iter().map(move |choice| format!("{phrase}{before}{choice}"))).collect();
        if phrases.len() > MOST {
            return None;
        }
        rest = behind;
    }
    let of_words = |phrase: String| format!("{phrase}{rest}").split_whitespace().collect::<Vec<_>>().join(" ");
    Some(phrases.into_iter().map(of_words).filter(|phrase| !phrase.is_empty()).collect())
}

/// Reads a list of templates as the phrases that they stand for.
///
/// # Errors
/// If it is no list of texts.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let templates = Vec::<String>::deserialize(deserializer)?;
    Ok(templates.iter().flat_map(|template| wordings(template)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_template_of_what_is_asked_makes_too_many() {
        let file = include_str!("../../assets/intents.toml");
        let lines = file.lines().filter(|line| !line.trim_start().starts_with('#'));
        let templates = lines.flat_map(|line| line.split('"').skip(1).step_by(2)).filter(|text| text.contains(['(', '[']));
        for template in templates {
            assert!(wordings(template).iter().all(|phrase| !phrase.contains(['(', '['])), "{template}");
        }
    }

    #[test]
    fn choices_are_written_out_and_what_may_be_missing_is_once() {
        assert_eq!(wordings("what helps"), ["what helps"]);
        let phrases = wordings("what (can|should) i [safely] take");
        assert_eq!(phrases, ["what can i safely take", "what can i take", "what should i safely take", "what should i take"]);
        assert_eq!(wordings("what (can"), ["what (can"], "it is not closed");
        assert!(wordings("[a]").iter().all(|phrase| phrase == "a"), "no phrase is empty");
        assert_eq!(wordings(&"(a|b)".repeat(20)).len(), 1, "too many");
    }
}
