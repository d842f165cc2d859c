//! `catena completions`: a shell's completion script.

use std::io::{Write, stdout};

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Cli;
use super::exit;

pub(super) fn run(shell: Shell) -> anyhow::Result<u8> {
    // Written in one piece: the generator cannot report that whoever reads it has gone.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "catena", &mut script);
    let mut out = stdout().lock();
    out.write_all(&script)?;
    out.flush()?;
    Ok(exit::DONE)
}
