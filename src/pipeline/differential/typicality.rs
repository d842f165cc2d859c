//! Typicality: which conditions the findings are typical of.
//!
//! If a question names one complaint, dozens of conditions have it and fit equally well: earache goes with otitis and, at times, with
//! mononucleosis. The other features that those conditions share distinguish them: they are the finding's usual picture. A finding
//! is typical of a condition that shows more of this picture than chance would.

use super::assess::{Ranking, merged};
use crate::graph::{EntityId, Role};
use crate::language::knowledge::Knowledge;

/// The most conditions from which a finding's picture is made.
const TELLING: usize = 400;

/// How typical the findings are of each condition, from 0 to 1 for the most typical. `findings`: entities with
/// their linking scores. Conditions that show no more of the picture than chance are left out.
pub(crate) fn typical(knowledge: &Knowledge, findings: &[(EntityId, f64)], conditions: &[(EntityId, f64)]) -> Ranking {
    let picture = picture(knowledge, findings);
    if picture.is_empty() {
        return Ranking::new();
    }
    let shows = |condition: EntityId| {
        let features = features(knowledge, condition);
        let others: Vec<EntityId> = features.into_iter().filter(|feature| findings.iter().all(|(finding, _)| finding != feature)).collect();
        let beyond_chance = others.iter().map(|feature| {
            let along = picture.binary_search_by_key(feature, |(entity, _)| *entity).map_or(0.0, |at| picture[at].1);
            along - chance(knowledge, *feature)
        });
        // As a correlation, so that neither many features nor few are an advantage in themselves.
        beyond_chance.sum::<f64>() / (others.len().max(1) as f64).sqrt()
    };
    let mut typical: Ranking =
        conditions.iter().map(|(condition, _)| (*condition, shows(*condition))).filter(|(_, share)| *share > 0.0).collect();
    let most = typical.iter().map(|(_, share)| *share).fold(0.0, f64::max);
    for (_, share) in &mut typical {
        *share /= most;
    }
    typical
}

/// The picture of the findings: for each feature, the share of conditions with a finding that also have the feature, averaged over the findings.
/// By entity.
fn picture(knowledge: &Knowledge, findings: &[(EntityId, f64)]) -> Ranking {
    let mut along = Ranking::new();
    let mut weights = 0.0;
    for (finding, score) in findings {
        let owners = bearers(knowledge, *finding);
        if owners.is_empty() {
            continue;
        }
        weights += score;
        let step = owners.len().div_ceil(TELLING);
        let telling: Vec<EntityId> = owners.into_iter().step_by(step).collect();
        let share = score / telling.len() as f64;
        along.extend(telling.iter().flat_map(|condition| features(knowledge, *condition)).map(|feature| (feature, share)));
    }
    let mut along = merged(along, |a, b| a + b);
    for (_, share) in &mut along {
        *share /= weights;
    }
    along
}

/// The conditions that have a finding, each once.
fn bearers(knowledge: &Knowledge, finding: EntityId) -> Vec<EntityId> {
    let mut bearers: Vec<EntityId> =
        knowledge.facts().owners_of_role(finding, Role::Symptom).filter(|owner| knowledge.is_condition(*owner)).collect();
    bearers.sort_unstable();
    bearers.dedup();
    bearers
}

/// The findings that a condition has, each once.
fn features(knowledge: &Knowledge, condition: EntityId) -> Vec<EntityId> {
    let mut features: Vec<EntityId> = knowledge.facts().players_of_role(condition, Role::Symptom).collect();
    features.sort_unstable();
    features.dedup();
    features
}

/// The share of all conditions that have a finding, from its rarity.
fn chance(knowledge: &Knowledge, feature: EntityId) -> f64 {
    (1.0 / knowledge.rarity(feature).exp_m1().max(1e-9)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, RoleRules};
    use crate::model::EncoderHandle;
    use crate::model::infer::StaticEncoder;

    fn knowledge(rows: &[(&str, &[&str])]) -> Knowledge {
        let rules = RoleRules::built_in().expect("rules");
        let mut builder = GraphBuilder::new("t");
        let has_symptom = builder.relation(rules.guess("has_symptom")).expect("room");
        for (condition, symptoms) in rows {
            let condition = builder.entity(condition);
            for symptom in *symptoms {
                let symptom = builder.entity(symptom);
                builder.triple(condition, has_symptom, symptom);
            }
        }
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        Knowledge::prepare(builder.finish(), &encoder).expect("opens")
    }

    /// A worked example: of five conditions three have earache. Of those three two have deafness and two have discharge.
    #[test]
    fn a_finding_is_typical_of_the_conditions_that_have_what_goes_along_with_it() {
        let knowledge = knowledge(&[
            ("Otitis media", &["Earache", "Deafness", "Discharge"]),
            ("Otitis externa", &["Earache", "Deafness", "Discharge"]),
            ("Mononucleosis", &["Earache", "Fever", "Fatigue"]),
            ("Influenza", &["Fever", "Fatigue", "Cough"]),
            ("Hepatitis", &["Fever", "Fatigue", "Jaundice"]),
        ]);
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let all: Vec<(EntityId, f64)> = ["Otitis media", "Mononucleosis", "Influenza"].iter().map(|name| (find(name), 1.0)).collect();
        let of = |findings: &[(EntityId, f64)], condition: &str| {
            let found = typical(&knowledge, findings, &all);
            found.into_iter().find(|(entity, _)| *entity == find(condition)).map(|(_, share)| share)
        };
        let earache = [(find("Earache"), 1.0)];
        assert_eq!(of(&earache, "Otitis media"), Some(1.0));
        assert_eq!(of(&earache, "Mononucleosis"), None, "fever and fatigue go along with it no more often than by chance");
        assert_eq!(of(&[(find("Fever"), 1.0)], "Influenza"), Some(1.0));
        assert!(typical(&knowledge, &[(find("Otitis media"), 1.0)], &all).is_empty(), "no finding");
        assert!(typical(&knowledge, &earache, &[]).is_empty());
    }

    /// By hand: P(s | earache) is 2/3 for deafness and for discharge, and 1/3 for fever and for fatigue.
    #[test]
    fn the_picture_of_a_finding_is_what_the_conditions_with_it_share() {
        let knowledge = knowledge(&[
            ("Otitis media", &["Earache", "Deafness", "Discharge"]),
            ("Otitis externa", &["Earache", "Deafness", "Discharge"]),
            ("Mononucleosis", &["Earache", "Fever", "Fatigue"]),
        ]);
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let picture = picture(&knowledge, &[(find("Earache"), 0.8)]);
        let share = |name: &str| picture.iter().find(|(entity, _)| *entity == find(name)).map(|(_, share)| *share).expect("is there");
        for (name, expected) in [("Earache", 1.0), ("Deafness", 2.0 / 3.0), ("Fever", 1.0 / 3.0)] {
            assert!((share(name) - expected).abs() < 1e-12, "{name}: {}", share(name));
        }
    }
}
