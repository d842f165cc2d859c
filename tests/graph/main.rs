//! Knowledge graphs: imported, written, read and searched.

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

mod chain_search;
mod conformance;
mod import;
mod interaction_effects;
mod kg_import;
mod personalised_pagerank;
mod snapshot;
mod starter_graph;
