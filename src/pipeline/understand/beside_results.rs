//! What a result is besides what its test calls it: 41 °C is a dangerous heat as well as a fever, and a fever in the first three months of life
//! an emergency of its own.

use super::named::{Class, Named};
use super::patient::Age;
use crate::graph::EvolvingGraph;
use crate::language::lab::{Measured, postural_fall, unequal_arms};
use crate::run::ResultDirection;
use crate::text::Token;

/// From this temperature on, in degrees Celsius and Fahrenheit, a body is in danger from the heat itself.
const TOO_HOT: (f64, f64) = (41.0, 105.8);
const HEAT: &str = "High body temperature";
const FEVERS: [&str; 2] = ["Fever", "Febrile child without focus"];
const INFANT_FEVER: &str = "Febrile young infant";
/// What two pressures of different postures may say.
const POSTURAL: &str = "Fall in blood pressure on standing";
/// What two pressures of the two arms may say.
const ARMS: [&str; 2] = ["Unequal blood pressure in the arms", "Unequal pulses or blood pressure in the arms"];
/// An infant is young before so many months.
const YOUNG: u16 = 3;

/// The findings that results, and a fever that is named, are as well. Each stands where they stand, and is denied where they are.
pub(super) fn beside_results(
    graph: &EvolvingGraph,
    (text, tokens): (&str, &[Token]),
    results: &[Measured],
    (named, age): (&[Named], Option<Age>),
) -> Vec<Named> {
    let mut found = Vec::new();
    let mut add = |name: &str, span| found.extend(graph.find(name).map(|entity| Named { span, entity, class: Class::Finding }));
    let is_young = age.is_some_and(|age| age.to < YOUNG);
    for result in results.iter().filter(|result| result.is_of("temperature") && result.direction == ResultDirection::High) {
        let limit = if result.unit == Some("f") { TOO_HOT.1 } else { TOO_HOT.0 };
        if result.value.is_some_and(|value| value >= limit) {
            add(HEAT, result.span);
        }
        if is_young {
            add(INFANT_FEVER, result.span);
        }
    }
    let is_said = named.iter().any(|of| graph.entity_name(of.entity) == POSTURAL);
    if let Some(fall) = postural_fall(text, tokens).filter(|_| !is_said) {
        add(POSTURAL, fall);
    }
    let names_arms = named.iter().any(|of| ARMS.contains(&graph.entity_name(of.entity)));
    if let Some(arms) = unequal_arms(text, tokens).filter(|_| !names_arms) {
        add(ARMS[0], arms);
    }
    let is_fever = |of: &&Named| FEVERS.contains(&graph.entity_name(of.entity));
    named.iter().filter(is_fever).filter(|_| is_young).for_each(|fever| add(INFANT_FEVER, fever.span));
    found
}
