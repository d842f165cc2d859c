//! Finds and starts the recogniser of names that the graph does not know.

use std::path::PathBuf;

use super::setup::Setup;
use crate::model::infer::bert::{self, EmbeddedFiles, SHIPPED_RECOGNISER};
use crate::model::{ModelError, Recogniser, RecogniserHandle};
use crate::text::sanitise_line;
use crate::text::suggest::did_you_mean;

/// The default: the shipped weights, where they are.
pub(super) const SHIPPED: &str = "w2ner";
/// No network: names are recognised by the graph alone.
const OFF: &str = "gazetteer";
/// The folder of the shipped weights beside the program.
const BESIDE_PROGRAM: &str = "ner";
/// The file that such a folder has and other models do not.
const MARK: &str = "w2ner.json";

/// The weights of a recogniser.
#[derive(Clone)]
pub(super) enum RecogniserWeights {
    /// In a folder on disk.
    Folder(PathBuf),
    /// Within the program.
    Embedded(EmbeddedFiles),
}

impl RecogniserWeights {
    /// Starts the thread that owns the model and loads it.
    pub(super) fn start(self) -> Result<RecogniserHandle, ModelError> {
        RecogniserHandle::start(SHIPPED, move || self.open())
    }

    fn open(&self) -> Result<Box<dyn Recogniser>, ModelError> {
        match self {
            Self::Folder(folder) => bert::open_recogniser(folder),
            Self::Embedded(files) => bert::open_embedded_recogniser(SHIPPED, files),
        }
    }
}

/// The recogniser that the configuration names: `None` if there is none to use, or why the named one cannot be used. A folder comes before the
/// weights within the program.
pub(super) fn find_recogniser(setup: &Setup) -> Result<Option<RecogniserWeights>, String> {
    let models = setup.model_store();
    let chosen = setup.config.recogniser.as_deref().map(str::trim).filter(|name| !name.is_empty()).unwrap_or(SHIPPED);
    let is_one = |folder: &PathBuf| folder.join(MARK).is_file();
    match chosen {
        OFF => Ok(None),
        SHIPPED => {
            let program = std::env::current_exe().ok();
            let beside = program.as_deref().and_then(std::path::Path::parent).map(|folder| folder.join(BESIDE_PROGRAM));
            let folder = std::iter::once(models.folder().join(SHIPPED)).chain(beside).find(is_one);
            Ok(folder.map(RecogniserWeights::Folder).or(SHIPPED_RECOGNISER.map(RecogniserWeights::Embedded)))
        }
        path => {
            let places = [models.folder().join(path), PathBuf::from(path)];
            let found = places.into_iter().find(is_one);
            found
                .map(|folder| Some(RecogniserWeights::Folder(folder)))
                .ok_or_else(|| format!("{:?} is no folder with a {MARK}{}", sanitise_line(path), did_you_mean(path, [SHIPPED, OFF])))
        }
    }
}

/// Starts the configured recogniser; a warning if it cannot be used. Loading goes on beside that of the graph.
///
/// # Errors
/// If the system cannot start a thread.
pub(super) fn start_recogniser(setup: &Setup) -> anyhow::Result<(Option<RecogniserHandle>, Option<String>)> {
    match find_recogniser(setup) {
        Ok(None) => Ok((None, None)),
        Ok(Some(weights)) => Ok((Some(weights.start()?), None)),
        Err(why) => {
            // It may end with a question: "Did you mean …?".
            let end = if why.ends_with('?') { "" } else { "." };
            let warning =
                format!("The recogniser of the configuration cannot be used: {why}{end} Instead, names are recognised by the graph alone.");
            Ok((None, Some(warning)))
        }
    }
}
