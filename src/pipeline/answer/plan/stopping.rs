//! What happens where a drug is stopped, and how it is done, as the graph describes it (attributes `stopping…` of drugs and of their classes).

use super::proof::{nearest_told, proof_of_kind};
use super::using::is_same_or_kind;
use super::{PlanInput, PlannedLine};
use crate::graph::{EntityId, classes_of, qualifier_keys as keys};
use crate::pipeline::understand::stopping::{never_stopped_suddenly, small_harms, tells_of_stopping};
use crate::run::event::AnswerPart;
use crate::run::{CaseResult, FindingStatus, ResultDirection, UrgencyLevel};

/// The lines for the drugs of which the question asks what happens if they are stopped. Only where nothing else is told: what a drug has done, what it
/// must not be given with, and what was not understood, may be why it must be stopped at once. What is never stopped suddenly, as a benzodiazepine after
/// years, is so beside its small harms, too.
pub(super) fn lines(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let is_calm = !matches!(input.urgency.level, Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent));
    let is_abnormal = |result: &CaseResult| !matches!(result.direction, ResultDirection::Normal | ResultDirection::Negative);
    let is_pregnant = input.case.patient.is_pregnant_or_postpartum();
    if !is_calm || is_pregnant || input.case.results.iter().any(is_abnormal) {
        return Vec::new();
    }
    let is_clear = input.findings().is_empty() && input.case.not_understood.iter().all(|term| tells_of_stopping(&term.text));
    let warns = |line: &PlannedLine, drug: EntityId| !line.proofs.is_empty() && [line.entity, line.other].contains(&Some(drug));
    let is_warned = |drug: EntityId| input.is_forbidden(drug) || input.safety.lines.iter().any(|line| warns(line, drug));
    let strictly = input.stopping.iter().filter(|drug| is_clear && !is_warned(**drug));
    let is_slow = |drug: &&EntityId| is_never_sudden(input, **drug) && !input.is_forbidden(**drug);
    let beside: Vec<&EntityId> = input.stopping_beside.iter().filter(|_| tells_of_small_harms(input)).filter(is_slow).collect();
    let mut said: Vec<EntityId> = strictly.copied().collect();
    for drug in beside {
        // Of a class and its member, one line is enough.
        let is_said = |known: &EntityId| known == drug || classes_of(&input.knowledge.graph, *known).contains(drug);
        if !said.iter().any(is_said) {
            said.push(*drug);
        }
    }
    said.into_iter().filter_map(|drug| line(input, drug)).collect()
}

/// Whether one of these lines is about a drug, or a kind of it.
pub(super) fn tells(input: &PlanInput<'_>, drug: EntityId) -> bool {
    lines(input).iter().filter_map(|line| line.entity).any(|stopped| is_same_or_kind(input, stopped, drug))
}

/// Whether a drug is one that is never stopped suddenly, or a kind of one.
fn is_never_sudden(input: &PlanInput<'_>, drug: EntityId) -> bool {
    let graph = &input.knowledge.graph;
    let slow = never_stopped_suddenly();
    std::iter::once(drug).chain(classes_of(graph, drug)).any(|of| slow.iter().any(|name| name == graph.entity_name(of)))
}

/// Whether all that is told is small harm that may wait for the prescriber, and nothing else that was not understood.
fn tells_of_small_harms(input: &PlanInput<'_>) -> bool {
    let harmless = small_harms();
    let is_there = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
    let mut found = input.case.findings.iter().filter(|finding| is_there(finding.status));
    found.all(|finding| finding.entity.as_ref().is_some_and(|name| harmless.contains(name)))
        && input.case.not_understood.iter().all(|term| tells_of_stopping(&term.text))
}

/// What is stated of the drug itself, or of the nearest of its classes that does not except it.
fn line(input: &PlanInput<'_>, drug: EntityId) -> Option<PlannedLine> {
    let graph = &input.knowledge.graph;
    let of = |entity: EntityId| graph.attributes(entity);
    let stated = nearest_told(graph, drug, keys::STOPPING_EXCEPT, |entity| of(entity).get(keys::STOPPING).is_some())?;
    let (effect, action) = match input.wording.is_chinese() {
        true => (keys::STOPPING_ZH, keys::STOPPING_ACTION_ZH),
        false => (keys::STOPPING, keys::STOPPING_ACTION),
    };
    let attributes = of(stated);
    let said = |key| attributes.get(key).map(|text| text.trim_end_matches(['.', '。']));
    let text = input.wording.plan.stopping.replace("{drug}", &input.shown(drug));
    let text = text.replace("{effect}", said(effect)?).replace("{action}", said(action)?);
    Some(PlannedLine {
        entity: Some(drug),
        proofs: proof_of_kind(input.knowledge, drug, stated).into_iter().collect(),
        ..PlannedLine::saying(AnswerPart::Safety, text)
    })
}
