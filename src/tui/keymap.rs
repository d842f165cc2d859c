//! The keymap: which key does what, and where. The built-in one is `assets/keymap.toml`; a user's own
//! replaces it binding by binding. `?` help is made from it.

use std::collections::HashMap;
use std::fmt;

use crossterm::event::KeyEvent;
use serde::Deserialize;
use toml::Spanned;

use super::action::Action;
use super::key::KeyPress;

const BUILT_IN: &str = include_str!("../../assets/keymap.toml");

/// Where a binding holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Context {
    /// Everywhere.
    Anywhere,
    /// In the question editor.
    Question,
    /// On the first screen, while nothing is typed.
    FirstScreen,
    /// In every pane but the editor.
    Panes,
    /// In the lists of chains, before the panes' keys.
    Chains,
    /// In the anchors, before the panes' keys.
    Anchors,
    /// In the graph, before the panes' keys.
    Graph,
    /// During a replay, before the panes' keys.
    Replay,
    /// Where two runs are shown side by side.
    #[serde(rename = "beside")]
    SideBySide,
    /// In the panes, with one of two runs in them, before the panes' keys.
    #[serde(rename = "pair")]
    RunPair,
    /// On a sheet over the panes: help, messages, comparison, prompts.
    Overlay,
    /// In the list of what was read.
    Case,
    /// In the settings.
    Settings,
    /// While typing into a list to choose from, a search or a form.
    Entry,
    /// While writing a text of several lines: a mentor's answer.
    Writing,
    /// In the review of proposals.
    Review,
    /// In the learned triples.
    #[serde(rename = "lessons")]
    Learned,
    /// While a question is to be answered with yes or no.
    Confirm,
}

impl Context {
    /// All, as help lists them.
    pub(crate) const ALL: [Self; 18] = [
        Self::Panes,
        Self::Chains,
        Self::Anchors,
        Self::Graph,
        Self::Anywhere,
        Self::Question,
        Self::FirstScreen,
        Self::Entry,
        Self::Case,
        Self::Settings,
        Self::Overlay,
        Self::Review,
        Self::Learned,
        Self::Writing,
        Self::Confirm,
        Self::Replay,
        Self::SideBySide,
        Self::RunPair,
    ];

    /// The heading in help.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Anywhere => "Anywhere",
            Self::Question => "While typing a question",
            Self::FirstScreen => "On the first screen",
            Self::Panes => "In the panes",
            Self::Chains => "In the lists of chains",
            Self::Anchors => "In the anchors",
            Self::Graph => "In the graph",
            Self::Replay => "During a replay",
            Self::SideBySide => "With two runs side by side",
            Self::RunPair => "In one of two runs",
            Self::Overlay => "On a sheet (help, messages, comparison)",
            Self::Case => "In the list of what was read",
            Self::Settings => "In the settings",
            Self::Entry => "While choosing or searching",
            Self::Writing => "While writing a gold answer",
            Self::Review => "In the review",
            Self::Learned => "In the learned triples",
            Self::Confirm => "When asked yes or no",
        }
    }
}

