//! What all stages of a run share: the knowledge, the encoder, the settings, the way to stop, and the way
//! events go out.

use std::sync::Arc;
use std::time::Instant;

use super::event::{Event, EventKind, Settings, Stage};
use super::knowledge::Knowledge;
use super::run::CancelToken;
use crate::model::{EncoderHandle, ModelError, VectorsError};

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StageError {
    /// The user stopped it.
    #[error("stopped")]
    Cancelled,
    /// A model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The vectors of the graph's names could not be searched.
    #[error(transparent)]
    Vectors(#[from] VectorsError),
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
