//! The search stage: chains between the anchors, while anchors are still coming in.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::graph::{
    Chain, ChainBudget, ChainKind, ChainSearch, ChainTable, EntityId, EvolvingGraph, FoundChains, Hop, MAX_HOPS, RelationId, Triple,
    neighbourhood, triple_of,
};
use crate::language::context::RunContext;
use crate::language::knowledge::named;
use crate::language::link::Anchors;
use crate::run::event::EventKind;
use crate::run::triage::{ChainKey, Triage};

/// The most entities of one name that are tried for a place of a pinned chain.
const HOMONYMS: usize = 8;

/// Chains in the graph's numbers, and the same in their table, in the same order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Searched {
    pub(crate) found: Arc<FoundChains>,
    pub(crate) table: Arc<ChainTable>,
}

/// Searches with the anchors that have come in since the last time.
pub(crate) fn add(ctx: &mut RunContext<'_>, search: &mut ChainSearch<'_, EvolvingGraph>, anchors: &Anchors) {
    let before = search.found();
    let cancel = ctx.cancel.clone();
    search.add(&anchors.entities(), &|| cancel.is_cancelled());
    if search.found() != before {
        ctx.emit(EventKind::ChainsProgress { found: search.found() });
    }
}

/// Ends the search between anchors. Where no chain connects them (a single one, say), their neighbourhood is the evidence.
pub(crate) fn finish(ctx: &RunContext<'_>, search: ChainSearch<'_, EvolvingGraph>, anchors: &Anchors) -> FoundChains {
    let found = search.finish();
    if found.found == 0 && found.truncated.is_none() {
        let around = neighbourhood(&ctx.knowledge.graph, &anchors.entities(), ChainBudget::default().chains);
        if around.found > 0 {
            return around;
        }
    }
    found
}

/// Tells what was found. Chains that the doctor pinned, or that the answer rests on (`needed`), and that the search did not come upon
/// follow at the end.
pub(crate) fn publish(ctx: &mut RunContext<'_>, found: FoundChains, triage: &Triage, needed: &[Chain]) -> Searched {
    let more = wanted(&ctx.knowledge.graph, triage, needed, &found);
    if let Some(why) = &found.truncated {
        ctx.warn(format!("The search is incomplete: {why}. Use a smaller k or a more precise question for a complete search."));
    }
    tell(ctx, found, more)
}

/// The chains of an earlier search, with those behind them that are pinned or that the answer rests on now. What was found is told again only
/// if there are such.
pub(crate) fn with_needed(ctx: &mut RunContext<'_>, searched: Searched, triage: &Triage, needed: &[Chain]) -> Searched {
    let more = wanted(&ctx.knowledge.graph, triage, needed, &searched.found);
    if more.is_empty() { searched } else { tell(ctx, FoundChains::clone(&searched.found), more) }
}

/// The chains that are pinned or needed and were not found.
fn wanted(graph: &EvolvingGraph, triage: &Triage, needed: &[Chain], found: &FoundChains) -> Vec<Chain> {
    besides(triage.pinned.iter().filter_map(|key| chain_of(graph, key)).chain(needed.iter().copied()), &found.chains)
}

/// Tells what was found, with more chains at the end.
fn tell(ctx: &mut RunContext<'_>, mut found: FoundChains, more: Vec<Chain>) -> Searched {
    found.found += more.len() as u64;
    for chain in &more {
        *found.by_kind.entry(chain.kind()).or_default() += 1;
    }
    found.chains.extend(more);
    let by_kind: BTreeMap<_, _> = found.by_kind.iter().filter(|(_, count)| **count > 0).map(|(kind, count)| (*kind, *count)).collect();
    let table = Arc::new(ChainTable::of(&ctx.knowledge.graph, &found.chains));
    let truncated = found.truncated.clone();
    ctx.emit(EventKind::ChainsFound { table: Arc::clone(&table), found: found.found, by_kind, truncated });
    Searched { found: Arc::new(found), table }
}

/// Of these chains, those that are not among the ones found, each once.
fn besides(wanted: impl Iterator<Item = Chain>, found: &[Chain]) -> Vec<Chain> {
    let mut wanted: Vec<Chain> = wanted.collect();
    if wanted.is_empty() {
        return wanted;
    }
    let mut open: HashSet<Chain> = wanted.iter().map(plain).collect();
    for chain in found {
        let chain = plain(chain);
        if !open.is_empty() && !open.remove(&chain) {
            open.remove(&chain.reversed());
        }
    }
    wanted.retain(|chain| open.remove(&plain(chain)));
    wanted
}

/// A chain by its steps alone. A triple around an anchor and the path of one relation are one chain.
fn plain(chain: &Chain) -> Chain {
    let mut plain = Chain::start(chain.nodes().first().copied().unwrap_or_default());
    chain.hops().for_each(|hop| plain.push(hop.relation, hop.forward, hop.to));
    plain
}

