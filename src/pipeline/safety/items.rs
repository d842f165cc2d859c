//! What the safety pass compares: the drugs, allergies, states, conditions and findings of a case, as entities of the graph.

use super::limits::MeasuredValues;
use super::states::{PatientStates, allergen_of, allergies_to, entity_of, histories_of, is_allergy};
use crate::graph::{Direction, EntityId, EvolvingGraph, GraphView, Kind, Player, Role, classes_of};
use crate::run::case::{AskKind, Case, ConditionStatus, DrugStatus, FindingStatus};
use crate::text::fold;

/// The most items that are compared with each other.
pub(super) const MOST_ITEMS: usize = 60;
/// A drug that was stopped longer ago no longer matters, in days.
const STOPPED: f64 = 180.0;
/// The most aliases of an allergen by which the allergy to it is looked for.
const MOST_ALIASES: usize = 8;

/// How an item is in play. Ordered: what matters most is kept if there are too many, and comes first in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Standing {
    /// A drug that is considered or asked about.
    Proposed,
    /// A drug that was started lately.
    New,
    /// A drug that is taken.
    Taken,
    /// A drug that was stopped lately.
    Stopped,
    /// What the patient is allergic to.
    Allergen,
    /// A state of the patient: pregnancy, age, an organ's function, an allergy.
    State,
    /// A condition that the patient has, or that is suspected or asked about.
    Condition,
    /// What the findings most likely mean, which the question does not name.
    Suspected,
    /// A finding, or what a result amounts to.
    Finding,
    /// A condition that the patient had.
    Past,
}

impl Standing {
    /// Whether it is a drug that the patient takes or may take.
    pub(crate) fn is_drug(self) -> bool {
        matches!(self, Self::Proposed | Self::New | Self::Taken)
    }

    /// Whether it is a drug in use.
    pub(super) fn is_in_use(self) -> bool {
        matches!(self, Self::New | Self::Taken)
    }
}

/// One of the things that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) entity: EntityId,
    pub(super) standing: Standing,
    /// Whether it only may apply.
    pub(super) possible: bool,
    /// Whether what holds for one of its members is said as well.
    pub(super) open: bool,
    /// Whether the question asks about it.
    pub(super) asked: bool,
    /// Whether it is a state or condition that the question says, not one that follows from it.
    pub(super) said: bool,
    /// Whether it is a drug of which it is not said when it was stopped.
    pub(super) untimed: bool,
}

/// Items in a fixed order, whatever the order in the question.
#[derive(Debug, Clone, Default)]
pub(super) struct Items {
    pub(super) all: Vec<Item>,
    /// How many were left out.
    pub(super) left_out: usize,
    pub(super) states: PatientStates,
    /// Allergies of the patient that the graph does not know.
    pub(super) unknown_allergies: Vec<String>,
    /// States that are allergies, with the allergens from which they were found.
    pub(super) allergy_states: Vec<(EntityId, EntityId)>,
    /// Pairs of which the second says more: what is stated of the first is not said if the same is stated of the second.
    pub(super) replaced: Vec<(EntityId, EntityId)>,
}

