//! The emergency behind a low blood pressure: a bleeding, a sepsis, an anaphylaxis that is told stands above the answer with what to do for it, and the
//! pressure only beside it.

use super::alarm::{Alarm, Company};
use super::instability::LOW_PRESSURE;
use crate::graph::{EntityId, Role};
use crate::language::knowledge::Knowledge;
use crate::pipeline::differential::evidence::explains;
use crate::run::{Case, CaseCondition, UrgencyLevel};

/// The emergency behind a low pressure: of the conditions that decide the urgency, one that the case names as there or suspected; one that explains the
/// pressure comes before any other. `finding`: what raises the alarm; `None` if that is no low pressure. `any`: whether a condition that does not explain
/// the pressure counts, too.
pub(super) fn behind_pressure(
    (knowledge, alarm): (&Knowledge, &Alarm<'_>),
    case: &Case,
    conditions: &[EntityId],
    (finding, any): (EntityId, bool),
) -> Option<EntityId> {
    let low = knowledge.graph.find(LOW_PRESSURE).filter(|low| *low == finding)?;
    let is_there = |of: &CaseCondition| of.status.is_now();
    let is_told = |condition: &EntityId| {
        let name = Some(knowledge.graph.entity_name(*condition));
        case.conditions.iter().any(|of| is_there(of) && of.entity.as_deref() == name)
    };
    let is_emergency = |condition: &EntityId| alarm.of_condition(*condition) == Some(UrgencyLevel::Emergency);
    let brings = |condition: EntityId| {
        explains(knowledge, condition, low)
            || knowledge.facts().states(condition, low, |role| matches!(role, Role::RedFlag | Role::Complication))
            || alarm.company(condition).contains(&Company::Entity(low))
    };
    let told: Vec<EntityId> = conditions.iter().copied().filter(is_told).filter(is_emergency).collect();
    let first = told.iter().copied().find(|condition| brings(*condition));
    first.or_else(|| told.first().copied().filter(|_| any))
}
