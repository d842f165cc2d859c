//! Communities of a weighted graph by modularity: the Leiden algorithm (Traag, Waltman and van Eck, "From Louvain to Leiden", 2019). Nodes move in
//! the order of a queue, communities are refined before they are joined, and every choice among equals is the first, so that the same graph gives the
//! same communities.

use std::collections::{BTreeMap, VecDeque};

/// The most times that communities are joined.
const LEVELS: usize = 20;
/// The least gain of modularity for which a node moves.
const LEAST_GAIN: f64 = 1e-12;

/// An undirected graph: for each node its neighbours with weights; loops are kept apart.
#[derive(Debug, Default, Clone)]
struct Weighted {
    neighbours: Vec<Vec<(u32, f64)>>,
    loops: Vec<f64>,
    degrees: Vec<f64>,
    /// Twice the weight of all edges.
    total: f64,
}

impl Weighted {
    fn of(nodes: usize, edges: &BTreeMap<(u32, u32), f64>) -> Self {
        let mut graph = Self { neighbours: vec![Vec::new(); nodes], loops: vec![0.0; nodes], degrees: vec![0.0; nodes], total: 0.0 };
        for ((a, b), weight) in edges.iter().filter(|(_, weight)| **weight > 0.0 && weight.is_finite()) {
            let (from, to) = (*a as usize, *b as usize);
            if from >= nodes || to >= nodes {
                continue;
            }
            graph.total += 2.0 * weight;
            if from == to {
                graph.loops[from] += weight;
                graph.degrees[from] += 2.0 * weight;
            } else {
                graph.neighbours[from].push((*b, *weight));
                graph.neighbours[to].push((*a, *weight));
                graph.degrees[from] += weight;
                graph.degrees[to] += weight;
            }
        }
        graph
    }

    fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// Moves nodes to the neighbouring community with the largest gain, until none gains. `within`: nodes move only to communities of the same part, and
    /// only those that still stand alone move.
    fn move_nodes(&self, community: &mut [u32], within: Option<&[u32]>) {
        let mut sums = vec![0.0; self.len()];
        let mut sizes = vec![0u32; self.len()];
        for (node, own) in community.iter().enumerate() {
            sums[*own as usize] += self.degrees[node];
            sizes[*own as usize] += 1;
        }
        let mut queue: VecDeque<u32> = (0..self.len() as u32).collect();
        let mut waits = vec![true; self.len()];
        while let Some(node) = queue.pop_front() {
            let at = node as usize;
            waits[at] = false;
            let own = community[at];
            if within.is_some() && sizes[own as usize] > 1 {
                continue;
            }
            let mut linked: BTreeMap<u32, f64> = BTreeMap::new();
            for (other, weight) in &self.neighbours[at] {
                if within.is_none_or(|part| part[*other as usize] == part[at]) {
                    *linked.entry(community[*other as usize]).or_default() += weight;
                }
            }
            let degree = self.degrees[at];
            sums[own as usize] -= degree;
            let gain = |to: u32, weight: f64| weight - degree * sums[to as usize] / self.total.max(f64::MIN_POSITIVE);
            let stays = gain(own, linked.get(&own).copied().unwrap_or(0.0));
            let mut best = (stays, own);
            for (to, weight) in &linked {
                let found = gain(*to, *weight);
                if found > best.0 + LEAST_GAIN {
                    best = (found, *to);
                }
            }
            sums[best.1 as usize] += degree;
            if best.1 == own {
                continue;
            }
            sizes[own as usize] -= 1;
            sizes[best.1 as usize] += 1;
            community[at] = best.1;
            if within.is_none() {
                for (other, _) in &self.neighbours[at] {
                    if community[*other as usize] != best.1 && !waits[*other as usize] {
                        waits[*other as usize] = true;
                        queue.push_back(*other);
                    }
                }
            }
        }
    }

    /// The graph whose nodes are the communities.
    fn joined(&self, community: &[u32], count: usize) -> Self {
        let mut edges: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for (node, near) in self.neighbours.iter().enumerate() {
            let own = community[node];
            if self.loops[node] > 0.0 {
                *edges.entry((own, own)).or_default() += self.loops[node];
            }
            for (other, weight) in near.iter().filter(|(other, _)| *other as usize > node) {
                let to = community[*other as usize];
                *edges.entry((own.min(to), own.max(to))).or_default() += weight;
            }
        }
        Self::of(count, &edges)
    }
}

/// Numbers communities from 0 in the order of their first nodes; gives how many there are.
fn renumber(community: &mut [u32]) -> usize {
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    for own in community.iter_mut() {
        let next = numbers.len() as u32;
        *own = *numbers.entry(*own).or_insert(next);
    }
    numbers.len()
}

/// The community of each node, numbered from 0. `edges`: weights by pairs of nodes, each pair once.
pub(super) fn leiden(nodes: usize, edges: &BTreeMap<(u32, u32), f64>) -> Vec<u32> {
    let mut graph = Weighted::of(nodes, edges);
    // Which node of the joined graph each node belongs to, and the communities of the joined graph.
    let mut belongs: Vec<u32> = (0..nodes as u32).collect();
    let mut community: Vec<u32> = belongs.clone();
    for _ in 0..LEVELS {
        graph.move_nodes(&mut community, None);
        let count = renumber(&mut community);
        if count == graph.len() {
            break;
        }
        let mut refined: Vec<u32> = (0..graph.len() as u32).collect();
        graph.move_nodes(&mut refined, Some(&community));
        let parts = renumber(&mut refined);
        if parts == graph.len() {
            break;
        }
        let mut of_part = vec![0u32; parts];
        for (node, part) in refined.iter().enumerate() {
            of_part[*part as usize] = community[node];
        }
        belongs.iter_mut().for_each(|node| *node = refined[*node as usize]);
        graph = graph.joined(&refined, parts);
        community = of_part;
    }
    let mut found: Vec<u32> = belongs.iter().map(|node| community[*node as usize]).collect();
    renumber(&mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(of: &[(u32, u32)]) -> BTreeMap<(u32, u32), f64> {
        of.iter().map(|pair| (*pair, 1.0)).collect()
    }

    #[test]
    fn two_cliques_with_a_bridge_are_two_communities() {
        let mut of = Vec::new();
        for base in [0, 5] {
            for a in 0..5 {
                for b in a + 1..5 {
                    of.push((base + a, base + b));
                }
            }
        }
        of.push((4, 5));
        let found = leiden(10, &edges(&of));
        assert_eq!(found, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
        assert_eq!(leiden(10, &edges(&of)), found, "the same each time");
    }

    #[test]
    fn a_ring_of_cliques_has_one_community_for_each_and_lone_nodes_have_their_own() {
        let mut of = Vec::new();
        for ring in 0..8u32 {
            let base = ring * 4;
            for a in 0..4 {
                for b in a + 1..4 {
                    of.push((base + a, base + b));
                }
            }
            let next = (ring + 1) % 8 * 4;
            of.push((base.min(next + 1), base.max(next + 1)));
        }
        let found = leiden(33, &edges(&of));
        for ring in 0..8usize {
            assert!(found[ring * 4..ring * 4 + 4].iter().all(|own| *own == found[ring * 4]), "{found:?}");
        }
        assert!(found.iter().filter(|own| **own == found[32]).count() == 1, "the lone one");
        assert!(leiden(0, &BTreeMap::new()).is_empty());
    }
}
