//! What can be typed after `catena dkg`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::args::{GraphArgs, ModelArgs};
use crate::dkg::ProposalId;

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one of it in a process")]
pub(super) enum DkgCommand {
    /// Rate a recorded answer; what is proposed to be learned from it waits for your review.
    Feedback(FeedbackArgs),
    /// List what is proposed and waits for a decision.
    Review {
        /// Print one JSON object: {"pending","redundant","conflicting"}.
        #[arg(long)]
        json: bool,
    },
    /// Accept proposals: what they say is learned, and the next question sees it.
    Accept(DecisionArgs),
    /// Turn proposals down.
    Reject(DecisionArgs),
    /// List what was recorded, newest last, without questions and answers; or how the evolving graph grew.
    Log {
        /// How many records, at most.
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: u64,
        /// Numbers instead of records: by day, and a plot of the growth.
        #[arg(long)]
        stats: bool,
        /// Print JSON: an object a record, or one object with the numbers.
        #[arg(long)]
        json: bool,
    },
    /// Show a record in full (with its question and answer), a proposal, or what was learned about an entity and where it comes from.
    Show {
        /// A record's number (7), a proposal's (7.0), an entity's name, or a triple ("Omeprazole -> treats -> Reflux").
        what: String,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Take back what records did, however old they are; that is one more record each, which can be taken back as well.
    Undo {
        /// The records' numbers ("catena dkg log").
        #[arg(required = true, value_name = "N")]
        records: Vec<u64>,
    },
    /// Prove that nothing in the journal was changed, put in or taken out, and name the first line where something was.
    Verify {
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Try how much a file of questions with answers would teach: half of them are taught, the others asked before and after. Begins with an empty
    /// graph unless --kg names one; your own evolving graph is neither read nor changed.
    Trial(TrialArgs),
    /// Write all that is learned, with where it comes from, for other teams or programs.
    Export(DkgExportArgs),
    /// Take over another team's export, with the checks that proposals go through; doing it twice changes nothing.
    Import(DkgImportArgs),
}

#[derive(Debug, Args)]
pub(super) struct FeedbackArgs {
    /// The recording (from "catena ask --events FILE"; "-": standard input), or the id of a recorded session.
    pub(super) file: String,
    /// How the answer was: good, bad, or "gold" with the answer that it should have been.
    #[arg(value_enum)]
    pub(super) rating: RatingArg,
    /// The gold answer; "-" reads it from standard input.
    #[arg(long, value_name = "TEXT", required_if_eq("rating", "gold"))]
    pub(super) answer: Option<String>,
    /// What else there is to say; it is kept with the record.
    #[arg(long, value_name = "TEXT")]
    pub(super) comment: Option<String>,
    /// Accept what is new at once, without a review.
    #[arg(long)]
    pub(super) accept: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) graph: GraphArgs,
    #[command(flatten)]
    pub(super) models: ModelArgs,
}

/// How an answer was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RatingArg {
    /// It was good.
    Good,
    /// It was bad: what it rests on and was learned is proposed to be taken back.
    Bad,
    /// It should have been another one.
    Gold,
}

#[derive(Debug, Args)]
pub(super) struct DecisionArgs {
    /// The proposals' numbers ("catena dkg review").
    #[arg(required_unless_present = "all", value_name = "ID", value_parser = proposal_id)]
    pub(super) ids: Vec<ProposalId>,
    /// All that wait for a decision; such as were put aside as redundant or in conflict must be named.
    #[arg(long, conflicts_with = "ids")]
    pub(super) all: bool,
}

fn proposal_id(text: &str) -> Result<ProposalId, String> {
    text.parse().map_err(str::to_owned)
}

#[derive(Debug, Args)]
pub(super) struct DkgExportArgs {
    /// The form.
    #[arg(long, value_enum, value_name = "FORM")]
    pub(super) to: DkgForm,
    /// Where it is written, readable for you alone; "-", or nothing: standard output.
    #[arg(long, short, value_name = "PATH")]
    pub(super) output: Option<PathBuf>,
    /// Add the questions and answers that were rated. They can hold patient data.
    #[arg(long)]
    pub(super) with_questions: bool,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DkgForm {
    /// A table: a header, then a triple a line, fields separated by tabs.
    Tsv,
    /// RDF as N-Triples, provenance by reification.
    Nt,
    /// A JSON object a line.
    Jsonl,
}

#[derive(Debug, Args)]
pub(super) struct DkgImportArgs {
    /// The file, in any of the three forms of "catena dkg export".
    pub(super) file: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) graph: GraphArgs,
    #[command(flatten)]
    pub(super) models: ModelArgs,
}

#[derive(Debug, Args)]
pub(super) struct TrialArgs {
    /// A line each: {"id","question","gold":{"conditions":[…],"tests":[…],"treatments":[…]}}; may be packed (gzip).
    pub(super) file: PathBuf,
    /// So many questions at most.
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// Which half is taught is drawn with this seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Write the figures and the curve as Markdown, too.
    #[arg(long, value_name = "PATH")]
    pub(super) report: Option<PathBuf>,
    #[command(flatten)]
    pub(super) graph: GraphArgs,
    #[command(flatten)]
    pub(super) models: ModelArgs,
}
