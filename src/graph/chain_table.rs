//! The table of chains that a run carries, with the names of all their entities and relations.

use std::collections::{BTreeSet, HashSet};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::chain::{Chain, Hop};
use super::chain_entities::ChainEntities;
use super::entity::EntityId;
use super::entity::Kind;
use super::entity::RelationId;
use super::qualifiers::Qualifiers;
use super::role::Relation;
use super::store::Edge;
use super::view::{Direction, GraphView};

/// The fewest chains or entities for a thread of its own: below that, waking another thread costs more than it saves.
const PORTION: usize = 2048;

/// An entity of a [`ChainTable`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableEntity {
    /// Its preferred name.
    pub name: String,
    /// Its kind; see [`super::Kind::as_str`].
    pub kind: String,
    /// Its description; empty when the graph has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// A relation type of a [`ChainTable`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRelation {
    /// Its name in the graph.
    pub name: String,
    /// The text shown for it.
    pub display: String,
    /// Its role.
    pub role: super::Role,
    /// The end that plays the role.
    pub player: super::Player,
}

/// A graph with names, kinds and descriptions.
pub trait DescribedGraph: GraphView {
    /// An entity's preferred name.
    fn entity_name(&self, entity: EntityId) -> &str;

    /// An entity's kind.
    fn kind(&self, entity: EntityId) -> &Kind;

    /// One or two sentences about an entity; empty when the graph has none.
    fn description(&self, entity: EntityId) -> &str;

    /// The relation types, by number.
    fn relations(&self) -> &[Relation];

    /// What a triple states beyond its ends and relation; empty if it states nothing more.
    fn qualifiers(&self, head: EntityId, relation: RelationId, tail: EntityId) -> Qualifiers;

    /// Whether any triple has qualifiers.
    fn has_qualifiers(&self) -> bool;

    /// The attributes of an entity; empty if it has none.
    fn attributes(&self, entity: EntityId) -> Qualifiers;

    /// A chain of this graph as text; see [`ChainTable::text`].
    fn chain_text(&self, chain: &Chain) -> String {
        chain_text(chain, |node| self.entity_name(EntityId(node)), |relation| &self.relations()[usize::from(relation)].display)
    }
}

/// Chains with the names of their entities and relations, so that a recorded run can be shown without its graph.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainTable {
    /// The entities that occur, in the graph's order.
    pub entities: Vec<TableEntity>,
    /// The relation types that occur, in the graph's order.
    pub relations: Vec<TableRelation>,
    /// The chains; their numbers index the two lists above.
    pub chains: Vec<Chain>,
    /// The qualifiers of the triples that have any, ordered by triple.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub qualified: Vec<QualifiedTriple>,
    /// The triples that were learned from feedback, ordered: head, relation and tail by the numbers of the lists above. Earlier recordings
    /// have none, although their chains say that one of their triples was learned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<(u32, u16, u32)>,
}

/// The qualifiers of a triple of a [`ChainTable`]; the numbers are those of its lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QualifiedTriple {
    /// Where the relation starts.
    pub head: u32,
    /// The relation type.
    pub relation: u16,
    /// Where it ends.
    pub tail: u32,
    /// What the triple states beyond that.
    pub qualifiers: Qualifiers,
}

impl QualifiedTriple {
    fn key(&self) -> (u32, u16, u32) {
        (self.head, self.relation, self.tail)
    }
}

/// Learned triples, by the numbers of a [`ChainTable`]: head, relation, tail.
pub(crate) type LearnedTriples = HashSet<(u32, u16, u32)>;

