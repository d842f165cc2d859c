//! HyKGE (Jiang et al., 2025): hypothesis, recognition, linking, chains, fragment rerank, reader.
//!
//! The stages overlap: while the hypothesis is being written on a thread of its own, its finished
//! sentences are recognised and linked and the chains of the new anchors searched, so that little is left
//! to do when its last word arrives. With a language model the method asks it twice: for hypothesis and answer.

use std::sync::Arc;
use std::time::Instant;

use super::memory::{Memory, Remembered};
use super::overlap::{Overlap, take_in_question};
use super::stages::{Case, Understood};
use crate::pipeline::context::{RunContext, StageError};
use crate::pipeline::hypothesis::{GraphHypothesis, HypothesisWriter};
use crate::pipeline::link::Anchors;
use crate::pipeline::llm::LlmHypothesis;
use crate::pipeline::prune::Known;
use crate::pipeline::wording::Wording;
use crate::pipeline::{Outcome, Stage, Triage, search};

/// Runs the method. The answer is the last event but one; the outcome is returned for the last.
pub(super) fn run(ctx: &mut RunContext<'_>, question: &str, memory: &Memory) -> Result<Outcome, StageError> {
    let wording = Wording::for_text(question);
    let triage = Arc::new(Triage::default());
    let mut anchors = Anchors::default();
    let mut overlap = Overlap::default();
    ctx.begin(Stage::Recognise);
    ctx.begin(Stage::Link);
    let intent = take_in_question(ctx, question, &mut anchors, &mut overlap)?;
    let understood = Understood::of(intent, &anchors);

    let knowledge = ctx.knowledge;
    let begun = ctx.begin(Stage::Hypothesis);
    let assessment = Arc::new(understood.assess(ctx, &anchors, &triage));
    let named: Vec<_> = understood.anchors.iter().map(|(e, _)| *e).filter(|e| knowledge.is_condition(*e)).collect();
    let of_graph = GraphHypothesis::new(knowledge, &assessment, &understood.intent, &named, wording);
    let writer: Box<dyn HypothesisWriter> = match ctx.generator {
        Some(generator) => Box::new(LlmHypothesis::new(ctx, generator, question, wording, of_graph)),
        None => Box::new(of_graph),
    };

    ctx.begin(Stage::Search);
    let mut chain_search = search::begin(ctx, &knowledge.graph);
    let hypothesis = overlap.write(ctx, writer, begun, &mut anchors, &mut chain_search)?;
    ctx.check()?;
    ctx.end(Stage::Recognise, overlap.recognise);
    ctx.end(Stage::Link, overlap.link);
    anchors.report(ctx);

    let started = Instant::now();
    let searched = search::finish(ctx, chain_search, &anchors, &triage);
    overlap.search += started.elapsed();
    ctx.end(Stage::Search, overlap.search);
    ctx.check()?;

    let case = Case {
        question,
        hypothesis: &hypothesis,
        own_words: overlap.is_of_graph(),
        anchors: &anchors,
        understood: &understood,
        assessment: &assessment,
        searched: &searched,
        triage: &triage,
    };
    let mut known = Known::default();
    let pruning = case.prune(ctx, &mut known)?;
    memory.put(Remembered {
        run: Arc::clone(&ctx.id),
        triage: Arc::clone(&triage),
        understood: understood.clone(),
        assessment: Arc::clone(&assessment),
        searched: searched.clone(),
        known,
    });
    ctx.check()?;
    case.read(ctx, &pruning)
}
