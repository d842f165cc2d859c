//! What the loop does besides drawing: it carries out the state's commands. What takes time runs in the background, and
//! comes back as something that was found.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::app::{App, Weight};
use super::command::{Command, Found, Grammar, Highlighted};
use super::playback::Pace;
use super::sessions::Sessions;
use super::teaching::{Teaching, not_done};
use super::{Opened, TuiOptions, highlight, history, replay, sessions};
use crate::feedback::Teacher;
use crate::report::Format;
use crate::run::{Ask, AskOptions, Event, RunHandle, Trace};

/// Events that may wait between a run and the screen. A run that is faster waits.
const EVENTS: usize = 1024;
/// Things found that may wait for the screen.
const FOUND: usize = 64;
/// Entities offered for what was typed.
const COMPLETIONS: usize = 50;

type Engine = Arc<dyn Ask>;
/// Puts a text on the clipboard.
pub(super) type Clipboard = Box<dyn FnMut(&str) -> io::Result<()> + Send>;

/// What the loop holds besides the state.
pub(super) struct Outside {
    engine: Option<Engine>,
    /// Events of the run on the screen. Each run has a channel of its own, so that what one that was stopped still says
    /// reaches nobody.
    pub(super) events: mpsc::Receiver<Event>,
    pub(super) found: mpsc::Receiver<Found>,
    finds: mpsc::Sender<Found>,
    history: Option<PathBuf>,
    pace: Option<mpsc::Sender<Pace>>,
    clipboard: Clipboard,
    /// A wish for an explanation is being answered; the latest that came since waits.
    explaining: bool,
    next_explanation: Option<(Arc<Trace>, u32)>,
    completing: bool,
    next_completion: Option<String>,
    sessions: Option<Sessions>,
    teaching: Option<Teaching>,
    /// Runs that were asked for, to begin in the background.
    asked: u64,
    reports: PathBuf,
}

impl Outside {
    pub(super) fn new(options: &TuiOptions, clipboard: Clipboard) -> Self {
        let (finds, found) = mpsc::channel(FOUND);
        Self {
            engine: None,
            events: mpsc::channel(1).1,
            found,
            history: options.history.clone(),
            pace: None,
            clipboard,
            explaining: false,
            next_explanation: None,
            completing: false,
            next_completion: None,
            sessions: options.sessions.as_ref().map(|folder| Sessions::open(folder, finds.clone())),
            teaching: None,
            asked: 0,
            reports: options.reports.clone(),
            finds,
        }
    }

    pub(super) fn open(&mut self, opened: Opened, app: &mut App) {
        self.engine = Some(opened.engine);
        for notice in opened.notices {
            app.say(Weight::Warning, notice);
        }
        match opened.teacher.map(|teacher| Teaching::start(teacher, self.finds.clone())).transpose() {
            Ok(teaching) => self.teaching = teaching,
            Err(error) => app.say(Weight::Warning, format!("Nothing can be learned, because no thread could be started: {error}.")),
        }
    }

    /// A channel for the events of another run.
    fn listen(&mut self) -> mpsc::Sender<Event> {
        let (sender, receiver) = mpsc::channel(EVENTS);
        self.events = receiver;
        self.pace = None;
        sender
    }

    pub(super) fn play(&mut self, recording: Arc<Vec<Event>>, app: &mut App) {
        let events = self.listen();
        if let Some((handle, pace)) = replay::play(recording, events) {
            self.pace = Some(pace);
            app.run_began(handle);
        }
    }

    pub(super) fn carry_out(&mut self, command: Command, app: &mut App) {
        match command {
            Command::Ask(question) => {
                let events = self.listen();
                match self.teaching.as_ref().and_then(Teaching::to_refresh) {
                    Some(teacher) => self.begin_after_refresh(teacher, question, events, app),
                    None => self.begin(app, |engine| Some(engine.ask(&question, AskOptions::default(), events))),
                }
            }
            Command::Teach(order) => {
                let failed = match &self.teaching {
                    Some(teaching) => teaching.order(order),
                    None => Some(not_done(order, "the evolving graph is not open")),
                };
                if let Some(failed) = failed {
                    app.on_found(failed);
                }
            }
            Command::Revise { trace, triage, from } => {
                let events = self.listen();
                self.begin(app, |engine| engine.revise(trace, triage, from, events));
            }
            Command::Remember(question) => self.remember(question),
            Command::Explain { trace, chain } => {
                self.next_explanation = Some((trace, chain));
                self.explain_next();
            }
            Command::Complete(typed) => {
                self.next_completion = Some(typed);
                self.complete_next();
            }
            Command::Play(recording) => self.play(recording, app),
            Command::Pace(pace) => {
                if let Some(changes) = &self.pace {
                    // Thirty-two changes that nobody took in yet: one more would not be noticed.
                    let _ = changes.try_send(pace);
                }
            }
            Command::Copy(text) => {
                if let Err(error) = (self.clipboard)(&text) {
                    app.say(Weight::Warning, format!("The terminal did not take the text: {error}."));
                }
            }
            Command::Highlight { title, text, grammar } => self.in_background(move || {
                let lines = match grammar {
                    Grammar::Json => highlight::json(&text),
                    Grammar::Markdown => highlight::markdown(&text),
                };
                Found::Highlighted { title, lines: Highlighted(lines) }
            }),
            Command::Record(events) => self.record(events, app),
            Command::ListSessions => self.list_sessions(app),
            Command::OpenSession { id, beside } => self.open_session(id, beside),
            Command::Export { trace, format } => self.export(trace, format),
        }
    }

