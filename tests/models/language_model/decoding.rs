//! Texts token by token: the same with what is remembered as without, the same for a seed, whole characters, and ends.

use candle_core::quantized::gguf_file::Value;
use candle_core::{DType, Device};
use catena::model::infer::lm::{Computation, LanguageModel, Options};
use catena::model::{Finish, Generator, Prompt, PromptPart, Sampling};
use tokenizers::Tokenizer;

use crate::support::lm_files::{self, Kind, Shape};

fn greedy(max_tokens: usize) -> Sampling {
    // What is usual for small models would push the likeliest token aside.
    Sampling { max_tokens, temperature: 0.0, top_p: None, min_p: Some(0.0), repetition_penalty: Some(1.0), ..Sampling::default() }
}

fn options(computation: Computation) -> Options {
    Options { threads: Some(2), computation, ..Options::default() }
}

fn open(path: &std::path::Path, options: &Options) -> LanguageModel {
    LanguageModel::open(path, &Device::Cpu, options).expect("loads")
}

fn likeliest(logits: &[f32]) -> u32 {
    let mut best = 0;
    for (id, logit) in logits.iter().enumerate() {
        if *logit > logits[best] {
            best = id;
        }
    }
    best as u32
}

/// A conversation computed anew for every token must choose what the running one chose; `end` may have ended it.
fn check_against_recompute(fresh: &mut LanguageModel, conversation: &[u32], prompt: usize, what: &str) {
    for at in prompt..conversation.len() {
        assert_eq!(likeliest(&fresh.logits(&conversation[..at]).expect("logits")), conversation[at], "{what}, token {}", at - prompt);
    }
}

#[test]
fn greedy_texts_are_those_of_a_full_recompute_also_after_a_prefix_that_was_kept() {
    for family in ["qwen2", "qwen3", "llama", "gemma3", "phi3"] {
        // A window that the conversation outgrows.
        let shape = Shape { window: 16, ..Shape::of(family) };
        for (computation, kind) in [
            (Computation::Tensors, lm_files::floats as Kind),
            (Computation::Fastest, lm_files::floats),
            (Computation::Fastest, lm_files::mixed),
        ] {
            let what = format!("{family} {computation:?}");
            let (_folder, path) = lm_files::gguf(&shape, kind);
            let (mut model, mut fresh) = (open(&path, &options(computation)), open(&path, &options(computation)));
            let system = "the rhesus: what that hath at a house. ".repeat(2);
            let mut reused = 0;
            for (number, question) in ["what hurts", "what hurts at the tooth", "a rash"].iter().enumerate() {
                let prompt = Prompt::new(system.as_str(), *question);
                let done = model.generate(&prompt, &greedy(10), &mut |_| true).expect("writes");
                let tokens = model.tokens(&prompt).expect("tokens");
                assert_eq!(done.prompt_tokens, Some(tokens.len()));
                assert_eq!(done.new_tokens, Some(model.conversation().len() - tokens.len()));
                assert_eq!(model.conversation()[..tokens.len()], tokens);
                assert!(done.new_tokens > Some(3), "{what}: the random model writes something");
                assert_eq!(done.reused_tokens > 40, number > 0, "{what}: {}", done.reused_tokens);
                reused = reused.max(done.reused_tokens);
                let conversation = model.conversation().to_vec();
                check_against_recompute(&mut fresh, &conversation, tokens.len(), &what);
            }
            assert!(reused < 400);
        }
    }
}