impl Items {
    /// The items of a case.
    pub(super) fn of(graph: &EvolvingGraph, case: &Case) -> Self {
        let mut states = PatientStates::of(graph, &case.patient);
        states.measured = MeasuredValues::of(case);
        let mut items = Self { states, ..Self::default() };
        let find = |name: &Option<String>| name.as_deref().and_then(|name| entity_of(graph, name));
        for drug in &case.drugs {
            let Some(entity) = find(&drug.entity) else { continue };
            let standing = match drug.status {
                DrugStatus::Proposed => Standing::Proposed,
                DrugStatus::New => Standing::New,
                DrugStatus::Taken => Standing::Taken,
                DrugStatus::Stopped if drug.days.is_some_and(|days| days > STOPPED) => continue,
                DrugStatus::Stopped => Standing::Stopped,
                DrugStatus::Allergic => {
                    items.add_allergen(graph, entity);
                    continue;
                }
            };
            let untimed = standing == Standing::Stopped && drug.days.is_none();
            items.add(Item { open: is_class(graph, entity), untimed, ..Item::new(entity, standing) });
        }
        for name in &case.patient.allergies {
            match entity_of(graph, name) {
                Some(entity) => items.add_allergen(graph, entity),
                None => items.add_unknown_allergy(graph, name),
            }
        }
        items.states.told = super::standard::told(graph, case);
        for condition in &case.conditions {
            let standing = match condition.status {
                ConditionStatus::Known | ConditionStatus::Suspected => Standing::Condition,
                ConditionStatus::Past => Standing::Past,
                ConditionStatus::Excluded => continue,
            };
            if let Some(entity) = find(&condition.entity) {
                items.add(Item { said: standing == Standing::Condition, ..Item::new(entity, standing) });
                if condition.status == ConditionStatus::Known {
                    items.states.illnesses.push((entity, fold(graph.entity_name(entity))));
                }
                for kind in std::iter::once(entity).chain(classes_of(graph, entity)) {
                    for history in histories_of(graph, kind) {
                        items.replaced.push(if standing == Standing::Past { (entity, history) } else { (history, entity) });
                        items.add(Item::new(history, Standing::State));
                    }
                }
            }
        }
        // What was, as a hearing loss in the past history, may forbid a drug still.
        let is_told = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain | FindingStatus::Resolved);
        let present = case.findings.iter().filter(|finding| is_told(finding.status));
        let found = present.map(|finding| &finding.entity).chain(case.results.iter().map(|result| &result.finding));
        for entity in found.filter_map(find) {
            items.add(Item::new(entity, Standing::Finding));
        }
        // "Liver disease" is what the question says, and is read as an impaired liver besides: what is stored of either is told.
        let named = items.all.iter().filter(|item| item.standing == Standing::Condition && item.said);
        let named: Vec<EntityId> = named.map(|item| item.entity).collect();
        for state in items.states.known.clone() {
            let is_other = |named: &EntityId| *named != state.entity && items.states.are_one(*named, state.entity);
            let said = state.said && (named.contains(&state.entity) || !named.iter().any(is_other));
            items.add(Item { possible: state.possible, open: state.open, said, ..Item::new(state.entity, Standing::State) });
        }
        items.add_asked(graph, case);
        items.add_allergies_named_as_states(graph);
        items.replaced.extend(items.allergy_states.iter().map(|(state, allergen)| (*allergen, *state)));
        items.all.sort_by_key(|item| (!item.asked, item.standing, graph.entity_name(item.entity).to_owned(), item.entity));
        items.left_out = items.all.len().saturating_sub(MOST_ITEMS);
        items.all.truncate(MOST_ITEMS);
        items
    }

    /// The states of which something is said by another state of the patient that inherits from them are left out of comparisons.
    pub(super) fn compared(&self, graph: &EvolvingGraph) -> Vec<Item> {
        let states = || self.all.iter().filter(|item| item.standing == Standing::State && !item.asked);
        let inherited: Vec<EntityId> = states().filter(|item| !item.possible).flat_map(|item| classes_of(graph, item.entity)).collect();
        let is_needed = |item: &&Item| item.standing != Standing::State || item.asked || item.said || !inherited.contains(&item.entity);
        self.all.iter().filter(is_needed).copied().collect()
    }

    /// What the question asks about is marked, and added if it stands nowhere else.
    fn add_asked(&mut self, graph: &EvolvingGraph, case: &Case) {
        let asks_of = |kind| {
            matches!(kind, AskKind::Safety | AskKind::Interactions | AskKind::Contraindications | AskKind::Dose | AskKind::SideEffects)
        };
        for name in case.asks.iter().filter(|ask| asks_of(ask.kind)).flat_map(|ask| &ask.of) {
            let Some(entity) = entity_of(graph, name) else { continue };
            let known = self.all.iter_mut().filter(|item| item.entity == entity && item.standing != Standing::Allergen);
            let open = is_class(graph, entity);
            if known.map(|item| (item.asked, item.open) = (true, item.open || open)).count() > 0 {
                continue;
            }
            let standing = if is_given(graph, entity) { Standing::Proposed } else { Standing::Condition };
            self.add(Item { asked: true, open, ..Item::new(entity, standing) });
        }
    }

    /// Each entity once, with the standing that matters most; an allergen apart from the same drug.
    fn add(&mut self, item: Item) {
        let apart = |standing| standing == Standing::Allergen;
        let known = self.all.iter_mut().find(|known| known.entity == item.entity && apart(known.standing) == apart(item.standing));
        match known {
            Some(known) => {
                // A finding or condition that is also a state of the patient is known from both.
                (known.asked, known.open, known.said) = (known.asked || item.asked, known.open || item.open, known.said || item.said);
                known.possible &= item.possible;
                known.standing = known.standing.min(item.standing);
            }
            None => self.all.push(item),
        }
    }

    /// An allergen, and the states that are the allergy to it or to one of its classes. What is no drug (an insect's sting) counts as a
    /// state too.
    fn add_allergen(&mut self, graph: &EvolvingGraph, entity: EntityId) {
        let is_allergy = is_allergy(graph.entity_name(entity));
        if is_allergy || !is_given(graph, entity) {
            self.add(Item::new(entity, Standing::State));
        }
        if is_allergy {
            return;
        }
        self.add(Item::new(entity, Standing::Allergen));
        for class in std::iter::once(entity).chain(classes_of(graph, entity)) {
            let names = std::iter::once(graph.entity_name(class)).chain(graph.aliases(class).take(MOST_ALIASES));
            for state in allergies_to(graph, names) {
                self.allergy_states.push((state, entity));
                self.add(Item::new(state, Standing::State));
            }
        }
    }

    fn add_unknown_allergy(&mut self, graph: &EvolvingGraph, name: &str) {
        let states = allergies_to(graph, std::iter::once(name));
        if states.is_empty() {
            self.unknown_allergies.push(name.to_owned());
        }
        for state in states {
            self.add(Item::new(state, Standing::State));
        }
    }

    /// "Penicillin allergy" as a condition or finding names an allergen too.
    fn add_allergies_named_as_states(&mut self, graph: &EvolvingGraph) {
        let states: Vec<EntityId> = self
            .all
            .iter()
            .filter(|item| matches!(item.standing, Standing::State | Standing::Condition | Standing::Finding | Standing::Past))
            .map(|item| item.entity)
            .collect();
        for state in states {
            if let Some(allergen) = allergen_of(graph, graph.entity_name(state)).filter(|allergen| *allergen != state) {
                self.allergy_states.push((state, allergen));
                self.add(Item::new(allergen, Standing::Allergen));
            }
        }
    }
}

