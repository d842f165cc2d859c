//! What a list says about a session, made from its file without building the run.

use std::collections::BTreeSet;
use std::io::BufRead;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::run::{Outcome, Stage};
use crate::text::sanitise_line;

/// Characters of a question that a list holds.
const MOST_CHARACTERS: usize = 1000;

/// What a list says about a session. Texts are fit to be shown on one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The run's id, by which the session is opened.
    pub id: String,
    /// The question; at most 1,000 characters of it.
    pub question: String,
    /// When it was asked, in milliseconds since 1970.
    pub asked_ms: u64,
    /// The graph's name.
    pub graph: String,
    /// The method's name.
    pub method: String,
    /// How the run ended; `None` when it did not, because the program ended before it.
    pub outcome: Option<Outcome>,
    /// How many anchors there were.
    pub anchors: u64,
    /// How many chains were found.
    pub chains: u64,
    /// How many were kept.
    pub kept: u64,
    /// How often it was carried on after the doctor's triage.
    pub revisions: u64,
}

/// A line of a recording, as far as a list needs it. What is large is skipped, not built.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    run: String,
    event: String,
    question: String,
    method: String,
    kg: Named,
    anchor: Linked,
    found: u64,
    pruning: Kept,
    from: Option<Stage>,
    outcome: Option<Outcome>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Named {
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Linked {
    entity: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Kept {
    kept: Vec<IgnoredAny>,
}

impl Summary {
    /// Summarises a recording. `Err` says in plain words why that cannot be done.
    pub(super) fn of(mut from: impl BufRead, changed: SystemTime) -> Result<Self, String> {
        let mut summary: Option<Self> = None;
        let mut anchors = BTreeSet::new();
        let mut bytes = Vec::new();
        let mut number = 0;
        loop {
            number += 1;
            bytes.clear();
            let read = from.read_until(b'\n', &mut bytes).map_err(|error| format!("line {number} could not be read: {error}"))?;
            if read == 0 {
                break;
            }
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let line: Line = match serde_json::from_slice(&bytes) {
                Ok(line) => line,
                // The last line of a run that was interrupted.
                Err(_) if bytes.last() != Some(&b'\n') => break,
                Err(error) => return Err(format!("line {number} is not a Catena event: {error}")),
            };
            if line.event == "run_started" {
                summary = Some(Self::begun(&line, changed));
                anchors.clear();
                continue;
            }
            let Some(summary) = &mut summary else {
                return Err("this is no recording of a run: it does not begin with a `run_started` event".into());
            };
            match line.event.as_str() {
                "anchor_linked" => {
                    anchors.insert(line.anchor.entity);
                    summary.anchors = anchors.len() as u64;
                }
                "chains_progress" | "chains_found" => summary.chains = line.found,
                "chains_pruned" => summary.kept = line.pruning.kept.len() as u64,
                "revised" => {
                    summary.revisions += 1;
                    summary.outcome = None;
                    if line.from.is_some_and(|stage| stage <= Stage::Link) {
                        anchors.clear();
                        summary.anchors = 0;
                    }
                }
                "run_finished" => summary.outcome = line.outcome,
                _ => {}
            }
        }
        summary.ok_or_else(|| "the file is empty".into())
    }

    fn begun(line: &Line, changed: SystemTime) -> Self {
        let asked = time_of_id(&line.run).unwrap_or(changed);
        Self {
            id: line.run.clone(),
            question: sanitise_line(&line.question).chars().take(MOST_CHARACTERS).collect(),
            asked_ms: asked.duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)),
            graph: sanitise_line(&line.kg.name),
            method: sanitise_line(&line.method),
            outcome: None,
            anchors: 0,
            chains: 0,
            kept: 0,
            revisions: 0,
        }
    }

    /// When it was asked.
    pub fn asked(&self) -> SystemTime {
        UNIX_EPOCH.checked_add(Duration::from_millis(self.asked_ms)).unwrap_or(UNIX_EPOCH)
    }

    /// How it ended, in a word or two.
    pub fn outcome_word(&self) -> &'static str {
        match self.outcome {
            Some(Outcome::Answered) => "answered",
            Some(Outcome::NothingFound) => "nothing found",
            Some(Outcome::Cancelled) => "stopped",
            Some(Outcome::Failed { .. }) => "failed",
            None => "unfinished",
        }
    }
}

/// When a run began, as the ids that Catena gives tell it (`q`, the milliseconds since 1970 in hexadecimal digits, `-`, …). `None`
/// for any other id.
pub fn time_of_id(id: &str) -> Option<SystemTime> {
    let (digits, _) = id.strip_prefix('q')?.split_once('-')?;
    // From 2001 to 2527; anything else is no time, but an id that happens to look like one.
    (11..=12).contains(&digits.len()).then_some(())?;
    let ms = u64::from_str_radix(digits, 16).ok()?;
    UNIX_EPOCH.checked_add(Duration::from_millis(ms)).filter(|_| ms >= 1_000_000_000_000)
}
