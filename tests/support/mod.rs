//! What several tests need: the binary in surroundings of its own, small graphs, and the shared data.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part of this")]
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, reason = "helpers of tests may fail the test")]

pub mod corpus;
pub mod damage;
pub mod data;
pub mod doctor;
pub mod drawn;
pub mod engine;
pub mod http;
pub mod json;
pub mod lm_files;
pub mod models;
pub mod runs;
pub mod sample;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The binary, with a home folder and a folder for its state that nobody else uses.
pub struct Catena {
    folder: TempDir,
}

/// What a run of the binary came to.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Catena {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["home", "state", "work"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Self { folder }
    }

    /// The user's home folder, which stays empty.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// What `CATENA_HOME` names.
    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// A path in the folder for the test's own files, in which the binary runs.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    /// Writes a file of the test.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// The command, ready to be changed and run.
    pub fn command<S: AsRef<OsStr>>(&self, program: impl AsRef<OsStr>, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.home()).env("CATENA_HOME", self.state()).current_dir(self.path(""));
        command
    }

    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Ran {
        ran(self.command(BINARY, arguments).stdin(Stdio::null()).output().expect("the binary runs"))
    }

    /// Runs with something on standard input.
    pub fn run_with<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Ran {
        let mut command = self.command(BINARY, arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        std::thread::scope(|scope| {
            // The binary may end before it has read everything.
            scope.spawn(move || stdin.write_all(input).ok());
            ran(child.wait_with_output().expect("the binary ends"))
        })
    }

    /// Asks and reads the trace; the exit code must be the one given.
    pub fn trace(&self, question: &str, arguments: &[&str], code: i32) -> Value {
        let ran = self.run(["ask", question, "--json"].iter().chain(arguments));
        assert_eq!(ran.code, code, "{question:.80} {arguments:?}: {}", ran.stderr);
        ran.json()
    }
}

/// The binary under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_catena");

pub fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Ran { code: output.status.code().expect("an exit code, no signal"), stdout: text(output.stdout), stderr: text(output.stderr) }
}

impl Ran {
    /// The one JSON object on standard output.
    pub fn json(&self) -> Value {
        assert_eq!(self.stdout.lines().count(), 1, "one line of JSON on standard output, not {:.300}", self.stdout);
        serde_json::from_str(&self.stdout).expect("JSON")
    }

    /// The JSON objects on standard output, one a line.
    pub fn lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON on each line")).collect()
    }

    /// Nothing was printed that could move the cursor, recolour the screen or reorder a line.
    pub fn assert_harmless(&self) {
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            let harmful = |c: char| {
                (c.is_control() && c != '\n') || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}')
            };
            if let Some(c) = text.chars().find(|c| harmful(*c)) {
                panic!("{name} holds {c:?}: {text:?}");
            }
        }
    }
}

/// All files under a folder, as paths relative to it, sorted.
pub fn files_under(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path.strip_prefix(folder).expect("below the folder").to_string_lossy().into_owned());
            }
        }
    }
    files.sort();
    files
}

/// The strings of a JSON array.
pub fn strings(value: &Value) -> Vec<&str> {
    value.as_array().expect("an array").iter().map(|item| item.as_str().expect("a string")).collect()
}

/// The numbers of a JSON array.
pub fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().expect("an array").iter().map(|item| item.as_u64().expect("a number")).collect()
}

/// A small graph in which all kinds of chains occur between reflux, ulcer and their features.
pub const SMALL_GRAPH: &str = "\
Reflux\thas_symptom\tHeartburn
Reflux\thas_symptom\tRegurgitation
Stomach ulcer\thas_symptom\tHeartburn
Stomach ulcer\thas_symptom\tNausea
Reflux\tneed_medical_test\tGastroscopy
Stomach ulcer\tneed_medical_test\tGastroscopy
Omeprazole\ttreats\tReflux
Omeprazole\ttreats\tStomach ulcer
Reflux\tneed_medication\tRanitidine
Helicobacter\tcauses\tStomach ulcer
Stomach ulcer\tleads_to\tBleeding
Diclofenac\tcontraindicated_in\tStomach ulcer
Omeprazole\tmay_cause\tNausea
Fig\tgrows_on\tFig tree
";
