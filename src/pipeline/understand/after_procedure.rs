//! What goes wrong after an operation, with a line, a drain or a device: the question names the procedure and one of its signs. What the graph knows of the
//! signs alone misleads there: a tight neck hours after an operation on the thyroid is no goitre.
//!
//! Procedures, signs and texts are in `assets/after-procedures.toml`.

use std::cmp::Reverse;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer};

use crate::language::negation::is_denying;
use crate::language::phrase_table::PhraseTable;
use crate::language::wordings::deserialize as wordings;
use crate::run::{Case, FindingStatus, Urgency, UrgencyLevel, UrgencyReason, UrgencyReasonKind};
use crate::text::{Token, clause_around};

/// The most procedures of which it is told.
const MOST: usize = 2;
/// How many words before a sign may deny it, and before or behind a procedure may say that it is still to come or long ago.
const DENIED_WITHIN: usize = 3;
const PLANNED_WITHIN: usize = 4;
const AGO_WITHIN: usize = 7;
/// … and around it, that it was done lately.
const LATELY_WITHIN: usize = 10;

/// Phrases, written in the file with choices: `neck (swelling|[very] tight)`.
#[derive(Debug, Default)]
struct Phrases(Option<PhraseTable<()>>);

impl<'de> Deserialize<'de> for Phrases {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let phrases = wordings(deserializer)?;
        Ok(Self((!phrases.is_empty()).then(|| PhraseTable::of_phrases(phrases))))
    }
}

impl Phrases {
    fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Where they stand: first token, and one past the last.
    fn all(&self, tokens: &[Token]) -> Vec<(usize, usize)> {
        let at = |first| self.0.as_ref()?.at(tokens, first).map(|found| (found.first, found.last));
        (0..tokens.len()).filter_map(at).collect()
    }

    fn any(&self, tokens: &[Token]) -> bool {
        self.0.as_ref().is_some_and(|table| (0..tokens.len()).any(|first| table.at(tokens, first).is_some()))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Before the name of a procedure: it was not done yet …
    planned: Phrases,
    /// … and behind it.
    planned_behind: Phrases,
    /// It was done long ago.
    ago: Phrases,
    /// It was done lately.
    recent: Phrases,
    procedure: Vec<Procedure>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Procedure {
    name: String,
    name_zh: String,
    words: Phrases,
    /// Whether it counts for ever: a stoma, a shunt, a transplant.
    #[serde(default)]
    lasting: bool,
    event: Vec<Event>,
}

/// What may go wrong.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Event {
    /// One of these is told …
    #[serde(default)]
    says: Phrases,
    #[serde(default)]
    found: Vec<String>,
    /// … and, unless both are empty, one of these.
    #[serde(default)]
    with: Phrases,
    #[serde(default)]
    with_found: Vec<String>,
    /// None of these is.
    #[serde(default)]
    unless: Phrases,
    level: UrgencyLevel,
    act: String,
    act_zh: String,
    text: String,
    text_zh: String,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/after-procedures.toml")).unwrap_or_default());

/// What went wrong after a procedure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AfterProcedure {
    procedure: &'static Procedure,
    event: &'static Event,
}

impl AfterProcedure {
    /// When: "after thyroid surgery".
    pub(crate) fn when(self, chinese: bool) -> &'static str {
        if chinese { &self.procedure.name_zh } else { &self.procedure.name }
    }

    pub(crate) fn level(self) -> UrgencyLevel {
        self.event.level
    }

    /// How urgent the case is, which the signs alone make `known`. What is expected after a procedure calms what is no emergency.
    pub(crate) fn urgency(self, case: &Case, known: Urgency, chinese: bool) -> Urgency {
        let is_critical = case.results.iter().any(|result| result.critical);
        let level = self.level();
        match known.level {
            Some(UrgencyLevel::Emergency) if level != UrgencyLevel::Emergency => known,
            Some(other) if is_critical && other > level => known,
            _ if level == UrgencyLevel::Routine => Urgency { level: Some(level), ..Urgency::default() },
            _ => {
                let because = vec![UrgencyReason { kind: UrgencyReasonKind::Words, ..UrgencyReason::default() }];
                let text = format!("{}{}", self.act(chinese), if chinese { "。" } else { "." });
                Urgency { level: Some(level), text: Some(text), because, ..Urgency::default() }
            }
        }
    }

