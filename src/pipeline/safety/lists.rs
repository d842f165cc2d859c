//! Lists that a question asks for, read from the relation directly and completely, in either direction: interactions, contraindications
//! and side effects of something; what must not be used in a state; what may cause an effect.

use std::collections::{BTreeMap, BTreeSet};

use super::asked_kind::AskedKind;
use super::chains::{chain_of, from_class};
use super::items::{Item, Items, Standing, is_given};
use super::statement::SafetyRank;
use super::states::entity_of;
use crate::graph::{
    Chain, EntityId, EvolvingGraph, GraphView, Inherited, Kind, Player, Qualifiers, Role, members_of, qualifier_keys as keys, statements_of,
};
use crate::run::case::{AskKind, Case, LikelyKind, NotUnderstood};

/// The most members of a class whose own statements are listed with it.
const MOST_OF_MEMBERS: usize = 20;
/// The most members of a class that are looked at.
const MOST_MEMBERS: usize = 500;
/// The most entries that are said where somebody asks whether something is safe, and for no list: the most serious.
const MOST_UNASKED: usize = 5;

/// States that are habits.
const HABITS: [&str; 2] = ["Smoking", "Former smoking"];

/// What a list holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ListKind {
    /// What it interacts with.
    Interactions,
    /// In what it must not be used.
    Contraindications,
    /// What must not be used in it.
    ContraindicatedIn,
    /// What it may cause.
    SideEffects,
    /// What may cause it.
    MayCause,
    /// What can bring it on, or makes it worse.
    Triggers,
}

impl ListKind {
    /// The role that the list is read from.
    pub(crate) fn role(self) -> Role {
        match self {
            Self::Interactions => Role::Interaction,
            Self::Contraindications | Self::ContraindicatedIn => Role::Contraindication,
            Self::SideEffects | Self::MayCause => Role::AdverseEffect,
            Self::Triggers => Role::RiskFactor,
        }
    }

    /// Whether the list's subject is the player of its statements.
    fn is_inverse(self) -> bool {
        matches!(self, Self::ContraindicatedIn | Self::MayCause)
    }
}

/// A list that the question asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SafetyList {
    /// What it holds.
    pub(crate) kind: ListKind,
    /// Of what.
    pub(crate) of: EntityId,
    /// Every stored entry, by group and name.
    pub(crate) entries: Vec<ListEntry>,
    /// How many of the last entries are not said: nobody asked for a list.
    pub(crate) omitted: usize,
    /// What the entries are of, in the words of the question, where it asks for one kind of thing.
    pub(crate) only: Option<String>,
}

impl SafetyList {
    fn new(kind: ListKind, of: EntityId, entries: Vec<ListEntry>) -> Self {
        Self { kind, of, entries, omitted: 0, only: None }
    }

    /// The entries that are said.
    pub(crate) fn stated(&self) -> &[ListEntry] {
        self.entries.get(..self.entries.len().saturating_sub(self.omitted)).unwrap_or(&self.entries)
    }
}

/// One entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListEntry {
    /// The role that it states.
    pub(crate) role: Role,
    /// The entity at the other end, as stored: a class stands for its members.
    pub(crate) other: EntityId,
    /// The entity on the side of the list's subject, as stored: the subject, a class of it, or a member.
    pub(crate) stated: EntityId,
    /// Whether `stated` is a member of the subject, so that the entry holds for it alone.
    pub(crate) of_member: bool,
    /// The qualifiers.
    pub(crate) qualifiers: Qualifiers,
    /// How serious it is; of a side effect, nothing is said by it.
    pub(crate) rank: SafetyRank,
    /// How frequent a side effect is, the most frequent first; the last if the graph does not say.
    pub(crate) frequency: Frequency,
    /// The stored triples, from the subject to the other end.
    pub(crate) chain: Chain,
}

/// How frequent a side effect is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Frequency {
    /// Very common.
    VeryCommon,
    /// Common.
    Common,
    /// Uncommon.
    Uncommon,
    /// Rare.
    Rare,
    /// Not stated.
    Unstated,
}

impl Frequency {
    /// All, the most frequent first.
    pub(crate) const ALL: [Self; 5] = [Self::VeryCommon, Self::Common, Self::Uncommon, Self::Rare, Self::Unstated];

