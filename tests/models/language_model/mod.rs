//! Local language models: tiny ones of every family, written here in the real formats with random weights, and a small real one, loaded and run.

mod conversation;
mod damaged;
mod decoding;
mod families;
mod forms;
mod smollm2;
