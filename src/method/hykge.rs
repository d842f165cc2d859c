//! HyKGE (Jiang et al., 2025): hypothesis, recognition, linking, chains, fragment rerank, reader.
//!
//! The stages overlap: while the hypothesis is being written on a thread of its own, its finished
//! sentences are recognised and linked and the chains of the new anchors searched, so that little is left
//! to do when its last word arrives.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::graph::ChainSearch;
use crate::pipeline::assess::assess;
use crate::pipeline::context::{RunContext, StageError};
use crate::pipeline::hypothesis::{GraphHypothesis, HypothesisWriter};
use crate::pipeline::intent::{Intent, is_to_be_prevented};
use crate::pipeline::link::{Anchors, link_candidates, link_names};
use crate::pipeline::prune::{PruneInput, prune};
use crate::pipeline::read::{ReadInput, no_evidence, read};
use crate::pipeline::recognise::{MOST_TOKENS, NameMention, Reading};
use crate::pipeline::wording::Wording;
use crate::pipeline::{Answer, EventKind, MentionOrigin, Outcome, Stage, search};
use crate::text::StopWords;

/// Pieces of a hypothesis that may wait to be read.
const PIECES: usize = 64;

/// Time spent in stages that are entered more than once.
#[derive(Debug, Default)]
struct Spent {
    recognise: Duration,
    link: Duration,
    search: Duration,
}

/// Runs the method. The answer is the last event but one; the outcome is returned for the last.
pub(super) fn run(ctx: &mut RunContext<'_>, question: &str) -> Result<Outcome, StageError> {
    let wording = Wording::for_text(question);
    let mut anchors = Anchors::default();
    let mut spent = Spent::default();
    ctx.begin(Stage::Recognise);
    ctx.begin(Stage::Link);
    let intent = take_in_question(ctx, question, &mut anchors, &mut spent)?;

    let knowledge = ctx.knowledge;
    let begun = ctx.begin(Stage::Hypothesis);
    let of_question: Vec<_> = anchors.of_question().map(|a| (a.entity, a.score)).collect();
    let assessment = assess(knowledge, &of_question, &intent);
    let named: Vec<_> = of_question.iter().map(|(e, _)| *e).filter(|e| knowledge.is_condition(*e)).collect();
    let writer = GraphHypothesis::new(knowledge, &assessment, &intent, &named, wording);

    ctx.begin(Stage::Search);
    let mut chain_search = search::begin(ctx, &knowledge.graph);
    let hypothesis = thread::scope(|scope| {
        let (pieces, written) = sync_channel(PIECES);
        let cancel = ctx.cancel.clone();
        scope.spawn(move || {
            writer.write(&mut |piece| !cancel.is_cancelled() && pieces.send(piece).is_ok());
        });
        search_with(ctx, &mut chain_search, &anchors, &mut spent);
        take_in_hypothesis(ctx, &written, begun, &mut anchors, &mut chain_search, &mut spent)
    })?;
    ctx.check()?;
    ctx.end(Stage::Recognise, spent.recognise);
    ctx.end(Stage::Link, spent.link);
    anchors.report(ctx);

    let started = Instant::now();
    let found = search::finish(ctx, chain_search, &anchors);
    spent.search += started.elapsed();
    ctx.end(Stage::Search, spent.search);
    ctx.check()?;

    let begun = ctx.begin(Stage::Prune);
    let input =
        PruneInput { found: &found, anchors: &anchors, assessment: &assessment, intent: &intent, question, hypothesis: &hypothesis };
    let pruning = prune(ctx, &input)?;
    ctx.emit(EventKind::ChainsPruned { pruning: pruning.clone().into() });
    ctx.end(Stage::Prune, begun.elapsed());
    ctx.check()?;

    let begun = ctx.begin(Stage::Read);
    let answer = if pruning.kept.is_empty() {
        let understood: Vec<String> = anchors.all.iter().map(|a| wording.name(&knowledge.graph, a.entity)).collect();
        no_evidence(&understood, &anchors.unlinked, wording)
    } else {
        read(&ReadInput {
            knowledge,
            found: &found,
            pruning: &pruning,
            anchors: &anchors,
            assessment: &assessment,
            intent: &intent,
            wording,
        })
    };
    Ok(finish(ctx, answer, begun))
}

