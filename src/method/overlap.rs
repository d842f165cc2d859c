//! The hypothesis that a run rests on: as each sentence of it comes, its entities are recognised and linked, and chains between the new anchors are
//! searched.

use std::time::{Duration, Instant};

use crate::graph::{ChainSearch, EvolvingGraph};
use crate::language::context::{RunContext, StageError};
use crate::language::generate::Writing;
use crate::language::link::{Anchors, link_candidates, link_names};
use crate::language::link_by_cosine::{W2NER, link_by_cosine};
use crate::language::recognise::Reading;
use crate::pipeline::answer::hypothesis::HypothesisWriter;
use crate::pipeline::llm::complete_until;
use crate::pipeline::search;
use crate::run::{EventKind, MentionOrigin, Stage};
use crate::text::StopWords;

/// The most candidate spans per sentence of a hypothesis: a model usually writes exact names, and a slow encoder must keep up with
/// the writing.
const SPANS_OF_SENTENCE: usize = 128;

/// The time spent in stages that are entered more than once, and how much of the hypothesis has been read.
#[derive(Debug, Default)]
pub(super) struct Overlap {
    pub(super) recognise: Duration,
    pub(super) link: Duration,
    pub(super) search: Duration,
    hypothesis: String,
    read_to: usize,
    /// The text is the graph's own, so only exact names are looked for. (A language model's, where it stands in its place, is not.)
    own_words: bool,
    /// Mentions link to their nearest name above δ and to nothing else.
    by_cosine: bool,
    /// Names are listed, and linked, once the whole text is there.
    pub(super) named_later: bool,
}

/// Recognises and links a hypothesis that is already complete, sentence by sentence, as while it was written. `own_words`: the graph wrote it.
/// `by_cosine`: see [`super::Method::links_by_cosine`].
pub(super) fn link_hypothesis(
    ctx: &mut RunContext<'_>,
    hypothesis: &str,
    (own_words, by_cosine): (bool, bool),
    anchors: &mut Anchors,
) -> Result<(), StageError> {
    let mut overlap = Overlap { hypothesis: hypothesis.to_owned(), own_words, by_cosine, ..Overlap::default() };
    for (at, c) in hypothesis.char_indices() {
        let come = at + c.len_utf8();
        let complete = overlap.read_to + complete_until(&hypothesis[overlap.read_to..come]);
        if complete > overlap.read_to {
            ctx.check()?;
            overlap.link_to(ctx, complete, anchors)?;
        }
    }
    if overlap.read_to < hypothesis.len() {
        overlap.link_to(ctx, hypothesis.len(), anchors)?;
    }
    Ok(())
}

impl Overlap {
    /// Nothing yet. `own_words`: the graph will write the text.
    pub(super) fn new(own_words: bool, by_cosine: bool) -> Self {
        Self { own_words, by_cosine, ..Self::default() }
    }

    /// Writes the hypothesis and reads it as it comes. Gives the whole text; it is empty if there is no writer.
    pub(super) fn write(
        &mut self,
        ctx: &mut RunContext<'_>,
        writer: Option<&dyn HypothesisWriter>,
        begun: Instant,
        anchors: &mut Anchors,
        chain_search: &mut ChainSearch<'_, EvolvingGraph>,
    ) -> Result<String, StageError> {
        self.search_with(ctx, chain_search, anchors);
        let mut ended = Ok(());
        if let Some(writer) = writer {
            writer.write(&mut |piece| {
                let text = match piece {
                    Writing::Text(text) => text,
                    Writing::Activity(activity) => {
                        ctx.models_may_be_known();
                        ctx.emit(EventKind::ModelActive { activity });
                        return ctx.check().is_ok();
                    }
                    Writing::Instead(why) => {
                        ctx.warn(why);
                        return true;
                    }
                };
                self.hypothesis.push_str(&text);
                ctx.emit(EventKind::HypothesisToken { text });
                // The graph's come sentence by sentence.
                let open = self.hypothesis.get(self.read_to..).unwrap_or_default();
                let to = if self.own_words { self.hypothesis.len() } else { self.read_to + complete_until(open) };
                ended = ctx.check().and_then(|()| self.read_on(ctx, to, anchors, chain_search));
                ended.is_ok()
            });
        }
        ended?;
        ctx.check()?;
        self.read_on(ctx, self.hypothesis.len(), anchors, chain_search)?;
        ctx.end(Stage::Hypothesis, begun.elapsed());
        Ok(std::mem::take(&mut self.hypothesis))
    }

    /// Recognises and links the hypothesis up to a byte offset, and searches with the new anchors.
    fn read_on(
        &mut self,
        ctx: &mut RunContext<'_>,
        to: usize,
        anchors: &mut Anchors,
        chain_search: &mut ChainSearch<'_, EvolvingGraph>,
    ) -> Result<(), StageError> {
        if to > self.read_to {
            self.link_to(ctx, to, anchors)?;
            self.search_with(ctx, chain_search, anchors);
        }
        Ok(())
    }

    /// Recognises and links the hypothesis up to a byte offset.
    fn link_to(&mut self, ctx: &mut RunContext<'_>, to: usize, anchors: &mut Anchors) -> Result<(), StageError> {
        let started = Instant::now();
        let base = std::mem::replace(&mut self.read_to, to);
        if self.named_later {
            return Ok(());
        }
        let mut reading = Reading::of(&self.hypothesis[base..to], base, MentionOrigin::Hypothesis, StopWords::built_in());
        let names = reading.names(ctx.knowledge.graph.names());
        self.recognise += started.elapsed();
        let started = Instant::now();
        if self.by_cosine {
            let (origin, with_phrases) = (MentionOrigin::Hypothesis, !self.own_words);
            let typed = if self.own_words { Vec::new() } else { ctx.recognised(&self.hypothesis[base..to])? };
            let spans: Vec<(usize, usize)> = typed.iter().map(crate::model::TypedMention::span).collect();
            ctx.with_encoder(|ctx| link_by_cosine(ctx, anchors, &mut reading, (&names, &spans, W2NER), origin, with_phrases))?;
            self.link += started.elapsed();
            return Ok(());
        }
        link_names(ctx, anchors, &reading, &names, MentionOrigin::Hypothesis);
        if !self.own_words {
            let mut phrases = reading.candidates();
            phrases.truncate(SPANS_OF_SENTENCE);
            ctx.with_encoder(|ctx| link_candidates(ctx, anchors, &mut reading, &phrases, MentionOrigin::Hypothesis, &|_, _| true))?;
        }
        self.link += started.elapsed();
        Ok(())
    }

    fn search_with(&mut self, ctx: &mut RunContext<'_>, chain_search: &mut ChainSearch<'_, EvolvingGraph>, anchors: &Anchors) {
        let started = Instant::now();
        search::add(ctx, chain_search, anchors);
        self.search += started.elapsed();
    }
}
