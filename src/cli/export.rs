//! `catena export`: writes a report of a recorded run.

use std::io::{Cursor, Read, Write, stdin, stdout};
use std::path::Path;

use anyhow::Context;

use super::args::{ExportArgs, ExportFormat};
use super::exit;
use super::messages::note;
use super::sessions;
use super::setup::Setup;
use crate::config::write_atomically;
use crate::report::{Format, report};
use crate::run::Trace;
use crate::session::{Recorded, read_events, read_events_from};
use crate::text::sanitise_line;
use crate::text::suggest::did_you_mean;

/// The most bytes of a recording read from standard input.
const MOST_BYTES: u64 = 1 << 30;

pub(super) fn run(args: &ExportArgs) -> anyhow::Result<u8> {
    let recorded = recorded(&args.file)?;
    if recorded.torn > 0 {
        note("the last line of the recording is incomplete; the report leaves it out")?;
    }
    let format = match args.to {
        ExportFormat::Md => Format::Markdown,
        ExportFormat::Html => Format::Html,
        ExportFormat::Dot => Format::Dot,
        ExportFormat::Json => Format::Json,
    };
    let text = report(&Trace::fold(&recorded.events), format, recorded.asked)?;
    match args.output.as_deref() {
        None => print(&text)?,
        Some(path) if path == Path::new("-") => print(&text)?,
        // Only the owner can read the file: a question can contain patient data.
        Some(path) => {
            write_atomically(path, |out| out.write_all(text.as_bytes())).with_context(|| format!("cannot write {}", path.display()))?;
            note(&format!("written to {}", path.display()))?;
        }
    }
    Ok(exit::DONE)
}

fn print(text: &str) -> std::io::Result<()> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A recording by its path, from standard input (`-`), or a session by its ID.
pub(super) fn recorded(file: &str) -> anyhow::Result<Recorded> {
    if file == "-" {
        let mut bytes = Vec::new();
        stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes).context("cannot read standard input")?;
        let length = bytes.len() as u64;
        return Ok(read_events_from(Cursor::new(bytes), length, Path::new("standard input"))?);
    }
    let path = Path::new(file);
    if path.exists() {
        return Ok(read_events(path)?);
    }
    let mut like = String::new();
    if let Some(store) = sessions::store(&Setup::load()?)? {
        if store.has(file) {
            return Ok(store.read(file)?);
        }
        let listing = store.list()?;
        like = did_you_mean(file, listing.sessions.iter().map(|summary| summary.id.as_str()));
    }
    let name = sanitise_line(file);
    let hint = "`catena sessions` lists the recorded sessions with their IDs, and `catena ask QUESTION --events FILE` writes a recording";
    anyhow::bail!("no file and no recorded session is called {name:?}: {hint}{like}")
}
