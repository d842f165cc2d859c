//! Models on servers that speak OpenAI's protocol: language models, encoders, cross-encoders.
//!
//! Nothing is sent anywhere before one of them is opened, and only its own server is ever talked to: no redirects are followed. Each
//! brings its own single-threaded runtime and blocks the thread that owns it, as a local model would.

mod encoder;
mod error;
mod fitting;
mod generator;
mod key;
mod outcome;
mod reranker;
mod server;
mod sse;
mod stream;

pub use encoder::RemoteEncoder;
pub use error::RemoteError;
pub use generator::RemoteGenerator;
pub use reranker::RemoteReranker;

pub(super) use outcome::{Ended, innermost};
pub(super) use server::{install_tls, watched};
