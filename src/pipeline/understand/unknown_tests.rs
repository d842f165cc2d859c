//! Tests of what unknown words probably name.

use super::*;
use crate::text::tokenise;

fn likely(text: &str, word: &str) -> Option<LikelyKind> {
    let tokens = tokenise(text);
    let first = tokens.iter().position(|token| token.text == word).expect("is there");
    likely_kind(&tokens, Span { first, last: first + 1 })
}

#[test]
fn an_unknown_word_is_known_by_its_ending_and_its_place() {
    assert_eq!(likely("is zorbimab safe with warfarin", "zorbimab"), Some(LikelyKind::Drug));
    assert_eq!(likely("Pt on Dorvaxin 20 mg", "dorvaxin"), Some(LikelyKind::Drug));
    assert_eq!(likely("she takes florbax for her nerves", "florbax"), Some(LikelyKind::Drug));
    assert_eq!(likely("treatment for Brallenholm syndrome", "brallenholm"), Some(LikelyKind::Condition));
    assert_eq!(likely("what confirms quandrilic fever", "quandrilic"), Some(LikelyKind::Condition));
    assert_eq!(likely("a raised zorbin level", "zorbin"), Some(LikelyKind::Test));
    assert_eq!(likely("a retired teacher", "teacher"), None);
    assert_eq!(likely("one oval pinky patch", "pinky"), None, "of the skin");
    assert_eq!(likely("a dorvaxin patch", "dorvaxin"), Some(LikelyKind::Drug));
}

#[test]
fn no_everyday_word_is_called_a_drug() {
    let words = include_str!("../../../tests/data/everyday-words.txt");
    let words: Vec<&str> = words.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect();
    assert!(words.len() > 500);
    let mut called = Vec::new();
    for word in words {
        for text in [
            format!("she takes {word} daily"),
            format!("on {word} and ramipril"),
            format!("started {word} last week"),
            format!("pale {word} since"),
        ] {
            if likely(&text, word) == Some(LikelyKind::Drug) {
                called.push(text);
            }
        }
    }
    assert!(called.is_empty(), "{called:?}");
    // A new name is called one, with and without a dose.
    for (text, word) in
        [("she takes zorvex daily", "zorvex"), ("on brimlotan and ramipril", "brimlotan"), ("started quavide 20 mg", "quavide")]
    {
        assert_eq!(likely(text, word), Some(LikelyKind::Drug), "{text}");
    }
}

#[test]
fn questions_that_follow_another_begin_so() {
    for text in ["and if she is pregnant?", "what about children?", "那孕妇呢？"] {
        assert!(looks_like_follow_up(&tokenise(text)), "{text}");
    }
    for text in ["can I take ibuprofen in pregnancy?", "58M with chest pain. What is it?"] {
        assert!(!looks_like_follow_up(&tokenise(text)), "{text}");
    }
}
