//! The word–word grid (Li et al. 2022, §3.2 and 3.3): conditional layer normalisation, embeddings of distance and region, dilated convolutions, and the
//! co-predictor of a biaffine product and an MLP. From the vectors of a sentence's words to a label for each pair of them.

use super::super::config::Activation;
use super::super::kernel::{DenseLayer, PANEL_WIDTH, StridedRows};
use super::super::weights::WeightFile;
use super::config::GridConfig;
use crate::model::ModelError;
use crate::model::infer::maths::{LayerNorm, dot, gelu_in_place};

/// Buckets of distance: none, nine powers of two forwards, nine backwards.
const BUCKETS: usize = 19;
/// Regions: the diagonal, above it, below it.
const REGIONS: usize = 3;
/// The ε of the normalisation of words.
const EPSILON: f32 = 1e-5;

/// The layers over the vectors of words.
pub(super) struct GridNetwork {
    hidden: usize,
    config: GridConfig,
    word: DenseLayer,
    norm: LayerNorm,
    gain: DenseLayer,
    shift: DenseLayer,
    /// The first layer over a cell, without its bias, and the same over what only the row's word says, with it.
    base: DenseLayer,
    base_of_row: DenseLayer,
    /// What distance and region add to it, `[BUCKETS, channels]`.
    places: Vec<f32>,
    convolutions: Vec<DenseLayer>,
    mlp: DenseLayer,
    mlp_out: DenseLayer,
    subject: DenseLayer,
    object: DenseLayer,
    /// For each label the product of a subject with its matrix.
    biaffine: DenseLayer,
}

impl GridNetwork {
    /// Reads the layers from the tensors `w2ner.…`; words have `hidden` components.
    pub(super) fn load(config: GridConfig, hidden: usize, weights: &mut WeightFile) -> Result<Self, ModelError> {
        let mut whole = |name: &str, shape: &[usize]| weights.whole(&format!("w2ner.{name}"), shape);
        let mut dense = |name: &str, outputs: usize, inputs: usize| -> Result<DenseLayer, ModelError> {
            let weight = whole(&format!("{name}.weight"), &[outputs, inputs])?;
            let bias = whole(&format!("{name}.bias"), &[outputs])?;
            Ok(DenseLayer::new(outputs, inputs, |output, input| weight[output * inputs + input], |output| bias[output]))
        };
        let (size, channels) = (config.word, config.channels);
        let (word, gain, shift) = (dense("word", size, hidden)?, dense("gain", size, size)?, dense("shift", size, size)?);
        let (mlp, mlp_out) = (dense("mlp", config.mlp, config.dilations.len() * channels)?, dense("mlp_out", config.labels(), config.mlp)?);
        let (subject, object) = (dense("subject", config.biaffine, hidden)?, dense("object", config.biaffine, hidden)?);

        let inputs = size + 2 * config.place;
        let (weight, bias) = (whole("base.weight", &[channels, inputs])?, whole("base.bias", &[channels])?);
        let of_word = |output: usize, input: usize| weight[output * inputs + input];
        let base = DenseLayer::new(channels, size, of_word, |_| 0.0);
        let base_of_row = DenseLayer::new(channels, size, of_word, |output| bias[output]);
        let (distance, region) = (whole("distance.weight", &[BUCKETS, config.place])?, whole("region.weight", &[REGIONS, config.place])?);
        let mut places = Vec::with_capacity(BUCKETS * channels);
        for bucket in 0..BUCKETS {
            let (distance, region) = (&distance[bucket * config.place..], &region[region_of(bucket) * config.place..]);
            for output in 0..channels {
                let row = &weight[output * inputs + size..][..2 * config.place];
                let (of_distance, of_region) = row.split_at(config.place);
                places.push(dot(of_distance, &distance[..config.place]) + dot(of_region, &region[..config.place]));
            }
        }

        let mut convolutions = Vec::new();
        for number in 0..config.dilations.len() {
            let weight = whole(&format!("convolutions.{number}.weight"), &[channels, channels, 3, 3])?;
            let bias = whole(&format!("convolutions.{number}.bias"), &[channels])?;
            // Inputs: for each of the nine cells its channels.
            let at = |output: usize, input: usize| weight[(output * channels + input % channels) * 9 + input / channels];
            convolutions.push(DenseLayer::new(channels, 9 * channels, at, |output| bias[output]));
        }
        let side = config.biaffine + 1;
        let matrices = whole("biaffine", &[config.labels(), side, side])?;
        let at = |output: usize, input: usize| matrices[(output / side * side + input) * side + output % side];
        let biaffine = DenseLayer::new(config.labels() * side, side, at, |_| 0.0);
        let norm = LayerNorm { weight: vec![1.0; size], bias: vec![0.0; size], epsilon: EPSILON };
        Ok(Self {
            hidden,
            config,
            word,
            norm,
            gain,
            shift,
            base,
            base_of_row,
            places,
            convolutions,
            mlp,
            mlp_out,
            subject,
            object,
            biaffine,
        })
    }

