//! Linking mentions to entities (HyKGE 2025, §4.2.1): an exact name or alias scores 1, anything else the cosine of the encoder's vectors if
//! it exceeds δ.

use std::collections::{HashMap, HashSet};

use super::context::{RunContext, StageError};
use super::denying::contradicts;
use super::direction::direction_of;
use super::knowledge::named;
use super::lay::is_part_of_body;
use super::partial_matches::{self, PartialMatches, Place};
use super::pictures::Recognised;
use super::recognise::{NameMention, Phrase, Reading, Span};
use super::resemblance::may_mean_by_likeness;
use crate::graph::{EntityId, EvolvingGraph};
use crate::run::case::{Case, ConditionStatus, DrugStatus, FindingStatus};
use crate::run::event::{Anchor, AnchorOrigin, EventKind, MentionOrigin};
use crate::run::triage::Triage;
use crate::text::{StopWords, sanitise_line, tokenise};

/// Score of a name that matches except for its inflection ("headaches" for *Headache*).
const INFLECTED: f64 = 0.97;
/// Bonus of a candidate span for each word after the first: "stomach pain" says more than "pain".
const LONGER_SPAN: f64 = 0.02;
/// The number of nearest names that are examined for each candidate span.
const NEAREST: usize = 8;
/// Names that contain all words of a phrase and more are equally likely if their scores differ by no more than this: "chest pain" means
/// neither *burning chest pain* nor *sharp chest pain* in particular, so the one with the most triples is chosen.
const QUALIFIED: f64 = 0.08;
/// The most anchors from the text of one run; every pair of them is searched.
const MOST_ANCHORS: usize = 48;
/// The most anchors from a language model's text.
const MOST_OF_MODEL: usize = 24;
/// The most anchors that the doctor can add.
const MOST_ADDED: usize = 16;

/// An anchor, in the graph's numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Linked {
    pub(crate) entity: EntityId,
    pub(crate) score: f64,
    pub(crate) origin: AnchorOrigin,
    pub(crate) mention: String,
}

impl Linked {
    fn described(&self, graph: &EvolvingGraph) -> Anchor {
        Anchor {
            entity: graph.entity_name(self.entity).to_owned(),
            kind: graph.kind(self.entity).as_str().to_owned(),
            score: self.score,
            origin: self.origin,
            mention: self.mention.clone(),
            by_model: false,
        }
    }
}

fn warn_of_missing(ctx: &mut RunContext<'_>, missing: &[&str]) {
    if !missing.is_empty() {
        let names: Vec<String> = missing.iter().take(8).map(|name| format!("“{}”", sanitise_line(name))).collect();
        ctx.warn(format!("The graph has no entity named {} (any more); it cannot be an anchor.", names.join(", ")));
    }
}

/// The anchors of a run, in the order in which they were first linked.
#[derive(Debug, Default)]
pub(crate) struct Anchors {
    pub(crate) all: Vec<Linked>,
    /// Terms of the question that link to nothing.
    pub(crate) unlinked: Vec<String>,
    /// Names that the question's words come near to, linked or not.
    pub(crate) partial_matches: PartialMatches,
    /// Conditions by how well their clinical pictures fit the question's words (BM25), best first.
    pub(crate) pictures: Vec<(EntityId, f64)>,
    /// The condition whose picture fits clearly better than the others'.
    pub(crate) recognised: Option<Recognised>,
    turned_away: usize,
    /// Entities beside which a language model names these; `None`: no language model does.
    beside: Option<HashSet<EntityId>>,
}

impl Anchors {
    /// Notes what names nothing in the graph, and tells the listeners.
    pub(crate) fn leave_unlinked(&mut self, ctx: &mut RunContext<'_>, reading: &Reading<'_>, spans: &[Span]) {
        for span in spans {
            ctx.emit(EventKind::MentionFound { mention: reading.mention(span, "candidate") });
            let text = reading.text_of(span).to_owned();
            self.unlinked.push(text.clone());
            ctx.emit(EventKind::MentionUnlinked { text });
        }
    }

