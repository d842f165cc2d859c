//! Carries out the effects that the state asks for. What takes time runs in the background and
//! comes back as a reply.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};

use super::app::{App, Severity};
use super::effects::{Effect, Grammar, Highlighted, Reply};
use super::playback::PlaybackControl;
use super::screen_layout::ScreenLayout;
use super::sessions::Sessions;
use super::sources::{EngineChoice, EngineSource, SourceKind};
use super::teaching::{TeacherThread, not_done};
use super::{OpenedEngine, TuiOptions, highlight, history, replay, sessions};
use crate::feedback::Teacher;
use crate::report::Format;
use crate::run::{Ask, AskOptions, Event, QuotedPassage, RunHandle, Trace};

/// Events that may wait between a run and the screen. A run that is faster waits.
const EVENTS: usize = 1024;
/// Replies that may wait for the screen.
const REPLIES: usize = 64;
/// Entities offered for what was typed.
const COMPLETIONS: usize = 50;

type SharedEngine = Arc<dyn Ask>;
/// Puts a text on the clipboard.
pub(super) type Clipboard = Box<dyn FnMut(&str) -> io::Result<()> + Send>;

/// What the loop holds in addition to the state.
pub(super) struct EffectRunner {
    engine: Option<SharedEngine>,
    /// Events of the run on the screen. Each run has its own channel, so that events of a stopped run
    /// reach nobody.
    pub(super) events: mpsc::Receiver<Event>,
    pub(super) replies: mpsc::Receiver<Reply>,
    reply_sender: mpsc::Sender<Reply>,
    history: Option<PathBuf>,
    playback: Option<mpsc::Sender<PlaybackControl>>,
    clipboard: Clipboard,
    /// An explanation is being made; the latest request since then waits.
    explaining: bool,
    next_explanation: Option<(Arc<Trace>, u32)>,
    completing: bool,
    next_completion: Option<String>,
    sessions: Option<Sessions>,
    teaching: Option<TeacherThread>,
    /// How many runs were started in the background.
    asked: u64,
    remembered: Option<PathBuf>,
    source: Option<Arc<dyn EngineSource>>,
    /// What the engine in use was opened with.
    choice: Arc<Mutex<EngineChoice>>,
}

impl EffectRunner {
    pub(super) fn new(options: &TuiOptions, clipboard: Clipboard) -> Self {
        let (reply_sender, replies) = mpsc::channel(REPLIES);
        Self {
            engine: None,
            events: mpsc::channel(1).1,
            replies,
            history: options.history.clone(),
            playback: None,
            clipboard,
            explaining: false,
            next_explanation: None,
            completing: false,
            next_completion: None,
            sessions: options.sessions.as_ref().map(|folder| Sessions::open(folder, reply_sender.clone())),
            teaching: None,
            asked: 0,
            remembered: options.remembered.clone(),
            source: options.source.clone(),
            choice: Arc::default(),
            reply_sender,
        }
    }

    pub(super) fn open(&mut self, opened: OpenedEngine, app: &mut App) {
        self.engine = Some(opened.engine);
        if let Some(sessions) = &self.sessions {
            self.in_background(sessions.latest());
        }
        for notice in opened.notices {
            app.say(Severity::Warning, notice);
        }
        match opened.teacher.map(|teacher| TeacherThread::start(teacher, self.reply_sender.clone())).transpose() {
            Ok(teaching) => self.teaching = teaching,
            Err(error) => app.say(Severity::Warning, format!("Catena cannot learn, because no thread could be started: {error}.")),
        }
    }

    fn list_sources(&self, kind: SourceKind) {
        let Some(source) = self.source.clone() else {
            let found = Err("There is nothing else to choose from here.".to_owned());
            return self.in_background(move || Reply::Sources { kind, found });
        };
        self.in_background(move || Reply::Sources { kind, found: source.list(kind) });
    }

    /// Opens an engine with another graph or model, after what the one before still records. If that fails, the one before is opened again.
    pub(super) fn reopen(&mut self, other: EngineChoice) -> Option<JoinHandle<Result<OpenedEngine, String>>> {
        let (source, current, teaching) = (self.source.clone()?, Arc::clone(&self.choice), self.teaching.take());
        self.engine = None;
        Some(spawn_blocking(move || {
            // Only one at a time can write what is learned.
            if let Some(teaching) = teaching {
                teaching.close();
            }
            let mut current = current.lock().unwrap_or_else(PoisonError::into_inner);
            let wanted = EngineChoice {
                graph: other.graph.or_else(|| current.graph.clone()),
                generator: other.generator.or_else(|| current.generator.clone()),
            };
            match source.open(&wanted) {
                Ok(opened) => {
                    *current = wanted;
                    Ok(opened)
                }
                Err(why) => {
                    let mut before = source.open(&current)?;
                    before.notices.push(format!("Nothing was changed: {why}"));
                    Ok(before)
                }
            }
        }))
    }

