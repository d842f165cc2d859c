//! A BERT encoder's speed: all-MiniLM-L6-v2 by our own network, and by candle-transformers' on the same texts. `benches/encoder_throughput/run.sh`
//! runs it, onnxruntime beside it, and writes all to `benches/RESULTS.md`.
//!
//! ```text
//! cargo bench --bench encoder_throughput -- measure DIR MODEL     DIR/catena.json has the figures, DIR/texts.json the texts
//! cargo bench --bench encoder_throughput -- profile MODEL [SECONDS] [queries]   encodes and says nothing, for a profiler
//! ```

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark speaks on standard output, and one that cannot be set up has nothing to measure"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use candle_core::{Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use catena::graph::starter_graph;
use catena::model::infer::bert;
use serde_json::json;
use tokenizers::{PaddingParams, Tokenizer};

/// Texts of a batch, as the issue asks.
const BATCH: usize = 64;
/// Batches of a round, and rounds; the median round counts.
const BATCHES: usize = 16;
const ROUNDS: usize = 9;

const USAGE: &str = "encoder_throughput: measures a BERT encoder, when told so (see benches/encoder_throughput/run.sh)
    cargo bench --bench encoder_throughput -- measure DIR MODEL
    cargo bench --bench encoder_throughput -- profile MODEL [SECONDS] [queries]";

fn main() {
    // `cargo bench` adds `--bench` to what it was told.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => println!("{USAGE}"),
        ["measure", folder, model] => measure(Path::new(folder), Path::new(model)),
        ["profile", model, ref options @ ..] => profile(Path::new(model), options),
        _ => panic!("{USAGE}"),
    }
}

/// Names of the starter graph, evenly drawn from the order of names: what a user's graph is embedded from.
fn names() -> Vec<String> {
    let graph = starter_graph().expect("the starter graph is complete");
    let all: Vec<&str> = graph.entity_ids().map(|entity| graph.entity_name(entity)).collect();
    let wanted = BATCH * BATCHES;
    // Not in the order of names, so that a batch is of names of all kinds, as 7919 shares no factor with their number.
    (0..wanted).map(|i| all[i * 7919 % all.len()].to_owned()).collect()
}

/// Mentions and questions as they come one by one.
fn queries() -> Vec<String> {
    let texts = [
        "heartburn",
        "stomach reflux after eating",
        "chest pain",
        "Crohn's disease",
        "high blood pressure",
        "shortness of breath on exertion",
        "my knee hurts",
        "I feel stomach reflux after eating. What medicine should I take?",
        "which tests confirm coeliac disease",
        "omeprazole",
        "burning pain behind the breastbone",
        "type 2 diabetes",
    ];
    texts.map(String::from).to_vec()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Names a second: the median round and the fastest; milliseconds a query: median and 99th percentile.
fn figures(names: &[String], queries: &[String], mut encode: impl FnMut(&[String])) -> serde_json::Value {
    names.chunks(BATCH).take(2).for_each(&mut encode);
    let rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            names.chunks(BATCH).for_each(&mut encode);
            names.len() as f64 / began.elapsed().as_secs_f64()
        })
        .collect();
    let mut times = Vec::new();
    for _ in 0..ROUNDS * 4 {
        for query in queries {
            let began = Instant::now();
            encode(std::slice::from_ref(query));
            times.push(began.elapsed().as_secs_f64() * 1e3);
        }
    }
    times.sort_by(f64::total_cmp);
    json!({
        "throughput": {"median": median(rounds.clone()), "fastest": rounds.iter().copied().fold(0.0, f64::max)},
        "latency": {"median": times[times.len() / 2], "p99": times[times.len() * 99 / 100]},
    })
}

/// candle-transformers' model, used as its example does: padded batches, mean over what is not padding, length 1.
struct Stock {
    tokenizer: Tokenizer,
    model: BertModel,
}

