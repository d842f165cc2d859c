//! The grid beside its definition (Li et al. 2022, §3.2 and 3.3), computed cell by cell in 64-bit floats from the tensors of a file.

use std::collections::BTreeMap;

use proptest::prelude::*;
use safetensors::tensor::{Dtype, TensorView};

use super::super::super::folder::ModelFolder;
use super::super::super::weights::WeightFile;
use super::super::config::GridConfig;
use super::GridNetwork;
use crate::model::MentionType;

const HIDDEN: usize = 20;
const PLACE: usize = 3;
const SIZE: usize = 16;
const LABELS: usize = 4;

struct Tensors(BTreeMap<String, (Vec<usize>, Vec<f32>)>);

impl Tensors {
    fn random(seed: u64) -> Self {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        let dense = [
            ("word", SIZE, HIDDEN),
            ("gain", SIZE, SIZE),
            ("shift", SIZE, SIZE),
            ("base", SIZE, SIZE + 2 * PLACE),
            ("mlp", SIZE, 2 * SIZE),
            ("mlp_out", LABELS, SIZE),
            ("subject", SIZE, HIDDEN),
            ("object", SIZE, HIDDEN),
        ];
        let mut shapes: Vec<(String, Vec<usize>)> = Vec::new();
        for (name, outputs, inputs) in dense {
            shapes.push((format!("w2ner.{name}.weight"), vec![outputs, inputs]));
            shapes.push((format!("w2ner.{name}.bias"), vec![outputs]));
        }
        for number in 0..2 {
            shapes.push((format!("w2ner.convolutions.{number}.weight"), vec![SIZE, SIZE, 3, 3]));
            shapes.push((format!("w2ner.convolutions.{number}.bias"), vec![SIZE]));
        }
        shapes.push(("w2ner.distance.weight".into(), vec![19, PLACE]));
        shapes.push(("w2ner.region.weight".into(), vec![3, PLACE]));
        shapes.push(("w2ner.biaffine".into(), vec![LABELS, SIZE + 1, SIZE + 1]));
        // The file must look like a network's.
        shapes.push(("embeddings.word_embeddings.weight".into(), vec![1, 1]));
        let tensors = shapes.into_iter().map(|(name, shape)| {
            let numbers = (0..shape.iter().product()).map(|_| next() * 0.5).collect();
            (name, (shape, numbers))
        });
        Self(tensors.collect())
    }

    fn of(&self, name: &str) -> &[f32] {
        &self.0[&format!("w2ner.{name}")].1
    }

    fn network(&self) -> GridNetwork {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes: Vec<(String, Vec<usize>, Vec<u8>)> = self
            .0
            .iter()
            .map(|(name, (shape, numbers))| (name.clone(), shape.clone(), numbers.iter().flat_map(|x| x.to_le_bytes()).collect()))
            .collect();
        let views = bytes.iter().map(|(name, shape, bytes)| (name, TensorView::new(Dtype::F32, shape.clone(), bytes).expect("a tensor")));
        safetensors::serialize_to_file(views, None, &folder.path().join("model.safetensors")).expect("written");
        let mut weights = WeightFile::open(&ModelFolder::at(folder.path()).expect("a folder")).expect("opens");
        let types = MentionType::ALL.to_vec();
        let config = GridConfig { word: SIZE, channels: SIZE, mlp: SIZE, biaffine: SIZE, place: PLACE, dilations: vec![1, 2], types };
        GridNetwork::load(config, HIDDEN, &mut weights).expect("loads")
    }

    fn dense(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let (weight, bias) = (self.of(&format!("{name}.weight")), self.of(&format!("{name}.bias")));
        let row = |(output, bias): (usize, &f32)| {
            let products = input.iter().enumerate().map(|(i, x)| x * f64::from(weight[output * input.len() + i]));
            products.sum::<f64>() + f64::from(*bias)
        };
        bias.iter().enumerate().map(row).collect()
    }

