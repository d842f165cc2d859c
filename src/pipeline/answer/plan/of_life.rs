//! Questions about life with a complaint that is over: "how soon can I drive after a seizure?" Nobody calls an ambulance for that.

use crate::graph::{EntityId, EvolvingGraph};
use crate::language::knowledge::named;
use crate::pipeline::understand::topics::{OF_LIFE, asked_of_topics};
use crate::run::{Case, FindingStatus};
use crate::text::Token;

/// Words that tell that it happens now, or has just happened.
const NOW: [&str; 22] = [
    "now",
    "today",
    "tonight",
    "just",
    "still",
    "again",
    "currently",
    "hour",
    "hours",
    "minutes",
    "minute",
    "morning",
    "yesterday",
    "keeps",
    "having",
    "worse",
    "刚",
    "今",
    "现",
    "昨",
    "又",
    "正",
];

/// Words that tell that something is over.
const OVER: [&str; 22] = [
    "ago",
    "last",
    "since",
    "years",
    "year",
    "months",
    "month",
    "weeks",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "前",
    "年",
    "月",
];
/// The length of a year: "in 2005".
const YEAR: usize = 4;
/// The fewest words of a clause that tells of something.
const TELLING: usize = 3;

/// Whether beside the clause that asks another one tells of something that is not said to be over: "…, he's fitting on the floor".
fn tells_more(tokens: &[Token]) -> bool {
    let mut first = 0;
    let mut telling = 0;
    for end in 1..=tokens.len() {
        if tokens.get(end).is_none_or(|token| token.after_break) {
            let clause = tokens.get(first..end).unwrap_or_default();
            let is_year = |text: &str| text.len() == YEAR && (text.starts_with("19") || text.starts_with("20"));
            let is_over = clause.iter().any(|token| OVER.contains(&token.text.as_str()) || is_year(&token.text));
            telling += usize::from(clause.len() >= TELLING && !is_over);
            first = end;
        }
    }
    telling > 1
}

/// Whether nothing is told but complaints of which it is asked how to live with them, and nothing says that they are there now.
pub(super) fn is_asked_alone(graph: &EvolvingGraph, question: &str, tokens: &[Token], case: &Case) -> bool {
    let is_told = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
    let told = case.findings.iter().filter(|finding| is_told(finding.status));
    let told: Vec<EntityId> = told.filter_map(|finding| named(graph, finding.entity.as_deref()?, "")).collect();
    let is_now = tokens.iter().any(|token| NOW.contains(&token.text.as_str())) || tells_more(tokens);
    let is_abnormal = case.results.iter().any(|result| result.critical || result.finding.is_some());
    if told.is_empty() || is_now || is_abnormal || case.patient.is_pregnant_or_postpartum() {
        return false;
    }
    let asked = asked_of_topics(graph, question, case).told;
    let is_asked = |finding: &EntityId| asked.iter().any(|topic| topic.entity == *finding && OF_LIFE.contains(&topic.topic.as_str()));
    told.iter().all(is_asked)
}
