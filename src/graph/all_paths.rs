//! Every path between some entities, whichever way its relations run (RoK, section 4.2.1 and its FindNodesPath). The search for chains
//! ([`super::search`]) has those that turn at most once.

use std::collections::{HashMap, HashSet};

use super::chain::{Chain, ChainKind, MAX_HOPS};
use super::entity::EntityId;
use super::search::FoundChains;
use super::view::{Direction, GraphView};

/// The most relations that are followed in one search.
const MOST_STEPS: u64 = 20_000_000;
/// How many are followed between two checks for cancellation.
const CHECKED: u64 = 1 << 14;

/// A relation at an entity.
#[derive(Clone, Copy)]
struct Step {
    relation: u16,
    forward: bool,
    to: u32,
}

/// All simple paths of 1 to `hops` relations between two of these entities, at most `limit` of them. Each stands once, from the entity that comes first
/// in `ends`; they are ordered by length, then as they lie in the graph. `stop`: ends the search early.
pub fn all_paths<V: GraphView + ?Sized>(view: &V, ends: &[EntityId], hops: usize, limit: usize, stop: &dyn Fn() -> bool) -> FoundChains {
    let mut seen = HashSet::new();
    let ends: Vec<u32> = ends.iter().map(|end| end.0).filter(|end| seen.insert(*end)).collect();
    let places: HashMap<u32, usize> = ends.iter().copied().zip(0..).collect();
    // What leads to an end, by the entity before it: the last step is looked up rather than tried.
    let mut before: HashMap<u32, Vec<Step>> = HashMap::new();
    for end in &ends {
        for step in steps(view, *end) {
            before.entry(step.to).or_default().push(Step { relation: step.relation, forward: !step.forward, to: *end });
        }
    }
    let mut search = Search { view, places, before, limit, stop, followed: 0, found: Vec::new(), ended: None };
    for length in 1..=hops.min(MAX_HOPS) {
        for end in &ends {
            search.extend(Chain::start(*end), length);
        }
    }
    let Search { found, ended, .. } = search;
    let mut by_kind = std::collections::BTreeMap::new();
    found.iter().for_each(|chain| *by_kind.entry(chain.kind()).or_default() += 1);
    FoundChains { found: found.len() as u64, chains: found, by_kind, truncated: ended }
}

fn steps<V: GraphView + ?Sized>(view: &V, entity: u32) -> impl Iterator<Item = Step> + '_ {
    Direction::BOTH.into_iter().flat_map(move |direction| {
        let edges = view.edges(EntityId(entity), direction);
        edges.iter().map(move |edge| Step { relation: edge.relation.0, forward: direction.is_forward(), to: edge.to.0 }).collect::<Vec<_>>()
    })
}

struct Search<'a, V: ?Sized> {
    view: &'a V,
    /// The place of each end.
    places: HashMap<u32, usize>,
    before: HashMap<u32, Vec<Step>>,
    limit: usize,
    stop: &'a dyn Fn() -> bool,
    followed: u64,
    found: Vec<Chain>,
    /// Why the search ended early.
    ended: Option<String>,
}

impl<V: GraphView + ?Sized> Search<'_, V> {
    /// Follows `left` more relations from the end of a path.
    fn extend(&mut self, path: Chain, left: usize) {
        let Some(last) = path.nodes().last().copied() else { return };
        if left == 1 {
            let finals = self.before.get(&last).map_or(0, Vec::len);
            let start = path.nodes().first().and_then(|first| self.places.get(first)).copied();
            for at in 0..finals {
                let Some(step) = self.before.get(&last).and_then(|finals| finals.get(at)).copied() else { return };
                let is_later = self.places.get(&step.to).copied() > start;
                if is_later && !path.nodes().contains(&step.to) && self.may_go_on() {
                    self.found.push(finished(extended(path, step)));
                }
            }
            return;
        }
        for step in steps(self.view, last).collect::<Vec<_>>() {
            if self.ended.is_some() {
                return;
            }
            if !path.nodes().contains(&step.to) && self.may_go_on() {
                self.extend(extended(path, step), left - 1);
            }
        }
    }

    fn may_go_on(&mut self) -> bool {
        self.followed += 1;
        if self.ended.is_none() {
            if self.found.len() >= self.limit {
                self.ended = Some(format!("{} paths connect the key entities, and maybe more (count budget)", self.limit));
            } else if self.followed > MOST_STEPS {
                self.ended = Some(format!("{MOST_STEPS} relations were followed, and paths may be left (step budget)"));
            } else if self.followed.is_multiple_of(CHECKED) && (self.stop)() {
                self.ended = Some("it was stopped".into());
            }
        }
        self.ended.is_none()
    }
}

