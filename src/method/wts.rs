//! WTS (Way-to-Specialist, section 3.2.1 and algorithm 1): retrieves, prunes and weighs triples depth by depth, until they suffice for an answer.
//!
//! | paper | here |
//! |---|---|
//! | N ≤ 5 entities extracted by the model | of the entities recognised in the question the model picks at most five; without one, the surest and rarest five |
//! | exact match: all triples of an entity | the same, of each depth the 20,000 with the least hub-like far ends |
//! | similarity S(q, t) = 1 − cos ≤ L = 0.55 | the same, of each depth the 256 nearest; if an encoder finds nothing so near, the W nearest, with a warning |
//! | the model scores each triple, the W best stay | bare, the same, in portions of 60; otherwise for the 60 most similar; without a model the built-in scorer. The paper does not state W: it is the setting topK |
//! | answer with a confidence; positive: early exit | bare, the same, as JSON; otherwise a short call asks whether the triples suffice, since the answer stands without the model; without one they suffice when the reader finds something for each part asked for |
//! | at most D iterations (2 to 4) | D is the setting k (3) |
//! | T 0.2, at most 2,048 tokens | the same |
//! | all pruned triples make the prompt | the same for the model; of the chains shown, the topK best: every method keeps the same number |
//! | EM, EM-ESR, EM-QSR (Table 2) | `wts-em`, `wts-esr`, `wts` |
//!
//! Bare: [`crate::run::AskOptions::bare`], the paper's algorithm alone.

use std::collections::HashMap;

use super::Method;
use super::by_model::AskedModel;
use super::ranking::{Ranked, Scores};
use super::relevance::{SCORER, Score, Worth, scores};
use super::run_cache::RunCache;
use super::run_state::{RunState, Subject};
use super::wts_reply::{form, read_reasoning};
use super::wts_walk::{Limits, Steps, walk};
use crate::graph::{Chain, ChainKind, ChainSearch, EntityId, EvolvingGraph, FoundChains, neighbourhood};
use crate::language::consult::{Asking, consult_with};
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::PromptFor;
use crate::language::prompt::prompt_lines::{lines, numbered, question_part};
use crate::language::{first_word_is_yes, numbers_form, numbers_in, scores_form, scores_in, yes_or_no_form};
use crate::model::{Constraint, GeneratorHandle, PromptPart, Sampling};
use crate::pipeline::answer::extractive::{ReadInput, read};
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::differential::assess::Assessment;
use crate::run::{AnswerPart, EventKind, Pruning, Reasoned, Retrieval, ScoredBy, ScoredChain, Stage};

/// The most entities taken from a question (N).
const ENTITIES: usize = 5;
/// The largest distance of a triple from the question, as 1 − cosine (L).
const LARGEST_GAP: f64 = 0.55;
/// The most triples retrieved per depth.
const RETRIEVED: usize = 20_000;
/// The most triples scored per depth.
const NEAR: usize = 256;
/// The most triples that a language model scores at a time.
const SCORED: usize = 60;
/// How replies are drawn (section 4.1.2).
const TEMPERATURE: f64 = 0.2;
const MAX_TOKENS: usize = 2048;

/// The method WTS.
pub(super) struct Wts {
    /// How triples are retrieved.
    pub(super) retrieval: Retrieval,
}

