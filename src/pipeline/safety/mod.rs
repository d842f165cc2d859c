//! The safety pass: every stored interaction and contraindication among the drugs, conditions and states of a case, whatever was asked;
//! which drugs must not be offered; and complete lists where a question asks for one.
//!
//! It depends on the case and the graph alone, and runs before any ranking, around every method.

mod asked_kind;
mod asked_level;
pub(crate) mod chains;
mod changed;
mod gaps;
mod items;
mod limits;
mod lines;
mod lists;
mod pairs;
#[cfg(test)]
mod properties;
mod same;
mod standard;
mod statement;
pub(crate) mod states;
#[cfg(test)]
mod tests;
mod usable;
pub(crate) mod wording;

use std::collections::BTreeSet;

pub(crate) use asked_kind::AskedKind;
use asked_level::AskedLevel;
pub(crate) use changed::changed;
pub(crate) use gaps::{NoneStored, NotChecked};
pub(crate) use items::Standing;
use items::{Item, Items};
pub(crate) use lines::SafetyLine;
pub(crate) use lists::{ListEntry, ListKind, SafetyList};
use pairs::Comparison;
use same::SameIngredient;
pub(crate) use statement::{SafetyKind, SafetyPart, SafetyRank, SafetyStatement, Verdict};
pub(crate) use states::WhenHolds;
use usable::Usable;

use crate::graph::{Chain, EntityId, EvolvingGraph, Kind, classes_of};
use crate::run::case::{Case, Refusal};

/// What the safety pass found.
#[derive(Debug, Clone, Default)]
pub(crate) struct SafetyReport {
    /// Stored interactions, contraindications and allergies of the case, the most serious first.
    pub(crate) statements: Vec<SafetyStatement>,
    /// What the question asks about, is understood, and of which nothing is stored.
    pub(crate) none_stored: Vec<NoneStored>,
    /// What the question asks about and is stated to be usual or acceptable.
    pub(crate) usable: Vec<Usable>,
    /// Products that the question names and that hold the same ingredient.
    same: Vec<SameIngredient>,
    /// What could not be checked, because it is not known.
    pub(crate) not_checked: Vec<NotChecked>,
    /// The lists that the question asks for.
    pub(crate) lists: Vec<SafetyList>,
    /// How many things of the case were not compared, because there are too many.
    pub(crate) left_out: usize,
    /// Two drugs of which one is changed for the other.
    changed: Option<(EntityId, EntityId)>,
    items: Items,
}

/// The safety pass over a case.
pub(crate) fn safety(graph: &EvolvingGraph, case: &Case) -> SafetyReport {
    let items = Items::of(graph, case);
    let mut comparison = Comparison::new(graph, &items.states);
    let mut statements = comparison.all(&items);
    // Where what is asked about is not known, what only may hold of something else is no answer; what surely harms is said all the same.
    if case.refusal == Some(Refusal::SubjectUnknown) {
        let is_grave = |s: &SafetyStatement| s.rank() <= SafetyRank::Major && s.parts.iter().any(|part| part.member.is_none());
        statements.retain(|statement| !statement.possible || is_grave(statement));
    }
    let lists = lists::lists(graph, case, &items);
    // A list answers what is asked; what it does not hold is not stored.
    let mut none_stored = if lists.is_empty() { gaps::none_stored(graph, case, &items, &comparison.covered) } else { Vec::new() };
    let usable = take_usable(graph, &mut none_stored);
    let not_checked = gaps::not_checked(case, &items);
    SafetyReport { statements, none_stored, usable, same: Vec::new(), not_checked, lists, left_out: items.left_out, changed: None, items }
}

/// Takes out what is stated to be usual or acceptable, each pair once.
fn take_usable(graph: &EvolvingGraph, none_stored: &mut Vec<NoneStored>) -> Vec<Usable> {
    let mut found: Vec<Usable> = Vec::new();
    for none in none_stored.iter_mut() {
        let drug = none.drug;
        let is_allergy = none.kind == SafetyKind::Allergy;
        none.with.retain(|other| {
            let Some(usable) = usable::stated_of(graph, drug, *other).filter(|_| !is_allergy) else { return true };
            let is_known = |known: &Usable| pairs::pair_of(known.drug, known.other) == pairs::pair_of(usable.drug, usable.other);
            if !found.iter().any(is_known) {
                found.push(usable);
            }
            false
        });
    }
    none_stored.retain(|none| !none.with.is_empty());
    found
}