/// The numbers of these chains among those found, read from either end; those that are not there are left out.
pub(crate) fn numbers_of(wanted: &[Chain], found: &[Chain]) -> Vec<u32> {
    places_of(wanted, found).into_iter().flatten().collect()
}

/// The number of each of these chains among those found, read from either end; `None` where it is not there.
pub(crate) fn places_of(wanted: &[Chain], found: &[Chain]) -> Vec<Option<u32>> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let order: HashMap<Chain, usize> =
        wanted.iter().enumerate().flat_map(|(at, chain)| [(plain(chain), at), (plain(&chain.reversed()), at)]).collect();
    let mut numbers = vec![None; wanted.len()];
    for (chain, number) in found.iter().zip(0u32..) {
        if let Some(place) = order.get(&plain(chain)).and_then(|at| numbers.get_mut(*at)) {
            place.get_or_insert(number);
        }
    }
    numbers
}

/// The chain that a key names; `None` where the graph does not state all of its triples.
pub(crate) fn chain_of(graph: &EvolvingGraph, key: &ChainKey) -> Option<Chain> {
    let (first, rest) = key.entities.split_first()?;
    if rest.len() != key.relations.len() || !(1..=MAX_HOPS).contains(&rest.len()) {
        return None;
    }
    let entities = |name: &String| -> Vec<EntityId> {
        let all = graph.names().lookup_exact(name).into_iter();
        all.filter(|entity| graph.entity_name(*entity) == *name).take(HOMONYMS).collect()
    };
    // Of homonyms, those that the triples fit.
    let mut ways: Vec<Chain> = entities(first).into_iter().map(|entity| Chain::start(entity.0)).collect();
    for (entity, (relation, forward)) in rest.iter().zip(&key.relations) {
        let relation = graph.relations().iter().position(|known| known.name == *relation)? as u16;
        let next = entities(entity);
        let steps = ways.iter().flat_map(|way| {
            let from = EntityId(way.nodes()[way.len()]);
            let stated = move |to: &&EntityId| {
                let (head, tail) = if *forward { (from, **to) } else { (**to, from) };
                graph.states(Triple { head, relation: RelationId(relation), tail })
            };
            next.iter().filter(stated).map(move |to| {
                let mut way = *way;
                way.push(relation, *forward, to.0);
                way
            })
        });
        ways = steps.take(HOMONYMS).collect();
    }
    let chain = ways.first()?;
    Some(graph.marked(chain.of_kind(chain.kind_of_directions().unwrap_or(ChainKind::Path))))
}

/// The chains without the last ones, which a language model brought.
pub(crate) fn first(graph: &EvolvingGraph, searched: Searched, of_model: usize) -> Searched {
    if of_model == 0 {
        return searched;
    }
    let mut found = FoundChains::clone(&searched.found);
    found.chains.truncate(found.chains.len().saturating_sub(of_model));
    found.found = found.found.saturating_sub(of_model as u64);
    let table = Arc::new(ChainTable::of(graph, &found.chains));
    Searched { found: Arc::new(found), table }
}

/// Whether the graph still states what was learned of these chains.
pub(crate) fn holds(graph: &EvolvingGraph, found: &FoundChains) -> bool {
    let is_stated = |hop: Hop| {
        let (head, relation, tail) = triple_of(hop);
        graph.states(Triple { head: EntityId(head), relation: RelationId(relation), tail: EntityId(tail) })
    };
    found.chains.iter().filter(|chain| chain.learned()).all(|chain| chain.hops().all(is_stated))
}

/// The chains of a recorded table in the graph's numbers; `None` where the graph is not the one that it was made from.
pub(crate) fn of_table(graph: &EvolvingGraph, table: &Arc<ChainTable>) -> Option<Searched> {
    let entities: Option<Vec<u32>> =
        table.entities.iter().map(|entity| named(graph, &entity.name, &entity.kind).map(|known| known.0)).collect();
    let numbers: HashMap<&str, u16> = graph.relations().iter().map(|relation| relation.name.as_str()).zip(0..).collect();
    let relations: Option<Vec<u16>> = table.relations.iter().map(|relation| numbers.get(relation.name.as_str()).copied()).collect();
    let (entities, relations) = (entities?, relations?);
    // Another number for each entity: two of them would otherwise be one where homonyms cannot be distinguished.
    if entities.iter().collect::<HashSet<_>>().len() != entities.len() {
        return None;
    }
    let chains: Vec<Chain> = table
        .chains
        .iter()
        .map(|chain| chain.renumbered(|node| entities[node as usize], |relation| relations[usize::from(relation)]))
        .collect();
    let mut by_kind: BTreeMap<ChainKind, u64> = BTreeMap::new();
    for chain in &chains {
        *by_kind.entry(chain.kind()).or_default() += 1;
    }
    let found = FoundChains { found: chains.len() as u64, chains, by_kind, truncated: None };
    Some(Searched { found: Arc::new(found), table: Arc::clone(table) })
}
