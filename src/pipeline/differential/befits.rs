//! Whom a condition befalls, how it begins, and what it cannot be without, as the graph states it.
//!
//! A condition's name says some of this ([`Patient::fit`]), its attributes say the rest:
//!
//! - `ages`: from and to, in years, `0.4-6`, `48-` or `-2`: hardly anybody outside has it for the first time;
//! - `weeks`: the same of the weeks of a pregnancy;
//! - `sex`: `female` or `male`, where hardly anybody else has it;
//! - `onset`: `acute`, where nothing that has lasted for weeks is explained by it; `chronic`, where nothing that began yesterday is;
//! - `needs`: findings, separated by `|`, of which one must be told: without a fit it is no febrile seizure.
//!
//! All of it lowers a rank and rules nothing out: the question may be about two people, or leave out what matters.

use super::assess::{Ranking, ranked};
use super::evidence::{CaseEvidence, Standing, explains};
use crate::graph::{EntityId, Kind, classes_of, qualifier_keys as keys};
use crate::language::knowledge::{Knowledge, named};
use crate::pipeline::understand::patient::{Age, OTHER_SEX, Patient, Sex, YEAR};

/// What a condition keeps for a patient a little younger or older than its usual ages (by this share of the bound), and for others.
const NEARLY: f64 = 0.8;
const BESIDE: f64 = 0.2;
const OTHER_AGE: f64 = 0.3;
/// What is left of what only a pregnancy brings, where not even a woman is told of.
const NO_PREGNANCY: f64 = 0.05;
/// From this week on, a pregnancy is told where there is one.
const VISIBLE: f64 = 16.0;
/// What it keeps where the complaints have lasted too long for it, or not long enough.
const OTHER_ONSET: f64 = 0.45;
/// What is left of what comes of a birth, where none is told.
const NO_BIRTH: f64 = 0.5;
/// What it keeps if nothing is told of what it cannot be without.
const NEED_UNTOLD: f64 = 0.4;

/// What has lasted so many days has lasted for weeks, and what began so many days ago is new.
const WEEKS: f64 = 28.0;
const NEW: f64 = 2.0;

/// Ranks conditions again by how well they fit the patient. Conditions that the question names keep their score.
pub(super) fn fitting(
    knowledge: &Knowledge,
    mut conditions: Ranking,
    anchors: &[(EntityId, f64)],
    (patient, evidence): (&Patient, &CaseEvidence),
) -> Ranking {
    for (condition, score) in &mut conditions {
        if !anchors.iter().any(|(anchor, _)| anchor == condition) {
            let name = knowledge.graph.entity_name(*condition);
            // Who has given birth says so, in other words at least.
            let is_untold = patient.lacks_birth(name) && evidence.recognised != Some(*condition);
            let by_name = if is_untold { patient.fit(name).min(NO_BIRTH) } else { patient.fit(name) };
            *score *= by_name.min(befits(knowledge, *condition, patient, evidence));
        }
    }
    ranked(conditions)
}

/// Whether the condition whose picture is best befits the patient so far that its picture may put it first.
pub(super) fn befits_picture(knowledge: &Knowledge, pictures: &Ranking, patient: &Patient, evidence: &CaseEvidence) -> bool {
    pictures.first().is_none_or(|(condition, _)| befits(knowledge, *condition, patient, evidence) >= NEARLY)
}

