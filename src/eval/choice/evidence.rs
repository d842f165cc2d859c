//! The option that the evidence of a run supports most.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::eval::dataset::{AnswerOption, EvalQuestion};
use crate::eval::score::Scoring;
use crate::graph::EntityId;
use crate::language::Knowledge;
use crate::model::{ModelError, dot};
use crate::run::{AnchorOrigin, Trace};
use crate::text::{fold, tokenise};

/// Words by which a question asks for the option that does not fit, folded.
const EXCEPTIONS: [&str; 12] = [
    "except",
    "incorrect",
    "false",
    "the least",
    "is not",
    "are not",
    "not true",
    "not a",
    "not an",
    "not associated",
    "not seen",
    "cannot",
];
/// The same in Chinese, where words have no ends.
const EXCEPTIONS_ZH: [&str; 12] =
    ["除外", "不正确", "错误", "不包括", "不属于", "不是", "不符合", "不宜", "不应", "不可能", "无关", "不恰当"];

/// What speaks for an option.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Support {
    /// 1 / place of its first entity among those that the answer states; 0 if none is.
    stated: f64,
    /// Σ 1 / rank of the kept chains that connect its entities with what the question names.
    connected: f64,
    /// The mean of its cosine with the question and of the highest with a kept chain.
    near: f64,
}

impl Support {
    fn order(&self, other: &Self) -> Ordering {
        let by = |part: fn(&Self) -> f64| part(self).total_cmp(&part(other));
        by(|s| s.stated).then(by(|s| s.connected)).then(by(|s| s.near))
    }
}

/// The options that evidence speaks for, where several may be right: those that the answer states or a kept chain connects with the question; for a question
/// for those that do not fit, the others. Where that tells none apart, the one with the most support.
pub(super) fn all(question: &EvalQuestion, trace: &Trace, tools: &Scoring) -> Result<Vec<usize>, ModelError> {
    let wants_least = asks_for_exception(&question.question);
    let supports = supports(question, trace, tools)?;
    let is_wanted = |support: &Support| (support.stated > 0.0 || support.connected > 0.0) != wants_least;
    let found: Vec<usize> = supports.iter().enumerate().filter(|(_, support)| is_wanted(support)).map(|(place, _)| place).collect();
    if found.is_empty() || found.len() == supports.len() {
        return Ok(best(question, trace, tools)?.into_iter().collect());
    }
    Ok(found)
}

/// The option with the most support: first what the answer states, then what kept chains connect with the question, then nearness. A question for the option that
/// does not fit gets the one with the least. Of equals the first; `None` without options.
pub(super) fn best(question: &EvalQuestion, trace: &Trace, tools: &Scoring) -> Result<Option<usize>, ModelError> {
    let wants_least = asks_for_exception(&question.question);
    let mut best: Option<(usize, Support)> = None;
    for (place, support) in supports(question, trace, tools)?.into_iter().enumerate() {
        let wanted = if wants_least { Ordering::Less } else { Ordering::Greater };
        if best.is_none_or(|(_, known)| support.order(&known) == wanted) {
            best = Some((place, support));
        }
    }
    Ok(best.map(|(place, _)| place))
}

fn asks_for_exception(question: &str) -> bool {
    let folded = format!(" {} ", fold(question));
    EXCEPTIONS.iter().any(|cue| folded.contains(&format!(" {cue} "))) || EXCEPTIONS_ZH.iter().any(|cue| folded.contains(cue))
}

fn supports(question: &EvalQuestion, trace: &Trace, tools: &Scoring) -> Result<Vec<Support>, ModelError> {
    let stem = fold(&question.question);
    let of_question =
        trace.anchors.iter().filter(|anchor| anchor.origin != AnchorOrigin::Hypothesis && stem.contains(&fold(&anchor.mention)));
    let of_question: BTreeSet<&str> = of_question.map(|anchor| anchor.entity.as_str()).collect();
    let kept: Vec<(u32, Vec<&str>, String)> = trace
        .kept()
        .map(|(id, _, chain)| {
            let names = chain.nodes().iter().map(|node| trace.table.entities[*node as usize].name.as_str()).collect();
            (id, names, trace.table.text(chain))
        })
        .collect();
    let nearness = nearness(question, &kept, tools)?;
    let support = |(option, near): (&AnswerOption, f64)| {
        let own = names_in(&option.text, &tools.knowledge);
        let place = trace.answer.entities.iter().position(|entity| own.contains(entity.as_str()));
        let connects = |names: &[&str]| {
            names.iter().any(|name| own.contains(*name)) && names.iter().any(|name| of_question.contains(name) && !own.contains(*name))
        };
        Support {
            stated: place.map_or(0.0, |place| 1.0 / (place + 1) as f64),
            connected: kept.iter().filter(|(_, names, _)| connects(names)).map(|(id, ..)| 1.0 / f64::from(*id)).sum(),
            near,
        }
    };
    Ok(question.options.iter().zip(nearness).map(support).collect())
}

/// The preferred names of the entities that a text names: at each place the longest name.
fn names_in<'k>(text: &str, knowledge: &'k Knowledge) -> BTreeSet<&'k str> {
    let (tokens, names) = (tokenise(text), knowledge.graph.names());
    let mut found = BTreeSet::new();
    let mut first = 0;
    while first < tokens.len() {
        match names.longest_at(&tokens, first) {
            Some(hit) => {
                let entities = hit.entities.iter().map(|(entity, _): &(EntityId, bool)| *entity);
                found.extend(entities.map(|entity| knowledge.graph.entity_name(entity)));
                first = hit.last;
            }
            None => first += 1,
        }
    }
    found
}

fn nearness(question: &EvalQuestion, kept: &[(u32, Vec<&str>, String)], tools: &Scoring) -> Result<Vec<f64>, ModelError> {
    let options = question.options.len();
    let texts = question.options.iter().map(|option| option.text.clone());
    let texts = texts.chain([question.question.clone()]).chain(kept.iter().map(|(.., text)| text.clone())).collect();
    let rows = tools.encoder.encode(texts)?.normalised();
    let cosine = |option: usize, row: usize| f64::from(dot(rows.row(option), rows.row(row)));
    let near = |option: usize| {
        let chain = (options + 1..rows.rows()).map(|row| cosine(option, row)).fold(0.0, f64::max);
        f64::midpoint(cosine(option, options), chain)
    };
    Ok((0..options).map(near).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_the_exception_are_told() {
        for question in ["All are true EXCEPT:", "Which is not a sign of it?", "下列不属于其表现的是", "The least likely cause is"]
        {
            assert!(asks_for_exception(question), "{question}");
        }
        for question in ["Which is a sign of it?", "药物的不良反应是", "He did not improve. What now?", "At least one sign is"] {
            assert!(!asks_for_exception(question), "{question}");
        }
    }

    #[test]
    fn what_is_stated_comes_before_what_is_connected_and_that_before_what_is_near() {
        let support = |stated, connected, near| Support { stated, connected, near };
        assert_eq!(support(0.5, 0.0, 0.0).order(&support(0.1, 9.0, 1.0)), Ordering::Greater);
        assert_eq!(support(0.0, 0.5, 0.0).order(&support(0.0, 0.4, 1.0)), Ordering::Greater);
        assert_eq!(support(0.0, 0.0, 0.2).order(&support(0.0, 0.0, 0.3)), Ordering::Less);
    }
}
