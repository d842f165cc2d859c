//! The knowledge graph at full size: import, opening, memory, chain search, linking. `benches/full_size/run.sh` runs it, the peers
//! beside it, and writes both to `benches/RESULTS.md`.
//!
//! ```text
//! cargo bench --bench full_size -- measure DIR [--quick] [--hetionet DIR]    everything; DIR/catena.json has the figures
//! cargo bench --bench full_size -- generate FILE.tsv [ENTITIES TRIPLES]      the synthetic graph alone
//! ```

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark speaks on standard output, and one that cannot be set up has nothing to measure"
)]

#[path = "full_size/hetionet.rs"]
mod hetionet;
#[path = "full_size/names.rs"]
mod names;
#[path = "support/power_law.rs"]
mod power_law;
#[path = "full_size/process.rs"]
mod process;
#[path = "full_size/questions.rs"]
mod questions;
#[path = "full_size/stages.rs"]
mod stages;
#[path = "full_size/subject.rs"]
mod subject;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use power_law::{FULL, Synthetic};
use process::{drop_from_cache, median, spread};
use serde_json::{Value, json};

/// Entities and triples of the graph that is small enough for the graph libraries.
const SMALL: (u32, u32) = (10_000, 30_000);
/// How many processes open the graph with nothing of it in the page cache.
const COLD_OPENINGS: usize = 5;
/// How often one process opens it again.
const WARM_OPENINGS: usize = 10;
const SEED: u64 = 7;

const USAGE: &str = "full_size: measures the library at full size, when told so (see benches/full_size/run.sh)
    cargo bench --bench full_size -- measure DIR [--quick] [--hetionet DIR]
    cargo bench --bench full_size -- generate FILE.tsv [ENTITIES TRIPLES]";

fn main() {
    // `cargo bench` adds `--bench` to what it was told.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let told = match words[..] {
        ["measure", folder, ref options @ ..] => match *options {
            [] => measure(Path::new(folder), &AT_FULL_SIZE, None),
            ["--quick"] => measure(Path::new(folder), &QUICK, None),
            ["--hetionet", data] => measure(Path::new(folder), &AT_FULL_SIZE, Some(Path::new(data))),
            ["--quick", "--hetionet", data] => measure(Path::new(folder), &QUICK, Some(Path::new(data))),
            _ => return println!("{USAGE}"),
        },
        ["generate", file] => generate(Path::new(file), FULL),
        ["generate", file, entities, triples] => generate(Path::new(file), (number(entities), number(triples))),
        ["import", tsv, stored] => stages::import(Path::new(tsv), Path::new(stored)),
        ["open", stored, more] => stages::open(Path::new(stored), number(more) as usize),
        ["questions", stored, out, count, least, most] => {
            stages::draw_questions(Path::new(stored), Path::new(out), number(count) as usize, (number(least).into(), number(most).into()))
        }
        ["search", stored, questions] => stages::search(Path::new(stored), Path::new(questions)),
        ["vectors", stored, questions, folder] => stages::vectors(Path::new(stored), Path::new(questions), Path::new(folder)),
        ["link", stored, questions] => stages::link(Path::new(stored), Path::new(questions)),
        _ => return println!("{USAGE}"),
    };
    println!("{told:#}");
}

fn number(text: &str) -> u32 {
    text.parse().unwrap_or_else(|_| panic!("{text} is no number\n{USAGE}"))
}

/// Writes a synthetic graph as TSV and says what it is like.
fn generate(file: &Path, (entities, triples): (u32, u32)) -> Value {
    let started = std::time::Instant::now();
    let graph = Synthetic::new(entities, triples, SEED);
    graph.write_tsv(File::create(file).expect("a new file")).expect("room for the graph");
    let degrees = graph.degrees();
    let with_one = degrees.iter().filter(|degree| **degree == 1).count();
    json!({
        "entities": entities, "triples": triples, "seed": SEED,
        "largest_hub": degrees[0], "tenth_hub": degrees[9], "median_degree": degrees[degrees.len() / 2],
        "at_least_1000_triples": degrees.partition_point(|degree| *degree >= 1000),
        "with_one_triple": with_one, "without_triple": degrees.iter().filter(|degree| **degree == 0).count(),
        "took_s": started.elapsed().as_secs_f64(),
    })
}

