//! Linking as HyKGE publishes it (2025, §4.2.1): `u ↔ argmax_e ⟨enc(u), enc(e)⟩` if that exceeds δ, and nothing else.

use super::context::{RunContext, StageError};
use super::link::{Anchors, Linked, anchor_origin};
use super::recognise::{NameMention, Phrase, Reading, Span};
use crate::run::event::{EventKind, MentionOrigin};

/// The number of mentions that are encoded between two checks for cancellation.
const PORTION: usize = 128;

/// The recogniser of drugs and diseases, as mentions show it.
pub(crate) const W2NER: &str = "w2ner";

/// A mention: where it stands, its text, and what recognised it.
struct Candidate {
    phrase: Phrase,
    recogniser: &'static str,
    /// Found by a recogniser; the others are spans that may be mentions, of which those most like a name win.
    is_mention: bool,
}

/// Links names of the graph and phrases of a text, each to its nearest name. Of spans that overlap, the most similar counts. `spans`: what a
/// recogniser found, in bytes of the text, and its name.
///
/// # Errors
/// If the run is stopped, or the encoder fails.
pub(crate) fn link_by_cosine(
    ctx: &mut RunContext<'_>,
    anchors: &mut Anchors,
    reading: &mut Reading<'_>,
    (names, spans, recogniser): (&[NameMention], &[(usize, usize)], &'static str),
    origin: MentionOrigin,
    with_phrases: bool,
) -> Result<(), StageError> {
    let of_span =
        |span: Span, text: String| Phrase { span, parts: (span.first..span.last).collect(), text, reworded: false, is_further: false };
    let mut candidates: Vec<Candidate> = Vec::new();
    for name in names {
        let text = reading.text_of(&name.span).to_owned();
        candidates.push(Candidate { phrase: of_span(name.span, text), recogniser: name.recogniser, is_mention: true });
    }
    for span in spans.iter().filter_map(|span| span_of(reading, *span)) {
        if !names.iter().any(|name| name.span.first < span.last && span.first < name.span.last) {
            let text = reading.text_of(&span).to_owned();
            candidates.push(Candidate { phrase: of_span(span, text), recogniser, is_mention: true });
        }
    }
    if with_phrases {
        // As they are written, each once.
        let mut spans: Vec<Span> = reading.candidates().into_iter().map(|phrase| phrase.span).collect();
        spans.dedup();
        let of_text =
            |span: Span| Candidate { phrase: of_span(span, reading.text_of(&span).to_owned()), recogniser: "candidate", is_mention: false };
        candidates.extend(spans.into_iter().map(of_text));
    }
    let mut found: Vec<(usize, usize, f64)> = Vec::new();
    for (portion, of) in candidates.chunks(PORTION).enumerate() {
        ctx.check()?;
        let vectors = ctx.encode(of.iter().map(|candidate| candidate.phrase.text.clone()).collect())?.normalised();
        let nearest = ctx.knowledge.nearest_names(ctx.vectors, &vectors, 1, ctx.delta)?;
        let linked = nearest.into_iter().enumerate().filter_map(|(row, names)| {
            let (name, cosine) = *names.first()?;
            Some((portion * PORTION + row, name, f64::from(cosine).min(1.0)))
        });
        found.extend(linked);
    }
    // Mentions as recognised; then spans, the most similar first, the longer of equals.
    found.sort_by(|a, b| {
        let [one, other] = [a, b].map(|(at, ..)| &candidates[*at]);
        let length = |of: &Candidate| of.phrase.span.last - of.phrase.span.first;
        other.is_mention.cmp(&one.is_mention).then(b.2.total_cmp(&a.2)).then(length(other).cmp(&length(one))).then(a.0.cmp(&b.0))
    });
    let mut left: Vec<Span> = Vec::new();
    if origin == MentionOrigin::Question {
        let is_linked = |span: &Span| found.iter().any(|(at, ..)| candidates[*at].phrase.span == *span);
        left = names.iter().map(|name| name.span).filter(|span| !is_linked(span)).collect();
    }
    let is_of_name = |phrase: &Phrase| names.iter().any(|name| name.span == phrase.span);
    found.retain(|(at, ..)| is_of_name(&candidates[*at].phrase) || reading.cover(&candidates[*at].phrase));
    found.sort_by_key(|(at, ..)| candidates[*at].phrase.span.first);
    for (at, name, cosine) in found {
        let Candidate { phrase, recogniser, .. } = &candidates[at];
        ctx.emit(EventKind::MentionFound { mention: reading.mention(&phrase.span, recogniser) });
        let entity = ctx.knowledge.named_by(name);
        let mention = reading.text_of(&phrase.span).to_owned();
        anchors.take(ctx, Linked { entity, score: cosine, origin: anchor_origin(origin), mention });
    }
    if origin == MentionOrigin::Question {
        left.extend(reading.leftovers());
        left.sort_by_key(|span| span.first);
        anchors.leave_unlinked(ctx, reading, &left);
    }
    Ok(())
}

/// The tokens that bytes of a text lie in.
fn span_of(reading: &Reading<'_>, (start, end): (usize, usize)) -> Option<Span> {
    let first = reading.tokens.iter().position(|token| token.end > start)?;
    let last = reading.tokens.iter().rposition(|token| token.start < end)? + 1;
    (first < last).then_some(Span { first, last })
}
