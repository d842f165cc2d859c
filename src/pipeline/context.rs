//! What all stages of a run share: the graph with its facts and vectors, the encoder, the settings, the
//! way to stop, and the way events go out.

use std::sync::Arc;
use std::time::Instant;

use super::event::{Event, EventKind, Settings, Stage};
use super::run::CancelToken;
use crate::graph::{EntityId, Facts, Graph};
use crate::model::{EncoderHandle, ModelError, VectorIndex};

/// A graph made ready for questions.
#[derive(Debug)]
pub struct Knowledge {
    /// The graph.
    pub graph: Graph,
    /// Its triples read through their roles.
    pub facts: Facts,
    /// Unit vectors of every name and alias.
    pub(crate) name_vectors: VectorIndex,
    /// The names and aliases themselves, row by row.
    pub(crate) names: Vec<String>,
    /// Which entity a row of `name_vectors` names.
    pub(crate) name_entities: Vec<EntityId>,
    /// How much the mention of an entity tells: the inverse frequency of its being a feature of conditions.
    pub(crate) rarity: Vec<f64>,
    /// Sum of the squared rarities of what an entity has as features; 0 for what has none.
    pub(crate) features: Vec<f64>,
}

impl Knowledge {
    /// Reads the facts and embeds every name and alias.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn prepare(graph: Graph, encoder: &EncoderHandle) -> Result<Self, ModelError> {
        let facts = Facts::of(&graph);
        let conditions = graph.entity_ids().filter(|e| facts.is_condition(&graph, *e)).count().max(1) as f64;
        let bearers = |entity| facts.owners(entity).iter().filter(|f| f.role.is_feature()).count() as f64;
        let rarity: Vec<f64> = graph.entity_ids().map(|entity| (1.0 + conditions / (1.0 + bearers(entity))).ln()).collect();
        let weight = |entity| facts.players(entity).iter().filter(|f| f.role.is_feature()).map(|f| rarity[f.other.index()].powi(2)).sum();
        let features = graph.entity_ids().map(weight).collect();
        let mut names = Vec::new();
        let mut name_entities = Vec::new();
        for entity in graph.entity_ids() {
            let own = std::iter::once(graph.entity_name(entity));
            for name in own.chain(graph.aliases(entity)) {
                names.push(name.to_owned());
                name_entities.push(entity);
            }
        }
        let vectors = encoder.encode(names.clone())?.normalised();
        let name_vectors = VectorIndex::new(&vectors)
            .map_err(|error| ModelError::Compute { name: encoder.name().to_owned(), problem: error.to_string() })?;
        Ok(Self { graph, facts, name_vectors, names, name_entities, rarity, features })
    }
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StageError {
    /// The user stopped it.
    #[error("stopped")]
    Cancelled,
    /// A model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Where events go; `false` when nobody listens any more.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(Event) -> bool;

/// A run's own things, handed from stage to stage.
pub(crate) struct RunContext<'a> {
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) encoder: &'a EncoderHandle,
    pub(crate) settings: &'a Settings,
    pub(crate) cancel: &'a CancelToken,
    pub(crate) id: Arc<str>,
    pub(crate) started: Instant,
    pub(crate) sink: Sink<'a>,
}

impl RunContext<'_> {
    /// Sends an event. A run that nobody listens to is stopped.
    pub(crate) fn emit(&mut self, what: EventKind) {
        let at_ms = self.started.elapsed().as_secs_f64() * 1000.0;
        if !(self.sink)(Event { run: Arc::clone(&self.id), at_ms, what }) {
            self.cancel.cancel();
        }
    }

    /// Sends a warning.
    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.emit(EventKind::Warning { text: text.into() });
    }

    /// Asked between stages.
    pub(crate) fn check(&self) -> Result<(), StageError> {
        if self.cancel.is_cancelled() { Err(StageError::Cancelled) } else { Ok(()) }
    }

    /// Says that a stage begins and returns the time.
    pub(crate) fn begin(&mut self, stage: Stage) -> Instant {
        self.emit(EventKind::StageStarted { stage });
        Instant::now()
    }

    /// Says that a stage ended after so much work.
    pub(crate) fn end(&mut self, stage: Stage, elapsed: std::time::Duration) {
        self.emit(EventKind::StageFinished { stage, elapsed_ms: elapsed.as_secs_f64() * 1000.0 });
    }
}