    /// Adds a link and tells the listeners. An entity that is already linked keeps its better score, and its origin is
    /// both if question and hypothesis name it.
    pub(super) fn take(&mut self, ctx: &mut RunContext<'_>, link: Linked) {
        if self.beside.as_ref().is_some_and(|known| known.contains(&link.entity)) {
            return;
        }
        let by_model = self.beside.is_some();
        let full = self.all.len() >= if by_model { MOST_OF_MODEL } else { MOST_ANCHORS };
        let anchor = match self.all.iter_mut().find(|known| known.entity == link.entity) {
            Some(known) => {
                let before = known.clone();
                if known.origin != link.origin {
                    known.origin = AnchorOrigin::Both;
                }
                if link.score > known.score {
                    (known.score, known.mention) = (link.score, link.mention);
                }
                if *known == before {
                    return;
                }
                known.clone()
            }
            None if full => {
                self.turned_away += 1;
                return;
            }
            None => {
                self.all.push(link.clone());
                link
            }
        };
        ctx.emit(EventKind::AnchorLinked { anchor: Anchor { by_model, ..anchor.described(&ctx.knowledge.graph) } });
    }

    /// None yet, of a language model's text: what these name is left to them.
    pub(crate) fn beside(known: &Self) -> Self {
        Self { beside: Some(known.all.iter().map(|anchor| anchor.entity).collect()), ..Self::default() }
    }

