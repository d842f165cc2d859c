//! `catena docs`: collections of documents. One file for each group of subcommands.

mod import;
mod manage;
mod recordings;
mod search;

use super::docs_args::DocsCommand;
use super::exit::UsageError;
use super::setup::Setup;
use crate::evidence::{Collection, DocumentStore};

pub(super) fn run(command: DocsCommand) -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    let store = DocumentStore::of(&setup.paths);
    match command {
        DocsCommand::Import { format, path, name, generator, graph } => {
            import::run(&setup, &store, &import::Asked { format, path: &path, name: &name, generator, graph: &graph })
        }
        DocsCommand::Use { names } => manage::choose(&store, &names),
        DocsCommand::List => manage::list(&store),
        DocsCommand::Show { name, document } => manage::show(&open(&store, &name)?, document.as_deref()),
        DocsCommand::Search { question, docs, limit, method, seed, exact, json, graph } => {
            let asked = search::Asked { question: &question, limit: usize::from(limit), method, seed, exact, json };
            search::run(&setup, &store, &docs, &graph, &asked)
        }
        DocsCommand::Remove { name, documents, all, recordings } => {
            let ids = Some(documents.as_slice()).filter(|_| !all);
            let said = recordings::sentences_of(&open(&store, &name)?, ids);
            let code = manage::remove(&setup, &store, &name, &documents, all)?;
            recordings::about_quoting(&setup, &name, ids, &said, recordings)?;
            Ok(code)
        }
        DocsCommand::Check { name } => manage::check(&store, name.as_deref()),
        DocsCommand::Stats { name } => manage::stats(&open(&store, &name)?),
    }
}

/// Opens a collection by its name.
///
/// # Errors
/// If there is none of this name, or its file cannot be used.
pub(super) fn open(store: &DocumentStore, name: &str) -> anyhow::Result<Collection> {
    if !store.has(name) {
        let hint = "`catena docs list` lists the collections, and `catena docs import` makes one";
        return Err(UsageError(format!("there is no collection {name:?}: {hint}")).into());
    }
    Ok(store.open(name)?)
}
