//! The real loop, driven by scripted input and a scripted engine.

use std::sync::Arc;
use std::time::Duration;

use catena::run::{Ask, Event, EventKind};
use catena::tui::{TuiError, TuiOptions, run_on};
use crossterm::event::Event as Input;
use ratatui::Terminal;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use crate::cells::SharedBackend;
use crate::harness::{Script, fingers, key, options};
use crate::support::sample;

struct Session {
    screen: SharedBackend,
    engine: Arc<Script>,
    input: UnboundedSender<Input>,
    running: JoinHandle<Result<(), TuiError>>,
}

impl Session {
    fn start(width: u16, height: u16, options: TuiOptions, opening: Duration) -> Self {
        let screen = SharedBackend::new(width, height);
        let engine = Arc::new(Script::default());
        let (input, stream) = fingers();
        let mut terminal = Terminal::new(screen.clone()).expect("a test terminal opens");
        let opened: Arc<dyn Ask> = Arc::<Script>::clone(&engine);
        let open = async move {
            tokio::time::sleep(opening).await;
            Ok(opened.into())
        };
        let running = tokio::spawn(async move { run_on(&mut terminal, stream, open, options).await });
        Self { screen, engine, input, running }
    }

    fn press(&self, keys: &[&str]) {
        for name in keys {
            self.input.send(key(name)).expect("the loop listens");
        }
    }

    fn type_text(&self, text: &str) {
        for c in text.chars() {
            self.press(&[&c.to_string()]);
        }
    }

    async fn ends(self) {
        tokio::time::timeout(Duration::from_secs(2), self.running).await.expect("the loop ends").expect("no panic").expect("no error");
    }
}

#[tokio::test]
async fn asking_leads_to_an_answer() {
    let session = Session::start(160, 48, options(), Duration::ZERO);
    session.screen.shows("642 entities").await;
    session.press(&["alt+1"]);
    let run = session.engine.run(0).await;
    assert_eq!(run.question, sample::QUESTION);
    run.play(&sample::answered("run-0")).await;
    session.screen.shows("from 8 of 10 kept chains").await;
    session.press(&["q"]);
    session.ends().await;
}

#[tokio::test]
async fn the_first_frame_does_not_wait_for_the_graph_and_a_question_does() {
    let session = Session::start(100, 30, options(), Duration::from_millis(200));
    session.screen.shows("opening the graph").await;
    session.type_text("reflux");
    session.press(&["enter"]);
    session.screen.shows("Opening the graph").await;
    assert_eq!(session.engine.run(0).await.question, "reflux");
    session.press(&["ctrl+c"]);
    session.ends().await;
}

#[tokio::test]
async fn esc_stops_at_once_and_late_events_are_dropped() {
    let session = Session::start(160, 48, options(), Duration::ZERO);
    session.screen.shows("642 entities").await;
    session.press(&["alt+1"]);
    let run = session.engine.run(0).await;
    run.play(&sample::searching("run-0")).await;
    session.screen.shows("Searching").await;
    let pressed = std::time::Instant::now();
    session.press(&["esc"]);
    session.screen.shows("Stopped.").await;
    assert!(pressed.elapsed() < Duration::from_millis(100), "stopping took {:?}", pressed.elapsed());
    assert!(run.cancel.is_cancelled());
    let late = EventKind::HypothesisToken { text: " LATE".into() };
    run.play(&[Event { run: "run-0".into(), at_ms: 99.0, what: late }]).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!session.screen.screen().contains("LATE"));
    session.press(&["q"]);
    session.ends().await;
}

