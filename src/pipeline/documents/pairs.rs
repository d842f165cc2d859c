//! Which pair of entities a line of the answer relates, from the chains that it cites, and the passage that states the same of them.

use super::DocumentInput;
use crate::evidence::Sought;
use crate::graph::{Chain, EntityId, EvolvingGraph, Player, RelationId, Role};
use crate::run::QuotedPassage;
use crate::run::event::{AnswerLine, AnswerPart};

/// The most pairs of a line for which a passage is sought.
const MOST_PAIRS: usize = 4;
/// The most other names of an entity.
const MOST_ALIASES: usize = 12;
/// How many steps from a member up to its kinds are taken.
const STEPS: usize = 4;

/// A statement of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stated {
    owner: EntityId,
    role: Role,
    player: EntityId,
}

/// The statements of a chain.
pub(super) fn statements<'a>(graph: &'a EvolvingGraph, chain: &'a Chain) -> impl Iterator<Item = Stated> + 'a {
    chain.hops().map(|hop| {
        let relation = graph.relation(RelationId(hop.relation));
        let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
        let (owner, player) = match relation.player {
            Player::Head => (EntityId(tail), EntityId(head)),
            Player::Tail => (EntityId(head), EntityId(tail)),
        };
        Stated { owner, role: relation.role, player }
    })
}

/// The passage that states what a line does; `None` if no document does.
pub(super) fn stating(input: &DocumentInput<'_>, line: &AnswerLine) -> Option<QuotedPassage> {
    let graph = input.graph;
    let chain = |id: &u32| input.found.chains.get(input.pruning.kept.get((*id as usize).checked_sub(1)?)?.chain as usize);
    let all: Vec<Stated> = line.citations.iter().filter_map(chain).flat_map(|chain| statements(graph, chain)).collect();
    let about = graph.find(&line.entity)?;
    let mut sought = Vec::new();
    let is_meant = |stated: &&Stated| match (line.role, line.part) {
        (Some(role), _) => is_same(role, stated.role),
        // A condition stands there for what it explains.
        (None, AnswerPart::Conditions | AnswerPart::Summary) => stated.role.is_feature(),
        (None, _) => stated.role != Role::Broader,
    };
    for stated in all.iter().filter(is_meant) {
        let (owner, player) = (line_up(&all, stated.owner), line_up(&all, stated.player));
        if (owner.contains(&about) || player.contains(&about)) && !sought.contains(&(stated.role, owner.clone(), player.clone())) {
            sought.push((stated.role, owner, player));
        }
    }
    sought.into_iter().take(MOST_PAIRS).find_map(|(role, owner, player)| find(input, role, &owner, &player))
}

/// The passage that states this of these.
pub(super) fn find(input: &DocumentInput<'_>, role: Role, owner: &[EntityId], player: &[EntityId]) -> Option<QuotedPassage> {
    let names = |end: &[EntityId]| end.iter().map(|entity| names_of(input.graph, *entity)).collect();
    input.library.stating(&Sought { role, owner: names(owner), player: names(player) }, |passage| input.is_wanted(passage))
}

/// Whether a chain's role is what a line says.
fn is_same(of_line: Role, of_chain: Role) -> bool {
    of_line == of_chain || (of_line.is_treatment() && of_chain.is_treatment()) || (of_line.is_feature() && of_chain.is_feature())
}

/// What a statement is about: the member that the chains lead from, and its kinds up to the entity that the statement names.
fn line_up(all: &[Stated], named: EntityId) -> Vec<EntityId> {
    let mut up = vec![named];
    while up.len() <= STEPS
        && let Some(member) = all.iter().find(|stated| stated.role == Role::Broader && up.first() == Some(&stated.player)).map(|s| s.owner)
        && !up.contains(&member)
    {
        up.insert(0, member);
    }
    up
}

/// An entity's names in the graph.
pub(crate) fn names_of(graph: &EvolvingGraph, entity: EntityId) -> Vec<String> {
    let own = std::iter::once(graph.entity_name(entity));
    own.chain(graph.aliases(entity).take(MOST_ALIASES)).map(str::to_owned).collect()
}
