//! From a rated answer to proposals (WTS, section 3.2, domain knowledge generation), each checked against what is known.
//!
//! By rule, without any model:
//! - a good answer: what its cited chains come to between question and answer ([`chains`]), and what it asserts without one
//!   ([`asserted`]);
//! - a mentor's answer: what the question tells, joined with what the mentor names ([`gold`], [`taught`]);
//! - a bad answer: what it cited and was learned is to be learned no longer ([`retract`]).
//!
//! With a language model, besides, what it extracts ([`model`]): of a bad answer, from the question alone. Nothing here changes a graph.

mod asserted;
mod chains;
mod draft;
mod entity;
mod gold;
mod model;
mod relation;
mod reply;
mod retract;
mod taught;
mod terms;

use std::collections::BTreeMap;

use super::check::{CheckSettings, Checker};
use crate::dkg::{Feedback, Proposal, Rating};
use crate::language::{Knowledge, Prompts};
use crate::model::{CancelToken, EncoderHandle, GeneratorHandle, ModelError};
use crate::run::Trace;
use draft::Drafts;

/// What proposals are made with.
#[derive(Debug, Clone, Copy)]
pub struct Proposing<'a> {
    /// What is known.
    pub knowledge: &'a Knowledge,
    /// The encoder whose vectors of names the knowledge holds.
    pub encoder: &'a EncoderHandle,
    /// A language model, where there is one.
    pub generator: Option<&'a GeneratorHandle>,
    /// What it is told.
    pub prompts: &'a Prompts,
    /// How strictly proposals are checked.
    pub settings: &'a CheckSettings,
    /// Seed of what the language model draws.
    pub seed: i64,
    /// Stops it all.
    pub cancel: &'a CancelToken,
}

/// What came of a rating.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposals {
    /// The proposals, each with its standing: those that are new, and those that are redundant or in conflict, for the doctor to see.
    pub proposals: Vec<Proposal>,
    /// What the doctor should know, in plain words.
    pub warnings: Vec<String>,
    /// What was not proposed, counted by the reason.
    pub rejected: BTreeMap<String, u64>,
}

impl Proposing<'_> {
    /// Proposes what follows from a rating of a run.
    ///
    /// # Errors
    /// [`ModelError::Cancelled`] if it is stopped. A model that fails is a warning.
    pub fn propose(&self, trace: &Trace, feedback: &Feedback) -> Result<Proposals, ModelError> {
        let mut drafts = Drafts::default();
        let mut retractions = Vec::new();
        match feedback.rating {
            Rating::Good => {
                chains::draft(trace, &mut drafts);
                asserted::draft(trace, &mut drafts);
            }
            Rating::Gold => taught::draft(self.knowledge, trace, &feedback.gold, &mut drafts),
            Rating::Bad => retractions = retract::proposals(self.knowledge, trace),
        }
        if let Some(generator) = self.generator {
            model::draft(self, generator, trace, feedback, &mut drafts)?;
        }
        let mut made = drafts.checked(self)?;
        made.proposals.splice(0..0, retractions);
        if made.proposals.is_empty() && made.warnings.is_empty() {
            let nothing = match feedback.rating {
                Rating::Good => Some("The chains that the answer cites come to nothing that could be learned."),
                Rating::Bad => Some("The answer rests on nothing that was learned, so there is nothing to take back."),
                // A mentor's answer that teaches nothing has been told with what it lacks.
                Rating::Gold => None,
            };
            made.warnings.extend(nothing.map(str::to_owned));
        }
        Ok(made)
    }

    fn checker(&self) -> Checker<'_> {
        Checker { knowledge: self.knowledge, encoder: self.encoder, settings: self.settings, cancel: self.cancel }
    }
}
