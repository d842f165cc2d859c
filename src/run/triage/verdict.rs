//! Applies a triage to chains: to one, or to a whole table, whose names are looked up once.

use std::collections::{HashMap, HashSet};

use super::{ChainKey, Triage};
use crate::graph::{Chain, ChainKind, ChainTable, MAX_HOPS};
use crate::run::event::{Anchor, Settings, Stage};

/// What a triage says about a chain. Decisions about the chain itself come before rules, in this order: pinned, rejected, restored, rejected
/// with all chains of its kind, rejected with all chains through an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// No decision applies: its score decides.
    Open,
    /// It is kept whatever its score.
    Pinned,
    /// It may be kept although a rule rejects it.
    Restored,
    /// It is not kept.
    Rejected,
    /// It is not kept, like all of its kind.
    RejectedKind(ChainKind),
    /// It is not kept, like all through this entity.
    RejectedThrough(&'a str),
}

impl Verdict<'_> {
    /// Whether the chain must not be kept.
    pub fn is_rejected(self) -> bool {
        matches!(self, Self::Rejected | Self::RejectedKind(_) | Self::RejectedThrough(_))
    }

    /// The decision that rejects it, in plain words; `None` if it is not rejected.
    pub fn reason(self) -> Option<String> {
        match self {
            Self::Open | Self::Pinned | Self::Restored => None,
            Self::Rejected => Some("you rejected this chain".into()),
            Self::RejectedKind(kind) => Some(format!("you rejected all chains of the kind {}", kind.word())),
            Self::RejectedThrough(entity) => Some(format!("you rejected all chains through {entity}")),
        }
    }
}

impl ChainKey {
    /// The same chain read from its other end.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            entities: self.entities.iter().rev().cloned().collect(),
            relations: self.relations.iter().rev().map(|(name, forward)| (name.clone(), !forward)).collect(),
        }
    }
}

impl Triage {
    /// Whether it holds no decision.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The verdict on one chain of a table. For many chains [`Self::verdicts`] is faster.
    pub fn verdict(&self, table: &ChainTable, chain: &Chain) -> Verdict<'_> {
        let (key, mut other) = (ChainKey::of(table, chain), None);
        let mut holds = |set: &std::collections::BTreeSet<ChainKey>| {
            !set.is_empty() && (set.contains(&key) || set.contains(other.get_or_insert_with(|| key.reversed())))
        };
        if holds(&self.pinned) {
            return Verdict::Pinned;
        }
        if holds(&self.rejected) {
            return Verdict::Rejected;
        }
        if holds(&self.restored) {
            return Verdict::Restored;
        }
        if self.rejected_kinds.contains(&chain.kind()) {
            return Verdict::RejectedKind(chain.kind());
        }
        let through = key.entities.iter().find_map(|entity| self.rejected_through.get(entity));
        through.map_or(Verdict::Open, |entity| Verdict::RejectedThrough(entity))
    }

    /// The verdicts on the chains of a table; the names are looked up once.
    pub fn verdicts<'a>(&'a self, table: &ChainTable) -> Verdicts<'a> {
        Verdicts::new(self, table)
    }

    /// The first stage whose result differs between two triages; `None` if none does.
    pub fn first_stage_changed(from: &Self, to: &Self) -> Option<Stage> {
        let anchors = |triage: &Self| (triage.rejected_anchors.clone(), triage.added_anchors.clone());
        if from.delta != to.delta || from.case != to.case {
            Some(Stage::Link)
        } else if from.k != to.k || anchors(from) != anchors(to) {
            Some(Stage::Search)
        } else if !Self::differ_only_in_passages(from, to) {
            Some(Stage::Prune)
        } else if from != to {
            Some(Stage::Read)
        } else {
            None
        }
    }

    /// Whether nothing but decisions about passages of documents differs.
    fn differ_only_in_passages(from: &Self, to: &Self) -> bool {
        let passages = (&from.pinned_passages, &from.rejected_passages) == (&to.pinned_passages, &to.rejected_passages);
        if passages {
            return from == to;
        }
        let with_those_of_to =
            Self { pinned_passages: to.pinned_passages.clone(), rejected_passages: to.rejected_passages.clone(), ..from.clone() };
        with_those_of_to == *to
    }

    /// The current settings, from those that the run was started with. A value out of its range is replaced by the nearest one within.
    #[must_use]
    pub fn settings(&self, of_run: &Settings) -> Settings {
        let delta = self.delta.filter(|delta| !delta.is_nan()).map_or(of_run.delta, |delta| delta.clamp(0.0, 1.0));
        Settings {
            k: self.k.map_or(of_run.k, |k| k.clamp(1, MAX_HOPS)),
            top_k: self.top_k.map_or(of_run.top_k, |top_k| top_k.clamp(1, MOST_KEPT)),
            delta,
            ..of_run.clone()
        }
    }
}

