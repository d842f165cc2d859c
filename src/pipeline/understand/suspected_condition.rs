//! What a question takes its condition to be: "I think I might have rheumatic fever", "diagnosed with Crohn disease".
//!
//! Where a question names several conditions, one of them is what it is about; the others are its past, or complaints. The words are
//! `suspected` in `assets/intents.toml`.

use super::intent::suspected_cues;
use crate::language::phrase_pattern::pattern_at;
use crate::text::{Token, clause_around};

/// How many words may stand between those that suspect and what is suspected ("might have a mild form of").
const BETWEEN: usize = 4;

/// Whether the words before a name that begins at token `first` say that it is what the question suspects or was told.
pub(crate) fn is_suspected(tokens: &[Token], first: usize) -> bool {
    (clause_around(tokens, first).start..first).any(|at| {
        let ends = suspected_cues().iter().filter_map(|cue| pattern_at(&tokens[..first], at, cue, &mut Vec::new()));
        ends.into_iter().any(|end| first - end <= BETWEEN)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn what_is_suspected_or_was_told_is_known_from_what_is_merely_mentioned() {
        let is_suspected = |text: &str, word: &str| {
            let tokens = tokenise(text);
            let first = tokens.iter().position(|token| token.text == word).expect("is there");
            is_suspected(&tokens, first)
        };
        let text = "I have a history of HIV infection. I think I might have Cryptococcosis.";
        assert!(!is_suspected(text, "hiv") && is_suspected(text, "cryptococcosis"));
        let text = "My strep throat was not treated and I fear I developed rheumatic fever";
        assert!(!is_suspected(text, "strep") && is_suspected(text, "rheumatic"));
        assert!(is_suspected("She was diagnosed with a severe form of asthma", "asthma"));
        assert!(!is_suspected("I think I might have it, as my father had asthma", "asthma"));
        assert!(is_suspected("我是不是得了肺炎", "肺"));
    }
}
