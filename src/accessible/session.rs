//! A session: lines come in, are carried out one after the other, and what comes of them is said.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::command::{Command, HELP, Which, parse};
use super::lines::Line;
use super::listing::Listing;
use super::progress::Progress;
use super::speaker::Speaker;
use super::words::counted;
use super::{describe, why};
use crate::feedback::Teacher;
use crate::run::triage::Decisions;
use crate::run::{Ask, AskOptions, Event, EventKind, Marks, RunHandle, Trace};

/// Events that may wait to be taken in. A run that is faster waits.
const EVENTS: usize = 1024;
/// How often it is looked whether a stage has become long.
const LOOK: Duration = Duration::from_millis(250);
/// A run that was stopped has this long to say so; then its end is not waited for.
const STOPS_WITHIN: Duration = Duration::from_secs(2);

/// What the session holds.
pub(super) struct Session<W> {
    pub(super) engine: Arc<dyn Ask>,
    pub(super) teacher: Option<Teacher>,
    speaker: Speaker<W>,
    pub(super) interrupts: mpsc::Receiver<()>,
    pub(super) decisions: Decisions,
    pub(super) marks: Marks,
    listing: Option<Listing>,
    /// Entities that were offered; a number chooses one.
    pub(super) offered: Vec<String>,
    /// The lines of a gold answer, while one is being typed.
    pub(super) gold: Option<Vec<String>>,
}

impl<W: Write> Session<W> {
    pub(super) fn new(engine: Arc<dyn Ask>, teacher: Option<Teacher>, out: W, interrupts: mpsc::Receiver<()>) -> Self {
        let (decisions, marks, speaker) = (Decisions::default(), Marks::default(), Speaker::new(out));
        Self { engine, teacher, speaker, interrupts, decisions, marks, listing: None, offered: Vec::new(), gold: None }
    }

    /// Carries lines out until there are no more or one says to leave.
    ///
    /// # Errors
    /// If the input cannot be read or the output not be written.
    pub(super) async fn run(mut self, mut lines: mpsc::Receiver<Line>) -> io::Result<()> {
        self.greet()?;
        loop {
            let line = tokio::select! {
                line = lines.recv() => line,
                () = pressed(&mut self.interrupts) => {
                    self.say("Nothing is going on that could be stopped. Type quit to leave.")?;
                    continue;
                }
            };
            let text = match line {
                None => break,
                Some(Line::Failed(error)) => return Err(error),
                Some(Line::TooLong) => {
                    self.say("That line is too long for a question; it was not taken.")?;
                    continue;
                }
                Some(Line::NotText) => {
                    self.say("That line is no valid UTF-8 text; it was not taken.")?;
                    continue;
                }
                Some(Line::Text(text)) => text,
            };
            if let Some(gold) = self.gold.take() {
                self.more_gold(gold, text).await?;
                continue;
            }
            if text.trim().is_empty() {
                continue;
            }
            let offered = std::mem::take(&mut self.offered);
            if let Some(chosen) = text.trim().parse::<usize>().ok().filter(|_| !offered.is_empty()) {
                self.choose(&offered, chosen).await?;
                continue;
            }
            match parse(&text) {
                Ok(Command::Quit) => break,
                Ok(command) => self.carry_out(command).await?,
                Err(wrong) => self.say(&wrong)?,
            }
        }
        if self.gold.is_some() {
            self.say("The gold answer had no end, an empty line, so it was not recorded.")?;
        }
        self.say("Catena is closed.")
    }

    fn greet(&mut self) -> io::Result<()> {
        let info = self.engine.info();
        let (entities, triples) = (counted(info.kg.entities, "entity", "entities"), counted(info.kg.triples, "triple", "triples"));
        self.say(&format!("Catena is ready. The graph is {}, with {entities} and {triples}.", info.kg.name))?;
        for notice in &info.notices {
            self.say(&format!("Notice: {notice}"))?;
        }
        self.say("Type a question, or type help.")
    }

    pub(super) fn say(&mut self, sentence: &str) -> io::Result<()> {
        self.speaker.say(sentence)
    }

    pub(super) fn say_all(&mut self, sentences: &[String]) -> io::Result<()> {
        sentences.iter().try_for_each(|sentence| self.say(sentence))
    }

    /// The run that is talked about; where there is none, that is said.
    pub(super) fn settled(&mut self) -> io::Result<Option<Arc<Trace>>> {
        if self.decisions.settled.is_none() {
            self.say("Nothing was asked yet. Type a question first.")?;
        }
        Ok(self.decisions.settled.clone())
    }

