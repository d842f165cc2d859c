//! Words of a text in which Chinese, too, is cut into words (HyKGE 2025, A.2.3: by Jieba) rather than into characters.

use std::sync::LazyLock;

use jieba_rs::Jieba;

use super::{Token, fold, tokenise};

/// Loaded with the first Chinese text: a fifth of a second.
static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// The words of a text, as [`tokenise`] gives them; runs of Chinese characters are cut into words by Jieba, with its model for words that its
/// dictionary does not have.
pub fn segment(text: &str) -> Vec<Token> {
    let mut words = Vec::new();
    let mut tokens = tokenise(text).into_iter().peekable();
    while let Some(first) = tokens.next() {
        if !first.cjk {
            words.push(first);
            continue;
        }
        let mut end = first.end;
        while let Some(next) = tokens.next_if(|next| next.cjk && next.start == end) {
            end = next.end;
        }
        let run = text.get(first.start..end).unwrap_or_default();
        let mut after_break = first.after_break;
        let mut after_stop = first.after_stop;
        for word in JIEBA.cut(run, true) {
            let (start, end) = (first.start + word.byte_start, first.start + word.byte_end);
            words.push(Token {
                text: fold(word.word),
                start,
                end,
                cjk: true,
                after_break: std::mem::take(&mut after_break),
                after_stop: std::mem::take(&mut after_stop),
            });
        }
    }
    words
}

/// The share of a Chinese text's characters that belong to words of Jieba's dictionary, of two characters or more. Everyday text is near 1, a
/// transliterated name that the dictionary does not have near 0.
pub fn share_in_dictionary(text: &str) -> f64 {
    let words = JIEBA.cut(text, false).into_iter().map(|word| word.word.chars().count());
    let (known, all) = words.fold((0, 0), |(known, all), length| (if length > 1 { known + length } else { known }, all + length));
    if all == 0 { 0.0 } else { known as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn chinese_is_cut_into_words_and_the_rest_is_as_it_was() {
        let text = "我吃完饭后烧心，应该吃什么药？Omeprazole 20 mg";
        let words: Vec<Token> = segment(text);
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        for word in ["烧心", "应该", "什么", "omeprazole", "20", "mg"] {
            assert!(texts.contains(&word), "{texts:?}");
        }
        assert!(words.iter().all(|word| fold(&text[word.start..word.end]).replace(' ', "") == word.text.replace(' ', "")));
        assert!(words.iter().find(|word| word.text == "应该").is_some_and(|word| word.after_break));
        let english = "heartburn, and acid regurgitation";
        assert_eq!(segment(english), tokenise(english));
    }

    #[test]
    fn everyday_words_are_in_the_dictionary_and_invented_names_are_not() {
        for everyday in ["老毛病", "立马", "主食", "大片", "玩具"] {
            assert!(share_in_dictionary(everyday) > 0.6, "{everyday}: {}", share_in_dictionary(everyday));
        }
        for invented in ["左尔布辛", "维洛崔辛", "佐布拉辛"] {
            assert!(share_in_dictionary(invented) < 0.6, "{invented}: {}", share_in_dictionary(invented));
        }
        assert!(share_in_dictionary("").abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn nothing_of_a_text_is_lost(text in "[胃痛反酸食管 a-c，。]{0,40}") {
            let characters = |tokens: &[Token]| tokens.iter().map(|token| token.text.replace(' ', "")).collect::<String>();
            prop_assert_eq!(characters(&segment(&text)), characters(&tokenise(&text)));
        }
    }
}
