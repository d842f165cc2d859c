//! Cuts a large table of chains: a recording holds the first chains in the order of the search, all kept chains, and all runners-up.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::graph::{ChainTable, QualifiedTriple};
use crate::run::{Event, EventKind, Pruning, ScoredChain};

/// How many chains a session holds, besides kept chains and runners-up.
pub(super) const MOST_CHAINS: usize = 10_000;

/// The numbers of the chains that a recording holds, ascending. The position in this list is the number of the chain in the recording.
#[derive(Debug, Clone)]
pub(super) struct Selection(Vec<u32>);

impl Selection {
    /// The first `most` chains, and the kept chains and runners-up of a pruning.
    pub(super) fn of(table: &ChainTable, pruning: Option<&Pruning>, most: usize) -> Self {
        let first = table.chains.len().min(most);
        let named = pruning.into_iter().flat_map(|pruning| pruning.kept.iter().chain(&pruning.runners_up));
        let later: BTreeSet<u32> =
            named.map(|scored| scored.chain).filter(|chain| *chain as usize >= first && (*chain as usize) < table.chains.len()).collect();
        Self((0..first as u32).chain(later).collect())
    }

    /// With the chains that the doctor decided about one by one: whoever opens the run again sees them, and can take the decision back.
    pub(super) fn with(mut self, decided: &[u32]) -> Self {
        self.0.extend(decided);
        self.0.sort_unstable();
        self.0.dedup();
        self
    }

    /// Whether it has all of these chains.
    pub(super) fn has(&self, chains: &[u32]) -> bool {
        chains.iter().all(|chain| self.0.binary_search(chain).is_ok())
    }

    /// With the last chains of a table, which a language model brought.
    pub(super) fn with_last(mut self, table: &ChainTable, of_model: usize) -> Self {
        let from = table.chains.len().saturating_sub(of_model) as u32;
        self.0.retain(|number| *number < from);
        self.0.extend(from..table.chains.len() as u32);
        self
    }

    /// Without the chains from this number on.
    pub(super) fn before(&self, number: usize) -> Self {
        Self(self.0.iter().copied().filter(|chain| (*chain as usize) < number).collect())
    }

    /// The table of the selected chains, with only the entities and relations that occur in them, in the same order.
    pub(super) fn table(&self, table: &ChainTable) -> ChainTable {
        let chosen = || self.0.iter().filter_map(|number| table.chains.get(*number as usize));
        let entities: BTreeSet<u32> = chosen().flat_map(|chain| chain.nodes().iter().copied()).collect();
        let relations: BTreeSet<u16> = chosen().flat_map(|chain| chain.relations().iter().copied()).collect();
        let (entities, relations): (Vec<u32>, Vec<u16>) = (entities.into_iter().collect(), relations.into_iter().collect());
        let entity = |number: u32| entities.binary_search(&number).map_or(u32::MAX, |at| at as u32);
        let relation = |number: u16| relations.binary_search(&number).map_or(u16::MAX, |at| at as u16);
        // Numbers ascend in both tables, so the order of triples stays.
        let qualified = table.qualified.iter().filter_map(|known| {
            let end = |number: u32| entities.binary_search(&number).ok().map(|at| at as u32);
            let relation = relations.binary_search(&known.relation).ok()? as u16;
            Some(QualifiedTriple { head: end(known.head)?, relation, tail: end(known.tail)?, qualifiers: known.qualifiers.clone() })
        });
        let learned = table.learned.iter().filter_map(|(head, known, tail)| {
            let end = |number: &u32| entities.binary_search(number).ok().map(|at| at as u32);
            Some((end(head)?, relations.binary_search(known).ok()? as u16, end(tail)?))
        });
        ChainTable {
            learned: learned.collect(),
            qualified: qualified.collect(),
            chains: chosen().map(|chain| chain.renumbered(entity, relation)).collect(),
            entities: entities.iter().filter_map(|number| table.entities.get(*number as usize)).cloned().collect(),
            relations: relations.iter().filter_map(|number| table.relations.get(usize::from(*number))).cloned().collect(),
        }
    }

    /// The pruning with the new numbers; `None` if it names a chain that is not selected.
    pub(super) fn pruning(&self, pruning: &Pruning) -> Option<Arc<Pruning>> {
        let renumbered = |scored: &Vec<ScoredChain>| -> Option<Vec<ScoredChain>> {
            scored
                .iter()
                .map(|scored| {
                    let chain = self.0.binary_search(&scored.chain).ok()? as u32;
                    Some(ScoredChain { chain, ..scored.clone() })
                })
                .collect()
        };
        Some(Arc::new(Pruning {
            fragments: pruning.fragments.clone(),
            kept: renumbered(&pruning.kept)?,
            runners_up: renumbered(&pruning.runners_up)?,
            scored: pruning.scored.clone(),
            of_model: pruning.of_model,
        }))
    }
}

