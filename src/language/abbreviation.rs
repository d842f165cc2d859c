//! Clinical abbreviations and short names ("STEMI", "GTN", 房颤), as the names that they stand for; those with several meanings are decided by
//! what stands around them, or reported as ambiguous. The list is `assets/abbreviations.toml`; the names are looked up in the graph in use.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::common_words::is_common;
use super::recognise::Span;
use super::spelling::Respelled;
use crate::graph::{EntityId, EvolvingNames};
use crate::text::{Token, tokenise};

/// How far before an abbreviation a word may stand that takes things of a kind ("took an", "history of").
const BESIDE: usize = 3;
/// What such a word counts.
const KIND_COUNTS: usize = 2;
/// A question of at least so many letters, most of them capitals, says nothing by its capitals.
const CAPITALS: usize = 20;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    words: HashSet<String>,
    register: Register,
    finding: BTreeMap<String, String>,
    condition: BTreeMap<String, String>,
    drug: BTreeMap<String, String>,
    regimen: BTreeMap<String, String>,
    treatment: BTreeMap<String, String>,
    test: BTreeMap<String, String>,
    chinese: BTreeMap<String, String>,
    ambiguous: Vec<AmbiguousEntry>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Register {
    short: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AmbiguousEntry {
    short: Vec<String>,
    senses: Vec<SenseEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SenseEntry {
    names: String,
    kind: SenseKind,
    #[serde(default)]
    usual: bool,
    #[serde(default)]
    near: Vec<String>,
}

/// What an abbreviation stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SenseKind {
    Finding,
    Condition,
    Drug,
    /// Several drugs that are given together.
    Regimen,
    Treatment,
    Test,
    /// A step of the examination.
    Exam,
    /// Shorthand of notes that names nothing.
    Register,
}

/// One meaning: names of one thing, the likeliest first; of a regimen, the names of its drugs.
#[derive(Debug)]
struct Sense {
    names: Vec<String>,
    kind: SenseKind,
    usual: bool,
    near: Vec<String>,
}

/// An abbreviation as it is written, in tokens, with its meanings.
#[derive(Debug)]
struct Entry {
    written: String,
    words: Vec<String>,
    /// Whether it counts in capitals only, because it is also a word.
    is_word: bool,
    senses: Vec<Sense>,
}

/// Entries by first word, the longest first.
static ENTRIES: LazyLock<HashMap<String, Vec<Entry>>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../../assets/abbreviations.toml")).unwrap_or_default();
    entries(file)
});

static WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../../assets/abbreviations.toml")).unwrap_or_default();
    file.words
});

/// Whether an abbreviation of this form, folded, is also an ordinary word, so that it counts in capital letters only.
pub(super) fn is_also_word(folded: &str) -> bool {
    WORDS.contains(folded) || is_common(folded)
}

fn entries(file: File) -> HashMap<String, Vec<Entry>> {
    let sense = |names: &str, kind: SenseKind| Sense { names: names_of(names, kind), kind, usual: true, near: Vec::new() };
    let plain = [
        (&file.finding, SenseKind::Finding),
        (&file.condition, SenseKind::Condition),
        (&file.drug, SenseKind::Drug),
        (&file.regimen, SenseKind::Regimen),
        (&file.treatment, SenseKind::Treatment),
        (&file.test, SenseKind::Test),
        (&file.chinese, SenseKind::Condition),
    ];
    let plain = plain.into_iter().flat_map(|(list, kind)| list.iter().map(move |(short, names)| (short.clone(), vec![sense(names, kind)])));
    let register = file.register.short.iter().map(|short| (short.clone(), vec![sense("", SenseKind::Register)]));
    let ambiguous = file.ambiguous.iter().flat_map(|entry| {
        let senses = || {
            let sense =
                |of: &SenseEntry| Sense { names: names_of(&of.names, of.kind), kind: of.kind, usual: of.usual, near: of.near.clone() };
            entry.senses.iter().map(sense).collect::<Vec<_>>()
        };
        entry.short.iter().map(move |short| (short.clone(), senses()))
    });
    let mut entries: HashMap<String, Vec<Entry>> = HashMap::new();
    for (written, senses) in plain.chain(register).chain(ambiguous) {
        let words: Vec<String> = tokenise(&written).into_iter().map(|token| token.text).collect();
        let Some(first) = words.first().cloned() else { continue };
        let is_word = words.len() == 1 && is_also_word(&first) && written != first;
        entries.entry(first).or_default().push(Entry { written, words, is_word, senses });
    }
    entries.values_mut().for_each(|entries| entries.sort_by_key(|entry| std::cmp::Reverse(entry.words.len())));
    entries
}

