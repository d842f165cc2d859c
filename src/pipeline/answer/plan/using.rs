//! What is said about using a drug: what it is for, as chains state, and how soon it works, how it is taken, what to do about a missed dose and whether
//! one may drive, as the graph describes it (attributes `works`, `taking`, `missed` and `driving` of drugs and of their classes).

use super::proof::{nearest_told, proof_of, proof_of_kind};
use super::together::{StatedItem, StatedTogether};
use super::{PlanInput, PlannedLine, by_role, taken_twice};
use crate::graph::{EntityId, Role, classes_of, qualifier_keys as keys};
use crate::pipeline::differential::prevalence::Prevalence;
use crate::pipeline::understand::using::UseTopic;
use crate::run::UrgencyLevel;
use crate::run::event::AnswerPart;

/// The most conditions that a drug is said to be a first choice for, and to be used for besides.
const FIRST: usize = 5;
const ALSO: usize = 4;

/// The lines for what the question asks about using drugs. Where somebody must act soon, only what was taken twice: a missed dose is not what matters
/// then.
pub(super) fn lines(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let is_alarmed = matches!(input.urgency.level, Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent));
    let of_topic = |(topic, drugs): &(UseTopic, Vec<EntityId>)| {
        let of_drug = |drug: &EntityId| match topic {
            UseTopic::Purpose => purpose(input, *drug),
            UseTopic::Twice => taken_twice::line(input, *drug).into_iter().collect(),
            _ => described(input, *topic, *drug).into_iter().collect(),
        };
        // Of what must not be taken, nobody is told how to take it; what it is for, he may be.
        let is_told = |drug: &&EntityId| matches!(topic, UseTopic::Purpose | UseTopic::Twice) || !input.is_forbidden(**drug);
        drugs.iter().filter(is_told).flat_map(of_drug).collect::<Vec<_>>()
    };
    // What happened with a drug is told beneath an alarm, too.
    input.using.iter().filter(|(topic, _)| !is_alarmed || *topic == UseTopic::Twice).flat_map(of_topic).collect()
}

/// Whether these lines tell of a drug, or of a kind of it, what a topic of the graph tells: what to do about a missed dose, food and time of day.
pub(super) fn tells(input: &PlanInput<'_>, drug: EntityId, topic: &str) -> bool {
    let topic = match topic {
        "missed" => UseTopic::Missed,
        "food" => UseTopic::Taking,
        _ => return false,
    };
    let is_alarmed = matches!(input.urgency.level, Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent));
    if is_alarmed || input.case.refusal.is_some() {
        return false;
    }
    let used = input.using.iter().filter(|(of, _)| *of == topic).flat_map(|(_, drugs)| drugs).copied();
    let is_told = |used: EntityId| !input.is_forbidden(used) && described(input, topic, used).is_some();
    used.filter(|used| is_same_or_kind(input, *used, drug)).any(is_told)
}

/// Whether one of two drugs is the other, or a kind of it.
pub(super) fn is_same_or_kind(input: &PlanInput<'_>, one: EntityId, other: EntityId) -> bool {
    let is_kind = |of: EntityId, class: EntityId| classes_of(&input.knowledge.graph, of).contains(&class);
    one == other || is_kind(one, other) || is_kind(other, one)
}

/// What the graph describes of the drug itself, or of the nearest of its classes that does not except it.
fn described(input: &PlanInput<'_>, topic: UseTopic, drug: EntityId) -> Option<PlannedLine> {
    let graph = &input.knowledge.graph;
    let plan = &input.wording.plan;
    let ([english, chinese], said) = match topic {
        UseTopic::Works => (keys::WORKS, &plan.works),
        UseTopic::Taking => (keys::TAKING, &plan.taking),
        UseTopic::Missed => (keys::MISSED, &plan.missed),
        UseTopic::Driving => (keys::DRIVING, &plan.driving),
        UseTopic::Purpose | UseTopic::Twice => return None,
    };
    let describes = |entity: EntityId| {
        let attributes = graph.attributes(entity);
        [keys::WORKS, keys::TAKING, keys::MISSED, keys::DRIVING].iter().any(|[key, _]| attributes.get(key).is_some())
    };
    // The nearest line speaks for the drug as a whole: where it is silent, what is said of a wider class may not hold.
    let stated = nearest_told(graph, drug, keys::USING_EXCEPT, describes)?;
    let attributes = graph.attributes(stated);
    let text = attributes.get(if input.wording.is_chinese() { chinese } else { english })?.trim_end_matches(['.', '。']);
    let text = said.replace("{drug}", &input.shown(drug)).replace("{said}", text);
    Some(PlannedLine {
        entity: Some(drug),
        proofs: proof_of_kind(input.knowledge, drug, stated).into_iter().collect(),
        ..PlannedLine::saying(AnswerPart::Care, text)
    })
}

