//! What all stages of a run share: knowledge, models, settings, cancellation, and the sink for events.

use std::sync::Arc;
use std::time::Instant;

use super::knowledge::{Knowledge, NameTable};
use super::prompt::Prompts;
use crate::model::CancelToken;
use crate::model::{
    EncoderHandle, GeneratorHandle, LoadedModel, Matrix, ModelError, RecogniserHandle, RerankerHandle, TypedMention, VectorsError,
    WorkerState, WorkerStatus,
};
use crate::run::event::{Event, EventKind, ModelInfo, Models, Settings, Stage};
use crate::text::sentences;

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StageError {
    /// The user stopped it.
    #[error("stopped")]
    Cancelled,
    /// A model failed.
    #[error(transparent)]
    Model(ModelError),
    /// The vectors of the graph's names cannot be searched.
    #[error(transparent)]
    Vectors(VectorsError),
}

impl From<ModelError> for StageError {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Cancelled => Self::Cancelled,
            error => Self::Model(error),
        }
    }
}

impl From<VectorsError> for StageError {
    fn from(error: VectorsError) -> Self {
        match error {
            VectorsError::Model(error) => error.into(),
            error => Self::Vectors(error),
        }
    }
}

impl ModelInfo {
    fn of(loaded: Option<LoadedModel>, name: &str) -> Self {
        let (kind, device) = loaded.map_or(("loading", String::new()), |model| (model.kind, model.device));
        Self { kind: kind.into(), name: name.into(), device }
    }

    fn built_in(kind: &str, name: String) -> Self {
        Self { kind: kind.into(), name, device: "cpu".into() }
    }
}

impl Models {
    /// The models in use at this moment. A model that failed to load is not in use; the built-in one is.
    pub(crate) fn in_use(encoder: &EncoderHandle, generator: Option<&GeneratorHandle>, reranker: Option<&RerankerHandle>) -> Self {
        let failed = |status: WorkerStatus| status.state == WorkerState::Failed;
        let generator = generator.filter(|generator| !failed(generator.status()));
        let reranker = reranker.filter(|reranker| !failed(reranker.status()));
        let encoder_info = ModelInfo::of(encoder.known(), encoder.name());
        let similarity = || ModelInfo { name: format!("{} similarity", encoder.name()), ..encoder_info.clone() };
        Self {
            generator: generator
                .map_or_else(|| ModelInfo::built_in("graph", "graph-derived".into()), |model| ModelInfo::of(model.known(), model.name())),
            reranker: reranker.map_or_else(similarity, |model| ModelInfo::of(model.known(), model.name())),
            encoder: encoder_info,
        }
    }
}

/// Where events go; `false` when nobody listens any more.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(Event) -> bool;

/// The context of one run, handed from stage to stage.
pub(crate) struct RunContext<'a> {
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) encoder: &'a EncoderHandle,
    /// The vectors of the graph's names, by that encoder.
    pub(crate) vectors: &'a NameTable,
    pub(crate) reranker: Option<&'a RerankerHandle>,
    pub(crate) recogniser: Option<&'a RecogniserHandle>,
    pub(crate) generator: Option<&'a GeneratorHandle>,
    /// Whether a method asks the language model its own questions now. What it finds without the model comes first.
    pub(crate) asks_model: bool,
    /// The answer that a method's language model gave while it searched.
    pub(crate) reasoned: Option<String>,
    pub(crate) prompts: &'a Prompts,
    /// Linking threshold δ, 0 to 1: from the settings, or the built-in encoder's own where it replaces another.
    pub(crate) delta: f64,
    /// The models, as events describe them.
    pub(crate) models: Models,
    pub(crate) settings: &'a Settings,
    pub(crate) cancel: &'a CancelToken,
    pub(crate) id: Arc<str>,
    pub(crate) started: Instant,
    /// Milliseconds that the run had taken before it was revised.
    pub(crate) before_ms: f64,
    /// The run links again what listeners already know; mentions and anchors are not sent again.
    pub(crate) relinking: bool,
    pub(crate) sink: Sink<'a>,
}

