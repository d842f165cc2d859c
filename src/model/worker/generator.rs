//! The handle of a language model that runs on its own thread. Its text comes through a bounded channel, without thoughts, repetitions, and
//! any characters that could harm a terminal.

use std::ops::Deref;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Weak};
use std::time::Instant;

use super::reply::{Reply, reply};
use super::status::{LoadedModel, WorkerShared};
use super::{ModelJob, ModelThread, POLL_INTERVAL, Worker};
use crate::model::loops::LoopFilter;
use crate::model::{CancelToken, Finish, Generation, Generator, ModelError, Prompt, Sampling, ThinkingFilter};
use crate::text::sanitise;

/// Pieces that can wait in the channel; a slow reader slows the model down.
const PIECES: usize = 64;
/// The most bytes of text for each allowed token: a server that ignores the limit of tokens is stopped.
const BYTES_PER_TOKEN: usize = 64;

enum TextPiece {
    Text(String),
    End(Result<Generation, ModelError>),
}

struct WriteJob {
    prompt: Prompt,
    sampling: Sampling,
    pieces: SyncSender<TextPiece>,
    cancel: CancelToken,
    waiting: Weak<()>,
}

/// A request to a language model.
enum GeneratorJob {
    Write(WriteJob),
    /// Compute the probability of a text, token by token.
    Weigh {
        prompt: Option<Prompt>,
        text: String,
        reply: Reply<Option<Vec<f64>>>,
    },
}

impl ModelJob for GeneratorJob {
    type Model = dyn Generator;

    fn is_wanted(&self) -> bool {
        match self {
            Self::Write(write) => write.is_wanted(),
            Self::Weigh { reply, .. } => reply.is_wanted(),
        }
    }

    fn describe(model: &dyn Generator) -> LoadedModel {
        LoadedModel {
            name: model.name().to_owned(),
            kind: model.kind(),
            device: model.device(),
            dim: 0,
            delta: 0.0,
            warning: model.warning().map(str::to_owned),
        }
    }

    fn work(jobs: &[Self], model: &mut Self::Model, shared: &WorkerShared) -> Result<(), String> {
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
                    // The caller may have gone.
                    let _ = write.pieces.send(TextPiece::End(result));
                }
                Self::Weigh { prompt, text, reply } => {
                    let result = model.log_probabilities(prompt.as_ref(), text, &mut || reply.is_wanted());
                    note(result.as_ref().err());
                    reply.send(result);
                }
            }
        }
        failed
    }

    fn refuse(&self, error: ModelError) {
        match self {
            // The channel may be full, but the reader empties it and then sees the end.
            Self::Write(write) => {
                let _ = write.pieces.send(TextPiece::End(Err(error)));
            }
            Self::Weigh { reply, .. } => reply.send(Err(error)),
        }
    }
}

impl WriteJob {
    fn is_wanted(&self) -> bool {
        !self.cancel.is_cancelled() && self.waiting.strong_count() > 0
    }

    fn write(&self, model: &mut dyn Generator, shared: &WorkerShared) -> Result<Generation, ModelError> {
        let most = self.sampling.max_tokens.saturating_mul(BYTES_PER_TOKEN);
        let (mut bytes, mut pieces) = (0usize, 0usize);
        let mut first: Option<Instant> = None;
        let mut thoughts = ThinkingFilter::default();
        // What is to be parsed is bounded by its constraint, and repeats itself by its nature.
        let mut loops = self.sampling.constraint.is_none().then(LoopFilter::default);
        let send = |text: &str| {
            let clean = sanitise(text);
            clean.is_empty() || self.pieces.send(TextPiece::Text(clean.into_owned())).is_ok()
        };
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
            let text = thoughts.push(text);
            let text = loops.as_mut().map_or_else(|| text.clone(), |loops| loops.push(&text));
            bytes <= most && send(&text) && loops.as_ref().is_none_or(|loops| !loops.found)
        };
        let mut written = model.generate(&self.prompt, &self.sampling, &mut emit)?;
        let rest = thoughts.end();
        let rest = match &mut loops {
            Some(loops) => loops.push(&rest) + &loops.end(written.finish == Finish::Stop),
            None => rest,
        };
        if self.is_wanted() {
            send(&rest);
        }
        if loops.is_some_and(|loops| loops.found) {
            written.finish = Finish::Loop;
        }
        if let Some(tokens) = written.new_tokens.filter(|tokens| *tokens > 1)
            && written.decode_ms > 0.0
        {
            shared.speed((tokens - 1) as f64 * 1000.0 / written.decode_ms);
        }
        Ok(written)
    }
}

/// The handle of a language model that runs on its own thread. Cheap to clone; the thread ends with its last handle.
#[derive(Debug, Clone)]
pub struct GeneratorHandle(Worker<GeneratorJob>);

impl Deref for GeneratorHandle {
    type Target = ModelThread;

    fn deref(&self) -> &ModelThread {
        &self.0.thread
    }
}

impl GeneratorHandle {
    /// Starts the thread, which loads the model. The handle can be used at once; calls wait until the model is loaded.
    /// `load` is called again whenever the model is reloaded.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(name: &str, load: impl FnMut() -> Result<Box<dyn Generator>, ModelError> + Send + 'static) -> Result<Self, ModelError> {
        Ok(Self(Worker::start(name, Box::new(load))?))
    }

    /// Writes a text on the model's thread. `emit` receives its pieces on the calling thread, and an empty piece now and then while it waits;
    /// it returns `false` to stop. After `cancel`, this returns within `POLL_INTERVAL`, whatever the model does.
    ///
    /// # Errors
    /// If the model could not be loaded or fails; [`ModelError::Cancelled`] if the token is cancelled or `emit` returned `false`.
    pub fn generate(
        &self,
        prompt: Prompt,
        sampling: Sampling,
        cancel: &CancelToken,
        emit: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Generation, ModelError> {
        let (send, pieces) = sync_channel(PIECES);
        let waiting = Arc::new(());
        let job = WriteJob { prompt, sampling, pieces: send, cancel: cancel.clone(), waiting: Arc::downgrade(&waiting) };
        self.0.submit(GeneratorJob::Write(job))?;
        loop {
            let piece = match pieces.recv_timeout(POLL_INTERVAL) {
                Ok(TextPiece::Text(text)) => text,
                Ok(TextPiece::End(result)) => return result,
                Err(RecvTimeoutError::Timeout) => String::new(),
                Err(RecvTimeoutError::Disconnected) => return Err(ModelError::Gone { name: self.name().to_owned() }),
            };
            if cancel.is_cancelled() || !emit(&piece) {
                return Err(ModelError::Cancelled);
            }
        }
    }

    /// The probability of each token of a text, as a reply to a prompt or as all there is, as from [`Generator::log_probabilities`]. Blocks until the result is there; returns within
    /// `POLL_INTERVAL` after `cancel`.
    ///
    /// # Errors
    /// If the model could not be loaded or fails; [`ModelError::Cancelled`].
    pub fn log_probabilities(&self, prompt: Option<Prompt>, text: String, cancel: &CancelToken) -> Result<Option<Vec<f64>>, ModelError> {
        let (reply, pending) = reply(&self.0.thread.shared.name, cancel);
        self.0.submit(GeneratorJob::Weigh { prompt, text, reply })?;
        pending.wait()
    }
}
