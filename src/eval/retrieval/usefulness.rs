//! How useful the passages of a search are, 0 to 10, by a language model as judge (EbmKG, appendix A.7 and Figure 15, in our words).

use crate::language::prompt::prompt_lines::question_part;
use crate::language::prompt::{PromptFor, Prompts, untrusted};
use crate::model::{CancelToken, Constraint, GeneratorHandle, ModelError, PromptPart, Sampling};
use crate::pipeline::answer::wording::Wording;

/// The most characters of a passage in a prompt.
const PASSAGE: usize = 1200;
/// The best.
pub(super) const MOST: f64 = 10.0;

/// The judge.
#[derive(Debug)]
pub struct UsefulnessJudge<'a> {
    /// The language model.
    pub generator: &'a GeneratorHandle,
    /// The prompts in use.
    pub prompts: &'a Prompts,
    /// Stops it.
    pub cancel: &'a CancelToken,
}

impl UsefulnessJudge<'_> {
    /// How useful passages are for a question; `None` if the reply is no number from 0 to 10. No passages are of no use, and nobody is asked.
    ///
    /// # Errors
    /// If the model fails, or was stopped.
    pub fn judge(&self, question: &str, passages: &[String]) -> Result<Option<f64>, ModelError> {
        if passages.is_empty() {
            return Ok(Some(0.0));
        }
        let template = self.prompts.of(PromptFor::JudgeUsefulness, Wording::for_text(question).is_chinese());
        let part =
            |(text, number): (&String, u32)| PromptPart { text: format!("{number}. {}\n", untrusted(text, PASSAGE)), rank: Some(number) };
        let prompt = template.fill(|gap| match gap {
            "question" => question_part(question),
            _ => passages.iter().zip(1..).map(part).collect(),
        });
        let form = Constraint::Pattern("10|[0-9]".into());
        let sampling = Sampling { temperature: 0.0, max_tokens: 8, constraint: Some(form), ..Sampling::default() };
        let mut reply = String::new();
        self.generator.generate(prompt, sampling, self.cancel, &mut |piece| {
            reply.push_str(piece);
            true
        })?;
        Ok(read(&reply))
    }
}

/// The number that a reply begins with, or names as a share of ten.
fn read(reply: &str) -> Option<f64> {
    let word = reply.split(|c: char| c.is_whitespace() || c == '/').find(|word| !word.is_empty())?;
    let number: f64 = word.trim_end_matches(['.', '。', ',']).parse().ok()?;
    (0.0..=MOST).contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_a_number_from_0_to_10() {
        for (reply, number) in [("7", 7.0), (" 10.\n", 10.0), ("8/10", 8.0), ("0", 0.0), ("6.5", 6.5)] {
            assert_eq!(read(reply), Some(number), "{reply:?}");
        }
        for reply in ["", "11", "-1", "seven", "NaN", "I rate it 7"] {
            assert_eq!(read(reply), None, "{reply:?}");
        }
    }
}
