//! What is told of a topic that the question asks about: a procedure and how one prepares for it, prevention, whether a thing is caught, when somebody may
//! go back to work, screening, scores (attributes `topic_…`, see `topics.tsv`).

use super::{PlanInput, PlannedLine};
use crate::pipeline::understand::topics::ToldTopic;
use crate::run::event::AnswerPart;
use crate::run::{AskKind, UrgencyLevel};

/// Topics of which a complaint makes something else: whoever bleeds does not ask about screening.
const OF_THE_WELL: [&str; 3] = ["about", "prevent", "screen"];
/// What is told beneath an alarm, too.
const IN_EMERGENCIES: &str = "reverse";

/// The lines for the topics that the question asks about.
pub(super) fn lines(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    told(input).map(|topic| line(input, topic)).collect()
}

/// Whether what is told of topics is all that was asked: no complaint, and nothing that asks for treatment, tests or a diagnosis of something else.
pub(super) fn is_all(input: &PlanInput<'_>) -> bool {
    let of_topics = |entity| input.topics.iter().any(|topic| topic.entity == entity);
    let is_complaint = input.findings().into_iter().any(|finding| !of_topics(finding));
    let asks_more = |kind| matches!(kind, AskKind::Treatment | AskKind::Tests | AskKind::Diagnosis | AskKind::Monitoring);
    let is_whole = |topic: &ToldTopic| OF_THE_WELL.contains(&topic.topic.as_str()) || matches!(topic.topic.as_str(), "any" | "positive");
    !is_complaint && told(input).next().is_some() && (told(input).any(is_whole) || !input.case.asks.iter().any(|ask| asks_more(ask.kind)))
}

/// The topics that are told in this case.
fn told<'a>(input: &PlanInput<'a>) -> impl Iterator<Item = &'a ToldTopic> {
    let is_emergency = input.urgency.level == Some(UrgencyLevel::Emergency);
    let is_haste = is_emergency || input.urgency.level == Some(UrgencyLevel::Urgent);
    let has_complaint = {
        let findings = input.findings();
        move |topic: &ToldTopic| findings.iter().any(|finding| *finding != topic.entity)
    };
    let is_told = move |topic: &&ToldTopic| {
        let of_the_well = OF_THE_WELL.contains(&topic.topic.as_str());
        (!is_emergency || topic.topic == IN_EMERGENCIES) && !(of_the_well && (is_haste || has_complaint(topic)))
    };
    input.topics.iter().filter(is_told)
}

fn line(input: &PlanInput<'_>, topic: &ToldTopic) -> PlannedLine {
    let [english, chinese] = &topic.texts;
    let text = if input.wording.is_chinese() { chinese } else { english };
    let text = input.wording.plan.topic.replace("{name}", &input.shown(topic.entity)).replace("{said}", text.trim_end_matches(['.', '。']));
    PlannedLine { entity: Some(topic.entity), ..PlannedLine::saying(AnswerPart::Care, text) }
}
