//! The way to a cross-encoder that lives on a thread of its own.

use std::ops::Deref;

use super::order::{Reply, reply};
use super::status::{LoadedModel, Shared};
use super::{Job, ModelThread, Worker};
use crate::model::{CancelToken, Matrix, ModelError, Reranker};

struct Score {
    queries: Vec<String>,
    documents: Vec<String>,
    reply: Reply<Matrix>,
}

impl Job for Score {
    type Model = dyn Reranker;

    fn is_wanted(&self) -> bool {
        self.reply.is_wanted()
    }

    fn describe(model: &dyn Reranker) -> LoadedModel {
        LoadedModel { name: model.name().to_owned(), kind: model.kind(), device: model.device(), dim: 0, delta: 0.0 }
    }

    fn work(jobs: &[Self], model: &mut Self::Model, shared: &Shared) -> Result<(), String> {
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

impl Score {
    /// Scores are taken only if there is a row a query and a column a document, and each is a number: a matrix the wrong way
    /// round would attach scores to other chains.
    fn checked(&self, scores: Matrix, model: &dyn Reranker) -> Result<Matrix, ModelError> {
        let (rows, columns) = (scores.rows(), scores.dim());
        let problem = if rows != self.queries.len() || columns != self.documents.len() {
            format!("it gave {rows} × {columns} scores for {} queries and {} documents", self.queries.len(), self.documents.len())
        } else if scores.data().iter().any(|score| !score.is_finite()) {
            "some of its scores are no numbers".into()
        } else {
            return Ok(scores);
        };
        Err(ModelError::Compute { name: model.name().to_owned(), problem })
    }
}

/// A way to a cross-encoder that lives on a thread of its own. Cheap to clone; the thread ends with the last of its handles.
#[derive(Debug, Clone)]
pub struct RerankerHandle(Worker<Score>);

impl Deref for RerankerHandle {
    type Target = ModelThread;

    fn deref(&self) -> &ModelThread {
        &self.0.thread
    }
}

impl RerankerHandle {
    /// Starts the thread and loads the model there; the handle can be used at once, and waits for the loading.
    /// `load` is called again whenever the model is to be loaded anew.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start(name: &str, load: impl FnMut() -> Result<Box<dyn Reranker>, ModelError> + Send + 'static) -> Result<Self, ModelError> {
        Ok(Self(Worker::start(name, Box::new(load))?))
    }

    /// Relevance of every document to every query, `[queries, documents]`, 0 to 1. Blocks the calling thread until it is
    /// there or the token is cancelled.
    ///
    /// # Errors
    /// If the model could not be loaded, fails, gives scores of another shape, or the token is cancelled.
    pub fn score(&self, queries: Vec<String>, documents: Vec<String>, cancel: &CancelToken) -> Result<Matrix, ModelError> {
        let (reply, pending) = reply(self.0.name(), cancel);
        self.0.order(Score { queries, documents, reply })?;
        pending.wait()
    }
}
