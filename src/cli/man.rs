//! `catena man`: the manual, one page for each command.

use std::fs;
use std::path::Path;

use anyhow::Context;
use clap::CommandFactory;
use clap_mangen::Man;

use super::args::Cli;
use super::exit::{self, UsageError};
use super::messages::note;

pub(super) fn run(folder: &Path) -> anyhow::Result<u8> {
    if folder.exists() && !folder.is_dir() {
        return Err(UsageError(format!("{} is a file; name a folder for the manual pages", folder.display())).into());
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let written = write_pages(&command, folder)?;
    note(&format!("wrote {written} manual pages to {}", folder.display()))?;
    Ok(exit::DONE)
}

/// Writes the page of a command and those of its subcommands; returns how many.
fn write_pages(command: &clap::Command, folder: &Path) -> anyhow::Result<usize> {
    let page = Man::new(command.clone());
    let file = folder.join(page.get_filename());
    let mut text = Vec::new();
    page.render(&mut text)?;
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    command.get_subcommands().try_fold(1, |written, subcommand| Ok(written + write_pages(subcommand, folder)?))
}
