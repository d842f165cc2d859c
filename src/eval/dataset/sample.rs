//! A seeded sample in which every kind of question has its share.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::EvalQuestion;
use crate::run::AnswerPart;

/// What the questions of a stratum have in common: the parts asked for and the subset.
type Stratum<'a> = (&'a [AnswerPart], &'a str);

/// At most `limit` of the cases, in their order. Those of one subset that ask for the same parts form a stratum; it is shuffled by the hash of ids, and of
/// all strata those come first that lie furthest in front of theirs: place / size, so that each has its share of every limit, and one at once.
pub(super) fn sample(questions: &[EvalQuestion], limit: Option<usize>, seed: u64) -> Vec<&EvalQuestion> {
    let Some(limit) = limit.filter(|limit| *limit < questions.len()) else { return questions.iter().collect() };
    let mut strata: BTreeMap<Stratum<'_>, Vec<(u64, usize)>> = BTreeMap::new();
    for (at, question) in questions.iter().enumerate() {
        let key = xxh3_64_with_seed(question.id.as_bytes(), seed);
        strata.entry((&question.gold.asked, &question.group)).or_default().push((key, at));
    }
    let mut order: Vec<(f64, usize, usize)> = Vec::with_capacity(questions.len());
    for (number, stratum) in strata.values_mut().enumerate() {
        stratum.sort_unstable();
        let size = stratum.len() as f64;
        order.extend(stratum.iter().enumerate().map(|(place, (_, at))| (place as f64 / size, number, *at)));
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut drawn: Vec<usize> = order.into_iter().take(limit).map(|(.., at)| at).collect();
    drawn.sort_unstable();
    drawn.into_iter().map(|at| &questions[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::dataset::GoldAnswer;

    fn questions() -> Vec<EvalQuestion> {
        let numbered = |id: usize| EvalQuestion {
            id: id.to_string(),
            gold: GoldAnswer {
                asked: vec![if id.is_multiple_of(10) { AnswerPart::Tests } else { AnswerPart::Conditions }],
                ..GoldAnswer::default()
            },
            ..EvalQuestion::default()
        };
        (0..100).map(numbered).collect()
    }

    fn ids(limit: usize, seed: u64) -> Vec<usize> {
        sample(&questions(), Some(limit), seed).iter().map(|question| question.id.parse().expect("a number")).collect()
    }

    #[test]
    fn every_kind_has_its_share_and_larger_samples_hold_smaller_ones() {
        let tests = |limit| ids(limit, 1).iter().filter(|id| id.is_multiple_of(10)).count();
        assert_eq!([2, 20, 50, 100].map(tests), [1, 2, 5, 10]);
        for limit in 1..100 {
            let (small, large) = (ids(limit, 1), ids(limit + 1, 1));
            assert_eq!(small.len(), limit);
            assert!(small.is_sorted() && small.iter().all(|id| large.contains(id)), "{small:?} {large:?}");
        }
    }

    #[test]
    fn a_seed_decides() {
        assert_eq!(ids(30, 7), ids(30, 7));
        assert_ne!(ids(30, 7), ids(30, 8));
        assert_eq!(sample(&questions(), None, 7).len(), 100);
    }
}
