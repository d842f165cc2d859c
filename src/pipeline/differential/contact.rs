//! What somebody near the patient has, and people catch from each other: who coughs beside a workmate with whooping cough may have it, too.

use std::collections::BTreeSet;

use crate::graph::{EntityId, Role};
use crate::language::knowledge::{Knowledge, named};
use crate::run::{Case, FindingStatus};

/// The risk factors by which the graph says that a condition is caught from others.
const CONTACTS: [&str; 5] = [
    "Close contact with infection",
    "Close skin contact",
    "Contact with tuberculosis",
    "Contact with meningitis",
    "Contact with chickenpox",
];

/// The conditions of others that the case tells of and that are caught from them; so are their kinds.
pub(super) fn catching(knowledge: &Knowledge, case: &Case) -> BTreeSet<EntityId> {
    let graph = &knowledge.graph;
    let facts = knowledge.facts();
    let is_caught = |condition: &EntityId| {
        facts
            .players(*condition)
            .iter()
            .any(|fact| matches!(fact.role, Role::RiskFactor | Role::Cause) && CONTACTS.contains(&graph.entity_name(fact.other)))
    };
    let of_others = case.findings.iter().filter(|finding| finding.status == FindingStatus::FamilyHistory);
    let of_others = of_others.filter_map(|finding| named(graph, finding.entity.as_deref()?, ""));
    of_others
        .flat_map(|condition| facts.owners_of_role(condition, Role::Broader).chain(std::iter::once(condition)).collect::<Vec<_>>())
        .filter(is_caught)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;

    #[test]
    fn the_names_are_those_of_the_starter_graph() {
        let graph = starter_graph().expect("sound");
        for name in CONTACTS {
            let entity = graph.find(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(graph.entity_name(entity), name, "an alias would never be found");
        }
    }
}
