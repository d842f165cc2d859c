//! Detection of claims that do not hold (EbmKG, section 5: hallucination detection): precision, recall and their harmonic mean,
//!
//! ```text
//! F1 = 2 · P · R / (P + R)
//! ```
//!
//! over claims whose label is known. Positive are claims that the sources do not support; detected are those whose verdict is one of `flags`.

use crate::run::ClaimVerdict;

/// Claims by their label and the verdict on them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verdicts([[usize; ClaimVerdict::ALL.len()]; ClaimVerdict::ALL.len()]);

/// Precision, recall and F1; a share of nothing is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct DetectionScores {
    /// The share of the flagged claims that do not hold.
    pub precision: Option<f64>,
    /// The share of the claims that do not hold that are flagged.
    pub recall: Option<f64>,
    /// Their harmonic mean.
    pub f1: Option<f64>,
}

fn place(verdict: ClaimVerdict) -> usize {
    ClaimVerdict::ALL.iter().position(|other| *other == verdict).unwrap_or(0)
}

impl Verdicts {
    /// Counts a claim.
    pub fn add(&mut self, label: ClaimVerdict, verdict: ClaimVerdict) {
        if let Some(count) = self.0.get_mut(place(label)).and_then(|row| row.get_mut(place(verdict))) {
            *count += 1;
        }
    }

    /// How many claims of a label have a verdict.
    pub fn count(&self, label: ClaimVerdict, verdict: ClaimVerdict) -> usize {
        self.0.get(place(label)).and_then(|row| row.get(place(verdict))).copied().unwrap_or(0)
    }

    /// How well claims that do not hold are detected by these verdicts.
    pub fn detection(&self, flags: &[ClaimVerdict]) -> DetectionScores {
        let (mut hits, mut flagged, mut positive) = (0, 0, 0);
        for label in ClaimVerdict::ALL {
            for verdict in ClaimVerdict::ALL {
                let count = self.count(label, verdict);
                let (is_positive, is_flagged) = (label != ClaimVerdict::Supported, flags.contains(&verdict));
                positive += if is_positive { count } else { 0 };
                flagged += if is_flagged { count } else { 0 };
                hits += if is_positive && is_flagged { count } else { 0 };
            }
        }
        let share = |of: usize| (of > 0).then(|| hits as f64 / of as f64);
        let (precision, recall) = (share(flagged), share(positive));
        let f1 = precision.zip(recall).map(|(p, r)| if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 });
        DetectionScores { precision, recall, f1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ClaimVerdict::{Contradicted, NotFound, Supported};

    #[test]
    fn detection_is_by_the_verdicts_that_flag() {
        let mut verdicts = Verdicts::default();
        let seen = [
            (Supported, Supported, 6),
            (Supported, NotFound, 2),
            (Contradicted, Contradicted, 3),
            (Contradicted, NotFound, 1),
            (NotFound, NotFound, 4),
        ];
        for (label, verdict, count) in seen {
            (0..count).for_each(|_| verdicts.add(label, verdict));
        }
        assert_eq!((verdicts.count(Contradicted, NotFound), verdicts.count(NotFound, Supported)), (1, 0));
        // 3 of 3 that are flagged as contradicted do not hold, of 8 that do not.
        let strict = verdicts.detection(&[Contradicted]);
        assert_eq!((strict.precision, strict.recall), (Some(1.0), Some(0.375)));
        assert!((strict.f1.expect("both") - 2.0 * 0.375 / 1.375).abs() < 1e-12);
        // With those that are not found: 8 of 10, and all of them.
        let wide = verdicts.detection(&[Contradicted, NotFound]);
        assert_eq!((wide.precision, wide.recall), (Some(0.8), Some(1.0)));
        assert_eq!(Verdicts::default().detection(&[Contradicted]), DetectionScores::default());
    }
}
