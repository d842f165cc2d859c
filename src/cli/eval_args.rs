//! What can be typed after "eval".

use std::path::PathBuf;

use clap::Args;

use super::args::{GraphArgs, ModelArgs};
use crate::eval::Measure;
use crate::eval::dataset::DatasetFormat;
use crate::run::MethodName;

#[derive(Debug, Args)]
pub(super) struct EvalArgs {
    /// A file of questions with answers, also packed (gzip): GenMedGPT-5k, MedQA, MedMCQA, PubMedQA, CMMLU, CMB-Clin, MedQuAD, or a line
    /// each {"id","question","options"?,"answer"?,"gold"?}.
    pub(super) dataset: PathBuf,
    /// The methods, first the one that the others are compared with: hykge, its ablations hykge-hypothesis, -chains, -description,
    /// -fragment, -rerank, and rok, wts, kgrag, base, embed.
    #[arg(long, value_name = "M[,M…]", value_delimiter = ',', default_value = "hykge")]
    pub(super) method: Vec<MethodName>,
    /// So many questions, drawn from the file; all of them when not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) limit: Option<u64>,
    /// Decides which questions are drawn, what models draw, and the resampling for the intervals.
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(super) seed: u64,
    /// The format of the file, where it cannot be told: genmedgpt, medqa, medmcqa, pubmedqa, cmmlu, cmb-clin, medquad, generic.
    #[arg(long, value_name = "F")]
    pub(super) format: Option<DatasetFormat>,
    /// Longest chain, in relations (1 to 5; default 3); several are compared.
    #[arg(long, value_name = "N[,N…]", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=i64::from(MOST_HOPS)))]
    pub(super) k: Vec<u16>,
    /// How many chains are kept as evidence (default 10); several are compared.
    #[arg(long, value_name = "N[,N…]", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(super) top_k: Vec<u16>,
    /// Linking threshold, 0 to 1 (default: the encoder's own).
    #[arg(long, value_name = "X")]
    pub(super) delta: Option<f64>,
    /// Leave out what was learned from feedback.
    #[arg(long)]
    pub(super) without_learned: bool,
    /// Where results, recordings and report are kept; a folder of Catena's own when not given. The same command goes on from there.
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long, conflicts_with_all = ["diff", "open"])]
    pub(super) json: bool,
    /// List the questions on which the first two methods differ, largest difference first.
    #[arg(long)]
    pub(super) diff: bool,
    /// Open the questions on which the first two methods differ in the terminal interface, side by side; from this id on, if one is given.
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub(super) open: Option<String>,
    /// What methods are compared by: a measure as the JSON report names it, such as key_entity_tests, recall_kept, exact_match.
    #[arg(long, value_name = "MEASURE")]
    pub(super) measure: Option<Measure>,
    #[command(flatten)]
    pub(super) graph: GraphArgs,
    #[command(flatten)]
    pub(super) models: ModelArgs,
}

/// [`crate::graph::MAX_HOPS`], as the command line counts.
const MOST_HOPS: u16 = crate::graph::MAX_HOPS as u16;
