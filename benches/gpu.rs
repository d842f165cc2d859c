//! Models on a graphics card: do they compute what they compute on the processor, and how fast? Needs no network and no model: it writes
//! models of known shapes with random weights. Ends within nine minutes; `benches/gpu/build.sh` builds it for a machine with a card.
//!
//! ```text
//! cargo bench --features cuda --bench gpu -- --out FILE.json [--device cuda:0] [--dir DIR] [--catena PROGRAM]
//! cargo bench --bench gpu -- --device cpu --tiny --out FILE.json      a dry run of this program, with tiny models
//! cargo bench --bench gpu -- --write DIR                              writes a tiny language model and ends
//! ```
//!
//! `--dir` has room for models of up to 20 GB (default: the folder for temporary files; one in memory is the fastest). `--catena` is the
//! program that has to answer while the card's memory is full. The exit code is 1 if something that has to hold does not.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    unreachable_pub,
    reason = "a benchmark says what it found, and ends where it cannot measure"
)]

#[path = "gpu/bert_files.rs"]
mod bert_files;
#[path = "gpu/bounds.rs"]
mod bounds;
#[path = "gpu/correct.rs"]
mod correct;
#[path = "gpu/encoders.rs"]
mod encoders;
#[path = "gpu/gguf.rs"]
mod gguf;
#[path = "gpu/memory.rs"]
mod memory;
#[path = "gpu/pipeline.rs"]
mod pipeline;
#[path = "gpu/profile.rs"]
mod profile;
#[path = "gpu/report.rs"]
mod report;
#[path = "gpu/shapes.rs"]
mod shapes;
#[path = "gpu/speed.rs"]
mod speed;

#[path = "../tests/support/lm_files.rs"]
#[allow(dead_code, reason = "tests use more of it")]
mod lm_files;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use candle_core::Device;
use catena::config::DeviceChoice;
use catena::model::{devices, open_device};
use report::Report;
use serde_json::{Value, json};

const USAGE: &str = "gpu: measures models on a graphics card, when told where to write (see the head of benches/gpu.rs)
    cargo bench --features cuda --bench gpu -- --out FILE.json [--device cuda:0] [--dir DIR] [--catena PROGRAM]
    cargo bench --bench gpu -- --device cpu --tiny --out FILE.json
    cargo bench --bench gpu -- --write DIR";

/// What a run works with.
pub(crate) struct Bench {
    pub(crate) device: Device,
    pub(crate) choice: DeviceChoice,
    /// Tiny models only.
    pub(crate) tiny: bool,
    /// Where the models are written.
    pub(crate) dir: PathBuf,
    /// The program, to be run while the card is full.
    pub(crate) catena: Option<PathBuf>,
}

impl Bench {
    pub(crate) fn is_card(&self) -> bool {
        !self.device.is_cpu()
    }

    /// Bytes of memory of the device that are in use.
    pub(crate) fn used(&self) -> Option<u64> {
        let name = self.choice.to_string();
        devices().into_iter().find(|info| info.name == name)?.memory.map(|(total, free)| total.saturating_sub(free))
    }
}

/// The middle of some figures.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[derive(Default)]
struct Arguments {
    out: Option<PathBuf>,
    device: Option<DeviceChoice>,
    dir: Option<PathBuf>,
    catena: Option<PathBuf>,
    write: Option<PathBuf>,
    tiny: bool,
}

impl Arguments {
    fn read() -> Option<Self> {
        let mut read = Self::default();
        // `cargo bench` adds `--bench` to what it was told.
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            match word.as_str() {
                "--tiny" => read.tiny = true,
                "--out" => read.out = Some(words.next()?.into()),
                "--device" => read.device = Some(words.next()?.parse().ok()?),
                "--dir" => read.dir = Some(words.next()?.into()),
                "--catena" => read.catena = Some(words.next()?.into()),
                "--write" => read.write = Some(words.next()?.into()),
                _ => return None,
            }
        }
        Some(read)
    }
}

fn main() -> ExitCode {
    let Some(arguments) = Arguments::read() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    if let Some(folder) = arguments.write {
        gguf::write(&folder.join("tiny.gguf"), &shapes::language_models(true)[0], gguf::Quantisation::Q8_0)
            .expect("the folder can be written");
        return ExitCode::SUCCESS;
    }
    // `cargo bench` alone runs all benchmarks, and few machines have a card.
    let Some(out) = arguments.out else {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    };
    let choice = arguments.device.unwrap_or(DeviceChoice::Cuda(0));
    let device = match open_device(choice) {
        Ok(device) => device,
        Err(problem) => {
            eprintln!("gpu: the device {choice} cannot be used: {problem}");
            return ExitCode::FAILURE;
        }
    };
    let parent = arguments.dir.unwrap_or_else(std::env::temp_dir);
    let folder = tempfile::Builder::new().prefix("catena-gpu").tempdir_in(parent).expect("a folder for models");
    let bench = Bench { device, choice, tiny: arguments.tiny, dir: folder.path().to_owned(), catena: arguments.catena };
    let mut report = Report::new(out, head(&bench));
    run(&bench, &mut report);
    if report.end() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// All sections, 540 seconds at most.
fn run(bench: &Bench, report: &mut Report) {
    report.begin("What the device can do", 20.0);
    let bounds = bounds::measure(bench, report);
    report.begin("Correctness: tiny language models of all families", 30.0);
    correct::families(bench, report);
    report.begin("Correctness: wide language models", 90.0);
    correct::wide(bench, report);
    report.begin("Correctness: encoders and cross-encoders", 25.0);
    correct::encoders(bench, report);
    report.begin("Memory that is not enough", 25.0);
    memory::measure(bench, report);
    report.begin("Language models", 230.0);
    speed::measure(bench, report, &bounds);
    report.begin("Encoders and cross-encoders", 70.0);
    encoders::measure(bench, report);
    report.begin("A whole question", 50.0);
    pipeline::measure(bench, report);
}

/// What was measured, where.
fn head(bench: &Bench) -> Value {
    let output = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let card = bench
        .is_card()
        .then(|| output("nvidia-smi", &["--query-gpu=name,driver_version,memory.total,clocks.max.sm", "--format=csv,noheader"]))
        .flatten();
    let memory: Vec<String> = devices().iter().map(|info| format!("{} {:?}", info.name, info.memory)).collect();
    let command: Vec<String> = std::env::args().skip(1).collect();
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    json!({
        "device": bench.choice.to_string(), "tiny": bench.tiny, "card": card, "devices": memory, "command": command.join(" "),
        "seconds_since_1970": time, "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "commit": output("git", &["rev-parse", "HEAD"]).or_else(|| std::env::var("CATENA_COMMIT").ok()),
        "instructions": catena::model::infer::lm::instructions(),
    })
}

/// Removes a model that is no longer needed, so that the next has room.
pub(crate) fn remove(path: &Path) {
    if let Err(problem) = std::fs::remove_file(path) {
        eprintln!("gpu: {} stays: {problem}", path.display());
    }
}
