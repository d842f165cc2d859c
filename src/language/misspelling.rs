//! Misspelt words: "hypertention" is read as "hypertension", "ibuprophen" as "ibuprofen".
//!
//! A word is taken for misspelt only if neither the graph nor the program's vocabulary knows it, and if one word of the graph's names sounds
//! the same or differs by one letter. Names of drugs often differ by one consonant, so there the letter must be a vowel, doubled or swapped.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::common_words::is_common;
use crate::graph::{EntityId, Graph, Kind};
use crate::model::infer::StaticEncoder;
use crate::text::{Token, tokenise};

/// The shortest word that is corrected, in letters: shorter ones are too often something else.
const SHORTEST: usize = 5;
/// The shortest word of which two letters may be wrong, as long as it sounds like the other but for one sound.
const LONG: usize = 8;
/// How many letters a clipped name of a drug lacks at least.
const CLIPPED: usize = 3;
/// Capitals up to this length are an abbreviation, not a word.
const ABBREVIATION: usize = 6;
/// Graphs with more names are not looked through: it would take seconds.
const MOST_NAMES: usize = 300_000;

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
/// Forms of all English words of the built-in encoder's vocabulary.
static ENGLISH: LazyLock<HashSet<String>> =
    LazyLock::new(|| StaticEncoder::vocabulary_words().flat_map(|word| [stem(word), word.to_owned()]).collect());

/// English words that would pass for misspelt ones; the encoder's vocabulary lacks them.
static SPELT: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../assets/common/spelt.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

/// Whether a word is an ordinary English one that only looks or sounds like a word of a name.
pub(crate) fn is_ordinary(word: &str) -> bool {
    SPELT.contains(word)
}

fn stem(word: &str) -> String {
    STEMMER.stem(word).into_owned()
}

/// The words of a graph's names, for finding what a misspelt word means.
#[derive(Debug, Default)]
pub(crate) struct Spellings {
    /// Each word, with whether names of drugs alone have it.
    words: HashMap<String, bool>,
    stems: HashSet<String>,
    /// Stems of the words of findings' names.
    of_findings: HashSet<String>,
    by_sound: HashMap<String, Vec<String>>,
    /// Words of the names of drugs alone, sorted.
    drugs: Vec<String>,
    /// Words by their first letter and length.
    by_length: HashMap<(u8, usize), Vec<String>>,
    /// Drugs whose names go on, by the first word: isosorbide mononitrate and dinitrate.
    begun: HashMap<String, Vec<EntityId>>,
}

/// A word that was read as another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misspelling {
    /// The word as written.
    pub(crate) written: String,
    /// What was read.
    pub(crate) read: String,
}