    /// What to do first.
    pub(crate) fn act(self, chinese: bool) -> &'static str {
        if chinese { &self.event.act_zh } else { &self.event.act }
    }

    /// What else is to be known.
    pub(crate) fn text(self, chinese: bool) -> &'static str {
        if chinese { &self.event.text_zh } else { &self.event.text }
    }
}

/// What of a question went wrong after a procedure, what cannot wait first.
pub(crate) fn after_procedures(tokens: &[Token], case: &Case) -> Vec<AfterProcedure> {
    let done = FILE.procedure.iter().filter(|procedure| is_done(procedure, tokens));
    let told = done.filter_map(|procedure| {
        let event = procedure.event.iter().find(|event| is_event(event, procedure, tokens, case))?;
        Some(AfterProcedure { procedure, event })
    });
    let mut told: Vec<AfterProcedure> = told.collect();
    told.sort_by_key(|after| Reverse(after.level()));
    // Beside what cannot wait, nothing else is told; of what is said of all operations (the file's last), only where nothing is known of this one.
    let first = told.first().map(|after| after.level());
    told.retain(|after| Some(after.level()) == first);
    told.truncate(MOST);
    told
}

/// Where the words of a question stand that tell of them: first token, and one past the last.
pub(crate) fn told_at(tokens: &[Token], after: AfterProcedure) -> Vec<(usize, usize)> {
    [&after.procedure.words, &after.event.says, &after.event.with].into_iter().flat_map(|phrases| phrases.all(tokens)).collect()
}

fn is_done(procedure: &Procedure, tokens: &[Token]) -> bool {
    procedure.words.all(tokens).into_iter().any(|(first, last)| {
        let clause = clause_around(tokens, first);
        let before = first.saturating_sub(PLANNED_WITHIN).max(clause.start)..first;
        let behind = last..(last + PLANNED_WITHIN).min(clause.end.max(last));
        let is_planned = FILE.planned.all(tokens).iter().any(|said| before.start <= said.0 && said.1 <= before.end)
            || FILE.planned_behind.all(tokens).iter().any(|said| behind.start <= said.0 && said.1 <= behind.end);
        let near = first.saturating_sub(AGO_WITHIN).max(clause.start)..(last + AGO_WITHIN).min(clause.end.max(last));
        let is_long_ago = !procedure.lasting && FILE.ago.all(tokens).iter().any(|said| near.start <= said.0 && said.1 <= near.end);
        let around = first.saturating_sub(LATELY_WITHIN)..last + LATELY_WITHIN;
        let is_recent = procedure.lasting || FILE.recent.all(tokens).iter().any(|said| around.start <= said.0 && said.1 <= around.end);
        let is_denied = before.into_iter().any(|at| tokens.get(at).is_some_and(is_denying));
        is_recent && !(is_planned || is_long_ago || is_denied)
    })
}

fn is_event(event: &Event, procedure: &Procedure, tokens: &[Token], case: &Case) -> bool {
    let is_open = event.with.is_empty() && event.with_found.is_empty();
    (says(&event.says, procedure, tokens) || is_found(&event.found, case))
        && (is_open || says(&event.with, procedure, tokens) || is_found(&event.with_found, case))
        && !event.unless.any(tokens)
}

/// Whether one of the phrases is told, and not denied. What only names the procedure is no sign.
fn says(phrases: &Phrases, procedure: &Procedure, tokens: &[Token]) -> bool {
    let named = procedure.words.all(tokens);
    phrases.all(tokens).into_iter().any(|(first, last)| {
        let is_name = named.iter().any(|name| name.0 <= first && last <= name.1);
        let clause = clause_around(tokens, first);
        let before = first.saturating_sub(DENIED_WITHIN).max(clause.start)..first;
        let is_denied = before.into_iter().any(|at| tokens.get(at).is_some_and(is_denying));
        !is_name && !is_denied
    })
}

fn is_found(names: &[String], case: &Case) -> bool {
    let is_one = |name: Option<&str>| name.is_some_and(|name| names.iter().any(|one| one == name));
    let is_present = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
    case.findings.iter().any(|finding| is_present(finding.status) && is_one(finding.entity.as_deref()))
        || case.results.iter().any(|result| is_one(result.finding.as_deref()))
}

#[cfg(test)]
#[path = "after_procedure_tests.rs"]
mod tests;
