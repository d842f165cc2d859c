//! Makes proposals from a rated answer (WTS, section 3.2, domain knowledge generation), and checks each against the known triples.
//!
//! By rule, without any model:
//! - good answer: the direct relations that its cited chains imply ([`cited_chains`]), and its lines without a chain
//!   ([`unsupported_lines`]), and what the passages state that it cites ([`from_documents`]);
//! - gold answer: the question's entities, related to those that the mentor names ([`mentor_text`], [`gold_answer`]);
//! - bad answer: retractions of the learned triples that it cited ([`retract`]).
//!
//! What a gold answer, or the comment on a bad one, states and the graph knows already is pinned for questions like this ([`pin`]).
//!
//! A language model adds the triples that it extracts ([`model`]); for a bad answer, it sees the question alone. Nothing here changes a graph.

mod cited_chains;
mod draft;
mod entity;
mod from_documents;
mod gold_answer;
mod mentor_text;
mod model;
mod model_reply;
mod pin;
mod question_terms;
mod relation;
mod retract;
mod sentence;
mod unsupported_lines;

use std::collections::BTreeMap;

use super::TaughtFact;
use super::check::{CheckSettings, Checker};
use crate::dkg::{Feedback, Pin, Proposal, Rating};
use crate::graph::NamedRelation;
use crate::language::{Knowledge, Prompts};
use crate::model::{CancelToken, EncoderHandle, GeneratorHandle, ModelError};
use crate::run::Trace;
use draft::Drafts;

/// The messages for a good answer that teaches nothing new, and for a bad one that takes nothing back.
const NOTHING_NEW: &str = "Catena found nothing new to learn in this answer.";
const NOTHING_TO_RETRACT: &str = "The answer cites no learned triple, so there is nothing to retract.";

/// Whether a warning only says that a rating changes nothing, which is usual.
pub(crate) fn is_usual(warning: &str) -> bool {
    [NOTHING_NEW, NOTHING_TO_RETRACT].contains(&warning)
}

/// What making proposals needs.
#[derive(Debug, Clone, Copy)]
pub struct Proposing<'a> {
    /// The known triples.
    pub knowledge: &'a Knowledge,
    /// The encoder whose vectors of names the knowledge holds.
    pub encoder: &'a EncoderHandle,
    /// A language model, where there is one.
    pub generator: Option<&'a GeneratorHandle>,
    /// Its prompts.
    pub prompts: &'a Prompts,
    /// How strictly proposals are checked.
    pub settings: &'a CheckSettings,
    /// Seed of the language model's sampling.
    pub seed: i64,
    /// Stops the work.
    pub cancel: &'a CancelToken,
}

/// The proposals that follow from a rating.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposals {
    /// The proposals, each with its check: new, redundant or in conflict.
    pub proposals: Vec<Proposal>,
    /// Warnings for the doctor.
    pub warnings: Vec<String>,
    /// Statements that were not proposed, counted by reason.
    pub rejected: BTreeMap<String, u64>,
    /// What is known already, but was left out: chains to keep for questions like the rated one.
    pub pin: Option<Pin>,
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
                cited_chains::draft(trace, &mut drafts);
                unsupported_lines::draft(trace, &mut drafts);
                from_documents::draft(self, trace, &mut drafts);
            }
            Rating::Gold => gold_answer::draft(self.knowledge, trace, &feedback.gold, &mut drafts),
            Rating::Bad => retractions = retract::proposals(self.knowledge, trace),
        }
        if let Some(generator) = self.generator {
            model::draft(self, generator, trace, feedback, &mut drafts)?;
        }
        let mut made = drafts.checked(self)?;
        made.pin = pin::of(self, trace, feedback, &made.proposals)?;
        made.proposals.splice(0..0, retractions);
        if made.proposals.is_empty() && made.warnings.is_empty() && made.pin.is_none() {
            let nothing = match feedback.rating {
                Rating::Good => Some(NOTHING_NEW),
                Rating::Bad => Some(NOTHING_TO_RETRACT),
                // A gold answer without proposals has its own warning.
                Rating::Gold => None,
            };
            made.warnings.extend(nothing.map(str::to_owned));
        }
        Ok(made)
    }

    /// The proposal of a fact that is taught directly; none if its relation cannot be read. `relation`: the one that it names.
    ///
    /// # Errors
    /// As [`Self::propose`].
    pub fn taught(&self, fact: &TaughtFact, relation: Option<NamedRelation>) -> Result<Option<Proposals>, ModelError> {
        let Some(draft) = sentence::of_fact(self.knowledge, fact, relation) else { return Ok(None) };
        let mut drafts = Drafts::default();
        drafts.push(draft);
        drafts.checked(self).map(Some)
    }

    fn checker(&self) -> Checker<'_> {
        Checker { knowledge: self.knowledge, encoder: self.encoder, settings: self.settings, cancel: self.cancel }
    }
}
