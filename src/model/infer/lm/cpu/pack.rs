//! Matrices laid out for the kernels: tiles of 16 rows, within a tile column by column, so that one vector instruction serves 16 rows.
//!
//! A [`CodeLine`] is 64 bytes: 4 consecutive values of each of the 16 rows. The values of Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q6_K and floats are
//! kept exactly; the rarer formats (Q2_K, Q3_K, Q5_K) are converted to 8-bit blocks, which adds at most 1/254 of a block's largest weight to a
//! quantisation error that is many times larger.

use candle_core::quantized::GgmlDType;
use half::f16;

use crate::model::infer::lm::quantise::{BLOCK, to_q8_0};
use crate::model::infer::lm::source::RawMatrix;

/// FloatRows of a tile.
pub(super) const TILE: usize = 16;
/// Values of a block of the K forms.
pub(super) const SUPER: usize = 256;

/// 4 values of each of 16 rows.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct CodeLine(pub(super) [u8; 64]);

/// Scales of 256 columns of a tile in Q4_K.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
pub(super) struct ScalesQ4K {
    pub(super) scale: [[u8; TILE]; 8],
    pub(super) min: [[u8; TILE]; 8],
    pub(super) d: [u16; TILE],
    pub(super) d_min: [u16; TILE],
}

/// Scales of 256 columns of a tile in Q6_K.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
pub(super) struct ScalesQ6K {
    pub(super) scale: [[i8; TILE]; 16],
    pub(super) d: [u16; TILE],
}

/// The packed values of a matrix.
#[derive(Debug)]
pub(super) enum PackedValues {
    /// A signed byte + 128, 8 lines for 32 columns, with a half-precision scale for each row.
    Int8 { lines: Vec<CodeLine>, scales: Vec<[u16; TILE]> },
    /// Q4_K: 4 bits; 4 lines for 32 columns. A byte holds the value of its column in the low half and of the column 4 further in the high one.
    Q4K { lines: Vec<CodeLine>, scales: Vec<ScalesQ4K> },
    /// Q6_K: 0 to 63 in a byte, 8 lines for 32 columns.
    Q6K { lines: Vec<CodeLine>, scales: Vec<ScalesQ6K> },
    /// Floats, 16 for each column.
    F32(Vec<[f32; TILE]>),
    /// Half-precision floats.
    F16(Vec<[u16; TILE]>),
    /// The upper halves of floats (bfloat16).
    BF16(Vec<[u16; TILE]>),
}

/// A matrix of `rows` × `columns` in tiles; the last tile is padded with zeros.
#[derive(Debug)]
pub(in crate::model::infer::lm) struct PackedMatrix {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) values: PackedValues,
    /// What is added to all values of a block of 32 (Q4_1, Q5_1), for each row of a tile; empty where nothing is.
    pub(super) offsets: Vec<[f32; TILE]>,
}

