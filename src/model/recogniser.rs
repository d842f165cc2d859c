//! The trait of recognisers: networks that find names of drugs and diseases in a text, known to the graph or not.

use std::fmt;

use super::ModelError;

/// What a recognised mention names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MentionType {
    /// A drug or another chemical.
    Chemical,
    /// A disease, symptom or sign.
    Disease,
}

impl MentionType {
    /// All types.
    pub const ALL: [Self; 2] = [Self::Chemical, Self::Disease];

    /// The name that the corpora use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chemical => "Chemical",
            Self::Disease => "Disease",
        }
    }

    /// The type of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.as_str() == name)
    }
}

impl fmt::Display for MentionType {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.as_str())
    }
}

/// A mention that a recogniser found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TypedMention {
    /// Its words, as bytes of the text, in order; more than one part for a mention with gaps ("renal … failure").
    pub parts: Vec<(usize, usize)>,
    /// What it names.
    pub of: MentionType,
}

impl TypedMention {
    /// From its first to its last byte, gaps included.
    pub fn span(&self) -> (usize, usize) {
        (self.parts.first().map_or(0, |part| part.0), self.parts.last().map_or(0, |part| part.1))
    }
}

/// A network that recognises mentions. Owned by one thread; see [`super::RecogniserHandle`].
pub trait Recogniser: Send {
    /// Its name, as messages show it.
    fn name(&self) -> &str;

    /// Where it runs: `cpu`, `cuda:0`, `metal:0`.
    fn device(&self) -> String;

    /// The mentions of each sentence, in their order. A sentence is read as a whole; longer ones than the network takes are read in portions.
    /// `cancelled` is asked between sentences.
    ///
    /// # Errors
    /// If the computation fails or was cancelled ([`ModelError::Cancelled`]).
    fn recognise(&mut self, sentences: &[String], cancelled: &dyn Fn() -> bool) -> Result<Vec<Vec<TypedMention>>, ModelError>;
}
