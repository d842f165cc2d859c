//! Splits a text into claims: its sentences and list items without citations, headings, questions and what only tells how a question was read.

use crate::evidence::sentences;
use crate::pipeline::llm::plain_line;
use crate::text::{StopWords, sanitise_line, tokenise};

/// The most claims of a text.
const MOST: usize = 2000;
/// The fewest words with content of a claim.
const LEAST_WORDS: usize = 2;
/// What begins a line that tells how Catena read a question, in either language.
const READ_AS: [&str; 2] = ["Read as:", "理解为："];

pub(super) fn claims(text: &str) -> Vec<String> {
    let mut claims = Vec::new();
    // A sentence may go over several lines; a list item, a heading or an empty line begins anew.
    let mut paragraph = String::new();
    for line in text.lines().chain([""]) {
        let line = line.trim();
        let begins = line.is_empty() || line.starts_with(['-', '*', '•', '#', '|', '>']) || begins_with_number(line);
        if begins {
            take(&std::mem::take(&mut paragraph), &mut claims);
        }
        if !line.is_empty() {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line);
        }
        // A line that ends like a sentence, or a heading, ends there.
        if line.ends_with(['.', '!', '?', ':', '。', '！', '？', '：', ']']) || line.starts_with('#') {
            take(&std::mem::take(&mut paragraph), &mut claims);
        }
    }
    claims.truncate(MOST);
    claims
}

/// Whether a line begins with the number of a list: "1. ", "2) ".
fn begins_with_number(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") "))
}

fn take(paragraph: &str, claims: &mut Vec<String>) {
    if paragraph.starts_with('#') || READ_AS.iter().any(|begin| paragraph.starts_with(begin)) {
        return;
    }
    let numbered = if begins_with_number(paragraph) { paragraph.trim_start_matches(|c: char| c.is_ascii_digit()) } else { paragraph };
    let plain = plain_line(numbered.trim_start_matches(['.', ')', ' ', '>', '|'])).replace("**", "");
    for span in sentences(&plain) {
        let claim = sanitise_line(plain.get(span).unwrap_or_default());
        let stop = StopWords::built_in();
        let content = tokenise(&claim).iter().filter(|token| token.cjk || !stop.contains(&token.text)).count();
        let is_claim = !claim.ends_with(['?', '？', ':', '：']) && content >= LEAST_WORDS;
        if is_claim {
            claims.push(claim);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_and_items_are_claims_and_the_rest_is_not() {
        let text = "# Plan\nRead as: x · asks: y\n\nOmeprazole treats reflux [1][D2]. It heals\nthe gullet. Why?\n\n- **Antacids** relieve it\n- Tests:\n1. Give 20 mg daily\n\nOK.";
        assert_eq!(claims(text), ["Omeprazole treats reflux.", "It heals the gullet.", "Antacids relieve it", "Give 20 mg daily"]);
        assert!(claims("").is_empty());
    }
}
