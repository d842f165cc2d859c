//! Opens models, from files on this machine or from a server. Each function runs on the thread that will own the model.

use std::path::{Path, PathBuf};

use candle_core::Device;

use crate::config::{DeviceChoice, ModelRole, RemoteConfig};
use crate::method::LateWarnings;
use crate::model::infer::{bert, lm};
use crate::model::{
    Encoder, Generator, ModelError, RemoteEncoder, RemoteGenerator, RemoteReranker, Reranker, available_memory, in_words, open_device,
};
use crate::text::sanitise_line;

/// What the errors of CUDA, cuBLAS and Metal hold where a card has no memory left, in small letters.
const OUT_OF_MEMORY: [&str; 4] = ["out of memory", "out_of_memory", "alloc_failed", "failed to create metal resource"];

/// Where a model comes from.
pub(super) enum ModelSource {
    /// A file or folder.
    Local(PlacedModel),
    /// A server.
    Remote(Box<RemoteConfig>),
}

/// A model on this machine, and where it runs.
pub(super) struct PlacedModel {
    /// The name that the user gave.
    pub(super) name: String,
    /// Its file or folder.
    pub(super) path: PathBuf,
    /// The device it runs on; never `auto`.
    pub(super) device: DeviceChoice,
    /// Whether `auto` chose the device: then the processor can take over.
    pub(super) by_auto: bool,
}

impl ModelSource {
    /// The model's name in messages and traces.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Local(model) => &model.name,
            Self::Remote(remote) => &remote.model,
        }
    }
}

impl PlacedModel {
    /// Opens the model on its device. If `auto` chose a card whose memory is not enough after all, the processor takes over, and keeps the
    /// model if it is opened again.
    fn open<M>(&mut self, warnings: &LateWarnings, open: impl Fn(&Self, DeviceChoice) -> Result<M, ModelError>) -> Result<M, ModelError> {
        let card = self.device;
        match open(self, card) {
            Err(error) if card != DeviceChoice::Cpu && is_out_of_memory(&error) => {}
            opened => return opened,
        }
        let shortage = format!("{card} has too little memory left to open it");
        let remedy = "close other programs that use the card, or choose a smaller model (`catena models list`)";
        if !self.by_auto {
            let problem = format!("{shortage}; {remedy}, or set `device = \"auto\"` in the configuration to use the processor");
            return Err(ModelError::Load { name: self.name.clone(), problem });
        }
        let model = open(self, DeviceChoice::Cpu)?;
        self.device = DeviceChoice::Cpu;
        warnings.add(format!(
            "The model {} runs on the processor, which is slower: {shortage}. To use the card, {remedy}, and start Catena again.",
            sanitise_line(&self.name)
        ));
        Ok(model)
    }

    /// The device, opened. On the processor, too little memory is an error before anything is loaded.
    fn opened_device(&self, choice: DeviceChoice, role: ModelRole) -> Result<Device, ModelError> {
        let refused = |problem: String| ModelError::Load { name: self.name.clone(), problem };
        let needed = memory_needed(role, &self.path)?;
        if choice == DeviceChoice::Cpu {
            check_memory(needed, available_memory().map(|(_, free)| free)).map_err(refused)?;
        }
        open_device(choice).map_err(refused)
    }
}

fn is_out_of_memory(error: &ModelError) -> bool {
    let text = error.to_string().to_lowercase();
    OUT_OF_MEMORY.iter().any(|sign| text.contains(sign))
}

/// Bytes of memory that a model needs in a role, from the headers of its files.
///
/// # Errors
/// If its files are missing, damaged or unsupported.
pub(super) fn memory_needed(role: ModelRole, path: &Path) -> Result<u64, ModelError> {
    match role {
        ModelRole::Encoder | ModelRole::Reranker => Ok(bert::inspect(path)?.bytes),
        ModelRole::Generator => {
            let inspection = lm::inspect(path)?;
            Ok(inspection.memory(lm::CONTEXT.min(inspection.context)))
        }
    }
}

/// Refuses a model that needs more memory than is free; nothing is refused where the system does not say how much that is.
fn check_memory(needed: u64, free: Option<u64>) -> Result<(), String> {
    match free {
        Some(free) if needed > free => Err(format!(
            "it needs about {} of memory, and only {} is free; close other programs, or choose a smaller model (`catena models list`)",
            in_words(needed),
            in_words(free)
        )),
        _ => Ok(()),
    }
}

/// Opens an encoder.
pub(super) fn encoder(source: &mut ModelSource, warnings: &LateWarnings) -> Result<Box<dyn Encoder>, ModelError> {
    match source {
        ModelSource::Local(model) => {
            model.open(warnings, |model, device| bert::open_encoder(&model.path, &model.opened_device(device, ModelRole::Encoder)?))
        }
        ModelSource::Remote(remote) => Ok(Box::new(RemoteEncoder::open((**remote).clone())?)),
    }
}

/// Opens a cross-encoder.
pub(super) fn reranker(source: &mut ModelSource, warnings: &LateWarnings) -> Result<Box<dyn Reranker>, ModelError> {
    match source {
        ModelSource::Local(model) => {
            model.open(warnings, |model, device| bert::open_reranker(&model.path, &model.opened_device(device, ModelRole::Reranker)?))
        }
        ModelSource::Remote(remote) => Ok(Box::new(RemoteReranker::open((**remote).clone())?)),
    }
}

