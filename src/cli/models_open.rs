//! From what flags and configuration say to models on their threads.

use std::path::{Path, PathBuf};

use super::args::ModelArgs;
use super::exit::Usage;
use super::model_sources::{self, Source};
use crate::config::{Config, DeviceChoice, ModelChoice, ModelRole, Paths};
use crate::method::{Engine, EngineModels};
use crate::model::{EncoderHandle, GeneratorHandle, RerankerHandle, Store, open_device};

/// A model that was asked for and begins to load.
struct Wanted<H> {
    handle: H,
    /// Asked for by a flag: then nothing takes its place.
    by_flag: bool,
}

/// Models that begin to load.
pub(super) struct Opening {
    encoder: Option<Wanted<EncoderHandle>>,
    reranker: Option<Wanted<RerankerHandle>>,
    generator: Option<Wanted<GeneratorHandle>>,
    warnings: Vec<String>,
}

/// Starts loading the models that are wanted. A flag that names none is an error of usage, which lists what there is; so is a
/// `[remote.NAME]` table that cannot be used. Where the configuration names a model that is not there, answers say so and do without.
pub(super) fn open_models(args: &ModelArgs, config: &Config, paths: &Paths) -> anyhow::Result<Opening> {
    let mut opening = Opening { encoder: None, reranker: None, generator: None, warnings: Vec::new() };
    let device = config.device.unwrap_or_default();
    if device != DeviceChoice::Cpu {
        opening.warnings.extend(open_device(device).warning);
    }
    for role in ModelRole::ALL {
        let flag = match role {
            ModelRole::Generator => &args.generator,
            ModelRole::Encoder => &args.encoder,
            ModelRole::Reranker => &args.reranker,
        };
        let by_flag = flag.is_some();
        let source = match config.choice(role, flag.as_deref())? {
            ModelChoice::BuiltIn => continue,
            ModelChoice::Remote(remote) => Source::Remote(remote),
            ModelChoice::Local(name) => match found(&name, &models_folder(config, paths)) {
                Ok(path) => Source::Local { name, path, device },
                Err(why) if by_flag => return Err(Usage(format!("--{role}: {why}")).into()),
                Err(why) => {
                    opening.warnings.push(instead(role, &why));
                    continue;
                }
            },
        };
        let name = source.name().to_owned();
        match role {
            ModelRole::Encoder => {
                let handle = EncoderHandle::start_boxed(&name, move || model_sources::encoder(&source))?;
                opening.encoder = Some(Wanted { handle, by_flag });
            }
            ModelRole::Reranker => {
                let handle = RerankerHandle::start(&name, move || model_sources::reranker(&source))?;
                opening.reranker = Some(Wanted { handle, by_flag });
            }
            ModelRole::Generator => {
                let handle = GeneratorHandle::start(&name, move || model_sources::generator(&source))?;
                opening.generator = Some(Wanted { handle, by_flag });
            }
        }
    }
    Ok(opening)
}

impl Opening {
    /// Whether no other encoder than the built-in one is wanted.
    pub(super) fn encoder_is_built_in(&self) -> bool {
        self.encoder.is_none()
    }

    /// The encoder alone, the built-in one where another was configured and cannot be loaded.
    pub(super) fn encoder(&self) -> anyhow::Result<EncoderHandle> {
        match &self.encoder {
            Some(wanted) if wanted.by_flag || wanted.handle.loaded().is_ok() => Ok(wanted.handle.clone()),
            _ => Ok(Engine::start_encoder()?),
        }
    }

    /// The models for an engine. Those that flags ask for must have loaded; an encoder must, too, since the vectors of all names are
    /// its. Others go on loading: where one fails, the run does without and says so.
    pub(super) fn ready(mut self) -> anyhow::Result<EngineModels> {
        let encoder = match self.encoder {
            None => Engine::start_encoder()?,
            Some(Wanted { handle, by_flag }) => match handle.loaded() {
                Ok(_) => handle,
                Err(error) if by_flag => return Err(error.into()),
                Err(error) => {
                    self.warnings.push(instead(ModelRole::Encoder, &error.to_string()));
                    Engine::start_encoder()?
                }
            },
        };
        if let Some(wanted) = self.reranker.as_ref().filter(|wanted| wanted.by_flag) {
            wanted.handle.loaded()?;
        }
        if let Some(wanted) = self.generator.as_ref().filter(|wanted| wanted.by_flag) {
            wanted.handle.loaded()?;
        }
        Ok(EngineModels {
            encoder,
            reranker: self.reranker.map(|wanted| wanted.handle),
            generator: self.generator.map(|wanted| wanted.handle),
            warnings: self.warnings,
        })
    }
}

fn instead(role: ModelRole, why: &str) -> String {
    let built_in = match role {
        ModelRole::Generator => "the hypothesis is derived from the graph and the answer composed from the chains",
        ModelRole::Encoder => "the built-in encoder is used",
        ModelRole::Reranker => "the encoder's similarity ranks the chains",
    };
    format!("The {role} of the configuration cannot be used: {why}; {built_in} instead.")
}

/// The folder of models.
fn models_folder(config: &Config, paths: &Paths) -> PathBuf {
    config.models.clone().unwrap_or_else(|| paths.models())
}

/// The file or folder of a model: its name in the folder of models, or a path.
fn found(name: &str, folder: &Path) -> Result<PathBuf, String> {
    let store = Store::at(folder);
    if let Some(model) = store.find(name) {
        return Ok(model.path);
    }
    // Loading it tells better what is wrong with it.
    if Path::new(name).exists() {
        return Ok(PathBuf::from(name));
    }
    let there: Vec<String> = store.models().unwrap_or_default().into_iter().map(|model| crate::text::sanitise_line(&model.name)).collect();
    let there = if there.is_empty() { "it is empty".to_owned() } else { format!("there are: {}", there.join(", ")) };
    let name = crate::text::sanitise_line(name);
    Err(format!("{name:?} is no built-in model, no path, and no model in {} ({there}); `catena models list` says more", folder.display()))
}
