//! The handle of an encoder that runs on its own thread. Queued requests are joined into one call of the model, and each
//! caller gets its own rows.

use std::ops::Deref;

use super::reply::{PendingResult, Reply, reply};
use super::status::{LoadedModel, WorkerShared};
use super::{ModelJob, ModelThread, Worker};
use crate::model::{CancelToken, Encoder, Matrix, ModelError};

/// What a row of the result stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowsPer {
    /// A text.
    Text,
    /// A token; the result is a matrix without components if the model has no vectors of tokens.
    Token,
}

struct EncodeJob {
    texts: Vec<String>,
    rows: RowsPer,
    reply: Reply<Matrix>,
}

impl ModelJob for EncodeJob {
    type Model = dyn Encoder;

    fn is_wanted(&self) -> bool {
        self.reply.is_wanted()
    }

    fn size(&self) -> usize {
        self.texts.len().max(1)
    }

    fn most(model: &dyn Encoder) -> usize {
        model.portion().max(1)
    }

    fn describe(model: &dyn Encoder) -> LoadedModel {
        LoadedModel {
            name: model.name().to_owned(),
            kind: model.kind(),
            device: model.device(),
            dim: model.dim(),
            delta: model.delta(),
            warning: None,
        }
    }

    fn work(jobs: &[Self], model: &mut Self::Model, shared: &WorkerShared) -> Result<(), String> {
        if jobs.len() > 1 && jobs.iter().all(|job| job.rows == RowsPer::Text) {
            let joined: Vec<String> = jobs.iter().flat_map(|job| job.texts.iter().cloned()).collect();
            if let Ok(rows) = encode(&joined, model, &|| jobs.iter().any(ModelJob::is_wanted), shared) {
                let mut rest = rows.data();
                for job in jobs {
                    let (own, others) = rest.split_at(job.texts.len() * rows.dim());
                    job.reply.send(Ok(Matrix::new(rows.dim(), own.to_vec())));
                    rest = others;
                }
                return Ok(());
            }
            // One request's text must not cost the others their result.
        }
        let mut failed = Ok(());
        for job in jobs {
            let result = match job.rows {
                RowsPer::Text => encode(&job.texts, model, &|| job.is_wanted(), shared),
                RowsPer::Token => encode_tokens(&job.texts, model, &|| job.is_wanted()),
            };
            failed = failed.and(failure(&result));
            job.reply.send(result);
        }
        failed
    }

    fn refuse(&self, error: ModelError) {
        self.reply.send(Err(error));
    }
}

