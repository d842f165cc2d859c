//! What can be imported: the formats with their files and options.

use super::input::InputFile;
use super::neo4j::Neo4jOptions;
use super::rdf::{RdfOptions, RdfSyntax};
use super::triples::TriplesOptions;
use crate::graph::Kind;

/// A graph to import: its format, files and options.
#[derive(Debug, Clone)]
pub enum ImportSource {
    /// Tables of triples.
    Triples {
        /// The files, all of one form.
        files: Vec<InputFile>,
        /// How they are to be read.
        options: TriplesOptions,
    },
    /// Hetionet: nodes as TSV, edges as SIF.
    Hetionet {
        /// Columns id, name, kind.
        nodes: InputFile,
        /// Columns source, metaedge, target.
        edges: Vec<InputFile>,
        /// Columns metaedge, abbreviation: what the abbreviations of metaedges mean.
        metaedges: Option<InputFile>,
    },
    /// PrimeKG: `kg.csv`.
    PrimeKg {
        /// The files.
        files: Vec<InputFile>,
    },
    /// Ontologies in OBO 1.2 or 1.4.
    Obo {
        /// The files; terms may refer to those of other files.
        files: Vec<InputFile>,
        /// The kind of all terms; by default it is told from their identifiers (DOID: disease, HP: symptom, …).
        kind: Option<Kind>,
    },
    /// RDF as N-Triples or Turtle.
    Rdf {
        /// The files.
        files: Vec<InputFile>,
        /// How they are to be read.
        options: RdfOptions,
    },
    /// CSV for `neo4j-admin import`, or written by `apoc.export.csv`; the headings tell which a file is.
    Neo4j {
        /// Files of nodes and of relationships, in any order.
        files: Vec<InputFile>,
        /// How they are to be read.
        options: Neo4jOptions,
    },
    /// The Chinese disease knowledge base (`medical.json`): a disease a line as JSON.
    DiseaseJson {
        /// The files.
        files: Vec<InputFile>,
    },
    /// Names, one a line.
    Dictionary {
        /// The files, each with the kind of its names; none for names of unknown kind.
        files: Vec<(InputFile, Option<Kind>)>,
    },
}

/// A format, with the options it has when nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Triples, separated by tabs.
    Tsv,
    /// Triples, separated by commas.
    Csv,
    /// Hetionet: nodes, edges, metaedges.
    Hetionet,
    /// PrimeKG's `kg.csv`.
    PrimeKg,
    /// OBO.
    Obo,
    /// RDF as N-Triples.
    NTriples,
    /// RDF as Turtle.
    Turtle,
    /// Neo4j's CSV, in any number of files.
    Neo4j,
    /// Diseases as JSON lines.
    DiseaseJson,
    /// Names, one a line.
    Dictionary,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Tsv,
        Self::Csv,
        Self::Hetionet,
        Self::PrimeKg,
        Self::Obo,
        Self::NTriples,
        Self::Turtle,
        Self::Neo4j,
        Self::DiseaseJson,
        Self::Dictionary,
    ];
}

/// The byte between files that are given as one (ASCII's file separator).
const FILE_SEPARATOR: u8 = 0x1c;

impl ImportSource {
    /// All files of the graph.
    pub fn files(&self) -> Vec<&InputFile> {
        match self {
            Self::Triples { files, .. }
            | Self::PrimeKg { files }
            | Self::Obo { files, .. }
            | Self::Rdf { files, .. }
            | Self::Neo4j { files, .. }
            | Self::DiseaseJson { files } => files.iter().collect(),
            Self::Hetionet { nodes, edges, metaedges } => std::iter::once(nodes).chain(edges).chain(metaedges).collect(),
            Self::Dictionary { files } => files.iter().map(|(file, _)| file).collect(),
        }
    }

    /// Bytes as a graph of this format; files of formats that have several are divided by the byte 0x1C.
    pub fn from_bytes(format: Format, bytes: &[u8]) -> Self {
        let several =
            || bytes.split(|b| *b == FILE_SEPARATOR).enumerate().map(|(i, part)| InputFile::in_memory(&format!("file {i}"), part));
        let files = || vec![InputFile::in_memory("file", bytes)];
        let rdf = |syntax| Self::Rdf { files: files(), options: RdfOptions { syntax: Some(syntax), ..RdfOptions::default() } };
        match format {
            Format::Tsv => Self::Triples { files: files(), options: TriplesOptions::tsv() },
            Format::Csv => Self::Triples { files: files(), options: TriplesOptions::csv() },
            Format::Hetionet => {
                let mut parts = several();
                let nodes = parts.next().unwrap_or_else(|| InputFile::in_memory("nodes", []));
                Self::Hetionet { nodes, edges: parts.next().into_iter().collect(), metaedges: parts.next() }
            }
            Format::PrimeKg => Self::PrimeKg { files: files() },
            Format::Obo => Self::Obo { files: several().collect(), kind: None },
            Format::NTriples => rdf(RdfSyntax::NTriples),
            Format::Turtle => rdf(RdfSyntax::Turtle),
            Format::Neo4j => Self::Neo4j { files: several().collect(), options: Neo4jOptions::default() },
            Format::DiseaseJson => Self::DiseaseJson { files: files() },
            Format::Dictionary => Self::Dictionary { files: files().into_iter().map(|file| (file, Some(Kind::Disease))).collect() },
        }
    }
}
