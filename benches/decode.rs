//! Reading prompts and writing tokens with a language model, beside stock candle on the same file: one of Qwen2-0.5B's shape (random weights, Q8_0), or a
//! real one of the family Llama.
//! `benches/decode/run.sh` runs it, measures llama.cpp beside it, and writes the section of RESULTS.md.
//!
//! `cargo bench --bench decode -- write FILE.gguf` writes the model; `… -- measure FILE.gguf RESULT.json` measures.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark says what it found, and ends where it cannot measure"
)]

#[path = "decode/model_file.rs"]
mod model_file;

use std::hint::black_box;
use std::path::Path;
use std::sync::Barrier;
use std::time::Instant;

use candle_core::quantized::gguf_file::Content;
use candle_core::{Device, Tensor};
use candle_transformers::models::{quantized_llama, quantized_qwen2};
use catena::model::infer::lm::{self, LanguageModel, Options};
use catena::model::{Generator, Prompt, Sampling};
use serde_json::json;

/// Tokens of the prompt, and tokens written after it.
const PROMPT: usize = 512;
const WRITTEN: usize = 64;
/// Runs; the median counts.
const RUNS: usize = 3;
const THREADS: usize = 2;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["write", path] => model_file::write(Path::new(path)),
        ["measure", path, result] => {
            let figures = measure(Path::new(path));
            println!("{figures:#}");
            std::fs::write(result, figures.to_string()).expect("the result can be written");
        }
        // `cargo bench` alone: the script says how.
        _ => eprintln!("decode: run benches/decode/run.sh"),
    }
}

fn measure(path: &Path) -> serde_json::Value {
    let told = lm::inspect(path).expect("a model");
    let is_llama = told.architecture == "llama";
    let vocabulary = told.vocabulary.min(150_000) as u32;
    // Of a real model with an output of its own, the embedding is not read as a whole; for SmolLM2, the two are one.
    let bytes_per_token = if is_llama { told.weight_bytes as usize } else { model_file::bytes_per_token() };
    let prompt = prompt(vocabulary);
    let bandwidth = bandwidth();
    let ours = ours(path, &prompt);
    let candle = candle(path, is_llama, &prompt);
    json!({
        "prompt": PROMPT,
        "written": WRITTEN,
        "threads": THREADS,
        "vocabulary": vocabulary,
        "model": told.name,
        "stored_as": told.stored_as,
        "bandwidth": bandwidth,
        "bytes_per_token": bytes_per_token,
        "ours": ours,
        "candle": candle,
    })
}

/// The tokens that all are given.
fn prompt(vocabulary: u32) -> Vec<u32> {
    (0..PROMPT as u32).map(|i| (i * 7919 + 13) % vocabulary).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Bytes per second that two threads read from memory, one after another through a buffer larger than any cache.
fn bandwidth() -> f64 {
    let buffer = vec![1u64; 1 << 26];
    let ready = Barrier::new(THREADS);
    let rates: Vec<f64> = std::thread::scope(|scope| {
        let threads: Vec<_> = buffer
            .chunks(buffer.len() / THREADS)
            .map(|part| {
                let ready = &ready;
                scope.spawn(move || {
                    let passes = (0..7).map(|_| {
                        ready.wait();
                        let began = Instant::now();
                        black_box(black_box(part).iter().fold(0, |all, value| all ^ value));
                        size_of_val(part) as f64 / began.elapsed().as_secs_f64()
                    });
                    passes.fold(0.0, f64::max)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread")).collect()
    });
    rates.iter().sum()
}

fn ours(path: &Path, prompt: &[u32]) -> serde_json::Value {
    let began = Instant::now();
    let mut model =
        LanguageModel::open(path, &Device::Cpu, &Options { threads: Some(THREADS), ..Options::default() }).expect("the model loads");
    let loading = began.elapsed().as_secs_f64();
    let (mut prefill, mut decode, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    model.logits(prompt).expect("logits");
    for _ in 0..RUNS {
        let began = Instant::now();
        black_box(model.logits(prompt).expect("logits"));
        prefill.push(PROMPT as f64 / began.elapsed().as_secs_f64());
        let mut tokens = prompt.to_vec();
        let began = Instant::now();
        for i in 0..WRITTEN {
            tokens.push((i * 31) as u32);
            black_box(model.continue_logits(&tokens).expect("logits"));
        }
        decode.push(WRITTEN as f64 / began.elapsed().as_secs_f64());
        // A whole text, drawing and all.
        let sampling = Sampling { max_tokens: WRITTEN, ..Sampling::default() };
        let done = model.generate(&Prompt::new("", "abc ".repeat(PROMPT / 4)), &sampling, &mut |_| true).expect("writes");
        whole.push(done.new_tokens.unwrap_or(0).saturating_sub(1) as f64 * 1e3 / done.decode_ms);
    }
    json!({"loading_s": loading, "prefill": median(prefill), "decode": median(decode), "whole": median(whole)})
}

/// Computes the logits of tokens from a position on.
type Compute = Box<dyn FnMut(&Tensor, usize) -> candle_core::Result<Tensor>>;

fn candle(path: &Path, is_llama: bool, prompt: &[u32]) -> serde_json::Value {
    let mut file = std::fs::File::open(path).expect("the model opens");
    let content = Content::read(&mut file).expect("a header");
    let mut compute: Compute = if is_llama {
        let mut model = quantized_llama::ModelWeights::from_gguf(content, &mut file, &Device::Cpu).expect("the model loads");
        Box::new(move |input, position| model.forward(input, position))
    } else {
        let mut model = quantized_qwen2::ModelWeights::from_gguf(content, &mut file, &Device::Cpu).expect("the model loads");
        Box::new(move |input, position| model.forward(input, position))
    };
    let mut forward = |tokens: &[u32], position: usize| {
        let input = Tensor::new(tokens, &Device::Cpu).and_then(|t| t.unsqueeze(0)).expect("tokens");
        let logits: Vec<f32> = compute(&input, position).and_then(|l| l.flatten_all()?.to_vec1()).expect("logits");
        black_box(logits);
    };
    forward(prompt, 0);
    let (mut prefill, mut decode) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let began = Instant::now();
        forward(prompt, 0);
        prefill.push(PROMPT as f64 / began.elapsed().as_secs_f64());
        let began = Instant::now();
        for i in 0..WRITTEN {
            forward(&[(i * 31) as u32], PROMPT + i);
        }
        decode.push(WRITTEN as f64 / began.elapsed().as_secs_f64());
    }
    json!({"prefill": median(prefill), "decode": median(decode)})
}