impl PackedMatrix {
    /// Lays a matrix out.
    ///
    /// # Errors
    /// If candle cannot read its form.
    pub(in crate::model::infer::lm) fn new(raw: &RawMatrix) -> Result<Self, String> {
        let (rows, columns) = (raw.rows, raw.columns);
        let mut offsets = Vec::new();
        let values = match raw.kind {
            GgmlDType::Q8_0 => bytes(rows, columns, &raw.data, 34, |block, codes| {
                codes.copy_from_slice(&block[2..34]);
            }),
            GgmlDType::Q4_0 => bytes(rows, columns, &raw.data, 18, |block, codes| {
                for (i, byte) in block[2..18].iter().enumerate() {
                    codes[i] = (byte & 15).wrapping_sub(8);
                    codes[i + 16] = (byte >> 4).wrapping_sub(8);
                }
            }),
            GgmlDType::Q5_0 => bytes(rows, columns, &raw.data, 22, |block, codes| {
                let high = u32::from_le_bytes([block[2], block[3], block[4], block[5]]);
                for (i, byte) in block[6..22].iter().enumerate() {
                    codes[i] = (byte & 15 | ((high >> i) as u8 & 1) << 4).wrapping_sub(16);
                    codes[i + 16] = (byte >> 4 | ((high >> (i + 16)) as u8 & 1) << 4).wrapping_sub(16);
                }
            }),
            GgmlDType::Q4_1 => {
                offsets = minima(rows, columns, &raw.data, 20);
                bytes(rows, columns, &raw.data, 20, |block, codes| {
                    for (i, byte) in block[4..20].iter().enumerate() {
                        (codes[i], codes[i + 16]) = (byte & 15, byte >> 4);
                    }
                })
            }
            GgmlDType::Q5_1 => {
                offsets = minima(rows, columns, &raw.data, 24);
                bytes(rows, columns, &raw.data, 24, |block, codes| {
                    let high = u32::from_le_bytes([block[4], block[5], block[6], block[7]]);
                    for (i, byte) in block[8..24].iter().enumerate() {
                        codes[i] = byte & 15 | ((high >> i) as u8 & 1) << 4;
                        codes[i + 16] = byte >> 4 | ((high >> (i + 16)) as u8 & 1) << 4;
                    }
                })
            }
            GgmlDType::Q4K => nibbles(rows, columns, &raw.data),
            GgmlDType::Q6K => six(rows, columns, &raw.data),
            GgmlDType::F32 => PackedValues::F32(floats(rows, columns, &raw.data, |b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]), 4)),
            GgmlDType::F16 => PackedValues::F16(floats(rows, columns, &raw.data, |b| u16::from_le_bytes([b[0], b[1]]), 2)),
            GgmlDType::BF16 => PackedValues::BF16(floats(rows, columns, &raw.data, |b| u16::from_le_bytes([b[0], b[1]]), 2)),
            _ => {
                let values = raw.to_floats().map_err(|e| format!("the tensor {}: {e}", raw.name))?;
                let blocks = to_q8_0(&values);
                bytes(rows, columns, &blocks, 34, |block, codes| codes.copy_from_slice(&block[2..34]))
            }
        };
        Ok(Self { rows, columns, values, offsets })
    }

    /// Tiles of 16 rows.
    pub(super) fn tiles(&self) -> usize {
        self.rows.div_ceil(TILE)
    }

    /// Whether the kernel takes quantised inputs.
    pub(super) fn quantised(&self) -> bool {
        matches!(self.values, PackedValues::Int8 { .. } | PackedValues::Q4K { .. } | PackedValues::Q6K { .. })
    }

    /// One row as floats.
    pub(super) fn row(&self, row: usize, output: &mut [f32]) {
        let (tile, at) = (row / TILE, row % TILE);
        let blocks = self.columns / BLOCK;
        match &self.values {
            PackedValues::Int8 { lines, scales } => {
                for (block, output) in output.chunks_exact_mut(BLOCK).enumerate() {
                    let scale = f16::from_bits(scales[tile * blocks + block][at]).to_f32();
                    for (i, value) in output.iter_mut().enumerate() {
                        let code = lines[(tile * blocks + block) * 8 + i / 4].0[at * 4 + i % 4];
                        *value = f32::from((code ^ 128).cast_signed()) * scale;
                    }
                }
            }
            PackedValues::Q4K { lines, scales } => {
                for (block, output) in output.chunks_exact_mut(BLOCK).enumerate() {
                    let of = &scales[(tile * blocks + block) / 8];
                    let scale = f16::from_bits(of.d[at]).to_f32() * f32::from(of.scale[block % 8][at]);
                    let min = f16::from_bits(of.d_min[at]).to_f32() * f32::from(of.min[block % 8][at]);
                    for (i, value) in output.iter_mut().enumerate() {
                        let byte = lines[(tile * blocks + block) * 4 + i / 8].0[at * 4 + i % 4];
                        *value = f32::from(if i % 8 < 4 { byte & 15 } else { byte >> 4 }) * scale - min;
                    }
                }
            }
            PackedValues::Q6K { lines, scales } => {
                for (block, output) in output.chunks_exact_mut(BLOCK).enumerate() {
                    let of = &scales[(tile * blocks + block) / 8];
                    for (i, value) in output.iter_mut().enumerate() {
                        let scale = f16::from_bits(of.d[at]).to_f32() * f32::from(of.scale[block % 8 * 2 + i / 16][at]);
                        *value = (f32::from(lines[(tile * blocks + block) * 8 + i / 4].0[at * 4 + i % 4]) - 32.0) * scale;
                    }
                }
            }
            PackedValues::F32(values) => copy(values, tile, at, output, |value| value),
            PackedValues::F16(values) => copy(values, tile, at, output, |bits| f16::from_bits(bits).to_f32()),
            PackedValues::BF16(values) => copy(values, tile, at, output, |bits| f32::from_bits(u32::from(bits) << 16)),
        }
        for (output, offsets) in output.chunks_exact_mut(BLOCK).zip(self.offsets.iter().skip(tile * blocks)) {
            output.iter_mut().for_each(|value| *value += offsets[at]);
        }
    }
}

