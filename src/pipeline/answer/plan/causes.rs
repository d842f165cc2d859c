//! What causes something: conditions that it is a finding or consequence of, stated causes, and drugs that may cause it.

use std::collections::BTreeSet;

use super::clauses::{Clause, ClauseItem, Clauses};
use super::proof::proof_of;
use super::{PlanInput, PlannedLine, conditions, instead};
use crate::graph::{EntityId, Inherited, Role, classes_of, qualifier_keys as keys, statements_between, statements_of};
use crate::pipeline::differential::evidence::{Standing, explains, urgency_of};
use crate::pipeline::differential::of_drugs::is_or_is_kind_of;
use crate::pipeline::safety::chains::chain_of;
use crate::run::event::AnswerPart;
use crate::run::{CaseDrug, CaseFinding, ConditionStatus, DrugStatus, FindingStatus, Side, UrgencyLevel};

/// The most drugs that are named for what they may have caused.
const DRUGS: usize = 2;
/// Drugs that do harm when they are stopped of a sudden, by their names and classes in the starter graph.
const HARM_WHEN_STOPPED: [&str; 23] = [
    "Corticosteroid",
    "Beta blocker",
    "Benzodiazepine",
    "Barbiturate",
    "Opioid analgesic",
    "Antiplatelet drug",
    "Antiepileptic drug",
    "Gabapentinoid",
    "Clonidine",
    "Baclofen",
    "Immunosuppressant",
    "Calcineurin inhibitor",
    "Dopamine agonist",
    "Selective serotonin reuptake inhibitor",
    "Antidepressant drug",
    "Antipsychotic drug",
    "Anticoagulant",
    "Antiarrhythmic drug",
    "Class I antiarrhythmic",
    "Nitrate",
    "Insulin",
    "Levothyroxine",
    "Desmopressin",
];

/// Drugs of the case that may cause a finding of the case, by themselves or by their class; those that account for most first. `is_new`:
/// only new ones, or only the others.
pub(super) fn of_drugs(input: &PlanInput<'_>, is_new: bool) -> Vec<PlannedLine> {
    let (graph, facts) = (&input.knowledge.graph, input.knowledge.facts());
    // What the case leads to may be the drug's doing, too: a diuretic before gout.
    let mut findings = input.findings();
    let leader = input.assessment.conditions.first().map(|(leader, _)| *leader);
    findings.extend(leader.filter(|leader| input.evidence.seeks_diagnosis && !findings.contains(leader)));
    // What is only considered has done nothing yet, unless the question is about it or it accounts for most of the case.
    let is_asked_of = |drug: &CaseDrug| input.case.asks.iter().any(|ask| drug.entity.as_ref().is_some_and(|name| ask.of.contains(name)));
    let is_only_considered = |drug: &CaseDrug| drug.status == DrugStatus::Proposed && !is_asked_of(drug);
    let in_use = input.case.drugs.iter().filter(|drug| match drug.status {
        DrugStatus::New => is_new,
        DrugStatus::Taken | DrugStatus::Proposed => !is_new,
        DrugStatus::Stopped | DrugStatus::Allergic => false,
    });
    let of_drug = |(drug, is_only_considered): (EntityId, bool)| {
        let effects = statements_of(graph, drug, Role::AdverseEffect);
        let effects: Vec<&Inherited> = effects.iter().filter(|stated| stated.first_is_head).collect();
        // What is stated of the finding itself comes before what is stated of a kind of it: swollen ankles, where legs are swollen.
        let cause_of = |finding: &EntityId| {
            let itself = effects.iter().find(|stated| stated.tail == *finding);
            itself.or_else(|| effects.iter().find(|stated| is_or_is_kind_of(input.knowledge, stated.tail, *finding))).copied()
        };
        let mut causes: Vec<&Inherited> = findings.iter().filter_map(cause_of).collect();
        let first = causes.first()?.tail;
        let count = causes.len();
        // A kind of it that only drugs make is named with it: akathisia, where somebody is restless.
        let is_of_drugs = |stated: &&Inherited| {
            let is_kind =
                causes.iter().any(|cause| cause.tail != stated.tail && is_or_is_kind_of(input.knowledge, stated.tail, cause.tail));
            is_kind && !facts.owners_of_role(stated.tail, Role::Symptom).any(|owner| input.knowledge.is_condition(owner))
        };
        let kinds: Vec<&Inherited> = effects.iter().copied().filter(is_of_drugs).collect();
        causes.extend(kinds);
        if is_only_considered && 2 * count < findings.len() {
            return None;
        }
        let mut seen = BTreeSet::new();
        causes.retain(|stated| seen.insert(stated.tail));
        causes.truncate(3);
        let item = |stated: &&Inherited| ClauseItem {
            entity: stated.tail,
            shown: input.wording.name(graph, stated.tail),
            proofs: vec![chain_of(graph, stated, true)],
        };
        let said = Clauses {
            opening: format!("{}{}", input.shown(drug), input.wording.colon()),
            clauses: vec![Clause::naming(&input.wording.plan.causes, causes.iter().map(item).collect())],
            otherwise: String::new(),
            wording: input.wording,
        };
        let line = PlannedLine {
            entity: Some(drug),
            other: Some(first),
            role: Some(Role::AdverseEffect),
            ..PlannedLine::proven_by_clause(AnswerPart::Cautions, said)
        };
        Some((count, line))
    };
    let entities = in_use.filter_map(|drug| Some((input.entity(drug.entity.as_deref()?)?, is_only_considered(drug))));
    let mut lines: Vec<(usize, PlannedLine)> = entities.filter_map(of_drug).collect();
    lines.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    lines.into_iter().take(DRUGS).map(|(_, line)| line).collect()
}

