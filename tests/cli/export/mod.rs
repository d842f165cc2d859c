//! Reports: a run as Markdown, HTML, DOT and JSON, and its evidence as a drawing.

mod chromium;
mod command;
mod drawing;
mod hostile;
mod reports;

use crate::support::sample;
use catena::run::{Event, Trace};

/// The scripted run with so few chains that a report of it can be read.
pub(crate) fn small_run() -> Vec<Event> {
    sample::answered_with("q19a1ff60b13-1-0", 12)
}

/// The texts of the chains that a run's answer was read from.
pub(crate) fn evidence(trace: &Trace) -> Vec<String> {
    let evidence = trace.evidence.as_ref().expect("an answer");
    let chains = evidence.pruning.kept.iter().map(|scored| &evidence.table.chains[scored.chain as usize]);
    chains.map(|chain| evidence.table.text(chain)).collect()
}
