//! PageRank of all entities by power iteration over sparse rows; each round reads every triple once.
//! (petgraph's PageRank compares every pair of nodes, which is too slow for a million entities; a test compares the two.)

use rayon::prelude::*;

use super::entity::EntityId;
use super::view::{Direction, GraphView};

/// Which triples the random walker follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Following {
    /// Along relations and against them alike, as personalised PageRank does.
    Both,
    /// Along relations only: the definition for directed graphs.
    Relations,
}

/// Settings of [`global_pagerank`].
#[derive(Debug, Clone, Copy)]
pub struct GlobalPageRank {
    /// The probability of following a triple instead of jumping to any entity, 0 to 1.
    pub damping: f64,
    /// The iteration ends when the absolute changes of a round add up to less than this.
    pub tolerance: f64,
    /// The most rounds.
    pub max_rounds: usize,
    /// Which triples the walker follows.
    pub following: Following,
}

impl Default for GlobalPageRank {
    /// Damping 0.85, tolerance 1e-9, 200 rounds, both directions.
    fn default() -> Self {
        Self { damping: 0.85, tolerance: 1e-9, max_rounds: 200, following: Following::Both }
    }
}

/// The ranks and their accuracy.
#[derive(Debug, Clone, PartialEq)]
pub struct PageRanks {
    /// One rank for each entity, by number; they add up to 1.
    pub ranks: Vec<f64>,
    /// How many rounds ran.
    pub rounds: usize,
    /// The sum of the absolute changes of the last round. At least the tolerance if the rounds ran out.
    pub residual: f64,
}

/// How many entities a work item computes. Sums are taken chunk by chunk in order, so the result is the same on any number of
/// cores.
const CHUNK: usize = 8192;

/// PageRank (Brin, Page 1998; Page et al. 1999): the probability of finding a random walker at each entity. The walker follows a
/// triple with probability `damping` and otherwise jumps to any entity; from an entity without triples to follow it always jumps.
/// Several triples between two entities each count.
pub fn global_pagerank<V: GraphView + ?Sized>(view: &V, how: GlobalPageRank) -> PageRanks {
    let count = view.entity_count();
    if count == 0 {
        return PageRanks { ranks: Vec::new(), rounds: 0, residual: 0.0 };
    }
    let damping = how.damping.clamp(0.0, 1.0);
    let even = 1.0 / count as f64;
    let ways: Vec<u32> = (0..count)
        .into_par_iter()
        .with_min_len(CHUNK)
        .map(|at| {
            let entity = EntityId(at as u32);
            let ways = match how.following {
                Following::Both => view.degree(entity),
                Following::Relations => view.edges(entity, Direction::Out).len(),
            };
            u32::try_from(ways).unwrap_or(u32::MAX)
        })
        .collect();
    // An entity collects rank from the far ends of its triples, against the direction of the walker.
    let from: &[Direction] = match how.following {
        Following::Both => &Direction::BOTH,
        Following::Relations => &[Direction::In],
    };
    let mut ranks = vec![even; count];
    let mut next = vec![0.0; count];
    let mut shares = vec![0.0; count];
    let (mut rounds, mut residual) = (0, f64::INFINITY);
    while rounds < how.max_rounds && residual >= how.tolerance {
        let stuck = in_chunks(&mut shares, |at, share| {
            let rank = ranks[at];
            *share = if ways[at] == 0 { 0.0 } else { rank / f64::from(ways[at]) };
            if ways[at] == 0 { rank } else { 0.0 }
        });
        let jump = (1.0 - damping) * even + damping * stuck * even;
        let sum = in_chunks(&mut next, |at, rank| {
            let come: f64 =
                from.iter().flat_map(|way| view.edges(EntityId(at as u32), *way).iter()).map(|edge| shares[edge.to.index()]).sum();
            *rank = jump + damping * come;
            *rank
        });
        // Rounding would let the sum drift over many rounds.
        residual = in_chunks(&mut next, |at, rank| {
            *rank /= sum;
            (*rank - ranks[at]).abs()
        });
        std::mem::swap(&mut ranks, &mut next);
        rounds += 1;
    }
    PageRanks { ranks, rounds, residual: if rounds == 0 { 1.0 } else { residual } }
}

