//! Aligns a language model's sentences with the kept chains, by entities, relation, direction and negation. What a chain states too is
//! supported, and gets its citations from the chain; what a chain, or the safety pass, says otherwise is contradicted.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::claims::{Claim, Clause, read_sentence};
use crate::graph::{EntityId, EvolvingGraph, Role};
use crate::pipeline::answer::statements::Statement;

/// The most chains that a sentence cites.
const CITATIONS: usize = 4;
/// How much of a sentence may be words that no claim accounts for: 2 for a word, 1 for a Chinese character.
const UNREAD: usize = 8;

/// What the evidence says of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Kept chains state all that it claims.
    Supported,
    /// A kept chain or the safety pass says otherwise.
    Contradicted,
    /// Neither.
    Unsupported,
}

/// A sentence and what the evidence says of it.
#[derive(Debug, Clone)]
pub(super) struct Aligned {
    pub(super) verdict: Verdict,
    /// The chains that state or contradict it.
    pub(super) citations: Vec<u32>,
    /// What it states, each with the role that it plays, where it has one.
    pub(super) stated: Vec<(EntityId, Option<Role>)>,
    /// Whether it names anything of the graph.
    pub(super) names_something: bool,
}

/// A statement of some pair: its role, and the chains that state it.
type Stated = (Role, BTreeSet<u32>);
/// What a clause states: entities, with their roles.
type Claimed = Vec<(EntityId, Option<Role>)>;

/// What sentences are aligned with.
pub(super) struct Evidence<'a> {
    pub(super) graph: &'a EvolvingGraph,
    stated: HashMap<(EntityId, EntityId), Vec<Stated>>,
    /// What a sentence is about that does not name it: entities of the question, and leading conditions.
    subjects: HashSet<EntityId>,
    /// Whether a drug must not be offered.
    forbids: &'a dyn Fn(EntityId) -> bool,
}

/// What statements of the graph say of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agreed {
    /// They state all that it claims.
    Yes,
    /// One of them says otherwise.
    No,
    /// Neither.
    Neither,
}

/// What statements say of a sentence, and the ids of those that do. `subjects`: what it is about where it does not say so.
pub(crate) fn agreed(graph: &EvolvingGraph, statements: &[Statement], subjects: HashSet<EntityId>, sentence: &str) -> (Agreed, Vec<u32>) {
    let aligned = Evidence::new(graph, statements, subjects, &|_| false).align(sentence);
    let agreed = match aligned.verdict {
        Verdict::Supported => Agreed::Yes,
        Verdict::Contradicted => Agreed::No,
        Verdict::Unsupported => Agreed::Neither,
    };
    (agreed, aligned.citations)
}

/// The entities that a sentence names, in its order, each once.
pub(crate) fn named_in(graph: &EvolvingGraph, sentence: &str) -> Vec<EntityId> {
    let read = read_sentence(graph, sentence);
    let all = read.clauses.iter().flat_map(|clause| &clause.named).flat_map(|named| named.entities.iter().copied());
    let mut seen = HashSet::new();
    all.filter(|entity| seen.insert(*entity)).collect()
}

/// What came of one clause.
#[derive(Default)]
struct OfClause {
    supported: bool,
    contradicted: bool,
    cites: BTreeSet<u32>,
    against: BTreeSet<u32>,
    stated: Claimed,
}

impl<'a> Evidence<'a> {
    pub(super) fn new(
        graph: &'a EvolvingGraph,
        statements: &[Statement],
        subjects: HashSet<EntityId>,
        forbids: &'a dyn Fn(EntityId) -> bool,
    ) -> Self {
        let mut stated: HashMap<(EntityId, EntityId), Vec<Stated>> = HashMap::new();
        for statement in statements {
            stated.entry((statement.owner, statement.player)).or_default().push((statement.role, statement.cited.clone()));
        }
        Self { graph, stated, subjects, forbids }
    }

    /// Aligns a sentence.
    pub(super) fn align(&self, sentence: &str) -> Aligned {
        let read = read_sentence(self.graph, sentence);
        let mut cites = BTreeSet::new();
        let mut stated = Vec::new();
        let (mut supported, mut contradicted) = (0, false);
        let with_names: Vec<&Clause> = read.clauses.iter().filter(|clause| !clause.named.is_empty()).collect();
        let mut against = BTreeSet::new();
        for clause in &with_names {
            let of = self.clause(clause);
            supported += usize::from(of.supported);
            contradicted |= of.contradicted;
            cites.extend(of.cites);
            against.extend(of.against);
            stated.extend(of.stated);
        }
        let is_whole = !with_names.is_empty()
            && supported == with_names.len()
            && read.unread <= UNREAD
            && !read.says_something_else
            && !read.has_number;
        let verdict = match (contradicted, is_whole) {
            (true, _) => Verdict::Contradicted,
            (false, true) => Verdict::Supported,
            (false, false) => Verdict::Unsupported,
        };
        let citations = match verdict {
            Verdict::Supported => cites,
            Verdict::Contradicted => against,
            Verdict::Unsupported => BTreeSet::new(),
        };
        if verdict == Verdict::Unsupported {
            // What a sentence without evidence is about, for whoever accepts it.
            stated = with_names.iter().flat_map(|clause| self.unproven(clause)).collect();
        }
        Aligned { verdict, citations: citations.into_iter().take(CITATIONS).collect(), stated, names_something: !with_names.is_empty() }
    }