fn finish(ctx: &mut RunContext<'_>, answer: Answer, begun: Instant) -> Outcome {
    for line in answer.text.split_inclusive('\n') {
        ctx.emit(EventKind::AnswerToken { text: line.to_owned() });
    }
    let outcome = if answer.grounded { Outcome::Answered } else { Outcome::NothingFound };
    ctx.emit(EventKind::AnswerFinished { answer });
    ctx.end(Stage::Read, begun.elapsed());
    outcome
}

/// Recognises and links the question.
fn take_in_question(ctx: &mut RunContext<'_>, question: &str, anchors: &mut Anchors, spent: &mut Spent) -> Result<Intent, StageError> {
    let started = Instant::now();
    let (mut reading, mut intent) = Reading::of(question, 0, MentionOrigin::Question, StopWords::built_in());
    if reading.cut {
        ctx.warn(format!("The question is very long; only its first {MOST_TOKENS} words were read."));
    }
    let names = reading.names(ctx.knowledge.graph.names());
    let spans = reading.candidates();
    spent.recognise += started.elapsed();

    let started = Instant::now();
    link_names(ctx, anchors, &reading, &names, MentionOrigin::Question);
    let prevented = |name: &&NameMention| is_to_be_prevented(&reading.tokens, name.span.first, name.span.last);
    intent.goals = names.iter().filter(prevented).flat_map(|name| name.entities.iter().map(|(entity, _)| *entity)).collect();
    link_candidates(ctx, anchors, &mut reading, &spans, MentionOrigin::Question)?;
    spent.link += started.elapsed();
    Ok(intent)
}

/// Reads the hypothesis as it is written, sentence by sentence.
fn take_in_hypothesis(
    ctx: &mut RunContext<'_>,
    written: &Receiver<String>,
    begun: Instant,
    anchors: &mut Anchors,
    chain_search: &mut ChainSearch<'_>,
    spent: &mut Spent,
) -> Result<String, StageError> {
    let mut hypothesis = String::new();
    let mut read_to = 0;
    while let Ok(piece) = written.recv() {
        ctx.check()?;
        hypothesis.push_str(&piece);
        ctx.emit(EventKind::HypothesisToken { text: piece });
        let complete =
            hypothesis.rfind(['.', '。', '\n', '!', '?']).map_or(0, |at| at + hypothesis[at..].chars().next().map_or(1, char::len_utf8));
        if complete > read_to {
            take_in_sentence(ctx, &hypothesis[read_to..complete], read_to, anchors, spent);
            read_to = complete;
            search_with(ctx, chain_search, anchors, spent);
        }
    }
    ctx.check()?;
    ctx.end(Stage::Hypothesis, begun.elapsed());
    if read_to < hypothesis.len() {
        take_in_sentence(ctx, &hypothesis[read_to..], read_to, anchors, spent);
        search_with(ctx, chain_search, anchors, spent);
    }
    Ok(hypothesis)
}

fn take_in_sentence(ctx: &mut RunContext<'_>, sentence: &str, base: usize, anchors: &mut Anchors, spent: &mut Spent) {
    let started = Instant::now();
    let (mut reading, _) = Reading::of(sentence, base, MentionOrigin::Hypothesis, StopWords::built_in());
    let names = reading.names(ctx.knowledge.graph.names());
    spent.recognise += started.elapsed();
    let started = Instant::now();
    link_names(ctx, anchors, &reading, &names, MentionOrigin::Hypothesis);
    spent.link += started.elapsed();
}

fn search_with(ctx: &mut RunContext<'_>, chain_search: &mut ChainSearch<'_>, anchors: &Anchors, spent: &mut Spent) {
    let started = Instant::now();
    search::add(ctx, chain_search, anchors);
    spent.search += started.elapsed();
}
