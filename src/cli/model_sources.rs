//! Opens models, from files on this machine or from a server. Each function runs on the thread that will own the model.

use std::path::PathBuf;

use candle_core::Device;

use crate::config::{DeviceChoice, RemoteConfig};
use crate::model::infer::{bert, lm};
use crate::model::{
    Encoder, Generator, ModelError, OpenedDevice, RemoteEncoder, RemoteGenerator, RemoteReranker, Reranker, devices, in_words, open_device,
};

/// Where a model comes from.
pub(super) enum ModelSource {
    /// A file or folder.
    Local {
        /// The name that the user gave.
        name: String,
        /// Its file or folder.
        path: PathBuf,
        /// The device it runs on.
        device: DeviceChoice,
    },
    /// A server.
    Remote(Box<RemoteConfig>),
}

impl ModelSource {
    /// The model's name in messages and traces.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Local { name, .. } => name,
            Self::Remote(remote) => &remote.model,
        }
    }
}

/// The chosen device, or the processor if that cannot be used; `start_models` has warned about it.
fn device_of(choice: DeviceChoice) -> Device {
    let OpenedDevice { device, .. } = open_device(choice);
    device
}

/// Refuses a model that needs more memory than is free on the device. Nothing is loaded yet.
fn check_memory(name: &str, device: &Device, needed: u64) -> Result<(), ModelError> {
    let free = devices().into_iter().find(|info| info.is(device)).and_then(|info| info.memory).map(|(_, free)| free);
    match free {
        Some(free) if needed > free => Err(ModelError::Load {
            name: name.to_owned(),
            problem: format!(
                "it needs about {} of memory, and only {} is free; close other programs, or choose a smaller model (`catena models list`)",
                in_words(needed),
                in_words(free)
            ),
        }),
        _ => Ok(()),
    }
}

/// Opens an encoder.
pub(super) fn encoder(source: &ModelSource) -> Result<Box<dyn Encoder>, ModelError> {
    match source {
        ModelSource::Local { name, path, device } => {
            let device = device_of(*device);
            check_memory(name, &device, bert::inspect(path)?.bytes)?;
            bert::open_encoder(path, &device)
        }
        ModelSource::Remote(remote) => Ok(Box::new(RemoteEncoder::open((**remote).clone())?)),
    }
}

/// Opens a cross-encoder.
pub(super) fn reranker(source: &ModelSource) -> Result<Box<dyn Reranker>, ModelError> {
    match source {
        ModelSource::Local { name, path, device } => {
            let device = device_of(*device);
            check_memory(name, &device, bert::inspect(path)?.bytes)?;
            bert::open_reranker(path, &device)
        }
        ModelSource::Remote(remote) => Ok(Box::new(RemoteReranker::open((**remote).clone())?)),
    }
}

/// Opens a language model.
pub(super) fn generator(source: &ModelSource, options: &lm::Options) -> Result<Box<dyn Generator>, ModelError> {
    match source {
        ModelSource::Local { name, path, device } => {
            let device = device_of(*device);
            let inspection = lm::inspect(path)?;
            check_memory(name, &device, inspection.memory(lm::CONTEXT.min(inspection.context)))?;
            lm::open(path, &device, options)
        }
        ModelSource::Remote(remote) => Ok(Box::new(RemoteGenerator::open((**remote).clone())?)),
    }
}
