//! What the doctor pinned, in this run or by rating a question like this one: what no planned line states brings a line of its own. Of a
//! treatment that the case forbids, it brings the reason instead.

use std::collections::BTreeSet;

use super::{PlanInput, PlannedLine, by_role, conditions, details, together};
use crate::graph::{Chain, EntityId, Hop, Player, RelationId, Role};
use crate::pipeline::answer::compose::{is_preamble, states};
use crate::run::event::AnswerPart;

/// Of what a chain says what.
type Fact = (EntityId, Role, EntityId);

/// The most treatments of a condition among which a remembered one is looked for.
const TREATMENTS: usize = 60;

/// Adds lines for what ratings of questions like this one asked for and `lines` do not name, as far as the case lets them stand.
pub(super) fn add_remembered(input: &PlanInput<'_>, lines: &mut Vec<PlannedLine>) {
    for fact in input.remembered {
        let (owner, role, player) = *fact;
        let part = part_of(role).or_else(|| role.is_feature().then_some(AnswerPart::Conditions));
        let Some(part) = part else { continue };
        let entity = if part == AnswerPart::Conditions { owner } else { player };
        if lines.iter().any(|line| line.part == part && line.entities().any(|known| known == entity)) {
            continue;
        }
        let line = match part {
            AnswerPart::Conditions => conditions::line_of(input, owner),
            AnswerPart::Treatments if input.is_forbidden(player) => withheld(input, player, lines),
            // What is left out of a list by the case is not offered because it was named before.
            AnswerPart::Treatments if role.is_treatment() => {
                details::treatments(input, &[owner], TREATMENTS).into_iter().find(|line| line.entity == Some(player))
            }
            _ => by_role::stated(input, part, *fact),
        };
        if let Some(line) = line {
            insert(lines, line);
        }
    }
}

/// Inserts a line behind the last one of its part.
fn insert(lines: &mut Vec<PlannedLine>, line: PlannedLine) {
    let first = lines.iter().position(|known| !is_preamble(known.part)).unwrap_or(lines.len());
    let behind = lines.iter().rposition(|known| known.part == line.part).map(|last| last + 1);
    let at = match line.part {
        // Lists that were asked for stand lower.
        AnswerPart::Safety => first,
        // Conditions that nothing else brought stand before what is done about them.
        AnswerPart::Conditions => behind.unwrap_or(first),
        _ => behind.unwrap_or(lines.len()),
    };
    lines.insert(at, line);
}

/// Why the case forbids a treatment, unless that is said already.
fn withheld(input: &PlanInput<'_>, forbidden: EntityId, said: &[PlannedLine]) -> Option<PlannedLine> {
    // A list of all that is left out gives no reason for one of it.
    let is_reason = |line: &PlannedLine| line.part == AnswerPart::Safety && [line.entity, line.other].contains(&Some(forbidden));
    let reason = input.safety.withheld.and_then(|withheld| withheld(forbidden));
    reason.filter(|_| !said.iter().any(is_reason))
}

/// Adds lines for what of the pinned chains `lines` do not state, each behind the last line of its part.
pub(super) fn add(input: &PlanInput<'_>, lines: &mut Vec<PlannedLine>) {
    for chain in input.pinned {
        let proofs = || lines.iter().flat_map(|line| &line.proofs);
        let is_said = |hop: Hop| proofs().any(|proof| states(proof, &alone(hop)));
        if chain.hops().all(is_said) {
            continue;
        }
        let unsaid: Vec<Fact> = chain.hops().filter(|hop| !is_said(*hop)).map(|hop| fact(input, hop)).collect();
        let facts: Vec<Fact> = chain.hops().map(|hop| fact(input, hop)).collect();
        let listed =
            if offered(&facts).iter().any(|treatment| input.is_forbidden(*treatment)) { Vec::new() } else { listed(input, &unsaid, lines) };
        if !listed.is_empty() {
            listed.into_iter().for_each(|line| list(lines, line));
            continue;
        }
        let Some(line) = line(input, chain, lines) else { continue };
        insert(lines, line);
    }
}

