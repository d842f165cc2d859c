//! Models: encoders (text to vector), cross-encoders (text pair to score), recognisers (text to
//! mentions) and language models (prompt to text). Each is owned by one thread.
//!
//! `infer` runs models in this process, `remote` calls models on servers, `store` downloads and lists model files, `worker` gives each model its
//! thread, `name_vectors` stores and searches the vectors of a graph's names.

mod cancel;
mod constraint;
mod device;
mod encoder;
mod generator;
pub mod infer;
mod loops;
mod matrix;
mod name_vectors;
mod placement;
mod recogniser;
mod remote;
mod reranker;
mod store;
mod thinking;
mod worker;

pub use cancel::CancelToken;
pub use constraint::Constraint;
pub use device::{DeviceInfo, InstructionSet, devices, instruction_set, open_device};
pub use encoder::{Encoder, ModelError};
pub use generator::{Finish, Generation, Generator, Prompt, PromptPart, Sampling};
pub(crate) use infer::dot;
pub use infer::static_encoder::StaticEncoder;
pub use matrix::{Matrix, VectorIndex};
pub use name_vectors::{
    BuildPhase, BuildProgress, EXACT_UP_TO, GrowingVectors, NameRows, NameVectors, OpenedVectors, Rebuild, SearchedBy, TOLERANCE,
    VectorKey, VectorsError, fingerprint,
};
pub use placement::{Machine, Placement, place};
pub use recogniser::{MentionType, Recogniser, TypedMention};
pub use remote::{EmptyAnswer, RemoteEncoder, RemoteError, RemoteGenerator, RemoteReranker};
pub use reranker::Reranker;
pub(crate) use store::in_words;
pub use store::{
    FileReceipt, FileState, Headers, Hub, KnownModel, KnownPackage, LocalModel, MemoryFit, PullProgress, Receipt, Store, StoreError,
    available_memory, from_package, known_models, pull, read_headers,
};
pub(crate) use thinking::ThinkingFilter;
pub use worker::{
    EncoderHandle, GeneratorHandle, LoadedModel, ModelThread, PendingResult, RecogniserHandle, RerankerHandle, WorkerState, WorkerStatus,
};
pub(crate) use worker::{POLL_INTERVAL, THREAD_PREFIX as MODEL_THREAD_PREFIX};
