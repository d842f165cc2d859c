//! Recorded runs on disk: one thread writes them in order; listing and reading run in the background.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use time::{OffsetDateTime, UtcOffset};
use tokio::sync::mpsc;

use super::effects::{Reply, SessionEntry};
use crate::config::write_atomically;
use crate::report::{Format, report_with};
use crate::run::{Ask, Event, MethodName, Trace, TripleOrigin};
use crate::session::{SessionError, Store, Summary, time_of_id};

/// The warning when a decision chose from chains that are no longer on disk or in memory.
const NOT_RECORDED: &str = "Your last decision is not recorded: the recording holds only the chains that were considered before. \
    Ask the question again to record everything.";
/// The longest name of a report, in words of the question and in characters.
const NAME_WORDS: usize = 6;
const NAME_CHARACTERS: usize = 48;
/// Runs that the first screen lists.
pub(super) const LATEST: usize = 3;
/// Runs that may wait to be written.
const WAITING: usize = 64;

pub(super) struct Sessions {
    store: Result<Store, String>,
    recorder: Option<(SyncSender<RecorderOrder>, JoinHandle<()>)>,
}

/// An order to the recording thread.
enum RecorderOrder {
    /// These events happened.
    Record(Vec<Event>),
    /// A recorded run is on the screen again, and may be carried on.
    Reopened(String),
}

impl Sessions {
    pub(super) fn open((folder, keep): &(PathBuf, usize), reply_sender: mpsc::Sender<Reply>) -> Self {
        let store = Store::open(folder, *keep).map_err(|error| error.to_string());
        let recorder = store.as_ref().ok().and_then(|store| {
            let mut recorder = store.recorder();
            let (sender, orders) = sync_channel(WAITING);
            let write = move || {
                for order in orders {
                    let events = match order {
                        RecorderOrder::Record(events) => events,
                        RecorderOrder::Reopened(run) => {
                            recorder.reopened(&run);
                            continue;
                        }
                    };
                    // What was not written is said once for all of a run's events.
                    let taken = events.iter().try_fold(true, |all, event| Ok(recorder.take(event)? && all));
                    let text = match taken {
                        Ok(true) => continue,
                        Ok(false) => NOT_RECORDED.to_owned(),
                        Err::<_, SessionError>(error) => format!("The run could not be recorded: {error}."),
                    };
                    // A screen that is full of such news needs no more of it.
                    let _ = reply_sender.try_send(Reply::Note { text, failed: true });
                }
            };
            Some((sender, thread::Builder::new().name("catena-recorder".into()).spawn(write).ok()?))
        });
        Self { store, recorder }
    }

    /// Has a run's events written; `false` when too many wait already.
    pub(super) fn record(&self, events: Vec<Event>) -> bool {
        self.recorder.as_ref().is_none_or(|(sender, _)| sender.try_send(RecorderOrder::Record(events)).is_ok())
    }

    pub(super) fn listing(&self) -> impl FnOnce() -> Reply + Send + 'static {
        let store = self.store.clone();
        move || {
            let listing = store.and_then(|store| store.list().map_err(|error| error.to_string()));
            match listing {
                Ok(listing) => Reply::Sessions { lines: listing.sessions.iter().map(line).collect(), unreadable: listing.unreadable.len() },
                Err(error) => Reply::Note { text: format!("The recorded runs could not be listed: {error}."), failed: true },
            }
        }
    }

    /// The latest runs; none if they cannot be listed, which the list of all says.
    pub(super) fn latest(&self) -> impl FnOnce() -> Reply + Send + 'static {
        let store = self.store.clone();
        move || {
            let sessions = store.ok().and_then(|store| store.list().ok()).map_or_else(Vec::new, |listing| listing.sessions);
            Reply::LatestRuns(sessions.iter().take(LATEST).map(line).collect())
        }
    }

    pub(super) fn reading(&self, id: String, compare: bool) -> impl FnOnce() -> Reply + Send + 'static {
        let store = self.store.clone();
        if let Some((sender, _)) = self.recorder.as_ref().filter(|_| !compare) {
            // When sixty-four orders wait, the run that comes back is not the disk's first trouble; it is told of those.
            let _ = sender.try_send(RecorderOrder::Reopened(id.clone()));
        }
        move || match store.and_then(|store| store.read(&id).map_err(|error| error.to_string())) {
            Ok(recorded) => Reply::Session { events: recorded.events, torn: recorded.torn, compare },
            Err(error) => Reply::Note { text: format!("The run could not be opened: {error}."), failed: true },
        }
    }

    /// Waits until everything is written.
    pub(super) fn close(self) {
        if let Some((sender, writer)) = self.recorder {
            drop(sender);
            // A writer that panicked has said so already.
            let _ = writer.join();
        }
    }
}

