//! What a question names: an entity, where it stands, and what it is to the case.

use crate::graph::{EntityId, Kind, Role, classes_of, statements_between};
use crate::language::knowledge::Knowledge;
use crate::language::recognise::Span;
use crate::pipeline::differential::evidence::urgency_of;
use crate::pipeline::safety::states::all_states;
use crate::run::CasePatient;
use crate::text::Token;

/// What an entity is to a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A drug, a class of drugs, or another substance that interacts.
    Drug,
    /// A condition.
    Condition,
    /// A symptom or sign.
    Finding,
    /// A test.
    Test,
    /// Anything else.
    Other,
}

/// An entity that a question names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named {
    pub(crate) span: Span,
    pub(crate) entity: EntityId,
    pub(crate) class: Class,
}

/// What an entity is to a case.
pub(crate) fn class_of(knowledge: &Knowledge, entity: EntityId) -> Class {
    match knowledge.graph.kind(entity) {
        Kind::Drug | Kind::DrugClass => Class::Drug,
        Kind::Disease => Class::Condition,
        Kind::Symptom => Class::Finding,
        Kind::Test => Class::Test,
        _ if interacts(knowledge, entity) => Class::Drug,
        // A state that rules something out is what the patient has: stenosis of both renal arteries, a pacemaker, a transplanted kidney.
        Kind::RiskFactor | Kind::Treatment if knowledge.facts().owners_of_role(entity, Role::Contraindication).next().is_some() => {
            Class::Condition
        }
        // What happened to the patient and calls for something to be done: a bite, a swallowed battery.
        Kind::RiskFactor if is_actionable(knowledge, entity) => Class::Condition,
        Kind::Treatment | Kind::RiskFactor | Kind::Pathogen => Class::Other,
        Kind::Other(_) => class_by_role(knowledge, entity),
    }
}

/// Whether the graph says what to do about an exposure, or how soon.
pub(crate) fn is_actionable(knowledge: &Knowledge, entity: EntityId) -> bool {
    let facts = knowledge.facts();
    let is_treated = |role| facts.players_of_role(entity, role).next().is_some();
    is_treated(Role::Treatment) || is_treated(Role::FirstLine) || urgency_of(knowledge, entity).is_some()
}

/// The tests and treatments that a question names and that the graph says must not be used in something else that it names, or in a state
/// of its patient.
pub(crate) fn procedures_at_issue(knowledge: &Knowledge, named: &[Named], patient: &CasePatient) -> Vec<EntityId> {
    let graph = &knowledge.graph;
    let is_procedure =
        |entity: EntityId| matches!(graph.kind(entity), Kind::Test | Kind::Treatment) && class_of(knowledge, entity) != Class::Drug;
    let may_forbid = |entity: EntityId| {
        let mut kinds = std::iter::once(entity).chain(classes_of(graph, entity));
        kinds.any(|kind| knowledge.facts().owners_of_role(kind, Role::Contraindication).next().is_some())
    };
    let mut procedures: Vec<EntityId> = named.iter().map(|named| named.entity).filter(|entity| is_procedure(*entity)).collect();
    if procedures.is_empty() {
        return procedures;
    }
    let states = all_states(graph, patient).into_iter().chain(named.iter().map(|named| named.entity)).filter(|entity| may_forbid(*entity));
    let states: Vec<EntityId> = states.collect();
    procedures.retain(|procedure| {
        states.iter().any(|state| {
            state != procedure && !statements_between(graph, *procedure, *state, |role| role == Role::Contraindication).is_empty()
        })
    });
    procedures
}

/// What an entity is that the graph does not classify, by what it is to others.
fn class_by_role(knowledge: &Knowledge, entity: EntityId) -> Class {
    let facts = knowledge.facts();
    let plays = |role: Role| facts.owners_of_role(entity, role).next().is_some();
    let has_symptoms = || facts.players_of_role(entity, Role::Symptom).next().is_some();
    if (plays(Role::Symptom) || plays(Role::RedFlag)) && !has_symptoms() {
        Class::Finding
    } else if knowledge.is_condition(entity) {
        Class::Condition
    } else if plays(Role::Test) {
        Class::Test
    } else {
        Class::Other
    }
}

/// Whether the graph states an interaction or contraindication of an entity that is no condition.
fn interacts(knowledge: &Knowledge, entity: EntityId) -> bool {
    let facts = knowledge.facts();
    facts.players_of_role(entity, Role::Interaction).next().is_some() || facts.owners_of_role(entity, Role::Interaction).next().is_some()
}

/// The vaccination against the condition that a span names, where a word beside it speaks of one: "jabs - yellow fever".
pub(super) fn vaccine_against(knowledge: &Knowledge, tokens: &[Token], span: Span) -> Option<EntityId> {
    let is_vaccine = |token: &Token| {
        ["vaccin", "immunis", "immuniz", "jab", "booster"].iter().any(|stem| token.text.starts_with(stem))
            || matches!(token.text.as_str(), "shot" | "shots")
    };
    let beside = [tokens.get(span.first.saturating_sub(2)..span.first), tokens.get(span.last..(span.last + 1).min(tokens.len()))];
    if !beside.into_iter().flatten().flatten().any(is_vaccine) {
        return None;
    }
    let words: Vec<&str> = tokens.get(span.first..span.last)?.iter().map(|token| token.text.as_str()).collect();
    let name = format!("{} vaccination", words.join(" "));
    knowledge.graph.names().lookup(&name).first().map(|(entity, _)| *entity)
}
