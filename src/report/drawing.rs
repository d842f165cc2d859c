//! The evidence as a drawing: the entities of kept chains, the anchors, the triples between them, and the position of each. The screen and
//! the reports draw the same.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::layout::layered;
use crate::graph::{Hop, LearnedTriples, triple_of};
use crate::run::{Evidence, Mark, Marks, Trace};
use crate::text::sanitise_line;

/// The most chains that are drawn, the best first; with more the picture cannot be read.
const MOST_CHAINS: usize = 50;
/// The most anchors drawn that are in none of the chains.
const MOST_LONE_ANCHORS: usize = 48;
/// The distance between triples of the same pair of entities, in rows.
const APART: f64 = 0.32;

/// The evidence of a run as a drawing. x and y run from 0 to 1; (0, 0) is top left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawing {
    /// The entities: first those of the chains, best chain first, then anchors that are in none of the drawn chains.
    pub nodes: Vec<Node>,
    /// The triples of the chains, each once.
    pub edges: Vec<Edge>,
    /// How many columns of nodes there are; node `i` of `n` columns has its centre at x = (i + ½) / n.
    pub columns: u32,
    /// Height of the drawing, in nodes: no two nodes overlap if it is at least this many times as high as a node.
    pub rows: f64,
    /// How many kept chains are not drawn.
    pub chains_left_out: usize,
    /// How many anchors are not drawn.
    pub anchors_left_out: usize,
}

/// An entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its name, fit to be shown on one line.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Where it comes from.
    pub mark: Mark,
    /// Whether it is an anchor.
    pub is_anchor: bool,
    /// Its number in the chain table; `None` for an anchor that is in none of the chains drawn.
    pub entity: Option<u32>,
    /// The horizontal position of its centre.
    pub x: f64,
    /// The vertical position of its centre.
    pub y: f64,
}

/// A triple: head, relation, tail.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// The head, as an index of [`Drawing::nodes`].
    pub from: usize,
    /// The tail; the arrow points to it.
    pub to: usize,
    /// The relation, fit to be shown on one line.
    pub label: String,
    /// The chains that go over it, as numbers in the chain table, best first.
    pub chains: Vec<u32>,
    /// Whether it was learned from feedback.
    pub learned: bool,
    /// The points through which it passes from head to tail, in this order.
    pub bends: Vec<(f64, f64)>,
}

impl Drawing {
    /// Draws the chains that are kept now.
    pub fn of_kept(trace: &Trace) -> Self {
        Self::of(trace, &Evidence { table: trace.table.clone(), pruning: trace.pruning.clone() })
    }

    /// Draws the chains of some evidence of a run: that of the answer, or what is kept now. Pure: the same evidence gives the
    /// same drawing.
    pub fn of(trace: &Trace, evidence: &Evidence) -> Self {
        let mut sketch = Sketch { learned: evidence.table.learned_triples(), ..Sketch::default() };
        for scored in evidence.pruning.kept.iter().take(MOST_CHAINS) {
            sketch.add(evidence, scored.chain);
        }
        let marks = Marks::of(trace);
        let anchors: HashSet<&str> = trace.anchors.iter().map(|anchor| anchor.entity.as_str()).collect();
        let mut nodes: Vec<Node> = Vec::with_capacity(sketch.entities.len());
        let mut drawn = HashSet::new();
        for (entity, learned) in &sketch.entities {
            let Some(known) = evidence.table.entities.get(*entity as usize) else { continue };
            drawn.insert(known.name.as_str());
            let mark = match marks.of_name(&known.name) {
                Mark::Graph if *learned => Mark::Learned,
                mark => mark,
            };
            nodes.push(Node {
                name: sanitise_line(&known.name),
                kind: sanitise_line(&known.kind),
                mark,
                is_anchor: anchors.contains(known.name.as_str()),
                entity: Some(*entity),
                x: 0.0,
                y: 0.0,
            });
        }
        let lone = trace.anchors.iter().filter(|anchor| drawn.insert(anchor.entity.as_str()));
        let mut anchors_left_out = 0;
        for (at, anchor) in lone.enumerate() {
            if at >= MOST_LONE_ANCHORS {
                anchors_left_out += 1;
                continue;
            }
            let mark = marks.of_name(&anchor.entity);
            let (name, kind) = (sanitise_line(&anchor.entity), sanitise_line(&anchor.kind));
            nodes.push(Node { name, kind, mark, is_anchor: true, entity: None, x: 0.0, y: 0.0 });
        }
        let chains_left_out = evidence.pruning.kept.len().saturating_sub(MOST_CHAINS);
        let mut drawing = Self { nodes, edges: sketch.edges, columns: 0, rows: 0.0, chains_left_out, anchors_left_out };
        drawing.lay_out();
        drawing
    }

