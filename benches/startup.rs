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
