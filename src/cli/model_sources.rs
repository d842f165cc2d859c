//! Where models come from: files on this machine, by candle, or a server. Each of these runs on the thread that will own the model.

use std::path::PathBuf;

use candle_core::Device;

use crate::config::{DeviceChoice, RemoteConfig};
use crate::model::infer::{bert, lm};
use crate::model::{
    Encoder, Generator, ModelError, OpenedDevice, RemoteEncoder, RemoteGenerator, RemoteReranker, Reranker, devices, in_words, open_device,
};

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
}

/// The device of a choice, the processor where it cannot be used, which was said when the choice was made.
fn device_of(choice: DeviceChoice) -> Device {
    let OpenedDevice { device, .. } = open_device(choice);
    device
}

/// Refuses a model that needs more memory than is free on the device, before any of it is loaded.
fn fits(name: &str, device: &Device, needed: u64) -> Result<(), ModelError> {
    let free = devices().into_iter().find(|info| info.is(device)).and_then(|info| info.memory).map(|(_, free)| free);
    match free {
        Some(free) if needed > free => Err(ModelError::Load {
            name: name.to_owned(),
            problem: format!(
                "it needs about {} of memory and {} are free; close other programs, or choose a smaller model (`catena models list`)",
                in_words(needed),
                in_words(free)
            ),
        }),
        _ => Ok(()),
    }
}

/// Opens an encoder.
pub(super) fn encoder(source: &Source) -> Result<Box<dyn Encoder>, ModelError> {
    match source {
        Source::Local { name, path, device } => {
            let device = device_of(*device);
            fits(name, &device, bert::inspect(path)?.bytes)?;
            bert::open_encoder(path, &device)
        }
        Source::Remote(remote) => Ok(Box::new(RemoteEncoder::open((**remote).clone())?)),
    }
}

/// Opens a cross-encoder.
pub(super) fn reranker(source: &Source) -> Result<Box<dyn Reranker>, ModelError> {
    match source {
        Source::Local { name, path, device } => {
            let device = device_of(*device);
            fits(name, &device, bert::inspect(path)?.bytes)?;
            bert::open_reranker(path, &device)
        }
        Source::Remote(remote) => Ok(Box::new(RemoteReranker::open((**remote).clone())?)),
    }
}

/// Opens a language model.
pub(super) fn generator(source: &Source) -> Result<Box<dyn Generator>, ModelError> {
    match source {
        Source::Local { name, path, device } => {
            let device = device_of(*device);
            let inspection = lm::inspect(path)?;
            fits(name, &device, inspection.memory(lm::CONTEXT.min(inspection.context)))?;
            lm::open(path, &device, &lm::Options::default())
        }
        Source::Remote(remote) => Ok(Box::new(RemoteGenerator::open((**remote).clone())?)),
    }
}
