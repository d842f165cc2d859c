//! The thread that owns an encoder. It is fed through a bounded channel of commands, each with the way
//! back for its result; a caller that has gone away costs nothing more.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;

use super::{Encoder, Matrix, ModelError};

/// Commands that may wait; whoever asks for more waits in turn.
const QUEUE: usize = 64;

struct Command {
    texts: Vec<String>,
    reply: SyncSender<Result<Matrix, ModelError>>,
}

/// What is known of an encoder once it has loaded.
#[derive(Debug, Clone)]
struct Loaded {
    dim: usize,
    delta: f64,
}

/// A way to an encoder that lives on a thread of its own. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EncoderHandle {
    name: Arc<str>,
    commands: SyncSender<Command>,
    loaded: Arc<OnceLock<Result<Loaded, String>>>,
}

impl EncoderHandle {
    /// Starts the thread and loads the model there; the handle can be used at once, and waits for the loading.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start<E: Encoder>(name: &str, load: impl FnOnce() -> Result<E, ModelError> + Send + 'static) -> Result<Self, ModelError> {
        let (commands, queue) = sync_channel::<Command>(QUEUE);
        let loaded = Arc::new(OnceLock::new());
        let told = Arc::clone(&loaded);
        thread::Builder::new()
            .name(format!("encoder {name}"))
            .spawn(move || serve(load(), &queue, &told))
            .map_err(|error| ModelError::Load { name: name.into(), problem: error.to_string() })?;
        Ok(Self { name: name.into(), commands, loaded })
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Components of a vector; waits for the model to be loaded.
    ///
    /// # Errors
    /// If it could not be loaded.
    pub fn dim(&self) -> Result<usize, ModelError> {
        self.loaded().map(|l| l.dim)
    }

    /// The encoder's own linking threshold; waits for the model to be loaded.
    ///
    /// # Errors
    /// If it could not be loaded.
    pub fn delta(&self) -> Result<f64, ModelError> {
        self.loaded().map(|l| l.delta)
    }

    fn loaded(&self) -> Result<Loaded, ModelError> {
        match self.loaded.wait() {
            Ok(loaded) => Ok(loaded.clone()),
            Err(problem) => Err(ModelError::Load { name: self.name.to_string(), problem: problem.clone() }),
        }
    }

    /// One row a text, as [`Encoder::encode`] gives it. Blocks the calling thread until it is there.
    ///
    /// # Errors
    /// If the model could not be loaded, its thread has ended, or the computation fails.
    pub fn encode(&self, texts: Vec<String>) -> Result<Matrix, ModelError> {
        let gone = || ModelError::Gone { name: self.name.to_string() };
        let (reply, result) = sync_channel(1);
        self.commands.send(Command { texts, reply }).map_err(|_| gone())?;
        result.recv().map_err(|_| gone())?
    }
}

fn serve<E: Encoder>(model: Result<E, ModelError>, queue: &Receiver<Command>, told: &OnceLock<Result<Loaded, String>>) {
    let mut model = match model {
        Ok(model) => {
            let _ = told.set(Ok(Loaded { dim: model.dim(), delta: model.delta() }));
            model
        }
        Err(error) => {
            let problem = match &error {
                ModelError::Load { problem, .. } => problem.clone(),
                other => other.to_string(),
            };
            let _ = told.set(Err(problem));
            return;
        }
    };
    while let Ok(command) = queue.recv() {
        let result = model.encode(&command.texts);
        // The caller may have given up meanwhile; then nobody wants the result.
        let _ = command.reply.send(result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Lengths;

    impl Encoder for Lengths {
        fn name(&self) -> &str {
            "lengths"
        }
        fn dim(&self) -> usize {
            1
        }
        fn delta(&self) -> f64 {
            0.5
        }
        fn encode(&mut self, texts: &[String]) -> Result<Matrix, ModelError> {
            Ok(Matrix::new(1, texts.iter().map(|t| t.len() as f32).collect()))
        }
    }

    #[test]
    fn commands_from_several_threads_get_their_own_results() {
        let handle = EncoderHandle::start("lengths", || Ok(Lengths)).expect("a thread");
        thread::scope(|scope| {
            for n in 0..8usize {
                let handle = handle.clone();
                scope.spawn(move || {
                    for _ in 0..50 {
                        let rows = handle.encode(vec!["x".repeat(n); 2]).expect("encodes");
                        assert_eq!(rows.data(), [n as f32, n as f32]);
                    }
                });
            }
        });
        assert_eq!(handle.dim().expect("loaded"), 1);
    }

    #[test]
    fn a_model_that_cannot_be_loaded_is_reported_to_every_caller() {
        let load = || Err::<Lengths, _>(ModelError::Load { name: "lengths".into(), problem: "no such file".into() });
        let handle = EncoderHandle::start("lengths", load).expect("a thread");
        assert!(handle.dim().expect_err("not loaded").to_string().contains("no such file"));
        assert!(matches!(handle.encode(vec!["x".into()]), Err(ModelError::Gone { .. })));
    }
}
