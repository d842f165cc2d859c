//! Findings and conditions of a case: whether they are there, for how long, how severe, on which side.

use super::asks::Asked;
use super::case::Draft;
use super::denied_verbs::has_denial_within;
use super::done_by_drug::is_done_by_drug;
use super::layout::{Layout, Section};
use super::named::{Class, Named};
use super::scope::Scopes;
use super::times::{Time, is_acute_event, is_history_of, is_told_after, near, was_long_ago};
use crate::graph::EntityId;
use crate::language::knowledge::Knowledge;
use crate::language::lay::is_event;
use crate::language::recognise::Span;
use crate::pipeline::differential::evidence::{explains, is_accident, urgency_of};
use crate::run::{AskKind, ConditionStatus, FindingStatus, Severity, Side};
use crate::text::Token;

/// What tells that something of long ago is there now, or came again.
const NOW: [&str; 36] = [
    "just",
    "having",
    "ongoing",
    "last",
    "recently",
    "lately",
    "刚",
    "正",
    "now",
    "today",
    "tonight",
    "again",
    "another",
    "second",
    "third",
    "back",
    "this",
    "yesterday",
    "still",
    "since",
    "keeps",
    "keep",
    "recurred",
    "returned",
    "new",
    "more",
    "worse",
    "currently",
    "hour",
    "hours",
    "minutes",
    "days",
    "今",
    "又",
    "再",
    "现",
];
/// How far behind a finding a time may stand that says since when, in words.
const TIME_WITHIN: usize = 5;

/// Whether a finding is there. `is_name`: whether its words are a name as they stand: "rash that does not fade" is one, and denies nothing, but
/// "her tummy doesn't hurt" denies the pain.
pub(super) fn finding_status(scopes: &Scopes, layout: &Layout, span: Span, is_name: bool) -> FindingStatus {
    let (first, last) = (scopes.at(span.first), scopes.at(span.last.saturating_sub(1)));
    // "Has not had a fit": the name begins with the last word of what denies it.
    let begins_denied = scopes.denied.iter().any(|denied| denied.cue < span.first && span.first + 1 == denied.first);
    // "No noise when he breathes in": what is denied ends at "when", the name does not.
    let is_denied_whole =
        scopes.denied.iter().any(|denied| denied.cue < denied.first && denied.first == span.first && denied.last > span.first);
    if first.family {
        FindingStatus::FamilyHistory
    } else if is_denied_whole && first.absent
        || last.absent && (first.absent || begins_denied || !is_name)
        || first.absent && span.last == span.first + 1
    {
        FindingStatus::Absent
    } else if first.resolved || layout.section(span.first) == Section::Past {
        FindingStatus::Resolved
    } else if first.uncertain && is_doubted(layout, span) || first.risk || first.hardly {
        FindingStatus::Uncertain
    } else {
        FindingStatus::Present
    }
}

