//! Claims of a text that is checked, and what graph and documents say of each.

use super::passage::QuotedPassage;

/// What the sources say of a claim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimVerdict {
    /// A source states it.
    Supported,
    /// A source says otherwise.
    Contradicted,
    /// No source says anything of it.
    #[default]
    NotFound,
}

impl ClaimVerdict {
    /// All verdicts.
    pub const ALL: [Self; 3] = [Self::Supported, Self::Contradicted, Self::NotFound];

    /// In a word or two.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Contradicted => "contradicted",
            Self::NotFound => "not found",
        }
    }
}

/// A claim with what the sources say of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckedClaim {
    /// Its text.
    pub text: String,
    /// What the sources say.
    pub verdict: ClaimVerdict,
    /// The statements of the graph that say so, as text.
    pub chains: Vec<String>,
    /// The passages that say so.
    pub passages: Vec<QuotedPassage>,
    /// Whether a language model says that they do, and the rules do not.
    pub by_model: bool,
}
