//! What the safety pass cannot state: pairs that the question asks about and of which nothing is stored, and what is not known.

use std::collections::BTreeSet;

use super::items::{Item, Items, Standing};
use super::pairs::{is_below, pair_of};
use super::statement::SafetyKind;
use crate::graph::{EntityId, EvolvingGraph, Role, classes_of, members_of, statements_between};
use crate::pipeline::understand::overdose::is_overdose;
use crate::run::case::{AskKind, Case, ConditionStatus, DrugStatus, LikelyKind, NotUnderstood};

/// The most kinds of a condition that are looked at for what a drug is given for.
const KINDS: usize = 60;

/// A drug and other things of the case, of none of which anything is stored with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoneStored {
    /// The drug.
    pub(crate) drug: EntityId,
    /// Interaction, contraindication or allergy: what is not stored.
    pub(crate) kind: SafetyKind,
    /// The others, by name.
    pub(crate) with: Vec<EntityId>,
}

/// Something that is not known, and so was not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotChecked {
    /// Words of the question.
    Words {
        /// The words.
        text: String,
        /// The entities that they may name; empty unless the name is ambiguous.
        may_mean: Vec<String>,
        /// What they would have been compared with, by name.
        with: Vec<EntityId>,
    },
    /// A state of the patient that the graph does not have.
    State {
        /// Its name in English and in Chinese.
        name: [&'static str; 2],
        /// The drugs that are asked about.
        with: Vec<EntityId>,
    },
}

/// Whether the question asks if something is safe.
fn asks_safety(case: &Case) -> bool {
    case.asks.iter().any(|ask| matches!(ask.kind, AskKind::Safety | AskKind::Interactions | AskKind::Contraindications))
}

/// The drugs that a safety question is about: those asked about or considered; else those newly started; else those in use.
fn asked_drugs(items: &Items) -> Vec<&Item> {
    let drugs = || items.all.iter().filter(|item| item.standing.is_drug());
    let asked: Vec<&Item> = drugs().filter(|item| item.asked || item.standing == Standing::Proposed).collect();
    let new: Vec<&Item> = drugs().filter(|item| item.standing == Standing::New).collect();
    [asked, new].into_iter().find(|meant| !meant.is_empty()).unwrap_or_else(|| drugs().collect())
}

/// Whether what the question is about is a drug that is not known.
fn is_about_unknown_drug(case: &Case) -> bool {
    let is_drug = |word: &NotUnderstood| word.subject && matches!(word.likely, Some(LikelyKind::Drug | LikelyKind::Other));
    case.not_understood.iter().any(is_drug)
}

