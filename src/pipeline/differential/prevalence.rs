//! How often doctors see a condition, in the bands of the graph (`prevalence`). These are editorial judgements, not measured figures.

use crate::graph::{EntityId, EvolvingGraph};

/// How often doctors see a condition; the most common first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Prevalence {
    /// Every day.
    VeryCommon,
    /// Every month.
    Common,
    /// A few times a year.
    Uncommon,
    /// Hardly ever.
    Rare,
    /// Only in somebody who was exposed to its cause.
    Exceptional,
}

impl Prevalence {
    /// The band that the graph states for a condition, if any.
    pub(crate) fn of(graph: &EvolvingGraph, condition: EntityId) -> Option<Self> {
        Self::named(graph.attributes(condition).get("prevalence")?)
    }

    fn named(band: &str) -> Option<Self> {
        Some(match band {
            "very_common" => Self::VeryCommon,
            "common" => Self::Common,
            "uncommon" => Self::Uncommon,
            "rare" => Self::Rare,
            "exceptional" => Self::Exceptional,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;

    #[test]
    fn each_band_that_the_starter_graph_states_is_known() {
        let graph = starter_graph().expect("sound");
        let attributes: Vec<_> = (0..graph.entity_count()).map(|at| graph.attributes(EntityId(at as u32))).collect();
        let stated: Vec<&str> = attributes.iter().filter_map(|of| of.get("prevalence")).collect();
        assert!(!stated.is_empty());
        for band in stated {
            assert!(Prevalence::named(band).is_some(), "{band}");
        }
    }
}
