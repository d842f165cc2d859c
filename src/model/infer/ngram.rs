//! Hashed character n-grams: what the static encoder knows of words outside its vocabulary, and of
//! Chinese. The exact rules are in `assets/encoder/SPEC.md`.

use crate::text::SplitMix64;

/// FNV-1a, 64 bits.
pub(crate) fn fnv1a64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Buckets of the 3-, 4- and 5-grams of `<word>`, repetitions included.
pub(crate) fn buckets(word: &str, count: u64) -> Vec<u32> {
    let marked = format!("<{word}>");
    let bounds: Vec<usize> = marked.char_indices().map(|(at, _)| at).chain([marked.len()]).collect();
    let mut buckets = Vec::new();
    for n in 3..=5 {
        for window in bounds.windows(n + 1) {
            let gram = &marked.as_bytes()[window[0]..window[n]];
            buckets.push((fnv1a64(gram) % count) as u32);
        }
    }
    buckets
}

/// Adds `scale` times a fixed pseudo-random vector of +1 and −1 that depends on the text alone.
pub(crate) fn add_signs(text: &str, scale: f32, row: &mut [f32]) {
    let mut random = SplitMix64::new(fnv1a64(text.as_bytes()));
    for block in row.chunks_mut(64) {
        let bits = random.next_u64();
        for (bit, component) in block.iter_mut().enumerate() {
            *component += if bits >> bit & 1 == 1 { scale } else { -scale };
        }
    }
}

/// Whether a character is an ideograph that BERT's normaliser sets apart.
pub(crate) fn is_ideograph(c: char) -> bool {
    matches!(c as u32,
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F | 0x2B740..=0x2B81F
        | 0x2B820..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_and_grams_are_as_specified() {
        assert_eq!(fnv1a64(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a64(b"a"), 0xaf63_dc4c_8601_ec8c);
        // <flu>: three 3-grams, two 4-grams, one 5-gram.
        assert_eq!(buckets("flu", u64::MAX).len(), 6);
    }

    #[test]
    fn the_signs_of_a_text_never_change() {
        let mut row = [0.0; 128];
        add_signs("胃", 1.0, &mut row);
        let bits = |half: &[f32]| half.iter().enumerate().fold(0u64, |bits, (bit, sign)| bits | u64::from(*sign > 0.0) << bit);
        assert_eq!([bits(&row[..64]), bits(&row[64..])], [0x0162_4756_9819_b991, 0x937a_0862_a887_4391]);
    }
}
