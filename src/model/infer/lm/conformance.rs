//! Tokens and conversations beside llama.cpp, Hugging Face's tokenizers and jinja2, on suites that `tests/conformance/run.sh` gets.

use std::path::{Path, PathBuf};

use minijinja::Value;
use serde_json::Value as Json;
use tokenizers::Tokenizer;
use tokenizers::models::bpe::BPE;

use super::config::Family;
use super::gguf::Gguf;
use super::template::ChatTemplate;
use super::tokens::{Parts, Piece, Special, Spelling, Tokens};
use super::{jinja, vocabulary};

fn folder() -> PathBuf {
    std::env::var_os("CATENA_CONFORMANCE").expect("tests/conformance/run.sh sets CATENA_CONFORMANCE").into()
}

fn references(name: &str) -> Vec<Json> {
    let text = std::fs::read_to_string(folder().join(name)).expect("the references");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn vocabulary_of(path: &Path, family: Family) -> Tokens {
    vocabulary::of_gguf(&Gguf::open(path).expect("a GGUF file"), family, path).expect("a vocabulary")
}

fn ids(tokens: &Tokens, text: &str) -> Vec<u32> {
    let mut ids = tokens.encode(&[Piece::Content(text)]).expect("tokens");
    // llama.cpp's lists are without the token that begins a text.
    let begin = tokens.encode(&[Piece::Content("")]).expect("tokens");
    ids.drain(..begin.len());
    ids
}

/// A copy of a file without the field that says how words are cut: its key has another last letter.
fn without_cut(path: &Path) -> tempfile::TempDir {
    let (key, other) = (b"tokenizer.ggml.pre", b"tokenizer.ggml.prx");
    let mut bytes = std::fs::read(path).expect("a file");
    let at = bytes.windows(key.len()).position(|part| part == key).expect("the field");
    bytes[at..at + key.len()].copy_from_slice(other);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("v.gguf"), bytes).expect("written");
    folder
}

/// The cases of llama.cpp's `tests/test-tokenizer-0`, for the vocabularies whose models Catena runs and GPT-2's.
#[test]
#[ignore = "tests/conformance/run.sh runs it"]
fn conformance_tokens_of_llama_cpp() {
    let (mut same, mut all, mut inferred) = (0, 0, 0);
    for (name, family) in [
        ("llama-bpe", Family::Llama),
        ("llama-spm", Family::Llama),
        ("phi-3", Family::Phi3),
        ("qwen2", Family::Qwen2),
        ("gpt-2", Family::Llama),
    ] {
        let path = folder().join(format!("llama.cpp/ggml-vocab-{name}.gguf"));
        let tokens = vocabulary_of(&path, family);
        let read =
            |ending: &str| std::fs::read_to_string(folder().join(format!("llama.cpp/ggml-vocab-{name}.gguf.{ending}"))).expect("a suite");
        let (texts, lists) = (read("inp"), read("out"));
        let texts: Vec<&str> = texts.split("\n__ggml_vocab_test__\n").collect();
        let guessed = matches!(name, "llama-bpe" | "qwen2").then(|| without_cut(&path));
        let guessed = guessed.as_ref().map(|folder| vocabulary_of(&folder.path().join("v.gguf"), family));
        for (text, list) in texts.iter().zip(lists.lines()) {
            let want: Vec<u32> = list.split_whitespace().map(|id| id.parse().expect("a number")).collect();
            let got = ids(&tokens, text);
            all += 1;
            same += usize::from(got == want);
            if got != want {
                println!("{name} {text:?}: {got:?}, llama.cpp {want:?}");
            }
            inferred += guessed.as_ref().map_or(0, |tokens| usize::from(ids(tokens, text) == want));
        }
        if name == "llama-bpe" {
            let guessed = guessed.expect("inferred");
            assert_eq!([ids(&tokens, "2024"), ids(&guessed, "2024")], [[2366, 19], [2366, 19]], "llama.cpp's and transformers' ids");
        }
    }
    println!("tokens: {same} of {all} cases equal llama.cpp's; {inferred} of 92 where the file does not say how words are cut");
    assert_eq!((same, all, inferred), (230, 230, 92));
}

