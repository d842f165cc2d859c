//! What a value means by how far it is from normal, where the question tells of results and of no complaint: then no list of all that may raise a potassium
//! of 5.6 mmol/l is told, nor how each of it is treated.

use std::collections::BTreeSet;

use super::{PlanInput, PlannedLine, conditions};
use crate::graph::{EntityId, Kind, classes_of};
use crate::language::knowledge::{Knowledge, named};
use crate::language::lab::{Band, band_of, is_called_by_itself, is_never_calm};
use crate::pipeline::understand::topics::told_of;
use crate::run::event::AnswerPart;
use crate::run::{AskKind, Case, CaseResult, ConditionStatus, FindingStatus, UrgencyLevel};

/// The most results of which it is told.
const MOST: usize = 3;
/// A condition that explains so many results is the answer.
const SEVERAL: usize = 2;
/// The age of adults, in months.
const ADULT: u16 = 16 * 12;
/// What the graph tells of a result by itself.
const TOPICS: [&str; 2] = ["monitor", "about"];

/// What a result of a case means; `None` where nothing is told of it.
pub(super) fn band(knowledge: &Knowledge, case: &Case, result: &CaseResult) -> Option<&'static Band> {
    band_of(case, result, taken(knowledge, case))
}

/// Whether a drug, or one of a class, is in use.
fn taken(knowledge: &Knowledge, case: &Case) -> impl Fn(&str) -> bool {
    let graph = &knowledge.graph;
    let in_use = case.drugs.iter().filter(|drug| drug.status.is_in_use());
    let in_use: Vec<EntityId> = in_use.filter_map(|drug| named(graph, drug.entity.as_deref()?, "")).collect();
    move |name: &str| {
        let is_it =
            |drug: EntityId| graph.entity_name(drug) == name || classes_of(graph, drug).iter().any(|of| graph.entity_name(*of) == name);
        in_use.iter().any(|drug| is_it(*drug))
    }
}

/// The line for each result that means something by itself.
pub(super) fn lines(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let line = |(result, text): (&CaseResult, String)| {
        let text = text.trim_end_matches(['.', '。']);
        let name = result.in_words(input.wording.is_chinese());
        PlannedLine::saying(AnswerPart::Care, input.wording.plan.topic.replace("{name}", &name).replace("{said}", text))
    };
    told(input).into_iter().map(line).collect()
}

/// Whether what is told of values is the answer: all that is abnormal is one thing.
pub(super) fn is_all(input: &PlanInput<'_>) -> bool {
    let told = told(input);
    let abnormal = abnormal(input.case);
    let has_band = |result: &CaseResult| band(input.knowledge, input.case, result).is_some();
    let is_told = |name: &&str| told.iter().any(|(result, _)| result.finding.as_deref() == Some(*name) && has_band(result));
    // Asked for causes, their list is the answer; asked for a treatment beside an illness, that.
    let is_treated = input.asks(AskKind::Treatment) && input.case.conditions.iter().any(|of| of.status == ConditionStatus::Known);
    let is_more_asked = input.asks(AskKind::Causes) || is_treated;
    !told.is_empty() && !is_more_asked && abnormal.len() <= 1 && abnormal.iter().all(is_told)
}

/// What the results are called that are outside their limits.
fn abnormal(case: &Case) -> BTreeSet<&str> {
    case.results.iter().filter_map(|result| result.finding.as_deref()).collect()
}

fn told<'a>(input: &PlanInput<'a>) -> Vec<(&'a CaseResult, String)> {
    let case = input.case;
    let is_complaint = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
    let is_complained = case.findings.iter().any(|finding| is_complaint(finding.status));
    let is_of_drugs =
        |kind| matches!(kind, AskKind::Safety | AskKind::Interactions | AskKind::Contraindications | AskKind::SideEffects | AskKind::Dose);
    let is_elsewhere = case.asks.iter().any(|ask| is_of_drugs(ask.kind));
    let is_grave = case.results.iter().any(|result| result.critical) || input.urgency.level == Some(UrgencyLevel::Emergency);
    if is_complained || is_elsewhere || is_grave || explains_several(input) {
        return Vec::new();
    }
    let is_any_abnormal = !abnormal(case).is_empty();
    // Normal values beside an illness or a drug belong to another question, unless the value is that of the drug: an INR on warfarin.
    let is_of_drug = |result: &CaseResult| band(input.knowledge, case, result).is_some_and(|band| !band.drugs.is_empty());
    let is_alone = case.conditions.is_empty() && (case.drugs.is_empty() || case.results.iter().any(is_of_drug));
    if !is_any_abnormal && !is_alone {
        return Vec::new();
    }
    let of_note = case.results.iter().filter(|result| !is_any_abnormal || result.finding.is_some());
    let mut told: Vec<(&CaseResult, String)> = Vec::new();
    for result in of_note {
        // Cholesterol and LDL tell the same.
        let is_told = result.finding.is_some() && told.iter().any(|(other, _)| other.finding == result.finding);
        if let Some(text) = text_of(input, result).filter(|_| !is_told) {
            told.push((result, text));
        }
    }
    told.truncate(MOST);
    told
}

/// What is told of a result: by its value, else what the graph tells of such results of adults.
fn text_of(input: &PlanInput<'_>, result: &CaseResult) -> Option<String> {
    let chinese = input.wording.is_chinese();
    let finding = result.finding.as_deref().and_then(|name| input.entity(name));
    if !is_called_by_itself(input.case, result) {
        return None;
    }
    let band = band(input.knowledge, input.case, result);
    if let Some(band) = band.filter(|band| !band.drugs.is_empty() || !is_beside_illness(input, result)) {
        return Some(band.text(chinese).to_owned());
    }
    // What the graph tells of a result is meant for who is otherwise well.
    if is_never_calm(input.case, &taken(input.knowledge, input.case)) {
        return None;
    }
    let patient = &input.case.patient;
    let is_adult = patient.age_months.is_none_or(|age| age.from >= ADULT) && !patient.is_pregnant_or_postpartum();
    // Of an illness, the graph tells how it is followed once it is treated.
    let is_sign = |finding: &EntityId| matches!(input.knowledge.graph.kind(*finding), Kind::Symptom);
    let finding = finding.filter(is_sign).filter(|_| is_adult && !is_beside_illness(input, result))?;
    let told = TOPICS.iter().find_map(|topic| told_of(&input.knowledge.graph, finding, topic))?;
    let [english, chinese_text] = told.texts;
    Some(if chinese { chinese_text } else { english })
}

/// Whether a condition explains several of the results: calcium and parathyroid hormone.
fn explains_several(input: &PlanInput<'_>) -> bool {
    let (named, _) = conditions::differential(input);
    abnormal(input.case).len() >= SEVERAL && named.first().is_some_and(|leader| leader.explains.len() >= SEVERAL)
}

/// Whether the patient is known to have an illness: then the question is about that, or the value is a sign of it.
fn is_beside_illness(input: &PlanInput<'_>, result: &CaseResult) -> bool {
    let finding = result.finding.as_deref().and_then(|name| input.entity(name));
    let known = input.case.conditions.iter().filter(|condition| condition.status == ConditionStatus::Known);
    let mut known = known.filter_map(|condition| input.entity(condition.entity.as_deref()?));
    known.any(|condition| Some(condition) == finding || matches!(input.knowledge.graph.kind(condition), Kind::Disease))
}
