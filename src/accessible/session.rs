//! A session in the accessible mode: reads lines, runs each command, and prints the result.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::chain_pages::ChainPages;
use super::command::{ChainReference, HELP, LineCommand, parse};
use super::input::InputLine;
use super::output::SentenceWriter;
use super::phrases::counted;
use super::progress::StageProgress;
use super::{case, describe, explain};
use crate::config::LanguageChoice;
use crate::feedback::Teacher;
use crate::run::triage::Decisions;
use crate::run::{Ask, AskOptions, Case, Event, EventKind, Marks, RunHandle, Trace};
use crate::words::{Language, counted_words, words};

/// The most events that can wait; a faster run waits for the reader.
const EVENTS: usize = 1024;
/// Time between two checks for a progress report.
const PROGRESS_POLL: Duration = Duration::from_millis(250);
/// How long to wait for the end of a stopped run.
const STOPS_WITHIN: Duration = Duration::from_secs(2);

/// The state of a session.
pub(super) struct AccessibleSession<W> {
    pub(super) engine: Arc<dyn Ask>,
    pub(super) teacher: Option<Teacher>,
    writer: SentenceWriter<W>,
    pub(super) interrupts: mpsc::Receiver<()>,
    pub(super) decisions: Decisions,
    pub(super) marks: Marks,
    pages: Option<ChainPages>,
    /// The entities offered last; typing a number chooses one.
    pub(super) offered: Vec<String>,
    /// The lines of a gold answer, while the user types one.
    pub(super) gold: Option<Vec<String>>,
    /// The lines of a text to check, while the user types one.
    pub(super) to_check: Option<Vec<String>>,
    /// The language that is set.
    set_language: LanguageChoice,
}

impl<W: Write> AccessibleSession<W> {
    pub(super) fn new(
        engine: Arc<dyn Ask>,
        teacher: Option<Teacher>,
        out: W,
        interrupts: mpsc::Receiver<()>,
        set_language: LanguageChoice,
    ) -> Self {
        let (decisions, marks, writer) = (Decisions::default(), Marks::default(), SentenceWriter::new(out));
        Self {
            engine,
            teacher,
            writer,
            interrupts,
            decisions,
            marks,
            pages: None,
            offered: Vec::new(),
            gold: None,
            to_check: None,
            set_language,
        }
    }

    /// Reads lines until the input ends or the user quits.
    ///
    /// # Errors
    /// If the input cannot be read or the output cannot be written.
    pub(super) async fn run(mut self, mut lines: mpsc::Receiver<InputLine>) -> io::Result<()> {
        self.greet()?;
        loop {
            let line = tokio::select! {
                line = lines.recv() => line,
                () = next_interrupt(&mut self.interrupts) => {
                    self.say("No run to stop. Type quit to leave.")?;
                    continue;
                }
            };
            let text = match line {
                None => break,
                Some(InputLine::Failed(error)) => return Err(error),
                Some(InputLine::TooLong) => {
                    self.say("That line is too long, so Catena ignored it.")?;
                    continue;
                }
                Some(InputLine::NotText) => {
                    self.say("That line is not valid UTF-8 text, so Catena ignored it.")?;
                    continue;
                }
                Some(InputLine::Text(text)) => text,
            };
            if let Some(gold) = self.gold.take() {
                self.add_gold_line(gold, text).await?;
                continue;
            }
            if let Some(lines) = self.to_check.take() {
                self.add_claim_line(lines, text).await?;
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
                Ok(LineCommand::Quit) => break,
                Ok(command) => self.execute(command).await?,
                Err(correction) => self.say(&correction)?,
            }
        }
        if let Some(lines) = self.to_check.take() {
            // The end of the input ends the text, too.
            self.add_claim_line(lines, String::new()).await?;
        }
        if self.gold.is_some() {
            self.say("The gold answer did not end with an empty line, so it was not recorded.")?;
        }
        self.say("Catena is closed.")
    }

    fn greet(&mut self) -> io::Result<()> {
        let info = self.engine.info();
        let l = self.language();
        let entities = counted_words!(l, info.kg.entities, "entity", "entities");
        let triples = counted_words!(l, info.kg.triples, "triple", "triples");
        let ready = words!(
            l,
            "Catena is ready. The graph is {name}, with {entities} and {triples}.",
            name = info.kg.name,
            entities = entities,
            triples = triples
        );
        self.say(&ready)?;
        for notice in &info.notices {
            self.say(&format!("Notice: {notice}"))?;
        }
        self.say("Type a question, or type help.")
    }

