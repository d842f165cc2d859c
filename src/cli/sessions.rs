//! `catena sessions`: the recorded runs with their ids.

use std::io::{BufWriter, Write, stdout};

use super::exit;
use super::messages::note;
use super::setup::Setup;
use crate::dkg::moment;
use crate::session::{KEPT_SESSIONS, Store, Summary};
use crate::text::sanitise_line;

/// The most characters of a question in the list.
const QUESTION: usize = 72;

pub(super) fn run(limit: usize, json: bool) -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    let mut out = BufWriter::new(stdout().lock());
    let Some(store) = store(&setup)? else {
        note("no runs are recorded yet: the terminal interface records each run, unless the configuration says sessions = false")?;
        return Ok(exit::DONE);
    };
    let listing = store.list()?;
    for summary in listing.sessions.iter().take(limit) {
        if json {
            writeln!(out, "{}", serde_json::to_string(summary)?)?;
        } else {
            writeln!(out, "{}  {}  {}", summary.id, moment(summary.asked_ms), shortened(summary))?;
        }
    }
    out.flush()?;
    if listing.sessions.is_empty() {
        note("no runs are recorded yet: the terminal interface records each run, unless the configuration says sessions = false")?;
    } else if listing.sessions.len() > limit {
        note(&format!("{} more; --limit N lists more of them", listing.sessions.len() - limit))?;
    }
    for unreadable in &listing.unreadable {
        note(&format!("{} cannot be read: {}", sanitise_line(&unreadable.file), sanitise_line(&unreadable.reason)))?;
    }
    Ok(exit::DONE)
}

/// The recorded sessions; `None` where none was ever recorded.
pub(super) fn store(setup: &Setup) -> anyhow::Result<Option<Store>> {
    let folder = setup.paths.sessions();
    if !folder.is_dir() {
        return Ok(None);
    }
    Ok(Some(Store::open(&folder, setup.config.sessions_keep.unwrap_or(KEPT_SESSIONS))?))
}

fn shortened(summary: &Summary) -> String {
    let question: String = summary.question.chars().take(QUESTION).collect();
    let more = if question.len() < summary.question.len() { "…" } else { "" };
    format!("{question}{more}  ({}, {})", summary.graph, summary.outcome_word())
}
