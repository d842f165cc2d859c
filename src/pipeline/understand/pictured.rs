//! What a question's words say by themselves: the conditions whose clinical pictures have them, and findings of the likeliest that are said
//! in part ([`crate::language::pictures`]).

use super::case::Draft;
use super::intent::Intent;
use super::named::{Class, Named};
use crate::graph::{EntityId, Kind, Role};
use crate::language::direction::result_at;
use crate::language::knowledge::Knowledge;
use crate::language::negation::is_denying;
use crate::language::pictures::{Recognised, Words, clear_picture};
use crate::language::recognise::{NameMention, Span};
use crate::pipeline::differential::evidence::explains;
use crate::run::ResultDirection;
use crate::text::{Token, clause_around};

/// The most conditions that are ranked.
const MOST_CONDITIONS: usize = 40;
/// The conditions of which findings are read in part: so many, at least so near to the best, and that one of at least such a score.
const LIKELY: usize = 3;
const NEAR_BEST: f64 = 0.75;
const TRUSTED: f64 = 12.0;
/// A clear picture does not lead if an emergency that is kin has this share of its score; that of an emergency, if a lesser condition that is kin
/// has so much.
const AS_LIKELY: f64 = 0.8;
const AS_WELL: f64 = 0.9;
/// The same of a lesser condition that it comes of and that explains as much.
const LESSER: f64 = 0.6;
/// The most findings that are read in part.
const MOST_FINDINGS: usize = 4;

/// What the words say by themselves.
#[derive(Debug, Default)]
pub(super) struct Pictured {
    /// Conditions by BM25, best first.
    pub(super) conditions: Vec<(EntityId, f64)>,
    /// The one that fits clearly better than the others.
    pub(super) recognised: Option<Recognised>,
    /// Findings of the likeliest that are said in part.
    pub(super) findings: Vec<NameMention>,
}

