//! The forward pass on a processor: our own kernels on packed weights, on our own threads, without allocating large buffers for each token.

mod attention;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod kernel;
mod pack;

use std::time::Instant;

use attention::{AttentionSpan, HeadCache, attend};
use kernel::{InputVectors, multiply};
use pack::TILE;

pub(super) use kernel::Instructions;
pub(super) use pack::PackedMatrix;

use super::Forward;
use super::config::TransformerConfig;
use super::rope::{Rope, rotate};
use super::source::{LayerWeights, ModelWeights};
use crate::model::infer::maths::{gelu_tanh_times, rms_norm, rms_norm_in_place, silu_times, soft_cap};
use crate::model::infer::thread_pool::{Idle, OutputJob, ThreadPool};

/// The target time of a layer for a portion of a prompt, in seconds: cancelling takes at most about this long.
const LAYER_SECONDS: f64 = 0.04;
/// Tokens of a portion, at first and at most.
const FIRST_PORTION: usize = 16;
const LARGEST_PORTION: usize = 256;

/// A model computed on a processor.
pub(super) struct CpuForward {
    config: TransformerConfig,
    weights: ModelWeights<PackedMatrix>,
    /// For each layer, for each key–value head.
    memory: Vec<Vec<HeadCache>>,
    rope: Rope,
    local_rope: Option<Rope>,
    pool: ThreadPool,
    buffers: Buffers,
    logits: Vec<f32>,
    portion: usize,
}

/// The buffers of a step, reused from token to token.
#[derive(Debug, Default)]
struct Buffers {
    /// Hidden states, `[count][hidden]`.
    x: Vec<f32>,
    inputs: InputVectors,
    /// Products in tiles.
    a: Vec<f32>,
    b: Vec<f32>,
    c: Vec<f32>,
    /// Queries, `[count][heads * head_dim]`.
    queries: Vec<f32>,
    /// One row, for various uses.
    row: Vec<f32>,
}

impl CpuForward {
    pub(super) fn new(config: &TransformerConfig, weights: ModelWeights<PackedMatrix>, threads: usize) -> Result<Self, String> {
        let (rope, local_rope) = Rope::of(config);
        Ok(Self {
            memory: (0..config.layers).map(|_| (0..config.kv_heads).map(|_| HeadCache::default()).collect()).collect(),
            config: config.clone(),
            weights,
            rope,
            local_rope,
            pool: ThreadPool::new("language model", threads, Idle::Spin)?,
            buffers: Buffers::default(),
            logits: Vec::new(),
            portion: FIRST_PORTION,
        })
    }

    /// `false` if `go_on` returned `false`.
    fn compute(&mut self, tokens: &[u32], position: usize, wanted: bool, go_on: &mut dyn FnMut() -> bool) -> bool {
        let Self { config, weights, memory, rope, local_rope, pool, buffers, logits, .. } = self;
        let (count, hidden) = (tokens.len(), config.hidden);
        rope.grow(position + count);
        buffers.x.resize(count * hidden, 0.0);
        for (token, x) in tokens.iter().zip(buffers.x.chunks_exact_mut(hidden)) {
            weights.embedding.row(*token as usize, x);
            if config.embedding_scale != 1.0 {
                x.iter_mut().for_each(|x| *x *= config.embedding_scale);
            }
        }
        if let Some(local) = local_rope.as_mut() {
            local.grow(position + count);
        }
        for (number, (layer, heads)) in weights.layers.iter().zip(memory).enumerate() {
            if !go_on() {
                return false;
            }
            let window = config.windows[number];
            let rope = if window.is_some() { local_rope.as_ref().unwrap_or(rope) } else { &*rope };
            let mut step = LayerStep { config, layer, pool, buffers, count, position };
            step.attention(heads, rope, window);
            step.feed_forward();
        }
        logits.clear();
        if wanted {
            buffers.inputs.resize(1, hidden);
            rms_norm(&buffers.x[(count - 1) * hidden..], &weights.output_norm, config.epsilon, &mut buffers.inputs.floats);
            let output = weights.output.as_ref().unwrap_or(&weights.embedding);
            if output.quantised() {
                buffers.inputs.quantise();
            }
            multiply(pool, &buffers.inputs, vec![(output, logits)]);
            logits.truncate(config.vocabulary);
            if let Some(most) = config.logit_cap {
                soft_cap(logits, most);
            }
        }
        true
    }
}

impl Forward for CpuForward {
    fn forward(
        &mut self,
        tokens: &[u32],
        position: usize,
        wanted: bool,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<&[f32]>, String> {
        let began = Instant::now();
        let done = self.compute(tokens, position, wanted, go_on);
        if self.pool.failed() {
            return Err("one of its threads failed".into());
        }
        if !done {
            return Ok(None);
        }
        // The size of the portions changes no result: the kernels guarantee that.
        if tokens.len() >= FIRST_PORTION {
            let seconds = LAYER_SECONDS * self.config.layers as f64;
            let fitting = tokens.len() as f64 * seconds / began.elapsed().as_secs_f64().max(1e-6);
            self.portion = (fitting as usize).clamp(FIRST_PORTION, LARGEST_PORTION) / kernel::GROUP * kernel::GROUP;
        }
        Ok(Some(&self.logits))
    }

    fn portion(&self) -> usize {
        self.portion
    }
}

/// The computation of one layer.
struct LayerStep<'a> {
    config: &'a TransformerConfig,
    layer: &'a LayerWeights<PackedMatrix>,
    pool: &'a mut ThreadPool,
    buffers: &'a mut Buffers,
    count: usize,
    position: usize,
}