/// How much of its rank a condition keeps in this case: 1 where it fits, where the graph does not say, or the case does not.
fn befits(knowledge: &Knowledge, condition: EntityId, patient: &Patient, evidence: &CaseEvidence) -> f64 {
    let attributes = knowledge.graph.attributes(condition);
    if attributes.is_empty() {
        return 1.0;
    }
    let of_age = match (patient.age, attributes.get(keys::AGES).and_then(years)) {
        (Some(age), Some(ages)) => of_age(age, ages),
        _ => 1.0,
    };
    let is_emergency = || attributes.get(keys::URGENCY) == Some("emergency");
    let of_week = match (evidence.week, attributes.get(keys::WEEKS).and_then(years)) {
        (Some(week), Some((from, to))) if !(from..=to).contains(&f64::from(week)) => OTHER_AGE,
        // A pregnancy that shows is told; nobody else is sent to hospital for it.
        (None, Some((from, _))) if from >= VISIBLE && patient.pregnant != Some(true) && is_emergency() => match patient.sex {
            Some(Sex::Female) => OTHER_AGE,
            _ => NO_PREGNANCY,
        },
        // Nor is what a pregnancy brings looked for first in who may be a man.
        (None, Some(_)) if patient.pregnant != Some(true) && patient.sex != Some(Sex::Female) && !is_emergency() => OTHER_AGE,
        _ => 1.0,
    };
    let of_sex = match (patient.sex, attributes.get(keys::SEX)) {
        (Some(Sex::Male), Some("female")) | (Some(Sex::Female), Some("male")) => OTHER_SEX,
        _ => 1.0,
    };
    let of_onset = attributes.get(keys::ONSET).map_or(1.0, |onset| of_onset(knowledge, condition, onset, evidence));
    let of_needs = if attributes.get(keys::NEEDS).is_some() && lacks_needs(knowledge, condition, evidence) { NEED_UNTOLD } else { 1.0 };
    of_age * of_week * of_sex * of_onset * of_needs
}

/// The years from and to which a condition befalls somebody; `None` if the text is no such range.
fn years(text: &str) -> Option<(f64, f64)> {
    let (from, to) = text.split_once('-')?;
    let bound = |text: &str, open: f64| match text.trim() {
        "" => Some(open),
        text => text.parse::<f64>().ok().filter(|years| years.is_finite() && *years >= 0.0),
    };
    let (from, to) = (bound(from, 0.0)?, bound(to, f64::INFINITY)?);
    (from < to).then_some((from, to))
}

fn of_age(age: Age, (from, to): (f64, f64)) -> f64 {
    let years = |months: u16| f64::from(months) / f64::from(YEAR);
    let (youngest, oldest) = (years(age.from), years(age.to));
    // Ages are told in full months or years: a baby of 23 weeks is one of five months.
    let is_in = |slack: f64| oldest + years(1) >= from * (1.0 - slack) && youngest <= to * (1.0 + slack);
    match () {
        () if is_in(0.0) => 1.0,
        () if is_in(BESIDE) => NEARLY,
        () => OTHER_AGE,
    }
}

fn of_onset(knowledge: &Knowledge, condition: EntityId, onset: &str, evidence: &CaseEvidence) -> f64 {
    let of_condition = evidence.began.iter().filter(|(finding, _)| explains(knowledge, condition, **finding)).map(|(_, days)| *days);
    let Some((least, most)) = of_condition
        .fold(None, |ends: Option<(f64, f64)>, days| Some(ends.map_or((days, days), |(least, most)| (least.min(days), most.max(days)))))
    else {
        return 1.0;
    };
    let is_other = match onset {
        "acute" => least >= WEEKS,
        "chronic" => most <= NEW,
        _ => false,
    };
    if is_other { OTHER_ONSET } else { 1.0 }
}

