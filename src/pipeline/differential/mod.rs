//! The differential: which conditions account for the question's findings, and how sure each result is.

pub(crate) mod assess;
mod befits;
mod besides;
pub(crate) mod confidence;
mod contact;
pub(crate) mod evidence;
pub(crate) mod flagged;
mod gives_way;
mod interactions;
mod known;
mod likelihood;
pub(crate) mod of_drugs;
mod order;
mod outclassed;
mod pictured;
mod precursor;
pub(crate) mod prevalence;
mod ruled_out;
mod seeks_diagnosis;
pub(crate) mod typicality;
pub(crate) mod under_care;
pub(crate) mod word_accounts;
