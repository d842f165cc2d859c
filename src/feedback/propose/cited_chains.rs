//! Drafts from the cited chains of an accepted answer: the direct relation between the question's entity and the answer's (WTS, section 3.2:
//! relevant knowledge several steps away is "not adequately connected").
//!
//! Not every chain is an argument. `Heartburn ← has symptom ← Reflux ← treats ← Omeprazole` supports "omeprazole treats heartburn";
//! `Ibuprofen → treats → Pain ← treats ← Paracetamol` says nothing of paracetamol and ibuprofen, and a treatment of a disease's complication
//! is none of the disease. So a chain counts only where each step between the question's entity and the last statement
//! lets the one stand in for the other ([`carries`]).
//!
//! An answer's lines mostly cite one triple each: that of a condition cites `Heartburn ← has symptom ← Reflux`, that of a treatment
//! `Reflux ← treats ← Omeprazole`. Where a line's own chains do not reach the question, a triple that another line cites is put before them.

use std::collections::HashSet;

use super::draft::{Draft, Drafts};
use super::entity::Term;
use crate::dkg::Basis;
use crate::graph::{Chain, ChainTable, Hop, Kind, Player, Role};
use crate::run::{AnchorOrigin, AnswerLine, AnswerPart, Trace};

/// A step of a chain, seen from the left.
#[derive(Debug, Clone, Copy)]
struct ChainStep {
    role: Role,
    /// Whether the entity left of it plays the role.
    left_plays: bool,
}

/// Names of the question's own entities, without those that the doctor rejected.
pub(super) fn of_question(trace: &Trace) -> HashSet<&str> {
    let anchors = trace.anchors.iter().filter(|anchor| anchor.origin != AnchorOrigin::Hypothesis);
    anchors.map(|anchor| anchor.entity.as_str()).filter(|name| !trace.triage.rejected_anchors.contains(*name)).collect()
}

/// Drafts the direct relations that the cited chains of an accepted answer imply. Chains that the doctor rejected since do not count.
pub(super) fn draft(trace: &Trace, drafts: &mut Drafts) {
    let Some(evidence) = &trace.evidence else { return };
    let table = &evidence.table;
    let question = of_question(trace);
    let cited = |line: &AnswerLine| -> Vec<&Chain> {
        let mut ids = line.citations.clone();
        ids.dedup();
        let place = |id: u32| evidence.pruning.kept.get((id as usize).checked_sub(1)?);
        ids.into_iter().filter_map(|id| table.chains.get(place(id)?.chain as usize)).collect()
    };
    let is_rejected = |chain: &Chain| trace.triage.verdict(table, chain).is_rejected();
    let lines = || trace.answer.lines.iter().filter(|line| teaches(line.part));
    let accepted = lines().flat_map(cited).filter(|chain| !is_rejected(chain));
    let links = links(table, accepted, &question);
    for line in lines() {
        for chain in cited(line) {
            if is_rejected(chain) {
                drafts.reject("from a chain that you rejected");
            } else if !of_chain(table, chain, line, &question, drafts) {
                of_joined(table, chain, line, &links, drafts);
            }
        }
    }
}

/// Whether lines of a part state something that can be learned. The others say how the question was read, or repeat what a line says.
fn teaches(part: AnswerPart) -> bool {
    matches!(part, AnswerPart::Conditions | AnswerPart::Tests | AnswerPart::Treatments | AnswerPart::Cautions | AnswerPart::Safety)
}

fn step(table: &ChainTable, hop: Hop) -> Option<ChainStep> {
    let relation = table.relations.get(usize::from(hop.relation))?;
    Some(ChainStep { role: relation.role, left_plays: hop.forward == (relation.player == Player::Head) })
}

fn steps(table: &ChainTable, chain: &Chain) -> Vec<ChainStep> {
    chain.hops().map_while(|hop| step(table, hop)).collect()
}

/// The steps of cited chains that lead from an entity of the question, each once.
fn links<'t>(table: &ChainTable, cited: impl Iterator<Item = &'t Chain>, question: &HashSet<&str>) -> Vec<Hop> {
    let is_of_question = |node: u32| table.entities.get(node as usize).is_some_and(|entity| question.contains(entity.name.as_str()));
    let mut links: Vec<Hop> = Vec::new();
    let both_ways = |chain: &Chain| chain.hops().chain(chain.reversed().hops()).collect::<Vec<Hop>>();
    for hop in cited.flat_map(both_ways) {
        if is_of_question(hop.from) && !links.contains(&hop) {
            links.push(hop);
        }
    }
    links
}

