//! Text utilities: folding for comparison, tokens with offsets into the original, stop words, fragments, sentences, sanitising, counts in
//! words, reading line by line and within bounds, quotations in texts, and plots made of characters; and the generator of pseudo-random numbers.

mod bounded;
mod count;
mod fold;
mod fragment;
mod lines;
pub(crate) mod plot;
mod quotes;
mod random;
mod sanitise;
mod segment;
mod sentence;
mod stopwords;
pub(crate) mod suggest;

pub(crate) use bounded::{Bounded, UNPACKS_TO_TOO_MUCH, most_unpacked};
pub(crate) use count::{counted, grouped};
pub use fold::{Token, fold, is_chinese, is_cjk, tokenise};
pub(crate) use fold::{capitalised, clause_around, ends_within_word, word};
pub(crate) use fragment::stretch;
pub use fragment::{fragments, word_fragments};
pub(crate) use lines::{LinesRejected, NumberedLines, describe_rejected, describe_unreadable, open_lines};
pub(crate) use quotes::{Quotes, quoted_in};
pub use random::SplitMix64;
pub use sanitise::{clean_line, sanitise, sanitise_line};
pub use segment::{segment, share_in_dictionary};
pub(crate) use sentence::sentences;
pub use stopwords::StopWords;
