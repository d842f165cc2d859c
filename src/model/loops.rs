//! Finds loops in a text while it is written: the same words again and again, or the same sentences. The repeated end is never passed on.
//!
//! Text that may be the beginning of a repetition is held back until it turns out to be something else, so that nothing has to be taken back.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The longest cycle of words that is looked for.
const LONGEST_CYCLE: usize = 48;
/// A sentence of fewer words may be repeated (a heading, “See a doctor.”).
const SENTENCE: usize = 4;
/// As many repeated sentences in a row are a loop …
const IN_A_ROW: u32 = 2;
/// … and so is a sentence that comes for this time.
const TIMES: u32 = 4;
/// A longer run of letters counts as several words.
const LONGEST_WORD: usize = 48;
/// As many characters without a word may follow each other before they are held back …
const MARKS: usize = 24;
/// … and so many are a loop.
const LONGEST_MARKS: usize = 240;

/// How many words in a row must equal those one cycle before: more cycles of short ones, since “very, very” is no loop.
fn repeated_words(cycle: usize) -> usize {
    match cycle {
        1 => 4,
        2 | 3 => 3 * cycle,
        _ => 2 * cycle,
    }
}

#[derive(Debug)]
struct Word {
    text: String,
    /// Where it begins in the whole text, in bytes.
    start: usize,
}

/// Takes a text in portions of any size and passes it on without its repeated end.
#[derive(Debug)]
pub(crate) struct LoopFilter {
    /// Text that was not passed on yet.
    held: String,
    /// Where it begins in the whole text.
    held_from: usize,
    /// Bytes of the whole text.
    length: usize,
    /// The latest words, the newest last.
    words: VecDeque<Word>,
    /// For each length of a cycle, from 1: how many of the latest words equal those one cycle before.
    runs: [usize; LONGEST_CYCLE],
    /// The word being written, in lower case, and where it begins.
    word: String,
    word_start: usize,
    before_word: char,
    /// Characters since the latest word, and where they begin.
    marks: usize,
    marks_start: usize,
    before: char,
    /// The sentence being written: where its first word begins, and for each word a number that stands for all words up to it.
    sentence_start: Option<usize>,
    sentence: Vec<u64>,
    /// Whether the sentence has begun as an earlier one did.
    known_beginning: bool,
    /// Beginnings of earlier sentences, and how often each whole one has come.
    beginnings: BTreeSet<u64>,
    sentences: BTreeMap<u64, u32>,
    /// Repeated sentences in a row, and where the first of them begins.
    repeated: u32,
    repeated_from: Option<usize>,
    /// Whether a loop was found; nothing is passed on any more.
    pub(crate) found: bool,
}

impl Default for LoopFilter {
    fn default() -> Self {
        Self {
            held: String::new(),
            held_from: 0,
            length: 0,
            words: VecDeque::new(),
            runs: [0; LONGEST_CYCLE],
            word: String::new(),
            word_start: 0,
            before_word: '\n',
            marks: 0,
            marks_start: 0,
            before: '\n',
            sentence_start: None,
            sentence: Vec::new(),
            known_beginning: true,
            beginnings: BTreeSet::new(),
            sentences: BTreeMap::new(),
            repeated: 0,
            repeated_from: None,
            found: false,
        }
    }
}

impl LoopFilter {
    /// Adds text; returns what is certainly no repetition.
    pub(crate) fn push(&mut self, text: &str) -> String {
        for c in text.chars() {
            if self.found {
                break;
            }
            self.held.push(c);
            let start = self.length;
            self.length += c.len_utf8();
            self.character(c, start);
        }
        if self.found { std::mem::take(&mut self.held) } else { self.pass(self.certain()) }
    }

    /// The held-back rest. `complete`: the model ended the text itself; otherwise what looks like the beginning of a loop is dropped.
    pub(crate) fn end(&mut self, complete: bool) -> String {
        self.word_ends();
        let to = if complete || self.found { self.length } else { self.certain_at_the_end() };
        self.pass(to)
    }

    fn pass(&mut self, to: usize) -> String {
        let rest = self.held.split_off(to.saturating_sub(self.held_from).min(self.held.len()));
        self.held_from += self.held.len();
        std::mem::replace(&mut self.held, rest)
    }

    fn character(&mut self, c: char, start: usize) {
        let ideograph = is_ideograph(c);
        if c.is_alphanumeric() || (matches!(c, '\'' | '’' | '-') && !self.word.is_empty()) {
            if ideograph || self.word.len() >= LONGEST_WORD {
                self.word_ends();
            }
            if self.word.is_empty() {
                (self.word_start, self.before_word) = (start, self.before);
            }
            self.word.extend(c.to_lowercase());
            if ideograph {
                self.word_ends();
            }
            self.marks = 0;
        } else {
            self.word_ends();
            if self.marks == 0 {
                self.marks_start = start;
            }
            self.marks += 1;
            if self.marks >= LONGEST_MARKS {
                self.cut(self.marks_start);
            }
            let after_stop = matches!(self.before, '.' | '!' | '?') && c.is_whitespace();
            if after_stop || matches!(c, '\n' | '。' | '！' | '？' | '；') {
                self.sentence_ends();
            }
        }
        self.before = c;
    }

