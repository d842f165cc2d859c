//! Multiplies a quantised matrix with vectors: 16 rows at a time, for up to eight vectors at once. Grouping vectors never changes a sum, so a
//! prompt gives the same numbers whatever the size of its portions.

use std::ops::Range;

use half::f16;

use super::pack::{PackedMatrix, PackedValues, SUPER, ScalesQ4K, ScalesQ6K, TILE};
use crate::model::infer::lm::quantise::{BLOCK, quantise_block};
use crate::model::infer::maths::fma;
use crate::model::infer::thread_pool::{OutputJob, ThreadPool};

/// The most vectors multiplied at once.
pub(super) const GROUP: usize = 8;

/// Vectors to multiply with, as floats and as blocks of signed bytes.
#[derive(Debug, Default)]
pub(super) struct InputVectors {
    pub(super) count: usize,
    pub(super) columns: usize,
    pub(super) floats: Vec<f32>,
    pub(super) codes: Vec<i8>,
    /// Of each block of 32.
    pub(super) scales: Vec<f32>,
    /// Sums of the codes of each 16 columns.
    pub(super) sums: Vec<i32>,
}

impl InputVectors {
    /// Resizes for `count` vectors; the content of `floats` is then unspecified.
    pub(super) fn resize(&mut self, count: usize, columns: usize) {
        (self.count, self.columns) = (count, columns);
        self.floats.resize(count * columns, 0.0);
    }

    /// Quantises the floats into blocks.
    pub(super) fn quantise(&mut self) {
        let blocks = self.count * self.columns / BLOCK;
        self.codes.resize(blocks * BLOCK, 0);
        self.scales.resize(blocks, 0.0);
        self.sums.resize(blocks * 2, 0);
        let outputs = self.codes.as_chunks_mut::<BLOCK>().0.iter_mut().zip(&mut self.scales).zip(self.sums.chunks_exact_mut(2));
        for (block, ((codes, scale), sums)) in self.floats.as_chunks::<BLOCK>().0.iter().zip(outputs) {
            *scale = quantise_block(block, codes);
            for (sum, half) in sums.iter_mut().zip(codes.chunks_exact(16)) {
                *sum = half.iter().map(|code| i32::from(*code)).sum();
            }
        }
    }
}

/// Room for the products of `count` vectors with a matrix: `[tiles][count][16]`.
pub(super) fn room(matrix: &PackedMatrix, count: usize, output: &mut Vec<f32>) {
    output.resize(matrix.tiles() * count * TILE, 0.0);
}

/// Multiplies the vectors with several matrices, into `[tiles][count][16]` each. InputVectors must have been quantised where a matrix is.
pub(super) fn multiply(pool: &mut ThreadPool, inputs: &InputVectors, mut pairs: Vec<(&PackedMatrix, &mut Vec<f32>)>) {
    let matrices: Vec<&PackedMatrix> = pairs.iter().map(|(matrix, _)| *matrix).collect();
    let jobs = pairs.iter_mut().map(|(matrix, output)| {
        room(matrix, inputs.count, output);
        OutputJob { items: matrix.tiles(), each: inputs.count * TILE, output }
    });
    let by = Instructions::best();
    pool.run_chunks(jobs.collect(), &|number, tiles: Range<usize>, output| {
        for (tile, output) in tiles.zip(output.chunks_exact_mut((inputs.count * TILE).max(1))) {
            for (group, output) in output.chunks_mut(GROUP * TILE).enumerate() {
                let first = group * GROUP;
                match output.len() / TILE {
                    8 => tile_times::<8>(matrices[number], tile, inputs, first, output, by),
                    7 => tile_times::<7>(matrices[number], tile, inputs, first, output, by),
                    6 => tile_times::<6>(matrices[number], tile, inputs, first, output, by),
                    5 => tile_times::<5>(matrices[number], tile, inputs, first, output, by),
                    4 => tile_times::<4>(matrices[number], tile, inputs, first, output, by),
                    3 => tile_times::<3>(matrices[number], tile, inputs, first, output, by),
                    2 => tile_times::<2>(matrices[number], tile, inputs, first, output, by),
                    _ => tile_times::<1>(matrices[number], tile, inputs, first, output, by),
                }
            }
        }
    });
}

/// The vector instructions for a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model::infer::lm) enum Instructions {
    /// Those that the build targets on every processor.
    Plain,
    /// `avx2.rs`
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// `avx512.rs`
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// The best that this processor has. The standard library caches the detection.
    pub(in crate::model::infer::lm) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if super::avx512::available() {
                return Self::Avx512;
            }
            if super::avx2::available() {
                return Self::Avx2;
            }
        }
        Self::Plain
    }
}

