//! What the graph states of two things of a case, of themselves, by their classes, or of their members only.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::chains::{chain_of, from_class, membership, way_up};
use super::items::{Item, Items, Standing, TakesPart, takes_part};
use super::standard::standard_in;
use super::statement::{SafetyKind, SafetyPart, SafetyRank, SafetyStatement};
use super::states::{PatientStates, WhenHolds};
use crate::graph::{
    Chain, EntityId, EvolvingGraph, GraphView, Inherited, Kind, Player, Qualifiers, Role, classes_of, members_of, qualifier_keys as keys,
    statements_between,
};
use crate::text::fold;

/// The most members of a class that are looked at.
const MOST_MEMBERS: usize = 200;
/// The most members, over all pairs of a case.
const MOST_MEMBERS_OF_A_CASE: usize = 4_000;

/// Compares the things of a case.
pub(super) struct Comparison<'a> {
    graph: &'a EvolvingGraph,
    states: &'a PatientStates,
    takes_part: BTreeMap<(EntityId, bool), TakesPart>,
    members_left: usize,
    /// The pairs of which something is stored, the lower number first.
    pub(super) covered: BTreeSet<(EntityId, EntityId)>,
}

/// Both, the lower number first.
pub(super) fn pair_of(a: EntityId, b: EntityId) -> (EntityId, EntityId) {
    (a.min(b), a.max(b))
}

impl<'a> Comparison<'a> {
    pub(super) fn new(graph: &'a EvolvingGraph, states: &'a PatientStates) -> Self {
        Self { graph, states, takes_part: BTreeMap::new(), members_left: MOST_MEMBERS_OF_A_CASE, covered: BTreeSet::new() }
    }

    /// Every statement about two of these, the most serious first.
    pub(super) fn all(&mut self, items: &Items) -> Vec<SafetyStatement> {
        let compared = items.compared(self.graph);
        let named: BTreeSet<EntityId> = compared.iter().map(|item| item.entity).collect();
        let mut found = Vec::new();
        for (number, a) in compared.iter().enumerate() {
            for b in compared.iter().skip(number + 1) {
                found.extend(self.of_pair(a, b, &named));
            }
        }
        // What the graph stores of an allergy or a history says more than that there is one; a condition that the patient has, more than
        // its history.
        let is_replaced = |s: &SafetyStatement| {
            items.replaced.iter().any(|(less, more)| {
                // The end that is not the lesser statement's: the drug. A statement never replaces itself.
                let other_end = match (s.player == *less, s.owner == *less) {
                    (true, _) => s.owner,
                    (false, true) => s.player,
                    (false, false) => return false,
                };
                (s.kind == SafetyKind::Allergy || s.kind == SafetyKind::Contraindication)
                    && found.iter().any(|other| other.kind == SafetyKind::Contraindication && other.is_about(other_end, *more))
            })
        };
        let doubled: Vec<bool> = found.iter().map(is_replaced).collect();
        let mut found: Vec<SafetyStatement> =
            found.into_iter().zip(doubled).filter_map(|(statement, doubled)| (!doubled).then_some(statement)).collect();
        most_specific(self.graph, &mut found);
        sort(self.graph, &mut found);
        found
    }

