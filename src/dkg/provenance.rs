//! The origin of a learned triple in words: from the record that learned it back to the rated answer.

use time::OffsetDateTime;

use super::error::DkgError;
use super::handle::Dkg;
use super::record::{Change, Import, Rating, Record};
use crate::text::sanitise_line;

/// The most characters of a question that are shown.
const QUESTION: usize = 80;

/// The origin of what a record learned, with the first 80 characters of the question.
///
/// # Errors
/// If the record does not exist or cannot be read.
pub fn origin_of(dkg: &Dkg, record: u64) -> Result<String, DkgError> {
    let written = dkg.record(record)?;
    let when = moment(written.at_ms);
    Ok(match &written.change {
        Change::Accept { proposals } => {
            let mut origins = Vec::new();
            // All of an acceptance usually come from one answer.
            for proposal in proposals.iter().take(1) {
                let state = dkg.proposal(*proposal)?;
                let given = dkg.record(state.feedback)?;
                // What was taught directly has no other reason than the one that was given.
                let is_taught = matches!(&given.change, Change::Feedback(given) if given.is_taught());
                let why = &state.proposal.basis.why;
                let why = if why.is_empty() || is_taught { String::new() } else { format!("; {why}") };
                origins.push(format!("{}{why}", feedback(&given)));
            }
            format!("accepted {when}; {}", origins.join("; "))
        }
        Change::Import(Import { file, .. }) => format!("imported {when} from {}", sanitise_line(file)),
        Change::Feedback(_) => feedback(&written),
        _ => format!("recorded {when}"),
    })
}

/// A rating in words.
fn feedback(record: &Record) -> String {
    let Change::Feedback(feedback) = &record.change else { return format!("record {}", record.seq) };
    if feedback.is_taught() {
        let why = if feedback.comment.is_empty() { String::new() } else { format!(", because: {}", sanitise_line(&feedback.comment)) };
        return format!("taught directly ({}){why}", moment(record.at_ms));
    }
    let rating = match feedback.rating {
        Rating::Good => "from an answer rated good",
        Rating::Bad => "from an answer rated bad",
        Rating::Gold => "from a mentor's answer",
    };
    let question: String = feedback.question.chars().take(QUESTION).collect();
    let cut = if question.len() < feedback.question.len() { "…" } else { "" };
    format!("{rating} to “{}{cut}” ({})", sanitise_line(&question), moment(record.at_ms))
}

/// A time in words: `2026-11-21 14:03 UTC`.
pub fn moment(at_ms: u64) -> String {
    let seconds = i64::try_from(at_ms / 1000).unwrap_or(0);
    let Ok(at) = OffsetDateTime::from_unix_timestamp(seconds) else { return format!("{at_ms} ms after 1970") };
    format!("{} {:02}:{:02} UTC", at.date(), at.hour(), at.minute())
}
