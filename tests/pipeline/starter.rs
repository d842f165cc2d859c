//! Questions to the starter graph, how they are read, and what is said in a part of the answer.

use catena::run::{AnswerLine, AnswerPart, ConditionStatus, DrugStatus, FindingStatus, Trace, UrgencyLevel};

use crate::support::engine::ENGINE;
use crate::support::runs;

pub fn ask(question: &str) -> Trace {
    runs::ask(&ENGINE, question).trace
}

/// How urgent the answer to a question is.
pub fn level(question: &str) -> Option<UrgencyLevel> {
    ask(question).urgency.level
}

/// The entities that the lines of a part state, in order.
pub fn entities(trace: &Trace, part: AnswerPart) -> Vec<&str> {
    trace.answer.lines.iter().filter(|line| line.part == part).flat_map(AnswerLine::stated).collect()
}

/// The lines of a part, each ended by a line feed.
pub fn lines(trace: &Trace, part: AnswerPart) -> String {
    trace.answer.lines.iter().filter(|line| line.part == part).map(|line| format!("{}\n", line.text)).collect()
}

/// How a finding, a condition or a drug of the graph is read; `None` if it is not.
pub fn finding(trace: &Trace, name: &str) -> Option<FindingStatus> {
    trace.case.findings.iter().find(|finding| finding.entity.as_deref() == Some(name)).map(|finding| finding.status)
}

pub fn condition(trace: &Trace, name: &str) -> Option<ConditionStatus> {
    trace.case.conditions.iter().find(|condition| condition.entity.as_deref() == Some(name)).map(|condition| condition.status)
}

pub fn drug(trace: &Trace, name: &str) -> Option<DrugStatus> {
    trace.case.drugs.iter().find(|drug| drug.entity.as_deref() == Some(name)).map(|drug| drug.status)
}
