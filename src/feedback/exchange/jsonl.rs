//! JSON lines: reads and writes one triple per line.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::export::Form;
use super::provenance::Provenance;
use crate::dkg::record::ImportedTriple;
use crate::graph::{NamedEntity, NamedRelation, NamedTriple, Qualifiers};
use crate::text::sanitise_line;

/// The longest reason that is told, in characters; it may quote the file.
const LONGEST_REASON: usize = 120;

#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    triple: &'a NamedTriple,
    provenance: &'a Provenance,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    head: NamedEntity,
    relation: NamedRelation,
    tail: NamedEntity,
    #[serde(default)]
    qualifiers: Qualifiers,
    #[serde(default)]
    provenance: Provenance,
}

/// Writes objects.
pub(super) struct Objects;

impl Form for Objects {
    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn triple(&mut self, triple: &NamedTriple, provenance: &Provenance, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, &Written { triple, provenance }).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }
}

/// Reads an object.
///
/// # Errors
/// What does not fit, and in which field.
pub(super) fn object(line: &str) -> Result<ImportedTriple, String> {
    let Read { head, relation, tail, qualifiers, provenance } = serde_json::from_str(line).map_err(|error| {
        let said = sanitise_line(&error.to_string());
        // The line is reported separately; with the column, every line would have its own reason.
        let said = said.split(" at line ").next().unwrap_or(&said);
        said.chars().take(LONGEST_REASON).collect::<String>()
    })?;
    Ok(ImportedTriple { origin: provenance.words(), triple: NamedTriple { head, relation, tail, qualifiers } })
}
