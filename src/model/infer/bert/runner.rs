//! Runs batches of texts through the network: on the processor by threads of its own, on other devices by candle's tensors.

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use candle_core::Device;

use super::all_gather::AllGather;
use super::config::BertConfig;
use super::folder::Pooling;
use super::network::{Network, Workspace};
use super::tensors::TensorNetwork;
use super::tokens::TokenisedText;
use super::weights::WeightFile;
use crate::model::ModelError;
use crate::model::infer::thread_pool::{Idle, PeerFailed, ThreadPool, lock};

/// More threads than this wait for each other longer than they compute.
const MOST_THREADS: usize = 16;

/// The most tokens in a batch (one text always fits): the rows of a batch stay within the caches, and `cancelled` is asked often enough.
const MOST_TOKENS: usize = 512;

/// The fewest tokens in a batch when every thread computes batches of its own: with fewer, threads would spend their time reading weights.
const LEAST_TOKENS: usize = 64;

/// The most tokens in a batch on another device, padding included.
const DEVICE_TOKENS: usize = 16 << 10;

/// Why there is no result.
pub(super) enum RunError {
    Cancelled,
    Failed(String),
}

impl RunError {
    /// As an error of the model with this name.
    pub(super) fn of(self, name: &str) -> ModelError {
        match self {
            Self::Cancelled => ModelError::Cancelled,
            Self::Failed(problem) => ModelError::Compute { name: name.to_owned(), problem },
        }
    }

    fn thread_failed() -> Self {
        Self::Failed("one of its threads failed".into())
    }
}

impl From<candle_core::Error> for RunError {
    fn from(error: candle_core::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// A network, and what runs it.
pub(super) struct NetworkRunner {
    device: NetworkDevice,
    pool: ThreadPool,
}

/// A network where it runs.
#[allow(clippy::large_enum_variant, reason = "a model has one of it")]
enum NetworkDevice {
    /// One workspace for each thread of the pool.
    Processor {
        network: Network,
        workspaces: Vec<Mutex<Workspace>>,
    },
    Other(TensorNetwork),
}

impl NetworkRunner {
    pub(super) fn load(config: &BertConfig, weights: &mut WeightFile, device: &Device) -> Result<Self, ModelError> {
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
        let device = if device.is_cpu() {
            let workspaces = (0..threads).map(|_| Mutex::default()).collect();
            NetworkDevice::Processor { network: Network::load(config, weights)?, workspaces }
        } else {
            NetworkDevice::Other(TensorNetwork::load(config, weights, device)?)
        };
        let pool = ThreadPool::new("encoder", threads, Idle::Sleep).map_err(|problem| weights.fails(problem))?;
        Ok(Self { device, pool })
    }

    /// The threads, for what is computed before the network.
    pub(super) fn pool(&mut self) -> &mut ThreadPool {
        &mut self.pool
    }

    /// One row of `hidden` numbers for each text, in the order of the texts; rows of texts without tokens are zeros. `cancelled` is asked between
    /// batches.
    pub(super) fn run(
        &mut self,
        texts: &[TokenisedText],
        hidden: usize,
        pooling: Pooling,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<f32>, RunError> {
        // Longest first: a batch then has texts of similar length, and the batches computed last are short.
        let mut order: Vec<usize> = (0..texts.len()).filter(|i| !texts[*i].ids.is_empty()).collect();
        order.sort_by_key(|i| std::cmp::Reverse(texts[*i].ids.len()));
        let sorted: Vec<&TokenisedText> = order.iter().map(|i| &texts[*i]).collect();
        let rows = match &self.device {
            NetworkDevice::Other(network) => {
                let mut rows = Vec::with_capacity(sorted.len() * hidden);
                for batch in batches(&sorted, DEVICE_TOKENS, true) {
                    if cancelled() {
                        return Err(RunError::Cancelled);
                    }
                    rows.extend(network.forward(&sorted[batch], pooling)?);
                }
                rows
            }
            NetworkDevice::Processor { network, workspaces } => {
                let tokens: usize = sorted.iter().map(|text| text.ids.len()).sum();
                let run = ProcessorRun { network, workspaces, pool: &mut self.pool, texts: &sorted, hidden, pooling, cancelled };
                if sorted.len() < 2 * workspaces.len() || tokens < LEAST_TOKENS * workspaces.len() {
                    run.split_each_batch()?
                } else {
                    run.distribute_batches()?
                }
            }
        };
        let mut placed = vec![0.0; texts.len() * hidden];
        for (i, row) in order.into_iter().zip(rows.chunks_exact(hidden)) {
            placed[i * hidden..(i + 1) * hidden].copy_from_slice(row);
        }
        Ok(placed)
    }

    /// The rows of all tokens of one text, `hidden` numbers each.
    pub(super) fn rows(&mut self, text: &TokenisedText) -> Result<Vec<f32>, RunError> {
        match &self.device {
            NetworkDevice::Other(network) => Ok(network.rows(text)?),
            NetworkDevice::Processor { network, workspaces } => {
                let workspace = workspaces.first().ok_or_else(RunError::thread_failed)?;
                let rows = network.forward(&[text], &AllGather::new(1).rank(0), &mut lock(workspace)).map(<[f32]>::to_vec);
                rows.map_err(|PeerFailed| RunError::thread_failed())
            }
        }
    }
}

/// Cuts texts into batches of neighbours with at most `most` tokens each. If `padded`, every text counts as long as the first of its batch, the longest.
fn batches(texts: &[&TokenisedText], most: usize, padded: bool) -> Vec<Range<usize>> {
    let (mut batches, mut begin, mut tokens) = (Vec::new(), 0, 0);
    for (i, text) in texts.iter().enumerate() {
        tokens = if padded { (i + 1 - begin) * texts[begin].ids.len() } else { tokens + text.ids.len() };
        if tokens > most && i > begin {
            batches.push(begin..i);
            (begin, tokens) = (i, text.ids.len());
        }
    }
    if begin < texts.len() {
        batches.push(begin..texts.len());
    }
    batches
}

/// Texts on their way through a network on the processor.
struct ProcessorRun<'a> {
    network: &'a Network,
    /// One for each thread of the pool.
    workspaces: &'a [Mutex<Workspace>],
    pool: &'a mut ThreadPool,
    texts: &'a [&'a TokenisedText],
    hidden: usize,
    pooling: Pooling,
    cancelled: &'a dyn Fn() -> bool,
}

impl ProcessorRun<'_> {
    /// All threads compute one batch together, then the next: for a few texts.
    fn split_each_batch(self) -> Result<Vec<f32>, RunError> {
        let Self { network, workspaces, pool, texts, hidden, pooling, cancelled } = self;
        let mut rows = Vec::with_capacity(texts.len() * hidden);
        for batch in batches(texts, MOST_TOKENS, false) {
            if cancelled() {
                return Err(RunError::Cancelled);
            }
            let batch = &texts[batch];
            let shared = AllGather::new(pool.threads());
            let compute = |index: usize, rows: Option<&mut Vec<f32>>| {
                let rank = shared.rank(index);
                let mut workspace = lock(&workspaces[index]);
                // All threads get the same vectors; one of them adds up the rows.
                match (network.forward(batch, &rank, &mut workspace), rows) {
                    (Ok(vectors), Some(rows)) => pool_tokens(vectors, batch, hidden, pooling, rows),
                    (Ok(_), None) | (Err(PeerFailed), _) => {}
                }
            };
            pool.run_beside(&|index| compute(index, None), || compute(0, Some(&mut rows)));
            if pool.failed() {
                return Err(RunError::thread_failed());
            }
        }
        Ok(rows)
    }

