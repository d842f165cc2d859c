//! SmolLM2-135M-Instruct (Q4_1), a real model, beside what llama.cpp computes on the same file. Needs the file in `CATENA_TEST_SMOLLM2`.
//!
//! `benches/parity/run.sh` renews the reference, and runs this for all its prompts (`CATENA_PARITY=all`).

use std::path::Path;

use candle_core::Device;
use catena::model::infer::lm::{self, LanguageModel, Options, meets};
use catena::model::{CancelToken, Constraint, Finish, Generator, GeneratorHandle, Prompt, Sampling};
use serde::Deserialize;

use crate::support::data::smollm2;

/// Prompts that are compared in every run; all are, if `CATENA_PARITY=all`.
const PROMPTS: usize = 2;
/// The share of positions with the same likeliest token, at least. benches/RESULTS.md says how it is over all prompts.
const AGREEMENT: f64 = 0.97;
/// Where likeliest tokens differ, llama.cpp's own two best are no further apart than this: what its and our rounding to 8 bits can change.
const TIE: f64 = 0.35;

/// The same two over all prompts: the worst of 54 emulations of that rounding in exact floats (benches/parity/floats.py).
const ROUNDING: (f64, f64) = (0.953, 1.2);

#[derive(Deserialize)]
struct Reference {
    sha256: String,
    prompts: Vec<Row>,
}

/// A prompt: its tokens and those written after it; for each position of both the likeliest next token, its logit, and the distance to the second.
#[derive(Deserialize)]
struct Row {
    user: String,
    tokens: Vec<u32>,
    written: Vec<u32>,
    best: Vec<u32>,
    logit: Vec<f64>,
    margin: Vec<f64>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../../data/smollm2-reference.json")).expect("valid JSON")
}

fn open(file: &Path) -> LanguageModel {
    LanguageModel::open(file, &Device::Cpu, &Options { context: Some(1024), ..Options::default() }).expect("the model loads")
}

fn greedy(max_tokens: usize) -> Sampling {
    Sampling { max_tokens, temperature: 0.0, min_p: Some(0.0), repetition_penalty: Some(1.0), ..Sampling::default() }
}

fn likeliest(logits: &[f32]) -> (u32, f64) {
    let best = (0u32..).zip(logits).fold((0, f32::NEG_INFINITY), |best, (id, logit)| if *logit > best.1 { (id, *logit) } else { best });
    (best.0, f64::from(best.1))
}

#[test]
fn its_headers_say_what_it_is() {
    let Some(file) = smollm2() else { return };
    let told = lm::inspect(&file).expect("headers");
    assert_eq!((told.architecture.as_str(), told.format, told.chat_template), ("llama", "gguf", true));
    assert_eq!((told.layers, told.hidden, told.vocabulary, told.context), (30, 576, 49_152, 8192));
    assert!((130_000_000..180_000_000).contains(&told.parameters), "{}", told.parameters);
}

