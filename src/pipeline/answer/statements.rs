//! What the kept chains state, and where that contradicts the hypothesis.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::extractive::ReadInput;
use super::stance::Stance;
use crate::graph::{Chain, EntityId, Player, RelationId, Role};
use crate::run::event::AnchorOrigin;

/// A statement of the kept chains: owner, role, player, and the ids of the chains that state it.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) owner: EntityId,
    pub(crate) role: Role,
    pub(crate) player: EntityId,
    pub(crate) cited: BTreeSet<u32>,
}

/// Every statement of the kept chains, once, with the chains that state it.
pub(crate) fn statements(input: &ReadInput<'_>) -> Vec<Statement> {
    let graph = &input.knowledge.graph;
    let mut statements: BTreeMap<(EntityId, Role, EntityId), BTreeSet<u32>> = BTreeMap::new();
    for (scored, id) in input.pruning.kept.iter().zip(1u32..) {
        let chain: &Chain = &input.found.chains[scored.chain as usize];
        for hop in chain.hops() {
            let relation = graph.relation(RelationId(hop.relation));
            let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
            let (owner, player) = match relation.player {
                Player::Head => (EntityId(tail), EntityId(head)),
                Player::Tail => (EntityId(head), EntityId(tail)),
            };
            statements.entry((owner, relation.role, player)).or_default().insert(id);
        }
    }
    statements.into_iter().map(|((owner, role, player), cited)| Statement { owner, role, player, cited }).collect()
}

/// Treatments that are contraindicated in a state that the question names. Looked up in the whole
/// graph, not only in the kept chains: a warning that was not kept must not let the drug through.
pub(crate) fn forbidden(input: &ReadInput<'_>, statements: &[Statement], of_question: &HashSet<EntityId>) -> HashSet<EntityId> {
    let rules_out = |drug: &EntityId| {
        // The owner of a contraindication is the drug, its player the state in which it must not be used.
        let facts = input.knowledge.facts();
        of_question.iter().any(|state| facts.states(*drug, *state, |role| role == Role::Contraindication))
    };
    statements.iter().flat_map(|s| [s.owner, s.player]).filter(rules_out).collect()
}

/// Entities on which the evidence contradicts the hypothesis: it proposes a contraindicated treatment, or advises
/// against a test or treatment that kept chains support (HyKGE 2025, A.3, case study). By name.
pub(crate) fn corrected(input: &ReadInput<'_>, statements: &[Statement], forbidden: &HashSet<EntityId>) -> Vec<String> {
    let graph = &input.knowledge.graph;
    let stance = Stance::of(graph, input.hypothesis);
    let of_hypothesis = input.anchors.all.iter().filter(|anchor| anchor.origin == AnchorOrigin::Hypothesis).map(|anchor| anchor.entity);
    let wrongly_proposed = of_hypothesis.filter(|entity| forbidden.contains(entity) && !stance.denied.contains(entity));
    let of_question = input.anchors.of_question().map(|anchor| anchor.entity);
    let subjects: HashSet<EntityId> = of_question.chain(input.assessment.leading().map(|(entity, _)| entity)).collect();
    let is_useful = |s: &&Statement| {
        (s.role.is_treatment() || matches!(s.role, Role::Prevention | Role::Test | Role::Monitoring)) && subjects.contains(&s.owner)
    };
    let supported = statements.iter().filter(is_useful).map(|s| s.player);
    let wrongly_denied = supported.filter(|entity| stance.denied.contains(entity) && !forbidden.contains(entity));
    let corrected: BTreeSet<EntityId> = wrongly_proposed.chain(wrongly_denied).collect();
    corrected.into_iter().map(|entity| graph.entity_name(entity).to_owned()).collect()
}
