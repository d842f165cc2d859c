//! Conditions that only drugs make, against the drugs that the case names.

use std::collections::BTreeSet;

use super::assess::Ranking;
use super::evidence::{CaseEvidence, Standing, explains, present, urgency_of};
use super::order::{exchange, explained, has_own_sign, leader_stands};
use super::prevalence::Prevalence;
use super::ruled_out::SEEN_IN_FEW;
use crate::graph::{EntityId, Kind, Role, classes_of, statements_of};
use crate::language::knowledge::{Knowledge, named};
use crate::pipeline::understand::overdose::is_overdose;
use crate::run::{Case, CaseDrug, ConditionStatus, DrugStatus};

/// What remains of a condition that only a drug makes where the case names drugs, none of which is that one …
const OF_ANOTHER_DRUG: f64 = 0.3;
/// … and where it names none: nobody tells of every tablet.
const OF_NO_DRUG: f64 = 0.5;
/// How too much of a medicine is called.
const TOXICITY: &str = " toxicity";
/// What was swallowed in secret is called so, and stays.
const SWALLOWED: [&str; 2] = [" overdose", " poisoning"];
/// How conditions are called that drugs make, besides by the name of the drug.
const MADE_BY_DRUGS: [&str; 5] = ["drug", "medication", "medicamentosa", "-induced", "-associated"];

/// How many drugs in use that are stated to cause a finding make an overdose of one of them less likely.
const SEVERAL: usize = 3;

/// Whether a condition is an overdose that nothing tells of, where drugs do what is found at their usual doses: two that together do it, or several of
/// which each may, as the four against tuberculosis do beside a tablet for a cold.
pub(super) fn is_untold_overdose(knowledge: &Knowledge, condition: EntityId, evidence: &CaseEvidence) -> bool {
    let is_told = evidence.standing.get(&condition).is_some_and(|standing| *standing != Standing::Nothing);
    let is_pictured = evidence.is_clear && evidence.recognised == Some(condition);
    if is_told || is_pictured || !is_overdose(knowledge.graph.entity_name(condition)) {
        return false;
    }
    let findings = evidence.standing.iter().filter(|(_, standing)| **standing == Standing::Finding);
    let by_several = || findings.map(|(finding, _)| *finding).any(|finding| evidence.drugs_causing(knowledge, finding) >= SEVERAL);
    evidence.is_by_interaction || by_several()
}

/// After so many days most drugs have left the body. Digoxin, lithium and methotrexate, or failing kidneys, take longer than two.
const CLEARED: f64 = 7.0;
/// What such a condition keeps.
const OF_STOPPED_DRUG: f64 = 0.05;
/// How too much of a drug is called besides, at the beginning of its name.
const TOO_MUCH: &str = "Over-";

/// Whether a condition is too much of a drug that the case says was stopped a week ago or more, and of no other that is in use: a swollen leg a week after
/// warfarin was stopped is no overdose of it. What the question names itself stays.
fn is_too_much_of_stopped(knowledge: &Knowledge, case: &Case, condition: EntityId) -> bool {
    let (graph, facts) = (&knowledge.graph, knowledge.facts());
    let name = graph.entity_name(condition);
    let is_too_much = name.ends_with(TOXICITY) || name.starts_with(TOO_MUCH) || SWALLOWED.iter().any(|word| name.ends_with(word));
    if !is_too_much || case.conditions.iter().any(|of| of.entity.as_deref() == Some(name)) {
        return false;
    }
    let makes = |drug: EntityId| {
        let leads = |role| matches!(role, Role::Cause | Role::RiskFactor);
        facts.states(condition, drug, leads) || facts.states(drug, condition, |role| role == Role::AdverseEffect)
    };
    let of_it = case.drugs.iter().filter(|drug| drug.status != DrugStatus::Allergic).filter(|drug| {
        let entity = drug.entity.as_deref().and_then(|name| named(graph, name, ""));
        entity.is_some_and(|drug| makes(drug) || classes_of(graph, drug).into_iter().any(makes))
    });
    let is_over = |drug: &&CaseDrug| drug.status == DrugStatus::Stopped && drug.days.is_some_and(|days| days >= CLEARED);
    let (stopped, other): (Vec<_>, Vec<_>) = of_it.partition(is_over);
    !stopped.is_empty() && other.is_empty()
}

