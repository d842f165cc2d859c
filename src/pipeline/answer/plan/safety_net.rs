//! What would make a finding urgent that is not by itself: "fever: at once if travel to the tropics, rash or confusion".

use super::alone::is_routine_alone;
use super::audience::fitting;
use super::{PlanInput, PlannedLine};
use crate::graph::qualifier_keys as keys;
use crate::run::UrgencyLevel;
use crate::run::event::AnswerPart;

/// The most findings of which it is said.
const MOST: usize = 2;

/// The lines for what the patient has; none where something is urgent already, or where no patient is told of.
pub(super) fn lines(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let is_calm = !matches!(input.urgency.level, Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent));
    if !is_calm || !input.case.is_about_a_patient() {
        return Vec::new();
    }
    let graph = &input.knowledge.graph;
    let key = if input.wording.is_chinese() { keys::ACTION_ZH } else { keys::ACTION };
    let said = |finding| {
        let attributes = graph.attributes(finding);
        let action = fitting(attributes.get(key)?, &input.case.patient);
        let action = action.trim_end_matches(['.', '。']);
        let text = input.wording.plan.safety_net.replace("{finding}", &input.shown(finding)).replace("{action}", action);
        Some(PlannedLine { entity: Some(finding), ..PlannedLine::saying(AnswerPart::Care, text) })
    };
    let findings = input.findings().into_iter().filter(|finding| is_routine_alone(input.knowledge, *finding));
    findings.filter_map(said).take(MOST).collect()
}
