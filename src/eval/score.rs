//! Scores an answer: all measures that apply to its question.

use std::collections::BTreeSet;
use std::sync::Arc;

pub use super::measure::{AnswerScores, Measure, Ratio, UnknownMeasure};

use super::choice::chosen;
use super::dataset::EvalQuestion;
use super::metric::{
    bert_score, bleu, covered, exact_match, key_entity_match, partly_correct, perplexity, precision, recall, rouge_l, rouge_n,
    token_vectors, without_citations, words,
};
use crate::language::Knowledge;
use crate::method::Engine;
use crate::model::{CancelToken, EncoderHandle, GeneratorHandle, ModelError, Prompt};
use crate::run::event::{SentPrompt, TokensSpent};
use crate::run::{AnchorOrigin, AnswerLine, AnswerPart, Stage, StageState, Trace};

/// What scoring needs besides question and run.
#[derive(Debug, Clone)]
pub struct Scoring {
    /// The graph, for the entities that options name.
    pub knowledge: Arc<Knowledge>,
    /// Compares texts.
    pub encoder: EncoderHandle,
    /// Measures the perplexity of a language model's answer, which takes as long as writing it. `None`: perplexity is not measured.
    pub generator: Option<GeneratorHandle>,
}

impl Scoring {
    /// With an engine's graph and models. Figures that rest on an encoder are comparable only where it is the same one.
    pub fn of(engine: &Engine) -> Self {
        let models = engine.models();
        Self { knowledge: engine.knowledge(), encoder: models.encoder.clone(), generator: models.generator.clone() }
    }
}

/// Measures a run. A run that failed has an empty answer, and is measured by it.
///
/// # Errors
/// If a model fails.
pub fn score(question: &EvalQuestion, trace: &Trace, tools: &Scoring) -> Result<AnswerScores, ModelError> {
    let mut scores = AnswerScores::new();
    of_entities(question, trace, &mut scores);
    if !question.correct.is_empty() {
        let chosen = chosen(question, trace, tools)?;
        scores.insert(Measure::ExactMatch, Ratio::of((usize::from(exact_match(&chosen, &question.correct)), 1)));
        scores.insert(Measure::PartialCorrect, Ratio::of((usize::from(partly_correct(&chosen, &question.correct)), 1)));
    }
    let text = without_citations(&trace.answer.text);
    of_text(question, &text, tools, &mut scores)?;
    let text_of_answer = text.clone();
    if let Some(generator) = tools.generator.as_ref().filter(|_| trace.answer.by_model) {
        let logs = generator.log_probabilities(answered(trace), text, &CancelToken::new())?.unwrap_or_default();
        scores.extend(perplexity(&logs).map(|perplexity| (Measure::Perplexity, Ratio::one(perplexity))));
    }
    let knowledge: Vec<String> = trace.kept().flat_map(|(_, _, chain)| words(&trace.table.text(chain))).collect();
    if let Some(recall) = rouge_n(&words(&text_of_answer), &knowledge, 1) {
        scores.insert(Measure::RougeKnowledge, Ratio::one(recall));
    }
    scores.insert(Measure::Grounded, Ratio::of((usize::from(trace.answer.grounded), 1)));
    for stage in Stage::ALL {
        if let StageState::Done { elapsed_ms } = trace.stage(stage) {
            scores.insert(Measure::time_of(stage), Ratio::one(elapsed_ms));
        }
    }
    scores.insert(Measure::TotalMs, Ratio::one(trace.elapsed_ms));
    Ok(scores)
}

/// The prompt that a language model answered: the last that asks for an answer, else the last. (KALMV and SuRe have answers verified and
/// compared after they are written.)
fn answered(trace: &Trace) -> Option<Prompt> {
    let asks = |sent: &&SentPrompt| {
        let purpose = sent.name.rsplit('/').next().unwrap_or_default();
        ["answer", "reader"].contains(&purpose.trim_end_matches("-small"))
    };
    let sent = trace.prompts.iter().rev().find(asks).or(trace.prompts.last())?;
    Some(Prompt::new(sent.system.as_str(), sent.user.as_str()))
}

