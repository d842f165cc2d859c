//! The handle of a recogniser that runs on its own thread.

use std::ops::Deref;

use super::reply::{Reply, reply};
use super::status::{LoadedModel, WorkerShared};
use super::{ModelJob, ModelThread, Worker};
use crate::model::{CancelToken, ModelError, Recogniser, TypedMention};

struct RecogniseJob {
    sentences: Vec<String>,
    reply: Reply<Vec<Vec<TypedMention>>>,
}

impl ModelJob for RecogniseJob {
    type Model = dyn Recogniser;

    fn is_wanted(&self) -> bool {
        self.reply.is_wanted()
    }

    fn describe(model: &dyn Recogniser) -> LoadedModel {
        LoadedModel { name: model.name().to_owned(), kind: "candle", device: model.device(), dim: 0, delta: 0.0, warning: None }
    }

    fn work(jobs: &[Self], model: &mut Self::Model, shared: &WorkerShared) -> Result<(), String> {
        let mut failed = Ok(());
        for job in jobs {
            shared.progress(0, job.sentences.len());
            let result = model.recognise(&job.sentences, &|| !job.is_wanted()).and_then(|found| job.checked(found, model));
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

impl RecogniseJob {
    /// Accepts mentions only if there is a list for each sentence and every part lies in it.
    fn checked(&self, found: Vec<Vec<TypedMention>>, model: &dyn Recogniser) -> Result<Vec<Vec<TypedMention>>, ModelError> {
        let is_within = |sentence: &String, mention: &TypedMention| {
            let mut before = 0;
            !mention.parts.is_empty()
                && mention.parts.iter().all(|(begin, end)| {
                    let follows = *begin >= before && end > begin;
                    before = *end;
                    follows && sentence.get(*begin..*end).is_some()
                })
        };
        let fits = found.len() == self.sentences.len()
            && self.sentences.iter().zip(&found).all(|(sentence, mentions)| mentions.iter().all(|mention| is_within(sentence, mention)));
        if fits {
            return Ok(found);
        }
        Err(ModelError::Compute { name: model.name().to_owned(), problem: "it returned mentions that are not in the text".into() })
    }
}

/// The handle of a recogniser that runs on its own thread. Cheap to clone; the thread ends with its last handle.
#[derive(Debug, Clone)]
pub struct RecogniserHandle(Worker<RecogniseJob>);

impl Deref for RecogniserHandle {
    type Target = ModelThread;

    fn deref(&self) -> &ModelThread {
        &self.0.thread
    }
}

impl RecogniserHandle {
    /// Starts the thread, which loads the model. The handle can be used at once; calls wait until the model is loaded.
    /// `load` is called again whenever the model is reloaded.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(name: &str, load: impl FnMut() -> Result<Box<dyn Recogniser>, ModelError> + Send + 'static) -> Result<Self, ModelError> {
        Ok(Self(Worker::start(name, Box::new(load))?))
    }

    /// The mentions of each sentence, see [`Recogniser::recognise`]. Blocks until the result is there or the token is cancelled.
    ///
    /// # Errors
    /// If the model could not be loaded, fails, returns mentions that are not in the text, or the token is cancelled.
    pub fn recognise(&self, sentences: Vec<String>, cancel: &CancelToken) -> Result<Vec<Vec<TypedMention>>, ModelError> {
        let (reply, pending) = reply(self.0.name(), cancel);
        self.0.submit(RecogniseJob { sentences, reply })?;
        pending.wait()
    }
}
