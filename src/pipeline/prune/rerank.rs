//! Reranking of the prefiltered chains by a cross-encoder, which reads a fragment and a chain together (HyKGE 2025, Eq. 4).
//!
//! A cross-encoder needs one pass of the model per pair; 24 fragments and 256 chains would need 6,144. So it reads the encoder's best chains
//! with the one fragment that fits each best, and the best of those with every fragment. For pairs that it has not read, the
//! encoder's scores are rescaled to the cross-encoder's.

use std::ops::Range;

use super::choose::Candidate;
use super::score_cache::Pairs;
use crate::graph::{Chain, EntityId, EvolvingGraph};
use crate::model::{CancelToken, ModelError, RerankerHandle};
use crate::run::event::{ModelActivity, ModelRole, ModelState, ScoredBy};

/// The number of chains read with their best fragment, and with every fragment, on a processor …
const ON_PROCESSOR: (usize, usize) = (48, 12);
/// … and elsewhere (a graphics card, a server).
const ELSEWHERE: (usize, usize) = (256, 64);
/// Up to this number of pairs, all are read: on a processor, and elsewhere.
const ALL_PAIRS: (usize, usize) = (128, 2048);
/// The most characters of a chain with the descriptions of its ends; descriptions that do not fit are left out.
const SHORT: usize = 400;
/// The most characters of a description.
const DESCRIPTION: usize = 120;

/// The chains that the reranker has scored, and how many it scored how.
pub(super) struct Reranked {
    pub(super) candidates: Vec<Candidate>,
    pub(super) scored: Vec<ScoredBy>,
}

/// The part of a candidate's score that does not come from similarity with a fragment.
fn prior(candidate: &Candidate) -> f64 {
    candidate.score - best(&candidate.by_fragment).1
}

/// The best fragment and its score; the first of equals.
fn best(by_fragment: &[f64]) -> (usize, f64) {
    let all = by_fragment.iter().copied().enumerate();
    all.fold((0, 0.0), |best, (at, score)| if score > best.1 { (at, score) } else { best })
}

/// The input of a rerank.
pub(super) struct RerankInput<'a> {
    pub(super) fragments: &'a [String],
    /// The text of a chain by its number.
    pub(super) text_of: &'a dyn Fn(u32) -> String,
    /// The number of chains that will be kept.
    pub(super) top_k: usize,
    pub(super) cancel: &'a CancelToken,
    /// Receives progress.
    pub(super) progress: &'a mut dyn FnMut(ModelActivity),
}

/// Scores candidates again with the cross-encoder; cached pairs are not read again. Candidates that it does not read are dropped, because their
/// scores would not be comparable. It always reads pinned ones.
///
/// # Errors
/// If the model fails or the run is stopped.
pub(super) fn rerank(
    reranker: &RerankerHandle,
    mut candidates: Vec<Candidate>,
    cache: &mut Pairs,
    input: RerankInput<'_>,
) -> Result<Reranked, ModelError> {
    let RerankInput { fragments, text_of, top_k, cancel, progress } = input;
    let on_processor = reranker.loaded()?.device == "cpu";
    let ((read_once, read_whole), all_pairs) = if on_processor { (ON_PROCESSOR, ALL_PAIRS.0) } else { (ELSEWHERE, ALL_PAIRS.1) };
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.number.cmp(&b.number)));
    let others = candidates.split_off(read_once.max(2 * top_k).min(candidates.len()));
    candidates.extend(others.into_iter().filter(|candidate| candidate.pinned));
    let texts: Vec<String> = candidates.iter().map(|candidate| text_of(candidate.number)).collect();
    let mut reading = Rerank { reranker, fragments, cache, cancel, progress, done: 0, total: 0 };
    let by = |how: &str, chains: usize| ScoredBy { scorer: format!("{} {how}", reranker.name()), chains: chains as u64 };

    if candidates.len() * fragments.len() <= all_pairs {
        reading.total = candidates.len() * fragments.len();
        let scored = vec![by("with every fragment", candidates.len())];
        reading.whole(&mut candidates, &texts)?;
        return Ok(Reranked { candidates, scored });
    }
    let read_whole = read_whole.max(top_k).min(candidates.len());
    reading.total = candidates.len() + read_whole * fragments.len();
    reading.once(&mut candidates, &texts)?;
    let mut order: Vec<(Candidate, String)> = candidates.into_iter().zip(texts).collect();
    order.sort_by(|a, b| b.0.score.total_cmp(&a.0.score).then_with(|| a.0.number.cmp(&b.0.number)));
    let scored = vec![by("with the fragment that fits best", order.len()), by("with every fragment", read_whole)];
    let (mut candidates, texts): (Vec<Candidate>, Vec<String>) = order.into_iter().unzip();
    reading.whole(&mut candidates[..read_whole], &texts[..read_whole])?;
    Ok(Reranked { candidates, scored })
}

