//! What a normal result rules out, and what is told all the same.

use super::evidence::{CaseEvidence, Standing};
use crate::graph::{EntityId, Kind, Role};
use crate::language::knowledge::Knowledge;

/// A sign that at most so many conditions have speaks for one of them whatever a measure says: one that is seen, and one that is measured.
pub(super) const SEEN_IN_FEW: usize = 9;
const MEASURED_IN_FEW: usize = 3;

/// What remains of a kind of what is absent.
const KIND_OF_ABSENT: f64 = 0.2;

impl CaseEvidence {
    /// Whether a normal result rules a condition out: it is what was measured, or a kind of that. Never what the question is about, nor
    /// where a sign of it is told that few conditions have: a known pernicious anaemia under treatment, lost vibration sense.
    pub(crate) fn is_ruled_out(&self, knowledge: &Knowledge, condition: EntityId) -> bool {
        let is_out = |entity: &EntityId| self.ruled_out.contains(entity);
        let is_measured = !self.ruled_out.is_empty()
            && (is_out(&condition) || knowledge.facts().players_of_role(condition, Role::Broader).any(|of| is_out(&of)));
        is_measured && self.standing(condition) != Standing::Subject && !self.is_told_otherwise(knowledge, condition)
    }

    /// What remains of a condition's score for what it is a kind of, where a result speaks against that or the question denies it: a normal BNP speaks
    /// against each kind of heart failure. A kind of which a telling sign is there, or that is asked about, keeps all.
    pub(super) fn by_absent_class(&self, knowledge: &Knowledge, condition: EntityId) -> f64 {
        let is_disease = |class: &EntityId| *knowledge.graph.kind(*class) == Kind::Disease;
        let mut classes = knowledge.facts().players_of_role(condition, Role::Broader).filter(is_disease);
        let is_absent = !self.absent.is_empty() && classes.any(|class| self.absent.contains(&class));
        let is_asked = self.standing(condition) == Standing::Subject;
        if is_absent && !is_asked && !self.is_told_otherwise(knowledge, condition) { KIND_OF_ABSENT } else { 1.0 }
    }

    /// Whether the case tells a sign of a condition that few conditions have.
    pub(super) fn is_told_otherwise(&self, knowledge: &Knowledge, condition: EntityId) -> bool {
        let facts = knowledge.facts();
        let is_sure = |(finding, standing): &(&EntityId, &Standing)| **standing == Standing::Finding && !self.uncertain.contains(finding);
        let is_sign = |finding: EntityId| facts.states(condition, finding, |role| matches!(role, Role::Symptom | Role::RedFlag));
        let mut told = self.standing.iter().filter(is_sure).map(|(finding, _)| *finding);
        let most = |finding: &EntityId| {
            let is_seen = *knowledge.graph.kind(*finding) == Kind::Symptom && !self.of_results.contains(finding);
            if is_seen { SEEN_IN_FEW } else { MEASURED_IN_FEW }
        };
        told.any(|finding| {
            finding != condition && is_sign(finding) && facts.owners_of_role(finding, Role::Symptom).count() <= most(&finding)
        })
    }
}