impl Spellings {
    /// The words of a graph's names; none if it has too many names.
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut spellings = Self::default();
        if graph.name_count() > MOST_NAMES {
            return spellings;
        }
        for row in 0..graph.name_count() {
            let entity = graph.entity_of_name(row);
            let kind = graph.kind(entity);
            spellings.begun_by(graph, entity, graph.name_at(row));
            let (is_drug, is_finding) = (matches!(kind, Kind::Drug | Kind::DrugClass), matches!(kind, Kind::Symptom));
            for token in tokenise(graph.name_at(row)).into_iter().filter(|token| is_word(&token.text)) {
                if is_finding {
                    spellings.of_findings.insert(stem(&token.text));
                }
                spellings.words.entry(token.text).and_modify(|only_drug| *only_drug &= is_drug).or_insert(is_drug);
            }
        }
        // "Bitter taste since clarithromycin" makes clarithromycin no other word.
        for row in 0..graph.name_count() {
            let is_drug = matches!(graph.kind(graph.entity_of_name(row)), Kind::Drug | Kind::DrugClass);
            if let ([token], true) = (tokenise(graph.name_at(row)).as_slice(), is_drug) {
                spellings.words.entry(token.text.clone()).and_modify(|only_drug| *only_drug |= !is_common(&token.text));
            }
        }
        let mut words: Vec<&String> = spellings.words.keys().collect();
        words.sort_unstable();
        let is_drug = |word: &&&String| spellings.words.get(**word).copied().unwrap_or(false);
        spellings.drugs = words.iter().filter(is_drug).map(|word| (*word).clone()).collect();
        for word in words {
            spellings.stems.insert(stem(word));
            if word.len() + 1 >= SHORTEST {
                spellings.by_sound.entry(sound(word)).or_default().push(word.clone());
                let first = word.bytes().next().unwrap_or_default();
                spellings.by_length.entry((first, word.len())).or_default().push(word.clone());
            }
        }
        spellings
    }

    /// Notes the first word of a drug's preferred name of several words.
    fn begun_by(&mut self, graph: &Graph, entity: EntityId, name: &str) {
        if !matches!(graph.kind(entity), Kind::Drug) || name != graph.entity_name(entity) || name.contains('-') {
            return;
        }
        if let [first, _, ..] = tokenise(name).as_slice() {
            self.begun.entry(first.text.clone()).or_default().push(entity);
        }
    }

    /// The drugs of which a word begins the names, where it stands in names of drugs alone and is no common word.
    pub(crate) fn drugs_begun_by(&self, word: &str) -> &[EntityId] {
        let is_of_drugs = self.words.get(word).copied().unwrap_or(false) && !is_common(word) && word.len() > SHORTEST;
        self.begun.get(word).filter(|_| is_of_drugs).map_or(&[], Vec::as_slice)
    }

    /// Puts the words that are meant in the place of misspelt ones; where they stand in the text stays as it is.
    pub(crate) fn correct(&self, text: &str, tokens: &mut [Token]) -> Vec<Misspelling> {
        let mut found = Vec::new();
        for token in tokens {
            let written = text.get(token.start..token.end).unwrap_or_default();
            let is_abbreviation = written.len() <= ABBREVIATION && written.bytes().all(|byte| byte.is_ascii_uppercase());
            if is_abbreviation {
                continue;
            }
            if let Some(read) = self.meant_by(&token.text) {
                found.push(Misspelling { written: written.to_owned(), read: read.to_owned() });
                token.text = read.to_owned();
            }
        }
        found
    }

    /// The word that a misspelt word means; `None` if it is no misspelt word, or may mean several.
    fn meant_by(&self, word: &str) -> Option<&str> {
        if word.len() < SHORTEST || self.words.is_empty() || !is_word(word) || self.is_known(word) {
            return None;
        }
        let of_word = sound(word);
        if let Some(same) = self.by_sound.get(&of_word) {
            return same.iter().min_by_key(|other| (strsim::osa_distance(word, other), other.len())).map(String::as_str);
        }
        let first = word.bytes().next()?;
        let near = |most: usize| {
            (word.len().saturating_sub(most)..=word.len() + most)
                .filter_map(move |length| self.by_length.get(&(first, length)))
                .flatten()
                .map(String::as_str)
        };
        let by_letter: Vec<&str> = near(1).filter(|other| strsim::osa_distance(word, other) == 1).collect();
        let found = if by_letter.is_empty() && word.len() >= LONG {
            near(2).filter(|other| strsim::osa_distance(word, other) == 2 && strsim::osa_distance(&of_word, &sound(other)) == 1).collect()
        } else {
            by_letter
        };
        let mut found = found.into_iter().filter(|other| self.may_be(word, other));
        let Some(meant) = found.next() else { return self.clipped(word) };
        let of_meant = stem(meant);
        // "Diabetis" is "diabetes" or "diabetic", which is the same to a reader.
        found.all(|other| stem(other) == of_meant).then_some(meant)
    }

    /// The only drug's name that begins with a word: "simva" is "simvastatin". What begins another word, too, may be that: the "rheum" of
    /// the rheumatology clinic is no drug.
    fn clipped(&self, word: &str) -> Option<&str> {
        if self.words.iter().any(|(known, only_drug)| !only_drug && known.starts_with(word)) {
            return None;
        }
        let begins = self.drugs.partition_point(|name| name.as_str() < word);
        let mut names = self.drugs.get(begins..)?.iter().take_while(|name| name.starts_with(word));
        let meant = names.next().filter(|name| name.len() >= word.len() + CLIPPED)?;
        // Of several, the others must be the same name in another form.
        names.all(|other| other.starts_with(meant.as_str())).then_some(meant)
    }

    /// Whether a word of a name begins with this one: "phaeo".
    pub(crate) fn begins_a_name(&self, word: &str) -> bool {
        word.len() >= SHORTEST && self.words.keys().any(|known| known.starts_with(word))
    }

    /// Whether the name of a finding has this word, in any form.
    pub(crate) fn is_of_finding(&self, word: &str) -> bool {
        is_word(word) && self.of_findings.contains(&stem(word))
    }

    fn is_known(&self, word: &str) -> bool {
        let of_word = stem(word);
        self.words.contains_key(word)
            || self.stems.contains(&of_word)
            || is_common(word)
            || SPELT.contains(word)
            || ENGLISH.contains(word)
            || ENGLISH.contains(&of_word)
            || is_of_a_sort(word)
    }

    /// Whether a word may be a misspelt `other`. Of a word of drugs' names alone, no consonant may differ.
    fn may_be(&self, word: &str, other: &str) -> bool {
        let only_drug = self.words.get(other).copied().unwrap_or(false);
        !only_drug || consonants(word) == consonants(other)
    }
}