/// Drafts from one triple that a line states, with a triple before it that another line cites.
fn of_joined(table: &ChainTable, chain: &Chain, line: &AnswerLine, links: &[Hop], drafts: &mut Drafts) {
    // What a condition has to do with the question its own chains must say.
    if !matches!(line.part, AnswerPart::Tests | AnswerPart::Treatments) {
        return;
    }
    for hop in chain.hops().chain(chain.reversed().hops()) {
        let (Some(statement), Some(inner), Some(last)) =
            (step(table, hop), table.entities.get(hop.from as usize), table.entities.get(hop.to as usize))
        else {
            continue;
        };
        if !belongs(line, statement, &inner.name, &last.name) {
            continue;
        }
        for link in links.iter().filter(|link| link.to == hop.from && link.from != hop.to) {
            let (Some(to_inner), Some(outer)) = (step(table, *link), table.entities.get(link.from as usize)) else { continue };
            if !carries(statement.role, to_inner) {
                continue;
            }
            let mut joined = Chain::start(link.from);
            joined.push(link.relation, link.forward, link.to);
            joined.push(hop.relation, hop.forward, hop.to);
            let basis = Basis { chains: vec![table.text(&joined)], why: why(line, &last.name) };
            if let Some(draft) = direct(line, statement, to_inner, outer, last, basis) {
                drafts.push(draft);
            }
        }
    }
}

/// A chain's entities from one of its ends, with the steps seen from there.
struct ChainView<'t> {
    nodes: Vec<&'t crate::graph::TableEntity>,
    steps: Vec<ChainStep>,
}

impl<'t> ChainView<'t> {
    /// A chain read from both ends. A table read from a file may not hold what its chains refer to.
    fn both(table: &'t ChainTable, chain: &Chain) -> Vec<Self> {
        let nodes: Vec<_> = chain.nodes().iter().filter_map(|node| table.entities.get(*node as usize)).collect();
        let steps = steps(table, chain);
        if steps.len() + 1 != nodes.len() {
            return Vec::new();
        }
        let back = Self {
            nodes: nodes.iter().rev().copied().collect(),
            steps: steps.iter().rev().map(|step| ChainStep { left_plays: !step.left_plays, ..*step }).collect(),
        };
        vec![Self { nodes, steps }, back]
    }
}

/// Whether, for a statement of a role about `inner`, `outer` can take its place: `step` leads from `outer` to `inner`.
///
/// - A symptom stands for its condition, and what is caused stands for its cause: what treats or tests for the latter does so for the former.
/// - A kind stands for the broader thing: whatever holds of that, warnings too.
///
/// Complications, risk factors, differential diagnoses, side effects and relations without a known role carry nothing over.
fn carries(statement: Role, outer_to_inner: ChainStep) -> bool {
    let ChainStep { role, left_plays: outer_plays } = outer_to_inner;
    match role {
        Role::Broader => !outer_plays,
        Role::Symptom | Role::RedFlag => outer_plays && is_about_states(statement),
        Role::Cause => !outer_plays && is_about_states(statement),
        _ => false,
    }
}

fn is_about_states(statement: Role) -> bool {
    statement.is_treatment() || matches!(statement, Role::Prevention | Role::Test)
}

/// Whether what `outer` is a symptom of carries on to `inner`, a condition: `outer` is a symptom, kind or complication of it, or caused by it.
fn explains(outer_to_inner: ChainStep) -> bool {
    match outer_to_inner.role {
        Role::Symptom | Role::RedFlag | Role::Complication => outer_to_inner.left_plays,
        Role::Cause | Role::Broader => !outer_to_inner.left_plays,
        _ => false,
    }
}

/// Drafts from one chain, from the question's entity to what the line states; `false` if there is nothing.
fn of_chain(table: &ChainTable, chain: &Chain, line: &AnswerLine, question: &HashSet<&str>, drafts: &mut Drafts) -> bool {
    let mut has_draft = false;
    for reading in ChainView::both(table, chain) {
        let ChainView { nodes, steps } = &reading;
        // The question's entity stands left, the statement right of it.
        for (at, statement) in steps.iter().enumerate().skip(1) {
            let (inner, last) = (nodes[at], nodes[at + 1]);
            if !belongs(line, *statement, &inner.name, &last.name) {
                continue;
            }
            for outer in (0..at).rev() {
                let to_inner = steps[outer];
                let ok = match line.part {
                    AnswerPart::Conditions => explains(to_inner),
                    _ => carries(statement.role, to_inner),
                };
                if !ok {
                    break;
                }
                if question.contains(nodes[outer].name.as_str()) {
                    let basis = Basis { chains: vec![table.text(chain)], why: why(line, &last.name) };
                    if let Some(draft) = direct(line, *statement, to_inner, nodes[outer], last, basis) {
                        drafts.push(draft);
                        has_draft = true;
                    }
                }
            }
        }
    }
    has_draft
}

