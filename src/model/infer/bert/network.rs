//! The network on the processor (Devlin et al. 2019, "BERT"; Vaswani et al. 2017, §3): embeddings, then layers of attention and
//! feed-forward blocks, each followed by the sum with its input and normalisation.
//!
//! The tokens of a batch follow one another without padding: products are over all rows at once, attention is within each text. The
//! weights of query, key and value of a head are adjacent, so one product computes all three and heads can be divided among threads.

use super::all_gather::Rank;
use super::config::{Activation, BertConfig, BertFamily};
use super::kernel::{DenseLayer, PANEL_WIDTH, PanelProduct, PanelRow, StridedRows, multiply};
use super::tokens::TokenisedText;
use super::weights::WeightFile;
use crate::model::ModelError;
use crate::model::infer::maths::{LayerNorm, softmax_rows};
use crate::model::infer::thread_pool::PeerFailed;

/// Queries of one head computed at a time: their scores over all keys stay in the cache.
const QUERY_BLOCK: usize = 64;

pub(super) struct Network {
    hidden: usize,
    heads: usize,
    /// Components of a head, and the same rounded up to whole panels.
    head: usize,
    padded: usize,
    activation: Activation,
    first_position: usize,
    /// `[vocabulary, hidden]`, `[positions, hidden]`, `[types, hidden]`.
    words: Vec<f32>,
    positions: Vec<f32>,
    types: Vec<f32>,
    norm: LayerNorm,
    layers: Vec<NetworkLayer>,
}

struct NetworkLayer {
    /// For each head the columns of query, key, value, each in whole panels.
    attention: DenseLayer,
    mix: DenseLayer,
    mix_norm: LayerNorm,
    widen: DenseLayer,
    narrow: DenseLayer,
    narrow_norm: LayerNorm,
}

/// Buffers that are reused from batch to batch, one set for each thread.
#[derive(Default)]
pub(super) struct Workspace {
    rows: Vec<f32>,
    shard: Vec<f32>,
    wide: Vec<f32>,
    own: Vec<f32>,
    keys: Vec<PanelRow>,
    values: Vec<PanelRow>,
    scores: Vec<f32>,
    packed_rows: Vec<f32>,
}

