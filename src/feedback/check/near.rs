//! Finds known triples that say nearly the same in other words (WTS, section 3.2: `1 − cos ≤ L'`).
//!
//! Triples are compared in one form, "player, role, owner" in words, so that what graphs call their relations, and which way round they
//! are written, makes no distance. Only triples that share one end exactly are compared. Since such triples are near to each other
//! whatever their other ends are, these must say the same word by word as well ([`same_meaning`]).

use std::collections::HashMap;

use super::around::{Around, Neighbour};
use super::same_meaning::{self, same_meaning};
use super::statement::{KnownTriple, Statement, Way};
use super::{Candidate, Checker, End};
use crate::dkg::CheckOutcome;
use crate::graph::{EntityId, Kind};
use crate::model::{ModelError, dot};

/// So many comparisons are done at a time; each needs two vectors at most.
const PORTION: usize = 1 << 16;

/// A comparison: a triple of the batch with a known one.
struct Comparison {
    candidate: usize,
    known: KnownTriple,
    /// The texts of the two.
    texts: [usize; 2],
    /// The names that differ.
    names: [String; 2],
    remedies: bool,
}

/// The nearest known triple so far.
struct NearestKnown {
    distance: f64,
    known: KnownTriple,
}

pub(super) struct Nearest<'a> {
    checker: Checker<'a>,
    texts: Vec<String>,
    slots: HashMap<String, usize>,
    pairs: Vec<Comparison>,
    found: HashMap<usize, NearestKnown>,
}

impl<'a> Nearest<'a> {
    pub(super) fn new(checker: Checker<'a>) -> Self {
        Self { checker, texts: Vec::new(), slots: HashMap::new(), pairs: Vec::new(), found: HashMap::new() }
    }

    /// For those of the open candidates that have one: the nearest known triple that says nearly the same.
    pub(super) fn of(mut self, candidates: &[Candidate<'_>], open: &[usize]) -> Result<Vec<(usize, CheckOutcome)>, ModelError> {
        let mut ends: Vec<(EntityId, usize, bool)> = Vec::new();
        for at in open {
            let candidate = &candidates[*at];
            ends.extend(candidate.head.entities.iter().map(|entity| (*entity, *at, true)));
            ends.extend(candidate.tail.entities.iter().map(|entity| (*entity, *at, false)));
        }
        // All triples around one entity together, so that its neighbourhood is read once.
        ends.sort_unstable();
        for of_entity in ends.chunk_by(|a, b| a.0 == b.0) {
            let around = Around::new(self.checker.knowledge, of_entity[0].0, self.checker.settings.most_compared);
            for (_, at, is_head) in of_entity {
                self.compare(&around, *at, &candidates[*at], *is_head);
                if self.pairs.len() >= PORTION {
                    self.work()?;
                }
            }
        }
        self.work()?;
        let knowledge = self.checker.knowledge;
        let standing = |found: &NearestKnown| CheckOutcome::Redundant {
            distance: found.distance,
            learned: found.known.learned,
            with: found.known.text(knowledge),
        };
        let mut standings: Vec<(usize, CheckOutcome)> = self.found.iter().map(|(at, found)| (*at, standing(found))).collect();
        standings.sort_by_key(|(at, _)| *at);
        Ok(standings)
    }

    /// Notes which known triples around one end of a candidate it is compared with.
    fn compare(&mut self, around: &Around<'_>, at: usize, candidate: &Candidate<'_>, shared_is_head: bool) {
        let relation = &candidate.triple.relation;
        // As seen from the shared end, like the neighbours.
        let way = if shared_is_head { Way::Along } else { Way::Against };
        let says = Statement::of(relation.role, relation.player, &relation.name, way);
        let (shared, other): (_, &End) =
            if shared_is_head { (&candidate.triple.head, &candidate.tail) } else { (&candidate.triple.tail, &candidate.head) };
        let far = if shared_is_head { &candidate.triple.tail } else { &candidate.triple.head };
        let (name, other_kind) = (&far.name, far.kind());
        let compare_relation = self.checker.settings.compare_relation;
        let fits = |neighbour: &Neighbour<'_>| {
            let means_it = if compare_relation { neighbour.says.implies(&says) } else { neighbour.says.opposes(&says).is_none() };
            means_it && !other.entities.contains(&neighbour.other)
        };
        let remedies = matches!(other_kind, Kind::Drug | Kind::DrugClass | Kind::Treatment);
        let nearest: Vec<Neighbour<'_>> = around.nearest(name, fits).into_iter().copied().collect();
        if nearest.is_empty() {
            return;
        }
        let own = self.text(&says, &shared.name, name);
        for neighbour in nearest {
            let far = self.checker.knowledge.graph.entity_name(neighbour.other).to_owned();
            let theirs = self.text(&neighbour.says, &shared.name, &far);
            self.pairs.push(Comparison {
                candidate: at,
                known: neighbour.known,
                texts: [own, theirs],
                names: [name.clone(), far],
                remedies,
            });
        }
    }

    /// The number of a triple's text; `from` is the end that the statement calls its head.
    fn text(&mut self, says: &Statement<'_>, from: &str, to: &str) -> usize {
        let (owner, player) = if says.owner_is_head() { (from, to) } else { (to, from) };
        let text = format!("{player} {} {owner}", says.role().as_str().replace('_', " "));
        let next = self.texts.len();
        *self.slots.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            next
        })
    }

    /// Makes the comparisons that were noted.
    fn work(&mut self) -> Result<(), ModelError> {
        let pairs = std::mem::take(&mut self.pairs);
        self.slots.clear();
        let texts = std::mem::take(&mut self.texts);
        if pairs.is_empty() {
            return Ok(());
        }
        let Checker { encoder, settings, cancel, .. } = self.checker;
        let vectors = encoder.encode_until(texts, cancel)?.normalised();
        let distance = |pair: &Comparison| 1.0 - f64::from(dot(vectors.row(pair.texts[0]), vectors.row(pair.texts[1])));
        let near: Vec<(&Comparison, f64)> =
            pairs.iter().map(|pair| (pair, distance(pair))).filter(|(_, distance)| *distance <= settings.redundancy_distance).collect();
        let names: Vec<same_meaning::NamePair<'_>> = near
            .iter()
            .map(|(pair, _)| same_meaning::NamePair { names: [pair.names[0].as_str(), pair.names[1].as_str()], remedies: pair.remedies })
            .collect();
        let same = same_meaning(encoder, cancel, &names)?;
        for ((pair, distance), _) in near.into_iter().zip(same).filter(|(_, same)| *same) {
            // Rounding may bring the same text below 0.
            let found = NearestKnown { distance: distance.max(0.0), known: pair.known };
            match self.found.get(&pair.candidate) {
                Some(best) if best.distance <= found.distance => {}
                _ => {
                    self.found.insert(pair.candidate, found);
                }
            }
        }
        Ok(())
    }
}
