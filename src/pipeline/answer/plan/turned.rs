//! A known illness that has turned into an emergency comes before what it brings about.

use super::alarm::{Alarm, Company};
use crate::graph::EntityId;
use crate::language::knowledge::{Knowledge, named};
use crate::pipeline::differential::evidence::explains;
use crate::run::{Case, ConditionStatus, UrgencyLevel};

/// How much of the case it must account for.
const ACCOUNTED: usize = 2;

/// What the patient is known to have, where it is an emergency in this case, the heart races and it accounts for as much as what leads: not the
/// shock of the heart before the atrial fibrillation at 168 that makes it.
pub(super) fn turned(
    knowledge: &Knowledge,
    alarm: &Alarm<'_>,
    case: &Case,
    leader: Option<EntityId>,
    findings: &[EntityId],
) -> Option<EntityId> {
    let is_told = |leader: &EntityId| {
        let name = Some(knowledge.graph.entity_name(*leader));
        case.conditions.iter().any(|condition| condition.entity.as_deref() == name)
    };
    let leader = leader.filter(|leader| !is_told(leader))?;
    let accounts = |condition: EntityId, finding: EntityId| {
        explains(knowledge, condition, finding) || alarm.company(condition).contains(&Company::Entity(finding))
    };
    let count = |condition: EntityId| findings.iter().filter(|finding| accounts(condition, **finding)).count();
    let is_fast = case.results.iter().any(|result| result.critical && result.test == "pulse");
    let known = case.conditions.iter().filter(|condition| condition.status == ConditionStatus::Known);
    let mut known = known.filter_map(|condition| named(&knowledge.graph, condition.entity.as_deref()?, ""));
    known.find(|condition| {
        is_fast && alarm.of_condition(*condition) == Some(UrgencyLevel::Emergency) && count(*condition) >= count(leader).max(ACCOUNTED)
    })
}
