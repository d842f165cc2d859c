//! Numbers, names and chains as phrases.

use crate::graph::{Chain, ChainKind, ChainTable};
use crate::run::{Mark, Marks};
pub(super) use crate::text::counted;
use crate::text::sanitise_line;
use crate::words::{Language, counted_words, words};

/// `0.4 seconds`, `12 seconds`, `2 minutes and 5 seconds`.
pub(super) fn duration(ms: f64, l: Language) -> String {
    let ms = ms.max(0.0);
    if ms < 9_950.0 {
        return words!(l, "{count} seconds", count = format_args!("{:.1}", ms / 1000.0));
    }
    let seconds = (ms / 1000.0).round() as u64;
    match (seconds / 60, seconds % 60) {
        (0, seconds) => counted_words!(l, seconds, "second", "seconds"),
        (minutes, 0) => counted_words!(l, minutes, "minute", "minutes"),
        (minutes, seconds) => {
            let (minutes, seconds) = (counted_words!(l, minutes, "minute", "minutes"), counted_words!(l, seconds, "second", "seconds"));
            words!(l, "{minutes} and {seconds}", minutes = minutes, seconds = seconds)
        }
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `kept chain 1`, `kept chains 1 and 4`.
pub(super) fn kept_chains(ids: &[u32], l: Language) -> String {
    let numbers: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let ids_listed = l.listed(&numbers);
    match ids.len() {
        1 => words!(l, "kept chain {ids}", ids = ids_listed),
        _ => words!(l, "kept chains {ids}", ids = ids_listed),
    }
}

/// Where an entity comes from; empty for most, which come from the graph.
pub(super) fn origin(mark: Mark) -> &'static str {
    match mark {
        Mark::Question => "from the question",
        Mark::Hypothesis => "from the hypothesis",
        Mark::Model => "from the language model's hypothesis",
        Mark::Graph => "",
        Mark::Contested => "contested by the graph",
        Mark::Learned => "learned from feedback or taught",
    }
}

/// A chain as its triples, each in the direction in which the graph states it.
pub(super) fn chain(table: &ChainTable, marks: &Marks, chain: &Chain, l: Language) -> String {
    let mut said: Vec<u32> = Vec::new();
    let mut name = |node: u32| {
        let name = table.entities.get(node as usize).map_or_else(String::new, |entity| sanitise_line(&entity.name));
        let from = l.known(origin(marks.in_chain(chain, node)));
        if from.is_empty() || said.contains(&node) {
            return name;
        }
        said.push(node);
        format!("{name} ({from})")
    };
    let mut triples = Vec::new();
    let mut at = chain.nodes().first().copied().unwrap_or_default();
    for hop in chain.hops() {
        let display = table.relations.get(usize::from(hop.relation)).map_or_else(String::new, |r| sanitise_line(&r.display));
        let (head, tail) = if hop.forward { (at, hop.to) } else { (hop.to, at) };
        let head = name(head);
        triples.push(format!("{head} {display} {}", name(tail)));
        at = hop.to;
    }
    triples.join(l.choose("; ", "；"))
}

/// The kind of a chain, as a sentence.
pub(super) fn kind(kind: ChainKind) -> &'static str {
    match kind {
        ChainKind::Path => "This chain is a path: one end leads to the other.",
        ChainKind::CoAncestor => "This chain shows a shared result: both ends lead to the same entity.",
        ChainKind::CoOccurrence => "This chain shows a shared cause: both ends come from the same entity.",
        ChainKind::Neighbour => "This chain leads from the only anchor to a neighbour.",
    }
}

/// The kind of an entity as words; empty if it has none.
pub(super) fn entity_kind(kind: &str) -> String {
    sanitise_line(kind).replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Player, Role, TableEntity, TableRelation};

    #[test]
    fn numbers_and_lists_are_said_as_people_say_them() {
        assert_eq!(
            [420.0, 9_960.0, 12_000.0, 61_000.0, 120_000.0].map(|ms| duration(ms, Language::English)),
            ["0.4 seconds", "10 seconds", "12 seconds", "1 minute and 1 second", "2 minutes"]
        );
        assert_eq!(listed(&["a".into(), "b".into(), "c".into()]), "a, b and c");
        assert_eq!(
            (kept_chains(&[3], Language::English), kept_chains(&[1, 4], Language::English)),
            ("kept chain 3".into(), "kept chains 1 and 4".into())
        );
    }

    #[test]
    fn a_chain_is_said_as_the_graph_states_its_triples() {
        let entity = |name: &str| TableEntity { name: name.into(), kind: "disease".into(), description: String::new() };
        let relation = |name: &str| TableRelation { name: name.into(), display: name.into(), role: Role::Related, player: Player::Tail };
        let mut walk = Chain::start(0);
        walk.push(0, false, 1);
        walk.push(1, false, 2);
        let table = ChainTable {
            entities: ["heartburn", "reflux", "omeprazole"].map(entity).into(),
            relations: ["has symptom", "treats"].map(relation).into(),
            chains: vec![walk],
            ..ChainTable::default()
        };
        assert_eq!(chain(&table, &Marks::default(), &walk, Language::English), "reflux has symptom heartburn; omeprazole treats reflux");
    }
}
