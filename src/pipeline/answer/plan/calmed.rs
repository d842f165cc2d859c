//! What takes the alarm from a sign that is urgent by itself: a harmless condition that the question names and that explains it, an illness that is known
//! and of which it is a mild sign, and a value that has long been so. Nothing takes it from an emergency that something else of the case makes.

use super::alarm::Alarm;
use super::alone::is_routine_alone;
use crate::graph::{EntityId, qualifier_keys as keys};
use crate::language::knowledge::{Knowledge, named};
use crate::language::lab::is_mild;
use crate::pipeline::differential::evidence::{CaseEvidence, explains, urgency_of};
use crate::pipeline::differential::under_care::belongs;
use crate::pipeline::understand::course::Course;
use crate::run::{AskKind, Case, CaseResult, ConditionStatus, DrugStatus, FindingStatus, UrgencyLevel};

/// Below these temperatures, in degrees Celsius and Fahrenheit, a fever is moderate.
const MODERATE: (f64, f64) = (39.5, 103.1);
/// What the graph calls kidneys that have long been ill.
const KIDNEY_DISEASE: &str = "Chronic kidney disease";
/// What the graph calls a fever, told or measured.
const FEVERS: [&str; 2] = ["Fever", "High body temperature"];
/// Up to this age, in months, a fever calms nobody.
const INFANT: u16 = 12;

/// What calms in a case.
pub(super) struct Calmed<'a> {
    pub(super) knowledge: &'a Knowledge,
    pub(super) case: &'a Case,
    pub(super) alarm: &'a Alarm<'a>,
    pub(super) course: &'a Course,
    pub(super) evidence: &'a CaseEvidence,
    pub(super) leader: Option<EntityId>,
}

