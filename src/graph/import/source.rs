//! The import formats, with their files and options.

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
        /// How to read them.
        options: TriplesOptions,
    },
    /// Hetionet: nodes as TSV, edges as SIF.
    Hetionet {
        /// Columns id, name, kind.
        nodes: InputFile,
        /// Columns source, metaedge, target.
        edges: Vec<InputFile>,
        /// Columns metaedge, abbreviation: the meaning of each metaedge's abbreviation.
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
        /// The kind of all terms; by default it follows from their identifiers (DOID: disease, HP: symptom, …).
        kind: Option<Kind>,
    },
    /// RDF as N-Triples or Turtle.
    Rdf {
        /// The files.
        files: Vec<InputFile>,
        /// How to read them.
        options: RdfOptions,
    },
    /// CSV for `neo4j-admin import`, or written by `apoc.export.csv`; recognised by the headings.
    Neo4j {
        /// Files of nodes and of relationships, in any order.
        files: Vec<InputFile>,
        /// How to read them.
        options: Neo4jOptions,
    },
    /// The Chinese disease knowledge base (`medical.json`): one disease on each line, as JSON.
    DiseaseJson {
        /// The files.
        files: Vec<InputFile>,
    },
    /// Names, one on each line.
    Dictionary {
        /// The files, each with the kind of its names; `None` for unknown.
        files: Vec<(InputFile, Option<Kind>)>,
    },
}

/// An import format, with its default options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphFormat {
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
    /// Names, one on each line.
    Dictionary,
}

impl GraphFormat {
    /// All formats.
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

/// The byte between several files in one byte string (ASCII's file separator).
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

    /// Bytes as a graph of this format. For formats of several files, the byte 0x1C separates the files.
    pub fn from_bytes(format: GraphFormat, bytes: &[u8]) -> Self {
        let several =
            || bytes.split(|b| *b == FILE_SEPARATOR).enumerate().map(|(i, part)| InputFile::in_memory(&format!("file {i}"), part));
        let files = || vec![InputFile::in_memory("file", bytes)];
        let rdf = |syntax| Self::Rdf { files: files(), options: RdfOptions { syntax: Some(syntax), ..RdfOptions::default() } };
        match format {
            GraphFormat::Tsv => Self::Triples { files: files(), options: TriplesOptions::tsv() },
            GraphFormat::Csv => Self::Triples { files: files(), options: TriplesOptions::csv() },
            GraphFormat::Hetionet => {
                let mut parts = several();
                let nodes = parts.next().unwrap_or_else(|| InputFile::in_memory("nodes", []));
                Self::Hetionet { nodes, edges: parts.next().into_iter().collect(), metaedges: parts.next() }
            }
            GraphFormat::PrimeKg => Self::PrimeKg { files: files() },
            GraphFormat::Obo => Self::Obo { files: several().collect(), kind: None },
            GraphFormat::NTriples => rdf(RdfSyntax::NTriples),
            GraphFormat::Turtle => rdf(RdfSyntax::Turtle),
            GraphFormat::Neo4j => Self::Neo4j { files: several().collect(), options: Neo4jOptions::default() },
            GraphFormat::DiseaseJson => Self::DiseaseJson { files: files() },
            GraphFormat::Dictionary => Self::Dictionary { files: files().into_iter().map(|file| (file, Some(Kind::Disease))).collect() },
        }
    }
}