fn extended(mut path: Chain, step: Step) -> Chain {
    path.push(step.relation, step.forward, step.to);
    path
}

/// A whole path, with its kind; one that turns more than once counts as a path.
fn finished(path: Chain) -> Chain {
    let kind = path.kind_of_directions().unwrap_or(ChainKind::Path);
    path.of_kind(kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{EvolvingGraph, GraphBuilder};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    type Edges = BTreeSet<(usize, usize, usize)>;

    fn graph(edges: &Edges) -> (EvolvingGraph, Vec<EntityId>) {
        let mut builder = GraphBuilder::new("test");
        let entities: Vec<u32> = (0..8).map(|at| builder.entity(&format!("e{at}"))).collect();
        let rules = crate::graph::RoleRules::built_in().expect("rules");
        for (a, r, b) in edges.iter().filter(|(a, _, b)| a != b) {
            let relation = builder.relation(rules.guess(&format!("r{r}"))).expect("room");
            builder.triple(entities[*a], relation, entities[*b]);
        }
        let graph = EvolvingGraph::new(std::sync::Arc::new(builder.finish()));
        let entities = (0..8).filter_map(|at| graph.find(&format!("e{at}"))).collect();
        (graph, entities)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// RoK's FindNodesPath transcribed: all simple paths within max_hop between two candidates, whichever way the relations run.
        #[test]
        fn find_nodes_path_finds_every_simple_path(edges in prop::collection::btree_set((0usize..8, 0usize..2, 0usize..8), 1..18), hops in 1usize..5) {
            let (graph, entities) = graph(&edges);
            let ends = &entities[..3];
            let found = all_paths(&graph, ends, hops, usize::MAX, &|| false);
            prop_assert!(found.truncated.is_none());
            let mut paths: BTreeSet<Vec<(u32, u16, bool, u32)>> = BTreeSet::new();
            let mut open: Vec<Vec<(u32, u16, bool, u32)>> = Vec::new();
            let all: Vec<(u32, u16, bool, u32)> = entities
                .iter()
                .flat_map(|entity| steps(&graph, entity.0).map(|step| (entity.0, step.relation, step.forward, step.to)).collect::<Vec<_>>())
                .collect();
            open.extend(all.iter().filter(|step| ends.contains(&EntityId(step.0))).map(|step| vec![*step]));
            while let Some(path) = open.pop() {
                let (first, last) = (path[0].0, path[path.len() - 1].3);
                let place = |entity: u32| ends.iter().position(|end| end.0 == entity);
                if place(last).is_some() && place(last) > place(first) {
                    paths.insert(path.clone());
                }
                if path.len() < hops {
                    let is_new = |step: &&(u32, u16, bool, u32)| step.0 == last && step.3 != first && path.iter().all(|before| before.3 != step.3);
                    open.extend(all.iter().filter(is_new).map(|step| [&path[..], &[*step]].concat()));
                }
            }
            let got: Vec<Vec<(u32, u16, bool, u32)>> =
                found.chains.iter().map(|chain| chain.hops().map(|hop| (hop.from, hop.relation, hop.forward, hop.to)).collect()).collect();
            prop_assert_eq!(got.iter().cloned().collect::<BTreeSet<_>>(), paths);
            prop_assert!(got.is_sorted_by_key(Vec::len));
            prop_assert_eq!(got.iter().collect::<BTreeSet<_>>().len(), got.len(), "each once");
            let some = all_paths(&graph, ends, hops, 2, &|| false);
            prop_assert_eq!(&some.chains[..], &found.chains[..some.chains.len()]);
            prop_assert!(some.chains.len() == found.chains.len() || some.truncated.is_some());
        }
    }

    #[test]
    fn a_path_may_turn_as_often_as_it_likes() {
        // 0 → 1 ← 2 → 3: two turns, which no reasoning chain of HyKGE has.
        let (graph, entities) = graph(&Edges::from([(0, 0, 1), (2, 0, 1), (2, 1, 3)]));
        let found = all_paths(&graph, &[entities[0], entities[3]], 3, 10, &|| false);
        assert_eq!((found.chains.len(), found.chains[0].kind()), (1, ChainKind::Path));
        assert!(found.chains[0].kind_of_directions().is_none());
    }
}
