//! Models on threads of their own. A worker loads its model on its thread, serves requests from a bounded queue, and
//! survives faults of the model: each caller gets the error, and the model can be reloaded.
//!
//! The thread waits only for its queue and for the readers of its text, never for rayon: all of rayon's threads may be
//! waiting for this very model.

mod encoder;
mod generator;
mod model_thread;
mod recogniser;
mod reply;
mod reranker;
mod status;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

pub use encoder::EncoderHandle;
pub use generator::GeneratorHandle;
pub use model_thread::ModelThread;
pub use recogniser::RecogniserHandle;
pub use reply::PendingResult;
pub use reranker::RerankerHandle;
pub use status::{LoadedModel, WorkerState, WorkerStatus};

use super::{CancelToken, ModelError};
use status::WorkerShared;

/// Requests that can wait in the queue; further callers block.
const QUEUE: usize = 64;
/// How often a waiting caller checks for cancellation.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The prefix of the names of these threads. The worker reports their panics.
pub(crate) const THREAD_PREFIX: &str = "model ";

/// A request to a model.
trait ModelJob: Send + 'static {
    /// The kind of model. It is created on the worker's thread and never leaves it.
    type Model: ?Sized;

    /// Whether anyone still wants the result.
    fn is_wanted(&self) -> bool;

    /// The size of the request; requests are joined up to [`ModelJob::most`].
    fn size(&self) -> usize {
        1
    }

    /// The largest size of one call of this model; 1 if requests are never joined.
    fn most(_model: &Self::Model) -> usize {
        1
    }

    /// The description of a loaded model.
    fn describe(model: &Self::Model) -> LoadedModel;

    /// Does the jobs, all of which are wanted, and replies to each. Returns the error message if something failed.
    fn work(jobs: &[Self], model: &mut Self::Model, shared: &WorkerShared) -> Result<(), String>
    where
        Self: Sized;

    /// Replies with an error, unless there was a reply already.
    fn refuse(&self, error: ModelError);
}

enum WorkerMessage<J> {
    Job(J),
    /// Reload the model.
    Restart,
}

type LoadModel<J> = Box<dyn FnMut() -> Result<Box<<J as ModelJob>::Model>, ModelError> + Send>;

/// The sending side of a model's thread. The thread ends with the last clone.
struct Worker<J: ModelJob> {
    messages: SyncSender<WorkerMessage<J>>,
    thread: ModelThread,
}

impl<J: ModelJob> Clone for Worker<J> {
    fn clone(&self) -> Self {
        Self { messages: self.messages.clone(), thread: self.thread.clone() }
    }
}

impl<J: ModelJob> std::fmt::Debug for Worker<J> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.thread.fmt(f)
    }
}

impl<J: ModelJob> Worker<J> {
    /// Starts the thread, which begins to load the model.
    fn start(name: &str, load: LoadModel<J>) -> Result<Self, ModelError> {
        let (messages, queue) = sync_channel(QUEUE);
        let shared = Arc::new(WorkerShared::new(name));
        let thread_shared = Arc::clone(&shared);
        std::thread::Builder::new()
            .name(format!("{THREAD_PREFIX}{name}"))
            .spawn(move || run_worker(load, &queue, &thread_shared))
            .map_err(|error| ModelError::Load { name: name.into(), problem: error.to_string() })?;
        let restart = messages.clone();
        let thread = ModelThread::new(shared, Arc::new(move || restart.send(WorkerMessage::Restart).is_ok()));
        Ok(Self { messages, thread })
    }

    fn name(&self) -> &Arc<str> {
        &self.thread.shared.name
    }

    /// Queues a job; waits while the queue is full.
    fn submit(&self, job: J) -> Result<(), ModelError> {
        self.thread.shared.queued(1);
        let mut message = WorkerMessage::Job(job);
        loop {
            let refused = match self.messages.try_send(message) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(WorkerMessage::Job(job))) if job.is_wanted() => {
                    std::thread::sleep(POLL_INTERVAL);
                    message = WorkerMessage::Job(job);
                    continue;
                }
                Err(TrySendError::Full(_)) => ModelError::Cancelled,
                Err(TrySendError::Disconnected(_)) => ModelError::Gone { name: self.name().to_string() },
            };
            self.thread.shared.queued(-1);
            return Err(refused);
        }
    }
}

