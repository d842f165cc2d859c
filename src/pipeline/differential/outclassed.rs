//! Whether a condition that fits the words by its clinical picture explains at most one of the findings, although another explains most of them.

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::{explains, urgency_of};
use crate::graph::EntityId;
use crate::language::knowledge::Knowledge;

/// With fewer findings than this, nothing is outclassed.
const TOLD: usize = 4;
/// A condition that explains more findings than this is not outclassed.
const HARDLY: usize = 1;
/// How many findings the other condition must explain at least. They must also be more than half of all findings.
const MOST: usize = 3;

/// The share of its picture that still counts for an outclassed condition.
const OUTCLASSED: f64 = 0.25;

/// The findings of the case, and the highest number of them that one condition explains.
pub(super) struct Explained {
    told: BTreeSet<EntityId>,
    most: usize,
    most_of_emergency: usize,
}

impl Explained {
    pub(super) fn of(knowledge: &Knowledge, told: &[EntityId]) -> Self {
        let told: BTreeSet<EntityId> = told.iter().copied().collect();
        let mut counts: BTreeMap<EntityId, usize> = BTreeMap::new();
        for finding in told.iter().filter(|_| told.len() >= TOLD) {
            let owners: BTreeSet<EntityId> = knowledge.facts().owners(*finding).iter().map(|fact| fact.other).collect();
            let explaining = owners.into_iter().filter(|owner| knowledge.is_condition(*owner) && !told.contains(owner));
            explaining.filter(|owner| explains(knowledge, *owner, *finding)).for_each(|owner| *counts.entry(owner).or_default() += 1);
        }
        let emergencies = counts.iter().filter(|(owner, _)| urgency_of(knowledge, **owner) == Some("emergency"));
        let most_of_emergency = emergencies.map(|(_, count)| *count).max().unwrap_or(0);
        Self { most: counts.values().copied().max().unwrap_or(0), most_of_emergency, told }
    }

    /// The share of its picture that counts for a condition.
    pub(super) fn share(&self, knowledge: &Knowledge, condition: EntityId) -> f64 {
        if self.outclasses(knowledge, condition) { OUTCLASSED } else { 1.0 }
    }

    /// Whether another condition outclasses this one. For example, palpitations, sweating, headache, a high pressure and a low potassium fit the picture
    /// of renal artery stenosis, which explains only the pressure; phaeochromocytoma explains most of them. Only an emergency outclasses an emergency.
    fn outclasses(&self, knowledge: &Knowledge, condition: EntityId) -> bool {
        let most = if urgency_of(knowledge, condition) == Some("emergency") { self.most_of_emergency } else { self.most };
        let own = || self.told.iter().filter(|finding| explains(knowledge, condition, **finding)).count();
        most >= MOST && most * 2 > self.told.len() && own() <= HARDLY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;
    use crate::model::EncoderHandle;
    use crate::model::infer::StaticEncoder;

    #[test]
    fn what_explains_hardly_anything_is_outclassed_by_what_explains_most() {
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        let knowledge = Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens");
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let is_outclassed = |condition: &str, told: &[&str]| {
            let told: Vec<EntityId> = told.iter().map(|name| find(name)).collect();
            Explained::of(&knowledge, &told).outclasses(&knowledge, find(condition))
        };
        let told = ["Palpitations", "Sweating", "Headache", "Hypertension", "Hypokalaemia"];
        assert!(is_outclassed("Renal artery stenosis", &told));
        assert!(!is_outclassed("Phaeochromocytoma", &told), "it explains most");
        assert!(!is_outclassed("Renal artery stenosis", &told[2..]), "too little is told");
    }
}
