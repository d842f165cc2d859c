//! Models that run in this process: BERT-family encoders and cross-encoders, decoder-only language models, the built-in static encoder.

pub mod bert;
pub mod lm;
pub(crate) mod ngram;
pub(crate) mod static_encoder;

pub use static_encoder::StaticEncoder;
