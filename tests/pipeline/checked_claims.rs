//! `check-answer` on 200 claims taken from answers and documents, half of them altered: drugs swapped, negated, direction or population changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use catena::evidence::reader::{DocumentFormat, read};
use catena::evidence::{Collection, Document, Library, sentences};
use catena::method::{Engine, EngineOptions};
use catena::run::{AnswerLine, AnswerPart, ClaimVerdict};

use crate::support::damage::Random;
use crate::support::data::shared;
use crate::support::engine::{ENGINE, encoder, open_with, starter};
use crate::support::runs::ask;

/// Documents of the collection; all of them would take a debug build minutes.
const DOCUMENTS: usize = 60;
const OF_DOCUMENTS: usize = 60;
const OF_ANSWERS: usize = 40;

const QUESTIONS: [&str; 14] = [
    "How is type 2 diabetes treated?",
    "How is hypertension treated?",
    "How is asthma treated?",
    "What are the symptoms of heart failure?",
    "What are the side effects of lisinopril?",
    "What are the side effects of metformin?",
    "How is gout treated?",
    "How is depression treated?",
    "What causes peptic ulcer disease?",
    "How is atrial fibrillation treated?",
    "How is pneumonia diagnosed?",
    "How is epilepsy treated?",
    "What are the complications of diabetes?",
    "How is gastro-oesophageal reflux disease treated?",
];

/// How a claim is altered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Alteration {
    DrugSwapped,
    Negated,
    Direction,
    Population,
}

const KINDS: [Alteration; 4] = [Alteration::DrugSwapped, Alteration::Negated, Alteration::Direction, Alteration::Population];

fn documents() -> Option<Vec<Document>> {
    let mut documents = Vec::new();
    read(DocumentFormat::OpenFda, &shared("drug-labels/labels.jsonl.gz")?, &mut |document| {
        documents.push(document);
        documents.len() < DOCUMENTS
    })
    .ok();
    documents.truncate(DOCUMENTS);
    Some(documents)
}

/// The first verb of a claim, and what denies it.
const NEGATIONS: [(&str, &str); 12] = [
    (" is indicated ", " is not indicated "),
    (" are indicated ", " are not indicated "),
    (" is contraindicated ", " is not contraindicated "),
    (" should be ", " should not be "),
    (" may cause ", " does not cause "),
    (" can cause ", " does not cause "),
    (" may increase ", " does not increase "),
    (" can increase ", " does not increase "),
    (" have been reported ", " have not been reported "),
    (" has been reported ", " has not been reported "),
    (" increases ", " does not increase "),
    (" is recommended ", " is not recommended "),
];
const DIRECTIONS: [(&str, &str); 8] = [
    (" increase ", " decrease "),
    (" increased ", " decreased "),
    (" increases ", " decreases "),
    (" decrease ", " increase "),
    (" decreased ", " increased "),
    (" reduce ", " increase "),
    (" higher ", " lower "),
    (" before ", " after "),
];
const POPULATIONS: [(&str, &str); 6] = [
    ("pediatric patients", "elderly patients"),
    ("geriatric patients", "pediatric patients"),
    ("adults", "children"),
    ("adult patients", "pediatric patients"),
    ("pregnant women", "young men"),
    ("children", "adults"),
];

/// The claim altered in this way, if it can be.
fn altered(claim: &str, how: Alteration, drugs: &[String], random: &mut Random) -> Option<String> {
    let replaced = |pairs: &[(&str, &str)]| {
        let found = pairs.iter().find(|(from, _)| claim.matches(from).count() == 1)?;
        Some(claim.replacen(found.0, found.1, 1))
    };
    match how {
        Alteration::Negated => replaced(&NEGATIONS),
        Alteration::Direction => replaced(&DIRECTIONS),
        Alteration::Population => replaced(&POPULATIONS),
        Alteration::DrugSwapped => {
            let lower = claim.to_lowercase();
            let own = drugs.iter().find(|drug| lower.contains(drug.as_str()))?;
            let at = lower.find(own.as_str())?;
            let other = &drugs[random.below(drugs.len())];
            (!lower.contains(other.as_str())).then(|| format!("{}{other}{}", &claim[..at], &claim[at + own.len()..]))
        }
    }
}

/// Sentences of labels that say something of a drug by name, with what they are altered by.
fn of_documents(documents: &[Document], drugs: &[String], random: &mut Random) -> Vec<(String, Alteration, String)> {
    let mut by_kind: BTreeMap<Alteration, Vec<(String, String)>> = BTreeMap::new();
    for section in documents.iter().flat_map(|document| &document.sections) {
        for span in sentences(&section.text) {
            let claim = section.text[span].trim();
            let words = claim.split_whitespace().count();
            if !(7..=35).contains(&words) || !claim.ends_with('.') || claim.contains(['\n', '•', '(', '[', ':']) {
                continue;
            }
            for how in KINDS {
                let altered = altered(claim, how, drugs, random);
                by_kind.entry(how).or_default().extend(altered.map(|altered| (claim.to_owned(), altered)));
            }
        }
    }
    let mut claims = Vec::new();
    for how in KINDS {
        let all = &by_kind[&how];
        assert!(all.len() >= OF_DOCUMENTS / 4, "{how:?}: {}", all.len());
        for at in 0..OF_DOCUMENTS / 4 {
            let (claim, altered) = &all[at * all.len() / (OF_DOCUMENTS / 4)];
            claims.push((claim.clone(), how, altered.clone()));
        }
    }
    claims
}