    /// Forgets what was linked and what was not; how the question was understood stays.
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.unlinked.clear();
        self.turned_away = 0;
    }

    /// These alone.
    pub(crate) fn of(all: Vec<Linked>) -> Self {
        Self { all, ..Self::default() }
    }

    /// Leaves out what the doctor rejected.
    pub(crate) fn reject(&mut self, graph: &EvolvingGraph, triage: &Triage) {
        self.all.retain(|anchor| !triage.rejected_anchors.contains(graph.entity_name(anchor.entity)));
    }

    /// The anchors of a trace. Those that the graph does not have are left out, with a warning.
    pub(crate) fn of_trace<'t>(ctx: &mut RunContext<'_>, linked: impl Iterator<Item = &'t Anchor>, unlinked: &[String]) -> Self {
        let mut anchors = Self { unlinked: unlinked.to_vec(), ..Self::default() };
        let mut missing = Vec::new();
        for anchor in linked {
            match named(&ctx.knowledge.graph, &anchor.entity, &anchor.kind) {
                Some(entity) => {
                    anchors.all.push(Linked { entity, score: anchor.score, origin: anchor.origin, mention: anchor.mention.clone() })
                }
                None => missing.push(anchor.entity.as_str()),
            }
        }
        warn_of_missing(ctx, &missing);
        anchors
    }

    /// Adds what a follow-up question takes over from the case before, and what the doctor added: findings, results, drugs and conditions
    /// without words of their own.
    pub(crate) fn carry(&mut self, ctx: &mut RunContext<'_>, case: &Case) {
        let argues = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
        let findings = case.findings.iter().filter(|item| item.end == 0 && argues(item.status)).map(|item| &item.entity);
        let results = case.results.iter().filter(|item| item.end == 0).map(|item| &item.finding);
        let drugs = case.drugs.iter().filter(|item| item.end == 0 && item.status != DrugStatus::Allergic).map(|item| &item.entity);
        let conditions =
            case.conditions.iter().filter(|item| item.end == 0 && item.status != ConditionStatus::Excluded).map(|item| &item.entity);
        let names: Vec<String> = findings.chain(results).chain(drugs).chain(conditions).flatten().cloned().collect();
        for name in names {
            if let Some(entity) = named(&ctx.knowledge.graph, &name, "") {
                self.take(ctx, Linked { entity, score: 1.0, origin: AnchorOrigin::Question, mention: name });
            }
        }
    }

    /// Applies the doctor's decisions about anchors. A rejected anchor stays rejected even if it is also added. An added one counts as
    /// named by the question. `tell`: whether listeners hear of added anchors.
    pub(crate) fn decide(&mut self, ctx: &mut RunContext<'_>, triage: &Triage, tell: bool) {
        let knowledge = ctx.knowledge;
        let graph = &knowledge.graph;
        self.all.retain(|anchor| !triage.rejected_anchors.contains(graph.entity_name(anchor.entity)));
        let wanted = triage.added_anchors.iter().filter(|name| !triage.rejected_anchors.contains(*name));
        let mut missing = Vec::new();
        for name in wanted.clone().take(MOST_ADDED) {
            let Some(entity) = named(graph, name, "") else {
                missing.push(name.as_str());
                continue;
            };
            let link = Linked { entity, score: 1.0, origin: AnchorOrigin::Question, mention: name.clone() };
            let known = self.all.iter_mut().find(|known| known.entity == entity);
            let told = match known {
                Some(known) => {
                    let origin = if known.origin == AnchorOrigin::Question { known.origin } else { AnchorOrigin::Both };
                    *known = Linked { origin, ..link };
                    known.described(graph)
                }
                None => {
                    let told = link.described(graph);
                    self.all.push(link);
                    told
                }
            };
            if tell {
                ctx.emit(EventKind::AnchorLinked { anchor: told });
            }
        }
        warn_of_missing(ctx, &missing);
        let left_out = wanted.count().saturating_sub(MOST_ADDED);
        if left_out > 0 {
            ctx.warn(format!("At most {MOST_ADDED} anchors can be added; the last {left_out} were left out."));
        }
    }

    /// The anchors by name, for listeners.
    pub(crate) fn described(&self, graph: &EvolvingGraph) -> Vec<Anchor> {
        self.all.iter().map(|anchor| anchor.described(graph)).collect()
    }

    /// Entity numbers, in order.
    pub(crate) fn entities(&self) -> Vec<EntityId> {
        self.all.iter().map(|anchor| anchor.entity).collect()
    }

    /// Anchors that the question names.
    pub(crate) fn of_question(&self) -> impl Iterator<Item = &Linked> {
        self.all.iter().filter(|anchor| anchor.origin != AnchorOrigin::Hypothesis)
    }

    /// Warns if links had to be left out.
    pub(crate) fn report(&self, ctx: &mut RunContext<'_>) {
        if self.turned_away > 0 {
            ctx.warn(format!(
                "The text names more entities than can be searched at once. {} mentions beyond the first {MOST_ANCHORS} entities were left out; ask about fewer things at a time.",
                self.turned_away
            ));
        }
    }
}

/// The entity that a name means, and whether it is named exactly.
pub(crate) fn meant_by(graph: &EvolvingGraph, name: &NameMention) -> Option<(EntityId, bool)> {
    name.entities.iter().min_by_key(|(entity, exact)| (!exact, std::cmp::Reverse(graph.degree(*entity)), *entity)).copied()
}

/// Links the names found in a text. If a name belongs to several entities, an exact match wins, then the entity with the
/// most triples, then the first by name.
pub(crate) fn link_names(
    ctx: &mut RunContext<'_>,
    anchors: &mut Anchors,
    reading: &Reading<'_>,
    names: &[NameMention],
    origin: MentionOrigin,
) {
    for name in names {
        let graph = &ctx.knowledge.graph;
        let Some((entity, exact)) = meant_by(graph, name) else { continue };
        ctx.emit(EventKind::MentionFound { mention: reading.mention(&name.span, name.recogniser) });
        let link = Linked {
            entity,
            score: if exact { 1.0 } else { INFLECTED },
            origin: anchor_origin(origin),
            mention: reading.text_of(&name.span).to_owned(),
        };
        anchors.take(ctx, link);
    }
}

