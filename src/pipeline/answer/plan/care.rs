//! What to do for a condition besides tests and drugs, and what course it takes, as the graph describes it (attributes `care` and `course`).

use super::audience::fitting;
use super::{PlanInput, PlannedLine, subjects, summary, unspecific};
use crate::graph::{Chain, EntityId, Kind, qualifier_keys as keys};
use crate::language::knowledge::named;
use crate::pipeline::answer::wording::Wording;
use crate::run::event::AnswerPart;
use crate::run::{AskKind, UrgencyLevel};
use crate::text::tokenise;

/// The line cites so many of the chains that show why the condition is named: the graph describes care and course in the entry of the condition,
/// not in a chain.
const PROOFS: usize = 1;

/// The line for the condition that is cared for; `None` where nothing is described.
pub(super) fn line(input: &PlanInput<'_>, details: &[PlannedLine], told: (bool, Option<EntityId>)) -> Option<PlannedLine> {
    let subject = subject(input, details, told)?;
    let text = text(input, subject)?;
    Some(PlannedLine {
        entity: Some(subject),
        subject: Some(subject),
        proofs: proofs(details, subject)?,
        ..PlannedLine::saying(AnswerPart::Care, text)
    })
}

/// The chains that show why the answer is about a condition; `None` where no line is about it.
pub(super) fn proofs(details: &[PlannedLine], subject: EntityId) -> Option<Vec<Chain>> {
    let is_about = |line: &&PlannedLine| line.entity == Some(subject) || line.subject == Some(subject);
    Some(details.iter().find(is_about)?.proofs.iter().take(PROOFS).copied().collect())
}

/// The leading condition, or the one that the question is about; `None` where the question asks only about the safety, the dose or the monitoring of
/// drugs. `is_related`: the details only tell what is known of what it names; `unasked`: the condition that is told beside what is asked.
pub(super) fn subject(input: &PlanInput<'_>, details: &[PlannedLine], (is_related, unasked): (bool, Option<EntityId>)) -> Option<EntityId> {
    let is_beside = |kind| {
        matches!(
            kind,
            AskKind::Safety
                | AskKind::Interactions
                | AskKind::Contraindications
                | AskKind::SideEffects
                | AskKind::Dose
                | AskKind::Monitoring
                | AskKind::Tests
        )
    };
    let seeks = input.evidence.seeks_diagnosis;
    if !is_related && !seeks && unasked.is_none() && !input.case.asks.is_empty() && input.case.asks.iter().all(|ask| is_beside(ask.kind)) {
        return None;
    }
    // Asked for causes of which none leads, the list is the answer.
    if seeks && input.asks(AskKind::Causes) && !summary::is_led(input) {
        return None;
    }
    // Nor is anybody cared for as having the first of many.
    if unspecific::is_unspecific(input) {
        return None;
    }
    let named = details.iter().find(|line| line.part == AnswerPart::Conditions && line.role.is_none()).and_then(|line| line.entity);
    let cared_for = || subjects::conditions(input).first().copied().or_else(|| details.first().and_then(|line| line.subject));
    named.filter(|_| seeks).or(unasked).or_else(cared_for)
}

/// What to do about what happened to the patient, where nothing else answers and no alarm says it: advice after a knock on the head.
pub(super) fn accident(input: &PlanInput<'_>) -> Option<PlannedLine> {
    let graph = &input.knowledge.graph;
    let told = input.case.conditions.iter().filter(|condition| condition.status.is_now());
    let mut happened = told.filter_map(|condition| named(graph, condition.entity.as_deref()?, ""));
    let subject = happened.find(|entity| matches!(graph.kind(*entity), Kind::RiskFactor))?;
    let key = if input.wording.is_chinese() { keys::ACTION_ZH } else { keys::ACTION };
    let attributes = graph.attributes(subject);
    let action = fitting(attributes.get(key)?, &input.case.patient);
    let action = action.trim_end_matches(['.', '。']);
    if is_said(input, action) || names_forbidden(input, action) {
        return None;
    }
    let text = input.wording.plan.care.replace("{subject}", &input.shown(subject)).replace("{care}", action);
    Some(PlannedLine { entity: Some(subject), subject: Some(subject), ..PlannedLine::saying(AnswerPart::Care, text) })
}

fn text(input: &PlanInput<'_>, subject: EntityId) -> Option<String> {
    let plan = &input.wording.plan;
    let attributes = input.knowledge.graph.attributes(subject);
    let [care, course, action] = match input.wording.is_chinese() {
        true => [keys::CARE_ZH, keys::COURSE_ZH, keys::ACTION_ZH],
        false => [keys::CARE, keys::COURSE, keys::ACTION],
    }
    .map(|key| attributes.get(key).map(|said| fitting(said, &input.case.patient).trim_end_matches(['.', '。']).to_owned()));
    let is_emergency = input.urgency.level == Some(UrgencyLevel::Emergency);
    // In an emergency only what is done matters, unless more is asked.
    let course = course.filter(|_| !is_emergency || input.asks(AskKind::Prognosis));
    let mut care = care?;
    // What is done first of all is said, also where nothing makes the case urgent, or something else does.
    let action = action.map(|action| if input.in_hospital { input.wording.in_hospital(&action) } else { action });
    if let Some(action) = action.filter(|action| !is_said(input, action) && !names_forbidden(input, action)) {
        care.insert_str(0, &format!("{action}{}", if input.wording.is_chinese() { "。" } else { ". " }));
    }
    let mut text = plan.care.replace("{subject}", &input.shown(subject)).replace("{care}", &care);
    text.extend(course.map(|course| plan.course.replace("{course}", &course)));
    Some(text)
}

impl Wording {
    /// An action as it is said where the patient is in hospital: senior help is called, and no ambulance.
    pub(crate) fn in_hospital(&self, action: &str) -> String {
        self.plan.in_hospital.iter().fold(action.to_owned(), |text, [words, instead]| text.replace(words.as_str(), instead))
    }
}

/// Whether the line above that says how urgent the case is says it already.
fn is_said(input: &PlanInput<'_>, action: &str) -> bool {
    input.urgency.text.as_deref().is_some_and(|text| text.contains(action))
}

/// Whether it names a drug that the case forbids: what the graph describes passes through no safety pass.
pub(super) fn names_forbidden(input: &PlanInput<'_>, action: &str) -> bool {
    let tokens = tokenise(action);
    let names = input.knowledge.graph.names();
    let named = (0..tokens.len()).filter_map(|at| names.longest_at(&tokens, at)).flat_map(|hit| hit.entities);
    named.into_iter().any(|(entity, _)| input.is_forbidden(entity))
}
