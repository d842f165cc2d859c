//! Precision, recall and F1 of mentions, strict (same words, same type) and relaxed (overlapping, same type).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{MarkedMention, MarkedText, NerMisses};

/// Precision, recall and F1, each from 0 to 1; 0 where there is nothing to divide by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SpanScores {
    /// The share of found mentions that are marked.
    pub precision: f64,
    /// The share of marked mentions that are found.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    found: u64,
    marked: u64,
    same: u64,
    /// Found mentions that overlap a marked one, and marked ones that overlap a found one.
    found_near: u64,
    marked_near: u64,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.found += other.found;
        self.marked += other.marked;
        self.same += other.same;
        self.found_near += other.found_near;
        self.marked_near += other.marked_near;
    }

    fn strict(self) -> SpanScores {
        SpanScores::of((self.same, self.found), (self.same, self.marked))
    }

    fn relaxed(self) -> SpanScores {
        SpanScores::of((self.found_near, self.found), (self.marked_near, self.marked))
    }
}

impl SpanScores {
    fn of(precision: (u64, u64), recall: (u64, u64)) -> Self {
        let share = |(of, all): (u64, u64)| if all == 0 { 0.0 } else { of as f64 / all as f64 };
        let (precision, recall) = (share(precision), share(recall));
        let sum = precision + recall;
        Self { precision, recall, f1: if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 } }
    }
}

/// The scores of a recogniser on a corpus.
#[derive(Debug, Clone, Serialize)]
pub struct NerReport {
    /// Strict scores by type.
    pub types: BTreeMap<String, SpanScores>,
    /// Strict scores over all types.
    pub micro: SpanScores,
    /// Relaxed scores: a mention counts if it overlaps one of its type.
    pub relaxed: RelaxedScores,
    /// What was counted.
    pub counts: BTreeMap<String, NerCounts>,
    /// The number of texts (sentences or documents), and of those in which something was found.
    pub texts: usize,
    /// Texts in which at least one mention was found.
    pub texts_with_mentions: usize,
    /// The recogniser: `gazetteer`, `w2ner`, `both` or `predictions`.
    pub recogniser: String,
    /// Found mentions of types that the corpus does not mark; they are not scored.
    pub of_other_types: u64,
    /// A sample of the errors, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misses: Option<NerMisses>,
}

/// The types that a corpus marks.
pub(super) fn marked_types(texts: &[MarkedText]) -> BTreeSet<&str> {
    texts.iter().flat_map(|text| &text.mentions).map(|mention| mention.of.as_str()).collect()
}

/// Relaxed scores.
#[derive(Debug, Clone, Serialize)]
pub struct RelaxedScores {
    /// By type.
    pub types: BTreeMap<String, SpanScores>,
    /// Over all types.
    pub micro: SpanScores,
}

/// The number of mentions of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NerCounts {
    /// Marked ones.
    pub marked: u64,
    /// Found ones.
    pub found: u64,
    /// Found ones that are marked with the same words.
    pub same: u64,
}