fn names_of(names: &str, kind: SenseKind) -> Vec<String> {
    names
        .split(if kind == SenseKind::Regimen { '+' } else { '|' })
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// An abbreviation whose meaning the question does not decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ambiguous {
    /// Its tokens.
    pub(crate) span: Span,
    /// Where it begins in the question, in bytes.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
    /// What it may mean, by preferred names where the graph has them.
    pub(crate) names: Vec<String>,
}

/// An abbreviation found in a text, with the meanings that the context leaves.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) span: Span,
    senses: Vec<&'static Sense>,
}

/// What an abbreviation means in a graph.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Entities of that name.
    Known(Vec<EntityId>),
    /// The drugs of a regimen that the graph has, each by its entities.
    Several(Vec<Vec<EntityId>>),
    /// Any of these names.
    Ambiguous(Vec<String>),
    /// Nothing that the graph has.
    Unknown,
}

impl Found {
    /// Whether it names nothing.
    pub(crate) fn is_silent(&self) -> bool {
        self.senses.iter().all(|sense| sense.kind == SenseKind::Register)
    }

    /// Whether it is a test or a step of the examination: known, even where the graph does not have it.
    pub(crate) fn is_test(&self) -> bool {
        self.senses.iter().all(|sense| matches!(sense.kind, SenseKind::Test | SenseKind::Exam))
    }

    /// The entities that it names, or the names between which nothing decides.
    pub(crate) fn meaning(&self, index: EvolvingNames<'_>) -> Meaning {
        match self.senses.as_slice() {
            [sense] if sense.kind == SenseKind::Regimen => {
                let drugs: Vec<Vec<EntityId>> =
                    sense.names.iter().map(|name| look_up(index, name)).filter(|found| !found.is_empty()).collect();
                if drugs.is_empty() { Meaning::Unknown } else { Meaning::Several(drugs) }
            }
            [sense] => {
                let entities = sense.names.iter().map(|name| look_up(index, name)).find(|found| !found.is_empty());
                entities.map_or(Meaning::Unknown, Meaning::Known)
            }
            senses => Meaning::Ambiguous(senses.iter().filter_map(|sense| sense.names.first().cloned()).collect()),
        }
    }
}

/// The entities of a name, in either spelling.
fn look_up(index: EvolvingNames<'_>, name: &str) -> Vec<EntityId> {
    let exact = index.lookup_exact(name);
    if !exact.is_empty() {
        return exact;
    }
    let tokens = tokenise(name);
    let hit = Respelled::of(&tokens).longest_at(index, 0, 0).filter(|hit| hit.last == tokens.len());
    hit.map(|hit| hit.entities.into_iter().map(|(entity, _)| entity).collect()).unwrap_or_default()
}

/// The abbreviations of a text, leftmost first, the longest at each place.
pub(crate) fn found(text: &str, tokens: &[Token]) -> Vec<Found> {
    let shouts = is_in_capitals(text);
    let mut all = Vec::new();
    let mut first = 0;
    while let Some(token) = tokens.get(first) {
        let fits = |entry: &&Entry| {
            let last = first + entry.words.len();
            let here = tokens.get(first..last)?;
            let whole =
                here.iter().zip(&entry.words).enumerate().all(|(i, (token, word))| token.text == *word && (i == 0 || !token.after_break));
            let written = text.get(token.start..here.last()?.end)?;
            // "n v" is not "N/V", and "all" not "ALL".
            let joint = |text: &str| text.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).collect::<String>();
            let as_written = joint(written) == joint(entry.written.trim_matches(['#', '+', '-']));
            let plural = || written.strip_suffix('s') == Some(entry.written.as_str());
            let is_stressed = || tokens.get(last).is_some_and(|next| !next.after_break && DETERMINERS.contains(&next.text.as_str()));
            let cased = !entry.is_word || (!shouts && (written == entry.written || plural()) && !is_stressed());
            (whole && as_written && cased).then_some(last)
        };
        let entry = ENTRIES.get(&token.text).and_then(|entries| entries.iter().find_map(|entry| Some((entry, fits(&entry)?))));
        // "ACEis", "DOACs": the plural of an abbreviation in capitals.
        let singular = || {
            let word = token.text.strip_suffix('s').filter(|word| word.len() > 1)?;
            let written = text.get(token.start..token.end)?.strip_suffix('s')?;
            let entry = ENTRIES.get(word)?.iter().find(|entry| entry.words.len() == 1)?;
            let drug_or_test = entry.senses.iter().any(|sense| sense.kind != SenseKind::Register);
            (drug_or_test && !shouts && written == entry.written).then_some((entry, first + 1))
        };
        let entry = entry.or_else(singular);
        let is_condition = |entry: &Entry| entry.senses.iter().all(|sense| sense.kind == SenseKind::Condition);
        let Some((entry, last)) = entry.filter(|(entry, last)| !(is_condition(entry) && is_measured(text, tokens, *last))) else {
            first += 1;
            continue;
        };
        let span = Span { first, last };
        all.push(Found { span, senses: decide(&entry.senses, tokens, span) });
        first = last;
    }
    all
}

