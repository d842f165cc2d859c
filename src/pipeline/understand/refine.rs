//! Replaces what is named by what is meant: findings by more telling ones where the case makes them so ([`crate::language::refinements`]), and "the
//! diabetes" by the type 2 diabetes that was named before.

use super::case::Draft;
use super::course::Course;
use super::intent::Intent;
use super::named::{Class, Named, class_of};
use super::patient::YEAR;
use crate::graph::{EntityId, classes_of};
use crate::language::knowledge::{Knowledge, named};
use crate::language::lay::is_part_of_body;
use crate::language::recognise::{NameMention, Span};
use crate::language::refinements::{Refinement, Term};
use crate::run::{Case, CaseFinding, ConditionStatus, FindingStatus};
use crate::text::clause_around;

/// Words before a name that refer to what was named before.
const DEFINITE: [&str; 8] = ["the", "his", "her", "their", "its", "my", "this", "that"];

/// What the graph calls the state of being pregnant.
const PREGNANCY: &str = "Pregnancy";
/// … and the weeks after a birth.
const POSTPARTUM: &str = "Postpartum period";
/// Parts of the body of which bleeding in pregnancy may be told.
const TRUNK: [&str; 19] = [
    "belly",
    "tummy",
    "stomach",
    "abdomen",
    "pelvis",
    "groin",
    "womb",
    "uterus",
    "cervix",
    "vagina",
    "vulva",
    "back",
    "side",
    "shoulder",
    "shoulders",
    "pelvic",
    "abdominal",
    "vaginal",
    "sided",
];
/// Before these, and behind, something is feared or stopped, and does not happen.
const FEARED: [&str; 12] = ["risk", "risks", "cause", "causes", "stop", "stops", "prevent", "prevents", "avoid", "if", "might", "case"];
const RISKS: [&str; 7] = ["risk", "risks", "disorder", "disorders", "time", "tendency", "gums"];

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
        let of_it = refinements.of_finding(&knowledge.graph, named.entity);
        // What merely happens, such as bleeding, is no finding of the case by itself.
        let happens = named.class == Class::Other && !of_it.is_empty() && is_told(draft, named.span);
        let plain = CaseFinding { start: draft.span(named.span).0, ..CaseFinding::default() };
        let Some(finding) = case.findings.iter().find(is_it).or_else(|| happens.then_some(&plain)) else { continue };
        if let Some(refinement) = of_it.iter().find(|refinement| holds(knowledge, (&case, &course), finding, refinement)) {
            changed.push((named.span, named.entity, refinement.into));
            (named.entity, named.class) = (refinement.into, class_of(knowledge, refinement.into));
        }
    }
    replace(names, &changed);
}

/// Whether it is told that something happens to the patient, in the parts of the body that the rest of the case is about: not that it may, nor that the
/// nose bleeds of a pregnant woman.
fn is_told(draft: &Draft<'_>, span: Span) -> bool {
    let marks = draft.scopes.at(span.first);
    let word = |at: usize| draft.tokens.get(at).map_or("", |token| token.text.as_str());
    let clause = clause_around(&draft.tokens, span.first);
    let is_elsewhere = |at: usize| is_part_of_body(&[word(at).to_owned()]) && !TRUNK.contains(&word(at));
    // Who cannot stop it, or is not sure whether it is much, bleeds.
    let is_denied = |at: usize| matches!(word(at), "cant" | "cannot" | "couldnt" | "wont" | "doesnt" | "not" | "sure" | "unsure");
    let is_fear = |at: usize| FEARED.contains(&word(at)) && !at.checked_sub(1).is_some_and(is_denied);
    let is_feared = (clause.start..span.first).any(is_fear) || RISKS.contains(&word(span.last));
    !(marks.absent || marks.family || marks.resolved || marks.past || marks.risk || is_feared || clause.into_iter().any(is_elsewhere))
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
        // A question says of the patient that she is pregnant, and when she was.
        Term::Held(name, _) if name == PREGNANCY => case.patient.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant),
        Term::Held(name, _) if name == POSTPARTUM && case.patient.pregnancy.is_some_and(|pregnancy| pregnancy.postpartum) => true,
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

#[cfg(test)]
mod tests {
    use crate::pipeline::understand::tests::read;

    fn findings(text: &str) -> Vec<String> {
        read(text).findings.iter().filter_map(|finding| finding.entity.clone()).collect()
    }

    #[test]
    fn bleeding_in_pregnancy_is_vaginal_unless_another_part_bleeds_or_it_is_only_feared() {
        let name = "Vaginal bleeding in pregnancy".to_owned();
        for text in [
            "I'm 8 weeks pregnant and bleeding. What should I do?",
            "Pregnant 10 weeks, started to bleed. Is that normal?",
            "38 weeks pregnant, bleeding, no pain. What is it?",
            "25F, 7 weeks pregnant, one-sided pelvic pain and bleeding. What next?",
            "怀孕8周出血，怎么办？",
        ] {
            assert!(findings(text).contains(&name), "{text}: {:?}", findings(text));
        }
        for text in [
            "8 weeks pregnant, my nose is bleeding. What should I do?",
            "20 weeks pregnant, bleeding gums. What is it?",
            "12 weeks pregnant, no bleeding, tired. What is it?",
            "Pregnant, is there a risk of bleeding with aspirin?",
            "I am bleeding and not pregnant. What is it?",
        ] {
            assert!(!findings(text).contains(&name), "{text}: {:?}", findings(text));
        }
    }

    #[test]
    fn a_child_who_falls_and_vomits_has_a_head_injury() {
        let conditions = |text: &str| -> Vec<String> { read(text).conditions.iter().filter_map(|of| of.entity.clone()).collect() };
        for text in
            ["My 8 month old fell off the bed and keeps vomiting since. What should I do?", "八个月宝宝从床上摔下来，之后一直吐，怎么办？"]
        {
            assert!(conditions(text).contains(&"Head injury".to_owned()), "{text}: {:?}", read(text));
        }
        assert!(!conditions("82F, falls and vomiting for two days. What is it?").contains(&"Head injury".to_owned()));
    }
}
