//! The lint of `kg check`: what deserves a second look in an imported graph. It looks for names that several entities
//! share, names that ordinary words of a question would match, entities without triples, and cycles of `is_a`.

use std::collections::HashMap;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use super::entity::EntityId;
use super::role::{Player, Role};
use super::store::Graph;
use crate::text::{StopWords, fold, tokenise};

/// One kind of finding, with its count and examples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintFinding {
    /// What was found, in plain words.
    pub what: &'static str,
    /// How many cases there are.
    pub count: usize,
    /// The first five cases, in words.
    pub examples: Vec<String>,
}

impl LintFinding {
    /// The most examples of a finding.
    const SHOWN: usize = 5;

    fn new(what: &'static str) -> Self {
        Self { what, count: 0, examples: Vec::new() }
    }

    fn add(&mut self, example: impl FnOnce() -> String) {
        self.count += 1;
        if self.examples.len() < Self::SHOWN {
            self.examples.push(example());
        }
    }
}

/// Names with more characters than this are reported.
const LONG: usize = 200;

/// Checks all names and triples. Returns only findings with at least one case.
pub fn lint(graph: &Graph) -> Vec<LintFinding> {
    let stop = StopWords::built_in();
    let mut shared =
        LintFinding::new("names that belong to several entities (a question that uses one is linked to the entity with the most triples)");
    let mut homonyms = LintFinding::new("entities of different kinds that share a name (kept separate on purpose)");
    let mut plain = LintFinding::new("names that consist of everyday words (ordinary words of a question may be mistaken for them)");
    let mut short = LintFinding::new("names of one letter, or only of digits");
    let mut long = LintFinding::new("names of more than 200 characters (a question is unlikely to contain them)");
    let mut bare = LintFinding::new("entities that no triple mentions");
    for names in graph.names().shared() {
        let describe = |of: &[EntityId]| {
            let shown = of.iter().take(3).map(|e| format!("{} ({})", graph.entity_name(*e), shown_kind(graph, *e)));
            shown.collect::<Vec<_>>().join(", ")
        };
        let own = names.entities.iter().filter(|e| fold(graph.entity_name(**e)) == names.name).count();
        let target = if own == names.entities.len() { &mut homonyms } else { &mut shared };
        target.add(|| format!("{}: {}", names.name, describe(&names.entities)));
    }
    for entity in graph.entity_ids() {
        if graph.degree(entity) == 0 {
            bare.add(|| graph.entity_name(entity).to_owned());
        }
        for row in graph.name_rows(entity) {
            let name = graph.name_at(row);
            let example = || {
                if name == graph.entity_name(entity) { name.to_owned() } else { format!("{name} (alias of {})", graph.entity_name(entity)) }
            };
            let tokens = tokenise(name);
            if name.len() > LONG && name.chars().count() > LONG {
                long.add(|| example().chars().take(80).chain("…".chars()).collect());
            } else if tokens.len() == 1
                && !tokens[0].cjk
                && (tokens[0].text.chars().count() == 1 || tokens[0].text.bytes().all(|b| b.is_ascii_digit()))
            {
                short.add(example);
            } else if !tokens.is_empty() && tokens.iter().all(|t| stop.contains(&t.text)) {
                plain.add(example);
            }
        }
    }
    let mut cycles = LintFinding::new("cycles of is_a: each of these entities is a kind of the others");
    for cycle in is_a_cycles(graph) {
        cycles.add(|| {
            let names = cycle.iter().take(LintFinding::SHOWN).map(|entity| graph.entity_name(*entity)).collect::<Vec<_>>().join(", ");
            match cycle.len().checked_sub(LintFinding::SHOWN) {
                Some(more) if more > 0 => format!("{names} and {more} more"),
                _ => names,
            }
        });
    }
    [shared, homonyms, plain, short, long, bare, cycles].into_iter().filter(|s| s.count > 0).collect()
}

