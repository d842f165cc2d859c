//! WTS (Way-to-Specialist, section 3.2.1 and algorithm 1): retrieves, prunes and weighs triples depth by depth, until they suffice for an answer.
//!
//! | paper | here |
//! |---|---|
//! | N ≤ 5 entities extracted by the model | of the entities recognised in the question the model picks at most five; without one, the surest and rarest five |
//! | exact match: all triples of an entity | the same, of each depth the 20,000 with the least hub-like far ends |
//! | similarity S(q, t) = 1 − cos ≤ L = 0.55 | the same; if an encoder finds nothing so near, the W nearest, with a warning |
//! | the model scores each triple, the W best stay | the same for the 60 most similar; without a model the built-in scorer. The paper does not state W: it is the setting topK |
//! | answer with a confidence; positive: early exit | a short call asks whether the triples suffice, so that the answer is written once, and checked; without a model they suffice when the reader finds something for each part asked for |
//! | at most D iterations (2 to 4) | D is the setting k (3) |
//! | all pruned triples make the prompt | the topK best of them: every method keeps the same number of chains |

use std::collections::{HashMap, HashSet};

use super::Method;
use super::ranking::{Ranked, Scores};
use super::relevance::{SCORER, Score, Worth, scores};
use super::run_cache::RunCache;
use super::run_state::{RunState, Subject};
use super::triple_similarity::triple_of;
use crate::graph::{Chain, ChainKind, ChainSearch, EntityId, EvolvingGraph, FoundChains, Triple, neighbourhood};
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::language::prompt::prompt_lines::{lines, numbered, question_part};
use crate::language::{consult_as, first_word_is_yes, numbers_form, numbers_in, scores_form, scores_in, yes_or_no_form};
use crate::pipeline::answer::extractive::{ReadInput, read};
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::differential::assess::Assessment;
use crate::run::{AnswerPart, EventKind, Pruning, ScoredBy, ScoredChain, Stage};

/// The most entities taken from a question (N).
const ENTITIES: usize = 5;
/// The largest distance of a triple from the question, as 1 − cosine (L).
const LARGEST_GAP: f64 = 0.55;
/// The most triples retrieved per depth.
const RETRIEVED: usize = 20_000;
/// The most triples scored per depth.
const NEAR: usize = 256;
/// The most triples that a language model scores.
const SCORED: usize = 60;

/// The method WTS.
pub(super) struct Wts;

impl Method for Wts {
    fn warning(&self, ctx: &RunContext<'_>) -> Option<&'static str> {
        let warning = "No language model is in use: the built-in scorer and reader supply WTS's entities, scores and confidence.";
        ctx.generator.is_none().then_some(warning)
    }

    fn search(
        &self,
        ctx: &mut RunContext<'_>,
        _search: ChainSearch<'_, EvolvingGraph>,
        subject: &Subject<'_>,
    ) -> Result<(FoundChains, Scores), StageError> {
        search(ctx, subject)
    }

    fn order(&self, ctx: &mut RunContext<'_>, state: &RunState<'_>, open: &[u32]) -> Result<Ranked, StageError> {
        rank(ctx, state.question, state.chains(), open, (&state.worth(), state.scores, state.cache))
    }

    fn chosen_by_model(&self, ctx: &mut RunContext<'_>, _state: &RunState<'_>, subject: &Subject<'_>) -> Result<Vec<Chain>, StageError> {
        if ctx.asked_model().is_none() {
            return Ok(Vec::new());
        }
        let (found, scores) = search(ctx, subject)?;
        let score = |number: &usize| scores.get(&(*number as u32)).copied().unwrap_or(0.0);
        let mut order: Vec<usize> = (0..found.chains.len()).collect();
        order.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
        Ok(order.into_iter().take(ctx.settings.top_k).map(|number| found.chains[number]).collect())
    }
}

/// The limits of a walk.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// The most iterations (D).
    depth: usize,
    /// The number of triples that each iteration keeps (W).
    width: usize,
}

/// The steps of a walk, with or without a language model.
trait Steps {
    /// The triples of these entities that are near enough to the question.
    fn retrieve(&mut self, entities: &[EntityId]) -> Result<Vec<Chain>, StageError>;
    /// Scores them, 0 to 1.
    fn score(&mut self, triples: &[Chain]) -> Result<Vec<f64>, StageError>;
    /// Whether the kept triples suffice for an answer.
    fn suffices(&mut self, kept: &[(Chain, f64)]) -> Result<bool, StageError>;
}

/// The result of a walk.
#[derive(Debug, Default, PartialEq)]
struct Walked {
    /// Every scored triple, by depth, best first.
    triples: Vec<(Chain, f64)>,
    /// The number of iterations.
    depth: usize,
}

/// Algorithm 1 of the paper, up to the answer.
fn walk(start: &[EntityId], limits: Limits, steps: &mut impl Steps) -> Result<Walked, StageError> {
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
        if steps.suffices(&kept)? {
            break;
        }
    }
    Ok(walked)
}

