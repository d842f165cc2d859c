//! Pruning (HyKGE 2025, §4.3, Eq. 4): fragments of question and hypothesis are scored against the chains, and the topK
//! are kept that serve relevance and coverage at once.
//!
//! Scoring is done in stages, cheap first. Every chain is judged by its entities' similarity with the fragments
//! and by what its ends and roles say; the best 256 by the encoder on the chain's whole text. Where so
//! many entities occur that comparing all their names would take longer than the question may, ends and
//! roles alone pick the chains whose entities are compared. Where there is a cross-encoder, it reads the best of them last. The trace says how many were scored how. The choice
//! is greedy: each step takes the chain that adds most, so that ten variants of one thought do not push out the others.

mod choose;
mod explain;
mod features;
mod prefilter;
mod rerank;
mod score_cache;

use std::collections::HashSet;

use super::differential::assess::Assessment;
use super::understand::intent::Intent;
use crate::graph::{Chain, EvolvingGraph, FoundChains, Occurring};
use crate::language::context::{RunContext, StageError};
use crate::language::link::Anchors;
use crate::model::ModelError;
use crate::run::event::{EventKind, Pruning, ScoredBy};
use crate::run::triage::verdict::{Decided, MOST_KEPT};
use crate::text::{StopWords, fragments};
use choose::{Candidate, choose};
pub(crate) use explain::explain;
use features::Judge;
use prefilter::{Which, sieve};
use rerank::{Asked, Reranked, document, rerank};
pub(crate) use score_cache::ScoreCache;

/// How many chains the encoder scores whole.
const SIEVED: usize = 256;
/// How many chains are passed on to it for each thing that the answer wants.
const PER_WANT: usize = 8;
/// The most fragments; more would only repeat each other.
const MOST_FRAGMENTS: usize = 24;
/// Up to so many entities are compared with the fragments, all of them: a few milliseconds.
const COMPARED: usize = 8192;
/// Where more occur, those of the best chains by ends and roles alone are compared: so many chains …
const PRESELECTED: usize = 4096;
/// … and for each thing that the answer wants so many more.
const PRESELECTED_PER_WANT: usize = 4 * PER_WANT;

/// What pruning needs to know besides the chains.
pub(crate) struct PruneInput<'a> {
    pub(crate) found: &'a FoundChains,
    /// Which of them may be kept, and which are in any case.
    pub(crate) decided: &'a Decided,
    pub(crate) anchors: &'a Anchors,
    pub(crate) assessment: &'a Assessment,
    pub(crate) intent: &'a Intent,
    pub(crate) question: &'a str,
    pub(crate) hypothesis: &'a str,
    pub(crate) fragments: Fragments,
    /// Whether a cross-encoder reads the descriptions of a chain's ends.
    pub(crate) descriptions: bool,
}

/// What chains are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fragments {
    /// Overlapping windows of words of question and hypothesis.
    Windows,
    /// Question and hypothesis as one text.
    WholeText,
}

/// Chains that may be chosen, with their scores.
struct Weighed<'a> {
    fragments: Vec<String>,
    judge: Judge<'a>,
    candidates: Vec<Candidate>,
    scored: Vec<ScoredBy>,
}

/// Scores the chains and chooses. What is known of their scores already is not asked for again.
pub(crate) fn prune(ctx: &mut RunContext<'_>, input: &PruneInput<'_>, known: &mut ScoreCache) -> Result<Pruning, StageError> {
    let Weighed { fragments, candidates, scored, .. } = weigh(ctx, input, known)?;
    let (kept, runners_up) = choose(candidates, ctx.settings.top_k, fragments.len());
    Ok(Pruning { fragments, kept, runners_up, scored })
}

