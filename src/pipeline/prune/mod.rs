//! Pruning, after HyKGE (2025, §4.3, Eq. 4; as published: [`matrix`]): scores fragments of question and hypothesis against the chains and keeps the topK that are
//! relevant and together cover the most.
//!
//! Scoring goes in stages, the cheapest first:
//!
//! 1. [`features`] gives every chain a cheap score: how similar its entities' names are to the fragments, and what its ends and
//!    relation roles say. In a graph with very many entities, ends and roles alone first select the chains whose names are compared.
//! 2. [`prefilter`] keeps the best 256, and the encoder compares their whole text with each fragment.
//! 3. [`rerank`]: a cross-encoder, where one is loaded, reads the best of them.
//!    Chains that rated answers cited gain or lose a little ([`ratings`]).
//! 4. [`choose`] picks greedily: each step takes the chain that adds most, so that ten variants of one statement do not crowd out the rest.
//!
//! The trace records how many chains each stage scored.

mod choose;
mod explain;
mod features;
pub(crate) mod matrix;
mod prefilter;
mod ratings;
mod rerank;
mod score_cache;

use std::collections::HashSet;

use super::differential::assess::Assessment;
use super::understand::intent::Intent;
use crate::graph::{Chain, ChainEntities, EvolvingGraph, FoundChains};
use crate::language::context::{RunContext, StageError};
use crate::language::link::Anchors;
use crate::model::ModelError;
use crate::run::event::{EventKind, Pruning, ScoredBy};
use crate::run::triage::verdict::{Decided, MOST_KEPT};
use crate::text::{StopWords, fragments};
use choose::{Candidate, choose};
pub(crate) use explain::explain;
use features::Features;
use prefilter::{Scope, prefilter};
pub(crate) use ratings::{by_ratings, ratings_of};
use rerank::{RerankInput, Reranked, document, rerank};
pub(crate) use score_cache::ScoreCache;

/// The scorer of the names of a chain's entities, as traces have it.
pub(crate) const BY_ENTITIES: &str = "entity similarity";
/// The number of chains whose whole text the encoder scores.
const PREFILTERED: usize = 256;
/// The number of chains that reach it for each result that the answer wants.
const PER_WANT: usize = 8;
/// The most fragments that are compared; a warning says when a text has more.
const MOST_FRAGMENTS: usize = 24;
/// Up to this number of entities, all names are compared with the fragments: a few milliseconds.
const COMPARED: usize = 8192;
/// The most chains of one relation between two entities of the question that are compared as a whole whatever their cheap score: they say
/// what the one is to the other, and rank behind longer ones that show more.
const DIRECT: usize = 32;
/// Beyond that, only the names in the best chains by ends and roles alone: this number of chains …
const PRESELECTED: usize = 4096;
/// … and this number more for each result that the answer wants.
const PRESELECTED_PER_WANT: usize = 4 * PER_WANT;

/// What pruning works on.
pub(crate) struct PruneInput<'a> {
    pub(crate) found: &'a FoundChains,
    /// Which chains may be kept, and which must be.
    pub(crate) decided: &'a Decided,
    pub(crate) anchors: &'a Anchors,
    pub(crate) assessment: &'a Assessment,
    pub(crate) intent: &'a Intent,
    pub(crate) question: &'a str,
    pub(crate) hypothesis: &'a str,
    pub(crate) fragments: Fragments,
    /// Whether a cross-encoder reads the descriptions of a chain's ends.
    pub(crate) descriptions: bool,
    /// Whether chains that rated answers cited gain or lose.
    pub(crate) ratings: bool,
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
    features: Features<'a>,
    candidates: Vec<Candidate>,
    scored: Vec<ScoredBy>,
    /// The number of fragments beyond [`MOST_FRAGMENTS`].
    left_out: usize,
}

/// Scores the chains and chooses which to keep. Scores that `cache` holds are not computed again.
pub(crate) fn prune(ctx: &mut RunContext<'_>, input: &PruneInput<'_>, cache: &mut ScoreCache) -> Result<Pruning, StageError> {
    let Weighed { fragments, candidates, scored, left_out, .. } = weigh(ctx, input, cache)?;
    if left_out > 0 {
        let all = fragments.len() + left_out;
        ctx.warn(format!("Question and hypothesis are long: only the first {MOST_FRAGMENTS} of their {all} fragments rank the chains."));
    }
    let (kept, runners_up) = choose(candidates, ctx.settings.top_k, fragments.len());
    Ok(Pruning { fragments, kept, runners_up, scored, of_model: 0 })
}

