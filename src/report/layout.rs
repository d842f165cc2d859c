//! Positions the vertices of a graph in layers from left to right, so that edges run forward and seldom cross (Sugiyama's method).
//!
//! This module assigns the layers. `rust-sugiyama` finds the order within them and the positions, from a graph in which every edge leads from one
//! layer to the next.

use std::collections::HashSet;

use petgraph::graph::DiGraph;
use petgraph::visit::{Topo, Walker};
use rust_sugiyama::configure::{Config, CrossingMinimization, RankingType};

/// Height of a vertex, and of the room that an edge takes where it passes between vertices.
const VERTEX: f64 = 1.0;
const PASSAGE: f64 = 0.1;
/// Gap between two of them.
const GAP: f64 = 0.5;
/// An edge across more layers than this is straight: its bends would take long to find and show little.
const LONGEST_BENT: usize = 12;
/// The most vertices for which neighbours in a layer are exchanged to avoid crossings; with more this takes too long.
const MOST_EXCHANGED: usize = 200;
/// Vertices without an edge stand below the others; a row of them is at least this wide.
const LEAST_IN_ROW: usize = 4;

/// The positions of vertices and edges, in a square from (0, 0), top left, to (1, 1).
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// How many layers there are.
    pub(super) columns: u32,
    /// Height of the drawing; a vertex has height 1.
    pub(super) rows: f64,
    /// The centres of the vertices.
    pub(super) places: Vec<(f64, f64)>,
    /// The points through which each edge passes, from its first vertex to its second.
    pub(super) bends: Vec<Vec<(f64, f64)>>,
}

/// An edge of the layered graph.
struct Layered {
    from: usize,
    to: usize,
    /// Whether it was reversed to break a cycle.
    turned: bool,
}

/// Lays out `vertices` vertices and the edges between them. No two vertices may have more than one edge, and no vertex an edge to itself.
pub(super) fn layered(vertices: usize, edges: &[(usize, usize)]) -> Layout {
    let edges = without_cycles(vertices, edges);
    let layers = layers(vertices, &edges);
    let mut passages = Passages { layers: layers.clone(), edges: Vec::new(), of_edge: vec![Vec::new(); edges.len()] };
    for (number, edge) in edges.iter().enumerate() {
        passages.lead(number, edge);
    }
    passages.edges.extend(pins(vertices, &edges, &layers));
    let connected: HashSet<usize> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
    let (mut heights, mut rows) = passages.heights(vertices, &connected);
    let mut columns = layers.iter().map(|layer| layer + 1).max().unwrap_or(0);
    // What has no edge comes below, row by row.
    let alone: Vec<usize> = (0..vertices).filter(|vertex| !connected.contains(vertex)).collect();
    let mut layers = passages.layers;
    if !alone.is_empty() {
        columns = columns.max(alone.len().min(LEAST_IN_ROW));
        for (at, vertex) in alone.iter().enumerate() {
            layers[*vertex] = at % columns;
            heights[*vertex] = rows + (at / columns) as f64 * (VERTEX + GAP) + (VERTEX + GAP) / 2.0;
        }
        rows += alone.len().div_ceil(columns) as f64 * (VERTEX + GAP);
    }
    let place = |vertex: usize| ((layers[vertex] as f64 + 0.5) / columns.max(1) as f64, heights[vertex] / rows.max(VERTEX));
    let bends = passages.of_edge.iter().zip(&edges).map(|(through, edge)| {
        let mut bends: Vec<(f64, f64)> = through.iter().map(|vertex| place(*vertex)).collect();
        if edge.turned {
            bends.reverse();
        }
        bends
    });
    Layout { columns: columns as u32, rows: rows.max(VERTEX), bends: bends.collect(), places: (0..vertices).map(place).collect() }
}

/// Reverses the edges that close a cycle: those that lead back to a vertex on the path of the depth-first search.
fn without_cycles(vertices: usize, edges: &[(usize, usize)]) -> Vec<Layered> {
    let mut leaving = vec![Vec::new(); vertices];
    for (number, (from, to)) in edges.iter().enumerate() {
        leaving[*from].push((number, *to));
    }
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        OnTheWay,
        Left,
    }
    let mut seen = vec![Seen::Not; vertices];
    let mut turned = vec![false; edges.len()];
    for start in 0..vertices {
        if seen[start] != Seen::Not {
            continue;
        }
        seen[start] = Seen::OnTheWay;
        let mut way = vec![(start, 0)];
        while let Some((vertex, next)) = way.last_mut() {
            let Some((number, to)) = leaving[*vertex].get(*next).copied() else {
                seen[*vertex] = Seen::Left;
                way.pop();
                continue;
            };
            *next += 1;
            match seen[to] {
                Seen::OnTheWay => turned[number] = true,
                Seen::Left => {}
                Seen::Not => {
                    seen[to] = Seen::OnTheWay;
                    way.push((to, 0));
                }
            }
        }
    }
    let layered = |((from, to), turned): (&(usize, usize), bool)| {
        if turned { Layered { from: *to, to: *from, turned } } else { Layered { from: *from, to: *to, turned } }
    };
    edges.iter().zip(turned).map(layered).collect()
}

