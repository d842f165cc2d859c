//! Themes: how each thing looks. Built-in ones are `assets/themes/*.toml`; a user's own is read by path.

use std::path::Path;

use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::BorderType;
use serde::Deserialize;

use super::styled_text::SpanStyle;
use crate::run::Mark;

const BUILT_IN: [(&str, &str); 4] = [
    ("dark", include_str!("../../assets/themes/dark.toml")),
    ("light", include_str!("../../assets/themes/light.toml")),
    ("high-contrast", include_str!("../../assets/themes/high-contrast.toml")),
    ("colour-blind", include_str!("../../assets/themes/colour-blind.toml")),
];

/// How many colours the terminal can show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Colours {
    /// None: signs and weights say everything (`NO_COLOR`).
    None,
    /// The terminal's sixteen.
    #[default]
    Sixteen,
    /// All of them.
    Full,
}

impl Colours {
    /// What the environment says: `NO_COLOR` (<https://no-color.org>), `TERM`, `COLORTERM`.
    pub fn from_env() -> Self {
        let var = |name: &str| std::env::var(name).unwrap_or_default();
        if !var("NO_COLOR").is_empty() || var("TERM") == "dumb" {
            Self::None
        } else if matches!(var("COLORTERM").as_str(), "truecolor" | "24bit") {
            Self::Full
        } else {
            Self::Sixteen
        }
    }
}

