//! The files of a collection: its base, and beside it at most one small addition with the documents that were added or replaced since.
//! Together they are read as the one file that they would make, with its numbers (decision 0121).

mod added;
mod edges;
mod layer;
mod numbers;
#[cfg(test)]
mod tests;

pub(super) use added::{Added, Beside, base_of};
pub(super) use edges::Edges;
pub(super) use layer::Layer;
pub(super) use numbers::Numbers;
