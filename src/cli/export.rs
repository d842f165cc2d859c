//! `catena export`: a recorded run as a report.

use std::io::{Cursor, Read, Write, stderr, stdin, stdout};
use std::path::Path;

use anyhow::Context;

use super::args::{ExportArgs, ExportFormat};
use super::exit;
use super::open::surroundings;
use crate::config::write_atomically;
use crate::report::{Format, report};
use crate::run::Trace;
use crate::session::{KEPT_SESSIONS, Recorded, Store, read_events, read_events_from};
use crate::text::sanitise_line;

/// More than this of standard input is no recording.
const MOST_BYTES: u64 = 1 << 30;

pub(super) fn run(args: &ExportArgs) -> anyhow::Result<u8> {
    let recorded = recorded(&args.file)?;
    if recorded.torn > 0 {
        writeln!(stderr(), "catena: the last line of the recording was cut short and is left out; the report holds what came before it")?;
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
        // A report holds the question, and questions can hold patient data.
        Some(path) => {
            write_atomically(path, |out| out.write_all(text.as_bytes())).with_context(|| format!("{} cannot be written", path.display()))?
        }
    }
    Ok(exit::DONE)
}

fn print(text: &str) -> std::io::Result<()> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A recording by path, from standard input, or a session by its id.
pub(super) fn recorded(file: &str) -> anyhow::Result<Recorded> {
    if file == "-" {
        let mut bytes = Vec::new();
        stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes).context("standard input cannot be read")?;
        let length = bytes.len() as u64;
        return Ok(read_events_from(Cursor::new(bytes), length, Path::new("standard input"))?);
    }
    let path = Path::new(file);
    if path.exists() {
        return Ok(read_events(path)?);
    }
    let (paths, config) = surroundings()?;
    let folder = paths.sessions();
    if folder.is_dir() {
        let store = Store::open(&folder, config.sessions_keep.unwrap_or(KEPT_SESSIONS))?;
        if store.has(file) {
            return Ok(store.read(file)?);
        }
    }
    let name = sanitise_line(file);
    let hint =
        "a recording comes from `catena ask QUESTION --events FILE`, and the terminal interface lists recorded sessions with their ids";
    anyhow::bail!("there is neither a file nor a recorded session {name:?}: {hint}")
}