/// Runs one stage in a process of its own.
fn stage(words: &[&str]) -> Value {
    eprintln!("full_size: {}", words.join(" "));
    let this = std::env::current_exe().expect("the path of this program");
    let output = Command::new(this).args(words).stderr(Stdio::inherit()).output().expect("the stage starts");
    assert!(output.status.success(), "the stage `{}` failed", words.join(" "));
    serde_json::from_slice(&output.stdout).expect("a stage says JSON")
}

/// Everything that is measured of one graph.
struct Subject {
    folder: PathBuf,
    questions: u32,
    /// How many chains a question may have at k = 3.
    chains: (u64, u64),
}

impl Subject {
    fn path(&self, file: &str) -> String {
        self.folder.join(file).display().to_string()
    }

    fn measure(&self) -> Value {
        let (tsv, stored, questions) = (self.path("graph.tsv"), self.path("stored"), self.path("questions.json"));
        let import = stage(&["import", &tsv, &stored]);
        let mut how = "";
        let cold: Vec<Value> = (0..COLD_OPENINGS)
            .map(|_| {
                how = drop_from_cache(Path::new(&stored));
                stage(&["open", &stored, "0"])
            })
            .collect();
        let firsts: Vec<f64> = cold.iter().filter_map(|opened| opened["first_ms"].as_f64()).collect();
        let warm = stage(&["open", &stored, &WARM_OPENINGS.to_string()]);
        let again: Vec<f64> = serde_json::from_value(warm["again_ms"].clone()).expect("times");
        subject::forget_that_it_was_checked(Path::new(&stored));
        drop_from_cache(Path::new(&stored));
        let never_met = stage(&["open", &stored, "0"]);
        let (count, least, most) = (self.questions.to_string(), self.chains.0.to_string(), self.chains.1.to_string());
        let drawn = stage(&["questions", &stored, &questions, &count, &least, &most]);
        json!({
            "import": import,
            "open": {
                "cold_ms": spread(&firsts), "cold_by": how,
                "never_met_ms": never_met["first_ms"], "first_in_process_ms": warm["first_ms"], "warm_ms": median(&again),
                "memory": cold.last().map(|opened| opened["memory"].clone()),
            },
            "questions": { "count": self.questions, "candidates": drawn["candidates"], "chains_asked_for": drawn["chains_asked_for"] },
            "hubs_of_hub_question": drawn["hub_question"]["triples_of_its_hubs"],
            "search": stage(&["search", &stored, &questions]),
            "vectors": stage(&["vectors", &stored, &questions, &self.folder.display().to_string()]),
            "link": stage(&["link", &stored, &questions]),
        })
    }
}

/// How large the large graph is, and the range of chains that its questions have at k = 3.
struct Size {
    graph: (u32, u32),
    chains: (u64, u64),
}

const AT_FULL_SIZE: Size = Size { graph: FULL, chains: (31_000, 242_000) };
/// A tenth, to try the script itself.
const QUICK: Size = Size { graph: (128_872, 356_942), chains: (3_100, 242_000) };

fn measure(folder: &Path, size: &Size, hetionet_data: Option<&Path>) -> Value {
    let subject = |name: &str, questions, chains| {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder).expect("a folder for the graph");
        Subject { folder, questions, chains }
    };
    let small = subject("small", 5, (100, 20_000));
    let full = subject("full", 30, size.chains);
    let mut told = json!({ "storage": subject::STORAGE, "cores": std::thread::available_parallelism().map_or(1, usize::from) });
    for (name, subject, (entities, triples)) in [("small", &small, SMALL), ("full", &full, size.graph)] {
        let generated = stage(&["generate", &subject.path("graph.tsv"), &entities.to_string(), &triples.to_string()]);
        told[name] = subject.measure();
        let counts = [&told[name]["import"]["entities"], &told[name]["import"]["triples"]];
        assert_eq!(counts, [&json!(entities), &json!(triples)], "the whole graph was imported");
        told[name]["generated"] = generated;
    }
    if let Some(data) = hetionet_data {
        let subject = subject("hetionet", 30, AT_FULL_SIZE.chains);
        let written = hetionet::write_tsv(data, Path::new(&subject.path("graph.tsv")));
        told["hetionet"] = subject.measure();
        told["hetionet"]["generated"] = written;
    }
    let file = folder.join("catena.json");
    std::fs::write(&file, format!("{told:#}")).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    told
}
