//! Records runs: each event is written before the next is taken.

use std::collections::{HashSet, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use super::SessionError;
use super::shorten::{MOST_CHAINS, Selection};
use super::store::{Store, whole_lines};
use crate::config::create_private;
use crate::graph::ChainTable;
use crate::run::{Event, EventKind, Pruning, Triage, Verdict, write_event};

/// How many runs are recorded at once, and how many large tables are remembered for revisions.
const MOST_RUNS: usize = 8;
/// The most events that wait until the kept chains of a large table are known.
const MOST_WAITING: usize = 4096;

/// Records runs in a [`Store`].
///
/// Once `take` has returned for `RunFinished`, the whole run is on disk. Writing a large table takes milliseconds, and the end of a
/// run waits for the disk: run a recorder on a thread of its own wherever something must not wait.
#[derive(Debug)]
pub struct Recorder {
    store: Store,
    /// The runs that are being recorded.
    writing: Vec<RunFile>,
    /// Large tables of finished runs, the latest last: a revision may choose other chains from them.
    cut: VecDeque<(Arc<str>, Cut)>,
    /// Runs whose large table is no longer remembered. They cannot be continued: the numbers of a revision would mean other chains than on disk.
    forgotten: HashSet<Arc<str>>,
}

/// A large table, of which only some chains are on disk.
#[derive(Debug, Clone)]
struct Cut {
    /// The event as the run sent it.
    found: Event,
    table: Arc<ChainTable>,
    selection: Selection,
    /// How many chains of the table, the last, a language model brought.
    of_model: usize,
}

/// A run that is being recorded.
#[derive(Debug)]
struct RunFile {
    run: Arc<str>,
    path: PathBuf,
    file: File,
    cut: Option<Cut>,
    /// What the doctor has decided about single chains.
    triage: Triage,
    /// After a large table: the events that wait until its kept chains are known.
    waiting: Option<Vec<Event>>,
}

impl Recorder {
    pub(super) fn new(store: Store) -> Self {
        Self { store, writing: Vec::new(), cut: VecDeque::new(), forgotten: HashSet::new() }
    }

    /// Records the next event. `Ok(false)` means that its run is not recorded, because its start was not seen, its session is gone, or an
    /// earlier event could not be written.
    ///
    /// # Errors
    /// If the event cannot be written. The rest of the run is then not recorded.
    pub fn take(&mut self, event: &Event) -> Result<bool, SessionError> {
        match &event.what {
            EventKind::RunStarted { .. } => self.begin(event)?,
            EventKind::Revised { .. } if !self.resume(event)? => return Ok(false),
            _ => {}
        }
        let Some(at) = self.writing.iter().position(|writing| writing.run == event.run) else { return Ok(false) };
        let finished = matches!(event.what, EventKind::RunFinished { .. });
        let written = self.writing[at].take(event).and_then(|()| if finished { self.writing[at].file.sync_data() } else { Ok(()) });
        if written.is_err() || finished {
            let writing = self.writing.remove(at);
            let file = writing.path.clone();
            written.map_err(|source| SessionError::Write { file, source })?;
            self.finish(writing);
        }
        Ok(true)
    }

    /// Call this when a session is reopened: from now on its chains have the numbers of the recording, so the run can be continued.
    pub fn reopened(&mut self, run: &str) {
        self.cut.retain(|(known, _)| **known != *run);
        self.forgotten.remove(run);
    }

    fn begin(&mut self, event: &Event) -> Result<(), SessionError> {
        self.writing.retain(|writing| writing.run != event.run);
        self.reopened(&event.run);
        if self.writing.len() >= MOST_RUNS {
            // The run that began first; what it has sent so far stays on disk.
            self.writing.remove(0);
        }
        let path = self.store.file(&event.run);
        let file = create_private(&path).map_err(|source| SessionError::Write { file: path.clone(), source })?;
        self.writing.push(RunFile { run: Arc::clone(&event.run), path, file, cut: None, triage: Triage::default(), waiting: None });
        self.store.remove_oldest()
    }

    /// Opens the session of a run that is continued.
    fn resume(&mut self, event: &Event) -> Result<bool, SessionError> {
        if self.writing.iter().any(|writing| writing.run == event.run) {
            return Ok(true);
        }
        let path = self.store.file(&event.run);
        if self.forgotten.contains(&event.run) || !path.is_file() {
            return Ok(false);
        }
        let open = || {
            let mut file = OpenOptions::new().read(true).write(true).open(&path)?;
            // A last line that is cut short would run into the next one.
            let length = file.metadata()?.len();
            let whole = whole_lines(&mut file, length)?;
            file.set_len(whole)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(|source| SessionError::Write { file: path.clone(), source })?;
        let cut = self.cut.iter().position(|(run, _)| *run == event.run).and_then(|at| self.cut.remove(at)).map(|(_, cut)| cut);
        self.writing.push(RunFile { run: Arc::clone(&event.run), path, file, cut, triage: Triage::default(), waiting: None });
        Ok(true)
    }

    fn finish(&mut self, writing: RunFile) {
        self.store.note(&writing.path);
        if let Some(cut) = writing.cut {
            self.cut.push_back((writing.run, cut));
        }
        if self.cut.len() > MOST_RUNS
            && let Some((run, _)) = self.cut.pop_front()
        {
            self.forgotten.insert(run);
        }
    }
}

impl RunFile {
    fn take(&mut self, event: &Event) -> std::io::Result<()> {
        match &event.what {
            EventKind::Revised { triage, .. } => self.triage = of_single_chains(triage),
            EventKind::ChainsFound { table, .. } if table.chains.len() > MOST_CHAINS => {
                self.settle(None)?;
                self.cut = Some(Cut {
                    found: event.clone(),
                    table: Arc::clone(table),
                    selection: Selection::of(table, None, MOST_CHAINS),
                    of_model: 0,
                });
                self.waiting = Some(Vec::new());
                return Ok(());
            }
            EventKind::ChainsAdded { table, of_model } if self.cut.is_some() => {
                self.settle(None)?;
                let Some(cut) = &mut self.cut else { return write_event(&self.file, event) };
                cut.add(Arc::clone(table), usize::try_from(*of_model).unwrap_or(usize::MAX));
                return match cut.added(event.at_ms) {
                    Some(added) => write_event(&self.file, &added),
                    None => Ok(()),
                };
            }
            // The whole of this table is on disk.
            EventKind::ChainsFound { .. } => {
                self.settle(None)?;
                self.cut = None;
            }
            EventKind::ChainsPruned { pruning } if self.cut.is_some() => {
                self.settle(Some(pruning))?;
                return self.write_pruned(event, pruning);
            }
            EventKind::RunFinished { .. } => self.settle(None)?,
            _ => {}
        }
        match &mut self.waiting {
            Some(waiting) if waiting.len() < MOST_WAITING => waiting.push(event.clone()),
            Some(_) => {
                self.settle(None)?;
                write_event(&self.file, event)?;
            }
            None => write_event(&self.file, event)?,
        }
        Ok(())
    }

    /// Writes the waiting table, with the chains of a pruning among those selected, and the events that came after it.
    fn settle(&mut self, pruning: Option<&Arc<Pruning>>) -> std::io::Result<()> {
        let Some(waiting) = self.waiting.take() else { return Ok(()) };
        if let Some(cut) = &mut self.cut {
            let decided = decided(&self.triage, &cut.table);
            cut.selection = Selection::of(&cut.table, pruning.map(Arc::as_ref), MOST_CHAINS).with(&decided);
            write_event(&self.file, &cut.event(cut.found.at_ms))?;
        }
        waiting.iter().try_for_each(|event| write_event(&self.file, event))
    }

    /// Writes a pruning with the numbers of the recording. If it names chains that are not on disk, or the doctor has decided about some,
    /// the table is written again, with them.
    fn write_pruned(&mut self, event: &Event, pruning: &Arc<Pruning>) -> std::io::Result<()> {
        let Some(cut) = &mut self.cut else { return write_event(&self.file, event) };
        let decided = decided(&self.triage, &cut.table);
        let mut renumbered = cut.selection.pruning(pruning).filter(|_| cut.selection.has(&decided));
        if renumbered.is_none() {
            cut.selection = Selection::of(&cut.table, Some(pruning), MOST_CHAINS).with(&decided).with_last(&cut.table, cut.of_model);
            write_event(&self.file, &cut.event(event.at_ms))?;
            if let Some(added) = cut.added(event.at_ms) {
                write_event(&self.file, &added)?;
            }
            renumbered = cut.selection.pruning(pruning);
        }
        // A pruning that names chains outside its own table is written unchanged: the trace warns whoever reads it.
        let what = EventKind::ChainsPruned { pruning: renumbered.unwrap_or_else(|| Arc::clone(pruning)) };
        write_event(&self.file, &Event { run: Arc::clone(&event.run), at_ms: event.at_ms, what })
    }
}

/// The decisions of a triage about single chains: those that follow from a rule may concern any number.
fn of_single_chains(triage: &Triage) -> Triage {
    let Triage { pinned, rejected, restored, .. } = triage.clone();
    Triage { pinned, rejected, restored, ..Triage::default() }
}

/// The numbers of the chains of a table that decisions about single chains concern, ascending.
fn decided(of_single_chains: &Triage, table: &ChainTable) -> Vec<u32> {
    if of_single_chains.is_empty() {
        return Vec::new();
    }
    let verdicts = of_single_chains.verdicts(table);
    (0u32..).zip(&table.chains).filter(|(_, chain)| verdicts.of(chain) != Verdict::Open).map(|(number, _)| number).collect()
}

impl Cut {
    /// The event to be written for the table.
    fn event(&self, at_ms: f64) -> Event {
        let mut event = Event { at_ms, ..self.found.clone() };
        if let EventKind::ChainsFound { table, .. } = &mut event.what {
            let found = self.table.chains.len().saturating_sub(self.of_model);
            *table = Arc::new(self.selection.before(found).table(&self.table));
        }
        event
    }

    /// Adds what a language model brought.
    fn add(&mut self, table: Arc<ChainTable>, of_model: usize) {
        let selection = std::mem::replace(&mut self.selection, Selection::of(&ChainTable::default(), None, 0));
        self.selection = selection.with_last(&table, of_model);
        (self.table, self.of_model) = (table, of_model);
    }

    /// The event to be written for what a language model brought, if it brought anything.
    fn added(&self, at_ms: f64) -> Option<Event> {
        let what = EventKind::ChainsAdded { table: Arc::new(self.selection.table(&self.table)), of_model: self.of_model as u64 };
        (self.of_model > 0).then(|| Event { run: Arc::clone(&self.found.run), at_ms, what })
    }
}
