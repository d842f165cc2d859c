//! Whether a text repeats sentences of others: they are compared by their words, so that layout, marks and small or capital letters do not matter.

use std::collections::HashMap;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::{Token, tokenise};

/// The fewest words of a sentence that is looked for: shorter ones stand in many texts …
const LEAST: usize = 5;
/// … and the fewest bytes of these words: a Chinese character is a word of its own.
const LEAST_BYTES: usize = 20;
/// Words of a sentence that are compared with other sentences …
const COMPARED: usize = 40;
/// … and with a text: prompts and reports cut long passages, some of them at 300 characters with a heading.
const KNOWN_BY: usize = 24;
/// The fewest words in a row that are a quotation of a passage, whole or not.
const RUN: usize = 8;
/// In how many places of a passage the same run of words is followed.
const FOLLOWED: usize = 16;

/// Sentences that are looked for.
#[derive(Debug, Default)]
pub(crate) struct Quotes {
    /// By their first words: all words that are compared.
    sentences: HashMap<[u64; LEAST], Vec<Vec<u64>>>,
}

fn words_of(tokens: &[Token]) -> Vec<u64> {
    tokens.iter().map(|token| xxh3_64(token.text.as_bytes())).collect()
}

impl Quotes {
    /// Adds a sentence, unless it says too little to be known again.
    pub(crate) fn add(&mut self, sentence: &str) {
        let tokens = tokenise(sentence);
        if tokens.iter().map(|token| token.text.len()).sum::<usize>() < LEAST_BYTES {
            return;
        }
        let mut words = words_of(&tokens);
        words.truncate(COMPARED);
        if let Some(first) = words.first_chunk::<LEAST>() {
            let known = self.sentences.entry(*first).or_default();
            if !known.contains(&words) {
                known.push(words);
            }
        }
    }

    /// Takes out the sentences that a text has, too.
    pub(crate) fn leave_out(&mut self, text: &str) {
        if self.is_empty() {
            return;
        }
        let words = words_of(&tokenise(text));
        for at in 0..words.len() {
            let Some(rest) = words.get(at..) else { break };
            let Some(first) = rest.first_chunk::<LEAST>() else { break };
            if let Some(known) = self.sentences.get_mut(first) {
                known.retain(|sentence| !rest.starts_with(sentence));
                if known.is_empty() {
                    self.sentences.remove(first);
                }
            }
        }
    }

    /// Whether there is nothing to look for.
    pub(crate) fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// Whether a text has one of the sentences.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        let words = words_of(&tokenise(text));
        (0..words.len()).filter_map(|at| words.get(at..)).any(|rest| {
            let known = rest.first_chunk::<LEAST>().and_then(|first| self.sentences.get(first));
            let is_in = |sentence: &Vec<u64>| rest.starts_with(sentence.get(..KNOWN_BY).unwrap_or(sentence));
            known.is_some_and(|known| known.iter().any(is_in))
        })
    }
}

/// Where a text quotes a passage: the whole passage, unless it has very few words, or so many of its words in a row that they can hardly come from
/// elsewhere. In order, apart from each other. A run that a passage has in very many places is followed from the first of them only, so that no text
/// takes forever.
pub(crate) fn quoted_in(text: &str, passage: &str) -> Vec<Range<usize>> {
    let tokens = tokenise(text);
    let (words, of_passage) = (words_of(&tokens), words_of(&tokenise(passage)));
    let mut found = Vec::new();
    if of_passage.len() < LEAST {
        return found;
    }
    let least = RUN.min(of_passage.len());
    let mut begins: HashMap<&[u64], Vec<usize>> = HashMap::new();
    for (from, run) in of_passage.windows(least).enumerate() {
        let known = begins.entry(run).or_default();
        if known.len() < FOLLOWED {
            known.push(from);
        }
    }
    let mut at = 0;
    while let Some(rest) = words.get(at..).filter(|rest| rest.len() >= least) {
        let run_from = |from: &usize| rest.iter().zip(of_passage.get(*from..).unwrap_or_default()).take_while(|(a, b)| a == b).count();
        let known = rest.get(..least).and_then(|run| begins.get(run));
        let Some(longest) = known.and_then(|known| known.iter().map(run_from).max()) else {
            at += 1;
            continue;
        };
        if let (Some(first), Some(last)) = (tokens.get(at), tokens.get(at + longest - 1)) {
            found.push(first.start..last.end);
        }
        at += longest;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_known_again_in_other_layouts_and_no_others_are() {
        let mut quotes = Quotes::default();
        quotes.add("Adults begin with 50 mg once daily.");
        quotes.add("Too few words.");
        quotes.add("成人起始剂量为每日一次五十毫克。");
        assert!(quotes.are_in("He said: **ADULTS begin**\n with “50 mg” once daily!"));
        assert!(quotes.are_in("说明书：成人起始剂量为每日一次五十毫克。"));
        assert!(!quotes.are_in("Adults begin with 50 mg twice daily.") && !quotes.are_in("Too few words.") && !quotes.are_in(""));
        quotes.leave_out("Others, too: adults begin with 50 mg once daily.");
        assert!(!quotes.are_in("Adults begin with 50 mg once daily.") && !quotes.is_empty());
    }

    #[test]
    fn long_sentences_are_known_by_their_beginning() {
        let long: Vec<String> = (0..300).map(|word| format!("word{word}")).collect();
        let mut quotes = Quotes::default();
        quotes.add(&long.join(" "));
        for cut in [60, KNOWN_BY] {
            assert!(quotes.are_in(&format!("1. {} …", long[..cut].join(" "))), "{cut}");
        }
        assert!(!quotes.are_in(&long[1..].join(" ")) && !quotes.are_in(&long[..KNOWN_BY - 1].join(" ")));
        // Another sentence that only begins alike does not hide it.
        quotes.leave_out(&format!("{} and so on.", long[..KNOWN_BY + 4].join(" ")));
        assert!(!quotes.is_empty());
    }

    #[test]
    fn quotations_are_found_whole_or_in_part() {
        let passage = "Adults with depression begin with 50 mg once daily, in the morning or the evening.";
        let of = |text: &str| -> Vec<String> { quoted_in(text, passage).into_iter().map(|span| text[span].to_owned()).collect() };
        let part = "begin with 50 mg once daily, in the morning";
        assert_eq!(of(&format!("The label says: {part} – and more.")), [part]);
        assert_eq!(of(&format!("{passage} Then: {passage}")).len(), 2);
        assert_eq!(of("Adults begin with 50 mg once daily."), [""; 0], "fewer words in a row are common to many texts");
        assert_eq!(
            quoted_in("Take it twice a day. Take it twice a day!", "Take it twice a day."),
            [0..19, 21..40],
            "a short one as a whole"
        );
        assert!(quoted_in("Treatment of asthma", "Treatment").is_empty(), "a word is no quotation");
        assert!(quoted_in("x", "").is_empty() && quoted_in("", passage).is_empty());
        let same = "a ".repeat(200_000);
        let found = quoted_in(&same, &same);
        assert_eq!((found.len(), found.first().map(|span| span.end)), (1, Some(same.len() - 1)), "at once");
    }
}
