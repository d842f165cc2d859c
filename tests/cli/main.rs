//! The program as scripts and people call it: what it promises, what it refuses, and what it leaves behind.

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

mod bad_input;
mod batch;
mod contract;
mod docs_command;
mod documents_by_model;
mod documents_killed;
mod documents_removed;
mod export;
mod fixtures;
mod kg_command;
mod manners;
mod model_choice;
mod model_question;
mod models_command;
mod privacy;
mod recogniser;
mod sessions;
mod shell_files;
mod terminal;
