//! Models: what turns texts into vectors, scores and other texts, each owned by one thread.

mod cancel;
mod device;
mod encoder;
mod generator;
pub mod infer;
mod matrix;
mod name_vectors;
mod remote;
mod reranker;
mod store;
mod thinking;
mod worker;

pub use cancel::CancelToken;
pub use device::{DeviceInfo, InstructionSet, OpenedDevice, devices, instruction_set, open_device};
pub use encoder::{Encoder, ModelError};
pub use generator::{Finish, Generation, Generator, Prompt, PromptPart, Sampling};
pub use infer::static_encoder::StaticEncoder;
pub(crate) use matrix::dot;
pub use matrix::{Matrix, VectorIndex};
pub use name_vectors::{
    BuildPhase, BuildProgress, EXACT_UP_TO, GrowingVectors, NameRows, NameVectors, Opened, Rebuild, SearchedBy, TOLERANCE, VectorKey,
    VectorsError, fingerprint,
};
pub use remote::{RemoteEncoder, RemoteError, RemoteGenerator, RemoteReranker};
pub use reranker::Reranker;
pub(crate) use store::in_words;
pub use store::{
    FileReceipt, FileState, Fit, Headers, Hub, KnownModel, KnownPackage, LocalModel, Progress, Receipt, Store, StoreError,
    available_memory, from_package, known_models, look, pull,
};
pub(crate) use thinking::ThinkingFilter;
pub use worker::{EncoderHandle, GeneratorHandle, LoadedModel, ModelThread, Pending, RerankerHandle, WorkerState, WorkerStatus};
pub(crate) use worker::{LOOK, THREAD};