#[tokio::test]
async fn asking_again_cancels_the_run_before() {
    let session = Session::start(160, 48, options(), Duration::ZERO);
    session.screen.shows("642 entities").await;
    session.press(&["alt+1"]);
    let first = session.engine.run(0).await;
    first.play(&sample::searching("run-0")).await;
    session.screen.shows("Searching").await;
    session.press(&["e", "enter"]);
    let second = session.engine.run(1).await;
    assert!(first.cancel.is_cancelled() && !second.cancel.is_cancelled());
    // Whatever the first still says, the screen follows the second.
    first.play(&sample::failed("run-0")).await;
    second.play(&sample::answered("run-1")).await;
    session.screen.shows("from 8 of 10 kept chains").await;
    assert!(!session.screen.screen().contains("failed"));
    session.press(&["q"]);
    session.ends().await;
}

#[tokio::test]
async fn typing_does_not_wait_for_a_run() {
    let session = Session::start(160, 48, options(), Duration::ZERO);
    session.screen.shows("642 entities").await;
    session.press(&["alt+1"]);
    let run = session.engine.run(0).await;
    let flood = tokio::spawn(async move {
        run.play(&sample::searching("run-0")).await;
        for at in 0..20_000 {
            let what = EventKind::ChainsProgress { found: at };
            run.play(&[Event { run: "run-0".into(), at_ms: 20.0, what }]).await;
        }
    });
    session.press(&["i", "ctrl+l"]);
    session.type_text("the next question");
    session.screen.shows("the next question").await;
    flood.await.expect("the flood passes");
    session.press(&["ctrl+c"]);
    session.ends().await;
}

#[tokio::test]
async fn leaving_during_a_run_stops_it() {
    let session = Session::start(80, 24, options(), Duration::ZERO);
    session.screen.shows("642 entities").await;
    session.press(&["alt+1"]);
    let run = session.engine.run(0).await;
    session.press(&["ctrl+c"]);
    session.ends().await;
    assert!(run.cancel.is_cancelled() && run.events.is_closed());
}

#[tokio::test]
async fn a_resize_is_drawn() {
    let session = Session::start(160, 48, options(), Duration::ZERO);
    session.screen.shows("642 entities").await;
    session.press(&["alt+1"]);
    session.engine.run(0).await.play(&sample::answered("run-0")).await;
    session.screen.shows("7 Why this chain?").await;
    for (width, height) in [(80, 24), (1, 1), (100, 30)] {
        session.screen.inner.lock().expect("not poisoned").resize(width, height);
        session.input.send(Input::Resize(width, height)).expect("the loop listens");
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    session.screen.shows("4 Chains 125").await;
    drop(session.input);
    tokio::time::timeout(Duration::from_secs(2), session.running)
        .await
        .expect("the loop ends with its input")
        .expect("no panic")
        .expect("no error");
}

#[tokio::test]
async fn no_frame_is_drawn_when_nothing_changes() {
    let session = Session::start(160, 48, options(), Duration::ZERO);
    session.screen.shows("642 entities").await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let before = session.screen.frames();
    tokio::time::sleep(Duration::from_millis(350)).await;
    assert_eq!(session.screen.frames(), before);
    session.press(&["ctrl+q"]);
    session.ends().await;
}

#[tokio::test]
async fn a_recording_plays_without_an_engine() {
    let recording = TuiOptions { recording: Some(sample::answered("old")), ..options() };
    let session = Session::start(160, 48, recording, Duration::from_secs(3600));
    session.screen.shows("from 8 of 10 kept chains").await;
    session.press(&["e", "enter"]);
    session.screen.shows("This is a recording").await;
    assert!(session.engine.runs.lock().expect("not poisoned").is_empty());
    session.press(&["ctrl+c"]);
    session.ends().await;
}

#[tokio::test]
async fn questions_are_kept_in_a_file_only_where_one_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("history");
    let with_history = TuiOptions { history: Some(path.clone()), ..options() };
    let session = Session::start(100, 30, with_history, Duration::ZERO);
    session.screen.shows("642 entities").await;
    session.press(&["alt+2"]);
    session.engine.run(0).await;
    for _ in 0..200 {
        if path.exists() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    session.press(&["ctrl+c"]);
    session.ends().await;
    assert!(std::fs::read_to_string(&path).expect("a history").contains("Chest pain"));
}
