//! An answer that a language model wrote: which entities it names, which chains state its sentences, and the mark of what is its own.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::align::{Aligned, Evidence, Verdict};
use super::citations::without;
use super::sentences::sentences;
use crate::graph::{EntityId, Kind};
use crate::language::recognise::Reading;
use crate::pipeline::answer::extractive::{ReadInput, corrections};
use crate::pipeline::answer::stance::denies;
use crate::pipeline::answer::statements::statements;
use crate::pipeline::answer::wording::Wording;
use crate::run::event::{Answer, AnswerLine, AnswerPart, MentionOrigin};
use crate::text::{StopWords, sanitise, sanitise_line};

/// An entity that a sentence names.
struct Named {
    entity: EntityId,
    part: AnswerPart,
    /// The sentence denies or warns.
    denied: bool,
}

/// The answer that a text makes without a graph. Nothing supports it, and it says so.
pub(super) fn answer(input: &ReadInput<'_>, written: &str) -> Answer {
    answer_with(input, written, None)
}

/// The answer that a text makes beside kept chains: what they state too cites them, whatever the model cited, and the rest is marked. `forbids`: whether
/// the safety pass speaks against a drug.
pub(crate) fn cited_answer(input: &ReadInput<'_>, written: &str, forbids: &dyn Fn(EntityId) -> bool) -> Answer {
    let of_question = input.anchors.of_question().map(|anchor| anchor.entity);
    let subjects = of_question.chain(input.assessment.leading().map(|(entity, _)| entity)).collect();
    let statements = statements(input);
    let evidence = Evidence::new(&input.knowledge.graph, &statements, subjects, forbids);
    Answer { corrected: corrections(input), ..answer_with(input, written, Some(&evidence)) }
}

fn answer_with(input: &ReadInput<'_>, written: &str, evidence: Option<&Evidence<'_>>) -> Answer {
    let mut text = String::new();
    let mut lines = Vec::new();
    let mut named: Vec<Named> = Vec::new();
    let mut cited: BTreeSet<u32> = BTreeSet::new();
    let plain = without(&sanitise(written.trim()));
    for (at, line) in plain.lines().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        let (first, begin) = (named.len(), text.len());
        let mut of_line: BTreeSet<u32> = BTreeSet::new();
        let mut unsupported = false;
        let mut written_to = 0;
        for range in sentences(line) {
            let sentence = &line[range.clone()];
            let mut of_sentence = names(input, sentence);
            let aligned = evidence.map(|evidence| evidence.align(&sanitise_line(&plain_line(sentence)).replace("**", "")));
            text.push_str(&line[written_to..range.start]);
            match aligned {
                Some(Aligned { verdict: Verdict::Supported, citations, .. }) if !of_sentence.is_empty() => {
                    let ids: String = citations.iter().map(|id| format!("[{id}]")).collect();
                    text.push_str(&with_mark(sentence, &ids, input.wording));
                    of_line.extend(citations);
                }
                _ if of_sentence.is_empty() => text.push_str(sentence),
                aligned => {
                    let is_contradicted = aligned.is_some_and(|aligned| aligned.verdict == Verdict::Contradicted);
                    of_sentence.iter_mut().for_each(|named| named.denied |= is_contradicted);
                    text.push_str(&with_mark(sentence, &input.wording.answer.own, input.wording));
                    unsupported = true;
                }
            }
            written_to = range.end;
            named.extend(of_sentence);
        }
        text.push_str(&line[written_to..]);
        if let Some(subject) = named[first..].iter().find(|n| input.intent.asks(n.part)).or_else(|| named[first..].first()) {
            lines.push(AnswerLine {
                part: subject.part,
                entity: input.knowledge.graph.entity_name(subject.entity).to_owned(),
                role: None,
                text: plain_line(&text[begin..]),
                citations: of_line.iter().copied().collect(),
                passages: Vec::new(),
                also: others_of_part(input, &named[first..], subject),
                unsupported,
            });
        }
        cited.extend(of_line);
    }
    if cited.is_empty() {
        text.push_str("\n\n");
        text.push_str(&input.wording.answer.uncited);
    }
    let grounded = !cited.is_empty();
    Answer {
        text,
        entities: result(input, &named),
        citations: cited.into_iter().collect(),
        lines,
        grounded,
        by_model: true,
        ..Answer::default()
    }
}

