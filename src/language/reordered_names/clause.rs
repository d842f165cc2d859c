//! What the words between and beside those of a name change of what they say.

use super::{DENYING, MEASURING};
use crate::language::direction::direction_at;
use crate::language::lay::is_part_of_body;
use crate::text::Token;

/// What stands before a place on the body, and between it and the part: "on the back of my left hand".
const PLACING: [&str; 3] = ["on", "in", "at"];
const OWNING: [&str; 15] = ["the", "a", "my", "his", "her", "our", "your", "their", "left", "right", "upper", "lower", "of", "one", "side"];
/// The most words between the two.
const PLACE: usize = 6;
/// Verbs after which stands what is seen.
const SEEING: [&str; 3] = ["see", "sees", "seeing"];
/// Who is seen, and until when: "the optician can't see me till Monday" tells of no blindness.
const SEEN: [&str; 6] = ["me", "us", "him", "her", "them", "you"];
const UNTIL: [&str; 11] = ["till", "til", "until", "for", "before", "today", "tomorrow", "this", "next", "sooner", "earlier"];
/// Adverbs of place: they say where the word before them is.
const WHERE: [&str; 12] = [
    "centrally",
    "peripherally",
    "generally",
    "diffusely",
    "locally",
    "bilaterally",
    "laterally",
    "medially",
    "distally",
    "proximally",
    "anteriorly",
    "posteriorly",
];
/// What a part of the body before it only describes: "band-like thoracic back pain" is in the back.
const DESCRIBED: [&str; 4] = ["back", "spine", "vertebra", "vertebrae"];
/// What a part of the body before it only describes, whatever else is said: in "breast cancer, the red one" no breast is red.
const GROWTHS: [&str; 8] = ["cancer", "cancers", "ca", "carcinoma", "tumour", "tumor", "tumours", "tumors"];
/// Samples of blood, which tell of no bleeding: "bloods and urine".
const SAMPLES: &str = "bloods";

/// A text, with the form of each word that carries content.
pub(super) struct Text<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) forms: Vec<Option<String>>,
}

impl Text<'_> {
    /// Whether a word between these changes what they say: another part of the body, a direction, a denial.
    pub(super) fn says_else(&self, parts: &[usize]) -> bool {
        let (Some(first), Some(last)) = (parts.first().copied(), parts.last().copied()) else { return true };
        let direction = |at: usize| direction_at(self.tokens, at).map(|(direction, _)| direction);
        let own = parts.iter().find_map(|part| direction(*part));
        let is_measuring = |at: usize| self.tokens.get(at).is_some_and(|token| MEASURING.contains(&token.text.as_str()));
        if (first..=last + 1).any(|at| {
            is_measuring(at) && !parts.contains(&at) && (at <= last || self.tokens.get(at).is_some_and(|token| !token.after_break))
        }) {
            return true;
        }
        let seen = parts.windows(2).any(|pair| matches!(pair, [sees, place] if self.sees_something(*sees, *place)));
        if seen || parts.iter().any(|part| self.tells_since_when(*part) || self.is_of_other_word(*part, parts)) {
            return true;
        }
        let has_part = parts.iter().any(|part| self.is_part_of_body(*part));
        // "The bottom of my thumb" is a place on the thumb.
        if self.is_part_of_body(last) && self.is_of_another_part(last) {
            return true;
        }
        (first..=last).filter(|at| !parts.contains(at)).any(|at| {
            let denies = self.forms.get(at).is_some_and(|form| form.as_deref() == Some(DENYING));
            let turns = own.is_some() && direction(at).is_some_and(|other| Some(other) != own);
            denies || turns || (self.is_part_of_body(at) && (has_part || !self.is_place(at)))
        })
    }

    /// Whether the part of the body at a token is one of another part: "the back of my hand".
    fn is_of_another_part(&self, at: usize) -> bool {
        let word = |at: usize| self.tokens.get(at).filter(|token| !token.after_break).map_or("", |token| token.text.as_str());
        let owned = at + 2..(at + 5).min(self.tokens.len());
        let part = owned.clone().find(|next| self.is_part_of_body(*next));
        word(at + 1) == "of" && part.is_some_and(|part| (owned.start..part).all(|between| OWNING.contains(&word(between))))
    }

    /// Whether the word at a token tells since when or on which day: "no urine since last night" is none at night, and "sick this morning" no
    /// sickness of mornings.
    fn tells_since_when(&self, at: usize) -> bool {
        let word = |back: usize| at.checked_sub(back).and_then(|at| self.tokens.get(at)).map_or("", |token| token.text.as_str());
        let is_once = matches!(word(1), "this" | "yesterday" | "tomorrow") && matches!(word(0), "morning" | "afternoon" | "evening");
        is_once || word(1) == "last" && matches!(word(2), "since" | "from") && matches!(word(0), "night" | "evening")
    }

    /// Whether something else is seen at the place that a token names: "seeing cats on the curtains" is no curtain over the vision.
    fn sees_something(&self, sees: usize, place: usize) -> bool {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        let is_seen = |at: usize| !OWNING.contains(&word(at)) && PLACING.contains(&word(at + 1));
        SEEING.contains(&word(sees)) && (sees + 1..place).any(is_seen)
    }

    /// Whether the word at a token belongs to another word than the name's: it says where that is, is a sample of it, is a part of the body
    /// that describes it, or sees somebody.
    fn is_of_other_word(&self, at: usize, parts: &[usize]) -> bool {
        let next = self.tokens.get(at + 1).filter(|next| !next.after_break);
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        let is_own = |at: usize| parts.contains(&at);
        let before = at.checked_sub(1).filter(|_| self.tokens.get(at).is_some_and(|token| !token.after_break));
        let says_where = || WHERE.contains(&word(at)) && !(next.is_some() && is_own(at + 1));
        let is_of_before = before.is_some_and(|before| !is_own(before) && self.forms.get(before).is_some_and(Option::is_some));
        let describes = next.is_some_and(|next| DESCRIBED.contains(&next.text.as_str()) && !is_own(at + 1));
        let is_growth = next.is_some_and(|next| GROWTHS.contains(&next.text.as_str()) && !is_own(at + 1));
        let is_visit = next.is_some_and(|next| SEEN.contains(&next.text.as_str())) && UNTIL.contains(&word(at + 2));
        word(at) == SAMPLES
            || (is_of_before && says_where())
            || ((describes || is_growth) && self.names_part_of_body(at))
            || (is_visit && SEEING.contains(&word(at)))
    }

    /// Whether a word stands for a part of the body, as its noun or its adjective ("thoracic").
    fn names_part_of_body(&self, at: usize) -> bool {
        let form = self.forms.get(at).and_then(Option::as_ref);
        self.is_part_of_body(at) || form.is_some_and(|form| is_part_of_body(std::slice::from_ref(form)))
    }

    fn is_part_of_body(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| is_part_of_body(std::slice::from_ref(&token.text)))
    }

    /// Whether the part of the body at a token only says where something is: "the mole on my left shoulder has grown".
    fn is_place(&self, at: usize) -> bool {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        let begin = (at.saturating_sub(PLACE)..at).rev().take_while(|before| !PLACING.contains(&word(*before))).last().unwrap_or(at);
        begin.checked_sub(1).is_some_and(|before| {
            PLACING.contains(&word(before)) && (begin..at).all(|between| OWNING.contains(&word(between)) || self.is_part_of_body(between))
        })
    }
}
