//! Reading the question: what it asks for, and which entities of the graph it names.

use std::time::{Duration, Instant};

use super::intent::{Intent, is_to_be_prevented};
use super::suspected_condition::is_suspected;
use crate::graph::{EntityId, Kind};
use crate::language::context::{RunContext, StageError};
use crate::language::link::{Anchors, link_candidates, link_names};
use crate::language::recognise::{MOST_TOKENS, NameMention, ReadTokens, Reading};
use crate::run::MentionOrigin;
use crate::text::StopWords;

/// Time spent on the two stages that reading a question belongs to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReadTime {
    pub(crate) recognise: Duration,
    pub(crate) link: Duration,
}

/// What the question asks for, without looking at the graph.
pub(crate) fn intent_of(question: &str) -> Intent {
    Intent::of(&ReadTokens::of(question).tokens)
}

/// Recognises and links the question; the anchors that it names are added to `anchors`.
///
/// # Errors
/// If the run is stopped, or the encoder fails and no other can take its place.
pub(crate) fn read_question(ctx: &mut RunContext<'_>, question: &str, anchors: &mut Anchors) -> Result<(Intent, ReadTime), StageError> {
    let started = Instant::now();
    let tokens = ReadTokens::of(question);
    let mut intent = Intent::of(&tokens.tokens);
    let mut reading = Reading::of_question(question, tokens, &intent.cue_tokens, StopWords::built_in());
    if reading.cut {
        ctx.warn(format!("The question is very long; Catena read only its first {MOST_TOKENS} words."));
    }
    let mut names = reading.values(ctx.knowledge.graph.names());
    let (short, ambiguous) = reading.abbreviations(ctx.knowledge.graph.names());
    names.extend(short);
    anchors.ambiguous = ambiguous;
    names.extend(reading.lay_names(ctx.knowledge.graph.names(), |entity| ctx.knowledge.is_finding(entity)));
    names.extend(reading.names(ctx.knowledge.graph.names()));
    names.sort_by_key(|name| name.span.first);
    let is_finding = |(entity, _): &(EntityId, bool)| matches!(ctx.knowledge.graph.kind(*entity), Kind::Disease | Kind::Symptom);
    intent.without_names(names.iter().filter(|name| name.entities.iter().any(is_finding)).map(|name| (name.span.first, name.span.last)));
    let phrases = reading.phrases();
    let recognise = started.elapsed();

    let started = Instant::now();
    link_names(ctx, anchors, &reading, &names, MentionOrigin::Question);
    let prevented = |name: &&NameMention| is_to_be_prevented(&reading.tokens, name.span.first, name.span.last);
    intent.goals = names.iter().filter(prevented).flat_map(|name| name.entities.iter().map(|(entity, _)| *entity)).collect();
    let suspected = names.iter().filter(|name| is_suspected(&reading.tokens, name.span.first));
    intent.suspected = suspected.flat_map(|name| name.entities.iter().map(|(entity, _)| *entity)).collect();
    ctx.with_encoder(|ctx| link_candidates(ctx, anchors, &mut reading, &phrases, MentionOrigin::Question))?;
    Ok((intent, ReadTime { recognise, link: started.elapsed() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Reading<'_>, Intent) {
        let tokens = ReadTokens::of(text);
        let intent = Intent::of(&tokens.tokens);
        (Reading::of_question(text, tokens, &intent.cue_tokens, StopWords::built_in()), intent)
    }

    #[test]
    fn leftovers_are_the_words_nobody_understood() {
        let text = "I feel zorbing after eating. What medicine should I take for 3 days, blorb?";
        let (reading, intent) = read(text);
        assert!(!intent.parts.is_empty());
        let words: Vec<_> = reading.leftovers().iter().map(|span| reading.text_of(span)).collect();
        assert_eq!(words, ["zorbing", "eating", "blorb"]);
        let text = "It does not. No fever, no zorbing";
        let (reading, _) = read(text);
        assert!(reading.leftovers().is_empty(), "a word that denies is nothing that was not understood");
    }
}
