//! Whether the case says that the condition under which a statement holds (`when`) does not: "bleeding on warfarin" of a patient who takes
//! something else, "severe anaemia" where the haemoglobin is normal. What the case does not tell is left to the reader.

use super::PlanInput;
use crate::graph::{EntityId, EvolvingGraph, Kind, Role, classes_of};
use crate::run::{ConditionStatus, DrugStatus};
use crate::text::{Token, fold, tokenise};

/// Words behind which a drug is named that the patient takes …
const TAKES: [&str; 2] = ["on", "taking"];
/// … unless one of these stands before them, or anywhere in a condition that is no plain one.
const TURNS: [&str; 13] =
    ["no", "not", "without", "unless", "never", "excluded", "despite", "after", "before", "instead", "already", "while", "if"];
/// The trimesters, in order.
const TRIMESTERS: [&str; 3] = ["first", "second", "third"];
/// Words that deny what follows: "no ulcer or kidney disease", "not in pregnancy".
const DENIES: [&[&str]; 3] = [&["no"], &["not", "in"], &["not", "with"]];
/// Words before such a denial that leave it what it is.
const LEADS: [&str; 5] = ["if", "and", "there", "is", "was"];
/// Words that join what is denied, and those that say nothing of what it is.
const JOINS: [&str; 2] = ["or", "and"];
const IDLE: [&str; 6] = ["a", "an", "the", "earlier", "known", "previous"];
/// An anaemia with more haemoglobin than this (g/L) is not severe.
const SEVERE_ANAEMIA: f64 = 80.0;
/// Words before the most that a value may be.
const AT_MOST: [&str; 2] = ["under", "below"];
/// A value that is more times as high as a limit is in another unit: 20000 platelets a microlitre, where the limit is 50.
const SAME_UNIT: f64 = 20.0;