fn copy<T: Copy>(values: &[[T; TILE]], tile: usize, at: usize, output: &mut [f32], float: impl Fn(T) -> f32) {
    let columns = output.len();
    for (value, column) in output.iter_mut().zip(&values[tile * columns..]) {
        *value = float(column[at]);
    }
}

fn floats<T: Copy + Default>(rows: usize, columns: usize, data: &[u8], read: impl Fn(&[u8]) -> T, size: usize) -> Vec<[T; TILE]> {
    let mut values = vec![[T::default(); TILE]; rows.div_ceil(TILE) * columns];
    for (row, data) in data.chunks_exact((columns * size).max(1)).enumerate() {
        for (column, bytes) in data.chunks_exact(size).enumerate() {
            values[row / TILE * columns + column][row % TILE] = read(bytes);
        }
    }
    values
}

/// Blocks of 32 with a half-precision scale first; `decode` gives the signed codes.
fn bytes(rows: usize, columns: usize, data: &[u8], size: usize, decode: impl Fn(&[u8], &mut [u8; BLOCK])) -> PackedValues {
    let blocks = columns / BLOCK;
    let tiles = rows.div_ceil(TILE);
    let mut lines = vec![CodeLine([128; 64]); tiles * blocks * 8];
    let mut scales = vec![[0; TILE]; tiles * blocks];
    let mut codes = [0; BLOCK];
    for (number, block) in data.chunks_exact(size).enumerate() {
        let (row, place) = (number / blocks, number % blocks);
        let (at, place) = (row % TILE, row / TILE * blocks + place);
        scales[place][at] = u16::from_le_bytes([block[0], block[1]]);
        decode(block, &mut codes);
        for (line, codes) in lines[place * 8..place * 8 + 8].iter_mut().zip(codes.chunks_exact(4)) {
            for (to, code) in line.0[at * 4..at * 4 + 4].iter_mut().zip(codes) {
                *to = code ^ 128;
            }
        }
    }
    PackedValues::Int8 { lines, scales }
}

/// The minima of blocks of 32: half-precision numbers after the scales.
fn minima(rows: usize, columns: usize, data: &[u8], size: usize) -> Vec<[f32; TILE]> {
    let blocks = columns / BLOCK;
    let mut minima = vec![[0.0; TILE]; rows.div_ceil(TILE) * blocks];
    for (number, block) in data.chunks_exact(size).enumerate() {
        let (row, place) = (number / blocks, number % blocks);
        minima[row / TILE * blocks + place][row % TILE] = f16::from_le_bytes([block[2], block[3]]).to_f32();
    }
    minima
}

