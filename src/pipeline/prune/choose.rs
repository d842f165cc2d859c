//! The choice: chains are kept one by one, each for what it adds to those that were kept before.

use std::collections::HashSet;

use super::judge::{COVER_ENTITY, Want};
use crate::graph::Role;
use crate::pipeline::event::ScoredChain;

/// How many of the chains that were not kept are recorded with their scores.
const RUNNERS_UP: usize = 20;
/// What better coverage of a fragment adds.
const COVER_FRAGMENT: f64 = 0.25;
/// What statements that were shown already take away, where the chain says nothing else.
const REPEATS: f64 = 1.2;

/// A chain that the encoder has scored.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) number: u32,
    /// It is kept whatever its score.
    pub(super) pinned: bool,
    pub(super) score: f64,
    /// Wanted things that it shows, with their weights.
    pub(super) wanted: Vec<(Want, f64)>,
    /// What it states.
    pub(super) facts: Vec<(Role, u32, u32)>,
    pub(super) by_fragment: Vec<f64>,
}

/// What the chosen chains show already.
#[derive(Debug, Default)]
pub(super) struct Shown {
    covered: HashSet<Want>,
    stated: HashSet<(Role, u32, u32)>,
    best_of_fragment: Vec<f64>,
}

impl Shown {
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

    /// A candidate's score with what it newly covers.
    pub(super) fn adds(&self, candidate: &Candidate) -> f64 {
        let entities: f64 = candidate.wanted.iter().filter(|(want, _)| !self.covered.contains(want)).map(|(_, weight)| weight).sum();
        let fragments: f64 = candidate.by_fragment.iter().zip(&self.best_of_fragment).map(|(s, best)| (s - best).max(0.0)).sum();
        candidate.score + COVER_ENTITY * entities + COVER_FRAGMENT * fragments
    }

    /// What a candidate would add if the chosen chains showed nothing of what it shows.
    pub(super) fn would_add(&self, candidate: &Candidate) -> f64 {
        let shown: f64 = candidate.wanted.iter().filter(|(want, _)| self.covered.contains(want)).map(|(_, weight)| weight).sum();
        self.adds(candidate) + COVER_ENTITY * shown
    }

    /// How much of what it states was stated, from 0 to 1.
    pub(super) fn repeats(&self, candidate: &Candidate) -> f64 {
        candidate.facts.iter().filter(|fact| self.stated.contains(fact)).count() as f64 / candidate.facts.len() as f64
    }
}

/// Chooses greedily: each step takes the chain with the greatest score plus what it newly covers. Pinned chains take their place by
/// that too, but the last places are theirs if they have none yet; there are as many places as pinned chains at least.
pub(super) fn choose(mut candidates: Vec<Candidate>, top_k: usize, fragment_count: usize) -> (Vec<ScoredChain>, Vec<ScoredChain>) {
    let mut shown = Shown::new(fragment_count);
    let mut kept = Vec::new();
    let mut pinned = candidates.iter().filter(|candidate| candidate.pinned).count();
    let places = top_k.max(pinned);
    while kept.len() < places && !candidates.is_empty() {
        let for_pinned = places - kept.len() <= pinned;
        let gain = |candidate: &Candidate| shown.adds(candidate) - REPEATS * shown.repeats(candidate);
        let open = (0..candidates.len()).filter(|at| !for_pinned || candidates[*at].pinned);
        let best = open.max_by(|a, b| gain(&candidates[*a]).total_cmp(&gain(&candidates[*b])).then_with(|| b.cmp(a)));
        let Some(best) = best else { break };
        let score = gain(&candidates[best]);
        let chosen = candidates.remove(best);
        pinned -= usize::from(chosen.pinned);
        shown.take(&chosen);
        kept.push(ScoredChain { chain: chosen.number, score: squashed(score), by_fragment: chosen.by_fragment });
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.number.cmp(&b.number)));
    let others = candidates.into_iter().take(RUNNERS_UP);
    (kept, others.map(|c| ScoredChain { chain: c.number, score: squashed(c.score), by_fragment: c.by_fragment }).collect())
}

/// How much of what a candidate says another says too: statements, then things wanted and fragments covered, by weight.
pub(super) fn in_common(candidate: &Candidate, other: &Candidate) -> (usize, f64) {
    let facts = candidate.facts.iter().filter(|fact| other.facts.contains(fact)).count();
    let shows = |want: &Want| other.wanted.iter().any(|(known, _)| known == want);
    let wanted: f64 = candidate.wanted.iter().filter(|(want, _)| shows(want)).map(|(_, weight)| weight).sum();
    let fragments: f64 = candidate.by_fragment.iter().zip(&other.by_fragment).map(|(a, b)| a.min(*b)).sum();
    (facts, COVER_ENTITY * wanted + COVER_FRAGMENT * fragments)
}

/// A score between 0 and 1, in the same order.
pub(super) fn squashed(score: f64) -> f64 {
    let score = score.max(0.0);
    score / (1.0 + score)
}