    fn of(qualifiers: &Qualifiers) -> Self {
        match qualifiers.get(keys::FREQUENCY) {
            Some("very_common") => Self::VeryCommon,
            Some("common") => Self::Common,
            Some("uncommon") => Self::Uncommon,
            Some("rare" | "very_rare") => Self::Rare,
            _ => Self::Unstated,
        }
    }
}

/// The lists that a case asks for, in the order asked.
pub(super) fn lists(graph: &EvolvingGraph, case: &Case, items: &Items) -> Vec<SafetyList> {
    let mut wanted: Vec<(ListKind, EntityId)> = Vec::new();
    let mut asked_for: Vec<(ListKind, EntityId)> = Vec::new();
    for ask in &case.asks {
        let kind = ask.kind;
        if !matches!(kind, AskKind::Interactions | AskKind::Contraindications | AskKind::SideEffects | AskKind::Safety) {
            continue;
        }
        let mut named: Vec<EntityId> = ask.of.iter().filter_map(|name| entity_of(graph, name)).collect();
        if kind == AskKind::Contraindications {
            named.retain(|entity| !is_beside_complaints(graph, items, *entity));
        }
        let is_named = !named.is_empty();
        let mut subjects = if is_named { named } else { unnamed(graph, items, kind) };
        // "Feel fine, is that safe?" of a young woman asks for no list of what is contraindicated in her.
        if kind == AskKind::Safety && !is_named {
            subjects.retain(|subject| is_given(graph, *subject));
        }
        // "Does A interact with B?" is about the pair, and the pair is stated. So is "is A safe?" of a patient of whom something is known.
        let is_alone = match kind {
            AskKind::SideEffects => true,
            // A value, or a word that nobody read, is what "is A safe?" is about.
            AskKind::Safety => items.all.len() == 1 && case.results.is_empty() && !case.not_understood.iter().any(may_be_other),
            _ => subjects.len() == 1 && !has_others(items, &subjects),
        };
        if !is_alone {
            continue;
        }
        for subject in subjects {
            for list in kinds_of(graph, kind, subject) {
                if !wanted.contains(&(list, subject)) {
                    wanted.push((list, subject));
                }
                if kind != AskKind::Safety {
                    asked_for.push((list, subject));
                }
            }
        }
    }
    let list = |(kind, of): (ListKind, EntityId)| {
        let list = SafetyList::new(kind, of, of_a_class(graph, of, entries(graph, kind, of)));
        // What is contraindicated is never left out.
        let grave = list.entries.iter().take_while(|entry| entry.rank == SafetyRank::Contraindicated).count();
        let omitted = if asked_for.contains(&(kind, of)) { 0 } else { list.entries.len().saturating_sub(MOST_UNASKED.max(grave)) };
        SafetyList { omitted, ..list }
    };
    let mut lists: Vec<SafetyList> = wanted.into_iter().map(list).collect();
    // "Could it be the tablets?" asks whether they may cause what the patient has.
    let asks_of_none = case.asks.iter().any(|ask| ask.kind == AskKind::SideEffects && ask.of.is_empty());
    let findings: Vec<EntityId> = items.all.iter().filter(|item| item.standing == Standing::Finding).map(|item| item.entity).collect();
    if asks_of_none && !findings.is_empty() {
        for list in lists.iter_mut().filter(|list| matches!(graph.kind(list.of), Kind::Drug | Kind::DrugClass)) {
            list.entries.retain(|entry| findings.contains(&entry.other));
        }
        lists.retain(|list| !list.entries.is_empty());
    }
    lists
}

/// Whether a word that was not understood may name what a drug is taken with.
fn may_be_other(word: &NotUnderstood) -> bool {
    word.subject || matches!(word.likely, Some(LikelyKind::Drug | LikelyKind::Condition))
}