/// One tile times `M` vectors from `first` on.
fn tile_times<const M: usize>(
    matrix: &PackedMatrix,
    tile: usize,
    inputs: &InputVectors,
    first: usize,
    output: &mut [f32],
    by: Instructions,
) {
    let vectors: [InputVector; M] = std::array::from_fn(|m| InputVector::of(inputs, first + m));
    let mut sums = [[0f32; TILE]; M];
    times(matrix, tile, &vectors, &mut sums, by);
    for (output, sums) in output.chunks_exact_mut(TILE).zip(&sums) {
        output.copy_from_slice(sums);
    }
}

/// Adds what a block's offset contributes: as much of it as the vector's values in the block sum up to.
fn add_offsets<const M: usize>(offsets: &[[f32; TILE]], vectors: &[InputVector; M], sums: &mut [[f32; TILE]; M]) {
    for (vector, sums) in vectors.iter().zip(sums) {
        for ((offsets, halves), scale) in offsets.iter().zip(vector.sums.chunks_exact(2)).zip(vector.scales) {
            let total = (halves[0] + halves[1]) as f32 * scale;
            for (sum, offset) in sums.iter_mut().zip(offsets) {
                *sum = fma(*offset, total, *sum);
            }
        }
    }
}

fn times<const M: usize>(matrix: &PackedMatrix, tile: usize, vectors: &[InputVector; M], sums: &mut [[f32; TILE]; M], by: Instructions) {
    products(matrix, tile, vectors, sums, by);
    if !matrix.offsets.is_empty() {
        let blocks = matrix.columns / BLOCK;
        add_offsets(&matrix.offsets[tile * blocks..(tile + 1) * blocks], vectors, sums);
    }
}

fn products<const M: usize>(matrix: &PackedMatrix, tile: usize, vectors: &[InputVector; M], sums: &mut [[f32; TILE]; M], by: Instructions) {
    #[cfg(target_arch = "x86_64")]
    {
        use super::{avx2, avx512};
        let columns = matrix.columns;
        let part = |each: usize, of: usize| tile * columns / of * each..(tile + 1) * columns / of * each;
        // One vector at a time: 16 registers cannot hold the sums of several.
        let mut each = |times: &dyn Fn(&InputVector, &mut [f32; TILE])| {
            vectors.iter().zip(sums.iter_mut()).for_each(|(vector, sums)| times(vector, sums))
        };
        match (by, &matrix.values) {
            (Instructions::Plain, _) | (_, PackedValues::F32(_) | PackedValues::BF16(_)) => plain(matrix, tile, vectors, sums),
            (Instructions::Avx512, PackedValues::Int8 { lines, scales }) => {
                avx512::bytes(&lines[part(8, BLOCK)], &scales[part(1, BLOCK)], vectors, sums)
            }
            (Instructions::Avx512, PackedValues::Q4K { lines, scales }) => {
                avx512::nibbles(&lines[part(4, BLOCK)], &scales[part(1, SUPER)], vectors, sums)
            }
            (Instructions::Avx512, PackedValues::Q6K { lines, scales }) => {
                avx512::six(&lines[part(8, BLOCK)], &scales[part(1, SUPER)], vectors, sums)
            }
            (Instructions::Avx512, PackedValues::F16(values)) => avx512::halves(&values[part(1, 1)], vectors, sums),
            (Instructions::Avx2, PackedValues::Int8 { lines, scales }) => {
                each(&|vector, sums| avx2::bytes(&lines[part(8, BLOCK)], &scales[part(1, BLOCK)], vector, sums));
            }
            (Instructions::Avx2, PackedValues::Q4K { lines, scales }) => {
                each(&|vector, sums| avx2::nibbles(&lines[part(4, BLOCK)], &scales[part(1, SUPER)], vector, sums));
            }
            (Instructions::Avx2, PackedValues::Q6K { lines, scales }) => {
                each(&|vector, sums| avx2::six(&lines[part(8, BLOCK)], &scales[part(1, SUPER)], vector, sums));
            }
            (Instructions::Avx2, PackedValues::F16(values)) => each(&|vector, sums| avx2::halves(&values[part(1, 1)], vector, sums)),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let Instructions::Plain = by;
        plain(matrix, tile, vectors, sums);
    }
}

/// One vector of the inputs.
#[derive(Clone, Copy)]
pub(super) struct InputVector<'a> {
    pub(super) floats: &'a [f32],
    pub(super) codes: &'a [i8],
    pub(super) scales: &'a [f32],
    pub(super) sums: &'a [i32],
}

