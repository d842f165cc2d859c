//! A run as a report, and its evidence as a drawing. Everything is made from the [`Trace`](crate::pipeline::Trace) alone.

mod drawing;
mod layout;

pub use drawing::{Drawing, Edge, Node};