/// How the unit of what is measured in blood or urine begins.
const UNITS: [&str; 22] = [
    "mmol", "umol", "µmol", "μmol", "nmol", "pmol", "g/l", "g/dl", "mg/dl", "mg/l", "ng/", "pg/", "ug/", "µg/", "μg/", "u/l", "iu/l",
    "iu/ml", "u/ml", "miu", "mosm", "mmhg",
];

/// Whether a number with such a unit stands right behind an abbreviation, so that it is a measure and no condition: "TB 45 umol/l".
fn is_measured(text: &str, tokens: &[Token], last: usize) -> bool {
    let end = last.checked_sub(1).and_then(|at| tokens.get(at)).map_or(0, |token| token.end);
    let behind: String = text.get(end..).unwrap_or_default().chars().take(30).flat_map(char::to_lowercase).collect();
    let behind = behind.trim_start_matches(|c: char| c.is_whitespace() || ":=<>≥≤~".contains(c));
    let unit = behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    unit.len() < behind.len() && UNITS.iter().any(|known| unit.trim_start().starts_with(known))
}

/// Behind a word in capitals they show that it is stressed, and no abbreviation: "ALL the warning signs".
const DETERMINERS: [&str; 12] = ["the", "my", "your", "his", "her", "our", "their", "these", "those", "this", "that", "i"];

/// Whether a text is written in capitals, so that they distinguish nothing.
fn is_in_capitals(text: &str) -> bool {
    let letters = || text.chars().filter(|c| c.is_alphabetic() && (c.is_uppercase() || c.is_lowercase()));
    let (all, upper) = (letters().count(), letters().filter(|c| c.is_uppercase()).count());
    all >= CAPITALS && upper * 5 >= all * 4
}