impl Stock {
    fn open(folder: &Path) -> Self {
        let mut tokenizer = Tokenizer::from_file(folder.join("tokenizer.json")).expect("a tokeniser");
        tokenizer.with_padding(Some(PaddingParams::default()));
        let config: Config = serde_json::from_slice(&std::fs::read(folder.join("config.json")).expect("a file")).expect("a configuration");
        let tensors = candle_core::safetensors::load(folder.join("model.safetensors"), &Device::Cpu).expect("weights");
        let weights = VarBuilder::from_tensors(tensors, candle_core::DType::F32, &Device::Cpu);
        Self { tokenizer, model: BertModel::load(weights, &config).expect("a model") }
    }

    fn encode(&self, texts: &[String]) -> candle_core::Result<Vec<Vec<f32>>> {
        let encodings = self.tokenizer.encode_batch(texts.to_vec(), true).expect("texts can be cut");
        let tensor = |of: fn(&tokenizers::Encoding) -> &[u32]| Tensor::new(encodings.iter().map(of).collect::<Vec<_>>(), &Device::Cpu);
        let (ids, mask) = (tensor(|e| e.get_ids())?, tensor(|e| e.get_attention_mask())?);
        let states = self.model.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        let mask = mask.to_dtype(candle_core::DType::F32)?.unsqueeze(2)?;
        let mean = states.broadcast_mul(&mask)?.sum(1)?.broadcast_div(&mask.sum(1)?)?;
        mean.broadcast_div(&mean.sqr()?.sum_keepdim(1)?.sqrt()?)?.to_vec2()
    }
}

fn measure(folder: &Path, model: &Path) {
    let (names, queries) = (names(), queries());
    let texts = json!({"names": names, "queries": queries});
    std::fs::write(folder.join("texts.json"), texts.to_string()).expect("the texts can be written");
    let mut encoder = bert::open_encoder(model, &Device::Cpu).expect("the model loads");
    let stock = Stock::open(model);
    let own: Vec<Vec<f32>> = (0..8).map(|i| encoder.encode(&names[..8]).expect("encodes").row(i).to_vec()).collect();
    for (own, stock) in own.iter().zip(stock.encode(&names[..8]).expect("encodes")) {
        assert!(own.iter().zip(&stock).all(|(x, y)| (x - y).abs() < 1e-5), "the two do not compute the same");
    }
    let ours = figures(&names, &queries, |texts| assert_eq!(encoder.encode(texts).expect("encodes").rows(), texts.len()));
    let candle = figures(&names, &queries, |texts| assert_eq!(stock.encode(texts).expect("encodes").len(), texts.len()));
    let lengths: Vec<usize> =
        names.iter().map(|name| stock.tokenizer.encode(name.as_str(), true).expect("can be cut").get_ids().len()).collect();
    let longest: usize = lengths.chunks(BATCH).map(|batch| batch.len() * batch.iter().copied().max().unwrap_or(0)).sum();
    let result = json!({
        "names": names.len(), "tokens": lengths.iter().sum::<usize>(), "padded_tokens": longest,
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "catena": ours, "candle": candle, "vectors": own,
    });
    std::fs::write(folder.join("catena.json"), result.to_string()).expect("the figures can be written");
    eprintln!("catena {}\ncandle {}", result["catena"], result["candle"]);
}

fn profile(model: &Path, options: &[&str]) {
    let seconds = options.first().map_or(5, |seconds| seconds.parse().expect("a number of seconds"));
    let texts = if options.get(1) == Some(&"queries") { queries() } else { names() };
    let portion = if options.get(1) == Some(&"queries") { 1 } else { BATCH };
    let mut encoder = bert::open_encoder(model, &Device::Cpu).expect("the model loads");
    let (began, mut count) = (Instant::now(), 0);
    while began.elapsed() < Duration::from_secs(seconds) {
        for texts in texts.chunks(portion) {
            count += encoder.encode(texts).expect("encodes").rows();
        }
    }
    let took = began.elapsed().as_secs_f64();
    eprintln!("{:.0} texts a second, {:.3} ms each portion of {portion}", count as f64 / took, took / count as f64 * portion as f64 * 1e3);
}