/// Links phrases by similarity, best first, each word at most once, then reports what is left of the question. (What is left of a
/// hypothesis are the model's own words, which nobody asked about.) All names near to words of the question are kept as partial
/// matches. No event is sent before the encoder is done, so that the work can be repeated with another encoder. `may_link`: which entities may
/// be linked to which words at all. Gives what was linked.
pub(crate) fn link_candidates(
    ctx: &mut RunContext<'_>,
    anchors: &mut Anchors,
    reading: &mut Reading<'_>,
    phrases: &[Phrase],
    origin: MentionOrigin,
    may_link: &dyn Fn(&Phrase, EntityId) -> bool,
) -> Result<Vec<(Span, EntityId)>, StageError> {
    let texts: Vec<String> = phrases.iter().map(|phrase| phrase.text.clone()).collect();
    let mut near: Vec<Near> = Vec::new();
    let of_question = origin == MentionOrigin::Question;
    let mut found = PartialMatches::new(reading.tokens.len());
    let (count, above) = if of_question { (partial_matches::NEAREST, partial_matches::threshold(ctx.delta)) } else { (NEAREST, ctx.delta) };
    // In portions, to bound memory and to notice cancellation.
    for (portion, texts) in texts.chunks(128).enumerate() {
        ctx.check()?;
        let vectors = ctx.encode(texts.to_vec())?.normalised();
        let nearest = ctx.knowledge.nearest_names(ctx.vectors, &vectors, count, above)?;
        for (row, names) in nearest.into_iter().enumerate() {
            let number = portion * 128 + row;
            let phrase = &phrases[number];
            // A name with a denial is like the words without it, and says the opposite. What lay words were turned into says its own denial.
            let is_opposite = |name: &str| !phrase.reworded && contradicts(name, &reading.tokens, phrase.span);
            let names: Vec<(usize, f32)> = names.into_iter().filter(|(name, _)| !is_opposite(ctx.knowledge.name(*name))).collect();
            if of_question {
                let place = Place { first: phrase.span.first, last: phrase.span.last, words: reading.words_of(phrase) };
                for (name, cosine) in names.iter().filter(|(name, _)| may_link(phrase, ctx.knowledge.named_by(*name))) {
                    found.take(place, ctx.knowledge.named_by(*name), f64::from(*cosine), above);
                }
            }
            if reading.is_open(phrase) {
                let is_allowed = |name: usize| {
                    let entity = ctx.knowledge.named_by(name);
                    may_link(phrase, entity) && (!phrase.reworded || ctx.knowledge.is_finding(entity))
                };
                let nearest = names.into_iter().take(NEAREST);
                let nearest = nearest.filter(|(name, cosine)| f64::from(*cosine) > ctx.delta - QUALIFIED && is_allowed(*name));
                near.extend(nearest.map(|(name, cosine)| Near { phrase: number, name, cosine: f64::from(cosine).min(1.0) }));
            }
        }
    }
    if of_question {
        anchors.partial_matches = found;
    }
    let mut links = sure_links(ctx, phrases, &near)?;
    links.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
    let mut chosen: Vec<_> = links.into_iter().filter(|(_, _, phrase, _)| reading.cover(&phrases[*phrase])).collect();
    chosen.sort_by_key(|(_, _, phrase, _)| phrases[*phrase].span.first);
    let mut linked = Vec::new();
    for (_, cosine, phrase, entity) in chosen {
        linked.push((phrases[phrase].span, entity));
        let Phrase { span, reworded, .. } = &phrases[phrase];
        ctx.emit(EventKind::MentionFound { mention: reading.mention(span, if *reworded { "lay words" } else { "candidate" }) });
        let mention = reading.text_of(span).to_owned();
        anchors.take(ctx, Linked { entity, score: cosine, origin: anchor_origin(origin), mention });
    }
    if origin == MentionOrigin::Hypothesis {
        return Ok(linked);
    }
    let mut left = reading.leftovers();
    left.extend(reading.denials());
    left.sort_by_key(|span| span.first);
    anchors.leave_unlinked(ctx, reading, &left);
    Ok(linked)
}

