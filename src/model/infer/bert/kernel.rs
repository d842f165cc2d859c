//! Matrix products of 32-bit floats on a processor: weights are packed once into panels of sixteen columns, in the order
//! of multiplication, so that they stream through memory once; a tile of a few rows and one panel stays in
//! registers. (The scheme is that of Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008.)
//!
//! Candle's product packs its operands at each call, which for the few rows of a query costs more than
//! multiplying, and uses rayon's threads, for which an encoder must not wait (see ARCHITECTURE.md).
//! All sums have one defined order, whatever the number of rows and threads: a text's vector does not depend on the other texts in its batch.

use pulp::{Arch, Simd, WithSimd};

use super::config::Activation;
use crate::model::infer::maths::gelu;

/// Columns of a panel.
pub(super) const PANEL_WIDTH: usize = 16;

/// Rows of a tile: with two vectors of eight columns a row, what sixteen (AVX2) or thirty-two registers (AVX-512) hold
/// in addition to the operands.
const TILE_ROWS: usize = if cfg!(target_feature = "avx512vl") { 12 } else { 6 };

/// Weights of a panel that are multiplied with all rows before the next: 256 lines of 64 bytes are half of a first-level cache.
const DEPTH: usize = 256;

/// Bytes of rows that are multiplied with all panels before the next rows: about half of a second-level cache.
const ROW_BYTES: usize = 384 << 10;

/// Sixteen columns at one depth: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct PanelRow(pub(super) [f32; PANEL_WIDTH]);

impl PanelRow {
    pub(super) const ZERO: Self = Self([0.0; PANEL_WIDTH]);
}

/// A dense layer `x · Wᵀ + b`, packed in panels. Columns beyond `outputs` are zeros.
pub(super) struct DenseLayer {
    inputs: usize,
    /// Panel by panel, `inputs` lines each.
    lines: Vec<PanelRow>,
    /// One a panel.
    bias: Vec<PanelRow>,
}

impl DenseLayer {
    /// Packs weights: `outputs` rows of `inputs` numbers, given by output and input. Callers may pad both with
    /// zeros so that a head begins at a panel.
    pub(super) fn new(outputs: usize, inputs: usize, weight: impl Fn(usize, usize) -> f32, bias: impl Fn(usize) -> f32) -> Self {
        let panels = outputs.div_ceil(PANEL_WIDTH);
        let mut lines = vec![PanelRow::ZERO; panels * inputs];
        let mut biases = vec![PanelRow::ZERO; panels];
        for output in 0..outputs {
            let (panel, column) = (output / PANEL_WIDTH, output % PANEL_WIDTH);
            biases[panel].0[column] = bias(output);
            for (input, line) in lines[panel * inputs..(panel + 1) * inputs].iter_mut().enumerate() {
                line.0[column] = weight(output, input);
            }
        }
        Self { inputs, lines, bias: biases }
    }

    /// Panels of sixteen outputs.
    pub(super) fn panels(&self) -> usize {
        self.bias.len()
    }

    /// Computes the outputs of some panels for rows of inputs. `out` becomes `[rows, 16 · panels]`.
    pub(super) fn apply(
        &self,
        input: StridedRows<'_>,
        panels: std::ops::Range<usize>,
        then: Option<Activation>,
        out: &mut Vec<f32>,
        scratch: &mut Vec<f32>,
    ) {
        let lines = &self.lines[panels.start * self.inputs..panels.end * self.inputs];
        let width = panels.len() * PANEL_WIDTH;
        out.resize(input.count * width, 0.0);
        multiply(PanelProduct { input, lines, depth: self.inputs, bias: &self.bias[panels], then, out, out_stride: width, scratch });
    }
}

impl DenseLayer {
    /// Computes all outputs for rows of inputs into `out`: each row's outputs, `16 · panels` numbers, begin `out_stride` numbers after those of the
    /// row before.
    pub(super) fn apply_into(
        &self,
        input: StridedRows<'_>,
        then: Option<Activation>,
        out: &mut [f32],
        out_stride: usize,
        scratch: &mut Vec<f32>,
    ) {
        multiply(PanelProduct { input, lines: &self.lines, depth: self.inputs, bias: &self.bias, then, out, out_stride, scratch });
    }

    /// [`Self::apply_into`] a buffer of its own, `[rows, 16 · panels]`.
    pub(super) fn rows(&self, input: StridedRows<'_>, then: Option<Activation>, scratch: &mut Vec<f32>) -> Vec<f32> {
        let width = self.panels() * PANEL_WIDTH;
        let mut out = vec![0.0; input.count * width];
        self.apply_into(input, then, &mut out, width, scratch);
        out
    }
}

