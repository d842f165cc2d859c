//! The evolving graph with a million learned triples: opened, read, added to, made again from its journal, proved.
//!
//! `cargo bench --bench dkg`. The graph is filled by a process of its own first, which takes about a minute; `fsync_alone` is what the disk
//! takes of every acknowledgment.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark speaks on standard output, and one that cannot be set up has nothing to measure"
)]

mod support;

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use catena::dkg::{
    Act, Basis, Change, CheckOutcome, Dkg, Feedback, Import, ImportedTriple, Proposal, ProposalId, Proposed, Proposer, Rating, Verified,
};
use catena::feedback::{TeachSettings, Teacher};
use catena::graph::{EvolvingGraph, Graph, GraphBuilder, Kind, NamedEntity, NamedRelation, NamedTriple, Player, Role, RoleRules};
use catena::language::Knowledge;
use catena::method::{Engine, EngineOptions};
use catena::model::NameVectors;
use divan::Bencher;
use support::{Random, synthetic_name};
use tempfile::TempDir;

const ENTITIES: u32 = 300_000;
const TRIPLES: u32 = 1_000_000;
/// Triples of one import.
const PORTION: u32 = 25_000;
/// Set for the process that fills a folder.
const FILL: &str = "CATENA_BENCH_FILL";

static FOLDER: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let outer = tempfile::tempdir().expect("a folder");
    let path = outer.path().join("dkg");
    let program = env::current_exe().expect("a program");
    assert!(Command::new(program).env(FILL, &path).status().expect("runs").success());
    (outer, path)
});

fn main() {
    if let Ok(folder) = env::var(FILL) {
        return fill(Path::new(&folder));
    }
    if env::args().any(|argument| argument == "--bench") {
        memory("before");
        let began = Instant::now();
        let dkg = Dkg::open(&FOLDER.1).expect("opens");
        println!("filled and opened in {:.1} s; {} bytes on disk", began.elapsed().as_secs_f64(), size(&FOLDER.1));
        memory("open");
        let table = dkg.table().expect("is read");
        assert_eq!(table.triples.len(), TRIPLES as usize);
        memory("with the table of what is learned");
        drop(table);
        memory("without it again");
    }
    divan::main();
}

/// What this process holds, where the system tells.
fn memory(when: &str) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(line) = status.lines().find(|line| line.starts_with("VmRSS")) {
        println!("memory {when}: {}", line.trim_start_matches("VmRSS:").trim());
    }
}

/// Bytes of all files below a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { size(&entry.path()) } else { entry.metadata().map_or(0, |data| data.len()) }).sum()
}

/// The `number`th triple: all differ.
fn triple(random: &mut Random, number: u32) -> NamedTriple {
    let head = number % ENTITIES;
    let tail = (head + 1 + number / ENTITIES + 7 * random.below(40_000)) % ENTITIES;
    let (name, role) = [("has_symptom", Role::Symptom), ("need_medication", Role::Treatment)][(number % 2) as usize];
    NamedTriple::new(
        NamedEntity::new(synthetic_name(head), &Kind::Disease),
        NamedRelation { name: format!("{name}_{}", number / ENTITIES), player: Player::Tail, role },
        NamedEntity::new(synthetic_name(tail), &Kind::Symptom),
    )
}

fn fill(folder: &Path) {
    let mut dkg = Dkg::open(folder).expect("opens");
    let mut random = Random(1);
    for start in (0..TRIPLES).step_by(PORTION as usize) {
        let triples = (start..start + PORTION).map(|number| triple(&mut random, number));
        let triples = triples.map(|triple| ImportedTriple { origin: "12.0, accepted".to_owned(), triple }).collect();
        dkg.append(vec![Change::Import(Import { file: "a.jsonl".to_owned(), sha256: "0".repeat(64), triples })]).expect("is recorded");
    }
}

/// What is recorded when a proposal is accepted right after its feedback.
fn changes(dkg: &Dkg, random: &mut Random) -> Vec<Change> {
    let seq = dkg.next_seq();
    let feedback = Feedback {
        answer: "Omeprazole is the first treatment of reflux [1]. Antacids relieve it for hours [2].".repeat(4),
        cited: vec!["Reflux → need medication → Omeprazole".to_owned(); 4],
        comment: String::new(),
        gold: String::new(),
        kg: "starter".to_owned(),
        models: vec!["generator: graph-derived".to_owned()],
        question: support::REFLUX.to_owned(),
        rating: Rating::Good,
        run: format!("run-{seq}"),
    };
    let proposal = Proposal {
        act: Act::Add,
        basis: Basis { chains: feedback.cited.clone(), why: "the answer states it as a treatment".to_owned() },
        new_entities: Vec::new(),
        proposer: Proposer::Rule,
        standing: CheckOutcome::New,
        triple: NamedTriple {
            relation: NamedRelation { name: format!("new_{seq}"), player: Player::Tail, role: Role::Related },
            ..triple(random, seq as u32)
        },
    };
    vec![
        Change::Feedback(feedback),
        Change::Proposed(Proposed { feedback: seq, proposals: vec![proposal] }),
        Change::Accept { proposals: vec![ProposalId { item: 0, record: seq + 1 }] },
    ]
}