/// A name that is near enough to a candidate phrase.
struct Near {
    phrase: usize,
    name: usize,
    cosine: f64,
}

/// Selects near names that say no more than the phrase does. A sum of word vectors is near to any name that contains
/// the phrase's words ("painful" to *Leg pain*), so each word of the name must match a word of the
/// phrase: the cosine is multiplied by how well they match, and must still exceed δ.
///
/// Gives (rank, score, phrase, entity).
fn sure_links(ctx: &RunContext<'_>, phrases: &[Phrase], near: &[Near]) -> Result<Vec<(f64, f64, usize, EntityId)>, StageError> {
    let mut words: Vec<String> = Vec::new();
    let mut slots: HashMap<String, usize> = HashMap::new();
    let mut slots_of = |texts: Vec<String>| -> Vec<usize> {
        texts
            .into_iter()
            .map(|word| {
                *slots.entry(word).or_insert_with_key(|word| {
                    words.push(word.clone());
                    words.len() - 1
                })
            })
            .collect()
    };
    let is_meant = |near: &&Near| may_mean(&phrases[near.phrase].text, ctx.knowledge.name(near.name));
    let near: Vec<&Near> = near.iter().filter(is_meant).collect();
    let compared: Vec<[Vec<usize>; 3]> = near
        .iter()
        .map(|near| {
            let text = &phrases[near.phrase].text;
            let of_phrase = tokenise(text).into_iter().map(|t| t.text).collect();
            [of_phrase, content_words(text), content_words(ctx.knowledge.name(near.name))].map(&mut slots_of)
        })
        .collect();
    let vectors = ctx.encode(words)?.normalised();
    let mut scored: HashMap<usize, Vec<(f64, bool, EntityId)>> = HashMap::new();
    for (near, [of_phrase, content, of_name]) in near.iter().zip(compared) {
        let matched = |name: &usize| {
            let cosines = of_phrase.iter().map(|word| crate::model::dot(vectors.row(*word), vectors.row(*name)));
            f64::from(cosines.fold(0.0, f32::max)).min(1.0)
        };
        let covered = of_name.iter().map(matched).sum::<f64>() / of_name.len().max(1) as f64;
        let qualifies = of_name.len() > content.len() && content.iter().all(|word| of_name.contains(word));
        let score = near.cosine * (0.5 + 0.5 * covered);
        let entity = ctx.knowledge.named_by(near.name);
        let alike = |a: &str, b: &str| match (slots.get(a), slots.get(b)) {
            (Some(a), Some(b)) => f64::from(crate::model::dot(vectors.row(*a), vectors.row(*b))),
            _ => 0.0,
        };
        let kind = ctx.knowledge.graph.kind(entity);
        if may_mean_by_likeness(&phrases[near.phrase].text, ctx.knowledge.name(near.name), kind, score, alike) {
            scored.entry(near.phrase).or_default().push((score, qualifies, entity));
        }
    }
    let link = |(phrase, names): (usize, Vec<(f64, bool, EntityId)>)| {
        let (score, entity) = likeliest(&names, |entity| ctx.knowledge.graph.degree(entity))?;
        let words = phrases[phrase].parts.len();
        (score > ctx.delta).then_some((score + LONGER_SPAN * words.saturating_sub(1) as f64, score, phrase, entity))
    };
    Ok(scored.into_iter().filter_map(link).collect())
}