    /// The language that is set, else that of the latest question.
    pub(super) fn language(&self) -> Language {
        Language::of(self.set_language, self.decisions.settled.as_ref().map_or("", |trace| trace.question.as_str()))
    }

    /// Says a sentence; one that never changes, in the language of the session.
    pub(super) fn say(&mut self, sentence: &str) -> io::Result<()> {
        let sentence = self.language().known(sentence).to_owned();
        let sentence = sentence.as_str();
        self.writer.say(sentence)
    }

    pub(super) fn say_all(&mut self, sentences: &[String]) -> io::Result<()> {
        sentences.iter().try_for_each(|sentence| self.say(sentence))
    }

    /// The current run; if there is none, says so.
    pub(super) fn settled(&mut self) -> io::Result<Option<Arc<Trace>>> {
        if self.decisions.settled.is_none() {
            self.say("You have not asked anything yet. Type a question first.")?;
        }
        Ok(self.decisions.settled.clone())
    }

    async fn execute(&mut self, command: LineCommand) -> io::Result<()> {
        match command {
            LineCommand::Ask(question) => return self.ask(question, None).await,
            LineCommand::Help => {
                let language = self.language();
                return HELP.iter().try_for_each(|line| self.say(language.known(line)));
            }
            LineCommand::Quit => return Ok(()),
            LineCommand::CheckAnswer => return self.check_answer().await,
            LineCommand::CheckText => {
                self.to_check = Some(Vec::new());
                return self.say("Type the text to check, on one or more lines, and then an empty line.");
            }
            teaching @ (LineCommand::Rate(_)
            | LineCommand::Review
            | LineCommand::AcceptProposals(_)
            | LineCommand::RejectProposals(_)
            | LineCommand::TakeBack
            | LineCommand::Learned) => return self.teach(teaching).await,
            _ => {}
        }
        let Some(trace) = self.settled()? else { return Ok(()) };
        match command {
            LineCommand::Answer => self.say_all(&describe::answer(&trace, self.language())),
            LineCommand::Kept => self.say_all(&describe::kept(&trace, &self.marks, self.language())),
            LineCommand::Case => self.say_all(&case::items(&trace, self.language())),
            LineCommand::Follow(_) if trace.case.is_empty() => self.say(case::NO_CASE),
            LineCommand::Follow(question) => self.ask(question, Some(trace.case_to_follow())).await,
            LineCommand::Anchors => self.say_all(&describe::anchors(&trace, &self.decisions.wanted, self.language())),
            LineCommand::Passages => self.say_all(&describe::all_passages(&trace, &self.decisions.wanted, self.language())),
            LineCommand::Hypothesis => self.say_all(&describe::hypothesis(&trace, self.language())),
            LineCommand::Chains(words) => self.list(&trace, &words),
            LineCommand::More => self.next_page(&trace),
            LineCommand::Why(reference) => self.explain(trace, reference).await,
            decision => self.decide(&trace, decision).await,
        }
    }

    /// Asks a question; `follows` is the case that it continues.
    async fn ask(&mut self, question: String, follows: Option<Arc<Case>>) -> io::Result<()> {
        let options = AskOptions { follows, ..AskOptions::default() };
        let engine = Arc::clone(&self.engine);
        let followed = self.follow(Trace::default(), |events| Some(engine.ask(&question, options, events))).await?;
        let Some(trace) = followed else { return Ok(()) };
        self.decisions.forget();
        self.settle(trace);
        let language = self.language();
        self.say_all(&self.decisions.settled.as_ref().map_or_else(Vec::new, |trace| describe::run(trace, language)))
    }

    /// Makes this the current run.
    pub(super) fn settle(&mut self, trace: Trace) {
        self.marks = Marks::of(&trace);
        self.pages = None;
        self.decisions.settle(Arc::new(trace));
    }

