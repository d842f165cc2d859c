//! The traps of the condition that the answer is about: which normal result does not exclude it, what must not be given before it is settled
//! (topic `beware`, see `topics/`).

use super::audience::fitting;
use super::{PlanInput, PlannedLine, care, summary, topics};
use crate::graph::EntityId;
use crate::pipeline::differential::evidence::urgency_of;
use crate::pipeline::understand::topics::{ToldTopic, told_of};
use crate::run::event::AnswerPart;
use crate::run::{ConditionStatus, UrgencyLevel};

const TOPIC: &str = "beware";

/// Whether the traps of a condition are told: it is why the case is an emergency, the asker has named it, or more than one complaint or a clear picture
/// speaks for it. On one shared complaint a warning would only make a guess weigh more. Beneath an alarm, nothing is told of a condition that is no emergency.
fn is_due(input: &PlanInput<'_>, condition: EntityId) -> bool {
    if input.emergency == Some(condition) {
        return true;
    }
    let is_alarmed = input.urgency.level == Some(UrgencyLevel::Emergency);
    let name = input.knowledge.graph.entity_name(condition);
    let is_told = ConditionStatus::is_now;
    let mut told = input.case.conditions.iter().filter(|of| of.entity.as_deref() == Some(name));
    let is_grave = !is_alarmed || urgency_of(input.knowledge, condition) == Some("emergency");
    is_grave && (told.any(|of| is_told(of.status)) || (summary::is_sure(input) && summary::is_led(input)))
}

/// The line for the condition because of which the case is an emergency, else for the one that is cared for; and for each drug that it names and the case
/// forbids, why it does.
pub(super) fn lines(
    input: &PlanInput<'_>,
    details: &[PlannedLine],
    cared_for: Option<EntityId>,
) -> (Option<PlannedLine>, Vec<PlannedLine>) {
    let about = input.emergency.into_iter().chain(cared_for).filter(|condition| is_due(input, *condition));
    let about = about.filter(|condition| !input.evidence.excluded.contains(condition));
    let mut told = about.filter_map(|condition| told_of(&input.knowledge.graph, condition, TOPIC));
    let said = told.find_map(|told| line(input, details, &told).map(|line| (told, line)));
    let Some((told, line)) = said else { return (None, Vec::new()) };
    (Some(line), topics::forbidden(input, &[told]))
}

fn line(input: &PlanInput<'_>, details: &[PlannedLine], told: &ToldTopic) -> Option<PlannedLine> {
    let [english, chinese] = &told.texts;
    let said = if input.wording.is_chinese() { chinese } else { english };
    let said = fitting(said, &input.case.patient);
    let text = input.wording.plan.beware.replace("{name}", &input.shown(told.entity)).replace("{said}", &said);
    Some(PlannedLine {
        entity: Some(told.entity),
        subject: Some(told.entity),
        proofs: care::proofs(details, told.entity)?,
        ..PlannedLine::saying(AnswerPart::Care, text)
    })
}
