//! The knowledge graph: entities with names, kinds and descriptions, typed relations with roles,
//! adjacency both ways, chain search and ranking.

mod build;
mod chain;
mod entity;
mod facts;
mod name_index;
mod petgraph_view;
mod role;
mod store;

pub use build::{BuildReport, GraphBuilder, Rejection};
pub use chain::{Chain, ChainKind, ChainTable, Hop, MAX_HOPS, TableEntity, TableRelation};
pub use entity::{EntityId, Kind, RelationId};
pub use facts::{Fact, Facts};
pub use name_index::{NameHit, NameIndex};
pub use role::{Player, Relation, Role, RoleRules};
pub use store::{Edge, Graph, Triple};
