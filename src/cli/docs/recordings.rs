//! What `catena docs remove` does about recorded runs that quote removed documents: it names them, or removes them.

use std::io::{Write, stdout};

use crate::cli::messages::note;
use crate::cli::progress::spinner;
use crate::cli::setup::Setup;
use crate::run::EventKind;
use crate::session::{KEPT_SESSIONS, Store};
use crate::text::{counted, sanitise_line};

/// The most recordings that are named.
const NAMED: usize = 20;

/// Names the recorded runs that quote documents of a collection, or removes them. `ids`: the documents; `None`: all of them.
///
/// # Errors
/// If the recordings cannot be listed, or one cannot be removed.
pub(super) fn about_recordings(setup: &Setup, name: &str, ids: Option<&[String]>, removes: bool) -> anyhow::Result<()> {
    let folder = setup.paths.sessions();
    if !folder.exists() {
        return Ok(());
    }
    let store = Store::open(&folder, setup.config.sessions_keep.unwrap_or(KEPT_SESSIONS))?;
    let listing = store.list()?;
    let waiting = spinner("reading the recorded runs");
    let is_of = |collection: &str, document: &str| collection == name && ids.is_none_or(|ids| ids.iter().any(|id| id == document));
    let quoting: Vec<&str> = listing
        .sessions
        .iter()
        .map(|summary| summary.id.as_str())
        .filter(|id| {
            // What cannot be read cannot be said to quote nothing.
            let Ok(recorded) = store.read(id) else { return false };
            recorded.events.iter().any(|event| match &event.what {
                EventKind::PassagesFound { passages } => passages.iter().any(|passage| is_of(&passage.collection, &passage.document)),
                _ => false,
            })
        })
        .collect();
    waiting.finish_and_clear();
    if !listing.unreadable.is_empty() {
        let files = counted(listing.unreadable.len() as u64, "recording", "recordings");
        note(&format!("{files} in the folder of sessions cannot be read, so Catena does not know whether they quote the documents"))?;
    }
    if quoting.is_empty() {
        return Ok(());
    }
    let runs = counted(quoting.len() as u64, "recorded run", "recorded runs");
    if removes {
        quoting.iter().try_for_each(|id| store.delete(id))?;
        writeln!(stdout(), "{runs} that quoted it removed.")?;
        return Ok(());
    }
    let named: Vec<String> = quoting.iter().take(NAMED).map(|id| sanitise_line(id)).collect();
    let more = if quoting.len() > NAMED { ", …" } else { "" };
    note(&format!(
        "{runs} still quote it: {}{more}. `--recordings` removes them, too. Files that you wrote yourself (`--events`, exports) stay.",
        named.join(", ")
    ))?;
    Ok(())
}
