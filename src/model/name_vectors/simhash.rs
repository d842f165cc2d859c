//! SimHash sketches: 256 bits for a vector, the signs of its components after a fixed rotation. The expected share of bits in which two
//! sketches differ is the angle between the vectors divided by π (Charikar, "Similarity estimation
//! techniques from rounding algorithms", STOC 2002), so a few bytes tell which vectors are worth comparing.

use pulp::Arch;

use super::rotate::{bit, hadamard};

/// Bytes of a sketch.
pub(super) const SIMHASH_BYTES: usize = 32;
/// Bits of a sketch.
pub(super) const SIMHASH_BITS: usize = SIMHASH_BYTES * 8;

/// The sketch of a vector of integers. The same on every machine, because nothing is rounded.
pub(super) fn simhash(bytes: &[i8]) -> [u8; SIMHASH_BYTES] {
    let length = bytes.len().next_power_of_two().max(SIMHASH_BITS);
    let mut values: Vec<i64> = bytes.iter().map(|byte| i64::from(*byte)).chain(std::iter::repeat(0)).take(length).collect();
    // Two rounds of random signs and a Hadamard transform are close to a random rotation (Ailon & Chazelle, 2009).
    // 2³² after two rounds of at most 2¹⁴ components of 7 bits is far from 64 bits.
    for round in 0..2u64 {
        for (place, value) in (0u64..).zip(&mut values) {
            if bit(round, place) {
                *value = -*value;
            }
        }
        hadamard(&mut values);
    }
    let mut bits = [0u8; SIMHASH_BYTES];
    for (place, value) in values.iter().take(SIMHASH_BITS).enumerate() {
        bits[place / 8] |= u8::from(*value > 0) << (place % 8);
    }
    bits
}

/// The Hamming distance of each sketch to the query's, appended to `out`.
pub(super) fn differences(sketches: &[u8], query: &[u8; SIMHASH_BYTES], out: &mut Vec<u16>) {
    let query = words(query);
    let begin = out.len();
    out.resize(begin + sketches.len() / SIMHASH_BYTES, 0);
    let out = &mut out[begin..];
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for (sketch, out) in sketches.chunks_exact(SIMHASH_BYTES).zip(out) {
                let mut bits = 0;
                for (eight, word) in sketch.chunks_exact(8).zip(query) {
                    let mut bytes = [0u8; 8];
                    bytes.copy_from_slice(eight);
                    bits += (u64::from_le_bytes(bytes) ^ word).count_ones();
                }
                // At most 256.
                *out = bits as u16;
            }
        },
    );
}

fn words(sketch: &[u8; SIMHASH_BYTES]) -> [u64; SIMHASH_BYTES / 8] {
    let mut words = [0; SIMHASH_BYTES / 8];
    for (word, bytes) in words.iter_mut().zip(sketch.chunks_exact(8)) {
        *word = bytes.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SplitMix64;

    fn random(seed: u64, dim: usize) -> Vec<i8> {
        (0..dim as u64).map(|i| (SplitMix64::at((seed << 20) | i) % 255) as i64 as i16 - 127).map(|x| x as i8).collect()
    }

    #[test]
    fn differing_bits_tell_the_angle() {
        for dim in [64, 256, 300, 1024] {
            let (mut near, mut far) = (0u32, 0u32);
            for seed in 0..50 {
                let a = random(seed, dim);
                // Half of the components replaced: a cosine of about 0.5, an angle of a third of π.
                let b: Vec<i8> =
                    a.iter().zip(random(seed + 1000, dim)).enumerate().map(|(i, (a, b))| if i % 2 == 0 { *a } else { b }).collect();
                let mut bits = Vec::new();
                differences(&[simhash(&b), simhash(&random(seed + 2000, dim))].concat(), &simhash(&a), &mut bits);
                near += u32::from(bits[0]);
                far += u32::from(bits[1]);
            }
            let share = |bits: u32| f64::from(bits) / 50.0 / SIMHASH_BITS as f64;
            assert!((share(near) - 1.0 / 3.0).abs() < 0.03, "{dim}: {}", share(near));
            assert!((share(far) - 0.5).abs() < 0.03, "{dim}: {}", share(far));
        }
    }

    #[test]
    fn the_sketch_of_a_vector_never_changes() {
        // Files hold sketches: another one for the same vector would be another format.
        let hash = xxhash_rust::xxh3::xxh3_64(&simhash(&random(1, 256)));
        assert_eq!(hash, 0xbc41_4020_b2da_93ca, "the sketch's checksum is {hash:#x}");
    }
}