/// What thins the blood makes who takes it bleed, and hardly anybody who stopped it a week ago.
const BLEEDING: [&str; 3] = ["haemorrhage", "haematoma", "bleed"];

/// Whether a drug of the case no longer makes a condition likelier: bleeding after days without an anticoagulant.
pub(super) fn is_made_no_longer(knowledge: &Knowledge, evidence: &CaseEvidence, (drug, condition): (EntityId, EntityId)) -> bool {
    let name = knowledge.graph.entity_name(condition).to_lowercase();
    evidence.too_much.contains(&drug) && BLEEDING.iter().any(|word| name.contains(word))
}

/// Those conditions, and the drugs that were stopped days ago.
pub(super) fn too_much_of_stopped(knowledge: &Knowledge, case: &Case) -> BTreeSet<EntityId> {
    let (graph, facts) = (&knowledge.graph, knowledge.facts());
    let stopped = case.drugs.iter().filter(|drug| drug.status == DrugStatus::Stopped);
    let over = stopped.clone().filter(|drug| drug.days.is_some_and(|days| days >= CLEARED));
    let over = over.filter_map(|drug| named(graph, drug.entity.as_deref()?, ""));
    let drugs = stopped.filter_map(|drug| named(graph, drug.entity.as_deref()?, ""));
    let all = drugs.flat_map(|drug| std::iter::once(drug).chain(classes_of(graph, drug)));
    let of_them =
        all.flat_map(|drug| facts.owners(drug).iter().chain(facts.players(drug).iter()).map(|fact| fact.other).collect::<Vec<_>>());
    of_them.filter(|condition| is_too_much_of_stopped(knowledge, case, *condition)).chain(over).collect()
}

/// The number of leading conditions that are looked at.
const IN_SIGHT: usize = 6;

/// Puts the condition that drugs in use are stated to cause before a kind of it that they do not cause and no sign of its own tells: a lack of
/// vitamin B12 under metformin, before the autoimmune one. The two exchange places.
pub(super) fn class_by_drugs_first(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((kind, _)) = conditions.first().copied() else { return };
    if leader_stands(knowledge, kind, evidence) {
        return;
    }
    let told = evidence.certain();
    let explained = |condition: EntityId| explained(knowledge, condition, &told);
    let precedes = |class: EntityId| {
        knowledge.facts().states(kind, class, |role| role == Role::Broader)
            && evidence.drugs_causing(knowledge, class) > evidence.drugs_causing(knowledge, kind)
            && explained(class) + 1 >= explained(kind)
            && !has_own_sign(knowledge, kind, class, &told)
            && evidence.remains(knowledge, class) > 0.0
    };
    let class = conditions.iter().take(IN_SIGHT).map(|(condition, _)| *condition).find(|class| precedes(*class));
    if let Some(class) = class {
        exchange(conditions, kind, class);
    }
}

/// Puts a condition that drugs make, as a drug of the case does, before one that explains no more of what is told and comes without drugs as well:
/// drug-induced lung disease under methotrexate, before a fibrosis of the lung. The two exchange places.
pub(super) fn made_by_drugs_first(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((leader, _)) = conditions.first().copied() else { return };
    if leader_stands(knowledge, leader, evidence) {
        return;
    }
    let is_pictured = evidence.is_clear && evidence.recognised == Some(leader);
    let told = evidence.certain();
    let explained = |condition: EntityId| explained(knowledge, condition, &told);
    // A clear picture stands, unless what the drug makes leads to it.
    let leads_to_leader = |condition: EntityId| knowledge.facts().states(condition, leader, |role| role == Role::Complication);
    let is_made = |condition: EntityId| {
        let name = knowledge.graph.entity_name(condition).to_lowercase();
        MADE_BY_DRUGS.iter().any(|word| name.contains(word)) && evidence.drugs_causing(knowledge, condition) > 0
    };
    let of_leader = explained(leader);
    let precedes = |condition: EntityId| {
        is_made(condition)
            && explained(condition) >= of_leader.max(1)
            && (!is_pictured || leads_to_leader(condition))
            && evidence.remains(knowledge, condition) > 0.0
    };
    let made = conditions.iter().take(IN_SIGHT).map(|(condition, _)| *condition).find(|condition| precedes(*condition));
    if let Some(made) = made.filter(|_| !is_made(leader)) {
        exchange(conditions, leader, made);
    }
}

