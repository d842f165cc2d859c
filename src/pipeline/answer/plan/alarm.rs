//! Whether what can be an emergency is one in this case.
//!
//! Much is an emergency only in company, or when it is new: breathlessness that came suddenly, red pinpoint spots with fever. The graph
//! states what it depends on, as lists of an entity:
//!
//! - `emergency_if`: it is an emergency if one of them holds, and otherwise urgent at most;
//! - `emergency_unless`: it is one unless one of them holds, and urgent then. If it has both, what `emergency_if` names comes first.
//!
//! - `calm_if`: of a finding, it is no reason for haste if one of them holds and nothing that `emergency_if` names: a chest that hurts where it is pressed, in
//!   a young patient who tells of nothing else.
//!
//! An item is the name of an entity that the case must hold, or a word for the course or the patient (see [`Alarm::holds`]); `A & B` asks for both.

use std::collections::BTreeSet;

use super::value_bands;
use crate::graph::{EntityId, Role, classes_of, qualifier_keys as keys};
use crate::language::knowledge::{Knowledge, named};
use crate::language::lab;
use crate::pipeline::differential::evidence::{CaseEvidence, explains, urgency_of};
use crate::pipeline::differential::of_drugs::is_adverse_effect;
use crate::pipeline::understand::course::Course;
use crate::run::{
    Case, CaseCondition, CaseDrug, CaseFinding, CaseResult, ConditionStatus, DrugStatus, FindingStatus, LikelyKind, NotUnderstood,
    PatientSex, ResultDirection, Severity, UrgencyLevel,
};

/// What began at most so many days ago is acute, and what has lasted so many has lasted for days or weeks.
const ACUTE: f64 = 1.0;
const DAYS: f64 = 3.0;
const WEEKS: f64 = 14.0;

/// Months from which on a baby is no young infant any more, in whom every fever is dangerous.
const YOUNG: u16 = 3;

/// Months below which limits of grown-ups say little.
const GROWN_UP: u16 = 16 * 12;

/// The word for a red flag of the entity, or a finding that is an emergency by itself.
const RED_FLAG: &str = "red flag";

/// The words of the lists that are no names of entities.
const WORDS: [&str; 17] = [
    "acute",
    "severe",
    "days",
    "weeks",
    "over",
    "seen",
    "pregnant",
    "pregnant now",
    "young infant",
    "stable",
    "male",
    "pressed",
    "exertion",
    "steady",
    "young",
    "alone",
    RED_FLAG,
];

/// What the graph calls a chest that hurts where it is pressed.
const TENDER: &str = "Chest wall tenderness";

/// Between these ages, in months, somebody is young.
const YOUNG_ADULT: (u16, u16) = (12 * 12, 40 * 12);

/// What makes something an emergency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Company {
    /// Something that the case holds.
    Entity(EntityId),
    /// A word for the course or the patient.
    Word(String),
}

/// The case as far as it decides what is an emergency.
pub(super) struct Alarm<'a> {
    knowledge: &'a Knowledge,
    case: &'a Case,
    course: &'a Course,
    /// What the patient has or takes, with the classes of each.
    held: BTreeSet<EntityId>,
    /// The same, of what is not sure.
    perhaps: BTreeSet<EntityId>,
    /// Findings that only values tell which are no reason for haste by themselves.
    mild: BTreeSet<EntityId>,
}

impl<'a> Alarm<'a> {
    pub(super) fn of(knowledge: &'a Knowledge, case: &'a Case, evidence: &CaseEvidence, course: &'a Course) -> Self {
        let graph = &knowledge.graph;
        let with_classes = |names: Vec<&str>| -> BTreeSet<EntityId> {
            let entities: Vec<EntityId> = names.into_iter().filter_map(|name| named(graph, name, "")).collect();
            let classes = entities.iter().flat_map(|entity| classes_of(graph, *entity)).collect::<Vec<_>>();
            entities.into_iter().chain(classes).collect()
        };
        let findings = |status| case.findings.iter().filter(move |f| f.status == status).filter_map(|f| f.entity.as_deref());
        let results = case.results.iter().filter_map(|result| result.finding.as_deref());
        let has = ConditionStatus::is_had;
        let conditions = case.conditions.iter().filter(|c| has(c.status)).filter_map(|c| c.entity.as_deref());
        let takes = DrugStatus::is_in_use;
        let drugs = case.drugs.iter().filter(|drug| takes(drug.status)).filter_map(|drug| drug.entity.as_deref());
        let mut held = with_classes(findings(FindingStatus::Present).chain(results).chain(conditions).chain(drugs).collect());
        held.extend(evidence.states.iter().copied());
        let perhaps = with_classes(findings(FindingStatus::Uncertain).collect());
        let mild = mild_findings(knowledge, case, course);
        Self { knowledge, case, course, held, perhaps, mild }
    }

