//! The choice: chains are kept one by one, each for what it adds to those kept before it.

use std::collections::HashSet;

use super::features::{COVER_ENTITY, Want};
use crate::graph::Role;
use crate::run::event::ScoredChain;

/// How many of the chains that were not kept are recorded with their scores.
const RUNNERS_UP: usize = 20;
/// What better coverage of a fragment adds.
const COVER_FRAGMENT: f64 = 0.25;
/// The cost of a chain all of whose statements are already shown.
const REPEATS: f64 = 1.2;
/// The most rounds of exchanges; two are usually enough.
const ROUNDS: usize = 4;
/// The least gain for which an exchange is made.
const LEAST_EXCHANGE: f64 = 1e-9;

/// A chain that the encoder has scored.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) number: u32,
    /// Pinned by the doctor: kept whatever its score.
    pub(super) pinned: bool,
    pub(super) score: f64,
    /// The wants that it shows, with their weights.
    pub(super) wanted: Vec<(Want, f64)>,
    /// The facts that it states: role, owner, player.
    pub(super) facts: Vec<(Role, u32, u32)>,
    pub(super) by_fragment: Vec<f64>,
}

/// What the chosen chains show so far.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    covered: HashSet<Want>,
    stated: HashSet<(Role, u32, u32)>,
    best_of_fragment: Vec<f64>,
}

impl Coverage {
    pub(super) fn new(fragment_count: usize) -> Self {
        Self { best_of_fragment: vec![0.0; fragment_count], ..Self::default() }
    }

    pub(super) fn take(&mut self, chosen: &Candidate) {
        self.covered.extend(chosen.wanted.iter().map(|(want, _)| *want));
        self.stated.extend(&chosen.facts);
        for (best, similarity) in self.best_of_fragment.iter_mut().zip(&chosen.by_fragment) {
            *best = best.max(*similarity);
        }
    }

    /// A candidate's score plus what it newly covers.
    pub(super) fn adds(&self, candidate: &Candidate) -> f64 {
        let entities: f64 = candidate.wanted.iter().filter(|(want, _)| !self.covered.contains(want)).map(|(_, weight)| weight).sum();
        let fragments: f64 = candidate.by_fragment.iter().zip(&self.best_of_fragment).map(|(s, best)| (s - best).max(0.0)).sum();
        candidate.score + COVER_ENTITY * entities + COVER_FRAGMENT * fragments
    }

    /// What a candidate adds to the choice, minus the cost of what it repeats.
    fn gain(&self, candidate: &Candidate) -> f64 {
        self.adds(candidate) - REPEATS * self.repeats(candidate)
    }

    /// What a candidate would add if the chosen chains showed nothing of what it shows.
    pub(super) fn would_add(&self, candidate: &Candidate) -> f64 {
        let shown: f64 = candidate.wanted.iter().filter(|(want, _)| self.covered.contains(want)).map(|(_, weight)| weight).sum();
        self.adds(candidate) + COVER_ENTITY * shown
    }

    /// The share of its statements that are already shown, 0 to 1.
    pub(super) fn repeats(&self, candidate: &Candidate) -> f64 {
        candidate.facts.iter().filter(|fact| self.stated.contains(fact)).count() as f64 / candidate.facts.len() as f64
    }
}

/// Chooses the chains that together show the most: greedily first, then by exchanging chains that later choices made redundant. Pinned chains
/// compete by their gain too, but the last places are reserved for them; there are at least as many places as pinned chains. Gives
/// the kept chains and the runners-up, best first.
pub(super) fn choose(mut candidates: Vec<Candidate>, top_k: usize, fragment_count: usize) -> (Vec<ScoredChain>, Vec<ScoredChain>) {
    let places = top_k.max(candidates.iter().filter(|candidate| candidate.pinned).count());
    let first: Vec<usize> =
        greedy(&candidates, (0..candidates.len()).collect(), places, fragment_count).into_iter().map(|(at, _)| at).collect();
    let chosen = exchanged(&candidates, first, fragment_count);
    let kept: Vec<ScoredChain> =
        greedy(&candidates, chosen, places, fragment_count).into_iter().map(|(at, score)| scored(&candidates[at], score)).collect();
    let numbers: HashSet<u32> = kept.iter().map(|kept| kept.chain).collect();
    candidates.retain(|candidate| !numbers.contains(&candidate.number));
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.number.cmp(&b.number)));
    (kept, candidates.iter().take(RUNNERS_UP).map(|candidate| scored(candidate, candidate.score)).collect())
}

