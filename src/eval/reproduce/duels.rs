//! Two retrievals compared by a language model as judge (EbmKG, appendix A.6), in both orders: who wins only one of them ties.

use serde::{Deserialize, Serialize};

use crate::eval::metric::{Duels, advantage};
use crate::language::prompt::prompt_lines::question_part;
use crate::language::prompt::{PromptFor, Prompts, untrusted};
use crate::model::{CancelToken, Constraint, GeneratorHandle, ModelError, PromptPart, Sampling};
use crate::pipeline::answer::wording::Wording;

/// The most characters of a passage in a prompt.
const PASSAGE: usize = 1200;

/// Who wins: 1 the first, −1 the second, 0 neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// Who has more of what is needed.
    pub recall: i8,
    /// Who has less that is not.
    pub precision: i8,
}

/// The duel of one question, as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuelRow {
    /// The question's id.
    pub id: String,
    /// The judgement; `None` where a reply could not be read.
    pub judged: Option<Judged>,
    /// The messages to the judge, in both orders.
    pub prompts: Vec<String>,
    /// Its replies.
    pub replies: Vec<String>,
}

/// The judge.
#[derive(Debug)]
pub struct Judge<'a> {
    /// The language model.
    pub generator: &'a GeneratorHandle,
    /// The prompts in use.
    pub prompts: &'a Prompts,
    /// Stops it.
    pub cancel: &'a CancelToken,
}

impl Judge<'_> {
    /// Compares two retrievals for a question.
    ///
    /// # Errors
    /// If the model fails, or was stopped.
    pub fn judge(&self, id: &str, question: &str, first: &[String], second: &[String]) -> Result<DuelRow, ModelError> {
        let template = self.prompts.of(PromptFor::JudgeRetrieval, Wording::for_text(question).is_chinese());
        let (mut prompts, mut replies) = (Vec::new(), Vec::new());
        for (a, b) in [(first, second), (second, first)] {
            let prompt = template.fill(|gap| match gap {
                "first" => passages(a),
                "second" => passages(b),
                _ => question_part(question),
            });
            prompts.push(format!("{}\n\n{}", prompt.system, prompt.user(u32::MAX)));
            let sampling = Sampling {
                temperature: 0.0,
                max_tokens: 8,
                constraint: Some(Constraint::Pattern("[ABT] [ABT]".into())),
                ..Sampling::default()
            };
            let mut reply = String::new();
            self.generator.generate(prompt, sampling, self.cancel, &mut |piece| {
                reply.push_str(piece);
                true
            })?;
            replies.push(crate::text::sanitise_line(&reply));
        }
        let judged = match (read(&replies[0]), read(&replies[1])) {
            (Some(one), Some(other)) => Some(both(one, other)),
            _ => None,
        };
        Ok(DuelRow { id: id.to_owned(), judged, prompts, replies })
    }
}

/// Passages as numbered lines. If they do not all fit, the last are left out first.
fn passages(texts: &[String]) -> Vec<PromptPart> {
    let part =
        |(text, number): (&String, u32)| PromptPart { text: format!("{number}. {}\n", untrusted(text, PASSAGE)), rank: Some(number) };
    texts.iter().zip(1..).map(part).collect()
}

/// The winners that a reply names: 1 for A, −1 for B.
fn read(reply: &str) -> Option<Judged> {
    let mut letters = reply.split(|c: char| !c.is_alphanumeric()).filter_map(|word| match word {
        "A" | "a" => Some(1),
        "B" | "b" => Some(-1),
        "T" | "t" => Some(0),
        _ => None,
    });
    Some(Judged { recall: letters.next()?, precision: letters.next()? })
}

/// Of the judgements in both orders.
fn both(one: Judged, turned: Judged) -> Judged {
    // In the other order, the first stands as B.
    let agreed = |one: i8, turned: i8| if one == -turned { one } else { 0 };
    Judged { recall: agreed(one.recall, turned.recall), precision: agreed(one.precision, turned.precision) }
}

/// The shares of wins, ties and losses of the first, and its advantage.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Shares {
    recall: Duels,
    precision: Duels,
    /// Judgements that could not be read; they do not count.
    pub unreadable: usize,
}

impl Shares {
    /// Of all duels.
    pub fn of<'r>(rows: impl IntoIterator<Item = &'r DuelRow>) -> Self {
        let mut shares = Self::default();
        let add = |duels: &mut Duels, winner: i8| match winner {
            1 => duels.wins += 1,
            -1 => duels.losses += 1,
            _ => duels.ties += 1,
        };
        for row in rows {
            match row.judged {
                Some(judged) => {
                    add(&mut shares.recall, judged.recall);
                    add(&mut shares.precision, judged.precision);
                }
                None => shares.unreadable += 1,
            }
        }
        shares
    }

    /// A share by its name in the list of papers; `None` where nothing was judged.
    pub fn share(&self, name: &str) -> Option<f64> {
        let duels = if name.starts_with("recall") { self.recall } else { self.precision };
        let all = duels.wins + duels.ties + duels.losses;
        let part = match name {
            "advantage" => return advantage(self.recall, self.precision),
            "recall_win" | "precision_win" => duels.wins,
            "recall_tie" | "precision_tie" => duels.ties,
            "recall_loss" | "precision_loss" => duels.losses,
            _ => return None,
        };
        (all > 0).then(|| part as f64 / all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_winner_must_win_in_both_orders() {
        let judged = |recall, precision| Judged { recall, precision };
        assert_eq!(read("A T"), Some(judged(1, 0)));
        assert_eq!(read("Recall: B, precision: A."), Some(judged(-1, 1)));
        assert_eq!((read("A"), read("both are good"), read("")), (None, None, None));
        assert_eq!(both(judged(1, -1), judged(-1, 1)), judged(1, -1), "the same in both orders");
        assert_eq!(both(judged(1, 1), judged(1, 0)), judged(0, 0), "whoever stood first");
    }

    #[test]
    fn shares_are_of_what_could_be_read() {
        let row = |judged| DuelRow { id: String::new(), judged, prompts: Vec::new(), replies: Vec::new() };
        let win = Some(Judged { recall: 1, precision: -1 });
        let rows = [row(win), row(Some(Judged { recall: 1, precision: 0 })), row(None), row(Some(Judged { recall: -1, precision: 1 }))];
        let shares = Shares::of(&rows);
        assert_eq!((shares.unreadable, shares.share("recall_win"), shares.share("precision_tie")), (1, Some(2.0 / 3.0), Some(1.0 / 3.0)));
        // r = 2/3, p = 1/2.
        let (r, p) = (2.0 / 3.0, 0.5);
        assert!((shares.share("advantage").expect("decided") - (4.0 * r * p / (r + p) - 1.0)).abs() < 1e-12);
        assert_eq!((shares.share("nonsense"), Shares::default().share("recall_win")), (None, None));
    }
}