    fn word_ends(&mut self) {
        if self.word.is_empty() || self.found {
            return;
        }
        let text = std::mem::take(&mut self.word);
        let start = self.word_start;
        let number = text.len() <= 3 && text.bytes().all(|b| b.is_ascii_digit());
        // The number of an item of a list, or of a citation, hides no repetition.
        self.sentence_start.get_or_insert(start);
        if number && (self.sentence.is_empty() || self.before_word == '[') {
            return;
        }
        let so_far = xxh3_64_with_seed(text.as_bytes(), self.sentence.last().copied().unwrap_or_default());
        self.sentence.push(so_far);
        self.known_beginning &= self.beginnings.contains(&so_far);
        if !self.known_beginning && self.sentence.len() >= SENTENCE {
            (self.repeated, self.repeated_from) = (0, None);
        }
        for (cycle, run) in (1..).zip(&mut self.runs) {
            let same = self.words.len() >= cycle && self.words[self.words.len() - cycle].text == text;
            *run = if same { *run + 1 } else { 0 };
        }
        self.words.push_back(Word { text, start });
        let looped = (1..).zip(&self.runs).find(|(cycle, run)| **run >= repeated_words(*cycle)).map(|(_, run)| *run);
        if let Some(run) = looped {
            self.cut(self.run_start(run));
        }
        // All that a run can refer to.
        while self.words.len() > LONGEST_CYCLE * 3 {
            self.words.pop_front();
        }
    }

    /// Where the latest words begin, so many of them.
    fn run_start(&self, run: usize) -> usize {
        self.words.len().checked_sub(run).and_then(|at| self.words.get(at)).map_or(self.length, |word| word.start)
    }

    fn sentence_ends(&mut self) {
        if self.sentence.is_empty() {
            return;
        }
        let Some(start) = self.sentence_start.take() else { return };
        let sentence = std::mem::take(&mut self.sentence);
        self.known_beginning = true;
        let Some(whole) = sentence.last().filter(|_| !self.found && sentence.len() >= SENTENCE) else { return };
        let times = self.sentences.entry(*whole).or_default();
        *times += 1;
        if *times > 1 {
            self.repeated += 1;
            let from = *self.repeated_from.get_or_insert(start);
            if self.repeated >= IN_A_ROW || *times >= TIMES {
                self.cut(from);
            }
        } else {
            (self.repeated, self.repeated_from) = (0, None);
            self.beginnings.extend(sentence);
        }
    }

    /// A loop begins at this byte.
    fn cut(&mut self, from: usize) {
        let from = self.repeated_from.map_or(from, |repeated| repeated.min(from));
        self.held.truncate(from.saturating_sub(self.held_from));
        self.length = self.held_from + self.held.len();
        self.found = true;
    }

    /// Up to where the text is certainly no repetition.
    fn certain(&self) -> usize {
        let mut to = self.certain_words();
        if self.marks > MARKS {
            to = to.min(self.marks_start);
        }
        let begins_sentence = self.sentence_start.is_none() && !self.beginnings.is_empty();
        if !self.word.is_empty() {
            let known = |word: &Word| word.text.starts_with(&self.word);
            if begins_sentence || self.words.iter().rev().take(LONGEST_CYCLE).any(known) {
                to = to.min(self.word_start);
            }
        }
        if let Some(start) = self.sentence_start.filter(|_| self.known_beginning && !self.beginnings.is_empty()) {
            to = to.min(start);
        }
        to
    }

    fn certain_words(&self) -> usize {
        let run = self.runs.iter().copied().max().unwrap_or(0);
        let to = if run > 0 { self.run_start(run) } else { self.length };
        to.min(self.repeated_from.unwrap_or(usize::MAX))
    }

    /// The same for a text that was cut off: a whole cycle, or a sentence that has come before.
    fn certain_at_the_end(&self) -> usize {
        let run = (1..).zip(&self.runs).filter(|(cycle, run)| **run >= (*cycle).max(3)).map(|(_, run)| *run).max();
        let to = run.map_or(self.length, |run| self.run_start(run));
        let to = to.min(self.repeated_from.unwrap_or(usize::MAX));
        let again = self.sentence_start.filter(|_| self.known_beginning && self.sentence.len() >= SENTENCE && !self.beginnings.is_empty());
        to.min(again.unwrap_or(usize::MAX))
    }
}

