//! Texts as words for the metrics that compare them: folded, Chinese by characters, without citations.

use std::collections::HashMap;

use crate::run::PassageId;

use crate::text::tokenise;

/// The most words of a text that are compared; an answer has a few hundred.
const MOST: usize = 10_000;

/// The words of a text, folded (case, accents, width); every character of a script without spaces is one. Nothing behind the first 10,000 is looked at.
///
/// ```
/// assert_eq!(catena::eval::metric::words("Crohn’s disease, 胃痛"), ["crohns", "disease", "胃", "痛"]);
/// ```
pub fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = tokenise(text).into_iter().map(|token| token.text).collect();
    words.truncate(MOST);
    words
}

/// A text without its citations `[n]`, which no reference has.
///
/// ```
/// assert_eq!(catena::eval::metric::without_citations("Rest [1][12][D2], not [x]"), "Rest , not [x]");
/// ```
pub fn without_citations(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let inside = rest[at + 1..].find(']').map(|end| &rest[at + 1..at + 1 + end]);
        let is_id =
            |inside: &&str| (!inside.is_empty() && inside.bytes().all(|b| b.is_ascii_digit())) || inside.parse::<PassageId>().is_ok();
        match inside.filter(is_id) {
            Some(number) => {
                plain.push_str(&rest[..at]);
                rest = &rest[at + number.len() + 2..];
            }
            None => {
                plain.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// How often each run of `n` words occurs.
pub(super) fn counted(words: &[String], n: usize) -> HashMap<&[String], usize> {
    let mut counts = HashMap::new();
    for gram in words.windows(n.max(1)) {
        *counts.entry(gram).or_default() += 1;
    }
    counts
}
