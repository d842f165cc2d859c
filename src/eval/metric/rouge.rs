//! ROUGE recall (Lin 2004; HyKGE, appendix A.2.2, Eq. 10): how much of a reference is in a text,
//!
//! ```text
//! ROUGE-N = Σ over n-grams g of the reference of min(count in the text, count in the reference) / n-grams of the reference
//! ROUGE-L = longest common subsequence of words / words of the reference
//! ```
//!
//! HyKGE's equation leaves open which n; 1, 2 and L are the usual ones. Of several references the one with the highest value counts.

use super::words::counted;

/// ROUGE-N recall of a text, both as words; 0 to 1. `None` if the reference is shorter than an n-gram.
pub fn rouge_n(text: &[String], reference: &[String], n: usize) -> Option<f64> {
    let wanted = counted(reference, n);
    let all: usize = wanted.values().sum();
    let said = counted(text, n);
    let found: usize = wanted.iter().map(|(gram, count)| said.get(gram).map_or(0, |said| *said.min(count))).sum();
    (all > 0).then(|| found as f64 / all as f64)
}

/// ROUGE-L recall of a text, both as words; 0 to 1. `None` if the reference is empty.
pub fn rouge_l(text: &[String], reference: &[String]) -> Option<f64> {
    // Row by row of the table of longest common subsequences; `row[j]` is that of the reference so far and the first j words of the text.
    let mut row = vec![0usize; text.len() + 1];
    for wanted in reference {
        let mut diagonal = 0;
        for (j, said) in text.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if said == wanted { diagonal + 1 } else { above.max(row[j]) };
            diagonal = above;
        }
    }
    (!reference.is_empty()).then(|| row[text.len()] as f64 / reference.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::metric::words;

    const REFERENCE: &str = "the patient needs a blood test and an ecg today because of chest pain";
    const TEXT: &str = "the patient needs an ecg and a blood test because chest pain is severe";

    /// The values of the package rouge-score 0.1.2, without its stemmer.
    #[test]
    fn recall_is_that_of_the_reference_implementation() {
        for (text, expected) in
            [(TEXT, [12.0 / 14.0, 6.0 / 13.0, 9.0 / 14.0]), ("the patient needs an ecg", [5.0 / 14.0, 3.0 / 13.0, 5.0 / 14.0])]
        {
            let (text, reference) = (words(text), words(REFERENCE));
            let found = [rouge_n(&text, &reference, 1), rouge_n(&text, &reference, 2), rouge_l(&text, &reference)];
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found.expect("a value") - expected).abs() < 1e-12, "{found:?} {expected}");
            }
        }
    }

    #[test]
    fn repetition_earns_nothing_and_chinese_is_read_by_characters() {
        assert_eq!(rouge_n(&words("pain pain pain"), &words("pain of the chest"), 1), Some(0.25));
        // 患者需要手术治疗 and 患者应手术治疗: six of eight characters, 患者 手术 术治 治疗 of seven pairs.
        let (text, reference) = (words("患者应手术治疗"), words("患者需要手术治疗"));
        assert_eq!(rouge_n(&text, &reference, 1), Some(0.75));
        assert_eq!(rouge_n(&text, &reference, 2), Some(4.0 / 7.0));
        assert_eq!(rouge_l(&text, &reference), Some(0.75));
        assert_eq!((rouge_n(&text, &[], 1), rouge_n(&text, &words("a"), 2), rouge_l(&text, &[])), (None, None, None));
        assert_eq!(rouge_l(&[], &reference), Some(0.0));
    }
}