/// Runs `work` on every value in parallel and adds up its results, in order of chunks.
fn in_chunks(values: &mut [f64], work: impl Fn(usize, &mut f64) -> f64 + Sync) -> f64 {
    let sums: Vec<f64> = values
        .par_chunks_mut(CHUNK)
        .enumerate()
        .map(|(chunk, values)| values.iter_mut().enumerate().map(|(at, value)| work(chunk * CHUNK + at, value)).sum())
        .collect();
    sums.into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Graph, GraphBuilder, RoleRules};
    use proptest::prelude::*;

    fn graph_of(count: u32, edges: &[(u32, u8, u32)]) -> Graph {
        let rules = RoleRules::built_in().expect("rules");
        let mut builder = GraphBuilder::new("t");
        let ids: Vec<u32> = (0..count).map(|i| builder.entity(&format!("e{i:03}"))).collect();
        for (a, relation, b) in edges {
            let relation = builder.relation(rules.guess(&format!("r{relation}"))).expect("room");
            builder.triple(ids[*a as usize], relation, ids[*b as usize]);
        }
        builder.finish()
    }

    /// The definition: the chance of each step in a dense matrix, multiplied until nothing moves.
    fn by_definition(graph: &Graph, damping: f64, following: Following) -> Vec<f64> {
        let n = graph.entity_count();
        let mut steps = vec![vec![0.0; n]; n];
        for triple in graph.triples() {
            steps[triple.head.index()][triple.tail.index()] += 1.0;
            if following == Following::Both {
                steps[triple.tail.index()][triple.head.index()] += 1.0;
            }
        }
        for row in &mut steps {
            let sum: f64 = row.iter().sum();
            for step in row.iter_mut() {
                *step = if sum == 0.0 { 1.0 / n as f64 } else { damping * *step / sum + (1.0 - damping) / n as f64 };
            }
        }
        let mut ranks = vec![1.0 / n as f64; n];
        for _ in 0..400 {
            ranks = (0..n).map(|to| (0..n).map(|from| ranks[from] * steps[from][to]).sum()).collect();
        }
        ranks
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn sparse_iteration_agrees_with_the_dense_definition(
            edges in prop::collection::vec((0u32..12, 0u8..2, 0u32..12), 0..40),
            damping in 0.1f64..0.95,
            both: bool,
        ) {
            let graph = graph_of(12, &edges);
            let following = if both { Following::Both } else { Following::Relations };
            let found = global_pagerank(&graph, GlobalPageRank { damping, following, tolerance: 1e-12, max_rounds: 2000 });
            prop_assert!((found.ranks.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(found.residual < 1e-12 && found.rounds > 0);
            for (rank, defined) in found.ranks.iter().zip(by_definition(&graph, damping, following)) {
                prop_assert!((rank - defined).abs() < 1e-8, "{rank} {defined}");
            }
        }
    }

    /// petgraph lets the walker jump only to entities that no triple leads to, so definitions agree where nobody jumps: at damping 1.
    #[test]
    fn petgraph_agrees_where_its_definition_does() {
        let edges = [(0, 1), (1, 2), (2, 0), (0, 2), (2, 3), (3, 0), (3, 4), (4, 1)];
        let graph = graph_of(5, &edges.map(|(a, b)| (a, 0, b)));
        let mut theirs = petgraph::graph::DiGraph::<(), ()>::new();
        let nodes: Vec<_> = (0..5).map(|_| theirs.add_node(())).collect();
        for (a, b) in edges {
            theirs.add_edge(nodes[a as usize], nodes[b as usize], ());
        }
        let how = GlobalPageRank { damping: 1.0, following: Following::Relations, tolerance: 1e-13, max_rounds: 5000 };
        let ours = global_pagerank(&graph, how);
        let theirs = petgraph::algo::page_rank::page_rank(&theirs, 1.0f64, 1000);
        assert!(ours.ranks.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-9), "{ours:?} {theirs:?}");
        assert!(theirs.iter().any(|rank| (rank - 0.2).abs() > 0.01), "the ranks differ, so agreement says something");
    }

    #[test]
    fn rounds_that_run_out_are_reported() {
        let graph = graph_of(3, &[(0, 0, 1), (1, 0, 2)]);
        let found = global_pagerank(&graph, GlobalPageRank { max_rounds: 1, ..GlobalPageRank::default() });
        assert_eq!(found.rounds, 1);
        assert!(found.residual > 1e-9);
        assert!(global_pagerank(&graph_of(0, &[]), GlobalPageRank::default()).ranks.is_empty());
    }
}
