//! Names whose words say something else where they stand: what says the contrary of a finding ("stools are soft but he strains" are no hard stools), and
//! "pred" behind a percentage, which is predicted and no drug; and "stop feeding", which is advice to a mother.

use super::layout::gap;
use crate::language::recognise::Span;
use crate::text::Token;

/// How many words before a name may say the contrary.
const BEFORE: usize = 4;
/// What the name of a finding begins with, and what says the contrary of it.
const CONTRARY: [(&str, &[&str]); 6] = [
    ("hard", &["soft", "loose", "watery", "runny", "liquid", "mushy"]),
    ("loose", &["hard", "firm", "solid", "formed"]),
    ("cold", &["warm", "hot"]),
    ("warm", &["cold", "cool"]),
    ("rapid", &["slow"]),
    ("slow", &["fast", "rapid"]),
];

/// Whether the words around a finding say the contrary of its name, which they say in other words: "soft stools, straining at stool", not "hard stools,
/// then soft".
pub(super) fn is_contrary(tokens: &[Token], span: Span, name: &str) -> bool {
    if matches!(name, "Poor feeding" | "Loss of appetite") && is_advice_to_stop(tokens, span) {
        return true;
    }
    let first = name.split_whitespace().next().unwrap_or_default().to_lowercase();
    let Some((adjective, contrary)) = CONTRARY.iter().find(|(adjective, _)| *adjective == first) else { return false };
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    if (span.first..span.last).any(|at| word(at) == *adjective) {
        return false;
    }
    let is_denied = |at: usize| at.checked_sub(1).is_some_and(|before| matches!(word(before), "not" | "no" | "never" | "isnt" | "arent"));
    let stops = |at: &usize| tokens.get(at + 1).is_some_and(|token| token.after_stop);
    let furthest = span.first.saturating_sub(BEFORE);
    let begin = (furthest..span.first).rev().find(stops).map_or(furthest, |at| at + 1);
    // Beyond a comma only of hard stools, and of the same word: "soft stool, straining at stool".
    let is_of_same = |at: usize| *adjective == "hard" && at + 1 < span.first && (span.first..span.last).any(|of| word(of) == word(at + 1));
    let is_near = |at: &usize| contrary.contains(&word(*at)) && !is_denied(*at) && (*at >= begin || is_of_same(*at));
    // "Alternating hard and soft": both are there.
    (furthest..span.last).any(|at| is_near(&at)) && !(furthest..span.first).any(|at| word(at) == *adjective)
}

/// Whether what stands for a baby that does not feed is advice to a mother, or her question: "my mother says stop feeding off that side", "should I stop feeding
/// from it"; not "he seems to stop feeding when he coughs".
fn is_advice_to_stop(tokens: &[Token], span: Span) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let stops = |at: &usize| matches!(word(*at), "stop" | "stopping") && matches!(word(at + 1), "feeding" | "breastfeeding" | "nursing");
    let Some(stop) = (span.first.saturating_sub(1)..span.last).find(stops) else { return false };
    let before = stop.saturating_sub(BEFORE)..stop;
    let advises =
        |at: usize| matches!(word(at), "says" | "said" | "saying" | "told" | "tells" | "should" | "must" | "advised" | "i" | "me");
    let is_baby = |at: usize| matches!(word(at), "he" | "she" | "baby" | "hes" | "shes" | "lo" | "it" | "who");
    before.clone().any(advises) && !before.into_iter().any(is_baby)
}

/// Whether "pred" says that a percentage is of what was predicted: "FEV1 68% pred".
pub(super) fn is_predicted(text: &str, tokens: &[Token], span: Span) -> bool {
    let is_pred = span.last == span.first + 1 && tokens.get(span.first).is_some_and(|token| token.text == "pred");
    is_pred && span.first.checked_sub(1).is_some_and(|before| gap(text, tokens, before).trim_start().starts_with('%'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn what_says_the_contrary_of_a_finding_is_not_it() {
        let contrary = |text: &str, first: usize, last: usize| is_contrary(&tokenise(text), Span { first, last }, "Hard stools");
        assert!(contrary("Stools are soft but he strains", 0, 6) && contrary("soft stool, straining at stool", 2, 5));
        assert!(!contrary("straining at stool", 0, 3) && !contrary("not soft, straining at stool", 2, 5));
        assert!(!contrary("hard then soft, straining at stool", 3, 6));
    }

    #[test]
    fn advice_to_stop_feeding_is_no_baby_that_does_not_feed() {
        let advice = |text: &str, first: usize, last: usize| is_contrary(&tokenise(text), Span { first, last }, "Poor feeding");
        assert!(advice("my mother says stop feeding off that side", 3, 5) && advice("should i stop feeding from it", 2, 4));
        assert!(!advice("baby stopped feeding", 1, 3) && !advice("i noticed she would stop feeding", 4, 6));
    }

    #[test]
    fn a_percentage_is_of_what_is_predicted() {
        let predicted = |text: &str, at: usize| is_predicted(text, &tokenise(text), Span { first: at, last: at + 1 });
        assert!(predicted("FEV1 68% pred", 2) && predicted("68 % pred", 1));
        assert!(!predicted("on pred 5 mg", 1) && !predicted("sats 90%, pred started", 3));
    }
}