impl Method for Wts {
    fn is_answered_by_model(&self, bare: bool) -> bool {
        bare
    }

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
        search(ctx, subject, self.retrieval)
    }

    fn order(&self, ctx: &mut RunContext<'_>, state: &RunState<'_>, open: &[u32]) -> Result<Ranked, StageError> {
        rank(ctx, state.question, state.chains(), open, (&state.worth(), state.scores, state.cache))
    }

    fn chosen_by_model(&self, ctx: &mut RunContext<'_>, _state: &RunState<'_>, subject: &Subject<'_>) -> Result<Vec<Chain>, StageError> {
        if ctx.asked_model().is_none() {
            return Ok(Vec::new());
        }
        let (found, scores) = search(ctx, subject, self.retrieval)?;
        let score = |number: &usize| scores.get(&(*number as u32)).copied().unwrap_or(0.0);
        let mut order: Vec<usize> = (0..found.chains.len()).collect();
        order.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
        Ok(order.into_iter().take(ctx.settings.top_k).map(|number| found.chains[number]).collect())
    }

    /// The answer of the last depth; asked for again where chains were chosen anew.
    fn write_answer(&self, ctx: &mut RunContext<'_>, asked: &AskedModel<'_>) -> Result<Option<String>, StageError> {
        let answer = match ctx.reasoned.take() {
            Some(answer) => Some(answer),
            None => reason(ctx, asked.generator, asked.state.question, &asked.kept())?.map(|(_, answer)| answer),
        };
        asked.show(ctx, answer.as_deref());
        Ok(answer)
    }
}

/// Asks WTS's model.
fn ask(
    ctx: &mut RunContext<'_>,
    generator: &GeneratorHandle,
    (what, chinese): (PromptFor, bool),
    constraint: Constraint,
    fill: impl Fn(&str) -> Vec<PromptPart>,
) -> Result<Result<String, String>, StageError> {
    let sampling = Sampling { temperature: TEMPERATURE, max_tokens: MAX_TOKENS, constraint: Some(constraint), ..Sampling::default() };
    consult_with(ctx, generator, Asking { stage: Stage::Search, what, chinese, sampling, shown: false }, fill)
}

/// Reasons with triples: whether the answer is given with confidence, and the answer; `None` with a warning where there is none.
fn reason(
    ctx: &mut RunContext<'_>,
    generator: &GeneratorHandle,
    question: &str,
    triples: &[PromptPart],
) -> Result<Option<(bool, String)>, StageError> {
    let chinese = Wording::for_text(question).is_chinese();
    let reply = ask(ctx, generator, (PromptFor::Reasoned, chinese), form(), |gap| match gap {
        "triples" => triples.to_vec(),
        _ => question_part(question),
    })?;
    Ok(match reply {
        Ok(reply) => match read_reasoning(&reply) {
            Some(reasoning) => Some((reasoning.confident, reasoning.answer)),
            None => {
                ctx.warn("The language model's reply is not the JSON asked for; it counts as an answer without confidence.");
                Some((false, reply.trim().to_owned()))
            }
        },
        Err(why) => {
            ctx.warn(format!("{why}; the built-in reader decides whether the triples suffice."));
            None
        }
    })
}