/// A rerank under way.
struct Rerank<'a> {
    reranker: &'a RerankerHandle,
    fragments: &'a [String],
    cache: &'a mut Pairs,
    cancel: &'a CancelToken,
    progress: &'a mut dyn FnMut(ModelActivity),
    done: usize,
    total: usize,
}

impl Rerank<'_> {
    fn report(&mut self, pairs: usize) {
        self.done += pairs;
        let status = self.reranker.status();
        let state = if self.done < self.total { ModelState::Busy } else { ModelState::Idle };
        (self.progress)(ModelActivity {
            role: ModelRole::Reranker,
            state,
            queued: status.queued as u64,
            done: self.done as u64,
            total: self.total as u64,
            tokens_per_second: None,
            spent: None,
        });
    }

    /// The cached score of a text with a fragment.
    fn score(&self, text: &str, fragment: usize) -> Option<f64> {
        self.cache.get(text).and_then(|scores| scores.get(fragment).copied().flatten()).map(f64::from)
    }

    /// Reads with these fragments the texts that are not yet cached for all of them.
    fn read(&mut self, texts: &[&String], fragments: Range<usize>) -> Result<(), ModelError> {
        let is_new = |text: &&&String| fragments.clone().any(|fragment| self.score(text, fragment).is_none());
        let new: Vec<String> = texts.iter().filter(is_new).map(|text| (*text).clone()).collect();
        if new.is_empty() {
            return Ok(());
        }
        let scores = self.reranker.score(self.fragments[fragments.clone()].to_vec(), new.clone(), self.cancel)?;
        for (column, text) in new.into_iter().enumerate() {
            let known = self.cache.entry(text).or_insert_with(|| vec![None; self.fragments.len()]);
            // One row per fragment, one column per chain.
            for (row, fragment) in fragments.clone().enumerate() {
                known[fragment] = Some(scores.row(row)[column]);
            }
        }
        Ok(())
    }

    /// Reads each candidate with every fragment.
    fn whole(&mut self, candidates: &mut [Candidate], texts: &[String]) -> Result<(), ModelError> {
        self.report(0);
        self.read(&texts.iter().collect::<Vec<_>>(), 0..self.fragments.len())?;
        for (text, candidate) in texts.iter().zip(candidates) {
            let prior = prior(candidate);
            candidate.by_fragment = (0..self.fragments.len()).map(|fragment| self.score(text, fragment).unwrap_or(0.0)).collect();
            candidate.score = prior + best(&candidate.by_fragment).1;
        }
        self.report(texts.len() * self.fragments.len());
        Ok(())
    }

    /// Reads each candidate with the fragment that the encoder finds nearest to it.
    fn once(&mut self, candidates: &mut [Candidate], texts: &[String]) -> Result<(), ModelError> {
        for fragment in 0..self.fragments.len() {
            let of_fragment: Vec<usize> = (0..candidates.len()).filter(|at| best(&candidates[*at].by_fragment).0 == fragment).collect();
            if of_fragment.is_empty() {
                continue;
            }
            self.report(0);
            let documents: Vec<&String> = of_fragment.iter().map(|at| &texts[*at]).collect();
            self.read(&documents, fragment..fragment + 1)?;
            for at in &of_fragment {
                let candidate = &mut candidates[*at];
                let (score, prior) = (self.score(&texts[*at], fragment).unwrap_or(0.0), prior(candidate));
                let nearest = best(&candidate.by_fragment).1;
                let scale = if nearest > 0.0 { score / nearest } else { 0.0 };
                for similarity in &mut candidate.by_fragment {
                    *similarity *= scale;
                }
                candidate.by_fragment[fragment] = score;
                candidate.score = prior + score;
            }
            self.report(of_fragment.len());
        }
        Ok(())
    }
}

