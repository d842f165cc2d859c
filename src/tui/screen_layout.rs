//! The layouts of the screen: side by side, clinic, demo. The one that was used last is remembered in a small file.

use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::config::write_atomically;

/// How the panes are arranged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScreenLayout {
    /// Every stage at once.
    #[default]
    SideBySide,
    /// The answer first, why beside it, the evidence as a list, and nothing of the machinery.
    Clinic,
    /// One stage large, the others a strip, with a caption for each.
    Demo,
}

/// The file in which it is remembered.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Remembered {
    #[serde(default)]
    layout: ScreenLayout,
}

impl ScreenLayout {
    /// The next one, round the end.
    pub(crate) fn next(self) -> Self {
        match self {
            Self::SideBySide => Self::Clinic,
            Self::Clinic => Self::Demo,
            Self::Demo => Self::SideBySide,
        }
    }

    /// Its name, and what it is for.
    pub(crate) fn described(self) -> &'static str {
        match self {
            Self::SideBySide => "side by side: every stage at once",
            Self::Clinic => "clinic: the answer first, why beside it",
            Self::Demo => "demo: one stage at a time, in large",
        }
    }

    /// The layout remembered in a file; the default where there is none, or one that cannot be read.
    pub fn remembered(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        toml::from_str::<Remembered>(&text).unwrap_or_default().layout
    }

    /// Remembers the layout in a file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn remember(self, path: &Path) -> io::Result<()> {
        let text = toml::to_string(&Remembered { layout: self }).map_err(io::Error::other)?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        write_atomically(path, |out| out.write_all(text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::ScreenLayout;

    #[test]
    fn the_layout_comes_back_and_a_damaged_file_is_no_harm() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("new/screen.toml");
        assert_eq!(ScreenLayout::remembered(&path), ScreenLayout::SideBySide);
        ScreenLayout::Clinic.remember(&path).expect("written");
        assert_eq!(ScreenLayout::remembered(&path), ScreenLayout::Clinic);
        std::fs::write(&path, "layout = 3").expect("written");
        assert_eq!(ScreenLayout::remembered(&path), ScreenLayout::SideBySide);
        assert_eq!(ScreenLayout::SideBySide.next().next().next(), ScreenLayout::SideBySide);
    }
}
