//! Starts the models that flags and configuration choose, each on a thread of its own.

use std::path::{Path, PathBuf};

use super::args::ModelArgs;
use super::exit::UsageError;
use super::model_sources::{self, ModelSource, PlacedModel};
use super::recogniser::start_recogniser;
use super::setup::Setup;
use crate::config::{Config, DeviceChoice, ModelChoice, ModelRole};
use crate::method::{Engine, EngineModels, LateWarnings};
use crate::model::infer::lm;
use crate::model::{EncoderHandle, GeneratorHandle, Machine, ModelError, Placement, RecogniserHandle, RerankerHandle, Store, place};
use crate::text::sanitise_line;

/// A model that has started to load.
struct StartedModel<H> {
    handle: H,
    /// Chosen by a flag: if it cannot be used, that is an error; otherwise the built-in model replaces it.
    by_flag: bool,
}

/// Models that have started to load; `None` where the built-in one is used.
pub(super) struct StartedModels {
    encoder: Option<StartedModel<EncoderHandle>>,
    reranker: Option<StartedModel<RerankerHandle>>,
    generator: Option<StartedModel<GeneratorHandle>>,
    recogniser: Option<RecogniserHandle>,
    warnings: Vec<String>,
    /// Warnings of the models' threads.
    late_warnings: LateWarnings,
}

/// Starts to load the chosen models. If a model of the configuration is missing, a warning says so and the built-in one replaces it.
///
/// # Errors
/// If a flag names a model that does not exist or has no place on the chosen device, a `[remote.NAME]` table cannot be used, or the system
/// cannot start a thread.
pub(super) fn start_models(args: &ModelArgs, setup: &Setup) -> anyhow::Result<StartedModels> {
    let config = &setup.config;
    let (recogniser, warning) = start_recogniser(setup)?;
    let warnings = Vec::from_iter(warning);
    let late_warnings = LateWarnings::default();
    let mut started = StartedModels { encoder: None, reranker: None, generator: None, recogniser, warnings, late_warnings };
    let device = config.device.unwrap_or_default();
    let mut machine = None;
    for role in ModelRole::ALL {
        let flag = match role {
            ModelRole::Generator => &args.generator,
            ModelRole::Encoder => &args.encoder,
            ModelRole::Reranker => &args.reranker,
        };
        let by_flag = flag.is_some();
        let mut source = match config.choice(role, flag.as_deref())? {
            ModelChoice::BuiltIn => continue,
            ModelChoice::Remote(remote) => ModelSource::Remote(remote),
            ModelChoice::Local(name) => match find_model(&name, &setup.model_store()) {
                Ok(path) => match placement(device, role, &name, &path, &mut machine) {
                    Ok(Placement { device: chosen, warning }) => {
                        if let Some(warning) = warning.filter(|warning| !started.warnings.contains(warning)) {
                            started.warnings.push(warning);
                        }
                        ModelSource::Local(PlacedModel { name, path, device: chosen, by_auto: device == DeviceChoice::Auto })
                    }
                    Err(error) if by_flag => return Err(error.into()),
                    Err(error) => {
                        started.warnings.push(replaced(role, &error.to_string()));
                        continue;
                    }
                },
                Err(why) if by_flag => return Err(UsageError(format!("--{role}: {why}")).into()),
                Err(why) => {
                    started.warnings.push(replaced(role, &why));
                    continue;
                }
            },
        };
        let name = source.name().to_owned();
        let late = started.late_warnings.clone();
        match role {
            ModelRole::Encoder => {
                let handle = EncoderHandle::start_boxed(&name, move || model_sources::encoder(&mut source, &late))?;
                started.encoder = Some(StartedModel { handle, by_flag });
            }
            ModelRole::Reranker => {
                let handle = RerankerHandle::start(&name, move || model_sources::reranker(&mut source, &late))?;
                started.reranker = Some(StartedModel { handle, by_flag });
            }
            ModelRole::Generator => {
                let options = decoding(config)?;
                let handle = GeneratorHandle::start(&name, move || model_sources::generator(&mut source, &options, &late))?;
                started.generator = Some(StartedModel { handle, by_flag });
            }
        }
    }
    Ok(started)
}

/// Where a local model runs. Models are placed one after the other, and what one needs is not free for the next. Cards are looked for only
/// if the setting asks for one.
///
/// # Errors
/// If the chosen device cannot be used, or has no room for the model.
fn placement(
    device: DeviceChoice,
    role: ModelRole,
    name: &str,
    path: &Path,
    machine: &mut Option<Machine>,
) -> Result<Placement, ModelError> {
    if device == DeviceChoice::Cpu {
        return Ok(Placement::on(device));
    }
    let machine = machine.get_or_insert_with(Machine::here);
    // If its headers cannot be read, loading the model explains better what is wrong with it.
    let needed = model_sources::memory_needed(role, path).unwrap_or(0);
    let placed =
        place(device, machine, &sanitise_line(name), needed).map_err(|problem| ModelError::Load { name: sanitise_line(name), problem })?;
    machine.set_aside(placed.device, needed);
    Ok(placed)
}

