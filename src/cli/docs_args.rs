//! The subcommands and options of `catena docs`. The doc comments are the help texts.

use std::path::PathBuf;

use clap::Subcommand;

use super::args::GraphArgs;
use crate::evidence::SearchMethod;
use crate::evidence::reader::DocumentFormat;

#[derive(Debug, Subcommand)]
pub(super) enum DocsCommand {
    /// Import documents into a collection; a document with the id of another takes its place.
    Import {
        /// The format: openfda (drug labels), medquad, medlineplus (health topics in XML), jsonl ({"id","title","section","text","url","date"} a line), markdown, text, html, pdf.
        #[arg(value_name = "FORMAT")]
        format: DocumentFormat,
        /// The file, or a folder of files of this format.
        path: PathBuf,
        /// The collection; Catena makes it if it does not exist.
        #[arg(long, value_name = "NAME")]
        name: String,
        /// A language model that reads the documents: it picks evidence, names entities and sums up topics, in several calls for each part of a document (default: none; rules do it). Its name, its path, or "remote:NAME".
        #[arg(long, value_name = "G")]
        generator: Option<String>,
        #[command(flatten)]
        graph: GraphArgs,
    },
    /// Choose the collections that questions use; without a name, none.
    Use {
        /// The collections.
        names: Vec<String>,
    },
    /// List all collections; * marks those in use.
    List,
    /// List the documents of a collection, or show one of them.
    Show {
        /// The collection.
        name: String,
        /// The id of a document.
        document: Option<String>,
    },
    /// Find the passages that answer a question best.
    Search {
        /// The question.
        question: String,
        /// The collections, separated by commas (default: those in use).
        #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',')]
        docs: Vec<String>,
        /// The most passages.
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
        /// The method: idep, bm25, vector, hybrid, graphrag; or idep with parts exchanged, such as idep-published, idep-neighbours, idep-cosine.
        #[arg(long, value_name = "M", default_value_t = SearchMethod::default())]
        method: SearchMethod,
        /// The seed of the random walk of idep.
        #[arg(long, value_name = "S", default_value_t = 0)]
        seed: u64,
        /// With idep: personalised PageRank in the place of the random walk.
        #[arg(long)]
        exact: bool,
        /// Print one JSON object per passage: {"rank","document","section","start","end","score",…}; start and end count characters of the section's text.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        graph: GraphArgs,
    },
    /// Remove documents from a collection, or a whole collection. Their text is then in none of Catena's collections.
    Remove {
        /// The collection.
        name: String,
        /// The ids of the documents.
        #[arg(required_unless_present = "all")]
        documents: Vec<String>,
        /// Remove the whole collection.
        #[arg(long, conflicts_with = "documents")]
        all: bool,
        /// Remove the recorded runs, files of evaluations and reports in this folder that quote them, too.
        #[arg(long)]
        recordings: bool,
    },
    /// Check that the files of collections are intact.
    Check {
        /// The collection (default: all).
        name: Option<String>,
    },
    /// Show a collection in numbers: documents, units, evidence, entities, topics, edges, and documents that gave nothing.
    Stats {
        /// The collection.
        name: String,
    },
}
