//! Text as the pipeline needs it: folded for comparison, cut into tokens that remember where they came
//! from, freed of stop words, split into fragments, made safe to show, and read line by line; and plots in characters. Also the
//! generator of pseudo-random numbers, the other thing that every folder may need.

mod count;
mod fold;
mod fragment;
mod lines;
pub(crate) mod plot;
mod random;
mod sanitise;
mod stopwords;

pub(crate) use count::counted;
pub use fold::{Token, fold, is_cjk, tokenise};
pub use fragment::fragments;
pub(crate) use lines::{Lines, LinesRejected, open_lines, told_rejected, told_unreadable};
pub use random::SplitMix64;
pub use sanitise::{clean_line, sanitise, sanitise_line};
pub use stopwords::StopWords;
