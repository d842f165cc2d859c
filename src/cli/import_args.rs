//! The formats of `catena kg import`, with their files and options.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// The arguments of every format.
#[derive(Debug, Clone, Args)]
pub(super) struct ImportArgs {
    /// The file or files; gzip (.gz) is supported.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// The name for the graph.
    #[arg(long)]
    pub(super) name: String,
    /// A file that gives relations their roles; it comes before the built-in rules (format: assets/roles.toml).
    #[arg(long, value_name = "FILE")]
    pub(super) roles: Option<PathBuf>,
    /// Do not embed the names of a large graph now; the first question does it.
    #[arg(long)]
    pub(super) no_vectors: bool,
}

/// The format of a graph's files.
#[derive(Debug, Subcommand)]
pub(super) enum ImportFormat {
    /// Triples, one per line: head, relation, tail, separated by tabs.
    Tsv {
        #[command(flatten)]
        import: ImportArgs,
        #[command(flatten)]
        columns: ColumnArgs,
    },
    /// Triples as CSV: head, relation, tail, separated by commas; fields can be quoted.
    Csv {
        #[command(flatten)]
        import: ImportArgs,
        #[command(flatten)]
        columns: ColumnArgs,
    },
    /// Hetionet: nodes as TSV and edges as SIF (and metaedges.tsv, which explains their abbreviations), or a folder with these files.
    Hetionet {
        #[command(flatten)]
        import: ImportArgs,
    },
    /// PrimeKG: kg.csv.
    Primekg {
        #[command(flatten)]
        import: ImportArgs,
    },
    /// Ontologies in OBO format (Disease Ontology, Human Phenotype Ontology).
    Obo {
        #[command(flatten)]
        import: ImportArgs,
        /// The kind of all terms (default: from their identifiers; DOID is a disease, HP is a symptom).
        #[arg(long)]
        kind: Option<String>,
    },
    /// RDF as N-Triples (.nt) or Turtle (.ttl).
    Rdf {
        #[command(flatten)]
        import: ImportArgs,
        /// The syntax of the file (default: from its extension).
        #[arg(long)]
        syntax: Option<Syntax>,
        /// The languages of labels, best first (default: en, then no language, then zh).
        #[arg(long, value_delimiter = ',', value_name = "LANG,…")]
        languages: Vec<String>,
    },
    /// CSV files for "neo4j-admin import", or one written by "apoc.export.csv".
    Neo4j {
        #[command(flatten)]
        import: ImportArgs,
        /// The character that separates columns.
        #[arg(long, default_value = ",")]
        delimiter: char,
        /// The character that separates the items of a list.
        #[arg(long, default_value = ";")]
        array_delimiter: char,
        /// The column with the name of a node (default: "name", "title" or a similar column).
        #[arg(long, value_name = "COLUMN")]
        name_column: Option<String>,
        /// A column with other names; can be given several times.
        #[arg(long, value_name = "COLUMN")]
        aliases_column: Vec<String>,
    },
    /// The Chinese disease knowledge base: one disease per line, as a JSON object with lists.
    DiseaseJson {
        #[command(flatten)]
        import: ImportArgs,
    },
    /// Names, one per line, as entities of one kind: "disease.txt=disease"; without "=", the kind is the name of the file.
    Dictionary {
        #[command(flatten)]
        import: ImportArgs,
    },
}

impl ImportFormat {
    /// The arguments that every format has.
    pub(super) fn common(&self) -> &ImportArgs {
        match self {
            Self::Tsv { import, .. }
            | Self::Csv { import, .. }
            | Self::Hetionet { import }
            | Self::Primekg { import }
            | Self::Obo { import, .. }
            | Self::Rdf { import, .. }
            | Self::Neo4j { import, .. }
            | Self::DiseaseJson { import }
            | Self::Dictionary { import } => import,
        }
    }

    /// The name of the format on the command line.
    pub(super) fn title(&self) -> &'static str {
        match self {
            Self::Tsv { .. } => "tsv",
            Self::Csv { .. } => "csv",
            Self::Hetionet { .. } => "hetionet",
            Self::Primekg { .. } => "primekg",
            Self::Obo { .. } => "obo",
            Self::Rdf { .. } => "rdf",
            Self::Neo4j { .. } => "neo4j",
            Self::DiseaseJson { .. } => "disease-json",
            Self::Dictionary { .. } => "dictionary",
        }
    }
}

/// The columns of a table of triples: each is a number from 1, or a heading.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ColumnArgs {
    /// Whether the first line holds column headings (default: yes if it has well-known headings).
    #[arg(long, value_enum, default_value_t)]
    pub(super) header: HeaderChoice,
    /// The column of heads, as a number from 1 or a heading (default: the one with a well-known heading, else the first).
    #[arg(long, value_name = "COLUMN")]
    pub(super) head: Option<String>,
    /// The column of relations (default: likewise, else the second).
    #[arg(long, value_name = "COLUMN")]
    pub(super) relation: Option<String>,
    /// The column of tails (default: likewise, else the third).
    #[arg(long, value_name = "COLUMN")]
    pub(super) tail: Option<String>,
    /// The column with the kinds of heads.
    #[arg(long, value_name = "COLUMN")]
    pub(super) head_kind: Option<String>,
    /// The column with the kinds of tails.
    #[arg(long, value_name = "COLUMN")]
    pub(super) tail_kind: Option<String>,
    /// The column with the identifiers of heads.
    #[arg(long, value_name = "COLUMN")]
    pub(super) head_id: Option<String>,
    /// The column with the identifiers of tails.
    #[arg(long, value_name = "COLUMN")]
    pub(super) tail_id: Option<String>,
    /// The character that separates columns (default: a tab for tsv, a comma for csv).
    #[arg(long)]
    pub(super) delimiter: Option<char>,
}

/// Whether the first line of a table holds headings.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(super) enum HeaderChoice {
    /// Headings if they are well known, else a triple.
    #[default]
    Auto,
    /// Headings.
    Yes,
    /// A triple.
    No,
}

/// The syntax of an RDF file.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Syntax {
    /// N-Triples.
    Ntriples,
    /// Turtle.
    Turtle,
}
