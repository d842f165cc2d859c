//! The terminal interface: whole screens, the real loop under a script, and every size.
// Helpers of tests may fail as tests do; clippy knows only the tests themselves.
#![allow(clippy::expect_used, clippy::panic)]

mod beside;
mod cells;
mod driven;
mod language_model;
mod lessons;
mod lists;
mod review;
mod sample;
mod screens;
mod sizes;
mod support;
mod teaching;
mod the_loop;
mod typing;
mod whole_session;
