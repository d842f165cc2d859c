//! `catena models check`: whether the files are intact, whether they are a model, and whether it fits into memory.

use std::io::{BufWriter, Write, stdout};

use super::memory_in_words;
use crate::cli::exit::{self, UsageError};
use crate::cli::interrupt::Interrupt;
use crate::cli::progress::spinner;
use crate::model::{FileState, LocalModel, Store, StoreError, in_words, read_headers};
use crate::text::sanitise_line;

pub(super) fn run(store: &Store, name: Option<&str>) -> anyhow::Result<u8> {
    let models = match name {
        None => store.models()?,
        Some(name) => vec![store.find(name).ok_or_else(|| UsageError(not_here(store, name)))?],
    };
    let mut out = BufWriter::new(stdout().lock());
    if models.is_empty() {
        writeln!(
            out,
            "There are no models in {}; the built-in models need no files. `catena models list` lists the models you can download.",
            store.folder().display()
        )?;
    }
    let interrupt = Interrupt::listen();
    let mut code = exit::DONE;
    for model in models {
        writeln!(out, "{}  {} ({})", sanitise_line(&model.name), sanitise_line(&model.path.display().to_string()), in_words(model.bytes))?;
        if !files_are_whole(store, &model, &interrupt, &mut out)? {
            code = exit::FAILED;
        }
        match read_headers(&model) {
            Ok(headers) => {
                writeln!(out, "  model    {}, {}; {}", headers.architecture, headers.form, memory_in_words(&headers))?;
                if let Some(warning) = &headers.warning {
                    writeln!(out, "  note     {}", sanitise_line(warning))?;
                }
            }
            Err(problem) => {
                code = exit::FAILED;
                writeln!(out, "  model    UNUSABLE: {}", sanitise_line(&problem))?;
            }
        }
    }
    out.flush()?;
    Ok(code)
}

fn not_here(store: &Store, name: &str) -> String {
    let name = sanitise_line(name);
    let partly = if store.is_unfinished(&name) { "; the download is incomplete, and `catena models pull` resumes it" } else { "" };
    format!("there is no model {name:?} in {}, and no such path{partly}; `catena models list` lists the models", store.folder().display())
}

/// Compares the files of a model with the checksums recorded at download. Prints the result; returns whether they are intact.
fn files_are_whole(store: &Store, model: &LocalModel, interrupt: &Interrupt, out: &mut impl Write) -> anyhow::Result<bool> {
    let inside = model.path.parent() == Some(store.folder());
    let receipt = if inside { store.receipt(&model.name) } else { Ok(None) };
    let receipt = match receipt {
        Ok(Some(receipt)) => receipt,
        Ok(None) => {
            writeln!(out, "  files    not downloaded by Catena; nothing to compare them with")?;
            return Ok(true);
        }
        Err(error) => {
            writeln!(out, "  files    {}", sanitise_line(&error.to_string()))?;
            return Ok(false);
        }
    };
    let mut whole = true;
    let bar = spinner("reading");
    for file in &receipt.files {
        let path = if model.path.is_dir() { model.path.join(&file.path) } else { model.path.clone() };
        let state = match file.state(&path, &mut |_| !interrupt.requested()) {
            Ok(FileState::Whole) => continue,
            Ok(FileState::Missing) => "is MISSING".to_owned(),
            Ok(FileState::Changed) => "has CHANGED since the download".to_owned(),
            Err(StoreError::Stopped) => return Err(StoreError::Stopped.into()),
            Err(error) => error.to_string(),
        };
        whole = false;
        writeln!(
            out,
            "  files    {} {}; to download it again: catena models pull {}",
            sanitise_line(&file.path),
            sanitise_line(&state),
            model.name
        )?;
    }
    bar.finish_and_clear();
    if whole {
        let known = receipt.files.iter().filter(|file| file.compared == "known").count();
        let hub = receipt.files.iter().filter(|file| file.compared == "hub").count();
        let first = receipt.files.len() - known - hub;
        writeln!(
            out,
            "  files    {} unchanged since the download from {} (checksums: {known} built into Catena, {hub} from the Hub, {first} recorded at download)",
            receipt.files.len(),
            sanitise_line(&receipt.source)
        )?;
    }
    Ok(whole)
}
