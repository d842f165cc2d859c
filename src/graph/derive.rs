//! Derives from the roles of relations, for every entity: its kind where the graph states none, whether it is a
//! condition, and the weights that distinguish telling findings from common ones. Computed once when a graph is made,
//! and stored in its snapshot; computed again only if the user gives relations other roles.

use rayon::prelude::*;

use super::entity::{EntityId, Kind};
use super::role::{Player, Relation, Role};
use super::snapshot::flags;
use super::view::{Direction, GraphRows};

/// The facts of entity `i`: (role, other entity, whether `i` plays the role).
fn facts<'a>(rows: &GraphRows<'a>, relations: &'a [Relation], i: usize) -> impl Iterator<Item = (Role, EntityId, bool)> + use<'a> {
    let edges = |direction, end| rows.row(EntityId(i as u32), direction).iter().map(move |edge| (edge, end));
    edges(Direction::Out, Player::Head).chain(edges(Direction::In, Player::Tail)).filter_map(|(edge, end)| {
        let relation = relations.get(edge.relation.index())?;
        Some((relation.role, edge.to, relation.player == end))
    })
}

/// The derived values, one element for each entity.
#[derive(Debug, Default)]
pub(super) struct Derived {
    /// Indices into the graph's kinds.
    pub(super) kinds: Vec<u16>,
    /// See [`flags`].
    pub(super) flags: Vec<u8>,
    /// `ln(1 + conditions / (1 + bearers))`.
    pub(super) rarity: Vec<f64>,
    /// Sum of the squared rarities of an entity's features.
    pub(super) features: Vec<f64>,
    /// The number of conditions.
    pub(super) conditions: u64,
}

impl Derived {
    /// Derives all values. `stated`: the kind numbers that the graph states; `None` is inferred. Inferred kinds are added to `kinds`.
    pub(super) fn of(rows: &GraphRows<'_>, relations: &[Relation], stated: &[Option<u16>], kinds: &mut Vec<Kind>) -> Self {
        let guesses = INFERRED.map(|kind| number_of(kinds, kind));
        let unknown = number_of(kinds, Kind::default());
        let entities = 0..rows.entity_count();
        let (kind_numbers, flags): (Vec<u16>, Vec<u8>) = entities
            .clone()
            .into_par_iter()
            .map(|i| {
                let stated = stated.get(i).copied().flatten();
                let kind = stated.unwrap_or_else(|| most_voted(rows, relations, i).map_or(unknown, |guess| guesses[guess]));
                let condition = match kinds.get(usize::from(kind)) {
                    Some(Kind::Disease) => true,
                    Some(Kind::Other(_)) | None => {
                        has_player(rows, relations, i, |role| role.is_feature() || role == Role::Test || role.is_treatment())
                    }
                    // A symptom that the graph also describes as a condition in its own right.
                    Some(Kind::Symptom) => has_player(rows, relations, i, Role::is_feature),
                    Some(_) => false,
                };
                let stated = if stated.is_some() { flags::KIND_STATED } else { 0 };
                (kind, stated | if condition { flags::CONDITION } else { 0 })
            })
            .unzip();
        let conditions = flags.iter().filter(|f| **f & flags::CONDITION != 0).count() as u64;
        let count = conditions.max(1) as f64;
        let rarity: Vec<f64> = entities
            .clone()
            .into_par_iter()
            .map(|i| (1.0 + count / (1.0 + distinct_features(rows, relations, i, true).len() as f64)).ln())
            .collect();
        let features = entities
            .into_par_iter()
            .map(|i| distinct_features(rows, relations, i, false).iter().map(|(_, other)| rarity[other.index()].powi(2)).sum())
            .collect();
        Self { kinds: kind_numbers, flags, rarity, features, conditions }
    }
}

/// The number of a kind; adds the kind if it is new.
pub(super) fn number_of(kinds: &mut Vec<Kind>, kind: Kind) -> u16 {
    let known = kinds.iter().position(|k| *k == kind);
    known.unwrap_or_else(|| {
        kinds.push(kind);
        kinds.len() - 1
    }) as u16
}