/// Everything checked and ready to be asked.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn open() -> u64 {
    opened().next_seq()
}

fn opened() -> Dkg {
    let dkg = Dkg::open(&FOLDER.1).expect("opens");
    assert_eq!((dkg.read_only(), dkg.notices()), (None, &[] as &[String]));
    dkg
}

/// And all that is learned read, to be laid over a graph.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn open_and_read() -> usize {
    opened().table().expect("is read").triples.len()
}

/// A graph of the same entities, with as many triples of its own.
static BASE: LazyLock<Arc<Graph>> = LazyLock::new(|| {
    let rules = RoleRules::built_in().expect("the built-in rules");
    let mut builder = GraphBuilder::new("base");
    let relation = builder.relation(rules.guess("has_symptom")).expect("room for a relation");
    let ids: Vec<u32> = (0..ENTITIES).map(|number| builder.entity_of_kind(&synthetic_name(number), &Kind::Disease)).collect();
    let mut random = Random(3);
    for _ in 0..TRIPLES {
        let end = |random: &mut Random| ids[random.below(ENTITIES) as usize];
        builder.triple(end(&mut random), relation, end(&mut random));
    }
    Arc::new(builder.finish())
});

/// Opened, read, and laid over a graph: ready for a question.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn open_to_ready(bencher: Bencher<'_, '_>) {
    LazyLock::force(&BASE);
    bencher.bench_local(|| {
        let mut graph = EvolvingGraph::new(Arc::clone(&BASE));
        let table = opened().table().expect("is read");
        let changed = graph.learn(&table);
        assert_eq!(changed.learned + changed.known, table.triples.len());
        graph.learned_count()
    });
}

/// One triple recorded, synced, and seen by the engine's next question.
#[divan::bench(sample_count = 200, sample_size = 1)]
fn acknowledge_and_see(bencher: Bencher<'_, '_>) {
    let encoder = Engine::start_encoder().expect("a thread");
    let none: Vec<String> = Vec::new();
    let vectors = NameVectors::in_memory(&none, &encoder).expect("nothing to embed");
    let base = Graph::from_bytes(BASE.bytes(), "base").expect("a graph");
    let knowledge = Knowledge::with_vectors(base, vectors);
    let engine = Engine::with_knowledge(knowledge, encoder, &EngineOptions::default(), Vec::new()).expect("an engine");
    let teacher = Teacher::with(opened(), Arc::new(engine), TeachSettings::default()).expect("lays over");
    let mut number = 0;
    bencher.bench_local(|| {
        number += 1;
        let triple = NamedTriple { tail: NamedEntity::new(format!("New {number}"), &Kind::Symptom), ..triple(&mut Random(4), number) };
        let triples = vec![ImportedTriple { origin: String::new(), triple }];
        let import = Import { file: "b.jsonl".to_owned(), sha256: "0".repeat(64), triples };
        assert_eq!(teacher.record(Change::Import(import)).expect("is recorded").learned, 1);
    });
}

/// A few hundred bytes appended to a file and synced: what the disk takes by itself.
#[divan::bench(sample_count = 200, sample_size = 1)]
fn fsync_alone(bencher: Bencher<'_, '_>) {
    let mut file = OpenOptions::new().create(true).append(true).open(FOLDER.0.path().join("alone")).expect("opens");
    bencher.bench_local(|| {
        file.write_all(&[b'a'; 2000]).expect("is written");
        file.sync_data().expect("is synced");
    });
}

/// Feedback, proposal and acceptance, acknowledged: three records, one sync.
#[divan::bench(sample_count = 200, sample_size = 1)]
fn acknowledge(bencher: Bencher<'_, '_>) {
    let mut dkg = opened();
    let mut random = Random(2);
    bencher.bench_local(|| {
        let changes = changes(&dkg, &mut random);
        dkg.append(changes).expect("is recorded")
    });
}

/// The store deleted, and made again from the journal.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn rebuild(bencher: Bencher<'_, '_>) {
    let input = || fs::remove_dir_all(FOLDER.1.join("state")).expect("is removed");
    bencher.with_inputs(input).bench_local_values(|()| opened().next_seq());
}

/// Every record read and checked, and compared with the store.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn verify() -> Verified {
    Dkg::verify(&FOLDER.1).expect("is sound")
}
