//! Whether the case says that the condition under which a statement holds (`when`) does not: "bleeding on warfarin" of a patient who takes
//! something else, "severe anaemia" where the haemoglobin is normal. What the case does not tell is left to the reader.

use super::PlanInput;
use crate::graph::{EntityId, EvolvingGraph, Kind, classes_of};
use crate::run::DrugStatus;
use crate::text::{Token, fold, tokenise};

/// Words behind which a drug is named that the patient takes …
const TAKES: [&str; 2] = ["on", "taking"];
/// … unless one of these stands before them, or anywhere in a condition that is no plain one.
const TURNS: [&str; 13] =
    ["no", "not", "without", "unless", "never", "excluded", "despite", "after", "before", "instead", "already", "while", "if"];
/// The trimesters, in order.
const TRIMESTERS: [&str; 3] = ["first", "second", "third"];
/// An anaemia with more haemoglobin than this (g/L) is not severe.
const SEVERE_ANAEMIA: f64 = 80.0;
/// Words before the most that a value may be.
const AT_MOST: [&str; 2] = ["under", "below"];
/// A value that is more times as high as a limit is in another unit: 20000 platelets a microlitre, where the limit is 50.
const SAME_UNIT: f64 = 20.0;

/// Whether the case speaks against the condition of a statement.
pub(super) fn is_unmet(input: &PlanInput<'_>, when: &str) -> bool {
    let clauses: Vec<Vec<Token>> = when.split([',', ';']).map(tokenise).collect();
    if clauses.iter().any(|clause| is_barred_by_trimester(input, clause)) {
        return true;
    }
    // Of alternatives, another may hold, unless all are drugs and the patient takes none of them.
    if clauses.iter().flatten().any(|token| token.text == "or") {
        // What stands in brackets is said besides: "on warfarin (with vitamin K) or a factor Xa inhibitor".
        let bare = without_brackets(when);
        let is_plain = |clause: &[Token]| !clause.iter().any(|token| TURNS.contains(&token.text.as_str()));
        return bare.split([',', ';']).map(tokenise).any(|clause| is_plain(&clause) && takes_none_of(input, &clause));
    }
    let is_plain = |clause: &&Vec<Token>| !clause.iter().any(|token| TURNS.contains(&token.text.as_str()));
    let is_alone = clauses.len() == 1;
    clauses
        .iter()
        .filter(is_plain)
        .any(|clause| takes_another(input, clause) || is_above(input, clause) || (is_alone && names_absent(input, clause)))
}

/// Whether a clause rules out the trimester that the patient is in: "not in the first trimester or when planning pregnancy".
fn is_barred_by_trimester(input: &PlanInput<'_>, clause: &[Token]) -> bool {
    let pregnancy = input.case.patient.pregnancy.filter(|pregnancy| pregnancy.pregnant);
    let Some(trimester) = pregnancy.and_then(|pregnancy| pregnancy.trimester) else { return false };
    let words: Vec<&str> = clause.iter().map(|token| token.text.as_str()).collect();
    let barred = words.windows(5).find_map(|five| match five {
        ["not", "in", "the", nth, "trimester"] => TRIMESTERS.iter().position(|known| known == nth),
        _ => None,
    });
    barred.is_some_and(|barred| barred + 1 == usize::from(trimester))
}

/// Whether a clause asks for a drug in use that is none of the patient's.
fn takes_another(input: &PlanInput<'_>, clause: &[Token]) -> bool {
    let graph = &input.knowledge.graph;
    let in_use = drugs_in_use(input);
    // Of somebody whose drugs are not told nothing is known.
    if in_use.is_empty() {
        return false;
    }
    let named = clause.iter().enumerate().filter(|(_, token)| TAKES.contains(&token.text.as_str()));
    let mut drugs = named.flat_map(|(at, _)| entities_at(input, clause, at + 1));
    drugs.any(|named| {
        let is_drug = matches!(graph.kind(named), Kind::Drug | Kind::DrugClass);
        is_drug && !in_use.iter().any(|taken| is_same(graph, *taken, named))
    })
}

/// Whether a clause asks for one of several drugs in use ("bleeding on warfarin or a factor Xa inhibitor"), and the patient takes others.
fn takes_none_of(input: &PlanInput<'_>, clause: &[Token]) -> bool {
    let word = |at: usize| clause.get(at).map_or("", |token| token.text.as_str());
    let Some(on) = (0..clause.len()).find(|at| TAKES.contains(&word(*at))) else { return false };
    // What stands before is common to all of them; an alternative there is another condition.
    if (0..on).any(|at| word(at) == "or") {
        return false;
    }
    let rest = clause.get(on + 1..).unwrap_or_default();
    let alternatives: Vec<&[Token]> = rest.split(|token| token.text == "or").collect();
    alternatives.len() > 1 && alternatives.iter().all(|drugs| takes_no(input, drugs))
}