/// Scores the chains: all of them cheaply, the best and the pinned ones by their whole text.
fn weigh<'w, 'k: 'w, 'i: 'w>(ctx: &mut RunContext<'k>, input: &PruneInput<'i>, cache: &mut ScoreCache) -> Result<Weighed<'w>, StageError> {
    let graph: &'k EvolvingGraph = &ctx.knowledge.graph;
    let mut pieces = pieces_of(ctx, input);
    let left_out = pieces.len().saturating_sub(MOST_FRAGMENTS);
    pieces.truncate(MOST_FRAGMENTS);
    let mut features = Features::new(graph, input);
    let mut scored = Vec::new();
    if features.chains().is_empty() {
        return Ok(Weighed { fragments: pieces, features, candidates: Vec::new(), scored, left_out: 0 });
    }
    cache.embed(ctx, &pieces)?;
    ctx.check()?;
    let prefiltered = prefiltered(ctx, &mut features, input.decided, COMPARED, cache, &mut scored)?;
    let mut candidates = candidates(ctx, &features, &prefiltered, input, cache)?;
    scored.push(ScoredBy { scorer: format!("{} on the whole chain", ctx.encoder.name()), chains: prefiltered.len() as u64 });
    if let Some(reranker) = ctx.reranker.filter(|_| !candidates.is_empty()) {
        let described = input.descriptions;
        let text_of = |number: u32| document(features.graph(), &features.chains()[number as usize], described);
        let (top_k, cancel) = (ctx.settings.top_k, ctx.cancel);
        let mut progress = |activity| ctx.emit(EventKind::ModelActive { activity });
        let asked = RerankInput { fragments: &pieces, text_of: &text_of, top_k, cancel, progress: &mut progress };
        match rerank(reranker, candidates.clone(), cache.pairs(reranker.name()), asked) {
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
    Ok(Weighed { fragments: pieces, features, candidates, scored, left_out })
}

/// The texts that chains are ranked by: fragments of question and hypothesis, or the two as one text (HyKGE's ablation "w/o Fragment").
fn pieces_of(ctx: &RunContext<'_>, input: &PruneInput<'_>) -> Vec<String> {
    if input.fragments == Fragments::WholeText {
        return fragments(&format!("{}\n{}", input.question, input.hypothesis), usize::MAX, 0, StopWords::built_in());
    }
    let mut pieces = fragments_of(ctx, input.question);
    pieces.extend(fragments_of(ctx, input.hypothesis));
    pieces
}

fn fragments_of(ctx: &RunContext<'_>, text: &str) -> Vec<String> {
    fragments(text, ctx.settings.fragment_words, ctx.settings.fragment_overlap, StopWords::built_in())
}

/// Numbers of the chains that the encoder is to score, best first, then those between two entities of the question and pinned ones that
/// are not among the best; the cheap stages add themselves to `scored`. `compared`: up to how many entities all are compared with the
/// fragments.
fn prefiltered(
    ctx: &RunContext<'_>,
    features: &mut Features<'_>,
    decided: &Decided,
    compared: usize,
    cache: &mut ScoreCache,
    scored: &mut Vec<ScoredBy>,
) -> Result<Vec<u32>, StageError> {
    let all = decided.open.as_deref().map_or(Scope::All(features.chains().len()), Scope::These);
    let is_open = |number: &u32| decided.open.as_ref().is_none_or(|open| open.binary_search(number).is_ok());
    let direct: Vec<u32> = features.direct().into_iter().filter(is_open).take(DIRECT).collect();
    let preselected = if features.occurring().len() > compared {
        let best = prefilter(features, &all, PRESELECTED, PRESELECTED_PER_WANT, ctx.cancel)?;
        scored.push(ScoredBy { scorer: "ends, roles and length".into(), chains: all.len() as u64 });
        let mut numbers = best.everything();
        numbers.extend(direct.iter().chain(&decided.pinned));
        numbers.sort_unstable();
        numbers.dedup();
        Some(numbers)
    } else {
        None
    };
    let entities = match &preselected {
        Some(numbers) => ChainEntities::of_chains(features.graph(), numbers, |number| &features.chains()[*number as usize]).entities(),
        None => features.occurring().entities(),
    };
    let similarity = cache.similarity(ctx, &entities)?;
    ctx.check()?;
    features.set_similarity(&entities, &similarity);
    let which = preselected.as_deref().map_or(all, Scope::These);
    let best = prefilter(features, &which, PREFILTERED / 2, PER_WANT, ctx.cancel)?;
    scored.push(ScoredBy { scorer: BY_ENTITIES.into(), chains: which.len() as u64 });
    let mut prefiltered = best.best_and_wanted(PREFILTERED / 2);
    let among: HashSet<u32> = prefiltered.iter().copied().collect();
    let missing: Vec<u32> = direct.into_iter().filter(|number| !among.contains(number)).collect();
    prefiltered.truncate(PREFILTERED - missing.len());
    prefiltered.extend(missing);
    let among: HashSet<u32> = prefiltered.iter().copied().collect();
    prefiltered.extend(decided.pinned.iter().filter(|number| !among.contains(*number)).take(MOST_KEPT));
    Ok(prefiltered)
}

/// The chains scored whole, in the order given.
fn candidates(
    ctx: &RunContext<'_>,
    features: &Features<'_>,
    prefiltered: &[u32],
    input: &PruneInput<'_>,
    cache: &mut ScoreCache,
) -> Result<Vec<Candidate>, StageError> {
    ctx.check()?;
    let pinned = &input.decided.pinned;
    let rated = |chain: &Chain| if input.ratings { by_ratings(ratings_of(ctx.knowledge, chain)) } else { 0.0 };
    let chains: Vec<&Chain> = prefiltered.iter().map(|number| &features.chains()[*number as usize]).collect();
    let by_fragment = cache.by_fragment(ctx, features.graph(), &chains)?;
    let candidate = |((number, chain), by_fragment): ((&u32, &Chain), Vec<f64>)| {
        let best = by_fragment.iter().copied().fold(0.0, f64::max);
        let rated = rated(chain);
        let chain = features.local(chain);
        Candidate {
            number: *number,
            pinned: pinned.binary_search(number).is_ok(),
            score: best + features.prior(&chain) + rated,
            wanted: features.wanted_in(&chain),
            facts: features.facts_of(&chain).collect(),
            by_fragment,
        }
    };
    Ok(prefiltered.iter().zip(chains).zip(by_fragment).map(candidate).collect())
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
            .step_by(3)
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
            recogniser: None,
            generator: None,
            asks_model: false,
            reasoned: None,
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
        let assessment = assess(
            &knowledge,
            &entities.iter().map(|entity| (*entity, 1.0)).collect::<Vec<_>>(),
            (&Vec::new(), &Vec::new()),
            &intent,
            &crate::pipeline::differential::evidence::CaseEvidence::default(),
        );
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
            ratings: true,
        };
        let mut cache = ScoreCache::default();
        cache.embed(&ctx, &[question.into()]).expect("encodes");
        let mut run = |compared: usize| {
            let mut scored = Vec::new();
            let mut features = Features::new(graph, &input);
            let prefiltered = prefiltered(&ctx, &mut features, &decided, compared, &mut cache, &mut scored).expect("not stopped");
            (prefiltered, scored.into_iter().map(|by| (by.scorer, by.chains as usize)).collect::<Vec<_>>())
        };

        let (whole, scored) = run(usize::MAX);
        assert_eq!(scored, [("entity similarity".to_owned(), count)]);
        let (staged, scored) = run(100);
        assert_eq!(scored[0], ("ends, roles and length".to_owned(), count));
        assert_eq!(scored[1].0, "entity similarity");
        assert!((PRESELECTED..count).contains(&scored[1].1), "{scored:?}");
        let distinct: HashSet<u32> = staged.iter().copied().collect();
        assert!(distinct.len() == staged.len() && staged.len() <= PREFILTERED);
        // Ends and roles decide most of the score, so hardly anything of the best is lost.
        let lost = whole.iter().filter(|number| !distinct.contains(number)).count();
        assert!(lost * 10 <= whole.len(), "{lost} of {} are lost", whole.len());

        cancel.cancel();
        let mut features = Features::new(graph, &input);
        let stopped = prefiltered(&ctx, &mut features, &decided, usize::MAX, &mut cache, &mut Vec::new());
        assert!(matches!(stopped, Err(StageError::Cancelled)));
    }
}
