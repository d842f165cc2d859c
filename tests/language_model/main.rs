//! Local language models: tiny ones of every family, written here in the real formats with random weights, loaded and run.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, unreachable_pub, reason = "helpers of tests may fail the test")]

mod build;
mod conversation;
mod damaged;
mod decoding;
mod families;
