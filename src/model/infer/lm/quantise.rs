//! Blocks of 32 values as bytes with one scale: Q8_0, as GGUF files hold it.

use half::f16;

use crate::model::infer::maths::{ROUND, fma};

/// Values of a block.
pub(super) const BLOCK: usize = 32;

/// Floats as Q8_0 blocks: a 16-bit scale (largest magnitude / 127), then 32 signed bytes. A rest that does not fill a block is left out.
pub(super) fn to_q8_0(values: &[f32]) -> Vec<u8> {
    let mut data = Vec::with_capacity(values.len() / BLOCK * (BLOCK + 2));
    for block in values.chunks_exact(BLOCK) {
        let largest = block.iter().fold(0f32, |most, x| most.max(x.abs()));
        let scale = f16::from_f32(largest / 127.0);
        let inverse = if scale.to_f32() > 0.0 { 1.0 / scale.to_f32() } else { 0.0 };
        data.extend(scale.to_le_bytes());
        data.extend(block.iter().map(|x| ((x * inverse).round().clamp(-127.0, 127.0) as i8).cast_unsigned()));
    }
    data
}

/// A block of inputs as signed bytes with one scale, which is returned. Unlike [`to_q8_0`], which writes the file format, it keeps the scale in 32 bits and
/// rounds halves to even.
#[inline]
pub(super) fn quantise_block(block: &[f32; 32], codes: &mut [i8; 32]) -> f32 {
    // Halves against each other, which is vectors against each other.
    let mut most = block.map(f32::abs);
    for width in [16, 8, 4, 2, 1] {
        for i in 0..width {
            most[i] = most[i].max(most[i + width]);
        }
    }
    let largest = most[0];
    let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    *codes = block.map(|x| fma(x, inverse, ROUND).to_bits() as i8);
    largest / 127.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_comes_back_within_half_a_step() {
        let values: Vec<f32> = (0..64).map(|i| (i as f32 * 0.7).sin() * 3.0).collect();
        let data = to_q8_0(&values);
        assert_eq!(data.len(), 2 * 34);
        for (block, values) in data.chunks_exact(34).zip(values.chunks_exact(32)) {
            let scale = f16::from_le_bytes([block[0], block[1]]).to_f32();
            for (code, value) in block[2..].iter().zip(values) {
                assert!((f32::from(code.cast_signed()) * scale - value).abs() <= scale * 0.51);
            }
        }
        assert!(to_q8_0(&[0.0; 32]).iter().all(|byte| *byte == 0));
    }

    #[test]
    fn codes_are_the_nearest_whole_numbers() {
        let block: [f32; 32] = std::array::from_fn(|i| (i as f32 - 20.0) * 0.31);
        let mut codes = [0; 32];
        let scale = quantise_block(&block, &mut codes);
        assert_eq!(codes[0], -127);
        assert!(codes.iter().zip(&block).all(|(code, x)| (f32::from(*code) * scale - x).abs() <= scale * 0.5001));
        assert!(quantise_block(&[0.0; 32], &mut codes).abs() < f32::EPSILON && codes == [0; 32]);
    }
}
