//! The options of `catena eval`.

use std::path::PathBuf;

use clap::Args;

use super::args::{GraphArgs, ModelArgs};
use crate::eval::Measure;
use crate::eval::dataset::DatasetFormat;

#[derive(Debug, Args)]
pub(super) struct EvalArgs {
    /// A file of questions with known answers (gzip is supported): GenMedGPT-5k, MedQA, MedMCQA, PubMedQA, CMMLU, CMB-Clin, CMB-Exam, MMCU,
    /// MedQuAD, SciQ, ScienceQA, WebQuestions, or one JSON object per line, {"id","question","options"?,"answer"?,"gold"?}. With --docs: a
    /// retrieval set, {"id","question","relevant":{"DOCUMENT#SECTION": grade}}.
    #[arg(required_unless_present_any = ["ner", "claims"])]
    pub(super) dataset: Option<PathBuf>,
    /// Score a recogniser of drugs and diseases instead, on a file of marked mentions: IOB, PubTator (both also packed by gzip), or BRAT's .ann (or a
    /// folder of them).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dataset", "diff", "open", "limit", "out"])]
    pub(super) ner: Option<PathBuf>,
    /// Measure instead how well claims that do not hold are detected, as "catena check-answer" checks them: on a file of {"claim","label","kind"?} lines,
    /// with the labels supported, contradicted and not_found. With --docs, documents are sources, too; with --generator, a language model judges.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dataset", "ner", "diff", "open", "limit", "out"])]
    pub(super) claims: Option<PathBuf>,
    /// Which recogniser --ner scores: gazetteer (the names of the graph), w2ner (the network), both (the network, and the names of the graph
    /// where it finds nothing), or a file with the mentions that another program found in the same texts (default: both, where the weights of
    /// W2NER are there).
    #[arg(long, value_name = "R|FILE", requires = "ner")]
    pub(super) recogniser: Option<RecogniserName>,
    /// List N errors of the recogniser too, drawn with --seed: place, type, what is wrong, and what was found instead.
    #[arg(long, value_name = "N", requires = "ner")]
    pub(super) misses: Option<usize>,
    /// Score linking instead of recognising: for each mention of a PubTator file, is the concept of this OBO file (MeSH and OMIM identifiers)
    /// that it links to the marked one?
    #[arg(long, value_name = "OBO", requires = "ner", conflicts_with_all = ["recogniser", "misses"])]
    pub(super) concepts: Option<PathBuf>,
    /// A marked PubTator file whose mentions are further names of the concepts.
    #[arg(long, value_name = "FILE", requires = "concepts")]
    pub(super) train: Option<PathBuf>,
    /// The methods: catena, hykge (as published), rok, wts (also wts-em, wts-esr), kgrag, qe, con, cok, kalmv, kggpt, sure, tog, mindmap, cot, base, embed, and catena or hykge without a part: hykge-hypothesis, -chains, -description, -fragment, -rerank; and catena-ratings.
    /// With --docs: bm25, vector, hybrid, graphrag, idep, idep with parts exchanged (idep-published, -neighbours, -exact, -cosine, -n5), or "ablations" for
    /// all of the paper's (default: bm25,idep). The others are compared with the first.
    #[arg(long, value_name = "M[,M…]", value_delimiter = ',', default_value = "catena")]
    pub(super) method: Vec<String>,
    /// Documents ("catena docs import" makes a collection): of a retrieval set, measures how well passages of this collection are found; questions of every
    /// other file are answered with the documents as sources, also by the methods idep, bm25, vector and graphrag.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) docs: Vec<String>,
    /// A TOML file with settings of idep, for comparing them; what it leaves out is as usual.
    #[arg(long, value_name = "FILE", requires = "docs")]
    pub(super) weights: Option<PathBuf>,
    /// The number of questions, drawn at random (default: all).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) limit: Option<u64>,
    /// The seed of every random choice: which questions are drawn, what models sample, the resampling for confidence intervals.
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(super) seed: u64,
    /// The format of the file, if Catena cannot recognise it: genmedgpt, medqa, medmcqa, pubmedqa, cmmlu, cmb-clin, medquad, cmb-exam,
    /// sciq, scienceqa, webquestions, mmcu, generic.
    #[arg(long, value_name = "F")]
    pub(super) format: Option<DatasetFormat>,
    /// The longest chain, in relations: 1 to 5 (default: 3). Several values are compared.
    #[arg(long, value_name = "N[,N…]", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=i64::from(MOST_HOPS)))]
    pub(super) k: Vec<u16>,
    /// How many chains to keep as evidence: 1 to 1000 (default: 10). Several values are compared.
    #[arg(long, value_name = "N[,N…]", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(super) top_k: Vec<u16>,
    /// How similar a mention and an entity name must be to be linked: 0 to 1 (default: the encoder's own threshold).
    #[arg(long, value_name = "X")]
    pub(super) delta: Option<f64>,
    /// How many words a fragment of question and hypothesis has (HyKGE's lc): 1 to 1000 (default: 10).
    #[arg(long, value_name = "N")]
    pub(super) fragment_words: Option<usize>,
    /// How many words neighbouring fragments share (HyKGE's oc), fewer than a fragment has (default: 4).
    #[arg(long, value_name = "N")]
    pub(super) fragment_overlap: Option<usize>,
    /// Run each method as its paper has it: without safety pass, gates and the fixed lines of the answer; with a language model, it writes the answer of
    /// every method but catena.
    #[arg(long)]
    pub(super) bare: bool,
    /// Do not use the DKG.
    #[arg(long)]
    pub(super) without_learned: bool,
    /// The folder for results, recordings and the report (default: one in Catena's data folder). The same command continues an interrupted evaluation.
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long, conflicts_with_all = ["diff", "open"])]
    pub(super) json: bool,
    /// List the questions on which the first two methods differ, the largest difference first.
    #[arg(long)]
    pub(super) diff: bool,
    /// Show the questions on which the first two methods differ side by side in the terminal interface, starting at this ID if you give one.
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub(super) open: Option<String>,
    /// The metric for --diff and --open, by its name in the JSON report, such as key_entity_tests, recall_kept or exact_match.
    #[arg(long, value_name = "MEASURE")]
    pub(super) measure: Option<Measure>,
    #[command(flatten)]
    pub(super) graph: GraphArgs,
    #[command(flatten)]
    pub(super) models: ModelArgs,
}

/// A recogniser that `--ner` can score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RecogniserName {
    /// The names of the graph.
    Gazetteer,
    /// The network W2NER.
    W2ner,
    /// The network, and the names of the graph where it finds nothing.
    Both,
    /// None: what another program found.
    File(PathBuf),
}

impl RecogniserName {
    /// The names, as they are typed.
    pub(super) const ALL: [&str; 3] = ["gazetteer", "w2ner", "both"];
}

impl std::str::FromStr for RecogniserName {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "gazetteer" => Self::Gazetteer,
            "w2ner" => Self::W2ner,
            "both" => Self::Both,
            path => Self::File(PathBuf::from(path)),
        })
    }
}

impl std::fmt::Display for RecogniserName {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Gazetteer => to.write_str("gazetteer"),
            Self::W2ner => to.write_str("w2ner"),
            Self::Both => to.write_str("both"),
            Self::File(path) => write!(to, "{}", path.display()),
        }
    }
}

/// [`crate::graph::MAX_HOPS`] in the type of the option.
const MOST_HOPS: u16 = crate::graph::MAX_HOPS as u16;