/// The text of a chain as the cross-encoder reads it, with the descriptions of its ends if `described` and if they are short enough.
pub(super) fn document(graph: &EvolvingGraph, chain: &Chain, described: bool) -> String {
    let mut text = graph.chain_text(chain);
    if !described {
        return text;
    }
    let nodes = chain.nodes();
    for end in [nodes.first(), nodes.last()].into_iter().flatten().map(|node| EntityId(*node)) {
        let description: String = graph.description(end).chars().take(DESCRIPTION).collect();
        let described = format!(". {}: {description}", graph.entity_name(end));
        if !description.is_empty() && text.chars().count() + described.chars().count() <= SHORT {
            text.push_str(&described);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Matrix, Reranker};

    /// Relevance is what a table says of the pair: the number in the query times ten plus that in the document, in hundredths.
    struct Table {
        device: &'static str,
        transposed: bool,
    }

    impl Reranker for Table {
        fn name(&self) -> &str {
            "table"
        }
        fn kind(&self) -> &'static str {
            "candle"
        }
        fn device(&self) -> String {
            self.device.into()
        }
        fn score(&mut self, queries: &[String], documents: &[String], _: &dyn Fn() -> bool) -> Result<Matrix, ModelError> {
            let number = |text: &String| text[1..].parse::<f32>().expect("a number");
            let score = |q: &String, d: &String| (number(q) * 10.0 + number(d)) / 1000.0;
            if self.transposed {
                let data = documents.iter().flat_map(|d| queries.iter().map(move |q| score(q, d))).collect();
                return Ok(Matrix::new(queries.len(), data));
            }
            Ok(Matrix::new(documents.len(), queries.iter().flat_map(|q| documents.iter().map(move |d| score(q, d))).collect()))
        }
    }

    fn handle(device: &'static str, transposed: bool) -> RerankerHandle {
        RerankerHandle::start("table", move || Ok(Box::new(Table { device, transposed }) as Box<dyn Reranker>)).expect("a thread")
    }

    /// So many candidates, each nearest to the fragment with its number modulo theirs.
    fn candidates(count: u32, fragments: usize) -> Vec<Candidate> {
        let candidate = |number: u32| {
            let by_fragment: Vec<f64> = (0..fragments).map(|f| if f == number as usize % fragments { 0.5 } else { 0.25 }).collect();
            Candidate { number, pinned: false, score: 0.5 + f64::from(number) / 1e6, wanted: Vec::new(), facts: Vec::new(), by_fragment }
        };
        (0..count).map(candidate).collect()
    }

    fn run(handle: &RerankerHandle, count: u32, fragments: usize, top_k: usize) -> Result<(Reranked, Vec<ModelActivity>), ModelError> {
        let queries: Vec<String> = (0..fragments).map(|f| format!("q{f}")).collect();
        let mut told = Vec::new();
        let asked = RerankInput {
            fragments: &queries,
            text_of: &|number| format!("d{number}"),
            top_k,
            cancel: &CancelToken::new(),
            progress: &mut |activity| told.push(activity),
        };
        let reranked = rerank(handle, candidates(count, fragments), &mut Pairs::default(), asked)?;
        Ok((reranked, told))
    }

    fn score(fragment: usize, number: u32) -> f64 {
        (fragment as f64 * 10.0 + f64::from(number)) / 1000.0
    }

    #[test]
    fn scores_belong_to_their_fragment_and_their_chain() {
        // As many fragments as chains: a matrix the wrong way round has the right shape.
        let (reranked, _) = run(&handle("cpu", false), 8, 8, 10).expect("scores");
        assert_eq!(reranked.scored, [ScoredBy { scorer: "table with every fragment".into(), chains: 8 }]);
        let check = |reranked: &Reranked| {
            reranked.candidates.iter().all(|c| {
                let right = c.by_fragment.iter().enumerate().all(|(f, s)| (s - score(f, c.number)).abs() < 1e-6);
                right && (c.score - (f64::from(c.number) / 1e6 + score(7, c.number))).abs() < 1e-6
            })
        };
        assert!(check(&reranked));
        let (transposed, _) = run(&handle("cpu", true), 8, 8, 10).expect("the shape is right");
        assert!(!check(&transposed), "this test would not notice a transposed matrix");
        let refused = run(&handle("cpu", true), 6, 8, 10).err().expect("refused").to_string();
        assert!(refused.contains("6 × 8") || refused.contains("8 × 6") || refused.contains("6 \u{d7} 8"), "{refused}");
    }

    #[test]
    fn on_a_processor_it_reads_in_stages_and_says_what_it_read() {
        let (reranked, told) = run(&handle("cpu", false), 200, 24, 10).expect("scores");
        let counts: Vec<u64> = reranked.scored.iter().map(|by| by.chains).collect();
        assert_eq!(counts, [48, 12]);
        assert_eq!(reranked.candidates.len(), 48);
        for (at, candidate) in reranked.candidates.iter().enumerate() {
            let nearest = candidate.number as usize % 24;
            assert!((candidate.by_fragment[nearest] - score(nearest, candidate.number)).abs() < 1e-6, "{at}");
            let other = (nearest + 1) % 24;
            let read = if at < 12 { score(other, candidate.number) } else { score(nearest, candidate.number) / 2.0 };
            assert!((candidate.by_fragment[other] - read).abs() < 1e-6, "{at}: {}", candidate.by_fragment[other]);
        }
        let last = told.last().expect("told");
        assert_eq!((last.done, last.total, last.state), (48 + 12 * 24, 48 + 12 * 24, ModelState::Idle));
        let (elsewhere, _) = run(&handle("cuda:0", false), 200, 24, 10).expect("scores");
        assert_eq!(elsewhere.scored.iter().map(|by| by.chains).collect::<Vec<_>>(), [200, 64]);
    }
}
