//! Prompts that are too long for a server's context: what is left out, and how much.

use crate::model::Prompt;

/// Characters of Latin script that make a token, on the low side (English prose has about four; medical names have fewer).
const LETTERS_PER_TOKEN: f64 = 3.0;
/// Tokens that other characters make, on the high side.
const TOKENS_PER_IDEOGRAPH: f64 = 1.5;
/// Tokens that a chat template adds.
const TEMPLATE: f64 = 32.0;

/// A prompt, with the parts of rank `limit` and above left out.
#[derive(Debug)]
pub(super) struct Fitting<'a> {
    prompt: &'a Prompt,
    /// Highest first.
    ranks: Vec<u32>,
    /// How many of them are left out.
    out: usize,
}

impl<'a> Fitting<'a> {
    /// The prompt as far as its estimate fits into `room` tokens; the whole prompt where the room is not known. Where even the parts
    /// that are always there seem too long, they remain: it is an estimate, and the server has the last word.
    pub(super) fn new(prompt: &'a Prompt, room: Option<usize>) -> Self {
        let mut fitting = Self { prompt, ranks: prompt.ranks(), out: 0 };
        if let Some(room) = room {
            while estimated_tokens(&prompt.system, &fitting.user()) > room as f64 && fitting.out < fitting.ranks.len() {
                fitting.out += 1;
            }
        }
        fitting
    }

    /// The user's message.
    pub(super) fn user(&self) -> String {
        let out = &self.ranks[..self.out];
        self.prompt.parts.iter().filter(|part| part.rank.is_none_or(|rank| !out.contains(&rank))).map(|part| part.text.as_str()).collect()
    }

    /// Leaves out more: a third of what may be left out yet, and at least one part. `false` if there is nothing more.
    pub(super) fn shorten(&mut self) -> bool {
        let left = self.ranks.len() - self.out;
        self.out += left.div_ceil(3);
        left > 0
    }

    /// The ranks that are left out, highest first.
    pub(super) fn left_out(&self) -> Vec<u32> {
        self.ranks[..self.out].to_vec()
    }
}

fn estimated_tokens(system: &str, user: &str) -> f64 {
    let letters = |text: &str| text.chars().filter(char::is_ascii).count() as f64;
    let others = |text: &str| text.chars().filter(|c| !c.is_ascii()).count() as f64;
    TEMPLATE + (letters(system) + letters(user)) / LETTERS_PER_TOKEN + (others(system) + others(user)) * TOKENS_PER_IDEOGRAPH
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PromptPart;

    fn prompt(count: u32) -> Prompt {
        let part = |rank: u32| PromptPart { text: format!("{rank:3}").repeat(100), rank: Some(rank) };
        let question = PromptPart { text: "why?".into(), rank: None };
        Prompt { system: "be brief".into(), parts: (0..count).map(part).chain([question]).collect() }
    }

    #[test]
    fn the_highest_ranks_go_first_and_what_must_stay_stays() {
        let prompt = prompt(10);
        // A hundred tokens a part; 32 and four for the rest.
        let fitting = Fitting::new(&prompt, Some(440));
        assert_eq!(fitting.left_out(), [9, 8, 7, 6, 5, 4]);
        assert!(fitting.user().contains("  3") && !fitting.user().contains("  4") && fitting.user().ends_with("why?"));
        assert_eq!(Fitting::new(&prompt, Some(1)).user(), "why?");
        assert!(Fitting::new(&prompt, None).left_out().is_empty());
    }

    #[test]
    fn shortening_ends_with_what_must_stay() {
        let prompt = prompt(10);
        let mut fitting = Fitting::new(&prompt, None);
        let mut counts = vec![0];
        while fitting.shorten() {
            counts.push(fitting.left_out().len());
        }
        assert_eq!(counts, [0, 4, 6, 8, 9, 10]);
        assert_eq!(fitting.user(), "why?");
    }

    #[test]
    fn a_rank_of_the_largest_number_is_kept_like_any_other() {
        let prompt = Prompt { system: String::new(), parts: vec![PromptPart { text: "x".into(), rank: Some(u32::MAX) }] };
        assert_eq!(Fitting::new(&prompt, None).user(), "x");
    }
}