/// Why a theme could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ThemeError {
    /// There is neither a built-in theme nor a file of that name.
    #[error("theme `{name}` not found: it is neither built in (dark, light, high-contrast, colour-blind) nor a readable file: {source}")]
    NotFound {
        /// The name.
        name: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is no theme.
    #[error("the theme `{name}` cannot be used: {message}")]
    Syntax {
        /// The name.
        name: String,
        /// What does not fit, and where.
        message: String,
    },
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ThemeFile {
    borders: Borders,
    colours: Palette,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Borders {
    Plain,
    Rounded,
    Thick,
}

/// One look: a colour for terminals with all colours, its stand-in among the sixteen, and weights.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct StyleSpec {
    fg: Option<String>,
    ansi: Option<String>,
    bg: Option<String>,
    ansi_bg: Option<String>,
    #[serde(default)]
    bold: bool,
    #[serde(default)]
    dim: bool,
    #[serde(default)]
    italic: bool,
    #[serde(default)]
    underline: bool,
    #[serde(default)]
    reversed: bool,
}

impl StyleSpec {
    fn style(&self, colours: Colours) -> Result<Style, String> {
        let read = |full: &Option<String>, ansi: &Option<String>| {
            let text = match colours {
                Colours::None => None,
                Colours::Sixteen => ansi.as_ref().or(full.as_ref()),
                Colours::Full => full.as_ref().or(ansi.as_ref()),
            };
            text.map(|t| t.parse::<Color>().map_err(|_| format!("`{t}` is not a colour"))).transpose()
        };
        let weights = [
            (self.bold, Modifier::BOLD),
            (self.dim, Modifier::DIM),
            (self.italic, Modifier::ITALIC),
            (self.underline, Modifier::UNDERLINED),
            (self.reversed, Modifier::REVERSED),
        ];
        let mut style = Style::new();
        style.fg = read(&self.fg, &self.ansi)?;
        style.bg = read(&self.bg, &self.ansi_bg)?;
        for (_, weight) in weights.iter().filter(|(on, _)| *on) {
            style = style.add_modifier(*weight);
        }
        Ok(style)
    }
}

macro_rules! palette {
    ($($(#[$meta:meta])? $field:ident),* $(,)?) => {
        #[derive(Debug, Clone, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Palette { $($(#[$meta])? $field: StyleSpec),* }

        #[derive(Debug, Clone, Default)]
        pub(crate) struct Styles { $(pub(crate) $field: Style),* }

        impl Palette {
            fn styles(&self, colours: Colours) -> Result<Styles, String> {
                Ok(Styles { $($field: self.$field.style(colours).map_err(|e| format!("{}: {e}", stringify!($field)))?),* })
            }
        }
    };
}

palette!(
    screen,
    dim,
    strong,
    heading,
    border,
    border_focused,
    title,
    title_focused,
    relation,
    question,
    hypothesis,
    #[serde(default)]
    model,
    graph,
    corrected,
    learned,
    unlinked,
    citation,
    selected,
    selected_unfocused,
    cited,
    key,
    good,
    warning,
    error,
    busy,
    bar
);

/// How everything looks.
#[derive(Debug, Clone)]
pub struct Theme {
    pub(crate) name: String,
    pub(crate) styles: Styles,
    pub(crate) border_type: BorderType,
}

impl Theme {
    /// The names of the built-in themes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// A built-in theme by name, or a file by path.
    ///
    /// # Errors
    /// If there is none of that name, or the file is no theme.
    pub fn load(name: &str, colours: Colours) -> Result<Self, ThemeError> {
        match BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            Some((_, text)) => Self::parse(name, text, colours),
            None => {
                let text =
                    std::fs::read_to_string(Path::new(name)).map_err(|source| ThemeError::NotFound { name: name.to_owned(), source })?;
                Self::parse(name, &text, colours)
            }
        }
    }

    /// The theme after this one.
    pub(crate) fn next(&self, colours: Colours) -> Option<Self> {
        let at = BUILT_IN.iter().position(|(name, _)| *name == self.name).map_or(0, |at| (at + 1) % BUILT_IN.len());
        Self::load(BUILT_IN[at].0, colours).ok()
    }

    /// A theme without any style: what is left when nothing can be read.
    pub(crate) fn bare() -> Self {
        Self { name: "bare".into(), styles: Styles::default(), border_type: BorderType::Plain }
    }

    fn parse(name: &str, text: &str, colours: Colours) -> Result<Self, ThemeError> {
        let wrong = |message: String| ThemeError::Syntax { name: name.to_owned(), message };
        let file: ThemeFile = toml::from_str(text).map_err(|e| wrong(e.to_string()))?;
        let mut styles = file.colours.styles(colours).map_err(wrong)?;
        if styles.model == Style::default() {
            // A theme from before there was this mark.
            styles.model = styles.hypothesis.add_modifier(Modifier::ITALIC);
        }
        if colours == Colours::None {
            // The selection is a background in every theme, and would vanish.
            styles.selected = styles.selected.add_modifier(Modifier::REVERSED);
        }
        let border_type = match file.borders {
            Borders::Plain => BorderType::Plain,
            Borders::Rounded => BorderType::Rounded,
            Borders::Thick => BorderType::Thick,
        };
        Ok(Self { name: name.to_owned(), styles, border_type })
    }

    pub(crate) fn mark(&self, mark: Mark) -> Style {
        match mark {
            Mark::Question => self.styles.question,
            Mark::Hypothesis => self.styles.hypothesis,
            Mark::Model => self.styles.model,
            Mark::Graph => self.styles.graph,
            Mark::Contested => self.styles.corrected,
            Mark::Learned => self.styles.learned,
        }
    }

    pub(crate) fn span_style(&self, span_style: SpanStyle) -> Style {
        match span_style {
            SpanStyle::Plain => Style::new(),
            SpanStyle::Dim => self.styles.dim,
            SpanStyle::Strong => self.styles.strong,
            SpanStyle::Heading => self.styles.heading,
            SpanStyle::Relation => self.styles.relation,
            SpanStyle::Entity(mark) => self.mark(mark),
            SpanStyle::Unlinked => self.styles.unlinked,
            SpanStyle::Citation(_) | SpanStyle::Passage(_) => self.styles.citation,
            SpanStyle::Key => self.styles.key,
            SpanStyle::Good => self.styles.good,
            SpanStyle::Warning => self.styles.warning,
            SpanStyle::Error => self.styles.error,
            SpanStyle::Emergency => self.styles.error.add_modifier(Modifier::BOLD | Modifier::REVERSED),
            SpanStyle::Busy => self.styles.busy,
            SpanStyle::Bar => self.styles.bar,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, as WCAG 2 defines it.
    fn luminance(color: Color) -> Option<f64> {
        let Color::Rgb(r, g, b) = color else { return None };
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        Some(0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b))
    }

    fn contrast(a: Color, b: Color) -> f64 {
        let (a, b) = (luminance(a).expect("rgb"), luminance(b).expect("rgb"));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn everything_that_is_read_has_contrast_enough_on_every_background() {
        for name in Theme::names() {
            let s = Theme::load(name, Colours::Full).expect("built-in themes are sound").styles;
            let text = [
                ("screen", s.screen),
                ("strong", s.strong),
                ("heading", s.heading),
                ("title", s.title),
                ("question", s.question),
                ("hypothesis", s.hypothesis),
                ("model", s.model),
                ("graph", s.graph),
                ("corrected", s.corrected),
                ("learned", s.learned),
                ("citation", s.citation),
                ("key", s.key),
                ("good", s.good),
                ("warning", s.warning),
                ("error", s.error),
                ("busy", s.busy),
            ];
            let quiet = [("dim", s.dim), ("relation", s.relation), ("unlinked", s.unlinked)];
            for background in [s.screen, s.selected, s.selected_unfocused, s.cited] {
                let bg = background.bg.expect("backgrounds have one");
                for (what, style) in text {
                    let got = contrast(style.fg.expect("text has a colour"), bg);
                    assert!(got >= 4.5, "{name}: {what} on {bg:?} has a contrast of {got:.2}");
                }
                for (what, style) in quiet {
                    let got = contrast(style.fg.expect("text has a colour"), bg);
                    assert!(got >= 3.0, "{name}: {what} on {bg:?} has a contrast of {got:.2}");
                }
            }
        }
    }

    #[test]
    fn without_colours_no_theme_has_any() {
        for name in Theme::names() {
            let theme = Theme::load(name, Colours::None).expect("sound");
            for mark in Mark::ALL {
                assert_eq!((theme.mark(mark).fg, theme.mark(mark).bg), (None, None));
            }
            assert!(theme.styles.selected.add_modifier.contains(Modifier::REVERSED), "{name}: the selection must be seen");
        }
    }

    #[test]
    fn sixteen_colours_are_all_that_such_a_terminal_gets() {
        for name in Theme::names() {
            let s = Theme::load(name, Colours::Sixteen).expect("sound").styles;
            for style in [s.screen, s.dim, s.question, s.hypothesis, s.graph, s.learned, s.selected, s.border, s.warning] {
                for color in [style.fg, style.bg].into_iter().flatten() {
                    assert!(!matches!(color, Color::Rgb(..) | Color::Indexed(_)), "{name}: {color:?}");
                }
            }
        }
    }

    #[test]
    fn a_mistake_in_a_theme_is_named() {
        let text = BUILT_IN[0].1.replace("[colours]", "[colours]\nsparkle = { fg = \"red\" }\n");
        assert!(Theme::parse("mine", &text, Colours::Full).expect_err("no such colour").to_string().contains("sparkle"));
        assert!(matches!(Theme::load("/nowhere/theme.toml", Colours::Full), Err(ThemeError::NotFound { .. })));
    }
}
