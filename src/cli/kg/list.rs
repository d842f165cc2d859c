//! `catena kg list` and `catena kg use`.

use std::fs;
use std::io::{Write, stdout};

use anyhow::Context;

use crate::cli::args::GraphArgs;
use crate::cli::exit::{self, UsageError};
use crate::cli::graphs::{STARTER, chosen_graph_file, graph_name, imported_graph};
use crate::cli::setup::Setup;
use crate::config::{Paths, write_atomically};
use crate::text::sanitise_line;

pub(super) fn list(setup: &Setup) -> anyhow::Result<u8> {
    let paths = &setup.paths;
    let in_use = graph_name(&GraphArgs::default(), setup);
    let mut names = Vec::new();
    match fs::read_dir(paths.graphs()) {
        Ok(entries) => {
            for entry in entries {
                let path = entry?.path();
                let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
                if imported_graph(paths, &stem).is_some_and(|file| file == path) {
                    names.push(stem);
                }
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", paths.graphs().display())),
    }
    names.sort();
    for name in std::iter::once(STARTER.to_owned()).chain(names) {
        let mark = if name == in_use { "*" } else { " " };
        writeln!(stdout(), "{mark} {}", sanitise_line(&name))?;
    }
    Ok(exit::DONE)
}

pub(super) fn choose(paths: &Paths, name: &str) -> anyhow::Result<u8> {
    if name != STARTER && imported_graph(paths, name).is_none() {
        return Err(UsageError(format!("there is no imported graph {name:?}; `catena kg list` lists the graphs")).into());
    }
    let file = chosen_graph_file(paths);
    fs::create_dir_all(paths.graphs())
        .and_then(|()| write_atomically(&file, |out| out.write_all(name.as_bytes())))
        .with_context(|| format!("cannot write {}", file.display()))?;
    writeln!(stdout(), "{name} is now the default graph.")?;
    Ok(exit::DONE)
}