/// A drug that may cause at least this share of what the leading condition explains stands beside it.
const BESIDE: f64 = 0.5;

/// The drugs in use that may have caused as much of the case as is to be told beside the leading condition: new ones first. A drug that
/// may lead to that condition accounts for all of it.
pub(super) fn beside(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let findings = input.findings();
    let ranking = conditions::leading(input);
    let leader = ranking.first().map(|(leader, _)| *leader);
    let of_leader = |leader: EntityId| findings.iter().filter(|finding| conditions::is_explained(input, leader, **finding)).count();
    let least = BESIDE * leader.map_or(0, of_leader).max(1) as f64;
    let accounts = |line: &PlannedLine| {
        let Some(drug) = line.entity else { return false };
        let effects = effects(input, drug);
        let is_told = |finding: &EntityId| effects.iter().any(|effect| is_or_is_kind_of(input.knowledge, *effect, *finding));
        let told = findings.iter().copied().filter(is_told).count();
        told as f64 >= least || leader.is_some_and(|leader| effects.contains(&leader))
    };
    [true, false].into_iter().flat_map(|is_new| of_drugs(input, is_new)).filter(accounts).take(DRUGS).collect()
}

/// What a drug or one of its classes is stated to cause, other than rarely.
pub(super) fn effects(input: &PlanInput<'_>, drug: EntityId) -> Vec<EntityId> {
    let stated = statements_of(&input.knowledge.graph, drug, Role::AdverseEffect);
    let is_told = |stated: &&Inherited| stated.first_is_head && stated.qualifiers.get(keys::FREQUENCY) != Some("rare");
    stated.iter().filter(is_told).map(|stated| stated.tail).collect()
}

/// Drugs in use that may cause a finding of the case, or what it suspects: more of them is no treatment of it.
pub(super) fn culprits(input: &PlanInput<'_>) -> Vec<EntityId> {
    let in_use = input.case.drugs.iter().filter(|drug| matches!(drug.status, DrugStatus::New | DrugStatus::Taken));
    let in_use = in_use.filter_map(|drug| input.entity(drug.entity.as_deref()?));
    in_use.filter(|drug| !told_effects(input, *drug).is_empty()).collect()
}

/// The other drugs of the culprits' classes that are stated to do the same: after a cough on ramipril, lisinopril.
pub(super) fn alike(input: &PlanInput<'_>, culprits: &[EntityId]) -> BTreeSet<EntityId> {
    let mut alike = BTreeSet::new();
    for culprit in culprits {
        let done = told_effects(input, *culprit);
        // What the class does as a whole. The members of a class above it, as lipid-lowering drugs above statins, have little in common.
        let classes = std::iter::once(*culprit).chain(classes_of(&input.knowledge.graph, *culprit));
        let classes = classes
            .filter(|class| instead::is_narrow(input, *class))
            .filter(|class| told_effects(input, *class).iter().any(|effect| done.contains(effect)));
        alike.extend(classes.flat_map(|class| input.knowledge.facts().owners_of_role(class, Role::Broader)));
    }
    alike
}

