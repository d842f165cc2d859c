//! What "non" denies: of "non-bilious vomits" and "non-bloody diarrhoea", only that it is bilious or bloody. The vomiting is told. So is the blood of
//! 无痛血尿, of which only the pain is denied.

use crate::graph::EvolvingNames;
use crate::language::negation::{IsFindingAt, adjective_at};
use crate::language::recognise::Span;
use crate::text::Token;

/// The words with which the longest name with "non" may begin before it.
const BEFORE: usize = 4;

/// "Non" with the word that it denies, and adjectives of absence (无痛性), except in names: "non-blanching rash", "non-Hodgkin lymphoma", 无痛性黄疸. "Non-stop"
/// denies nothing.
pub(super) fn denied_by_non(tokens: &[Token], names: EvolvingNames<'_>, is_finding_at: IsFindingAt<'_>) -> Vec<Span> {
    let is_of_name =
        |at: usize| (at.saturating_sub(BEFORE)..=at).any(|from| names.longest_at(tokens, from).is_some_and(|hit| hit.last > at + 1));
    let denied = |at: usize| {
        let is_non = tokens.get(at).is_some_and(|token| token.text == "non");
        let is_word = tokens.get(at + 1).is_some_and(|next| !next.after_break && !next.cjk && next.text != "stop");
        let length = adjective_at(tokens, at, is_finding_at).or((is_non && is_word).then_some(2))?;
        (!is_of_name(at)).then_some(Span { first: at, last: at + length })
    };
    (0..tokens.len()).filter_map(denied).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::graph::{EvolvingGraph, starter_graph};
    use crate::text::tokenise;

    #[test]
    fn names_with_non_stay_whole() {
        let graph = EvolvingGraph::new(Arc::new(starter_graph().expect("sound")));
        let denied = |text: &str| {
            let tokens = tokenise(text);
            let is_finding_at = |at: usize| graph.names().longest_at(&tokens, at).is_some_and(|hit| hit.last > at + 1);
            denied_by_non(&tokens, graph.names(), &is_finding_at).len()
        };
        for text in ["non-bloody diarrhoea", "two non-tender lumps", "a non bilious vomit", "non-bloody, non-bilious vomiting"] {
            assert_eq!(denied(text), text.matches("non").count(), "{text}");
        }
        for text in ["无痛便血", "无症状低血糖"] {
            assert_eq!(denied(text), 1, "{text}");
        }
        for text in ["a non-blanching rash", "non-Hodgkin lymphoma", "non-small cell lung cancer", "talks non stop", "无痛性黄疸", "无痛"]
        {
            assert_eq!(denied(text), 0, "{text}");
        }
    }
}