#[test]
fn a_texts_tokens_are_as_probable_as_their_logits_say() {
    for family in ["qwen2", "gemma3"] {
        let (_folder, path) = lm_files::gguf(&Shape::of(family), lm_files::floats);
        let (mut model, mut fresh) = (open(&path, &options(Computation::Fastest)), open(&path, &options(Computation::Fastest)));
        let prompt = Prompt::new("the house", "what hurts");
        let before = model.generate(&prompt, &greedy(5), &mut |_| true).expect("writes");
        let text = "the tooth that hurts at the house";
        let logs = model.log_probabilities(None, text, &mut || true).expect("weighs").expect("it tells");
        // Whatever the tokens are: those that the model reads when the text is all there is.
        let tokens = fresh.text_tokens(text).expect("tokens");
        assert_eq!(logs.len(), tokens.len() - 1, "{family}");
        assert!(logs.len() > 5);
        for (at, log) in (1..).zip(&logs) {
            let logits = fresh.logits(&tokens[..at]).expect("logits");
            let sum: f64 = logits.iter().map(|logit| f64::from(*logit).exp()).sum();
            let want = f64::from(logits[tokens[at] as usize]) - sum.ln();
            assert!((log - want).abs() < 1e-3, "{family}, token {at}: {log} {want}");
        }
        // What it was asked before is answered as before.
        let conversation = model.conversation().to_vec();
        model.generate(&prompt, &greedy(5), &mut |_| true).expect("writes");
        assert_eq!(model.conversation(), conversation);
        assert!(
            before.new_tokens > Some(0) && model.log_probabilities(None, "", &mut || true).expect("weighs").expect("it tells").is_empty()
        );
        let mut left = 3;
        let stopped = model.log_probabilities(None, text, &mut || {
            left -= 1;
            left > 0
        });
        assert!(matches!(stopped, Err(catena::model::ModelError::Cancelled)));
    }
}

#[test]
fn a_replys_tokens_are_as_probable_as_their_logits_after_the_prompt_say() {
    for family in ["qwen2", "gemma3"] {
        let (_folder, path) = lm_files::gguf(&Shape::of(family), lm_files::floats);
        let (mut model, mut fresh) = (open(&path, &options(Computation::Fastest)), open(&path, &options(Computation::Fastest)));
        let prompt = Prompt::new("the house", "what hurts");
        let text = "the tooth that hurts at the house";
        let logs = model.log_probabilities(Some(&prompt), text, &mut || true).expect("weighs").expect("it tells");
        let mut whole = fresh.tokens(&prompt).expect("tokens");
        let before = whole.len();
        let own = fresh.text_tokens(text).expect("tokens");
        // A text that stands alone may begin with a special token.
        whole.extend(own.iter().skip(usize::from(own.first() == whole.first())));
        assert_eq!(logs.len(), whole.len() - before, "{family}: of the reply, and of its first token too");
        for (at, log) in (before..).zip(&logs) {
            let logits = fresh.logits(&whole[..at]).expect("logits");
            let sum: f64 = logits.iter().map(|logit| f64::from(*logit).exp()).sum();
            let want = f64::from(logits[whole[at] as usize]) - sum.ln();
            assert!((log - want).abs() < 1e-3, "{family}, token {at}: {log} {want}");
        }
        let alone = model.log_probabilities(None, text, &mut || true).expect("weighs").expect("it tells");
        assert!((alone.last().expect("one") - logs.last().expect("one")).abs() > 1e-6, "{family}: the prompt counts");
        // A prompt for which there is no room loses its beginning, the reply nothing.
        let long = Prompt::new("the house ".repeat(model.context()), "what hurts");
        let of_long = model.log_probabilities(Some(&long), text, &mut || true).expect("weighs").expect("it tells");
        assert!(of_long.len() == logs.len() && of_long.iter().all(|log| log.is_finite()), "{family}");
        assert!(model.log_probabilities(Some(&prompt), "", &mut || true).expect("weighs").expect("it tells").is_empty());
    }
}

#[test]
fn a_prompt_read_again_is_known_but_for_its_last_token() {
    let (_folder, path) = lm_files::gguf(&Shape::of("qwen2"), lm_files::bytes);
    let mut model = open(&path, &options(Computation::Fastest));
    let prompt = Prompt::new("the house", "what hurts");
    let mut texts = Vec::new();
    for expected in [false, true] {
        let mut text = String::new();
        let done = model
            .generate(&prompt, &greedy(10), &mut |piece| {
                text.push_str(piece);
                true
            })
            .expect("writes");
        assert_eq!(done.reused_tokens, if expected { done.prompt_tokens.expect("known") - 1 } else { 0 });
        texts.push(text);
    }
    assert_eq!(texts[0], texts[1]);
}

