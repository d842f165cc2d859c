//! The trait of cross-encoders.

use super::{Matrix, ModelError};

/// A cross-encoder: reads two texts together and rates how relevant the second is to the first. Owned by one thread.
pub trait Reranker: Send {
    /// Its name, as traces show it.
    fn name(&self) -> &str;

    /// `candle` or `http`.
    fn kind(&self) -> &'static str;

    /// Where it runs: `cpu`, `cuda:0`, `metal:0`, `remote`.
    fn device(&self) -> String;

    /// Relevance of every document to every query, 0 to 1: one row for each query, one column for each document.
    /// `cancelled` is checked between batches.
    ///
    /// # Errors
    /// If the computation fails or was cancelled ([`ModelError::Cancelled`]).
    fn score(&mut self, queries: &[String], documents: &[String], cancelled: &dyn Fn() -> bool) -> Result<Matrix, ModelError>;
}
