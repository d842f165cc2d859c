//! Signs that a condition is stated to have as a red flag, and that point to something else: nystagmus that changes direction, in what is taken for a
//! vestibular neuritis.

use super::evidence::urgency_of;
use crate::graph::{EntityId, Role};
use crate::language::knowledge::Knowledge;

/// Whether a finding is a kind of what a condition has, but is itself only a red flag of it, and a sign of an emergency from which the condition is to be
/// told apart. Then the condition does not explain it: a migraine makes headaches, and no thunderclap. Of an emergency a red flag says how bad it is.
pub(crate) fn points_elsewhere(knowledge: &Knowledge, condition: EntityId, finding: EntityId) -> bool {
    let facts = knowledge.facts();
    let is_emergency = |entity: EntityId| urgency_of(knowledge, entity) == Some("emergency");
    let has = |owner: EntityId, sign: EntityId| facts.states(owner, sign, |role| role == Role::Symptom);
    let is_only_flag = facts.states(condition, finding, |role| role == Role::RedFlag)
        && !facts.states(condition, finding, |role| matches!(role, Role::Symptom | Role::Complication));
    if !is_only_flag || is_emergency(condition) {
        return false;
    }
    let others = || facts.players_of_role(condition, Role::Differential).chain(facts.owners_of_role(condition, Role::Differential));
    facts.players_of_role(finding, Role::Broader).any(|wider| has(condition, wider))
        && others().any(|other| is_emergency(other) && has(other, finding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;
    use crate::language::knowledge::named;
    use crate::model::EncoderHandle;
    use crate::model::infer::StaticEncoder;
    use crate::pipeline::differential::evidence::explains;

    #[test]
    fn a_kind_of_a_sign_that_is_a_red_flag_speaks_for_the_emergency() {
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        let knowledge = Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens");
        let entity = |name: &str| named(&knowledge.graph, name, "").unwrap_or_else(|| panic!("{name}"));
        for (condition, finding, elsewhere) in [
            ("Vestibular neuritis", "Vertical or direction-changing nystagmus", true),
            ("Migraine", "Thunderclap headache", true),
            ("Vestibular neuritis", "Nystagmus", false),
            ("Cerebellar stroke", "Vertical or direction-changing nystagmus", false),
            ("Spinal cord compression", "Saddle numbness", false),
            ("Subarachnoid haemorrhage", "Thunderclap headache", false),
        ] {
            let (condition, finding) = (entity(condition), entity(finding));
            assert_eq!(points_elsewhere(&knowledge, condition, finding), elsewhere);
            assert_eq!(explains(&knowledge, condition, finding), !elsewhere);
        }
    }
}