/// The lines of what a pinned chain states of conditions that the answer is about, where it states nothing but what is done for them: a treatment stands
/// among the treatments, also if the chain goes on to another condition that it treats. Empty if it states anything else.
fn listed(input: &PlanInput<'_>, unsaid: &[Fact], lines: &[PlannedLine]) -> Vec<PlannedLine> {
    let is_about = |owner: EntityId, part: AnswerPart| {
        let is_condition = |line: &PlannedLine| line.part == AnswerPart::Conditions && line.entity == Some(owner);
        let has_list = |line: &PlannedLine| line.part == part && line.subject == Some(owner);
        input.of_question.contains(&owner) || lines.iter().any(|line| is_condition(line) || has_list(line))
    };
    let of_fact = |fact: &Fact| part_of(fact.1).filter(|part| is_about(fact.0, *part)).and_then(|part| by_role::stated(input, part, *fact));
    let stated: Vec<(EntityId, PlannedLine)> = unsaid.iter().filter_map(|fact| Some((fact.2, of_fact(fact)?))).collect();
    let is_told = |(_, role, player): &Fact| part_of(*role).is_some() && stated.iter().any(|(told, _)| told == player);
    if unsaid.iter().all(is_told) { stated.into_iter().map(|(_, line)| line).collect() } else { Vec::new() }
}

/// Adds a line to the list that says the same of the same condition, if there is one with room; else behind the last line of its part.
fn list(lines: &mut Vec<PlannedLine>, line: PlannedLine) {
    if let Some(line) = together::added(lines, line) {
        insert(lines, line);
    }
}

/// The line of a pinned chain; `None` if it offers what the case forbids and the reason is said already.
fn line(input: &PlanInput<'_>, chain: &Chain, said: &[PlannedLine]) -> Option<PlannedLine> {
    let facts: Vec<Fact> = chain.hops().map(|hop| fact(input, hop)).collect();
    if let Some(forbidden) = offered(&facts).into_iter().find(|treatment| input.is_forbidden(*treatment)) {
        return withheld(input, forbidden, said);
    }
    let listed = match facts.as_slice() {
        [fact] => part_of(fact.1).and_then(|part| by_role::stated(input, part, *fact)),
        _ => None,
    };
    listed.or_else(|| {
        let mut entities = chain.nodes().iter().map(|node| EntityId(*node));
        let entity = entities.clone().find(|entity| !input.of_question.contains(entity)).or_else(|| entities.next());
        let text = input.knowledge.graph.chain_text(chain);
        Some(PlannedLine { entity, proofs: vec![*chain], ..PlannedLine::saying(AnswerPart::Findings, text) })
    })
}

/// The part of the answer that lists what plays a role.
fn part_of(role: Role) -> Option<AnswerPart> {
    match role {
        Role::FirstLine | Role::Treatment | Role::Prevention => Some(AnswerPart::Treatments),
        Role::Test | Role::Monitoring => Some(AnswerPart::Tests),
        _ => None,
    }
}

/// The treatments that statements offer, by themselves or as members of a class.
fn offered(facts: &[Fact]) -> BTreeSet<EntityId> {
    let offers = |role: Role| role.is_treatment() || role == Role::Prevention;
    let mut offered: BTreeSet<EntityId> = facts.iter().filter(|(_, role, _)| offers(*role)).map(|(_, _, player)| *player).collect();
    // Each round goes one class down; a chain has no more of them than relations.
    for _ in facts {
        let members = facts.iter().filter(|(_, role, class)| *role == Role::Broader && offered.contains(class));
        let members: Vec<EntityId> = members.map(|(member, ..)| *member).collect();
        offered.extend(members);
    }
    offered
}

/// A step as what it states.
fn fact(input: &PlanInput<'_>, hop: Hop) -> Fact {
    let relation = input.knowledge.graph.relation(RelationId(hop.relation));
    let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
    let (owner, player) = match relation.player {
        Player::Head => (tail, head),
        Player::Tail => (head, tail),
    };
    (EntityId(owner), relation.role, EntityId(player))
}

/// A step as a chain of its own.
fn alone(hop: Hop) -> Chain {
    let mut chain = Chain::start(hop.from);
    chain.push(hop.relation, hop.forward, hop.to);
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_of_an_offered_class_is_offered_and_what_is_warned_of_is_not() {
        let [pain, class, narrow, drug, ulcer, other] = [0, 1, 2, 3, 4, 5].map(EntityId);
        let facts = [(drug, Role::Broader, narrow), (narrow, Role::Broader, class), (pain, Role::Treatment, class)];
        assert_eq!(offered(&facts), [class, narrow, drug].into());
        let facts = [(ulcer, Role::FirstLine, drug), (other, Role::Contraindication, ulcer)];
        assert_eq!(offered(&facts), [drug].into());
    }
}