/// The pairs that the question asks about, and of which nothing is stored.
pub(super) fn none_stored(graph: &EvolvingGraph, case: &Case, items: &Items, covered: &BTreeSet<(EntityId, EntityId)>) -> Vec<NoneStored> {
    if !asks_safety(case) {
        return Vec::new();
    }
    // Asked about a drug that nobody knows, what is not stored of those that are taken already is no answer.
    let is_considered = |item: &Item| matches!(item.standing, Standing::Proposed | Standing::New);
    if is_about_unknown_drug(case) && !items.all.iter().any(is_considered) {
        return Vec::new();
    }
    let drugs = asked_drugs(items);
    // "Is A safe with B" is about the two; "is A safe for him" about everything that is known of him.
    let about_named = items.all.iter().filter(|item| item.asked).count() > 1;
    let is_meant = |item: &&Item| match item.standing {
        Standing::Proposed => true,
        Standing::New | Standing::Taken | Standing::Condition | Standing::Past => !about_named || item.asked,
        Standing::State => item.asked || item.said,
        Standing::Allergen => true,
        Standing::Finding | Standing::Stopped | Standing::Suspected => item.asked,
    };
    let others: Vec<&Item> = items.all.iter().filter(is_meant).collect();
    // An allergy of which something is stored under another name.
    let has_state = |drug: EntityId, allergen: EntityId| {
        items.allergy_states.iter().any(|(state, of)| *of == allergen && covered.contains(&pair_of(drug, *state)))
    };
    let of_allergen = |state: EntityId| items.allergy_states.iter().any(|(known, _)| *known == state);
    let proposes = drugs.iter().any(|drug| is_considered(drug));
    let mut seen = BTreeSet::new();
    let mut found: Vec<NoneStored> = Vec::new();
    for drug in &drugs {
        for other in &others {
            let pair = pair_of(drug.entity, other.entity);
            let is_same = is_below(graph, drug.entity, other.entity)
                || is_below(graph, other.entity, drug.entity)
                || (other.standing == Standing::State && of_allergen(other.entity));
            let is_allergy = other.standing == Standing::Allergen;
            // What a drug is given for, and what the patient has beside a drug that is not in question, was not asked.
            let is_condition = matches!(other.standing, Standing::Condition | Standing::Past);
            let is_indicated = || {
                let treats = |role| matches!(role, Role::Treatment | Role::FirstLine | Role::Prevention);
                // Alteplase is given for one kind of stroke.
                let kinds = members_of(graph, other.entity, KINDS).into_iter().chain(classes_of(graph, other.entity));
                let mut meant = std::iter::once(other.entity).chain(kinds);
                meant.any(|condition| !statements_between(graph, drug.entity, condition, treats).is_empty())
            };
            // An antidote is given for what too much of the other did: acetylcysteine, after paracetamol.
            let is_antidote = |of: EntityId, against: EntityId| {
                let heals = |role| role == Role::FirstLine;
                let comes_of = |role| matches!(role, Role::Cause | Role::AdverseEffect);
                let is_poisoning = |item: &&Item| item.standing == Standing::Condition && is_overdose(graph.entity_name(item.entity));
                items.all.iter().filter(is_poisoning).any(|item| {
                    !statements_between(graph, of, item.entity, heals).is_empty()
                        && !statements_between(graph, item.entity, against, comes_of).is_empty()
                })
            };
            if other.standing.is_drug() && (is_antidote(drug.entity, other.entity) || is_antidote(other.entity, drug.entity)) {
                continue;
            }
            if is_condition && ((proposes && !is_considered(drug)) || is_indicated()) {
                continue;
            }
            if is_same
                || covered.contains(&pair)
                || (is_allergy && has_state(drug.entity, other.entity))
                || !seen.insert((pair, is_allergy))
            {
                continue;
            }
            let kind = match other.standing {
                Standing::Allergen => SafetyKind::Allergy,
                standing if standing.is_drug() || standing == Standing::Stopped => SafetyKind::Interaction,
                _ => SafetyKind::Contraindication,
            };
            match found.iter_mut().find(|known| known.drug == drug.entity && known.kind == kind) {
                Some(known) => known.with.push(other.entity),
                None => found.push(NoneStored { drug: drug.entity, kind, with: vec![other.entity] }),
            }
        }
    }
    for none in &mut found {
        none.with.sort_by_key(|entity| graph.entity_name(*entity).to_owned());
    }
    found
}

/// What is not known and would have been compared.
pub(super) fn not_checked(case: &Case, items: &Items) -> Vec<NotChecked> {
    let asks_safety = asks_safety(case);
    let drugs: Vec<EntityId> = asked_drugs(items).iter().map(|item| item.entity).collect();
    // An unknown drug would have been compared with every other drug and, if that is asked, with the conditions and states.
    let is_other = |item: &&Item| {
        item.standing.is_drug()
            || (asks_safety && (item.asked || item.said || matches!(item.standing, Standing::Condition | Standing::Allergen)))
    };
    let mut others: Vec<EntityId> = Vec::new();
    for item in items.all.iter().filter(is_other) {
        if !others.contains(&item.entity) {
            others.push(item.entity);
        }
    }
    let mut found: Vec<NotChecked> = Vec::new();
    let mut add = |text: &str, may_mean: &[String], with: &[EntityId]| {
        let known = found.iter().any(|known| matches!(known, NotChecked::Words { text: other, .. } if other == text));
        if !known && !text.is_empty() && (asks_safety || !with.is_empty()) {
            found.push(NotChecked::Words { text: text.to_owned(), may_mean: may_mean.to_vec(), with: with.to_vec() });
        }
    };
    for drug in case.drugs.iter().filter(|drug| drug.entity.is_none()) {
        add(&drug.text, &[], if drug.status == DrugStatus::Allergic { &drugs } else { &others });
    }
    for allergy in &items.unknown_allergies {
        add(allergy, &[], &drugs);
    }
    let unknown = case.conditions.iter().filter(|condition| condition.entity.is_none() && condition.status != ConditionStatus::Excluded);
    for condition in unknown.filter(|_| asks_safety) {
        add(&condition.text, &[], &drugs);
    }
    for word in &case.not_understood {
        match word.likely {
            Some(LikelyKind::Drug) => add(&word.text, &word.may_mean, &others),
            Some(LikelyKind::Condition) if asks_safety => add(&word.text, &word.may_mean, &drugs),
            _ if asks_safety && (word.subject || !word.may_mean.is_empty()) => add(&word.text, &word.may_mean, &others),
            _ => {}
        }
    }
    if !drugs.is_empty() && asks_safety {
        found.extend(items.states.missing.iter().map(|name| NotChecked::State { name: *name, with: drugs.clone() }));
    }
    found
}