impl ChainTable {
    /// Makes the table of some of a graph's chains, in their order. The cost depends on the chains, not on the size of the graph.
    pub fn of<G: DescribedGraph>(graph: &G, chains: &[Chain]) -> Self {
        let occurring = ChainEntities::of_chains(graph, chains, |chain| chain);
        let entity = |entity: &EntityId| TableEntity {
            name: graph.entity_name(*entity).to_owned(),
            kind: graph.kind(*entity).as_str().to_owned(),
            description: graph.description(*entity).to_owned(),
        };
        let entities = occurring.entities().par_iter().with_min_len(PORTION).map(entity).collect();
        let mut slots = vec![u16::MAX; graph.relations().len()];
        for relation in chains.iter().flat_map(Chain::relations) {
            slots[usize::from(*relation)] = 0;
        }
        let mut relations = Vec::new();
        for (relation, slot) in graph.relations().iter().zip(&mut slots).filter(|(_, slot)| **slot == 0) {
            *slot = relations.len() as u16;
            relations.push(TableRelation {
                name: relation.name.clone(),
                display: relation.display.clone(),
                role: relation.role,
                player: relation.player,
            });
        }
        // Every entity of a chain occurs, so it has a number.
        let local =
            |chain: &Chain| chain.renumbered(|node| occurring.number(node).unwrap_or(u32::MAX), |relation| slots[usize::from(relation)]);
        let qualified = qualified_of(graph, chains, |node| occurring.number(node).unwrap_or(u32::MAX), &slots);
        let slot = |relation: u16| slots.get(usize::from(relation)).copied().unwrap_or(u16::MAX);
        let learned_chains = chains.iter().filter(|chain| chain.learned());
        let triples: BTreeSet<(u32, u16, u32)> = learned_chains.flat_map(Chain::hops).map(triple_of).collect();
        let is_learned = |(head, relation, tail): &(u32, u16, u32)| {
            let edges = graph.edges(EntityId(*head), Direction::Out).parts();
            let is_it = |edge: &Edge| (edge.to, edge.relation) == (EntityId(*tail), RelationId(*relation));
            edges.into_iter().any(|(part, learned)| learned && part.iter().any(is_it))
        };
        let number = |node: u32| occurring.number(node).unwrap_or(u32::MAX);
        let learned = triples.into_iter().filter(is_learned).map(|(head, relation, tail)| (number(head), slot(relation), number(tail)));
        let learned = learned.collect::<BTreeSet<_>>().into_iter().collect();
        let chains = chains.par_iter().with_min_len(PORTION).map(local).collect();
        Self { entities, relations, chains, qualified, learned }
    }

    /// What the triple of a hop states beyond its ends and relation; `None` if it states nothing more.
    pub fn qualifiers(&self, hop: Hop) -> Option<&Qualifiers> {
        let at = self.qualified.binary_search_by_key(&triple_of(hop), QualifiedTriple::key).ok()?;
        self.qualified.get(at).map(|found| &found.qualifiers)
    }

    /// The triples that were learned. Where the recording does not say, those of learned chains that no other chain shares: what stands in
    /// a chain that is all the graph's own was not learned.
    pub(crate) fn learned_triples(&self) -> LearnedTriples {
        if !self.learned.is_empty() || !self.chains.iter().any(Chain::learned) {
            return self.learned.iter().copied().collect();
        }
        let of = |learned: bool| self.chains.iter().filter(move |chain| chain.learned() == learned).flat_map(Chain::hops).map(triple_of);
        let of_graph: HashSet<(u32, u16, u32)> = of(false).collect();
        of(true).filter(|triple| !of_graph.contains(triple)).collect()
    }

    /// Whether every chain has a relation and refers only to entities and relations of the table, and qualifiers are in order.
    pub fn is_sound(&self) -> bool {
        let in_order = self.qualified.is_sorted_by(|a, b| a.key() < b.key());
        in_order
            && self.chains.iter().all(|chain| {
                !chain.is_empty()
                    && chain.nodes().iter().all(|node| (*node as usize) < self.entities.len())
                    && chain.relations().iter().all(|relation| usize::from(*relation) < self.relations.len())
            })
    }

    /// The chain as text: `A → treats → B ← has symptom ← C`. What the table does not hold is a `?`.
    pub fn text(&self, chain: &Chain) -> String {
        let name = |node: u32| self.entities.get(node as usize).map_or("?", |entity| entity.name.as_str());
        chain_text(chain, name, |relation| self.relations.get(usize::from(relation)).map_or("?", |relation| relation.display.as_str()))
    }
}

/// Head, relation and tail of a hop, by their numbers.
pub(crate) fn triple_of(hop: Hop) -> (u32, u16, u32) {
    let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
    (head, hop.relation, tail)
}

/// The qualifiers of the triples of some chains, with the numbers of a table: `slots` has those of its relations.
fn qualified_of<G: DescribedGraph>(graph: &G, chains: &[Chain], entity: impl Fn(u32) -> u32, slots: &[u16]) -> Vec<QualifiedTriple> {
    if !graph.has_qualifiers() {
        return Vec::new();
    }
    let mut triples: Vec<(u32, u16, u32)> = chains.iter().flat_map(Chain::hops).map(triple_of).collect();
    triples.par_sort_unstable();
    triples.dedup();
    let qualified = |(head, relation, tail): (u32, u16, u32)| {
        let qualifiers = graph.qualifiers(EntityId(head), RelationId(relation), EntityId(tail));
        let relation = slots.get(usize::from(relation)).copied().unwrap_or(u16::MAX);
        (!qualifiers.is_empty()).then(|| QualifiedTriple { head: entity(head), relation, tail: entity(tail), qualifiers })
    };
    let mut found: Vec<QualifiedTriple> = triples.into_iter().filter_map(qualified).collect();
    found.sort_unstable_by_key(QualifiedTriple::key);
    found
}

