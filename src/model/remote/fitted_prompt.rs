//! Shortens prompts that are too long for a server's context.

use crate::model::Prompt;

/// Characters of Latin script that make a token, on the low side (English prose has about four; medical names have fewer).
const LETTERS_PER_TOKEN: f64 = 3.0;
/// Tokens that other characters make, on the high side.
const TOKENS_PER_IDEOGRAPH: f64 = 1.5;
/// Tokens that a chat template adds.
const TEMPLATE: f64 = 32.0;

/// A prompt, with the parts of rank `limit` and above left out.
#[derive(Debug)]
pub(super) struct FittedPrompt<'a> {
    prompt: &'a Prompt,
    /// Highest first.
    ranks: Vec<u32>,
    /// The number of ranks left out.
    out: usize,
}

impl<'a> FittedPrompt<'a> {
    /// Shortens a prompt to an estimated `room` tokens; keeps the whole prompt if `room` is unknown. Parts that cannot be left out remain
    /// even if they seem too long: this is an estimate, and the server decides.
    pub(super) fn new(prompt: &'a Prompt, room: Option<usize>) -> Self {
        let mut fitted = Self { prompt, ranks: prompt.ranks(), out: 0 };
        if let Some(room) = room {
            while estimated_tokens(&prompt.system, &fitted.user()) > room as f64 && fitted.out < fitted.ranks.len() {
                fitted.out += 1;
            }
        }
        fitted
    }

    /// The user's message.
    pub(super) fn user(&self) -> String {
        let out = &self.ranks[..self.out];
        self.prompt.parts.iter().filter(|part| part.rank.is_none_or(|rank| !out.contains(&rank))).map(|part| part.text.as_str()).collect()
    }

    /// Leaves out more: a third of the remaining ranks, and at least one. `false` if none remains.
    pub(super) fn shorten(&mut self) -> bool {
        let left = self.ranks.len() - self.out;
        self.out += left.div_ceil(3);
        left > 0
    }

    /// The ranks left out, highest first.
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
        let fitted = FittedPrompt::new(&prompt, Some(440));
        assert_eq!(fitted.left_out(), [9, 8, 7, 6, 5, 4]);
        assert!(fitted.user().contains("  3") && !fitted.user().contains("  4") && fitted.user().ends_with("why?"));
        assert_eq!(FittedPrompt::new(&prompt, Some(1)).user(), "why?");
        assert!(FittedPrompt::new(&prompt, None).left_out().is_empty());
    }

    #[test]
    fn shortening_ends_with_what_must_stay() {
        let prompt = prompt(10);
        let mut fitted = FittedPrompt::new(&prompt, None);
        let mut counts = vec![0];
        while fitted.shorten() {
            counts.push(fitted.left_out().len());
        }
        assert_eq!(counts, [0, 4, 6, 8, 9, 10]);
        assert_eq!(fitted.user(), "why?");
    }

    #[test]
    fn a_rank_of_the_largest_number_is_kept_like_any_other() {
        let prompt = Prompt { system: String::new(), parts: vec![PromptPart { text: "x".into(), rank: Some(u32::MAX) }] };
        assert_eq!(FittedPrompt::new(&prompt, None).user(), "x");
    }
}
