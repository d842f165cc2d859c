//! The traps of the condition that the answer is about: which normal result does not exclude it, what must not be given before it is settled
//! (topic `beware`, see `topics/`).

use super::audience::fitting;
use super::{PlanInput, PlannedLine, care};
use crate::graph::EntityId;
use crate::pipeline::understand::topics::told_of;
use crate::run::event::AnswerPart;

const TOPIC: &str = "beware";

/// The line for the condition because of which the case is an emergency, else for the one that is cared for.
pub(super) fn line(input: &PlanInput<'_>, details: &[PlannedLine], cared_for: Option<EntityId>) -> Option<PlannedLine> {
    let mut about = input.emergency.into_iter().chain(cared_for).filter_map(|condition| told_of(&input.knowledge.graph, condition, TOPIC));
    let told = about.find(|told| care::proofs(details, told.entity).is_some())?;
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
