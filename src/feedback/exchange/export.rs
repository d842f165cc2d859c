//! Exports all learned triples.

use std::io::{self, Write};

use super::provenance::{Provenance, Sources};
use super::{ExchangeError, ExchangeForm, jsonl, ntriples, tsv};
use crate::dkg::handle::Dkg;
use crate::graph::NamedTriple;

/// Writes triples in one of the formats.
pub(super) trait Form {
    /// What comes before the first triple.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()>;

    /// A triple, with where it comes from.
    fn triple(&mut self, triple: &NamedTriple, from: &Provenance, out: &mut dyn Write) -> io::Result<()>;
}

/// Writes all learned triples, in the order of their records; gives their number. Questions and answers are left out unless
/// `with_questions`: they can contain patient data.
///
/// # Errors
/// If the DKG cannot be read, or `out` cannot be written.
pub fn export(dkg: &Dkg, form: ExchangeForm, with_questions: bool, out: &mut dyn Write) -> Result<u64, ExchangeError> {
    let mut form: Box<dyn Form> = match form {
        ExchangeForm::Tsv => Box::new(tsv::Rows { with_questions }),
        ExchangeForm::NTriples => Box::new(ntriples::Statements::default()),
        ExchangeForm::JsonLines => Box::new(jsonl::Objects),
    };
    form.begin(out).map_err(ExchangeError::Write)?;
    let mut learned = dkg.learned()?;
    learned.sort_unstable_by(|a, b| (a.record, &a.triple).cmp(&(b.record, &b.triple)));
    // Each record is read once, however many triples it learned.
    for of_record in learned.chunk_by(|a, b| a.record == b.record) {
        let Some(first) = of_record.first() else { continue };
        let sources = Sources::of(dkg, first.record, with_questions)?;
        for one in of_record {
            form.triple(&one.triple, sources.of_triple(&one.triple), out).map_err(ExchangeError::Write)?;
        }
    }
    out.flush().map_err(ExchangeError::Write)?;
    Ok(learned.len() as u64)
}
