//! Replaces findings by more telling ones where the case makes them so ([`crate::language::refinements`]).

use super::case::Draft;
use super::course::Course;
use super::intent::Intent;
use super::named::Named;
use super::patient::YEAR;
use crate::graph::EntityId;
use crate::language::knowledge::{Knowledge, named};
use crate::language::recognise::{NameMention, Span};
use crate::language::refinements::{Refinement, Term};
use crate::run::{Case, CaseFinding, ConditionStatus, FindingStatus};

/// Replaces what the question tells, in its names and what they are to the case.
pub(super) fn refine(knowledge: &Knowledge, (draft, intent): (&Draft<'_>, &Intent), names: &mut [NameMention], told: &mut [Named]) {
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
    for name in names {
        let of_name = changed.iter().find(|(span, told, _)| *span == name.span && name.entities.iter().any(|(entity, _)| entity == told));
        if let Some((_, _, into)) = of_name {
            name.entities = vec![(*into, false)];
        }
    }
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
