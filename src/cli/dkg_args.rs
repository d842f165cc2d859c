//! The subcommands and options of `catena dkg`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::args::{GraphArgs, ModelArgs};
use crate::dkg::ProposalId;
use crate::run::MethodName;

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "a process has only one")]
pub(super) enum DkgCommand {
    /// Rate a recorded answer. Catena proposes what to learn from it, and the proposals wait for your review.
    Feedback(FeedbackArgs),
    /// Teach a fact directly: a name, a relation and another name, such as: catena dkg teach Gaviscon relieves "acid reflux". It is checked
    /// like any proposal, and waits for your review unless you say --accept.
    Teach(TeachArgs),
    /// List the proposals that wait for your decision.
    Review {
        /// Print one JSON object: {"pending","redundant","conflicting"}.
        #[arg(long)]
        json: bool,
    },
    /// Accept proposals: the DKG learns them, and the next question uses them.
    Accept(DecisionArgs),
    /// Reject proposals.
    Reject(DecisionArgs),
    /// List the records of the DKG, newest last, without questions and answers; or show how the DKG grew.
    Log {
        /// The most records to list.
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: u64,
        /// Show numbers instead of records: per day, with a plot of the growth.
        #[arg(long)]
        stats: bool,
        /// Print JSON: one object per record, or one object with the numbers.
        #[arg(long)]
        json: bool,
    },
    /// Show a record in full (with its question and answer), a proposal, or what the DKG learned about an entity and from which record.
    Show {
        /// The number of a record (7) or of a proposal (7.0), the name of an entity, or a triple ("Omeprazole -> treats -> Reflux").
        what: String,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Undo records, however old they are. Each undo is a new record, which you can undo, too.
    Undo {
        /// The numbers of the records, from "catena dkg log".
        #[arg(required = true, value_name = "N")]
        records: Vec<u64>,
    },
    /// Verify that no line of the journal was changed, added or removed, or show the first line where that happened.
    Verify {
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Measure how much Catena would learn from a file of questions with answers: it learns from one half and is tested on the other, before and
    /// after. Starts with an empty graph unless you name one with --kg; your own DKG is neither read nor changed.
    Trial(TrialArgs),
    /// Export everything that the DKG has learned, with its provenance, for other teams or programs.
    Export(DkgExportArgs),
    /// Import another team's export, with the same checks as for proposals. Importing it twice changes nothing.
    Import(DkgImportArgs),
}

#[derive(Debug, Args)]
pub(super) struct FeedbackArgs {
    /// The recording, written by "catena ask --events FILE" ("-": standard input), or the ID of a recorded session.
    pub(super) file: String,
    /// Your rating: good, bad, or gold together with the correct answer.
    #[arg(value_enum)]
    pub(super) rating: RatingArg,
    /// The correct (gold) answer; "-" reads it from standard input.
    #[arg(long, value_name = "TEXT", required_if_eq("rating", "gold"))]
    pub(super) answer: Option<String>,
    /// A comment, stored with the record.
    #[arg(long, value_name = "TEXT")]
    pub(super) comment: Option<String>,
    #[command(flatten)]
    pub(super) learning: LearningArgs,
}

/// How a DKG that is open for learning is used.
#[derive(Debug, Args)]
pub(super) struct LearningArgs {
    /// Learn at once, without review, what nothing known contradicts or says already.
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

#[derive(Debug, Args)]
pub(super) struct TeachArgs {
    /// The name that the fact is about.
    pub(super) head: String,
    /// The relation, as the graph calls it ("treats") or in plain words ("relieves").
    pub(super) relation: String,
    /// The other name.
    pub(super) tail: String,
    /// Why it holds; stored with the record.
    #[arg(long, value_name = "TEXT")]
    pub(super) why: Option<String>,
    #[command(flatten)]
    pub(super) learning: LearningArgs,
}

/// The rating of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RatingArg {
    /// The answer is good.
    Good,
    /// The answer is bad; Catena proposes to unlearn the learned triples that it cites.
    Bad,
    /// Another answer is correct: the one given with --answer.
    Gold,
}

#[derive(Debug, Args)]
pub(super) struct DecisionArgs {
    /// The numbers of the proposals, from "catena dkg review".
    #[arg(required_unless_present = "all", value_name = "ID", value_parser = proposal_id)]
    pub(super) ids: Vec<ProposalId>,
    /// All proposals that wait for a decision. Redundant and conflicting ones are not included; give their numbers.
    #[arg(long, conflicts_with = "ids")]
    pub(super) all: bool,
}

fn proposal_id(text: &str) -> Result<ProposalId, String> {
    text.parse().map_err(str::to_owned)
}

#[derive(Debug, Args)]
pub(super) struct DkgExportArgs {
    /// The format of the export.
    #[arg(long, value_enum, value_name = "FORM")]
    pub(super) to: DkgForm,
    /// The file to write, which only you can read. Without it, or with "-": standard output.
    #[arg(long, short, value_name = "PATH")]
    pub(super) output: Option<PathBuf>,
    /// Include the rated questions and answers. They can contain patient data.
    #[arg(long)]
    pub(super) with_questions: bool,
}

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DkgForm {
    /// A table with a header and one triple per line, separated by tabs.
    Tsv,
    /// RDF as N-Triples, with reified provenance.
    Nt,
    /// One JSON object per line.
    Jsonl,
}

#[derive(Debug, Args)]
pub(super) struct DkgImportArgs {
    /// The file, in any format of "catena dkg export".
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
    /// A file with one question per line: {"id","question","gold":{"conditions":[…],"tests":[…],"treatments":[…]}}; gzip is supported.
    pub(super) file: PathBuf,
    /// The most questions to use.
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// The seed that decides which half Catena learns from.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// The method that answers (default: catena). wts runs as its paper has it: learned from are questions that were answered with confidence only beyond
    /// depth H, or without confidence at the end; and a triple is redundant if any learned triple is within L' of it.
    #[arg(long, value_name = "M")]
    pub(super) method: Option<MethodName>,
    /// How many of the questions are for the apprenticeship; the others are for the mastership (default: half).
    #[arg(long, value_name = "N")]
    pub(super) apprenticeship: Option<usize>,
    /// WTS's H: an answer that is given with confidence at this depth or before teaches nothing.
    #[arg(long, value_name = "H", default_value_t = 1)]
    pub(super) enough_within: u64,
    /// Nobody rates the answers of the mastership: questions are learned from without their answers.
    #[arg(long)]
    pub(super) without_feedback: bool,
    /// Learn redundant triples, too: only a triple that says no more than a known one of the same two entities is left out.
    #[arg(long)]
    pub(super) without_redundancy_check: bool,
    /// Also write the figures and the learning curve to this Markdown file.
    #[arg(long, value_name = "PATH")]
    pub(super) report: Option<PathBuf>,
    #[command(flatten)]
    pub(super) graph: GraphArgs,
    #[command(flatten)]
    pub(super) models: ModelArgs,
}