/// What a drug is stated to cause, by itself or by its class, of what the case tells or suspects.
pub(super) fn told_effects(input: &PlanInput<'_>, drug: EntityId) -> Vec<EntityId> {
    let findings = input.findings();
    // "Azathioprine caused pancreatitis. What instead?": what is over counts, too.
    let past = input.case.conditions.iter().filter(|condition| input.past_treatment.failed && condition.status == ConditionStatus::Past);
    let past: Vec<EntityId> = past.filter_map(|condition| input.entity(condition.entity.as_deref()?)).collect();
    let is_told =
        |entity: &EntityId| findings.contains(entity) || past.contains(entity) || input.evidence.standing(*entity) == Standing::Subject;
    let stated = statements_of(&input.knowledge.graph, drug, Role::AdverseEffect);
    stated.iter().filter(|stated| stated.first_is_head).map(|stated| stated.tail).filter(is_told).collect()
}

/// The longest time, in days, after whose end a drug in use is no longer thought of by itself.
const RECENT: f64 = 365.0;
/// How many findings a drug must account for before one may be left over.
const MANY: usize = 3;

/// What begins within so many days is no effect of a drug that has long been taken.
const LASTING: f64 = 14.0;
/// What more drugs than these may cause says little of one of them, where it is no result.
const MANY_DRUGS: usize = 30;

/// Whether a drug of which only is known that it is taken may have caused what is told: it is nothing that began lately, nothing
/// dangerous, which must be looked into whatever is taken, and a result, or something that few drugs cause.
fn is_typical(input: &PlanInput<'_>, drug: EntityId) -> bool {
    let (knowledge, findings) = (input.knowledge, input.findings());
    let began_lately = input.case.findings.iter().filter_map(|finding| finding.days).any(|days| days < LASTING);
    let effects = effects(input, drug);
    let of_results: Vec<EntityId> = input.case.results.iter().filter_map(|result| input.entity(result.finding.as_deref()?)).collect();
    let by_few = |effect: EntityId| knowledge.facts().owners_of_role(effect, Role::AdverseEffect).count() <= MANY_DRUGS;
    let mut caused = findings.iter().copied().filter(|finding| effects.contains(finding));
    let is_dangerous = |finding: &EntityId| matches!(urgency_of(knowledge, *finding), Some("emergency" | "urgent"));
    !began_lately && !findings.iter().any(is_dangerous) && caused.any(|effect| of_results.contains(&effect) || by_few(effect))
}

/// What a drug may have caused and must not be taken with, whatever else: ethambutol, with an inflamed optic nerve. Nothing of a drug
/// that does harm when it is stopped of a sudden.
pub(super) fn rules_out(input: &PlanInput<'_>, drug: EntityId) -> Option<EntityId> {
    let (graph, facts) = (&input.knowledge.graph, input.knowledge.facts());
    let does_harm = |entity: EntityId| HARM_WHEN_STOPPED.contains(&graph.entity_name(entity));
    if does_harm(drug) || classes_of(graph, drug).into_iter().any(does_harm) {
        return None;
    }
    let is_forbidden = |of: EntityId| {
        let stated = statements_between(graph, drug, of, |role| role == Role::Contraindication);
        stated.iter().any(|stated| {
            let is_absolute = stated.qualifiers.get(keys::SEVERITY) == Some("absolute");
            stated.first_is_head && is_absolute && stated.qualifiers.get(keys::WHEN).is_none()
        })
    };
    let is_caused = |of: EntityId| {
        facts.states(of, drug, |role| role == Role::Cause)
            || !statements_between(graph, drug, of, |role| role == Role::AdverseEffect).is_empty()
    };
    let leader = input.assessment.conditions.first().map(|(leader, _)| *leader);
    leader.into_iter().chain(input.findings()).find(|of| is_forbidden(*of) && is_caused(*of))
}

