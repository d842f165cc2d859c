//! A prompt's file: what it is called, its version, the system message and the user's message with its gaps.
//!
//! ```text
//! +++
//! name = "hykge/reader"
//! version = 1
//! +++
//! # system
//! …
//! # user
//! … {question} …
//! ```

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::model::{Prompt, PromptPart};

/// What is wrong with a prompt's file, in words that follow "the prompt … ".
pub(super) type Fault = String;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter {
    name: String,
    version: u32,
}

/// A prompt with gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Template {
    /// Its method and name, such as `hykge/reader`.
    pub(crate) name: String,
    /// Its version; raise it whenever you change the text.
    pub(crate) version: u32,
    /// The first 12 hexadecimal digits of the SHA-256 of its file.
    pub(crate) hash: String,
    /// Whether the user wrote it.
    pub(crate) own: bool,
    system: String,
    /// The user's message: texts and gaps in turn, a text first.
    user: Vec<String>,
}

impl Template {
    /// Parses a prompt's file. Each gap in `gaps` must occur exactly once in the user's message, and no other gap may.
    pub(super) fn parse(text: &str, name: &str, gaps: &[&str], own: bool) -> Result<Self, Fault> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text).replace("\r\n", "\n");
        let begin = "it must begin with a line +++, its name and version as TOML, and another line +++";
        let rest = text.trim_start().strip_prefix("+++\n").ok_or(begin)?;
        let (front, body) = rest.split_once("\n+++\n").ok_or(begin)?;
        let front: FrontMatter = toml::from_str(front).map_err(|error| format!("has a fault between its lines +++: {error}"))?;
        if front.name != name {
            return Err(format!("calls itself {:?}; in this place it must be {name:?}", front.name));
        }
        let sections = "must have a line `# system`, the system message, a line `# user`, and the user's message, in this order";
        let body = body.trim_start().strip_prefix("# system\n").ok_or(sections)?;
        let (system, user) = body.split_once("\n# user\n").ok_or(sections)?;
        let (system, user) = (system.trim(), user.trim());
        if let Some(gap) = gaps_of(system).first() {
            return Err(format!(
                "has the gap {{{gap}}} in its system message, which is the same for all questions; gaps belong below `# user`"
            ));
        }
        let found = gaps_of(user);
        if let Some(unknown) = found.iter().find(|gap| !gaps.contains(gap)) {
            let known: Vec<String> = gaps.iter().map(|gap| format!("{{{gap}}}")).collect();
            return Err(format!("has the gap {{{unknown}}}, which nothing fills; it can have {}", known.join(" and ")));
        }
        for gap in gaps {
            match found.iter().filter(|found| found == &gap).count() {
                1 => {}
                0 => return Err(format!("lacks the gap {{{gap}}} below `# user`; without it the model would not be told")),
                more => return Err(format!("has the gap {{{gap}}} {more} times; once is meant")),
            }
        }
        let hash = Sha256::digest(text.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { name: front.name, version: front.version, hash, own, system: system.to_owned(), user: cut(user) })
    }

    /// Fills the gaps. What is filled in stays as it is, even if it contains something like a gap.
    pub(crate) fn fill(&self, fill: impl Fn(&str) -> Vec<PromptPart>) -> Prompt {
        let mut parts = Vec::new();
        for (at, piece) in self.user.iter().enumerate() {
            if at % 2 == 1 {
                parts.extend(fill(piece));
            } else if !piece.is_empty() {
                parts.push(PromptPart { text: piece.clone(), rank: None });
            }
        }
        Prompt { system: self.system.clone(), parts }
    }
}

/// The range of the first gap, braces included, and its name.
fn next_gap(text: &str) -> Option<(usize, usize, &str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        let inside = &text[open + 1..];
        if let Some(close) = inside.find('}')
            && close > 0
            && inside[..close].bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        {
            return Some((open, open + close + 2, &inside[..close]));
        }
        from = open + 1;
    }
    None
}

fn gaps_of(text: &str) -> Vec<&str> {
    let mut gaps = Vec::new();
    let mut rest = text;
    while let Some((_, end, name)) = next_gap(rest) {
        gaps.push(name);
        rest = &rest[end..];
    }
    gaps
}

fn cut(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((start, end, name)) = next_gap(rest) {
        pieces.push(rest[..start].to_owned());
        pieces.push(name.to_owned());
        rest = &rest[end..];
    }
    pieces.push(rest.to_owned());
    pieces
}
