//! Whether an allergy is told to be severe: "anaphylaxis to penicillin", "penicillin (throat swelling)", "severe penicillin allergy", 青霉素过敏性休克. Whoever
//! only had a rash may be given what must not be given after an anaphylaxis.

use std::sync::LazyLock;

use super::drugs::FILE;
use super::layout::gap;
use crate::language::phrase_table::PhraseTable;
use crate::text::{Token, word};

static REACTIONS: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(&FILE.reaction.severe));

/// How many words behind an allergen, and before it, tell of the reaction.
const BEHIND: usize = 8;
const BEFORE: usize = 4;
/// Words that may stand before the break behind which the reaction is told: "penicillin allergy - anaphylaxis".
const CALLED: [&str; 8] = ["allergy", "allergic", "allergies", "history", "过", "敏", "史", "性"];
/// Words between a reaction and what it was to.
const LEADING: [&str; 15] =
    ["to", "with", "after", "from", "on", "reaction", "reactions", "allergy", "allergic", "a", "an", "the", "by", "shock", "last"];
/// Words that deny what follows.
const DENIES: [&str; 7] = ["no", "not", "without", "never", "nil", "无", "没"];

/// Of these allergens, by where their names begin and end in bytes, the numbers of those to which a severe reaction is told.
pub(crate) fn severe_allergies((text, tokens): (&str, &[Token]), allergens: &[(usize, usize)]) -> Vec<usize> {
    let span = |(start, end): &(usize, usize)| {
        let first = tokens.iter().position(|token| token.start >= *start)?;
        let last = tokens.iter().rposition(|token| token.end <= *end)? + 1;
        (first < last).then_some((first, last))
    };
    let spans: Vec<Option<(usize, usize)>> = allergens.iter().map(span).collect();
    let is_of_other =
        |at: usize, own: usize| spans.iter().enumerate().any(|(number, span)| number != own && span.is_some_and(|(first, _)| first == at));
    let is_severe = |(number, span): (usize, &Option<(usize, usize)>)| {
        let (first, last) = (*span)?;
        // "Anaphylaxis to penicillin" may be the name itself.
        let is_named = (first..last).any(|at| REACTIONS.at(tokens, at).is_some());
        let is_told = is_named || tells_behind((text, tokens), last, |at| is_of_other(at, number)) || tells_before(tokens, first, last);
        is_told.then_some(number)
    };
    spans.iter().enumerate().filter_map(is_severe).collect()
}

fn is_denied(tokens: &[Token], at: usize) -> bool {
    (1..=2).any(|back| at.checked_sub(back).is_some_and(|before| DENIES.contains(&word(tokens, before))))
}

/// Whether the words behind an allergen tell of a severe reaction, up to the next allergen and the next break but one right behind the name. Behind a comma
/// only an anaphylaxis is one to it: "allergic to penicillin, face swollen since yesterday" tells of today.
fn tells_behind((text, tokens): (&str, &[Token]), last: usize, is_other: impl Fn(usize) -> bool) -> bool {
    let mut may_break = true;
    let mut is_apart = false;
    for at in last..tokens.len().min(last + BEHIND) {
        let breaks = tokens.get(at).is_some_and(|token| token.after_break);
        let is_behind_name = (last..at).all(|between| CALLED.contains(&word(tokens, between)));
        if is_other(at) || (breaks && !(may_break && is_behind_name)) {
            return false;
        }
        may_break &= !breaks;
        is_apart |= breaks && !opens(text, tokens, at);
        if is_apart && !word(tokens, at).starts_with("anaphyla") {
            continue;
        }
        // "Penicillin rash, anaphylaxis to nuts" is told of the nuts.
        let leads_on = |end: usize| matches!(word(tokens, end), "to" | "with" | "from" | "after") && !word(tokens, end + 1).is_empty();
        if REACTIONS.at(tokens, at).is_some_and(|found| !leads_on(found.last)) && !is_denied(tokens, at) {
            return true;
        }
    }
    false
}

/// Whether a bracket, a colon or a dash stands before a token: what follows is said of what stands before.
fn opens(text: &str, tokens: &[Token], at: usize) -> bool {
    let between = at.checked_sub(1).map_or("", |before| gap(text, tokens, before));
    between.contains(['(', ':', '-', '–', '—', '（', '：', '=', '>', '→', '['])
}

/// Whether the words right before an allergen do, or call the allergy severe.
fn tells_before(tokens: &[Token], first: usize, last: usize) -> bool {
    let is_joined = |from: usize, to: usize| (from + 1..=to).all(|at| tokens.get(at).is_some_and(|token| !token.after_break));
    let from = first.saturating_sub(BEFORE);
    let leads = |at: usize| {
        let found = REACTIONS.at(tokens, at).filter(|found| found.last <= first && !is_denied(tokens, at));
        found.is_some_and(|found| is_joined(at, first) && (found.last..first).all(|at| LEADING.contains(&word(tokens, at))))
    };
    let is_called = |at: usize| {
        let is_degree = matches!(word(tokens, at), "severe" | "severely" | "serious" | "life" | "anaphylactic");
        let is_allergy = |at: usize| word(tokens, at).starts_with("allerg");
        let leads = (at + 1..first).all(|at| LEADING.contains(&word(tokens, at)) || word(tokens, at) == "threatening");
        is_degree && is_joined(at, first) && leads && !is_denied(tokens, at) && (is_allergy(last) || (at + 1..first).any(is_allergy))
    };
    (from..first).any(|at| leads(at) || is_called(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn an_allergy_is_severe_where_a_severe_reaction_to_it_is_told() {
        let severe = |text: &str, names: &[&str]| {
            let at = |name: &&str| text.find(*name).map_or((0, 0), |at| (at, at + name.len()));
            let allergens: Vec<(usize, usize)> = names.iter().map(at).collect();
            severe_allergies((text, &tokenise(text)), &allergens)
        };
        for text in [
            "anaphylaxis to penicillin",
            "penicillin (anaphylaxis)",
            "penicillin allergy - throat swelling",
            "severe penicillin allergy",
            "severely allergic to penicillin",
            "penicillin allergy, anaphylaxis in 2010",
        ] {
            assert_eq!(severe(text, &["penicillin"]), [0], "{text}");
        }
        for text in [
            "penicillin allergy (rash)",
            "penicillin allergy, no anaphylaxis",
            "penicillin rash; anaphylaxis to nuts",
            "allergic to penicillin. Severe asthma",
            "severe cellulitis, penicillin allergy",
            "allergic to penicillin, face swelling since yesterday",
        ] {
            assert!(severe(text, &["penicillin"]).is_empty(), "{text}");
        }
        assert_eq!(severe("penicillin (rash), ibuprofen (anaphylaxis)", &["penicillin", "ibuprofen"]), [1]);
        assert_eq!(severe("青霉素过敏性休克", &["青霉素"]), [0]);
    }
}
