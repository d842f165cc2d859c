//! Knowledge-augmented language-model verification (HyKGE's baseline KALMV, after Baek et al., 2023): the model answers from the retrieved triples, and a
//! verifier says whether retrieval or answer failed. Other triples are then retrieved, or the answer is written again. Two calls a round, at most three
//! rounds.
//!
//! The paper trains its verifier; here the same language model verifies.

use super::by_model::AskedModel;
use super::by_query::nearest_to;
use super::from_triples::Baseline;
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::language::prompt::prompt_lines::numbered;
use crate::model::Constraint;

/// The most rounds.
const ROUNDS: usize = 3;

/// What the verifier says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verified {
    /// The triples help, and the answer agrees with them.
    Right,
    /// The triples do not help.
    WrongTriples,
    /// The answer does not agree with the triples.
    WrongAnswer,
}

impl Verified {
    /// The first letter of a reply that stands alone.
    fn read(reply: &str) -> Option<Self> {
        let mut words = reply.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.find_map(|word| match word {
            "A" | "a" => Some(Self::Right),
            "B" | "b" => Some(Self::WrongTriples),
            "C" | "c" => Some(Self::WrongAnswer),
            _ => None,
        })
    }
}

/// Verifies its answers.
pub(super) struct Kalmv;

impl Baseline for Kalmv {
    fn write_answer(&self, ctx: &mut RunContext<'_>, asked: &AskedModel<'_>) -> Result<Option<String>, StageError> {
        let top_k = ctx.settings.top_k;
        let nearest = nearest_to(ctx, asked.state, asked.state.question, ROUNDS * top_k)?;
        let mut portions = nearest.chunks(top_k.max(1));
        let mut triples = asked.kept();
        portions.next();
        let mut answer = None;
        for round in 1..=ROUNDS {
            let instead = "the answer before it stands";
            let written = asked.consult(ctx, (PromptFor::VerifiedAnswer, None), instead, |gap| match gap {
                "triples" => triples.clone(),
                _ => asked.question(),
            })?;
            let Some(written) = written else { break };
            let form = Some(Constraint::choice(["A", "B", "C"]));
            let reply = asked.consult(ctx, (PromptFor::Verify, form), "the answer is not verified", |gap| match gap {
                "triples" => triples.clone(),
                "answer" => asked.text(&written),
                _ => asked.question(),
            })?;
            answer = Some(written);
            match reply.as_deref().map(Verified::read) {
                Some(Some(Verified::Right)) => break,
                Some(Some(Verified::WrongTriples)) if round < ROUNDS => {
                    if let Some(next) = portions.next() {
                        triples = numbered(&ctx.knowledge.graph, next);
                    }
                }
                Some(Some(_)) if round < ROUNDS => {}
                Some(Some(_)) => ctx.warn(format!("The verifier accepted none of {ROUNDS} answers; the last one stands.")),
                Some(None) => {
                    ctx.warn("The verifier's reply is none of A, B and C; the answer is not verified.");
                    break;
                }
                None => break,
            }
        }
        asked.show(ctx, answer.as_deref());
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_the_first_letter_that_stands_alone() {
        for (reply, expected) in [
            ("A", Some(Verified::Right)),
            ("B.", Some(Verified::WrongTriples)),
            ("(C) because", Some(Verified::WrongAnswer)),
            ("Answer: B", Some(Verified::WrongTriples)),
            ("Certainly", None),
            ("", None),
        ] {
            assert_eq!(Verified::read(reply), expected, "{reply}");
        }
    }
}
