//! `catena dkg export`: everything that the DKG has learned, for others.

use std::io::{self, BufWriter, Write, stdout};
use std::path::Path;

use anyhow::Context;

use crate::cli::dkg_args::{DkgExportArgs, DkgForm};
use crate::cli::exit;
use crate::cli::messages::note;
use crate::config::write_atomically;
use crate::dkg::Dkg;
use crate::feedback::exchange::export;
use crate::feedback::{ExchangeError, ExchangeForm};
use crate::text::counted;

pub(super) fn run(dkg: &Dkg, args: &DkgExportArgs) -> anyhow::Result<u8> {
    let form = match args.to {
        DkgForm::Tsv => ExchangeForm::Tsv,
        DkgForm::Nt => ExchangeForm::NTriples,
        DkgForm::Jsonl => ExchangeForm::JsonLines,
    };
    if args.with_questions {
        note("the export contains the rated questions and answers, which can contain patient data")?;
    }
    let write = |out: &mut dyn Write| export(dkg, form, args.with_questions, out);
    match args.output.as_deref().filter(|path| *path != Path::new("-")) {
        None => {
            let mut out = BufWriter::with_capacity(1 << 18, stdout().lock());
            write(&mut out).map_err(write_error)?;
        }
        Some(path) => {
            let mut written = Ok(0);
            write_atomically(path, |out| {
                written = write(out);
                // An incomplete export must not replace the file.
                if written.is_ok() { Ok(()) } else { Err(io::Error::other("the export failed")) }
            })
            .map_err(|error| match std::mem::replace(&mut written, Ok(0)) {
                Err(reason) => write_error(reason),
                Ok(_) => error.into(),
            })
            .with_context(|| format!("cannot write {}", path.display()))?;
            let count = written.unwrap_or(0);
            note(&format!("wrote {} as {} to {}", counted(count, "triple", "triples"), form.name(), path.display()))?;
        }
    }
    Ok(exit::DONE)
}

/// The system's own error where writing failed, so that a closed pipe is recognised.
fn write_error(error: ExchangeError) -> anyhow::Error {
    match error {
        ExchangeError::Write(source) => source.into(),
        other => other.into(),
    }
}