fn write(model: &mut LanguageModel, sampling: &Sampling) -> (String, Finish) {
    let mut text = String::new();
    let done = model
        .generate(&Prompt::new("", "what"), sampling, &mut |piece| {
            text.push_str(piece);
            true
        })
        .expect("writes");
    (text, done.finish)
}

#[test]
fn a_seed_decides_a_text_and_nothing_else_does() {
    let (_folder, path) = lm_files::gguf(&Shape::of("qwen3"), lm_files::bytes);
    let sampling = |seed| Sampling { max_tokens: 40, temperature: 1.0, seed, ..Sampling::default() };
    let mut model = open(&path, &options(Computation::Fastest));
    let first = write(&mut model, &sampling(5));
    assert_eq!(write(&mut model, &sampling(5)), first);
    assert_ne!(write(&mut model, &sampling(6)), first);
    for threads in [1, 3] {
        let mut other = open(&path, &Options { threads: Some(threads), ..Options::default() });
        assert_eq!(write(&mut other, &sampling(5)), first, "{threads} threads");
    }
}

/// However a prompt is portioned out, the numbers are the same to the bit.
#[test]
fn portions_of_a_prompt_change_nothing() {
    let shape = Shape::of("llama");
    for kind in [lm_files::floats as Kind, lm_files::mixed] {
        let (_folder, path) = lm_files::gguf(&shape, kind);
        let mut model = open(&path, &options(Computation::Fastest));
        let prompt = Prompt::new("", "the house that hurts ".repeat(8));
        let tokens = model.tokens(&prompt).expect("tokens");
        let whole = model.logits(&tokens).expect("logits");
        let mut one_by_one = open(&path, &options(Computation::Fastest));
        // A text of the right tokens, one at a time: each is drawn where the whole has it.
        let mut last = Vec::new();
        for end in 1..=tokens.len() {
            last = one_by_one.continue_logits(&tokens[..end]).expect("logits");
        }
        assert!(whole.iter().zip(&last).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

#[test]
fn texts_end_where_the_model_says_so() {
    let shape = Shape::of("qwen2");
    let (_folder, path) = lm_files::gguf(&shape, lm_files::floats);
    let mut model = open(&path, &options(Computation::Fastest));
    let (_, finish) = write(&mut model, &greedy(12));
    assert_eq!(finish, Finish::Length);
    // The first token that differs from those before is made the one that ends a text.
    let prompt = model.tokens(&Prompt::new("", "what")).expect("tokens").len();
    let written = model.conversation()[prompt..].to_vec();
    assert_eq!(written.len(), 12);
    let at = (1..12).find(|at| !written[..*at].contains(&written[*at])).expect("it writes more than one token");
    let end = written[at];
    for field in ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"] {
        let (_folder, path) = lm_files::gguf_with(&shape, lm_files::floats, &[(field, Value::U32(end))]);
        let mut model = open(&path, &options(Computation::Fastest));
        let mut pieces = 0;
        let done = model
            .generate(&Prompt::new("", "what"), &greedy(12), &mut |_| {
                pieces += 1;
                true
            })
            .expect("writes");
        assert_eq!((done.finish, done.new_tokens), (Finish::Stop, Some(at)), "{field}");
        assert!(pieces > at);
    }
    // In a folder, generation_config.json names several.
    let tensors = lm_files::weights(&shape, 1);
    let folder = lm_files::folder(&shape, &tensors, DType::F32, 1);
    std::fs::write(folder.path().join("generation_config.json"), format!("{{\"eos_token_id\": [1, {end}]}}")).expect("written");
    let mut model = open(folder.path(), &options(Computation::Fastest));
    assert_eq!(write(&mut model, &greedy(12)).1, Finish::Stop);
}

#[test]
fn whoever_stops_listening_is_not_written_to() {
    let (_folder, path) = lm_files::gguf(&Shape::of("qwen2"), lm_files::bytes);
    let mut model = open(&path, &options(Computation::Fastest));
    let prompt = Prompt::new("", "the house that hurts ".repeat(12));
    let mut calls = 0;
    let done = model
        .generate(&prompt, &greedy(50), &mut |_| {
            calls += 1;
            calls < 3
        })
        .expect("stops");
    // It is asked before every layer: the third time in the second portion.
    assert_eq!((done.finish, done.new_tokens, calls), (Finish::Cancelled, Some(0), 3), "while the prompt was read");
    let done = model.generate(&prompt, &greedy(50), &mut |piece| piece.is_empty()).expect("stops");
    assert_eq!(done.finish, Finish::Cancelled);
    assert!(done.new_tokens < Some(4) && done.reused_tokens > 0, "what was read before stopping is not read again");
    // And it still writes what it should.
    let mut other = open(&path, &options(Computation::Fastest));
    for model in [&mut model, &mut other] {
        model.generate(&prompt, &greedy(20), &mut |_| true).expect("writes");
    }
    assert_eq!(model.conversation(), other.conversation());
}

#[test]
fn what_does_not_fit_is_left_out_highest_rank_first_and_told() {
    let (_folder, path) = lm_files::gguf(&Shape::of("qwen2"), lm_files::bytes);
    let mut model = open(&path, &Options { context: Some(200), ..options(Computation::Fastest) });
    assert_eq!(model.context(), 200);
    let part = |text: &str, rank| PromptPart { text: text.into(), rank };
    let mut prompt = Prompt { system: "s".into(), parts: vec![part("question ", None)] };
    prompt.parts.extend((0..10).map(|rank| part("a chain of twenty..\n", Some(rank))));
    prompt.parts.push(part("end", None));
    let done = model.generate(&prompt, &greedy(40), &mut |_| true).expect("writes");
    let gone = done.left_out.clone();
    assert!(!gone.is_empty() && gone.len() < 10);
    assert_eq!(gone, (0..10).rev().take(gone.len()).collect::<Vec<u32>>());
    let read = done.prompt_tokens.expect("known");
    assert!(read <= 160 && read + 20 > 160, "no more than needed: {read}");
    let fits = Prompt { parts: prompt.parts.iter().filter(|p| p.rank < Some(3)).cloned().collect(), ..prompt.clone() };
    assert_eq!(model.generate(&fits, &greedy(40), &mut |_| true).expect("writes").left_out, [0u32; 0]);
    let long = Prompt::new("", "x".repeat(500));
    let error = model.generate(&long, &greedy(40), &mut |_| true).expect_err("too long").to_string();
    assert!(error.contains("too long") && error.contains("200") && error.contains("160"), "{error}");
    // A small context keeps a quarter for the answer, and ends with it.
    let done = model.generate(&Prompt::new("", "y".repeat(120)), &greedy(1000), &mut |_| true).expect("writes");
    assert_eq!((done.finish, done.prompt_tokens.unwrap_or(0) + done.new_tokens.unwrap_or(0)), (Finish::Length, 200));
}

/// The random model writes any bytes: what is streamed is what the tokenizer's own decoder makes of all tokens at once.
#[test]
fn what_is_streamed_is_what_the_whole_text_is() {
    let shape = Shape::of("qwen2");
    let folder = lm_files::folder(&shape, &lm_files::weights(&shape, 4), DType::F32, 1);
    let reference: Tokenizer = serde_json::from_value(lm_files::tokenizer_json(&shape)).expect("a tokenizer");
    let mut model = open(folder.path(), &options(Computation::Fastest));
    let (mut replaced, mut whole) = (0, 0);
    for seed in 0..12 {
        let sampling = Sampling { max_tokens: 80, temperature: 1.5, top_p: None, seed, ..Sampling::default() };
        let (text, _) = write(&mut model, &sampling);
        let prompt = model.tokens(&Prompt::new("", "what")).expect("tokens").len();
        let want = reference.decode(&model.conversation()[prompt..], true).expect("decodes");
        assert_eq!(text, want);
        replaced += text.matches('\u{fffd}').count();
        whole += text.chars().filter(|c| !c.is_ascii() && *c != '\u{fffd}').count();
    }
    assert!(replaced > 0 && whole > 0, "both kinds were met: {replaced} {whole}");
}
