//! What the doctor pinned, in this run or by rating a question like this one: what no planned line states brings a line of its own. Of a
//! treatment that the case forbids, it brings the reason instead.

use std::collections::BTreeSet;

use super::{PlanInput, PlannedLine, by_role, conditions, details};
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
        let Some(line) = line(input, chain, lines) else { continue };
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