    /// The statements about two things, one of each kind. `named`: entities that the case has, which are not repeated as members.
    pub(super) fn of_pair(&mut self, a: &Item, b: &Item, named: &BTreeSet<EntityId>) -> Vec<SafetyStatement> {
        let parts = match (a.standing, b.standing) {
            (Standing::Allergen, Standing::Allergen) => Vec::new(),
            (Standing::Allergen, standing) => {
                if standing.is_drug() {
                    self.allergy(b, a)
                } else {
                    Vec::new()
                }
            }
            (standing, Standing::Allergen) => {
                if standing.is_drug() {
                    self.allergy(a, b)
                } else {
                    Vec::new()
                }
            }
            // What was stopped matters for what is taken now.
            (Standing::Stopped, standing) | (standing, Standing::Stopped) if !standing.is_drug() => Vec::new(),
            _ => self.stored(a, b, named),
        };
        if !parts.is_empty() {
            self.covered.insert(pair_of(a.entity, b.entity));
        }
        // Of the members of a class, what the case rules out is said of none: apixaban in a cirrhosis that is not the worst.
        let parts = parts.into_iter().filter(|(.., part)| part.member.is_none() || part.when != WhenHolds::No);
        // A drug that another has replaced matters only by what may harm long after it: no reason for care that passes with the drug.
        let is_over = |kind: SafetyKind, rank: SafetyRank| kind == SafetyKind::Interaction && rank > SafetyRank::Unstated;
        let parts = parts.filter(|(kind, .., part)| !(a.untimed || b.untimed) || !is_over(*kind, part.rank));
        let mut statements: Vec<SafetyStatement> = Vec::new();
        for (kind, owner, player, part) in parts {
            // A state of the patient is shown as the graph states it: what is stored for pregnancy, in pregnancy.
            let shown = |item: &Item, stated| {
                if item.standing == Standing::State && part.member.is_none() && kind != SafetyKind::Allergy { stated } else { item.entity }
            };
            let (owner_shown, player_shown) = (shown(owner, part.stated_owner), shown(player, part.stated_player));
            let known = statements.iter_mut().find(|s| s.kind == kind && (s.owner, s.player) == (owner_shown, player_shown));
            if let Some(known) = known {
                known.parts.push(part);
                continue;
            }
            statements.push(SafetyStatement {
                kind,
                owner: owner_shown,
                player: player_shown,
                owner_standing: owner.standing,
                player_standing: player.standing,
                parts: vec![part],
                proposed: [owner, player].iter().any(|item| matches!(item.standing, Standing::Proposed | Standing::New) || item.asked),
                said: [owner, player].iter().all(|item| item.standing != Standing::State || item.said || item.asked),
                possible: false,
            });
        }
        for statement in &mut statements {
            statement.parts.sort_by_key(|part| (part.when, part.member.is_some(), part.rank));
            let uncertain = |item: &Item| item.possible || matches!(item.standing, Standing::Past | Standing::Stopped);
            let narrow = |part: &SafetyPart| part.when != WhenHolds::Yes || part.member.is_some();
            statement.possible = uncertain(a) || uncertain(b) || statement.parts.iter().all(narrow);
        }
        statements
    }