    /// A channel for the events of another run.
    fn listen(&mut self) -> mpsc::Sender<Event> {
        let (sender, receiver) = mpsc::channel(EVENTS);
        self.events = receiver;
        self.playback = None;
        sender
    }

    pub(super) fn play(&mut self, recording: Arc<Vec<Event>>, pace: (Option<f64>, bool), app: &mut App) {
        let events = self.listen();
        if let Some((handle, control)) = replay::play(recording, pace, events) {
            self.playback = Some(control);
            app.run_began(handle);
        }
    }

    pub(super) fn carry_out(&mut self, effect: Effect, app: &mut App) {
        match effect {
            Effect::Ask { question, follows, method } => {
                let asked = AskOptions { follows, method, ..AskOptions::default() };
                let events = self.listen();
                match self.teaching.as_ref().and_then(TeacherThread::to_refresh) {
                    Some(teacher) => self.begin_after_refresh(teacher, (question, asked), events, app),
                    None => self.begin(app, |engine| Some(engine.ask(&question, asked, events))),
                }
            }
            Effect::Dkg(order) => {
                let failed = match &self.teaching {
                    Some(teaching) => teaching.order(order),
                    None => Some(not_done(order, "the DKG is not open")),
                };
                if let Some(failed) = failed {
                    app.on_reply(failed);
                }
            }
            Effect::Revise { trace, triage, from } => {
                let events = self.listen();
                self.begin(app, |engine| engine.revise(trace, triage, from, events));
            }
            Effect::Remember(question) => self.remember(question),
            Effect::Explain { trace, chain } => {
                self.next_explanation = Some((trace, chain));
                self.explain_next();
            }
            Effect::Complete(typed) => {
                self.next_completion = Some(typed);
                self.complete_next();
            }
            Effect::ReadWords(text) => {
                let engine = self.engine.clone();
                self.in_background(move || {
                    let told = engine.and_then(|engine| engine.told(&text)).map(Box::new);
                    Reply::WordsRead { text, told }
                });
            }
            Effect::ListSources(kind) => self.list_sources(kind),
            // The loop waits for it, as for the first one.
            Effect::Reopen(_) => {}
            Effect::OpenDocument(passage) => self.open_document(passage),
            Effect::CheckText(text) => self.check_text(text),
            Effect::Play { recording, pace, paused } => self.play(recording, (pace, paused), app),
            Effect::RememberLayout(layout) => self.remember_layout(layout),
            Effect::Playback(control) => {
                if let Some(changes) = &self.playback {
                    // When thirty-two changes wait already, nobody would notice one more.
                    let _ = changes.try_send(control);
                }
            }
            Effect::Copy(text) => {
                if let Err(error) = (self.clipboard)(&text) {
                    app.say(Severity::Warning, format!("The terminal did not accept the text: {error}."));
                }
            }
            Effect::Highlight { title, text, grammar } => self.in_background(move || {
                let lines = match grammar {
                    Grammar::Json => highlight::json(&text),
                    Grammar::Markdown => highlight::markdown(&text),
                };
                Reply::Highlighted { title, lines: Highlighted(lines) }
            }),
            Effect::Record(events) => self.record(events, app),
            Effect::ListSessions => self.list_sessions(app),
            Effect::OpenSession { id, compare } => self.open_session(id, compare),
            Effect::Export { trace, format, path } => self.export(trace, format, path),
        }
    }

    /// An event of the run on the screen, if one waits and that run is known to have begun.
    pub(super) fn next_event(&mut self, app: &App) -> Option<Event> {
        if app.run.is_starting() { None } else { self.events.try_recv().ok() }
    }

    fn begin(&mut self, app: &mut App, start: impl FnOnce(&SharedEngine) -> Option<RunHandle>) {
        if let Some(handle) = self.engine.as_ref().and_then(start) {
            app.run_began(handle);
        }
    }

    /// Loads in the background what another instance has learned since, then asks the question.
    fn begin_after_refresh(
        &mut self,
        teacher: Teacher,
        (question, options): (String, AskOptions),
        events: mpsc::Sender<Event>,
        app: &mut App,
    ) {
        let Some(engine) = self.engine.clone() else { return };
        self.asked += 1;
        let asked = self.asked;
        app.run_starts(asked);
        let reply_sender = self.reply_sender.clone();
        self.in_background(move || {
            if let Err(error) = teacher.refresh() {
                let text = format!("What another Catena has learned since could not be loaded: {error}.");
                let _ = reply_sender.blocking_send(Reply::Note { text, failed: true });
            }
            Reply::Began { asked, handle: engine.ask(&question, options, events) }
        });
    }