    /// Whether only values tell a finding that are no reason for haste by themselves: a potassium of 5.6 mmol/l.
    pub(super) fn is_mild(&self, finding: EntityId) -> bool {
        self.mild.contains(&finding)
    }

    /// How urgent a finding or result is in this case.
    pub(super) fn of_finding(&self, entity: EntityId) -> Option<UrgencyLevel> {
        self.level(entity, true)
    }

    /// How urgent a condition is in this case. If the patient has it, and the question does not call it mild, it is there whether its signs are told or
    /// not; what is only suspected needs them as any other.
    pub(super) fn of_condition(&self, condition: EntityId) -> Option<UrgencyLevel> {
        let name = self.knowledge.graph.entity_name(condition);
        let is_it = |told: &&CaseCondition| told.status == ConditionStatus::Known && told.entity.as_deref() == Some(name);
        let mut told = self.case.conditions.iter().filter(is_it);
        let is_named = told.any(|told| !(told.end > told.start && self.course.is_mild(told.start)));
        self.level(condition, !is_named)
    }

    fn level(&self, entity: EntityId, needs_company: bool) -> Option<UrgencyLevel> {
        let stored = match urgency_of(self.knowledge, entity) {
            Some("emergency") => Some(UrgencyLevel::Emergency),
            Some("urgent") => Some(UrgencyLevel::Urgent),
            Some(_) => Some(UrgencyLevel::Routine),
            None => None,
        };
        let attributes = self.knowledge.graph.attributes(entity);
        let (makes, unmakes) = (|term: &str| self.holds(term, entity, true), |term: &str| self.holds(term, entity, false));
        if attributes.list(keys::EMERGENCY_IF).any(makes) {
            return Some(UrgencyLevel::Emergency);
        }
        if self.is_mild(entity) {
            return None;
        }
        if attributes.list(keys::CALM_IF).any(unmakes) {
            return Some(UrgencyLevel::Routine);
        }
        let depends = attributes.get(keys::EMERGENCY_UNLESS).is_none() && attributes.get(keys::EMERGENCY_IF).is_some() && needs_company;
        let is_less = depends || attributes.list(keys::EMERGENCY_UNLESS).any(unmakes);
        if is_less && stored == Some(UrgencyLevel::Emergency) { Some(UrgencyLevel::Urgent) } else { stored }
    }

    /// What makes an entity an emergency in this case: what the graph lists for it and the case holds.
    pub(super) fn company(&self, entity: EntityId) -> Vec<Company> {
        let attributes = self.knowledge.graph.attributes(entity);
        let holding = attributes.list(keys::EMERGENCY_IF).filter(|item| self.holds(item, entity, true));
        let terms = holding.flat_map(|item| item.split('&').map(str::trim));
        let mut company = Vec::new();
        for term in terms {
            match term {
                RED_FLAG => company.extend(self.red_flags(entity).into_iter().map(Company::Entity)),
                word if WORDS.contains(&word) => company.push(Company::Word(word.to_owned())),
                name => company.extend(named(&self.knowledge.graph, name, "").map(Company::Entity)),
            }
        }
        company
    }