/// Puts the toxicity of one substance, of which nothing tells, behind what explains as much and comes without it: a heart attack before too much
/// cocaine, which nobody named. An emergency gives way only to another. The two exchange places.
pub(super) fn untold_poison_behind(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((leader, _)) = conditions.first().copied() else { return };
    // Of what is called a poisoning or an overdose, and of what many substances do, nobody may know that it is there: carbon monoxide.
    let is_toxicity = |condition: EntityId| {
        let causes = knowledge.facts().players_of_role(condition, Role::Cause).count();
        knowledge.graph.entity_name(condition).ends_with(TOXICITY) && causes == 1
    };
    let is_any_cause_told = knowledge.facts().players_of_role(leader, Role::Cause).any(|cause| evidence.standing.contains_key(&cause));
    let is_told = evidence.standing.get(&leader).is_some_and(|standing| *standing != Standing::Nothing)
        || evidence.recognised == Some(leader)
        || evidence.has_unknown_drug
        || evidence.may_come_of_drugs(knowledge, leader);
    if is_told || is_any_cause_told || !is_toxicity(leader) {
        return;
    }
    let told = evidence.certain();
    let explained = |condition: EntityId| explained(knowledge, condition, &told);
    let is_emergency = |condition: EntityId| urgency_of(knowledge, condition) == Some("emergency");
    let precedes = |condition: EntityId| {
        !is_toxicity(condition)
            && explained(condition) >= explained(leader).max(1)
            && (is_emergency(condition) || !is_emergency(leader))
            && evidence.remains(knowledge, condition) > 0.0
    };
    let other = conditions.iter().take(IN_SIGHT).map(|(condition, _)| *condition).find(|condition| precedes(*condition));
    if let Some(other) = other {
        exchange(conditions, leader, other);
    }
}

/// What a dangerous reaction of the skin to a drug begins with.
const RASH: &str = "Rash";

/// Puts a rare condition that drugs in use are stated to cause behind a common one that explains more of what is told, unless something specific speaks
/// for it (a result, a sign that few conditions have, what makes it likelier besides the drug): an infection of the urine in a confused woman with smelly
/// urine, before the lactic acidosis that metformin hardly ever makes. The two exchange places.
pub(super) fn rare_effect_behind(knowledge: &Knowledge, conditions: &mut Ranking, evidence: &CaseEvidence) {
    let Some((leader, _)) = conditions.first().copied() else { return };
    let (graph, facts) = (&knowledge.graph, knowledge.facts());
    let prevalence = |condition: EntityId| Prevalence::of(graph, condition);
    let is_rare = prevalence(leader).is_some_and(|of| of >= Prevalence::Rare);
    let is_named = evidence.standing.get(&leader).is_some_and(|standing| *standing != Standing::Nothing);
    let is_pictured = evidence.is_clear && evidence.recognised == Some(leader);
    if !is_rare || is_named || is_pictured || evidence.drugs_causing(knowledge, leader) == 0 {
        return;
    }
    let told = evidence.certain();
    // A rash under lamotrigine may be the beginning of what kills: no illness that explains the sore eyes beside it comes before.
    let is_rash = |finding: &EntityId| graph.entity_name(*finding) == RASH && explains(knowledge, leader, *finding);
    if urgency_of(knowledge, leader) == Some("emergency") && told.iter().any(is_rash) {
        return;
    }
    let is_specific = |finding: &EntityId| {
        explains(knowledge, leader, *finding)
            && (evidence.of_results.contains(finding) || facts.owners_of_role(*finding, Role::Symptom).count() <= SEEN_IN_FEW)
    };
    let is_backed =
        evidence.standing.keys().any(|of| !evidence.drugs.contains(of) && facts.states(leader, *of, |role| role == Role::RiskFactor));
    if is_backed || told.iter().any(is_specific) {
        return;
    }
    let of_leader = explained(knowledge, leader, &told);
    let precedes = |condition: &EntityId| {
        prevalence(*condition).is_some_and(|of| of <= Prevalence::Common)
            && explained(knowledge, *condition, &told) > of_leader
            && !evidence.excluded.contains(condition)
            && evidence.remains(knowledge, *condition) > 0.0
    };
    let other = conditions.iter().take(IN_SIGHT).map(|(condition, _)| *condition).find(precedes);
    if let Some(other) = other {
        exchange(conditions, leader, other);
    }
}

