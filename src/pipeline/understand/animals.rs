//! Animals that are named and are no patients: seen, or likened to.

use crate::text::Token;

/// Whether an animal is only seen, or what something is like: "seeing cats on the curtains", "barks like a dog", 咳嗽像狗叫.
pub(super) fn is_only_seen(tokens: &[Token], first: usize) -> bool {
    let word = |back: usize| first.checked_sub(back).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    let is_described = matches!(word(1), "a" | "an" | "the" | "some" | "big" | "black" | "little" | "small" | "小" | "只");
    let back = if is_described { 2 } else { 1 };
    let is_likened = word(back) == "like" || word(back) == "像";
    let is_seen = matches!(word(back), "seeing" | "sees" | "saw") || matches!(word(back), "到" | "见") && word(back + 1) == "看";
    is_likened || is_seen
}

/// How many words before an animal may name the people whom it stands beside.
const BESIDE_WITHIN: usize = 8;

/// Whether an animal is named after people who are meant first: "do we all need treating, even the dog?"
pub(super) fn is_beside_people(tokens: &[Token], first: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_own = |at: usize| matches!(word(at), "the" | "my" | "our" | "a");
    let joins = |at: usize| matches!(word(at), "even" | "including");
    let joint = first.checked_sub(if first > 0 && is_own(first - 1) { 2 } else { 1 });
    let is_people = |at: usize| matches!(word(at), "we" | "us" | "everyone" | "everybody" | "family" | "kids" | "children");
    joint.is_some_and(|joint| joins(joint) && (joint.saturating_sub(BESIDE_WITHIN)..joint).any(is_people))
}
