//! Evidence from documents (EbmKG and IdepRAG): documents become units, units evidence, evidence entities and topics; and a question finds the
//! passages that answer it.
//!
//! A collection is one immutable file ([`Collection`]); a [`DocumentStore`] keeps them in the data folder; a [`Searcher`] ranks passages.

mod build;
mod collection;
mod document;
mod error;
mod label;
mod names;
mod passage;
pub mod reader;
mod search;
mod segment;
mod store;
mod terms;

pub use build::{BuildStep, CollectionMeta};
pub use collection::{Collection, StoredSection};
pub use document::{Document, LONGEST_SECTION, ReadReport, Section};
pub use error::CollectionError;
pub use label::{AskedLabels, Label};
pub use passage::sentences;
pub use search::{Passage, SearchMethod, SearchOptions, Searcher, UnknownSearchMethod, Weights};
pub use store::{Change, DocumentStore, is_collection_name};