    fn clause(&self, clause: &Clause) -> OfClause {
        let mut of = OfClause::default();
        let mut covered: HashSet<usize> = HashSet::new();
        for claim in &clause.claims {
            let Some((cited, told)) = self.stating(clause, claim) else { continue };
            if clause.denied {
                of.contradicted = true;
                of.against.extend(cited);
            } else {
                covered.extend(claim.places());
                of.cites.extend(cited);
                of.stated.extend(told);
            }
        }
        for claim in clause.claims.iter().filter(|_| !clause.denied) {
            if claim.places().all(|place| covered.contains(&place)) {
                continue;
            }
            if let Some(cited) = self.opposing(clause, claim) {
                of.contradicted = true;
                of.against.extend(cited);
            }
        }
        let offers = !clause.denied && !clause.warns;
        if offers && clause.named.iter().any(|named| named.entities.iter().any(|entity| (self.forbids)(*entity))) {
            of.contradicted = true;
        }
        of.supported = !of.contradicted && !clause.denied && !covered.is_empty() && covered.len() == clause.named.len();
        of
    }

    /// The entities at a place of a claim; the case itself where it names none.
    fn at<'s>(&'s self, clause: &'s Clause, place: Option<usize>) -> Vec<EntityId> {
        match place.and_then(|place| clause.named.get(place)) {
            Some(named) => named.entities.clone(),
            None => self.subjects.iter().copied().collect(),
        }
    }

    /// The chains that state a relation between any of these, and the pair.
    fn find(
        &self,
        owners: &[EntityId],
        players: &[EntityId],
        is_meant: impl Fn(Role) -> bool,
    ) -> Option<(BTreeSet<u32>, EntityId, EntityId, Role)> {
        let pairs = owners.iter().flat_map(|owner| players.iter().map(move |player| (*owner, *player)));
        let stated = pairs.filter_map(|pair| Some((pair, self.stated.get(&pair)?)));
        let mut hits: Vec<_> =
            stated.flat_map(|(pair, roles)| roles.iter().filter(|(role, _)| is_meant(*role)).map(move |of| (pair, of))).collect();
        hits.sort_by_key(|(pair, (role, _))| (*pair, *role));
        let ((owner, player), (role, _)) = hits.first()?;
        let cited = hits.iter().flat_map(|(_, (_, cited))| cited.iter().copied()).collect();
        Some((cited, *owner, *player, *role))
    }

    /// The chains that state what a claim says, with what it states.
    fn stating(&self, clause: &Clause, claim: &Claim) -> Option<(BTreeSet<u32>, Claimed)> {
        claim.readings.iter().find_map(|(role, owner, player)| {
            let (owners, players) = (self.at(clause, *owner), self.at(clause, *player));
            let (cited, owner, player, _) = self.find(&owners, &players, |known| known == *role).or_else(|| {
                let is_mutual = matches!(role, Role::Interaction | Role::Differential | Role::Related);
                is_mutual.then(|| self.find(&players, &owners, |known| known == *role)).flatten()
            })?;
            let (owner_named, player_named) = (claim.places().count() == 2 || owners.len() == 1, true);
            let mut told = Vec::new();
            if player_named {
                told.push((player, Some(*role)));
            }
            if owner_named {
                told.push((owner, None));
            }
            Some((cited, told))
        })
    }

    /// The chains that state the opposite of a claim: the same the other way round, or a treatment where the claim warns, and a warning
    /// where it treats.
    fn opposing(&self, clause: &Clause, claim: &Claim) -> Option<BTreeSet<u32>> {
        claim.readings.iter().find_map(|(role, owner, player)| {
            let (owners, players) = (self.at(clause, *owner), self.at(clause, *player));
            let offered = |role: Role| role.is_treatment() || role == Role::Prevention;
            let turned = match role {
                Role::Interaction | Role::Differential | Role::Related => None,
                role if owner.is_some() && player.is_some() => self.find(&players, &owners, |known| known == *role),
                _ => None,
            };
            let warned = match role {
                Role::Contraindication => self.find(&players, &owners, offered),
                role if offered(*role) => self.find(&players, &owners, |known| known == Role::Contraindication),
                _ => None,
            };
            turned.or(warned).map(|(cited, ..)| cited)
        })
    }

    /// What a clause names besides the case, with the role that it claims.
    fn unproven(&self, clause: &Clause) -> Vec<(EntityId, Option<Role>)> {
        if clause.denied {
            return Vec::new();
        }
        let place_of = |place: usize| clause.named.get(place).and_then(|named| named.entities.first().copied());
        let claimed = clause.claims.iter().filter_map(|claim| {
            let (role, _, player) = claim.readings.first()?;
            Some((place_of((*player)?)?, Some(*role)))
        });
        claimed.filter(|(entity, _)| !self.subjects.contains(entity)).collect()
    }
}
