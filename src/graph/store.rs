//! The knowledge graph: access to the content of its snapshot by entity, relation and triple.

use std::path::Path;

use bytemuck::{Pod, Zeroable};

use super::chain::Chain;
use super::chain_table::DescribedGraph;
use super::derive::Derived;
use super::entity::{EntityId, Kind, RelationId};
use super::name_index::NameIndex;
use super::qualifiers::Qualifiers;
use super::role::{Relation, Role, RoleRules};
use super::snapshot::{GraphProvenance, Section, Snapshot, SnapshotError, SnapshotMeta, flags};
use super::view::{Direction, GraphRows};

/// One end of a triple as seen from the other. Edges are equal, and ordered, by far end and relation.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Edge {
    /// The entity at the far end.
    pub to: EntityId,
    /// The relation type.
    pub relation: RelationId,
    /// The number of triples of the far end, capped at 65,535 ([`far_degree`]), so that a search can skip small entities
    /// without looking them up. 0 for a learned triple.
    pub(super) far_degree: u16,
}

impl Edge {
    /// An edge with an unknown degree of the far end.
    pub fn new(to: EntityId, relation: RelationId) -> Self {
        Self { to, relation, far_degree: 0 }
    }
}

impl PartialEq for Edge {
    fn eq(&self, other: &Self) -> bool {
        (self.to, self.relation) == (other.to, other.relation)
    }
}

impl Eq for Edge {}

impl Ord for Edge {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.to, self.relation).cmp(&(other.to, other.relation))
    }
}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A degree as edges store it, capped at 65,535.
#[inline]
pub(super) fn far_degree(degree: usize) -> u16 {
    u16::try_from(degree).unwrap_or(u16::MAX)
}

/// A statement: head, relation, tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Triple {
    /// Where the relation starts.
    pub head: EntityId,
    /// The relation type.
    pub relation: RelationId,
    /// Where it ends.
    pub tail: EntityId,
}

/// A triple as a snapshot stores it. Ordered by head, relation, tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct TripleKey {
    head: u32,
    relation: u32,
    tail: u32,
}

impl TripleKey {
    pub(super) fn of(triple: Triple) -> Self {
        Self { head: triple.head.0, relation: triple.relation.0.into(), tail: triple.tail.0 }
    }

    /// The triple; the checks of a snapshot see to it that its relation has 16 bits.
    pub(super) fn triple(self) -> Triple {
        let relation = RelationId(u16::try_from(self.relation).unwrap_or(u16::MAX));
        Triple { head: EntityId(self.head), relation, tail: EntityId(self.tail) }
    }
}

/// An immutable knowledge graph: a snapshot, mapped from a file or in memory. [`super::GraphBuilder`] builds one; [`Self::open`] opens
/// one from a file.
///
/// Numbers that do not exist give empty results, not errors.
#[derive(Debug)]
pub struct Graph {
    name: String,
    snapshot: Snapshot,
    meta: SnapshotMeta,
    kinds: Vec<Kind>,
    names: NameIndex,
    /// The values derived from the relations' roles, if the roles differ from those of the snapshot.
    derived: Option<Derived>,
}

impl Graph {
    /// Opens an imported graph and gives it a display name.
    ///
    /// # Errors
    /// If the file cannot be read, is not a snapshot of this version and byte order, or is damaged.
    pub fn open(path: &Path, name: &str) -> Result<Self, SnapshotError> {
        let (snapshot, meta) = Snapshot::open(path)?;
        Ok(Self { name: crate::text::sanitise_line(name), ..Self::over(snapshot, meta) })
    }

