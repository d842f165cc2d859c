//! The journal record that taught each learned triple, in portions that clones share until one of them changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::graph::store::Triple;

/// How many heads a portion covers.
const PORTION: usize = 128;

/// Learned triples with the record of each.
#[derive(Debug, Clone, Default)]
pub(super) struct TripleRecords {
    portions: Vec<Option<Arc<BTreeMap<Triple, u64>>>>,
}

impl TripleRecords {
    pub(super) fn get(&self, triple: Triple) -> Option<u64> {
        self.portions.get(triple.head.index() / PORTION)?.as_deref()?.get(&triple).copied()
    }

    /// Every triple, ordered by head, relation, tail.
    pub(super) fn triples(&self) -> impl Iterator<Item = Triple> + '_ {
        self.portions.iter().flatten().flat_map(|portion| portion.keys().copied())
    }

    /// Adds triples (`Some` record) and removes others (`None`). `changes` must be sorted.
    pub(super) fn change(&mut self, changes: &[(Triple, Option<u64>)]) {
        let at = |triple: &Triple| triple.head.index() / PORTION;
        for of_portion in changes.chunk_by(|(a, _), (b, _)| at(a) == at(b)) {
            let place = at(&of_portion[0].0);
            if self.portions.len() <= place {
                self.portions.resize(place + 1, None);
            }
            let slot = &mut self.portions[place];
            match slot {
                // Building the map at once is several times as fast as inserting one by one.
                None => {
                    let new = of_portion.iter().filter_map(|(triple, record)| Some((*triple, (*record)?)));
                    *slot = Some(Arc::new(new.collect()));
                }
                Some(portion) => {
                    let portion = Arc::make_mut(portion);
                    for (triple, record) in of_portion {
                        match record {
                            Some(record) => portion.insert(*triple, *record),
                            None => portion.remove(triple),
                        };
                    }
                }
            }
        }
    }
}