impl NerReport {
    /// Compares what was `found` in each text with what is marked. Only types that the corpus marks are scored; if it marks none, all are.
    pub fn of(texts: &[MarkedText], found: &[Vec<MarkedMention>], recogniser: &str) -> Self {
        let marked = marked_types(texts);
        let is_scored = |of: &str| marked.is_empty() || marked.contains(of);
        let mut by_type: BTreeMap<String, Counts> = marked.iter().map(|of| ((*of).to_owned(), Counts::default())).collect();
        let (mut of_other_types, mut texts_with_mentions) = (0, 0);
        for (text, found) in texts.iter().zip(found) {
            texts_with_mentions += usize::from(!found.is_empty());
            let found: BTreeSet<&MarkedMention> = found.iter().collect();
            let marked: BTreeSet<&MarkedMention> = text.mentions.iter().collect();
            let is_near = |mention: &MarkedMention, others: &BTreeSet<&MarkedMention>| {
                others.iter().any(|other| other.of == mention.of && other.overlaps(mention))
            };
            for mention in &found {
                if !is_scored(&mention.of) {
                    of_other_types += 1;
                    continue;
                }
                let counts = by_type.entry(mention.of.clone()).or_default();
                counts.found += 1;
                counts.same += u64::from(marked.contains(mention));
                counts.found_near += u64::from(is_near(mention, &marked));
            }
            for mention in &marked {
                let counts = by_type.entry(mention.of.clone()).or_default();
                counts.marked += 1;
                counts.marked_near += u64::from(is_near(mention, &found));
            }
        }
        let mut all = Counts::default();
        by_type.values().for_each(|counts| all.add(*counts));
        let each = |score: fn(Counts) -> SpanScores| by_type.iter().map(|(of, counts)| (of.clone(), score(*counts))).collect();
        Self {
            types: each(Counts::strict),
            micro: all.strict(),
            relaxed: RelaxedScores { types: each(Counts::relaxed), micro: all.relaxed() },
            counts: by_type.iter().map(|(of, c)| (of.clone(), NerCounts { marked: c.marked, found: c.found, same: c.same })).collect(),
            texts: texts.len(),
            texts_with_mentions,
            recogniser: recogniser.to_owned(),
            of_other_types,
            misses: None,
        }
    }

    /// As a table.
    pub fn table(&self) -> String {
        let mut lines = vec![format!(
            "{:<12} {:>7} {:>7} {:>7} {:>9} {:>9} {:>9} {:>11}",
            self.recogniser, "marked", "found", "same", "precision", "recall", "F1 strict", "F1 relaxed"
        )];
        let line = |name: &str, counts: NerCounts, strict: SpanScores, relaxed: SpanScores| {
            format!(
                "{name:<12} {:>7} {:>7} {:>7} {:>9.4} {:>9.4} {:>9.4} {:>11.4}",
                counts.marked, counts.found, counts.same, strict.precision, strict.recall, strict.f1, relaxed.f1
            )
        };
        let mut all = NerCounts { marked: 0, found: 0, same: 0 };
        for (of, counts) in &self.counts {
            let (Some(strict), Some(relaxed)) = (self.types.get(of), self.relaxed.types.get(of)) else { continue };
            lines.push(line(&crate::text::sanitise_line(of), *counts, *strict, *relaxed));
            (all.marked, all.found, all.same) = (all.marked + counts.marked, all.found + counts.found, all.same + counts.same);
        }
        lines.push(line("all", all, self.micro, self.relaxed.micro));
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_scores_want_the_same_words_and_relaxed_ones_some_of_them() {
        let mention = MarkedMention::whole;
        let text = |mentions| MarkedText { text: "x".repeat(40), is_sentence: true, mentions, ..MarkedText::default() };
        let texts = [text(vec![mention(0, 5, "Disease"), mention(8, 12, "Disease"), mention(20, 24, "Disease")]), text(vec![])];
        let found = [vec![mention(0, 5, "Disease"), mention(8, 14, "Disease"), mention(8, 12, "Chemical")], vec![mention(1, 2, "Disease")]];
        let report = NerReport::of(&texts, &found, "w2ner");
        let strict = report.types["Disease"];
        assert!((strict.precision - 1.0 / 3.0).abs() < 1e-12 && (strict.recall - 1.0 / 3.0).abs() < 1e-12, "{strict:?}");
        let relaxed = report.relaxed.micro;
        assert!((relaxed.precision - 2.0 / 3.0).abs() < 1e-12 && (relaxed.recall - 2.0 / 3.0).abs() < 1e-12, "{relaxed:?}");
        assert_eq!((report.of_other_types, report.texts_with_mentions, report.types.len()), (1, 2, 1));
        let plain = NerReport::of(&texts[1..], &found[1..], "w2ner");
        assert_eq!((plain.counts["Disease"].found, plain.micro.f1), (1, 0.0));
    }
}
