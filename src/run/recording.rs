//! Recordings: the events of a run as JSON, one event per line. A recording shows again what the screen showed live, without a model or a
//! graph.

use std::io::{BufRead, Write};

use super::event::{Event, EventKind};

/// Why a recording could not be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file could not be read.
    #[error("line {line} could not be read: {source}")]
    Io {
        /// Line number, from 1.
        line: usize,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A line is not an event.
    #[error("line {line} is not a Catena event: {source}")]
    Line {
        /// Line number, from 1.
        line: usize,
        /// Where the line is wrong, and how.
        source: serde_json::Error,
    },
    /// The recording does not begin with the start of a run.
    #[error("this is not a recording of a run: it does not begin with a `run_started` event")]
    NoStart,
}

/// Writes one event as one line.
///
/// # Errors
/// If writing fails.
pub fn write_event(mut to: impl Write, event: &Event) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(event).map_err(std::io::Error::other)?;
    line.push(b'\n');
    to.write_all(&line)
}

/// Reads a whole recording.
///
/// # Errors
/// If it cannot be read, a line is not an event, or it does not begin with the start of a run.
pub fn read_recording(from: impl BufRead) -> Result<Vec<Event>, RecordingError> {
    let mut events = Vec::new();
    for (line, text) in (1..).zip(from.lines()) {
        let text = text.map_err(|source| RecordingError::Io { line, source })?;
        if text.trim().is_empty() {
            continue;
        }
        events.push(serde_json::from_str::<Event>(&text).map_err(|source| RecordingError::Line { line, source })?);
    }
    match events.first() {
        Some(Event { what: EventKind::RunStarted { .. }, .. }) => Ok(events),
        _ => Err(RecordingError::NoStart),
    }
}