impl<'a> InputVector<'a> {
    fn of(inputs: &'a InputVectors, number: usize) -> Self {
        let part = |each: usize| number * each..(number + 1) * each;
        let (columns, blocks) = (inputs.columns, inputs.columns / BLOCK);
        Self {
            floats: inputs.floats.get(part(columns)).unwrap_or_default(),
            codes: inputs.codes.get(part(columns)).unwrap_or_default(),
            scales: inputs.scales.get(part(blocks)).unwrap_or_default(),
            sums: inputs.sums.get(part(2 * blocks)).unwrap_or_default(),
        }
    }
}

/// The product without processor-specific instructions.
fn plain<const M: usize>(matrix: &PackedMatrix, tile: usize, vectors: &[InputVector; M], sums: &mut [[f32; TILE]; M]) {
    let columns = matrix.columns;
    let blocks = columns / BLOCK;
    let half = |bits: u16| f16::from_bits(bits).to_f32();
    match &matrix.values {
        PackedValues::F32(values) => floats(&values[tile * columns..(tile + 1) * columns], vectors, sums, |value| value),
        PackedValues::F16(values) => floats(&values[tile * columns..(tile + 1) * columns], vectors, sums, half),
        PackedValues::BF16(values) => {
            floats(&values[tile * columns..(tile + 1) * columns], vectors, sums, |bits| f32::from_bits(u32::from(bits) << 16));
        }
        PackedValues::Int8 { lines, scales } => {
            for block in 0..blocks {
                let place = tile * blocks + block;
                let scale = scales[place].map(half);
                for (vector, sums) in vectors.iter().zip(sums.iter_mut()) {
                    let mut dots = [-128 * (vector.sums[2 * block] + vector.sums[2 * block + 1]); TILE];
                    for (line, codes) in lines[place * 8..place * 8 + 8].iter().zip(vector.codes[block * BLOCK..].chunks_exact(4)) {
                        line_dot(&line.0, codes, &mut dots);
                    }
                    for i in 0..TILE {
                        sums[i] = fma(dots[i] as f32, scale[i] * vector.scales[block], sums[i]);
                    }
                }
            }
        }
        PackedValues::Q4K { lines, scales } => {
            for block in 0..blocks {
                let place = tile * blocks + block;
                let ScalesQ4K { scale, min, d, d_min } = &scales[place / 8];
                let scale: [f32; TILE] = std::array::from_fn(|i| half(d[i]) * f32::from(scale[block % 8][i]));
                let min: [f32; TILE] = std::array::from_fn(|i| half(d_min[i]) * f32::from(min[block % 8][i]));
                for (vector, sums) in vectors.iter().zip(sums.iter_mut()) {
                    let mut dots = [0; TILE];
                    for (line, codes) in lines[place * 4..place * 4 + 4].iter().zip(vector.codes[block * BLOCK..].chunks_exact(8)) {
                        line_dot(&line.0.map(|byte| byte & 15), &codes[..4], &mut dots);
                        line_dot(&line.0.map(|byte| byte >> 4), &codes[4..], &mut dots);
                    }
                    let total = (vector.sums[2 * block] + vector.sums[2 * block + 1]) as f32 * vector.scales[block];
                    for i in 0..TILE {
                        sums[i] = fma(dots[i] as f32, scale[i] * vector.scales[block], sums[i]);
                        sums[i] = fma(-min[i], total, sums[i]);
                    }
                }
            }
        }
        PackedValues::Q6K { lines, scales } => {
            for block in 0..blocks {
                let place = tile * blocks + block;
                let ScalesQ6K { scale, d } = &scales[place / 8];
                for part in 0..2 {
                    let scale: [f32; TILE] = std::array::from_fn(|i| half(d[i]) * f32::from(scale[block % 8 * 2 + part][i]));
                    for (vector, sums) in vectors.iter().zip(sums.iter_mut()) {
                        let mut dots = [-32 * vector.sums[2 * block + part]; TILE];
                        let codes = vector.codes[block * BLOCK + part * 16..].chunks_exact(4);
                        for (line, codes) in lines[place * 8 + part * 4..place * 8 + part * 4 + 4].iter().zip(codes) {
                            line_dot(&line.0, codes, &mut dots);
                        }
                        for i in 0..TILE {
                            sums[i] = fma(dots[i] as f32, scale[i] * vector.scales[block], sums[i]);
                        }
                    }
                }
            }
        }
    }
}

