//! Replaces what is named by what is meant: findings by more telling ones where the case makes them so ([`crate::language::refinements`]), and "the
//! diabetes" by the type 2 diabetes that was named before.

use super::case::Draft;
use super::course::Course;
use super::intent::Intent;
use super::named::{Class, Named};
use super::patient::YEAR;
use crate::graph::{EntityId, classes_of};
use crate::language::knowledge::{Knowledge, named};
use crate::language::recognise::{NameMention, Span};
use crate::language::refinements::{Refinement, Term};
use crate::run::{Case, CaseFinding, ConditionStatus, FindingStatus};

/// Words before a name that refer to what was named before.
const DEFINITE: [&str; 8] = ["the", "his", "her", "their", "its", "my", "this", "that"];

/// Replaces what the question tells, in its names and what they are to the case.
pub(super) fn refine(knowledge: &Knowledge, (draft, intent): (&Draft<'_>, &Intent), names: &mut [NameMention], told: &mut [Named]) {
    refer_back(knowledge, draft, names, told);
    let refinements = knowledge.refinements();
    if refinements.is_empty() || told.iter().all(|named| refinements.of_finding(&knowledge.graph, named.entity).is_empty()) {
        return;
    }
    let case = draft.case(knowledge, intent, (told, &[]), &Default::default(), &[]);
    let course = Course::of(draft.text);
    let mut changed: Vec<(Span, EntityId, EntityId)> = Vec::new();
    for named in told.iter_mut() {
        let name = knowledge.graph.entity_name(named.entity);
        let is_it = |finding: &&CaseFinding| {
            finding.entity.as_deref() == Some(name) && matches!(finding.status, FindingStatus::Present | FindingStatus::Uncertain)
        };
        let Some(finding) = case.findings.iter().find(is_it) else { continue };
        let of_it = refinements.of_finding(&knowledge.graph, named.entity);
        if let Some(refinement) = of_it.iter().find(|refinement| holds(knowledge, (&case, &course), finding, refinement)) {
            changed.push((named.span, named.entity, refinement.into));
            named.entity = refinement.into;
        }
    }
    replace(names, &changed);
}

/// Replaces names by what they were found to mean: where they stand, what they name, and what is meant.
fn replace(names: &mut [NameMention], changed: &[(Span, EntityId, EntityId)]) {
    for name in names {
        let of_name = changed.iter().find(|(span, told, _)| *span == name.span && name.entities.iter().any(|(entity, _)| entity == told));
        if let Some((_, _, into)) = of_name {
            name.entities = vec![(*into, false)];
        }
    }
}

/// Replaces a class behind a definite word by the one of its kinds that was named before it: "the diabetes" by "type 2 diabetes".
fn refer_back(knowledge: &Knowledge, draft: &Draft<'_>, names: &mut [NameMention], told: &mut [Named]) {
    let mut changed: Vec<(Span, EntityId, EntityId)> = Vec::new();
    for at in 0..told.len() {
        let Some(named) = told.get(at).filter(|named| named.class == Class::Condition) else { continue };
        let before = named.span.first.checked_sub(1).and_then(|before| draft.tokens.get(before));
        if !before.is_some_and(|token| DEFINITE.contains(&token.text.as_str())) {
            continue;
        }
        let is_kind = |other: &&Named| {
            other.class == Class::Condition
                && other.span.last <= named.span.first
                && classes_of(&knowledge.graph, other.entity).contains(&named.entity)
        };
        let mut kinds = told.iter().filter(is_kind).map(|kind| kind.entity);
        // Of two kinds, nobody knows which is meant.
        if let Some(kind) = kinds.next().filter(|first| kinds.all(|other| other == *first)) {
            changed.push((named.span, named.entity, kind));
        }
    }
    for named in told.iter_mut() {
        if let Some((_, _, into)) = changed.iter().find(|(span, told, _)| *span == named.span && *told == named.entity) {
            named.entity = *into;
        }
    }
    replace(names, &changed);
}

fn holds(knowledge: &Knowledge, (case, course): (&Case, &Course), finding: &CaseFinding, refinement: &Refinement) -> bool {
    let age = case.patient.age_months;
    refinement.terms.iter().all(|term| match term {
        Term::Lasted(days) => finding.days.is_some_and(|lasted| lasted >= *days) && !course.recurs(finding.start),
        Term::From(years) => age.is_some_and(|age| f64::from(age.from) >= years * f64::from(YEAR)),
        Term::To(years) => age.is_some_and(|age| f64::from(age.to) <= years * f64::from(YEAR)),
        Term::Held(..) => term.held(&knowledge.graph).is_some_and(|(held, days)| is_held(knowledge, case, held, days)),
    })
}

/// Whether the case holds a finding or condition, for so many days at least.
fn is_held(knowledge: &Knowledge, case: &Case, held: EntityId, days: f64) -> bool {
    let is_it = |name: &Option<String>| name.as_deref().and_then(|name| named(&knowledge.graph, name, "")) == Some(held);
    let mut findings = case.findings.iter().filter(|finding| is_it(&finding.entity));
    let mut conditions = case.conditions.iter().filter(|condition| is_it(&condition.entity));
    findings.any(|finding| finding.status != FindingStatus::Absent && (days <= 0.0 || finding.days.is_some_and(|lasted| lasted >= days)))
        || days <= 0.0 && conditions.any(|condition| matches!(condition.status, ConditionStatus::Known | ConditionStatus::Past))
}
