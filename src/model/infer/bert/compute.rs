//! Batches of texts through the network: on the processor by threads of its own, elsewhere by candle's tensors.

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use candle_core::Device;

use super::config::Config;
use super::folder::Pooling;
use super::network::{Network, Room};
use super::tensors::TensorNetwork;
use super::thread_team::{Broken, Team};
use super::tokens::Tokens;
use super::weights::Weights;
use crate::model::ModelError;

/// More threads than this wait for each other longer than they compute.
const MOST_THREADS: usize = 16;

/// Tokens of a batch at most, one text always fits: what keeps the rows of a batch within the caches, and the time between
/// two looks at whether to stop short.
const MOST_TOKENS: usize = 512;

/// Tokens of a batch at least, where threads share the batches of an order: fewer would spend their time reading weights.
const LEAST_TOKENS: usize = 64;

/// Padded tokens of a batch on another device.
const DEVICE_TOKENS: usize = 16 << 10;

/// Why there is no result.
pub(super) enum Stop {
    Cancelled,
    Failed(String),
}

impl Stop {
    /// The same as the outside sees it.
    pub(super) fn of(self, name: &str) -> ModelError {
        match self {
            Self::Cancelled => ModelError::Cancelled,
            Self::Failed(problem) => ModelError::Compute { name: name.to_owned(), problem },
        }
    }
}