    /// Whether an item of a list holds. `warns`: whether it is to warn, so that what is not sure counts.
    fn holds(&self, item: &str, of: EntityId, warns: bool) -> bool {
        item.split('&').map(str::trim).all(|term| match term {
            "acute" => self.told(of).any(|finding| self.is_acute(finding)),
            "severe" => self.told(of).any(|finding| finding.severity == Some(Severity::Severe)),
            "days" => self.lasts(of, DAYS),
            "weeks" => self.lasts(of, WEEKS),
            "over" => self.is_over(of),
            "seen" => self.is_seen(of),
            "pregnant" => self.case.patient.is_pregnant_or_postpartum(),
            "pregnant now" => self.case.patient.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant),
            "young infant" => self.case.patient.age_months.is_some_and(|age| age.to < YOUNG),
            "stable" => self.is_stable(),
            RED_FLAG => self.has_red_flag(of),
            "male" => self.case.patient.sex == Some(PatientSex::Male),
            "pressed" => self.course.is_on_pressing(),
            "exertion" => self.told_all(of, |finding| self.course.is_on_exertion(finding.start)),
            "steady" => self.told_all(of, |finding| self.course.is_unchanged(finding.start)),
            "young" => self.case.patient.age_months.is_some_and(|age| age.from >= YOUNG_ADULT.0 && age.to < YOUNG_ADULT.1),
            "alone" => self.is_alone(of),
            name => named(&self.knowledge.graph, name, "")
                .is_some_and(|entity| entity != of && (self.held.contains(&entity) || (warns && self.perhaps.contains(&entity)))),
        })
    }

    /// The findings of the case that are the entity itself, or that it explains as a condition.
    fn told(&self, of: EntityId) -> impl Iterator<Item = &CaseFinding> {
        self.case.findings.iter().filter(move |finding| {
            let entity = finding.entity.as_deref().and_then(|name| named(&self.knowledge.graph, name, ""));
            finding.status == FindingStatus::Present && entity.is_some_and(|entity| explains(self.knowledge, of, entity))
        })
    }

    /// Whether the case tells the entity itself, and this of it wherever it does.
    fn told_all(&self, of: EntityId, holds: impl Fn(&CaseFinding) -> bool) -> bool {
        let name = self.knowledge.graph.entity_name(of);
        let is_it = |finding: &&CaseFinding| {
            finding.status == FindingStatus::Present && finding.end > finding.start && finding.entity.as_deref() == Some(name)
        };
        let mut told = self.case.findings.iter().filter(is_it).peekable();
        told.peek().is_some() && told.all(holds)
    }

    /// Whether nothing else is told: no other complaint than a chest that hurts where it is pressed, no urgent illness, no abnormal result, no drug, no
    /// pregnancy, nothing in the family, no injury, nothing that was not understood.
    fn is_alone(&self, of: EntityId) -> bool {
        let find = |name: &Option<String>| name.as_deref().and_then(|name| named(&self.knowledge.graph, name, ""));
        let is_urgent = |entity: EntityId| entity != of && matches!(urgency_of(self.knowledge, entity), Some("emergency" | "urgent"));
        let has = ConditionStatus::is_had;
        // "Pain", said of a chest, is no other complaint.
        let classes = classes_of(&self.knowledge.graph, of);
        let is_it = |entity: EntityId| entity == of || classes.contains(&entity);
        let is_other = |finding: &CaseFinding| match finding.status {
            FindingStatus::FamilyHistory => true,
            FindingStatus::Present | FindingStatus::Uncertain => {
                finding.entity.as_deref() != Some(TENDER) && !find(&finding.entity).is_some_and(is_it)
            }
            FindingStatus::Absent | FindingStatus::Resolved => false,
        };
        let mut conditions = self.case.conditions.iter().filter(|condition| has(condition.status));
        // Of a word that only links to nothing ("push-ups"), nothing follows.
        let is_unread = |word: &NotUnderstood| word.likely.is_some() || word.passage || word.subject;
        !self.course.has_risk()
            && !self.case.findings.iter().any(is_other)
            && !self.case.not_understood.iter().any(is_unread)
            && !conditions.any(|condition| find(&condition.entity).is_none_or(is_urgent))
            && !self.case.results.iter().any(|result| result.critical || result.finding.is_some())
            && self.case.drugs.is_empty()
            && !self.case.patient.is_pregnant_or_postpartum()
    }

    /// Whether the case tells a red flag of the entity, or a finding that is an emergency by itself.
    fn has_red_flag(&self, of: EntityId) -> bool {
        self.case.results.iter().any(|result| result.critical) || !self.red_flags(of).is_empty()
    }

    /// The red flags of the entity that the case tells, and the findings that are emergencies by themselves.
    fn red_flags(&self, of: EntityId) -> Vec<EntityId> {
        let present = self.case.findings.iter().filter(|finding| finding.status == FindingStatus::Present);
        let named_in_case = present.filter_map(|finding| finding.entity.as_deref());
        let results = self.case.results.iter().filter_map(|result| result.finding.as_deref());
        let told = named_in_case.chain(results).filter_map(|name| named(&self.knowledge.graph, name, ""));
        // What depends on a red flag itself is none: two such would ask each other for ever.
        let depends = |finding| self.knowledge.graph.attributes(finding).list(keys::EMERGENCY_IF).any(|item| item.contains(RED_FLAG));
        let is_flag = |finding: EntityId| {
            self.knowledge.facts().states(of, finding, |role| role == Role::RedFlag)
                || (finding != of && !depends(finding) && self.level(finding, true) == Some(UrgencyLevel::Emergency))
        };
        told.filter(|finding| is_flag(*finding)).collect()
    }

    /// Whether a finding began within a day. Where it does not say when, the other complaints may.
    pub(super) fn is_acute(&self, finding: &CaseFinding) -> bool {
        let is_sudden = finding.end > finding.start && self.course.is_sudden(finding.start);
        let others = || {
            let present = self.case.findings.iter().filter(|other| other.status == FindingStatus::Present);
            present.filter_map(|other| other.days).reduce(f64::min)
        };
        match finding.days {
            Some(days) => days <= ACUTE || (is_sudden && days < DAYS),
            None => is_sudden || others().is_some_and(|days| days <= ACUTE),
        }
    }

    fn lasts(&self, of: EntityId, days: f64) -> bool {
        let mut told = self.told(of).filter_map(|finding| finding.days).peekable();
        told.peek().is_some() && told.all(|lasted| lasted >= days)
    }

    /// Whether a normal oxygen saturation was measured.
    fn is_stable(&self) -> bool {
        let is_normal = |result: &CaseResult| result.test == "oxygen saturation" && result.direction == ResultDirection::Normal;
        self.case.results.iter().any(is_normal)
    }

    /// Whether it was days or weeks ago and has been looked into, and the case tells of nothing else.
    fn is_seen(&self, of: EntityId) -> bool {
        let is_other = |finding: &CaseFinding| matches!(finding.status, FindingStatus::Present | FindingStatus::Uncertain);
        let told = self.case.findings.iter().filter(|finding| is_other(finding)).count();
        let is_abnormal = self.case.results.iter().any(|result| result.critical || result.finding.is_some());
        told == 1 && !is_abnormal && self.told_all(of, |finding| self.course.is_looked_into(finding.start))
    }

    fn is_over(&self, of: EntityId) -> bool {
        let mut told = self.told(of).filter(|finding| finding.end > finding.start).peekable();
        told.peek().is_some() && told.all(|finding| self.course.is_over(finding.start))
    }
}