/// Rows of numbers in a slice.
#[derive(Debug, Clone, Copy)]
pub(super) struct StridedRows<'a> {
    pub(super) numbers: &'a [f32],
    /// Numbers from the beginning of one row to that of the next.
    pub(super) stride: usize,
    pub(super) count: usize,
}

/// A product of rows with panels.
pub(super) struct PanelProduct<'a> {
    /// Of `depth` numbers each.
    pub(super) input: StridedRows<'a>,
    /// Panels of `depth` lines.
    pub(super) lines: &'a [PanelRow],
    pub(super) depth: usize,
    /// One line a panel; none: zeros.
    pub(super) bias: &'a [PanelRow],
    pub(super) then: Option<Activation>,
    /// Rows of sixteen numbers a panel, `out_stride` from one to the next.
    pub(super) out: &'a mut [f32],
    pub(super) out_stride: usize,
    /// Buffer for packed rows.
    pub(super) scratch: &'a mut Vec<f32>,
}

/// Computes a product with the widest vector instructions of this processor.
pub(super) fn multiply(product: PanelProduct<'_>) {
    if product.input.count > 0 && product.depth > 0 && !product.lines.is_empty() {
        Arch::new().dispatch(product);
    }
}

impl WithSimd for PanelProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            16 => self.blocks::<S, 1>(simd),
            8 => self.blocks::<S, 2>(simd),
            4 => self.blocks::<S, 4>(simd),
            _ => self.blocks::<S, 16>(simd),
        }
    }
}

impl PanelProduct<'_> {
    /// Rows in blocks, for each the panels, for each portions of the depth, for each the tiles.
    #[inline(always)]
    fn blocks<S: Simd, const V: usize>(mut self, simd: S) {
        let portions = self.depth.div_ceil(DEPTH);
        let portion = self.depth.div_ceil(portions);
        let block = (ROW_BYTES / 4 / self.depth).max(TILE_ROWS);
        let mut begin = 0;
        while begin < self.input.count {
            let end = self.input.count.min(begin + block);
            self.lay_out(begin..end);
            for (panel, lines) in self.lines.chunks_exact(self.depth).enumerate() {
                let bias = self.bias.get(panel).copied().unwrap_or(PanelRow::ZERO);
                for (at, lines) in lines.chunks(portion).enumerate() {
                    let last = at + 1 == portions;
                    let place =
                        TilePosition { column: panel * PANEL_WIDTH, depth: at * portion, bias: (at == 0).then_some(bias), last, begin };
                    for (row, height) in tiles(begin..end) {
                        self.tile_of::<S, V>(simd, row, height, lines, &place);
                    }
                }
            }
            begin = end;
        }
    }

    /// Packs the rows of a block tile by tile, with the rows of a tile interleaved: a tile then reads consecutive numbers from one
    /// address. There are not enough registers for the addresses of twelve rows.
    #[inline(always)]
    fn lay_out(&mut self, block: std::ops::Range<usize>) {
        self.scratch.resize(block.len() * self.depth, 0.0);
        let mut rest = &mut self.scratch[..];
        for (first, height) in tiles(block) {
            let (tile, others) = rest.split_at_mut(height * self.depth);
            for row in 0..height {
                let source = &self.input.numbers[(first + row) * self.input.stride..][..self.depth];
                for (columns, x) in tile.chunks_exact_mut(height).zip(source) {
                    columns[row] = *x;
                }
            }
            rest = others;
        }
    }

    #[inline(always)]
    fn tile_of<S: Simd, const V: usize>(&mut self, simd: S, row: usize, height: usize, lines: &[PanelRow], place: &TilePosition) {
        match height {
            1 => self.tile::<S, V, 1>(simd, row, lines, place),
            2 => self.tile::<S, V, 2>(simd, row, lines, place),
            3 => self.tile::<S, V, 3>(simd, row, lines, place),
            4 => self.tile::<S, V, 4>(simd, row, lines, place),
            5 => self.tile::<S, V, 5>(simd, row, lines, place),
            6 => self.tile::<S, V, 6>(simd, row, lines, place),
            7 => self.tile::<S, V, 7>(simd, row, lines, place),
            8 => self.tile::<S, V, 8>(simd, row, lines, place),
            9 => self.tile::<S, V, 9>(simd, row, lines, place),
            10 => self.tile::<S, V, 10>(simd, row, lines, place),
            11 => self.tile::<S, V, 11>(simd, row, lines, place),
            _ => self.tile::<S, V, 12>(simd, row, lines, place),
        }
    }

    /// `ROWS` rows and one panel, over a portion of the depth.
    #[inline(always)]
    fn tile<S: Simd, const V: usize, const ROWS: usize>(&mut self, simd: S, row: usize, lines: &[PanelRow], place: &TilePosition) {
        let zero = simd.splat_f32s(0.0);
        let mut sums = [[zero; V]; ROWS];
        let out = |row_of_tile: usize| (row + row_of_tile) * self.out_stride + place.column;
        for (i, sums) in sums.iter_mut().enumerate() {
            let before = place.bias.as_ref().map_or_else(|| &self.out[out(i)..out(i) + PANEL_WIDTH], |bias| &bias.0[..]);
            sums.copy_from_slice(S::as_simd_f32s(before).0);
        }
        let input = &self.scratch[(row - place.begin) * self.depth + place.depth * ROWS..];
        for (line, input) in lines.iter().zip(input.as_chunks::<ROWS>().0) {
            let (weights, _) = S::as_simd_f32s(&line.0);
            for (sums, input) in sums.iter_mut().zip(input) {
                let x = simd.splat_f32s(*input);
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum = simd.mul_add_e_f32s(x, *weight, *sum);
                }
            }
        }
        for (i, mut sums) in sums.into_iter().enumerate() {
            match self.then.filter(|_| place.last) {
                None => {}
                Some(Activation::Gelu) => sums = sums.map(|x| gelu(simd, x)),
                Some(Activation::Relu) => sums = sums.map(|x| simd.max_f32s(x, zero)),
            }
            let out = out(i);
            S::as_mut_simd_f32s(&mut self.out[out..out + PANEL_WIDTH]).0.copy_from_slice(&sums);
        }
    }
}

