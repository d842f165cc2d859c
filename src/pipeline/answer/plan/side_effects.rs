//! What to do about a side effect that the patient has: how usual it is, what helps, and whether to go on (qualifier `if_it_occurs` of what a drug or its
//! class may cause).

use super::proof::proof_of;
use super::{PlanInput, PlannedLine};
use crate::graph::{EntityId, Role, classes_of, qualifier_keys as keys};
use crate::language::knowledge::named;
use crate::run::event::AnswerPart;
use crate::run::{AskKind, CaseDrug, UrgencyLevel};

/// The most that are told.
const MOST: usize = 2;

/// The lines for the drugs in use that may do what is found, where the question is about them or the answer (`details`) names them for it. In an emergency only
/// what is done now matters.
pub(super) fn lines(input: &PlanInput<'_>, details: &[PlannedLine]) -> Vec<PlannedLine> {
    if input.urgency.level == Some(UrgencyLevel::Emergency) {
        return Vec::new();
    }
    let is_asked = [AskKind::Safety, AskKind::SideEffects, AskKind::Causes].iter().any(|kind| input.asks(*kind));
    let is_blamed = |drug: EntityId| details.iter().any(|line| line.role == Some(Role::AdverseEffect) && line.entity == Some(drug));
    let in_use = |drug: &&CaseDrug| drug.status.is_in_use();
    let drugs = input.case.drugs.iter().filter(in_use).filter_map(|drug| input.entity(drug.entity.as_deref()?));
    let told = input.case.conditions.iter().filter_map(|condition| named(&input.knowledge.graph, condition.entity.as_deref()?, ""));
    let effects: Vec<EntityId> = input.findings().into_iter().chain(told).collect();
    let of_drug = |drug: EntityId| effects.iter().filter_map(move |effect| line(input, drug, *effect)).collect::<Vec<_>>();
    drugs.filter(|drug| is_asked || is_blamed(*drug)).flat_map(of_drug).take(MOST).collect()
}

/// What is stated of the drug itself, or of the nearest of its classes, about an effect or what it is a kind of.
fn line(input: &PlanInput<'_>, drug: EntityId, effect: EntityId) -> Option<PlannedLine> {
    let graph = &input.knowledge.graph;
    let facts = input.knowledge.facts();
    let [english, chinese] = keys::IF_IT_OCCURS;
    let key = if input.wording.is_chinese() { chinese } else { english };
    let wider: Vec<EntityId> = std::iter::once(effect).chain(facts.players_of_role(effect, Role::Broader)).collect();
    let is_stated = |of: EntityId, effect: EntityId| {
        let mut stated = facts.triples(of, effect).into_iter().filter(|(role, _)| *role == Role::AdverseEffect);
        stated.find_map(|(_, triple)| graph.qualifiers(triple.head, triple.relation, triple.tail).get(key).map(str::to_owned))
    };
    let pairs = std::iter::once(drug).chain(classes_of(graph, drug)).flat_map(|of| wider.iter().map(move |effect| (of, *effect)));
    let (of, stated, advice) = pairs.into_iter().find_map(|(of, effect)| Some((of, effect, is_stated(of, effect)?)))?;
    let text = input.wording.plan.side_effect.replace("{effect}", &input.shown(effect)).replace("{drug}", &input.shown(drug));
    let text = text.replace("{advice}", advice.trim_end_matches(['.', '。']));
    Some(PlannedLine {
        entity: Some(drug),
        other: Some(effect),
        proofs: proof_of(input.knowledge, of, stated, |role| role == Role::AdverseEffect),
        ..PlannedLine::saying(AnswerPart::Care, text)
    })
}
