//! Complaints that say little: one or two that many conditions share (tiredness, dizziness), with nothing else told. No condition leads then; what is asked
//! and tested next is said first, and nobody is treated for the first of many guesses.

use super::{PlanInput, PlannedLine, conditions};
use crate::graph::{EntityId, Role};
use crate::run::event::AnswerPart;
use crate::run::{FindingStatus, UrgencyLevel};

/// The most complaints that say little together.
const FEW: usize = 2;
/// A complaint of more conditions than these speaks for none of them by itself.
const SHARED: usize = 70;
/// What is offered all the same helps with so many of the conditions that are named.
const SEVERAL: usize = 2;

/// Whether nothing is told but one or two complaints that many conditions share, and neither a clear picture, nor a risk, nor an emergency speaks for one.
pub(super) fn is_unspecific(input: &PlanInput<'_>) -> bool {
    let (case, evidence, facts) = (input.case, input.evidence, input.knowledge.facts());
    let is_family = case.findings.iter().any(|finding| finding.status == FindingStatus::FamilyHistory);
    let is_more_told = !case.results.is_empty()
        || !case.drugs.is_empty()
        || !case.conditions.is_empty()
        || is_family
        || case.patient.is_pregnant_or_postpartum();
    let is_pressing = input.urgency.level == Some(UrgencyLevel::Emergency);
    if !evidence.seeks_diagnosis || is_more_told || is_pressing {
        return false;
    }
    let findings = input.findings();
    let is_shared = |finding: &EntityId| facts.owners_of_role(*finding, Role::Symptom).count() > SHARED;
    if findings.is_empty() || findings.len() > FEW || !findings.iter().all(is_shared) {
        return false;
    }
    let (named, _) = conditions::differential(input);
    let is_supported = |leader: &conditions::Account| !leader.made_likelier_by.is_empty() || evidence.recognised == Some(leader.condition);
    named.first().is_some_and(|leader| !is_supported(leader))
}

/// Whether a treatment helps with several of the conditions that are named, so that it is offered whichever it is: paracetamol, for a headache.
pub(super) fn helps_several(input: &PlanInput<'_>, treatment: EntityId) -> bool {
    let facts = input.knowledge.facts();
    let (named, _) = conditions::differential(input);
    let is_of = |condition: EntityId| facts.states(condition, treatment, |role| matches!(role, Role::FirstLine | Role::Treatment));
    named.iter().filter(|account| is_of(account.condition)).count() >= SEVERAL
}

/// What to ask and to test before one of many conditions is named.
pub(super) fn line(input: &PlanInput<'_>) -> Option<PlannedLine> {
    is_unspecific(input).then(|| PlannedLine::saying(AnswerPart::Summary, input.wording.plan.unspecific.clone()))
}
