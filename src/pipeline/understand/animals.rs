//! Animals that are named and are no patients: seen, likened to, or what somebody works with.

use crate::text::Token;

/// What somebody is who works with animals, and what is only called after them, behind their name.
const OF_WORK: [&str; 15] = [
    "farmer",
    "farmers",
    "farm",
    "farming",
    "breeder",
    "owner",
    "keeper",
    "handler",
    "shearer",
    "worker",
    "workers",
    "trainer",
    "groom",
    "pellets",
    "droppings",
];

/// Whether an animal is only seen, or what something is like: "seeing cats on the curtains", "barks like a dog", 咳嗽像狗叫.
pub(super) fn is_only_seen(tokens: &[Token], first: usize) -> bool {
    let word = |back: usize| first.checked_sub(back).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    let is_described = matches!(word(1), "a" | "an" | "the" | "some" | "big" | "black" | "little" | "small" | "小" | "只");
    let back = if is_described { 2 } else { 1 };
    let is_likened = word(back) == "like" || word(back) == "像";
    let is_seen = matches!(word(back), "seeing" | "sees" | "saw") || matches!(word(back), "到" | "见") && word(back + 1) == "看";
    is_likened || is_seen
}

/// Whether an animal is what somebody works with: "a sheep farmer".
pub(super) fn is_of_work(tokens: &[Token], last: usize) -> bool {
    tokens.get(last).is_some_and(|token| !token.after_break && OF_WORK.contains(&token.text.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn who_works_with_animals_is_no_animal() {
        let is_of_work = |text: &str, last: usize| is_of_work(&tokenise(text), last);
        assert!(is_of_work("a sheep farmer has months of fever", 2));
        assert!(is_of_work("rabbit pellets and the runs", 1));
        assert!(!is_of_work("my sheep has a fever", 2));
    }
}
