//! The last look at the sieved chains, by a cross-encoder: it reads fragment and chain together (HyKGE, Eq. 5).
//!
//! A cross-encoder costs a pass of the model for each pair; 24 fragments and 256 chains would be 6,144. So the chains that
//! the encoder likes best are read with the fragment that fits each best, and the best of those with every fragment. For the rest
//! of those pairs the encoder's profile is brought to the cross-encoder's scale.

use super::choose::Candidate;
use crate::graph::{Chain, EntityId, Graph};
use crate::model::{CancelToken, ModelError, RerankerHandle};
use crate::pipeline::event::{ModelActivity, ModelRole, ModelState, ScoredBy};

/// Chains that are read with their best fragment, and with every fragment, on a processor …
const ON_PROCESSOR: (usize, usize) = (48, 12);
/// … and elsewhere (a graphics card, a server).
const ELSEWHERE: (usize, usize) = (256, 64);
/// Up to so many pairs all are read, on a processor and elsewhere.
const ALL_PAIRS: (usize, usize) = (128, 2048);
/// Up to so many characters a chain with the descriptions of its ends is short.
const SHORT: usize = 400;
/// The most characters of a description.
const DESCRIPTION: usize = 120;

/// What the reranker was given and gave.
pub(super) struct Reranked {
    pub(super) candidates: Vec<Candidate>,
    pub(super) scored: Vec<ScoredBy>,
}

/// What a candidate's score is besides its best similarity with a fragment.
fn prior(candidate: &Candidate) -> f64 {
    candidate.score - best(&candidate.by_fragment).1
}

/// The best fragment and its score; the first of equals.
fn best(by_fragment: &[f64]) -> (usize, f64) {
    let all = by_fragment.iter().copied().enumerate();
    all.fold((0, 0.0), |best, (at, score)| if score > best.1 { (at, score) } else { best })
}

/// Scores candidates anew. `top_k`: how many will be kept. Candidates that the reranker did not see are dropped: their scores would not
/// compare. `tell` hears how far it is.
pub(super) fn rerank(
    reranker: &RerankerHandle,
    mut candidates: Vec<Candidate>,
    fragments: &[String],
    text_of: &dyn Fn(u32) -> String,
    top_k: usize,
    cancel: &CancelToken,
    tell: &mut dyn FnMut(ModelActivity),
) -> Result<Reranked, ModelError> {
    let on_processor = reranker.loaded()?.device == "cpu";
    let ((read_once, read_whole), all_pairs) = if on_processor { (ON_PROCESSOR, ALL_PAIRS.0) } else { (ELSEWHERE, ALL_PAIRS.1) };
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.number.cmp(&b.number)));
    candidates.truncate(read_once.max(2 * top_k));
    let texts: Vec<String> = candidates.iter().map(|candidate| text_of(candidate.number)).collect();
    let mut asked = Asked { reranker, cancel, tell, done: 0, total: 0 };
    let by = |how: &str, chains: usize| ScoredBy { scorer: format!("{} {how}", reranker.name()), chains: chains as u64 };

    if candidates.len() * fragments.len() <= all_pairs {
        asked.total = candidates.len() * fragments.len();
        let scored = vec![by("with every fragment", candidates.len())];
        asked.whole(&mut candidates, &texts, fragments)?;
        return Ok(Reranked { candidates, scored });
    }
    let read_whole = read_whole.max(top_k).min(candidates.len());
    asked.total = candidates.len() + read_whole * fragments.len();
    asked.once(&mut candidates, &texts, fragments)?;
    let mut order: Vec<(Candidate, String)> = candidates.into_iter().zip(texts).collect();
    order.sort_by(|a, b| b.0.score.total_cmp(&a.0.score).then_with(|| a.0.number.cmp(&b.0.number)));
    let scored = vec![by("with the fragment that fits best", order.len()), by("with every fragment", read_whole)];
    let (mut candidates, texts): (Vec<Candidate>, Vec<String>) = order.into_iter().unzip();
    asked.whole(&mut candidates[..read_whole], &texts[..read_whole], fragments)?;
    Ok(Reranked { candidates, scored })
}

/// What is asked of the reranker, and how far that is.
struct Asked<'a> {
    reranker: &'a RerankerHandle,
    cancel: &'a CancelToken,
    tell: &'a mut dyn FnMut(ModelActivity),
    done: usize,
    total: usize,
}

impl Asked<'_> {
    fn told(&mut self, pairs: usize) {
        self.done += pairs;
        let status = self.reranker.status();
        let state = if self.done < self.total { ModelState::Busy } else { ModelState::Idle };
        (self.tell)(ModelActivity {
            role: ModelRole::Reranker,
            state,
            queued: status.queued as u64,
            done: self.done as u64,
            total: self.total as u64,
            tokens_per_second: None,
        });
    }

    /// Reads each candidate with every fragment.
    fn whole(&mut self, candidates: &mut [Candidate], texts: &[String], fragments: &[String]) -> Result<(), ModelError> {
        self.told(0);
        let scores = self.reranker.score(fragments.to_vec(), texts.to_vec(), self.cancel)?;
        for (column, candidate) in candidates.iter_mut().enumerate() {
            let prior = prior(candidate);
            // A row a fragment, a column a chain.
            candidate.by_fragment = (0..fragments.len()).map(|row| f64::from(scores.row(row)[column])).collect();
            candidate.score = prior + best(&candidate.by_fragment).1;
        }
        self.told(texts.len() * fragments.len());
        Ok(())
    }

    /// Reads each candidate with the fragment that the encoder finds nearest to it.
    fn once(&mut self, candidates: &mut [Candidate], texts: &[String], fragments: &[String]) -> Result<(), ModelError> {
        for (fragment, query) in fragments.iter().enumerate() {
            let of_fragment: Vec<usize> = (0..candidates.len()).filter(|at| best(&candidates[*at].by_fragment).0 == fragment).collect();
            if of_fragment.is_empty() {
                continue;
            }
            self.told(0);
            let documents = of_fragment.iter().map(|at| texts[*at].clone()).collect();
            let scores = self.reranker.score(vec![query.clone()], documents, self.cancel)?;
            for (at, score) in of_fragment.iter().zip(scores.row(0)) {
                let candidate = &mut candidates[*at];
                let (score, prior) = (f64::from(*score), prior(candidate));
                let nearest = best(&candidate.by_fragment).1;
                let scale = if nearest > 0.0 { score / nearest } else { 0.0 };
                for similarity in &mut candidate.by_fragment {
                    *similarity *= scale;
                }
                candidate.by_fragment[fragment] = score;
                candidate.score = prior + score;
            }
            self.told(of_fragment.len());
        }
        Ok(())
    }
}

/// A chain as the cross-encoder reads it: with what its ends are, where that is short.
pub(super) fn document(graph: &Graph, chain: &Chain) -> String {
    let mut text = graph.chain_text(chain);
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
            Candidate { number, score: 0.5 + f64::from(number) / 1e6, wanted: Vec::new(), facts: Vec::new(), by_fragment }
        };
        (0..count).map(candidate).collect()
    }

    fn run(handle: &RerankerHandle, count: u32, fragments: usize, top_k: usize) -> Result<(Reranked, Vec<ModelActivity>), ModelError> {
        let queries: Vec<String> = (0..fragments).map(|f| format!("q{f}")).collect();
        let mut told = Vec::new();
        let reranked = rerank(
            handle,
            candidates(count, fragments),
            &queries,
            &|number| format!("d{number}"),
            top_k,
            &CancelToken::new(),
            &mut |activity| told.push(activity),
        )?;
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
