//! The measures of a ranking. Gains are the grades themselves, as in trec_eval; average precision is divided by the number of relevant passages.

use std::collections::HashSet;

use super::RetrievalQuestion;

/// How far a ranking is looked at.
const DEPTH: usize = 10;

/// The measures, by the names of reports.
pub const MEASURES: [&str; 5] = ["P@1", "MRR", "MAP@10", "nDCG@10", "recall@10"];

/// The values of [`MEASURES`], each from 0 to 1.
pub type RankingScores = [f64; MEASURES.len()];

/// Measures a ranking of sections (document, section). `judged_only`: passages without a judgement are left out, instead of counting as not relevant.
/// A judged passage counts once, however many of its sections are listed.
pub fn scores(question: &RetrievalQuestion, ranking: &[(String, String)], judged_only: bool) -> RankingScores {
    let mut seen: HashSet<String> = HashSet::new();
    let mut grades = Vec::new();
    for (document, section) in ranking {
        match question.judged(document, section) {
            Some((key, grade)) => {
                if seen.insert(key.to_owned()) {
                    grades.push(grade);
                }
            }
            None if judged_only => {}
            // Of a document that is judged nowhere, every section is a wrong one.
            None => grades.push(0.0),
        }
    }
    let mut ideal: Vec<f64> = question.relevant.values().copied().filter(|grade| *grade > 0.0).collect();
    let relevant = ideal.len();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let top = grades.get(..DEPTH.min(grades.len())).unwrap_or_default();
    let found = top.iter().filter(|grade| **grade > 0.0).count();
    let mut hits = 0.0;
    let mut precisions = 0.0;
    for (rank, grade) in (1..).map(f64::from).zip(top) {
        if *grade > 0.0 {
            hits += 1.0;
            precisions += hits / rank;
        }
    }
    let gain = |grades: &[f64]| -> f64 { (2..).map(|place| f64::from(place).log2()).zip(grades).map(|(log, grade)| grade / log).sum() };
    let best = gain(ideal.get(..DEPTH.min(relevant)).unwrap_or_default());
    let first = grades.iter().position(|grade| *grade > 0.0);
    [
        f64::from(u8::from(first == Some(0))),
        first.map_or(0.0, |at| 1.0 / (at as f64 + 1.0)),
        precisions / relevant.max(1) as f64,
        if best > 0.0 { gain(top) / best } else { 0.0 },
        found as f64 / relevant.max(1) as f64,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(of: &[&str]) -> Vec<(String, String)> {
        of.iter().map(|document| ((*document).to_owned(), "s".to_owned())).collect()
    }

    fn question(relevant: &[(&str, f64)]) -> RetrievalQuestion {
        let relevant = relevant.iter().map(|(key, grade)| ((*key).to_owned(), *grade)).collect();
        RetrievalQuestion { id: "1".into(), question: "q".into(), relevant }
    }

    #[test]
    fn measures_are_those_of_trec_eval() {
        let question = question(&[("a", 2.0), ("b", 1.0), ("c", 0.0)]);
        let [p1, mrr, map, ndcg, recall] = scores(&question, &ranking(&["x", "b", "c", "a"]), false);
        assert_eq!((p1, mrr, recall), (0.0, 0.5, 1.0));
        assert!((map - (1.0 / 2.0 + 2.0 / 4.0) / 2.0).abs() < 1e-12);
        let expected = (1.0 / 3f64.log2() + 2.0 / 5f64.log2()) / (2.0 + 1.0 / 3f64.log2());
        assert!((ndcg - expected).abs() < 1e-12);
        let [p1, mrr, ..] = scores(&question, &ranking(&["x", "b", "c", "a"]), true);
        assert_eq!((p1, mrr), (1.0, 1.0), "what nobody judged is left out");
        assert_eq!(scores(&question, &ranking(&["a", "b"]), false), [1.0; 5]);
        assert_eq!(scores(&question, &[], false), [0.0; 5]);
    }

    #[test]
    fn a_document_counts_once() {
        let question = question(&[("a", 1.0), ("b", 1.0)]);
        let listed: Vec<(String, String)> = [("a", "s"), ("a", "t"), ("b", "s")].map(|(d, s)| (d.to_owned(), s.to_owned())).to_vec();
        assert_eq!(scores(&question, &listed, false), [1.0; 5]);
    }
}
