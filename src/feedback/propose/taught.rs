//! What a mentor's answer teaches about a question (WTS, section 3.3, apprenticeship): the question's symptoms belong to the conditions that the
//! mentor names, and so do the tests and treatments. It needs no graph: from an empty one, every name is new.

use super::draft::{Draft, Drafts};
use super::entity::{Term, known};
use super::gold::{Section, halves, parse};
use super::terms::{Told, told};
use crate::dkg::Basis;
use crate::graph::{EntityId, Kind, Role};
use crate::language::Knowledge;
use crate::language::recognise::Reading;
use crate::pipeline::answer::stance::Stance;
use crate::run::{MentionOrigin, Trace};
use crate::text::{StopWords, fold};

/// What the mentor names, as far as the graph knows it or it stands under a heading.
#[derive(Debug, Default)]
struct Taught {
    symptoms: Vec<Term>,
    conditions: Vec<Term>,
    tests: Vec<Term>,
    treatments: Vec<Term>,
    cautions: Vec<Term>,
}

/// Drafts what a mentor's answer teaches.
pub(super) fn draft(knowledge: &Knowledge, trace: &Trace, gold: &str, drafts: &mut Drafts) {
    let taught = read(knowledge, gold, drafts);
    let is_condition = |name: &str| knowledge.graph.find(name).is_some_and(|entity| knowledge.is_condition(entity));
    let Told { symptoms: told_symptoms, conditions: told_conditions, passed_over } = told(trace, is_condition);
    drafts.reject_many("a word of the question that names nothing to learn", passed_over);

    // A finding that the mentor calls the condition is not its own symptom.
    let mut symptoms = told_symptoms;
    symptoms.extend(taught.symptoms);
    dedup(&mut symptoms);
    let (conditions, by_question) = if taught.conditions.is_empty() { (told_conditions, true) } else { (taught.conditions, false) };
    let differs = |symptom: &&Term| !conditions.iter().any(|condition| fold(&condition.name) == fold(&symptom.name));
    let before = drafts.len();
    let mut add = |owner: &Term, role, player: &Term, why: String| {
        drafts.push(Draft::by_rule(owner.clone(), role, player.clone(), Basis { chains: Vec::new(), why }));
    };

    if !by_question {
        for condition in &conditions {
            for symptom in symptoms.iter().filter(differs) {
                let why = format!("the question tells of {}; the mentor's answer gives {} as the condition", symptom.name, condition.name);
                add(condition, Role::Symptom, symptom, why);
            }
        }
    }
    let owners: &[Term] = if conditions.is_empty() { &symptoms } else { &conditions };
    let named_by = if by_question { "the question names" } else { "the mentor's answer gives" };
    for owner in owners {
        for (players, role, what) in [(&taught.tests, Role::Test, "a test"), (&taught.treatments, Role::Treatment, "a treatment")] {
            for player in players.iter() {
                let why = format!("{named_by} {}; the mentor's answer gives {} as {what}", owner.name, player.name);
                add(owner, role, player, why);
            }
        }
    }
    let mut unclear = 0;
    for caution in &taught.cautions {
        let kind = known(knowledge, caution).map(|entity| knowledge.graph.kind(entity).clone());
        match kind {
            Some(Kind::Drug | Kind::DrugClass | Kind::Treatment) => {
                for owner in owners {
                    let why = format!("{named_by} {}; the mentor's answer warns of {}", owner.name, caution.name);
                    add(caution, Role::Contraindication, owner, why);
                }
            }
            Some(Kind::Disease | Kind::Symptom | Kind::RiskFactor | Kind::Pathogen) => {
                for treatment in &taught.treatments {
                    let why = format!("the mentor's answer gives {} as a treatment, and warns of {}", treatment.name, caution.name);
                    add(treatment, Role::Contraindication, caution, why);
                }
            }
            _ => unclear += 1,
        }
    }
    drafts.reject_many("a caution that the graph knows neither as a remedy nor as a condition", unclear);
    if drafts.len() == before {
        drafts.warnings.push(
            "Nothing could be learned from this answer: it must name a condition, a test or a treatment for something that the question names. Names that the graph does not have are learned from lines such as \"Conditions: …\", \"Tests: …\", \"Treatments: …\"."
                .into(),
        );
    }
}

/// Reads the mentor's answer: lists as they are, running text as far as the graph knows its names.
fn read(knowledge: &Knowledge, gold: &str, drafts: &mut Drafts) -> Taught {
    let parsed = parse(gold);
    if parsed.cut {
        drafts.warnings.push("The mentor's answer is very long; its end was not read.".into());
    }
    drafts.reject_many("an item beyond the longest list that is read", parsed.left_out);
    let mut taught = Taught::default();
    for (section, item) in &parsed.items {
        let term = |name: &str| Term::new(name, section.kind());
        let whole = term(item);
        // "a and b" are two where the graph knows both, and not the whole.
        let parts = halves(item)
            .filter(|parts| known(knowledge, &whole).is_none() && parts.iter().all(|part| known(knowledge, &term(part)).is_some()));
        let terms = match parts {
            Some(parts) => parts.map(term).to_vec(),
            None => vec![whole],
        };
        match section {
            Section::Symptoms => taught.symptoms.extend(terms),
            Section::Conditions => taught.conditions.extend(terms),
            Section::Tests => taught.tests.extend(terms),
            Section::Treatments | Section::Drugs => taught.treatments.extend(terms),
            Section::Cautions => taught.cautions.extend(terms),
        }
    }
    of_running_text(knowledge, &parsed.free, &mut taught, drafts);
    for terms in [&mut taught.symptoms, &mut taught.conditions, &mut taught.tests, &mut taught.treatments, &mut taught.cautions] {
        dedup(terms);
    }
    taught
}

/// Names of the graph in running text; their kinds say what they are. What the text advises against is left out.
fn of_running_text(knowledge: &Knowledge, text: &str, taught: &mut Taught, drafts: &mut Drafts) {
    let graph = &knowledge.graph;
    let mut reading = Reading::of(text, 0, MentionOrigin::Hypothesis, StopWords::built_in());
    let names = reading.names(graph.names());
    if names.is_empty() {
        return;
    }
    let stance = Stance::of(graph, text);
    let mut findings = Vec::new();
    for name in names {
        let best = name.entities.iter().min_by_key(|(entity, exact)| (!exact, std::cmp::Reverse(graph.degree(*entity)), *entity));
        let Some((entity, _)) = best.copied() else { continue };
        if stance.denied.contains(&entity) {
            drafts.reject("named in a sentence that denies or warns");
            continue;
        }
        let term = |entity: EntityId| Term::new(graph.entity_name(entity), graph.kind(entity).clone());
        match graph.kind(entity) {
            Kind::Disease => taught.conditions.push(term(entity)),
            Kind::Test => taught.tests.push(term(entity)),
            Kind::Drug | Kind::DrugClass | Kind::Treatment => taught.treatments.push(term(entity)),
            // Where nothing else is named as the condition, it is what the graph describes as one.
            _ if knowledge.is_condition(entity) => findings.push(term(entity)),
            _ => {}
        }
    }
    if taught.conditions.is_empty() {
        taught.conditions = findings;
    }
}

fn dedup(terms: &mut Vec<Term>) {
    let mut seen = std::collections::HashSet::new();
    terms.retain(|term| seen.insert(fold(&term.name)));
}
