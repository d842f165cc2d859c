//! The kept chains behind the alarm: each links a fact of the case directly to the condition that raises the alarm.

use crate::run::{Trace, UrgencyReason};

/// The chain that links one fact to the condition: its id, and its number in the table.
pub(super) fn stating(trace: &Trace, reason: &UrgencyReason) -> Option<(u32, u32)> {
    let (entity, condition) = (reason.entity.as_deref()?, trace.urgency.condition.as_deref()?);
    let name = |node: u32| trace.table.entities.get(node as usize).map(|entity| entity.name.as_str());
    let links = |nodes: &[u32]| {
        nodes.windows(2).any(|pair| {
            let [one, other] = pair else { return false };
            let pair = [name(*one), name(*other)];
            pair == [Some(entity), Some(condition)] || pair == [Some(condition), Some(entity)]
        })
    };
    trace.kept().find(|(_, _, chain)| links(chain.nodes())).map(|(id, number, _)| (id, number))
}

/// The numbers in the table of all these chains, in the order in which the alarm lists its facts.
pub(super) fn of_alarm(trace: &Trace) -> Vec<u32> {
    let mut chains = Vec::new();
    for (_, number) in trace.urgency.because.iter().filter_map(|reason| stating(trace, reason)) {
        if !chains.contains(&number) {
            chains.push(number);
        }
    }
    chains
}
