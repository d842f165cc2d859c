//! Keys and the question editor: the keymap, keys that wait for another, and what is being typed.

use std::sync::Arc;

use crate::run::Case;
use crate::tui::editor::Editor;
use crate::tui::history::{self, History};
use crate::tui::key::KeyPress;
use crate::tui::keymap::Keymap;
use crate::tui::{TuiError, TuiOptions};

/// Keys and the question editor.
#[derive(Debug)]
pub(crate) struct InputState {
    pub(crate) keymap: Keymap,
    /// Keys that were pressed and wait for another.
    pub(crate) pending: Vec<KeyPress>,
    pub(crate) editor: Editor,
    /// The case that the next question continues.
    pub(crate) follows: Option<Arc<Case>>,
    /// The condition that comes first in the run of that case.
    pub(crate) led: Option<String>,
    /// The question on the screen was taken into the editor, to be asked again in these or other words.
    pub(crate) asks_again: bool,
    /// The example question that comes next.
    pub(crate) next_example: usize,
}

impl InputState {
    /// An empty editor with the user's keymap and earlier questions. `warn` receives why one of them cannot be used.
    ///
    /// # Errors
    /// If the built-in keymap cannot be read.
    pub(super) fn new(options: &TuiOptions, warn: &mut impl FnMut(String)) -> Result<Self, TuiError> {
        let keymap = match options.keymap.as_deref().map(Keymap::with_user) {
            Some(Ok(keymap)) => keymap,
            Some(Err(error)) => {
                warn(format!("Your keymap is not used: {error}."));
                Keymap::built_in()?
            }
            None => Keymap::built_in()?,
        };
        let past = options.history.as_deref().map_or_else(Vec::new, |path| {
            history::load(path).unwrap_or_else(|error| {
                warn(format!("Earlier questions could not be read from {}: {error}.", path.display()));
                Vec::new()
            })
        });
        let editor = Editor::new(History::new(past));
        Ok(Self { keymap, pending: Vec::new(), editor, follows: None, led: None, asks_again: false, next_example: 0 })
    }
}
