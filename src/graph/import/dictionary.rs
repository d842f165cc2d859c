//! Dictionaries: one name a line, all of one kind. A graph of names without triples is a graph.

use std::collections::HashSet;

use super::error::ImportError;
use super::input::InputFile;
use super::lines::{Line, Lines};
use super::session::{Reason, Session, name_of};
use crate::graph::Kind;

/// Reads the files, each with the kind of its names.
pub(super) fn read(files: &[(InputFile, Option<Kind>)], session: &mut Session) -> Result<(), ImportError> {
    let mut seen = HashSet::new();
    for (file, kind) in files {
        let source = file.open(session)?;
        let mut lines = Lines::new(source, Some(b'#'));
        while let Some(line) = lines.next(session)? {
            match take(line, kind.as_ref(), session) {
                Ok(entity) if seen.insert(entity) => {}
                Ok(_) => session.leave_out("name that is listed before"),
                Err(reason) => session.reject(line.number, &reason),
            }
        }
    }
    Ok(())
}

fn take(line: Line, kind: Option<&Kind>, session: &mut Session) -> Result<u32, Reason> {
    let name = name_of(line.text()?)?;
    Ok(session.entity(&name, kind))
}
