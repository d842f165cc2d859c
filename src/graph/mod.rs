//! The knowledge graph: entities with names, kinds and descriptions, typed relations with roles,
//! adjacency both ways, chain search and ranking.

mod build;
mod chain;
mod entity;
mod entity_set;
mod facts;
pub mod import;
mod name_index;
mod neighbourhood;
mod overlay;
mod pagerank;
mod petgraph_view;
mod rank;
mod role;
mod search;
mod starter;
mod stats;
mod store;
mod subgraph;
mod view;
mod walk;

pub use build::{BuildReport, GraphBuilder, Rejection, Synonymy};
pub use chain::{Chain, ChainKind, ChainTable, Hop, MAX_HOPS, TableEntity, TableRelation};
pub use entity::{EntityId, Kind, RelationId};
pub use facts::{Fact, Facts};
pub use name_index::{NameHit, NameIndex};
pub use neighbourhood::neighbourhood;
pub use overlay::{Overlaid, OverlayBuilder, OverlayError};
pub use pagerank::{Following, GlobalPageRank, PageRanks, global_pagerank};
pub use rank::{PageRank, personalised_pagerank};
pub use role::{Player, Relation, Role, RoleRules};
pub use search::{ChainBudget, ChainSearch, FoundChains, chain_cost};
pub use starter::starter_graph;
pub use stats::GraphStats;
pub use store::{Edge, Graph, Triple};
pub use subgraph::{Subgraph, subgraph};
pub use view::{Direction, Edges, GraphView};
pub use walk::{RandomWalk, random_walk};
