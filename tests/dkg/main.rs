//! The DKG: its journal and store, what is proposed for it, and how it learns from feedback.

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

mod command;
mod learning_loop;
mod named_facts;
mod proposals;
mod ratings;
mod store;
