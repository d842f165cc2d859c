//! The handle of a cross-encoder that runs on its own thread.

use std::ops::Deref;

use super::reply::{Reply, reply};
use super::status::{LoadedModel, WorkerShared};
use super::{ModelJob, ModelThread, Worker};
use crate::model::{CancelToken, Matrix, ModelError, Reranker};

struct ScoreJob {
    queries: Vec<String>,
    documents: Vec<String>,
    reply: Reply<Matrix>,
}

impl ModelJob for ScoreJob {
    type Model = dyn Reranker;

    fn is_wanted(&self) -> bool {
        self.reply.is_wanted()
    }

    fn describe(model: &dyn Reranker) -> LoadedModel {
        LoadedModel { name: model.name().to_owned(), kind: model.kind(), device: model.device(), dim: 0, delta: 0.0, warning: None }
    }

    fn work(jobs: &[Self], model: &mut Self::Model, shared: &WorkerShared) -> Result<(), String> {
        let mut failed = Ok(());
        for job in jobs {
            shared.progress(0, job.queries.len() * job.documents.len());
            let result = model.score(&job.queries, &job.documents, &|| !job.is_wanted()).and_then(|scores| job.checked(scores, model));
            if let Err(error) = &result
                && !matches!(error, ModelError::Cancelled)
            {
                failed = Err(error.to_string());
            }
            job.reply.send(result);
        }
        failed
    }

    fn refuse(&self, error: ModelError) {
        self.reply.send(Err(error));
    }
}

impl ScoreJob {
    /// Accepts scores only if there is a row for each query and a column for each document, and every score is finite: a transposed matrix
    /// would assign scores to the wrong chains.
    fn checked(&self, scores: Matrix, model: &dyn Reranker) -> Result<Matrix, ModelError> {
        let (rows, columns) = (scores.rows(), scores.dim());
        let problem = if rows != self.queries.len() || columns != self.documents.len() {
            format!("it returned {rows} × {columns} scores for {} queries and {} documents", self.queries.len(), self.documents.len())
        } else if scores.data().iter().any(|score| !score.is_finite()) {
            "some of its scores are not numbers".into()
        } else {
            return Ok(scores);
        };
        Err(ModelError::Compute { name: model.name().to_owned(), problem })
    }
}

/// The handle of a cross-encoder that runs on its own thread. Cheap to clone; the thread ends with its last handle.
#[derive(Debug, Clone)]
pub struct RerankerHandle(Worker<ScoreJob>);

impl Deref for RerankerHandle {
    type Target = ModelThread;

    fn deref(&self) -> &ModelThread {
        &self.0.thread
    }
}

impl RerankerHandle {
    /// Starts the thread, which loads the model. The handle can be used at once; calls wait until the model is loaded.
    /// `load` is called again whenever the model is reloaded.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(name: &str, load: impl FnMut() -> Result<Box<dyn Reranker>, ModelError> + Send + 'static) -> Result<Self, ModelError> {
        Ok(Self(Worker::start(name, Box::new(load))?))
    }

    /// Relevance of every document to every query, `[queries, documents]`, 0 to 1. Blocks until the result is
    /// there or the token is cancelled.
    ///
    /// # Errors
    /// If the model could not be loaded, fails, returns scores of another shape, or the token is cancelled.
    pub fn score(&self, queries: Vec<String>, documents: Vec<String>, cancel: &CancelToken) -> Result<Matrix, ModelError> {
        let (reply, pending) = reply(self.0.name(), cancel);
        self.0.submit(ScoreJob { queries, documents, reply })?;
        pending.wait()
    }
}
