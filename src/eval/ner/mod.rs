//! Evaluation of recognisers: how many of the mentions that people marked in a text are found, and how many of those found are marked.
//!
//! `read.rs` tells the forms of files apart; `iob.rs`, `pubtator.rs` and `brat.rs` read them; `find.rs` runs the recognisers; `score.rs`
//! counts; `misses.rs` lists errors; `predictions.rs` reads what another program found; `normalise.rs` links mentions to concepts.

mod brat;
mod find;
mod iob;
mod misses;
mod normalise;
mod predictions;
mod pubtator;
mod read;
mod score;

pub use find::{NerRecogniser, found_in};
pub use misses::{MissKind, NerMiss, NerMisses};
pub use normalise::{ConceptNames, NormalisationReport, NormaliseError};
pub use read::{NerCorpus, NerError};
pub use score::{NerReport, SpanScores};

/// A mention in a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MarkedMention {
    /// Its words, as bytes of the text, in order; more than one part for a mention with gaps.
    pub parts: Vec<(usize, usize)>,
    /// Its type, by the name that reports use.
    pub of: String,
}

impl MarkedMention {
    /// A mention without gaps, of a type as a corpus names it.
    fn whole(begin: usize, end: usize, of: &str) -> Self {
        Self { parts: vec![(begin, end)], of: usual_type(of).to_owned() }
    }

    fn span(&self) -> (usize, usize) {
        (self.parts.first().map_or(0, |part| part.0), self.parts.last().map_or(0, |part| part.1))
    }

    fn overlaps(&self, other: &Self) -> bool {
        let ((begin, end), (other_begin, other_end)) = (self.span(), other.span());
        begin < other_end && other_begin < end
    }
}

/// A text with the mentions that are marked in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkedText {
    /// Its id in the file; empty where it has none.
    pub id: String,
    /// The text.
    pub text: String,
    /// Whether it is one sentence, to be read as a whole.
    pub is_sentence: bool,
    /// What is marked in it.
    pub mentions: Vec<MarkedMention>,
    /// What the file says of the concept of each mention; empty where the form has no place for it.
    pub concepts: Vec<String>,
}

/// The type of mentions under the name that Catena's recognisers use; other types keep their name.
fn usual_type(of: &str) -> &str {
    match of {
        "Drug" | "drug" | "DRUG" | "Chemical" | "CHEMICAL" | "chemical" => "Chemical",
        // The four classes of the NCBI disease corpus are one type.
        "SpecificDisease" | "DiseaseClass" | "Modifier" | "CompositeMention" | "Disease" | "DISEASE" | "disease" => "Disease",
        other => other,
    }
}
