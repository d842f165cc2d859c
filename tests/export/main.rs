//! Reports: a run as Markdown, HTML, DOT and JSON, and its evidence as a drawing.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail the test")]

mod drawing;
#[path = "../tui/sample.rs"]
#[allow(dead_code, reason = "the screen's tests use the rest of it")]
mod sample;