    /// Every thread computes batches of its own: for many texts.
    fn distribute_batches(self) -> Result<Vec<f32>, RunError> {
        let Self { network, workspaces, pool, texts, hidden, pooling, cancelled } = self;
        let tokens: usize = texts.iter().map(|text| text.ids.len()).sum();
        let batches = batches(texts, tokens.div_ceil(2 * workspaces.len()).clamp(LEAST_TOKENS, MOST_TOKENS), false);
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let finished = Mutex::new(Vec::with_capacity(batches.len()));
        let compute = |index: usize, cancelled: &dyn Fn() -> bool| {
            let alone = AllGather::new(1);
            let mut workspace = lock(&workspaces[index]);
            loop {
                if stop.load(Ordering::Relaxed) || cancelled() {
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(batch) = batches.get(at) else { return };
                let texts = &texts[batch.clone()];
                let Ok(vectors) = network.forward(texts, &alone.rank(0), &mut workspace) else { return };
                let mut rows = Vec::with_capacity(texts.len() * hidden);
                pool_tokens(vectors, texts, hidden, pooling, &mut rows);
                lock(&finished).push((at, rows));
            }
        };
        // Only the caller can ask whether the result is still wanted.
        pool.run_beside(&|index| compute(index, &|| false), || compute(0, cancelled));
        if pool.failed() {
            return Err(RunError::thread_failed());
        }
        if stop.into_inner() {
            return Err(RunError::Cancelled);
        }
        let mut finished = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
        finished.sort_by_key(|(at, _)| *at);
        Ok(finished.into_iter().flat_map(|(_, rows)| rows).collect())
    }
}

/// Appends the vector of each text to `rows`: that of its first token, or the mean of all its tokens.
fn pool_tokens(vectors: &[f32], texts: &[&TokenisedText], hidden: usize, pooling: Pooling, rows: &mut Vec<f32>) {
    let mut begin = 0;
    for text in texts {
        let of_text = &vectors[begin * hidden..(begin + text.ids.len()) * hidden];
        begin += text.ids.len();
        let at = rows.len();
        rows.extend_from_slice(&of_text[..hidden]);
        if pooling == Pooling::Mean {
            for token in of_text.chunks_exact(hidden).skip(1) {
                for (sum, x) in rows[at..].iter_mut().zip(token) {
                    *sum += x;
                }
            }
            let count = text.ids.len() as f32;
            for sum in &mut rows[at..] {
                *sum /= count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_every_text_once_and_no_more_tokens_than_allowed() {
        let texts: Vec<TokenisedText> =
            [90, 40, 30, 30, 20, 10, 5, 5].iter().map(|n| TokenisedText { ids: vec![1; *n], ..TokenisedText::default() }).collect();
        let texts: Vec<&TokenisedText> = texts.iter().collect();
        assert_eq!(batches(&texts, 70, false), [0..1, 1..3, 3..8]);
        assert_eq!(batches(&texts, 80, true), [0..1, 1..3, 3..5, 5..8]);
        assert!(batches(&[], 70, false).is_empty());
    }
}
