//! A synthetic graph of the size of HyKGE's: its triples are typed as a medical graph's are, and its degrees follow a power law.
//!
//! A relation type has an *owner* at its head and a *target* at its tail, each of one kind. Every entity owns one triple, so
//! that a file of triples can carry all of them. Further owners are drawn by a mild power law, targets by a steep one: the weight of the
//! entity of rank `r` among its kind is `1 / (r + shift)`. One triple in [`ECHO`] is an earlier one told once more, in another relation
//! or the other way round, as fused graphs have them.
//!
//! Everything is integer arithmetic on one generator of random numbers and no hash order reaches the result, so a size
//! and a seed give the same bytes on every machine.

use std::collections::HashSet;
use std::io::{self, Write};

use crate::names::{KINDS, Kind, name};

/// Entities and triples of the graph that HyKGE fused (§5.1 of its paper).
pub(crate) const FULL: (u32, u32) = (1_288_721, 3_569_427);
/// Shift of the targets' weights: it sets the largest hub, which has 18,900 triples at full size.
const TARGET_SHIFT: u64 = 10;
/// Of how many entities of a kind one is the shift of its owners' weights.
const OWNER_SHIFT_SHARE: u64 = 400;
/// One triple in so many echoes another one.
const ECHO: u64 = 40;