impl From<candle_core::Error> for Stop {
    fn from(error: candle_core::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// A network where it runs.
#[allow(clippy::large_enum_variant, reason = "there is one of it a model")]
pub(super) enum Engine {
    Processor { network: Network, rooms: Vec<Room> },
    Device(TensorNetwork),
}

impl Engine {
    pub(super) fn load(config: &Config, weights: &mut Weights, device: &Device) -> Result<Self, ModelError> {
        if !device.is_cpu() {
            return Ok(Self::Device(TensorNetwork::load(config, weights, device)?));
        }
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
        Ok(Self::Processor { network: Network::load(config, weights)?, rooms: (0..threads).map(|_| Room::default()).collect() })
    }

    /// One row of `hidden` numbers a text, in their order; rows of texts without tokens are zeros. `cancelled` is asked between batches.
    pub(super) fn run(
        &mut self,
        texts: &[Tokens],
        hidden: usize,
        pooling: Pooling,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<f32>, Stop> {
        // Longest first: batches are of texts of similar length, and the last ones to be computed are short.
        let mut order: Vec<usize> = (0..texts.len()).filter(|i| !texts[*i].ids.is_empty()).collect();
        order.sort_by_key(|i| std::cmp::Reverse(texts[*i].ids.len()));
        let sorted: Vec<&Tokens> = order.iter().map(|i| &texts[*i]).collect();
        let rows = match self {
            Self::Device(network) => {
                let mut rows = Vec::with_capacity(sorted.len() * hidden);
                for batch in batches(&sorted, DEVICE_TOKENS, true) {
                    if cancelled() {
                        return Err(Stop::Cancelled);
                    }
                    rows.extend(network.forward(&sorted[batch], pooling)?);
                }
                rows
            }
            Self::Processor { network, rooms } => {
                let tokens: usize = sorted.iter().map(|text| text.ids.len()).sum();
                if sorted.len() < 2 * rooms.len() || tokens < LEAST_TOKENS * rooms.len() {
                    together(network, rooms, &sorted, hidden, pooling, cancelled)?
                } else {
                    side_by_side(network, rooms, &sorted, hidden, pooling, cancelled)?
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
    pub(super) fn rows(&mut self, text: &Tokens) -> Result<Vec<f32>, Stop> {
        match self {
            Self::Device(network) => Ok(network.rows(text)?),
            Self::Processor { network, rooms } => {
                let room = rooms.first_mut().ok_or_else(|| Stop::Failed("it has no thread".into()))?;
                let rows = network.forward(&[text], &Team::new(1).member(0), room);
                rows.map(<[f32]>::to_vec).map_err(|Broken| Stop::Failed("its thread failed".into()))
            }
        }
    }
}

/// Neighbours of at most `most` tokens together; padded ones count as long as the first, which is the longest.
fn batches(texts: &[&Tokens], most: usize, padded: bool) -> Vec<Range<usize>> {
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

/// All threads at one batch, then at the next: for a few texts.
fn together(
    network: &Network,
    rooms: &mut [Room],
    texts: &[&Tokens],
    hidden: usize,
    pooling: Pooling,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<f32>, Stop> {
    let mut rows = Vec::with_capacity(texts.len() * hidden);
    for batch in batches(texts, MOST_TOKENS, false) {
        if cancelled() {
            return Err(Stop::Cancelled);
        }
        let batch = &texts[batch];
        let team = Team::new(rooms.len());
        let Some((own, others)) = rooms.split_first_mut() else { return Err(Stop::Failed("it has no thread".into())) };
        let result = thread::scope(|scope| {
            for (index, room) in (1..).zip(others) {
                let team = &team;
                let started = thread::Builder::new().spawn_scoped(scope, move || network.forward(batch, &team.member(index), room).is_ok());
                if let Err(error) = started {
                    team.give_up();
                    return Err(Stop::Failed(format!("the system gives it no thread ({error})")));
                }
            }
            let vectors =
                network.forward(batch, &team.member(0), own).map_err(|Broken| Stop::Failed("one of its threads failed".into()))?;
            pool(vectors, batch, hidden, pooling, &mut rows);
            Ok(())
        });
        result?;
    }
    Ok(rows)
}

/// Every thread at batches of its own: for many texts.
fn side_by_side(
    network: &Network,
    rooms: &mut [Room],
    texts: &[&Tokens],
    hidden: usize,
    pooling: Pooling,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<f32>, Stop> {
    let tokens: usize = texts.iter().map(|text| text.ids.len()).sum();
    let batches = batches(texts, tokens.div_ceil(2 * rooms.len()).clamp(LEAST_TOKENS, MOST_TOKENS), false);
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = |room: &mut Room, cancelled: &dyn Fn() -> bool| -> Result<Vec<(usize, Vec<f32>)>, Stop> {
        let alone = Team::new(1);
        let mut done = Vec::new();
        loop {
            if stop.load(Ordering::Relaxed) || cancelled() {
                stop.store(true, Ordering::Relaxed);
                return Err(Stop::Cancelled);
            }
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = batches.get(at) else { return Ok(done) };
            let texts = &texts[batch.clone()];
            let vectors = network.forward(texts, &alone.member(0), room).map_err(|Broken| Stop::Failed("its thread failed".into()))?;
            let mut rows = Vec::with_capacity(texts.len() * hidden);
            pool(vectors, texts, hidden, pooling, &mut rows);
            done.push((at, rows));
        }
    };
    let Some((own, others)) = rooms.split_first_mut() else { return Err(Stop::Failed("it has no thread".into())) };
    let parts = thread::scope(|scope| {
        let mut threads = Vec::new();
        for room in others {
            // Without another thread this one does everything.
            threads.extend(thread::Builder::new().spawn_scoped(scope, || work(room, &|| false)));
        }
        let mut parts = vec![work(own, cancelled)];
        let failed = |_| Err(Stop::Failed("one of its threads failed".into()));
        parts.extend(threads.into_iter().map(|thread| thread.join().unwrap_or_else(failed)));
        parts
    });
    let mut done = Vec::with_capacity(batches.len());
    for part in parts {
        done.extend(part?);
    }
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().flat_map(|(_, rows)| rows).collect())
}

/// Adds the vector of each text to `rows`.
fn pool(vectors: &[f32], texts: &[&Tokens], hidden: usize, pooling: Pooling, rows: &mut Vec<f32>) {
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
        let texts: Vec<Tokens> = [90, 40, 30, 30, 20, 10, 5, 5].iter().map(|n| Tokens { ids: vec![1; *n], ..Tokens::default() }).collect();
        let texts: Vec<&Tokens> = texts.iter().collect();
        assert_eq!(batches(&texts, 70, false), [0..1, 1..3, 3..8]);
        assert_eq!(batches(&texts, 80, true), [0..1, 1..3, 3..5, 5..8]);
        assert!(batches(&[], 70, false).is_empty());
    }
}