/// How serving a loaded model ended.
enum ServingEnd {
    /// The last handle was dropped.
    Alone,
    /// A restart was requested.
    Restart,
    /// The model panicked; `proven` tells whether it had served a request before.
    Panicked { problem: String, proven: bool },
}

/// The thread's life: load, serve, and after a fault load again.
fn run_worker<J: ModelJob>(mut load: LoadModel<J>, queue: &Receiver<WorkerMessage<J>>, shared: &WorkerShared) {
    // One request may have caused the panic, so the worker reloads the model by itself, but only once in a row.
    let mut spare = true;
    loop {
        shared.loading();
        let problem = match catch_unwind(AssertUnwindSafe(&mut load)) {
            Ok(Ok(model)) => {
                shared.loaded(J::describe(&model));
                match serve(model, queue, shared) {
                    ServingEnd::Alone => return,
                    ServingEnd::Restart => continue,
                    ServingEnd::Panicked { problem, proven } => {
                        spare |= proven;
                        if std::mem::take(&mut spare) {
                            shared.restarted_after(&problem);
                            continue;
                        }
                        problem
                    }
                }
            }
            Ok(Err(ModelError::Load { problem, .. })) => problem,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => words(&*panic),
        };
        shared.failed(&problem);
        // It stays failed until someone requests a restart.
        loop {
            match queue.recv() {
                Ok(WorkerMessage::Job(job)) => {
                    shared.queued(-1);
                    job.refuse(ModelError::Load { name: shared.name.to_string(), problem: problem.clone() });
                }
                Ok(WorkerMessage::Restart) => break,
                Err(_) => return,
            }
        }
        spare = true;
    }
}

fn serve<J: ModelJob>(mut model: Box<J::Model>, queue: &Receiver<WorkerMessage<J>>, shared: &WorkerShared) -> ServingEnd {
    let mut proven = false;
    let mut next: Option<WorkerMessage<J>> = None;
    loop {
        let first = match next.take().map_or_else(|| queue.recv(), Ok) {
            Ok(WorkerMessage::Job(job)) => job,
            Ok(WorkerMessage::Restart) => return ServingEnd::Restart,
            Err(_) => return ServingEnd::Alone,
        };
        let mut jobs = vec![first];
        let most = J::most(&model);
        let mut size = jobs[0].size();
        while size < most
            && let Ok(message) = queue.try_recv()
        {
            match message {
                WorkerMessage::Job(job) if size + job.size() <= most => {
                    size += job.size();
                    jobs.push(job);
                }
                other => {
                    next = Some(other);
                    break;
                }
            }
        }
        shared.queued(-(jobs.len() as isize));
        jobs.retain(|job| {
            let wanted = job.is_wanted();
            if !wanted {
                job.refuse(ModelError::Cancelled);
            }
            wanted
        });
        if jobs.is_empty() {
            continue;
        }
        shared.busy();
        let worked = catch_unwind(AssertUnwindSafe(|| J::work(&jobs, &mut model, shared)));
        match worked {
            Ok(result) => {
                proven |= result.is_ok();
                shared.idle(jobs.len(), result.err());
            }
            Err(panic) => {
                let problem = words(&*panic);
                // The state of the model is unknown; dropping it may panic too.
                let _ = catch_unwind(AssertUnwindSafe(|| drop(model)));
                shared.failed(&problem);
                for job in &jobs {
                    job.refuse(ModelError::Compute { name: shared.name.to_string(), problem: problem.clone() });
                }
                if let Some(WorkerMessage::Job(job)) = next {
                    shared.queued(-1);
                    job.refuse(ModelError::Compute { name: shared.name.to_string(), problem: problem.clone() });
                }
                return ServingEnd::Panicked { problem, proven };
            }
        }
    }
}

/// The message of a panic.
fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a fault in the model's program ({})", crate::text::sanitise_line(said.unwrap_or("no message")))
}

/// Waits for a reply; checks now and then whether it is still wanted.
fn wait_for<T>(reply: &Receiver<T>, cancel: &CancelToken, name: &str) -> Result<T, ModelError> {
    use std::sync::mpsc::RecvTimeoutError;
    loop {
        match reply.recv_timeout(POLL_INTERVAL) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => return Err(ModelError::Cancelled),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(ModelError::Gone { name: name.into() }),
        }
    }
}
