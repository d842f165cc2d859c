//! Fragments: overlapping windows of content words (HyKGE 2025, Eq. 3), the unit at which the question and
//! the hypothesis are compared with reasoning chains.

use super::{StopWords, Token, segment, tokenise};

/// Splits a text without its stop words into windows of `words` tokens, of which neighbours share `overlap`.
///
/// A CJK character counts as one token. The last window may be shorter; a text without content words
/// gives no fragment. `overlap` is capped at `words - 1` so that every window advances.
pub fn fragments(text: &str, words: usize, overlap: usize, stop: &StopWords) -> Vec<String> {
    windows(tokenise(text), words, overlap, stop)
}

/// The same with Chinese cut into words rather than characters, as in the paper (A.2.3).
pub fn word_fragments(text: &str, words: usize, overlap: usize, stop: &StopWords) -> Vec<String> {
    windows(segment(text), words, overlap, stop)
}

/// The words of a text from which a fragment was made, as they stand there, with the stop words between them; `None` if it was not.
pub(crate) fn stretch<'a>(text: &'a str, fragment: &str, stop: &StopWords) -> Option<&'a str> {
    let content = |text: &str| -> Vec<Token> {
        let tokens = tokenise(text);
        let marks = stop.mark(&tokens);
        tokens.into_iter().zip(marks).filter(|(_, is_stop)| !is_stop).map(|(token, _)| token).collect()
    };
    let wanted = tokenise(fragment);
    if wanted.is_empty() {
        return None;
    }
    let tokens = content(text);
    let found = tokens.windows(wanted.len()).find(|window| window.iter().zip(&wanted).all(|(token, wanted)| token.text == wanted.text))?;
    text.get(found.first()?.start..found.last()?.end)
}

fn windows(tokens: Vec<Token>, words: usize, overlap: usize, stop: &StopWords) -> Vec<String> {
    let words = words.max(1);
    let step = words - overlap.min(words - 1);
    let marks = stop.mark(&tokens);
    let tokens: Vec<_> = tokens.into_iter().zip(marks).filter(|(_, is_stop)| !is_stop).map(|(token, _)| token).collect();
    let mut windows = Vec::new();
    let mut first = 0;
    while first < tokens.len() {
        let last = (first + words).min(tokens.len());
        let mut window = String::new();
        let mut previous: Option<&Token> = None;
        for token in &tokens[first..last] {
            // Adjacent CJK characters stay together; other tokens are separated by spaces.
            if previous.is_some_and(|p| !(p.cjk && token.cjk)) {
                window.push(' ');
            }
            window.push_str(&token.text);
            previous = Some(token);
        }
        windows.push(window);
        if last == tokens.len() {
            break;
        }
        first += step;
    }
    windows
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn windows_overlap_as_configured() {
        let stop = StopWords::parse("the\nof");
        let text = "the a b c d e f of g h i j k l m n";
        assert_eq!(fragments(text, 10, 4, &stop), ["a b c d e f g h i j", "g h i j k l m n"]);
        assert!(fragments("the of", 10, 4, &stop).is_empty());
        assert_eq!(fragments("胃 痛 omeprazole", 10, 4, &stop), ["胃痛 omeprazole"]);
    }

    #[test]
    fn a_fragment_leads_back_to_the_words_that_it_was_made_from() {
        let stop = StopWords::parse("the\nof\nand\n的");
        for text in ["Fever and the loss of weight, for weeks; night sweats.", "夜间的盗汗 and 发热"] {
            for fragment in fragments(text, 4, 2, &stop) {
                let found = stretch(text, &fragment, &stop).expect("stands in the text");
                assert_eq!(fragments(found, 99, 0, &stop), [fragment], "{found}");
            }
        }
        assert_eq!(stretch("Fever and the loss of weight", "fever loss weight", &stop), Some("Fever and the loss of weight"));
        assert_eq!((stretch("fever", "cough", &stop), stretch("fever", "", &stop)), (None, None));
    }

    #[test]
    fn eq_3_chinese_words_count_as_words() {
        let stop = StopWords::parse("的");
        // Twelve characters, six words: one window of six, and of characters two windows of ten.
        let text = "胃痛 反酸 咳嗽 发热 头痛 腹泻";
        assert_eq!(word_fragments(text, 6, 2, &stop), ["胃痛反酸咳嗽发热头痛腹泻"]);
        assert_eq!(word_fragments(text, 4, 2, &stop), ["胃痛反酸咳嗽发热", "咳嗽发热头痛腹泻"]);
        assert_eq!(fragments(text, 10, 4, &stop).len(), 2);
    }

    /// Eq. 3 transcribed: fragment i holds the words i (lc − oc) … i (lc − oc) + lc − 1, until one holds the last word.
    fn chunk(words: &[String], lc: usize, oc: usize) -> Vec<String> {
        let mut chunks = Vec::new();
        for i in 0.. {
            let first = i * (lc - oc);
            if first >= words.len() || (i > 0 && first + oc >= words.len()) {
                break;
            }
            chunks.push(words[first..words.len().min(first + lc)].join(" "));
        }
        chunks
    }

    proptest! {
        #[test]
        fn eq_3_windows_are_those_of_the_paper(count in 0usize..60, lc in 1usize..15, oc in 0usize..14) {
            prop_assume!(oc < lc);
            let words: Vec<String> = (0..count).map(|i| format!("w{i}")).collect();
            prop_assert_eq!(word_fragments(&words.join(" "), lc, oc, &StopWords::parse("")), chunk(&words, lc, oc));
        }

        #[test]
        fn every_content_word_is_in_a_window(count in 0usize..80, words in 1usize..15, overlap in 0usize..20) {
            let text = (0..count).map(|i| format!("w{i}")).collect::<Vec<_>>().join(" ");
            let windows = fragments(&text, words, overlap, &StopWords::parse(""));
            for i in 0..count {
                let word = format!("w{i}");
                prop_assert!(windows.iter().any(|w| w.split(' ').any(|x| x == word)));
            }
            prop_assert!(windows.iter().all(|w| w.split(' ').count() <= words));
        }
    }
}