impl Draft<'_> {
    /// Whether a finding is there.
    pub(super) fn finding_status(&self, knowledge: &Knowledge, named: &Named) -> FindingStatus {
        let span = named.span;
        let is_name = self.is_name(knowledge, span) || self.says_denying_name(knowledge, named);
        match finding_status(&self.scopes, &self.layout, span, is_name) {
            FindingStatus::Absent if self.denies_itself(knowledge, span) => FindingStatus::Present,
            FindingStatus::Present if !is_name && has_denial_within(&self.tokens, span) => FindingStatus::Absent,
            // "Had a seizure ten years ago"; pain that began as long ago is there, and so is what came again.
            FindingStatus::Present if self.scopes.at(span.first).past && self.is_long_ago(span) && !self.tells_of_now() => {
                FindingStatus::Resolved
            }
            status => status,
        }
    }

    fn tells_of_now(&self) -> bool {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        // "Last year" is none of it.
        let is_long =
            |at: usize| word(at) == "last" && matches!(word(at + 1), "year" | "month" | "summer" | "winter" | "autumn" | "spring");
        (0..self.tokens.len()).any(|at| NOW.contains(&word(at)) && !is_long(at))
    }

    /// Whether a condition that is acute by nature is told to be over: "anaphylaxis 1998", "NSTEMI 14/12 ago", 过敏性休克史 (but not 高血压史), and "LDL 4.1 after
    /// MI". Chest pain after one may be another, and what is an emergency itself may come of it. Over is also what a drug has done, where another drug is asked for: "azathioprine caused pancreatitis, what
    /// instead?". `named`: all that the text names. `asks_for_another`: whether it asks for another drug.
    pub(super) fn is_over(&self, knowledge: &Knowledge, condition: &Named, named: &[Named], asks_for_another: bool) -> bool {
        let name = knowledge.graph.entity_name(condition.entity);
        // Pulmonary oedema after MI comes of it, too.
        let is_danger = |other: EntityId| other != condition.entity && urgency_of(knowledge, other) == Some("emergency");
        let comes_of_it = |other: &Named| match other.class {
            Class::Finding => explains(knowledge, condition.entity, other.entity),
            Class::Condition => is_danger(other.entity),
            _ => false,
        };
        let is_before = is_told_after(&self.tokens, condition.span.first, condition.span.last)
            && !is_accident(knowledge, condition.entity)
            && !is_event(name)
            && !named.iter().any(comes_of_it);
        let is_harm = asks_for_another && is_done_by_drug(&self.tokens, condition.span, named);
        let is_acute = urgency_of(knowledge, condition.entity) == Some("emergency") || is_acute_event(name);
        is_harm || is_acute && (is_before || is_history_of(&self.tokens, condition.span.last) || self.is_long_ago(condition.span))
    }

    /// Whether nobody is told to have a condition: it is a mere risk, or mere hearsay.
    pub(super) fn is_only_mentioned(&self, knowledge: &Knowledge, condition: &Named, named: &[Named], asks: &[Asked]) -> bool {
        self.is_mere_hearsay(knowledge, condition, named, asks) || self.is_mere_risk(condition, named, asks)
    }

    /// Whether a condition is named only as what may come, and nothing is asked of it: "refuses contrast because of AKI risk", "at risk of GI bleeding".
    /// Where it is all that is named, the question is about it.
    fn is_mere_risk(&self, condition: &Named, named: &[Named], asks: &[Asked]) -> bool {
        let span = condition.span;
        let marks = (self.scopes.at(span.first), self.scopes.at(span.last.saturating_sub(1)));
        let is_asked = |ask: &Asked| {
            matches!(ask.kind, AskKind::Prevention | AskKind::Causes | AskKind::Diagnosis | AskKind::Prognosis)
                && ask.of.contains(&condition.entity)
        };
        let is_else = |other: &Named| {
            let is_told = matches!(other.class, Class::Condition | Class::Finding) && !self.scopes.at(other.span.first).risk;
            other.entity != condition.entity && (is_told || other.class == Class::Drug)
        };
        (marks.0.risk || marks.1.risk)
            && says_risk(&self.tokens, span)
            && !asks.iter().any(is_asked)
            && named.iter().any(is_else)
            && !(self.layout.sentence(span.first).asks && asks.iter().any(|ask| ask.of.contains(&condition.entity)))
    }

    /// Whether a condition is only what somebody says who is no clinician, or what the internet says, beside complaints or results: these say what it may be,
    /// unless it is asked about, or an emergency.
    fn is_mere_hearsay(&self, knowledge: &Knowledge, condition: &Named, named: &[Named], asks: &[Asked]) -> bool {
        let is_asked = |ask: &Asked| ask.of.contains(&condition.entity);
        let is_told = |other: &Named| {
            let marks = self.scopes.at(other.span.first);
            other.class == Class::Finding && !marks.hearsay && !marks.absent && !marks.family
        };
        self.scopes.at(condition.span.first).hearsay
            && urgency_of(knowledge, condition.entity) != Some("emergency")
            && !asks.iter().any(is_asked)
            && (named.iter().any(is_told) || !self.results.is_empty())
    }

    /// Whether what words name is told to have happened long ago.
    pub(super) fn is_long_ago(&self, span: Span) -> bool {
        was_long_ago(self.text, &self.tokens, &self.times, (span.first, span.last))
    }
}

/// Whether the words beside a name call it a risk: "AKI risk", "at high risk of stroke", 卒中风险.
fn says_risk(tokens: &[Token], span: Span) -> bool {
    const OF_WITHIN: usize = 5;
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let breaks = |at: usize| tokens.get(at).is_none_or(|token| token.after_break);
    let is_behind =
        !breaks(span.last) && (matches!(word(span.last), "risk" | "risks") || word(span.last) == "风" && word(span.last + 1) == "险");
    let near = (span.first.saturating_sub(OF_WITHIN)..span.first).rev().take_while(|at| !breaks(at + 1));
    let is_before = near.into_iter().any(|at| matches!(word(at), "risk" | "risks") && matches!(word(at + 1), "of" | "for"));
    is_behind || is_before
}