/// The most chains that a run keeps.
pub const MOST_KEPT: usize = 1000;

/// A triage with names replaced by the numbers of a table.
#[derive(Debug, Clone)]
pub struct Verdicts<'a> {
    /// For each entity of the table, the number of its name among those in the triage, from 1; 0 for all others.
    named: Vec<u32>,
    /// The names of entities through which all chains are rejected, by the same numbers.
    through: Vec<Option<&'a str>>,
    /// For each relation of the table, the first relation of the same name.
    relations: Vec<u16>,
    kinds: [bool; ChainKind::ALL.len()],
    /// Decisions about single chains; nodes are numbers of names.
    single: HashMap<Chain, Verdict<'a>>,
}

impl<'a> Verdicts<'a> {
    fn new(triage: &'a Triage, table: &ChainTable) -> Self {
        let mut names: HashMap<&'a str, u32> = HashMap::new();
        let mut through: Vec<Option<&'a str>> = vec![None];
        for name in &triage.rejected_through {
            names.insert(name, through.len() as u32);
            through.push(Some(name));
        }
        let sets = [(&triage.restored, Verdict::Restored), (&triage.rejected, Verdict::Rejected), (&triage.pinned, Verdict::Pinned)];
        for name in sets.iter().flat_map(|(keys, _)| keys.iter()).flat_map(|key| &key.entities) {
            let next = through.len() as u32;
            if *names.entry(name).or_insert(next) == next {
                through.push(None);
            }
        }
        let named = if names.is_empty() {
            Vec::new()
        } else {
            table.entities.iter().map(|entity| names.get(entity.name.as_str()).copied().unwrap_or(0)).collect()
        };
        let mut slots: HashMap<&str, u16> = HashMap::new();
        let relations = table.relations.iter().zip(0u16..).map(|(relation, slot)| *slots.entry(&relation.name).or_insert(slot)).collect();
        let mut single = HashMap::new();
        for (keys, verdict) in sets {
            for key in keys {
                let Some(chain) = numbered(key, &names, &slots) else { continue };
                // A later set overrides an earlier one.
                single.insert(chain.reversed(), verdict);
                single.insert(chain, verdict);
            }
        }
        Self { named, through, relations, kinds: ChainKind::ALL.map(|kind| triage.rejected_kinds.contains(&kind)), single }
    }

    /// The verdict on a chain of the table; the same as that of [`Triage::verdict`].
    pub fn of(&self, chain: &Chain) -> Verdict<'a> {
        let name = |node: u32| self.named.get(node as usize).copied().unwrap_or(0);
        let nodes = chain.nodes();
        if !self.single.is_empty() && nodes.iter().all(|node| name(*node) != 0) {
            let mut key = Chain::start(name(nodes[0]));
            for hop in chain.hops() {
                key.push(self.relations.get(usize::from(hop.relation)).copied().unwrap_or(u16::MAX), hop.forward, name(hop.to));
            }
            if let Some(verdict) = self.single.get(&key) {
                return *verdict;
            }
        }
        if self.kinds[chain.kind() as usize] {
            return Verdict::RejectedKind(chain.kind());
        }
        if self.named.is_empty() {
            return Verdict::Open;
        }
        let through = nodes.iter().find_map(|node| self.through.get(name(*node) as usize).copied().flatten());
        through.map_or(Verdict::Open, Verdict::RejectedThrough)
    }
}

