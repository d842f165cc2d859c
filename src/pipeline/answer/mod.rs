//! The answer without a language model: the graph-derived hypothesis, the extractive reader, and their wording.

pub(crate) mod against;
pub(crate) mod compose;
pub(crate) mod extractive;
pub(crate) mod headlines;
pub(crate) mod hypothesis;
pub(crate) mod left_out;
pub(crate) mod plan;
pub(crate) mod stance;
pub(crate) mod statements;
pub(crate) mod wording;