impl LayerStep<'_> {
    /// Normalised hidden states as inputs.
    fn normalise(&mut self, weight: &[f32]) {
        let (hidden, epsilon) = (self.config.hidden, self.config.epsilon);
        let Buffers { x, inputs, .. } = &mut *self.buffers;
        inputs.resize(self.count, hidden);
        for (x, output) in x.chunks_exact(hidden).zip(inputs.floats.chunks_exact_mut(hidden)) {
            rms_norm(x, weight, epsilon, output);
        }
    }

    fn attention(&mut self, heads: &mut [HeadCache], rope: &Rope, window: Option<usize>) {
        let (config, layer, count, position) = (self.config, self.layer, self.count, self.position);
        let (dim, half) = (config.head_dim, rope.half());
        self.normalise(&layer.attention_norm);
        let Buffers { x, inputs, a, b, c, queries, row } = &mut *self.buffers;
        if layer.q.quantised() || layer.k.quantised() || layer.v.quantised() {
            inputs.quantise();
        }
        multiply(self.pool, inputs, vec![(&layer.q, a), (&layer.k, b), (&layer.v, c)]);
        let (cos, sin) = rope.rows(position, count);
        let turn = |heads: &mut [f32], norm: Option<&Vec<f32>>, at: usize| {
            for head in heads.chunks_exact_mut(dim) {
                if let Some(norm) = norm {
                    rms_norm_in_place(head, norm, config.epsilon);
                }
                rotate(&mut head[..2 * half], &cos[at * half..(at + 1) * half], &sin[at * half..(at + 1) * half], config.interleaved);
            }
        };
        let width = config.heads * dim;
        queries.resize(count * width, 0.0);
        for (at, query) in queries.chunks_exact_mut(width).enumerate() {
            untile(a, count, at, layer.q_bias.as_deref(), query);
            turn(query, layer.q_norm.as_ref(), at);
        }
        let width = config.kv_heads * dim;
        row.resize(2 * width, 0.0);
        heads.iter_mut().for_each(|head| head.grow(position + count, dim));
        for at in 0..count {
            let (keys, values) = row.split_at_mut(width);
            untile(b, count, at, layer.k_bias.as_deref(), keys);
            untile(c, count, at, layer.v_bias.as_deref(), values);
            turn(keys, layer.k_norm.as_ref(), at);
            for ((head, key), value) in heads.iter_mut().zip(keys.chunks_exact(dim)).zip(values.chunks_exact(dim)) {
                head.keep(position + at, key, value);
            }
        }
        // An item is a key-value head's share of one position.
        let (kv_heads, each) = (config.kv_heads, config.heads / config.kv_heads * dim);
        let heads = &*heads;
        inputs.resize(count, config.heads * dim);
        let job = OutputJob { items: count * kv_heads, each, output: &mut inputs.floats };
        self.pool.run_chunks(vec![job], &|_, items, output| {
            let mut scores = Vec::new();
            for (item, output) in items.zip(output.chunks_exact_mut(each)) {
                let at = position + item / kv_heads;
                let from = window.map_or(0, |window| (at + 1).saturating_sub(window));
                let span = AttentionSpan { from, at, scale: config.attention_scale, cap: config.attention_cap };
                attend(&heads[item % kv_heads], &queries[item * each..(item + 1) * each], dim, span, &mut scores, output);
            }
        });
        if layer.o.quantised() {
            inputs.quantise();
        }
        multiply(self.pool, inputs, vec![(&layer.o, a)]);
        add(x, a, count, config, layer.post_attention_norm.as_deref(), row);
    }

    fn feed_forward(&mut self) {
        let (config, layer, count) = (self.config, self.layer, self.count);
        self.normalise(&layer.feed_forward_norm);
        let Buffers { x, inputs, a, b, c, row, .. } = &mut *self.buffers;
        if layer.gate.quantised() || layer.up.quantised() {
            inputs.quantise();
        }
        multiply(self.pool, inputs, vec![(&layer.gate, a), (&layer.up, b)]);
        let width = config.feed_forward;
        inputs.resize(count, width);
        let (a, b) = (&*a, &*b);
        let job = OutputJob { items: count, each: width, output: &mut inputs.floats };
        self.pool.run_chunks(vec![job], &|_, items, output| {
            let mut up = vec![0f32; width];
            for (at, gate) in items.zip(output.chunks_exact_mut(width)) {
                untile(a, count, at, None, gate);
                untile(b, count, at, None, &mut up);
                if config.gelu { gelu_tanh_times(gate, &up) } else { silu_times(gate, &up) }
            }
        });
        if layer.down.quantised() {
            inputs.quantise();
        }
        multiply(self.pool, inputs, vec![(&layer.down, c)]);
        add(x, c, count, config, layer.post_feed_forward_norm.as_deref(), row);
    }
}

/// The products of one vector, out of `[tiles][count][16]`, plus a bias.
fn untile(tiles: &[f32], count: usize, at: usize, bias: Option<&[f32]>, output: &mut [f32]) {
    for (tile, output) in tiles.chunks_exact(count * TILE).zip(output.chunks_mut(TILE)) {
        output.copy_from_slice(&tile[at * TILE..][..output.len()]);
    }
    if let Some(bias) = bias {
        output.iter_mut().zip(bias).for_each(|(output, bias)| *output += bias);
    }
}

/// Adds products to the hidden states, normalised before where a layer says so.
fn add(x: &mut [f32], tiles: &[f32], count: usize, config: &TransformerConfig, norm: Option<&[f32]>, row: &mut Vec<f32>) {
    row.resize(config.hidden, 0.0);
    for (at, x) in x.chunks_exact_mut(config.hidden).enumerate() {
        untile(tiles, count, at, None, row);
        if let Some(norm) = norm {
            rms_norm_in_place(row, norm, config.epsilon);
        }
        x.iter_mut().zip(&*row).for_each(|(x, y)| *x += y);
    }
}
