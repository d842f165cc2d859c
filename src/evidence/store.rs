//! The collections in the data folder: a file each, with at most one addition beside it, and which of them questions use. A change writes
//! one new file and moves it into place, so that a kill at any time leaves the old collection or the new one.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::build::{BuildStep, build_beside, read_by};
use super::collection::{Collection, added_beside};
use super::document::Document;
use super::error::CollectionError;
use super::reading::Reading;
use crate::config::{Paths, create_private_folder, write_atomically};
use crate::graph::Graph;

/// The ending of a collection's file.
const ENDING: &str = "docs";

/// What a change did to a collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Change {
    /// Documents that were not there before.
    pub added: usize,
    /// Documents that took the place of others with their ids.
    pub replaced: usize,
    /// Documents that are the same as before.
    pub unchanged: usize,
    /// Documents that were removed.
    pub removed: usize,
}

/// The folder of collections.
#[derive(Debug, Clone)]
pub struct DocumentStore {
    folder: PathBuf,
}

/// Whether a collection can have this name: letters, digits, `-`, `_` and `.`, not `.` first.
pub fn is_collection_name(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) && !name.starts_with('.') && !name.is_empty() && name.len() <= 100
}

/// Removes an addition, with the note that it was checked.
fn remove_if_there(added: &Path) -> io::Result<()> {
    match fs::remove_file(added) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut note = added.file_name().unwrap_or_default().to_owned();
    note.push(".verified");
    let _ = fs::remove_file(added.with_file_name(note));
    Ok(())
}

impl DocumentStore {
    /// The store of this user.
    pub fn of(paths: &Paths) -> Self {
        Self { folder: paths.documents() }
    }