/// A character that is a word by itself.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is passed on of a text that the model ended itself, or that was cut off; and whether it is a loop.
    fn passed(text: &str, complete: bool, portion: usize) -> (String, bool) {
        let mut filter = LoopFilter::default();
        let letters: Vec<char> = text.chars().collect();
        let mut passed: String = letters.chunks(portion).map(|part| filter.push(&part.iter().collect::<String>())).collect();
        passed.push_str(&filter.end(complete));
        (passed, filter.found)
    }

    const REFLUX: &str =
        "An antacid can relieve reflux [1]. Omeprazole lowers the acid of the stomach [2].\n\nAvoid large meals before sleep.";

    #[test]
    fn repeated_sentences_end_the_text_before_they_are_shown() {
        for (loops, kept) in [
            (format!("{REFLUX} {}", "Avoid large meals before sleep. ".repeat(9)), REFLUX.to_owned()),
            (format!("{}\n", REFLUX).repeat(5), REFLUX.to_owned()),
            // Numbers of items and citations hide nothing.
            (
                (1..9).map(|n| format!("{n}. Avoid large meals before sleep [{n}].\n")).collect(),
                "1. Avoid large meals before sleep [1].".to_owned(),
            ),
            (
                "胃食管反流病可以用奥美拉唑治疗。避免睡前大量进食。".repeat(6),
                "胃食管反流病可以用奥美拉唑治疗。避免睡前大量进食。".to_owned(),
            ),
        ] {
            for portion in [1, 3, 1000] {
                let (text, found) = passed(&loops, false, portion);
                assert!(found, "{loops}");
                assert_eq!(text.trim_end(), kept, "{loops}");
            }
        }
    }

    #[test]
    fn repeated_words_end_the_text_after_the_first_of_them() {
        for (loops, kept) in [
            (format!("It may be {}", "very ".repeat(20)), "It may be very"),
            (format!("Causes: {}", "reflux, ulcer, gastritis, ".repeat(10)), "Causes: reflux, ulcer, gastritis,"),
            (
                format!("Take {}", "one tablet in the morning and one at night and ".repeat(5)),
                "Take one tablet in the morning and one at night and",
            ),
            (format!("Ja{}", "哈".repeat(30)), "Ja哈"),
            (format!("A rash {}", "aaaaaaaa".repeat(100)), "A rash aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
            (format!("Done {}", "\n".repeat(1000)), "Done"),
        ] {
            for portion in [1, 7, 1000] {
                let (text, found) = passed(&loops, false, portion);
                assert!(found, "{loops}");
                assert_eq!(text.trim_end(), kept, "{loops}");
            }
        }
    }

    #[test]
    fn what_only_resembles_a_loop_stays() {
        for text in [
            REFLUX,
            "It is very, very, very likely. See a doctor. Rest. See a doctor. Drink. See a doctor. Sleep.",
            "Omeprazole treats reflux. Ranitidine treats reflux. Antacids treat reflux. Cimetidine treats reflux.",
            // Said once more, after something else.
            "Avoid large meals before sleep. Stop smoking today, if you do. Avoid large meals before sleep. Lose some weight as well.",
            "| drug | dose | dose |\n|------|------|------|\n| a | 1 | 1 |\n| b | 1 | 1 |\n| c | 2 | 1 |",
            "Potassium 4.1, sodium 140, 140 and 141, glucose 5.5, 5.6, 5.7",
            "血压 120/80，心率 80，体温 36.6。血压 130/80，心率 90，体温 36.7。",
            "",
        ] {
            for portion in [1, 5, 1000] {
                assert_eq!(passed(text, true, portion), (text.to_owned(), false));
            }
        }
    }

    #[test]
    fn a_text_that_was_cut_off_within_a_repetition_ends_before_it() {
        let cut_off = format!("{REFLUX} Avoid large meals before sle");
        assert_eq!(passed(&cut_off, true, 4).0, cut_off);
        assert_eq!(passed(&format!("{REFLUX} Avoid large meals before"), false, 4).0.trim_end(), REFLUX);
        assert_eq!(
            passed("It helps against pain in the chest and pain in the chest and", false, 4).0.trim_end(),
            "It helps against pain in the chest and"
        );
    }

    proptest! {
        #[test]
        fn nothing_is_invented_or_reordered(text in "([a-c强热]{1,3}[ .,!\n。]{0,3}){0,60}", portion in 1usize..20, complete: bool) {
            let (got, found) = passed(&text, complete, portion);
            prop_assert!(text.starts_with(&got), "{got:?} of {text:?}");
            prop_assert!(found || !complete || got == text);
        }

        #[test]
        fn portions_change_nothing(text in "([a-c强热]{1,3}[ .,!\n。]{0,3}){0,60}", portion in 1usize..20) {
            prop_assert_eq!(passed(&text, true, portion), passed(&text, true, 10_000));
        }

        #[test]
        fn any_text_again_and_again_is_a_loop(text in "[a-z]{1,8}( [a-z]{1,8}){0,20}", separator in "[ .\n]") {
            let (got, found) = passed(&format!("{text}{separator} ").repeat(12), false, 9);
            prop_assert!(found && got.len() <= 3 * (text.len() + 2), "{got}");
        }
    }
}
