//! Checks triples before they are learned (WTS, section 3.2, redundancy checking): are they valid, do known triples contradict them, are
//! they new.
//!
//! For each triple, in this order: an impossible one is an [`InvalidTriple`]; one that contradicts a known triple of the same two entities
//! is a [`CheckOutcome::Conflict`]; one whose two entities are related already, or that nearly repeats a known triple of either of them, is
//! [`CheckOutcome::Redundant`].

mod around;
mod kind_rules;
mod near;
mod same_meaning;
mod statement;
mod whole;

use std::collections::HashMap;

pub(crate) use same_meaning::{NamePair, same_meaning};

use crate::dkg::CheckOutcome;
use crate::graph::{Direction, Edge, EntityId, GraphView, Kind, NamedEntity, NamedTriple, Role, Triple, statements_between};
use crate::language::Knowledge;
use crate::model::{CancelToken, EncoderHandle, ModelError};
use crate::text::fold;
use near::Nearest;
use statement::{KnownTriple, Statement, Way};

/// The most entities of one name that are considered.
const HOMONYMS: usize = 16;

/// How strictly triples are checked against known ones.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckSettings {
    /// `false`, WTS's rule: any known triple of the same two entities makes another redundant, whatever its relation and direction. `true`:
    /// only one that says at least as much.
    pub compare_relation: bool,
    /// L' of WTS: the largest `1 − cos` of the vectors of two triples that say nearly the same; 0 to 2, negative for never. The words of their
    /// names must match one by one, too.
    pub redundancy_distance: f64,
    /// How many known triples of each of its two entities a triple is compared with by vectors. Those whose names share words with it come
    /// first, then others in the graph's order.
    pub most_compared: usize,
    /// WTS as published: compared with every learned triple, by vectors alone.
    pub whole_dkg: bool,
}

impl Default for CheckSettings {
    fn default() -> Self {
        Self { compare_relation: false, redundancy_distance: 0.1, most_compared: 64, whole_dkg: false }
    }
}

/// Why a triple is impossible, whatever the graph has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTriple {
    /// An end has no name.
    #[error("one of the two entities has no name")]
    Nameless,
    /// Both ends are one entity.
    #[error("it relates {0} to itself")]
    Itself(String),
    /// The kinds of the ends do not fit the relation.
    #[error("{name} is a {kind}, which cannot be {cannot_be}")]
    Misfit {
        /// The entity.
        name: String,
        /// Its kind.
        kind: String,
        /// What the relation would make of it ("a symptom of something").
        cannot_be: &'static str,
    },
}

impl InvalidTriple {
    /// The reason without names, for counting.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Nameless => "an entity without a name",
            Self::Itself(_) => "an entity related to itself",
            Self::Misfit { .. } => "a kind that does not fit the relation",
        }
    }
}

/// The result of a check.
pub type Checked = Result<CheckOutcome, InvalidTriple>;

/// Checks triples against the known ones. Cheap to create.
#[derive(Debug, Clone, Copy)]
pub struct Checker<'a> {
    /// The known triples.
    pub knowledge: &'a Knowledge,
    /// Embeds triples; any encoder.
    pub encoder: &'a EncoderHandle,
    /// How strictly.
    pub settings: &'a CheckSettings,
    /// Stops a long check.
    pub cancel: &'a CancelToken,
}

/// An end of a triple: the entities of the graph that it may be, or a name that the graph does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
struct End {
    entities: Vec<EntityId>,
    folded: String,
}

impl End {
    /// The key that distinguishes ends: the entity, or the folded name.
    fn key(&self) -> (Option<EntityId>, &str) {
        match self.entities.first() {
            Some(entity) => (Some(*entity), ""),
            None => (None, &self.folded),
        }
    }
}

/// A triple that is being checked.
#[derive(Debug)]
struct Candidate<'t> {
    triple: &'t NamedTriple,
    head: End,
    tail: End,
}

impl Candidate<'_> {
    fn says(&self) -> Statement<'_> {
        let relation = &self.triple.relation;
        Statement::of(relation.role, relation.player, &relation.name, Way::Along)
    }
}

