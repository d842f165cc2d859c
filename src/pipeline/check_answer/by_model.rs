//! What a language model adds to the check: of claims of which the rules found nothing, it says which passage states them or says otherwise. It may
//! add, never take away, and what it says counts only where the passage bears it out.

use super::passages_for;
use crate::evidence::{Library, says_otherwise};
use crate::graph::Graph;
use crate::language::prompt::{PromptFor, Prompts, untrusted};
use crate::model::{CancelToken, Constraint, GeneratorHandle, ModelError, PromptPart, Sampling};
use crate::pipeline::documents::{bears_out, share_of_words};
use crate::run::{CheckedClaim, ClaimVerdict, QuotedPassage};
use crate::text::{counted, is_chinese};

/// The most characters of a claim and of a passage in a prompt.
const CLAIM: usize = 600;
const PASSAGE: usize = 1200;
/// How many failures in a row end the questions: each may take as long as the server's timeouts.
const FAILURES: usize = 3;
/// How much of a claim's words a passage must have that says otherwise.
const ABOUT: f32 = 0.5;

/// The language model that is asked.
pub(crate) struct ClaimJudge<'a> {
    pub(crate) generator: &'a GeneratorHandle,
    pub(crate) prompts: &'a Prompts,
    pub(crate) cancel: &'a CancelToken,
}

impl ClaimJudge<'_> {
    /// Judges the claims of which nothing was found; gives, in plain words, what could not be judged.
    ///
    /// # Errors
    /// [`ModelError::Cancelled`] if it is stopped.
    pub(crate) fn judge(&self, claims: &mut [CheckedClaim], graph: &Graph, library: &Library) -> Result<Vec<String>, ModelError> {
        let (mut failures, mut unread, mut not_asked, mut why) = (0, 0, 0, None);
        for claim in claims.iter_mut().filter(|claim| claim.verdict == ClaimVerdict::NotFound) {
            let passages = match passages_for(library, graph, &claim.text) {
                Ok(passages) if !passages.is_empty() => passages,
                Ok(_) => continue,
                Err(error) => {
                    return Ok(vec![format!("The documents could not be searched, so the language model was not asked: {error}")]);
                }
            };
            if failures >= FAILURES {
                not_asked += 1;
                continue;
            }
            match self.ask(&claim.text, &passages) {
                Ok(reply) => {
                    failures = 0;
                    match read(&reply, passages.len()) {
                        Some(said) => settle(claim, said, &passages),
                        None => unread += 1,
                    }
                }
                Err(ModelError::Cancelled) => return Err(ModelError::Cancelled),
                Err(error) => {
                    failures += 1;
                    not_asked += 1;
                    why = Some(error.to_string());
                }
            }
        }
        let mut told = Vec::new();
        if let Some(why) = why {
            let claims = counted(not_asked, "claim", "claims");
            told.push(format!("The language model failed ({why}); what the rules say stands for {claims}."));
        }
        if unread > 0 {
            let claims = counted(unread, "claim", "claims");
            told.push(format!("The language model's reply has no verdict for {claims}; what the rules say stands."));
        }
        Ok(told)
    }

    fn ask(&self, claim: &str, passages: &[QuotedPassage]) -> Result<String, ModelError> {
        let template = self.prompts.of(PromptFor::CheckClaim, is_chinese(claim));
        let line = |(number, passage): (u32, &QuotedPassage)| PromptPart {
            text: format!("{number}. {}: {}\n", untrusted(&passage.source(), 200), untrusted(&passage.text, PASSAGE)),
            rank: Some(number),
        };
        let prompt = template.fill(|gap| match gap {
            "claim" => vec![PromptPart { text: untrusted(claim, CLAIM), rank: None }],
            _ => (1..).zip(passages).map(line).collect(),
        });
        let form = Constraint::Pattern(format!("[SC] [1-{}]|N", passages.len().min(9)));
        let sampling = Sampling { temperature: 0.0, max_tokens: 8, constraint: Some(form), ..Sampling::default() };
        let mut reply = String::new();
        self.generator.generate(prompt, sampling, self.cancel, &mut |piece| {
            reply.push_str(piece);
            !self.cancel.is_cancelled()
        })?;
        Ok(reply)
    }
}

/// What a reply says: the verdict, and the place of the passage. `None`: nothing that can be read.
fn read(reply: &str, told: usize) -> Option<(ClaimVerdict, usize)> {
    let mut words = reply.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let verdict = match words.next()? {
        "S" | "s" => ClaimVerdict::Supported,
        "C" | "c" => ClaimVerdict::Contradicted,
        "N" | "n" => return Some((ClaimVerdict::NotFound, 0)),
        _ => return None,
    };
    let place = words.next()?.parse::<usize>().ok()?.checked_sub(1).filter(|place| *place < told)?;
    Some((verdict, place))
}

/// Takes over what the model says, where the passage bears it out: a claim is supported only by its own numbers, denials and directions.
fn settle(claim: &mut CheckedClaim, (verdict, place): (ClaimVerdict, usize), passages: &[QuotedPassage]) {
    let Some(passage) = passages.get(place) else { return };
    let holds = match verdict {
        ClaimVerdict::Supported => bears_out(&claim.text, &[passage]) && !says_otherwise(&claim.text, &passage.text),
        ClaimVerdict::Contradicted => share_of_words(&claim.text, &[passage]) >= ABOUT,
        ClaimVerdict::NotFound => false,
    };
    if holds {
        (claim.verdict, claim.passages, claim.by_model) = (verdict, vec![passage.clone()], true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_and_count_only_where_the_passage_bears_them_out() {
        assert_eq!(read("S 2", 2), Some((ClaimVerdict::Supported, 1)));
        assert_eq!(read(" c: 1.", 2), Some((ClaimVerdict::Contradicted, 0)));
        assert_eq!(read("N", 2).map(|said| said.0), Some(ClaimVerdict::NotFound));
        for none in ["", "S", "S 0", "S 3", "Supported by 1", "2"] {
            assert_eq!(read(none, 2), None, "{none}");
        }
        let passage = QuotedPassage {
            title: "Warfarin".into(),
            text: "Ibuprofen raises the risk of bleeding with warfarin. Begin with 5 mg.".into(),
            ..QuotedPassage::default()
        };
        let settled = |text: &str, verdict| {
            let mut claim = CheckedClaim { text: text.into(), ..CheckedClaim::default() };
            settle(&mut claim, (verdict, 0), std::slice::from_ref(&passage));
            (claim.verdict, claim.passages.len(), claim.by_model)
        };
        use ClaimVerdict::{Contradicted, NotFound, Supported};
        assert_eq!(settled("With warfarin, bleeding is a risk of ibuprofen.", Supported), (Supported, 1, true));
        for altered in [
            "Begin warfarin with 10 mg.",
            "Ibuprofen does not raise the risk of bleeding with warfarin.",
            "Ibuprofen lowers the risk of bleeding with warfarin.",
        ] {
            assert_eq!(settled(altered, Supported), (NotFound, 0, false), "{altered}");
            assert_eq!(settled(altered, Contradicted), (Contradicted, 1, true), "{altered}");
        }
        assert_eq!(settled("Paracetamol harms the liver.", Contradicted), (NotFound, 0, false), "the passage is about something else");
    }
}
