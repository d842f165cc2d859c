//! The way to an encoder that lives on a thread of its own. Orders that have queued up are joined into one call of
//! the model, and its rows given back to whom they belong.

use std::ops::Deref;

use super::order::{Pending, Reply, reply};
use super::status::{LoadedModel, Shared};
use super::{Job, ModelThread, Worker};
use crate::model::{CancelToken, Encoder, Matrix, ModelError};

/// What is wanted of the texts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// One a text.
    Texts,
    /// One a token; a matrix without components from models that have none.
    Tokens,
}

struct Encode {
    texts: Vec<String>,
    rows: Rows,
    reply: Reply<Matrix>,
}

impl Job for Encode {
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
        LoadedModel { name: model.name().to_owned(), kind: model.kind(), device: model.device(), dim: model.dim(), delta: model.delta() }
    }

    fn work(jobs: &[Self], model: &mut Self::Model, shared: &Shared) -> Result<(), String> {
        if jobs.len() > 1 && jobs.iter().all(|job| job.rows == Rows::Texts) {
            let joined: Vec<String> = jobs.iter().flat_map(|job| job.texts.iter().cloned()).collect();
            if let Ok(rows) = encode(&joined, model, &|| jobs.iter().any(Job::is_wanted), shared) {
                let mut rest = rows.data();
                for job in jobs {
                    let (own, others) = rest.split_at(job.texts.len() * rows.dim());
                    job.reply.send(Ok(Matrix::new(rows.dim(), own.to_vec())));
                    rest = others;
                }
                return Ok(());
            }
            // One order's text must not cost the others their result.
        }
        let mut failed = Ok(());
        for job in jobs {
            let result = match job.rows {
                Rows::Texts => encode(&job.texts, model, &|| job.is_wanted(), shared),
                Rows::Tokens => encode_tokens(&job.texts, model, &|| job.is_wanted()),
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

/// Encodes portion by portion, so that nobody waits long for a large order that is not wanted any more.
fn encode(texts: &[String], model: &mut dyn Encoder, wanted: &dyn Fn() -> bool, shared: &Shared) -> Result<Matrix, ModelError> {
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

/// Rows of tokens, portion by portion.
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

/// One call, checked: a row a text.
fn call(texts: &[String], model: &mut dyn Encoder, wanted: &dyn Fn() -> bool) -> Result<Matrix, ModelError> {
    let rows = model.encode_while(texts, &mut || wanted())?;
    if texts.is_empty() || (rows.rows() == texts.len() && rows.dim() == model.dim()) {
        return Ok(rows);
    }
    let (found, dim, expected) = (rows.rows(), rows.dim(), model.dim());
    let problem = format!("it gave {found} vectors of {dim} components for {} texts, not of {expected}", texts.len());
    Err(ModelError::Compute { name: model.name().to_owned(), problem })
}

/// A way to an encoder that lives on a thread of its own. Cheap to clone; the thread ends with the last of its handles.
#[derive(Debug, Clone)]
pub struct EncoderHandle(Worker<Encode>);

impl Deref for EncoderHandle {
    type Target = ModelThread;

    fn deref(&self) -> &ModelThread {
        &self.0.thread
    }
}

impl EncoderHandle {
    /// Starts the thread and loads the model there; the handle can be used at once, and waits for the loading.
    /// `load` is called again whenever the model is to be loaded anew.
    ///
    /// # Errors
    /// If the system gives no thread.
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

    /// One row a text, as [`Encoder::encode`] gives it. Blocks the calling thread until it is there.
    ///
    /// # Errors
    /// If the model could not be loaded, its thread has ended, or the computation fails.
    pub fn encode(&self, texts: Vec<String>) -> Result<Matrix, ModelError> {
        self.order(texts, &CancelToken::new())?.wait()
    }

    /// The same for a run that can be stopped: then it returns at once.
    ///
    /// # Errors
    /// As [`Self::encode`], and [`ModelError::Cancelled`].
    pub fn encode_until(&self, texts: Vec<String>, cancel: &CancelToken) -> Result<Matrix, ModelError> {
        self.order(texts, cancel)?.wait()
    }

    /// Orders rows and gives the way to wait for them; dropping that takes the order back.
    ///
    /// # Errors
    /// If the thread has ended, or the token is cancelled while the queue is full.
    pub fn order(&self, texts: Vec<String>, cancel: &CancelToken) -> Result<Pending<Matrix>, ModelError> {
        self.order_rows(texts, Rows::Texts, cancel)
    }

    /// One row a token, as [`Encoder::encode_tokens`] gives them; `None` from encoders that have none. Blocks the calling thread until they are there.
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub fn encode_tokens(&self, texts: Vec<String>) -> Result<Option<Matrix>, ModelError> {
        let rows = self.order_rows(texts, Rows::Tokens, &CancelToken::new())?.wait()?;
        Ok((rows.dim() > 0).then_some(rows))
    }

    fn order_rows(&self, texts: Vec<String>, rows: Rows, cancel: &CancelToken) -> Result<Pending<Matrix>, ModelError> {
        let (reply, pending) = reply(self.0.name(), cancel);
        self.0.order(Encode { texts, rows, reply })?;
        Ok(pending)
    }
}
