//! The knowledge graph: entities with names, kinds and descriptions, typed relations with roles,
//! adjacency both ways, chain search and ranking.

mod build;
mod chain;
mod chain_table;
mod entity;
mod facts;
pub mod import;
mod name_index;
mod neighbourhood;
mod occurring;
mod petgraph_view;
mod rank;
mod role;
mod search;
mod starter;
mod stats;
mod store;
mod view;

pub use build::{BuildReport, GraphBuilder, Rejection, Synonymy};
pub use chain::{Chain, ChainKind, Hop, MAX_HOPS};
pub use chain_table::{ChainTable, TableEntity, TableRelation};
pub use entity::{EntityId, Kind, RelationId};
pub(crate) use facts::FactMemo;
pub use facts::{Fact, Facts};
pub use name_index::{NameHit, NameIndex};
pub use neighbourhood::neighbourhood;
pub(crate) use occurring::Occurring;
pub use rank::{PageRank, personalised_pagerank};
pub use role::{Player, Relation, Role, RoleRules};
pub use search::{ChainBudget, ChainSearch, FoundChains, chain_cost};
pub use starter::starter_graph;
pub use stats::GraphStats;
pub use store::{Edge, Graph, Triple};
pub use view::{Direction, Edges, GraphView};