#[test]
fn likeliest_tokens_and_greedy_texts_are_those_of_llama_cpp() {
    let Some(file) = smollm2() else { return };
    let reference = reference();
    assert_eq!(reference.prompts.len(), 20);
    assert_eq!(reference.sha256.len(), 64);
    let all = std::env::var("CATENA_PARITY").as_deref() == Ok("all");
    let (agreement, tie) = if all { ROUNDING } else { (AGREEMENT, TIE) };
    let mut model = open(&file);
    let (mut positions, mut same, mut texts, mut furthest, mut widest) = (0usize, 0usize, 0usize, 0f64, 0f64);
    let mut before: Vec<u32> = Vec::new();
    let rows = reference.prompts.iter().take(if all { usize::MAX } else { PROMPTS });
    for row in rows {
        let prompt = Prompt::new("", row.user.as_str());
        assert_eq!(model.tokens(&prompt).expect("tokens"), row.tokens, "the chat template and the tokens of {:?}", row.user);
        let whole = [row.tokens.as_slice(), &row.written].concat();
        assert_eq!((whole.len(), whole.len(), whole.len()), (row.best.len(), row.logit.len(), row.margin.len()));
        // What the chat template puts before every question counts once.
        let shared = row.tokens.iter().zip(&before).take_while(|(a, b)| a == b).count();
        before.clone_from(&row.tokens);
        for at in shared..whole.len() {
            let (id, logit) = likeliest(&model.continue_logits(&whole[..=at]).expect("logits"));
            positions += 1;
            furthest = furthest.max((logit - row.logit[at]).abs());
            if id == row.best[at] {
                same += 1;
            } else {
                println!("{:?}, position {at}: {id} for {}, which leads by {:.3}", row.user, row.best[at], row.margin[at]);
                widest = widest.max(row.margin[at]);
            }
        }
        model.generate(&prompt, &greedy(64), &mut |_| true).expect("writes");
        let written = &model.conversation()[row.tokens.len()..];
        if written == row.written {
            texts += 1;
        } else {
            let at = written.iter().zip(&row.written).take_while(|(a, b)| a == b).count();
            let margin = row.margin[row.tokens.len() + at - 1];
            println!("{:?}: the greedy texts part at token {at}, where llama.cpp's two best are {margin:.3} apart", row.user);
            widest = widest.max(margin);
        }
    }
    let share = same as f64 / positions as f64;
    println!(
        "parity: {same} of {positions} positions ({:.2} %), {texts} greedy texts equal, logits of the best at most {furthest:.2} apart, and \
         where they differ llama.cpp's two best at most {widest:.3}",
        share * 100.0
    );
    assert!(widest <= tie, "they differ where llama.cpp's two best are {widest} apart");
    assert!(share >= agreement, "{same} of {positions}");
}

/// Greedy, it says the same sentence until its limit; behind a handle the text ends there.
#[test]
fn its_loops_end() {
    let Some(file) = smollm2() else { return };
    let handle = GeneratorHandle::start("smollm2", move || Ok(Box::new(open(&file)))).expect("a thread");
    let prompt = Prompt::new("", "Repeat this line again and again: The reflux is worse at night.");
    let mut text = String::new();
    let done = handle.generate(prompt, greedy(300), &CancelToken::new(), &mut |piece| {
        text.push_str(piece);
        true
    });
    let done = done.expect("writes");
    let times = text.matches("reflux is worse at night").count();
    assert!(times <= 2 && (done.finish == Finish::Loop || done.new_tokens < Some(300)), "{:?}: {text}", done.finish);
}

#[test]
fn it_keeps_to_forms() {
    let Some(file) = smollm2() else { return };
    let mut model = open(&file);
    let schema = serde_json::json!({ "type": "array", "maxItems": 4, "items": { "type": "object",
        "properties": { "head": { "type": "string", "minLength": 1, "maxLength": 40 }, "relation": { "type": "string", "enum": ["treats", "causes"] },
            "tail": { "type": "string", "minLength": 1, "maxLength": 40 } },
        "required": ["head", "relation", "tail"], "additionalProperties": false } });
    for (constraint, question) in [
        (Constraint::json("triples", schema), "Which drugs treat reflux? Write a JSON array of triples."),
        (Constraint::choice(["yes", "no"]), "Does metformin treat diabetes?"),
        (Constraint::Pattern("1: 0\\.[0-9][0-9]; 2: 0\\.[0-9][0-9]".into()), "Score both sentences."),
    ] {
        for temperature in [0.0, 1.0] {
            let mut text = String::new();
            let sampling = Sampling { temperature, constraint: Some(constraint.clone()), ..greedy(40) };
            let done = model.generate(&Prompt::new("Be brief.", question), &sampling, &mut |piece| {
                text.push_str(piece);
                true
            });
            assert!(done.is_ok() && meets(&constraint, &text), "{text}");
            println!("{question} {text}");
        }
    }
}