impl Checker<'_> {
    /// Checks one triple.
    ///
    /// # Errors
    /// If the encoder fails, or the check is stopped.
    pub fn check_one(&self, triple: &NamedTriple) -> Result<Checked, ModelError> {
        let checked = self.check_many(std::slice::from_ref(triple))?;
        Ok(checked.into_iter().next().unwrap_or(Err(InvalidTriple::Nameless)))
    }

    /// Checks triples in their order, each also against those before it. The work grows with their number and with how many triples
    /// there are around their ends, not with the product.
    ///
    /// # Errors
    /// As [`Self::check_one`].
    pub fn check_many(&self, triples: &[NamedTriple]) -> Result<Vec<Checked>, ModelError> {
        let (mut checked, candidates) = self.exact(triples)?;
        let open: Vec<usize> = (0..checked.len()).filter(|at| matches!(checked[*at], Ok(CheckOutcome::New))).collect();
        if self.settings.whole_dkg {
            for (at, standing) in whole::redundant(*self, &candidates, &open)? {
                checked[at] = Ok(standing);
            }
        } else if self.settings.redundancy_distance >= 0.0 && self.settings.most_compared > 0 {
            for (at, standing) in Nearest::new(*self).of(&candidates, &open)? {
                checked[at] = Ok(standing);
            }
        }
        Ok(checked)
    }

    /// All checks except the comparison of vectors; needs no model.
    ///
    /// # Errors
    /// [`ModelError::Cancelled`] if it is stopped.
    pub fn check_exactly(&self, triples: &[NamedTriple]) -> Result<Vec<Checked>, ModelError> {
        self.exact(triples).map(|(checked, _)| checked)
    }

    fn exact<'t>(&self, triples: &'t [NamedTriple]) -> Result<(Vec<Checked>, Vec<Candidate<'t>>), ModelError> {
        let candidates: Vec<Candidate<'t>> =
            triples.iter().map(|triple| Candidate { triple, head: self.end(&triple.head), tail: self.end(&triple.tail) }).collect();
        // Triples of this very batch by their two ends, the lesser first.
        let mut before: HashMap<[(Option<EntityId>, &str); 2], Vec<usize>> = HashMap::new();
        let mut checked = Vec::with_capacity(candidates.len());
        for (at, candidate) in candidates.iter().enumerate() {
            if at % 1024 == 0 && self.cancel.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            let verdict = match unfit(candidate) {
                Some(unfit) => Err(unfit),
                None => {
                    let mut pair = [candidate.head.key(), candidate.tail.key()];
                    pair.sort_unstable();
                    let earlier = before.entry(pair).or_default();
                    let standing = self.by_pair(candidate, &candidates, earlier);
                    if standing == CheckOutcome::New {
                        earlier.push(at);
                    }
                    Ok(standing)
                }
            };
            checked.push(verdict);
        }
        drop(before);
        Ok((checked, candidates))
    }

    /// The entities that an end names: those of its kind, where there are any.
    fn end(&self, entity: &NamedEntity) -> End {
        let graph = &self.knowledge.graph;
        let mut entities = graph.names().lookup_exact(&entity.name);
        let kind = entity.kind();
        if kind != Kind::default() && entities.iter().any(|known| *graph.kind(*known) == kind) {
            entities.retain(|known| *graph.kind(*known) == kind);
        }
        entities.truncate(HOMONYMS);
        End { entities, folded: fold(&entity.name) }
    }

    /// Compares a triple with known triples of the same two entities, and with earlier ones of the batch.
    fn by_pair(&self, candidate: &Candidate<'_>, all: &[Candidate<'_>], earlier: &[usize]) -> CheckOutcome {
        let says = candidate.says();
        let mut redundant = None;
        for (known, way) in self.between(candidate) {
            let relation = self.knowledge.graph.relation(known.relation);
            let stated = Statement::of(relation.role, relation.player, &relation.name, way);
            let text = || known.text(self.knowledge);
            if let Some(why) = stated.opposes(&says) {
                return CheckOutcome::Conflict { learned: known.learned, with: text(), why };
            }
            if redundant.is_none() && (!self.settings.compare_relation || stated.implies(&says)) {
                redundant = Some(CheckOutcome::Redundant { distance: 0.0, learned: known.learned, with: text() });
            }
        }
        if let Some(conflict) = self.by_classes(candidate, &says) {
            return conflict;
        }
        for other in earlier.iter().map(|at| &all[*at]) {
            let way = if other.head.key() == candidate.head.key() { Way::Along } else { Way::Against };
            let relation = &other.triple.relation;
            let stated = Statement::of(relation.role, relation.player, &relation.name, way);
            if let Some(why) = stated.opposes(&says) {
                let why = format!("{why}; both are proposed here");
                return CheckOutcome::Conflict { learned: false, with: other.triple.text(), why };
            }
            if redundant.is_none() && (!self.settings.compare_relation || stated.implies(&says)) {
                redundant = Some(CheckOutcome::Redundant { distance: 0.0, learned: false, with: other.triple.text() });
            }
        }
        redundant.unwrap_or(CheckOutcome::New)
    }

    /// Every known triple of the two entities, and whether it runs from the candidate's head to its tail. Looked up in the shorter way a
    /// row allows: a hub costs no more than others.
    fn between(&self, candidate: &Candidate<'_>) -> impl Iterator<Item = (KnownTriple, Way)> {
        let graph = &self.knowledge.graph;
        let pairs = candidate.head.entities.iter().flat_map(|head| candidate.tail.entities.iter().map(move |tail| (*head, *tail)));
        pairs.flat_map(move |(head, tail)| {
            [(head, tail, Way::Along), (tail, head, Way::Against)].into_iter().flat_map(move |(from, to, way)| {
                graph.edges(from, Direction::Out).parts().into_iter().flat_map(move |(edges, learned)| {
                    let first = edges.partition_point(|edge| edge.to < to);
                    let of_pair = edges[first..].iter().take_while(move |edge| edge.to == to);
                    of_pair.map(move |edge| (KnownTriple { head: from, relation: edge.relation, tail: to, learned }, way))
                })
            })
        })
    }

    /// A contraindication of a class that speaks against a triple about one of its members: beta blockers in asthma, where propranolol is to treat it.
    fn by_classes(&self, candidate: &Candidate<'_>, says: &Statement) -> Option<CheckOutcome> {
        let graph = &self.knowledge.graph;
        let pairs = candidate.head.entities.iter().flat_map(|head| candidate.tail.entities.iter().map(move |tail| (*head, *tail)));
        let stated = pairs.flat_map(|(head, tail)| statements_between(graph, head, tail, |role| role == Role::Contraindication));
        stated.filter(|stated| stated.distance() > 0).find_map(|inherited| {
            let relation = graph.relation(inherited.relation);
            let way = if inherited.first_is_head { Way::Along } else { Way::Against };
            let why = Statement::of(relation.role, relation.player, &relation.name, way).opposes(says)?;
            let Triple { head, relation, tail } = inherited.triple();
            let is_stated = |edges: &[Edge]| edges.iter().any(|edge| edge.to == tail && edge.relation == relation);
            let learned = !graph.edges(head, Direction::Out).parts().into_iter().any(|(edges, learned)| !learned && is_stated(edges));
            let known = KnownTriple { head, relation, tail, learned };
            Some(CheckOutcome::Conflict { learned, with: known.text(self.knowledge), why })
        })
    }
}

fn unfit(candidate: &Candidate<'_>) -> Option<InvalidTriple> {
    let triple = candidate.triple;
    if candidate.head.folded.is_empty() || candidate.tail.folded.is_empty() {
        return Some(InvalidTriple::Nameless);
    }
    if candidate.head.key() == candidate.tail.key() {
        return Some(InvalidTriple::Itself(triple.head.name.clone()));
    }
    kind_rules::misfit(triple)
}
