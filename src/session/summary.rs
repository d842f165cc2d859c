//! A summary of a session for lists, read from its file without folding the run.

use std::collections::BTreeSet;
use std::io::BufRead;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::run::{Outcome, Stage};
use crate::text::sanitise_line;

/// The most characters of a question in a summary.
const MOST_CHARACTERS: usize = 1000;

/// What a list shows of a session. Each text fits on one line and is safe to print.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The id of the run, which opens the session.
    pub id: String,
    /// The first 1,000 characters of the question.
    pub question: String,
    /// When the question was asked, in milliseconds since 1970 (UTC).
    pub asked_ms: u64,
    /// The graph's name.
    pub graph: String,
    /// The method's name.
    pub method: String,
    /// How the run ended; `None` if the program ended first.
    pub outcome: Option<Outcome>,
    /// How many anchors there were.
    pub anchors: u64,
    /// How many chains were found.
    pub chains: u64,
    /// How many were kept.
    pub kept: u64,
    /// How often the doctor changed the evidence and the run was continued.
    pub revisions: u64,
}

/// The fields of a recorded event that a summary needs. Large fields are skipped, not built.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SummaryLine {
    run: String,
    event: String,
    question: String,
    method: String,
    kg: GraphName,
    anchor: AnchorName,
    found: u64,
    pruning: KeptChains,
    from: Option<Stage>,
    outcome: Option<Outcome>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct GraphName {
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AnchorName {
    entity: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct KeptChains {
    kept: Vec<IgnoredAny>,
}

impl Summary {
    /// Summarises a recording. `Err` holds the reason why it cannot, in plain words.
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
            let line: SummaryLine = match serde_json::from_slice(&bytes) {
                Ok(line) => line,
                // The last line of an interrupted run.
                Err(_) if bytes.last() != Some(&b'\n') => break,
                Err(error) => return Err(format!("line {number} is not a Catena event: {error}")),
            };
            if line.event == "run_started" {
                summary = Some(Self::begun(&line, changed));
                anchors.clear();
                continue;
            }
            let Some(summary) = &mut summary else {
                return Err("this is not a recording of a run: it does not begin with a `run_started` event".into());
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

    fn begun(line: &SummaryLine, changed: SystemTime) -> Self {
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

    /// When the question was asked.
    pub fn asked(&self) -> SystemTime {
        UNIX_EPOCH.checked_add(Duration::from_millis(self.asked_ms)).unwrap_or(UNIX_EPOCH)
    }

    /// How the run ended, in a word or two.
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

/// When a run began, read from an id that Catena made: `q`, the milliseconds since 1970 in hexadecimal digits, `-`, … `None` for any other
/// id.
pub fn time_of_id(id: &str) -> Option<SystemTime> {
    let (digits, _) = id.strip_prefix('q')?.split_once('-')?;
    // 2001 to 2527. Any other id only looks as if it held a time.
    (11..=12).contains(&digits.len()).then_some(())?;
    let ms = u64::from_str_radix(digits, 16).ok()?;
    UNIX_EPOCH.checked_add(Duration::from_millis(ms)).filter(|_| ms >= 1_000_000_000_000)
}