/// A text without what stands in its brackets.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut keep = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    };
    text.chars().filter(|c| keep(*c)).collect()
}

/// Words by which a class of drugs is called after what it does.
const CLASS_WORDS: [&str; 4] = ["inhibitor", "blocker", "agonist", "antagonist"];

/// Whether words name nothing but a drug, drugs of the patient are told, and none is that one. A class without an entity of its own is
/// known by what the graph says of its members: a factor Xa inhibitor.
fn takes_no(input: &PlanInput<'_>, words: &[Token]) -> bool {
    let graph = &input.knowledge.graph;
    let begin = usize::from(words.first().is_some_and(|token| matches!(token.text.as_str(), "a" | "an" | "on" | "taking" | "the")));
    let Some(words) = words.get(begin..).filter(|words| !words.is_empty()) else { return false };
    let in_use = drugs_in_use(input);
    if in_use.is_empty() {
        return false;
    }
    let hit = graph.names().longest_at(words, 0).filter(|hit| hit.last == words.len());
    let named: Vec<EntityId> = hit.map(|hit| hit.entities.into_iter().map(|(entity, _)| entity).collect()).unwrap_or_default();
    let drugs: Vec<EntityId> = named.into_iter().filter(|named| matches!(graph.kind(*named), Kind::Drug | Kind::DrugClass)).collect();
    if !drugs.is_empty() {
        return !drugs.iter().any(|named| in_use.iter().any(|taken| is_same(graph, *taken, *named)));
    }
    let phrase: Vec<&str> = words.iter().map(|token| token.text.as_str()).collect();
    let is_class = phrase.len() > 1 && phrase.last().is_some_and(|last| CLASS_WORDS.contains(last));
    let phrase = phrase.join(" ");
    // A class of drugs that is only named ("an anticoagulant") may be of that kind.
    let may_be = |taken: &EntityId| *graph.kind(*taken) != Kind::Drug || graph.description(*taken).to_lowercase().contains(&phrase);
    is_class && !in_use.iter().any(may_be)
}

/// The drugs that the patient takes.
fn drugs_in_use(input: &PlanInput<'_>) -> Vec<EntityId> {
    let in_use = input.case.drugs.iter().filter(|drug| matches!(drug.status, DrugStatus::Taken | DrugStatus::New));
    in_use.filter_map(|drug| input.entity(drug.entity.as_deref()?)).collect()
}

/// Whether one is the other, or a kind of it.
fn is_same(graph: &EvolvingGraph, a: EntityId, b: EntityId) -> bool {
    a == b || classes_of(graph, a).contains(&b) || classes_of(graph, b).contains(&a)
}

/// Whether a clause asks for a value that is at most so much, and a higher one was measured in a unit of that size: "haemoglobin under 70".
fn is_above(input: &PlanInput<'_>, clause: &[Token]) -> bool {
    let words: Vec<&str> = clause.iter().map(|token| token.text.as_str()).collect();
    let limit = words.windows(3).find_map(|three| match three {
        [test, word, limit] if AT_MOST.contains(word) => Some((*test, limit.parse::<f64>().ok()?)),
        _ => None,
    });
    let is_severe_anaemia = words.windows(2).any(|two| matches!(two, ["severe", "anaemia"]));
    let limit = limit.or_else(|| is_severe_anaemia.then_some(("haemoglobin", SEVERE_ANAEMIA)));
    limit.is_some_and(|(test, limit)| {
        let measured = input.case.results.iter().filter(|result| fold(&result.test) == test).filter_map(|result| result.value);
        measured.reduce(f64::min).is_some_and(|value| exceeds(value, limit))
    })
}

/// Whether a value is above a limit, as far as both can be in one unit.
fn exceeds(value: f64, limit: f64) -> bool {
    value > limit && value <= SAME_UNIT * limit
}

/// Whether a clause names what the case says is not there.
fn names_absent(input: &PlanInput<'_>, clause: &[Token]) -> bool {
    (0..clause.len()).any(|at| entities_at(input, clause, at).iter().any(|entity| input.evidence.absent.contains(entity)))
}

fn entities_at(input: &PlanInput<'_>, clause: &[Token], at: usize) -> Vec<EntityId> {
    let hit = input.knowledge.graph.names().longest_at(clause, at);
    hit.map(|hit| hit.entities.into_iter().map(|(entity, _)| entity).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_in_another_unit_is_not_above_a_limit() {
        assert!(exceeds(124.0, 70.0) && exceeds(450.0, 50.0));
        assert!(!exceeds(64.0, 70.0));
        assert!(!exceeds(20_000.0, 50.0), "20000 platelets a microlitre are few");
    }
}