    /// A reply has arrived: the next request of its kind can start.
    pub(super) fn reply_arrived(&mut self, reply: &Reply) {
        match reply {
            Reply::Explanation { .. } | Reply::NoExplanation => {
                self.explaining = false;
                self.explain_next();
            }
            Reply::Entities { .. } => {
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
                Reply::Explanation { run: trace.id.clone(), revisions: trace.revisions, explanation: Box::new(explanation) }
            }
            None => Reply::NoExplanation,
        });
    }

    fn complete_next(&mut self) {
        if self.completing {
            return;
        }
        let (Some(typed), Some(engine)) = (self.next_completion.take(), self.engine.clone()) else { return };
        self.completing = true;
        self.in_background(move || Reply::Entities { cards: engine.complete(&typed, COMPLETIONS), typed });
    }

    fn open_document(&self, passage: Box<QuotedPassage>) {
        let engine = self.engine.clone();
        self.in_background(move || {
            let document = engine.and_then(|engine| engine.document(&passage.collection, &passage.document)).map(Box::new);
            Reply::Document { passage, document }
        });
    }

    fn check_text(&self, text: String) {
        let engine = self.engine.clone();
        self.in_background(move || match engine {
            Some(engine) => Reply::Checked(engine.check_answer(&text)),
            None => Reply::Note { text: "The text was not checked: no graph is open.".into(), failed: true },
        });
    }

    fn in_background(&self, work: impl FnOnce() -> Reply + Send + 'static) {
        let reply_sender = self.reply_sender.clone();
        spawn_blocking(move || {
            let reply = work();
            // A screen that is gone needs no reply.
            let _ = reply_sender.blocking_send(reply);
        });
    }

    fn remember(&self, question: String) {
        let Some(path) = self.history.clone() else { return };
        let reply_sender = self.reply_sender.clone();
        // The disk may be slow; the screen does not wait for it.
        spawn_blocking(move || {
            if let Err(error) = history::append(&path, &question) {
                let text = format!("The question could not be saved in {}: {error}.", path.display());
                let _ = reply_sender.blocking_send(Reply::Note { text, failed: true });
            }
        });
    }

    fn remember_layout(&self, layout: ScreenLayout) {
        let Some(path) = self.remembered.clone() else { return };
        let reply_sender = self.reply_sender.clone();
        spawn_blocking(move || {
            if let Err(error) = layout.remember(&path) {
                let text = format!("The layout could not be saved in {}: {error}.", path.display());
                let _ = reply_sender.blocking_send(Reply::Note { text, failed: true });
            }
        });
    }

    fn record(&mut self, events: Vec<Event>, app: &mut App) {
        if let Some(sessions) = &self.sessions
            && !sessions.record(events)
        {
            app.say(Severity::Warning, "The disk is too slow: this run was not recorded.");
        }
    }

    fn list_sessions(&self, app: &mut App) {
        if self.sessions.is_none() {
            app.say(Severity::Note, "Runs are not recorded: sessions = false in the configuration.");
        }
        match &self.sessions {
            Some(sessions) => self.in_background(sessions.listing()),
            None => self.in_background(|| Reply::Sessions { lines: Vec::new(), unreadable: 0 }),
        }
    }

    fn open_session(&self, id: String, compare: bool) {
        if let Some(sessions) = &self.sessions {
            self.in_background(sessions.reading(id, compare));
        }
    }

    fn export(&self, trace: Arc<Trace>, format: Format, path: PathBuf) {
        let engine = self.engine.clone();
        self.in_background(move || {
            let learned = engine.map(|engine| sessions::learned_origins(engine.as_ref(), &trace)).unwrap_or_default();
            match sessions::export(&trace, format, &path, &learned) {
                Ok(path) => Reply::Note { text: format!("Written to {}.", path.display()), failed: false },
                Err(error) => Reply::Note { text: format!("The report was not written: {error}."), failed: true },
            }
        });
    }

    /// Leaves the screen, after everything has been recorded.
    pub(super) fn leave(self) {
        // Nobody waits for a screen that is gone.
        drop(self.replies);
        if let Some(teaching) = self.teaching {
            teaching.close();
        }
        if let Some(sessions) = self.sessions {
            sessions.close();
        }
    }
}