/// A key as a chain of numbers of names and relations; `None` if the table has no such relation, or the key is not that of a chain.
fn numbered(key: &ChainKey, names: &HashMap<&str, u32>, relations: &HashMap<&str, u16>) -> Option<Chain> {
    let (first, rest) = key.entities.split_first()?;
    if rest.len() != key.relations.len() || !(1..=MAX_HOPS).contains(&rest.len()) {
        return None;
    }
    let mut chain = Chain::start(*names.get(first.as_str())?);
    for (entity, (relation, forward)) in rest.iter().zip(&key.relations) {
        chain.push(*relations.get(relation.as_str())?, *forward, *names.get(entity.as_str())?);
    }
    Some(chain)
}

/// Which chains of a table may be kept, and which must be kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Decided {
    /// The numbers of the chains that may be kept, ascending; `None` if all may.
    pub(crate) open: Option<Vec<u32>>,
    /// The numbers of the chains that must be kept, ascending.
    pub(crate) pinned: Vec<u32>,
    /// The numbers of the chains that the doctor rejected, ascending.
    pub(crate) rejected: Vec<u32>,
}

impl Decided {
    /// Applies a triage to a table. A table can hold chains only because they were pinned; once they are not, they may be kept only if the
    /// search would find them: if they have at most `k` relations and lie between `anchors`.
    pub(crate) fn of(triage: &Triage, table: &ChainTable, anchors: &[Anchor], k: usize) -> Self {
        if triage.is_empty() {
            return Self::default();
        }
        let names: HashSet<&str> = anchors.iter().map(|anchor| anchor.entity.as_str()).collect();
        let is_anchor: Vec<bool> = table.entities.iter().map(|entity| names.contains(entity.name.as_str())).collect();
        let would_be_found = |chain: &Chain| {
            let nodes = chain.nodes();
            let is_anchor = |node: Option<&u32>| node.and_then(|node| is_anchor.get(*node as usize)).copied().unwrap_or(false);
            let last = is_anchor(nodes.last()) || chain.kind() == ChainKind::Neighbour;
            chain.len() <= k && last && is_anchor(nodes.first())
        };
        Self::where_found(triage, table, would_be_found)
    }

    /// Applies a triage to the table of a method that does not search between anchors: every chain may be kept unless it is rejected.
    pub(crate) fn of_any(triage: &Triage, table: &ChainTable) -> Self {
        if triage.is_empty() { Self::default() } else { Self::where_found(triage, table, |_| true) }
    }

