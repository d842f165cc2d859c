//! How the screen looks: the theme, and the colours that the terminal has.

use crate::config::LanguageChoice;
use crate::tui::TuiOptions;
use crate::tui::theme::{Colours, Theme};

/// How the screen looks.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) theme: Theme,
    pub(crate) colours: Colours,
    /// The language that is set for the interface.
    pub(crate) language: LanguageChoice,
}

impl Look {
    /// The user's theme, or the dark one; `warn` receives why the user's cannot be used.
    pub(super) fn new(options: &TuiOptions, warn: &mut impl FnMut(String)) -> Self {
        let colours = options.colours;
        let theme = Theme::load(&options.theme, colours).unwrap_or_else(|error| {
            warn(format!("Your theme is not used: {error}."));
            Theme::load("dark", colours).unwrap_or_else(|_| Theme::bare())
        });
        Self { theme, colours, language: options.language }
    }
}
