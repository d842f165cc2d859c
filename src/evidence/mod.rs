//! Evidence from documents (EbmKG and IdepRAG): documents become units, units evidence, evidence entities and topics; and a question finds the
//! passages that answer it.
//!
//! A collection is an immutable file, with at most one small addition beside it ([`Collection`]); a [`DocumentStore`] keeps them in the data
//! folder; a [`Searcher`] ranks passages.

mod build;
mod claim;
mod collection;
mod document;
mod error;
mod label;
mod layers;
mod library;
mod model_reader;
mod names;
mod passage;
pub mod reader;
mod reading;
mod search;
mod segment;
mod stated;
mod stating;
mod store;
mod terms;

pub use build::{BuildStep, CollectionMeta, WithoutEvidence};
pub(crate) use claim::says_otherwise;
pub use collection::{Collection, StoredSection};
pub use document::{Document, LONGEST_SECTION, ReadReport, Section};
pub use error::CollectionError;
pub use label::{AskedLabels, Label};
pub use library::Library;
pub use model_reader::{ModelReader, ModelReport};
pub(crate) use passage::is_quotable;
pub use passage::sentences;
pub use reading::Reading;
pub use search::{
    Advisor, Fit, Package, Passage, SearchMethod, SearchOptions, Searcher, TopicSampling, UnknownSearchMethod, Variant, Weights,
};
pub use stated::{PassageStatement, statements_in};
pub use stating::{Sought, takes_back};
pub use store::{Change, DocumentStore, is_collection_name};
