//! The walk of WTS (algorithm 1): retrieve, prune and reason, depth by depth, until the answer is given with confidence.

use std::collections::HashSet;

use super::triple_similarity::triple_of;
use crate::graph::{Chain, EntityId, Triple};
use crate::language::context::StageError;

/// The limits of a walk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The most iterations (D).
    pub(super) depth: usize,
    /// The number of triples that each iteration keeps (W).
    pub(super) width: usize,
}

/// The steps of a walk, with or without a language model.
pub(super) trait Steps {
    /// The triples of these entities that are near enough to the question.
    fn retrieve(&mut self, entities: &[EntityId]) -> Result<Vec<Chain>, StageError>;
    /// Scores them, 0 to 1.
    fn score(&mut self, triples: &[Chain]) -> Result<Vec<f64>, StageError>;
    /// Whether the kept triples suffice for an answer.
    fn suffices(&mut self, kept: &[(Chain, f64)]) -> Result<bool, StageError>;
}

/// The result of a walk.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Walked {
    /// Every scored triple, by depth, best first.
    pub(super) triples: Vec<(Chain, f64)>,
    /// The number of iterations.
    pub(super) depth: usize,
    /// Whether the triples of the last one sufficed.
    pub(super) confident: bool,
}

/// Algorithm 1 of the paper, up to the answer.
pub(super) fn walk(start: &[EntityId], limits: Limits, steps: &mut impl Steps) -> Result<Walked, StageError> {
    let mut walked = Walked::default();
    let mut kept: Vec<(Chain, f64)> = Vec::new();
    let mut taken: HashSet<Triple> = HashSet::new();
    let mut seen: HashSet<u32> = start.iter().map(|entity| entity.0).collect();
    let mut entities = start.to_vec();
    while walked.depth < limits.depth && !entities.is_empty() {
        walked.depth += 1;
        let mut triples = steps.retrieve(&entities)?;
        triples.retain(|chain| triple_of(chain).is_some_and(|triple| taken.insert(triple)));
        let scores = steps.score(&triples)?;
        let mut scored: Vec<(Chain, f64)> = triples.into_iter().zip(scores).collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        let pruned = &scored[..limits.width.min(scored.len())];
        entities =
            pruned.iter().flat_map(|(chain, _)| chain.nodes()).filter(|node| seen.insert(**node)).map(|node| EntityId(*node)).collect();
        kept.extend_from_slice(pruned);
        walked.triples.append(&mut scored);
        walked.confident = steps.suffices(&kept)?;
        if walked.confident {
            break;
        }
    }
    Ok(walked)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Triples and scores by a table: from, to, score.
    struct Table {
        triples: Vec<(u32, u32, f64)>,
        suffices_from: usize,
        asked: Vec<Vec<u32>>,
    }

    fn chain(from: u32, to: u32) -> Chain {
        let mut chain = Chain::start(from);
        chain.push(0, true, to);
        chain
    }

    impl Steps for Table {
        fn retrieve(&mut self, entities: &[EntityId]) -> Result<Vec<Chain>, StageError> {
            self.asked.push(entities.iter().map(|entity| entity.0).collect());
            let touches = |(from, to, _): &&(u32, u32, f64)| entities.iter().any(|entity| entity.0 == *from || entity.0 == *to);
            Ok(self.triples.iter().filter(touches).map(|(from, to, _)| chain(*from, *to)).collect())
        }

        fn score(&mut self, triples: &[Chain]) -> Result<Vec<f64>, StageError> {
            let score =
                |triple: &Chain| self.triples.iter().find(|(from, to, _)| chain(*from, *to) == *triple).map_or(0.0, |found| found.2);
            Ok(triples.iter().map(score).collect())
        }

        fn suffices(&mut self, kept: &[(Chain, f64)]) -> Result<bool, StageError> {
            Ok(kept.len() >= self.suffices_from)
        }
    }

    fn go(depth: usize, width: usize, suffices_from: usize) -> (Walked, Vec<Vec<u32>>) {
        // 1 has three triples; 2 and 3 have one more each, 4 two; 9 lies behind 5.
        let triples = vec![(1, 2, 0.9), (1, 3, 0.5), (1, 4, 0.7), (2, 5, 0.3), (3, 6, 1.0), (4, 7, 0.2), (8, 4, 0.4), (5, 9, 0.1)];
        let mut table = Table { triples, suffices_from, asked: Vec::new() };
        let walked = walk(&[EntityId(1)], Limits { depth, width }, &mut table).expect("nothing fails");
        (walked, table.asked)
    }

    #[test]
    fn a_walk_widens_from_what_stayed_and_takes_each_triple_once() {
        let (walked, asked) = go(3, 2, usize::MAX);
        // Of 1's triples those to 2 and 4 stay, so 3 and what lies behind it is never asked for.
        assert_eq!(asked, [vec![1], vec![2, 4], vec![8, 5]]);
        let scores: Vec<f64> = walked.triples.iter().map(|(_, score)| *score).collect();
        assert_eq!(scores, [0.9, 0.7, 0.5, 0.4, 0.3, 0.2, 0.1]);
        assert_eq!(walked.depth, 3);
        let distinct: HashSet<Triple> = walked.triples.iter().filter_map(|(chain, _)| triple_of(chain)).collect();
        assert_eq!(distinct.len(), walked.triples.len());
    }

    #[test]
    fn a_walk_ends_when_it_suffices_or_is_as_deep_as_it_may_be_or_has_nowhere_to_go() {
        assert_eq!(go(3, 2, 2).0.depth, 1, "two triples suffice");
        assert_eq!(go(3, 2, 3).0.depth, 2, "three are there at the second depth");
        assert_eq!(go(1, 2, usize::MAX).1, [vec![1]]);
        let (walked, asked) = go(9, 100, usize::MAX);
        assert_eq!((walked.triples.len(), asked.len()), (8, 4), "the fourth finds nothing new, and nothing is left to ask for");
    }

    /// The triples kept at each depth.
    type Kept = Vec<Vec<(u32, u32)>>;

    /// Algorithm 1 transcribed for a table: the triples kept at each depth, and the entities of each.
    fn algorithm_1(triples: &[(u32, u32, f64)], start: u32, deepest: usize, width: usize, enough: usize) -> (Kept, bool) {
        let mut seen = vec![start];
        let mut entities = vec![start];
        let (mut kept, mut taken): (Kept, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
        for _ in 1..=deepest {
            if entities.is_empty() {
                break;
            }
            let mut found: Vec<(u32, u32, f64)> = triples
                .iter()
                .filter(|t| (entities.contains(&t.0) || entities.contains(&t.1)) && !taken.contains(&(t.0, t.1)))
                .copied()
                .collect();
            taken.extend(found.iter().map(|t| (t.0, t.1)));
            found.sort_by(|a, b| b.2.total_cmp(&a.2));
            found.truncate(width);
            entities = Vec::new();
            for node in found.iter().flat_map(|t| [t.0, t.1]) {
                if !seen.contains(&node) {
                    seen.push(node);
                    entities.push(node);
                }
            }
            kept.push(found.iter().map(|t| (t.0, t.1)).collect());
            if kept.iter().map(Vec::len).sum::<usize>() >= enough {
                return (kept, true);
            }
        }
        (kept, false)
    }

    #[test]
    fn algorithm_1_walks_as_it_is_written() {
        let triples = [(1, 2, 0.9), (1, 3, 0.5), (1, 4, 0.7), (2, 5, 0.3), (3, 6, 1.0), (4, 7, 0.2), (8, 4, 0.4), (5, 9, 0.1)];
        for (deepest, width, enough) in (1..5).flat_map(|d| (1..4).flat_map(move |w| [2, 3, 5, 99].map(|enough| (d, w, enough)))) {
            let (walked, asked) = go(deepest, width, enough);
            let (kept, confident) = algorithm_1(&triples, 1, deepest, width, enough);
            assert_eq!((walked.depth, walked.confident), (kept.len(), confident), "D={deepest} W={width}");
            for (entities, before) in asked.iter().skip(1).zip(&kept) {
                let mut of_kept: Vec<u32> = before.iter().flat_map(|(a, b)| [*a, *b]).collect();
                of_kept.retain(|node| entities.contains(node));
                of_kept.dedup();
                assert!(entities.iter().all(|entity| of_kept.contains(entity)), "{entities:?} {before:?}");
            }
        }
    }

    #[test]
    fn nothing_to_start_from_is_nothing_found() {
        let mut table = Table { triples: vec![(1, 2, 0.9)], suffices_from: 1, asked: Vec::new() };
        assert_eq!(walk(&[], Limits { depth: 3, width: 3 }, &mut table).expect("nothing fails"), Walked::default());
    }
}
