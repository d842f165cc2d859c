//! What is measured, a stage a process, so that memory and first touches are those of that stage alone.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use catena::graph::{Chain, ChainBudget, EntityId, FoundChains, Graph};
use serde_json::{Value, json};

use crate::power_law::Random;
use crate::process::{median, memory, ms, spread};
use crate::questions::{self, Question};
use crate::subject;

/// How often each question is searched after the first time.
const REPEATS: usize = 7;
/// How many names are encoded at a time.
const PORTION: usize = 65_536;

/// Imports a file of triples.
pub(crate) fn import(tsv: &Path, stored: &Path) -> Value {
    let mut told = subject::import(tsv, stored);
    let bytes = |file: &Path| std::fs::metadata(file).map_or(0, |data| data.len());
    told["text_bytes"] = json!(bytes(tsv));
    told["stored_bytes"] = json!(bytes(stored));
    told["memory"] = memory();
    told
}

/// Opens the graph once, and then so many times more.
pub(crate) fn open(stored: &Path, more: usize) -> Value {
    let started = Instant::now();
    let graph = subject::open(stored);
    let first = ms(started.elapsed());
    let open_memory = memory();
    let counts = (graph.entity_count(), graph.triple_count());
    drop(graph);
    let again: Vec<f64> = (0..more)
        .map(|_| {
            let started = Instant::now();
            let graph = subject::open(stored);
            let took = ms(started.elapsed());
            drop(graph);
            took
        })
        .collect();
    json!({ "entities": counts.0, "triples": counts.1, "first_ms": first, "again_ms": again, "memory": open_memory })
}

/// Draws questions; see [`questions::draw`].
pub(crate) fn draw_questions(stored: &Path, out: &Path, count: usize, chains: (u64, u64)) -> Value {
    let graph = subject::open(stored);
    let drawn = questions::draw(&graph, count, chains, 2024);
    std::fs::write(out, serde_json::to_string_pretty(&drawn).expect("JSON")).expect("the questions are written");
    drawn
}

/// Searches every question at k = 2 and 3, then the hub question under the default budget.
pub(crate) fn search(stored: &Path, questions: &Path) -> Value {
    let graph = subject::open(stored);
    let after_open = memory();
    let (questions, hub) = questions::read(&graph, questions);
    let by_k: Vec<Value> = [2, 3].into_iter().map(|k| search_all(&graph, k, &questions)).collect();
    let after_questions = memory();
    let hub_question: Vec<Value> = [2, 3].into_iter().map(|k| hub_question(&graph, k, &hub)).collect();
    json!({
        "after_open": after_open,
        "after_questions": after_questions,
        "k": by_k,
        "hub_question": hub_question,
    })
}

fn search_all(graph: &Graph, k: usize, questions: &[Question]) -> Value {
    // Time enough that every chain is found, whatever it takes, and room for all of them.
    let budget = ChainBudget { chains: 1_000_000, time: Duration::from_secs(600) };
    let (mut first, mut middle, mut slowest, mut counts, mut sums) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for question in questions {
        let (took, found) = timed(graph, k, &question.anchors, budget);
        assert!(found.truncated.is_none() && found.chains.len() as u64 == found.found, "every chain is here: {:?}", found.truncated);
        first.push(took);
        counts.push(found.found as f64);
        sums.push(format!("{:016x}", chain_sum(&found.chains)));
        drop(found);
        let again: Vec<f64> = (0..REPEATS).map(|_| timed(graph, k, &question.anchors, budget).0).collect();
        middle.push(median(&again));
        slowest.push(again.iter().copied().fold(0.0, f64::max));
    }
    json!({
        "k": k,
        "median_ms": median(&middle),
        "worst_question_ms": middle.iter().copied().fold(0.0, f64::max),
        "worst_run_ms": slowest.iter().copied().fold(0.0, f64::max),
        "first_time_ms": spread(&first),
        "chains": spread(&counts),
        "each_ms": middle,
        "each_chains": counts,
        "each_sum": sums,
    })
}

fn timed(graph: &Graph, k: usize, anchors: &[EntityId], budget: ChainBudget) -> (f64, FoundChains) {
    let started = Instant::now();
    let found = std::hint::black_box(subject::search(graph, k, anchors, budget));
    (ms(started.elapsed()), found)
}

fn hub_question(graph: &Graph, k: usize, hub: &Question) -> Value {
    let budget = ChainBudget::default();
    let (took, found) = timed(graph, k, &hub.anchors, budget);
    json!({
        "k": k,
        "budget_chains": budget.chains,
        "budget_ms": ms(budget.time),
        "took_ms": took,
        "kept": found.chains.len(),
        "found": found.found,
        "truncated": found.truncated,
        "memory": memory(),
    })
}

/// A sum over chains that does not depend on their order nor on the end they are read from: equal sums, equal sets (but for chance).
/// Entities and relation types count by their place in the order of names, which every peer can know.
fn chain_sum(chains: &[Chain]) -> u64 {
    chains.iter().fold(0u64, |sum, chain| sum.wrapping_add(one_way(chain)).wrapping_add(one_way(&chain.reversed())))
}

/// FNV-1a over words of 64 bits: entity, then for each step relation and direction, entity.
fn one_way(chain: &Chain) -> u64 {
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    chain.hops().fold(mix(0xcbf2_9ce4_8422_2325, u64::from(chain.nodes()[0])), |hash, hop| {
        mix(mix(hash, u64::from(hop.relation) << 1 | u64::from(hop.forward)), u64::from(hop.to))
    })
}

/// Writes the vectors of all names and of the questions' mentions for the peers (`f32`, little-endian, row by row).
pub(crate) fn vectors(stored: &Path, questions: &Path, folder: &Path) -> Value {
    let graph = subject::open(stored);
    let (questions, _) = questions::read(&graph, questions);
    let names: Vec<String> = graph.entity_ids().map(|entity| graph.entity_name(entity).to_owned()).collect();
    let started = Instant::now();
    let dim = write_vectors(&names, &folder.join("names.f32"));
    let took = started.elapsed();
    let mentions: Vec<Vec<String>> = mentions(&questions);
    write_vectors(&mentions.concat(), &folder.join("mentions.f32"));
    json!({ "dim": dim, "names": names.len(), "mentions": mentions.concat().len(), "encoded_s": took.as_secs_f64() })
}

fn mentions(questions: &[Question]) -> Vec<Vec<String>> {
    let mut random = Random(5);
    questions.iter().map(|q| q.names.iter().map(|name| questions::mention_of(name, &mut random)).collect()).collect()
}

fn write_vectors(texts: &[String], file: &Path) -> usize {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(file).expect("a file for vectors"));
    let mut dim = 0;
    for portion in texts.chunks(PORTION) {
        let matrix = subject::encode(portion);
        dim = matrix.dim();
        for component in matrix.data() {
            out.write_all(&component.to_le_bytes()).expect("room for vectors");
        }
    }
    out.flush().expect("room for vectors");
    dim
}

/// Links the mentions of all questions, 23 at a time.
pub(crate) fn link(stored: &Path, questions: &Path) -> Value {
    let graph = subject::open(stored);
    let (questions, _) = questions::read(&graph, questions);
    subject::link(&graph, stored, &mentions(&questions)).unwrap_or(Value::Null)
}
