//! Blocks of 32 values as bytes with one scale: Q8_0, as GGUF files hold it.

use half::f16;

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
}
