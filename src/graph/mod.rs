//! The knowledge graph: entities with names, kinds and descriptions, typed relations with roles,
//! adjacency both ways, chain search and ranking.

mod assemble;
mod build;
mod chain;
mod derive;
mod entity;
mod facts;
pub mod import;
mod merge;
mod name_index;
mod neighbourhood;
mod petgraph_view;
mod rank;
mod report;
mod role;
mod search;
mod snapshot;
mod starter;
mod stats;
mod store;
mod suspicions;
mod view;

pub use build::{GraphBuilder, Synonymy};
pub use chain::{Chain, ChainKind, ChainTable, Hop, MAX_HOPS, TableEntity, TableRelation};
pub use entity::{EntityId, Kind, RelationId};
pub use facts::{Fact, Facts};
pub use name_index::{NameHit, NameIndex};
pub use neighbourhood::neighbourhood;
pub use rank::{PageRank, personalised_pagerank};
pub use report::{BuildReport, Rejection};
pub use role::{Player, Relation, Role, RoleRules};
pub use search::{ChainBudget, ChainSearch, FoundChains, chain_cost};
pub use snapshot::{Provenance, SNAPSHOT_MAGIC, SnapshotError};
pub use starter::starter_graph;
pub use stats::{Degrees, GraphStats};
pub use store::{Edge, Graph, Merge, Triple};
pub use suspicions::{Suspicion, suspicions};
pub use view::{Direction, Edges, GraphView};
