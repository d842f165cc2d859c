//! Where models come from: files on this machine, by candle, or a server. Each of these runs on the thread that will own the model.

use std::path::PathBuf;

use crate::config::{DeviceChoice, RemoteConfig};
use crate::model::{Encoder, Generator, ModelError, Reranker};

/// A model that is to be opened.
pub(super) enum Source {
    /// A file or folder.
    Local {
        /// The name by which it was asked for.
        name: String,
        /// Where it is.
        path: PathBuf,
        /// Where it is to run.
        device: DeviceChoice,
    },
    /// A server.
    Remote(Box<RemoteConfig>),
}

impl Source {
    /// Its name, as messages and traces show it.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Local { name, .. } => name,
            Self::Remote(remote) => &remote.model,
        }
    }

    /// What cannot be opened by this build, and why.
    fn refused(&self, what: &str) -> ModelError {
        let problem = match self {
            Self::Local { path, device, .. } => format!("this build of Catena reads no {what} from {} (for {device})", path.display()),
            Self::Remote(remote) => format!("this build of Catena asks no server for {what}, and so not {}", remote.base_url),
        };
        ModelError::Load { name: self.name().to_owned(), problem }
    }
}

/// Opens an encoder.
pub(super) fn encoder(source: &Source) -> Result<Box<dyn Encoder>, ModelError> {
    Err(source.refused("encoders"))
}

/// Opens a cross-encoder.
pub(super) fn reranker(source: &Source) -> Result<Box<dyn Reranker>, ModelError> {
    Err(source.refused("rerankers"))
}

/// Opens a language model.
pub(super) fn generator(source: &Source) -> Result<Box<dyn Generator>, ModelError> {
    Err(source.refused("language models"))
}