fn line(summary: &Summary) -> SessionEntry {
    let revised = match summary.revisions {
        0 => String::new(),
        1 => " · changed".to_owned(),
        times => format!(" · changed {times}×"),
    };
    let is_usual = summary.method.is_empty() || summary.method == MethodName::default().to_string();
    let method = if is_usual { String::new() } else { format!(" · {}", summary.method) };
    // How it ended is news only where it was not answered.
    let outcome = match summary.outcome_word() {
        "answered" => String::new(),
        word => format!(" · {word}"),
    };
    SessionEntry {
        id: summary.id.clone(),
        question: summary.question.clone(),
        // What distinguishes two runs comes first, because the end may be cut off.
        detail: format!("{} kept{revised}{method}{outcome} · {}", summary.kept, summary.graph),
        when: local_time(summary.asked()),
    }
}

/// A time as the clock on the wall shows it; in UTC where the place is not known.
pub(super) fn local_time(at: SystemTime) -> String {
    let seconds = at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let Ok(at) = OffsetDateTime::from_unix_timestamp(i64::try_from(seconds).unwrap_or(0)) else { return String::new() };
    let at = at.to_offset(UtcOffset::UTC);
    format!("{:04}-{:02}-{:02} {:02}:{:02}", at.year(), u8::from(at.month()), at.day(), at.hour(), at.minute())
}

/// The ending of a file of a report.
fn ending(format: Format) -> &'static str {
    match format {
        Format::Markdown => "md",
        Format::Html => "html",
        Format::Dot => "dot",
        Format::Json => "json",
    }
}

/// A name for the file of a report, from the first words of the question.
pub(super) fn report_name(trace: &Trace, format: Format) -> String {
    // The question comes from a recording, which anyone may have written.
    let plain: String = trace.question.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let words: Vec<&str> = plain.split_whitespace().take(NAME_WORDS).collect();
    let name: String = words.join("-").to_lowercase().chars().take(NAME_CHARACTERS).collect();
    format!("catena-{}.{}", if name.is_empty() { "report" } else { &name }, ending(format))
}

/// Where the learned triples of the kept chains come from.
pub(super) fn learned_origins(engine: &dyn Ask, trace: &Trace) -> Vec<TripleOrigin> {
    let mut origins: Vec<TripleOrigin> = Vec::new();
    let learned = trace.kept().filter(|(_, _, chain)| chain.learned());
    for explained in learned.filter_map(|(_, number, _)| engine.explain(trace, number)) {
        for origin in explained.triples.into_iter().filter(|origin| origin.learned) {
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
    }
    origins
}

/// Writes a run as a report; returns the file's path. A file that is there already stays, and the report goes beside it.
pub(super) fn export(trace: &Trace, format: Format, path: &Path, learned: &[TripleOrigin]) -> io::Result<PathBuf> {
    let text = report_with(trace, format, time_of_id(&trace.id), learned).map_err(io::Error::other)?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let end = path.extension().map_or_else(|| ending(format).to_owned(), |end| end.to_string_lossy().into_owned());
    let beside = (1..).map(|copy| path.with_file_name(format!("{stem}-{copy}.{end}")));
    let mut paths = std::iter::once(path.to_path_buf()).chain(beside);
    let path = paths.find(|path| !path.exists()).ok_or_else(|| io::Error::other("no name is free"))?;
    write_atomically(&path, |file| file.write_all(text.as_bytes()))?;
    Ok(path)
}
