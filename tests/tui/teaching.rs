//! Teaching on the screen: the real loop, the real engine and a real DKG in a folder of its own.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use catena::dkg::Dkg;
use catena::feedback::{TeachSettings, Teacher};
use catena::tui::OpenedEngine;

use crate::driven::Driven;
use crate::harness::options;
use crate::support::engine::built_in;

struct Session(Driven);

impl Deref for Session {
    type Target = Driven;

    fn deref(&self) -> &Driven {
        &self.0
    }
}

fn opened(folder: &Path, auto_accept: bool) -> OpenedEngine {
    let engine = built_in();
    let settings = TeachSettings { auto_accept, ..TeachSettings::default() };
    let teacher = Teacher::open(folder, Arc::clone(&engine), settings).expect("the folder is usable");
    OpenedEngine { engine: Arc::new(engine), teacher: Some(teacher), notices: Vec::new() }
}

impl Session {
    async fn start(folder: &Path) -> Self {
        Self::with(folder, false).await
    }

    async fn with(folder: &Path, auto_accept: bool) -> Self {
        let folder = folder.to_owned();
        let open = async move { Ok(tokio::task::spawn_blocking(move || opened(&folder, auto_accept)).await.expect("no panic")) };
        let session = Self(Driven::start(open, options()));
        session.shows(" entities").await;
        session
    }

    /// Asks, and waits for the answer.
    async fn ask(&self, question: &str) -> String {
        self.press(&["ctrl+l", "ctrl+l"]);
        self.shows(" entities").await;
        self.type_text(question);
        self.press(&["enter"]);
        self.until("an answer", |screen| screen.contains("Answer from ") && screen.contains("answered in") && !screen.contains("Esc stop"))
            .await
    }
}

const QUESTION: &str = "Throbbing one-sided headache, nausea, light sensitivity: what helps?";

