//! petgraph's view of the graph, so that its algorithms (connected components, for one) run on it without a copy.

use petgraph::visit::{Data, EdgeRef, GraphBase, GraphProp, IntoEdgeReferences, NodeCompactIndexable, NodeCount, NodeIndexable};

use super::entity::{EntityId, RelationId};
use super::store::{Graph, Triple};

impl GraphBase for Graph {
    type NodeId = EntityId;
    type EdgeId = Triple;
}

impl GraphProp for Graph {
    type EdgeType = petgraph::Directed;
}

impl Data for Graph {
    type NodeWeight = ();
    type EdgeWeight = RelationId;
}

impl NodeCount for Graph {
    fn node_count(&self) -> usize {
        self.entity_count()
    }
}

impl NodeIndexable for Graph {
    fn node_bound(&self) -> usize {
        self.entity_count()
    }

    fn to_index(&self, entity: EntityId) -> usize {
        entity.index()
    }

    fn from_index(&self, index: usize) -> EntityId {
        EntityId(index as u32)
    }
}

impl NodeCompactIndexable for Graph {}

impl EdgeRef for Triple {
    type NodeId = EntityId;
    type EdgeId = Triple;
    type Weight = RelationId;

    fn source(&self) -> EntityId {
        self.head
    }

    fn target(&self) -> EntityId {
        self.tail
    }

    fn weight(&self) -> &RelationId {
        &self.relation
    }

    fn id(&self) -> Triple {
        *self
    }
}

impl<'a> IntoEdgeReferences for &'a Graph {
    type EdgeRef = Triple;
    type EdgeReferences = Box<dyn Iterator<Item = Triple> + 'a>;

    fn edge_references(self) -> Self::EdgeReferences {
        Box::new(self.triples())
    }
}