impl Item {
    pub(super) fn new(entity: EntityId, standing: Standing) -> Self {
        Self { entity, standing, possible: false, open: false, asked: false, said: false, untimed: false }
    }
}

/// Whether what holds for a member of an entity alone is said of it. Of a single drug it is not: its members are combinations with others.
fn is_class(graph: &EvolvingGraph, entity: EntityId) -> bool {
    *graph.kind(entity) != Kind::Drug
}

/// Whether an entity is something that is given to a patient: by its kind, or because the graph says what it treats or when it must not
/// be used.
pub(super) fn is_given(graph: &EvolvingGraph, entity: EntityId) -> bool {
    match graph.kind(entity) {
        Kind::Drug | Kind::DrugClass | Kind::Treatment => true,
        // A test that must not be done in some state is done to a patient as a drug is given.
        Kind::Test | Kind::Other(_) => takes_part(graph, entity).acts,
        Kind::Disease | Kind::Symptom | Kind::RiskFactor | Kind::Pathogen => false,
    }
}

/// How an entity, or one of its classes, takes part in what the graph says of safety.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TakesPart {
    /// It interacts, or must not be used somewhere.
    pub(super) acts: bool,
    /// Something must not be used in it.
    pub(super) forbids: bool,
}

impl TakesPart {
    /// Both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self { acts: self.acts || other.acts, forbids: self.forbids || other.forbids }
    }

    /// Whether something may be stored between two entities.
    pub(super) fn with(self, other: Self) -> bool {
        (self.acts && (other.acts || other.forbids)) || (other.acts && self.forbids)
    }
}

/// How an entity and its classes take part.
pub(super) fn takes_part(graph: &EvolvingGraph, entity: EntityId) -> TakesPart {
    let mut part = TakesPart::default();
    for class in std::iter::once(entity).chain(classes_of(graph, entity)) {
        for way in Direction::BOTH {
            for edge in graph.edges(class, way).iter() {
                let Some(relation) = graph.relations().get(edge.relation.index()) else { continue };
                match relation.role {
                    Role::Interaction => part.acts = true,
                    // The player is the state. An outgoing edge has its player at the far end if that is the tail.
                    Role::Contraindication if (relation.player == Player::Tail) == way.is_forward() => part.acts = true,
                    Role::Contraindication => part.forbids = true,
                    _ => {}
                }
            }
        }
    }
    part
}
