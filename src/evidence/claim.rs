//! What documents say of a claim. A sentence supports it if it has the same words in the same order, with the same denials and numbers.
//! It contradicts it if it is the same except for a denial, an opposite ("increase", "decrease"; `assets/contrasts.toml`), a number, or the
//! order of two things. With any other difference it does neither: a sentence about another drug does not contradict the claim.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::collection::Collection;
use super::label::Label;
use super::search::{Lengths, units_with};
use super::terms::{stem, terms};
use crate::text::{StopWords, tokenise};

/// The most units of a collection that are looked through for a claim.
const UNITS: usize = 60;
/// The longest sentence that is compared, in words with content.
const LONGEST: usize = 160;
/// How much of the sentence between the first and the last word of the claim must be the claim's …
const WINDOW: f32 = 0.7;
/// … unless this few words are not.
const SKIPPED: usize = 2;
/// The fewest words that must agree where a sentence says otherwise.
const AGREEING: usize = 3;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    denies: Vec<String>,
    contrasts: Vec<[Vec<String>; 2]>,
}

struct Contrasts {
    denies: HashSet<String>,
    /// For the stem of each word, the contrasts that it is part of, and on which side.
    sides: HashMap<String, Vec<(usize, bool)>>,
}

static CONTRASTS: LazyLock<Contrasts> = LazyLock::new(|| {
    // A test ensures that the file can be read.
    let file: File = toml::from_str(include_str!("../../assets/contrasts.toml")).unwrap_or_default();
    let folded = |word: &String| tokenise(word).into_iter().map(|token| token.text).collect::<Vec<_>>().concat();
    let mut sides: HashMap<String, Vec<(usize, bool)>> = HashMap::new();
    for (number, [one, other]) in file.contrasts.iter().enumerate() {
        for (words, side) in [(one, false), (other, true)] {
            words.iter().for_each(|word| sides.entry(stem(&folded(word))).or_default().push((number, side)));
        }
    }
    Contrasts { denies: file.denies.iter().map(folded).collect(), sides }
});

impl Contrasts {
    fn opposes(&self, a: &str, b: &str) -> bool {
        let (Some(a), Some(b)) = (self.sides.get(a), self.sides.get(b)) else { return false };
        a.iter().any(|(number, side)| b.contains(&(*number, !side)))
    }
}

/// What a sentence says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Agreement {
    /// The same.
    States,
    /// The opposite, or something else in its place.
    SaysOtherwise,
}

/// A sentence as words with content, in order.
#[derive(Debug, Default)]
struct Words {
    /// Stems of the words with content; denials are left out.
    content: Vec<String>,
    /// For each denial, before which word with content it stands.
    denials: Vec<usize>,
}

impl Words {
    fn of(text: &str) -> Self {
        let (stop, contrasts) = (StopWords::built_in(), &*CONTRASTS);
        let mut words = Self::default();
        for token in tokenise(text) {
            if contrasts.denies.contains(&token.text) || (token.text == "t" && words.content.last().is_some_and(|w| w.ends_with('n'))) {
                words.denials.push(words.content.len());
            } else if !stop.contains(&token.text) {
                words.content.push(stem(&token.text));
            }
        }
        words
    }

    /// How many denials stand from one word to another.
    fn denials(&self, from: usize, to: usize) -> usize {
        self.denials.iter().filter(|at| (from..=to).contains(*at)).count()
    }
}