/// What a drug is a first choice for, and what it is used for besides; and what the nearest class is a first choice for of which that is stated: it
/// speaks for the class, and not for each of its members in everything.
fn purpose(input: &PlanInput<'_>, drug: EntityId) -> Vec<PlannedLine> {
    let plan = &input.wording.plan;
    let others = [Role::Treatment, Role::Prevention];
    let first = items(input, drug, &[Role::FirstLine], FIRST);
    let mut also = items(input, drug, &others, FIRST + ALSO);
    let of_class =
        |class: &EntityId| Some((*class, items(input, *class, &[Role::FirstLine], FIRST))).filter(|(_, items)| !items.is_empty());
    let class = classes_of(&input.knowledge.graph, drug).iter().find_map(of_class);
    let is_told = |item: &StatedItem| {
        let of_class = class.iter().flat_map(|(_, items)| items);
        first.iter().chain(of_class).any(|known| known.entity == item.entity)
    };
    also.retain(|item| !is_told(item));
    also.truncate(ALSO);
    let said_besides = if first.is_empty() && class.is_none() { &plan.used_for } else { &plan.also_for };
    let shown = input.shown(drug);
    let line = |items: Vec<StatedItem>, said: String| {
        let proofs = items.iter().map(|item| item.proof).collect();
        let together = StatedTogether { items, said: [said.clone(), said], wording: input.wording };
        let (_, text) = together.proven(|_| true)?;
        Some(PlannedLine { entity: Some(drug), proofs, together: Some(together), ..PlannedLine::saying(AnswerPart::Summary, text) })
    };
    let mut lines = Vec::new();
    lines.extend(line(first, plan.first_for.replace("{drug}", &shown)));
    if let Some((class, items)) = class {
        let said = plan.class_first_for.replace("{drug}", &shown).replace("{class}", &input.shown(class));
        lines.extend(line(items, said));
    }
    lines.extend(line(also, said_besides.replace("{drug}", &shown)));
    lines
}

/// The conditions for which a drug plays one of these roles: the common ones first, of these those for which it does so without a condition.
fn items(input: &PlanInput<'_>, drug: EntityId, roles: &[Role], most: usize) -> Vec<StatedItem> {
    let graph = &input.knowledge.graph;
    let facts = input.knowledge.facts();
    // What the graph says nothing of comes last, as what is exceptional does.
    let prevalence = |of: EntityId| Prevalence::of(graph, of).unwrap_or(Prevalence::Exceptional);
    let mut found: Vec<(Prevalence, bool, &str, StatedItem)> = Vec::new();
    for role in roles {
        for condition in facts.owners_of_role(drug, *role) {
            let Some(proof) = proof_of(input.knowledge, condition, drug, |of| of == *role).into_iter().next() else { continue };
            let when = by_role::when(input, condition, drug, *role).map(|when| input.wording.fill(&input.wording.plan.when, &[when]));
            let shown = format!("{}{}", input.shown(condition), when.as_deref().unwrap_or_default());
            let item = StatedItem { entity: condition, shown, proof };
            found.push((prevalence(condition), when.is_some(), graph.entity_name(condition), item));
        }
    }
    found.sort_by(|one, other| (one.0, one.1, one.2).cmp(&(other.0, other.1, other.2)));
    found.dedup_by_key(|(.., item)| item.entity);
    found.into_iter().map(|(.., item)| item).take(most).collect()
}
