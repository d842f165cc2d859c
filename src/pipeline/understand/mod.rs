//! Understanding the question: the case that it describes, what it asks for, and the anchors that argue for something.

mod allergens;
mod animals;
mod answered;
mod ask_cues;
mod asked_class;
mod asked_result;
mod asks;
mod beside_results;
mod case;
mod corrections;
pub(crate) mod course;
mod denied_part;
mod denied_verbs;
mod denying_names;
mod drugs;
mod eponym;
mod exchange;
mod findings;
pub(crate) mod gate;
pub(crate) mod general;
mod hedges;
pub(crate) mod intent;
mod layout;
mod likeness;
pub(crate) mod named;
mod not_clinical;
mod offered_before;
mod open_question;
mod others;
pub(crate) mod overdose;
mod overdose_weight;
pub(crate) mod patient;
mod pictured;
pub(crate) mod prevention;
pub(crate) mod question;
mod reactions;
mod recognised;
mod refine;
pub(crate) mod register;
mod scope;
mod short_drug;
mod signs;
pub(crate) mod stopping;
pub(crate) mod suspected_condition;
mod swallowed;
mod tested_for;
mod times;
pub(crate) mod unknown;
mod unread;
pub(crate) mod using;
pub(crate) mod wanted_drug;
mod whose;

#[cfg(test)]
mod reading_tests;
#[cfg(test)]
mod tests;
