//! What a recogniser got wrong, mention by mention, for people who read the errors of a sample.

use std::collections::BTreeMap;

use serde::Serialize;

use super::score::marked_types;
use super::{MarkedMention, MarkedText};
use crate::text::{SplitMix64, sanitise_line};

/// What is wrong with a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MissKind {
    /// Found with its type and other words.
    Boundary,
    /// Found with another type.
    Type,
    /// Marked, and nothing was found there.
    Missed,
    /// Found, and nothing is marked there that was not found.
    Spurious,
}

impl MissKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Boundary => "boundary",
            Self::Type => "type",
            Self::Missed => "missed",
            Self::Spurious => "spurious",
        }
    }
}

/// One error.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NerMiss {
    /// The text's number in the file, from 0.
    pub number: usize,
    /// The text's id in the file; its number where it has none.
    pub text: String,
    /// The first byte of the marked mention, or of the found one if it is spurious.
    pub begin: usize,
    /// Behind its last byte.
    pub end: usize,
    /// Its type.
    #[serde(rename = "type")]
    pub of: String,
    /// What is wrong.
    pub kind: MissKind,
    /// Its words.
    pub words: String,
    /// What was found instead: words and type; empty if nothing was.
    pub found: String,
}

/// A sample of the errors, and how many of each kind there are in all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NerMisses {
    /// All errors by kind.
    pub all: BTreeMap<MissKind, usize>,
    /// Those that were drawn, in the order of the texts.
    pub drawn: Vec<NerMiss>,
}

impl NerMisses {
    /// Compares what was `found` with what is marked, and draws at most `count` errors.
    pub fn of(texts: &[MarkedText], found: &[Vec<MarkedMention>], count: usize, seed: u64) -> Self {
        let scored = marked_types(texts);
        let mut misses = Vec::new();
        for (number, (text, found)) in texts.iter().zip(found).enumerate() {
            let found: Vec<&MarkedMention> = found.iter().filter(|mention| scored.is_empty() || scored.contains(&*mention.of)).collect();
            misses.extend(text.misses(number, &found));
        }
        let mut all = BTreeMap::new();
        misses.iter().for_each(|miss| *all.entry(miss.kind).or_default() += 1);
        let mut random = SplitMix64::new(seed);
        let mut drawn = Vec::new();
        while drawn.len() < count && !misses.is_empty() {
            drawn.push(misses.swap_remove(random.next_below(misses.len())));
        }
        drawn.sort_unstable();
        Self { all, drawn }
    }

    /// As lines of fields with tabs between them, below a line of counts.
    pub fn table(&self) -> String {
        let counts: Vec<String> = self.all.iter().map(|(kind, count)| format!("{count} {}", kind.as_str())).collect();
        let mut lines = vec![format!("errors: {}", counts.join(", ")), "text\tbegin\tend\ttype\terror\twords\tfound".to_owned()];
        lines.extend(self.drawn.iter().map(|miss| {
            let NerMiss { text, begin, end, of, kind, words, found, .. } = miss;
            let clean = |field: &str| sanitise_line(field);
            format!("{}\t{begin}\t{end}\t{}\t{}\t{}\t{}", clean(text), clean(of), kind.as_str(), clean(words), clean(found))
        }));
        lines.join("\n")
    }
}

impl MarkedText {
    fn misses(&self, number: usize, found: &[&MarkedMention]) -> Vec<NerMiss> {
        let words = |mention: &MarkedMention| {
            let (begin, end) = mention.span();
            self.text.get(begin..end).unwrap_or_default().to_owned()
        };
        let miss = |mention: &MarkedMention, kind: MissKind, instead: Option<&MarkedMention>| NerMiss {
            number,
            text: if self.id.is_empty() { number.to_string() } else { self.id.clone() },
            begin: mention.span().0,
            end: mention.span().1,
            of: mention.of.clone(),
            kind,
            words: words(mention),
            found: instead.map(|instead| format!("{} ({})", words(instead), instead.of)).unwrap_or_default(),
        };
        let is_found = |mention: &MarkedMention| found.contains(&mention);
        let open: Vec<&MarkedMention> = self.mentions.iter().filter(|mention| !is_found(mention)).collect();
        let of_marked = open.iter().map(|mention| {
            let mut near = found.iter().copied().filter(|other| other.overlaps(mention));
            let same = near.clone().find(|other| other.of == mention.of);
            match (same, near.next()) {
                (Some(same), _) => miss(mention, MissKind::Boundary, Some(same)),
                (None, Some(other)) => miss(mention, MissKind::Type, Some(other)),
                (None, None) => miss(mention, MissKind::Missed, None),
            }
        });
        let is_spurious = |mention: &&&MarkedMention| !self.mentions.contains(mention) && !open.iter().any(|open| open.overlaps(mention));
        let of_found = found.iter().filter(is_spurious).map(|mention| miss(mention, MissKind::Spurious, None));
        of_marked.chain(of_found).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_one_kind_and_a_seed_draws_the_same_ones() {
        let mention = MarkedMention::whole;
        let text = MarkedText {
            id: "7".into(),
            text: "renal failure after zorbin and lithium, then gout or pain".into(),
            mentions: vec![mention(0, 13, "Disease"), mention(20, 26, "Drug"), mention(31, 38, "Drug"), mention(45, 49, "Disease")],
            ..MarkedText::default()
        };
        // "failure"; "zorbin" as a disease; "lithium" is right; "gout" is missed; "pain" is spurious; "Symptom" is no type of this file.
        let found = vec![vec![
            mention(6, 13, "Disease"),
            mention(20, 26, "Disease"),
            mention(31, 38, "Drug"),
            mention(53, 57, "Disease"),
            mention(45, 49, "Symptom"),
        ]];
        let texts = [text];
        let misses = NerMisses::of(&texts, &found, 10, 0);
        let seen: Vec<_> = misses.drawn.iter().map(|miss| (miss.kind, &*miss.words, &*miss.found)).collect();
        assert_eq!(
            seen,
            [
                (MissKind::Boundary, "renal failure", "failure (Disease)"),
                (MissKind::Type, "zorbin", "zorbin (Disease)"),
                (MissKind::Missed, "gout", ""),
                (MissKind::Spurious, "pain", "")
            ]
        );
        assert_eq!(misses.all.values().sum::<usize>(), 4);
        let two = NerMisses::of(&texts, &found, 2, 3);
        assert_eq!((two.drawn.len(), &two.all), (2, &misses.all));
        assert_eq!(two, NerMisses::of(&texts, &found, 2, 3));
        assert!(two.drawn.iter().all(|miss| misses.drawn.contains(miss)) && two.drawn[0] < two.drawn[1]);
        assert!(misses.table().lines().any(|line| line == "7\t45\t49\tDisease\tmissed\tgout\t"), "{}", misses.table());
    }
}