/// What is on disk.
fn statistics(folder: &Path) -> catena::dkg::Statistics {
    let dkg = Dkg::open(folder).expect("it can be opened");
    dkg.statistics().expect("it can be read")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rating_reviewing_and_asking_again_and_undoing_it_all() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dkg = folder.path().join("dkg");
    let session = Session::start(&dkg).await;
    let before = session.ask(QUESTION).await;
    assert_eq!(before.matches('★').count(), 0, "nothing is learned yet:\n{before}");

    // A good answer, with a comment.
    session.press(&["+"]);
    session.shows("Comment (optional):").await;
    session.type_text("clear and right");
    session.press(&["enter"]);
    session.until("what came of it", |screen| screen.contains("Recorded as good: its chains rank higher. Space r: ")).await;
    session.shows("to review").await;

    // The review, with everything about the selected proposal.
    session.press(&["space", "r"]);
    let review = session.shows("Waiting for your decision").await;
    assert!(review.contains("Based on") && review.contains("Proposed by rule"), "{review}");
    // All of them, after a question; no is no.
    session.press(&["A"]);
    session.shows("Accept ").await;
    session.press(&["n"]);
    session.shows("No: nothing has changed").await;
    session.press(&["A", "y"]);
    session.until("they are learned", |screen| screen.contains("Catena now uses") && screen.contains(" learned")).await;
    session.press(&["esc"]);

    // Asked again, what was learned is in the evidence.
    let after = session.ask(QUESTION).await;
    assert!(after.contains('★') && after.matches('★').count() > 2, "learned chains are marked:\n{after}");

    // What was learned, record by record; the acceptance is undone.
    session.press(&["space", "d"]);
    let log = session.shows("Accepted ").await;
    assert!(log.contains("clear and right") && log.contains("Answer rated good"), "{log}");
    session.press(&["u"]);
    session.shows("Undo this record?").await;
    session.press(&["y"]);
    session.until("it is undone", |screen| screen.contains("undone: Accepted")).await;
    session.press(&["esc"]);
    // The answer on the screen states nothing of it any more, without being asked for again.
    session.until("the answer without what was withdrawn", |screen| screen.contains("Answer from ") && !screen.contains('★')).await;
    let again = session.ask(QUESTION).await;
    assert_eq!(again.matches('★').count(), before.matches('★').count(), "as before:\n{again}");

    session.0.ends().await;
    let statistics = statistics(&dkg);
    assert_eq!((statistics.learned, statistics.by_type.feedback, statistics.by_type.accept, statistics.by_type.undo), (0, 1, 1, 1));
    assert!(statistics.pending > 0, "what was accepted waits again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mentors_answer_is_reviewed_one_by_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dkg = folder.path().join("dkg");
    let session = Session::start(&dkg).await;
    session.ask(QUESTION).await;
    session.press(&["*"]);
    session.shows("Gold answer: the correct answer").await;
    // The present answer is there to be edited.
    session.shows("Conditions: Migraine").await;
    session.press(&["down", "down", "end"]);
    session.type_text("; Zavegepant; a dark room");
    session.press(&["ctrl+s"]);
    session.shows("Recorded as gold. Space r: ").await;
    session.press(&["space", "r"]);
    let review = session.shows("Waiting for your decision").await;
    assert!(review.contains("Zavegepant") && review.contains("new "), "{review}");
    let waiting = |screen: &str| -> usize {
        let line = screen.lines().find(|line| line.contains("Waiting for your decision")).unwrap_or_default();
        line.split("decision").nth(1).and_then(|rest| rest.split_whitespace().next()).and_then(|count| count.parse().ok()).unwrap_or(0)
    };
    let all = waiting(&review);
    assert!(all >= 2, "{review}");

    // Other words for the first; it is checked anew.
    session.press(&["e"]);
    session.shows("Edit this proposal").await;
    session.press(&["enter"]);
    session.shows("No changes to save").await;
    session.press(&["e"]);
    session.type_text(" syrup");
    session.press(&["enter"]);
    session.shows("Edited (record 4)").await;
    session.until("the new words", |screen| screen.contains(" syrup")).await;
    // Rejected, and taken back.
    session.press(&["x"]);
    session.shows("Rejected (record 5)").await;
    session.until("one less", |screen| waiting(screen) == all - 1).await;
    session.press(&["u"]);
    session.until("it waits again", |screen| waiting(screen) == all).await;
    // Accepted.
    session.press(&["home", "a"]);
    session.until("one is learned", |screen| screen.contains("★ 1 learned")).await;
    session.0.ends().await;
    assert_eq!(statistics(&dkg).learned, 1);
}

/// What the first treatment that was learned treats, by the message that says what was applied at once.
fn treated(screen: &str) -> Option<String> {
    let (_, learned) = screen.split_once("Applied at once: learn ")?;
    let (_, learned) = learned.lines().next()?.split_once(" → ")?;
    let (relation, treated) = learned.split_once(" → ")?;
    let treated = treated.split(['.', ',']).next()?;
    matches!(relation, "relieves" | "treats" | "is first-line for").then(|| treated.to_lowercase())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_answer_takes_back_what_was_learned() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dkg = folder.path().join("dkg");
    let session = Session::with(&dkg, true).await;
    session.ask(QUESTION).await;
    session.press(&["+", "enter"]);
    let applied = session.shows("Applied at once: learn ").await;
    session.until("it is learned", |screen| screen.contains(" learned") && screen.contains('★')).await;
    // What was learned is what helps against something. An answer about just that cites it.
    let against = treated(&applied).unwrap_or_else(|| panic!("a treatment was learned:\n{applied}"));
    let learned = session.ask(&format!("What helps against {against}?")).await;
    assert!(learned.matches('★').count() > 2, "{learned}");
    session.press(&["-", "enter"]);
    let bad = session.shows("Recorded as bad").await;
    assert!(!bad.contains("Applied at once"), "what is accepted by itself takes nothing back: {bad}");
    session.press(&["space", "r"]);
    session.shows("retract").await;
    session.press(&["A", "y"]);
    session.until("nothing waits", |screen| !screen.replace("nothing more to review", "").contains("to review")).await;
    session.press(&["esc"]);
    session.0.ends().await;
    let growth = statistics(&dkg).growth;
    let (most, now) = (growth.iter().map(|point| point.learned).max(), growth.last().map(|point| point.learned));
    assert!(now < most, "{growth:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_instance_reads_and_says_so_and_takes_in_what_the_first_learns() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dkg = folder.path().join("dkg");
    let first = Session::with(&dkg, true).await;
    let second = Session::start(&dkg).await;
    second.shows("cannot record anything here").await;
    first.ask(QUESTION).await;
    first.press(&["+", "enter"]);
    first.shows("Applied at once: learn").await;
    // The first has learned something; the second's next question uses it.
    let seen = second.ask(QUESTION).await;
    assert!(seen.matches('★').count() > 2, "{seen}");
    second.press(&["+"]);
    second.shows("Nothing can be recorded here").await;
    assert!(!second.screen.screen().contains("Comment (optional)"));
    second.0.ends().await;
    first.0.ends().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_an_evolving_graph_the_keys_say_what_to_do() {
    let open = async {
        let engine = tokio::task::spawn_blocking(built_in).await.expect("no panic");
        Ok(OpenedEngine {
            engine: Arc::new(engine),
            teacher: None,
            notices: vec!["What was learned is not used: the journal is broken.".into()],
        })
    };
    let session = Session(Driven::start(open, options()));
    session.shows("the journal is broken").await;
    session.ask(QUESTION).await;
    for keys in [["+"].as_slice(), &["*"], &["space", "r"], &["space", "d"]] {
        session.press(keys);
        session.shows("the DKG is not open").await;
        session.press(&["ctrl+l", "ctrl+l"]);
        session.ask(QUESTION).await;
    }
    session.0.ends().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rating_that_cannot_be_recorded_is_said_and_not_lost() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dkg = folder.path().join("dkg");
    let session = Session::start(&dkg).await;
    session.ask(QUESTION).await;
    // Somebody else writes into the journal.
    let journal = std::fs::read_dir(&dkg).expect("a folder").map(|entry| entry.expect("readable").path());
    let journal = journal.into_iter().find(|path| path.extension().is_some_and(|end| end == "jsonl")).expect("a journal");
    std::fs::OpenOptions::new()
        .append(true)
        .open(journal)
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"x\n"))
        .expect("written");
    session.press(&["+"]);
    session.shows("Comment (optional):").await;
    session.type_text("worth keeping");
    session.press(&["enter"]);
    let failed = session.shows("The rating was not recorded").await;
    assert!(failed.contains("Comment (optional): worth keeping"), "what was typed is there to be sent again:\n{failed}");
    session.0.ends().await;
}