/// The layer of each vertex: the longest way to it. A vertex to which no edge leads stands right before the first that it leads to.
fn layers(vertices: usize, edges: &[Layered]) -> Vec<usize> {
    let graph: DiGraph<(), (), usize> = {
        let mut graph = DiGraph::with_capacity(vertices, edges.len());
        for _ in 0..vertices {
            graph.add_node(());
        }
        graph.extend_with_edges(edges.iter().map(|edge| (edge.from, edge.to)));
        graph
    };
    let mut layers = vec![0usize; vertices];
    for vertex in Topo::new(&graph).iter(&graph) {
        let before = graph.neighbors_directed(vertex, petgraph::Direction::Incoming).map(|earlier| layers[earlier.index()] + 1);
        layers[vertex.index()] = before.max().unwrap_or(0);
    }
    for vertex in graph.externals(petgraph::Direction::Incoming) {
        if let Some(next) = graph.neighbors(vertex).map(|later| layers[later.index()]).min() {
            layers[vertex.index()] = next.saturating_sub(1);
        }
    }
    layers
}

/// Invisible edges that hold a vertex to which no edge leads in its layer. `rust-sugiyama` would put it into the first one; each is
/// tied to what stands before its neighbour in its own layer, and so comes to stand beside that neighbour.
fn pins(vertices: usize, edges: &[Layered], layers: &[usize]) -> Vec<(usize, usize)> {
    let mut before = vec![None; vertices];
    for edge in edges.iter().filter(|edge| layers[edge.from] + 1 == layers[edge.to]) {
        before[edge.to].get_or_insert(edge.from);
    }
    let has_earlier: HashSet<usize> = edges.iter().map(|edge| edge.to).collect();
    let mut any_before = vec![None; vertices];
    for edge in edges.iter().filter(|edge| has_earlier.contains(&edge.from) && layers[edge.from] + 1 == layers[edge.to]) {
        any_before[edge.to].get_or_insert(edge.from);
    }
    let mut pins = Vec::new();
    for edge in edges.iter().filter(|edge| !has_earlier.contains(&edge.from) && layers[edge.from] > 0) {
        if layers[edge.from] + 1 != layers[edge.to] || pins.iter().any(|(_, pinned)| *pinned == edge.from) {
            continue;
        }
        // What its neighbour's layer comes from, and that one's neighbour in the layer before.
        if let Some(anchor) = any_before[edge.to].and_then(|beside: usize| before[beside]) {
            pins.push((anchor, edge.from));
        }
    }
    pins
}

/// The layered graph with a vertex wherever an edge passes a layer.
struct Passages {
    layers: Vec<usize>,
    edges: Vec<(usize, usize)>,
    /// The passages of each edge, in its layered direction.
    of_edge: Vec<Vec<usize>>,
}

impl Passages {
    fn lead(&mut self, number: usize, edge: &Layered) {
        let (first, last) = (self.layers[edge.from] + 1, self.layers[edge.to]);
        if last - first > LONGEST_BENT {
            return;
        }
        let mut at = edge.from;
        for layer in first..last {
            let passage = self.layers.len();
            self.layers.push(layer);
            self.edges.push((at, passage));
            self.of_edge[number].push(passage);
            at = passage;
        }
        self.edges.push((at, edge.to));
    }

