//! SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014): the one generator of pseudo-random
//! numbers in Catena.
//!
//! The same seed gives the same numbers on every machine and in every version. File formats (rotated name vectors, the static encoder's signs) and
//! seeded results (sampling, the bootstrap) depend on the sequence, so it must never change.

/// The increment of the state: 2⁶⁴ divided by the golden ratio, made odd.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A seeded generator of pseudo-random numbers. Not for secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator that starts at `seed`. Every seed is fine, 0 too.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The number at `index` (from 0) of the sequence of seed 0, computed directly.
    pub fn at(index: u64) -> u64 {
        Self(index.wrapping_mul(GAMMA)).next_u64()
    }

    /// The next number; all 64-bit values are equally likely.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next number from 0 (included) to 1 (excluded), in steps of 2⁻⁵³.
    pub fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The next whole number below `count`, by multiplication (Lemire 2019, without rejection): biased by less than `count` / 2⁶⁴. 0 where
    /// `count` is 0.
    pub fn next_below(&mut self, count: usize) -> usize {
        ((u128::from(self.next_u64()) * count as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sequence of the reference implementation (`splitmix64.c` by Vigna).
    #[test]
    fn the_sequence_is_that_of_the_reference_implementation() {
        let mut random = SplitMix64::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(expected.map(|_| random.next_u64()), expected);
        let mut zero = SplitMix64::new(0);
        let first = [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f];
        assert_eq!(first.map(|_| zero.next_u64()), first);
        assert_eq!([0, 1, 2].map(SplitMix64::at), first);
        assert_eq!(SplitMix64::at(u64::MAX), SplitMix64::new(0u64.wrapping_sub(GAMMA)).next_u64());
    }

    #[test]
    fn shares_and_whole_numbers_come_from_the_highest_bits() {
        let mut random = SplitMix64::new(0);
        assert_eq!([0; 3].map(|_| random.next_f64()), [0.883_310_808_213_642_6, 0.431_527_997_048_509_97, 0.026_433_771_592_597_743]);
        let mut random = SplitMix64::new(0);
        assert_eq!([0; 3].map(|_| random.next_below(10)), [8, 4, 0]);
        assert_eq!(random.next_below(0), 0);
    }
}