/// Whether something is denied of the family.
pub(super) fn is_of_no_relative(scopes: &Scopes, span: Span) -> bool {
    let marks = scopes.at(span.first);
    marks.family && marks.absent
}

/// A symptom in an impression is no less there.
fn is_doubted(layout: &Layout, span: Span) -> bool {
    layout.section(span.first) != Section::Impression && !layout.sentence(span.first).asks
}

/// How a condition is in play; `None` where it is a relative's. `is_name`: as above; 睡不着 is one, and denies nothing.
pub(super) fn condition_status(scopes: &Scopes, layout: &Layout, span: Span, is_name: bool) -> Option<ConditionStatus> {
    let marks = scopes.at(span.first);
    // "Hep B neg"
    let absent = marks.absent || !is_name && scopes.at(span.last.saturating_sub(1)).absent;
    if marks.family {
        None
    } else if marks.opinion {
        Some(ConditionStatus::Suspected)
    } else if absent {
        Some(ConditionStatus::Excluded)
    } else if layout.section(span.first) == Section::Past || (marks.past && !marks.uncertain) || marks.resolved {
        Some(ConditionStatus::Past)
    } else if marks.uncertain || marks.risk || scopes.at(span.last.saturating_sub(1)).risk {
        Some(ConditionStatus::Suspected)
    } else {
        Some(ConditionStatus::Known)
    }
}

/// How long a finding has lasted, in days.
pub(super) fn days(tokens: &[Token], times: &[Time], layout: &Layout, span: Span, others: (usize, usize)) -> Option<f64> {
    let sentence = layout.sentence(span.first);
    near(tokens, times, (span.first, span.last), (others.0.max(sentence.first), others.1.min(sentence.last)), TIME_WITHIN)
}

/// How severe a finding is said to be, by the words beside it.
pub(super) fn severity(tokens: &[Token], layout: &Layout, span: Span) -> Option<Severity> {
    let of = |word: &str| match word {
        "mild" | "mildly" | "slight" | "slightly" | "minor" | "轻微" | "轻度" => Some(Severity::Mild),
        "moderate" | "moderately" | "中度" => Some(Severity::Moderate),
        "severe" | "severely" | "terrible" | "excruciating" | "worst" | "unbearable" | "intense" | "agonising" | "agonizing"
        | "crushing" | "tearing" | "cupful" | "cupfuls" | "mugful" | "mugfuls" | "bowlful" | "bowlfuls" | "bucketful" | "bucketfuls"
        | "大口" | "满杯" | "满碗" | "剧烈" | "严重" | "重度" | "剧痛" => Some(Severity::Severe),
        _ => None,
    };
    beside(tokens, layout, span, 2, 2, of)
}

/// On which side a finding is.
pub(super) fn side(tokens: &[Token], layout: &Layout, span: Span) -> Option<Side> {
    let of = |word: &str| match word {
        "left" | "l" | "lt" | "左" | "左侧" => Some(Side::Left),
        "right" | "r" | "rt" | "右" | "右侧" => Some(Side::Right),
        "bilateral" | "bilaterally" | "bilat" | "both" | "双侧" | "两侧" => Some(Side::Both),
        _ => None,
    };
    beside(tokens, layout, span, 3, 2, of)
}

/// What a word within a span, or at most so many words before or behind it in its clause, says.
fn beside<T>(tokens: &[Token], layout: &Layout, span: Span, before: usize, behind: usize, of: impl Fn(&str) -> Option<T>) -> Option<T> {
    let sentence = layout.sentence(span.first);
    let word = |at: usize| {
        let one = tokens.get(at)?;
        let two = tokens
            .get(at + 1)
            .filter(|next| one.cjk && next.cjk && !next.after_break)
            .and_then(|next| of(&[one.text.as_str(), &next.text].concat()));
        two.or_else(|| of(&one.text))
    };
    let begin = span.first.saturating_sub(before).max(sentence.first);
    let begin = (begin..span.first).rev().find(|at| tokens.get(at + 1).is_some_and(|token| token.after_break)).map_or(begin, |at| at + 1);
    let end = (span.last + behind).min(sentence.last);
    let end = (span.last..end).find(|at| tokens.get(*at).is_some_and(|token| token.after_break)).unwrap_or(end);
    (span.first..span.last).chain((begin..span.first).rev()).chain(span.last..end).find_map(word)
}
