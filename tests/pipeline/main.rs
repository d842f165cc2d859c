//! From question to answer: facts, methods, language models by script, triage, stopping and evaluation.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    unreachable_pub,
    reason = "tests and their helpers may fail and print"
)]

#[path = "../support/mod.rs"]
mod support;

mod adversaries;
mod cases;
mod checked_claims;
mod clinical;
mod clinical_safety;
mod compact;
mod documents;
mod eval_data;
mod eval_score;
mod evaluation;
mod everyday_words;
mod evidence;
mod explained;
mod fold;
mod genmedgpt;
mod instead;
mod late_warnings;
mod leading;
mod llm_stages;
mod methods;
mod misreadings;
mod names_by_model;
mod pictures;
mod questions;
mod safety_rules;
mod stop;
mod told_results;
mod triage;
mod understanding;
mod urgency;
