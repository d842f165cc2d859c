//! The network on the processor (Devlin et al. 2019, "BERT"; Vaswani et al. 2017, §3): embeddings, then layers of attention and
//! feed-forward blocks, each followed by the sum with its input and normalisation.
//!
//! The texts of a batch lie one after another, token by token, without any padding: products are over all rows at once, attention is within each text. The
//! weights of query, key and value of a head stand side by side, so that one product gives all three and threads can share heads.

use super::config::{Activation, Config, Family};
use super::kernel::{COLUMNS, Line, Packed, Product, Rows, multiply};
use super::thread_team::{Broken, Member};
use super::tokens::Tokens;
use super::vector::{Norm, softmax};
use super::weights::Weights;
use crate::model::ModelError;

/// Queries of one head that are looked at at a time: their scores over all keys stay in a cache.
const QUERIES: usize = 64;

pub(super) struct Network {
    hidden: usize,
    heads: usize,
    /// Components of a head, and the same in whole panels.
    head: usize,
    padded: usize,
    activation: Activation,
    first_position: usize,
    /// `[vocabulary, hidden]`, `[positions, hidden]`, `[types, hidden]`.
    words: Vec<f32>,
    positions: Vec<f32>,
    types: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    /// For each head the columns of query, key, value, each in whole panels.
    attention: Packed,
    mix: Packed,
    mix_norm: Norm,
    widen: Packed,
    narrow: Packed,
    narrow_norm: Norm,
}

/// Room that is used again from batch to batch; one a thread.
#[derive(Default)]
pub(super) struct Room {
    rows: Vec<f32>,
    strip: Vec<f32>,
    wide: Vec<f32>,
    own: Vec<f32>,
    keys: Vec<Line>,
    values: Vec<Line>,
    scores: Vec<f32>,
    laid_out: Vec<f32>,
}

