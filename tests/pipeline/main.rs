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
mod after_procedures;
mod alarms;
mod asked_and_said;
mod befits;
mod beside_self;
mod beside_values;
mod cases;
mod checked_claims;
mod cited_names;
mod clinical;
mod clinical_safety;
mod compact;
mod context_of_care;
mod denied_part;
mod details_of_reading;
mod documents;
mod eval_data;
mod eval_score;
mod evaluation;
mod everyday_words;
mod evidence;
mod explained;
mod feared_or_past;
mod fold;
mod follow_ups;
mod genmedgpt;
mod instead;
mod known_illness;
mod late_warnings;
mod lay_emergencies;
mod lay_families;
mod leading;
mod llm_stages;
mod measured_and_asked;
mod medicines;
mod methods;
mod misleading_lead;
mod misreadings;
mod names_by_model;
mod near_others;
mod next_step;
mod offered_safely;
mod opinions;
mod pictures;
mod precise_reading;
mod questions;
mod quiet_emergencies;
mod refusals;
mod safety_rules;
mod said_and_meant;
mod said_of_others;
mod short_alarms;
mod starter;
mod stop;
mod told_results;
mod told_topics;
mod triage;
mod triage_facts;
mod unasked;
mod understanding;
mod urgency;
mod value_bands;
mod ward_shorthand;
mod what_is_asked;
