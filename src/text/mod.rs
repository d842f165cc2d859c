//! Text as the pipeline needs it: folded for comparison, cut into tokens that remember where they came
//! from, freed of stop words, split into fragments, and made safe to show.

mod fold;
mod fragment;
mod sanitise;
mod stopwords;

pub use fold::{Token, fold, is_cjk, tokenise};
pub use fragment::fragments;
pub use sanitise::{clean_line, sanitise, sanitise_line};
pub use stopwords::StopWords;
