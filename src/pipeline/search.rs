//! The search stage: chains between the anchors, while anchors are still coming in.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::context::RunContext;
use super::event::EventKind;
use super::link::Anchors;
use crate::graph::{ChainBudget, ChainSearch, ChainTable, FoundChains, Graph, neighbourhood};

/// Begins the search of a run.
pub(crate) fn begin<'a>(ctx: &RunContext<'_>, graph: &'a Graph) -> ChainSearch<'a> {
    ChainSearch::new(graph, ctx.settings.k, ChainBudget::default())
}

/// Searches with the anchors that have come in since the last time.
pub(crate) fn add(ctx: &mut RunContext<'_>, search: &mut ChainSearch<'_>, anchors: &Anchors) {
    let before = search.found();
    let cancel = ctx.cancel.clone();
    search.add(&anchors.entities(), &|| cancel.is_cancelled());
    if search.found() != before {
        ctx.emit(EventKind::ChainsProgress { found: search.found() });
    }
}

/// Ends the search. Where no chain connects the anchors (a single one, say), their neighbourhood is the evidence.
pub(crate) fn finish(ctx: &mut RunContext<'_>, search: ChainSearch<'_>, anchors: &Anchors) -> FoundChains {
    let mut found = search.finish();
    if found.found == 0 && found.truncated.is_none() {
        let around = neighbourhood(&ctx.knowledge.graph, &anchors.entities(), ChainBudget::default().chains);
        if around.found > 0 {
            found = around;
        }
    }
    if let Some(why) = &found.truncated {
        ctx.warn(format!("Not every chain is shown: {why}. A smaller --k, or a more precise question, makes the search complete."));
    }
    let by_kind: BTreeMap<_, _> = found.by_kind.iter().filter(|(_, count)| **count > 0).map(|(kind, count)| (*kind, *count)).collect();
    let table = Arc::new(ChainTable::of(&ctx.knowledge.graph, &found.chains));
    ctx.emit(EventKind::ChainsFound { table, found: found.found, by_kind, truncated: found.truncated.clone() });
    found
}