/// A drug that was newly started, or whose dose was raised, or that was in use for less than a year when they began, or that is taken and
/// typically does so, and that may cause the findings that are certain: then nobody is treated for what else they could be. What comes of
/// an effect counts with it: a drug that lowers the sodium makes tired. Of several findings one that is no red flag may be left over.
pub(super) fn drug_explaining_all(input: &PlanInput<'_>) -> Option<EntityId> {
    let knowledge = input.knowledge;
    let (uncertain, certain): (Vec<EntityId>, Vec<EntityId>) =
        input.findings().into_iter().partition(|finding| input.evidence.is_uncertain(*finding));
    // Where nothing is certain, what is said in part is all that there is to explain.
    let nothing_is_certain = certain.is_empty();
    let findings = if nothing_is_certain { uncertain } else { certain };
    let lasted = input.case.findings.iter().filter_map(|finding| finding.days).fold(0.0, f64::max);
    let is_recent = |drug: &CaseDrug| match drug.status {
        DrugStatus::New => true,
        DrugStatus::Taken => drug.days.is_some_and(|days| days <= RECENT && days >= lasted && lasted > 0.0),
        _ => false,
    };
    // In an emergency the illness is treated, whatever is taken; and who asks how to treat it does not ask where it comes from.
    let is_calm = input.urgency.level != Some(UrgencyLevel::Emergency) && input.evidence.seeks_diagnosis;
    let is_untold = |drug: &CaseDrug| is_calm && drug.status == DrugStatus::Taken && drug.days.is_none();
    let entity = |drug: &CaseDrug| input.entity(drug.entity.as_deref()?);
    let recent = input.case.drugs.iter().filter(|drug| is_recent(drug)).filter_map(entity);
    let taken = input.case.drugs.iter().filter(|drug| is_untold(drug)).filter_map(entity).filter(|drug| is_typical(input, *drug));
    let explains_all = |drug: &EntityId| {
        let effects = statements_of(&knowledge.graph, *drug, Role::AdverseEffect);
        let is_told = |effect: EntityId| findings.iter().any(|finding| is_or_is_kind_of(knowledge, effect, *finding));
        let effects: Vec<EntityId> =
            effects.iter().filter(|stated| stated.first_is_head && is_told(stated.tail)).map(|stated| stated.tail).collect();
        let is_open = |finding: &&EntityId| !effects.iter().any(|effect| explains(knowledge, *effect, **finding));
        let open: Vec<&EntityId> = findings.iter().filter(is_open).collect();
        let is_harmless = |finding: &EntityId| !matches!(urgency_of(knowledge, *finding), Some("emergency" | "urgent"));
        match open.as_slice() {
            [] => true,
            [one] => findings.len() > MANY && is_harmless(one),
            _ => false,
        }
    };
    // What is swollen on one side has a cause on that side: no drug chooses one.
    let is_certain = |finding: &&CaseFinding| {
        finding.status == FindingStatus::Present || (nothing_is_certain && finding.status == FindingStatus::Uncertain)
    };
    let is_one_sided = input.case.findings.iter().filter(is_certain).any(|finding| finding.side.is_some_and(|side| side != Side::Both));
    recent.chain(taken).find(explains_all).filter(|_| !findings.is_empty() && !is_one_sided)
}

/// Whether a drug in use is stated to cause a condition, however rarely, by itself or by its class.
pub(super) fn is_of_drug_in_use(input: &PlanInput<'_>, condition: EntityId) -> bool {
    let in_use = input.case.drugs.iter().filter(|drug| matches!(drug.status, DrugStatus::New | DrugStatus::Taken));
    let mut in_use = in_use.filter_map(|drug| input.entity(drug.entity.as_deref()?));
    in_use.any(|drug| {
        let is_stated = |stated: &Inherited| stated.first_is_head && stated.tail == condition;
        let makes = |role| matches!(role, Role::Cause | Role::RiskFactor);
        let by_class = || {
            let mut of = std::iter::once(drug).chain(classes_of(&input.knowledge.graph, drug));
            of.any(|class| input.knowledge.facts().states(condition, class, makes))
        };
        statements_of(&input.knowledge.graph, drug, Role::AdverseEffect).iter().any(is_stated) || by_class()
    })
}

