//! The commands and options of `catena`. The doc comments of fields and variants are the help texts.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::dkg_args::DkgCommand;
use super::docs_args::DocsCommand;
use super::eval_args::EvalArgs;
use super::import_args::ImportFormat;
use super::reproduce::ReproduceArgs;
use crate::run::MethodName;

/// A clinical assistant for the terminal: it finds chains of evidence in a knowledge graph and writes an answer that cites them.
///
/// Without a subcommand, Catena opens its terminal interface. Catena is not a medical device and does not replace
/// clinical judgement.
#[derive(Debug, Parser)]
#[command(name = "catena", version, propagate_version = true, max_term_width = 110, args_conflicts_with_subcommands = true)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) graph: GraphArgs,
    #[command(flatten)]
    pub(super) models: ModelArgs,
    /// Speak in plain sentences, one on each line, for screen readers: no colours, no drawings, no moving cursor. Works through a pipe, too.
    #[arg(long)]
    pub(super) accessible: bool,
    /// The method that answers: catena (the default), or another one of `catena ask --help`.
    #[arg(long, value_name = "M")]
    pub(super) method: Option<MethodName>,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "a process has only one")]
pub(super) enum Command {
    /// Answer a question, or a file of questions, and print the answer with its evidence.
    Ask(AskArgs),
    /// Replay a recorded run in the terminal interface. A run that was over in less than three seconds is played at one second a stage.
    Replay {
        /// The recording, written by "catena ask --events FILE", or the ID of a recorded session. Without it: the latest session.
        file: Option<String>,
        /// Play each stage in so many seconds; 0 plays at the recorded speed.
        #[arg(long, value_name = "SECONDS", value_parser = pace)]
        pace: Option<f64>,
    },
    /// Show in ten steps what the terminal interface does, on a recorded run. Needs neither graph nor models.
    Tour,
    /// List the recorded runs of the terminal interface, the newest first, with their IDs.
    Sessions {
        /// The most runs to list.
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
        /// Print one JSON object per run.
        #[arg(long)]
        json: bool,
    },
    /// Write a report of a recorded run: Markdown, one self-contained HTML page, a graph in DOT, or JSON.
    Export(ExportArgs),
    /// Import, choose, check and explore knowledge graphs.
    Kg {
        #[command(subcommand)]
        command: KgCommand,
    },
    /// Teach Catena: rate answers, review proposals, and see, undo or exchange what the DKG (the graph that grows with feedback) has learned.
    Dkg {
        #[command(subcommand)]
        command: DkgCommand,
    },
    /// Import documents, such as drug labels and guidelines, and find the passages that answer a question.
    Docs {
        #[command(subcommand)]
        command: DocsCommand,
    },
    /// Check a text, such as a model's answer or a note: which of its claims the graph and the documents support or contradict.
    CheckAnswer(CheckAnswerArgs),
    /// List, download and check models.
    Models {
        #[command(subcommand)]
        command: ModelsCommand,
    },
    /// Evaluate methods on questions with known answers: metrics with confidence intervals, a report, and a recording of every run.
    Eval(EvalArgs),
    /// List the tables of the papers that Catena builds on: which can be filled here, by which command, and what is missing for the others.
    Reproduce(ReproduceArgs),
    /// Show what is installed, which models and graphs are in use, what is missing and how to get it.
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

/// Seconds for each stage of a replay.
fn pace(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("{text:?} is not a number of seconds"))?;
    if (0.0..=60.0).contains(&seconds) { Ok(seconds) } else { Err("a stage takes 0 to 60 seconds".to_owned()) }
}

/// Which graph to use, and the roles of its relations.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct GraphArgs {
    /// The knowledge graph: "starter", the name of an imported graph, or the path of a TSV file of triples.
    #[arg(long, value_name = "NAME|PATH")]
    pub(super) kg: Option<String>,
    /// A file that gives relations their roles; it comes before the built-in rules (format: assets/roles.toml).
    #[arg(long, value_name = "FILE")]
    pub(super) roles: Option<PathBuf>,
}

