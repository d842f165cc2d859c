//! BLEU (Papineni et al. 2002; HyKGE, appendix A.2.2, Eq. 11 and 12), of one answer:
//!
//! ```text
//! BLEU-N = BP · exp( 1/N Σₙ₌₁ᴺ log Pₙ )        BP = 1 if c > r, else exp(1 − r/c)
//! ```
//!
//! Pₙ is the share of the answer's n-grams that a reference has, each counted as often as a reference has it at most; c is the answer's length in words, r that
//! of the reference nearest to it in length. One answer seldom shares four words in a row with its reference, and the product would be 0: so from pairs on
//! 1 is added above and below the line (Lin and Och 2004; method 2 of NLTK). Without a common word BLEU stays 0.

use super::words::counted;

/// BLEU of a text with n-grams up to `most`, all as words; 0 to 1. `None` without a reference that has a word.
pub fn bleu(text: &[String], references: &[Vec<String>], most: usize) -> Option<f64> {
    let length = text.len();
    let reference = references.iter().map(Vec::len).filter(|of| *of > 0).min_by_key(|of| (of.abs_diff(length), *of))?;
    let mut log = 0.0;
    for n in 1..=most {
        let wanted: Vec<_> = references.iter().map(|reference| counted(reference, n)).collect();
        let said = counted(text, n);
        let most_wanted = |gram: &&[String]| wanted.iter().filter_map(|wanted| wanted.get(*gram)).max().copied().unwrap_or(0);
        let found: usize = said.iter().map(|(gram, count)| most_wanted(gram).min(*count)).sum();
        let all = said.values().sum::<usize>().max(1);
        if n == 1 && found == 0 {
            return Some(0.0);
        }
        let smoothed = usize::from(n > 1);
        log += ((found + smoothed) as f64 / (all + smoothed) as f64).ln() / most as f64;
    }
    let brevity = if length > reference { 1.0 } else { (1.0 - reference as f64 / length as f64).exp() };
    Some(brevity * log.exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::metric::words;

    const REFERENCE: &str = "the patient needs a blood test and an ecg today because of chest pain";
    const TEXT: &str = "the patient needs an ecg and a blood test because chest pain is severe";
    const SHORT: &str = "the patient needs an ecg";

    /// The values of `sentence_bleu` of NLTK 3.10.4 with its smoothing method 2.
    #[test]
    fn bleu_is_that_of_the_reference_implementation() {
        let second = "blood test and ecg today";
        let cases: [(&str, &[&str], f64, f64); 5] = [
            (TEXT, &[REFERENCE], 0.857_142_857_142_857_1, 0.301_304_048_927_856_9),
            (SHORT, &[REFERENCE], 0.165_298_888_221_586_56, 0.099_885_998_816_625_62),
            (SHORT, &[REFERENCE, second], 1.0, 0.604_275_079_471_353_6),
            (TEXT, &[second, REFERENCE], 0.857_142_857_142_857_1, 0.301_304_048_927_856_9),
            ("患者应手术治疗", &["患者需要手术治疗"], 0.743_038_199_785_869_9, 0.512_798_473_549_430_4),
        ];
        for (text, references, one, four) in cases {
            let references: Vec<Vec<String>> = references.iter().map(|reference| words(reference)).collect();
            let found = [1, 4].map(|most| bleu(&words(text), &references, most).expect("a value"));
            assert!((found[0] - one).abs() < 1e-12 && (found[1] - four).abs() < 1e-12, "{text}: {found:?}");
        }
        let tiny = bleu(&words("the"), &[words(REFERENCE)], 4).expect("a value");
        assert!((tiny / 1.343_999_906_515_875_3e-6 - 1.0).abs() < 1e-9, "{tiny}");
    }

    #[test]
    fn nothing_in_common_is_nothing() {
        assert_eq!(bleu(&words("zinc"), &[words(REFERENCE)], 4), Some(0.0));
        assert_eq!(bleu(&[], &[words(REFERENCE)], 1), Some(0.0));
        assert_eq!(bleu(&words("zinc"), &[], 1), None);
        assert_eq!(bleu(&words("zinc"), &[Vec::new()], 1), None);
    }
}