impl Network {
    /// Reads and lays out the weights.
    pub(super) fn load(config: &Config, weights: &mut Weights) -> Result<Self, ModelError> {
        let (hidden, heads, head) = (config.hidden, config.heads, config.head());
        let padded = head.next_multiple_of(COLUMNS);
        let norm = |weights: &mut Weights, name: &str| -> Result<Norm, ModelError> {
            Ok(Norm {
                weight: weights.of_network(&format!("{name}.weight"), &[hidden])?,
                bias: weights.of_network(&format!("{name}.bias"), &[hidden])?,
                epsilon: config.epsilon,
            })
        };
        let dense = |weights: &mut Weights, name: &str, outputs: usize, inputs: usize| -> Result<(Vec<f32>, Vec<f32>), ModelError> {
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
            // Output (head, part, component): which of the three, and its row there; none where a head is padded.
            let source = |output: usize| {
                let (of_head, component) = (output / padded, output % padded);
                (component < head).then(|| (&parts[of_head % 3], of_head / 3 * head + component))
            };
            let attention = Packed::new(
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
            let mix = Packed::new(hidden, heads * padded, from_heads, |output| bias[output]);
            let mix_norm = norm(weights, &name("attention.output.LayerNorm"))?;
            let inner = config.intermediate;
            let (weight, bias) = dense(weights, &name("intermediate.dense"), inner, hidden)?;
            let widen = Packed::new(inner, hidden, |output, input| weight[output * hidden + input], |output| bias[output]);
            let (weight, bias) = dense(weights, &name("output.dense"), hidden, inner)?;
            let narrow = Packed::new(hidden, inner, |output, input| weight[output * inner + input], |output| bias[output]);
            let narrow_norm = norm(weights, &name("output.LayerNorm"))?;
            layers.push(Layer { attention, mix, mix_norm, widen, narrow, narrow_norm });
        }
        let mut types = weights.of_network("embeddings.token_type_embeddings.weight", &[config.types, hidden])?;
        if config.family == Family::Roberta {
            // Its tokenisers may tell two texts apart, the network does not.
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

    /// The vectors of all tokens of a batch, `[tokens, hidden]`, in `room.rows`. All members of a team get the same. A token, position or
    /// kind that the network does not know counts as nothing; the tokeniser was checked for that.
    pub(super) fn forward<'a>(&self, batch: &[&Tokens], member: &Member<'_>, room: &'a mut Room) -> Result<&'a [f32], Broken> {
        self.embed(batch, &mut room.rows);
        let hidden = self.hidden;
        let count = room.rows.len() / hidden;
        for layer in &self.layers {
            let own = member.part(self.heads);
            let panels = 3 * self.padded / COLUMNS;
            let input = Rows { numbers: &room.rows, stride: hidden, count };
            layer.attention.apply(input, own.start * panels..own.end * panels, None, &mut room.own, &mut room.laid_out);
            self.attend(batch, own.len(), room);
            member.gather(&mut room.strip, &mut room.wide, count, self.heads, self.padded)?;

            let panels = layer.mix.panels();
            let input = Rows { numbers: &room.wide, stride: self.heads * self.padded, count };
            layer.mix.apply(input, member.part(panels), None, &mut room.strip, &mut room.laid_out);
            member.gather(&mut room.strip, &mut room.own, count, panels, COLUMNS)?;
            layer.mix_norm.add(&mut room.rows, &room.own, panels * COLUMNS);

            let panels = layer.widen.panels();
            let input = Rows { numbers: &room.rows, stride: hidden, count };
            layer.widen.apply(input, member.part(panels), Some(self.activation), &mut room.strip, &mut room.laid_out);
            member.gather(&mut room.strip, &mut room.wide, count, panels, COLUMNS)?;

            let stride = panels * COLUMNS;
            let panels = layer.narrow.panels();
            let input = Rows { numbers: &room.wide, stride, count };
            layer.narrow.apply(input, member.part(panels), None, &mut room.strip, &mut room.laid_out);
            member.gather(&mut room.strip, &mut room.own, count, panels, COLUMNS)?;
            layer.narrow_norm.add(&mut room.rows, &room.own, panels * COLUMNS);
        }
        Ok(&room.rows)
    }

    fn embed(&self, batch: &[&Tokens], rows: &mut Vec<f32>) {
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

    /// Attention of the first `heads` heads in `room.own`; `room.strip` becomes `[tokens, heads · padded]`.
    fn attend(&self, batch: &[&Tokens], heads: usize, room: &mut Room) {
        let (padded, width) = (self.padded, heads * self.padded);
        let stride = 3 * width;
        let Room { own, strip, keys, values, scores, laid_out, .. } = room;
        let tokens = own.len().checked_div(stride).unwrap_or(0);
        strip.resize(tokens * width, 0.0);
        let scale = 1.0 / (self.head as f32).sqrt();
        let mut begin = 0;
        for text in batch {
            let count = text.ids.len();
            for head in 0..heads {
                let of_head = &own[begin * stride + head * 3 * padded..];
                lay_out(of_head, stride, count, padded, scale, keys, values);
                let columns = count.next_multiple_of(COLUMNS);
                for first in (0..count).step_by(QUERIES) {
                    let queries = QUERIES.min(count - first);
                    scores.resize(queries * columns, 0.0);
                    multiply(Product {
                        input: Rows { numbers: &of_head[first * stride..], stride, count: queries },
                        lines: keys,
                        depth: padded,
                        bias: &[],
                        then: None,
                        out: scores,
                        out_stride: columns,
                        room: laid_out,
                    });
                    softmax(scores, columns, count);
                    multiply(Product {
                        input: Rows { numbers: scores, stride: columns, count: queries },
                        lines: values,
                        depth: count,
                        bias: &[],
                        then: None,
                        out: &mut strip[(begin + first) * width + head * padded..],
                        out_stride: width,
                        room: laid_out,
                    });
                }
            }
            begin += count;
        }
    }
}

/// Lays out the keys of a head, scaled, as panels over its components, and its values as panels over the tokens.
fn lay_out(of_head: &[f32], stride: usize, count: usize, padded: usize, scale: f32, keys: &mut Vec<Line>, values: &mut Vec<Line>) {
    keys.clear();
    keys.resize(count.div_ceil(COLUMNS) * padded, Line::ZERO);
    values.resize(padded / COLUMNS * count, Line::ZERO);
    for (token, row) in of_head.chunks(stride).take(count).enumerate() {
        let (key, value) = (&row[padded..2 * padded], &row[2 * padded..3 * padded]);
        let (panel, column) = (token / COLUMNS, token % COLUMNS);
        for (line, x) in keys[panel * padded..(panel + 1) * padded].iter_mut().zip(key) {
            line.0[column] = x * scale;
        }
        for (panel, columns) in value.as_chunks::<COLUMNS>().0.iter().enumerate() {
            values[panel * count + token] = Line(*columns);
        }
    }
}