/// The gold entities that were found, and where.
fn of_entities(question: &EvalQuestion, trace: &Trace, scores: &mut AnswerScores) {
    let mut gold = Vec::new();
    for part in &question.gold.asked {
        let of_part = question.gold.of_part(*part);
        gold.extend_from_slice(of_part);
        if let Some(measure) = Measure::key_entity(*part) {
            scores.insert(measure, Ratio::of(key_entity_match(*part, of_part, &trace.answer.entities)));
        }
        if let Some(measure) = Measure::key_entity_by_part(*part) {
            scores.insert(measure, Ratio::of(key_entity_match(*part, of_part, &stated_of(*part, trace))));
        }
    }
    if gold.is_empty() {
        return;
    }
    let name = |node: &u32| trace.table.entities[*node as usize].name.clone();
    let all: BTreeSet<String> = trace.table.entities.iter().map(|entity| entity.name.clone()).collect();
    let kept: BTreeSet<String> = trace.kept().flat_map(|(_, _, chain)| chain.nodes().iter().map(name).collect::<Vec<_>>()).collect();
    let stated: BTreeSet<String> = trace.answer.entities.iter().cloned().collect();
    let of_question = trace.anchors.iter().filter(|anchor| anchor.origin != AnchorOrigin::Hypothesis);
    let of_question: BTreeSet<&str> = of_question.map(|anchor| anchor.entity.as_str()).collect();
    // What the question names itself was not retrieved.
    let is_brought = |name: &&String| !of_question.contains(name.as_str()) || precision(&gold, &[(*name).clone()].into()).0 > 0;
    let brought: BTreeSet<String> = kept.iter().filter(is_brought).cloned().collect();
    let mut add = |measure, counts: (usize, usize)| {
        if counts.1 > 0 {
            scores.insert(measure, Ratio::of(counts));
        }
    };
    add(Measure::RecallChains, recall(&gold, &all));
    add(Measure::RecallKept, recall(&gold, &kept));
    add(Measure::RecallAnswer, recall(&gold, &stated));
    add(Measure::PrecisionKept, precision(&gold, &brought));
    add(Measure::PrecisionAnswer, precision(&gold, &stated));
}

/// The entities that an answer states for a part, each once, in its order.
fn stated_of(part: AnswerPart, trace: &Trace) -> Vec<String> {
    let mut stated: Vec<String> = Vec::new();
    for entity in trace.answer.lines.iter().filter(|line| line.part == part).flat_map(AnswerLine::stated) {
        if !stated.iter().any(|known| known == entity) {
            stated.push(entity.to_owned());
        }
    }
    stated
}

/// What a language model did in a run: calls, and the tokens where it says how many.
pub(super) fn cost(trace: &Trace, spent: &[TokensSpent]) -> AnswerScores {
    let mut scores = AnswerScores::from([(Measure::Calls, Ratio::one(trace.prompts.len() as f64))]);
    let sums: [(Measure, Option<u64>); 2] = [
        (Measure::TokensRead, spent.iter().map(|spent| spent.read).sum()),
        (Measure::TokensWritten, spent.iter().map(|spent| spent.written).sum()),
    ];
    for (measure, sum) in sums {
        if let Some(sum) = sum.filter(|_| spent.len() == trace.prompts.len()) {
            scores.insert(measure, Ratio::one(sum as f64));
        }
    }
    scores
}

/// The similarity of the answer's text and the references.
fn of_text(question: &EvalQuestion, text: &str, tools: &Scoring, scores: &mut AnswerScores) -> Result<(), ModelError> {
    if !question.key_points.is_empty() {
        let covered = covered(&question.key_points, text, &tools.encoder)?;
        scores.insert(Measure::KeyPoints, Ratio::of((covered.iter().filter(|is| **is).count(), covered.len())));
    }
    let references: Vec<Vec<String>> = question.references.iter().map(|reference| words(reference)).collect();
    let said = words(text);
    let mut add = |measure, value: Option<f64>| {
        if let Some(value) = value {
            scores.insert(measure, Ratio::one(value));
        }
    };
    let best = |of: &dyn Fn(&Vec<String>) -> Option<f64>| references.iter().filter_map(of).max_by(f64::total_cmp);
    add(Measure::Rouge1, best(&|reference| rouge_n(&said, reference, 1)));
    add(Measure::Rouge2, best(&|reference| rouge_n(&said, reference, 2)));
    add(Measure::RougeL, best(&|reference| rouge_l(&said, reference)));
    add(Measure::Bleu1, bleu(&said, &references, 1));
    add(Measure::Bleu4, bleu(&said, &references, 4));
    if references.iter().all(Vec::is_empty) {
        return Ok(());
    }
    let tokens = token_vectors(text, &tools.encoder)?;
    let mut bert = None;
    for reference in &question.references {
        let found = bert_score(&tokens, &token_vectors(reference, &tools.encoder)?);
        bert = [bert, found].into_iter().flatten().max_by(|a, b| a.f1.total_cmp(&b.f1));
    }
    // Nothing said is nothing in common.
    add(Measure::BertPrecision, Some(bert.map_or(0.0, |bert| bert.precision)));
    add(Measure::BertRecall, Some(bert.map_or(0.0, |bert| bert.recall)));
    add(Measure::BertF1, Some(bert.map_or(0.0, |bert| bert.f1)));
    Ok(())
}
