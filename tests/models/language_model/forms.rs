//! Texts of a given form: whatever a model of random weights would like to write, what it writes can be parsed.

use candle_core::Device;
use catena::model::infer::lm::{LanguageModel, Options, meets};
use catena::model::{Constraint, Finish, Generator, Prompt, Sampling};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::lm_files::{self, Shape};

fn open(family: &'static str) -> (TempDir, LanguageModel) {
    let (folder, path) = lm_files::gguf(&Shape::of(family), lm_files::bytes);
    let model = LanguageModel::open(&path, &Device::Cpu, &Options { threads: Some(1), ..Options::default() }).expect("loads");
    (folder, model)
}

fn write(model: &mut LanguageModel, constraint: &Constraint, max_tokens: usize, seed: u64) -> (String, Finish) {
    let mut text = String::new();
    // As wild as it gets: every token is about as likely.
    let sampling = Sampling {
        max_tokens,
        temperature: 2.0,
        top_p: None,
        min_p: Some(0.0),
        seed,
        constraint: Some(constraint.clone()),
        ..Sampling::default()
    };
    let done = model
        .generate(&Prompt::new("", "what"), &sampling, &mut |piece| {
            text.push_str(piece);
            true
        })
        .expect("writes");
    (text, done.finish)
}

/// A list of triples, as feedback asks for it.
fn triples() -> Value {
    let name = json!({ "type": "string", "minLength": 1, "maxLength": 12 });
    let kind = json!({ "type": "string", "enum": ["drug", "disease"] });
    json!({ "type": "array", "maxItems": 3, "items": {
        "type": "object",
        "properties": { "head": name, "kind": kind, "sure": { "type": "boolean" }, "score": { "type": "integer", "minimum": 0, "maximum": 9 } },
        "required": ["head", "kind", "sure", "score"],
        "additionalProperties": false,
    } })
}

/// JSON schemas as a program may ask for them.
fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({ "type": "boolean" })),
        Just(json!({ "type": "null" })),
        (0i64..5, 5i64..1000).prop_map(|(least, most)| json!({ "type": "integer", "minimum": least, "maximum": most })),
        (0usize..3, 3usize..9).prop_map(|(least, most)| json!({ "type": "string", "minLength": least, "maxLength": most })),
        Just(json!({ "type": "string", "enum": ["reflux", "胃炎", "a \"b\""] })),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            (inner.clone(), 0usize..2, 2usize..4)
                .prop_map(|(items, least, most)| json!({ "type": "array", "items": items, "minItems": least, "maxItems": most })),
            proptest::collection::btree_map("[a-d]{1,3}", inner, 1..3).prop_map(|fields| {
                let required: Vec<&String> = fields.keys().collect();
                json!({ "type": "object", "properties": &fields, "required": required, "additionalProperties": false })
            }),
        ]
    })
}

/// With 200 tokens most texts end by themselves, with 3 none does: the end is then written without the model.
#[test]
fn json_always_parses_and_fits_its_schema_however_short_the_limit() {
    for family in ["qwen2", "llama"] {
        let (_folder, model) = open(family);
        let model = std::cell::RefCell::new(model);
        let mut runner = TestRunner::new(Config { cases: 40, ..Config::default() });
        let cut_off = std::cell::Cell::new(0);
        runner
            .run(&(schemas(), prop_oneof![Just(3usize), Just(20), Just(200)], any::<u64>()), |(schema, max_tokens, seed)| {
                let (text, finish) = write(&mut model.borrow_mut(), &Constraint::json("form", schema.clone()), max_tokens, seed);
                cut_off.set(cut_off.get() + u32::from(finish == Finish::Length));
                let value: Value = serde_json::from_str(&text).map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
                prop_assert!(jsonschema::is_valid(&schema, &value), "{text} for {schema}");
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{family}: {error}"));
        assert!(cut_off.get() > 0, "{family}: some texts were cut off");
    }
}

#[test]
fn a_list_of_triples_is_one_at_every_length() {
    let (_folder, mut model) = open("qwen3");
    let constraint = Constraint::json("triples", triples());
    for max_tokens in [1, 2, 5, 17, 40, 77, 150] {
        let (text, _) = write(&mut model, &constraint, max_tokens, max_tokens as u64);
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{max_tokens}: {error} in {text}"));
        assert!(jsonschema::is_valid(&triples(), &value), "{text}");
        assert!(meets(&constraint, &text), "{text}");
    }
}

#[test]
fn choices_and_patterns_are_met() {
    for family in ["qwen2", "phi3", "gemma3"] {
        let (_folder, mut model) = open(family);
        let mut chosen = std::collections::BTreeSet::new();
        for seed in 0..12 {
            let choice = Constraint::choice(["yes", "no", "是", "足够"]);
            let (text, finish) = write(&mut model, &choice, 30, seed);
            assert!(meets(&choice, &text) && finish == Finish::Stop, "{family}: {text:?} {finish:?}");
            chosen.insert(text);
            let scores = Constraint::Pattern((1..=3).map(|n| format!("{n}: (?:0\\.[0-9][0-9]|1\\.00)")).collect::<Vec<_>>().join("; "));
            let (text, finish) = write(&mut model, &scores, 60, seed);
            assert!(meets(&scores, &text) && finish == Finish::Stop, "{family}: {text:?} {finish:?}");
        }
        assert!(chosen.len() > 1, "{family}: the model chooses, not the form: {chosen:?}");
    }
}

#[test]
fn a_form_that_cannot_be_is_refused_in_plain_words_and_nothing_is_left_of_it() {
    let (_folder, mut model) = open("qwen2");
    for wrong in
        [Constraint::Pattern("(".into()), Constraint::choice(Vec::<String>::new()), Constraint::json("x", json!({ "type": "nonsense" }))]
    {
        let sampling = Sampling { constraint: Some(wrong.clone()), ..Sampling::default() };
        let error = model.generate(&Prompt::new("", "what"), &sampling, &mut |_| true).expect_err("refused").to_string();
        assert!(error.contains("the form that its text should have cannot be used"), "{error}");
        assert!(!meets(&wrong, "a"));
    }
    let (text, _) = write(&mut model, &Constraint::choice(["yes"]), 10, 1);
    assert_eq!(text, "yes");
}