/// Why a keymap could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeymapError {
    /// It is not TOML, or not a keymap.
    #[error("{source_name}, line {line}: {message}")]
    Syntax {
        /// Which keymap.
        source_name: String,
        /// Line, from 1.
        line: usize,
        /// What does not fit.
        message: String,
    },
    /// A key has no such name.
    #[error("{source_name}, line {line}: unknown key `{key}`")]
    UnknownKey {
        /// Which keymap.
        source_name: String,
        /// Line, from 1.
        line: usize,
        /// The key as written.
        key: String,
    },
    /// One key has two meanings in one place.
    #[error("the key {key} has two meanings: {first} and {second}; give one of them another key")]
    Conflict {
        /// The key.
        key: String,
        /// The first binding and its line.
        first: String,
        /// The second binding and its line.
        second: String,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeymapFile {
    #[serde(default)]
    bind: Vec<Spanned<RawBinding>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBinding {
    action: Action,
    #[serde(rename = "in")]
    context: Context,
    keys: Vec<String>,
    help: Option<String>,
}

/// Keys pressed one after the other: mostly one, two where the first opens a group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Sequence(Vec<KeyPress>);

impl Sequence {
    fn parse(text: &str) -> Option<Self> {
        let keys: Vec<KeyPress> = text.split_whitespace().map(KeyPress::parse).collect::<Option<_>>()?;
        (!keys.is_empty()).then_some(Self(keys))
    }

    fn begins_with(&self, keys: &[KeyPress]) -> bool {
        self.0.len() > keys.len() && self.0.starts_with(keys)
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, key) in self.0.iter().enumerate() {
            write!(f, "{}{key}", if at == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

/// What pressing a key comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Press {
    /// It does this.
    Act(Action),
    /// It begins a sequence; another key decides.
    Begin,
    /// It is bound to nothing.
    Unbound,
}

/// One binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) action: Action,
    pub(crate) context: Context,
    pub(crate) keys: Vec<Sequence>,
    pub(crate) help: String,
    source: &'static str,
    line: usize,
}

impl Binding {
    fn describe(&self) -> String {
        format!("“{}” ({}, {} line {})", self.help, self.context.title().to_lowercase(), self.source, self.line)
    }
}

/// Which key does what.
#[derive(Debug, Clone)]
pub struct Keymap {
    bindings: Vec<Binding>,
    index: HashMap<(Context, Sequence), Action>,
}

impl Keymap {
    /// The built-in keymap.
    ///
    /// # Errors
    /// Never, as a test ascertains: the text is part of the program.
    pub fn built_in() -> Result<Self, KeymapError> {
        Self::of(parse(BUILT_IN, "built-in keymap")?)
    }

    /// The built-in keymap under a user's own. A binding of the user replaces the built-in one for the same
    /// action in the same place; an empty list of keys removes it.
    ///
    /// # Errors
    /// If the user's text is not a keymap, or a key has two meanings.
    pub fn with_user(text: &str) -> Result<Self, KeymapError> {
        let mut bindings = parse(BUILT_IN, "built-in keymap")?;
        for own in parse(text, "your keymap")? {
            match bindings.iter_mut().find(|b| b.action == own.action && b.context == own.context) {
                Some(built_in) => {
                    let help = if own.help.is_empty() { std::mem::take(&mut built_in.help) } else { own.help.clone() };
                    *built_in = Binding { help, ..own };
                }
                None => bindings.push(own),
            }
        }
        Self::of(bindings)
    }

    fn of(bindings: Vec<Binding>) -> Result<Self, KeymapError> {
        for (at, first) in bindings.iter().enumerate() {
            for second in &bindings[at + 1..] {
                let meet = first.context == second.context || first.context == Context::Anywhere || second.context == Context::Anywhere;
                // A key cannot act and begin a sequence too.
                let clash = |a: &Sequence, b: &Sequence| a == b || a.begins_with(&b.0) || b.begins_with(&a.0);
                let shared = first.keys.iter().find(|key| second.keys.iter().any(|other| clash(key, other)));
                if let (true, Some(key)) = (meet, shared) {
                    let (first, second) = (first.describe(), second.describe());
                    return Err(KeymapError::Conflict { key: key.to_string(), first, second });
                }
            }
        }
        let index = bindings.iter().flat_map(|b| b.keys.iter().map(|key| ((b.context, key.clone()), b.action))).collect();
        Ok(Self { bindings, index })
    }

    /// What a key does after those pressed before, where the given contexts hold, the first of them first.
    pub(crate) fn press(&self, before: &[KeyPress], key: KeyEvent, contexts: &[Context]) -> Press {
        let mut keys = before.to_vec();
        keys.push(KeyPress::from(key));
        let sequence = Sequence(keys);
        for context in contexts.iter().chain(&[Context::Anywhere]) {
            if let Some(action) = self.index.get(&(*context, sequence.clone())) {
                return Press::Act(*action);
            }
            if self.index.keys().any(|(of, bound)| of == context && bound.begins_with(&sequence.0)) {
                return Press::Begin;
            }
        }
        Press::Unbound
    }

    /// The bindings that continue these keys, with the keys still to press.
    pub(crate) fn continuations<'a>(
        &'a self,
        keys: &'a [KeyPress],
        contexts: &'a [Context],
    ) -> impl Iterator<Item = (String, &'a Binding)> {
        let here = move |binding: &&Binding| contexts.contains(&binding.context) || binding.context == Context::Anywhere;
        self.bindings.iter().filter(here).flat_map(move |binding| {
            binding.keys.iter().filter(move |bound| bound.begins_with(keys)).map(move |bound| {
                let rest = Sequence(bound.0[keys.len()..].to_vec());
                (rest.to_string(), binding)
            })
        })
    }

    /// All bindings, in the file's order.
    pub(crate) fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The first key of an action in a place, as help shows it; empty when it has none.
    pub(crate) fn key_of(&self, action: Action, context: Context) -> String {
        let bound = self.bindings.iter().find(|b| b.action == action && b.context == context);
        bound.and_then(|b| b.keys.first()).map(Sequence::to_string).unwrap_or_default()
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|b| *b == b'\n').count()
}

fn parse(text: &str, source: &'static str) -> Result<Vec<Binding>, KeymapError> {
    let file: KeymapFile = toml::from_str(text).map_err(|error| KeymapError::Syntax {
        source_name: source.into(),
        line: error.span().map_or(1, |span| line_of(text, span.start)),
        message: error.message().to_owned(),
    })?;
    file.bind
        .into_iter()
        .map(|spanned| {
            let line = line_of(text, spanned.span().start);
            let raw = spanned.into_inner();
            let keys = raw
                .keys
                .iter()
                .map(|key| {
                    Sequence::parse(key).ok_or_else(|| KeymapError::UnknownKey { source_name: source.into(), line, key: key.clone() })
                })
                .collect::<Result<Vec<_>, _>>()?;
            Ok(Binding { action: raw.action, context: raw.context, keys, help: raw.help.unwrap_or_default(), source, line })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_keymap_is_sound_and_explains_every_key() {
        let keymap = Keymap::built_in().expect("the built-in keymap has no conflict");
        for binding in keymap.bindings() {
            assert!(!binding.help.is_empty() && !binding.keys.is_empty(), "{binding:?}");
        }
    }

    #[test]
    fn every_action_can_be_reached_by_a_key() {
        let keymap = Keymap::built_in().expect("sound");
        for action in Action::all() {
            assert!(keymap.bindings().iter().any(|binding| binding.action == action), "{action:?} has no key");
        }
    }

    #[test]
    fn a_sequence_begins_and_then_acts() {
        let own = "[[bind]]\naction = \"zoom\"\nin = \"panes\"\nkeys = [\"f9 z\"]\n";
        let keymap = Keymap::with_user(own).expect("valid");
        let key = |name: &str| KeyPress::parse(name).expect("a key");
        let event = |code| KeyEvent::new(code, crossterm::event::KeyModifiers::NONE);
        use crossterm::event::KeyCode::{Char, F};
        assert_eq!(keymap.press(&[], event(F(9)), &[Context::Panes]), Press::Begin);
        assert_eq!(keymap.press(&[key("f9")], event(Char('z')), &[Context::Panes]), Press::Act(Action::Zoom));
        assert_eq!(keymap.press(&[key("f9")], event(Char('y')), &[Context::Panes]), Press::Unbound);
        let further: Vec<String> = keymap.continuations(&[key("f9")], &[Context::Panes]).map(|(rest, _)| rest).collect();
        assert_eq!(further, ["z"]);
        let own = format!("{own}\n[[bind]]\naction = \"quit\"\nin = \"panes\"\nkeys = [\"f9\"]\n");
        assert!(matches!(Keymap::with_user(&own), Err(KeymapError::Conflict { .. })), "f9 cannot act and begin");
    }

    #[test]
    fn a_conflict_names_both_bindings_and_their_lines() {
        let own = "[[bind]]\naction = \"quit\"\nin = \"panes\"\nkeys = [\"j\"]\nhelp = \"Leave\"\n";
        let error = Keymap::with_user(own).expect_err("j selects the next row").to_string();
        assert!(error.contains("the key j") && error.contains("your keymap line 1") && error.contains("built-in keymap line"), "{error}");
        let own = "[[bind]]\naction = \"zoom\"\nin = \"panes\"\nkeys = [\"ctrl+c\"]\n";
        assert!(matches!(Keymap::with_user(own), Err(KeymapError::Conflict { .. })), "a key of `anywhere` holds everywhere");
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        let error = Keymap::with_user("\n\n[[bind]]\naction = \"fly\"\nin = \"panes\"\nkeys = []\n").expect_err("no such action");
        assert!(matches!(&error, KeymapError::Syntax { line: 4, .. }), "{error:?}");
        let error = Keymap::with_user("\n[[bind]]\naction = \"zoom\"\nin = \"panes\"\nkeys = [\"hyper+z\"]\n").expect_err("no such key");
        assert!(matches!(&error, KeymapError::UnknownKey { line: 2, .. }), "{error:?}");
    }

    #[test]
    fn a_users_binding_replaces_the_built_in_one_and_keeps_its_help() {
        let keymap = Keymap::with_user("[[bind]]\naction = \"zoom\"\nin = \"panes\"\nkeys = [\"f9\"]\n").expect("valid");
        assert_eq!(keymap.key_of(Action::Zoom, Context::Panes), "F9");
        let zoom = keymap.bindings().iter().find(|b| b.action == Action::Zoom).expect("zoom is bound");
        assert!(!zoom.help.is_empty());
    }
}
