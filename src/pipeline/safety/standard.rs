//! Interactions of what doctors give together in an illness of the patient (`standard_in`): aspirin with clopidogrel, in a heart attack. They stay a caution,
//! but come behind the others, and behind the treatment where that is asked for; as long as the patient shows no harm that one of the two may have done.

use super::states::PatientStates;
use crate::graph::{EntityId, EvolvingGraph, Qualifiers, Role, qualifier_keys as keys, statements_between};
use crate::run::FindingStatus;
use crate::run::case::Case;

/// What the case tells that a drug may have done: complaints, results, and illnesses.
pub(super) fn told(graph: &EvolvingGraph, case: &Case) -> Vec<EntityId> {
    let findings = case.findings.iter().filter(|of| matches!(of.status, FindingStatus::Present | FindingStatus::Uncertain));
    let conditions = case.conditions.iter().filter(|of| of.status.is_now());
    let told = findings.map(|of| &of.entity).chain(case.results.iter().map(|of| &of.finding)).chain(conditions.map(|of| &of.entity));
    told.filter_map(|name| graph.find(name.as_deref()?)).collect()
}

/// The illness of the patient in which two drugs are given together; `None` where there is none, or where one of them may have done what is told and does
/// not come of the illness: a bleed.
pub(super) fn standard_in(
    graph: &EvolvingGraph,
    states: &PatientStates,
    qualifiers: &Qualifiers,
    drugs: [EntityId; 2],
) -> Option<EntityId> {
    let is_ill = |of: &EntityId| states.illnesses.iter().any(|(illness, _)| illness == of);
    let illness = qualifiers.list(keys::STANDARD_IN).filter_map(|name| graph.find(name)).find(is_ill)?;
    let is_stated = |a: EntityId, b: EntityId, is_it: fn(Role) -> bool| !statements_between(graph, a, b, is_it).is_empty();
    let comes_of_illness = |harm: EntityId| harm == illness || is_stated(illness, harm, Role::is_feature);
    let is_harm = |harm: EntityId| drugs.iter().any(|drug| is_stated(*drug, harm, |role| role == Role::AdverseEffect));
    (!states.told.iter().any(|harm| !comes_of_illness(*harm) && is_harm(*harm))).then_some(illness)
}
