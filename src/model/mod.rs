//! Models: what turns texts into vectors, scores and other texts, each owned by one thread.

pub mod bert;
mod cancel;
mod encoder;
mod generator;
pub mod lm;
mod matrix;
mod name_vectors;
mod ngram;
mod reranker;
mod static_encoder;
mod worker;

pub use cancel::CancelToken;
pub use encoder::{Encoder, ModelError};
pub use generator::{Finish, Generation, Generator, Prompt, PromptPart, Sampling};
pub(crate) use matrix::dot;
pub use matrix::{Matrix, VectorIndex};
pub use name_vectors::{
    BuildPhase, BuildProgress, EXACT_UP_TO, NameRows, NameVectors, Opened, Rebuild, SearchedBy, TOLERANCE, VectorKey, VectorsError,
    fingerprint,
};
pub use reranker::Reranker;
pub use static_encoder::StaticEncoder;
pub use worker::{EncoderHandle, GeneratorHandle, LoadedModel, Pending, RerankerHandle, WorkerState, WorkerStatus};
pub(crate) use worker::{LOOK, THREAD};
