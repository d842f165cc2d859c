//! Messages on standard error; standard output is for data.

use std::io::{Write, stderr};

use crate::text::sanitise;

/// Prints a message as `catena: TEXT`, with control characters removed.
///
/// # Errors
/// If standard error does not take it.
pub(super) fn note(text: &str) -> std::io::Result<()> {
    writeln!(stderr(), "catena: {}", sanitise(text))
}