/// Whether a phrase may mean a name near to it. Opposite directions (slow, fast) never match; and a part of the body alone is not a
/// finding: "nose" is not *Nosebleed*, though it may be *Symptoms of the nose*.
fn may_mean(phrase: &str, name: &str) -> bool {
    let (said, named) = (tokenise(phrase), tokenise(name));
    let of_phrase = content_words(phrase);
    let fits = match (direction_of(&said), direction_of(&named)) {
        (Some(said), Some(named)) => said == named,
        // "Heart rate" is not *Increased heart rate*; "tachycardia", another word for it, may be.
        (None, Some(_)) => !of_phrase.iter().all(|word| named.iter().any(|token| token.text == *word)),
        (_, None) => true,
    };
    let singular = |word: &String| word.strip_suffix('s').unwrap_or(word).to_owned();
    let is_said = |word: String| of_phrase.iter().any(|said| singular(said) == singular(&word));
    fits && (!is_part_of_body(&of_phrase) || content_words(name).into_iter().all(is_said))
}

/// The best score of a phrase's names, and the entity meant: the best-scoring one or, if that and others contain the phrase's words and
/// more, the one of these with the most triples. `names`: score, whether the name says more, entity.
fn likeliest(names: &[(f64, bool, EntityId)], degree: impl Fn(EntityId) -> usize) -> Option<(f64, EntityId)> {
    let best = names.iter().max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.2.cmp(&a.2)))?;
    if !best.1 {
        return Some((best.0, best.2));
    }
    let as_likely = names.iter().filter(|(score, qualifies, _)| *qualifies && *score >= best.0 - QUALIFIED);
    let meant = as_likely.max_by_key(|(score, _, entity)| (degree(*entity), (score * 1e6) as i64, std::cmp::Reverse(*entity)))?;
    Some((best.0, meant.2))
}

/// The content words of a name; all words if there are none.
fn content_words(name: &str) -> Vec<String> {
    let tokens = tokenise(name);
    let stop = StopWords::built_in();
    let content: Vec<String> = tokens.iter().filter(|t| !stop.contains(&t.text)).map(|t| t.text.clone()).collect();
    if content.is_empty() { tokens.into_iter().map(|t| t.text).collect() } else { content }
}

pub(super) fn anchor_origin(origin: MentionOrigin) -> AnchorOrigin {
    match origin {
        MentionOrigin::Question => AnchorOrigin::Question,
        MentionOrigin::Hypothesis => AnchorOrigin::Hypothesis,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_names_that_say_more_than_was_said_the_one_described_most_is_meant() {
        let [burning, sharp, upper, plain] = [0, 1, 2, 3].map(EntityId);
        let degree = |entity: EntityId| [5, 90, 40, 1][entity.0 as usize];
        let names = [(0.80, true, burning), (0.75, true, sharp), (0.70, true, upper)];
        assert_eq!(likeliest(&names, degree), Some((0.80, sharp)));
        assert_eq!(likeliest(&[names[0], (0.71, true, sharp)], degree), Some((0.80, burning)), "too far behind");
        assert_eq!(likeliest(&[names[0], (0.79, false, sharp)], degree), Some((0.80, burning)), "says something else");
        assert_eq!(likeliest(&[(0.95, false, plain), names[0], names[1]], degree), Some((0.95, plain)), "the name itself");
        assert_eq!(likeliest(&[], degree), None);
    }

    #[test]
    fn what_is_slow_means_nothing_fast_and_a_part_of_the_body_alone_no_finding() {
        for (phrase, name) in [
            ("breathing is slow", "Breathing fast"),
            ("heart rate", "Increased heart rate"),
            ("nose", "Nosebleed"),
            ("toe", "Foot or toe pain"),
            ("vaginal", "Vaginal discharge"),
        ] {
            assert!(!may_mean(phrase, name), "{phrase}: {name}");
        }
        for (phrase, name) in [
            ("fast breathing", "Breathing fast"),
            ("losing my hair", "Too little hair"),
            ("weight loss", "Recent weight loss"),
            ("kidneys", "Symptoms of the kidneys"),
            ("pain in my toe", "Foot or toe pain"),
            ("hardly eat any food", "Decreased appetite"),
            ("tachycardia", "Increased heart rate"),
        ] {
            assert!(may_mean(phrase, name), "{phrase}: {name}");
        }
    }
}
