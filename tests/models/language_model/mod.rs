//! Local language models: tiny ones of every family, written here in the real formats with random weights, loaded and run.

mod conversation;
mod damaged;
mod decoding;
mod families;