#[test]
#[ignore = "tests/conformance/run.sh runs it"]
fn conformance_tokens_of_hugging_face() {
    let references = references("tokens.jsonl");
    let mut same = 0;
    for (name, family) in [("llama-bpe", Family::Llama), ("qwen2", Family::Qwen2)] {
        let tokens = vocabulary_of(&folder().join(format!("llama.cpp/ggml-vocab-{name}.gguf")), family);
        for case in references.iter().filter(|case| case["name"] == name) {
            let want: Vec<u32> = serde_json::from_value(case["ids"].clone()).expect("numbers");
            let got = ids(&tokens, case["text"].as_str().expect("a text"));
            same += usize::from(got == want);
            if got != want {
                println!("{name} {}: {got:?}, tokenizers {want:?}", case["text"]);
            }
        }
    }
    println!("tokens: {same} of {} random texts equal those of tokenizers", references.len());
    assert_eq!((same, references.len()), (2000, 2000));
}

/// A vocabulary of nothing but the tokens that begin and end a text.
fn marks() -> Tokens {
    let special = |text: &str, id| Special { text: text.into(), id, control: true, strip_before: false, strip_after: false };
    Tokens::new(Parts {
        plain: Tokenizer::new(BPE::default()),
        specials: vec![special("<s>", 0), special("</s>", 1)],
        spelling: Spelling::ByteLevel,
        bos: Some(0),
        eos: Some(1),
        add_bos: false,
        stop: Default::default(),
    })
}

#[test]
#[ignore = "tests/conformance/run.sh runs it"]
fn conformance_chat_templates() {
    let tokens = marks();
    let (mut same, mut fail, mut both_fail, mut all) = (0, 0, 0, 0);
    let (mut prompts, mut prompts_same) = (0, 0);
    for case in references("templates.jsonl") {
        let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
        let (source, system, user) = (text("source"), text("system"), text("user"));
        let message = |role: &str, content: &str| Value::from_pairs([("role", role), ("content", content)]);
        let mut messages = vec![message("user", &user)];
        if !system.is_empty() {
            messages.insert(0, message("system", &system));
        }
        let values = minijinja::context! {
            messages => messages, add_generation_prompt => true, enable_thinking => false, bos_token => "<s>", eos_token => "</s>", tools => (), documents => (),
        };
        let rendered = jinja::render(&source, values);
        all += 1;
        match (&rendered, case["text"].as_str()) {
            (Ok(ours), Some(reference)) if ours == reference => same += 1,
            (Err(_), None) => both_fail += 1,
            (Ok(_), None) => {}
            (ours, reference) => {
                fail += 1;
                println!("{}: {ours:?}, jinja2 {reference:?}", case["name"]);
            }
        }
        // The same by way of placeholders. Texts are sent without blanks around them.
        let form = ChatTemplate::new(Some(&source), Family::Qwen2, &tokens).expect("a form");
        if let Some(reference) = case["text"].as_str().filter(|_| form.warning().is_none() && user.trim() == user) {
            let prompt: String = form
                .pieces(&system, &user)
                .iter()
                .map(|piece| match piece {
                    Piece::Template(text) | Piece::Content(text) => *text,
                })
                .collect();
            prompts += 1;
            prompts_same += usize::from(prompt == reference);
            if prompt != reference {
                println!("{} by placeholders: {prompt:?}, jinja2 {reference:?}", case["name"]);
            }
        }
    }
    println!(
        "templates: {same} of {all} conversations equal jinja2's; it fails itself in {}, Catena besides in {both_fail} of these; by placeholders {prompts_same} of {prompts}",
        all - same - fail
    );
    assert_eq!(fail, 0);
    assert!(same >= 390 && prompts_same == prompts && prompts >= 250, "{same} {prompts_same} of {prompts}");
}
