//! What a rating states and the answer left out: chains to keep for questions like the rated one. What the graph does not know yet is kept
//! once it is accepted.

use super::draft::Drafts;
use super::sentence;
use super::{Proposals, Proposing};
use crate::dkg::{CheckOutcome, Feedback, Pin, PinnedChain, Proposal, Rating};
use crate::graph::{ChainTable, Hop, Kind, NamedEntity, NamedRelation, NamedTriple, Role};
use crate::model::ModelError;
use crate::run::{AnswerPart, ChainKey, QuestionKind, Trace};
use crate::text::{clean_line, fold};

/// The most known chains that one rating pins, and the most new ones: the question's own evidence keeps most places.
const MOST_PINNED: usize = 4;

/// What a rating pins. `made`: the proposals that follow from it. Of a gold answer, the redundant ones are what it states and the graph knows;
/// of the comment on a bad answer, only whole statements count, and nothing is learned from them.
///
/// # Errors
/// If it is stopped.
pub(super) fn of(proposing: &Proposing<'_>, trace: &Trace, feedback: &Feedback, made: &[Proposal]) -> Result<Option<Pin>, ModelError> {
    let of_comment: Proposals;
    let stated = match feedback.rating {
        Rating::Good => return Ok(None),
        Rating::Gold => made,
        Rating::Bad => {
            let mut drafts = Drafts::default();
            for sentence in sentence::sentences(&feedback.comment) {
                if let Some(draft) = sentence::draft(proposing.knowledge, sentence, String::new()) {
                    drafts.push(draft);
                }
            }
            of_comment = drafts.checked(proposing)?;
            of_comment.proposals.as_slice()
        }
    };
    let is_known = |proposal: &&Proposal| matches!(proposal.standing, CheckOutcome::Redundant { .. });
    let is_new = |proposal: &&Proposal| proposal.standing == CheckOutcome::New && feedback.rating == Rating::Gold;
    let known = stated.iter().filter(is_known).map(|proposal| &proposal.triple);
    Ok(pin(trace, known, stated.iter().filter(is_new).map(|proposal| &proposal.triple)))
}

/// Pins the best chain of each fact that the answer does not state: of the `known` one that was found, of a `new` one itself.
fn pin<'f>(trace: &Trace, known: impl Iterator<Item = &'f NamedTriple>, new: impl Iterator<Item = &'f NamedTriple>) -> Option<Pin> {
    let QuestionKind { linked, asks } = QuestionKind::of_trace(trace);
    // What names nothing is like everything.
    if linked.is_empty() || linked.iter().any(|name| clean_line(name) != *name) {
        return None;
    }
    let mut chains: Vec<PinnedChain> = Vec::new();
    for fact in known {
        if chains.len() == MOST_PINNED {
            break;
        }
        let pinned = chain_stating(trace, fact);
        chains.extend(pinned.filter(|pinned| !chains.iter().any(|known| known.fact == pinned.fact)));
    }
    // One fact for each name that answers: a condition with four symptoms must leave room for its test.
    let known = chains.len();
    for fact in new {
        let is_there = chains.iter().any(|pinned| answering(&pinned.fact) == answering(fact));
        if chains.len() < known + MOST_PINNED && !is_there {
            chains.push(PinnedChain {
                entities: vec![fact.head.name.clone(), fact.tail.name.clone()],
                fact: fact.clone(),
                relations: vec![(fact.relation.name.clone(), true)],
            });
        }
    }
    (!chains.is_empty()).then_some(Pin { asks, chains, feedback: 0, linked })
}

/// A found chain that states a fact which the answer leaves out: one that is kept if there is one, else the shortest, else the first.
fn chain_stating(trace: &Trace, fact: &NamedTriple) -> Option<PinnedChain> {
    let table = &trace.table;
    let node = |name: &str| {
        let name = fold(name);
        (0u32..).zip(&table.entities).filter(move |(_, entity)| fold(&entity.name) == name).map(|(node, _)| node).collect::<Vec<u32>>()
    };
    let (owners, players) = (node(&fact.owner().name), node(&fact.player().name));
    if owners.is_empty() || players.is_empty() {
        return None;
    }
    let states = |hop: &Hop| {
        let Some(relation) = table.relations.get(usize::from(hop.relation)) else { return false };
        let from_is_player = hop.forward == (relation.player == crate::graph::Player::Head);
        let (owner, player) = if from_is_player { (hop.to, hop.from) } else { (hop.from, hop.to) };
        says_the_same(relation.role, fact.relation.role) && owners.contains(&owner) && players.contains(&player)
    };
    let stating = |number: u32| {
        let chain = table.chains.get(number as usize)?;
        let hop = chain.hops().find(&states)?;
        (!trace.triage.verdict(table, chain).is_rejected()).then_some((chain, hop))
    };
    let all = (0..table.chains.len() as u32).filter_map(|number| Some((number, stating(number)?)));
    let (_, (chain, hop)) = all.min_by_key(|(number, (chain, _))| (trace.kept_id(*number).is_none(), chain.len(), *number))?;
    let fact = named(table, hop)?;
    let key = ChainKey::of(table, chain);
    let is_whole = key.entities.len() == chain.nodes().len() && key.relations.len() == chain.len();
    // A recording may hold names that no record takes.
    let names = key.entities.iter().chain(key.relations.iter().map(|(name, _)| name));
    let is_clean = names.chain([&fact.head.kind, &fact.tail.kind]).all(|name| clean_line(name) == *name);
    (is_whole && is_clean && !is_said(trace, &fact)).then_some(PinnedChain { entities: key.entities, fact, relations: key.relations })
}

/// The name that a fact answers with: of a symptom the condition, else what plays the role.
fn answering(fact: &NamedTriple) -> &str {
    if fact.relation.role.is_feature() { &fact.owner().name } else { &fact.player().name }
}

/// Whether a line of the answer states, with evidence, the name that answers. A mentor who
/// repeats what the answer says has nothing to add to it.
fn is_said(trace: &Trace, fact: &NamedTriple) -> bool {
    let name = answering(fact);
    let is_detail = |part: AnswerPart| {
        matches!(part, AnswerPart::Conditions | AnswerPart::Tests | AnswerPart::Treatments | AnswerPart::Cautions | AnswerPart::Safety)
    };
    let mut lines = trace.answer.lines.iter().filter(|line| is_detail(line.part));
    lines.any(|line| !line.citations.is_empty() && line.stated().any(|stated| stated == name))
}

/// Whether two roles state the same, as far as a plain sentence tells.
fn says_the_same(one: Role, other: Role) -> bool {
    one == other || (one.is_treatment() && other.is_treatment()) || (one.is_feature() && other.is_feature())
}

/// A step of a chain as the graph states it.
fn named(table: &ChainTable, hop: Hop) -> Option<NamedTriple> {
    let relation = table.relations.get(usize::from(hop.relation))?;
    let entity = |node: u32| {
        let entity = table.entities.get(node as usize)?;
        Some(NamedEntity::new(entity.name.clone(), &Kind::parse(&entity.kind)))
    };
    let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
    let relation = NamedRelation { name: relation.name.clone(), player: relation.player, role: relation.role };
    Some(NamedTriple::new(entity(head)?, relation, entity(tail)?))
}
