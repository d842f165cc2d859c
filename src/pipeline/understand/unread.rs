//! Clauses that tell of a complaint in words of which nothing was understood: "spots that do not fade under a glass".
//!
//! What decides a diagnosis often stands in such words. They are shown as not understood, and where they outweigh what was understood,
//! no diagnosis is guessed from the rest.

use crate::language::common_words::is_common;
use crate::language::misspelling::Spellings;
use crate::language::recognise::Span;
use crate::text::{StopWords, Token};

/// The fewest words that a clause must have in common with names of findings to tell of one.
const OF_FINDINGS: usize = 2;
/// The longest clause that is shown, in words.
const LONGEST: usize = 14;

/// The clauses of a text that tell of a finding and of which no word was understood. `is_read`: whether a token belongs to something that was
/// read; `tells`: whether it may tell of the patient (not denied, not a question, not a heading).
pub(super) fn unread(tokens: &[Token], spellings: &Spellings, is_read: impl Fn(usize) -> bool, tells: impl Fn(usize) -> bool) -> Vec<Span> {
    let begins = |at: usize| {
        at == 0 || tokens.get(at).is_some_and(|token| token.after_break || matches!(token.text.as_str(), "and" | "but" | "with" | "then"))
    };
    let starts: Vec<usize> = (0..tokens.len()).filter(|at| begins(*at)).collect();
    let ends = starts.iter().skip(1).copied().chain([tokens.len()]);
    let clauses = starts.iter().zip(ends).map(|(first, last)| Span { first: *first, last });
    clauses
        .filter(|clause| {
            let is_untouched = (clause.first..clause.last).all(|at| !is_read(at) && tells(at));
            is_untouched && clause.last - clause.first <= LONGEST && tells_of_finding(tokens, *clause, spellings)
        })
        .collect()
}

fn tells_of_finding(tokens: &[Token], clause: Span, spellings: &Spellings) -> bool {
    /// A clause with one of these says that something is not there, or is as it should be.
    const WELL: [&str; 13] =
        ["no", "without", "denies", "denied", "nil", "never", "fine", "normal", "ok", "okay", "well", "unremarkable", "clear"];
    let words = tokens.get(clause.first..clause.last).unwrap_or_default();
    if words.iter().any(|token| WELL.contains(&token.text.as_str())) {
        return false;
    }
    let content = words.iter().filter(|token| !token.cjk && token.text.len() > 2 && !StopWords::built_in().contains(&token.text));
    let of_findings: Vec<&Token> = content.filter(|token| spellings.is_of_finding(&token.text)).collect();
    // Words as common as "day" or "take" stand in names, too.
    of_findings.len() >= OF_FINDINGS && of_findings.iter().any(|token| !is_common(&token.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, Kind};
    use crate::text::tokenise;

    #[test]
    fn clauses_in_words_of_findings_are_unread_unless_something_of_them_was_read() {
        let mut builder = GraphBuilder::new("t");
        for name in ["Purple spots on the skin", "Swollen legs", "Rash fading under glass"] {
            let entity = builder.entity(name);
            builder.set_kind(entity, Kind::Symptom);
        }
        let spellings = Spellings::of(&builder.finish());
        let text = "my son has a headache, purple spots on his legs, the school closed early and it fades under glass";
        let tokens = tokenise(text);
        let texts = |read: &str| -> Vec<String> {
            let found = unread(&tokens, &spellings, |at| tokens[at].text == read, |_| true);
            let text = |span: Span| tokens[span.first..span.last].iter().map(|t| t.text.as_str()).collect::<Vec<_>>().join(" ");
            found.into_iter().map(text).collect()
        };
        assert_eq!(texts("headache"), ["purple spots on his legs", "and it fades under glass"]);
        assert_eq!(texts("spots"), ["and it fades under glass"]);
    }
}
