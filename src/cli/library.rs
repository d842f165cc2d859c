//! Opens the collections of documents that questions use.

use std::sync::Arc;

use super::exit::UsageError;
use super::setup::Setup;
use crate::evidence::{DocumentStore, Library};

/// The library that a command uses: the collections named on the command line, or in the configuration, or chosen with `catena docs use`.
///
/// # Errors
/// If a collection does not exist or cannot be used.
pub(super) fn library(setup: &Setup, named: &[String]) -> anyhow::Result<Arc<Library>> {
    let store = DocumentStore::of(&setup.paths);
    let mut names = match (named, &setup.config.docs) {
        ([], Some(configured)) => configured.clone(),
        ([], None) => store.in_use(),
        (named, _) => named.to_vec(),
    };
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    if let Some(unknown) = names.iter().find(|name| !store.has(name)) {
        let hint = "`catena docs list` lists the collections, and `catena docs import` makes one";
        return Err(UsageError(format!("there is no collection {unknown:?}: {hint}")).into());
    }
    Ok(Arc::new(Library::open(&store, &names)?))
}
