//! Importing graphs: each format by a small example and by real data, and what hostile or broken files come to.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "helpers of tests may fail the test")]

#[path = "../support/data.rs"]
#[allow(dead_code, unreachable_pub, reason = "each test binary uses its part of this")]
mod data;

mod disease_json;
mod files;
mod graphs;
mod hostile;
mod ontologies;
mod rdf;
mod real;
mod tables;
mod triples;