/// The meanings that the context leaves: the one that most speaks for, else the usual one, else all.
fn decide(senses: &'static [Sense], tokens: &[Token], span: Span) -> Vec<&'static Sense> {
    if senses.len() < 2 {
        return senses.iter().collect();
    }
    let beside = kind_beside(tokens, span);
    let votes = |sense: &Sense| {
        let around = tokens.iter().enumerate().filter(|(at, _)| *at < span.first || *at >= span.last);
        let speaking: HashSet<&str> = around
            .filter_map(|(_, token)| sense.near.iter().find(|near| token.text.starts_with(near.as_str())).map(String::as_str))
            .collect();
        speaking.len() + if beside == Some(sense.kind) { KIND_COUNTS } else { 0 }
    };
    let counted: Vec<(usize, &Sense)> = senses.iter().map(|sense| (votes(sense), sense)).collect();
    let most = counted.iter().map(|(votes, _)| *votes).max().unwrap_or(0);
    let leading: Vec<&Sense> = counted.iter().filter(|(votes, _)| *votes == most).map(|(_, sense)| *sense).collect();
    match leading.as_slice() {
        [_] if most > 0 => leading,
        _ => match leading.iter().find(|sense| sense.usual) {
            Some(usual) => vec![usual],
            None => leading,
        },
    }
}

/// The kind of thing that the words beside an abbreviation take: a drug after "on" or before "mg", a condition after "history of".
fn kind_beside(tokens: &[Token], span: Span) -> Option<SenseKind> {
    let from = span.first.saturating_sub(BESIDE);
    let before: Vec<&str> = tokens.get(from..span.first)?.iter().map(|token| token.text.as_str()).collect();
    let after = tokens.get(span.last).map(|token| token.text.as_str()).unwrap_or_default();
    let any = |words: &[&str]| before.iter().rev().take(2).any(|word| words.contains(word));
    let is_exam = before.windows(2).any(|pair| matches!(pair, ["on", "examination" | "exam"] | ["o", "e"]));
    if is_exam {
        return Some(SenseKind::Exam);
    }
    if matches!(after, "mg" | "mcg" | "g" | "iv" | "po" | "sc" | "im" | "tablets" | "dose" | "infusion" | "patch")
        || any(&["iv", "po", "sc", "oral", "prescribed", "dose", "give", "given"])
    {
        return Some(SenseKind::Drug);
    }
    if any(&[
        "known",
        "diagnosed",
        "hx",
        "pmh",
        "history",
        "acute",
        "chronic",
        "suspected",
        "confirmed",
        "massive",
        "recurrent",
        "postpartum",
    ]) {
        return Some(SenseKind::Condition);
    }
    if any(&["urgent", "request", "requested", "arrange", "repeat", "bedside", "portable", "doppler"])
        || matches!(after, "scan" | "showed" | "shows")
    {
        return Some(SenseKind::Test);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the abbreviations of a text mean: names joined by "|" where nothing decides, "-" for shorthand.
    fn meanings(text: &str) -> Vec<(String, String)> {
        let tokens = tokenise(text);
        let told = |found: Found| {
            let written = text[tokens[found.span.first].start..tokens[found.span.last - 1].end].to_owned();
            let names: Vec<&str> = found.senses.iter().map(|sense| sense.names.first().map_or("-", String::as_str)).collect();
            (written, names.join("|"))
        };
        found(text, &tokens).into_iter().map(told).collect()
    }

    fn meaning(text: &str, short: &str) -> String {
        let found = meanings(text);
        found.into_iter().find(|(written, _)| written == short).map(|(_, names)| names).unwrap_or_default()
    }

    #[test]
    fn the_file_is_valid_and_nothing_is_listed_twice() {
        let file: File = toml::from_str(include_str!("../../assets/abbreviations.toml")).expect("valid");
        let lists = [&file.finding, &file.condition, &file.drug, &file.regimen, &file.treatment, &file.test, &file.chinese];
        assert!(lists.iter().map(|list| list.len()).sum::<usize>() > 500);
        let ambiguous = file.ambiguous.iter().flat_map(|entry| &entry.short);
        let mut seen = HashSet::new();
        for short in lists.iter().flat_map(|list| list.keys()).chain(&file.register.short).chain(ambiguous) {
            assert!(seen.insert(short.clone()), "{short} twice");
        }
        assert!(file.ambiguous.iter().all(|entry| entry.senses.len() > 1 && entry.senses.iter().filter(|sense| sense.usual).count() <= 1));
        assert!(
            file.ambiguous
                .iter()
                .flat_map(|entry| &entry.senses)
                .flat_map(|sense| &sense.near)
                .all(|near| crate::text::fold(near).len() <= near.len())
        );
    }

    #[test]
    fn a_number_with_a_unit_of_blood_makes_a_measure_of_a_condition() {
        assert_eq!(meaning("TB 45 umol/l", "TB"), "");
        assert_eq!(meaning("TB, 45 contacts", "TB"), "tuberculosis");
        assert_eq!(meaning("itchy legs with VVs", "VVs"), "varicose veins");
    }

    #[test]
    fn words_are_no_abbreviations_unless_in_capitals() {
        for text in [
            "it is not all that bad for us as we fit in",
            "ALL OF US FEEL SICK AND TIRED AS WE EAT",
            "i was watching tv with aids",
            "Does 20 mg help",
            "500 ml over 2 hr",
            "a pop in my knee, then pain in the toe",
            "full of gas, no pep, my cap does not fit",
            "coughs like a goose's honk",
        ] {
            assert_eq!(meanings(text), [], "{text}");
        }
        assert_eq!(meaning("child with ALL on treatment", "ALL"), "acute lymphoblastic leukaemia");
        assert_eq!(meaning("PAD, on clopidogrel", "PAD"), "peripheral arterial disease");
        assert_eq!(meaning("pt with copd and af", "copd"), "chronic obstructive pulmonary disease");
        assert_eq!(meaning("on two DOACs", "DOACs"), "direct oral anticoagulants");
    }

    #[test]
    fn the_context_decides_between_meanings_or_nothing_does() {
        for (text, short, names) in [
            ("PE on CTPA, start apixaban?", "PE", "pulmonary embolism"),
            ("O/E: PE unremarkable, no tenderness", "PE", "physical examination"),
            ("MS with optic neuritis, relapsing", "MS", "multiple sclerosis"),
            ("diastolic murmur, rheumatic MS", "MS", "mitral stenosis"),
            ("gave MS 10 mg iv", "MS", "morphine"),
            ("there was blood on her pad", "pad", "-"),
            ("calf hurts when walking, known pad", "pad", "peripheral arterial disease"),
            ("RA on methotrexate, joint flare", "RA", "rheumatoid arthritis"),
            ("sats 94% on RA", "RA", "-"),
            ("took an OD of paracetamol", "OD", "overdose"),
            ("spastic CP since birth", "CP", "cerebral palsy"),
            ("crushing CP for an hour", "CP", "chest pain"),
            ("systolic murmur, syncope, AS?", "AS", "aortic stenosis"),
            ("IHD dilated 8 mm, jaundice", "IHD", "-"),
            ("DES last month, on asp + tic", "tic", "ticagrelor"),
            ("PPH depression, low mood", "PPH", "-"),
        ] {
            assert_eq!(meaning(text, short), names, "{text}");
        }
        assert!(meaning("what is MS", "MS").contains('|'), "nothing decides");
    }

    #[test]
    fn shorthand_names_nothing_and_marks_must_agree() {
        assert_eq!(meaning("Dx and Mx?", "Dx"), "-");
        assert_eq!(meaning("3 days of N/V", "N/V"), "nausea and vomiting");
        assert_eq!(meanings("n v"), []);
        assert_eq!(meaning("患房颤十年", "房颤"), "心房颤动");
    }

    #[test]
    fn a_regimen_is_its_drugs() {
        let graph = crate::graph::EvolvingGraph::new(std::sync::Arc::new(crate::graph::starter_graph().expect("sound")));
        let drugs = |text: &str| {
            let found = found(text, &tokenise(text)).into_iter().find_map(|found| match found.meaning(graph.names()) {
                Meaning::Several(drugs) => Some(drugs),
                _ => None,
            });
            let names = found.unwrap_or_default();
            names.iter().filter_map(|drug| drug.first()).map(|drug| graph.entity_name(*drug).to_owned()).collect::<Vec<_>>()
        };
        for text in ["TB on HRZE since May", "started RIPE last month", "on RHZE for tuberculosis", "四联抗痨治疗中"] {
            assert_eq!(drugs(text), ["Isoniazid", "Rifampicin", "Pyrazinamide", "Ethambutol"], "{text}");
        }
        assert_eq!(drugs("stent in March, on DAPT"), ["Aspirin", "P2Y12 inhibitor"]);
        for (text, drug) in
            [("third R-CHOP", "Vincristine"), ("after FOLFOX", "Oxaliplatin"), ("ABVD, day 9", "Bleomycin"), ("on TLD", "Dolutegravir")]
        {
            assert!(drugs(text).iter().any(|known| known == drug), "{text}: {:?}", drugs(text));
        }
        for text in ["a ripe banana", "a pork chop", "they chop and change"] {
            assert!(drugs(text).is_empty(), "{text}");
        }
        // Every drug of the list is in the starter graph, or it would be read as a part of the regimen alone.
        let file: File = toml::from_str(include_str!("../../assets/abbreviations.toml")).expect("valid");
        for name in file.regimen.values().flat_map(|names| names_of(names, SenseKind::Regimen)) {
            assert!(!look_up(graph.names(), &name).is_empty(), "{name}");
        }
    }

    #[test]
    fn the_names_are_looked_up_in_the_graph_in_use_in_either_spelling() {
        let mut builder = crate::graph::GraphBuilder::new("t");
        for name in ["Subarachnoid hemorrhage", "Warfarin"] {
            builder.entity(name);
        }
        let graph = crate::graph::EvolvingGraph::new(std::sync::Arc::new(builder.finish()));
        let text = "SAH or STEMI or VKA";
        let known = found(text, &tokenise(text)).into_iter().map(|found| found.meaning(graph.names()));
        let names =
            known.map(|meaning| if let Meaning::Known(found) = meaning { graph.entity_name(found[0]).to_owned() } else { String::new() });
        assert_eq!(names.collect::<Vec<_>>(), ["Subarachnoid hemorrhage", "", "Warfarin"]);
    }
}