impl Pictured {
    /// `named`: what was read; `idle`: drugs that are not in use; `of_results`: what results amount to.
    pub(super) fn of(
        knowledge: &Knowledge,
        (draft, intent): (&Draft<'_>, &Intent),
        (named, idle): (&[Named], &[Span]),
        of_results: impl Iterator<Item = EntityId>,
    ) -> Self {
        let (graph, pictures, tokens) = (&knowledge.graph, knowledge.pictures(), &draft.tokens);
        let silent = draft.silent();
        let is_idle = |at: usize| idle.iter().any(|span| (span.first..span.last).contains(&at));
        // A normal result speaks for nothing, and no result is a finding said in part: its value says what it is.
        let in_result = |at: usize, is_one: &dyn Fn(ResultDirection) -> bool| {
            draft.results.iter().any(|result| is_one(result.direction) && (result.span.first..result.span.last).contains(&at))
        };
        let is_normal = |at: usize| in_result(at, &|direction| matches!(direction, ResultDirection::Normal | ResultDirection::Negative));
        // What is told describes the case, also how it is asked and what was before; only what is denied, normal or another's does not.
        let tells = |at: usize| {
            let marks = draft.scopes.at(at);
            !marks.family && !marks.resolved && !marks.absent && !is_normal(at) && !silent.get(at).copied().unwrap_or(false)
        };
        let is_of_now = |at: usize| {
            let is_cue = intent.cue_tokens.get(at).copied().unwrap_or(false);
            tells(at) && !is_cue && !draft.scopes.at(at).past && !draft.layout.is_heading(at) && !is_idle(at)
        };
        let own = pictures.words(tokens, tells);
        let mut words = own.clone();
        let of_results: Vec<EntityId> = of_results.collect();
        let read: Vec<EntityId> = named
            .iter()
            .filter(|named| named.class != Class::Drug && tells(named.span.first))
            .map(|named| named.entity)
            .chain(of_results.iter().copied())
            .collect();
        for entity in &read {
            pictures.add_name(&mut words, graph.entity_name(*entity));
        }
        let mut conditions = pictures.rank(&words, MOST_CONDITIONS);
        // That a condition is named says nothing of how well the rest fits its picture.
        for condition in named.iter().filter(|named| named.class == Class::Condition).map(|named| named.entity) {
            if let Some(ranked) = conditions.iter_mut().find(|(ranked, _)| *ranked == condition) {
                let is_name =
                    |at: usize| named.iter().any(|named| named.entity == condition && (named.span.first..named.span.last).contains(&at));
                let mut rest: Words = own.iter().enumerate().map(|(at, word)| word.filter(|_| !is_name(at))).collect();
                for other in read.iter().filter(|other| **other != condition) {
                    pictures.add_name(&mut rest, graph.entity_name(*other));
                }
                ranked.1 = pictures.score(&rest, condition);
            }
        }
        conditions.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let best = conditions.first().map_or(0.0, |(_, score)| *score);
        let is_drug = |at: usize| named.iter().any(|named| named.class == Class::Drug && (named.span.first..named.span.last).contains(&at));
        let without_drugs: Words = words.iter().enumerate().map(|(at, word)| word.filter(|_| !is_drug(at))).collect();
        let named_conditions = named.iter().filter(|named| named.class == Class::Condition && tells(named.span.first));
        let named_conditions: Vec<EntityId> = named_conditions.map(|named| named.entity).collect();
        // What a drug may do is no picture of a patient who only takes it.
        let told = named.iter().filter(|named| named.class == Class::Finding && tells(named.span.first));
        let told: Vec<EntityId> = told.map(|named| named.entity).collect();
        // Nor is a condition that is only named ("slipped disc: what helps?") a picture of another that it may lead to.
        let is_condition =
            |at: usize| named.iter().any(|named| named.class == Class::Condition && (named.span.first..named.span.last).contains(&at));
        let mut beside_names: Words = own.iter().enumerate().map(|(at, word)| word.filter(|_| !is_drug(at) && !is_condition(at))).collect();
        // Nor is a result that such a condition explains: a low haemoglobin in a known iron deficiency.
        let is_explained = |result: &EntityId| named_conditions.iter().any(|condition| explains(knowledge, *condition, *result));
        let unexplained = of_results.iter().filter(|result| !is_explained(result));
        unexplained.for_each(|result| pictures.add_name(&mut beside_names, graph.entity_name(*result)));
        let is_described = |condition: EntityId| {
            pictures.score(&without_drugs, condition) >= TRUSTED
                && (!told.is_empty() || named_conditions.is_empty() || pictures.score(&beside_names, condition) >= TRUSTED)
        };
        let recognised =
            recognise(knowledge, &conditions, (&named_conditions, &told)).filter(|recognised| is_described(recognised.condition));
        if best < TRUSTED {
            return Self { conditions, recognised, findings: Vec::new() };
        }
        let own = pictures.words(tokens, is_of_now);
        let is_read = |at: usize| named.iter().any(|named| (named.span.first..named.span.last).contains(&at));
        let says_new = |span: &Span| {
            let is_new = (span.first..span.last).any(|at| own.get(at).copied().flatten().is_some() && !is_read(at));
            let is_result = (span.first..span.last).any(|at| in_result(at, &|_| true)) || is_called_normal(tokens, span);
            is_new && !is_result && !tokens.get(span.first..span.last).unwrap_or_default().iter().any(is_denying)
        };
        let together = |one: usize, other: usize| draft.layout.is_one_sentence(one, other);
        let mut found: Vec<(f64, Span, EntityId)> = Vec::new();
        for (condition, _) in conditions.iter().take(LIKELY).filter(|(_, score)| *score >= NEAR_BEST * best) {
            for fact in knowledge.facts().players(*condition).iter() {
                let may_be = matches!(fact.role, Role::Symptom | Role::RedFlag) && matches!(graph.kind(fact.other), Kind::Symptom);
                let is_known = named.iter().any(|named| named.entity == fact.other) || found.iter().any(|(.., known)| *known == fact.other);
                if !may_be || is_known {
                    continue;
                }
                let said = pictures.partly_said(graph.base(), fact.other, (tokens, &own), &together).filter(|said| says_new(&said.span));
                found.extend(said.map(|said| (said.share, said.span, fact.other)));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
        // Of findings said by the same words the one that is said most.
        let mut findings: Vec<NameMention> = Vec::new();
        for (_, span, entity) in found {
            let overlaps = findings.iter().any(|known| known.span.first < span.last && span.first < known.span.last);
            if !overlaps && findings.len() < MOST_FINDINGS {
                findings.push(NameMention { span, entities: vec![(entity, false)], recogniser: "clinical picture" });
            }
        }
        Self { conditions, recognised, findings }
    }
}

/// The condition whose picture fits clearly better than every other's; it is not clear if the pictures cannot tell it from its kin. `ranked`: conditions
/// by BM25, best first; `named`: conditions that the question names; `told`: its findings.
fn recognise(knowledge: &Knowledge, ranked: &[(EntityId, f64)], (named, told): (&[EntityId], &[EntityId])) -> Option<Recognised> {
    let (graph, facts) = (&knowledge.graph, knowledge.facts());
    let comes_of = |condition: EntityId, other: EntityId| {
        facts.states(condition, other, |role| matches!(role, Role::Broader | Role::Cause))
            || facts.states(other, condition, |role| role == Role::Complication)
    };
    let is_kin = |one: EntityId, other: EntityId| comes_of(one, other) || comes_of(other, one);
    let recognised = clear_picture(ranked, is_kin).filter(|recognised| knowledge.pictures().is_told(recognised.condition))?;
    let condition = recognised.condition;
    let is_emergency = |condition: EntityId| graph.attributes(condition).get("urgency") == Some("emergency");
    // A lack of neutrophils and the sepsis that comes of it, a thrombosis and its embolism: told alike, and the findings tell them apart.
    let as_likely = if is_emergency(condition) { AS_WELL } else { AS_LIKELY };
    let least = as_likely * ranked.first().map_or(0.0, |(_, score)| *score);
    let is_rival =
        |(other, score): &(EntityId, f64)| *score >= least && is_emergency(*other) != is_emergency(condition) && is_kin(condition, *other);
    // What comes of a lesser condition must explain more than that does: a swollen calf alone is a thrombosis, no embolism yet.
    let explained = |condition: EntityId| told.iter().filter(|finding| explains(knowledge, condition, **finding)).count();
    let is_enough = |(other, score): &(EntityId, f64)| {
        let is_lesser = is_emergency(condition) && !is_emergency(*other) && comes_of(condition, *other);
        is_lesser && *score >= LESSER * ranked.first().map_or(0.0, |(_, best)| *best) && explained(*other) >= explained(condition).max(1)
    };
    // "Is it shingles?": what comes of the condition that is named is not what the question is about, unless it is dangerous.
    let is_of_named = || !is_emergency(condition) && named.iter().any(|named| *named != condition && comes_of(condition, *named));
    if is_of_named() {
        return None;
    }
    let is_like_kin = ranked.iter().any(|other| is_rival(other) || is_enough(other));
    Some(if is_like_kin { Recognised { clear: false, unmistakable: false, is_like_kin, ..recognised } } else { recognised })
}

/// Whether the words of a span, or those behind it in its clause, call it normal or negative: "metanephrines normal", "ears hear ok".
pub(super) fn is_called_normal(tokens: &[Token], span: &Span) -> bool {
    let ends = clause_around(tokens, span.last.saturating_sub(1)).end;
    (span.first..ends)
        .filter_map(|at| result_at(tokens, at))
        .any(|found| matches!(found.means, ResultDirection::Normal | ResultDirection::Negative))
}