/// Retrieves triples depth by depth; gives them with their scores, by number.
fn search(ctx: &mut RunContext<'_>, subject: &Subject<'_>, retrieval: Retrieval) -> Result<(FoundChains, Scores), StageError> {
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
        retrieval,
        start: start.clone(),
    };
    let is_of_run = steps.is_published() || !steps.ctx.asks_model;
    let walked = walk(&start, limits, &mut steps)?;
    let truncated = (!steps.truncated.is_empty()).then(|| steps.truncated.join("; "));
    if is_of_run {
        let (depth, deepest) = (walked.depth as u64, limits.depth as u64);
        ctx.emit(EventKind::Reasoned { reasoned: Reasoned { depth, deepest, confident: walked.confident } });
    }
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
    let form = numbers_form(all.len(), ENTITIES);
    let reply = ask(ctx, generator, (PromptFor::Entities, wording.is_chinese()), form, |gap| match gap {
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
    retrieval: Retrieval,
    /// The question's entities.
    start: Vec<EntityId>,
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
        let graph = &self.ctx.knowledge.graph;
        let names: Vec<&str> = self.start.iter().map(|entity| graph.entity_name(*entity)).collect();
        let query = if self.retrieval == Retrieval::EntitySimilarity { names.join(", ") } else { self.subject.question.to_owned() };
        let mut near = vectors.compare(self.ctx, &query, &around.chains)?.cosines;
        if self.retrieval == Retrieval::ExactMatch {
            near.truncate(NEAR);
        } else {
            near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let within = near.iter().take_while(|(_, cosine)| is_near(*cosine)).count();
            let widens = within == 0 && !self.subject.bare;
            if widens && !near.is_empty() && !self.widened && !self.ctx.asks_model {
                self.widened = true;
                self.ctx.warn(format!(
                    "By {}, no triple is within L = {LARGEST_GAP} of the question; the nearest triples are used instead.",
                    self.ctx.encoder.name()
                ));
            }
            near.truncate(if widens { self.ctx.settings.top_k } else { within.min(NEAR) });
        }
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
        let shown = if self.is_published() { triples.len() } else { triples.len().min(SCORED) };
        let mut any = false;
        let mut told = vec![None; triples.len()];
        for (portion, triples) in triples[..shown].chunks(SCORED).enumerate() {
            let parts = numbered(&self.ctx.knowledge.graph, triples);
            let question = self.subject.question;
            let form = scores_form(triples.len());
            let reply = ask(self.ctx, generator, (PromptFor::Scores, self.wording.is_chinese()), form, |gap| match gap {
                "triples" => parts.clone(),
                _ => question_part(question),
            })?;
            match reply.map(|reply| scores_in(&reply, triples.len())) {
                Ok(given) if !given.is_empty() => {
                    any = true;
                    for at in 0..triples.len() {
                        // A triple without a score ranks below all that have one.
                        told[portion * SCORED + at] = Some(given.get(&(at + 1)).copied().unwrap_or(0.0));
                    }
                }
                Ok(_) => self.ctx.warn("The language model gave no scores; the built-in scorer scores the triples instead."),
                Err(why) => self.ctx.warn(format!("{why}; the built-in scorer scores the triples instead.")),
            }
        }
        if any {
            let of = |(at, told): (usize, &Option<f64>)| told.unwrap_or(if at < shown { scores[at] } else { 0.0 });
            scores = told.iter().enumerate().map(of).collect();
        }
        Ok(scores)
    }

    fn suffices(&mut self, kept: &[(Chain, f64)]) -> Result<bool, StageError> {
        self.ctx.check()?;
        let chains: Vec<Chain> = kept.iter().map(|(chain, _)| *chain).collect();
        let parts = numbered(&self.ctx.knowledge.graph, &chains);
        let question = self.subject.question;
        if let Some(generator) = self.ctx.asked_model().filter(|_| self.is_published()) {
            if let Some((confident, answer)) = reason(self.ctx, generator, question, &parts)? {
                self.ctx.reasoned = Some(answer);
                return Ok(confident);
            }
        } else if let Some(generator) = self.ctx.asked_model() {
            if kept.is_empty() || self.depth >= self.ctx.settings.k {
                return Ok(false);
            }
            let form = yes_or_no_form(self.wording.is_chinese());
            let reply = ask(self.ctx, generator, (PromptFor::Enough, self.wording.is_chinese()), form, |gap| match gap {
                "triples" => parts.clone(),
                _ => question_part(question),
            })?;
            match reply {
                Ok(reply) => return Ok(first_word_is_yes(&reply)),
                Err(why) => self.ctx.warn(format!("{why}; the built-in reader decides whether the triples suffice.")),
            }
        }
        if kept.is_empty() {
            return Ok(false);
        }
        Ok(self.answers_every_part(kept))
    }
}

/// Whether a triple is within L of the question: S(q, t) = 1 − cos ≤ L.
fn is_near(cosine: f64) -> bool {
    1.0 - cosine <= LARGEST_GAP
}

impl OfRun<'_, '_> {
    /// Whether the model reasons as its paper has it, rather than beside an answer that stands.
    fn is_published(&self) -> bool {
        self.subject.bare && self.ctx.asks_model
    }

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