impl Calmed<'_> {
    /// Whether a sign is no reason for haste here. `told`: what the case tells.
    pub(super) fn calms(&self, sign: EntityId, told: &[EntityId]) -> bool {
        if self.alarm.of_finding(sign) == Some(UrgencyLevel::Emergency) || self.case.results.iter().any(|result| result.critical) {
            return false;
        }
        self.is_of_harmless(sign, told)
            || self.is_of_known(sign)
            || self.is_unchanged(sign)
            || self.is_of_drug_question(sign, told)
            || self.is_ended_fever(sign)
    }

    fn find(&self, name: &Option<String>) -> Option<EntityId> {
        name.as_deref().and_then(|name| named(&self.knowledge.graph, name, ""))
    }

    /// The results that are this finding.
    fn results(&self, sign: EntityId) -> Vec<&CaseResult> {
        self.case.results.iter().filter(|result| self.find(&result.finding) == Some(sign)).collect()
    }

    /// Whether a complaint tells it, and no mere value.
    fn is_complaint(&self, sign: EntityId) -> bool {
        let is_told = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
        self.case.findings.iter().any(|finding| is_told(finding.status) && self.find(&finding.entity) == Some(sign))
    }

    fn is_pregnant(&self) -> bool {
        self.case.patient.is_pregnant_or_postpartum()
    }

    /// Whether a harmless condition explains it and all else that is told and calls for haste: one that the question names (cherry spots), or whose clear
    /// picture leads (a baby who is teething).
    fn is_of_harmless(&self, sign: EntityId, told: &[EntityId]) -> bool {
        let is_now = ConditionStatus::is_now;
        let of_case = self.case.conditions.iter().filter(|condition| is_now(condition.status));
        let pictured = self.leader.filter(|leader| self.evidence.is_clear && self.evidence.recognised == Some(*leader));
        let mut harmless = of_case
            .filter_map(|condition| self.find(&condition.entity))
            .chain(pictured)
            .filter(|condition| self.knowledge.graph.attributes(*condition).get(keys::HARMLESS).is_some());
        let is_grave = |finding: &EntityId| matches!(urgency_of(self.knowledge, *finding), Some("emergency" | "urgent"));
        harmless.any(|condition| {
            explains(self.knowledge, condition, sign)
                && told.iter().filter(|finding| is_grave(finding)).all(|finding| explains(self.knowledge, condition, *finding))
        })
    }

    /// Whether it is what the patient is known to have for long, told by a test that is positive (HBsAg, in a carrier), or a mild sign of a slight acute
    /// illness that he is known to have (a temperature of 38.5 in a cold), where no drug and no other illness may be behind it.
    fn is_of_known(&self, sign: EntityId) -> bool {
        let results = self.results(sign);
        let conditions = self.case.conditions.iter().filter(|condition| condition.status == ConditionStatus::Known);
        let mut known = conditions.filter_map(|condition| self.find(&condition.entity));
        let is_slight = |condition: EntityId| {
            let is_acute = self.knowledge.graph.attributes(condition).get(keys::ONSET) == Some("acute");
            is_acute && !matches!(self.alarm.of_condition(condition), Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent))
        };
        // A fever in Crohn's disease, or with infliximab, is none that the illness explains.
        let mut had = self.case.conditions.iter().filter(|condition| condition.status != ConditionStatus::Excluded);
        let takes = |status| !matches!(status, DrugStatus::Proposed | DrugStatus::Allergic);
        let is_slightly_ill = had.all(|condition| self.find(&condition.entity).is_some_and(is_slight))
            && !self.case.drugs.iter().any(|drug| takes(drug.status));
        let is_long = || self.knowledge.graph.attributes(sign).get(keys::LASTING) == Some("long_term");
        let is_infant = self.case.patient.age_months.is_some_and(|age| age.to < INFANT);
        let is_moderate = |result: &&CaseResult| {
            let limit = if result.unit.as_deref().is_some_and(|unit| unit.contains('F')) { MODERATE.1 } else { MODERATE.0 };
            is_mild(result) || (result.test == "temperature" && result.value.is_some_and(|value| value < limit))
        };
        let is_mild_sign = is_slightly_ill
            && !results.is_empty()
            && results.iter().all(is_moderate)
            && is_routine_alone(self.knowledge, sign)
            && !is_infant
            && !self.is_pregnant();
        known.any(|condition| {
            if condition == sign {
                return !results.is_empty() && !self.is_complaint(sign) && is_long() && !self.course.changes();
            }
            is_mild_sign && explains(self.knowledge, condition, sign)
        })
    }

    /// Whether it is how the kidneys work, or an infection carried for long, and only a test tells it beside a question about drugs, or in somebody whose kidney
    /// disease is known: the answer weighs it, and it is most likely not new.
    fn is_of_drug_question(&self, sign: EntityId, told: &[EntityId]) -> bool {
        use AskKind::{Contraindications, Dose, Interactions, Monitoring, Prevention, Prognosis, Safety, SideEffects};
        let graph = &self.knowledge.graph;
        let is_drug_ask =
            |kind| matches!(kind, Safety | Interactions | Contraindications | SideEffects | Dose | Prevention | Monitoring | Prognosis);
        let asks = &self.case.asks;
        let is_of_drugs = !asks.is_empty() && asks.iter().all(|ask| is_drug_ask(ask.kind));
        let has_kidney_disease = self
            .case
            .conditions
            .iter()
            .any(|condition| condition.status == ConditionStatus::Known && condition.entity.as_deref() == Some(KIDNEY_DISEASE));
        let is_of_kidneys = self.evidence.states.contains(&sign);
        let is_carried = graph.attributes(sign).get(keys::LASTING) == Some("long_term");
        let is_grave = |finding: &EntityId| matches!(urgency_of(self.knowledge, *finding), Some("emergency" | "urgent"));
        let is_only = told.iter().filter(|finding| **finding != sign).all(|finding| !is_grave(finding));
        let counts =
            (is_of_drugs && (is_of_kidneys || is_carried)) || (is_of_kidneys && has_kidney_disease && !self.evidence.seeks_diagnosis);
        counts && is_only && !self.results(sign).is_empty() && !self.is_complaint(sign) && !self.is_pregnant() && !self.course.changes()
    }

    /// Whether it is a fever that is over, in somebody who takes no drug that may hide it: 高烧三天，今天烧退了.
    fn is_ended_fever(&self, sign: EntityId) -> bool {
        FEVERS.contains(&self.knowledge.graph.entity_name(sign))
            && self.course.is_fever_over()
            && !self.case.drugs.iter().any(|drug| drug.status.is_in_use())
            && !self.is_pregnant()
    }

    /// Whether values tell it that are said to have long been so, or are mild and of what a drug in use treats, where no complaint is told: a pressure of
    /// 154/92 on amlodipine.
    fn is_unchanged(&self, sign: EntityId) -> bool {
        let results = self.results(sign);
        let complains = self.case.findings.iter().any(|finding| finding.status == FindingStatus::Present);
        let is_treated = || {
            !complains
                && !self.course.changes()
                && is_routine_alone(self.knowledge, sign)
                && results.iter().all(|result| is_mild(result))
                && belongs(self.knowledge, self.case, &[], sign)
        };
        !results.is_empty() && !self.is_pregnant() && (results.iter().all(|result| self.course.is_unchanged(result.start)) || is_treated())
    }
}