/// Scores the chains: all at a glance, the best and the pinned ones whole.
fn weigh<'w, 'k: 'w, 'i: 'w>(ctx: &mut RunContext<'k>, input: &PruneInput<'i>, known: &mut ScoreCache) -> Result<Weighed<'w>, StageError> {
    let graph: &'k EvolvingGraph = &ctx.knowledge.graph;
    let pieces = pieces_of(ctx, input);
    let mut judge = Judge::new(graph, input);
    let mut scored = Vec::new();
    if judge.chains().is_empty() {
        return Ok(Weighed { fragments: pieces, judge, candidates: Vec::new(), scored });
    }
    known.embed(ctx, &pieces)?;
    ctx.check()?;
    let sieved = sieved(ctx, &mut judge, input.decided, COMPARED, known, &mut scored)?;
    let mut candidates = candidates(ctx, &judge, &sieved, &input.decided.pinned, known)?;
    scored.push(ScoredBy { scorer: format!("{} on the whole chain", ctx.encoder.name()), chains: sieved.len() as u64 });
    if let Some(reranker) = ctx.reranker.filter(|_| !candidates.is_empty()) {
        let described = input.descriptions;
        let text_of = |number: u32| document(judge.graph(), &judge.chains()[number as usize], described);
        let (top_k, cancel) = (ctx.settings.top_k, ctx.cancel);
        let mut tell = |activity| ctx.emit(EventKind::ModelActive { activity });
        let asked = Asked { fragments: &pieces, text_of: &text_of, top_k, cancel, tell: &mut tell };
        match rerank(reranker, candidates.clone(), known.pairs(reranker.name()), asked) {
            Ok(Reranked { candidates: read, scored: by }) => {
                ctx.models_may_be_known();
                candidates = read;
                scored.extend(by);
            }
            Err(ModelError::Cancelled) => return Err(StageError::Cancelled),
            Err(error) => {
                ctx.reranker = None;
                ctx.models_may_be_known();
                ctx.warn(format!("The reranker failed ({error}); the encoder's similarity ranks the chains instead."));
            }
        }
    }
    Ok(Weighed { fragments: pieces, judge, candidates, scored })
}

/// What chains are ranked by: fragments of question and hypothesis, or the two as one text (HyKGE's ablation "w/o Fragment").
fn pieces_of(ctx: &RunContext<'_>, input: &PruneInput<'_>) -> Vec<String> {
    if input.fragments == Fragments::WholeText {
        return fragments(&format!("{}\n{}", input.question, input.hypothesis), usize::MAX, 0, StopWords::built_in());
    }
    let mut pieces = fragments_of(ctx, input.question);
    pieces.extend(fragments_of(ctx, input.hypothesis));
    pieces.truncate(MOST_FRAGMENTS);
    pieces
}

fn fragments_of(ctx: &RunContext<'_>, text: &str) -> Vec<String> {
    fragments(text, ctx.settings.fragment_words, ctx.settings.fragment_overlap, StopWords::built_in())
}

/// Numbers of the chains that the encoder is to score, best first, then pinned ones that are not among the best; the cheap
/// stages add themselves to `scored`. `compared`: up to how many entities all are compared with the fragments.
fn sieved(
    ctx: &RunContext<'_>,
    judge: &mut Judge<'_>,
    decided: &Decided,
    compared: usize,
    known: &mut ScoreCache,
    scored: &mut Vec<ScoredBy>,
) -> Result<Vec<u32>, StageError> {
    let all = decided.open.as_deref().map_or(Which::All(judge.chains().len()), Which::These);
    let preselected = if judge.occurring().len() > compared {
        let best = sieve(judge, &all, PRESELECTED, PRESELECTED_PER_WANT, ctx.cancel)?;
        scored.push(ScoredBy { scorer: "ends, roles and length".into(), chains: all.len() as u64 });
        let mut numbers = best.everything();
        numbers.extend(&decided.pinned);
        numbers.sort_unstable();
        numbers.dedup();
        Some(numbers)
    } else {
        None
    };
    let entities = match &preselected {
        Some(numbers) => Occurring::in_chains(judge.graph(), numbers, |number| &judge.chains()[*number as usize]).entities(),
        None => judge.occurring().entities(),
    };
    let similarity = known.similarity(ctx, &entities)?;
    ctx.check()?;
    judge.know_similarity(&entities, &similarity);
    let which = preselected.as_deref().map_or(all, Which::These);
    let best = sieve(judge, &which, SIEVED / 2, PER_WANT, ctx.cancel)?;
    scored.push(ScoredBy { scorer: "entity similarity".into(), chains: which.len() as u64 });
    let mut sieved = best.best_and_wanted(SIEVED / 2);
    let among: HashSet<u32> = sieved.iter().copied().collect();
    sieved.extend(decided.pinned.iter().filter(|number| !among.contains(*number)).take(MOST_KEPT));
    Ok(sieved)
}

