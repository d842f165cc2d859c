//! How the screen looks: the theme, and the colours that the terminal has.

use crate::config::LanguageChoice;
use crate::tui::TuiOptions;
use crate::tui::theme::{Colours, Theme};
use crate::words::Language;

/// How the screen looks.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) theme: Theme,
    pub(crate) colours: Colours,
    /// The language that is set for the interface.
    pub(crate) language: LanguageChoice,
    /// The language of the last question that was asked: another one changes the screen, and is said.
    pub(crate) asked_in: Language,
}

impl Look {
    /// The user's theme, or the dark one; `warn` receives why the user's cannot be used.
    pub(super) fn new(options: &TuiOptions, warn: &mut impl FnMut(String)) -> Self {
        let colours = options.colours;
        let theme = Theme::load(&options.theme, colours).unwrap_or_else(|error| {
            warn(format!("Your theme is not used: {error}."));
            Theme::load("dark", colours).unwrap_or_else(|_| Theme::bare())
        });
        Self { theme, colours, language: options.language, asked_in: Language::default() }
    }
}