/// The lists of the one kind of thing that a question asks for, of the drugs, states and conditions of the case; empty where it asks for something
/// else as well.
pub(super) fn of_kind(graph: &EvolvingGraph, case: &Case, items: &Items, kind: &AskedKind) -> Vec<SafetyList> {
    let asks = |kinds: &[AskKind]| case.asks.iter().any(|ask| kinds.contains(&ask.kind));
    let is_asked = asks(&[AskKind::Interactions, AskKind::Contraindications])
        || (asks(&[AskKind::Safety]) && !asks(&[AskKind::Treatment, AskKind::Prevention, AskKind::Diagnosis]));
    if !is_asked {
        return Vec::new();
    }
    let is_subject = |item: &&Item| {
        let is_meant = item.standing.is_drug() || item.standing == Standing::Condition || item.said;
        is_meant && !item.possible && !kind.holds(graph, item.entity)
    };
    let kinds = |subject: EntityId| match is_given(graph, subject) {
        true => vec![ListKind::Interactions, ListKind::Contraindications],
        false => vec![ListKind::ContraindicatedIn, ListKind::Triggers],
    };
    let list = |of: EntityId, list: ListKind| {
        let mut entries = entries(graph, list, of);
        entries.retain(|entry| kind.holds(graph, entry.other));
        SafetyList { only: Some(kind.said.clone()), ..SafetyList::new(list, of, of_a_class(graph, of, entries)) }
    };
    // What is stored is said, and of what nothing is stored, that once.
    let of_subject = |of: EntityId| {
        let (mut said, none): (Vec<SafetyList>, Vec<SafetyList>) =
            kinds(of).into_iter().map(|kind| list(of, kind)).partition(|list| !list.entries.is_empty());
        // What must not be combined stands in both lists of a drug, and is said once.
        let mut seen = BTreeSet::new();
        said.iter_mut().for_each(|list| list.entries.retain(|entry| seen.insert((entry.other, entry.role))));
        said.retain(|list| !list.entries.is_empty());
        if said.is_empty() { none.into_iter().take(1).collect() } else { said }
    };
    let lists: Vec<SafetyList> = items.all.iter().filter(is_subject).flat_map(|item| of_subject(item.entity)).collect();
    // What the patient has besides is no answer where nothing is stored of it.
    let is_said = lists.iter().any(|list| !list.entries.is_empty());
    lists.into_iter().filter(|list| !list.entries.is_empty() || !is_said || is_given(graph, list.of)).collect()
}

/// What only single members of a wide class of drugs have is no answer to a question about the class: it would bury what all have.
fn of_a_class(graph: &EvolvingGraph, of: EntityId, mut entries: Vec<ListEntry>) -> Vec<ListEntry> {
    let is_drug = matches!(graph.kind(of), Kind::Drug | Kind::DrugClass);
    if is_drug && entries.iter().filter(|entry| entry.of_member).count() > MOST_OF_MEMBERS {
        entries.retain(|entry| !entry.of_member);
    }
    entries
}

/// Whether a drug is considered beside the subjects, so that the question is about the two.
fn has_others(items: &Items, subjects: &[EntityId]) -> bool {
    items.all.iter().any(|item| matches!(item.standing, Standing::Proposed | Standing::New) && !subjects.contains(&item.entity))
}

/// Whether something is a habit of a patient who has complaints: "Smoker, tearing chest pain. What not to give?" asks what to keep from
/// the pain.
fn is_beside_complaints(graph: &EvolvingGraph, items: &Items, entity: EntityId) -> bool {
    let has_complaints = items.all.iter().any(|item| item.standing == Standing::Finding);
    has_complaints && HABITS.into_iter().filter_map(|habit| entity_of(graph, habit)).any(|habit| habit == entity)
}

/// What a list is about if the question names nothing for it: the drugs of the case, else its states and conditions.
fn unnamed(graph: &EvolvingGraph, items: &Items, kind: AskKind) -> Vec<EntityId> {
    let all = |is_meant: fn(&Item) -> bool| items.all.iter().filter(|item| is_meant(item)).map(|item| item.entity).collect::<Vec<_>>();
    let drugs = all(|item| item.standing.is_drug());
    if kind == AskKind::Contraindications && drugs.is_empty() {
        // What the patient is, not what is wrong at the moment: "20 weeks pregnant, which medicines are contraindicated?"
        let said = all(|item| item.said && item.standing == Standing::State);
        let states = if said.is_empty() { all(|item| item.standing == Standing::State) } else { said };
        return states.into_iter().filter(|state| !is_beside_complaints(graph, items, *state)).collect();
    }
    if !drugs.is_empty() || kind == AskKind::Interactions {
        return drugs;
    }
    match kind {
        AskKind::SideEffects => all(|item| matches!(item.standing, Standing::Finding | Standing::Condition)),
        _ => {
            let states = all(|item| item.said || item.standing == Standing::Condition);
            if states.is_empty() { all(|item| item.standing == Standing::State) } else { states }
        }
    }
}

