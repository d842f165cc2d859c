//! Folding and tokens: the form in which different spellings of one name are equal.
//!
//! Folding is compatibility decomposition (so full-width letters become plain ones) without combining
//! marks, lower case, apostrophes removed and every other punctuation mark read as a word break.
//! Chinese, Japanese and Korean characters are tokens of their own, because those scripts put no
//! spaces between words.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// One word of a text (or one CJK character), folded, with its place in the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The folded word, never empty.
    pub text: String,
    /// Byte offset of its first character in the original text.
    pub start: usize,
    /// Byte offset just past its last character in the original text.
    pub end: usize,
    /// Whether the token is a single CJK character.
    pub cjk: bool,
    /// Whether a sentence or clause mark (`.`, `,`, `;`, `?`, `。` …) separates this token from the one before.
    pub after_break: bool,
    /// Whether such a mark ends a clause there: none of `、`, brackets and slashes, which join or insert.
    pub after_stop: bool,
}

/// Whether words that are taken from the tokens `first..last` would end with the first character of a Chinese word of the next clause: 一直吐，血压低
/// does not tell of 吐血. What fills its clause may belong to the words before: 大便，发黑.
pub(crate) fn ends_within_word(tokens: &[Token], first: usize, last: usize) -> bool {
    let Some((before, end)) = last.checked_sub(2).and_then(|at| tokens.get(at)).zip(last.checked_sub(1).and_then(|at| tokens.get(at)))
    else {
        return false;
    };
    // 歪了 is a word of one character with its particle.
    let is_particle = |word: &str| matches!(word, "了" | "着" | "过" | "的" | "得" | "吗" | "呢" | "吧" | "啊");
    let goes_on = tokens.get(last).is_some_and(|next| next.cjk && !next.after_break && !is_particle(&next.text));
    last >= first + 2 && end.after_stop && end.cjk && before.cjk && goes_on
}

/// Whether a character belongs to a script written without spaces (Han, Kana, Hangul).
pub fn is_cjk(c: char) -> bool {
    matches!(c as u32,
        0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3134F)
}

/// Whether a text is to be answered in Chinese: a third of its letters, at least, belong to such a script.
pub fn is_chinese(text: &str) -> bool {
    let (mut cjk, mut letters) = (0usize, 0usize);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        cjk += usize::from(is_cjk(c));
    }
    cjk > 0 && cjk * 3 >= letters
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | 'ʼ' | '`' | '\\')
}

fn is_clause_mark(c: char) -> bool {
    matches!(
        c,
        '.' | ',' | ';' | ':' | '?' | '!' | '\n' | '(' | ')' | '[' | ']' | '。' | '，' | '；' | '：' | '？' | '！' | '、' | '（' | '）'
    )
}

/// Whether a mark ends a clause, and does not join a list or insert something.
fn is_clause_end(c: char) -> bool {
    is_clause_mark(c) && !matches!(c, '(' | ')' | '[' | ']' | '、' | '（' | '）')
}

/// Splits a text into folded tokens with byte offsets into the original.
pub fn tokenise(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 5 + 1);
    let mut word = String::new();
    let (mut start, mut end) = (0, 0);
    let mut pending_break = false;
    let mut pending_stop = false;
    // Chinese is written without spaces: one between two characters stands for a mark.
    let mut last_cjk_end = None;
    let mut spaced = false;
    let bytes = text.as_bytes();

    let mut flush = |word: &mut String, start: usize, end: usize, cjk: bool, (pending, stop): (&mut bool, &mut bool)| {
        if !word.is_empty() {
            tokens.push(Token {
                text: std::mem::take(word),
                start,
                end,
                cjk,
                after_break: std::mem::take(pending),
                after_stop: std::mem::take(stop),
            });
        }
    };

    for (at, c) in text.char_indices() {
        let past = at + c.len_utf8();
        if c.is_alphanumeric() && !is_cjk(c) {
            spaced = false;
        }
        if c.is_ascii_alphanumeric() {
            // ASCII, of which nearly all names consist, needs no decomposition.
            if word.is_empty() {
                start = at;
            }
            word.push(c.to_ascii_lowercase());
            end = past;
        } else if c.is_alphanumeric() || is_combining_mark(c) {
            for folded in std::iter::once(c).nfkd().filter(|d| !is_combining_mark(*d)).flat_map(char::to_lowercase) {
                if is_cjk(folded) {
                    flush(&mut word, start, end, false, (&mut pending_break, &mut pending_stop));
                    pending_break |= spaced;
                    pending_stop |= spaced;
                    (spaced, last_cjk_end) = (false, Some(past));
                    word.push(folded);
                    flush(&mut word, at, past, true, (&mut pending_break, &mut pending_stop));
                } else if folded.is_alphanumeric() {
                    if word.is_empty() {
                        start = at;
                    }
                    word.push(folded);
                    end = past;
                }
            }
            if !word.is_empty() {
                end = past;
            }
        } else if is_apostrophe(c) {
            continue;
        } else if c == '.' && decimal_point(bytes, at) && !word.is_empty() {
            // "37.8" is one word, so lab values stay whole.
            word.push('.');
            end = past;
        } else {
            flush(&mut word, start, end, false, (&mut pending_break, &mut pending_stop));
            spaced |= c.is_whitespace() && last_cjk_end == Some(at);
            pending_break |= is_clause_mark(c);
            pending_stop |= is_clause_end(c);
        }
    }
    flush(&mut word, start, end, false, (&mut pending_break, &mut pending_stop));
    tokens
}