impl Network {
    /// Reads and packs the weights.
    pub(super) fn load(config: &BertConfig, weights: &mut WeightFile) -> Result<Self, ModelError> {
        let (hidden, heads, head) = (config.hidden, config.heads, config.head());
        let padded = head.next_multiple_of(PANEL_WIDTH);
        let norm = |weights: &mut WeightFile, name: &str| -> Result<LayerNorm, ModelError> {
            Ok(LayerNorm {
                weight: weights.of_network(&format!("{name}.weight"), &[hidden])?,
                bias: weights.of_network(&format!("{name}.bias"), &[hidden])?,
                epsilon: config.epsilon,
            })
        };
        let dense = |weights: &mut WeightFile, name: &str, outputs: usize, inputs: usize| -> Result<(Vec<f32>, Vec<f32>), ModelError> {
            let weight = weights.of_network(&format!("{name}.weight"), &[outputs, inputs])?;
            Ok((weight, weights.of_network(&format!("{name}.bias"), &[outputs])?))
        };
        let mut layers = Vec::with_capacity(config.layers);
        for layer in 0..config.layers {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            let parts = [
                dense(weights, &name("attention.self.query"), hidden, hidden)?,
                dense(weights, &name("attention.self.key"), hidden, hidden)?,
                dense(weights, &name("attention.self.value"), hidden, hidden)?,
            ];
            // Output (head, part, component): the matrix (query, key or value) and its row; `None` in the padding of a head.
            let source = |output: usize| {
                let (of_head, component) = (output / padded, output % padded);
                (component < head).then(|| (&parts[of_head % 3], of_head / 3 * head + component))
            };
            let attention = DenseLayer::new(
                heads * 3 * padded,
                hidden,
                |output, input| source(output).map_or(0.0, |((weight, _), row)| weight[row * hidden + input]),
                |output| source(output).map_or(0.0, |((_, bias), row)| bias[row]),
            );
            let (weight, bias) = dense(weights, &name("attention.output.dense"), hidden, hidden)?;
            let from_heads = |output: usize, input: usize| {
                let (of_head, component) = (input / padded, input % padded);
                if component < head { weight[output * hidden + of_head * head + component] } else { 0.0 }
            };
            let mix = DenseLayer::new(hidden, heads * padded, from_heads, |output| bias[output]);
            let mix_norm = norm(weights, &name("attention.output.LayerNorm"))?;
            let inner = config.intermediate;
            let (weight, bias) = dense(weights, &name("intermediate.dense"), inner, hidden)?;
            let widen = DenseLayer::new(inner, hidden, |output, input| weight[output * hidden + input], |output| bias[output]);
            let (weight, bias) = dense(weights, &name("output.dense"), hidden, inner)?;
            let narrow = DenseLayer::new(hidden, inner, |output, input| weight[output * inner + input], |output| bias[output]);
            let narrow_norm = norm(weights, &name("output.LayerNorm"))?;
            layers.push(NetworkLayer { attention, mix, mix_norm, widen, narrow, narrow_norm });
        }
        let mut types = weights.of_network("embeddings.token_type_embeddings.weight", &[config.types, hidden])?;
        if config.family == BertFamily::Roberta {
            // Its tokenisers may number two texts differently, but the network has one type.
            types.truncate(hidden);
        }
        Ok(Self {
            hidden,
            heads,
            head,
            padded,
            activation: config.activation,
            first_position: config.first_position(),
            words: weights.of_network("embeddings.word_embeddings.weight", &[config.vocabulary, hidden])?,
            positions: weights.of_network("embeddings.position_embeddings.weight", &[config.positions, hidden])?,
            types,
            norm: norm(weights, "embeddings.LayerNorm")?,
            layers,
        })
    }

