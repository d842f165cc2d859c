//! HyKGE (Jiang et al., 2025): hypothesis, recognition, linking, chains, fragment rerank, reader.
//!
//! The stages overlap: while the hypothesis is being written on a thread of its own, its finished
//! sentences are recognised and linked and the chains of the new anchors searched, so that little is left
//! to do when its last word arrives. With a language model the method asks it twice: for hypothesis and answer.

use std::time::Instant;

use super::overlap::{Overlap, take_in_question};
use crate::pipeline::assess::assess;
use crate::pipeline::context::{RunContext, StageError};
use crate::pipeline::hypothesis::{GraphHypothesis, HypothesisWriter};
use crate::pipeline::link::Anchors;
use crate::pipeline::llm::{LlmHypothesis, read_with_model};
use crate::pipeline::prune::{PruneInput, prune};
use crate::pipeline::read::{ReadInput, no_evidence, read};
use crate::pipeline::wording::Wording;
use crate::pipeline::{Answer, EventKind, Outcome, Stage, search};

/// Runs the method. The answer is the last event but one; the outcome is returned for the last.
pub(super) fn run(ctx: &mut RunContext<'_>, question: &str) -> Result<Outcome, StageError> {
    let wording = Wording::for_text(question);
    let mut anchors = Anchors::default();
    let mut overlap = Overlap::default();
    ctx.begin(Stage::Recognise);
    ctx.begin(Stage::Link);
    let intent = take_in_question(ctx, question, &mut anchors, &mut overlap)?;

    let knowledge = ctx.knowledge;
    let begun = ctx.begin(Stage::Hypothesis);
    let of_question: Vec<_> = anchors.of_question().map(|a| (a.entity, a.score)).collect();
    let assessment = assess(knowledge, &of_question, &intent);
    let named: Vec<_> = of_question.iter().map(|(e, _)| *e).filter(|e| knowledge.is_condition(*e)).collect();
    let of_graph = GraphHypothesis::new(knowledge, &assessment, &intent, &named, wording);
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
    let found = search::finish(ctx, chain_search, &anchors);
    overlap.search += started.elapsed();
    ctx.end(Stage::Search, overlap.search);
    ctx.check()?;

    let begun = ctx.begin(Stage::Prune);
    let input =
        PruneInput { found: &found, anchors: &anchors, assessment: &assessment, intent: &intent, question, hypothesis: &hypothesis };
    let pruning = ctx.with_encoder(|ctx| prune(ctx, &input))?;
    ctx.emit(EventKind::ChainsPruned { pruning: pruning.clone().into() });
    ctx.end(Stage::Prune, begun.elapsed());
    ctx.check()?;

    let begun = ctx.begin(Stage::Read);
    if pruning.kept.is_empty() {
        // Whatever a model would write now, it would invent; so none is asked.
        let understood: Vec<String> = anchors.all.iter().map(|a| wording.name(&knowledge.graph, a.entity)).collect();
        let answer = no_evidence(&understood, &anchors.unlinked, wording);
        return Ok(finish(ctx, answer, Outcome::NothingFound, begun));
    }
    let input = ReadInput {
        knowledge,
        found: &found,
        pruning: &pruning,
        anchors: &anchors,
        assessment: &assessment,
        intent: &intent,
        wording,
        // The graph's own hypothesis advises against nothing that the graph supports.
        hypothesis: if overlap.is_of_graph() { "" } else { &hypothesis },
    };
    let by_model = match ctx.generator {
        Some(generator) => read_with_model(ctx, &input, question, generator)?,
        None => None,
    };
    let answer = by_model.unwrap_or_else(|| read(&input));
    let outcome = if answer.grounded || answer.by_model { Outcome::Answered } else { Outcome::NothingFound };
    Ok(finish(ctx, answer, outcome, begun))
}

fn finish(ctx: &mut RunContext<'_>, answer: Answer, outcome: Outcome, begun: Instant) -> Outcome {
    // A model's text has been told as it was written.
    if !answer.by_model {
        for line in answer.text.split_inclusive('\n') {
            ctx.emit(EventKind::AnswerToken { text: line.to_owned() });
        }
    }
    ctx.emit(EventKind::AnswerFinished { answer });
    ctx.end(Stage::Read, begun.elapsed());
    outcome
}
