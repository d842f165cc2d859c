//! An engine with what was learned laid over its graph.

use std::path::Path;
use std::sync::Arc;

use super::args::GraphArgs;
use super::exit::Usage;
use super::models_open::Opening;
use super::open::open_engine;
use crate::config::{Config, Paths};
use crate::dkg::{Dkg, DkgError};
use crate::feedback::{CheckSettings, TeachSettings, Teacher};
use crate::method::{Engine, EngineOptions};

/// What the evolving graph is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A question: nothing is made or changed, and nobody is kept from writing.
    Ask,
    /// Feedback may be given.
    Learn,
}

/// What was opened.
pub(super) struct Taught {
    pub(super) engine: Arc<Engine>,
    /// `None` where nothing was learned or can be learned.
    pub(super) teacher: Option<Teacher>,
    /// What the user should know about the evolving graph; the engine's notices hold it, too.
    pub(super) notices: Vec<String>,
}

/// Opens the engine and lays what was learned over its graph. Where that cannot be read, questions are answered without it, which is said.
pub(super) fn open_taught(
    args: &GraphArgs,
    models: Opening,
    config: &Config,
    paths: &Paths,
    options: &EngineOptions,
    purpose: Purpose,
) -> anyhow::Result<Taught> {
    let settings = teach_settings(config)?;
    let (dkg, mut notices) = if config.dkg.is_in_use() { open_dkg(&paths.dkg(), purpose) } else { (None, Vec::new()) };
    let engine = Arc::new(open_engine(args, models, config, paths, options, &notices)?);
    let teacher = match dkg.map(|dkg| Teacher::with(dkg, Arc::clone(&engine), settings)) {
        None => None,
        Some(Ok(teacher)) => Some(teacher),
        Some(Err(error)) => {
            notices.push(without(&error));
            None
        }
    };
    Ok(Taught { engine, teacher, notices })
}

fn open_dkg(folder: &Path, purpose: Purpose) -> (Option<Dkg>, Vec<String>) {
    if purpose == Purpose::Ask && !folder.exists() {
        return (None, Vec::new());
    }
    let opened = match purpose {
        Purpose::Ask => Dkg::open_read_only(folder),
        Purpose::Learn => Dkg::open(folder),
    };
    match opened {
        Ok(dkg) => {
            let mut notices = dkg.notices().to_vec();
            if let Some(reason) = dkg.read_only().filter(|_| purpose == Purpose::Learn) {
                notices.push(format!("What was learned can only be read here, and no feedback be recorded: {reason}."));
            }
            (Some(dkg), notices)
        }
        Err(error) => (None, vec![without(&error)]),
    }
}

fn without(error: &DkgError) -> String {
    format!("Questions are answered WITHOUT what was learned: {error}. `catena dkg verify` says more.")
}

/// How feedback is turned into what is learned, by the configuration.
pub(super) fn teach_settings(config: &Config) -> anyhow::Result<TeachSettings> {
    let defaults = CheckSettings::default();
    let redundancy_distance = config.dkg.redundancy_distance.unwrap_or(defaults.redundancy_distance);
    if redundancy_distance.is_nan() || redundancy_distance > 2.0 {
        let why = "it must be a number from 0 to 2, or negative so that vectors are never compared";
        return Err(Usage(format!("dkg.redundancy_distance is {redundancy_distance}: {why}")).into());
    }
    let compare_relation = config.dkg.compare_relation.unwrap_or(defaults.compare_relation);
    Ok(TeachSettings {
        auto_accept: config.dkg.accepts_at_once(),
        check: CheckSettings { compare_relation, redundancy_distance, ..defaults },
    })
}