    /// The vectors of all tokens of a batch, `[tokens, hidden]`, in `workspace.rows`, the same on all threads. An unknown token, position or
    /// type adds nothing; loading the tokeniser has ruled that out.
    pub(super) fn forward<'a>(
        &self,
        batch: &[&TokenisedText],
        rank: &Rank<'_>,
        workspace: &'a mut Workspace,
    ) -> Result<&'a [f32], PeerFailed> {
        self.embed(batch, &mut workspace.rows);
        let hidden = self.hidden;
        let count = workspace.rows.len() / hidden;
        for layer in &self.layers {
            let own = rank.share(self.heads);
            let panels = 3 * self.padded / PANEL_WIDTH;
            let input = StridedRows { numbers: &workspace.rows, stride: hidden, count };
            layer.attention.apply(input, own.start * panels..own.end * panels, None, &mut workspace.own, &mut workspace.packed_rows);
            self.attend(batch, own.len(), workspace);
            rank.gather(&mut workspace.shard, &mut workspace.wide, count, self.heads, self.padded)?;

            let panels = layer.mix.panels();
            let input = StridedRows { numbers: &workspace.wide, stride: self.heads * self.padded, count };
            layer.mix.apply(input, rank.share(panels), None, &mut workspace.shard, &mut workspace.packed_rows);
            rank.gather(&mut workspace.shard, &mut workspace.own, count, panels, PANEL_WIDTH)?;
            layer.mix_norm.add(&mut workspace.rows, &workspace.own, panels * PANEL_WIDTH);

            let panels = layer.widen.panels();
            let input = StridedRows { numbers: &workspace.rows, stride: hidden, count };
            layer.widen.apply(input, rank.share(panels), Some(self.activation), &mut workspace.shard, &mut workspace.packed_rows);
            rank.gather(&mut workspace.shard, &mut workspace.wide, count, panels, PANEL_WIDTH)?;

            let stride = panels * PANEL_WIDTH;
            let panels = layer.narrow.panels();
            let input = StridedRows { numbers: &workspace.wide, stride, count };
            layer.narrow.apply(input, rank.share(panels), None, &mut workspace.shard, &mut workspace.packed_rows);
            rank.gather(&mut workspace.shard, &mut workspace.own, count, panels, PANEL_WIDTH)?;
            layer.narrow_norm.add(&mut workspace.rows, &workspace.own, panels * PANEL_WIDTH);
        }
        Ok(&workspace.rows)
    }

    fn embed(&self, batch: &[&TokenisedText], rows: &mut Vec<f32>) {
        let hidden = self.hidden;
        rows.clear();
        for text in batch {
            for (place, (id, kind)) in text.ids.iter().zip(&text.types).enumerate() {
                let begin = rows.len();
                rows.resize(begin + hidden, 0.0);
                let row = &mut rows[begin..];
                let sources = [(&self.words, *id as usize), (&self.types, *kind as usize), (&self.positions, self.first_position + place)];
                for (table, source) in sources {
                    for (x, y) in row.iter_mut().zip(table.get(source * hidden..).unwrap_or_default()) {
                        *x += y;
                    }
                }
                self.norm.normalise(row);
            }
        }
    }

    /// Attention of the first `heads` heads in `workspace.own`; `workspace.shard` becomes `[tokens, heads · padded]`.
    fn attend(&self, batch: &[&TokenisedText], heads: usize, workspace: &mut Workspace) {
        let (padded, width) = (self.padded, heads * self.padded);
        let stride = 3 * width;
        let Workspace { own, shard, keys, values, scores, packed_rows, .. } = workspace;
        let tokens = own.len().checked_div(stride).unwrap_or(0);
        shard.resize(tokens * width, 0.0);
        let scale = 1.0 / (self.head as f32).sqrt();
        let mut begin = 0;
        for text in batch {
            let count = text.ids.len();
            for head in 0..heads {
                let of_head = &own[begin * stride + head * 3 * padded..];
                lay_out(of_head, stride, count, padded, scale, keys, values);
                let columns = count.next_multiple_of(PANEL_WIDTH);
                for first in (0..count).step_by(QUERY_BLOCK) {
                    let queries = QUERY_BLOCK.min(count - first);
                    scores.resize(queries * columns, 0.0);
                    multiply(PanelProduct {
                        input: StridedRows { numbers: &of_head[first * stride..], stride, count: queries },
                        lines: keys,
                        depth: padded,
                        bias: &[],
                        then: None,
                        out: scores,
                        out_stride: columns,
                        scratch: packed_rows,
                    });
                    softmax_rows(scores, columns, count);
                    multiply(PanelProduct {
                        input: StridedRows { numbers: scores, stride: columns, count: queries },
                        lines: values,
                        depth: count,
                        bias: &[],
                        then: None,
                        out: &mut shard[(begin + first) * width + head * padded..],
                        out_stride: width,
                        scratch: packed_rows,
                    });
                }
            }
            begin += count;
        }
    }
}

/// Packs the scaled keys of a head as panels over its components, and its values as panels over the tokens.
fn lay_out(of_head: &[f32], stride: usize, count: usize, padded: usize, scale: f32, keys: &mut Vec<PanelRow>, values: &mut Vec<PanelRow>) {
    keys.clear();
    keys.resize(count.div_ceil(PANEL_WIDTH) * padded, PanelRow::ZERO);
    values.resize(padded / PANEL_WIDTH * count, PanelRow::ZERO);
    for (token, row) in of_head.chunks(stride).take(count).enumerate() {
        let (key, value) = (&row[padded..2 * padded], &row[2 * padded..3 * padded]);
        let (panel, column) = (token / PANEL_WIDTH, token % PANEL_WIDTH);
        for (line, x) in keys[panel * padded..(panel + 1) * padded].iter_mut().zip(key) {
            line.0[column] = x * scale;
        }
        for (panel, columns) in value.as_chunks::<PANEL_WIDTH>().0.iter().enumerate() {
            values[panel * count + token] = PanelRow(*columns);
        }
    }
}