/// Opens a language model.
pub(super) fn generator(
    source: &mut ModelSource,
    options: &lm::Options,
    warnings: &LateWarnings,
) -> Result<Box<dyn Generator>, ModelError> {
    match source {
        ModelSource::Local(model) => {
            model.open(warnings, |model, device| lm::open(&model.path, &model.opened_device(device, ModelRole::Generator)?, options))
        }
        ModelSource::Remote(remote) => Ok(Box::new(RemoteGenerator::open((**remote).clone())?)),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn placed(device: DeviceChoice, by_auto: bool) -> PlacedModel {
        PlacedModel { name: "qwen".into(), path: PathBuf::from("qwen.gguf"), device, by_auto }
    }

    fn fails(problem: &str) -> ModelError {
        ModelError::Load { name: "qwen".into(), problem: problem.into() }
    }

    /// Opens a model where the card fails with `problem`. The result, and the devices that were tried.
    fn opened(model: &mut PlacedModel, warnings: &LateWarnings, problem: &str) -> (Result<DeviceChoice, ModelError>, Vec<DeviceChoice>) {
        let tried = RefCell::new(Vec::new());
        let result = model.open(warnings, |_, device| {
            tried.borrow_mut().push(device);
            if device == DeviceChoice::Cpu { Ok(device) } else { Err(fails(problem)) }
        });
        (result, tried.into_inner())
    }

    const CUDA: &str = "the tensor output: DriverError(CUDA_ERROR_OUT_OF_MEMORY, \"out of memory\")";

    #[test]
    fn where_auto_chose_a_card_that_runs_out_of_memory_the_processor_takes_over_once_and_for_good() {
        for problem in [CUDA, "CUBLAS_STATUS_ALLOC_FAILED", "Metal error Failed to create metal resource: Buffer"] {
            let (mut model, warnings) = (placed(DeviceChoice::Cuda(0), true), LateWarnings::default());
            let (result, tried) = opened(&mut model, &warnings, problem);
            assert_eq!(result.expect("the processor opens it"), DeviceChoice::Cpu);
            assert_eq!(tried, [DeviceChoice::Cuda(0), DeviceChoice::Cpu]);
            let said = Vec::from_iter(warnings.all());
            assert_eq!(said.len(), 1, "{said:?}");
            for part in ["qwen", "processor", "cuda:0", "smaller model"] {
                assert!(said[0].contains(part), "{part}: {said:?}");
            }
            let (_, tried) = opened(&mut model, &warnings, problem);
            assert_eq!((tried, warnings.all().len()), (vec![DeviceChoice::Cpu], 1), "opened again: not moved again, not said again");
        }
    }

    #[test]
    fn a_card_by_choice_that_runs_out_of_memory_is_an_error_that_says_what_to_do() {
        let (mut model, warnings) = (placed(DeviceChoice::Cuda(1), false), LateWarnings::default());
        let (result, tried) = opened(&mut model, &warnings, CUDA);
        let problem = result.expect_err("the processor was not asked").to_string();
        for part in ["qwen", "cuda:1", "smaller model", "device = \"auto\""] {
            assert!(problem.contains(part), "{part}: {problem}");
        }
        assert!(tried == [DeviceChoice::Cuda(1)] && warnings.all().is_empty(), "{tried:?}");
    }

    #[test]
    fn other_failures_on_a_card_are_not_taken_for_a_lack_of_memory() {
        let (mut model, warnings) = (placed(DeviceChoice::Cuda(0), true), LateWarnings::default());
        let (result, tried) = opened(&mut model, &warnings, "the tensor output is missing");
        assert!(result.expect_err("damaged").to_string().contains("output is missing"));
        assert!(tried == [DeviceChoice::Cuda(0)] && warnings.all().is_empty(), "{tried:?}");
    }

    #[test]
    fn if_the_processor_fails_too_its_error_counts_and_the_card_is_tried_again_next_time() {
        let (mut model, warnings) = (placed(DeviceChoice::Cuda(0), true), LateWarnings::default());
        let full = |_: &PlacedModel, device: DeviceChoice| -> Result<(), ModelError> {
            Err(fails(if device == DeviceChoice::Cpu { "only 1.0 GB is free" } else { CUDA }))
        };
        let error = model.open(&warnings, full).expect_err("no room anywhere").to_string();
        assert!(error.contains("only 1.0 GB is free") && warnings.all().is_empty(), "{error}");
        assert_eq!(model.device, DeviceChoice::Cuda(0));
    }

    #[test]
    fn a_model_too_large_for_the_processor_is_refused_with_both_figures() {
        let problem = check_memory(16_000_000_000, Some(8_000_000_000)).expect_err("too large");
        assert!(problem.contains("16.0 GB") && problem.contains("8.0 GB") && problem.contains("smaller model"), "{problem}");
        assert_eq!(check_memory(16_000_000_000, Some(16_000_000_000)), Ok(()));
        assert_eq!(check_memory(16_000_000_000, None), Ok(()), "the system does not say");
    }
}
