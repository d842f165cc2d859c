//! Models on threads of their own. A worker loads its model on its thread, serves orders from a bounded queue, and
//! outlives the model's faults: what fails is reported to whoever asked, and the model can be loaded anew.
//!
//! The thread waits for nothing but its queue and the channel to whoever it writes for, never for rayon: all of rayon's
//! threads may be waiting for this very model.

mod encoder;
mod generator;
mod order;
mod reranker;
mod status;
mod thread;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

pub use encoder::EncoderHandle;
pub use generator::GeneratorHandle;
pub use order::Pending;
pub use reranker::RerankerHandle;
pub use status::{LoadedModel, WorkerState, WorkerStatus};
pub use thread::ModelThread;

use super::{CancelToken, ModelError};
use status::Shared;

/// Orders that may wait; whoever asks for more waits in turn.
const QUEUE: usize = 64;
/// How often someone who waits for a model looks whether to go on waiting.
pub(crate) const LOOK: Duration = Duration::from_millis(10);
/// What the names of these threads begin with. A panic of one of them is the worker's to report.
pub(crate) const THREAD: &str = "model ";

/// Something that a model is asked to do.
trait Job: Send + 'static {
    /// What does it. Made on the worker's thread and never leaves it.
    type Model: ?Sized;

    /// Whether anybody still wants it done.
    fn is_wanted(&self) -> bool;

    /// How much of what a call can take this needs; orders are joined up to [`Job::most`].
    fn size(&self) -> usize {
        1
    }

    /// How much one call of this model takes; 1 where orders are never joined.
    fn most(_model: &Self::Model) -> usize {
        1
    }

    /// What is known of a loaded model.
    fn describe(model: &Self::Model) -> LoadedModel;

    /// Does the jobs, all of which are wanted, and replies to each. Gives an error's words if something failed.
    fn work(jobs: &[Self], model: &mut Self::Model, shared: &Shared) -> Result<(), String>
    where
        Self: Sized;

    /// Replies that it cannot be done. One that was replied to already is passed over.
    fn refuse(&self, error: ModelError);
}

enum Order<J> {
    Job(J),
    /// Load the model anew.
    Restart,
}

type Load<J> = Box<dyn FnMut() -> Result<Box<<J as Job>::Model>, ModelError> + Send>;

/// The way to a model's thread. The thread ends with the last of its ways.
struct Worker<J: Job> {
    orders: SyncSender<Order<J>>,
    thread: ModelThread,
}

impl<J: Job> Clone for Worker<J> {
    fn clone(&self) -> Self {
        Self { orders: self.orders.clone(), thread: self.thread.clone() }
    }
}

impl<J: Job> std::fmt::Debug for Worker<J> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.thread.fmt(f)
    }
}

impl<J: Job> Worker<J> {
    /// Starts the thread, which begins to load the model.
    fn start(name: &str, load: Load<J>) -> Result<Self, ModelError> {
        let (orders, queue) = sync_channel(QUEUE);
        let shared = Arc::new(Shared::new(name));
        let told = Arc::clone(&shared);
        std::thread::Builder::new()
            .name(format!("{THREAD}{name}"))
            .spawn(move || live(load, &queue, &told))
            .map_err(|error| ModelError::Load { name: name.into(), problem: error.to_string() })?;
        let restart = orders.clone();
        let thread = ModelThread::new(shared, Arc::new(move || restart.send(Order::Restart).is_ok()));
        Ok(Self { orders, thread })
    }

    fn name(&self) -> &Arc<str> {
        &self.thread.shared.name
    }

    /// Puts a job into the queue; waits where that is full.
    fn order(&self, job: J) -> Result<(), ModelError> {
        self.thread.shared.queued(1);
        let mut order = Order::Job(job);
        loop {
            let refused = match self.orders.try_send(order) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(Order::Job(job))) if job.is_wanted() => {
                    std::thread::sleep(LOOK);
                    order = Order::Job(job);
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
enum Ended {
    /// Nobody has a way to it any more.
    Alone,
    /// It is to be loaded anew.
    Restart,
    /// It panicked; whether it had done anything before.
    Panicked { problem: String, proven: bool },
}

/// The thread's life: load, serve, and after a fault load again.
fn live<J: Job>(mut load: Load<J>, queue: &Receiver<Order<J>>, shared: &Shared) {
    // A panic may be an accident of one order, so the model is loaded anew by itself; but not for ever.
    let mut spare = true;
    loop {
        shared.loading();
        let problem = match catch_unwind(AssertUnwindSafe(&mut load)) {
            Ok(Ok(model)) => {
                shared.loaded(J::describe(&model));
                match serve(model, queue, shared) {
                    Ended::Alone => return,
                    Ended::Restart => continue,
                    Ended::Panicked { problem, proven } => {
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
        // It stays failed until someone asks for another try.
        loop {
            match queue.recv() {
                Ok(Order::Job(job)) => {
                    shared.queued(-1);
                    job.refuse(ModelError::Load { name: shared.name.to_string(), problem: problem.clone() });
                }
                Ok(Order::Restart) => break,
                Err(_) => return,
            }
        }
        spare = true;
    }
}

fn serve<J: Job>(mut model: Box<J::Model>, queue: &Receiver<Order<J>>, shared: &Shared) -> Ended {
    let mut proven = false;
    let mut next: Option<Order<J>> = None;
    loop {
        let first = match next.take().map_or_else(|| queue.recv(), Ok) {
            Ok(Order::Job(job)) => job,
            Ok(Order::Restart) => return Ended::Restart,
            Err(_) => return Ended::Alone,
        };
        let mut jobs = vec![first];
        let most = J::most(&model);
        let mut size = jobs[0].size();
        while size < most
            && let Ok(order) = queue.try_recv()
        {
            match order {
                Order::Job(job) if size + job.size() <= most => {
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
                // What it has become is unknown; letting go of it may panic too.
                let _ = catch_unwind(AssertUnwindSafe(|| drop(model)));
                shared.failed(&problem);
                for job in &jobs {
                    job.refuse(ModelError::Compute { name: shared.name.to_string(), problem: problem.clone() });
                }
                if let Some(Order::Job(job)) = next {
                    shared.queued(-1);
                    job.refuse(ModelError::Compute { name: shared.name.to_string(), problem: problem.clone() });
                }
                return Ended::Panicked { problem, proven };
            }
        }
    }
}

/// What a panic said.
fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a fault in the model's program ({})", crate::text::sanitise_line(said.unwrap_or("it did not say which")))
}

/// Waits for a reply, looking now and then whether it is still wanted.
fn wait_for<T>(reply: &Receiver<T>, cancel: &CancelToken, name: &str) -> Result<T, ModelError> {
    use std::sync::mpsc::RecvTimeoutError;
    loop {
        match reply.recv_timeout(LOOK) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => return Err(ModelError::Cancelled),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(ModelError::Gone { name: name.into() }),
        }
    }
}
