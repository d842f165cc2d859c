//! Drafts from a mentor's gold answer (WTS, section 3.3, apprenticeship): the question's symptoms belong to the conditions that the mentor
//! names, and so do the tests and treatments. No graph is needed: with an empty one, every name is new.

use super::draft::{Draft, Drafts};
use super::entity::{Term, known};
use super::mentor_text::{Section, halves, parse};
use super::question_terms::{QuestionTerms, question_terms};
use super::sentence;
use crate::dkg::Basis;
use crate::graph::{EntityId, Kind, Role, classes_of};
use crate::language::Knowledge;
use crate::language::recognise::Reading;
use crate::pipeline::answer::stance::Stance;
use crate::run::{MentionOrigin, Trace};
use crate::text::{StopWords, fold};

/// What the mentor names, as far as the graph knows it or it stands under a heading.
#[derive(Debug, Default)]
struct NamedByMentor {
    symptoms: Vec<Term>,
    conditions: Vec<Term>,
    tests: Vec<Term>,
    treatments: Vec<Term>,
    cautions: Vec<Term>,
}

/// Drafts triples from a mentor's answer.
pub(super) fn draft(knowledge: &Knowledge, trace: &Trace, gold: &str, drafts: &mut Drafts) {
    let before = drafts.len();
    let named = read(knowledge, gold, drafts);
    let is_condition = |name: &str| knowledge.graph.find(name).is_some_and(|entity| knowledge.is_condition(entity));
    let QuestionTerms { symptoms: own_symptoms, conditions: own_conditions, skipped } = question_terms(trace, is_condition);
    drafts.reject_many("a word of the question that is not a term", skipped);

    // A finding that the mentor calls the condition is not its own symptom.
    let mut symptoms = own_symptoms;
    symptoms.extend(named.symptoms);
    dedup(&mut symptoms);
    let (conditions, by_question) = if named.conditions.is_empty() { (own_conditions, true) } else { (named.conditions, false) };
    let differs = |symptom: &&Term| !conditions.iter().any(|condition| fold(&condition.name) == fold(&symptom.name));
    let mut add = |owner: &Term, role, player: &Term, why: String| {
        drafts.push(Draft::by_rule(owner.clone(), role, player.clone(), Basis { chains: Vec::new(), why }));
    };

    if !by_question {
        for condition in &conditions {
            for symptom in
                symptoms.iter().filter(differs).filter(|symptom| belongs(knowledge, &conditions, condition, Role::Symptom, symptom))
            {
                let why = format!("the question mentions {}; the mentor's answer gives {} as the condition", symptom.name, condition.name);
                add(condition, Role::Symptom, symptom, why);
            }
        }
    }
    let owners: &[Term] = if conditions.is_empty() { &symptoms } else { &conditions };
    let named_by = if by_question { "the question names" } else { "the mentor's answer gives" };
    for owner in owners {
        for (players, role, what) in [(&named.tests, Role::Test, "a test"), (&named.treatments, Role::Treatment, "a treatment")] {
            for player in players.iter().filter(|player| belongs(knowledge, owners, owner, role, player)) {
                let why = format!("{named_by} {}; the mentor's answer gives {} as {what}", owner.name, player.name);
                add(owner, role, player, why);
            }
        }
    }
    let mut unclear = 0;
    for caution in &named.cautions {
        let kind = known(knowledge, caution).map(|entity| knowledge.graph.kind(entity).clone());
        match kind {
            Some(Kind::Drug | Kind::DrugClass | Kind::Treatment) => {
                for owner in owners {
                    let why = format!("{named_by} {}; the mentor's answer warns of {}", owner.name, caution.name);
                    add(caution, Role::Contraindication, owner, why);
                }
            }
            Some(Kind::Disease | Kind::Symptom | Kind::RiskFactor | Kind::Pathogen) => {
                for treatment in &named.treatments {
                    let why = format!("the mentor's answer gives {} as a treatment, and warns of {}", treatment.name, caution.name);
                    add(treatment, Role::Contraindication, caution, why);
                }
            }
            _ => unclear += 1,
        }
    }
    drafts.reject_many("a caution that the graph has neither as a remedy nor as a condition", unclear);
    if drafts.len() == before {
        drafts.warnings.push(
            "Nothing could be learned from this answer. It must name a condition, a test or a treatment for something in the question. To teach names that the graph does not have, write lines such as \"Conditions: …\", \"Tests: …\", \"Treatments: …\"."
                .into(),
        );
    }
}