    /// The likeliest label of each pair of words, row by row. `words`: the vectors of the words, one after another.
    pub(super) fn labels(&self, words: &[f32]) -> Vec<u8> {
        let count = words.len() / self.hidden.max(1);
        let labels = self.config.labels();
        let logits = self.logits(words);
        logits.chunks_exact(labels).take(count * count).map(likeliest).collect()
    }

    /// The logits of each pair, `[words, words, labels]`.
    pub(super) fn logits(&self, words: &[f32]) -> Vec<f32> {
        let count = words.len() / self.hidden.max(1);
        let (channels, labels, mut scratch) = (self.config.channels, self.config.labels(), Vec::new());
        let cells = self.convolved(self.cells(words, count, &mut scratch), count, &mut scratch);
        let width = self.config.dilations.len() * channels;
        let inner =
            self.mlp.rows(StridedRows { numbers: &cells, stride: width, count: count * count }, Some(Activation::Gelu), &mut scratch);
        let by_cell = self.mlp_out.rows(StridedRows { numbers: &inner, stride: self.config.mlp, count: count * count }, None, &mut scratch);
        let by_words = self.biaffine(words, count, &mut scratch);
        let stride = self.mlp_out.panels() * PANEL_WIDTH;
        let mut logits = Vec::with_capacity(count * count * labels);
        for (by_cell, by_words) in by_cell.chunks_exact(stride).zip(by_words.chunks_exact(labels)) {
            logits.extend(by_cell.iter().zip(by_words).map(|(by_cell, by_words)| by_cell + by_words));
        }
        logits
    }

    /// The cells before the convolutions, `[words, words, channels]`.
    fn cells(&self, words: &[f32], count: usize, scratch: &mut Vec<f32>) -> Vec<f32> {
        let (size, channels) = (self.config.word, self.config.channels);
        let mut normal = self.word.rows(StridedRows { numbers: words, stride: self.hidden, count }, None, scratch);
        let gains = self.gain.rows(StridedRows { numbers: &normal, stride: size, count }, None, scratch);
        let shifts = self.shift.rows(StridedRows { numbers: &normal, stride: size, count }, None, scratch);
        let of_rows = self.base_of_row.rows(StridedRows { numbers: &shifts, stride: size, count }, None, scratch);
        normal.chunks_exact_mut(size).for_each(|word| self.norm.normalise(word));
        let mut cells = vec![0.0; count * count * channels];
        let mut conditioned = vec![0.0; count * size];
        for (i, (gain, of_row)) in gains.chunks_exact(size).zip(of_rows.chunks_exact(channels)).enumerate() {
            for (conditioned, word) in conditioned.chunks_exact_mut(size).zip(normal.chunks_exact(size)) {
                for ((x, gain), word) in conditioned.iter_mut().zip(gain).zip(word) {
                    *x = gain * word;
                }
            }
            let row = &mut cells[i * count * channels..(i + 1) * count * channels];
            self.base.apply_into(StridedRows { numbers: &conditioned, stride: size, count }, None, row, channels, scratch);
            for (j, cell) in row.chunks_exact_mut(channels).enumerate() {
                let place = &self.places[bucket(i, j) * channels..][..channels];
                for ((x, of_row), place) in cell.iter_mut().zip(of_row).zip(place) {
                    *x += of_row + place;
                }
            }
            gelu_in_place(row);
        }
        cells
    }

