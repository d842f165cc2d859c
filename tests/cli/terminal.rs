//! The real binary on a real pseudo-terminal: it answers, and it gives the terminal back however it ends.
#![cfg(unix)]

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long anything may take before the test gives up on it.
const PATIENCE: Duration = Duration::from_secs(60);

struct Session {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    input: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    /// Makes the reading thread let go of the terminal after the next output.
    let_go: Arc<AtomicBool>,
    screen: vt100::Parser,
    canonical_at_start: bool,
    _home: tempfile::TempDir,
}

impl Session {
    fn start(rows: u16, cols: u16, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let pair = native_pty_system().openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).expect("a pseudo-terminal");
        let home = tempfile::tempdir().expect("a folder");
        let mut command = CommandBuilder::new(crate::support::BINARY);
        command.args(arguments);
        command.env("TERM", "xterm-256color");
        command.env("CATENA_HOME", home.path());
        for (key, value) in environment {
            command.env(key, value);
        }
        let canonical_at_start = is_canonical(&*pair.master);
        let child = pair.slave.spawn_command(command).expect("the binary starts");
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("output");
        let (send, output) = channel();
        let let_go = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&let_go);
        thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if send.send(buffer[..read].to_vec()).is_err() || told.load(Ordering::SeqCst) {
                    break;
                }
            }
        });
        let input = pair.master.take_writer().expect("input");
        Self {
            master: pair.master,
            child,
            input,
            output,
            let_go,
            screen: vt100::Parser::new(size(rows), size(cols), 0),
            canonical_at_start,
            _home: home,
        }
    }

    fn pump(&mut self) {
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(20)) {
            self.screen.process(&bytes);
        }
    }

    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    fn wait_for(&mut self, what: &str) {
        let started = Instant::now();
        while !self.text().contains(what) {
            assert!(started.elapsed() < PATIENCE, "{what:?} did not appear on:\n{}", self.text());
            self.pump();
        }
    }

    fn wait_until_gone(&mut self, what: &str) {
        let started = Instant::now();
        while self.text().contains(what) {
            assert!(started.elapsed() < PATIENCE, "{what:?} did not go away:\n{}", self.text());
            self.pump();
        }
    }

    fn press(&mut self, keys: &[u8]) {
        self.input.write_all(keys).and_then(|()| self.input.flush()).expect("the terminal takes keys");
    }

    fn signal(&self, name: &str) {
        let id = self.child.process_id().expect("a process").to_string();
        assert!(std::process::Command::new("kill").args(["-s", name, &id]).status().expect("kill runs").success());
    }

    /// Waits for the end and checks that the terminal is as it was before.
    fn ends_with_the_terminal_restored(mut self) -> u32 {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                break status;
            }
            assert!(started.elapsed() < PATIENCE, "it does not end:\n{}", self.text());
            self.pump();
        };
        self.pump();
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen(), "the alternate screen was not left");
        assert!(!screen.hide_cursor(), "the cursor is still hidden");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "the mouse is still captured");
        assert!(!screen.bracketed_paste(), "bracketed paste is still on");
        assert_eq!(is_canonical(&*self.master), self.canonical_at_start, "raw mode was not left");
        status.exit_code()
    }
}

fn size(cells: u16) -> NonZero<u16> {
    NonZero::new(cells).expect("a terminal has cells")
}

fn is_canonical(master: &dyn MasterPty) -> bool {
    let settings = master.get_termios().expect("terminal settings");
    format!("{:?}", settings.local_flags).contains("ICANON")
}

#[test]
fn a_doctor_starts_it_runs_an_example_and_leaves() {
    for (rows, cols) in [(48, 160), (24, 80)] {
        let mut session = Session::start(rows, cols, &[], &[]);
        session.wait_for("judgement");
        session.wait_for("starter");
        session.press(b"1\r");
        session.wait_for("Proton pump inhibitor");
        session.wait_for("Answer from ");
        // A digit that follows an example's at once would be the begin of a text ("15 years old").
        thread::sleep(Duration::from_millis(700));
        // A kept chain is rejected.
        session.press(b"5x");
        session.wait_for("undoes it");
        // The built-in reader reads again at once: nothing is left outdated.
        session.press(b"6");
        session.wait_until_gone("outdated");
        session.press(b":");
        session.wait_for("What do you want to do?");
        session.press(b"earlier\r");
        session.wait_for("I feel stomach reflux");
        session.press(b"\x1b");
        session.wait_until_gone("Earlier runs");
        session.press(b"q");
        assert_eq!(session.ends_with_the_terminal_restored(), 0);
    }
}

