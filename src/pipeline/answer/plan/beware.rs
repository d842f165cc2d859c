//! The traps of the condition that the answer is about: which normal result does not exclude it, what must not be given before it is settled
//! (topic `beware`, see `topics/`).

use super::{PlanInput, PlannedLine, care, summary};
use crate::graph::EntityId;
use crate::pipeline::understand::topics::told_of;
use crate::run::ConditionStatus;
use crate::run::event::AnswerPart;

const TOPIC: &str = "beware";

/// Whether the traps of a condition are told: it is why the case is an emergency, the asker has named it, or more than one complaint or a clear picture
/// speaks for it. On one shared complaint a warning would only make a guess weigh more.
fn is_due(input: &PlanInput<'_>, condition: EntityId) -> bool {
    let name = input.knowledge.graph.entity_name(condition);
    let is_told = |status| matches!(status, ConditionStatus::Known | ConditionStatus::Suspected);
    let mut told = input.case.conditions.iter().filter(|of| of.entity.as_deref() == Some(name));
    input.emergency == Some(condition) || told.any(|of| is_told(of.status)) || (summary::is_sure(input) && summary::is_led(input))
}

/// The line for the condition because of which the case is an emergency, else for the one that is cared for.
pub(super) fn line(input: &PlanInput<'_>, details: &[PlannedLine], cared_for: Option<EntityId>) -> Option<PlannedLine> {
    let about = input.emergency.into_iter().chain(cared_for).filter(|condition| is_due(input, *condition));
    let mut about = about.filter_map(|condition| told_of(&input.knowledge.graph, condition, TOPIC));
    let told = about.find(|told| care::proofs(details, told.entity).is_some())?;
    let [english, chinese] = &told.texts;
    let said = if input.wording.is_chinese() { chinese } else { english };
    let text = input.wording.plan.beware.replace("{name}", &input.shown(told.entity)).replace("{said}", said);
    Some(PlannedLine {
        entity: Some(told.entity),
        subject: Some(told.entity),
        proofs: care::proofs(details, told.entity)?,
        ..PlannedLine::saying(AnswerPart::Care, text)
    })
}