    /// The file of a collection, whether it exists or not.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{ENDING}"))
    }

    /// Whether there is a collection of this name.
    pub fn has(&self, name: &str) -> bool {
        is_collection_name(name) && self.file(name).is_file()
    }

    /// The names of all collections, in order.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn names(&self) -> Result<Vec<String>, CollectionError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(self.io(source)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(|source| self.io(source))?.file_name().to_string_lossy().into_owned();
            names.extend(name.strip_suffix(&format!(".{ENDING}")).filter(|name| is_collection_name(name)).map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }

    fn io(&self, source: io::Error) -> CollectionError {
        CollectionError::Io { file: self.folder.display().to_string(), source }
    }

    /// Opens a collection.
    ///
    /// # Errors
    /// If there is none of this name, or its file cannot be used.
    pub fn open(&self, name: &str) -> Result<Collection, CollectionError> {
        Collection::open(&self.file(name))
    }

    /// As [`Self::open`]; removes an addition to another base, which a kill left behind: it may hold text that was removed since.
    fn open_for_change(&self, name: &str) -> Result<Collection, CollectionError> {
        let collection = self.open(name)?;
        if collection.added.is_none() {
            remove_if_there(&added_beside(&self.file(name))).map_err(|source| self.io(source))?;
        }
        Ok(collection)
    }

    fn in_use_file(&self) -> PathBuf {
        self.folder.join("in-use")
    }

    /// The collections that questions use.
    pub fn in_use(&self) -> Vec<String> {
        let text = fs::read_to_string(self.in_use_file()).unwrap_or_default();
        text.lines().map(str::trim).filter(|name| self.has(name)).map(str::to_owned).collect()
    }

    /// Chooses the collections that questions use.
    ///
    /// # Errors
    /// If the choice cannot be written.
    pub fn choose(&self, names: &[String]) -> Result<(), CollectionError> {
        let written = create_private_folder(&self.folder)
            .and_then(|()| write_atomically(&self.in_use_file(), |out| out.write_all(names.join("\n").as_bytes())));
        written.map_err(|source| self.io(source))
    }

    /// Adds documents to a collection, which is made if it does not exist. A document with the id of another takes its place; of several new ones with
    /// one id, their sections are joined.
    ///
    /// # Errors
    /// If the collection cannot be read, built or written, or the change is no longer wanted; nothing is changed then.
    pub fn add(
        &self,
        name: &str,
        new: Vec<Document>,
        graph: &Graph,
        wanted: &(dyn Fn(BuildStep) -> bool + Sync),
    ) -> Result<(Collection, Change), CollectionError> {
        self.add_with(name, new, (graph, None), wanted)
    }

    /// As [`Self::add`], with what a language model read; `None`: what it read before.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn add_with(
        &self,
        name: &str,
        new: Vec<Document>,
        (graph, reading): (&Graph, Option<Reading>),
        wanted: &(dyn Fn(BuildStep) -> bool + Sync),
    ) -> Result<(Collection, Change), CollectionError> {
        if reading.is_none()
            && let Some(done) = self.add_beside(name, &new, graph, wanted)?
        {
            return Ok(done);
        }
        let mut documents: Vec<Document> = if self.has(name) { self.open(name)?.documents().collect() } else { Vec::new() };
        let mut change = Change::default();
        let mut places: HashMap<String, usize> = documents.iter().map(|document| document.id.clone()).zip(0..).collect();
        let before = documents.len();
        // What these documents replaced, so that a second part of one is joined and not taken for a newer one.
        let mut replaced: HashMap<usize, Document> = HashMap::new();
        for document in new {
            match places.get(&document.id) {
                Some(place) => {
                    if let Some(known) = documents.get_mut(*place) {
                        if *place >= before || replaced.contains_key(place) {
                            known.sections.extend(document.sections);
                        } else {
                            replaced.insert(*place, std::mem::replace(known, document));
                        }
                    }
                }
                None => {
                    places.insert(document.id.clone(), documents.len());
                    documents.push(document);
                    change.added += 1;
                }
            }
        }
        change.unchanged = replaced.iter().filter(|(place, old)| documents.get(**place) == Some(old)).count();
        change.replaced = replaced.len() - change.unchanged;
        Ok((self.rebuild(name, &documents, (graph, reading), wanted)?, change))
    }

    /// Adds documents by writing the addition again, so that the base stays as it is; `None` if all documents must be read again: the
    /// addition would be too large, a language model has read them, or they were read by other names than the graph's.
    fn add_beside(
        &self,
        name: &str,
        new: &[Document],
        graph: &Graph,
        wanted: &(dyn Fn(BuildStep) -> bool + Sync),
    ) -> Result<Option<(Collection, Change)>, CollectionError> {
        if !self.has(name) {
            return Ok(None);
        }
        let before = self.open_for_change(name)?;
        let base = &before.base;
        if !before.reading().is_empty() || base.meta.read_by != read_by(graph) || base.meta.graph != graph.name() {
            return Ok(None);
        }
        let mut beside = before.documents_beside();
        let of_base = base.documents().iter().map(|row| base.string(row.id).to_owned());
        let mut places: HashMap<String, u32> = of_base.zip(0..).collect();
        places.extend(beside.iter().map(|(place, document)| (document.id.clone(), *place)));
        let mut next = beside.keys().next_back().map_or(0, |last| last.saturating_add(1)).max(base.documents().len() as u32);
        let mut change = Change::default();
        // What these documents replaced; `None`: nothing.
        let mut replaced: BTreeMap<u32, Option<Document>> = BTreeMap::new();
        for document in new {
            let place = *places.entry(document.id.clone()).or_insert(next);
            if place == next {
                next = next.saturating_add(1);
                change.added += 1;
                replaced.insert(place, None);
                beside.insert(place, document.clone());
            } else if let Entry::Vacant(first) = replaced.entry(place) {
                let known = beside.insert(place, document.clone());
                first.insert(known.or_else(|| base.documents().get(place as usize).map(|row| base.document_of(row))));
            } else if let Some(known) = beside.get_mut(&place) {
                known.sections.extend(document.sections.iter().cloned());
            }
        }
        for (place, old) in replaced.iter().filter_map(|(place, old)| Some((place, old.as_ref()?))) {
            let is_same = beside.get(place) == Some(old);
            change.unchanged += usize::from(is_same);
            change.replaced += usize::from(!is_same);
        }
        if change.added + change.replaced == 0 {
            return Ok(Some((before, change)));
        }
        let is_of_base =
            |place: u32, document: &Document| base.documents().get(place as usize).is_some_and(|row| base.document_of(row) == *document);
        beside.retain(|place, document| !is_of_base(*place, document));
        let file = added_beside(&self.file(name));
        if beside.is_empty() {
            // Closed first: some systems keep files that are open.
            let after = before.without_added();
            remove_if_there(&file).map_err(|source| self.io(source))?;
            return Ok(Some((after, change)));
        }
        let Some(segment) = build_beside(base, &beside, graph, wanted)? else { return Ok(None) };
        let after = before.without_added().with_added(segment.clone(), name)?;
        segment.save(&file).map_err(|source| self.io(source))?;
        self.sweep(name, true);
        Ok(Some((after, change)))
    }

    /// What a language model has read of a collection so far.
    ///
    /// # Errors
    /// If the collection cannot be read.
    pub fn reading_of(&self, name: &str) -> Result<Reading, CollectionError> {
        let mut known = if self.has(name) { self.open(name)?.reading().clone() } else { Reading::default() };
        // A kill left behind what had been read so far.
        if let Some(draft) = fs::read(self.reading_file(name)).ok().and_then(|bytes| serde_json::from_slice::<Reading>(&bytes).ok())
            && (known.is_empty() || draft.model == known.model)
        {
            known.units.extend(draft.units);
            known.model = draft.model;
        }
        Ok(known)
    }

    fn reading_file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{ENDING}.draft-reading"))
    }

    /// Keeps what a language model has read so far, so that it need not read it again after a kill.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep_reading(&self, name: &str, reading: &Reading) -> Result<(), CollectionError> {
        let bytes = serde_json::to_vec(reading).unwrap_or_default();
        let written =
            create_private_folder(&self.folder).and_then(|()| write_atomically(&self.reading_file(name), |out| out.write_all(&bytes)));
        written.map_err(|source| self.io(source))
    }

    /// Removes documents from a collection; their text is in none of its files then.
    ///
    /// # Errors
    /// If a document is not there, none would be left, or the collection cannot be read, built or written; nothing is changed then.
    pub fn remove(
        &self,
        name: &str,
        ids: &[String],
        graph: &Graph,
        wanted: &(dyn Fn(BuildStep) -> bool + Sync),
    ) -> Result<(Collection, Change), CollectionError> {
        let mut documents: Vec<Document> = self.open_for_change(name)?.documents().collect();
        self.sweep(name, false);
        let before = documents.len();
        for id in ids {
            let left = documents.len();
            documents.retain(|document| document.id != *id);
            if documents.len() == left {
                return Err(CollectionError::NoDocument { name: name.to_owned(), id: id.clone() });
            }
        }
        let change = Change { removed: before - documents.len(), ..Change::default() };
        if documents.is_empty() {
            return Err(CollectionError::Empty { name: name.to_owned() });
        }
        Ok((self.rebuild(name, &documents, (graph, None), wanted)?, change))
    }

    fn rebuild(
        &self,
        name: &str,
        documents: &[Document],
        (graph, reading): (&Graph, Option<Reading>),
        wanted: &(dyn Fn(BuildStep) -> bool + Sync),
    ) -> Result<Collection, CollectionError> {
        let reading = match reading {
            Some(reading) => reading,
            None if self.has(name) => self.open(name)?.reading().clone(),
            None => Reading::default(),
        };
        let collection = Collection::build_with(name, documents, graph, reading, wanted)?;
        create_private_folder(&self.folder).map_err(|source| self.io(source))?;
        collection.save(&self.file(name))?;
        // From here on an addition belongs to no base. Its documents are in the new one, but for those that were removed.
        remove_if_there(&added_beside(&self.file(name))).map_err(|source| self.io(source))?;
        self.sweep(name, true);
        Ok(collection)
    }

    /// Removes drafts that a kill left behind: they may hold text that was removed since. `with_reading`: also what a language model read.
    fn sweep(&self, name: &str, with_reading: bool) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let added = added_beside(&self.file(name)).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let files = [format!("{name}.{ENDING}"), added];
        let own: Vec<String> = files.iter().flat_map(|file| [format!("{file}.draft-"), format!("{file}.verified.draft-")]).collect();
        let reading = self.reading_file(name);
        for entry in entries.flatten().filter(|entry| with_reading || entry.path() != reading) {
            let file = entry.file_name();
            if own.iter().any(|own| file.to_string_lossy().starts_with(own)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Removes a whole collection.
    ///
    /// # Errors
    /// If its file cannot be removed.
    pub fn remove_all(&self, name: &str) -> Result<(), CollectionError> {
        fs::remove_file(self.file(name)).map_err(|source| self.io(source))?;
        remove_if_there(&added_beside(&self.file(name))).map_err(|source| self.io(source))?;
        let _ = fs::remove_file(self.folder.join(format!("{name}.{ENDING}.verified")));
        self.sweep(name, true);
        let left: Vec<String> = self.in_use().into_iter().filter(|other| other != name).collect();
        self.choose(&left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Section;
    use crate::graph::{GraphBuilder, starter_graph};

    fn document(id: &str, text: &str) -> Document {
        let section = Section { name: "symptoms".into(), heading: String::new(), text: text.into() };
        Document { id: id.into(), title: "Asthma".into(), sections: vec![section], ..Document::default() }.checked().expect("usable")
    }

    #[test]
    fn documents_are_added_replaced_and_removed_without_a_trace() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = DocumentStore::of(&Paths::under(folder.path()));
        let graph = starter_graph().expect("a graph");
        let go = |_: BuildStep| true;
        let (_, change) = store.add("a", vec![document("1", "Wheeze at night."), document("2", "A cough.")], &graph, &go).expect("adds");
        assert_eq!(change, Change { added: 2, ..Change::default() });
        let first = fs::read(store.file("a")).expect("a file");
        let (_, change) = store.add("a", vec![document("2", "A cough.")], &graph, &go).expect("adds");
        assert_eq!(change, Change { unchanged: 1, ..Change::default() });
        assert_eq!(fs::read(store.file("a")).expect("a file"), first, "the same documents, the same bytes");
        let (_, change) = store.add("a", vec![document("2", "Secretword here."), document("3", "Tightness.")], &graph, &go).expect("adds");
        assert_eq!(change, Change { added: 1, replaced: 1, ..Change::default() });
        let holds = |text: &str| {
            fs::read(store.file("a")).is_ok_and(|bytes| bytes.windows(text.len()).any(|w| w.eq_ignore_ascii_case(text.as_bytes())))
        };
        assert!(holds("secretword"));
        let (collection, change) = store.remove("a", &["2".into()], &graph, &go).expect("removes");
        assert_eq!((change.removed, collection.meta().documents), (1, 2));
        assert!(!holds("secretword"));
        assert!(matches!(store.remove("a", &["2".into()], &graph, &go), Err(CollectionError::NoDocument { .. })));
        assert!(matches!(store.remove("a", &["1".into(), "3".into()], &graph, &go), Err(CollectionError::Empty { .. })));
        assert_eq!(store.open("a").expect("opens").documents().map(|d| d.id).collect::<Vec<_>>(), ["1", "3"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(store.file("a")).expect("a file").permissions().mode() & 0o777, 0o600);
        }
        store.choose(&["a".into()]).expect("chooses");
        assert_eq!(store.in_use(), ["a"]);
        store.remove_all("a").expect("removes");
        assert!(store.names().expect("names").is_empty() && store.in_use().is_empty());
    }

    #[test]
    fn a_change_that_is_stopped_changes_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = DocumentStore::of(&Paths::under(folder.path()));
        let graph = GraphBuilder::new("empty").finish();
        store.add("a", vec![document("1", "Wheeze at night.")], &graph, &|_| true).expect("adds");
        let before = fs::read(store.file("a")).expect("a file");
        for stop in [BuildStep::Reading(2), BuildStep::Topics, BuildStep::Vectors] {
            let stopped = store.add("a", vec![document("2", "A cough.")], &graph, &|step| step != stop);
            assert!(matches!(stopped, Err(CollectionError::Stopped)));
        }
        assert_eq!(fs::read(store.file("a")).expect("a file"), before);
        assert!(!is_collection_name("../x") && !is_collection_name(".x") && is_collection_name("drug-labels_2.0"));
    }
}