impl SafetyReport {
    /// Whether there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        self.statements.is_empty()
            && self.same.is_empty()
            && self.none_stored.is_empty()
            && self.not_checked.is_empty()
            && self.lists.is_empty()
    }

    /// Takes it that the question asks for one kind of thing: what is listed is of that kind, and is not said once more of its class.
    pub(crate) fn list_only(&mut self, graph: &EvolvingGraph, case: &Case, kind: &AskedKind) {
        let lists = lists::of_kind(graph, case, &self.items, kind);
        if lists.is_empty() {
            return;
        }
        // Only what is said of the kind itself, or stands in a list: a drug of that kind that the patient takes is still compared.
        let says = |of: EntityId, other: EntityId| {
            let holds = |list: &SafetyList| kind.is_root(other) || list.entries.iter().any(|entry| entry.other == other);
            lists.iter().any(|list| list.of == of && holds(list))
        };
        let repeats = |a: EntityId, b: EntityId| says(a, b) || says(b, a);
        self.statements.retain(|statement| !repeats(statement.owner, statement.player));
        self.none_stored.retain(|none| !kind.is_root(none.drug) && !none.with.iter().any(|with| kind.is_root(*with)));
        self.lists = lists;
    }

    /// Cuts lists of interactions down to what changes the level of their subject in the direction that the question asks for.
    pub(crate) fn list_level(&mut self, graph: &EvolvingGraph, question: &str) {
        let Some(asked) = AskedLevel::of(question) else { return };
        for list in &mut self.lists {
            if let Some(only) = asked.only(graph, question, list) {
                *list = only;
            }
        }
    }

    /// Adds what is stored against the drugs of the case in conditions that it most likely is, and that the question does not name: a
    /// thrombolysis where the pain is a dissection's. Of a drug in use only what is contraindicated without a condition; of one that is considered
    /// also what needs care.
    pub(crate) fn suspect(&mut self, graph: &EvolvingGraph, conditions: &[EntityId]) {
        let mut comparison = Comparison::new(graph, &self.items.states);
        let named = BTreeSet::new();
        let is_new = |condition: &&EntityId| !self.items.all.iter().any(|item| item.entity == **condition);
        let mut found: Vec<SafetyStatement> = Vec::new();
        for condition in conditions.iter().filter(is_new) {
            let suspected = Item::new(*condition, Standing::Suspected);
            for drug in self.items.all.iter().filter(|item| item.standing.is_drug()) {
                let worst = if drug.standing == Standing::Proposed { SafetyRank::Relative } else { SafetyRank::Contraindicated };
                let holds = |part: &SafetyPart| part.member.is_none() && part.when != WhenHolds::No;
                let mut of_pair = comparison.of_pair(drug, &suspected, &named);
                of_pair.iter_mut().for_each(|s| s.parts.retain(holds));
                of_pair.retain(|s| {
                    let is_against = s.kind == SafetyKind::Contraindication && s.owner == drug.entity && !s.parts.is_empty();
                    is_against && s.rank() <= worst && !self.statements.iter().any(|known| known.is_about(s.owner, s.player))
                });
                found.extend(of_pair);
            }
        }
        self.statements.append(&mut found);
        pairs::sort(graph, &mut self.statements);
    }

    /// The chains that its statements and lists rest on, in the order in which they are said, each once.
    pub(crate) fn chains(&self) -> Vec<Chain> {
        let of_lists = self.lists.iter().flat_map(SafetyList::stated).map(|entry| entry.chain);
        let mut seen = std::collections::HashSet::new();
        self.statements.iter().flat_map(SafetyStatement::chains).chain(of_lists).filter(|chain| seen.insert(*chain)).collect()
    }

    /// Whether a drug, class or other treatment of the graph may be offered in this case: with which caution, or why not. `None` if nothing
    /// stored speaks against it.
    pub(crate) fn verdict(&self, graph: &EvolvingGraph, drug: EntityId) -> Option<(Verdict, SafetyStatement)> {
        let found = self.statements_of(graph, drug);
        let worst = found.iter().map(SafetyStatement::verdict).min()?;
        found.into_iter().find(|s| s.verdict() == worst).map(|statement| (worst, statement))
    }

    /// Everything that forbids a drug, class or other treatment in this case, the most serious first: each may be the lesser evil by itself.
    pub(crate) fn forbidding(&self, graph: &EvolvingGraph, drug: EntityId) -> Vec<SafetyStatement> {
        let mut found = self.statements_of(graph, drug);
        found.retain(|statement| statement.verdict() == Verdict::Forbidden);
        found
    }

    /// The states of the case that are the allergy to an allergen, as they are compared.
    pub(crate) fn allergies_to(&self, allergen: EntityId) -> Vec<EntityId> {
        let of_allergen = self.items.allergy_states.iter().filter(|(state, of)| *of == allergen || *state == allergen);
        of_allergen.map(|(state, _)| *state).collect()
    }

    /// What to say beside a drug, class or other treatment that is offered, the most serious first: what is stored of it and the case and is a
    /// reason for care. What only kinds of what the patient takes do, and a minor interaction, are none. One statement for each end.
    pub(crate) fn cautions(&self, graph: &EvolvingGraph, drug: EntityId) -> Vec<SafetyStatement> {
        let mut found = self.statements_of(graph, drug);
        for statement in &mut found {
            let is_owner = statement.owner == drug;
            statement.parts.retain(|part| part.member.is_none() || part.member_of_owner == is_owner);
        }
        found.retain(|s| s.parts.iter().any(|part| part.when != WhenHolds::No) && s.rank() != SafetyRank::Minor);
        // The order of statements that weigh the same stays.
        found.sort_by_key(SafetyStatement::verdict);
        let mut seen = BTreeSet::new();
        found.retain(|s| seen.insert(pairs::pair_of(s.owner, s.player)));
        found
    }

    /// What is contraindicated of the kinds of a class that is itself offered, and holds for the case: dabigatran, where an anticoagulant is
    /// offered to somebody whose kidneys fail.
    pub(crate) fn kinds_out(&self, graph: &EvolvingGraph, class: EntityId) -> Vec<SafetyStatement> {
        if !matches!(graph.kind(class), Kind::DrugClass) {
            return Vec::new();
        }
        let class = Item { open: true, ..Item::new(class, Standing::Proposed) };
        let mut comparison = Comparison::new(graph, &self.items.states);
        let named = BTreeSet::new();
        let is_of_case = |item: &Item| match item.standing {
            Standing::Proposed | Standing::Stopped | Standing::Past => false,
            _ => item.entity != class.entity && !item.possible,
        };
        let others = self.items.compared(graph).into_iter().filter(is_of_case);
        let mut found: Vec<SafetyStatement> = others.flat_map(|other| comparison.of_pair(&class, &other, &named)).collect();
        for statement in &mut found {
            let is_owner = statement.owner == class.entity;
            let is_out = |part: &SafetyPart| part.rank == SafetyRank::Contraindicated && part.when == WhenHolds::Yes;
            statement.parts.retain(|part| part.member.is_some() && part.member_of_owner == is_owner && is_out(part));
            // What is said of a class among them is not said of its members.
            let members: Vec<EntityId> = statement.parts.iter().filter_map(|part| part.member).collect();
            let is_said = |member: EntityId| classes_of(graph, member).iter().any(|class| members.contains(class));
            statement.parts.retain(|part| !part.member.is_some_and(is_said));
        }
        found.retain(|statement| !statement.parts.is_empty());
        pairs::sort(graph, &mut found);
        found
    }

    /// What is stored of a drug and the case, the most serious first.
    fn statements_of(&self, graph: &EvolvingGraph, drug: EntityId) -> Vec<SafetyStatement> {
        let own = self.items.all.iter().find(|item| item.entity == drug && item.standing.is_drug());
        let drug = own.copied().unwrap_or_else(|| Item::new(drug, Standing::Proposed));
        let mut comparison = Comparison::new(graph, &self.items.states);
        let named = BTreeSet::new();
        let others = self.items.all.iter().filter(|item| item.entity != drug.entity || item.standing == Standing::Allergen);
        let mut found: Vec<SafetyStatement> = others.flat_map(|other| comparison.of_pair(&drug, other, &named)).collect();
        // What only interacts with another drug that is considered says nothing of the case.
        found.retain(|s| {
            s.kind != SafetyKind::Interaction
                || [s.owner_standing, s.player_standing].iter().any(|standing| *standing != Standing::Proposed)
        });
        found.retain(|s| s.parts.iter().any(|part| part.when != WhenHolds::No));
        pairs::sort(graph, &mut found);
        found
    }

    /// Whether a drug must not be offered in this case.
    pub(crate) fn forbids(&self, graph: &EvolvingGraph, drug: EntityId) -> bool {
        self.verdict(graph, drug).is_some_and(|(verdict, _)| verdict == Verdict::Forbidden)
    }
}
