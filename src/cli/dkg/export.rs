//! `catena dkg export`: all that is learned, for others.

use std::io::{self, BufWriter, Write, stdout};
use std::path::Path;

use anyhow::Context;

use super::tell;
use crate::cli::dkg_args::{DkgExportArgs, DkgForm};
use crate::cli::exit;
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
        tell("the export holds the questions and answers that were rated; they can hold patient data")?;
    }
    let write = |out: &mut dyn Write| export(dkg, form, args.with_questions, out);
    match args.output.as_deref().filter(|path| *path != Path::new("-")) {
        None => {
            let mut out = BufWriter::with_capacity(1 << 18, stdout().lock());
            write(&mut out).map_err(of_writing)?;
        }
        Some(path) => {
            let mut written = Ok(0);
            write_atomically(path, |out| {
                written = write(out);
                // The draft of an export that failed must not become the file.
                if written.is_ok() { Ok(()) } else { Err(io::Error::other("the export failed")) }
            })
            .map_err(|error| match std::mem::replace(&mut written, Ok(0)) {
                Err(reason) => of_writing(reason),
                Ok(_) => error.into(),
            })
            .with_context(|| format!("{} cannot be written", path.display()))?;
            let count = written.unwrap_or(0);
            tell(&format!("{} written as {} to {}", counted(count, "triple was", "triples were"), form.name(), path.display()))?;
        }
    }
    Ok(exit::DONE)
}

/// What the system said, where it was the writing: whoever has read enough is no fault.
fn of_writing(error: ExchangeError) -> anyhow::Error {
    match error {
        ExchangeError::Write(source) => source.into(),
        other => other.into(),
    }
}
