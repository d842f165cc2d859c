//! What can be typed after `catena kg import`: a format, its files and its options.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// What every import needs.
#[derive(Debug, Clone, Args)]
pub(super) struct ImportArgs {
    /// The file, or files; compressed ones (.gz) are read as they are.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// The name under which the graph will be known.
    #[arg(long)]
    pub(super) name: String,
    /// A file of relation roles, read before the built-in rules (form: assets/roles.toml).
    #[arg(long, value_name = "FILE")]
    pub(super) roles: Option<PathBuf>,
    /// Leave the names of a large graph to be embedded when it is first asked.
    #[arg(long)]
    pub(super) no_vectors: bool,
}

/// The format of a graph's files.
#[derive(Debug, Subcommand)]
pub(super) enum ImportFormat {
    /// Triples, one a line: head, relation, tail, separated by tabs.
    Tsv {
        #[command(flatten)]
        import: ImportArgs,
        #[command(flatten)]
        columns: ColumnArgs,
    },
    /// Triples as CSV: head, relation, tail, separated by commas; fields may be quoted.
    Csv {
        #[command(flatten)]
        import: ImportArgs,
        #[command(flatten)]
        columns: ColumnArgs,
    },
    /// Hetionet: nodes as TSV and edges as SIF (and metaedges.tsv, which spells their abbreviations out), or a folder with them.
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
        /// The kind of all terms (default: told from their identifiers: DOID is a disease, HP a symptom).
        #[arg(long)]
        kind: Option<String>,
    },
    /// RDF as N-Triples (.nt) or Turtle (.ttl).
    Rdf {
        #[command(flatten)]
        import: ImportArgs,
        /// How it is written (default: by the file's ending).
        #[arg(long)]
        syntax: Option<Syntax>,
        /// Languages of labels, the preferred first (default: en, then none, then zh).
        #[arg(long, value_delimiter = ',', value_name = "LANG,…")]
        languages: Vec<String>,
    },
    /// CSV files for "neo4j-admin import", or one written by "apoc.export.csv".
    Neo4j {
        #[command(flatten)]
        import: ImportArgs,
        /// The character between columns.
        #[arg(long, default_value = ",")]
        delimiter: char,
        /// The character between the items of a list.
        #[arg(long, default_value = ";")]
        array_delimiter: char,
        /// The column that names a node (default: "name", "title" …, whichever there is).
        #[arg(long, value_name = "COLUMN")]
        name_column: Option<String>,
        /// A column of other names; may be given several times.
        #[arg(long, value_name = "COLUMN")]
        aliases_column: Vec<String>,
    },
    /// The Chinese disease knowledge base: a disease a line as JSON, with list-valued fields.
    DiseaseJson {
        #[command(flatten)]
        import: ImportArgs,
    },
    /// Names, one a line, as entities of a kind: "disease.txt=disease"; without "=", the file's name is the kind.
    Dictionary {
        #[command(flatten)]
        import: ImportArgs,
    },
}

impl ImportFormat {
    /// What every format has.
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

    /// The format's name, as it is typed.
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

/// Which column of a table of triples is what: a number from 1, or a heading.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ColumnArgs {
    /// Whether the first line names the columns (default: it does if it has well-known headings).
    #[arg(long, value_enum, default_value_t)]
    pub(super) header: HeaderChoice,
    /// The column of heads (default: the one with a well-known heading, else the first).
    #[arg(long, value_name = "COLUMN")]
    pub(super) head: Option<String>,
    /// The column of relations (default: the second).
    #[arg(long, value_name = "COLUMN")]
    pub(super) relation: Option<String>,
    /// The column of tails (default: the third).
    #[arg(long, value_name = "COLUMN")]
    pub(super) tail: Option<String>,
    /// The column of the heads' kinds.
    #[arg(long, value_name = "COLUMN")]
    pub(super) head_kind: Option<String>,
    /// The column of the tails' kinds.
    #[arg(long, value_name = "COLUMN")]
    pub(super) tail_kind: Option<String>,
    /// The column of the heads' identifiers.
    #[arg(long, value_name = "COLUMN")]
    pub(super) head_id: Option<String>,
    /// The column of the tails' identifiers.
    #[arg(long, value_name = "COLUMN")]
    pub(super) tail_id: Option<String>,
    /// The character between columns (default: a tab for tsv, a comma for csv).
    #[arg(long)]
    pub(super) delimiter: Option<char>,
}

/// Whether the first line of a table names its columns.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(super) enum HeaderChoice {
    /// It does if it has well-known headings.
    #[default]
    Auto,
    /// It does.
    Yes,
    /// It is a triple.
    No,
}

/// How RDF is written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Syntax {
    /// N-Triples.
    Ntriples,
    /// Turtle.
    Turtle,
}
