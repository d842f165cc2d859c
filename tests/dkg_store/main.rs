//! The evolving graph's journal and store: what is acknowledged is never lost, and the state is what the records say, whatever happens to
//! the files.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "helpers of tests may fail the test"
)]

mod crash;
mod damage;
mod full_disk;
mod oracle;
mod sample;
#[path = "../support/mod.rs"]
mod support;
mod writers;
