//! The language model's hypothesis: read as it is written, sentence by sentence. What it names beyond the graph's own hypothesis becomes
//! anchors of its own; the graph's stay as they are.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;

use crate::graph::EntityId;
use crate::language::context::{RunContext, StageError};
use crate::language::generate::Writing;
use crate::language::link::{Anchors, link_candidates, link_names, meant_by};
use crate::language::recognise::Reading;
use crate::model::POLL_INTERVAL;
use crate::pipeline::answer::hypothesis::HypothesisWriter;
use crate::pipeline::llm::{LlmHypothesis, complete_until};
use crate::run::{Anchor, BETWEEN_HYPOTHESES, EventKind, MentionOrigin};
use crate::text::StopWords;

/// The most pieces that wait to be read.
const PIECES: usize = 64;
/// The most candidate spans per sentence.
const SPANS_OF_SENTENCE: usize = 128;
/// After so many sentences without a new entity, the rest is not waited for.
const QUIET_SENTENCES: usize = 3;

/// What a language model's hypothesis gives.
#[derive(Debug, Default)]
pub(super) struct ModelHypothesis {
    pub(super) text: String,
    /// What it names that neither the question nor the graph's hypothesis names.
    pub(super) anchors: Anchors,
    /// All that it names.
    pub(super) named: HashSet<EntityId>,
    /// The byte offset of the text in the whole hypothesis.
    base: usize,
    read_to: usize,
    quiet: usize,
}

impl ModelHypothesis {
    /// Nothing yet, beside these anchors. `before`: the length of the graph's hypothesis in bytes.
    pub(super) fn beside(anchors: &Anchors, before: usize) -> Self {
        let base = if before == 0 { 0 } else { before + BETWEEN_HYPOTHESES.len() };
        Self { anchors: Anchors::beside(anchors), base, ..Self::default() }
    }

    /// As a trace has it.
    pub(super) fn of_trace(ctx: &mut RunContext<'_>, anchors: &Anchors, text: &str, linked: &[Anchor]) -> Self {
        let by_model = Anchors::of_trace(ctx, linked.iter().filter(|anchor| anchor.by_model), &[]);
        let mut reading = Reading::of(text, 0, MentionOrigin::Hypothesis, StopWords::built_in());
        let names = reading.names(ctx.knowledge.graph.names());
        let named = names.iter().filter_map(|name| meant_by(&ctx.knowledge.graph, name)).map(|(entity, _)| entity);
        let named = named.chain(by_model.entities()).collect();
        let mut of_model = Anchors::beside(anchors);
        of_model.all = by_model.all;
        Self { text: text.to_owned(), anchors: of_model, named, ..Self::default() }
    }

    /// Has it written, and reads it meanwhile. It ends early where nothing new comes.
    pub(super) fn write(&mut self, ctx: &mut RunContext<'_>, writer: &LlmHypothesis) -> Result<(), StageError> {
        thread::scope(|scope| {
            let (pieces, written) = sync_channel(PIECES);
            let cancel = ctx.cancel.clone();
            scope.spawn(move || writer.write(&mut |piece| !cancel.is_cancelled() && pieces.send(piece).is_ok()));
            // Who no longer listens ends the writing.
            self.take_in(ctx, written)
        })
    }

    fn take_in(&mut self, ctx: &mut RunContext<'_>, written: Receiver<Writing>) -> Result<(), StageError> {
        loop {
            ctx.check()?;
            match written.recv_timeout(POLL_INTERVAL) {
                Ok(Writing::Text(text)) => {
                    self.text.push_str(&text);
                    ctx.emit(EventKind::HypothesisAdded { text });
                }
                Ok(Writing::Activity(activity)) => {
                    ctx.models_may_be_known();
                    ctx.emit(EventKind::ModelActive { activity });
                    continue;
                }
                Ok(Writing::Instead(why)) => {
                    ctx.warn(why);
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.read_on(ctx)?;
            if self.quiet >= QUIET_SENTENCES {
                break;
            }
        }
        ctx.check()?;
        ctx.models_may_be_known();
        self.link_to(ctx, self.text.len())
    }

    /// Recognises and links a text that is already complete, as while it was written.
    pub(super) fn link(&mut self, ctx: &mut RunContext<'_>, text: &str) -> Result<(), StageError> {
        for c in text.chars() {
            self.text.push(c);
            self.read_on(ctx)?;
        }
        self.link_to(ctx, self.text.len())
    }

    fn read_on(&mut self, ctx: &mut RunContext<'_>) -> Result<(), StageError> {
        let complete = self.read_to + complete_until(&self.text[self.read_to..]);
        if complete > self.read_to { self.link_to(ctx, complete) } else { Ok(()) }
    }

    /// Recognises and links the text up to a byte offset.
    fn link_to(&mut self, ctx: &mut RunContext<'_>, to: usize) -> Result<(), StageError> {
        let from = std::mem::replace(&mut self.read_to, to);
        let sentence = self.text.get(from..to).unwrap_or_default();
        if sentence.trim().is_empty() {
            return Ok(());
        }
        let mut reading = Reading::of(sentence, self.base + from, MentionOrigin::Hypothesis, StopWords::built_in());
        let names = reading.names(ctx.knowledge.graph.names());
        let before = self.named.len();
        self.named.extend(names.iter().filter_map(|name| meant_by(&ctx.knowledge.graph, name)).map(|(entity, _)| entity));
        link_names(ctx, &mut self.anchors, &reading, &names, MentionOrigin::Hypothesis);
        let mut phrases = reading.candidates();
        phrases.truncate(SPANS_OF_SENTENCE);
        let anchors = &mut self.anchors;
        let linked =
            ctx.with_encoder(|ctx| link_candidates(ctx, anchors, &mut reading, &phrases, MentionOrigin::Hypothesis, &|_, _| true))?;
        self.named.extend(linked.into_iter().map(|(_, entity)| entity));
        self.quiet = if self.named.len() > before { 0 } else { self.quiet + 1 };
        Ok(())
    }
}