    /// Stored statements with their kind, owner and player.
    fn stored<'i>(&mut self, a: &'i Item, b: &'i Item, named: &BTreeSet<EntityId>) -> Vec<(SafetyKind, &'i Item, &'i Item, SafetyPart)> {
        if !self.part_of(a).with(self.part_of(b)) {
            return Vec::new();
        }
        let graph = self.graph;
        let related = is_below(graph, a.entity, b.entity) || is_below(graph, b.entity, a.entity);
        let mut found: Vec<_> = statements_between(graph, a.entity, b.entity, is_of_safety)
            .into_iter()
            // A drug and its own class: only what is stored of just these two.
            .filter(|found| !related || found.distance() == 0)
            .filter_map(|found| self.part(a, b, &found, None))
            .collect();
        if !related {
            found.extend(self.of_members(a, b, named));
            found.extend(self.of_members(b, a, named));
        }
        found
    }

    /// What holds for members of `class` alone, if the question leaves open which is meant.
    fn of_members<'i>(
        &mut self,
        class: &'i Item,
        other: &'i Item,
        named: &BTreeSet<EntityId>,
    ) -> Vec<(SafetyKind, &'i Item, &'i Item, SafetyPart)> {
        if !class.open || class.standing == Standing::Stopped {
            return Vec::new();
        }
        let graph = self.graph;
        let members = members_of(graph, class.entity, MOST_MEMBERS.min(self.members_left));
        self.members_left -= members.len().min(self.members_left);
        // Of two classes that are both merely considered, what some of their kinds do to each other is said only where it is asked.
        if class.standing == Standing::Proposed && other.standing == Standing::Proposed && !class.asked && !other.asked {
            return Vec::new();
        }
        let of_class: BTreeSet<EntityId> = std::iter::once(class.entity).chain(classes_of(graph, class.entity)).collect();
        let known: BTreeSet<EntityId> = members.iter().copied().collect();
        let mut found = Vec::new();
        // Hepatorenal syndrome is a kind of kidney failure, but not what "impaired" leaves open; the direct kinds of the state are.
        let is_far = |member: EntityId| {
            let is_direct = || way_up(graph, member, class.entity).is_some_and(|steps| steps.len() == 1);
            class.standing == Standing::State && *graph.kind(member) == Kind::Disease && !is_direct()
        };
        for member in members {
            if is_far(member) || named.contains(&member) || self.states.ruled_out.contains(&member) || is_below(graph, other.entity, member)
            {
                continue;
            }
            for statement in statements_between(graph, member, other.entity, is_of_safety) {
                let stated = if statement.first_is_head { statement.head } else { statement.tail };
                // What holds for the class holds for all, and what holds for a class among the members is said of that class.
                if !of_class.contains(&stated) && (stated == member || !known.contains(&stated)) {
                    found.extend(self.part(class, other, &statement, Some(member)));
                }
            }
        }
        found
    }

    /// A stored statement between `a` (or its member) and `b`.
    fn part<'i>(
        &self,
        a: &'i Item,
        b: &'i Item,
        found: &Inherited,
        member: Option<EntityId>,
    ) -> Option<(SafetyKind, &'i Item, &'i Item, SafetyPart)> {
        let relation = self.graph.relations().get(found.relation.index())?;
        let (kind, owner_is_first) = match relation.role {
            Role::Interaction => (SafetyKind::Interaction, self.comes_first(a, b)),
            _ => (SafetyKind::Contraindication, (relation.player == Player::Tail) == found.first_is_head),
        };
        let mut chain = chain_of(self.graph, found, owner_is_first);
        if member.is_some() {
            chain = if owner_is_first {
                from_class(self.graph, a.entity, chain)
            } else {
                from_class(self.graph, a.entity, chain.reversed()).reversed()
            };
        }
        let (first, second) = if found.first_is_head { (found.head, found.tail) } else { (found.tail, found.head) };
        let (stated_owner, stated_player) = if owner_is_first { (first, second) } else { (second, first) };
        let player_item = if owner_is_first { b.entity } else { a.entity };
        let standard_in = standard_in(self.graph, self.states, &found.qualifiers, [a.entity, b.entity]);
        let conditions: Vec<&str> = [keys::WHEN, keys::WHEN_ZH].into_iter().filter_map(|key| found.qualifiers.get(key)).collect();
        let part = SafetyPart {
            stated: Some(found.triple()),
            stated_owner,
            stated_player,
            member,
            member_of_owner: owner_is_first,
            rank: SafetyRank::of(relation.role, &found.qualifiers),
            when: self.when_holds((stated_player, player_item), &conditions),
            standard_in,
            qualifiers: found.qualifiers.clone(),
            chain,
        };
        let (owner, player) = if owner_is_first { (a, b) } else { (b, a) };
        Some((kind, owner, player, part))
    }

    /// Whether the condition of a statement about a state holds: also where the very illness of the patient, which is a kind of it, is called so. "Reduced
    /// ejection fraction" of a heart failure holds for heart failure with reduced ejection fraction. So does what names another illness of the patient.
    fn when_holds(&self, (stated, illness): (EntityId, EntityId), conditions: &[&str]) -> WhenHolds {
        let holds = self.states.when_holds(stated, conditions);
        let name = fold(self.graph.entity_name(illness));
        let is_called = |when: &&str| when.contains(' ') && name.contains(&fold(when));
        let is_kind = holds == WhenHolds::Unknown && stated != illness && is_below(self.graph, illness, stated);
        let is_known = |when: &&str| self.states.names_illness([stated, illness], when);
        let holds_anyway = is_kind && conditions.iter().any(is_called) || holds == WhenHolds::Unknown && conditions.iter().any(is_known);
        if holds_anyway { WhenHolds::Yes } else { holds }
    }

    /// Of two things that interact, which is named first: the one that is considered or new, a drug before food, then by name.
    fn comes_first(&self, a: &Item, b: &Item) -> bool {
        let key = |item: &Item| (item.standing, self.graph.entity_rank(item.entity));
        key(a) <= key(b)
    }

    /// The allergy of a patient, and a drug.
    fn allergy<'i>(&self, drug: &'i Item, allergen: &'i Item) -> Vec<(SafetyKind, &'i Item, &'i Item, SafetyPart)> {
        let graph = self.graph;
        let (chain, rank) = if drug.entity == allergen.entity {
            (Chain::start(drug.entity.0), SafetyRank::Contraindicated)
        } else if let Some(chain) = membership(graph, drug.entity, allergen.entity) {
            (chain, SafetyRank::Contraindicated)
        } else if let Some(chain) = membership(graph, allergen.entity, drug.entity) {
            // A class that includes the allergen.
            (chain.reversed(), SafetyRank::Relative)
        } else {
            return Vec::new();
        };
        let part = SafetyPart {
            stated: None,
            stated_owner: drug.entity,
            stated_player: allergen.entity,
            member: None,
            member_of_owner: false,
            qualifiers: Qualifiers::default(),
            rank,
            when: WhenHolds::Yes,
            standard_in: None,
            chain,
        };
        vec![(SafetyKind::Allergy, drug, allergen, part)]
    }

    /// How an item takes part, with its members if what holds for one of them is said.
    fn part_of(&mut self, item: &Item) -> TakesPart {
        let graph = self.graph;
        let read = || {
            let members = if item.open { members_of(graph, item.entity, MOST_MEMBERS) } else { Vec::new() };
            members.into_iter().fold(takes_part(graph, item.entity), |part, member| part.and(takes_part(graph, member)))
        };
        *self.takes_part.entry((item.entity, item.open)).or_insert_with(read)
    }
}

