//! Models on servers that speak OpenAI's protocol: language models, encoders, cross-encoders.
//!
//! Nothing is sent before a model is opened, and only to its own server: redirects are not followed. Each model has its own single-threaded
//! runtime and blocks the thread that owns it, as a local model would.

mod encoder;
mod error;
mod fitted_prompt;
mod generator;
mod key;
mod request_error;
mod reranker;
mod server;
mod sse;
mod stream;

pub use encoder::RemoteEncoder;
pub use error::{EmptyAnswer, RemoteError};
pub use generator::RemoteGenerator;
pub use reranker::RemoteReranker;

pub(super) use request_error::{RequestError, innermost};
pub(super) use server::{install_tls, watched};
