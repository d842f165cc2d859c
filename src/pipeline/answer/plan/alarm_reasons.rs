//! What raised an alarm: of a case that is urgent or an emergency, what of it makes it so. It is said in the alarm's own line and when
//! somebody asks why the line is there.

use super::alarm::{Alarm, Company};
use crate::graph::{EntityId, Role, classes_of};
use crate::language::knowledge::Knowledge;
use crate::pipeline::answer::wording::{RAISED, Wording};
use crate::pipeline::differential::evidence::{CaseEvidence, explains};
use crate::run::{Case, UrgencyLevel, UrgencyReason, UrgencyReasonKind};

/// Finds what raised an alarm.
pub(super) struct Raised<'a> {
    pub(super) knowledge: &'a Knowledge,
    pub(super) case: &'a Case,
    pub(super) evidence: &'a CaseEvidence,
    pub(super) alarm: &'a Alarm<'a>,
    pub(super) wording: &'a Wording,
}

impl Raised<'_> {
    /// What of the case speaks for a condition because of which somebody must act: what makes it an emergency, its red flags and what is
    /// dangerous by itself, then what else it explains, the drugs that can cause it, and that the question names it.
    pub(super) fn by_condition(&self, condition: EntityId, level: UrgencyLevel, told: &[EntityId]) -> Vec<UrgencyReason> {
        let facts = self.knowledge.facts();
        let mut reasons = if level == UrgencyLevel::Emergency { self.by_company(condition) } else { Vec::new() };
        let explained = told.iter().copied().filter(|finding| *finding != condition && explains(self.knowledge, condition, *finding));
        let mut explained: Vec<(UrgencyReasonKind, EntityId)> = explained
            .map(|finding| {
                let is_flag = facts.states(condition, finding, |role| role == Role::RedFlag);
                let is_danger = self.alarm.of_finding(finding) == Some(UrgencyLevel::Emergency);
                let kind = match (is_flag, is_danger) {
                    (true, _) => UrgencyReasonKind::RedFlag,
                    (false, true) => UrgencyReasonKind::Danger,
                    (false, false) => UrgencyReasonKind::Finding,
                };
                (kind, finding)
            })
            .collect();
        explained.sort_by_key(|(kind, _)| *kind == UrgencyReasonKind::Finding);
        reasons.extend(explained.into_iter().map(|(kind, finding)| self.entity(kind, finding)));
        let drugs = self.evidence.causing(self.knowledge, condition);
        reasons.extend(drugs.into_iter().map(|drug| self.entity(UrgencyReasonKind::Drug, drug)));
        let name = self.knowledge.graph.entity_name(condition);
        if self.case.conditions.iter().any(|told| told.entity.as_deref() == Some(name)) {
            reasons.push(self.entity(UrgencyReasonKind::Named, condition));
        }
        results_in_sight(each_once(reasons), |reason| {
            self.case.results.iter().any(|result| result.finding.is_some() && result.finding == reason.entity)
        })
    }

    /// The same of a finding that is dangerous by itself, or with what stands beside it.
    pub(super) fn by_finding(&self, finding: EntityId, level: UrgencyLevel) -> Vec<UrgencyReason> {
        let mut reasons = vec![self.entity(UrgencyReasonKind::Danger, finding)];
        if level == UrgencyLevel::Emergency {
            reasons.extend(self.by_company(finding));
        }
        each_once(reasons)
    }

    fn by_company(&self, of: EntityId) -> Vec<UrgencyReason> {
        let reason = |company| match company {
            Company::Entity(entity) => Some(self.entity(UrgencyReasonKind::Company, entity)),
            Company::Word(word) => {
                let text = self.wording.raised.of_word(&word)?.to_owned();
                Some(UrgencyReason { kind: UrgencyReasonKind::Company, text, entity: None })
            }
        };
        let company = self.alarm.company(of);
        // Chest pain is no reason of its own where pleuritic chest pain is one.
        let kinds: Vec<EntityId> =
            company.iter().filter_map(|one| if let Company::Entity(entity) = one { Some(*entity) } else { None }).collect();
        let is_class = |entity: EntityId| kinds.iter().any(|kind| classes_of(&self.knowledge.graph, *kind).contains(&entity));
        let is_own = |one: &Company| !matches!(one, Company::Entity(entity) if is_class(*entity));
        company.into_iter().filter(is_own).filter_map(reason).collect()
    }

    fn entity(&self, kind: UrgencyReasonKind, entity: EntityId) -> UrgencyReason {
        let graph = &self.knowledge.graph;
        UrgencyReason { kind, text: self.wording.name(graph, entity), entity: Some(graph.entity_name(entity).to_owned()) }
    }
}

/// Where more is told than the alarm's line names, an abnormal result comes before complaints, and the first one is named in any case.
fn results_in_sight(mut reasons: Vec<UrgencyReason>, is_result: impl Fn(&UrgencyReason) -> bool) -> Vec<UrgencyReason> {
    if reasons.iter().filter(|reason| !matches!(reason.kind, UrgencyReasonKind::Named)).count() <= RAISED {
        return reasons;
    }
    // Complaints and drugs follow what is graver by itself; the sort keeps the order within each.
    let rank = |reason: &UrgencyReason| match reason.kind {
        UrgencyReasonKind::Finding if is_result(reason) => 1,
        UrgencyReasonKind::Finding => 2,
        UrgencyReasonKind::Drug | UrgencyReasonKind::Named => 3,
        _ => 0,
    };
    reasons.sort_by_key(rank);
    if let Some(at) = reasons.iter().position(&is_result).filter(|at| *at >= RAISED) {
        let result = reasons.remove(at);
        reasons.insert(RAISED - 1, result);
    }
    reasons
}

/// Each fact once, as what counts most.
fn each_once(reasons: Vec<UrgencyReason>) -> Vec<UrgencyReason> {
    let mut once: Vec<UrgencyReason> = Vec::new();
    for reason in reasons {
        if !once.iter().any(|known| known.text == reason.text) {
            once.push(reason);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_named_before_complaints_where_the_line_is_cut() {
        let of = |kind, text: &str| UrgencyReason { kind, text: text.into(), entity: Some(text.into()) };
        let order = |reasons: &[(UrgencyReasonKind, &str)]| {
            let reasons = reasons.iter().map(|(kind, text)| of(*kind, text)).collect();
            let sorted = results_in_sight(reasons, |reason| reason.text.starts_with("Hyper"));
            sorted.into_iter().map(|reason| reason.text).collect::<Vec<_>>().join(" ")
        };
        use UrgencyReasonKind::{Drug, Finding, RedFlag};
        assert_eq!(
            order(&[(Finding, "Fatigue"), (Finding, "Pain"), (Finding, "Loss"), (Finding, "Hypercalcaemia")]),
            "Hypercalcaemia Fatigue Pain Loss"
        );
        // Red flags stay in front, and one of four gives way.
        assert_eq!(
            order(&[(RedFlag, "A"), (RedFlag, "B"), (RedFlag, "C"), (Finding, "D"), (Finding, "Hyperkalaemia")]),
            "A B Hyperkalaemia C D"
        );
        // Nothing is cut: nothing is moved.
        assert_eq!(order(&[(Finding, "Fatigue"), (Drug, "Digoxin"), (Finding, "Hyperkalaemia")]), "Fatigue Digoxin Hyperkalaemia");
        assert_eq!(order(&[(Finding, "A"), (Finding, "B"), (Finding, "C"), (Finding, "D")]), "A B C D");
    }
}