fn has_player(rows: &GraphRows<'_>, relations: &[Relation], i: usize, role: impl Fn(Role) -> bool) -> bool {
    facts(rows, relations, i).any(|(r, _, plays)| !plays && role(r))
}

/// The features that entity `i` has, or with `plays` the conditions of which it is a feature. Each appears once, however often the graph
/// states it.
fn distinct_features(rows: &GraphRows<'_>, relations: &[Relation], i: usize, plays: bool) -> Vec<(Role, EntityId)> {
    let mut features: Vec<_> =
        facts(rows, relations, i).filter(|(role, _, p)| *p == plays && role.is_feature()).map(|(role, other, _)| (role, other)).collect();
    features.sort_unstable();
    features.dedup();
    features
}

/// The kinds that can be inferred.
const INFERRED: [Kind; 6] = [Kind::Symptom, Kind::Disease, Kind::Test, Kind::Drug, Kind::RiskFactor, Kind::Pathogen];
const SYMPTOM: usize = 0;
const DISEASE: usize = 1;
const TEST: usize = 2;
const DRUG: usize = 3;
const RISK_FACTOR: usize = 4;
const PATHOGEN: usize = 5;

/// The kinds that the two ends of a relation of this role usually have: (player, owner).
fn kinds_of(role: Role) -> Option<(usize, usize)> {
    Some(match role {
        Role::Symptom | Role::RedFlag => (SYMPTOM, DISEASE),
        Role::Test => (TEST, DISEASE),
        Role::Treatment | Role::FirstLine | Role::Prevention => (DRUG, DISEASE),
        Role::Contraindication => (DISEASE, DRUG),
        Role::AdverseEffect => (SYMPTOM, DRUG),
        Role::Complication | Role::Differential => (DISEASE, DISEASE),
        Role::RiskFactor => (RISK_FACTOR, DISEASE),
        Role::Cause => (PATHOGEN, DISEASE),
        Role::Interaction | Role::Monitoring | Role::Broader | Role::Related => return None,
    })
}

/// The kind that most of an entity's triples suggest; of kinds with equal votes, the first by name.
fn most_voted(rows: &GraphRows<'_>, relations: &[Relation], i: usize) -> Option<usize> {
    let mut votes = [0usize; INFERRED.len()];
    for (role, _, plays) in facts(rows, relations, i) {
        if let Some((player, owner)) = kinds_of(role) {
            votes[if plays { player } else { owner }] += 1;
        }
    }
    let by_name = |kind: usize| INFERRED[kind].as_str().to_owned();
    (0..votes.len()).filter(|kind| votes[*kind] > 0).max_by(|a, b| votes[*a].cmp(&votes[*b]).then_with(|| by_name(*b).cmp(&by_name(*a))))
}

#[cfg(test)]
mod tests {
    use crate::graph::{EntityId, Facts, starter_graph};

    #[test]
    fn stored_weights_are_those_of_their_definition() {
        let graph = starter_graph().expect("sound");
        let facts = Facts::of(&graph);
        let conditions = graph.entity_ids().filter(|e| facts.is_condition(*e)).count();
        assert!(conditions > 100);
        assert_eq!(graph.condition_count(), conditions);
        let bearers = |entity| facts.owners(entity).iter().filter(|f| f.role.is_feature()).count() as f64;
        let rarity = |entity: EntityId| (1.0 + conditions as f64 / (1.0 + bearers(entity))).ln();
        for entity in graph.entity_ids() {
            let features: f64 = facts.players(entity).iter().filter(|f| f.role.is_feature()).map(|f| rarity(f.other).powi(2)).sum();
            assert_eq!(graph.is_condition(entity), facts.is_condition(entity));
            assert!((graph.rarity(entity) - rarity(entity)).abs() < 1e-12);
            assert!((graph.feature_weight(entity) - features).abs() < 1e-9);
        }
    }
}
