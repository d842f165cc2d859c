//! What to do where a dose was taken twice by mistake, as the graph describes it of drugs and of their classes (attributes `twice…`). Where the graph is
//! silent, somebody who knows is to be asked: silence is no reassurance.

use super::proof::{nearest_told, proof_of_kind};
use super::{PlanInput, PlannedLine};
use crate::graph::{EntityId, Role, qualifier_keys as keys};
use crate::language::knowledge::{Knowledge, named};
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::understand::using::UseTopic;
use crate::run::event::AnswerPart;
use crate::run::{Case, ConditionStatus, FindingStatus, ResultDirection, Urgency, UrgencyLevel, UrgencyReason, UrgencyReasonKind};

/// Below this age, in months, what is stated of children holds; from this age on, in months, whoever took too much asks somebody.
const CHILD: u16 = 12 * 12;
const OLD: u16 = 80 * 12;

/// What one dose too many calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// It is not expected to harm.
    Home,
    /// A pharmacist, a doctor or a poisons line is to be asked today.
    Ask,
    /// Help at once, even if the patient feels well.
    Emergency,
}

impl Level {
    fn of(stated: &str) -> Option<Self> {
        match stated {
            "home" => Some(Self::Home),
            "ask" => Some(Self::Ask),
            "emergency" => Some(Self::Emergency),
            _ => None,
        }
    }
}

/// The drug itself, or the nearest of its classes that does not except it, of which it is stated what one dose too many does.
fn stated(knowledge: &Knowledge, drug: EntityId) -> Option<EntityId> {
    let graph = &knowledge.graph;
    nearest_told(graph, drug, keys::TWICE_EXCEPT, |entity| graph.attributes(entity).get(keys::TWICE_LEVEL).is_some())
}

/// What one dose too many of a drug calls for in this patient.
fn level(knowledge: &Knowledge, stated: EntityId, case: &Case) -> Option<Level> {
    let patient = &case.patient;
    let attributes = knowledge.graph.attributes(stated);
    let of_adult = Level::of(attributes.get(keys::TWICE_LEVEL)?)?;
    let is_child = patient.age_months.is_some_and(|age| age.from < CHILD);
    // What no child is given is no small mistake in a child.
    let of_child = || attributes.get(keys::TWICE_CHILD).map_or(Some(Level::Emergency), Level::of).unwrap_or(Level::Emergency);
    let of_age = if is_child { of_adult.max(of_child()) } else { of_adult };
    Some(if is_frail(case) || has_more(knowledge, stated, case) { of_age.max(Level::Ask) } else { of_age })
}

/// Whether the patient has something that the drug does not treat.
fn has_more(knowledge: &Knowledge, drug: EntityId, case: &Case) -> bool {
    let is_now = ConditionStatus::is_now;
    let conditions = case.conditions.iter().filter(|condition| is_now(condition.status));
    let treated = |condition: EntityId| knowledge.facts().states(condition, drug, |role| role.is_treatment() || role == Role::Prevention);
    conditions.filter_map(|condition| named(&knowledge.graph, condition.entity.as_deref()?, "")).any(|condition| !treated(condition))
}

/// Whether the patient is one of those for whom a dose too many may matter although it does not otherwise: ill organs, pregnancy, great age, a complaint.
fn is_frail(case: &Case) -> bool {
    let patient = &case.patient;
    let is_expecting = patient.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant) || patient.breastfeeding;
    let is_old = patient.age_months.is_some_and(|age| age.to >= OLD);
    let is_ill = case.findings.iter().any(|finding| matches!(finding.status, FindingStatus::Present | FindingStatus::Uncertain));
    let is_abnormal = |direction| !matches!(direction, ResultDirection::Normal | ResultDirection::Negative);
    let has_results = case.results.iter().any(|result| is_abnormal(result.direction));
    is_expecting || is_old || is_ill || has_results || patient.renal.is_some() || patient.hepatic.is_some()
}

/// That it is an emergency, if one of the drugs was taken twice that must not be.
pub(crate) fn urgency(knowledge: &Knowledge, using: &[(UseTopic, Vec<EntityId>)], case: &Case, wording: &Wording) -> Option<Urgency> {
    let twice = using.iter().filter(|(topic, _)| *topic == UseTopic::Twice).flat_map(|(_, drugs)| drugs);
    let is_emergency = |drug: &&EntityId| stated(knowledge, **drug).and_then(|of| level(knowledge, of, case)) == Some(Level::Emergency);
    let drug = *twice.into_iter().find(is_emergency)?;
    let text = wording.plan.twice_alarm.replace("{drug}", &wording.name(&knowledge.graph, drug));
    let words = UrgencyReason { kind: UrgencyReasonKind::Words, ..UrgencyReason::default() };
    Some(Urgency { level: Some(UrgencyLevel::Emergency), text: Some(text), condition: None, because: vec![words] })
}

/// The line for a drug that was taken twice.
pub(super) fn line(input: &PlanInput<'_>, drug: EntityId) -> Option<PlannedLine> {
    // Nobody who has fainted is told to ask somebody today.
    let of_drug = stated(input.knowledge, drug).and_then(|of| level(input.knowledge, of, input.case));
    if input.urgency.level == Some(UrgencyLevel::Emergency) && of_drug != Some(Level::Emergency) {
        return None;
    }
    let not_held = || PlannedLine::saying(AnswerPart::Safety, input.wording.plan.twice_unknown.replace("{drug}", &input.shown(drug)));
    Some(described(input, drug).unwrap_or_else(not_held))
}

fn described(input: &PlanInput<'_>, drug: EntityId) -> Option<PlannedLine> {
    let plan = &input.wording.plan;
    let stated = stated(input.knowledge, drug)?;
    let template = match level(input.knowledge, stated, input.case)? {
        Level::Home => &plan.twice_home,
        Level::Ask => &plan.twice_ask,
        Level::Emergency => &plan.twice_emergency,
    };
    let attributes = input.knowledge.graph.attributes(stated);
    let chinese = usize::from(input.wording.is_chinese());
    let said = |keys: [&str; 2]| keys.get(chinese).and_then(|key| attributes.get(key)).map(|text| text.trim_end_matches(['.', '。']));
    let text = template.replace("{drug}", &input.shown(drug));
    let text = text.replace("{said}", said(keys::TWICE)?).replace("{next}", said(keys::TWICE_NEXT)?);
    Some(PlannedLine {
        entity: Some(drug),
        proofs: proof_of_kind(input.knowledge, drug, stated).into_iter().collect(),
        ..PlannedLine::saying(AnswerPart::Safety, text)
    })
}
