//! What is told of a topic that the question asks about: a procedure and how one prepares for it, prevention, whether a thing is caught, when somebody may
//! go back to work, screening, scores (attributes `topic_…`, see `topics/`).

use std::collections::BTreeSet;

use super::{PlanInput, PlannedLine, after_failure, conditions, operations, stopping, subjects, summary, using};
use crate::graph::{EntityId, Kind, Role};
use crate::pipeline::differential::evidence::urgency_of;
use crate::pipeline::understand::topics::{OF_LIFE, ToldTopic, told_of};
use crate::run::event::AnswerPart;
use crate::run::{AskKind, CaseCondition, ConditionStatus, FindingStatus, UrgencyLevel};
use crate::text::tokenise;

/// Topics of which a complaint makes something else: whoever bleeds does not ask about screening.
const OF_THE_WELL: [&str; 4] = ["about", PREVENT, "screen", CONTINUE];
const PREVENT: &str = "prevent";
/// Topics that are told beside what the graph lists, and never in its place: checks of a drug, drugs for a disease, foods to avoid.
const BESIDE_LISTS: [&str; 5] = [NEXT, "monitor", "target", "diet", "conceive"];
/// Whether a drug is taken on: nothing is said where something speaks against it.
const CONTINUE: &str = "continue";
/// What is told beneath an alarm, too.
const REVERSE: &str = "reverse";

/// Topics of what must be done soon, beside what is done with something else ("with …") and scores.
const OF_HASTE: [&str; 8] = [REVERSE, "positive", "normal", "refer", "admit", "scan", "dose", "sideeffect"];

/// Whether it is caught, and when somebody may go back to school.
const OF_CONTAGION: [&str; 2] = ["catch", "work"];

/// What a result means is told to who asks about the result: beside a complaint, it is one piece of a case.
const OF_RESULTS: [&str; 2] = ["positive", "normal"];
/// Topics of the course of a known condition.
const OF_COURSE: [&str; 4] = [NEXT, "monitor", "target", "conceive"];
/// What comes after a treatment that was not enough.
const NEXT: &str = "next";
/// The most drugs of these texts of which it is said that the case forbids them.
const FORBIDDEN: usize = 3;

/// The lines for the topics that the question asks about, and for what comes after a treatment that was not enough; behind them, which of the drugs that
/// they name the case forbids: the texts themselves pass through no safety pass.
pub(super) fn lines(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let mut topics: Vec<ToldTopic> = told(input).cloned().collect();
    topics.extend(after_failed(input).filter(|next| topics.iter().all(|topic| topic.texts != next.texts)));
    let mut lines: Vec<PlannedLine> = topics.iter().map(|topic| line(input, topic)).collect();
    lines.extend(forbidden(input, &topics));
    lines
}

/// What comes after the treatment that a known condition, or the one that the answer is about, has had without success: in an emergency only of what is
/// one, and where somebody must be seen soon only of what leads and leaves no complaint open.
fn after_failed(input: &PlanInput<'_>) -> Option<ToldTopic> {
    if input.case.refusal.is_some() {
        return None;
    }
    // Who asks what a complaint is does not ask for the next step of what is known, unless that leads.
    let is_told = |status| matches!(status, ConditionStatus::Known) && !input.evidence.seeks_diagnosis;
    let known = input.case.conditions.iter().filter(|condition| is_told(condition.status));
    let known = known.filter_map(|condition| input.entity(condition.entity.as_deref()?));
    let is_due = |condition: &EntityId| match input.urgency.level {
        Some(UrgencyLevel::Emergency) => urgency_of(input.knowledge, *condition) == Some("emergency"),
        Some(UrgencyLevel::Urgent) => accounts_for_all(input, *condition),
        _ => true,
    };
    let about = subjects::leading(input).into_iter().chain(known).filter(is_due);
    let about: Vec<EntityId> = about.filter(|condition| after_failure::was_not_enough(input, *condition)).collect();
    let nearest = nearest_to_drug(input, &about);
    nearest.into_iter().chain(about.iter().copied()).find_map(|condition| told_of(&input.knowledge.graph, condition, NEXT))
}

/// Of known conditions that the same drug was given for, the one that is named nearest to it: "heart failure, AF still fast on digoxin". `None` where the first
/// is none of the known ones.
fn nearest_to_drug(input: &PlanInput<'_>, about: &[EntityId]) -> Option<EntityId> {
    let place_of = |condition: EntityId| {
        let name = input.knowledge.graph.entity_name(condition);
        let is_it = |of: &&CaseCondition| of.status == ConditionStatus::Known && of.entity.as_deref() == Some(name);
        input.case.conditions.iter().find(is_it).map(|of| of.start)
    };
    let first = *about.first()?;
    place_of(first)?;
    let drug = *after_failure::given_for(input, first).first()?;
    let name = input.knowledge.graph.entity_name(drug);
    let at = input.case.drugs.iter().find(|of| of.entity.as_deref() == Some(name))?.start;
    let rivals = about.iter().copied().filter(|condition| after_failure::given_for(input, *condition).contains(&drug));
    rivals.filter_map(|condition| Some((place_of(condition)?.abs_diff(at), condition))).min_by_key(|(far, _)| *far).map(|(_, of)| of)
}

