//! Imports dictionaries: one name on each line, all of one kind. The result is a graph without triples. Lines that begin with `#` are
//! comments, and counted, because a name can begin so, too.

use std::collections::HashSet;

use super::error::ImportError;
use super::input::InputFile;
use super::lines::{ImportLine, ImportLines};
use super::session::{ImportSession, Reason, name_of};
use crate::graph::Kind;

/// Reads the files, each with the kind of its names.
pub(super) fn read(files: &[(InputFile, Option<Kind>)], session: &mut ImportSession) -> Result<(), ImportError> {
    let mut seen = HashSet::new();
    for (file, kind) in files {
        let source = file.open(session)?;
        let mut lines = ImportLines::new(source, None);
        while let Some(line) = lines.next(session)? {
            if line.bytes().first() == Some(&b'#') {
                session.uncount_line();
                session.leave_out("line that begins with #, taken as a comment");
                continue;
            }
            match take(line, kind.as_ref(), session) {
                Ok(entity) if seen.insert(entity) => {}
                Ok(_) => session.leave_out("name that is already listed"),
                Err(reason) => session.reject(line.number, &reason),
            }
        }
    }
    Ok(())
}

fn take(line: ImportLine, kind: Option<&Kind>, session: &mut ImportSession) -> Result<u32, Reason> {
    let name = name_of(line.text()?)?;
    Ok(session.entity(&name, kind))
}
