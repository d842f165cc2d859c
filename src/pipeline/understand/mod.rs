//! Understanding the question: what it asks for, what it says of the patient, which condition it suspects.

pub(crate) mod gate;
pub(crate) mod intent;
pub(crate) mod patient;
pub(crate) mod question;
pub(crate) mod suspected_condition;