    /// The logits of each pair by definition.
    fn logits(&self, words: &[Vec<f64>]) -> Vec<f64> {
        let count = words.len();
        let states: Vec<Vec<f64>> = words.iter().map(|word| self.dense("word", word)).collect();
        let mut grid: Vec<Vec<f64>> = Vec::new();
        for (i, row) in states.iter().enumerate() {
            let (gain, shift) = (self.dense("gain", row), self.dense("shift", row));
            for (j, column) in states.iter().enumerate() {
                let mean = column.iter().sum::<f64>() / SIZE as f64;
                let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / SIZE as f64;
                let normal = column.iter().map(|x| (x - mean) / (variance + 1e-5).sqrt());
                let mut input: Vec<f64> = normal.zip(&gain).zip(&shift).map(|((x, gain), shift)| x * gain + shift).collect();
                let distance = (i as f64 - j as f64).abs();
                let log = if distance < 1.0 { 0 } else { distance.log2().floor() as usize };
                let (bucket, region) = match j.cmp(&i) {
                    std::cmp::Ordering::Equal => (0, 0),
                    std::cmp::Ordering::Greater => (log + 1, 1),
                    std::cmp::Ordering::Less => (log + 10, 2),
                };
                for (table, at) in [("distance.weight", bucket), ("region.weight", region)] {
                    input.extend(self.of(table)[at * PLACE..(at + 1) * PLACE].iter().map(|x| f64::from(*x)));
                }
                grid.push(self.dense("base", &input).into_iter().map(gelu).collect());
            }
        }
        let mut all = vec![Vec::new(); grid.len()];
        for (number, dilation) in [(0, 1), (1, 2)] {
            let (weight, bias) = (self.of(&format!("convolutions.{number}.weight")), self.of(&format!("convolutions.{number}.bias")));
            let cell = |at: usize| {
                let (i, j) = ((at / count) as isize, (at % count) as isize);
                let output = |output: usize| {
                    let mut sum = f64::from(bias[output]);
                    for tap in 0..9 {
                        let (i, j) = (i + (tap as isize / 3 - 1) * dilation, j + (tap as isize % 3 - 1) * dilation);
                        if (0..count as isize).contains(&i) && (0..count as isize).contains(&j) {
                            let from = &grid[i as usize * count + j as usize];
                            sum += (0..SIZE).map(|c| from[c] * f64::from(weight[(output * SIZE + c) * 9 + tap])).sum::<f64>();
                        }
                    }
                    gelu(sum)
                };
                (0..SIZE).map(output).collect::<Vec<f64>>()
            };
            grid = (0..count * count).map(cell).collect();
            all.iter_mut().zip(&grid).for_each(|(all, cell)| all.extend(cell));
        }
        let with_one = |name: &str, word: &Vec<f64>| self.dense(name, word).into_iter().map(gelu).chain([1.0]).collect::<Vec<f64>>();
        let subjects: Vec<Vec<f64>> = words.iter().map(|word| with_one("subject", word)).collect();
        let objects: Vec<Vec<f64>> = words.iter().map(|word| with_one("object", word)).collect();
        let matrices = self.of("biaffine");
        let mut logits = Vec::new();
        for (at, cell) in all.iter().enumerate() {
            let inner: Vec<f64> = self.dense("mlp", cell).into_iter().map(gelu).collect();
            let (subject, object) = (&subjects[at / count], &objects[at % count]);
            for (label, logit) in self.dense("mlp_out", &inner).into_iter().enumerate() {
                let side = SIZE + 1;
                let products =
                    (0..side * side).map(|k| subject[k / side] * f64::from(matrices[label * side * side + k]) * object[k % side]);
                logits.push(logit + products.sum::<f64>());
            }
        }
        logits
    }
}

/// GELU by an integral of the normal density: slow, and independent of the network's own.
fn gelu(x: f64) -> f64 {
    let steps = 400;
    let width = x / f64::from(steps);
    let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let area = (0..steps).map(|step| {
        let begin = f64::from(step) * width;
        width / 6.0 * (density(begin) + 4.0 * density(begin + width / 2.0) + density(begin + width))
    });
    x * (0.5 + area.sum::<f64>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn logits_are_those_of_the_definition(seed in any::<u64>(), count in 0usize..7) {
        let tensors = Tensors::random(seed);
        let word = |at: usize| (0..HIDDEN).map(|i| ((at * 31 + i * 7) as f64 * 0.37 + (seed % 97) as f64).sin()).collect::<Vec<f64>>();
        let words: Vec<Vec<f64>> = (0..count).map(word).collect();
        let flat: Vec<f32> = words.iter().flatten().map(|x| *x as f32).collect();
        let network = tensors.network();
        let (got, want) = (network.logits(&flat), tensors.logits(&words));
        prop_assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(&want) {
            prop_assert!((f64::from(*got) - want).abs() < 1e-3 * (1.0 + want.abs()), "{} for {}", got, want);
        }
        prop_assert_eq!(network.labels(&flat).len(), count * count);
    }
}
