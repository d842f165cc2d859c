//! Sentences of a text, as recognisers read them: the same cuts as in their training (`assets/ner/train/corpora.py`), and at ends of lines.

use std::ops::Range;

/// The sentences of a text, as ranges of its bytes, without the white space between them. A sentence ends at a line's end, and at `.`, `?` or `!` before
/// white space and a capital letter, a digit, a bracket or a quotation mark; "e.g. aspirin" goes on.
pub(crate) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut cuts = vec![0];
    let mut before = None;
    let mut ended = false;
    for (at, c) in text.char_indices() {
        if c == '\n' {
            cuts.push(at);
        } else if ended && !c.is_whitespace() && before.is_some_and(char::is_whitespace) {
            ended = false;
            if c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '(' | '[' | '"' | '\'') {
                cuts.push(at);
            }
        }
        if !c.is_whitespace() {
            ended = matches!(c, '.' | '?' | '!');
        }
        before = Some(c);
    }
    cuts.push(text.len());
    let pieces = cuts.windows(2).filter_map(|cut| match cut {
        [begin, end] => Some((*begin, text.get(*begin..*end)?)),
        _ => None,
    });
    let trimmed = pieces.map(|(begin, piece)| {
        let begin = begin + (piece.len() - piece.trim_start().len());
        begin..begin + piece.trim().len()
    });
    trimmed.filter(|range| !range.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn sentences_end_where_another_begins() {
        let cut = |text: &'static str| sentences(text).into_iter().map(|range| &text[range]).collect::<Vec<_>>();
        assert_eq!(
            cut("Is it safe? He takes 2.5 mg, e.g. at night.  (Since May.)"),
            ["Is it safe?", "He takes 2.5 mg, e.g. at night.", "(Since May.)"]
        );
        assert_eq!(cut("BP 120/80\n\n  Meds: zorblax\n"), ["BP 120/80", "Meds: zorblax"]);
        assert_eq!(cut(" \n "), Vec::<&str>::new());
        assert_eq!(cut("über … Ärzte. éa"), ["über … Ärzte. éa"]);
    }
}