impl<'a> RunContext<'a> {
    /// The language model, where a method may ask it now.
    pub(crate) fn asked_model(&self) -> Option<&'a GeneratorHandle> {
        self.generator.filter(|_| self.asks_model)
    }

    /// Embeds texts, one row per text; returns at once when the run is stopped.
    pub(crate) fn encode(&self, texts: Vec<String>) -> Result<Matrix, StageError> {
        Ok(self.encoder.encode_until(texts, self.cancel)?)
    }

    /// The drugs and diseases that the recogniser finds in a text, known to the graph or not; none without a recogniser. If it fails, a warning says so.
    pub(crate) fn recognised(&mut self, text: &str) -> Result<Vec<TypedMention>, StageError> {
        let Some(recogniser) = self.recogniser else { return Ok(Vec::new()) };
        let ranges = sentences(text);
        let texts = ranges.iter().filter_map(|range| text.get(range.clone())).map(str::to_owned).collect();
        let found = match recogniser.recognise(texts, self.cancel) {
            Ok(found) => found,
            Err(ModelError::Cancelled) => return Err(StageError::Cancelled),
            Err(error) => {
                if !self.relinking {
                    self.warn(format!("Drugs and diseases that the graph does not know may go unnoticed: {error}."));
                }
                return Ok(Vec::new());
            }
        };
        let moved = |(range, mentions): (&std::ops::Range<usize>, Vec<TypedMention>)| {
            let begin = range.start;
            mentions.into_iter().map(move |mut mention| {
                mention.parts.iter_mut().for_each(|part| *part = (part.0 + begin, part.1 + begin));
                mention
            })
        };
        Ok(ranges.iter().zip(found).flat_map(moved).collect())
    }

    /// Does work that needs the encoder. If the encoder fails, the built-in one replaces it for the rest of the run and the work is repeated.
    pub(crate) fn with_encoder<T>(&mut self, mut work: impl FnMut(&mut Self) -> Result<T, StageError>) -> Result<T, StageError> {
        match work(self) {
            Err(StageError::Model(error)) if self.fall_back(&error) => work(self),
            result => result,
        }
    }

    fn fall_back(&mut self, error: &ModelError) -> bool {
        let Some((encoder, vectors)) = self.knowledge.spare().filter(|(spare, _)| spare.name() != self.encoder.name()) else {
            return false;
        };
        let Ok(delta) = encoder.delta() else { return false };
        let names = if vectors.is_empty() {
            " This graph is too large to embed its names now: only names written as the graph has them are linked."
        } else {
            ""
        };
        self.warn(format!(
            "The encoder {} failed ({error}). The built-in encoder, {}, replaces it for this question.{names}",
            self.encoder.name(),
            encoder.name()
        ));
        (self.encoder, self.vectors, self.delta) = (encoder, vectors, delta);
        self.models_may_be_known();
        true
    }

    /// Milliseconds since the run began.
    pub(crate) fn elapsed_ms(&self) -> f64 {
        self.before_ms + self.started.elapsed().as_secs_f64() * 1000.0
    }

    /// Sends an event. If nobody listens any more, the run is stopped.
    pub(crate) fn emit(&mut self, what: EventKind) {
        let told = matches!(what, EventKind::MentionFound { .. } | EventKind::AnchorLinked { .. } | EventKind::MentionUnlinked { .. });
        if told && self.relinking {
            return;
        }
        // Whoever stopped the run wants to hear how it ended, and nothing else. A run stopped before its first event still has to
        // start: without a start, no trace takes its end.
        let frames_run = matches!(what, EventKind::RunStarted { .. } | EventKind::RunFinished { .. });
        if self.cancel.is_cancelled() && !frames_run {
            return;
        }
        // The end of a run is at the run's total, to the digit: a run that goes on from there counts on from the total, and its
        // first event must not lie before this one.
        let at_ms = if let EventKind::RunFinished { total_ms, .. } = what { total_ms } else { self.elapsed_ms() };
        if !(self.sink)(Event { run: Arc::clone(&self.id), at_ms, what }) {
            self.cancel.cancel();
        }
    }

    /// Sends the models in use if they have changed.
    pub(crate) fn models_may_be_known(&mut self) {
        let models = Models::in_use(self.encoder, self.generator, self.reranker);
        if models != self.models {
            self.models = models.clone();
            self.emit(EventKind::ModelsChanged { models });
        }
    }

    /// Sends a warning.
    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.emit(EventKind::Warning { text: text.into() });
    }

    /// Fails if the run was stopped; called between stages.
    pub(crate) fn check(&self) -> Result<(), StageError> {
        if self.cancel.is_cancelled() { Err(StageError::Cancelled) } else { Ok(()) }
    }

    /// Announces that a stage begins; gives the time.
    pub(crate) fn begin(&mut self, stage: Stage) -> Instant {
        self.emit(EventKind::StageStarted { stage });
        Instant::now()
    }

    /// Announces that a stage has ended, and the work time it took.
    pub(crate) fn end(&mut self, stage: Stage, elapsed: std::time::Duration) {
        self.emit(EventKind::StageFinished { stage, elapsed_ms: elapsed.as_secs_f64() * 1000.0 });
    }
}