fn failure(result: &Result<Matrix, ModelError>) -> Result<(), String> {
    match result {
        Ok(_) | Err(ModelError::Cancelled) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// Encodes portion by portion, so that a large request stops soon when it is no longer wanted.
fn encode(texts: &[String], model: &mut dyn Encoder, wanted: &dyn Fn() -> bool, shared: &WorkerShared) -> Result<Matrix, ModelError> {
    let portion = model.portion().max(1);
    let mut portions = texts.chunks(portion);
    let first = call(portions.next().unwrap_or_default(), model, wanted)?;
    if texts.len() <= portion {
        return Ok(first);
    }
    let dim = first.dim();
    let mut data = first.data().to_vec();
    for texts_left in portions {
        shared.progress(data.len() / dim.max(1), texts.len());
        data.extend_from_slice(call(texts_left, model, wanted)?.data());
    }
    Ok(Matrix::new(dim, data))
}

/// Vectors of tokens, portion by portion.
fn encode_tokens(texts: &[String], model: &mut dyn Encoder, wanted: &dyn Fn() -> bool) -> Result<Matrix, ModelError> {
    let mut data = Vec::new();
    for portion in texts.chunks(model.portion().max(1)) {
        if !wanted() {
            return Err(ModelError::Cancelled);
        }
        match model.encode_tokens(portion)? {
            None => return Ok(Matrix::default()),
            Some(rows) => data.extend_from_slice(rows.data()),
        }
    }
    Ok(Matrix::new(model.dim(), data))
}

/// One call; checks that there is a row for each text.
fn call(texts: &[String], model: &mut dyn Encoder, wanted: &dyn Fn() -> bool) -> Result<Matrix, ModelError> {
    let rows = model.encode_while(texts, &mut || wanted())?;
    if texts.is_empty() || (rows.rows() == texts.len() && rows.dim() == model.dim()) {
        return Ok(rows);
    }
    let (found, dim, expected) = (rows.rows(), rows.dim(), model.dim());
    let problem = format!("it returned {found} vectors of {dim} components for {} texts, not of {expected}", texts.len());
    Err(ModelError::Compute { name: model.name().to_owned(), problem })
}

/// The handle of an encoder that runs on its own thread. Cheap to clone; the thread ends with its last handle.
#[derive(Debug, Clone)]
pub struct EncoderHandle(Worker<EncodeJob>);

impl Deref for EncoderHandle {
    type Target = ModelThread;

    fn deref(&self) -> &ModelThread {
        &self.0.thread
    }
}

impl EncoderHandle {
    /// Starts the thread, which loads the model. The handle can be used at once; calls wait until the model is loaded.
    /// `load` is called again whenever the model is reloaded.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start<E: Encoder + 'static>(
        name: &str,
        mut load: impl FnMut() -> Result<E, ModelError> + Send + 'static,
    ) -> Result<Self, ModelError> {
        Self::start_boxed(name, move || load().map(|model| Box::new(model) as Box<dyn Encoder>))
    }

    /// [`Self::start`] for a model whose type is known only once it is loaded.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn start_boxed(
        name: &str,
        load: impl FnMut() -> Result<Box<dyn Encoder>, ModelError> + Send + 'static,
    ) -> Result<Self, ModelError> {
        Ok(Self(Worker::start(name, Box::new(load))?))
    }

    /// Components of a vector; waits for the model to be loaded.
    ///
    /// # Errors
    /// If it could not be loaded.
    pub fn dim(&self) -> Result<usize, ModelError> {
        self.loaded().map(|model| model.dim)
    }

    /// The encoder's own linking threshold; waits for the model to be loaded.
    ///
    /// # Errors
    /// If it could not be loaded.
    pub fn delta(&self) -> Result<f64, ModelError> {
        self.loaded().map(|model| model.delta)
    }

    /// One row for each text, as from [`Encoder::encode`]. Blocks until the result is there.
    ///
    /// # Errors
    /// If the model could not be loaded, its thread has ended, or the computation fails.
    pub fn encode(&self, texts: Vec<String>) -> Result<Matrix, ModelError> {
        self.submit(texts, &CancelToken::new())?.wait()
    }

    /// [`Self::encode`] for a run that can be cancelled; it then returns at once.
    ///
    /// # Errors
    /// As [`Self::encode`], and [`ModelError::Cancelled`].
    pub fn encode_until(&self, texts: Vec<String>, cancel: &CancelToken) -> Result<Matrix, ModelError> {
        self.submit(texts, cancel)?.wait()
    }

    /// Queues a request and returns its pending result; dropping that withdraws the request.
    ///
    /// # Errors
    /// If the thread has ended, or the token is cancelled while the queue is full.
    pub fn submit(&self, texts: Vec<String>, cancel: &CancelToken) -> Result<PendingResult<Matrix>, ModelError> {
        self.submit_rows(texts, RowsPer::Text, cancel)
    }

    /// One row for each token, as from [`Encoder::encode_tokens`]; `None` from encoders without vectors of tokens. Blocks until the result is there.
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub fn encode_tokens(&self, texts: Vec<String>) -> Result<Option<Matrix>, ModelError> {
        let rows = self.submit_rows(texts, RowsPer::Token, &CancelToken::new())?.wait()?;
        Ok((rows.dim() > 0).then_some(rows))
    }

    fn submit_rows(&self, texts: Vec<String>, rows: RowsPer, cancel: &CancelToken) -> Result<PendingResult<Matrix>, ModelError> {
        let (reply, pending) = reply(self.0.name(), cancel);
        self.0.submit(EncodeJob { texts, rows, reply })?;
        Ok(pending)
    }
}