/// The chains scored whole, in the order given.
fn candidates(
    ctx: &RunContext<'_>,
    judge: &Judge<'_>,
    sieved: &[u32],
    pinned: &[u32],
    known: &mut ScoreCache,
) -> Result<Vec<Candidate>, StageError> {
    ctx.check()?;
    let chains: Vec<&Chain> = sieved.iter().map(|number| &judge.chains()[*number as usize]).collect();
    let by_fragment = known.by_fragment(ctx, judge.graph(), &chains)?;
    let candidate = |((number, chain), by_fragment): ((&u32, &Chain), Vec<f64>)| {
        let best = by_fragment.iter().copied().fold(0.0, f64::max);
        let chain = judge.local(chain);
        Candidate {
            number: *number,
            pinned: pinned.binary_search(number).is_ok(),
            score: best + judge.prior(&chain),
            wanted: judge.wanted_in(&chain),
            facts: judge.facts_of(&chain).collect(),
            by_fragment,
        }
    };
    Ok(sieved.iter().zip(chains).zip(by_fragment).map(candidate).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::graph::{ChainBudget, ChainSearch, EntityId, starter_graph};
    use crate::language::knowledge::Knowledge;
    use crate::language::link::Linked;
    use crate::language::prompt::Prompts;
    use crate::model::CancelToken;
    use crate::model::EncoderHandle;
    use crate::model::infer::StaticEncoder;
    use crate::pipeline::differential::assess::assess;
    use crate::run::event::{AnchorOrigin, Models, Settings};

    #[test]
    fn where_too_many_entities_occur_ends_and_roles_choose_what_is_compared_and_the_trace_says_so() {
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        let knowledge = Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens");
        let graph = &knowledge.graph;
        let named: Vec<Linked> = graph
            .entity_ids()
            .step_by(11)
            .take(48)
            .map(|entity| Linked { entity, score: 1.0, origin: AnchorOrigin::Question, mention: String::new() })
            .collect();
        let entities: Vec<EntityId> = named.iter().map(|anchor| anchor.entity).collect();
        let mut search = ChainSearch::new(graph, 3, ChainBudget::default());
        search.add(&entities, &|| false);
        let found = search.finish();
        let count = found.chains.len();
        assert!(count > 2 * PRESELECTED, "{count} chains");
        let settings = Settings { k: 3, top_k: 10, delta: 0.7, fragment_words: 10, fragment_overlap: 4, seed: 0 };
        let cancel = CancelToken::new();
        let mut sink = |_| true;
        let ctx = RunContext {
            knowledge: &knowledge,
            encoder: &encoder,
            vectors: knowledge.vectors(),
            reranker: None,
            generator: None,
            prompts: &Prompts::built_in(),
            delta: 0.7,
            models: Models::in_use(&encoder, None, None),
            settings: &settings,
            cancel: &cancel,
            id: "t".into(),
            started: Instant::now(),
            before_ms: 0.0,
            relinking: false,
            sink: &mut sink,
        };
        let intent = Intent::default();
        let assessment = assess(&knowledge, &entities.iter().map(|entity| (*entity, 1.0)).collect::<Vec<_>>(), &Vec::new(), &intent);
        let mut anchors = Anchors::default();
        anchors.all.extend(named);
        let question = "burning behind the breastbone after meals, and a cough at night";
        let decided = Decided::default();
        let input = PruneInput {
            found: &found,
            decided: &decided,
            anchors: &anchors,
            assessment: &assessment,
            intent: &intent,
            question,
            hypothesis: "",
            fragments: Fragments::Windows,
            descriptions: true,
        };
        let mut known = ScoreCache::default();
        known.embed(&ctx, &[question.into()]).expect("encodes");
        let mut run = |compared: usize| {
            let mut scored = Vec::new();
            let mut judge = Judge::new(graph, &input);
            let sieved = sieved(&ctx, &mut judge, &decided, compared, &mut known, &mut scored).expect("not stopped");
            (sieved, scored.into_iter().map(|by| (by.scorer, by.chains as usize)).collect::<Vec<_>>())
        };

        let (whole, scored) = run(usize::MAX);
        assert_eq!(scored, [("entity similarity".to_owned(), count)]);
        let (staged, scored) = run(100);
        assert_eq!(scored[0], ("ends, roles and length".to_owned(), count));
        assert_eq!(scored[1].0, "entity similarity");
        assert!((PRESELECTED..count).contains(&scored[1].1), "{scored:?}");
        let distinct: HashSet<u32> = staged.iter().copied().collect();
        assert!(distinct.len() == staged.len() && staged.len() <= SIEVED);
        // Ends and roles decide most of the score, so hardly anything of the best is lost.
        let lost = whole.iter().filter(|number| !distinct.contains(number)).count();
        assert!(lost * 10 <= whole.len(), "{lost} of {} are lost", whole.len());

        cancel.cancel();
        let mut judge = Judge::new(graph, &input);
        let stopped = sieved(&ctx, &mut judge, &decided, usize::MAX, &mut known, &mut Vec::new());
        assert!(matches!(stopped, Err(StageError::Cancelled)));
    }
}
