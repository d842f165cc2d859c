//! Retractions after a bad answer: the learned triples of the chains that it cited. The graph's own triples are never retracted.

use std::collections::BTreeSet;

use crate::dkg::{Act, Basis, CheckOutcome, Proposal, Proposer};
use crate::graph::{Chain, ChainTable, Direction, EntityId, GraphView, Kind, NamedEntity, NamedRelation, NamedTriple};
use crate::language::Knowledge;
use crate::language::knowledge::named;
use crate::run::Trace;

/// Proposals to retract the learned triples that the answer cites.
pub(super) fn proposals(knowledge: &Knowledge, trace: &Trace) -> Vec<Proposal> {
    retractions(trace, |triple| is_learned(knowledge, triple))
}

fn retractions(trace: &Trace, is_learned: impl Fn(&NamedTriple) -> bool) -> Vec<Proposal> {
    let Some(evidence) = &trace.evidence else { return Vec::new() };
    let table = &evidence.table;
    let cited: BTreeSet<u32> =
        trace.answer.citations.iter().copied().chain(trace.answer.lines.iter().flat_map(|l| l.citations.clone())).collect();
    let mut proposals: Vec<Proposal> = Vec::new();
    for id in cited {
        let place = (id as usize).checked_sub(1).and_then(|at| evidence.pruning.kept.get(at));
        let Some(chain) = place.and_then(|scored| table.chains.get(scored.chain as usize)).filter(|chain| chain.learned()) else {
            continue;
        };
        for triple in triples(table, chain).into_iter().filter(&is_learned) {
            let text = crate::text::sanitise_line(&table.text(chain));
            if let Some(known) = proposals.iter_mut().find(|known| known.triple == triple) {
                known.basis.chains.push(text);
                continue;
            }
            proposals.push(Proposal {
                act: Act::Retract,
                basis: Basis { chains: vec![text], why: "the answer that you rated bad cites it, and it was learned".into() },
                new_entities: Vec::new(),
                proposer: Proposer::Rule,
                standing: CheckOutcome::New,
                triple,
            });
        }
    }
    proposals
}

/// The triples of a chain, as the graph states them.
fn triples(table: &ChainTable, chain: &Chain) -> Vec<NamedTriple> {
    let entity = |node: u32| {
        let entity = table.entities.get(node as usize)?;
        Some(NamedEntity::new(entity.name.clone(), &Kind::parse(&entity.kind)))
    };
    let triple = |hop: crate::graph::Hop| {
        let relation = table.relations.get(usize::from(hop.relation))?;
        let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
        let relation = NamedRelation { name: relation.name.clone(), player: relation.player, role: relation.role };
        Some(NamedTriple::new(entity(head)?, relation, entity(tail)?))
    };
    chain.hops().filter_map(triple).collect()
}

/// Whether the graph has a triple because it was learned.
fn is_learned(knowledge: &Knowledge, triple: &NamedTriple) -> bool {
    let graph = &knowledge.graph;
    let entity = |end: &NamedEntity| -> Option<EntityId> { named(graph, &end.name, &end.kind) };
    let (Some(head), Some(tail)) = (entity(&triple.head), entity(&triple.tail)) else { return false };
    let learned = graph.edges(head, Direction::Out).learned;
    learned.iter().any(|edge| edge.to == tail && graph.relation(edge.relation).name == triple.relation.name)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::run::{Answer, Evidence, Pruning, ScoredChain};

    #[test]
    fn only_learned_triples_of_cited_chains_are_taken_back() {
        let entities = ["Heartburn", "Reflux", "Omeprazole"].map(|name| serde_json::json!({ "name": name, "kind": "disease" }));
        let table: ChainTable = serde_json::from_value(serde_json::json!({
            "entities": entities,
            "relations": [
                { "name": "has_symptom", "display": "has symptom", "role": "symptom", "player": "tail" },
                { "name": "treats", "display": "treats", "role": "treatment", "player": "head" },
            ],
            "chains": [
                { "k": "path", "n": [0, 1, 2], "r": [0, 1], "f": 0, "l": true },
                { "k": "path", "n": [0, 1], "r": [0], "f": 0 },
                { "k": "path", "n": [0, 2], "r": [1], "f": 0, "l": true },
            ],
        }))
        .expect("a table");
        let kept = (0..3).map(|chain| ScoredChain { chain, score: 1.0, by_fragment: Vec::new() }).collect();
        let evidence = Evidence { table: Arc::new(table), pruning: Arc::new(Pruning { kept, ..Pruning::default() }) };
        let answer = Answer { citations: vec![1, 2, 9], ..Answer::default() };
        let mut trace = Trace::default();
        (trace.evidence, trace.answer) = (Some(evidence), answer);
        // Of the first chain, the treatment was learned; the third, learned too, is not cited.
        let found = retractions(&trace, |triple| triple.relation.name == "treats");
        let texts: Vec<String> = found.iter().map(|proposal| proposal.triple.text()).collect();
        assert_eq!(texts, ["Omeprazole \u{2192} treats \u{2192} Reflux"]);
        assert_eq!(found[0].act, Act::Retract);
        assert!(retractions(&trace, |_| false).is_empty());
    }
}
