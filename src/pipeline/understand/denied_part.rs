//! What "non" denies: of "non-bilious vomits" and "non-bloody diarrhoea", only that it is bilious or bloody. The vomiting is told.

use crate::graph::EvolvingNames;
use crate::language::recognise::Span;
use crate::text::Token;

/// The words with which the longest name with "non" may begin before it.
const BEFORE: usize = 4;

/// "Non" with the word that it denies, except in names: "non-blanching rash", "non-Hodgkin lymphoma". "Non-stop" denies nothing.
pub(super) fn denied_by_non(tokens: &[Token], names: EvolvingNames<'_>) -> Vec<Span> {
    let is_of_name =
        |at: usize| (at.saturating_sub(BEFORE)..=at).any(|from| names.longest_at(tokens, from).is_some_and(|hit| hit.last > at + 1));
    let denied = |at: usize| {
        let is_non = tokens.get(at).is_some_and(|token| token.text == "non");
        let is_word = tokens.get(at + 1).is_some_and(|next| !next.after_break && !next.cjk && next.text != "stop");
        (is_non && is_word && !is_of_name(at)).then_some(Span { first: at, last: at + 2 })
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
        let denied = |text: &str| denied_by_non(&tokenise(text), graph.names()).len();
        for text in ["non-bloody diarrhoea", "two non-tender lumps", "a non bilious vomit", "non-bloody, non-bilious vomiting"] {
            assert_eq!(denied(text), text.matches("non").count(), "{text}");
        }
        for text in ["a non-blanching rash", "non-Hodgkin lymphoma", "non-small cell lung cancer", "talks non stop"] {
            assert_eq!(denied(text), 0, "{text}");
        }
    }
}
