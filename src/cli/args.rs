//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::dkg_args::DkgCommand;
use super::eval_args::EvalArgs;
use super::import_args::ImportFormat;
use crate::run::MethodName;

/// A terminal clinical assistant: evidence chains from a knowledge graph, and an answer that cites them.
///
/// Without a subcommand the terminal interface opens. Catena is no medical device and never replaces
/// clinical judgement.
#[derive(Debug, Parser)]
#[command(name = "catena", version, propagate_version = true, max_term_width = 110, args_conflicts_with_subcommands = true)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) graph: GraphArgs,
    #[command(flatten)]
    pub(super) models: ModelArgs,
    /// Talk in plain lines, for screen readers: a sentence a line, without colours, pictures or cursor; from a terminal or a pipe.
    #[arg(long)]
    pub(super) accessible: bool,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one of it in a process")]
pub(super) enum Command {
    /// Answer a question (or a file of them) and print the answer with its evidence.
    Ask(AskArgs),
    /// Play a recorded run in the terminal interface, at its own pace.
    Replay {
        /// The recording (from "catena ask --events FILE").
        file: PathBuf,
    },
    /// Write a recorded run as a report: Markdown, one self-contained HTML page, a graph in DOT, or JSON.
    Export(ExportArgs),
    /// Import knowledge graphs and look into them.
    Kg {
        #[command(subcommand)]
        command: KgCommand,
    },
    /// Rate recorded answers, review what is proposed to be learned, see and take back what was learned, exchange it.
    Dkg {
        #[command(subcommand)]
        command: DkgCommand,
    },
    /// List models, fetch them, check them.
    Models {
        #[command(subcommand)]
        command: ModelsCommand,
    },
    /// Measure methods on questions whose answers are known: shares with intervals, a report, every run recorded.
    Eval(EvalArgs),
    /// Say what is installed, which models and graphs are in use, what is missing and how to get it.
    Check,
    /// Print a completion script for your shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write the manual pages into a folder, one for each command.
    Man {
        /// The folder; Catena creates it if it does not exist. Pages of the same names are replaced.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// Which graph, and how relations of graphs without roles are to be understood.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct GraphArgs {
    /// The knowledge graph: "starter", an imported graph's name, or the path of a TSV file of triples.
    #[arg(long, value_name = "NAME|PATH")]
    pub(super) kg: Option<String>,
    /// A file of relation roles, read before the built-in rules (form: assets/roles.toml).
    #[arg(long, value_name = "FILE")]
    pub(super) roles: Option<PathBuf>,
}

/// Which models. Each is the built-in name, the name of a model in the folder of models, a path, or the name of a
/// `[remote.NAME]` table of the configuration.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ModelArgs {
    /// What writes hypothesis and answer: "graph" (built in), or a language model by its name, its path, or as "remote:NAME".
    #[arg(long, value_name = "G")]
    pub(super) generator: Option<String>,
    /// What embeds mentions and names: "catena-static" (built in), or another encoder.
    #[arg(long, value_name = "E")]
    pub(super) encoder: Option<String>,
    /// What scores fragments against chains: "encoder" (its similarity, built in), or a cross-encoder.
    #[arg(long, value_name = "R")]
    pub(super) reranker: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct AskArgs {
    /// The question; "-" reads it from standard input.
    #[arg(required_unless_present = "batch")]
    pub(super) question: Option<String>,
    /// Print the whole trace as one JSON object (catena.trace/1).
    #[arg(long)]
    pub(super) json: bool,
    /// Answer every line {"id","question"} of a JSON-lines file ("-": standard input), one trace a line, in order.
    #[arg(long, value_name = "FILE.jsonl", conflicts_with = "question", requires = "json")]
    pub(super) batch: Option<PathBuf>,
    /// The method: hykge, rok, wts, kgrag, embed, base; or hykge without parts of it: hykge-hypothesis, -chains, -description, -fragment, -rerank
    /// (also several: hykge-hypothesis-rerank).
    #[arg(long, value_name = "M", default_value_t = MethodName::default())]
    pub(super) method: MethodName,
    #[command(flatten)]
    pub(super) graph: GraphArgs,
    /// Longest chain, in relations (1 to 5; default 3).
    #[arg(long, value_name = "N")]
    pub(super) k: Option<usize>,
    /// How many chains are kept as evidence (default 10).
    #[arg(long, value_name = "N")]
    pub(super) top_k: Option<usize>,
    /// Linking threshold, 0 to 1 (default: the encoder's own).
    #[arg(long, value_name = "X")]
    pub(super) delta: Option<f64>,
    #[command(flatten)]
    pub(super) models: ModelArgs,
    /// Seed of everything that is drawn at random (default 0).
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) seed: Option<i64>,
    /// How many chains the JSON trace holds at most; the kept ones are always there (default 10000).
    #[arg(long, value_name = "N")]
    pub(super) max_chains: Option<usize>,
    /// Record the run's events, one JSON object a line ("catena replay" plays them back).
    #[arg(long, value_name = "FILE", conflicts_with = "batch")]
    pub(super) events: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The recording (from "catena ask --events FILE"; "-": standard input), or the id of a recorded session.
    pub(super) file: String,
    /// The form of the report.
    #[arg(long, value_enum, value_name = "FORM")]
    pub(super) to: ExportFormat,
    /// Where it is written, readable for you alone; "-", or nothing: standard output.
    #[arg(long, short, value_name = "PATH")]
    pub(super) output: Option<PathBuf>,
}

/// The form of a report.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ExportFormat {
    /// Markdown.
    Md,
    /// One HTML page that needs nothing but itself.
    Html,
    /// The evidence as a graph, for Graphviz.
    Dot,
    /// The whole trace (catena.trace/1).
    Json,
}

#[derive(Debug, Subcommand)]
pub(super) enum KgCommand {
    /// Import a graph from a file.
    Import {
        #[command(subcommand)]
        format: ImportFormat,
    },
    /// List the graphs there are.
    List,
    /// Make a graph the one that is used unless another is named.
    Use {
        /// Its name.
        name: String,
    },
    /// Describe a graph in numbers: kinds, relations with their roles, degrees, components.
    Stats {
        /// The graph; the one in use when none is named.
        name: Option<String>,
        #[command(flatten)]
        graph: GraphArgs,
    },
    /// Check a graph: is its file whole, which relations were guessed, which names were merged, what deserves a second look?
    Check {
        /// The graph; the one in use when none is named.
        name: Option<String>,
        /// List every merge.
        #[arg(long)]
        merges: bool,
        #[command(flatten)]
        graph: GraphArgs,
    },
    /// Show an entity with its names, description and neighbours.
    Show {
        /// Its name or an alias.
        entity: String,
        #[command(flatten)]
        graph: GraphArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum ModelsCommand {
    /// List the models that are known and those that are here: size, licence, which are used.
    List,
    /// Fetch a model by name, from the Hub; what an earlier attempt left is gone on with.
    Pull {
        /// Its name in the list.
        name: String,
    },
    /// Check models: are the files whole, can they be used, does their estimated memory fit?
    Check {
        /// The model, by name or path; all that are here when none is named.
        name: Option<String>,
    },
}