    /// The outputs of all convolutions beside each other, `[words, words, convolutions · channels]`. Each takes the one before it.
    fn convolved(&self, cells: Vec<f32>, count: usize, scratch: &mut Vec<f32>) -> Vec<f32> {
        let channels = self.config.channels;
        let width = self.convolutions.len() * channels;
        let mut all = vec![0.0; count * count * width];
        let mut gathered = vec![0.0; count * 9 * channels];
        for (number, (convolution, dilation)) in self.convolutions.iter().zip(&self.config.dilations).enumerate() {
            for i in 0..count {
                for (j, cell) in gathered.chunks_exact_mut(9 * channels).enumerate() {
                    for (tap, to) in cell.chunks_exact_mut(channels).enumerate() {
                        // Cells outside the grid are zeros.
                        let at = |place: usize, step: usize| (place + step * dilation).checked_sub(*dilation).filter(|at| *at < count);
                        let from = at(i, tap / 3).zip(at(j, tap % 3)).map(|(i, j)| i * count + j);
                        let from = match (from, number) {
                            (None, _) => None,
                            (Some(cell), 0) => cells.get(cell * channels..(cell + 1) * channels),
                            (Some(cell), _) => all.get(cell * width + (number - 1) * channels..cell * width + number * channels),
                        };
                        match from {
                            Some(from) => to.copy_from_slice(from),
                            None => to.fill(0.0),
                        }
                    }
                }
                let input = StridedRows { numbers: &gathered, stride: 9 * channels, count };
                let out = &mut all[i * count * width + number * channels..];
                convolution.apply_into(input, Some(Activation::Gelu), out, width, scratch);
            }
        }
        all
    }

    /// The biaffine product of each pair, `[words, words, labels]`.
    fn biaffine(&self, words: &[f32], count: usize, scratch: &mut Vec<f32>) -> Vec<f32> {
        let (size, side, labels) = (self.config.biaffine, self.config.biaffine + 1, self.config.labels());
        let input = StridedRows { numbers: words, stride: self.hidden, count };
        let with_one = |rows: Vec<f32>| rows.chunks_exact(size).flat_map(|row| row.iter().copied().chain([1.0])).collect::<Vec<f32>>();
        let subjects = with_one(self.subject.rows(input, Some(Activation::Gelu), scratch));
        let objects = with_one(self.object.rows(input, Some(Activation::Gelu), scratch));
        let products = self.biaffine.rows(StridedRows { numbers: &subjects, stride: side, count }, None, scratch);
        let stride = self.biaffine.panels() * PANEL_WIDTH;
        let mut all = Vec::with_capacity(count * count * labels);
        for product in products.chunks_exact(stride) {
            for object in objects.chunks_exact(side) {
                all.extend(product.chunks_exact(side).take(labels).map(|product| dot(product, object)));
            }
        }
        all
    }
}

/// The bucket of the distance from word `i` to word `j`.
fn bucket(i: usize, j: usize) -> usize {
    let log = |distance: usize| (distance.max(1).ilog2() as usize).min(8) + 1;
    match j.cmp(&i) {
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => log(j - i),
        std::cmp::Ordering::Less => log(i - j) + 9,
    }
}

/// The region of a bucket.
fn region_of(bucket: usize) -> usize {
    match bucket {
        0 => 0,
        1..=9 => 1,
        _ => 2,
    }
}

/// The place of the first of the largest numbers.
fn likeliest(logits: &[f32]) -> u8 {
    let best = logits.iter().enumerate().fold((0, f32::NEG_INFINITY), |best, (at, x)| if *x > best.1 { (at, *x) } else { best });
    u8::try_from(best.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_fall_into_powers_of_two_on_either_side() {
        let forwards: Vec<usize> = [0, 1, 2, 3, 4, 7, 8, 300].map(|j| bucket(0, j)).to_vec();
        assert_eq!(forwards, [0, 1, 2, 2, 3, 3, 4, 9]);
        assert_eq!((bucket(5, 4), bucket(9, 1), region_of(bucket(5, 4)), region_of(bucket(4, 5))), (10, 13, 2, 1));
        assert_eq!((likeliest(&[0.0, 2.0, 2.0]), likeliest(&[f32::NAN, f32::NAN])), (1, 0));
    }
}

#[cfg(test)]
#[path = "grid_tests.rs"]
mod definition;
