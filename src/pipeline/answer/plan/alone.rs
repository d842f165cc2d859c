//! Findings that are urgent only with what the text on what to do names: a fever "after chemotherapy, or with a rash". Where the case tells nothing of
//! it, the alarm does not say it.

use crate::graph::{EntityId, qualifier_keys as keys};
use crate::language::knowledge::Knowledge;
use crate::run::{Case, ConditionStatus};
use crate::text::{Token, tokenise};

/// A shorter word of a name names nothing by itself.
const NAMING: usize = 4;
/// Words for a degree, which a value may reach though nothing else is told.
const DEGREES: [&str; 4] = ["high", "over", "below", "times"];

/// Words for an age at which little is dangerous, in what to do; and for somebody who may be of it.
const OF_YOUNG: [&str; 4] = ["newborn", "newborns", "infant", "infants"];
const BABIES: [&str; 9] = ["baby", "babys", "infant", "infants", "newborn", "neonate", "bub", "bubba", "婴"];
/// Up to which age, in months.
const YOUNG: u16 = 3;

/// Whether a finding is urgent only with what its action names (attribute `alone`).
pub(super) fn is_routine_alone(knowledge: &Knowledge, finding: EntityId) -> bool {
    knowledge.graph.attributes(finding).get(keys::ALONE) == Some("routine")
}

/// Whether what to do about a finding names another one that is told: "fever: … rash …", with a rash.
pub(super) fn names_one(knowledge: &Knowledge, finding: EntityId, told: &[EntityId]) -> bool {
    let action = action_of(knowledge, finding);
    let others = told.iter().filter(|other| **other != finding);
    others.into_iter().any(|other| names(&action, knowledge.graph.entity_name(*other)))
}

/// Whether what to do about a finding may hold for the case: unless it is only about what the case does not tell. Where it is about the youngest and no
/// age is told, whoever asks may have such a baby.
pub(super) fn applies(knowledge: &Knowledge, case: &Case, finding: EntityId, told: &[EntityId]) -> bool {
    let action = action_of(knowledge, finding);
    let is_of_degree = action.iter().any(|said| DEGREES.contains(&said.text.as_str()));
    let conditions = case.conditions.iter().filter(|condition| condition.status != ConditionStatus::Excluded);
    let mut held =
        conditions.filter_map(|condition| condition.entity.as_deref()).chain(case.drugs.iter().filter_map(|drug| drug.entity.as_deref()));
    let is_of_young = action.iter().any(|said| OF_YOUNG.contains(&said.text.as_str()));
    let may_be_young = is_of_young && case.patient.age_months.is_none_or(|age| age.from < YOUNG);
    !is_routine_alone(knowledge, finding)
        || is_of_degree
        || may_be_young
        || names_one(knowledge, finding, told)
        || held.any(|name| names(&action, name))
}

/// Whether a baby is told of whose age is not: it may be of an age at which every fever is dangerous.
pub(super) fn is_baby_of_unknown_age(tokens: &[Token], case: &Case) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_baby = |at: usize| BABIES.contains(&word(at)) || (word(at) == "宝" && word(at + 1) == "宝");
    case.patient.age_months.is_none() && (0..tokens.len()).any(is_baby)
}

fn action_of(knowledge: &Knowledge, finding: EntityId) -> Vec<Token> {
    knowledge.graph.attributes(finding).get(keys::ACTION).map(tokenise).unwrap_or_default()
}

/// Whether a text names something by a word of its name.
fn names(action: &[Token], name: &str) -> bool {
    let is_named = |word: &Token| word.text.chars().count() >= NAMING && action.iter().any(|said| said.text == word.text);
    tokenise(name).iter().any(is_named)
}
