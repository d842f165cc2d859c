//! What is told of a topic that the question asks about: a procedure and how one prepares for it, prevention, whether a thing is caught, when somebody may
//! go back to work, screening, scores (attributes `topic_…`, see `topics.tsv`).

use super::{PlanInput, PlannedLine};
use crate::graph::{EntityId, Kind, Role};
use crate::pipeline::understand::topics::ToldTopic;
use crate::run::event::AnswerPart;
use crate::run::{AskKind, UrgencyLevel};

/// Topics of which a complaint makes something else: whoever bleeds does not ask about screening.
const OF_THE_WELL: [&str; 4] = ["about", "prevent", "screen", CONTINUE];
/// Whether a drug is taken on: nothing is said where something speaks against it.
const CONTINUE: &str = "continue";
/// What is told beneath an alarm, too.
const IN_EMERGENCIES: &str = "reverse";

/// The lines for the topics that the question asks about.
pub(super) fn lines(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    told(input).map(|topic| line(input, topic)).collect()
}

/// Whether what is told of topics is all that was asked: no complaint, and nothing that asks for treatment, tests or a diagnosis of something else.
pub(super) fn is_all(input: &PlanInput<'_>) -> bool {
    let is_complained = input.findings().into_iter().any(|finding| input.topics.iter().all(|topic| is_complaint(input, finding, topic)));
    let asks_more = |kind| matches!(kind, AskKind::Treatment | AskKind::Tests | AskKind::Diagnosis | AskKind::Monitoring);
    let is_whole = |topic: &ToldTopic| is_of_the_well(input, topic) || topic.topic == "positive";
    !is_complained && told(input).next().is_some() && (told(input).any(is_whole) || !input.case.asks.iter().any(|ask| asks_more(ask.kind)))
}

/// The topics that are told in this case.
fn told<'a>(input: &PlanInput<'a>) -> impl Iterator<Item = &'a ToldTopic> {
    let level = input.urgency.level;
    let findings = input.findings();
    let is_told = |topic: &&ToldTopic| match level {
        Some(UrgencyLevel::Emergency) => topic.topic == IN_EMERGENCIES,
        _ => {
            let is_haste = level == Some(UrgencyLevel::Urgent);
            !is_of_the_well(input, topic) || !(is_haste || findings.iter().any(|finding| is_complaint(input, *finding, topic)))
        }
    };
    let warns = |line: &PlannedLine, drug: EntityId| !line.proofs.is_empty() && [line.entity, line.other].contains(&Some(drug));
    let is_open = |topic: &&ToldTopic| {
        let drug = topic.entity;
        topic.topic != CONTINUE || !(input.is_forbidden(drug) || input.safety.lines.iter().any(|line| warns(line, drug)))
    };
    input.topics.iter().filter(is_told).filter(is_open).collect::<Vec<_>>().into_iter()
}

/// Whether a topic is told only where nobody complains of anything else: what is known of travel vaccines is no answer to a fever.
fn is_of_the_well(input: &PlanInput<'_>, topic: &ToldTopic) -> bool {
    let is_treatment = matches!(input.knowledge.graph.kind(topic.entity), Kind::Treatment);
    OF_THE_WELL.contains(&topic.topic.as_str()) || (topic.topic == "any" && is_treatment)
}

/// Whether a finding is neither what a topic is about nor what it prevents.
fn is_complaint(input: &PlanInput<'_>, finding: EntityId, topic: &ToldTopic) -> bool {
    let prevents = || input.knowledge.facts().states(finding, topic.entity, |role| role == Role::Prevention);
    finding != topic.entity && !prevents()
}

fn line(input: &PlanInput<'_>, topic: &ToldTopic) -> PlannedLine {
    let plan = &input.wording.plan;
    let [english, chinese] = &topic.texts;
    let text = if input.wording.is_chinese() { chinese } else { english };
    let said = match topic.beside {
        Some(beside) => plan.topic_beside.replace("{other}", &input.shown(beside)),
        None => plan.topic.clone(),
    };
    let text = said.replace("{name}", &input.shown(topic.entity)).replace("{said}", text.trim_end_matches(['.', '。']));
    PlannedLine { entity: Some(topic.entity), ..PlannedLine::saying(AnswerPart::Care, text) }
}