/// Statements of answers as plain sentences, altered by denial, and by another drug or the reverse.
fn of_answers() -> Vec<(String, Alteration, String)> {
    let engine = &**ENGINE;
    let mut claims = Vec::new();
    for question in QUESTIONS {
        let asked = ask(engine, question);
        let subject = asked.trace.case.conditions.iter().find_map(|condition| condition.entity.clone());
        let treatments = asked.trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Treatments);
        for stated in treatments.flat_map(AnswerLine::stated) {
            let Some(subject) = &subject else { continue };
            let claim = format!("{stated} is a treatment of {subject}.");
            let (how, altered) = if claims.len() % 2 == 0 {
                (Alteration::Negated, format!("{stated} is not a treatment of {subject}."))
            } else {
                (Alteration::Direction, format!("{stated} is contraindicated in {subject}."))
            };
            claims.push((claim, how, altered));
        }
    }
    claims.truncate(OF_ANSWERS);
    claims
}

fn engine(documents: &[Document]) -> Engine {
    let graph = starter();
    let collection = Collection::build("labels", documents, &graph, &|_| true).expect("builds");
    let library = Arc::new(Library::of(vec![("labels".into(), collection)]));
    open_with(graph, encoder(), &EngineOptions { library, ..EngineOptions::default() })
}

#[test]
fn altered_claims_are_not_supported_and_true_ones_are() {
    let Some(documents) = documents() else { return };
    let mut drugs: Vec<String> = documents
        .iter()
        .flat_map(|document| &document.aliases)
        .map(|alias| alias.to_lowercase())
        .filter(|alias| alias.len() >= 6 && alias.chars().all(|c| c.is_ascii_lowercase()))
        .collect();
    drugs.sort();
    drugs.dedup();
    assert!(drugs.len() > 20, "{drugs:?}");
    let mut random = Random::new(7);
    let mut claims = of_documents(&documents, &drugs, &mut random);
    claims.extend(of_answers());
    assert_eq!(claims.len(), OF_DOCUMENTS + OF_ANSWERS, "200 claims with those altered");
    let engine = engine(&documents);
    let verdict = |claim: &str| {
        let checked = engine.check_answer(claim);
        // A claim that is cut in two is supported if both halves are.
        checked.iter().map(|claim| claim.verdict).max_by_key(|verdict| match verdict {
            ClaimVerdict::Supported => 0,
            ClaimVerdict::NotFound => 1,
            ClaimVerdict::Contradicted => 2,
        })
    };
    let mut counts: BTreeMap<(Option<Alteration>, Option<ClaimVerdict>), usize> = BTreeMap::new();
    for (claim, how, altered) in &claims {
        let (was, now) = (verdict(claim), verdict(altered));
        if was != Some(ClaimVerdict::Supported) || now == Some(ClaimVerdict::Supported) {
            println!("{how:?}: {was:?} {claim}\n    {now:?} {altered}");
        }
        *counts.entry((None, was)).or_default() += 1;
        *counts.entry((Some(*how), now)).or_default() += 1;
    }
    let of = |how: Option<Alteration>, verdict: ClaimVerdict| counts.get(&(how, Some(verdict))).copied().unwrap_or(0);
    let all = |how: Option<Alteration>| counts.iter().filter(|((of, _), _)| *of == how).map(|(_, count)| count).sum::<usize>();
    // For benches/RESULTS.md: `cargo test --test pipeline altered_claims -- --nocapture`.
    println!("| Claims | n | supported | contradicted | not found |\n| --- | --- | --- | --- | --- |");
    for how in std::iter::once(None).chain(KINDS.map(Some)) {
        let name = how.map_or("as they stand".to_owned(), |how| format!("{how:?}"));
        let [supported, contradicted, not_found] =
            [ClaimVerdict::Supported, ClaimVerdict::Contradicted, ClaimVerdict::NotFound].map(|verdict| of(how, verdict));
        println!("| {name} | {} | {supported} | {contradicted} | {not_found} |", all(how));
    }
    assert!(of(None, ClaimVerdict::Supported) * 5 >= all(None) * 4, "{} of {} supported", of(None, ClaimVerdict::Supported), all(None));
    for how in KINDS {
        let supported = of(Some(how), ClaimVerdict::Supported);
        assert!(supported * 5 <= all(Some(how)), "{how:?}: {supported} of {} supported", all(Some(how)));
    }
    // What is denied, or turned round, is said by a source: there the opposite is known.
    for how in [Alteration::Negated, Alteration::Direction] {
        let contradicted = of(Some(how), ClaimVerdict::Contradicted);
        assert!(contradicted * 5 >= all(Some(how)) * 4, "{how:?}: {contradicted} of {} contradicted", all(Some(how)));
    }
}