fn names(input: &ReadInput<'_>, sentence: &str) -> Vec<Named> {
    let graph = &input.knowledge.graph;
    let mut reading = Reading::of(sentence, 0, MentionOrigin::Hypothesis, StopWords::built_in());
    let denied = denies(sentence);
    let best = |mention: &crate::language::recognise::NameMention| {
        let by = mention.entities.iter().min_by_key(|(entity, exact)| (!exact, std::cmp::Reverse(graph.degree(*entity)), *entity));
        by.map(|(entity, _)| *entity)
    };
    let entities: Vec<EntityId> = reading.names(graph.names()).iter().filter_map(best).collect();
    entities.into_iter().map(|entity| Named { entity, part: part_of(input, entity, denied), denied }).collect()
}

/// The other entities of a line that belong to the same part as its subject, in the order of the text, each once. What a sentence denies is
/// left out, except from a caution.
fn others_of_part(input: &ReadInput<'_>, named: &[Named], subject: &Named) -> Vec<String> {
    let graph = &input.knowledge.graph;
    let others = named.iter().filter(|n| n.part == subject.part && (!n.denied || n.part == AnswerPart::Cautions));
    // Homonyms are two entities, and one name.
    let mut seen = HashSet::from([graph.entity_name(subject.entity)]);
    others.map(|n| graph.entity_name(n.entity)).filter(|name| seen.insert(*name)).map(str::to_owned).collect()
}

/// The part of an answer that an entity belongs to, by its kind. A treatment that the sentence warns of is no proposal.
fn part_of(input: &ReadInput<'_>, entity: EntityId, denied: bool) -> AnswerPart {
    match input.knowledge.graph.kind(entity) {
        Kind::Drug | Kind::DrugClass | Kind::Treatment if denied => AnswerPart::Cautions,
        Kind::Drug | Kind::DrugClass | Kind::Treatment => AnswerPart::Treatments,
        Kind::Test => AnswerPart::Tests,
        _ if input.knowledge.is_condition(entity) => AnswerPart::Conditions,
        _ => AnswerPart::Findings,
    }
}

/// What the answer states as its result: the parts asked for alone, where there is anything of them, in the order of the text.
fn result(input: &ReadInput<'_>, named: &[Named]) -> Vec<String> {
    let proposed = named.iter().filter(|n| !n.denied || input.intent.asks(AnswerPart::Cautions));
    let mut places: HashMap<EntityId, (bool, usize)> = HashMap::new();
    for (at, n) in proposed.enumerate() {
        let place = (!input.intent.asks(n.part), at);
        let best = places.entry(n.entity).or_insert(place);
        *best = place.min(*best);
    }
    let mut order: Vec<_> = places.into_iter().map(|(entity, place)| (place, entity)).collect();
    order.sort_unstable();
    if order.iter().any(|((beside, _), _)| !beside) {
        order.retain(|((beside, _), _)| !beside);
    }
    // Homonyms are two entities, and one name.
    let mut seen = HashSet::new();
    let names = order.into_iter().map(|(_, entity)| input.knowledge.graph.entity_name(entity));
    names.filter(|name| seen.insert(*name)).map(str::to_owned).collect()
}

/// A sentence with a mark (its citations, or that it is the model's own) before its full stop, where it has one.
fn with_mark(sentence: &str, own: &str, wording: &Wording) -> String {
    let trimmed = sentence.trim_end();
    let blank = if wording.is_chinese() { "" } else { " " };
    let end = trimmed.char_indices().next_back().filter(|(_, c)| matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '；'));
    let (head, tail) = trimmed.split_at(end.map_or(trimmed.len(), |(at, _)| at));
    format!("{head}{blank}{own}{tail}{}", &sentence[trimmed.len()..])
}

/// A line of a model's text as [`AnswerLine::text`] has it: without its citations, and without what makes it an item of a list.
pub(crate) fn plain_line(line: &str) -> String {
    without(line).trim().trim_start_matches(['-', '*', '•', '#', ' ']).to_owned()
}

/// The marks of what is a model's own, where they stand in a text: byte offset and length, in order.
pub(crate) fn is_own(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> =
        Wording::own_marks().iter().flat_map(|mark| text.match_indices(mark).map(|(at, mark)| (at, mark.len()))).collect();
    found.sort_unstable();
    found
}