/// The text of a chain, whatever its numbers refer to.
pub(crate) fn chain_text<'a>(chain: &Chain, name: impl Fn(u32) -> &'a str, display: impl Fn(u16) -> &'a str) -> String {
    let mut text = name(chain.nodes()[0]).to_owned();
    for hop in chain.hops() {
        let arrow = if hop.forward { " → " } else { " ← " };
        text.push_str(arrow);
        text.push_str(display(hop.relation));
        text.push_str(arrow);
        text.push_str(name(hop.to));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{ChainBudget, ChainSearch, starter_graph};

    #[test]
    fn a_table_says_what_the_graph_says_of_the_same_chains() {
        let graph = starter_graph().expect("sound");
        let anchors: Vec<EntityId> = graph.entity_ids().step_by(11).take(48).collect();
        let mut search = ChainSearch::new(&graph, 3, ChainBudget::default());
        search.add(&anchors, &|| false);
        let chains = search.finish().chains;
        assert!(chains.len() > 2 * PORTION, "{} chains are too few to be shared out", chains.len());
        let table = ChainTable::of(&graph, &chains);
        assert!(table.is_sound());
        assert_eq!(table.chains.len(), chains.len());
        for (local, chain) in table.chains.iter().zip(&chains) {
            assert_eq!(table.text(local), graph.chain_text(chain));
            assert_eq!((local.kind(), local.len()), (chain.kind(), chain.len()));
            assert!((0..chain.len()).all(|i| local.is_forward(i) == chain.is_forward(i)));
            for (local, node) in local.nodes().iter().zip(chain.nodes()) {
                let entity = &table.entities[*local as usize];
                assert_eq!(entity.kind, graph.kind(EntityId(*node)).as_str());
                assert_eq!(entity.description, graph.description(EntityId(*node)));
            }
        }
        let used: std::collections::BTreeSet<u32> = chains.iter().flat_map(|chain| chain.nodes().iter().copied()).collect();
        let names: Vec<&str> = used.iter().map(|node| graph.entity_name(EntityId(*node))).collect();
        assert_eq!(table.entities.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), names, "in the graph's order, each once");
        assert_eq!(ChainTable::of(&graph, &[]), ChainTable::default());
    }

    #[test]
    fn a_table_holds_the_qualifiers_of_the_triples_of_its_chains() {
        let rules = crate::graph::RoleRules::built_in().expect("rules");
        let mut builder = crate::graph::GraphBuilder::new("t");
        let ids = ["Zinc", "Ache", "Milk", "Bone"].map(|name| builder.entity(name));
        let [treats, interacts] = ["treats", "interacts_with"].map(|name| builder.relation(rules.guess(name)).expect("room"));
        for (head, relation, tail, severity) in
            [(0, interacts, 2, "major"), (0, treats, 1, ""), (3, interacts, 2, "minor"), (3, treats, 1, "x")]
        {
            builder.triple(ids[head], relation, ids[tail]);
            builder.qualify(ids[head], relation, ids[tail], Qualifiers::default().with("severity", severity));
        }
        let graph = builder.finish();
        let find = |name| graph.find(name).expect("there");
        let mut search = ChainSearch::new(&graph, 3, ChainBudget::default());
        search.add(&[find("Zinc"), find("Bone")], &|| false);
        let chains = search.finish().chains;
        assert!(chains.len() >= 2);
        let table = ChainTable::of(&graph, &chains);
        assert!(table.is_sound());
        let mut seen = 0;
        for (local, chain) in table.chains.iter().zip(&chains) {
            for (local, hop) in local.hops().zip(chain.hops()) {
                let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
                let stated = graph.qualifiers(EntityId(head), RelationId(hop.relation), EntityId(tail));
                assert_eq!(table.qualifiers(local).cloned().unwrap_or_default(), stated);
                seen += usize::from(!stated.is_empty());
            }
        }
        assert!(seen >= 3);
        let json = serde_json::to_string(&table).expect("JSON");
        assert_eq!(serde_json::from_str::<ChainTable>(&json).expect("its own form"), table);
        let mut unordered = table;
        unordered.qualified.reverse();
        assert!(!unordered.is_sound());
    }
}
