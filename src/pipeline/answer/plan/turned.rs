//! A known illness that has turned into an emergency comes before what it brings about.

use super::alarm::{Alarm, Company};
use super::instability::{LOW_PRESSURE, brings_this, is_racing};
use crate::graph::EntityId;
use crate::language::knowledge::{Knowledge, named};
use crate::pipeline::differential::evidence::explains;
use crate::run::{Case, ConditionStatus, UrgencyLevel};

/// How much of the case it must account for.
const ACCOUNTED: usize = 2;

/// What the patient is known to have, where it is an emergency in this case, the pressure is low, the heart races and it accounts for as much as what leads: not the
/// shock of the heart before the atrial fibrillation at 168 that makes it.
pub(super) fn turned(
    knowledge: &Knowledge,
    alarm: &Alarm<'_>,
    case: &Case,
    leader: Option<EntityId>,
    findings: &[EntityId],
) -> Option<EntityId> {
    // Beside signs of a stroke the rhythm is not what comes first.
    let failing = knowledge.graph.find(LOW_PRESSURE).filter(|failing| findings.contains(failing))?;
    let is_told = |leader: &EntityId| {
        let name = Some(knowledge.graph.entity_name(*leader));
        case.conditions.iter().any(|condition| condition.entity.as_deref() == name)
    };
    if leader.is_some_and(|leader| is_told(&leader) || !explains(knowledge, leader, failing)) {
        return None;
    }
    let accounts = |condition: EntityId, finding: EntityId| {
        explains(knowledge, condition, finding) || alarm.company(condition).contains(&Company::Entity(finding))
    };
    let count = |condition: EntityId| findings.iter().filter(|finding| accounts(condition, **finding)).count();
    let is_fast = is_racing(case);
    let known = case.conditions.iter().filter(|condition| condition.status == ConditionStatus::Known);
    let mut known = known.filter_map(|condition| named(&knowledge.graph, condition.entity.as_deref()?, ""));
    // The shock that comes of it explains more of the case, and is treated by treating it.
    let makes = |condition: EntityId, leader: EntityId| brings_this(knowledge, leader, condition);
    // "AF with haemodynamic instability": nothing else is told.
    let is_alone = findings.len() == 1 && case.results.is_empty();
    known.find(|condition| {
        let is_graver = match leader {
            Some(leader) if is_fast => count(*condition) >= ACCOUNTED && (makes(*condition, leader) || count(*condition) >= count(leader)),
            _ => is_alone && alarm.company(*condition).iter().any(|company| matches!(company, Company::Entity(_))),
        };
        alarm.of_condition(*condition) == Some(UrgencyLevel::Emergency) && is_graver
    })
}
