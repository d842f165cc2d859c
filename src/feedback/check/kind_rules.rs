//! Which kinds of entities can stand at the ends of a relation. Kinds that Catena does not know fit everywhere.

use super::InvalidTriple;
use crate::graph::{Kind, NamedTriple, Role};

/// What may stand at an end: bits, one for each kind.
type Kinds = u8;

const DISEASE: Kinds = 1;
const SYMPTOM: Kinds = 1 << 1;
const TEST: Kinds = 1 << 2;
const DRUG: Kinds = 1 << 3;
const DRUG_CLASS: Kinds = 1 << 4;
const TREATMENT: Kinds = 1 << 5;
const RISK_FACTOR: Kinds = 1 << 6;
const PATHOGEN: Kinds = 1 << 7;

/// What a patient has. Graphs call the same thing now a symptom, now a disease.
const FINDING: Kinds = DISEASE | SYMPTOM;
/// What can be had, or be the reason why something is had.
const STATE: Kinds = FINDING | RISK_FACTOR | PATHOGEN;
/// What is given or done against something. Procedures are tests in one place and treatments in another.
const REMEDY: Kinds = DRUG | DRUG_CLASS | TREATMENT;
const ANY: Kinds = Kinds::MAX;

fn bit(kind: &Kind) -> Kinds {
    match kind {
        Kind::Disease => DISEASE,
        Kind::Symptom => SYMPTOM,
        Kind::Test => TEST,
        Kind::Drug => DRUG,
        Kind::DrugClass => DRUG_CLASS,
        Kind::Treatment => TREATMENT,
        Kind::RiskFactor => RISK_FACTOR,
        Kind::Pathogen => PATHOGEN,
        Kind::Other(_) => ANY,
    }
}

/// What owner and player of a role can be, and what they are called where they cannot.
fn allowed(role: Role) -> [(Kinds, &'static str); 2] {
    match role {
        Role::Symptom | Role::RedFlag => [(STATE, "something that has symptoms"), (FINDING, "a symptom of something")],
        Role::Test => [(STATE, "something that is tested for"), (TEST | TREATMENT, "a test for something")],
        Role::Monitoring => [(STATE | REMEDY, "something that is monitored"), (TEST, "a test that monitors something")],
        Role::Treatment | Role::FirstLine => [(STATE, "something that is treated"), (REMEDY | TEST, "a treatment of something")],
        Role::Prevention => [(STATE, "something that is prevented"), (REMEDY | TEST, "a prevention of something")],
        // What somebody must not eat, drink or do is told as a risk factor: raw meat in pregnancy.
        Role::Contraindication => {
            [(REMEDY | TEST | RISK_FACTOR, "something that is contraindicated"), (STATE | TREATMENT | TEST, "a contraindication")]
        }
        Role::AdverseEffect => [(REMEDY | TEST, "something that has side effects"), (FINDING | RISK_FACTOR, "a side effect of something")],
        Role::Interaction => [(REMEDY | RISK_FACTOR, "a party to an interaction"), (REMEDY | RISK_FACTOR, "a party to an interaction")],
        Role::Complication => [(ANY, ""), (FINDING | RISK_FACTOR, "a complication of something")],
        Role::Cause => [(FINDING | RISK_FACTOR, "something that has causes"), (ANY & !TEST, "a cause of something")],
        Role::RiskFactor => [(FINDING | RISK_FACTOR, "something that has risk factors"), (ANY & !TEST, "a risk factor of something")],
        Role::Differential => [(FINDING, "a differential diagnosis"), (FINDING, "a differential diagnosis")],
        Role::Broader | Role::Related => [(ANY, ""), (ANY, "")],
    }
}

/// Whether a kind can own a role, or play it.
pub(super) fn misfit(triple: &NamedTriple) -> Option<InvalidTriple> {
    let ends = [triple.owner(), triple.player()];
    let refused = |(entity, cannot_be)| {
        let entity: &crate::graph::NamedEntity = entity;
        InvalidTriple::Misfit { name: entity.name.clone(), kind: entity.kind.replace('_', " "), cannot_be }
    };
    for (end, (kinds, cannot_be)) in ends.into_iter().zip(allowed(triple.relation.role)) {
        if bit(&end.kind()) & kinds == 0 {
            return Some(refused((end, cannot_be)));
        }
    }
    // A kind of finding is a finding, and a kind of remedy a remedy.
    let [owner, player] = ends.map(|end| bit(&end.kind()));
    let apart = |one: Kinds, other: Kinds| owner & one != 0 && owner & other == 0 && player & other != 0 && player & one == 0;
    let groups = [FINDING, REMEDY | TEST];
    let crossed = apart(groups[0], groups[1]) || apart(groups[1], groups[0]);
    (triple.relation.role == Role::Broader && crossed).then(|| refused((ends[0], "a kind of that")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{NamedEntity, NamedRelation, starter_graph};

    #[test]
    fn every_triple_of_the_starter_graph_fits() {
        let graph = starter_graph().expect("sound");
        let mut misfits = Vec::new();
        for triple in graph.triples() {
            let named = |id| NamedEntity::new(graph.entity_name(id), graph.kind(id));
            let triple = NamedTriple::new(named(triple.head), graph.relation(triple.relation).into(), named(triple.tail));
            misfits.extend(misfit(&triple).map(|unfit| format!("{}: {unfit}", triple.text())));
        }
        assert!(misfits.is_empty(), "{misfits:#?}");
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_end_that_does_not_fit() {
        let refused = |head: Kind, role, tail: Kind| {
            let relation = NamedRelation { name: "r".into(), player: crate::graph::Player::Tail, role };
            let triple = NamedTriple::new(NamedEntity::new("a", &head), relation, NamedEntity::new("b", &tail));
            misfit(&triple).map(|unfit| unfit.to_string())
        };
        assert_eq!(
            refused(Kind::Disease, Role::Symptom, Kind::Test).as_deref(),
            Some("b is a test, which cannot be a symptom of something")
        );
        assert!(refused(Kind::Drug, Role::Test, Kind::Test).is_some_and(|why| why.starts_with("a is a drug")));
        assert!(refused(Kind::Drug, Role::Broader, Kind::Disease).is_some());
        assert!(refused(Kind::Disease, Role::Treatment, Kind::Symptom).is_some());
        assert_eq!(refused(Kind::Drug, Role::Broader, Kind::DrugClass), None);
        assert_eq!(refused(Kind::Other("gene".into()), Role::Symptom, Kind::default()), None);
        assert_eq!(refused(Kind::Disease, Role::Treatment, Kind::Test), None, "procedures are called either");
    }
}