/// The first condition of the list that is urgent or an emergency, explains something that is told, and is stated to be caused by a drug
/// in use: a sore throat under carbimazole is put down to the drug, and is no less urgent for it. Where the drug leaves something
/// unexplained, only the condition that leads counts: a rash and sore lips under lamotrigine.
pub(super) fn danger_of_drug(input: &PlanInput<'_>) -> Option<EntityId> {
    let looked_at = match drug_explaining_all(input) {
        Some(_) => usize::MAX,
        None if input.evidence.seeks_diagnosis && input.findings().len() > 1 => 1,
        None => return None,
    };
    let (named, missed) = conditions::differential(input);
    let is_danger = |condition: &EntityId| {
        let is_urgent = match urgency_of(input.knowledge, *condition) {
            Some("emergency") => true,
            // Heartburn under alendronate needs no haste where the drug does not explain the rest.
            Some("urgent") => looked_at > 1,
            _ => false,
        };
        is_urgent && !input.evidence.excluded.contains(condition) && is_of_drug_in_use(input, *condition)
    };
    let listed = named.iter().chain(&missed).take(looked_at).filter(|account| !account.explains.is_empty());
    listed.map(|account| account.condition).find(is_danger)
}

/// Causes of the one finding that is told, beyond the conditions that are named and the drugs of the case, which have lines of their own:
/// alcohol, a deficiency, other drugs.
pub(super) fn further(input: &PlanInput<'_>, of: EntityId, named: &[PlannedLine], most: usize) -> Vec<PlannedLine> {
    let in_question = |entity: EntityId| input.of_question.contains(&entity);
    let is_new = |line: &PlannedLine| !line.entity.is_some_and(in_question) && !named.iter().any(|known| known.entity == line.entity);
    lines(input, of, most + named.len() + input.of_question.len()).into_iter().filter(is_new).take(most).collect()
}

/// The lines of causes of an entity, at most `most`; what fits the case best comes first, drugs of the case before all.
pub(super) fn lines(input: &PlanInput<'_>, of: EntityId, most: usize) -> Vec<PlannedLine> {
    let facts = input.knowledge.facts();
    let mut causes: Vec<EntityId> = facts.players_of_role(of, Role::Cause).collect();
    for role in [Role::Symptom, Role::RedFlag, Role::Complication] {
        causes.extend(facts.owners_of_role(of, role).filter(|owner| input.knowledge.is_condition(*owner)));
    }
    let drugs: Vec<EntityId> = facts.owners_of_role(of, Role::AdverseEffect).collect();
    causes.extend(drugs.iter().copied());
    let rank = |entity: &EntityId| input.assessment.conditions.iter().position(|(known, _)| known == entity).unwrap_or(usize::MAX);
    let in_case = |entity: &EntityId| input.of_question.contains(entity);
    // A drug that the patient does not take is the least likely answer; there may be dozens.
    causes.sort_by_key(|entity| (!in_case(entity), drugs.contains(entity), rank(entity), *entity));
    causes.dedup();
    let mut seen = BTreeSet::new();
    let is_possible = |entity: EntityId| !input.knowledge.is_condition(entity) || input.evidence.remains(input.knowledge, entity) > 0.0;
    causes.retain(|entity| *entity != of && is_possible(*entity) && seen.insert(*entity));
    let name = [input.wording.name(&input.knowledge.graph, of)];
    causes
        .into_iter()
        .take(most)
        .filter_map(|cause| {
            let mut proofs = proof_of(input.knowledge, of, cause, |role| role == Role::Cause);
            let is_consequence = |role| matches!(role, Role::Symptom | Role::RedFlag | Role::Complication | Role::AdverseEffect);
            proofs.extend(proof_of(input.knowledge, cause, of, is_consequence));
            proofs.truncate(1);
            let said = input.wording.fill(&input.wording.plan.causes, &name);
            (!proofs.is_empty()).then(|| PlannedLine {
                entity: Some(cause),
                role: Some(Role::Cause),
                proofs,
                ..PlannedLine::saying(AnswerPart::Conditions, format!("{}{}{said}", input.shown(cause), input.wording.colon()))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;

    #[test]
    fn what_does_harm_when_it_is_stopped_is_in_the_starter_graph() {
        let graph = starter_graph().expect("sound");
        for name in HARM_WHEN_STOPPED {
            assert!(graph.entity_ids().any(|entity| graph.entity_name(entity) == name), "{name}");
        }
    }
}
