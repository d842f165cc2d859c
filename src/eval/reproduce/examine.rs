//! Whether a language model is one at all. Tables filled by random weights or by replies from a script look like tables; they must not be taken for results.

use crate::model::{CancelToken, GeneratorHandle, ModelError, Prompt, PromptPart, Sampling};

/// Plain English that any language model has seen much of.
const PLAIN: &str = "The sun rises in the east and sets in the west. A doctor works in a hospital and helps people who are ill. Water is made of hydrogen and \
oxygen. There are seven days in a week and twelve months in a year.";
/// A model that needs more bits for a character of plain English has learned no English. Random weights need at least the logarithm of the vocabulary's
/// size for each token, 3.9 bits for a character with 49,152 tokens.
const MOST_BITS: f64 = 2.5;

/// What an examination found.
#[derive(Debug, Clone, PartialEq)]
pub struct Examined {
    /// The model's name.
    pub name: String,
    /// Why its figures are no results; `None`: it is a language model.
    pub no_result: Option<String>,
}

/// Examines a language model: one that runs here by how likely it finds plain English; a server by a question that every language model can answer.
///
/// # Errors
/// If the model fails.
pub fn examine(generator: &GeneratorHandle, cancel: &CancelToken) -> Result<Examined, ModelError> {
    let name = crate::text::sanitise_line(generator.name());
    let no_result = match generator.log_probabilities(None, PLAIN.to_owned(), cancel)? {
        Some(logs) => {
            let bits = bits_per_character(&logs);
            (bits > MOST_BITS).then(|| {
                format!("{name} finds plain English no likelier than chance does ({bits:.1} bits for a character): its weights are random")
            })
        }
        None => {
            let reply = asked(generator, cancel)?;
            let knows = reply.to_lowercase().contains("paris");
            (!knows).then(|| {
                format!("asked for the capital of France, {name} does not say Paris: its replies are scripted, or it is no language model")
            })
        }
    };
    Ok(Examined { name, no_result })
}

/// Bits for each character of the plain text.
fn bits_per_character(logs: &[f64]) -> f64 {
    -logs.iter().sum::<f64>() / std::f64::consts::LN_2 / PLAIN.chars().count() as f64
}

fn asked(generator: &GeneratorHandle, cancel: &CancelToken) -> Result<String, ModelError> {
    let part = PromptPart { text: "What is the capital of France? Reply with its name alone.".into(), rank: None };
    let prompt = Prompt { system: "You answer questions.".into(), parts: vec![part] };
    let sampling = Sampling { temperature: 0.0, max_tokens: 50, ..Sampling::default() };
    let mut text = String::new();
    generator.generate(prompt, sampling, cancel, &mut |piece| {
        text.push_str(piece);
        true
    })?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_needs_the_logarithm_of_the_vocabulary_and_a_language_model_far_less() {
        // Four characters a token, each of 49,152 as likely: ln 49152 / ln 2 / 4 bits.
        let tokens = PLAIN.chars().count() / 4;
        let chance = bits_per_character(&vec![-(49152f64.ln()); tokens]);
        assert!((chance - 49152f64.log2() / 4.0).abs() < 0.1 && chance > MOST_BITS, "{chance}");
        // Perplexity 20 for each token.
        assert!(bits_per_character(&vec![-(20f64.ln()); tokens]) < MOST_BITS);
    }
}