/// Which models to use. Each is the built-in one, a model in the folder of models, a path, or `remote:NAME` for a `[remote.NAME]`
/// table of the configuration.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ModelArgs {
    /// What writes the hypothesis and the answer: "graph" (built in), or a language model: its name, its path, or "remote:NAME".
    #[arg(long, value_name = "G")]
    pub(super) generator: Option<String>,
    /// The encoder that compares mentions with entity names: "catena-static" (built in), or another: its name, its path, or "remote:NAME".
    #[arg(long, value_name = "E")]
    pub(super) encoder: Option<String>,
    /// What scores chains against the question: "encoder" (its similarity, built in), or a cross-encoder: its name, its path, or "remote:NAME".
    #[arg(long, value_name = "R")]
    pub(super) reranker: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct AskArgs {
    /// The question. Without it, or with "-", Catena reads it from standard input.
    pub(super) question: Option<String>,
    /// Print the trace of the whole run as one JSON object (catena.trace/1).
    #[arg(long)]
    pub(super) json: bool,
    /// Answer every line {"id","question"} of a JSON Lines file ("-": standard input). Prints one trace per line, in the same order.
    #[arg(long, value_name = "FILE.jsonl", conflicts_with = "question", requires = "json")]
    pub(super) batch: Option<PathBuf>,
    /// The collections of documents whose passages the answer cites, separated by commas (default: those of the configuration, or of "catena docs use").
    #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',')]
    pub(super) docs: Vec<String>,
    /// The method: catena (the default), hykge (as published), rok, wts (also wts-em, wts-esr), kgrag, qe, con, cok, kalmv, kggpt, sure, tog, mindmap, embed, cot or base; idep, bm25, vector or graphrag (from documents alone); or catena or hykge without some of its parts:
    /// hykge-hypothesis, -chains, -description, -fragment, -rerank, or several, such as hykge-hypothesis-rerank; catena-ratings does not listen
    /// to ratings.
    #[arg(long, value_name = "M")]
    pub(super) method: Option<MethodName>,
    #[command(flatten)]
    pub(super) graph: GraphArgs,
    /// The longest chain, in relations: 1 to 5 (default: 3).
    #[arg(long, value_name = "N")]
    pub(super) k: Option<usize>,
    /// How many chains to choose as evidence: 1 to 1000 (default: 10). Chains that prove a line of the answer are kept besides.
    #[arg(long, value_name = "N")]
    pub(super) top_k: Option<usize>,
    /// How similar a mention and an entity name must be to be linked: 0 to 1 (default: the encoder's own threshold).
    #[arg(long, value_name = "X")]
    pub(super) delta: Option<f64>,
    /// How many words a fragment of question and hypothesis has, against which chains are ranked (HyKGE's lc): 1 to 1000 (default: 10).
    #[arg(long, value_name = "N")]
    pub(super) fragment_words: Option<usize>,
    /// How many words neighbouring fragments share (HyKGE's oc), fewer than a fragment has (default: 4).
    #[arg(long, value_name = "N")]
    pub(super) fragment_overlap: Option<usize>,
    #[command(flatten)]
    pub(super) models: ModelArgs,
    /// The seed of every random choice (default: 0).
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) seed: Option<i64>,
    /// The most chains in the JSON trace; kept chains are always included (default: 10000).
    #[arg(long, value_name = "N")]
    pub(super) max_chains: Option<usize>,
    /// Record the run in this file, which only you can read. "catena replay" and "catena export" read it.
    #[arg(long, value_name = "FILE", conflicts_with = "batch")]
    pub(super) events: Option<PathBuf>,
    /// Continue the case of an earlier question: a recording, or the ID of a recorded session. What it knows of the patient is carried over.
    #[arg(long, value_name = "SESSION", conflicts_with = "batch")]
    pub(super) follow: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct CheckAnswerArgs {
    /// The file with the text; "-" reads it from standard input.
    pub(super) file: PathBuf,
    /// The collections of documents, separated by commas (default: those of the configuration, or of "catena docs use").
    #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',')]
    pub(super) docs: Vec<String>,
    /// A language model that judges the claims of which graph and documents say nothing in so many words, in one call for each (default: none). Its name, its path, or "remote:NAME".
    #[arg(long, value_name = "G")]
    pub(super) generator: Option<String>,
    #[command(flatten)]
    pub(super) graph: GraphArgs,
    /// Print one JSON object: {"claims":[{"text","verdict","chains","passages","by_model"?}],"supported","contradicted","not_found"}.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The recording, written by "catena ask --events FILE" ("-": standard input), or the ID of a recorded session.
    pub(super) file: String,
    /// The format of the report.
    #[arg(long, value_enum, value_name = "FORM")]
    pub(super) to: ExportFormat,
    /// The file to write, which only you can read. Without it, or with "-": standard output.
    #[arg(long, short, value_name = "PATH")]
    pub(super) output: Option<PathBuf>,
}

/// The format of a report.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ExportFormat {
    /// Markdown.
    Md,
    /// One self-contained HTML page.
    Html,
    /// The evidence as a graph, for Graphviz (DOT).
    Dot,
    /// The trace of the whole run (catena.trace/1).
    Json,
}

#[derive(Debug, Subcommand)]
pub(super) enum KgCommand {
    /// Import a graph from files.
    Import {
        #[command(subcommand)]
        format: ImportFormat,
    },
    /// List all graphs; * marks the default.
    List,
    /// Make a graph the default.
    Use {
        /// The name of the graph.
        name: String,
    },
    /// Show a graph in numbers: entity kinds, relations and their roles, degrees, components.
    Stats {
        /// The graph (default: the one in use).
        name: Option<String>,
        #[command(flatten)]
        graph: GraphArgs,
    },
    /// Check a graph: whether its file is intact, which relation roles were guessed, which names were merged, and what looks wrong.
    Check {
        /// The graph (default: the one in use).
        name: Option<String>,
        /// List every merged name.
        #[arg(long)]
        merges: bool,
        #[command(flatten)]
        graph: GraphArgs,
    },
    /// Show an entity: its names, its description and its neighbours.
    Show {
        /// The name of the entity, or an alias.
        entity: String,
        #[command(flatten)]
        graph: GraphArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum ModelsCommand {
    /// List the models that Catena knows and those on this machine: size, licence, and which are used.
    List,
    /// Download a model from the Hugging Face Hub; an interrupted download resumes.
    Pull {
        /// The name of the model, from "catena models list".
        name: String,
    },
    /// Check models: whether their files are intact, whether they can be used, and whether they fit into memory.
    Check {
        /// The model, by name or path (default: all on this machine).
        name: Option<String>,
    },
}
