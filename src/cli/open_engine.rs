//! Opens an engine: the graph, the vectors of its names, the models, and over the graph what the DKG has learned.

use std::path::Path;
use std::sync::Arc;

use super::args::GraphArgs;
use super::exit::UsageError;
use super::graphs::{OpenedGraph, open_graph};
use super::name_vectors::with_name_vectors;
use super::setup::Setup;
use super::start_models::StartedModels;
use crate::config::{Config, PromptSize};
use crate::dkg::{Dkg, DkgError};
use crate::feedback::{CheckSettings, TeachSettings, Teacher};
use crate::language::{Prompts, is_small};
use crate::method::{Engine, EngineModels, EngineOptions, UnknownMethod};

/// How a command uses the DKG.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DkgAccess {
    /// Questions see what was learned. Nothing is created or changed, and other programs can write.
    Read,
    /// Feedback can be given, too.
    Write,
}

/// An engine with what was learned, and the teacher that it learns from.
pub(super) struct EngineWithTeacher {
    pub(super) engine: Arc<Engine>,
    /// `None` if the DKG is not used, is empty and only read, or cannot be opened.
    pub(super) teacher: Option<Teacher>,
    /// What the user should know about the DKG; also among the engine's notices.
    pub(super) dkg_notices: Vec<String>,
}

/// Opens the engine and lays what was learned over its graph. If the DKG cannot be opened, questions are answered without it, and a
/// notice says so.
///
/// # Errors
/// As [`open_engine_without_dkg`], or if a DKG setting is out of range.
pub(super) fn open_engine(
    setup: &Setup,
    graph: &GraphArgs,
    models: StartedModels,
    options: &EngineOptions,
    access: DkgAccess,
) -> anyhow::Result<EngineWithTeacher> {
    let settings = teach_settings(&setup.config)?;
    let in_use = setup.config.dkg.is_in_use();
    let (dkg, mut dkg_notices) = if in_use { open_dkg(&setup.paths.dkg(), access) } else { (None, Vec::new()) };
    let engine = Arc::new(open_with_notices(setup, graph, models, options, &dkg_notices)?);
    let teacher = match dkg.map(|dkg| Teacher::with(dkg, Arc::clone(&engine), settings)) {
        None => None,
        Some(Ok(teacher)) => Some(teacher),
        Some(Err(error)) => {
            dkg_notices.push(not_used(&error));
            None
        }
    };
    Ok(EngineWithTeacher { engine, teacher, dkg_notices })
}

/// Opens the engine over the graph alone.
///
/// # Errors
/// If the graph, its name vectors, a model or a prompt cannot be opened, or a setting is out of range.
pub(super) fn open_engine_without_dkg(
    setup: &Setup,
    graph: &GraphArgs,
    models: StartedModels,
    options: &EngineOptions,
) -> anyhow::Result<Engine> {
    open_with_notices(setup, graph, models, options, &[])
}

/// Models load on their own threads while the graph is read.
fn open_with_notices(
    setup: &Setup,
    graph: &GraphArgs,
    models: StartedModels,
    options: &EngineOptions,
    dkg_notices: &[String],
) -> anyhow::Result<Engine> {
    let prompts = Prompts::with_those_in(&setup.paths.prompts())?;
    let opened = open_graph(graph, setup)?;
    let mut notices = opened.notices();
    notices.extend_from_slice(dkg_notices);
    let models = models.ready()?;
    let is_small = match setup.config.prompt_size.unwrap_or_default() {
        PromptSize::Auto => models.generator.as_ref().is_some_and(|generator| is_small(generator.name())),
        PromptSize::Small => true,
        PromptSize::Full => false,
    };
    let prompts = prompts.sized(is_small);
    engine_over(setup, opened, models, &EngineOptions { prompts, ..options.clone() }, notices)
}

/// An engine over an opened graph. Settings missing in `options` come from the configuration.
///
/// # Errors
/// If the vectors of the graph's names cannot be read or built, or a setting is out of range.
pub(super) fn engine_over(
    setup: &Setup,
    opened: OpenedGraph,
    models: EngineModels,
    options: &EngineOptions,
    notices: Vec<String>,
) -> anyhow::Result<Engine> {
    let Setup { paths, config } = setup;
    let knowledge = with_name_vectors(paths, opened.graph, opened.file.as_deref(), &models.encoder)?;
    let method = config
        .method
        .as_deref()
        .map(str::parse)
        .transpose()
        .map_err(|error: UnknownMethod| UsageError(format!("the setting method: {error}")))?;
    let options = EngineOptions {
        k: options.k.or(config.k),
        top_k: options.top_k.or(config.top_k),
        delta: options.delta.or(config.delta),
        seed: options.seed.or(config.seed),
        fragment_words: options.fragment_words.or(config.fragment_words),
        fragment_overlap: options.fragment_overlap.or(config.fragment_overlap),
        method: options.method.or(method),
        prompts: options.prompts.clone(),
        library: Arc::clone(&options.library),
    };
    Ok(Engine::with_knowledge(knowledge, models, &options, notices)?)
}

fn open_dkg(folder: &Path, access: DkgAccess) -> (Option<Dkg>, Vec<String>) {
    if access == DkgAccess::Read && !folder.exists() {
        return (None, Vec::new());
    }
    let opened = match access {
        DkgAccess::Read => Dkg::open_read_only(folder),
        DkgAccess::Write => Dkg::open(folder),
    };
    match opened {
        Ok(dkg) => {
            let mut notices = dkg.notices().to_vec();
            if let Some(reason) = dkg.read_only().filter(|_| access == DkgAccess::Write) {
                notices.push(format!("The DKG can only be read here, so you cannot give feedback: {reason}."));
            }
            (Some(dkg), notices)
        }
        Err(error) => (None, vec![not_used(&error)]),
    }
}

fn not_used(error: &DkgError) -> String {
    format!("Questions are answered WITHOUT the DKG: {error}. To find out more, run `catena dkg verify`.")
}

/// How feedback becomes triples of the DKG, from the configuration.
///
/// # Errors
/// If `dkg.redundancy_distance` is out of range.
pub(super) fn teach_settings(config: &Config) -> anyhow::Result<TeachSettings> {
    let defaults = CheckSettings::default();
    let redundancy_distance = config.dkg.redundancy_distance.unwrap_or(defaults.redundancy_distance);
    if redundancy_distance.is_nan() || redundancy_distance > 2.0 {
        let why = "it must be a number from 0 to 2, or negative to turn the comparison of vectors off";
        return Err(UsageError(format!("dkg.redundancy_distance is {redundancy_distance}: {why}")).into());
    }
    let compare_relation = config.dkg.compare_relation.unwrap_or(defaults.compare_relation);
    Ok(TeachSettings {
        auto_accept: config.dkg.accepts_at_once(),
        check: CheckSettings { compare_relation, redundancy_distance, ..defaults },
    })
}