impl CaseEvidence {
    /// What remains of a condition's score for the drugs that it comes from: all, unless only drugs make it and the case names none of
    /// them.
    pub(super) fn by_its_drugs(&self, knowledge: &Knowledge, condition: EntityId) -> f64 {
        if self.too_much.contains(&condition) {
            return OF_STOPPED_DRUG;
        }
        if self.is_of_another_drug(knowledge, condition) {
            return OF_ANOTHER_DRUG;
        }
        // Where nothing is told, as where a paper's algorithm runs alone, nothing speaks against it. What is dangerous stays.
        if self.is_empty() || !is_named_after_drug(knowledge, condition) || urgency_of(knowledge, condition) == Some("emergency") {
            return 1.0;
        }
        // So does what the question names, or describes clearly.
        let is_told = self.standing.get(&condition).is_some_and(|standing| *standing != Standing::Nothing)
            || (self.is_clear && self.recognised == Some(condition))
            || self.is_told_otherwise(knowledge, condition);
        if is_told || self.has_unknown_drug || self.may_come_of_drugs(knowledge, condition) {
            return 1.0;
        }
        if self.drugs.is_empty() { OF_NO_DRUG } else { OF_ANOTHER_DRUG }
    }

    /// How many drugs of the case are stated to cause a condition, each by itself or by its class.
    pub(crate) fn drugs_causing(&self, knowledge: &Knowledge, condition: EntityId) -> usize {
        self.causing(knowledge, condition).len()
    }

    /// The drugs of the case that are stated to cause a condition, each by itself or by its class.
    pub(crate) fn causing(&self, knowledge: &Knowledge, condition: EntityId) -> Vec<EntityId> {
        let (graph, facts) = (&knowledge.graph, knowledge.facts());
        let is_told = |drug: &EntityId| self.standing.get(drug).is_some_and(|standing| *standing == Standing::Context);
        let causes = |drug: EntityId| {
            facts.states(condition, drug, |role| role == Role::Cause) || facts.states(drug, condition, |role| role == Role::AdverseEffect)
        };
        let is_cause = |drug: &&EntityId| causes(**drug) || classes_of(graph, **drug).into_iter().any(causes);
        self.drugs.iter().filter(|drug| is_told(drug)).filter(is_cause).copied().collect()
    }

    /// Whether the case tells a drug that makes a condition, or may mean one, or tells what says that it was given.
    fn may_come_of_drugs(&self, knowledge: &Knowledge, condition: EntityId) -> bool {
        let (graph, facts) = (&knowledge.graph, knowledge.facts());
        let is_named = |entity: &EntityId| self.drugs.contains(entity) && self.standing.contains_key(entity);
        // Where only its class is named ("her blood pressure tablet"), it may be that one.
        let may_be = |cause: EntityId| self.drugs.contains(&cause) || classes_of(graph, cause).iter().any(is_named);
        let leads_to = |drug: &EntityId| facts.states(*drug, condition, |role| role == Role::AdverseEffect);
        // "Recent heparin treatment". What the patient is, as an old woman, says nothing of a drug.
        let is_event = |entity: EntityId| {
            matches!(graph.kind(entity), Kind::RiskFactor)
                && !self.states.contains(&entity)
                && self.standing.get(&entity).is_some_and(|standing| *standing != Standing::Nothing)
        };
        facts.players_of_role(condition, Role::Cause).any(may_be)
            || self.drugs.iter().any(leads_to)
            || facts.players_of_role(condition, Role::RiskFactor).any(is_event)
    }