    /// Follows a run to its end, starting from `trace`. `None` if it did not finish; the user has been told.
    pub(super) async fn follow(
        &mut self,
        mut trace: Trace,
        start: impl FnOnce(mpsc::Sender<Event>) -> Option<RunHandle>,
    ) -> io::Result<Option<Trace>> {
        // Ignore a Ctrl-C from before this run.
        while self.interrupts.try_recv().is_ok() {}
        let (sender, mut events) = mpsc::channel(EVENTS);
        let (began, before_ms) = (Instant::now(), trace.elapsed_ms);
        let Some(handle) = start(sender) else {
            self.say("This run cannot be revised.")?;
            return Ok(None);
        };
        let mut progress = StageProgress::default();
        let mut poll = tokio::time::interval(PROGRESS_POLL);
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
                        self.say("An internal error ended the run. Ask again.")?;
                        return Ok(None);
                    }
                },
                _ = poll.tick() => {
                    if stopped.is_some_and(|at| at.elapsed() > STOPS_WITHIN) {
                        self.say("The run was stopped, and its results are lost.")?;
                        return Ok(None);
                    }
                    let now_ms = before_ms + began.elapsed().as_secs_f64() * 1000.0;
                    if let Some(said) = progress.due(&trace, now_ms).filter(|_| stopped.is_none()) {
                        self.say(&said)?;
                    }
                },
                () = next_interrupt(&mut self.interrupts) => {
                    handle.cancel.cancel();
                    stopped.get_or_insert_with(Instant::now);
                }
            }
        }
    }

    fn list(&mut self, trace: &Trace, words: &[String]) -> io::Result<()> {
        let pages = ChainPages::of(&trace.table, words);
        let with = if words.is_empty() {
            String::new()
        } else {
            format!(" in which {} {}", words.join(" and "), if words.len() == 1 { "occurs" } else { "occur" })
        };
        if pages.len() == 0 {
            return self.say(&format!("There are no chains{with}."));
        }
        let are = if pages.len() == 1 { "is" } else { "are" };
        self.say(&format!("There {are} {}{with}.", counted(pages.len() as u64, "chain", "chains")))?;
        self.pages = Some(pages);
        self.next_page(trace)
    }

    fn next_page(&mut self, trace: &Trace) -> io::Result<()> {
        let language = self.language();
        let Self { pages, marks, decisions, .. } = self;
        let Some(pages) = pages else { return self.say("Type chains first, to start a list.") };
        let page = pages.next_page(trace, marks, &decisions.wanted, language);
        if page.is_empty() {
            return self.say("This is the end of the list.");
        }
        self.say_all(&page)
    }

    /// The number in the table of the chain that the user means; if there is none, says so.
    pub(super) fn number_of(&mut self, trace: &Trace, reference: ChainReference) -> io::Result<Option<u32>> {
        let (number, wrong) = match reference {
            ChainReference::Kept(id) => {
                let count = trace.pruning.kept.len() as u64;
                let found = trace.pruning.kept.get(id - 1).map(|scored| scored.chain);
                (found, format!("There is no kept chain {id}; {} kept.", counted(count, "chain is", "chains are")))
            }
            ChainReference::Any(at) => {
                let count = trace.table.chains.len();
                let found = u32::try_from(at - 1).ok().filter(|number| (*number as usize) < count);
                (found, format!("There is no chain {at}; the run found {}.", counted(count as u64, "chain", "chains")))
            }
        };
        if number.is_none() {
            self.say(&wrong)?;
        }
        Ok(number)
    }

    async fn explain(&mut self, trace: Arc<Trace>, reference: ChainReference) -> io::Result<()> {
        let Some(number) = self.number_of(&trace, reference)? else { return Ok(()) };
        let (engine, of) = (Arc::clone(&self.engine), Arc::clone(&trace));
        match tokio::task::spawn_blocking(move || engine.explain(&of, number)).await {
            Ok(Some(explanation)) => {
                let said = explain::explain(&trace, &self.marks, &explanation, self.language());
                self.say_all(&said)
            }
            Ok(None) | Err(_) => self.say("Catena cannot explain this chain, because its graph is not open."),
        }
    }
}

/// Waits for the next Ctrl-C; forever, if none can come any more.
pub(super) async fn next_interrupt(interrupts: &mut mpsc::Receiver<()>) {
    if interrupts.recv().await.is_none() {
        std::future::pending::<()>().await;
    }
}
