//! Ratings, proposals and their states in words. The terminal, the accessible mode, the command line and exports all use these.

use super::record::{Act, CheckOutcome, Proposer, Rating};
use super::state::Status;
use crate::text::sanitise_line;

/// A rating as a word.
pub fn rating_word(rating: Rating) -> &'static str {
    match rating {
        Rating::Good => "good",
        Rating::Bad => "bad",
        Rating::Gold => "gold",
    }
}

/// What a proposal does once it is accepted, as a verb.
pub fn act_word(act: Act) -> &'static str {
    match act {
        Act::Add => "learn",
        Act::Retract => "retract",
    }
}

/// Who made a proposal: "by rule", "by qwen3-4b", "by hand".
pub fn proposer_words(proposer: &Proposer) -> String {
    match proposer {
        Proposer::Rule => "by rule".into(),
        Proposer::Model(name) => format!("by {}", sanitise_line(name)),
        Proposer::Doctor => "by hand".into(),
    }
}

/// The status of a proposal in a word or two, for a column of at most 20 characters.
pub fn status_words(status: Status) -> String {
    match status {
        Status::Void => "void".into(),
        Status::Pending => "waits".into(),
        Status::Redundant => "redundant".into(),
        Status::Conflicting => "conflict".into(),
        Status::Accepted { record } => format!("accepted by {record}"),
        Status::Rejected { record } => format!("rejected by {record}"),
    }
}

/// Why a proposal is not new, in parts that a screen can style; safe to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckNote {
    /// The beginning of the sentence: "It is redundant with", "It contradicts".
    pub lead: &'static str,
    /// The known triple.
    pub with: String,
    /// Where the known triple is: "in the graph" or "learned before", with the distance where the two are only nearly the same.
    pub source: String,
    /// What contradicts what; `None` unless it is a conflict.
    pub why: Option<String>,
}

impl CheckNote {
    /// The note of a check; `None` where the proposal is new.
    pub fn of(outcome: &CheckOutcome) -> Option<Self> {
        let source = |learned: &bool| if *learned { "learned before" } else { "in the graph" };
        match outcome {
            CheckOutcome::New => None,
            CheckOutcome::Redundant { distance, learned, with } => {
                let distance = if *distance > 0.0 { format!("; distance {distance:.2}") } else { String::new() };
                let source = format!("{}{distance}", source(learned));
                Some(Self { lead: "It is redundant with", with: sanitise_line(with), source, why: None })
            }
            CheckOutcome::Conflict { learned, with, why } => Some(Self {
                lead: "It contradicts",
                with: sanitise_line(with),
                source: source(learned).to_owned(),
                why: Some(sanitise_line(why)),
            }),
        }
    }

    /// The note on one line, as a clause without its full stop.
    pub fn line(&self) -> String {
        let why = self.why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        format!("{} {} ({}){why}", self.lead, self.with, self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_told_with_the_triple_and_where_it_is() {
        let line = |outcome: &CheckOutcome| CheckNote::of(outcome).map(|note| note.line());
        assert_eq!(line(&CheckOutcome::New), None);
        let redundant = |distance| CheckOutcome::Redundant { distance, learned: true, with: "a → b → c".into() };
        assert_eq!(line(&redundant(0.0)).as_deref(), Some("It is redundant with a → b → c (learned before)"));
        assert_eq!(line(&redundant(0.031)).as_deref(), Some("It is redundant with a → b → c (learned before; distance 0.03)"));
        let conflict = CheckOutcome::Conflict { learned: false, with: "a → b → c".into(), why: "one treats, one harms".into() };
        assert_eq!(line(&conflict).as_deref(), Some("It contradicts a → b → c (in the graph): one treats, one harms"));
    }
}