    /// Positions nodes and edges.
    fn lay_out(&mut self) {
        // Triples of one pair of entities share a route.
        let mut ways: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let mut way_of = Vec::with_capacity(self.edges.len());
        for edge in &self.edges {
            let way = *ways.entry((edge.from.min(edge.to), edge.from.max(edge.to))).or_insert_with(|| {
                pairs.push((edge.from, edge.to));
                pairs.len() - 1
            });
            way_of.push(way);
        }
        let layout = layered(self.nodes.len(), &pairs);
        for (node, (x, y)) in self.nodes.iter_mut().zip(&layout.places) {
            (node.x, node.y) = (*x, *y);
        }
        let mut on_way = vec![0usize; pairs.len()];
        for (edge, way) in self.edges.iter_mut().zip(way_of) {
            let mut bends = layout.bends[way].clone();
            if (edge.from, edge.to) != pairs[way] {
                bends.reverse();
            }
            // The second triple of a pair passes below the first, the third above, and so on.
            let side = on_way[way].div_ceil(2) as f64 * if on_way[way] % 2 == 1 { 1.0 } else { -1.0 };
            if on_way[way] > 0 {
                if bends.is_empty() {
                    let (from, to) = (&self.nodes[edge.from], &self.nodes[edge.to]);
                    bends.push(((from.x + to.x) / 2.0, (from.y + to.y) / 2.0));
                }
                for bend in &mut bends {
                    bend.1 = (bend.1 + side * APART / layout.rows).clamp(0.0, 1.0);
                }
            }
            on_way[way] += 1;
            edge.bends = bends;
        }
        (self.columns, self.rows) = (layout.columns, layout.rows);
    }
}

/// Entities and triples of chains, each once.
#[derive(Default)]
struct Sketch {
    /// The learned triples of the table.
    learned: LearnedTriples,
    /// Entities by their number in the table, and whether something that is drawn of them was learned.
    entities: Vec<(u32, bool)>,
    edges: Vec<Edge>,
    node_of: HashMap<u32, usize>,
    edge_of: HashMap<(usize, u16, usize), usize>,
}

impl Sketch {
    fn add(&mut self, evidence: &Evidence, number: u32) {
        let table = &evidence.table;
        let Some(chain) = table.chains.get(number as usize) else { return };
        if chain.nodes().iter().any(|entity| *entity as usize >= table.entities.len()) {
            return;
        }
        for entity in chain.nodes() {
            let node = *self.node_of.entry(*entity).or_insert_with(|| {
                self.entities.push((*entity, false));
                self.entities.len() - 1
            });
            let is_learned = |hop: Hop| (hop.from == *entity || hop.to == *entity) && self.learned.contains(&triple_of(hop));
            self.entities[node].1 |= chain.learned() && chain.hops().any(is_learned);
        }
        for hop in chain.hops() {
            let Some(relation) = table.relations.get(usize::from(hop.relation)) else { continue };
            let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
            let (Some(from), Some(to)) = (self.node_of.get(&head).copied(), self.node_of.get(&tail).copied()) else { continue };
            // An entity that is related to itself has nothing to be drawn between.
            if from == to {
                continue;
            }
            let at = *self.edge_of.entry((from, hop.relation, to)).or_insert_with(|| {
                let label = sanitise_line(&relation.display);
                let learned = self.learned.contains(&triple_of(hop));
                self.edges.push(Edge { from, to, label, chains: Vec::new(), learned, bends: Vec::new() });
                self.edges.len() - 1
            });
            let edge = &mut self.edges[at];
            if edge.chains.last() != Some(&number) {
                edge.chains.push(number);
            }
        }
    }
}
