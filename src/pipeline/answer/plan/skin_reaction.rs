//! A rash under a drug that is known for a dangerous reaction of the skin, with fever or sore eyes, mouth or lips: the reaction stands above the answer,
//! whatever else would explain the parts of it.

use super::alarm::Alarm;
use crate::graph::{EntityId, Role};
use crate::language::knowledge::{Knowledge, named};
use crate::pipeline::differential::evidence::{CaseEvidence, explains};
use crate::run::{Case, CaseDrug, DrugStatus, FindingStatus, UrgencyLevel};
use crate::text::Token;

/// The reaction, and the rash with which it begins.
const REACTION: &str = "Stevens-Johnson syndrome";
const RASH: &str = "Rash";
/// How its sore eyes, mouth and lips are told besides.
const SORE: [&str; 4] = ["Eye pain", "Burning feeling in the mouth", "Cold sores", "Painful swallowing"];
/// What it has that is too common to speak for it.
const COMMON: [&str; 3] = ["Fatigue", RASH, "Rash after a new medicine"];
/// Of a drug that has been taken longer than so many days it is hardly to be feared.
const BEGINS_WITHIN: f64 = 180.0;
/// What says that a drug of which is asked whether to take it is taken: "do I keep taking", "should I continue", 要停.
const GOES_ON: [&str; 10] = ["keep", "continue", "carry", "still", "stay", "stop", "stopping", "taking", "停", "继"];
/// How many words before it.
const WITHIN: usize = 5;

/// The dangerous reaction of the skin that the case may be; `None` without a drug that is stated to cause it by itself, a rash, and one more sign of it.
pub(super) fn skin_reaction(
    (knowledge, alarm): (&Knowledge, &Alarm<'_>),
    (tokens, case): (&[Token], &Case),
    evidence: &CaseEvidence,
) -> Option<EntityId> {
    let (graph, facts) = (&knowledge.graph, knowledge.facts());
    let find = |name: &str| named(graph, name, "");
    let (reaction, rash) = (find(REACTION)?, find(RASH)?);
    let present = case.findings.iter().filter(|finding| finding.status == FindingStatus::Present);
    let told: Vec<EntityId> = present
        .filter_map(|finding| finding.entity.as_deref())
        .chain(case.results.iter().filter_map(|result| result.finding.as_deref()))
        .filter_map(find)
        .collect();
    let is_rash = |finding: &EntityId| {
        let is_kind = || facts.states(*finding, rash, |role| role == Role::Broader);
        *finding == rash || is_kind() && explains(knowledge, reaction, *finding)
    };
    let is_sign = |finding: &EntityId| {
        let name = graph.entity_name(*finding);
        SORE.contains(&name) || (!COMMON.contains(&name) && !is_rash(finding) && explains(knowledge, reaction, *finding))
    };
    // "Can I take lamotrigine?": what is only considered has done nothing.
    let is_going_on = |drug: &CaseDrug| {
        let at = tokens.iter().position(|token| token.start >= drug.start && token.end > drug.start).unwrap_or(0);
        tokens.get(at.saturating_sub(WITHIN)..at).unwrap_or_default().iter().any(|token| GOES_ON.contains(&token.text.as_str()))
    };
    let is_taken = |drug: &&CaseDrug| match drug.status {
        DrugStatus::Taken | DrugStatus::New => drug.days.is_none_or(|days| days <= BEGINS_WITHIN),
        DrugStatus::Proposed => is_going_on(drug),
        DrugStatus::Stopped | DrugStatus::Allergic => false,
    };
    let causes = |drug: EntityId| {
        facts.states(reaction, drug, |role| role == Role::Cause) || facts.states(drug, reaction, |role| role == Role::AdverseEffect)
    };
    let mut drugs = case.drugs.iter().filter(is_taken).filter_map(|drug| find(drug.entity.as_deref()?));
    // A clear picture of something else (shingles on one side) explains its rash.
    let other = evidence.recognised.filter(|other| evidence.is_clear && *other != reaction);
    let is_of_other = other.is_some_and(|other| told.iter().any(|finding| is_rash(finding) && explains(knowledge, other, *finding)));
    let is_like_it = told.iter().any(is_rash) && told.iter().any(is_sign) && drugs.any(causes);
    let is_emergency = alarm.of_condition(reaction) == Some(UrgencyLevel::Emergency) && !evidence.excluded.contains(&reaction);
    (is_like_it && is_emergency && !is_of_other).then_some(reaction)
}