/// The events of a finished run without revisions, with at most `most` chains besides kept chains and runners-up.
pub(crate) fn shortened(events: &[Event], most: usize) -> Vec<Event> {
    let found = events.iter().find_map(|event| match &event.what {
        EventKind::ChainsFound { table, .. } => Some(table),
        _ => None,
    });
    // With what a language model brought, if it brought any; the others come first there too.
    let all = events.iter().find_map(|event| match &event.what {
        EventKind::ChainsAdded { table, of_model } => Some((table, usize::try_from(*of_model).unwrap_or(usize::MAX))),
        _ => None,
    });
    let pruning = events.iter().rev().find_map(|event| match &event.what {
        EventKind::ChainsPruned { pruning } => Some(pruning.as_ref()),
        _ => None,
    });
    let selection = found.map(|found| {
        let (table, of_model) = all.unwrap_or((found, 0));
        Selection::of(table, pruning, most).with_last(table, of_model)
    });
    let cut = |event: &Event| {
        let Some(selection) = &selection else { return event.clone() };
        let mut event = event.clone();
        match &mut event.what {
            EventKind::ChainsFound { table, .. } => *table = Arc::new(selection.before(table.chains.len()).table(table)),
            EventKind::ChainsAdded { table, .. } => *table = Arc::new(selection.table(table)),
            EventKind::ChainsPruned { pruning } => {
                if let Some(renumbered) = selection.pruning(pruning) {
                    *pruning = renumbered;
                }
            }
            _ => {}
        }
        event
    };
    events.iter().map(cut).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::graph::{Chain, Player, Role, TableEntity, TableRelation};
    use crate::run::{KgInfo, ModelInfo, Models, Settings, Trace};

    /// A table of chains from one entity to the next: 0 → 1, 1 → 2 …
    fn table(count: u32) -> Arc<ChainTable> {
        let entity = |number: u32| TableEntity { name: format!("E{number}"), kind: String::new(), description: String::new() };
        let chain = |number: u32| {
            let mut chain = Chain::start(number);
            chain.push(0, true, number + 1);
            chain
        };
        let relation = TableRelation { name: "r".into(), display: "r".into(), role: Role::Related, player: Player::Tail };
        Arc::new(ChainTable {
            entities: (0..=count).map(entity).collect(),
            relations: vec![relation],
            chains: (0..count).map(chain).collect(),
            ..ChainTable::default()
        })
    }

    #[test]
    fn what_a_language_model_brought_stays_behind_the_others() {
        let model = || ModelInfo { kind: "graph".into(), name: "x".into(), device: "cpu".into() };
        let kept = |chains: &[u32], of_model: usize| {
            let kept = chains.iter().map(|chain| ScoredChain { chain: *chain, score: 0.5, by_fragment: Vec::new() }).collect();
            EventKind::ChainsPruned { pruning: Arc::new(Pruning { kept, of_model, ..Pruning::default() }) }
        };
        let settings = Settings { k: 3, top_k: 10, delta: 0.7, fragment_words: 10, fragment_overlap: 4, seed: 0 };
        let started = EventKind::RunStarted {
            question: "q".into(),
            method: "hykge".into(),
            kg: KgInfo::default(),
            settings,
            models: Models { generator: model(), encoder: model(), reranker: model() },
        };
        let found = EventKind::ChainsFound { table: table(6), found: 6, by_kind: BTreeMap::new(), truncated: None };
        let added = EventKind::ChainsAdded { table: table(8), of_model: 2 };
        let events: Vec<Event> = [started, found, kept(&[4], 0), added, kept(&[4, 7], 1)]
            .into_iter()
            .map(|what| Event { run: "a".into(), at_ms: 1.0, what })
            .collect();
        let (whole, short) = (Trace::fold(&events), Trace::fold(&shortened(&events, 2)));
        for (trace, chains) in [(&whole, 8), (&short, 5)] {
            assert!(trace.faults().is_empty(), "{:?}", trace.faults());
            assert_eq!((trace.table.chains.len(), trace.chains_of_model, trace.chains_found), (chains, 2, 8));
            let texts: Vec<String> = trace.kept().map(|(_, _, chain)| trace.table.text(chain)).collect();
            assert_eq!(texts, ["E4 \u{2192} r \u{2192} E5", "E7 \u{2192} r \u{2192} E8"]);
        }
        // A second table of a model, or one that is not longer by as much as it says, is refused.
        let mut twice = events.clone();
        twice.push(Event { run: "a".into(), at_ms: 1.0, what: EventKind::ChainsAdded { table: table(9), of_model: 1 } });
        let trace = Trace::fold(&twice);
        assert_eq!((trace.table.chains.len(), trace.faults().len()), (8, 1));
    }
}
