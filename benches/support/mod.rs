//! What several benchmarks share: engines, anchors and a synthetic graph.

#![allow(dead_code, reason = "each benchmark is a crate of its own and uses what it needs")]

use catena::graph::{EntityId, Graph, GraphBuilder, Kind, LearnedTable, NamedEntity, RoleRules, starter_graph};
use catena::method::{Engine, EngineOptions};

/// The question of the main job.
pub(crate) const REFLUX: &str = "I feel stomach reflux after eating. What medicine should I take?";
/// Entities and triples of the synthetic graph.
pub(crate) const SYNTHETIC: (u32, u32) = (100_000, 300_000);

/// A small generator of random numbers (splitmix64): the same seed gives the same graph on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % u64::from(bound)) as u32
    }
}

/// An engine on a graph, from nothing to ready.
pub(crate) fn open(graph: Graph) -> Engine {
    let encoder = Engine::start_encoder().expect("a thread");
    Engine::open(graph, encoder, &EngineOptions::default(), Vec::new()).expect("the built-in engine opens")
}

/// The starter graph.
pub(crate) fn starter() -> Graph {
    starter_graph().expect("the starter graph is sound")
}

/// A graph so dense that a search for chains of five relations takes minutes.
pub(crate) fn dense() -> Graph {
    const ENTITIES: usize = 300;
    let rules = RoleRules::built_in().expect("the built-in rules");
    let mut builder = GraphBuilder::new("dense");
    let relation = builder.relation(rules.guess("has_symptom")).expect("room for a relation");
    let ids: Vec<u32> = (0..ENTITIES).map(|i| builder.entity(&format!("zorb{i}"))).collect();
    for (i, head) in ids.iter().enumerate() {
        for (j, tail) in ids.iter().enumerate() {
            if (i * 31 + j * 17) % 3 == 0 {
                builder.triple(*head, relation, *tail);
            }
        }
    }
    builder.finish()
}

/// A name that can be pronounced and that no other number has: three syllables, from 512,000 on four.
pub(crate) fn synthetic_name(number: u32) -> String {
    let endings = ["osis", "ine", "algia", "itis"];
    let mut name = String::new();
    let places = [512_000, 6400, 80, 1];
    for place in &places[usize::from(number < places[0])..] {
        let syllable = (number / place % 80) as usize;
        name.push(char::from(b"bcdfghklmnprstvz"[syllable / 5]));
        name.push(char::from(b"aeiou"[syllable % 5]));
    }
    name + endings[(number % 4) as usize]
}

/// A graph with a power law of degrees: three of four tails are a tail that a triple drawn at random already has, so
/// that what is connected gets more connected. Its largest hubs have thousands of triples.
pub(crate) fn synthetic() -> Graph {
    synthetic_of(SYNTHETIC)
}

/// The same with so many entities and triples.
pub(crate) fn synthetic_of(size: (u32, u32)) -> Graph {
    synthetic_parted(size, 0).0
}

/// The same, without the last `learned` of its triples, and these as learned ones.
pub(crate) fn synthetic_parted((entities, triples): (u32, u32), learned: usize) -> (Graph, LearnedTable) {
    let names = ["has_symptom", "need_medical_test", "need_medication", "has_risk_factor", "caused_by", "leads_to", "similar_to", "is_a"];
    let rules = RoleRules::built_in().expect("the built-in rules parse");
    let mut builder = GraphBuilder::new("synthetic");
    let relations = names.map(|name| builder.relation(rules.guess(name)).expect("room for a relation"));
    let ids: Vec<u32> = (0..entities).map(|number| builder.entity(&synthetic_name(number))).collect();
    let mut random = Random(7);
    let mut tails: Vec<u32> = Vec::with_capacity(triples as usize);
    let mut known = std::collections::HashSet::new();
    let mut table = LearnedTable::default();
    if learned > 0 {
        table.entities = (0..entities).map(|number| NamedEntity::new(synthetic_name(number), &Kind::default())).collect();
        table.relations = names.iter().map(|name| (&rules.guess(name)).into()).collect();
    }
    while tails.len() < triples as usize {
        let head = random.below(entities);
        let copied = !tails.is_empty() && random.below(4) > 0;
        let tail = if copied { tails[random.below(tails.len() as u32) as usize] } else { random.below(entities) };
        let relation = random.below(relations.len() as u32) as usize;
        if head != tail && known.insert((head, relation, tail)) {
            if tails.len() < triples as usize - learned {
                builder.triple(ids[head as usize], relations[relation], ids[tail as usize]);
            } else {
                table.triples.push((head, relation as u16, tail, tails.len() as u64));
            }
            tails.push(tail);
        }
    }
    (builder.finish(), table)
}

/// Entities drawn at random, each as likely as it has triples: hubs among them, as among the entities of real questions.
pub(crate) fn anchors(graph: &Graph, count: usize) -> Vec<EntityId> {
    let triples: Vec<_> = graph.triples().collect();
    let mut random = Random(11);
    let mut anchors = Vec::new();
    while anchors.len() < count {
        let triple = triples[random.below(triples.len() as u32) as usize];
        let entity = if random.below(2) == 0 { triple.head } else { triple.tail };
        if !anchors.contains(&entity) {
            anchors.push(entity);
        }
    }
    anchors
}
