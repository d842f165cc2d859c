//! Which stage runs when, for every method: they are compositions of the same stages, and differ in who writes the hypothesis, how the
//! search ends ([`end_search`]) and how chains are ranked ([`Case::prune`]).
//!
//! HyKGE (Jiang et al., 2025) is hypothesis, recognition, linking, chains, fragment rerank, reader. The stages overlap: while the hypothesis is being
//! written on a thread of its own, its finished sentences are recognised and linked and the chains of the new anchors searched, so that little
//! is left to do when its last word arrives. With a language model the method asks it twice: for hypothesis and answer.

use std::sync::Arc;
use std::time::Instant;

use super::memory::{Memory, Remembered};
use super::overlap::{Overlap, intent_of, take_in_question};
use super::stages::{Case, Subject, Understood, end_search};
use crate::pipeline::assess::Assessment;
use crate::pipeline::context::{RunContext, StageError};
use crate::pipeline::hypothesis::{GraphHypothesis, HypothesisWriter};
use crate::pipeline::link::Anchors;
use crate::pipeline::llm::LlmHypothesis;
use crate::pipeline::prune::Known;
use crate::pipeline::wording::Wording;
use crate::pipeline::{Method, Outcome, Stage, Triage, search};

/// Runs the method of the context. The answer is the last event but one; the outcome is returned for the last.
pub(super) fn run(ctx: &mut RunContext<'_>, question: &str, memory: &Memory) -> Result<Outcome, StageError> {
    let wording = Wording::for_text(question);
    let triage = Arc::new(Triage::default());
    let mut anchors = Anchors::default();
    let mut overlap = Overlap::default();
    tell_what_is_built_in(ctx);
    ctx.begin(Stage::Recognise);
    ctx.begin(Stage::Link);
    let intent = match ctx.method {
        Method::Base => intent_of(question),
        _ => take_in_question(ctx, question, &mut anchors, &mut overlap)?,
    };
    let understood = Understood::of(intent, &anchors);

    let knowledge = ctx.knowledge;
    let begun = ctx.begin(Stage::Hypothesis);
    let assessment = Arc::new(understood.assess(ctx, &anchors, &triage));
    let writer = writer(ctx, question, &understood, &assessment, wording);

    ctx.begin(Stage::Search);
    let mut chain_search = search::begin(ctx, &knowledge.graph);
    let hypothesis = overlap.write(ctx, writer, begun, &mut anchors, &mut chain_search)?;
    ctx.check()?;
    ctx.end(Stage::Recognise, overlap.recognise);
    ctx.end(Stage::Link, overlap.link);
    anchors.report(ctx);

    let started = Instant::now();
    let subject = Subject { question, anchors: &anchors, understood: &understood, triage: &triage, memory };
    let (searched, said) = end_search(ctx, chain_search, &subject)?;
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
        said: &said,
        memory,
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

/// Who writes the hypothesis, or what a method has in its place: RoK's expansion of the question. `None`: nobody does.
fn writer(
    ctx: &mut RunContext<'_>,
    question: &str,
    understood: &Understood,
    assessment: &Assessment,
    wording: &'static Wording,
) -> Option<Box<dyn HypothesisWriter>> {
    match ctx.method {
        Method::Hykge(without) if without.hypothesis => return None,
        Method::Hykge(_) | Method::Rok => {}
        Method::Wts | Method::KgRag | Method::Embed | Method::Base => return None,
    }
    let knowledge = ctx.knowledge;
    let named: Vec<_> = understood.anchors.iter().map(|(e, _)| *e).filter(|e| knowledge.is_condition(*e)).collect();
    let of_graph = GraphHypothesis::new(knowledge, assessment, &understood.intent, &named, wording);
    Some(match ctx.generator {
        Some(generator) => Box::new(LlmHypothesis::new(ctx, generator, question, wording, of_graph)),
        None => Box::new(of_graph),
    })
}

/// Says where a method does without a model that its paper has, or where an ablation changes nothing.
fn tell_what_is_built_in(ctx: &mut RunContext<'_>) {
    if ctx.method.without().description && ctx.reranker.is_none() && ctx.generator.is_none() {
        ctx.warn("Without a reranker and a language model nothing reads descriptions: leaving them out (hykge-description) changes nothing here.");
    }
    if ctx.generator.is_none() {
        match ctx.method {
            Method::Rok => {
                ctx.warn("No language model is in use: RoK's expansion is derived from the graph, and its filter is the built-in scorer.")
            }
            Method::Wts => {
                ctx.warn("No language model is in use: WTS's entities, scores and confidence are the built-in scorer's and reader's.")
            }
            _ => {}
        }
    }
}
