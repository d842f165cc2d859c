//! `catena docs use`, `list`, `show`, `remove`, `check` and `stats`.

use std::io::{Write, stdout};

use super::import::note_without_evidence;
use super::open;
use crate::cli::args::GraphArgs;
use crate::cli::exit::{self, UsageError};
use crate::cli::graphs::open_graph;
use crate::cli::interrupt::Interrupt;
use crate::cli::messages::note;
use crate::cli::progress::spinner;
use crate::cli::setup::Setup;
use crate::evidence::{Collection, DocumentStore};
use crate::text::{counted, grouped, sanitise, sanitise_line};

pub(super) fn choose(store: &DocumentStore, names: &[String]) -> anyhow::Result<u8> {
    if let Some(unknown) = names.iter().find(|name| !store.has(name)) {
        return Err(UsageError(format!("there is no collection {unknown:?}; `catena docs list` lists the collections")).into());
    }
    store.choose(names)?;
    let said = if names.is_empty() { "No collection is in use now.".to_owned() } else { format!("In use now: {}.", names.join(", ")) };
    writeln!(stdout(), "{said}")?;
    Ok(exit::DONE)
}

pub(super) fn list(store: &DocumentStore) -> anyhow::Result<u8> {
    let (names, in_use) = (store.names()?, store.in_use());
    if names.is_empty() {
        note("there is no collection yet; `catena docs import FORMAT PATH --name NAME` makes one")?;
    }
    for name in names {
        let mark = if in_use.contains(&name) { "*" } else { " " };
        match store.open(&name) {
            Ok(collection) => {
                writeln!(stdout(), "{mark} {name}: {}", counted(collection.meta().documents as u64, "document", "documents"))?
            }
            Err(error) => writeln!(stdout(), "{mark} {name}: {}", sanitise_line(&error.to_string()))?,
        }
    }
    Ok(exit::DONE)
}

pub(super) fn show(collection: &Collection, document: Option<&str>) -> anyhow::Result<u8> {
    let mut out = stdout().lock();
    let Some(id) = document else {
        for (id, title) in collection.ids() {
            writeln!(out, "{}\t{}", sanitise_line(id), sanitise_line(title))?;
        }
        return Ok(exit::DONE);
    };
    let Some(document) = collection.document(id) else {
        let name = &collection.meta().name;
        note(&format!("the collection {name} has no document {id:?}; `catena docs show {name}` lists them"))?;
        return Ok(exit::NOTHING_LINKED);
    };
    writeln!(out, "{}", sanitise_line(&document.title))?;
    let facts = [("id", &document.id), ("source", &document.source), ("date", &document.date), ("address", &document.url)];
    for (what, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(out, "{what}: {}", sanitise_line(value))?;
    }
    if !document.aliases.is_empty() {
        writeln!(out, "other names: {}", sanitise_line(&document.aliases.join("; ")))?;
    }
    for section in &document.sections {
        let label = crate::evidence::Label::of_heading(&section.name);
        writeln!(out, "\n## {} [{}]\n\n{}", sanitise_line(&section.name), label.as_str(), sanitise(&section.text))?;
    }
    Ok(exit::DONE)
}

pub(super) fn remove(setup: &Setup, store: &DocumentStore, name: &str, ids: &[String], all: bool) -> anyhow::Result<u8> {
    let collection = open(store, name)?;
    if all {
        let documents = counted(collection.meta().documents as u64, "document", "documents");
        drop(collection);
        store.remove_all(name)?;
        writeln!(stdout(), "The collection {name} with {documents} was removed.")?;
        return Ok(exit::DONE);
    }
    // The names are recognised by the graph that recognised them at the import.
    let graph = open_graph(&GraphArgs { kg: Some(collection.meta().graph.clone()), ..GraphArgs::default() }, setup)?.graph;
    drop(collection);
    let (interrupt, waiting) = (Interrupt::listen(), spinner("writing the collection again"));
    let result = store.remove(name, ids, &graph, &|_| !interrupt.requested());
    waiting.finish_and_clear();
    let (collection, change) = result?;
    let (removed, left) = (counted(change.removed as u64, "document was", "documents were"), collection.meta().documents as u64);
    writeln!(stdout(), "{removed} removed from {name}; {} left.", grouped(left))?;
    Ok(exit::DONE)
}

pub(super) fn check(store: &DocumentStore, name: Option<&str>) -> anyhow::Result<u8> {
    let names = match name {
        Some(name) => vec![name.to_owned()],
        None => store.names()?,
    };
    if names.is_empty() {
        note("there is no collection to check")?;
    }
    let mut code = exit::DONE;
    for name in names {
        match open(store, &name).and_then(|collection| Ok(collection.verify()?)) {
            Ok(()) => writeln!(stdout(), "{name}: intact")?,
            Err(error) if error.is::<UsageError>() => return Err(error),
            Err(error) => {
                writeln!(stdout(), "{name}: {}", sanitise_line(&format!("{error:#}")))?;
                code = exit::FAILED;
            }
        }
    }
    Ok(code)
}

pub(super) fn stats(collection: &Collection) -> anyhow::Result<u8> {
    let meta = collection.meta();
    let mut out = stdout().lock();
    let rows = [
        ("documents", meta.documents),
        ("sections", meta.sections),
        ("sections without a label", meta.without_label),
        ("units", meta.units),
        ("pieces of evidence", meta.evidence),
        ("entities", meta.entities),
        ("of them in the graph", meta.graph_entities),
        ("topics", meta.topics),
        ("edges", meta.edges),
        ("different words", meta.terms),
    ];
    writeln!(out, "{}; names from the graph {}; vectors by {}", meta.name, sanitise_line(&meta.graph), sanitise_line(&meta.encoder))?;
    for (what, count) in rows {
        writeln!(out, "{:>12}  {what}", grouped(count as u64))?;
    }
    note_without_evidence(collection, usize::MAX)?;
    Ok(exit::DONE)
}