/// Groups of entities that `is_a` and other relations of the role [`Role::Broader`] connect in a circle, each in the
/// order of names; an entity that is a kind of itself is a group of one. They are the strongly connected components
/// that petgraph finds by Kosaraju's algorithm, which needs no recursion, however deep a hierarchy is.
fn is_a_cycles(graph: &Graph) -> Vec<Vec<EntityId>> {
    let mut hierarchy: DiGraph<EntityId, ()> = DiGraph::new();
    let mut vertices = HashMap::new();
    let mut cycles = Vec::new();
    for triple in graph.triples() {
        let relation = graph.relation(triple.relation);
        if relation.role != Role::Broader {
            continue;
        }
        let (narrow, broad) = match relation.player {
            Player::Tail => (triple.head, triple.tail),
            Player::Head => (triple.tail, triple.head),
        };
        let [from, to] = [narrow, broad].map(|entity| *vertices.entry(entity).or_insert_with(|| hierarchy.add_node(entity)));
        if from == to {
            cycles.push(vec![narrow]);
        } else {
            hierarchy.add_edge(from, to, ());
        }
    }
    for component in kosaraju_scc(&hierarchy).into_iter().filter(|component| component.len() > 1) {
        let mut cycle: Vec<EntityId> = component.into_iter().map(|vertex| hierarchy[vertex]).collect();
        cycle.sort_unstable();
        cycles.push(cycle);
    }
    cycles.sort_unstable();
    cycles.dedup();
    cycles
}

fn shown_kind(graph: &Graph, entity: EntityId) -> &str {
    let kind = graph.kind(entity).as_str();
    if kind.is_empty() { "unknown kind" } else { kind }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, RoleRules, starter_graph};

    #[test]
    fn cycles_of_is_a_are_found_whatever_the_direction_of_the_relation() {
        let rules = RoleRules::built_in().expect("rules");
        let mut builder = GraphBuilder::new("t");
        let is_a = builder.relation(rules.guess("is_a")).expect("room");
        let includes = builder.relation(crate::graph::Relation { player: Player::Head, ..rules.guess("is_a of") }).expect("room");
        let treats = builder.relation(rules.guess("treats")).expect("room");
        let ids = ["Angina", "Croup", "Gout", "Itch", "Mumps", "Rash", "Zoster"].map(|name| builder.entity(name));
        // Gout and Angina are a kind of each other; Mumps, Rash and Zoster in a circle; Itch of itself; Croup only of Gout.
        for (head, relation, tail) in [(0, is_a, 2), (2, is_a, 0), (1, is_a, 2), (3, is_a, 3), (4, is_a, 5), (6, includes, 5), (6, is_a, 4)]
        {
            builder.triple(ids[head], relation, ids[tail]);
        }
        builder.triple(ids[0], treats, ids[1]);
        builder.triple(ids[1], treats, ids[0]);
        let findings = lint(&builder.finish());
        let cycles = findings.iter().find(|finding| finding.what.starts_with("cycles of is_a")).expect("a finding");
        assert_eq!((cycles.count, &cycles.examples[..]), (3, &["Angina, Gout", "Itch", "Mumps, Rash, Zoster"].map(str::to_owned)[..]));
    }

    #[test]
    fn a_deep_hierarchy_without_a_cycle_costs_no_stack() {
        let mut builder = GraphBuilder::new("t");
        let is_a = builder.relation(RoleRules::built_in().expect("rules").guess("is_a")).expect("room");
        let ids: Vec<u32> = (0..200_000).map(|i| builder.entity(&format!("e{i:06}"))).collect();
        ids.windows(2).for_each(|pair| builder.triple(pair[0], is_a, pair[1]));
        assert!(is_a_cycles(&builder.finish()).is_empty());
        assert!(is_a_cycles(&starter_graph().expect("sound")).is_empty(), "nor has the starter graph one");
    }
}