/// Whether a condition leads and explains all that is complained of.
fn accounts_for_all(input: &PlanInput<'_>, condition: EntityId) -> bool {
    subjects::leading(input).contains(&condition) && explains_all(input, condition)
}

fn explains_all(input: &PlanInput<'_>, condition: EntityId) -> bool {
    let told = input.findings().into_iter().filter(|finding| !input.evidence.states.contains(finding));
    told.into_iter().all(|finding| conditions::is_explained(input, condition, finding))
}

/// Decisions that the question asks about without naming of what ("is it dangerous?"): what is told of the condition that the answer is about, as long as
/// nothing must be done before. It must be what is complained of, without a warning sign: diabetes is no answer to "is this lump dangerous?".
pub(super) fn decisions(input: &PlanInput<'_>, condition: Option<EntityId>) -> Vec<PlannedLine> {
    let is_calm = !matches!(input.urgency.level, Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent));
    let Some(condition) = condition.filter(|_| is_calm && input.case.refusal.is_none()) else { return Vec::new() };
    let name = input.knowledge.graph.entity_name(condition);
    let is_it = |of: &CaseCondition| of.status == ConditionStatus::Known && of.entity.as_deref() == Some(name);
    let is_known = input.case.conditions.iter().any(is_it);
    let leads = || subjects::leading(input).first() == Some(&condition);
    let may_be_meant = if is_known { !input.evidence.seeks_diagnosis || leads() } else { summary::is_led(input) && leads() };
    let facts = input.knowledge.facts();
    let is_warned = input.findings().into_iter().any(|finding| facts.states(condition, finding, |role| role == Role::RedFlag));
    if !may_be_meant || is_warned || !explains_all(input, condition) {
        return Vec::new();
    }
    let topics: Vec<ToldTopic> = input.open_topics.iter().filter_map(|topic| told_of(&input.knowledge.graph, condition, topic)).collect();
    let said = if is_known { &input.wording.plan.topic } else { &input.wording.plan.topic_supposed };
    let mut lines: Vec<PlannedLine> = topics.iter().map(|topic| saying(input, topic, said)).collect();
    lines.extend(forbidden(input, &topics));
    lines
}

/// For each drug that the texts name and the case forbids, why it does; not for what the patient takes, of which the safety lines speak.
pub(super) fn forbidden(input: &PlanInput<'_>, topics: &[ToldTopic]) -> Vec<PlannedLine> {
    let Some(withheld) = input.safety.withheld else { return Vec::new() };
    let graph = &input.knowledge.graph;
    let mut seen: BTreeSet<EntityId> = topics.iter().map(|topic| topic.entity).collect();
    seen.extend(input.case.drugs.iter().filter_map(|drug| input.entity(drug.entity.as_deref()?)));
    let mut lines = Vec::new();
    for topic in topics {
        let tokens = tokenise(&topic.texts[0]);
        let named = (0..tokens.len()).filter_map(|at| graph.names().longest_at(&tokens, at)).flat_map(|hit| hit.entities);
        for (drug, _) in named.filter(|(drug, _)| matches!(graph.kind(*drug), Kind::Drug | Kind::DrugClass)) {
            if seen.insert(drug) && input.is_forbidden(drug) {
                lines.extend(withheld(drug));
            }
        }
    }
    lines.truncate(FORBIDDEN);
    lines
}

/// Whether what is told of topics is all that was asked: no complaint, and nothing that asks for treatment, tests or a diagnosis of something else.
pub(super) fn is_all(input: &PlanInput<'_>) -> bool {
    let is_complained = input.findings().into_iter().any(|finding| input.topics.iter().all(|topic| is_complaint(input, finding, topic)));
    let asks_more =
        |kind| matches!(kind, AskKind::Treatment | AskKind::Tests | AskKind::Diagnosis | AskKind::Monitoring | AskKind::Prevention);
    let is_whole = |topic: &ToldTopic| {
        (is_of_the_well(input, topic) && topic.topic != PREVENT)
            || topic.topic == "positive"
            || is_of_scan(input, topic)
            || is_of_life(topic)
    };
    !is_complained && replaces(input) && (told(input).any(is_whole) || !input.case.asks.iter().any(|ask| asks_more(ask.kind)))
}

/// Whether what a scan showed by chance is told of: what follows from it is the answer.
pub(super) fn tells_of_scan(input: &PlanInput<'_>) -> bool {
    told(input).any(|topic| is_of_scan(input, topic))
}

/// Whether it is asked how to live with a complaint that is over: nobody asks then what it was.
fn is_of_life(topic: &ToldTopic) -> bool {
    OF_LIFE.contains(&topic.topic.as_str())
}

fn is_of_scan(input: &PlanInput<'_>, topic: &ToldTopic) -> bool {
    topic.topic == "any" && matches!(input.knowledge.graph.kind(topic.entity), Kind::Symptom)
}