fn scored(candidate: &Candidate, score: f64) -> ScoredChain {
    ScoredChain { chain: candidate.number, score: squashed(score), by_fragment: candidate.by_fragment.clone() }
}

/// Takes, at each step, the open candidate with the greatest gain; gives places and gains in the order of choice.
fn greedy(candidates: &[Candidate], mut open: Vec<usize>, places: usize, fragment_count: usize) -> Vec<(usize, f64)> {
    let mut shown = Coverage::new(fragment_count);
    let mut kept = Vec::new();
    let mut pinned = open.iter().filter(|at| candidates[**at].pinned).count();
    while kept.len() < places {
        let for_pinned = places - kept.len() <= pinned;
        let may = open.iter().copied().enumerate().filter(|(_, at)| !for_pinned || candidates[*at].pinned);
        let gains = may.map(|(place, at)| (place, at, shown.gain(&candidates[at])));
        let Some((place, at, gain)) = gains.max_by(|a, b| a.2.total_cmp(&b.2).then_with(|| b.0.cmp(&a.0))) else { break };
        open.remove(place);
        pinned -= usize::from(candidates[at].pinned);
        shown.take(&candidates[at]);
        kept.push((at, gain));
    }
    kept
}

/// Exchanges chosen candidates, the last first, for others that add more to the rest of the choice: what a chain was chosen for may be shown
/// by chains chosen after it. Pinned ones stay. Gives places in ascending order.
fn exchanged(candidates: &[Candidate], mut chosen: Vec<usize>, fragment_count: usize) -> Vec<usize> {
    for _ in 0..ROUNDS {
        let before = chosen.clone();
        for place in (0..chosen.len()).rev().filter(|place| !candidates[before[*place]].pinned) {
            let mut shown = Coverage::new(fragment_count);
            chosen.iter().enumerate().filter(|(other, _)| *other != place).for_each(|(_, at)| shown.take(&candidates[*at]));
            let others = (0..candidates.len()).filter(|at| !chosen.contains(at)).map(|at| (at, shown.gain(&candidates[at])));
            let best = others.max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
            if let Some((at, _)) = best.filter(|(_, gain)| *gain > shown.gain(&candidates[chosen[place]]) + LEAST_EXCHANGE) {
                chosen[place] = at;
            }
        }
        if chosen == before {
            break;
        }
    }
    chosen.sort_unstable();
    chosen
}

/// How much two candidates have in common: shared statements, then the weight of shared wants and fragments.
pub(super) fn in_common(candidate: &Candidate, other: &Candidate) -> (usize, f64) {
    let facts = candidate.facts.iter().filter(|fact| other.facts.contains(fact)).count();
    let shows = |want: &Want| other.wanted.iter().any(|(known, _)| known == want);
    let wanted: f64 = candidate.wanted.iter().filter(|(want, _)| shows(want)).map(|(_, weight)| weight).sum();
    let fragments: f64 = candidate.by_fragment.iter().zip(&other.by_fragment).map(|(a, b)| a.min(*b)).sum();
    (facts, COVER_ENTITY * wanted + COVER_FRAGMENT * fragments)
}

/// Maps a score to 0..1 and keeps the order.
pub(super) fn squashed(score: f64) -> f64 {
    let score = score.max(0.0);
    score / (1.0 + score)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(number: u32, pinned: bool, score: f64, wanted: &[Want]) -> Candidate {
        let facts = wanted.iter().map(|want| (Role::Test, u32::from(*want), number)).collect();
        Candidate { number, pinned, score, wanted: wanted.iter().map(|want| (*want, 1.0)).collect(), facts, by_fragment: vec![0.5] }
    }

    fn numbers(candidates: &[Candidate], top_k: usize) -> Vec<u32> {
        choose(candidates.to_vec(), top_k, 1).0.into_iter().map(|kept| kept.chain).collect()
    }

    #[test]
    fn a_chain_whose_statements_later_choices_show_gives_its_place_to_another() {
        // The first choice takes 1 for two things of the middle; 2 and 3 show these too, with one more each.
        let mut all = vec![candidate(1, false, 1.0, &[2, 3]), candidate(2, false, 0.3, &[1, 2]), candidate(3, false, 0.3, &[3, 4])];
        all.push(candidate(4, false, 0.2, &[5]));
        let mut kept = numbers(&all, 3);
        kept.sort_unstable();
        assert_eq!(kept, [2, 3, 4]);
        all[0].pinned = true;
        assert!(numbers(&all, 3).contains(&1), "what is pinned stays");
    }
}