/// Whether an entity of the answer belongs to one of its conditions, rather than to another of them. What the graph states of some of them
/// belongs to these. What it states of none belongs to the first, where the graph knows such facts of all; with an empty graph, to each.
fn belongs(knowledge: &Knowledge, owners: &[Term], owner: &Term, role: Role, player: &Term) -> bool {
    if owners.len() < 2 {
        return true;
    }
    let is_meant = |stated: Role| match role {
        Role::Symptom => matches!(stated, Role::Symptom | Role::RedFlag),
        Role::Treatment => stated.is_treatment(),
        _ => stated == role,
    };
    let players: Vec<EntityId> = known(knowledge, player)
        .into_iter()
        .flat_map(|player| std::iter::once(player).chain(classes_of(&knowledge.graph, player)))
        .collect();
    let is_stated = |owner: &Term| {
        let owner = known(knowledge, owner);
        owner.is_some_and(|owner| players.iter().any(|player| knowledge.facts().states(owner, *player, is_meant)))
    };
    if owners.iter().any(is_stated) {
        return is_stated(owner);
    }
    let has_such =
        |owner: &Term| known(knowledge, owner).is_some_and(|owner| knowledge.facts().players(owner).iter().any(|fact| is_meant(fact.role)));
    !owners.iter().all(has_such) || owners.first() == Some(owner)
}

/// Reads the mentor's answer: lists as they are, running text as far as the graph knows its names.
fn read(knowledge: &Knowledge, gold: &str, drafts: &mut Drafts) -> NamedByMentor {
    let parsed = parse(gold, &|name| knowledge.graph.find(name).is_some());
    if parsed.cut {
        drafts.warnings.push("The gold answer is too long; its end was not read.".into());
    }
    drafts.reject_many("an item beyond the limit of a list", parsed.left_out);
    let mut named = NamedByMentor::default();
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
            Section::Symptoms => named.symptoms.extend(terms),
            Section::Conditions => named.conditions.extend(terms),
            Section::Tests => named.tests.extend(terms),
            Section::Treatments | Section::Drugs => named.treatments.extend(terms),
            Section::Cautions => named.cautions.extend(terms),
        }
    }
    // A sentence that is a statement is taken at its word; of the others, only the names count.
    let mut rest = String::new();
    for sentence in sentence::sentences(&parsed.free) {
        match sentence::draft(knowledge, sentence, format!("the mentor's answer says: {sentence}")) {
            Some(draft) => drafts.push(draft),
            None => {
                rest.push_str(sentence);
                rest.push('\n');
            }
        }
    }
    of_running_text(knowledge, &rest, &mut named, drafts);
    for terms in [&mut named.symptoms, &mut named.conditions, &mut named.tests, &mut named.treatments, &mut named.cautions] {
        dedup(terms);
    }
    named
}

/// Names of the graph in running text; their kinds say what they are. What the text advises against is left out.
fn of_running_text(knowledge: &Knowledge, text: &str, named: &mut NamedByMentor, drafts: &mut Drafts) {
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
            drafts.reject("a name in a sentence that denies or warns");
            continue;
        }
        let term = |entity: EntityId| Term::new(graph.entity_name(entity), graph.kind(entity).clone());
        match graph.kind(entity) {
            Kind::Disease => named.conditions.push(term(entity)),
            Kind::Test => named.tests.push(term(entity)),
            Kind::Drug | Kind::DrugClass | Kind::Treatment => named.treatments.push(term(entity)),
            // Where nothing else is named as the condition, it is what the graph describes as one.
            _ if knowledge.is_condition(entity) => findings.push(term(entity)),
            _ => {}
        }
    }
    if named.conditions.is_empty() {
        named.conditions = findings;
    }
}

fn dedup(terms: &mut Vec<Term>) {
    let mut seen = std::collections::HashSet::new();
    terms.retain(|term| seen.insert(fold(&term.name)));
}