/// Whether what is told of topics may stand in place of what the graph lists: some of it is no mere addition to drugs, checks and prevention.
pub(super) fn replaces(input: &PlanInput<'_>) -> bool {
    let facts = input.knowledge.facts();
    let is_listed = |topic: &ToldTopic| {
        BESIDE_LISTS.contains(&topic.topic.as_str())
            || (topic.topic == PREVENT && facts.players_of_role(topic.entity, Role::Prevention).next().is_some())
    };
    told(input).any(|topic| !is_listed(topic))
}

/// Whether something of the case must not wait: then what is told of topics takes the place of nothing that is known of it.
pub(super) fn leaves_urgent(input: &PlanInput<'_>) -> bool {
    let is_alarmed = matches!(input.urgency.level, Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent));
    let mut of_operations = input.topics.iter().filter_map(|topic| topic.operation);
    is_alarmed || of_operations.any(|(operation, _)| operations::is_pressing(input, operation))
}

/// The topics that are told in this case.
fn told<'a>(input: &PlanInput<'a>) -> impl Iterator<Item = &'a ToldTopic> {
    let level = input.urgency.level;
    let findings = input.findings();
    let is_told = |topic: &&ToldTopic| match level {
        Some(UrgencyLevel::Emergency) => topic.topic == REVERSE,
        Some(UrgencyLevel::Urgent) => is_of_haste(input, topic),
        _ => !is_of_the_well(input, topic) || !findings.iter().any(|finding| is_complaint(input, *finding, topic)),
    };
    let may_wait = |topic: &&ToldTopic| topic.operation.is_none_or(|of| operations::may_wait(input, of));
    let warns = |line: &PlannedLine, drug: EntityId| !line.proofs.is_empty() && [line.entity, line.other].contains(&Some(drug));
    let is_open = |topic: &&ToldTopic| {
        let drug = topic.entity;
        topic.topic != CONTINUE || !(input.is_forbidden(drug) || input.safety.lines.iter().any(|line| warns(line, drug)))
    };
    let led = subjects::leading(input);
    let is_complained = || input.case.findings.iter().any(|finding| matches!(finding.status, FindingStatus::Present));
    let is_of_case = |topic: &&ToldTopic| !OF_RESULTS.contains(&topic.topic.as_str()) || !is_complained();
    // Where it is asked what a complaint is, the long-term course of something else is in the way.
    let is_due = |topic: &&ToldTopic| {
        !OF_COURSE.contains(&topic.topic.as_str()) || !input.evidence.seeks_diagnosis || !is_complained() || led.contains(&topic.entity)
    };
    // What the lines about using a drug and about stopping it say is not told again.
    let is_said = |topic: &&ToldTopic| {
        using::tells(input, topic.entity, &topic.topic) || topic.topic == "stop" && stopping::tells(input, topic.entity)
    };
    let told = input.topics.iter().filter(|topic| !is_said(topic)).filter(is_told).filter(may_wait);
    told.filter(is_open).filter(is_of_case).filter(is_due).collect::<Vec<_>>().into_iter()
}

/// Whether a topic is told where somebody must be seen soon: what belongs to acute care, what comes next for what leads, and what else is asked of the very
/// illness that is urgent, by somebody who complains of nothing else, or of whom it is caught, where it explains a fever. What to eat with gallstones is no
/// answer to who is yellow and shivers.
fn is_of_haste(input: &PlanInput<'_>, topic: &ToldTopic) -> bool {
    let asked = topic.topic.as_str();
    let is_care = asked.starts_with("with ") || asked == "any" || OF_HASTE.contains(&asked);
    let is_itself = || {
        let is_urgent = input.urgency.condition.as_deref() == Some(input.knowledge.graph.entity_name(topic.entity));
        is_urgent && !input.findings().into_iter().any(|finding| is_complaint(input, finding, topic))
    };
    let is_next = || asked == NEXT && accounts_for_all(input, topic.entity);
    let is_only_caught = || {
        let is_unspecific = !input.findings().into_iter().any(|finding| summary::is_specific(input, finding));
        OF_CONTAGION.contains(&asked) && input.urgency.condition.is_none() && is_unspecific && explains_all(input, topic.entity)
    };
    !is_of_the_well(input, topic) && (is_care || is_itself() || is_next() || is_only_caught())
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
    match topic.beside {
        Some(beside) => saying(input, topic, &plan.topic_beside.replace("{other}", &input.shown(beside))),
        None => saying(input, topic, &plan.topic),
    }
}

fn saying(input: &PlanInput<'_>, topic: &ToldTopic, said: &str) -> PlannedLine {
    let [english, chinese] = &topic.texts;
    let text = if input.wording.is_chinese() { chinese } else { english };
    let text = said.replace("{name}", &input.shown(topic.entity)).replace("{said}", text.trim_end_matches(['.', '。']));
    // What is to be reversed is not among what the answer names.
    PlannedLine { entity: Some(topic.entity).filter(|_| topic.topic != REVERSE), ..PlannedLine::saying(AnswerPart::Care, text) }
}