    /// How far down each vertex and passage stands, and the height of the whole. Parts that are not connected stand one below the other.
    fn heights(&self, vertices: usize, connected: &HashSet<usize>) -> (Vec<f64>, f64) {
        let size = |vertex: usize| if vertex < vertices { VERTEX } else { PASSAGE };
        let numbers: Vec<usize> = (0..self.layers.len()).filter(|vertex| *vertex >= vertices || connected.contains(vertex)).collect();
        let mut heights = vec![0.0; self.layers.len()];
        if numbers.is_empty() {
            return (heights, 0.0);
        }
        let mut local = vec![0; self.layers.len()];
        for (at, vertex) in numbers.iter().enumerate() {
            local[*vertex] = at as u32;
        }
        let sizes: Vec<(u32, (f64, f64))> = numbers.iter().enumerate().map(|(at, vertex)| (at as u32, (size(*vertex), VERTEX))).collect();
        let edges: Vec<(u32, u32)> = self.edges.iter().map(|(from, to)| (local[*from], local[*to])).collect();
        let config = Config {
            minimum_length: 1,
            vertex_spacing: GAP,
            dummy_vertices: true,
            dummy_size: PASSAGE,
            // The others can run for ever (0.4.0), and all edges have the length 1 already.
            ranking_type: RankingType::Up,
            c_minimization: CrossingMinimization::Barycenter,
            transpose: numbers.len() <= MOST_EXCHANGED,
        };
        let mut rows = 0.0;
        for (mut part, _, _) in rust_sugiyama::from_vertices_and_edges(&sizes, &edges, &config) {
            // They come in no particular order.
            part.sort_unstable_by_key(|(at, _)| *at);
            let half = |at: usize| (size(numbers[at]) + GAP) / 2.0;
            let top = part.iter().map(|(at, (across, _))| across - half(*at)).fold(f64::INFINITY, f64::min);
            let bottom = part.iter().map(|(at, (across, _))| across + half(*at)).fold(f64::NEG_INFINITY, f64::max);
            for (at, (across, _)) in part {
                heights[numbers[at]] = rows + across - top;
            }
            rows += bottom - top;
        }
        (heights, rows)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn edges_run_from_left_to_right_and_bend_where_they_pass_a_layer() {
        let layout = layered(4, &[(0, 1), (1, 2), (0, 2), (3, 2)]);
        assert_eq!(layout.columns, 3);
        let x: Vec<f64> = layout.places.iter().map(|place| (place.0 * 6.0).round()).collect();
        assert_eq!(x, [1.0, 3.0, 5.0, 3.0], "what nothing leads to stands before what it leads to");
        assert_eq!(layout.bends.iter().map(Vec::len).collect::<Vec<_>>(), [0, 0, 1, 0]);
        assert_eq!((layout.bends[2][0].0 * 6.0).round(), 3.0);
    }

    #[test]
    fn a_cycle_is_drawn_and_its_turned_edge_still_bends_from_its_first_vertex() {
        let layout = layered(3, &[(0, 1), (1, 2), (2, 0)]);
        assert_eq!(layout.columns, 3);
        assert_eq!(layout.bends[2].len(), 1);
        let long = layered(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
        assert!(long.bends[3][0].0 > long.bends[3][1].0, "the edge leads back: {:?}", long.bends[3]);
    }

    #[test]
    fn vertices_without_edges_stand_below() {
        let layout = layered(7, &[(0, 1)]);
        let lowest = layout.places[0].1.max(layout.places[1].1);
        assert!(layout.places[2..].iter().all(|place| place.1 > lowest), "{:?}", layout.places);
        assert_eq!(layered(0, &[]).places, []);
        assert_eq!(layered(1, &[]).places.len(), 1);
    }

    fn graphs() -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
        (1usize..40).prop_flat_map(|vertices| {
            proptest::collection::btree_set((0..vertices, 0..vertices), 0..60).prop_map(move |pairs| {
                let mut seen = HashSet::new();
                (vertices, pairs.into_iter().filter(|(a, b)| a != b && seen.insert((a.min(b).to_owned(), a.max(b).to_owned()))).collect())
            })
        })
    }

    proptest! {
        #[test]
        fn every_vertex_has_a_place_of_its_own_and_the_same_every_time((vertices, edges) in graphs()) {
            let layout = layered(vertices, &edges);
            prop_assert_eq!(layout.places.len(), vertices);
            prop_assert_eq!(layout.bends.len(), edges.len());
            for (x, y) in layout.places.iter().chain(layout.bends.iter().flatten()) {
                prop_assert!((0.0..=1.0).contains(x) && (0.0..=1.0).contains(y), "{:?}", (x, y));
            }
            for (a, first) in layout.places.iter().enumerate() {
                for second in &layout.places[..a] {
                    let apart = (first.1 - second.1).abs() * layout.rows;
                    prop_assert!((first.0 - second.0).abs() > 1e-9 || apart > VERTEX, "{first:?} {second:?} of {}", layout.rows);
                }
            }
            for (edge, bends) in edges.iter().zip(&layout.bends) {
                let way: Vec<f64> = [layout.places[edge.0].0].into_iter().chain(bends.iter().map(|b| b.0)).chain([layout.places[edge.1].0]).collect();
                prop_assert!(way.windows(2).all(|w| w[0] < w[1]) || way.windows(2).all(|w| w[0] > w[1]), "{way:?}");
            }
            let again = layered(vertices, &edges);
            prop_assert_eq!(layout.places, again.places);
            prop_assert_eq!(layout.bends, again.bends);
        }
    }
}