/// Whether a word is an English one with "-ish": "purplish", "biggish".
fn is_of_a_sort(word: &str) -> bool {
    let is_english = |base: &str| base.len() > 2 && (ENGLISH.contains(base) || is_common(base));
    word.strip_suffix("ish").is_some_and(|base| {
        let doubled = base.get(..base.len().saturating_sub(1)).filter(|one| one.ends_with(|last| base.ends_with(last)));
        is_english(base) || is_english(&format!("{base}e")) || doubled.is_some_and(is_english)
    })
}

fn is_word(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The consonants of a word in alphabetical order, each run of the same once: what stays if letters are swapped or doubled, or a vowel is
/// wrong.
fn consonants(word: &str) -> Vec<u8> {
    let mut consonants: Vec<u8> = word.bytes().filter(|byte| !b"aeiouy".contains(byte)).collect();
    consonants.dedup();
    consonants.sort_unstable();
    consonants
}

/// How a word sounds, roughly: words that sound the same have the same sound. Letters that English spells in several ways become one.
fn sound(word: &str) -> String {
    /// What is replaced, in this order, at the beginning of a word.
    const FIRST: [(&str, &str); 6] = [("pn", "n"), ("ps", "s"), ("kn", "n"), ("gn", "n"), ("wr", "r"), ("wh", "w")];
    /// And anywhere. Capitals stand for sounds without a letter.
    const ANYWHERE: [(&str, &str); 28] = [
        ("ph", "f"),
        ("tion", "Sn"),
        ("sion", "Sn"),
        ("cion", "Sn"),
        ("tch", "C"),
        ("sch", "sk"),
        ("ch", "C"),
        ("sh", "S"),
        ("ck", "k"),
        ("rh", "r"),
        ("th", "t"),
        ("gh", "g"),
        ("ae", "e"),
        ("oe", "e"),
        ("ea", "i"),
        ("ee", "i"),
        ("ie", "i"),
        ("ei", "i"),
        ("ou", "u"),
        ("oo", "u"),
        ("ce", "se"),
        ("ci", "si"),
        ("cy", "si"),
        ("c", "k"),
        ("q", "k"),
        ("z", "s"),
        ("x", "ks"),
        ("y", "i"),
    ];
    let mut letters: Vec<char> = word.chars().collect();
    letters.dedup();
    let mut sound: String = letters.into_iter().collect();
    if let Some((from, to)) = FIRST.iter().find(|(from, _)| sound.starts_with(from)) {
        sound.replace_range(..from.len(), to);
    }
    for (from, to) in ANYWHERE {
        if sound.contains(from) {
            sound = sound.replace(from, to);
        }
    }
    let mut letters: Vec<char> = sound.chars().collect();
    letters.dedup();
    if letters.len() > 3 && letters.last() == Some(&'e') {
        letters.pop();
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;

    fn spellings() -> Spellings {
        let mut builder = GraphBuilder::new("t");
        let names = [
            ("Ibuprofen", Kind::Drug),
            ("Warfarin", Kind::Drug),
            ("Metoprolol", Kind::Drug),
            ("Clobazam", Kind::Drug),
            ("Arterial hypertension", Kind::Disease),
            ("Diabetes mellitus", Kind::Disease),
            ("Diabetic foot", Kind::Disease),
            ("Pneumonia", Kind::Disease),
            ("Wheezing", Kind::Symptom),
            ("Diarrhoea", Kind::Symptom),
            ("Shortness of breath", Kind::Symptom),
        ];
        for (name, kind) in names {
            let entity = builder.entity(name);
            builder.set_kind(entity, kind);
        }
        Spellings::of(&builder.finish())
    }

    #[test]
    fn a_word_that_sounds_like_a_name_or_differs_by_a_letter_is_read_as_it() {
        let spellings = spellings();
        let meant = [
            ("ibuprophen", "ibuprofen"),
            ("ibuprofin", "ibuprofen"),
            ("warfarn", "warfarin"),
            ("metoprolal", "metoprolol"),
            ("hypertention", "hypertension"),
            ("hipertension", "hypertension"),
            ("diabetis", "diabetes"),
            ("newmonia", ""),
            ("pnuemonia", "pneumonia"),
            ("weezing", "wheezing"),
            ("diarhea", "diarrhoea"),
            ("diarrea", "diarrhoea"),
            ("shortniss", "shortness"),
        ];
        for (written, read) in meant {
            assert_eq!(spellings.meant_by(written).unwrap_or_default(), read, "{written}");
        }
    }

    #[test]
    fn the_beginning_of_a_known_word_is_known() {
        let spellings = spellings();
        let word = spellings.words.keys().max_by_key(|word| word.len()).expect("words").clone();
        assert!(spellings.begins_a_name(&word[..SHORTEST]) && !spellings.begins_a_name(&word[..SHORTEST - 1]));
        assert!(!spellings.begins_a_name("zorblax"));
    }

    #[test]
    fn what_is_a_word_or_may_be_another_drug_stays() {
        let spellings = spellings();
        // English words, a drug that the graph lacks and that differs by a consonant, short words, and words with digits.
        for written in ["clonazam", "weather", "wheeling", "hypotension", "diabeto", "b12", "warf", "疼痛"] {
            assert_eq!(spellings.meant_by(written), None, "{written}");
        }
    }

    #[test]
    fn an_english_word_is_no_misspelt_name() {
        assert!(SPELT.len() > 1000 && SPELT.iter().all(|word| word.len() >= SHORTEST && is_word(word)));
        let mut builder = GraphBuilder::new("t");
        for name in ["Feeling shivery", "Slapped cheek rash", "Dental caries", "Treating bruises", "Sneezing", "Tachycardia"] {
            let entity = builder.entity(name);
            builder.set_kind(entity, Kind::Symptom);
        }
        let spellings = Spellings::of(&builder.finish());
        assert!(["purplish", "greyish", "biggish"].into_iter().all(is_of_a_sort) && !is_of_a_sort("vanquish"));
        for written in ["shimmery", "swapped", "denial", "treading", "sneering"] {
            assert_eq!(spellings.meant_by(written), None, "{written}");
        }
        for (written, read) in [("shivary", "shivery"), ("sneazing", "sneezing"), ("tachycardea", "tachycardia")] {
            assert_eq!(spellings.meant_by(written), Some(read), "{written}");
        }
    }

    #[test]
    fn a_clipped_word_is_a_drug_only_if_it_begins_nothing_else() {
        let mut builder = GraphBuilder::new("t");
        let names = [("Zelorixan", Kind::Drug), ("Zelorimax syndrome", Kind::Disease), ("Simvastatin", Kind::Drug)];
        for (name, kind) in names {
            let entity = builder.entity(name);
            builder.set_kind(entity, kind);
        }
        let spellings = Spellings::of(&builder.finish());
        assert_eq!(spellings.meant_by("simva"), Some("simvastatin"));
        assert_eq!(spellings.meant_by("zelor"), None);
        for word in ["rheum", "psych", "handover", "resus", "bleep", "nites", "cardio"] {
            assert!(SPELT.contains(word), "{word}");
        }
    }

    #[test]
    fn the_place_in_the_text_stays_and_abbreviations_stay() {
        let text = "WARFR and Warfarn";
        let mut tokens = tokenise(text);
        let found = spellings().correct(text, &mut tokens);
        assert_eq!(found, [Misspelling { written: "Warfarn".into(), read: "warfarin".into() }]);
        assert_eq!(tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>(), ["warfr", "and", "warfarin"]);
        assert_eq!(tokens.last().map(|token| (token.start, token.end)), Some((10, 17)));
    }
}