    fn where_found(triage: &Triage, table: &ChainTable, would_be_found: impl Fn(&Chain) -> bool) -> Self {
        let verdicts = triage.verdicts(table);
        let mut decided = Self { open: Some(Vec::with_capacity(table.chains.len())), pinned: Vec::new(), rejected: Vec::new() };
        for (chain, number) in table.chains.iter().zip(0u32..) {
            match verdicts.of(chain) {
                Verdict::Pinned => {
                    decided.pinned.push(number);
                    decided.open.get_or_insert_default().push(number);
                }
                verdict if !verdict.is_rejected() && would_be_found(chain) => decided.open.get_or_insert_default().push(number),
                verdict if verdict.is_rejected() => decided.rejected.push(number),
                _ => {}
            }
        }
        decided
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::graph::{Player, Role, TableEntity, TableRelation};

    /// Entities A to E, two of them of one name; three relations.
    fn table(chains: Vec<Chain>) -> ChainTable {
        let entity = |name: &str| TableEntity { name: name.into(), kind: "disease".into(), description: String::new() };
        let relation = |name: &str| TableRelation { name: name.into(), display: name.into(), role: Role::Related, player: Player::Tail };
        ChainTable {
            entities: ["A", "B", "C", "D", "B"].map(entity).into(),
            relations: ["treats", "causes", "test"].map(relation).into(),
            chains,
            ..ChainTable::default()
        }
    }

    fn chain(nodes: &[u32], relations: &[(u16, bool)]) -> Chain {
        let mut chain = Chain::start(nodes[0]);
        for ((relation, forward), to) in relations.iter().zip(&nodes[1..]) {
            chain.push(*relation, *forward, *to);
        }
        let kind = chain.kind_of_directions().unwrap_or(ChainKind::Neighbour);
        chain.of_kind(kind)
    }

    fn both(triage: &Triage, table: &ChainTable, number: usize) -> Option<String> {
        let (one, many) = (triage.verdict(table, &table.chains[number]), triage.verdicts(table).of(&table.chains[number]));
        assert_eq!(one, many);
        one.reason().or_else(|| Some(format!("{one:?}")))
    }

    #[test]
    fn what_is_decided_about_a_chain_goes_before_rules() {
        let chains = vec![chain(&[0, 1], &[(0, true)]), chain(&[0, 2, 3], &[(1, true), (1, false)]), chain(&[0, 4], &[(0, true)])];
        let table = table(chains);
        let key = |number: usize| ChainKey::of(&table, &table.chains[number]);
        let open = |triage: &Triage, k, names: &[&str]| {
            let anchor = |name: &&str| Anchor {
                entity: (*name).into(),
                kind: String::new(),
                score: 1.0,
                origin: crate::run::AnchorOrigin::Question,
                mention: String::new(),
                by_model: false,
            };
            Decided::of(triage, &table, &names.iter().map(anchor).collect::<Vec<_>>(), k)
        };
        let mut triage = Triage::default();
        assert_eq!(both(&triage, &table, 0).as_deref(), Some("Open"));
        triage.rejected_through.insert("C".into());
        assert_eq!(both(&triage, &table, 1).as_deref(), Some("you rejected all chains through C"));
        triage.rejected_kinds.insert(ChainKind::CoAncestor);
        assert_eq!(both(&triage, &table, 1).as_deref(), Some("you rejected all chains of the kind shared result"));
        triage.restored.insert(key(1));
        assert_eq!(both(&triage, &table, 1).as_deref(), Some("Restored"));
        triage.rejected.insert(key(1));
        assert_eq!(both(&triage, &table, 1).as_deref(), Some("you rejected this chain"));
        // From its other end it is the same chain.
        triage.pinned.insert(key(1).reversed());
        assert_eq!(both(&triage, &table, 1).as_deref(), Some("Pinned"));
        // Of two entities of one name nothing tells which is meant.
        triage.rejected.insert(key(0));
        assert_eq!(both(&triage, &table, 0), both(&triage, &table, 2));
        assert_eq!(open(&triage, 3, &["A", "B"]), Decided { open: Some(vec![1]), pinned: vec![1], rejected: vec![0, 2] });
        triage.rejected.clear();
        triage.pinned.clear();
        assert_eq!(open(&triage, 3, &["A", "B", "D"]).open, Some(vec![0, 1, 2]));
        assert_eq!(open(&triage, 1, &["A", "B", "D"]).open, Some(vec![0, 2]), "too long without its pin");
        assert_eq!(open(&triage, 3, &["A", "D"]).open, Some(vec![1]), "its end is no anchor any more");
        assert_eq!(Decided::of(&Triage::default(), &table, &[], 1), Decided::default());
    }

    #[test]
    fn a_change_is_answered_from_the_first_stage_that_depends_on_it() {
        let none = Triage::default();
        let stage = |change: &dyn Fn(&mut Triage)| {
            let mut to = none.clone();
            change(&mut to);
            assert_eq!(Triage::first_stage_changed(&none, &to), Triage::first_stage_changed(&to, &none), "there and back");
            Triage::first_stage_changed(&none, &to)
        };
        let key = ChainKey { entities: vec!["A".into(), "B".into()], relations: vec![("treats".into(), true)] };
        assert_eq!(stage(&|_| {}), None);
        assert_eq!(stage(&|t| t.delta = Some(0.9)), Some(Stage::Link));
        assert_eq!(stage(&|t| t.k = Some(2)), Some(Stage::Search));
        assert_eq!(stage(&|t| t.rejected_anchors.extend(["A".to_owned()])), Some(Stage::Search));
        assert_eq!(stage(&|t| t.added_anchors.push("A".into())), Some(Stage::Search));
        assert_eq!(stage(&|t| t.top_k = Some(3)), Some(Stage::Prune));
        assert_eq!(stage(&|t| t.rejected_kinds.extend([ChainKind::Path])), Some(Stage::Prune));
        assert_eq!(stage(&|t| t.rejected_through.extend(["A".to_owned()])), Some(Stage::Prune));
        let sets: [fn(&mut Triage) -> &mut BTreeSet<ChainKey>; 3] = [|t| &mut t.pinned, |t| &mut t.rejected, |t| &mut t.restored];
        for set in sets {
            assert_eq!(stage(&|t| set(t).extend([key.clone()])), Some(Stage::Prune));
        }
        let passage = crate::run::PassageKey::default;
        assert_eq!(stage(&|t| t.pin_passage(passage())), Some(Stage::Read));
        assert_eq!(stage(&|t| (t.top_k, t.rejected_passages) = (Some(2), [passage()].into())), Some(Stage::Prune));
        assert_eq!(stage(&|t| (t.delta, t.k, t.top_k) = (Some(0.5), Some(1), Some(1))), Some(Stage::Link), "the first of several");
        let run = Settings { k: 3, top_k: 10, delta: 0.7, fragment_words: 10, fragment_overlap: 4, seed: 5 };
        let odd = Triage { k: Some(99), top_k: Some(0), delta: Some(f64::NAN), ..Triage::default() };
        assert_eq!(odd.settings(&run), Settings { k: MAX_HOPS, top_k: 1, ..run.clone() });
        assert_eq!(none.settings(&run), run);
    }

    fn any_chain() -> impl Strategy<Value = Chain> {
        let ends = prop::sample::subsequence(vec![0u32, 1, 2, 3, 4], 2..=4).prop_shuffle();
        (ends, prop::collection::vec((0u16..3, any::<bool>()), 3)).prop_map(|(nodes, relations)| chain(&nodes, &relations))
    }

    proptest! {
        #[test]
        fn many_chains_are_judged_as_each_alone(
            chains in prop::collection::vec(any_chain(), 1..30),
            sets in prop::collection::vec((0usize..30, 0u8..3, any::<bool>()), 0..8),
            kinds in prop::sample::subsequence(ChainKind::ALL.to_vec(), 0..3),
            through in prop::sample::subsequence(vec!["A", "B", "C", "X"], 0..3),
        ) {
            let table = table(chains);
            let mut triage = Triage {
                rejected_kinds: kinds.into_iter().collect(),
                rejected_through: through.into_iter().map(str::to_owned).collect(),
                ..Triage::default()
            };
            for (number, set, turned) in sets {
                let key = ChainKey::of(&table, &table.chains[number % table.chains.len()]);
                let set = [&mut triage.pinned, &mut triage.rejected, &mut triage.restored].into_iter().nth(usize::from(set)).expect("a set");
                set.insert(if turned { key.reversed() } else { key });
            }
            let verdicts = triage.verdicts(&table);
            for chain in &table.chains {
                prop_assert_eq!(verdicts.of(chain), triage.verdict(&table, chain));
            }
            let parsed: Triage = serde_json::from_str(&serde_json::to_string(&triage).expect("JSON")).expect("a triage");
            prop_assert_eq!(parsed, triage);
        }
    }
}