    async fn carry_out(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Ask(question) => return self.ask(question).await,
            Command::Help => return HELP.iter().try_for_each(|line| self.say(line)),
            Command::Quit => return Ok(()),
            teaching @ (Command::Rate(_)
            | Command::Review
            | Command::AcceptProposals(_)
            | Command::RejectProposals(_)
            | Command::TakeBack
            | Command::Learned) => return self.teach(teaching).await,
            _ => {}
        }
        let Some(trace) = self.settled()? else { return Ok(()) };
        match command {
            Command::Answer => self.say_all(&describe::answer(&trace)),
            Command::Kept => self.say_all(&describe::kept(&trace, &self.marks)),
            Command::Anchors => self.say_all(&describe::anchors(&trace, &self.decisions.wanted)),
            Command::Hypothesis => self.say_all(&describe::hypothesis(&trace)),
            Command::Chains(words) => self.list(&trace, &words),
            Command::More => self.list_on(&trace),
            Command::Why(which) => self.explain(trace, which).await,
            decision => self.decide(&trace, decision).await,
        }
    }

    async fn ask(&mut self, question: String) -> io::Result<()> {
        let engine = Arc::clone(&self.engine);
        let followed = self.follow(Trace::default(), |events| Some(engine.ask(&question, AskOptions::default(), events))).await?;
        let Some(trace) = followed else { return Ok(()) };
        self.decisions.forget();
        self.settle(trace);
        self.say_all(&self.decisions.settled.as_ref().map_or_else(Vec::new, |trace| describe::run(trace)))
    }

    /// From here on this is the run that is talked about.
    pub(super) fn settle(&mut self, trace: Trace) {
        self.marks = Marks::of(&trace);
        self.listing = None;
        self.decisions.settle(Arc::new(trace));
    }

    /// Follows a run to its end, from `trace` on. `None` where it came to none, which was said then.
    pub(super) async fn follow(
        &mut self,
        mut trace: Trace,
        start: impl FnOnce(mpsc::Sender<Event>) -> Option<RunHandle>,
    ) -> io::Result<Option<Trace>> {
        // A Ctrl-C from before is not meant for this run.
        while self.interrupts.try_recv().is_ok() {}
        let (sender, mut events) = mpsc::channel(EVENTS);
        let (began, before_ms) = (Instant::now(), trace.elapsed_ms);
        let Some(handle) = start(sender) else {
            self.say("This run cannot be carried on.")?;
            return Ok(None);
        };
        let mut progress = Progress::default();
        let mut look = tokio::time::interval(LOOK);
        let mut stopped: Option<Instant> = None;
        loop {
            tokio::select! {
                event = events.recv() => match event {
                    Some(event) => {
                        trace.apply(&event);
                        if matches!(event.what, EventKind::RunFinished { .. }) {
                            return Ok(Some(trace));
                        }
                    }
                    None => {
                        self.say("The run ended without saying how, by a fault in Catena itself. Ask again.")?;
                        return Ok(None);
                    }
                },
                _ = look.tick() => {
                    if stopped.is_some_and(|at| at.elapsed() > STOPS_WITHIN) {
                        self.say("The run was stopped. Nothing of it is kept.")?;
                        return Ok(None);
                    }
                    let now_ms = before_ms + began.elapsed().as_secs_f64() * 1000.0;
                    if let Some(said) = progress.due(&trace, now_ms).filter(|_| stopped.is_none()) {
                        self.say(&said)?;
                    }
                },
                () = pressed(&mut self.interrupts) => {
                    handle.cancel.cancel();
                    stopped.get_or_insert_with(Instant::now);
                }
            }
        }
    }

    fn list(&mut self, trace: &Trace, words: &[String]) -> io::Result<()> {
        let listing = Listing::of(&trace.table, words);
        let with = if words.is_empty() { String::new() } else { format!(" in which {} occurs", words.join(" and ")) };
        if listing.len() == 0 {
            return self.say(&format!("There is no chain{with}."));
        }
        let are = if listing.len() == 1 { "is" } else { "are" };
        self.say(&format!("There {are} {}{with}.", counted(listing.len() as u64, "chain", "chains")))?;
        self.listing = Some(listing);
        self.list_on(trace)
    }

    fn list_on(&mut self, trace: &Trace) -> io::Result<()> {
        let Self { listing, marks, decisions, .. } = self;
        let Some(listing) = listing else { return self.say("Type chains first, to begin a list.") };
        let page = listing.next_page(trace, marks, &decisions.wanted);
        if page.is_empty() {
            return self.say("That was all of the list.");
        }
        self.say_all(&page)
    }

    /// The chain that is meant, by its number in the table; where there is none, that is said.
    pub(super) fn number_of(&mut self, trace: &Trace, which: Which) -> io::Result<Option<u32>> {
        let (number, wrong) = match which {
            Which::Kept(id) => {
                let count = trace.pruning.kept.len() as u64;
                let found = trace.pruning.kept.get(id - 1).map(|scored| scored.chain);
                (found, format!("There is no kept chain {id}: {} kept.", counted(count, "chain is", "chains are")))
            }
            Which::Chain(at) => {
                let count = trace.table.chains.len();
                let found = u32::try_from(at - 1).ok().filter(|number| (*number as usize) < count);
                (found, format!("There is no chain {at}: there are {}.", counted(count as u64, "chain", "chains")))
            }
        };
        if number.is_none() {
            self.say(&wrong)?;
        }
        Ok(number)
    }

    async fn explain(&mut self, trace: Arc<Trace>, which: Which) -> io::Result<()> {
        let Some(number) = self.number_of(&trace, which)? else { return Ok(()) };
        let (engine, of) = (Arc::clone(&self.engine), Arc::clone(&trace));
        match tokio::task::spawn_blocking(move || engine.explain(&of, number)).await {
            Ok(Some(explanation)) => {
                let said = why::why(&trace, &self.marks, &explanation);
                self.say_all(&said)
            }
            Ok(None) | Err(_) => self.say("Nothing more can be said about this chain: the graph that it is from is not open."),
        }
    }
}

/// The next Ctrl-C; where none can come any more, never.
pub(super) async fn pressed(interrupts: &mut mpsc::Receiver<()>) {
    if interrupts.recv().await.is_none() {
        std::future::pending::<()>().await;
    }
}