/// Whether the case speaks against the condition of a statement.
pub(super) fn is_unmet(input: &PlanInput<'_>, when: &str) -> bool {
    let clauses: Vec<Vec<Token>> = when.split([',', ';']).map(tokenise).collect();
    if clauses.iter().any(|clause| is_barred_by_trimester(input, clause)) || when.split(';').any(|part| denies_what_is_there(input, part)) {
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

/// Whether a part denies something that the patient has: "no ulcer, kidney or heart disease" of somebody whose kidneys are ill.
fn denies_what_is_there(input: &PlanInput<'_>, part: &str) -> bool {
    let clauses: Vec<Vec<Token>> = part.split(',').map(tokenise).collect();
    let mut goes_on = false;
    for clause in &clauses {
        let words: Vec<&str> = clause.iter().map(|token| token.text.as_str()).collect();
        let denied = denied_from(&words);
        let Some(from) = denied.or_else(|| goes_on.then_some(0)) else { continue };
        goes_on = false;
        let rest: Vec<&[Token]> = clause
            .get(from..)
            .unwrap_or_default()
            .split(|token| JOINS.contains(&token.text.as_str()))
            .filter(|item| !item.is_empty())
            .collect();
        let head = rest.last().and_then(|item| item.last()).cloned();
        for item in rest {
            let idle = item.iter().take_while(|token| IDLE.contains(&token.text.as_str())).count();
            let item = item.get(idle..).unwrap_or_default();
            // The "kidney" of "kidney or heart disease" is a kidney disease.
            let mut with_head = item.to_vec();
            with_head.extend(head.clone());
            // "No severe penicillin allergy" of somebody who had an anaphylaxis; after a rash, it may be given.
            let severe = || item.split_first().filter(|(first, _)| first.text == "severe").and_then(|(_, rest)| whole_name(input, rest));
            let is_severe = |allergies: &Vec<EntityId>| allergies.iter().any(|allergy| input.severe_allergies.contains(allergy));
            if severe().is_some_and(|allergies| is_severe(&allergies)) {
                return true;
            }
            let mut denied = whole_name(input, item).or_else(|| whole_name(input, &with_head)).into_iter().flatten().peekable();
            // Words that name nothing end what is denied: they may say anything.
            goes_on = denied.peek().is_some();
            if denied.any(|denied| is_there(input, denied)) {
                return true;
            }
            if !goes_on {
                break;
            }
        }
    }
    false
}

/// Behind which word a clause denies what follows.
fn denied_from(words: &[&str]) -> Option<usize> {
    (0..words.len()).find_map(|at| {
        let denies = DENIES.iter().find(|denies| words.get(at..).is_some_and(|rest| rest.starts_with(denies)))?;
        let leads = at.checked_sub(1).and_then(|before| words.get(before)).is_none_or(|before| LEADS.contains(before));
        leads.then_some(at + denies.len())
    })
}

/// The entities that words name as a whole.
fn whole_name(input: &PlanInput<'_>, words: &[Token]) -> Option<Vec<EntityId>> {
    let hit = input.knowledge.graph.names().longest_at(words, 0).filter(|hit| hit.last == words.len());
    hit.map(|hit| hit.entities.into_iter().map(|(entity, _)| entity).collect())
}

/// Whether the patient has something, is in that state, or takes a drug of that class; or has a kind of it. Of single drugs the safety pass
/// speaks, and "no aspirin" may be advice.
fn is_there(input: &PlanInput<'_>, denied: EntityId) -> bool {
    let graph = &input.knowledge.graph;
    if *graph.kind(denied) == Kind::Drug {
        return false;
    }
    let known = input.case.conditions.iter().filter(|condition| condition.status == ConditionStatus::Known);
    let known = known.filter_map(|condition| input.entity(condition.entity.as_deref()?));
    let mut there = known.chain(input.evidence.states.iter().copied()).chain(input.findings()).chain(drugs_in_use(input));
    there.any(|there| there == denied || classes_of(graph, there).contains(&denied))
}

/// Whether a statement is for those who take a drug that is none of the patient's, whatever else it says.
pub(super) fn is_for_taking_another(input: &PlanInput<'_>, when: &str) -> bool {
    when.split([',', ';']).map(tokenise).any(|clause| takes_another(input, &clause))
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
    drugs.any(|named| is_drug(graph, named) && !in_use.iter().any(|taken| is_same(graph, *taken, named)))
}

/// Words behind a drug by which a condition tells of its overdose.
const SWALLOWED: [&str; 4] = ["swallowed", "taken", "overdose", "poisoning"];

/// Whether a statement about a condition holds for what other drugs did ("apixaban or rivaroxaban"), where a drug of the patient is stated to
/// cause the condition. What is not plainly said of other drugs alone is left to the reader.
pub(super) fn is_for_another_drug(input: &PlanInput<'_>, condition: EntityId, when: &str) -> bool {
    let (graph, facts) = (&input.knowledge.graph, input.knowledge.facts());
    let had = drugs_of(input, DrugStatus::was_given);
    let causes = |drug: EntityId| facts.states(condition, drug, |role| role == Role::Cause);
    if !had.iter().any(|drug| std::iter::once(*drug).chain(classes_of(graph, *drug)).any(causes)) {
        return false;
    }
    let bare = without_brackets(when);
    // A semicolon joins alternatives.
    let mut clauses = bare.split(',').map(tokenise);
    let Some(first) = clauses.next().filter(|_| !bare.contains(';')) else { return false };
    let names_more = |clause: Vec<Token>| {
        (0..clause.len()).any(|at| {
            let word = clause.get(at).map_or("", |token| token.text.as_str());
            word == "or" || entities_at(input, &clause, at).into_iter().any(|entity| is_drug(graph, entity))
        })
    };
    let Some(named) = drugs_alone(input, &first).filter(|_| !clauses.any(names_more)) else { return false };
    !named.iter().any(|drug| had.iter().any(|taken| is_same(graph, *taken, *drug)))
}

/// The drugs that a clause names, if it names nothing else: "warfarin or apixaban", "apixaban swallowed within two hours".
fn drugs_alone(input: &PlanInput<'_>, clause: &[Token]) -> Option<Vec<EntityId>> {
    let graph = &input.knowledge.graph;
    let mut drugs: Vec<EntityId> = Vec::new();
    let mut at = 0;
    loop {
        let hit = graph.names().longest_at(clause, at)?;
        let before = drugs.len();
        drugs.extend(hit.entities.iter().map(|(entity, _)| *entity).filter(|entity| is_drug(graph, *entity)));
        if drugs.len() == before {
            return None;
        }
        at = hit.last + 1;
        match clause.get(hit.last).map(|token| token.text.as_str()) {
            Some("or") => {}
            None => return Some(drugs),
            Some(word) => return SWALLOWED.contains(&word).then_some(drugs),
        }
    }
}

fn is_drug(graph: &EvolvingGraph, entity: EntityId) -> bool {
    matches!(graph.kind(entity), Kind::Drug | Kind::DrugClass)
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
    let drugs: Vec<EntityId> = named.into_iter().filter(|named| is_drug(graph, *named)).collect();
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
    drugs_of(input, DrugStatus::is_in_use)
}

fn drugs_of(input: &PlanInput<'_>, is_meant: impl Fn(DrugStatus) -> bool) -> Vec<EntityId> {
    let meant = input.case.drugs.iter().filter(|drug| is_meant(drug.status));
    meant.filter_map(|drug| input.entity(drug.entity.as_deref()?)).collect()
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
    fn what_is_denied_begins_behind_the_denial() {
        let from = |clause: &str| denied_from(&clause.split(' ').collect::<Vec<_>>());
        assert_eq!([from("no ulcer or kidney disease"), from("if no asthma"), from("not in pregnancy")], [Some(1), Some(2), Some(2)]);
        assert_eq!(from("if not allergic and no active bleeding"), Some(5));
        assert_eq!([from("with or without no ulcer"), from("not severe"), from("for pain")], [None, None, None]);
    }

    #[test]
    fn a_value_in_another_unit_is_not_above_a_limit() {
        assert!(exceeds(124.0, 70.0) && exceeds(450.0, 50.0));
        assert!(!exceeds(64.0, 70.0));
        assert!(!exceeds(20_000.0, 50.0), "20000 platelets a microlitre are few");
    }
}
