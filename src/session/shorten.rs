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
        ChainTable {
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