/// The finding of a case that only a mild value tells, where nothing else is told that it may belong to: no complaint, no other abnormal result, no
/// dangerous illness, no drug that does this or is dangerous with it, nothing that was not understood. In children, in pregnancy, and where something has
/// changed, no value is mild.
fn mild_findings(knowledge: &Knowledge, case: &Case, course: &Course) -> BTreeSet<EntityId> {
    let (graph, facts) = (&knowledge.graph, knowledge.facts());
    let find = |name: &Option<String>| name.as_deref().and_then(|name| named(graph, name, ""));
    let abnormal: Vec<&CaseResult> =
        case.results.iter().filter(|of| of.finding.is_some() || of.direction == ResultDirection::Positive).collect();
    let [result] = abnormal[..] else { return BTreeSet::new() };
    let is_calm = value_bands::band(knowledge, case, result).is_some_and(|band| band.calm);
    let Some(finding) = find(&result.finding).filter(|_| is_calm || lab::is_mild(result)) else { return BTreeSet::new() };
    let is_told = |finding: &CaseFinding| matches!(finding.status, FindingStatus::Present | FindingStatus::Uncertain);
    // Heart failure, or a ventricular tachycardia; not the hypertension that the pressure itself is.
    let is_ill = |condition: &CaseCondition| {
        let is_now = condition.status.is_now();
        let entity = find(&condition.entity).filter(|entity| *entity != finding);
        is_now && entity.is_some_and(|entity| matches!(urgency_of(knowledge, entity), Some("emergency" | "urgent")))
    };
    // Spironolactone, or digoxin, where the potassium is not normal.
    let is_of_drug = |drug: &CaseDrug| {
        let drug = find(&drug.entity).filter(|_| drug.status.is_in_use());
        drug.is_some_and(|drug| {
            let mut of = std::iter::once(drug).chain(classes_of(graph, drug));
            is_adverse_effect(knowledge, drug, finding) || of.any(|of| facts.states(of, finding, |role| role == Role::Contraindication))
        })
    };
    // What is said of this very value stands beside words that name nothing more: "my blood result".
    let may_matter =
        |word: &NotUnderstood| !is_calm || word.subject || word.passage || matches!(word.likely, Some(of) if of != LikelyKind::Test);
    let is_child = case.patient.age_months.is_some_and(|age| age.from < GROWN_UP);
    let is_pregnant = case.patient.is_pregnant_or_postpartum();
    let has_company = case.findings.iter().any(is_told)
        || case.conditions.iter().any(is_ill)
        || case.drugs.iter().any(is_of_drug)
        || case.not_understood.iter().any(may_matter);
    if is_child || is_pregnant || has_company || course.changes() { BTreeSet::new() } else { BTreeSet::from([finding]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;

    #[test]
    fn the_lists_of_the_starter_graph_hold_words_and_names() {
        let graph = starter_graph().expect("sound");
        let mut items = 0;
        for entity in graph.entity_ids() {
            let attributes = graph.attributes(entity);
            for item in [keys::EMERGENCY_IF, keys::EMERGENCY_UNLESS, keys::CALM_IF].into_iter().flat_map(|key| attributes.list(key)) {
                items += 1;
                for term in item.split('&').map(str::trim) {
                    let is_known = WORDS.contains(&term) || graph.entity_ids().any(|known| graph.entity_name(known) == term);
                    assert!(is_known, "{}: {term}", graph.entity_name(entity));
                }
            }
            let can_be = attributes.get(keys::EMERGENCY_UNLESS).is_none() || attributes.get(keys::URGENCY) == Some("emergency");
            assert!(can_be, "{}: only an emergency can be none", graph.entity_name(entity));
        }
        assert!(items > 100);
    }
}
