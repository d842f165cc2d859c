//! Recording: events come one by one and are on disk before the next is taken.

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
use crate::run::{Event, EventKind, Pruning, write_event};

/// How many runs are followed at once, and how many large tables are remembered for revisions.
const MOST_RUNS: usize = 8;
/// So many events wait at most for the choice among a large table's chains.
const MOST_WAITING: usize = 4096;

/// Records runs in a [`Store`].
///
/// A run's events are complete on disk once its `RunFinished` was taken. Writing a large table takes milliseconds and the end of a
/// run waits for the disk, so a recorder belongs on a thread of its own where something must not wait.
#[derive(Debug)]
pub struct Recorder {
    store: Store,
    /// Runs under way.
    writing: Vec<Writing>,
    /// Large tables of finished runs, latest last: a revision may choose other chains from them.
    cut: VecDeque<(Arc<str>, Cut)>,
    /// Runs whose large table is no longer remembered: the numbers of a revision would mean other chains than on disk.
    forgotten: HashSet<Arc<str>>,
}

/// A table of which not all chains are on disk.
#[derive(Debug, Clone)]
struct Cut {
    /// The event as it came.
    found: Event,
    table: Arc<ChainTable>,
    selection: Selection,
}

/// A run under way.
#[derive(Debug)]
struct Writing {
    run: Arc<str>,
    path: PathBuf,
    file: File,
    cut: Option<Cut>,
    /// From a large table on: what waits for the choice among its chains.
    waiting: Option<Vec<Event>>,
}

impl Recorder {
    pub(super) fn new(store: Store) -> Self {
        Self { store, writing: Vec::new(), cut: VecDeque::new(), forgotten: HashSet::new() }
    }

    /// Takes the next event. `Ok(false)`: it is of a run that is not recorded, because its beginning was not seen, its session is
    /// gone, or writing it failed before.
    ///
    /// # Errors
    /// If it cannot be written. The run is not recorded any further then.
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

    /// Says that a recorded session was opened again: from now on its chains are numbered as on disk, so that it can be carried on.
    pub fn reopened(&mut self, run: &str) {
        self.cut.retain(|(known, _)| **known != *run);
        self.forgotten.remove(run);
    }

    fn begin(&mut self, event: &Event) -> Result<(), SessionError> {
        self.writing.retain(|writing| writing.run != event.run);
        self.reopened(&event.run);
        if self.writing.len() >= MOST_RUNS {
            // The run that has been silent longest; nothing of it is lost but what it never says.
            self.writing.remove(0);
        }
        let path = self.store.file(&event.run);
        let file = create_private(&path).map_err(|source| SessionError::Write { file: path.clone(), source })?;
        self.writing.push(Writing { run: Arc::clone(&event.run), path, file, cut: None, waiting: None });
        self.store.remove_oldest()
    }

    /// Opens the session of a run that goes on.
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
            // A last line that was cut short would swallow the next one.
            let length = file.metadata()?.len();
            let whole = whole_lines(&mut file, length)?;
            file.set_len(whole)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(|source| SessionError::Write { file: path.clone(), source })?;
        let cut = self.cut.iter().position(|(run, _)| *run == event.run).and_then(|at| self.cut.remove(at)).map(|(_, cut)| cut);
        self.writing.push(Writing { run: Arc::clone(&event.run), path, file, cut, waiting: None });
        Ok(true)
    }

    fn finish(&mut self, writing: Writing) {
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

impl Writing {
    fn take(&mut self, event: &Event) -> std::io::Result<()> {
        match &event.what {
            EventKind::ChainsFound { table, .. } if table.chains.len() > MOST_CHAINS => {
                self.settle(None)?;
                self.cut = Some(Cut { found: event.clone(), table: Arc::clone(table), selection: Selection::of(table, None, MOST_CHAINS) });
                self.waiting = Some(Vec::new());
                return Ok(());
            }
            // All of this table is on disk.
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

    /// Writes the table that waits, with the chains of a choice among it, and what came after it.
    fn settle(&mut self, pruning: Option<&Arc<Pruning>>) -> std::io::Result<()> {
        let Some(waiting) = self.waiting.take() else { return Ok(()) };
        if let Some(cut) = &mut self.cut {
            cut.selection = Selection::of(&cut.table, pruning.map(Arc::as_ref), MOST_CHAINS);
            write_event(&self.file, &cut.event(cut.found.at_ms))?;
        }
        waiting.iter().try_for_each(|event| write_event(&self.file, event))
    }

    /// Writes a choice with the numbers of the chains on disk. Where it names others, the table comes once more, with them.
    fn write_pruned(&mut self, event: &Event, pruning: &Arc<Pruning>) -> std::io::Result<()> {
        let Some(cut) = &mut self.cut else { return write_event(&self.file, event) };
        let mut renumbered = cut.selection.pruning(pruning);
        if renumbered.is_none() {
            cut.selection = Selection::of(&cut.table, Some(pruning), MOST_CHAINS);
            write_event(&self.file, &cut.event(event.at_ms))?;
            renumbered = cut.selection.pruning(pruning);
        }
        // A choice that names chains outside its own table is written as it is: whoever reads it is warned by the trace.
        let what = EventKind::ChainsPruned { pruning: renumbered.unwrap_or_else(|| Arc::clone(pruning)) };
        write_event(&self.file, &Event { run: Arc::clone(&event.run), at_ms: event.at_ms, what })
    }
}

impl Cut {
    /// The event of the table as it is written.
    fn event(&self, at_ms: f64) -> Event {
        let mut event = Event { at_ms, ..self.found.clone() };
        if let EventKind::ChainsFound { table, .. } = &mut event.what {
            *table = Arc::new(self.selection.table(&self.table));
        }
        event
    }
}