/// Whether a line states an entity.
fn states(line: &AnswerLine, entity: &str) -> bool {
    line.stated().any(|stated| stated == entity)
}

/// Whether a statement at the end of a chain is what a line of the answer says.
fn belongs(line: &AnswerLine, statement: ChainStep, inner: &str, last: &str) -> bool {
    let last_plays = !statement.left_plays;
    match line.part {
        AnswerPart::Treatments => (statement.role.is_treatment() || statement.role == Role::Prevention) && last_plays && states(line, last),
        AnswerPart::Tests => matches!(statement.role, Role::Test | Role::Monitoring) && last_plays && states(line, last),
        // The inner entity may be the drug's class or the state's broader form; the line names the drug.
        AnswerPart::Cautions | AnswerPart::Safety => {
            matches!(statement.role, Role::Contraindication | Role::AdverseEffect | Role::Interaction)
                && line.role.is_none_or(|role| role == statement.role)
                && (line.entity == last || line.entity == inner)
        }
        AnswerPart::Conditions => line.entity == last && explains(statement),
        _ => false,
    }
}

/// The relation between the two ends of an accepted chain.
fn direct(
    line: &AnswerLine,
    statement: ChainStep,
    first: ChainStep,
    outer: &crate::graph::TableEntity,
    last: &crate::graph::TableEntity,
    basis: Basis,
) -> Option<Draft> {
    let term = |entity: &crate::graph::TableEntity| Term::new(entity.name.clone(), Kind::parse(&entity.kind));
    let (outer, last) = (term(outer), term(last));
    let (owner, role, player) = match line.part {
        // First-line is said of the one condition; for what it stands for it is a treatment like others.
        AnswerPart::Treatments if statement.role.is_treatment() => (outer, Role::Treatment, last),
        AnswerPart::Treatments | AnswerPart::Tests => (outer, statement.role, last),
        // Only what is itself a symptom can be one of the condition.
        AnswerPart::Conditions if first.role.is_feature() && first.left_plays => (last, Role::Symptom, outer),
        AnswerPart::Cautions | AnswerPart::Safety if statement.left_plays => (last, statement.role, outer),
        AnswerPart::Cautions | AnswerPart::Safety => (outer, statement.role, last),
        _ => return None,
    };
    Some(Draft::by_rule(owner, role, player, basis))
}

fn why(line: &AnswerLine, last: &str) -> String {
    let what = match line.part {
        AnswerPart::Conditions => "a condition to think of",
        AnswerPart::Tests => "a test to consider",
        AnswerPart::Treatments => "a treatment to consider",
        AnswerPart::Cautions | AnswerPart::Safety => "a caution",
        _ => "a finding",
    };
    let stated = if states(line, last) { last } else { &line.entity };
    format!(
        "derived: the answer that you rated good gives {stated} as {what}, and this chain leads to it from what the question names. \
         No source states it in one step: accept it only if you would say so yourself"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_for_the_other_carries_a_statement_over() {
        let step = |role, left_plays| ChainStep { role, left_plays };
        assert!(carries(Role::Treatment, step(Role::Symptom, true)));
        assert!(!carries(Role::Treatment, step(Role::Symptom, false)), "a symptom's treatment is not the disease's");
        assert!(carries(Role::Test, step(Role::Cause, false)) && !carries(Role::Test, step(Role::Cause, true)));
        assert!(carries(Role::Contraindication, step(Role::Broader, false)));
        assert!(!carries(Role::Contraindication, step(Role::Broader, true)), "what holds of a kind need not hold of all");
        assert!(!carries(Role::Contraindication, step(Role::Symptom, true)));
        for role in [Role::Complication, Role::RiskFactor, Role::Differential, Role::AdverseEffect, Role::Treatment, Role::Related] {
            assert!(!carries(Role::Treatment, step(role, true)) && !carries(Role::Treatment, step(role, false)), "{role:?}");
        }
    }
}