/// The word at a token, nothing past the end.
pub(crate) fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| token.text.as_str())
}

/// The text with its first letter in upper case.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The tokens of the clause in which a token stands: from the mark before it to the next one.
pub(crate) fn clause_around(tokens: &[Token], at: usize) -> std::ops::Range<usize> {
    let begins = |at: &usize| tokens.get(*at).is_some_and(|token| token.after_break);
    let first = (0..=at).rev().find(begins).unwrap_or(0);
    first..(at + 1..tokens.len()).find(begins).unwrap_or(tokens.len())
}

fn decimal_point(bytes: &[u8], at: usize) -> bool {
    let digit = |i: Option<usize>| i.and_then(|i| bytes.get(i)).is_some_and(u8::is_ascii_digit);
    digit(at.checked_sub(1)) && digit(Some(at + 1))
}

/// Folds a text: its tokens joined by single spaces, CJK characters without a space.
///
/// ```
/// assert_eq!(catena::text::fold("Crohn’s  DISEASE"), "crohns disease");
/// assert_eq!(catena::text::fold("维生素 Ｂ12"), "维生素b12");
/// ```
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut previous_cjk = true;
    for token in tokenise(text) {
        if !previous_cjk && !token.cjk {
            folded.push(' ');
        }
        previous_cjk = token.cjk;
        folded.push_str(&token.text);
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_clause_reaches_from_mark_to_mark() {
        let tokens = tokenise("no pets, itches at night. Why");
        assert_eq!([0, 3, 5].map(|at| clause_around(&tokens, at)), [0..2, 2..5, 5..6]);
        assert_eq!(clause_around(&[], 0), 0..0);
    }

    #[test]
    fn a_space_between_chinese_characters_is_a_break() {
        let breaks = |text: &str| tokenise(text).into_iter().map(|token| token.after_break).collect::<Vec<_>>();
        assert_eq!(breaks("黑 头晕"), [false, true, false]);
        assert_eq!(breaks("咳 3天"), [false, false, false], "a number belongs to what stands before it");
        assert_eq!(breaks("chest pain 咳"), [false, false, false]);
    }

    #[test]
    fn folding_makes_spellings_equal() {
        for (a, b) in [
            ("Gastro-oesophageal reflux", "gastro oesophageal  REFLUX"),
            ("Guillain-Barré syndrome", "guillain barre syndrome"),
            ("ＨＰＶ", "hpv"),
            ("swimmer\\'s ear", "swimmers ear"),
            ("β-blocker", "Β blocker"),
        ] {
            assert_eq!(fold(a), fold(b));
        }
        assert_ne!(fold("B12"), fold("B6"));
        assert_eq!(fold("37.8 °C"), "37.8 c");
        assert_eq!(fold("…!?"), "");
    }

    #[test]
    fn tokens_point_into_the_original() {
        let text = "No fever, but Ménière’s 头痛 37.8";
        let words: Vec<_> = tokenise(text).iter().map(|t| (&text[t.start..t.end], t.text.clone(), t.after_break)).collect();
        let expected = [
            ("No", "no", false),
            ("fever", "fever", false),
            ("but", "but", true),
            ("Ménière’s", "menieres", false),
            ("头", "头", false),
            ("痛", "痛", false),
            ("37.8", "37.8", false),
        ];
        assert_eq!(words.len(), expected.len());
        for (word, want) in words.iter().zip(expected) {
            assert_eq!((word.0, word.1.as_str(), word.2), want);
        }
    }

    proptest! {
        #[test]
        fn offsets_are_always_character_boundaries(text in "\\PC{0,60}") {
            let mut last = 0;
            for token in tokenise(&text) {
                prop_assert!(text.is_char_boundary(token.start) && text.is_char_boundary(token.end));
                prop_assert!(token.start >= last || token.cjk);
                prop_assert!(token.start < token.end);
                prop_assert!(!token.text.is_empty());
                last = token.start;
            }
        }

        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,60}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once.clone());
        }
    }
}
