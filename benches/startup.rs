//! The whole program, from its start to its exit.
//!
//! `cargo bench --bench startup`

#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to measure")]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};

use divan::Bencher;
use support::REFLUX;

fn main() {
    divan::main();
}

/// Runs `catena` on a home of its own and waits for its end.
fn catena(home: &Path, arguments: &[&str]) {
    let status = Command::new(env!("CARGO_BIN_EXE_catena"))
        .args(arguments)
        .env("CATENA_HOME", home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("catena starts");
    assert!(status.success());
}

fn measure(bencher: Bencher<'_, '_>, arguments: &[&str]) {
    let home = tempfile::tempdir().expect("a folder for its state");
    bencher.bench_local(|| catena(home.path(), arguments));
}

/// What starting a process costs whatever it does.
#[divan::bench(sample_count = 30)]
fn version(bencher: Bencher<'_, '_>) {
    measure(bencher, &["--version"]);
}

#[divan::bench(sample_count = 30)]
fn ask(bencher: Bencher<'_, '_>) {
    measure(bencher, &["ask", REFLUX]);
}

#[divan::bench(sample_count = 30)]
fn ask_json(bencher: Bencher<'_, '_>) {
    measure(bencher, &["ask", "--json", REFLUX]);
}

#[divan::bench(sample_count = 30)]
fn check(bencher: Bencher<'_, '_>) {
    measure(bencher, &["check"]);
}

/// Opens the screen on a terminal, waits for the first frame that has text, and ends it.
#[cfg(unix)]
#[divan::bench(sample_count = 30)]
fn first_frame(bencher: Bencher<'_, '_>) {
    use std::io::Read;
    use std::num::NonZero;

    use portable_pty::{CommandBuilder, PtySize, native_pty_system};

    let home = tempfile::tempdir().expect("a folder for its state");
    let size = |cells: u16| NonZero::new(cells).expect("a screen has cells");
    // Ending and reaping the process is no part of what is measured.
    bencher
        .with_inputs(|| native_pty_system().openpty(PtySize { rows: 48, cols: 160, pixel_width: 0, pixel_height: 0 }).expect("a terminal"))
        .bench_local_values(|pair| {
            let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_catena"));
            command.env("TERM", "xterm-256color");
            command.env("CATENA_HOME", home.path());
            let child = pair.slave.spawn_command(command).expect("catena starts");
            let mut output = pair.master.try_clone_reader().expect("its output");
            let mut screen = vt100::Parser::new(size(48), size(160), 0);
            let mut buffer = [0; 1 << 16];
            while !screen.screen().contents().contains("Not a medical device") {
                let read = output.read(&mut buffer).expect("it goes on drawing");
                screen.process(&buffer[..read]);
            }
            Session { child, pair }
        });
}

/// A program on a terminal, ended when it is dropped.
#[cfg(unix)]
struct Session {
    child: Box<dyn portable_pty::Child + Send + Sync>,
    #[allow(dead_code, reason = "the terminal stays open for as long as the program runs")]
    pair: portable_pty::PtyPair,
}

#[cfg(unix)]
impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
