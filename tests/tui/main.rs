//! The terminal interface: whole screens, the real loop under a script, every size; and the plain mode for screen readers.

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

mod accessible;
mod alarm;
mod asked_again;
mod beside;
mod case_answers;
mod case_corrections;
mod case_run;
mod case_words;
mod cells;
mod chinese;
mod choosing;
mod damaged;
mod demo;
mod driven;
mod first_user;
mod fixtures;
mod graph;
mod habits;
mod harness;
mod in_sight;
mod language_model;
mod lessons;
mod lists;
mod look;
mod misread;
mod passages;
mod picture;
mod reading;
mod review;
mod screens;
mod sizes;
mod teaching;
mod the_loop;
mod trial;
mod typing;
mod whole_session;