/// The longest common subsequence: pairs of places.
fn common(a: &[String], b: &[String]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut table = vec![0u16; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            table[i * width + j] =
                if a[i] == b[j] { table[(i + 1) * width + j + 1] + 1 } else { table[(i + 1) * width + j].max(table[i * width + j + 1]) };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if table[(i + 1) * width + j] >= table[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// What a sentence says of a claim, and how many words agree; `None`: nothing. `given`: words that the document's title gives. `is_mutual`: what
/// the sentence says of two things has no order.
fn compare(claim: &Words, sentence: &Words, given: &HashSet<String>, is_mutual: bool) -> Option<(Agreement, usize)> {
    let pairs = common(&claim.content, &sentence.content);
    let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else { return None };
    let (from, to) = (first.1, last.1);
    let matched_here: HashSet<usize> = pairs.iter().map(|pair| pair.0).collect();
    let matched_there: HashSet<usize> = pairs.iter().map(|pair| pair.1).collect();
    let open: Vec<usize> = (0..claim.content.len()).filter(|at| !matched_here.contains(at)).collect();
    let missing: Vec<usize> = open.iter().copied().filter(|at| !given.contains(&claim.content[*at])).collect();
    let extra: Vec<usize> = (from..=to).filter(|at| !matched_there.contains(at)).collect();
    let agreeing = pairs.len();
    let is_close = extra.len() <= SKIPPED || agreeing as f32 >= WINDOW * (to - from + 1) as f32;
    let denied = |words: &Words, from: usize, to: usize| words.denials(from, to) % 2;
    if missing.is_empty() {
        if !is_close {
            return None;
        }
        let same = denied(claim, 0, claim.content.len()) == denied(sentence, from, to);
        let verdict = if same { Agreement::States } else { Agreement::SaysOtherwise };
        return (same || agreeing >= AGREEING).then_some((verdict, agreeing));
    }
    if agreeing < AGREEING || missing.len() > 2 || denied(claim, 0, claim.content.len()) != denied(sentence, from, to) {
        return None;
    }
    // Each word that is not there must stand against one that is, in the same gap.
    let gap = |at: usize| pairs.iter().filter(|pair| pair.0 < at).count();
    let gap_there = |at: usize| pairs.iter().filter(|pair| pair.1 < at).count();
    let whole = (from.saturating_sub(1)..=to.saturating_add(1)).filter(|at| !matched_there.contains(at) && *at < sentence.content.len());
    let against: Vec<usize> = whole.collect();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let stands_against = |at: &usize| {
        let word = claim.content[*at].as_str();
        against.iter().filter(|there| gap_there(**there) == gap(*at)).any(|there| {
            let other = sentence.content[*there].as_str();
            CONTRASTS.opposes(word, other) || (is_number(word) && is_number(other))
        })
    };
    if extra.len() <= missing.len() + SKIPPED && missing.iter().all(stands_against) {
        return Some((Agreement::SaysOtherwise, agreeing));
    }
    // The same words in another order.
    let sorted = |words: &[String]| {
        let mut words = words.to_vec();
        words.sort();
        words
    };
    let same_words = sorted(&claim.content) == sorted(&sentence.content);
    (same_words && !is_mutual && agreeing * 2 >= claim.content.len()).then_some((Agreement::SaysOtherwise, agreeing))
}

/// Whether a sentence says something else of what it shares with a claim: between the words of both it denies what the claim does not (or the other
/// way round), or has an opposite or another number in the place of a word of the claim. `false` if they have no word in common.
pub(crate) fn says_otherwise(claim: &str, sentence: &str) -> bool {
    let (claim, there) = (Words::of(claim), Words::of(sentence));
    if claim.content.len() > LONGEST || there.content.len() > LONGEST {
        return false;
    }
    let pairs = common(&claim.content, &there.content);
    let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else { return false };
    if claim.denials(first.0, last.0) % 2 != there.denials(first.1, last.1) % 2 {
        return true;
    }
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let matched_there: HashSet<usize> = pairs.iter().map(|pair| pair.1).collect();
    let around = first.1.saturating_sub(1)..=last.1.saturating_add(1);
    let against = there.content.iter().enumerate().filter(|(at, _)| around.contains(at) && !matched_there.contains(at));
    let against: Vec<(usize, &String)> = against.collect();
    let mut open = claim.content.iter().enumerate().filter(|(at, _)| !pairs.iter().any(|pair| pair.0 == *at));
    open.any(|(at, word)| {
        let gap = pairs.iter().filter(|pair| pair.0 < at).count();
        against.iter().any(|(there, other)| {
            let same_gap = pairs.iter().filter(|pair| pair.1 < *there).count() == gap;
            CONTRASTS.opposes(word, other) || (same_gap && is_number(word) && is_number(other))
        })
    })
}

impl Collection {
    /// The sentence that says most of a claim: what it says, how many words agree, and the piece of evidence. A sentence that states it goes before
    /// one that says otherwise.
    pub(super) fn on_claim(&self, lengths: &Lengths, claim: &str) -> Option<(Agreement, usize, u32)> {
        let words = Words::of(claim);
        if words.content.len() < 2 || words.content.len() > LONGEST {
            return None;
        }
        let interactions = Label::parse("interactions");
        let mut best: Option<(Agreement, usize, u32)> = None;
        let mut units = units_with(self, lengths, claim);
        units.truncate(UNITS);
        for unit in units {
            let Some(row) = self.unit(unit) else { continue };
            let Some(section) = self.section(row.section) else { continue };
            let mut given: HashSet<String> = terms(section.title).into_iter().collect();
            for subject in self.subjects_of(row.section).iter() {
                given.extend(terms(self.entity_name(*subject)));
            }
            let is_mutual = Some(section.label) == interactions;
            let (first, evidence) = self.evidence_of(row.section);
            for (piece, number) in evidence.iter().zip(first..).filter(|(piece, _)| row.start <= piece.start && piece.end <= row.end) {
                let Some(text) = section.text.get(piece.start as usize..piece.end as usize) else { continue };
                let there = Words::of(text);
                if there.content.len() > LONGEST {
                    continue;
                }
                let Some((agreement, agreeing)) = compare(&words, &there, &given, is_mutual) else { continue };
                let is_better = best.is_none_or(|(known, most, _)| agreement < known || (agreement == known && agreeing > most));
                if is_better {
                    best = Some((agreement, agreeing, number));
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_whole() {
        let file: File = toml::from_str(include_str!("../../assets/contrasts.toml")).expect("valid");
        assert!(!file.denies.is_empty() && file.contrasts.iter().all(|sides| sides.iter().all(|side| !side.is_empty())));
        assert!(CONTRASTS.opposes(&stem("increases"), &stem("decreased")) && !CONTRASTS.opposes("increas", "rais"));
    }

    #[test]
    fn a_sentence_says_otherwise_by_a_denial_an_opposite_or_a_number() {
        for (claim, sentence) in [
            ("Give aspirin 100 mg daily.", "Do not give aspirin."),
            ("Do not give aspirin.", "Give aspirin at once."),
            ("Potassium is raised.", "The potassium is lower than it was."),
            ("Begin with 5 mg.", "We begin with 10 mg in adults."),
            ("无发热", "患者发热三天"),
        ] {
            assert!(says_otherwise(claim, sentence), "{claim} / {sentence}");
        }
        for (claim, sentence) in [
            ("Give aspirin.", "Give aspirin, but not clopidogrel."),
            ("Give aspirin.", "Without delay, give aspirin."),
            ("Begin with 5 mg.", "Begin slowly."),
            ("Begin with 5 mg.", "Begin with 5 mg, then 10 mg."),
            ("发热", "患者发热三天"),
            ("Fever", "Nothing in common"),
            ("", ""),
        ] {
            assert!(!says_otherwise(claim, sentence), "{claim} / {sentence}");
        }
    }

    fn says(claim: &str, sentence: &str) -> Option<Agreement> {
        let given = HashSet::from(["zorbazin".to_owned(), stem("zorbazine")]);
        compare(&Words::of(claim), &Words::of(sentence), &given, false).map(|(agreement, _)| agreement)
    }

    #[test]
    fn a_claim_is_stated_or_denied_word_by_word() {
        let told = "Zorbazine increases the plasma concentration of warfarin in adults with renal impairment.";
        use Agreement::{SaysOtherwise, States};
        for (claim, expected) in [
            (told, Some(States)),
            ("Zorbazine increases the plasma concentration of warfarin.", Some(States)),
            ("Zorbazine does not increase the plasma concentration of warfarin.", Some(SaysOtherwise)),
            ("Zorbazine decreases the plasma concentration of warfarin in adults with renal impairment.", Some(SaysOtherwise)),
            ("Warfarin increases the plasma concentration of zorbazine in adults with renal impairment.", Some(SaysOtherwise)),
            ("Zorbazine increases the plasma concentration of digoxin in adults with renal impairment.", None),
            ("Zorbazine increases the plasma concentration of warfarin in children with renal impairment.", None),
            ("Aspirin cures everything.", None),
        ] {
            assert_eq!(says(claim, told), expected, "{claim}");
        }
        assert_eq!(says("Take 20 mg once daily with food.", "Take 10 mg once daily with food."), Some(SaysOtherwise));
        assert_eq!(
            says(
                "Zorbazine is not contraindicated in asthma and severe hypotension.",
                "It is contraindicated in asthma and severe hypotension."
            ),
            Some(SaysOtherwise)
        );
        assert_eq!(says("Zorbazine is contraindicated in asthma.", "It is contraindicated in asthma."), Some(States), "the title names it");
    }
}