/// Whether a role is one that the safety pass states.
fn is_of_safety(role: Role) -> bool {
    matches!(role, Role::Interaction | Role::Contraindication)
}

/// Whether an entity is a class or one of the members to which it passes its statements on.
pub(super) fn is_below(graph: &EvolvingGraph, entity: EntityId, class: EntityId) -> bool {
    entity == class || classes_of(graph, entity).contains(&class)
}

/// Removes what is said of a class where the same kind of statement, as serious, is made of its members; and what is said twice.
fn most_specific(graph: &EvolvingGraph, statements: &mut Vec<SafetyStatement>) {
    let says_more = |a: &SafetyStatement, b: &SafetyStatement| {
        let below = |(a1, a2): (EntityId, EntityId)| is_below(graph, a1, b.owner) && is_below(graph, a2, b.player);
        let swapped = a.kind == SafetyKind::Interaction && below((a.player, a.owner));
        // What the question says is not said a second time of a state that follows from it.
        let follows = a.said && !b.said && a.owner == b.owner && is_below(graph, a.player, b.player);
        a.kind == b.kind
            && a.rank() <= b.rank()
            && (!a.possible || b.possible)
            && (a.proposed || !b.proposed)
            && (a.said || !b.said)
            && (below((a.owner, a.player)) || swapped || follows)
    };
    let mut kept: Vec<SafetyStatement> = Vec::new();
    statements.sort_by_key(|s| (s.rank(), s.possible, Reverse(s.proposed)));
    for statement in statements.drain(..) {
        if kept.iter().any(|known| says_more(known, &statement)) {
            continue;
        }
        kept.retain(|known| !says_more(&statement, known));
        kept.push(statement);
    }
    *statements = kept;
}

/// The most serious first, behind them what is given together in an illness of the patient; then what involves a drug that is considered or new, what is certain, and by name.
pub(super) fn sort(graph: &EvolvingGraph, statements: &mut [SafetyStatement]) {
    let name = |entity| graph.entity_rank(entity);
    statements.sort_by_key(|s| {
        let ruled_out = s.parts.iter().all(|part| part.when == WhenHolds::No);
        (ruled_out, s.is_standard(), s.rank(), !s.proposed, s.possible, name(s.owner), name(s.player), s.kind)
    });
}
