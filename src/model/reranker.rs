//! What a cross-encoder is to the rest of the program.

use super::{Matrix, ModelError};

/// A cross-encoder: reads two texts together and says how relevant the second is to the first. Owned by one thread.
pub trait Reranker: Send {
    /// Its name, as traces show it.
    fn name(&self) -> &str;

    /// `candle` or `http`.
    fn kind(&self) -> &'static str;

    /// Where it runs: `cpu`, `cuda:0`, `metal:0`, `remote`.
    fn device(&self) -> String;

    /// Relevance of every document to every query, 0 to 1: one row a query, one column a document.
    /// `cancelled` is asked between batches.
    ///
    /// # Errors
    /// If the computation fails or was cancelled ([`ModelError::Cancelled`]).
    fn score(&mut self, queries: &[String], documents: &[String], cancelled: &dyn Fn() -> bool) -> Result<Matrix, ModelError>;
}