/// Retrieves triples depth by depth; gives them with their scores, by number.
fn search(ctx: &mut RunContext<'_>, subject: &Subject<'_>) -> Result<(FoundChains, Scores), StageError> {
    let assessment = subject.understood.assess(ctx, subject.anchors, subject.triage);
    let worth = Worth::of(&assessment, &subject.understood.intent);
    let limits = Limits { depth: ctx.settings.k, width: ctx.settings.top_k };
    let start = entities(ctx, subject)?;
    let mut steps = OfRun {
        ctx,
        subject,
        assessment: &assessment,
        worth,
        wording: Wording::for_text(subject.question),
        truncated: Vec::new(),
        retrieved: 0,
        depth: 0,
        widened: false,
    };
    let walked = walk(&start, limits, &mut steps)?;
    let truncated = (!steps.truncated.is_empty()).then(|| steps.truncated.join("; "));
    let given = walked.triples.iter().zip(0u32..).map(|((_, score), number)| (number, *score)).collect();
    let chains: Vec<Chain> = walked.triples.into_iter().map(|(chain, _)| chain).collect();
    let count = chains.len() as u64;
    Ok((FoundChains { chains, found: count, by_kind: [(ChainKind::Neighbour, count)].into(), truncated }, given))
}

/// The entities that the walk starts from: at most five of the anchors.
fn entities(ctx: &mut RunContext<'_>, subject: &Subject<'_>) -> Result<Vec<EntityId>, StageError> {
    let knowledge = ctx.knowledge;
    // An anchor that the doctor added always counts, however common it is.
    let is_added = |entity| subject.triage.added_anchors.iter().any(|name| name == knowledge.graph.entity_name(entity));
    let weight = |entity, score: f64| if is_added(entity) { f64::INFINITY } else { score * knowledge.rarity(entity) };
    let mut order: Vec<(EntityId, f64)> = subject.anchors.all.iter().map(|a| (a.entity, weight(a.entity, a.score))).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let all: Vec<EntityId> = order.into_iter().map(|(entity, _)| entity).collect();
    let first = |all: &[EntityId]| all.iter().copied().take(ENTITIES).collect::<Vec<_>>();
    let Some(generator) = ctx.asked_model().filter(|_| all.len() > ENTITIES) else { return Ok(first(&all)) };
    let wording = Wording::for_text(subject.question);
    let names = lines(all.iter().map(|entity| wording.name_with_original(&knowledge.graph, *entity)));
    let form = Some(numbers_form(all.len(), ENTITIES));
    let reply = consult_as(ctx, generator, Stage::Search, (PromptFor::Entities, wording.is_chinese()), form, |gap| match gap {
        "entities" => names.clone(),
        _ => question_part(subject.question),
    })?;
    let chosen = reply.and_then(|reply| {
        let numbers = numbers_in(&reply, all.len()).filter(|numbers| !numbers.is_empty());
        numbers.ok_or_else(|| "The language model chose no entities".to_owned())
    });
    Ok(match chosen {
        Ok(numbers) => numbers.into_iter().take(ENTITIES).map(|number| all[number - 1]).collect(),
        Err(why) => {
            ctx.warn(format!("{why}; the {ENTITIES} surest and rarest entities of the question are used instead."));
            first(&all)
        }
    })
}

/// The steps of a run of this program.
struct OfRun<'r, 'c> {
    ctx: &'r mut RunContext<'c>,
    subject: &'r Subject<'r>,
    assessment: &'r Assessment,
    worth: Worth,
    wording: &'static Wording,
    truncated: Vec<String>,
    retrieved: u64,
    depth: usize,
    widened: bool,
}

impl Steps for OfRun<'_, '_> {
    fn retrieve(&mut self, entities: &[EntityId]) -> Result<Vec<Chain>, StageError> {
        self.ctx.check()?;
        self.depth += 1;
        let around = neighbourhood(&self.ctx.knowledge.graph, entities, RETRIEVED);
        if let Some(why) = around.truncated {
            self.truncated.push(format!("at depth {}: {why}", self.depth));
        }
        let vectors = &self.subject.cache.triples;
        let mut near = vectors.compare(self.ctx, self.subject.question, &around.chains)?.cosines;
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let within = near.iter().take_while(|(_, cosine)| 1.0 - cosine <= LARGEST_GAP).count();
        if within == 0 && !near.is_empty() && !self.widened && !self.ctx.asks_model {
            self.widened = true;
            self.ctx.warn(format!(
                "By {}, no triple is within L = {LARGEST_GAP} of the question; the nearest triples are used instead.",
                self.ctx.encoder.name()
            ));
        }
        near.truncate(if within == 0 { self.ctx.settings.top_k } else { within.min(NEAR) });
        self.retrieved += near.len() as u64;
        if !self.ctx.asks_model {
            self.ctx.emit(EventKind::ChainsProgress { found: self.retrieved });
        }
        Ok(near.into_iter().map(|(at, _)| around.chains[at]).collect())
    }

