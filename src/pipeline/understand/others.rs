//! What people have who are named beside the patient: "a girl at nursery got meningitis", "my neighbour had the same and it was heart failure". The
//! words are in `assets/status.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::layout::Layout;
use super::scope::{Scopes, WORDS, is_contrast};
use super::whose::{RELATIVE_REACH, greets, refers_back, speaks_of_himself, tells_of_self, told_of_having};
use crate::language::phrase_table::PhraseTable;
use crate::text::Token;

/// How many words before somebody may make him nobody in particular: "if a customer has …".
const ASKED_WITHIN: usize = 4;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Others {
    who: Vec<String>,
    acquainted: Vec<String>,
    places: Vec<String>,
    has: Vec<String>,
}

static OTHERS: LazyLock<[PhraseTable<()>; 3]> = LazyLock::new(|| {
    [&WORDS.others.who, &WORDS.others.acquainted, &WORDS.others.places]
        .map(|list| PhraseTable::of(list.iter().map(|word| (word.as_str(), ()))))
});

impl Scopes {
    /// Marks what somebody has who is named by a place or as an acquaintance, in a text that tells of somebody else besides.
    pub(super) fn find_others(&mut self, tokens: &[Token], layout: &Layout) {
        let [who, acquainted, places] = &*OTHERS;
        let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        for person in who.find_all(tokens) {
            let sentence = layout.sentence(person.first);
            // "My girl at nursery has …", "Girl at nursery has …": it is about her.
            let is_own = (person.first.saturating_sub(4)..person.first).any(|at| matches!(word(at), "my" | "our"));
            let Some(place) = places.at(tokens, person.last).filter(|place| place.last < sentence.last) else { continue };
            let tells = |at: &usize| WORDS.others.has.iter().any(|has| has == word(*at));
            let Some(told) = (place.last..place.last + 3).find(tells) else { continue };
            let end = end_of_clause(tokens, told, sentence.last);
            if !is_own && (person.first > 4 || tells_of_self(tokens, end)) {
                self.mark(person.first..end, |marks| marks.family = true);
            }
        }
        for person in acquainted.find_all(tokens) {
            let sentence = layout.sentence(person.first);
            let near = person.first.saturating_sub(ASKED_WITHIN)..person.first;
            let is_nobody = near
                .into_iter()
                .any(|at| matches!(word(at), "if" | "when" | "can" | "could" | "should" | "does" | "do" | "may" | "for" | "whether"));
            // "My friend's husband".
            let owns = usize::from(word(person.last) == "s") * 2;
            let place = places.at(tokens, person.last + owns).map_or(person.last + owns, |place| place.last);
            let Some(told) = told_of_having(tokens, place, sentence.last).filter(|_| !is_nobody) else { continue };
            let end = end_of_clause(tokens, told, sentence.last);
            // Somebody with whom a text begins, and of whom it goes on to speak, is the patient.
            let begins = tokens.get(..person.first).unwrap_or_default().iter().all(|token| greets(tokens, token));
            let goes_on = tells_of_self(tokens, end) || (speaks_of_himself(tokens, end) && !refers_back(tokens, end));
            let is_beside = if begins { goes_on } else { goes_on || tells_of_self(tokens, 0) || speaks_of_himself(tokens, 0) };
            if is_beside {
                self.mark(person.first..end, |marks| marks.family = true);
            }
        }
    }
}

/// Where it ends what is told of somebody from a token on: with the clause, unless the next is about the same.
fn end_of_clause(tokens: &[Token], told: usize, sentence: usize) -> usize {
    let end = sentence.min(told + RELATIVE_REACH);
    let ends = |at: &usize| {
        tokens.get(*at).is_none_or(|token| {
            let is_self = matches!(token.text.as_str(), "i" | "im" | "ive" | "me" | "my" | "we" | "he" | "she");
            token.after_break || is_contrast(&token.text) || (is_self && *at > told)
        })
    };
    (told..end).find(ends).unwrap_or(end)
}