    /// Whether a condition is too much of one medicine, and the case names its drugs, none of which is that one. What is swallowed in
    /// secret is called an overdose and stays, and so does what many drugs do, or a plant.
    fn is_of_another_drug(&self, knowledge: &Knowledge, condition: EntityId) -> bool {
        let graph = &knowledge.graph;
        if self.drugs.is_empty() || self.standing(condition) == Standing::Subject || !graph.entity_name(condition).ends_with(TOXICITY) {
            return false;
        }
        let mut causes: Vec<EntityId> = knowledge.facts().players_of_role(condition, Role::Cause).collect();
        causes.dedup();
        let [cause] = causes.as_slice() else { return false };
        // Where only its class is named ("her anticonvulsant"), it may be that one.
        let is_named = |entity: &EntityId| self.drugs.contains(entity) && self.standing.contains_key(entity);
        let may_be = |entity: &EntityId| is_named(entity) || classes_of(graph, *entity).iter().any(is_named);
        matches!(graph.kind(*cause), Kind::Drug) && !self.drugs.contains(cause) && !may_be(cause)
    }
}

/// Whether only drugs are stated to cause a condition, and it is called after them: Cushing's syndrome is met without a tablet, too.
fn is_named_after_drug(knowledge: &Knowledge, condition: EntityId) -> bool {
    let graph = &knowledge.graph;
    let causes: Vec<EntityId> = knowledge.facts().players_of_role(condition, Role::Cause).collect();
    let name = graph.entity_name(condition).to_lowercase();
    let is_named_after = |cause: &EntityId| name.starts_with(&graph.entity_name(*cause).to_lowercase());
    !causes.is_empty()
        && causes.iter().all(|cause| matches!(graph.kind(*cause), Kind::Drug | Kind::DrugClass))
        && !name.ends_with(TOXICITY)
        && !SWALLOWED.iter().any(|end| name.ends_with(end))
        && (causes.iter().any(is_named_after) || MADE_BY_DRUGS.iter().any(|word| name.contains(word)))
}

/// Whether an effect of a drug is a finding, or a kind of it: swollen ankles, where "swollen legs" are told. Never the other way round: who
/// gets headaches from a tablet may still bleed into the brain.
pub(crate) fn is_or_is_kind_of(knowledge: &Knowledge, effect: EntityId, finding: EntityId) -> bool {
    effect == finding
        || (matches!(knowledge.graph.kind(effect), Kind::Symptom)
            && knowledge.facts().states(effect, finding, |role| role == Role::Broader))
}

/// Whether a drug is stated to do what is found, by itself or as one of its class.
pub(crate) fn is_adverse_effect(knowledge: &Knowledge, drug: EntityId, finding: EntityId) -> bool {
    let effects = statements_of(&knowledge.graph, drug, Role::AdverseEffect);
    effects.iter().any(|stated| stated.first_is_head && is_or_is_kind_of(knowledge, stated.tail, finding))
}

/// Whether a new drug may have caused all that is told, and beside it a condition is only thought of: a cough since a new tablet is put
/// down to the tablet before the cancer that somebody fears. Not where the question asks about that condition.
pub(super) fn is_of_new_drug(knowledge: &Knowledge, case: &Case) -> bool {
    let findings = present(knowledge, case);
    let is_only_thought_of = case.conditions.iter().all(|condition| condition.status != ConditionStatus::Known);
    let is_asked_of =
        case.conditions.iter().filter_map(|c| c.entity.as_ref()).any(|name| case.asks.iter().any(|ask| ask.of.contains(name)));
    let new = case.drugs.iter().filter(|drug| drug.status == DrugStatus::New);
    let mut new = new.filter_map(|drug| named(&knowledge.graph, drug.entity.as_deref()?, ""));
    let causes_all = |drug: EntityId| findings.iter().all(|finding| is_adverse_effect(knowledge, drug, *finding));
    is_only_thought_of && !is_asked_of && !findings.is_empty() && !case.conditions.is_empty() && new.any(causes_all)
}