/// Whether nothing is told of what the condition cannot be without.
fn lacks_needs(knowledge: &Knowledge, condition: EntityId, evidence: &CaseEvidence) -> bool {
    let graph = &knowledge.graph;
    let needs: Vec<EntityId> = graph.attributes(condition).list(keys::NEEDS).filter_map(|name| named(graph, name, "")).collect();
    let is_need = |(entity, standing): (&EntityId, &Standing)| {
        let classes = || classes_of(graph, *entity);
        *standing != Standing::Nothing && (needs.contains(entity) || classes().iter().any(|class| needs.contains(class)))
    };
    // Its clear picture tells what it needs in other words, but no illness that it comes of: nobody has an acute chest syndrome without sickle cells.
    let is_of_illness = matches!(needs.as_slice(), [one] if matches!(graph.kind(*one), Kind::Disease));
    let is_told = evidence.standing.iter().any(is_need)
        || evidence.states.iter().any(|state| needs.contains(state))
        || evidence.recognised == Some(condition) && !is_of_illness;
    // Of a case in which nothing was understood, nothing is known to be missing.
    let is_read = evidence.standing.values().any(|standing| *standing == Standing::Finding);
    is_read && !is_told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;
    use crate::model::EncoderHandle;
    use crate::model::infer::StaticEncoder;

    #[test]
    fn ages_are_ranges_that_may_be_open() {
        assert_eq!(years("0.4-6"), Some((0.4, 6.0)));
        assert_eq!(years("48-"), Some((48.0, f64::INFINITY)));
        assert_eq!(years("-2"), Some((0.0, 2.0)));
        for text in ["", "6", "6-2", "a-b", "-inf", "NaN-3"] {
            assert_eq!(years(text), None, "{text}");
        }
        let age = |months: u16| Age { from: months, to: months };
        assert!((of_age(age(1), (0.4, 6.0)) - OTHER_AGE).abs() < f64::EPSILON, "five weeks");
        assert!((of_age(age(36), (0.4, 6.0)) - 1.0).abs() < f64::EPSILON);
        assert!((of_age(age(50 * 12), (48.0, f64::INFINITY)) - 1.0).abs() < f64::EPSILON);
        assert!((of_age(age(45 * 12), (48.0, f64::INFINITY)) - NEARLY).abs() < f64::EPSILON);
        assert!((of_age(Age { from: 192, to: 1440 }, (12.0, 52.0)) - 1.0).abs() < f64::EPSILON, "grown up: it may be");
    }

    #[test]
    fn a_condition_keeps_less_for_whom_it_does_not_befall() {
        let encoder = EncoderHandle::start("catena-static", StaticEncoder::built_in).expect("a thread");
        let knowledge = Knowledge::prepare(starter_graph().expect("sound"), &encoder).expect("opens");
        let find = |name: &str| knowledge.graph.base().find(name).expect("is there");
        let mut evidence = CaseEvidence::default();
        evidence.standing.insert(find("Daytime sleepiness"), Standing::Finding);
        let nobody = Patient::default();
        assert!(befits(&knowledge, find("Febrile seizure"), &nobody, &evidence) < 1.0, "no seizure is told");
        evidence.standing.insert(find("Seizure"), Standing::Finding);
        assert!((befits(&knowledge, find("Febrile seizure"), &nobody, &evidence) - 1.0).abs() < f64::EPSILON);
        let man = Patient { sex: Some(Sex::Male), ..Patient::default() };
        assert!(befits(&knowledge, find("Endometriosis"), &man, &evidence) <= OTHER_SEX);
        assert!((befits(&knowledge, find("Narcolepsy"), &nobody, &evidence) - 1.0).abs() < f64::EPSILON, "nothing says since when");
        evidence.began.insert(find("Daytime sleepiness"), 1.0);
        assert!(befits(&knowledge, find("Narcolepsy"), &nobody, &evidence) <= OTHER_ONSET);
    }

    #[test]
    fn what_the_starter_graph_states_of_whom_conditions_befall_can_be_read() {
        let graph = starter_graph().expect("sound");
        let mut stated = 0;
        for entity in graph.entity_ids() {
            let (attributes, name) = (graph.attributes(entity), graph.entity_name(entity));
            assert!(attributes.get(keys::LASTING).is_none_or(|lasting| lasting == "long_term"), "{name}");
            let is_any = [keys::AGES, keys::WEEKS, keys::SEX, keys::ONSET, keys::NEEDS].iter().any(|key| attributes.get(key).is_some());
            if !is_any {
                continue;
            }
            stated += 1;
            assert!(matches!(graph.kind(entity), Kind::Disease), "{name}");
            assert!(attributes.get(keys::AGES).is_none_or(|ages| years(ages).is_some()), "{name}");
            assert!(attributes.get(keys::WEEKS).is_none_or(|weeks| years(weeks).is_some()), "{name}");
            assert!(attributes.get(keys::SEX).is_none_or(|sex| matches!(sex, "female" | "male")), "{name}");
            assert!(attributes.get(keys::ONSET).is_none_or(|onset| matches!(onset, "acute" | "chronic")), "{name}");
            for need in attributes.list(keys::NEEDS) {
                assert!(graph.find(need).is_some(), "{name}: {need}");
            }
        }
        assert!(stated > 700, "{stated}");
    }
}
