//! Reading text and asking language models: names recognised and linked to entities of the graph, prompts rendered, short model calls.
//!
//! What the pipeline, feedback and evidence from documents share.

pub(crate) mod abbreviation;
pub(crate) mod comma;
pub(crate) mod common_words;
pub(crate) mod consult;
pub(crate) mod context;
pub(crate) mod denying;
pub(crate) mod direction;
pub(crate) mod exposure;
mod fillers;
pub(crate) mod generate;
pub(crate) mod knowledge;
pub(crate) mod lab;
pub(crate) mod lay;
pub(crate) mod link;
pub(crate) mod link_by_cosine;
pub(crate) mod misspelling;
pub(crate) mod negation;
pub(crate) mod partial_matches;
pub(crate) mod phrase_pattern;
pub(crate) mod phrase_table;
pub(crate) mod phrase_template;
pub(crate) mod pictures;
pub(crate) mod prompt;
pub(crate) mod recognise;
pub(crate) mod refinements;
pub(crate) mod reordered_names;
pub(crate) mod resemblance;
pub(crate) mod spelling;
mod telling_words;
pub(crate) mod word_list;
pub(crate) mod wordings;

pub(crate) use consult::{
    consult_as, first_word_is_yes, numbers_form, numbers_in, objects_in, scores_form, scores_in, texts_form, texts_in, yes_or_no_form,
};
pub use knowledge::Knowledge;
pub use prompt::{PromptError, Prompts, is_small};
