//! Encoders and cross-encoders of the BERT family: beside candle-transformers and PyTorch, on broken files, and within the program.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    unreachable_pub,
    reason = "helpers of tests may fail the test, and are used from several files"
)]

mod damaged;
mod minilm;
mod pairs;
mod sentences;
mod tiny;