fn line_dot(line: &[u8; 64], codes: &[i8], dots: &mut [i32; TILE]) {
    let codes = [codes[0], codes[1], codes[2], codes[3]].map(i32::from);
    for (dot, values) in dots.iter_mut().zip(line.chunks_exact(4)) {
        *dot += i32::from(values[0]) * codes[0]
            + i32::from(values[1]) * codes[1]
            + i32::from(values[2]) * codes[2]
            + i32::from(values[3]) * codes[3];
    }
}

fn floats<const M: usize, T: Copy>(
    values: &[[T; TILE]],
    vectors: &[InputVector; M],
    sums: &mut [[f32; TILE]; M],
    float: impl Fn(T) -> f32,
) {
    for (column, values) in values.iter().enumerate() {
        let values = values.map(&float);
        for (vector, sums) in vectors.iter().zip(sums.iter_mut()) {
            let x = vector.floats[column];
            for i in 0..TILE {
                sums[i] = fma(x, values[i], sums[i]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use candle_core::quantized::{GgmlDType as K, QTensor};
    use candle_core::{Device, Tensor};

    use super::*;
    use crate::model::infer::lm::source::RawMatrix;
    use crate::model::infer::thread_pool::Idle;

    fn every_way() -> Vec<Instructions> {
        let mut ways = vec![Instructions::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            ways.extend(crate::model::infer::lm::cpu::avx2::available().then_some(Instructions::Avx2));
            ways.extend(crate::model::infer::lm::cpu::avx512::available().then_some(Instructions::Avx512));
        }
        ways
    }

    /// Products of every kind of matrix with 1 to 9 vectors are those of its rows with the quantised vectors, with the processor's
    /// instructions or without, and the same to the bit however many vectors go together.
    #[test]
    fn products_are_sums_of_products() {
        let (rows, columns) = (37, 512);
        let values: Vec<f32> = (0..rows * columns).map(|i| ((i * 7919 % 1013) as f32 * 0.61).sin()).collect();
        let tensor = Tensor::from_slice(&values, (rows, columns), &Device::Cpu).expect("a tensor");
        let mut pool = ThreadPool::new("test", 2, Idle::Spin).expect("threads");
        for kind in [K::F32, K::F16, K::BF16, K::Q8_0, K::Q4_0, K::Q4_1, K::Q5_1, K::Q4K, K::Q6K] {
            let data = QTensor::quantize(&tensor, kind).and_then(|t| Ok(t.data()?.into_owned())).expect("quantises");
            let matrix = PackedMatrix::new(&RawMatrix { name: "t".into(), kind, rows, columns, data }).expect("packs");
            let mut inputs = InputVectors::default();
            inputs.resize(9, columns);
            inputs.floats.iter_mut().enumerate().for_each(|(i, x)| *x = ((i * i % 613) as f32 * 0.23).cos());
            inputs.quantise();
            let mut output = Vec::new();
            multiply(&mut pool, &inputs, vec![(&matrix, &mut output)]);
            let mut row = vec![0f32; columns];
            for r in 0..rows {
                matrix.row(r, &mut row);
                for m in 0..9 {
                    let vector = InputVector::of(&inputs, m);
                    let x = |c: usize| {
                        if matrix.quantised() { f32::from(vector.codes[c]) * vector.scales[c / BLOCK] } else { vector.floats[c] }
                    };
                    let want: f64 = row.iter().enumerate().map(|(c, w)| f64::from(*w) * f64::from(x(c))).sum();
                    let got = output[(r / TILE * 9 + m) * TILE + r % TILE];
                    assert!((f64::from(got) - want).abs() < 2e-3, "{kind:?} row {r} vector {m}: {got} {want}");
                }
            }
            for m in 0..9 {
                let mut one =
                    InputVectors { floats: InputVector::of(&inputs, m).floats.to_vec(), count: 1, columns, ..InputVectors::default() };
                one.quantise();
                let mut alone = Vec::new();
                multiply(&mut pool, &one, vec![(&matrix, &mut alone)]);
                for (r, alone) in alone.iter().take(rows).enumerate() {
                    assert_eq!(alone.to_bits(), output[(r / TILE * 9 + m) * TILE + r % TILE].to_bits(), "{kind:?}");
                }
                let fast = &output[(9 + m) * TILE..][..TILE];
                for by in every_way() {
                    let mut sums = [[0f32; TILE]; 1];
                    times(&matrix, 1, &[InputVector::of(&inputs, m)], &mut sums, by);
                    assert!(sums[0].iter().zip(fast).all(|(a, b)| (a - b).abs() < 1e-3), "{kind:?} {by:?}");
                }
            }
        }
    }
}
