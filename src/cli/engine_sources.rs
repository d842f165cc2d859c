//! The graphs and models that can be chosen on the screen.

use std::sync::Arc;

use super::args::{GraphArgs, ModelArgs};
use super::exit;
use super::graphs::{STARTER, graph_names};
use super::open_engine::{DkgAccess, open_engine};
use super::screen::with_library;
use super::setup::Setup;
use super::start_models::start_models;
use crate::config::ModelRole;
use crate::method::EngineOptions;
use crate::model::{in_words, known_models};
use crate::run::MethodName;
use crate::tui::{EngineChoice, EngineSource, OpenedEngine, SourceEntry, SourceKind};

/// What the command line chose; a choice on the screen takes its place.
#[derive(Debug, Clone)]
pub(super) struct EngineSources {
    pub(super) graph: GraphArgs,
    pub(super) models: ModelArgs,
    pub(super) method: Option<MethodName>,
}

impl EngineSources {
    fn opened(&self, choice: &EngineChoice) -> anyhow::Result<OpenedEngine> {
        let setup = Setup::load()?;
        let graph = GraphArgs { kg: choice.graph.clone().or_else(|| self.graph.kg.clone()), ..self.graph.clone() };
        let models = ModelArgs { generator: choice.generator.clone().or_else(|| self.models.generator.clone()), ..self.models.clone() };
        let models = start_models(&models, &setup)?;
        let (options, notices) = with_library(&setup);
        let options = EngineOptions { method: self.method, ..options };
        let opened = open_engine(&setup, &graph, models, &options, DkgAccess::Write)?;
        opened.engine.warm_up();
        Ok(OpenedEngine { engine: Arc::new(opened.engine), teacher: opened.teacher, notices })
    }
}

impl EngineSource for EngineSources {
    fn list(&self, kind: SourceKind) -> Result<Vec<SourceEntry>, String> {
        let setup = Setup::load().map_err(|error| exit::in_words(&error))?;
        match kind {
            SourceKind::Graph => Ok(graphs(&setup)),
            SourceKind::Generator => generators(&setup).map_err(|error| exit::in_words(&error)),
        }
    }

    fn open(&self, choice: &EngineChoice) -> Result<OpenedEngine, String> {
        self.opened(choice).map_err(|error| exit::in_words(&error))
    }
}

fn entry(name: impl Into<String>, detail: impl Into<String>) -> SourceEntry {
    SourceEntry { name: name.into(), detail: detail.into(), missing: None }
}

fn graphs(setup: &Setup) -> Vec<SourceEntry> {
    let imported = graph_names(&setup.paths).into_iter().map(|name| entry(name, "imported"));
    std::iter::once(entry(STARTER, "built in")).chain(imported).collect()
}

/// What can write: the graph itself, language models that are known or on this machine, and servers of the configuration.
fn generators(setup: &Setup) -> anyhow::Result<Vec<SourceEntry>> {
    let store = setup.model_store();
    let (known, local) = (known_models()?, store.models()?);
    let mut entries = vec![entry(ModelRole::Generator.built_in(), "built in: no language model")];
    for model in known.iter().filter(|model| model.role == ModelRole::Generator) {
        let size = in_words(model.megabytes * 1_000_000);
        let is_here = local.iter().any(|local| local.path == store.place(model));
        let missing = (!is_here).then(|| format!("not downloaded (about {size}): catena models pull {}", model.name));
        entries.push(SourceEntry { missing, ..entry(&model.name, format!("{size} · {}", model.licence)) });
    }
    let own = local.iter().filter(|local| known.iter().all(|model| store.place(model) != local.path));
    entries.extend(own.map(|local| entry(&local.name, format!("your own · {}", in_words(local.bytes)))));
    entries.extend(setup.config.remote.keys().map(|name| entry(format!("remote:{name}"), "a server: questions leave this machine")));
    Ok(entries)
}

/// The same, to be shared with the screen.
pub(super) fn shared(graph: &GraphArgs, models: &ModelArgs, method: Option<MethodName>) -> Arc<dyn EngineSource> {
    Arc::new(EngineSources { graph: graph.clone(), models: models.clone(), method })
}