/// How a local language model draws its tokens, as the configuration has it.
///
/// # Errors
/// If a value is outside its range.
fn decoding(config: &Config) -> anyhow::Result<lm::Options> {
    let out_of_range = |name: &str, range: &str| UsageError(format!("the setting {name} must be a number from {range}"));
    if config.repetition_penalty.is_some_and(|penalty| !(1.0..=2.0).contains(&penalty)) {
        return Err(out_of_range("repetition_penalty", "1 to 2").into());
    }
    if config.min_p.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
        return Err(out_of_range("min_p", "0 to 1").into());
    }
    Ok(lm::Options { repetition_penalty: config.repetition_penalty, min_p: config.min_p, ..lm::Options::default() })
}

impl StartedModels {
    /// Whether the built-in encoder is used.
    pub(super) fn encoder_is_built_in(&self) -> bool {
        self.encoder.is_none()
    }

    /// The language model alone, once it is loaded; `None` if none was chosen.
    ///
    /// # Errors
    /// If it cannot be loaded.
    pub(super) fn generator(self) -> anyhow::Result<Option<GeneratorHandle>> {
        let Some(StartedModel { handle, .. }) = self.generator else { return Ok(None) };
        handle.loaded()?;
        Ok(Some(handle))
    }

    /// The encoder alone; the built-in one if the configured one cannot be loaded.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub(super) fn encoder(&self) -> anyhow::Result<EncoderHandle> {
        match &self.encoder {
            Some(model) if model.by_flag || model.handle.loaded().is_ok() => Ok(model.handle.clone()),
            _ => Ok(Engine::start_encoder()?),
        }
    }

    /// The models for an engine. Waits for the encoder, which embeds all names, and for models that a flag names. Others go on loading;
    /// if one fails, the run warns and does without it.
    ///
    /// # Errors
    /// If a model that a flag names cannot be loaded, or the system cannot start a thread.
    pub(super) fn ready(mut self) -> anyhow::Result<EngineModels> {
        let encoder = match self.encoder {
            None => Engine::start_encoder()?,
            Some(StartedModel { handle, by_flag }) => match handle.loaded() {
                Ok(_) => handle,
                Err(error) if by_flag => return Err(error.into()),
                Err(error) => {
                    self.warnings.push(replaced(ModelRole::Encoder, &error.to_string()));
                    Engine::start_encoder()?
                }
            },
        };
        if let Some(model) = self.reranker.as_ref().filter(|model| model.by_flag) {
            model.handle.loaded()?;
        }
        if let Some(model) = self.generator.as_ref().filter(|model| model.by_flag) {
            let loaded = model.handle.loaded()?;
            self.warnings.extend(loaded.warning.map(|warning| format!("The model {}: {warning}.", sanitise_line(&loaded.name))));
        }
        Ok(EngineModels {
            encoder,
            reranker: self.reranker.map(|model| model.handle),
            recogniser: self.recogniser,
            generator: self.generator.map(|model| model.handle),
            warnings: self.warnings,
            late_warnings: self.late_warnings,
        })
    }
}

fn replaced(role: ModelRole, why: &str) -> String {
    let instead = match role {
        ModelRole::Generator => "Catena derives the hypothesis from the graph and composes the answer from the chains",
        ModelRole::Encoder => "Catena uses the built-in encoder",
        ModelRole::Reranker => "Catena ranks the chains by the encoder's similarity",
    };
    format!("The {role} of the configuration cannot be used: {why}. Instead, {instead}.")
}

/// The file or folder of a model, by its name in the folder of models or by its path; else why it cannot be found.
fn find_model(name: &str, store: &Store) -> Result<PathBuf, String> {
    if let Some(model) = store.find(name) {
        return Ok(model.path);
    }
    // Loading the model explains better what is wrong with it.
    if Path::new(name).exists() {
        return Ok(PathBuf::from(name));
    }
    let local: Vec<String> = store.models().unwrap_or_default().into_iter().map(|model| sanitise_line(&model.name)).collect();
    let local = if local.is_empty() { "which is empty".to_owned() } else { format!("which has: {}", local.join(", ")) };
    let (name, folder) = (sanitise_line(name), store.folder().display());
    Err(format!(
        "{name:?} is not a built-in model, not a path, and not in the folder of models {folder}, {local}; see `catena models list`"
    ))
}