    /// Reads a snapshot from memory and checks it in full; `shown` names it in errors.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_bytes(bytes: &[u8], shown: &str) -> Result<Self, SnapshotError> {
        let (snapshot, meta) = Snapshot::from_bytes(bytes, shown)?;
        Ok(Self::over(snapshot, meta))
    }

    pub(super) fn over(snapshot: Snapshot, meta: SnapshotMeta) -> Self {
        let names = NameIndex::new(&snapshot);
        let kinds = meta.kinds.iter().map(|kind| Kind::parse(kind)).collect();
        Self { name: meta.name.clone(), snapshot, meta, kinds, names, derived: None }
    }

    /// Writes the graph to a file that only its owner can read. The file appears only once it is complete.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        self.snapshot.save(path)
    }

    /// Checks the whole graph, even if it was checked before.
    ///
    /// # Errors
    /// If a section is damaged.
    pub fn verify(&self) -> Result<(), SnapshotError> {
        self.snapshot.verify(&self.snapshot.meta(&self.name)?, &self.name)
    }

    /// The snapshot's bytes, as [`Self::save`] writes them.
    pub fn bytes(&self) -> &[u8] {
        self.snapshot.bytes()
    }

    /// The same graph with roles from other rules. Inferred kinds are inferred again.
    #[must_use]
    pub fn with_roles(mut self, rules: &RoleRules) -> Self {
        let relations: Vec<Relation> = self
            .meta
            .relations
            .iter()
            .map(|known| {
                let read = rules.guess(&known.name);
                Relation { role: read.role, player: read.player, guessed: read.guessed, inherits: read.inherits, ..known.clone() }
            })
            .collect();
        let reading = |r: &Relation| (r.role, r.player);
        let same = relations.iter().map(reading).eq(self.meta.relations.iter().map(reading));
        self.meta.relations = relations;
        if !same {
            let stated: Vec<Option<u16>> =
                self.entity_ids().map(|e| (self.flags(e) & flags::KIND_STATED != 0).then(|| self.kind_number(e))).collect();
            let mut kinds = std::mem::take(&mut self.kinds);
            let derived = Derived::of(&self.rows(), &self.meta.relations, &stated, &mut kinds);
            self.kinds = kinds;
            self.meta.conditions = derived.conditions;
            self.derived = Some(derived);
        }
        self
    }

    /// The rows of triples in memory.
    pub fn rows(&self) -> GraphRows<'_> {
        GraphRows::new(self.snapshot.rows(Section::RowStarts), self.snapshot.rows(Section::Edges))
    }

    /// The name under which the graph is shown.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many entities there are.
    pub fn entity_count(&self) -> usize {
        self.meta.entities as usize
    }

    /// How many distinct triples there are.
    pub fn triple_count(&self) -> usize {
        self.meta.triples as usize
    }

    /// How many names and aliases there are.
    pub fn name_count(&self) -> usize {
        self.meta.names as usize
    }

    /// How many entities are described as conditions.
    pub fn condition_count(&self) -> usize {
        self.meta.conditions as usize
    }

    /// Where the graph comes from.
    pub fn provenance(&self) -> &GraphProvenance {
        &self.meta.provenance
    }

    /// A number that changes when a name or alias changes. What was computed from the names is valid while it stays the same.
    pub fn names_fingerprint(&self) -> u64 {
        self.snapshot.names_fingerprint()
    }

    /// All entity numbers.
    pub fn entity_ids(&self) -> impl ExactSizeIterator<Item = EntityId> + use<> {
        (0..self.meta.entities as u32).map(EntityId)
    }

    /// An entity's preferred name.
    pub fn entity_name(&self, entity: EntityId) -> &str {
        self.snapshot.entity_names(entity).next().unwrap_or("")
    }

    /// An entity's other names.
    pub fn aliases(&self, entity: EntityId) -> impl Iterator<Item = &str> {
        self.snapshot.entity_names(entity).skip(1)
    }

    /// A name by its row. The rows hold all names of entity 0, its preferred one first, then those of entity 1, and so on.
    pub fn name_at(&self, row: usize) -> &str {
        self.snapshot.text(Section::NameOffsets, Section::NameBytes, row)
    }

    /// The rows of an entity's names, the preferred one first.
    pub fn name_rows(&self, entity: EntityId) -> std::ops::Range<usize> {
        let starts: &[u32] = self.snapshot.rows(Section::NameStarts);
        let start = |i: usize| starts.get(i).copied().unwrap_or(0) as usize;
        start(entity.index())..start(entity.index() + 1)
    }

    /// The entity that a row of names belongs to.
    pub fn entity_of_name(&self, row: usize) -> EntityId {
        let starts: &[u32] = self.snapshot.rows(Section::NameStarts);
        EntityId(starts.partition_point(|start| *start as usize <= row).saturating_sub(1) as u32)
    }

    fn kind_number(&self, entity: EntityId) -> u16 {
        let stored = || self.snapshot.rows::<u16>(Section::Kinds);
        let kinds = self.derived.as_ref().map_or_else(stored, |derived| &derived.kinds);
        kinds.get(entity.index()).copied().unwrap_or(0)
    }

    fn flags(&self, entity: EntityId) -> u8 {
        let stored = || self.snapshot.rows::<u8>(Section::Flags);
        let flags = self.derived.as_ref().map_or_else(stored, |derived| &derived.flags);
        flags.get(entity.index()).copied().unwrap_or(0)
    }

    /// An entity's kind, stated or inferred from the roles it plays.
    pub fn kind(&self, entity: EntityId) -> &Kind {
        const UNKNOWN: &Kind = &Kind::Other(String::new());
        self.kinds.get(usize::from(self.kind_number(entity))).unwrap_or(UNKNOWN)
    }

    /// Whether an entity is described as a condition: the graph calls it a disease, or states symptoms, tests or
    /// treatments of it.
    pub fn is_condition(&self, entity: EntityId) -> bool {
        self.flags(entity) & flags::CONDITION != 0
    }

    /// How specific an entity is as a finding: its inverse frequency among the features of conditions,
    /// `ln(1 + conditions / (1 + bearers))`.
    pub fn rarity(&self, entity: EntityId) -> f64 {
        let stored = || self.snapshot.rows::<f64>(Section::Rarity);
        let rarity = self.derived.as_ref().map_or_else(stored, |derived| &derived.rarity);
        rarity.get(entity.index()).copied().unwrap_or(0.0)
    }

    /// The sum of the squared rarities of an entity's features; 0 if it has none.
    pub fn feature_weight(&self, entity: EntityId) -> f64 {
        let stored = || self.snapshot.rows::<f64>(Section::Features);
        let features = self.derived.as_ref().map_or_else(stored, |derived| &derived.features);
        features.get(entity.index()).copied().unwrap_or(0.0)
    }

    /// One or two sentences about an entity; empty when the graph has none.
    pub fn description(&self, entity: EntityId) -> &str {
        self.snapshot.text(Section::DescriptionOffsets, Section::DescriptionBytes, entity.index())
    }

    /// An entity's identifier in its source, several separated by ` | ` if entities were merged; empty if the source has only names.
    pub fn identifier(&self, entity: EntityId) -> &str {
        self.snapshot.text(Section::IdentifierOffsets, Section::IdentifierBytes, entity.index())
    }

    /// The entities that were merged into others when the graph was made.
    pub fn merges(&self) -> impl Iterator<Item = Merge<'_>> {
        let text = std::str::from_utf8(self.snapshot.raw(Section::Merges)).unwrap_or("");
        text.lines().filter_map(|line| {
            let mut columns = line.split('\t');
            Some(Merge { kept: columns.next()?, merged: columns.next()?, identifier: columns.next()?, why: columns.next()? })
        })
    }

    /// How many entities were merged into others.
    pub fn merge_count(&self) -> usize {
        self.meta.merges as usize
    }

    /// The relation types, by number.
    pub fn relations(&self) -> &[Relation] {
        &self.meta.relations
    }

    /// One relation type.
    ///
    /// # Panics
    /// If the number is not one of this graph's.
    pub fn relation(&self, relation: RelationId) -> &Relation {
        &self.meta.relations[relation.index()]
    }

    /// The role of a relation type.
    ///
    /// # Panics
    /// As [`Self::relation`].
    pub fn role(&self, relation: RelationId) -> Role {
        self.relation(relation).role
    }

    /// Triples that start at an entity, sorted by far end, then relation.
    pub fn outgoing(&self, entity: EntityId) -> &[Edge] {
        self.rows().row(entity, Direction::Out)
    }

    /// Triples that end at an entity, in the same order.
    pub fn incoming(&self, entity: EntityId) -> &[Edge] {
        self.rows().row(entity, Direction::In)
    }

    /// How many triples an entity takes part in (a self-loop counts twice).
    pub fn degree(&self, entity: EntityId) -> usize {
        self.rows().both(entity).len()
    }

    /// Every triple, ordered by head, tail, relation.
    pub fn triples(&self) -> impl Iterator<Item = Triple> + '_ {
        self.entity_ids()
            .flat_map(move |head| self.outgoing(head).iter().map(move |edge| Triple { head, relation: edge.relation, tail: edge.to }))
    }

    /// What a triple states beyond its ends and relation; empty if it states nothing more, or does not exist.
    pub fn qualifiers(&self, head: EntityId, relation: RelationId, tail: EntityId) -> Qualifiers {
        let key = TripleKey::of(Triple { head, relation, tail });
        let found = self.snapshot.rows::<TripleKey>(Section::QualifiedTriples).binary_search(&key);
        let stored = found.map(|at| self.snapshot.text(Section::QualifierOffsets, Section::QualifierBytes, at));
        stored.map(Qualifiers::of_stored).unwrap_or_default()
    }

    /// How many triples have qualifiers.
    pub fn qualified_count(&self) -> usize {
        self.snapshot.rows::<TripleKey>(Section::QualifiedTriples).len()
    }

    /// The triples with qualifiers, ordered by head, relation, tail.
    pub fn qualified(&self) -> impl Iterator<Item = (Triple, Qualifiers)> + '_ {
        let keys = self.snapshot.rows::<TripleKey>(Section::QualifiedTriples);
        let stored = |at| Qualifiers::of_stored(self.snapshot.text(Section::QualifierOffsets, Section::QualifierBytes, at));
        keys.iter().enumerate().map(move |(at, key)| (key.triple(), stored(at)))
    }

    /// The attributes of an entity, such as its urgency; empty if it has none.
    pub fn attributes(&self, entity: EntityId) -> Qualifiers {
        let found = self.snapshot.rows::<EntityId>(Section::AttributedEntities).binary_search(&entity);
        let stored = found.map(|at| self.snapshot.text(Section::AttributeOffsets, Section::AttributeBytes, at));
        stored.map(Qualifiers::of_stored).unwrap_or_default()
    }

    /// A chain of this graph as text; see [`super::ChainTable::text`].
    pub fn chain_text(&self, chain: &Chain) -> String {
        DescribedGraph::chain_text(self, chain)
    }

    /// The index over names and aliases.
    pub fn names(&self) -> &NameIndex {
        &self.names
    }

    /// Folded aliases that may name more than one entity.
    pub fn ambiguous_aliases(&self) -> &[String] {
        &self.meta.ambiguous
    }

    /// The entity with exactly this name or alias after folding; the lowest number when there are several.
    pub fn find(&self, name: &str) -> Option<EntityId> {
        self.names.lookup_exact(name).first().copied()
    }
}

/// An entity that was merged into another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merge<'a> {
    /// The name of the entity that stays.
    pub kept: &'a str,
    /// The name of the merged entity.
    pub merged: &'a str,
    /// Its identifier in the source; empty if the source has only names.
    pub identifier: &'a str,
    /// The reason of the merge.
    pub why: &'a str,
}
