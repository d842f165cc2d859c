//! What the patient seems to have, where the question asks only whether something is safe, how much of it, or which test: who asks whether a
//! cream may go on a stripe of blisters needs to hear that it is shingles.

use super::{PlanInput, PlannedLine, causes, conditions, details, summary};
use crate::graph::{EntityId, Role, classes_of, qualifier_keys as keys};
use crate::pipeline::differential::evidence::urgency_of;
use crate::run::{AskKind, ConditionStatus, DrugStatus, UrgencyLevel};

/// How many findings a condition must explain that the question does not name, and which share of them.
const FINDINGS: usize = 2;
const SHARE: f64 = 0.5;
/// The most tests, and the most treatments, that are named for it.
const CARE: usize = 2;

/// The condition, if one clearly leads and the question asks about something else.
pub(super) fn condition(input: &PlanInput<'_>) -> Option<EntityId> {
    let is_beside = |kind| matches!(kind, AskKind::Safety | AskKind::Interactions | AskKind::SideEffects | AskKind::Dose | AskKind::Tests);
    let asks = &input.case.asks;
    let is_of_else = !asks.is_empty() && asks.iter().all(|ask| is_beside(ask.kind));
    let is_list = !input.safety.lists.is_empty() || input.asks_for_signs;
    // Where what is asked about is not known, nothing is offered instead.
    let is_about_unknown = input.case.not_understood.iter().any(|term| term.subject);
    if input.evidence.seeks_diagnosis || !is_of_else || is_list || is_about_unknown || causes::drug_explaining_all(input).is_some() {
        return None;
    }
    let (named, _) = conditions::differential(input);
    let leader = named.first()?;
    let findings = input.findings();
    let name = input.knowledge.graph.entity_name(leader.condition);
    let is_now = ConditionStatus::is_now;
    let of_case = input.case.conditions.iter().filter(|of| is_now(of.status) && of.entity.as_deref() == Some(name));
    let of_case: Vec<ConditionStatus> = of_case.map(|of| of.status).collect();
    let is_certain = |finding: &&EntityId| !input.evidence.is_uncertain(**finding);
    let explained = leader.explains.iter().filter(is_certain).count();
    let explains_most = leader.explains.len() >= FINDINGS && leader.explains.len() as f64 >= SHARE * findings.len() as f64;
    let fits = match of_case.as_slice() {
        [] => explains_most && summary::is_led(input),
        of => explains_most && explained >= FINDINGS && !is_under_care(input, leader.condition, of),
    };
    let is_patient = input.evidence.states.contains(&leader.condition);
    (input.emergency == Some(leader.condition) || (fits && !is_patient && !is_alarmed(input, leader.condition))).then_some(leader.condition)
}

/// Whether something else raised an alarm: beneath it, no name calms that did not raise it.
fn is_alarmed(input: &PlanInput<'_>, condition: EntityId) -> bool {
    let is_raised = matches!(input.urgency.level, Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent));
    is_raised && input.urgency.condition.as_deref() != Some(input.knowledge.graph.entity_name(condition))
}

/// Whether the patient has had a condition for some time, or already takes what treats it: then its care is not in question. What only somebody
/// thinks of may be new.
fn is_under_care(input: &PlanInput<'_>, condition: EntityId, of_case: &[ConditionStatus]) -> bool {
    let is_known = of_case.contains(&ConditionStatus::Known);
    let may_be_old = is_known && input.knowledge.graph.attributes(condition).get(keys::ONSET) != Some("acute");
    let treats = |drug: EntityId| {
        let is_treatment = |of: EntityId| {
            let roles = |role| matches!(role, Role::FirstLine | Role::Treatment | Role::Prevention);
            input.knowledge.facts().states(condition, of, roles)
        };
        is_treatment(drug) || classes_of(&input.knowledge.graph, drug).into_iter().any(is_treatment)
    };
    let taken = input.case.drugs.iter().filter(|drug| drug.status == DrugStatus::Taken);
    may_be_old || taken.filter_map(|drug| input.entity(drug.entity.as_deref()?)).any(treats)
}

/// What it explains, and the tests and treatments that come first.
pub(super) fn lines(input: &PlanInput<'_>, condition: EntityId, told: &[PlannedLine]) -> Vec<PlannedLine> {
    let mut lines: Vec<PlannedLine> = conditions::lines(input).into_iter().filter(|line| line.entity == Some(condition)).collect();
    if lines.is_empty() {
        return lines;
    }
    // For a cold, what to do is enough.
    if matches!(urgency_of(input.knowledge, condition), Some("emergency" | "urgent")) {
        lines.extend(details::tests(input, &[condition], CARE));
        lines.extend(details::treatments(input, &[condition], CARE));
    }
    let is_told = |line: &PlannedLine| told.iter().any(|known| known.part == line.part && known.entity == line.entity);
    lines.retain(|line| !is_told(line));
    lines
}
