//! The knowledge graph: entities with names, kinds and descriptions, typed relations with roles, adjacency in both
//! directions, chain search and ranking.
//!
//! The structure of the graph, the search and PageRank are our own. petgraph serves three side tasks: the components in
//! `stats.rs`, the groups of merged entities in `merge.rs`, and the cycles of `is_a` in `lint.rs`.

mod all_paths;
mod assemble;
mod build;
mod chain;
mod chain_entities;
mod chain_table;
mod derive;
mod entity;
mod entity_set;
mod evolving;
mod facts;
pub mod import;
mod inherit;
mod lint;
mod merge;
mod name_index;
mod named;
mod neighbourhood;
mod pagerank;
mod personalised_pagerank;
mod qualifiers;
mod report;
mod role;
mod search;
mod snapshot;
mod starter;
mod stats;
mod store;
mod triple_subset;
mod view;

pub use all_paths::all_paths;
pub use build::{GraphBuilder, Synonymy};
pub use chain::{Chain, ChainKind, Hop, MAX_HOPS};
pub(crate) use chain_entities::ChainEntities;
pub use chain_table::{ChainTable, DescribedGraph, QualifiedTriple, TableEntity, TableRelation};
pub(crate) use chain_table::{LearnedTriples, triple_of};
pub use entity::{EntityId, Kind, RelationId};
pub use evolving::{ChangeCounts, EvolvingGraph, EvolvingNames, LearnedRows, LearnedTable};
pub(crate) use facts::FactMemo;
pub use facts::{Fact, Facts};
pub use inherit::{Inherited, classes_of, members_of, statements_between, statements_of};
pub use lint::{LintFinding, lint};
pub(crate) use name_index::stem;
pub use name_index::{NameHit, NameIndex};
pub use named::{LearnedTriple, NamedEntity, NamedRelation, NamedTriple};
pub use neighbourhood::neighbourhood;
pub use pagerank::{Following, GlobalPageRank, PageRanks, global_pagerank};
pub use personalised_pagerank::{PersonalisedPageRank, personalised_pagerank};
pub use qualifiers::{QualifierFault, Qualifiers, keys as qualifier_keys};
pub use report::{BuildReport, Rejection};
pub use role::{Player, Relation, Role, RoleRules};
pub use search::{ChainBudget, ChainSearch, FoundChains, chain_cost};
pub use snapshot::{GraphProvenance, SNAPSHOT_MAGIC, SnapshotError};
pub(crate) use snapshot::{MappedBytes, part_table};
pub use starter::starter_graph;
pub use stats::{Degrees, GraphStats};
pub use store::{Edge, Graph, Merge, Triple};
pub(crate) use triple_subset::TripleSubset;
pub use view::{Direction, Edges, GraphView};