/// A relation type: its name, the kinds of its head and tail, how often it is drawn.
type RelationType = (&'static str, Kind, Kind, u64);

const RELATIONS: [RelationType; 22] = [
    ("has_symptom", Kind::Disease, Kind::Symptom, 14),
    ("need_medical_test", Kind::Disease, Kind::Test, 7),
    ("need_medication", Kind::Disease, Kind::Drug, 9),
    ("is_a", Kind::Disease, Kind::Disease, 4),
    ("leads_to", Kind::Disease, Kind::Disease, 4),
    ("differential_of", Kind::Disease, Kind::Disease, 2),
    ("caused_by", Kind::Disease, Kind::Pathogen, 3),
    ("has_risk_factor", Kind::Disease, Kind::RiskFactor, 4),
    ("located_in", Kind::Disease, Kind::Anatomy, 5),
    ("treats", Kind::Drug, Kind::Disease, 9),
    ("contraindicated_in", Kind::Drug, Kind::Disease, 3),
    ("side_effect", Kind::Drug, Kind::Symptom, 8),
    ("interacts_with", Kind::Drug, Kind::Drug, 5),
    ("targets", Kind::Drug, Kind::Gene, 4),
    ("monitored_by", Kind::Drug, Kind::Test, 1),
    ("symptom_of", Kind::Symptom, Kind::Disease, 5),
    ("can_check_disease", Kind::Test, Kind::Disease, 2),
    ("associated_with", Kind::Gene, Kind::Disease, 12),
    ("part_of", Kind::Anatomy, Kind::Anatomy, 1),
    ("causes", Kind::Pathogen, Kind::Disease, 2),
    ("raises_the_risk_of", Kind::RiskFactor, Kind::Disease, 2),
    ("used_for", Kind::Procedure, Kind::Disease, 4),
];

/// A generator of random numbers (splitmix64, Steele et al. 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of `0..bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

/// Draws `0..count` with weights `1 / (number + shift)`.
struct PowerLaw(Vec<u64>);

impl PowerLaw {
    fn new(count: u32, shift: u64) -> Self {
        let weight = |number| (1u64 << 40) / (u64::from(number) + shift);
        let sums = (0..count).scan(0, |sum, number| {
            *sum += weight(number);
            Some(*sum)
        });
        Self(sums.collect())
    }

    fn draw(&self, random: &mut Random) -> u32 {
        let total = self.0.last().copied().unwrap_or(0);
        let at = random.below(total);
        self.0.partition_point(|sum| *sum <= at) as u32
    }
}

/// The entities of one kind: `first..first + count`, the largest hub first.
struct Members {
    first: u32,
    count: u32,
    owners: PowerLaw,
    targets: PowerLaw,
}

/// A graph before it has names: triples of entity numbers and numbers in [`RELATIONS`].
pub(crate) struct Synthetic {
    members: Vec<(Kind, u32, u32)>,
    triples: Vec<(u32, u16, u32)>,
}

impl Synthetic {
    /// A graph of so many entities and distinct triples, which must be at least as many and fewer than twenty times as many.
    pub(crate) fn new(entities: u32, triples: u32, seed: u64) -> Self {
        assert!(triples >= entities && triples / 20 < entities, "every entity owns a triple, and there are pairs enough");
        let members = members(entities);
        let mut random = Random(seed);
        let mut known = HashSet::with_capacity(triples as usize);
        let mut drawn: Vec<(u32, u16, u32)> = Vec::with_capacity(triples as usize);
        for (kind, of_kind) in KINDS.iter().zip(&members) {
            let owned: Vec<usize> = (0..RELATIONS.len()).filter(|i| RELATIONS[*i].1 == kind.kind).collect();
            for owner in of_kind.first..of_kind.first + of_kind.count {
                while !push(&mut drawn, &mut known, triple_of(&members, owner, drawn_relation(&owned, &mut random), &mut random)) {}
            }
        }
        let all: Vec<usize> = (0..RELATIONS.len()).collect();
        while drawn.len() < triples as usize {
            let triple = if random.below(ECHO) == 0 {
                let (head, relation, tail) = drawn[random.below(drawn.len() as u64) as usize];
                echo(head, usize::from(relation), tail, &mut random)
            } else {
                let relation = drawn_relation(&all, &mut random);
                let owners = &members[RELATIONS[relation].1 as usize];
                let owner = owners.first + owners.owners.draw(&mut random);
                Some(triple_of(&members, owner, relation, &mut random))
            };
            if let Some(triple) = triple {
                push(&mut drawn, &mut known, triple);
            }
        }
        // Files of fused graphs come in no order, which is also the hardest one to import.
        for last in (1..drawn.len()).rev() {
            drawn.swap(last, random.below(last as u64 + 1) as usize);
        }
        let members = KINDS.iter().zip(members).map(|(kind, m)| (kind.kind, m.first, m.count)).collect();
        Self { members, triples: drawn }
    }

    /// Writes `head<TAB>relation<TAB>tail`, a triple a line.
    pub(crate) fn write_tsv(&self, to: impl Write) -> io::Result<()> {
        let named = |(kind, _, count): &(Kind, u32, u32)| (0..*count).map(|number| name(*kind, number)).collect::<Vec<_>>();
        let names: Vec<String> = self.members.iter().flat_map(named).collect();
        let mut to = io::BufWriter::with_capacity(1 << 20, to);
        for (head, relation, tail) in &self.triples {
            writeln!(to, "{}\t{}\t{}", names[*head as usize], RELATIONS[usize::from(*relation)].0, names[*tail as usize])?;
        }
        to.flush()
    }

    /// How many triples each entity takes part in, the largest number first.
    pub(crate) fn degrees(&self) -> Vec<u32> {
        let entities = self.members.iter().map(|(_, _, count)| *count as usize).sum();
        let mut degrees = vec![0; entities];
        for (head, _, tail) in &self.triples {
            degrees[*head as usize] += 1;
            degrees[*tail as usize] += 1;
        }
        degrees.sort_unstable_by(|a, b| b.cmp(a));
        degrees
    }
}

/// Shares the entities among the kinds; what division leaves over goes to the last one.
fn members(entities: u32) -> Vec<Members> {
    let mut first = 0;
    KINDS
        .iter()
        .enumerate()
        .map(|(i, kind)| {
            let share = (u64::from(entities) * kind.per_mille / 1000) as u32;
            let count = if i + 1 == KINDS.len() { entities - first } else { share };
            let owner_shift = (u64::from(count) / OWNER_SHIFT_SHARE).max(1);
            let of_kind = Members { first, count, owners: PowerLaw::new(count, owner_shift), targets: PowerLaw::new(count, TARGET_SHIFT) };
            first += count;
            of_kind
        })
        .collect()
}

fn drawn_relation(among: &[usize], random: &mut Random) -> usize {
    let mut at = random.below(among.iter().map(|i| RELATIONS[*i].3).sum());
    for i in among {
        match at.checked_sub(RELATIONS[*i].3) {
            Some(rest) => at = rest,
            None => return *i,
        }
    }
    unreachable!("a number below the sum of weights falls to one of them")
}

fn triple_of(members: &[Members], owner: u32, relation: usize, random: &mut Random) -> (u32, u16, u32) {
    let targets = &members[RELATIONS[relation].2 as usize];
    (owner, relation as u16, targets.first + targets.targets.draw(random))
}

/// The pair of a triple in another relation of the same kinds, or turned round in one of the opposite kinds; `None` where no relation fits.
fn echo(head: u32, relation: usize, tail: u32, random: &mut Random) -> Option<(u32, u16, u32)> {
    let (_, from, to, _) = RELATIONS[relation];
    let turned = random.below(2) == 0;
    let wanted = if turned { (to, from) } else { (from, to) };
    let fitting: Vec<usize> = (0..RELATIONS.len()).filter(|i| *i != relation && (RELATIONS[*i].1, RELATIONS[*i].2) == wanted).collect();
    let other = *fitting.get(random.below(fitting.len().max(1) as u64) as usize)? as u16;
    Some(if turned { (tail, other, head) } else { (head, other, tail) })
}

/// Takes a triple that is new and no self-loop.
fn push(drawn: &mut Vec<(u32, u16, u32)>, known: &mut HashSet<(u32, u16, u32)>, triple: (u32, u16, u32)) -> bool {
    let fresh = triple.0 != triple.2 && known.insert(triple);
    if fresh {
        drawn.push(triple);
    }
    fresh
}
