//! Importing graphs: each format by a small example and by real data, and what hostile or broken files come to.

mod disease_json;
mod files;
pub(crate) mod graphs;
mod hostile;
mod ontologies;
mod rdf;
mod real;
mod tables;
mod triples;
