//! The small words that a name needs. Where a name is found by its content words in any order, the small ones between them are left out;
//! but some tell what the name says: of "can't get pregnant" the verb, of "pain all over" the "all", of "under 1 year" the unit.

use super::lay::is_part_of_body;
use super::reordered_names::{DENYING, TELLING, UNABLE};
use crate::text::Token;

/// Words one of which must be said.
pub(super) type OneOf = &'static [&'static str];

/// Verbs that are stop words, with their forms. "Be" and "able" tell nothing.
const VERBS: [OneOf; 15] = [
    &["get", "gets", "getting", "got"],
    &["go", "goes", "going", "went", "gone"],
    &["come", "comes", "coming", "came"],
    &["keep", "keeps", "keeping", "kept"],
    &["take", "takes", "taking", "took", "taken"],
    &["make", "makes", "making", "made"],
    &["do", "does", "doing", "done"],
    &["look", "looks", "looking", "looked"],
    &["want", "wants", "wanting", "wanted"],
    &["have", "has", "having", "had"],
    &["feel", "feels", "feeling", "felt"],
    &["find", "finds", "finding", "found"],
    &["use", "uses", "using", "used"],
    &["give", "gives", "giving", "gave"],
    &["help", "helps", "helping", "helped"],
];
const ALL: OneOf = &["all"];
/// Words of a small amount: "fewer wet nappies" is not "wet nappies".
const LITTLE: OneOf = &["only", "one", "fewer", "less", "few", "little", "hardly", "barely", "no"];
/// That something is still to be seen: "spots still there under the glass" are not those that go.
const STILL: OneOf = &["still", "stay", "stays", "stayed", "remain", "remains", "remained"];
/// What makes another verb of one of these; "up", "down" and "out" say enough by themselves ("pain down my arm").
const OFF: &str = "off";
/// What may follow a number and is no content word.
const UNITS: [&str; 11] = ["year", "years", "month", "months", "week", "weeks", "day", "days", "hour", "hours", "a"];
/// Whom a verb and a particle are about: "cut him down" is no "cut down".
const OBJECTS: [&str; 6] = ["him", "her", "them", "me", "us", "it"];
/// How far behind the last content word a small word may stand: "bursting but can't go".
const BEHIND: usize = 2;

/// The small words that a name needs; `None` if its content words alone tell nothing, so that it is found as it is written only.
pub(super) fn needed(tokens: &[Token], forms: &[Option<String>]) -> Option<Vec<OneOf>> {
    let is_number = |form: &str| form.bytes().all(|byte| byte.is_ascii_digit());
    let is_denial = |form: &str| form == DENYING || form == UNABLE;
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let tells = |form: &&String| !is_denial(form) && !is_number(form) && !TELLING.contains(&form.as_str());
    let telling = forms.iter().flatten().filter(tells).count();
    // Of "into my left arm", only a place is left.
    let is_place = |at: usize| tokens.get(at).is_some_and(|token| is_part_of_body(std::slice::from_ref(&token.text)));
    let names_place = |at: usize| forms.get(at).is_some_and(|form| form.as_ref().is_none_or(|form| !tells(&form) || is_place(at)));
    if !forms.iter().flatten().any(|form| is_denial(form)) && (0..forms.len()).all(names_place) {
        return None;
    }
    let is_verb_alone = telling == 1 && forms.iter().flatten().any(|form| TELLING.contains(&form.as_str()));
    if is_verb_alone && tokens.iter().any(|token| OBJECTS.contains(&token.text.as_str())) {
        return None;
    }
    let has_number = forms.iter().flatten().any(|form| is_number(form));
    let lacks_unit = (0..forms.len()).any(|at| is_number(word(at)) && UNITS.contains(&word(at + 1)));
    // "4 this morning" is no *Waking at 4*.
    if telling == 0 || lacks_unit || (has_number && telling == 1) {
        return None;
    }
    let mut needed = Vec::new();
    for (at, form) in forms.iter().enumerate() {
        if word(at) == "over" && at > 0 && word(at - 1) == "all" {
            needed.push(ALL);
        }
        if form.is_none() && LITTLE.contains(&word(at)) && !needed.contains(&LITTLE) {
            needed.push(LITTLE);
        }
        if form.is_none() && word(at) == "still" && word(at + 1) == "there" {
            needed.push(STILL);
        }
        // "Coming off drink" is more than "off drinks".
        if at > 0 && word(at) == OFF {
            needed.extend(VERBS.into_iter().find(|verb| verb.contains(&word(at - 1))));
        }
        if form.as_deref().is_some_and(is_denial) {
            let ends = (at + 1..forms.len()).find(|next| forms.get(*next).is_some_and(Option::is_some)).unwrap_or(forms.len());
            needed.extend((at + 1..ends).find_map(|next| VERBS.into_iter().find(|verb| verb.contains(&word(next)))));
        }
    }
    Some(needed)
}

/// Whether the small words of a name stand among tokens `first..=last`, right before them or right behind them.
pub(super) fn are_said(needed: &[OneOf], tokens: &[Token], first: usize, last: usize) -> bool {
    let joined = |at: &usize| tokens.get(*at).is_some_and(|token| !token.after_break);
    let begin = first.saturating_sub(usize::from(joined(&first)));
    let behind = (last + 1..=last + BEHIND).take_while(joined).count();
    let said = tokens.get(begin..=last + behind).unwrap_or_default();
    needed.iter().all(|one_of| said.iter().any(|token| one_of.contains(&token.text.as_str())))
}
