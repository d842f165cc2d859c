//! Encoders, language models and servers of models, on their threads.

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

mod encoder;
mod encoder_quality;
mod language_model;
mod metrics;
mod name_vectors;
mod neural_encoder;
mod remote;
mod workers;