/// The lists of a subject that answer what is asked.
fn kinds_of(graph: &EvolvingGraph, asked: AskKind, subject: EntityId) -> Vec<ListKind> {
    let given = is_given(graph, subject);
    match asked {
        AskKind::SideEffects if given => vec![ListKind::SideEffects],
        AskKind::SideEffects => vec![ListKind::MayCause],
        AskKind::Interactions => vec![ListKind::Interactions],
        AskKind::Contraindications => {
            // A procedure can be both: what must not be done, and what rules drugs out.
            let forbids = super::items::takes_part(graph, subject).forbids;
            // So can food and drink, which are not given to anybody.
            let is_ruled_out = |entry: &ListEntry| entry.role == Role::Contraindication;
            let acts = given || entries(graph, ListKind::Contraindications, subject).iter().any(is_ruled_out);
            let lists =
                [(acts, ListKind::Contraindications), (forbids, ListKind::ContraindicatedIn), (!given && !forbids, ListKind::Interactions)];
            lists.into_iter().filter(|(holds, _)| *holds).map(|(_, list)| list).collect()
        }
        _ if given => vec![ListKind::Contraindications, ListKind::Interactions],
        // Food and drink interact, and nothing is contraindicated in them.
        _ if !super::items::takes_part(graph, subject).forbids => vec![ListKind::Interactions],
        _ => vec![ListKind::ContraindicatedIn],
    }
}

/// Every entry of a list.
fn entries(graph: &EvolvingGraph, kind: ListKind, subject: EntityId) -> Vec<ListEntry> {
    let mut found: BTreeMap<(EntityId, EntityId), ListEntry> = BTreeMap::new();
    let mut add = |entry: ListEntry| {
        found.entry((entry.other, if entry.of_member { entry.stated } else { subject })).or_insert(entry);
    };
    let mut roles = vec![kind.role()];
    if kind == ListKind::Triggers {
        roles.push(Role::Cause);
    }
    if kind == ListKind::Contraindications {
        // A drug with which it must not be given, or hardly ever, is one of its contraindications.
        roles.push(Role::Interaction);
    }
    let members: Vec<EntityId> = members_of(graph, subject, MOST_MEMBERS);
    let between: BTreeSet<EntityId> = members.iter().copied().collect();
    for entity in std::iter::once(subject).chain(members) {
        for role in &roles {
            for statement in statements_of(graph, entity, *role) {
                let of_member = entity != subject;
                if !is_meant(graph, kind, &statement) || (of_member && statement.distance() > 0) {
                    continue;
                }
                let (stated, other) =
                    if statement.first_is_head { (statement.head, statement.tail) } else { (statement.tail, statement.head) };
                // What is stated of a class and of the subject itself is no entry.
                if other == subject {
                    continue;
                }
                // An effect of a broader kind is not this effect; what is said among the members themselves is no entry.
                if (kind == ListKind::MayCause && statement.distance() > 0) || (of_member && (other == subject || between.contains(&other)))
                {
                    continue;
                }
                let chain = chain_of(graph, &statement, true);
                let rank = SafetyRank::of(*role, &statement.qualifiers);
                if kind == ListKind::Contraindications && *role != kind.role() && rank > SafetyRank::Major {
                    continue;
                }
                add(ListEntry {
                    role: *role,
                    other,
                    stated,
                    of_member,
                    rank,
                    frequency: Frequency::of(&statement.qualifiers),
                    qualifiers: statement.qualifiers,
                    chain: if of_member { from_class(graph, subject, chain) } else { chain },
                });
            }
        }
    }
    let mut entries: Vec<ListEntry> = found.into_values().collect();
    let by_frequency = kind.role() == Role::AdverseEffect;
    entries.sort_by_key(|entry| {
        let group = if by_frequency { entry.frequency as u8 } else { entry.rank as u8 };
        (group, graph.entity_rank(entry.other), entry.of_member, graph.entity_rank(entry.stated))
    });
    entries
}

/// Whether the subject is on the side of the statement that the list is about.
fn is_meant(graph: &EvolvingGraph, kind: ListKind, statement: &Inherited) -> bool {
    let Some(relation) = graph.relations().get(statement.relation.index()) else { return false };
    let is_player = (relation.player == Player::Head) == statement.first_is_head;
    relation.role == Role::Interaction || is_player == kind.is_inverse()
}
