//! "Long-term prednisolone, should I add a bisphosphonate?" asks whether what a drug does is to be prevented, and not only whether the two go together.

use crate::graph::{EntityId, Role, members_of};
use crate::language::knowledge::{Knowledge, named};
use crate::pipeline::differential::of_drugs::is_adverse_effect;
use crate::run::{AskKind, Case, CaseAsk, DrugStatus};
use crate::text::Token;

/// The members of a class that are looked at.
const MEMBERS: usize = 100;
/// The most words between who is to do it and what is to be done.
const APART: usize = 3;

/// Whether a text asks if something should be given, as a doctor does: "should I add", "should we give", "need to start".
fn asks_whether_to_give(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_who = |at: usize| matches!(word(at), "i" | "we" | "he" | "she" | "they" | "you" | "this" | "the");
    let gives = |at: usize| matches!(word(at), "add" | "start" | "give" | "prescribe" | "offer" | "have" | "get" | "be" | "co");
    let asks = |at: usize| matches!(word(at), "should" | "shall") && is_who(at + 1) && (at + 2..at + 2 + APART).any(gives);
    let asks_in_chinese = |at: usize| {
        matches!((word(at), word(at + 1)), ("要", "加") | ("加", "用") | ("需", "加"))
            && (0..tokens.len()).any(|at| matches!(word(at), "吗" | "否"))
    };
    (0..tokens.len()).any(|at| asks(at) || asks_in_chinese(at))
}

/// Turns a question into one for prevention if it asks whether to add a drug that prevents what a drug in use does.
pub(super) fn ask_for_protection(knowledge: &Knowledge, tokens: &[Token], case: &mut Case) {
    if !case.asks.iter().any(|ask| ask.kind == AskKind::Safety) || !asks_whether_to_give(tokens) {
        return;
    }
    let (graph, facts) = (&knowledge.graph, knowledge.facts());
    let drugs = |is_it: fn(DrugStatus) -> bool| -> Vec<EntityId> {
        let drugs = case.drugs.iter().filter(|drug| is_it(drug.status)).filter_map(|drug| drug.entity.as_deref());
        drugs.filter_map(|name| named(graph, name, "")).collect()
    };
    let taken = drugs(DrugStatus::is_in_use);
    let added = drugs(|status| status == DrugStatus::Proposed);
    let prevented = added.iter().flat_map(|drug| {
        let all: Vec<EntityId> = std::iter::once(*drug).chain(members_of(graph, *drug, MEMBERS)).collect();
        all.into_iter().flat_map(|drug| facts.owners_of_role(drug, Role::Prevention).collect::<Vec<_>>())
    });
    let is_done = |condition: &EntityId| taken.iter().any(|drug| is_adverse_effect(knowledge, *drug, *condition));
    let mut goals: Vec<String> = prevented
        .filter(|condition| knowledge.is_condition(*condition))
        .filter(is_done)
        .map(|goal| graph.entity_name(goal).to_owned())
        .collect();
    goals.sort();
    goals.dedup();
    if goals.is_empty() {
        return;
    }
    case.asks.retain(|ask| !matches!(ask.kind, AskKind::Safety | AskKind::Prevention));
    case.asks.insert(0, CaseAsk { kind: AskKind::Prevention, of: goals });
}
