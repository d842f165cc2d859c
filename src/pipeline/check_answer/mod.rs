//! What do the sources say of a text? Any text, such as a model's answer or a colleague's note, is split into claims; each is compared with the
//! graph and with the documents, without a language model; one may judge the claims of which nothing was found.

mod by_model;
mod claims;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::evidence::{CollectionError, Library, SearchMethod, SearchOptions};
use crate::graph::{Chain, EntityId, EvolvingGraph, Graph, Player, Role, Triple, statements_between};
use crate::pipeline::answer::statements::Statement;
use crate::pipeline::llm::{Agreed, agreed, named_in};
use crate::run::{CheckedClaim, ClaimVerdict, QuotedPassage};
pub(crate) use by_model::ClaimJudge;
use claims::claims;

/// The most things of a claim that are looked up in the graph.
const MOST_NAMED: usize = 12;
/// The most passages that a language model is shown for a claim.
const SHOWN: usize = 8;

/// Checks every claim of a text, in order.
pub(crate) fn check_answer(graph: &EvolvingGraph, library: &Library, text: &str) -> Vec<CheckedClaim> {
    claims(text).into_iter().map(|claim| check(graph, library, claim)).collect()
}

/// A document that has the claim's own words says more than the graph's reading of it; a statement of the graph more than a sentence that differs.
fn check(graph: &EvolvingGraph, library: &Library, text: String) -> CheckedClaim {
    let by_documents = library.on_claim(&text);
    let (by_graph, chains) = by_graph(graph, &text);
    let (verdict, passage, chains) = match (by_documents, by_graph) {
        (Some((true, passage)), Agreed::Yes) => (ClaimVerdict::Supported, Some(passage), chains),
        (Some((true, passage)), _) => (ClaimVerdict::Supported, Some(passage), Vec::new()),
        (Some((false, passage)), Agreed::No) => (ClaimVerdict::Contradicted, Some(passage), chains),
        (_, Agreed::No) => (ClaimVerdict::Contradicted, None, chains),
        (_, Agreed::Yes) => (ClaimVerdict::Supported, None, chains),
        (Some((false, passage)), Agreed::Neither) => (ClaimVerdict::Contradicted, Some(passage), Vec::new()),
        (None, Agreed::Neither) => (ClaimVerdict::NotFound, None, Vec::new()),
    };
    CheckedClaim { text, verdict, chains, passages: passage.into_iter().collect(), by_model: false }
}

/// The passages that are most likely to speak of a claim.
fn passages_for(library: &Library, graph: &Graph, claim: &str) -> Result<Vec<QuotedPassage>, CollectionError> {
    let options = SearchOptions { limit: SHOWN, checks: true, ..SearchOptions::default() };
    let found = library.search(graph, claim, SearchMethod::default(), &options)?;
    Ok(found.into_iter().map(|(passage, _)| passage).collect())
}

/// What the graph says of a claim, also of classes for their members, and its statements as text.
fn by_graph(graph: &EvolvingGraph, text: &str) -> (Agreed, Vec<String>) {
    let mut named = named_in(graph, text);
    named.truncate(MOST_NAMED);
    let mut triples: Vec<Triple> = Vec::new();
    let mut stated: BTreeMap<(EntityId, Role, EntityId), BTreeSet<u32>> = BTreeMap::new();
    for (at, one) in named.iter().enumerate() {
        for other in named.iter().skip(at + 1) {
            for found in statements_between(graph, *one, *other, |_| true) {
                let triple = found.triple();
                let id = triples.iter().position(|known| *known == triple).unwrap_or_else(|| {
                    triples.push(triple);
                    triples.len() - 1
                }) as u32
                    + 1;
                let relation = graph.relation(triple.relation);
                let (head, tail) = if found.first_is_head { (*one, *other) } else { (*other, *one) };
                let (owner, player) = match relation.player {
                    Player::Head => (tail, head),
                    Player::Tail => (head, tail),
                };
                stated.entry((owner, relation.role, player)).or_default().insert(id);
            }
        }
    }
    let statements: Vec<Statement> =
        stated.into_iter().map(|((owner, role, player), cited)| Statement { owner, role, player, cited }).collect();
    let (agreed, cited) = agreed(graph, &statements, HashSet::new(), text);
    let chain = |id: u32| {
        let triple = triples.get((id as usize).checked_sub(1)?)?;
        let mut chain = Chain::start(triple.head.0);
        chain.push(triple.relation.0, true, triple.tail.0);
        Some(graph.chain_text(&chain))
    };
    (agreed, cited.into_iter().filter_map(chain).collect())
}
