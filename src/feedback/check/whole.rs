//! Redundancy as WTS publishes it (section 3.2.2): a triple `t` is not added if any triple `t'` of the whole DKG has `S(t', t) = 1 − cos ≤ L'`.

use super::{Candidate, Checker};
use crate::dkg::CheckOutcome;
use crate::model::{Matrix, ModelError, dot};

/// How many triples are embedded at a time.
const PORTION: usize = 1024;

/// For those of the open candidates that have one: the nearest learned triple, or earlier candidate, within L'.
pub(super) fn redundant(
    checker: Checker<'_>,
    candidates: &[Candidate<'_>],
    open: &[usize],
) -> Result<Vec<(usize, CheckOutcome)>, ModelError> {
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let graph = &checker.knowledge.graph;
    let mut known: Vec<(String, bool)> = graph.learned().map(|triple| (graph.named(triple).text(), true)).collect();
    let mut vectors: Vec<Matrix> = Vec::new();
    for portion in known.chunks(PORTION) {
        let texts = portion.iter().map(|(text, _)| text.clone()).collect();
        vectors.push(checker.encoder.encode_until(texts, checker.cancel)?.normalised());
    }
    let texts: Vec<String> = open.iter().map(|at| candidates[*at].triple.text()).collect();
    let own = checker.encoder.encode_until(texts.clone(), checker.cancel)?.normalised();
    let mut rows: Vec<&[f32]> = vectors.iter().flat_map(|portion| (0..portion.rows()).map(|row| portion.row(row))).collect();
    let mut found = Vec::new();
    for ((at, text), row) in open.iter().zip(texts).zip(0..own.rows()) {
        let distances: Vec<f64> = rows.iter().map(|known| 1.0 - f64::from(dot(known, own.row(row)))).collect();
        match nearest_within(&distances, checker.settings.redundancy_distance) {
            Some(place) => {
                let (with, learned) = known[place].clone();
                found.push((*at, CheckOutcome::Redundant { distance: distances[place].max(0.0), learned, with }));
            }
            None => {
                known.push((text, false));
                rows.push(own.row(row));
            }
        }
    }
    Ok(found)
}

/// The place of the least distance, the first of equals, if it is at most L'.
fn nearest_within(distances: &[f64], most: f64) -> Option<usize> {
    let least = (0..distances.len()).min_by(|a, b| distances[*a].total_cmp(&distances[*b]).then(a.cmp(b)))?;
    (distances[least] <= most).then_some(least)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The paper's rule transcribed: t is not added if there is a t' in G with S(t', t) ≤ L'.
        #[test]
        fn redundant_is_what_has_a_triple_within_l(distances in prop::collection::vec(0u8..40, 0..30), most in -1i8..40) {
            let distances: Vec<f64> = distances.iter().map(|distance| f64::from(*distance) / 20.0).collect();
            let most = f64::from(most) / 20.0;
            let expected = distances.iter().any(|distance| *distance <= most);
            let found = nearest_within(&distances, most);
            prop_assert_eq!(found.is_some(), expected);
            if let Some(place) = found {
                prop_assert!(distances.iter().all(|distance| distances[place] <= *distance));
            }
        }
    }
}