/// Q4_K: d, d_min, 8 scales and 8 minima of 6 bits in 12 bytes, 128 bytes of nibbles.
fn nibbles(rows: usize, columns: usize, data: &[u8]) -> PackedValues {
    let supers = columns / SUPER;
    let tiles = rows.div_ceil(TILE);
    let mut lines = vec![CodeLine([0; 64]); tiles * supers * 32];
    let mut scales = vec![ScalesQ4K::default(); tiles * supers];
    for (number, block) in data.chunks_exact(144).enumerate() {
        let (row, place) = (number / supers, number % supers);
        let (at, place) = (row % TILE, row / TILE * supers + place);
        let of = &mut scales[place];
        of.d[at] = u16::from_le_bytes([block[0], block[1]]);
        of.d_min[at] = u16::from_le_bytes([block[2], block[3]]);
        let packed = &block[4..16];
        for i in 0..8 {
            let (scale, min) = if i < 4 {
                (packed[i] & 63, packed[i + 4] & 63)
            } else {
                (packed[i + 4] & 15 | packed[i - 4] >> 6 << 4, packed[i + 4] >> 4 | packed[i] >> 6 << 4)
            };
            of.scale[i][at] = scale;
            of.min[i][at] = min;
        }
        // Of 64 values each, the first 32 are the low halves, the others the high ones.
        let value = |i: usize| {
            let byte = block[16 + i / 64 * 32 + i % 32];
            if i % 64 < 32 { byte & 15 } else { byte >> 4 }
        };
        for (group, line) in lines[place * 32..place * 32 + 32].iter_mut().enumerate() {
            for i in 0..4 {
                line.0[at * 4 + i] = value(group * 8 + i) | value(group * 8 + 4 + i) << 4;
            }
        }
    }
    PackedValues::Q4K { lines, scales }
}

/// Q6_K: 128 bytes of low halves, 64 of upper pairs of bits, 16 signed scales, d.
fn six(rows: usize, columns: usize, data: &[u8]) -> PackedValues {
    let supers = columns / SUPER;
    let tiles = rows.div_ceil(TILE);
    // The code 32 means 0.
    let mut lines = vec![CodeLine([32; 64]); tiles * supers * 64];
    let mut scales = vec![ScalesQ6K::default(); tiles * supers];
    for (number, block) in data.chunks_exact(210).enumerate() {
        let (row, place) = (number / supers, number % supers);
        let (at, place) = (row % TILE, row / TILE * supers + place);
        let of = &mut scales[place];
        of.d[at] = u16::from_le_bytes([block[208], block[209]]);
        for (i, scale) in block[192..208].iter().enumerate() {
            of.scale[i][at] = scale.cast_signed();
        }
        for i in 0..SUPER {
            let (half, quarter, within) = (i / 128, i % 128 / 32, i % 32);
            let low = block[half * 64 + quarter % 2 * 32 + within];
            let low = if quarter < 2 { low & 15 } else { low >> 4 };
            let high = block[128 + half * 32 + within] >> (2 * quarter) & 3;
            lines[place * 64 + i / 4].0[at * 4 + i % 4] = low | high << 4;
        }
    }
    PackedValues::Q6K { lines, scales }
}

#[cfg(test)]
mod tests {
    use candle_core::quantized::QTensor;
    use candle_core::{Device, Tensor};

    use super::*;

    #[test]
    fn rows_are_as_candle_has_them() {
        let (rows, columns) = (19, 512);
        let values: Vec<f32> = (0..rows * columns).map(|i| ((i * i % 977) as f32 * 0.37).sin() * (1.0 + (i % 13) as f32)).collect();
        let tensor = Tensor::from_slice(&values, (rows, columns), &Device::Cpu).expect("a tensor");
        use GgmlDType as K;
        for kind in [K::F32, K::F16, K::BF16, K::Q8_0, K::Q4_0, K::Q5_0, K::Q4K, K::Q6K, K::Q5K, K::Q4_1, K::Q5_1] {
            let tensor = QTensor::quantize(&tensor, kind).expect("quantises");
            let data = tensor.data().expect("bytes").into_owned();
            let want: Vec<Vec<f32>> = tensor.dequantize(&Device::Cpu).and_then(|t| t.to_vec2()).expect("values");
            let packed = PackedMatrix::new(&RawMatrix { name: "t".into(), kind, rows, columns, data }).expect("packs");
            let mut got = vec![0f32; columns];
            let tolerance = if kind == K::Q5K { 14.0 / 127.0 } else { 1e-4 };
            for (row, want) in want.iter().enumerate() {
                packed.row(row, &mut got);
                for (got, want) in got.iter().zip(want) {
                    assert!((got - want).abs() <= tolerance, "{kind:?} row {row}: {got} {want}");
                }
            }
        }
    }
}
