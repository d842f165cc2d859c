//! The way to a language model that lives on a thread of its own. What it writes comes through a bounded channel, cleaned
//! of everything that could harm a terminal.

use std::ops::Deref;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Weak};
use std::time::Instant;

use super::order::{Reply, reply};
use super::status::{LoadedModel, Shared};
use super::{Job, LOOK, ModelThread, Worker};
use crate::model::{CancelToken, Generation, Generator, ModelError, Prompt, Sampling};
use crate::text::sanitise;

/// Pieces that may wait to be read; a reader that is slower than the model holds it up.
const PIECES: usize = 64;
/// The most bytes of a text for each token that was allowed: a server that does not keep to the limit is stopped.
const BYTES_PER_TOKEN: usize = 64;

enum Piece {
    Text(String),
    End(Result<Generation, ModelError>),
}

struct Write {
    prompt: Prompt,
    sampling: Sampling,
    pieces: SyncSender<Piece>,
    cancel: CancelToken,
    waiting: Weak<()>,
}

/// What a language model is asked for.
enum Task {
    Write(Write),
    /// How probable a text is, token by token.
    Weigh {
        text: String,
        reply: Reply<Option<Vec<f64>>>,
    },
}

impl Job for Task {
    type Model = dyn Generator;

    fn is_wanted(&self) -> bool {
        match self {
            Self::Write(write) => write.is_wanted(),
            Self::Weigh { reply, .. } => reply.is_wanted(),
        }
    }

    fn describe(model: &dyn Generator) -> LoadedModel {
        LoadedModel { name: model.name().to_owned(), kind: model.kind(), device: model.device(), dim: 0, delta: 0.0 }
    }

    fn work(jobs: &[Self], model: &mut Self::Model, shared: &Shared) -> Result<(), String> {
        let mut failed = Ok(());
        let mut note = |error: Option<&ModelError>| {
            if let Some(error) = error.filter(|error| !matches!(error, ModelError::Cancelled)) {
                failed = Err(error.to_string());
            }
        };
        for job in jobs {
            match job {
                Self::Write(write) => {
                    let result = write.write(model, shared);
                    note(result.as_ref().err());
                    // Whoever has gone away wants no last word.
                    let _ = write.pieces.send(Piece::End(result));
                }
                Self::Weigh { text, reply } => {
                    let result = model.log_probabilities(text, &mut || reply.is_wanted());
                    note(result.as_ref().err());
                    reply.send(result);
                }
            }
        }
        failed
    }

    fn refuse(&self, error: ModelError) {
        match self {
            // The channel may be full of pieces that are still being read; they are at most a few, and then the end is seen.
            Self::Write(write) => {
                let _ = write.pieces.send(Piece::End(Err(error)));
            }
            Self::Weigh { reply, .. } => reply.send(Err(error)),
        }
    }
}

impl Write {
    fn is_wanted(&self) -> bool {
        !self.cancel.is_cancelled() && self.waiting.strong_count() > 0
    }

    fn write(&self, model: &mut dyn Generator, shared: &Shared) -> Result<Generation, ModelError> {
        let most = self.sampling.max_tokens.saturating_mul(BYTES_PER_TOKEN);
        let (mut bytes, mut pieces) = (0usize, 0usize);
        let mut first: Option<Instant> = None;
        let mut emit = |text: &str| {
            if !self.is_wanted() {
                return false;
            }
            if text.is_empty() {
                return true;
            }
            pieces += 1;
            bytes += text.len();
            let seconds = first.get_or_insert_with(Instant::now).elapsed().as_secs_f64();
            shared.progress(pieces, self.sampling.max_tokens);
            if seconds > 0.0 {
                shared.speed((pieces - 1) as f64 / seconds);
            }
            let clean = sanitise(text);
            bytes <= most && (clean.is_empty() || self.pieces.send(Piece::Text(clean.into_owned())).is_ok())
        };
        let written = model.generate(&self.prompt, &self.sampling, &mut emit)?;
        if let Some(tokens) = written.new_tokens.filter(|tokens| *tokens > 1)
            && written.decode_ms > 0.0
        {
            shared.speed((tokens - 1) as f64 * 1000.0 / written.decode_ms);
        }
        Ok(written)
    }
}

/// A way to a language model that lives on a thread of its own. Cheap to clone; the thread ends with the last of its handles.
#[derive(Debug, Clone)]
pub struct GeneratorHandle(Worker<Task>);

impl Deref for GeneratorHandle {
    type Target = ModelThread;

    fn deref(&self) -> &ModelThread {
        &self.0.thread
    }
}

impl GeneratorHandle {
    /// Starts the thread and loads the model there; the handle can be used at once, and waits for the loading.
    /// `load` is called again whenever the model is to be loaded anew.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start(name: &str, load: impl FnMut() -> Result<Box<dyn Generator>, ModelError> + Send + 'static) -> Result<Self, ModelError> {
        Ok(Self(Worker::start(name, Box::new(load))?))
    }

    /// Writes a text on the model's thread; `emit` gets its pieces on the calling one, as they come, and an empty piece
    /// every now and then while none comes. It gives `false` when nobody wants more. Returns within `LOOK` of the
    /// token's being cancelled, whatever the model does.
    ///
    /// # Errors
    /// If the model could not be loaded or fails; [`ModelError::Cancelled`] if the token is cancelled or `emit` gave `false`.
    pub fn generate(
        &self,
        prompt: Prompt,
        sampling: Sampling,
        cancel: &CancelToken,
        emit: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Generation, ModelError> {
        let (send, pieces) = sync_channel(PIECES);
        let waiting = Arc::new(());
        let job = Write { prompt, sampling, pieces: send, cancel: cancel.clone(), waiting: Arc::downgrade(&waiting) };
        self.0.order(Task::Write(job))?;
        loop {
            let piece = match pieces.recv_timeout(LOOK) {
                Ok(Piece::Text(text)) => text,
                Ok(Piece::End(result)) => return result,
                Err(RecvTimeoutError::Timeout) => String::new(),
                Err(RecvTimeoutError::Disconnected) => return Err(ModelError::Gone { name: self.name().to_owned() }),
            };
            if cancel.is_cancelled() || !emit(&piece) {
                return Err(ModelError::Cancelled);
            }
        }
    }

    /// How probable each token of a text is, as [`Generator::log_probabilities`] tells. Blocks the calling thread until it is known; returns within `LOOK` of
    /// the token's being cancelled.
    ///
    /// # Errors
    /// If the model could not be loaded or fails; [`ModelError::Cancelled`].
    pub fn log_probabilities(&self, text: String, cancel: &CancelToken) -> Result<Option<Vec<f64>>, ModelError> {
        let (reply, pending) = reply(&self.0.thread.shared.name, cancel);
        self.0.order(Task::Weigh { text, reply })?;
        pending.wait()
    }
}
