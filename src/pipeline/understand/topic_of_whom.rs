//! Of whom the thing is that a question asks a topic of: of the patient, of a relative, or of nobody.

use crate::graph::{EntityId, EvolvingGraph, Kind};
use crate::run::{Case, ConditionStatus, FindingStatus};

/// Whether an illness is told of the family alone.
pub(super) fn is_of_kin(case: &Case, name: &str) -> bool {
    let is_it = |entity: &Option<String>| entity.as_deref() == Some(name);
    let is_told = case.findings.iter().any(|finding| is_it(&finding.entity) && finding.status == FindingStatus::FamilyHistory);
    is_told && !case.conditions.iter().any(|condition| is_it(&condition.entity) && condition.status == ConditionStatus::Known)
}

/// Whether all that is said of an illness or complaint is that the patient does not have it: it is ruled out, or was looked for and not found.
pub(super) fn is_denied(case: &Case, name: &str) -> bool {
    let is_it = |entity: &Option<String>| entity.as_deref() == Some(name);
    let conditions = case.conditions.iter().filter(|condition| is_it(&condition.entity));
    let conditions = conditions.map(|condition| condition.status == ConditionStatus::Excluded);
    let findings = case.findings.iter().filter(|finding| is_it(&finding.entity));
    let mut said = conditions.chain(findings.map(|finding| finding.status == FindingStatus::Absent)).peekable();
    said.peek().is_some() && said.all(|is_denied| is_denied)
}

/// Whether what a question names is there in nobody or in somebody else: "no head injury", "HIV negative", a relative's, "to prevent a stroke".
/// What is told of two things together is told where the patient has both.
pub(super) fn is_nobodys(graph: &EvolvingGraph, case: &Case, entity: EntityId) -> bool {
    let name = graph.entity_name(entity);
    // An illness among the findings that is not sure is a mere risk.
    let is_illness = matches!(graph.kind(entity), Kind::Disease);
    let is_seen = |status| status == FindingStatus::Present || (status == FindingStatus::Uncertain && !is_illness);
    let conditions = || case.conditions.iter().filter(|of| of.entity.as_deref() == Some(name));
    let findings = || case.findings.iter().filter(|of| of.entity.as_deref() == Some(name));
    let is_there = conditions().any(|of| of.status != ConditionStatus::Excluded) || findings().any(|of| is_seen(of.status));
    !is_there && (conditions().next().is_some() || findings().next().is_some())
}
