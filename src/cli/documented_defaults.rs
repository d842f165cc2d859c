//! `assets/config.toml` says that a commented-out key shows the default. This test compares every one with what the code does.

#![allow(clippy::expect_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ask::MAX_CHAINS;
use super::graphs::STARTER;
use super::open_engine::teach_settings;
use super::recogniser::SHIPPED;
use crate::config::{Config, DeviceChoice, ModelRole, PromptSize};
use crate::graph::starter_graph;
use crate::method::{Engine, EngineOptions};
use crate::run::{Ask, MethodName};
use crate::session::KEPT_SESSIONS;
use crate::tui::TuiOptions;
use toml::{Table, Value};

/// Keys that are unset by default; the file shows an example.
const UNSET: [&str; 5] = ["docs", "min_p", "models", "repetition_penalty", "roles"];
/// The same of `[remote.NAME]`.
const UNSET_REMOTE: [&str; 9] = ["base_url", "ca_file", "context", "dimension", "key_env", "key_file", "model", "preset", "proxy"];

/// The file with every key uncommented.
fn documented() -> Table {
    let text = include_str!("../../assets/config.toml");
    let is_key = |key: &str| key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let lines = text.lines().filter_map(|line| line.strip_prefix("# "));
    let keys: Vec<&str> =
        lines.filter(|line| line.starts_with('[') || line.split_once(" = ").is_some_and(|(key, _)| is_key(key))).collect();
    keys.join("\n").parse().expect("the uncommented file is TOML")
}

/// A number as TOML writes it, so that 10 seconds and 10.0 are the same.
fn comparable(value: &Value) -> String {
    value.as_integer().map_or_else(|| value.to_string(), |whole| (whole as f64).to_string()).trim_end_matches(".0").to_owned()
}

/// Compares documented values with the code's; `unset` are the keys without a default.
fn compare(documented: &Table, code: &[(&str, Value)], unset: &[&str]) {
    let keys: BTreeSet<&str> = documented.keys().map(String::as_str).collect();
    let expected: BTreeSet<&str> = code.iter().map(|(key, _)| *key).chain(unset.iter().copied()).filter(|key| keys.contains(key)).collect();
    assert_eq!(keys, expected, "every documented key has a default or is known to be unset");
    for (key, default) in code {
        let documented = documented.get(*key).map(comparable);
        assert_eq!(documented, Some(comparable(default)), "{key}");
    }
}

#[test]
fn every_documented_default_is_that_of_the_code() {
    let mut file = documented();
    let (dkg, remote) = (file.remove("dkg").expect("a table"), file.remove("remote").expect("tables"));
    let unset = Config::default();

    let encoder = Engine::start_encoder().expect("a thread");
    let engine = Engine::open(starter_graph().expect("sound"), encoder, &EngineOptions::default(), Vec::new()).expect("opens");
    let engine = Arc::new(engine);
    let settings = engine.info().settings;
    let device = toml::from_str::<Config>("device = \"cpu\"").expect("valid").device;
    assert_eq!(device, Some(DeviceChoice::default()), "the default device is the processor");
    let size = toml::from_str::<Config>("prompt_size = \"auto\"").expect("valid").prompt_size;
    assert_eq!(size, Some(PromptSize::default()), "the model's size decides");
    let number = |number: usize| Value::Integer(i64::try_from(number).expect("small"));
    let text = |text: &str| Value::String(text.to_owned());
    // Linking thresholds are documented with two decimals.
    let delta = (settings.delta * 100.0).round() / 100.0;
    let code = [
        ("kg", text(STARTER)),
        ("k", number(settings.k)),
        ("top_k", number(settings.top_k)),
        ("delta", Value::Float(delta)),
        ("fragment_words", number(settings.fragment_words)),
        ("fragment_overlap", number(settings.fragment_overlap)),
        ("method", text(&MethodName::default().to_string())),
        ("language", text("auto")),
        ("max_chains", number(MAX_CHAINS)),
        ("seed", Value::Integer(settings.seed)),
        ("theme", text(&TuiOptions::default().theme)),
        ("accessible", Value::Boolean(unset.is_accessible())),
        ("history", Value::Boolean(unset.keeps_history())),
        ("sessions", Value::Boolean(unset.records_sessions())),
        ("sessions_keep", number(KEPT_SESSIONS)),
        ("generator", text(ModelRole::Generator.built_in())),
        ("encoder", text(ModelRole::Encoder.built_in())),
        ("reranker", text(ModelRole::Reranker.built_in())),
        ("recogniser", text(SHIPPED)),
        ("device", text(&DeviceChoice::default().to_string())),
        ("prompt_size", text("auto")),
    ];
    compare(&file, &code, &UNSET);

    let teach = teach_settings(&unset).expect("the defaults are valid");
    let code = [
        ("use", Value::Boolean(unset.dkg.is_in_use())),
        ("auto_accept", Value::Boolean(teach.auto_accept)),
        ("compare_relation", Value::Boolean(teach.check.compare_relation)),
        ("redundancy_distance", Value::Float(teach.check.redundancy_distance)),
    ];
    compare(dkg.as_table().expect("a table"), &code, &[]);

    let bare: Config = toml::from_str("[remote.clinic]\npreset = \"vllm\"\nmodel = \"m\"").expect("valid");
    let bare = bare.remote["clinic"].resolve("clinic").expect("complete");
    let code = [
        ("connect_timeout", Value::Float(bare.connect_timeout.as_secs_f64())),
        ("first_token_timeout", Value::Float(bare.first_token_timeout.as_secs_f64())),
        ("stall_timeout", Value::Float(bare.stall_timeout.as_secs_f64())),
        ("retries", Value::Integer(bare.retries.into())),
        ("thinking_tokens", number(bare.thinking_tokens)),
        ("sampling", Value::Boolean(bare.sampling)),
        ("delta", Value::Float(bare.delta)),
        ("batch", number(bare.batch)),
        ("scores", text(&format!("{:?}", bare.scores).to_lowercase())),
    ];
    let clinic = remote.get("clinic").and_then(Value::as_table).expect("a table");
    compare(clinic, &code, &UNSET_REMOTE);
}