    /// An event of the run on the screen, if one waits and that run is known to have begun.
    pub(super) fn next_event(&mut self, app: &App) -> Option<Event> {
        if app.starting.is_some() { None } else { self.events.try_recv().ok() }
    }

    fn begin(&mut self, app: &mut App, start: impl FnOnce(&Engine) -> Option<RunHandle>) {
        if let Some(handle) = self.engine.as_ref().and_then(start) {
            app.run_began(handle);
        }
    }

    /// What another instance has learned since is taken in before a question is asked, behind the screen.
    fn begin_after_refresh(&mut self, teacher: Teacher, question: String, events: mpsc::Sender<Event>, app: &mut App) {
        let Some(engine) = self.engine.clone() else { return };
        self.asked += 1;
        let asked = self.asked;
        app.run_starts(asked);
        let finds = self.finds.clone();
        self.in_background(move || {
            if let Err(error) = teacher.refresh() {
                let text = format!("What was learned elsewhere since could not be taken in: {error}.");
                let _ = finds.blocking_send(Found::Note { text, failed: true });
            }
            Found::Began { asked, handle: engine.ask(&question, AskOptions::default(), events) }
        });
    }

    /// Something that was looked for has been found: the next can be looked for.
    pub(super) fn came_back(&mut self, found: &Found) {
        match found {
            Found::Explanation { .. } | Found::NoExplanation => {
                self.explaining = false;
                self.explain_next();
            }
            Found::Entities { .. } => {
                self.completing = false;
                self.complete_next();
            }
            _ => {}
        }
    }

    fn explain_next(&mut self) {
        if self.explaining {
            return;
        }
        let (Some((trace, chain)), Some(engine)) = (self.next_explanation.take(), self.engine.clone()) else { return };
        self.explaining = true;
        self.in_background(move || match engine.explain(&trace, chain) {
            Some(explanation) => {
                Found::Explanation { run: trace.id.clone(), revisions: trace.revisions, explanation: Box::new(explanation) }
            }
            None => Found::NoExplanation,
        });
    }

    fn complete_next(&mut self) {
        if self.completing {
            return;
        }
        let (Some(typed), Some(engine)) = (self.next_completion.take(), self.engine.clone()) else { return };
        self.completing = true;
        self.in_background(move || Found::Entities { cards: engine.complete(&typed, COMPLETIONS), typed });
    }

    fn in_background(&self, work: impl FnOnce() -> Found + Send + 'static) {
        let finds = self.finds.clone();
        spawn_blocking(move || {
            let found = work();
            // A screen that is gone needs nothing more.
            let _ = finds.blocking_send(found);
        });
    }

    fn remember(&self, question: String) {
        let Some(path) = self.history.clone() else { return };
        let finds = self.finds.clone();
        // The disk may be slow; the screen is not to wait for it.
        spawn_blocking(move || {
            if let Err(error) = history::append(&path, &question) {
                let text = format!("The question could not be kept in {}: {error}.", path.display());
                let _ = finds.blocking_send(Found::Note { text, failed: true });
            }
        });
    }

    fn record(&mut self, events: Vec<Event>, app: &mut App) {
        if let Some(sessions) = &self.sessions
            && !sessions.record(events)
        {
            app.say(Weight::Warning, "The disk is too slow: this run was not recorded.");
        }
    }

    fn list_sessions(&self, app: &mut App) {
        if self.sessions.is_none() {
            app.say(Weight::Note, "Runs are not recorded: sessions = false in the configuration.");
        }
        match &self.sessions {
            Some(sessions) => self.in_background(sessions.listing()),
            None => self.in_background(|| Found::Sessions { lines: Vec::new(), unreadable: 0 }),
        }
    }

    fn open_session(&self, id: String, beside: bool) {
        if let Some(sessions) = &self.sessions {
            self.in_background(sessions.reading(id, beside));
        }
    }

    fn export(&self, trace: Arc<Trace>, format: Format) {
        let folder = self.reports.clone();
        self.in_background(move || match sessions::export(&trace, format, &folder) {
            Ok(path) => Found::Note { text: format!("Written to {}.", path.display()), failed: false },
            Err(error) => Found::Note { text: format!("The report could not be written: {error}."), failed: true },
        });
    }

    /// The screen is being left: what is still to be recorded is.
    pub(super) fn leave(self) {
        // Whoever has something to say to a screen that is gone is not to wait for it.
        drop(self.found);
        if let Some(teaching) = self.teaching {
            teaching.close();
        }
        if let Some(sessions) = self.sessions {
            sessions.close();
        }
    }
}
