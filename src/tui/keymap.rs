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
    /// In the answer, before the panes' keys.
    Answer,
    /// In the kept chains, before the keys of the lists of chains.
    Kept,
    /// In the lists of chains, before the panes' keys.
    Chains,
    /// In the anchors, before the panes' keys.
    Anchors,
    /// In the graph, before the panes' keys.
    Graph,
    /// In the demo, before everything else.
    Demo,
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
    /// In the list of passages.
    Passages,
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
    pub(crate) const ALL: [Self; 22] = [
        Self::Panes,
        Self::Answer,
        Self::Kept,
        Self::Chains,
        Self::Anchors,
        Self::Graph,
        Self::Anywhere,
        Self::Question,
        Self::FirstScreen,
        Self::Entry,
        Self::Case,
        Self::Passages,
        Self::Settings,
        Self::Overlay,
        Self::Review,
        Self::Learned,
        Self::Writing,
        Self::Confirm,
        Self::Demo,
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
            Self::Answer => "In the answer",
            Self::Kept => "In the kept chains",
            Self::Chains => "In the lists of chains",
            Self::Anchors => "In the anchors",
            Self::Graph => "In the graph",
            Self::Demo => "In the demo",
            Self::Replay => "During a replay",
            Self::SideBySide => "With two runs side by side",
            Self::RunPair => "In one of two runs",
            Self::Overlay => "On a sheet (help, messages, comparison)",
            Self::Case => "In the list of what was read",
            Self::Passages => "In the passages of documents",
            Self::Settings => "In the settings",
            Self::Entry => "While choosing or searching",
            Self::Writing => "While writing a gold answer or a text to check",
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
    /// action in the same place; an empty list of keys removes it. A key that the user binds is taken from whatever
    /// built-in action had it there, so that a keymap from an older version is still used when Catena has new keys.
    ///
    /// # Errors
    /// If the user's text is not a keymap, or it gives a key two meanings.
    pub fn with_user(text: &str) -> Result<Self, KeymapError> {
        let mut bindings = parse(BUILT_IN, "built-in keymap")?;
        let own = parse(text, "your keymap")?;
        for own in &own {
            let is_it = |b: &&mut Binding| b.action == own.action && b.context == own.context && b.source != own.source;
            if let Some(built_in) = bindings.iter_mut().find(is_it) {
                built_in.keys.clear();
            }
        }
        for built_in in &mut bindings {
            let taken = |key: &Sequence| own.iter().any(|o| o.context == built_in.context && o.keys.iter().any(|k| clash(k, key)));
            built_in.keys.retain(|key| !taken(key));
        }
        for mut own in own {
            // An action keeps its own words in the help, also in a place where it had no key before.
            let alike = bindings.iter().filter(|b| b.action == own.action && !b.help.is_empty());
            if let Some(known) = alike.min_by_key(|b| b.context != own.context).filter(|_| own.help.is_empty()) {
                own.help.clone_from(&known.help);
            }
            match bindings.iter().position(|b| b.action == own.action && b.context == own.context && b.source != own.source) {
                Some(at) => bindings[at] = own,
                None => bindings.push(own),
            }
        }
        Self::of(bindings)
    }

    fn of(bindings: Vec<Binding>) -> Result<Self, KeymapError> {
        for (at, first) in bindings.iter().enumerate() {
            for second in &bindings[at + 1..] {
                let meet = first.context == second.context || first.context == Context::Anywhere || second.context == Context::Anywhere;
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

/// Whether two keys cannot be bound in one place: a key cannot act and begin a sequence too.
fn clash(a: &Sequence, b: &Sequence) -> bool {
    a == b || a.begins_with(&b.0) || b.begins_with(&a.0)
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

    /// What a nearer place takes from a farther one on purpose: the same fingers, another thing under them.
    const SHADOWED: [(Context, Context); 12] = [
        // In the demo, Space steps and the arrows move between stages.
        (Context::Demo, Context::Replay),
        (Context::Demo, Context::Panes),
        (Context::Demo, Context::Graph),
        (Context::Demo, Context::Anchors),
        // While a recording plays, Space pauses it, and + and - change its pace.
        (Context::Replay, Context::Panes),
        (Context::Replay, Context::Answer),
        (Context::Replay, Context::Kept),
        (Context::Replay, Context::Graph),
        // The arrows move the part of the graph that is seen, and δ among the anchors.
        (Context::Graph, Context::Panes),
        (Context::Anchors, Context::Panes),
        // `o` and the digits go between two runs.
        (Context::RunPair, Context::Panes),
        // Up and down on the first screen belong to the editor.
        (Context::FirstScreen, Context::Question),
    ];

    #[test]
    fn no_key_has_two_meanings_in_any_place_where_several_keymaps_hold() {
        let keymap = Keymap::built_in().expect("sound");
        let panes = [
            vec![Context::Answer],
            vec![Context::Kept, Context::Chains],
            vec![Context::Chains],
            vec![Context::Anchors],
            vec![Context::Graph],
            vec![],
        ];
        let mut stacks: Vec<Vec<Context>> = vec![vec![Context::FirstScreen, Context::Question]];
        for before in [vec![], vec![Context::Replay], vec![Context::RunPair], vec![Context::Demo], vec![Context::Demo, Context::Replay]] {
            stacks.extend(panes.iter().map(|of_pane| [before.clone(), of_pane.clone(), vec![Context::Panes]].concat()));
        }
        let alone = Context::ALL.into_iter().filter(|context| *context != Context::Anywhere).map(|context| vec![context]);
        for mut stack in stacks.into_iter().chain(alone) {
            stack.push(Context::Anywhere);
            for (at, near) in stack.iter().enumerate() {
                for far in &stack[at + 1..] {
                    let of = |context: Context| keymap.bindings().iter().filter(move |b| b.context == context);
                    for (first, second) in of(*near).flat_map(|a| of(*far).map(move |b| (a, b))) {
                        let shared = first.keys.iter().find(|key| second.keys.iter().any(|other| clash(key, other)));
                        let allowed = first.action == second.action || SHADOWED.contains(&(*near, *far));
                        assert!(shared.is_none() || allowed, "{stack:?}: {shared:?} of {} and {}", first.describe(), second.describe());
                    }
                }
            }
        }
    }

    #[test]
    fn a_key_of_the_user_is_taken_from_the_built_in_action() {
        let keymap = Keymap::with_user("[[bind]]\naction = \"quit\"\nin = \"panes\"\nkeys = [\"j\", \"g\"]\n").expect("used");
        let press = |code| {
            keymap.press(&[], KeyEvent::new(crossterm::event::KeyCode::Char(code), crossterm::event::KeyModifiers::NONE), &[Context::Panes])
        };
        assert_eq!(press('j'), Press::Act(Action::Quit));
        assert_eq!(press('g'), Press::Act(Action::Quit), "the sequence g g gives way to g");
        assert_eq!(keymap.key_of(Action::Down, Context::Panes), "↓");
        // A place that had no rating before: the words of the help come along.
        let keymap = Keymap::with_user("[[bind]]\naction = \"rate_good\"\nin = \"panes\"\nkeys = [\"g\"]\n").expect("used");
        let good = keymap.bindings().iter().find(|b| b.context == Context::Panes && b.action == Action::RateGood);
        assert!(good.is_some_and(|good| good.help.starts_with("Good answer")));
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
        let twice = format!("{own}\n[[bind]]\naction = \"zoom\"\nin = \"panes\"\nkeys = [\"j\"]\n");
        let error = Keymap::with_user(&twice).expect_err("j has two meanings").to_string();
        assert!(error.contains("the key j") && error.contains("your keymap line 1") && error.contains("your keymap line 7"), "{error}");
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
