//! What happens where a drug is stopped, and how it is done, as the graph describes it (attributes `stopping…` of drugs and of their classes).

use super::proof::{nearest_told, proof_of_kind};
use super::{PlanInput, PlannedLine};
use crate::graph::{EntityId, qualifier_keys as keys};
use crate::pipeline::understand::stopping::tells_of_stopping;
use crate::run::event::AnswerPart;
use crate::run::{CaseResult, ResultDirection, UrgencyLevel};

/// The lines for the drugs of which the question asks what happens if they are stopped. Only where nothing else is told: what a drug has done, what it
/// must not be given with, and what was not understood, may be why it must be stopped at once.
pub(super) fn lines(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let is_calm = !matches!(input.urgency.level, Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent));
    let is_abnormal = |result: &CaseResult| !matches!(result.direction, ResultDirection::Normal | ResultDirection::Negative);
    let is_well = input.findings().is_empty() && !input.case.results.iter().any(is_abnormal);
    let is_pregnant = input.case.patient.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant || pregnancy.postpartum);
    if !is_calm || !is_well || is_pregnant || input.case.not_understood.iter().any(|term| !tells_of_stopping(&term.text)) {
        return Vec::new();
    }
    let warns = |line: &PlannedLine, drug: EntityId| !line.proofs.is_empty() && [line.entity, line.other].contains(&Some(drug));
    let is_warned = |drug: EntityId| input.is_forbidden(drug) || input.safety.lines.iter().any(|line| warns(line, drug));
    input.stopping.iter().filter(|drug| !is_warned(**drug)).filter_map(|drug| line(input, *drug)).collect()
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