    fn score(&mut self, triples: &[Chain]) -> Result<Vec<f64>, StageError> {
        let (built_in, _) = scores(self.ctx, &self.subject.cache.triples, &self.worth, self.subject.question, triples)?;
        let mut scores = vec![0.0; triples.len()];
        for of in built_in {
            scores[of.at] = of.score;
        }
        let Some(generator) = self.ctx.asked_model().filter(|_| !triples.is_empty()) else { return Ok(scores) };
        // The nearest come first.
        let shown = &triples[..triples.len().min(SCORED)];
        let parts = numbered(&self.ctx.knowledge.graph, shown);
        let question = self.subject.question;
        let form = Some(scores_form(shown.len()));
        let reply =
            consult_as(self.ctx, generator, Stage::Search, (PromptFor::Scores, self.wording.is_chinese()), form, |gap| match gap {
                "triples" => parts.clone(),
                _ => question_part(question),
            })?;
        let told = reply.map(|reply| scores_in(&reply, shown.len()));
        match told {
            // A triple without a score ranks below all that have one.
            Ok(told) if !told.is_empty() => {
                return Ok((1..=triples.len()).map(|number| told.get(&number).copied().unwrap_or(0.0)).collect());
            }
            Ok(_) => self.ctx.warn("The language model gave no scores; the built-in scorer scores the triples instead."),
            Err(why) => self.ctx.warn(format!("{why}; the built-in scorer scores the triples instead.")),
        }
        Ok(scores)
    }

    fn suffices(&mut self, kept: &[(Chain, f64)]) -> Result<bool, StageError> {
        self.ctx.check()?;
        if kept.is_empty() || self.depth >= self.ctx.settings.k {
            return Ok(false);
        }
        if let Some(generator) = self.ctx.asked_model() {
            let chains: Vec<Chain> = kept.iter().map(|(chain, _)| *chain).collect();
            let parts = numbered(&self.ctx.knowledge.graph, &chains);
            let question = self.subject.question;
            let form = Some(yes_or_no_form(self.wording.is_chinese()));
            let reply =
                consult_as(self.ctx, generator, Stage::Search, (PromptFor::Enough, self.wording.is_chinese()), form, |gap| match gap {
                    "triples" => parts.clone(),
                    _ => question_part(question),
                })?;
            match reply {
                Ok(reply) => return Ok(first_word_is_yes(&reply)),
                Err(why) => self.ctx.warn(format!("{why}; the built-in reader decides whether the triples suffice.")),
            }
        }
        Ok(self.answers_every_part(kept))
    }
}

impl OfRun<'_, '_> {
    /// Whether the built-in reader finds something in the triples for each part that the question asks for; if it asks for none, for conditions, tests
    /// and treatments.
    fn answers_every_part(&self, kept: &[(Chain, f64)]) -> bool {
        let found = FoundChains { chains: kept.iter().map(|(chain, _)| *chain).collect(), ..FoundChains::default() };
        let all = (0..found.chains.len() as u32).map(|chain| ScoredChain { chain, score: 0.0, by_fragment: Vec::new() });
        let pruning = Pruning { kept: all.collect(), ..Pruning::default() };
        let intent = &self.subject.understood.intent;
        let answer = read(&ReadInput {
            knowledge: self.ctx.knowledge,
            found: &found,
            pruning: &pruning,
            anchors: self.subject.anchors,
            assessment: self.assessment,
            intent,
            wording: self.wording,
            hypothesis: "",
        });
        let usual = [AnswerPart::Conditions, AnswerPart::Tests, AnswerPart::Treatments];
        let asked = if intent.parts.is_empty() { &usual[..] } else { &intent.parts };
        asked.iter().all(|part| answer.lines.iter().any(|line| line.part == *part))
    }
}

/// Ranks the triples by the scores they got when they were retrieved; others get the built-in score.
fn rank(
    ctx: &mut RunContext<'_>,
    question: &str,
    chains: &[Chain],
    open: &[u32],
    (worth, given, cache): (&Worth, &Scores, &RunCache),
) -> Result<Ranked, StageError> {
    let these: Vec<Chain> = open.iter().map(|number| chains[*number as usize]).collect();
    let (built_in, compared) = scores(ctx, &cache.triples, worth, question, &these)?;
    let built_in: HashMap<usize, Score> = built_in.into_iter().map(|of| (of.at, of)).collect();
    let scorer = ctx.asked_model().map_or_else(|| SCORER.to_owned(), |generator| generator.name().to_owned());
    let mut ranked = Ranked { fragments: vec![question.to_owned()], scored: compared.scored, record_all: true, ..Ranked::default() };
    ranked.scored.push(ScoredBy { scorer, chains: open.len() as u64 });
    for (at, number) in open.iter().enumerate() {
        let of = built_in.get(&at).copied().unwrap_or_default();
        let score = given.get(number).copied().unwrap_or(of.score);
        ranked.order.push(ScoredChain { chain: *number, score, by_fragment: vec![of.cosine] });
    }
    ranked.sort();
    Ok(ranked)
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

    #[test]
    fn nothing_to_start_from_is_nothing_found() {
        let mut table = Table { triples: vec![(1, 2, 0.9)], suffices_from: 1, asked: Vec::new() };
        assert_eq!(walk(&[], Limits { depth: 3, width: 3 }, &mut table).expect("nothing fails"), Walked::default());
    }
}