/// Files below a folder, however deep.
fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn runs_are_recorded_for_their_owner_alone_unless_that_is_turned_off() {
    for (sessions, recorded) in [("true", true), ("false", false)] {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().to_str().expect("a plain path");
        let mut session = Session::start(30, 100, &[], &[("CATENA_HOME", path), ("CATENA_SESSIONS", sessions)]);
        session.wait_for("starter");
        session.press(b"1\r");
        session.wait_for("Answer from ");
        session.press(b"q");
        assert_eq!(session.ends_with_the_terminal_restored(), 0);
        let sessions = home.path().join("sessions");
        let runs: Vec<_> = files(&sessions).into_iter().filter(|file| file.extension().is_some_and(|end| end == "jsonl")).collect();
        assert_eq!(runs.len(), usize::from(recorded), "{runs:?}");
        let with_question = files(home.path())
            .into_iter()
            .filter(|file| String::from_utf8_lossy(&std::fs::read(file).expect("readable")).contains("stomach reflux"));
        for file in with_question {
            use std::os::unix::fs::PermissionsExt;
            assert!(recorded, "{} has the question", file.display());
            let mode = std::fs::metadata(&file).expect("there").permissions().mode();
            assert_eq!(mode & 0o077, 0, "{} can be read by others", file.display());
        }
    }
}

#[test]
fn control_c_leaves_whether_or_not_the_graph_is_open_yet() {
    let mut session = Session::start(30, 100, &[], &[]);
    session.wait_for("Catena");
    session.press(b"\x03");
    assert_eq!(session.ends_with_the_terminal_restored(), 0);
    let mut session = Session::start(30, 100, &[], &[]);
    session.wait_for("starter");
    session.press(b"1\r\x03");
    assert_eq!(session.ends_with_the_terminal_restored(), 0);
}

#[test]
fn signals_give_the_terminal_back() {
    for name in ["TERM", "HUP", "INT"] {
        let mut session = Session::start(30, 100, &[], &[]);
        session.wait_for("Catena");
        session.signal(name);
        session.ends_with_the_terminal_restored();
    }
}

#[test]
fn a_terminal_that_is_closed_takes_the_program_with_it() {
    let mut session = Session::start(30, 100, &[], &[]);
    session.wait_for("starter");
    session.pump();
    session.let_go.store(true, Ordering::SeqCst);
    session.press(b"x");
    // The reading thread ends with this output, and with it the last hold on the terminal but ours.
    while session.output.recv().is_ok() {}
    let Session { master, mut child, input, .. } = session;
    drop((input, master));
    let started = Instant::now();
    while child.try_wait().expect("a status").is_none() {
        assert!(started.elapsed() < PATIENCE, "it goes on without a terminal");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_panic_gives_the_terminal_back_and_is_reported() {
    let mut session = Session::start(30, 100, &[], &[("CATENA_TEST_PANIC", "1")]);
    let started = Instant::now();
    while !session.text().contains("a panic for the test") {
        assert!(started.elapsed() < PATIENCE, "the panic was not reported:\n{}", session.text());
        session.pump();
    }
    assert_ne!(session.ends_with_the_terminal_restored(), 0);
}

#[test]
fn a_graph_that_cannot_be_opened_is_explained_on_the_screen() {
    let mut session = Session::start(30, 100, &["--kg", "nowhere.tsv"], &[]);
    session.wait_for("nowhere.tsv");
    session.press(b"\x03");
    session.ends_with_the_terminal_restored();
}

#[test]
fn without_a_terminal_it_says_what_to_do_instead() {
    let output = std::process::Command::new(crate::support::BINARY).output().expect("runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("catena ask"));
}