/// Rows in tiles of nearly equal height: the first row of each, and how many.
#[inline(always)]
fn tiles(rows: std::ops::Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    let tiles = rows.len().div_ceil(TILE_ROWS).max(1);
    let (height, higher) = (rows.len() / tiles, rows.len() % tiles);
    (0..tiles).map(move |tile| (rows.start + tile * height + tile.min(higher), height + usize::from(tile < higher)))
}

/// The position of a tile.
struct TilePosition {
    /// Where its block of rows begins.
    begin: usize,
    /// Its first column in `out`.
    column: usize,
    /// Where its portion of the depth begins.
    depth: usize,
    /// What the sums begin with, at the first portion; later ones go on from `out`.
    bias: Option<PanelRow>,
    /// Whether it is the last portion.
    last: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from −1 to 1 that look random.
    fn numbers(count: usize, mut state: u64) -> Vec<f32> {
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn products_equal_the_definition_for_all_heights_of_tiles_and_several_portions() {
        for (rows, inputs, outputs) in [(1, 5, 3), (7, 384, 40), (13, 300, 16), (25, 700, 33), (300, 520, 17)] {
            let (x, w, b) = (numbers(rows * inputs, 1), numbers(outputs * inputs, 2), numbers(outputs, 3));
            let packed = DenseLayer::new(outputs, inputs, |o, i| w[o * inputs + i], |o| b[o]);
            let mut out = Vec::new();
            packed.apply(StridedRows { numbers: &x, stride: inputs, count: rows }, 0..packed.panels(), None, &mut out, &mut Vec::new());
            let width = packed.panels() * PANEL_WIDTH;
            for row in 0..rows {
                for output in 0..outputs {
                    let products = (0..inputs).map(|i| f64::from(x[row * inputs + i]) * f64::from(w[output * inputs + i]));
                    let want = products.sum::<f64>() + f64::from(b[output]);
                    let got = f64::from(out[row * width + output]);
                    assert!((got - want).abs() < 1e-4, "{rows}×{inputs}×{outputs}, row {row}, output {output}: {got} for {want}");
                }
            }
        }
    }

    #[test]
    fn a_row_and_a_panel_come_out_the_same_in_any_company() {
        let (x, w) = (numbers(29 * 640, 5), numbers(64 * 640, 6));
        let packed = DenseLayer::new(64, 640, |o, i| w[o * 640 + i], |_| 0.5);
        let (mut all, mut one) = (Vec::new(), Vec::new());
        packed.apply(StridedRows { numbers: &x, stride: 640, count: 29 }, 0..4, Some(Activation::Gelu), &mut all, &mut Vec::new());
        for row in 0..29 {
            packed.apply(
                StridedRows { numbers: &x[row * 640..], stride: 640, count: 1 },
                2..3,
                Some(Activation::Gelu),
                &mut one,
                &mut Vec::new(),
            );
            assert_eq!(one, all[row * 64 + 32..row * 64 + 48], "row {row}");
        }
    }
}
