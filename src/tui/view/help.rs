//! The help: every key, from the keymap.

use std::collections::BTreeSet;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::messages::sheet;
use crate::run::Mark;
use crate::tui::app::App;
use crate::tui::keymap::{Binding, Context};
use crate::tui::styled_text::{Block, SpanStyle};
use crate::words::{Language, words};

/// Cells for the keys.
const KEYS: usize = 22;
/// From this width on, the help has two columns.
const TWO_COLUMNS: u16 = 120;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    // What holds where the doctor is comes first.
    let mut here: Vec<Context> = app.contexts_below_the_help();
    here.push(Context::Anywhere);
    let rest: Vec<Context> = Context::ALL.into_iter().filter(|context| !here.contains(context)).collect();
    // A key does here what the first of the contexts says.
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut panes: Vec<Block> = Vec::new();
    for context in &here {
        panes.extend(group(app, *context, &taken));
        let bound = app.input.keymap.bindings().iter().filter(|binding| binding.context == *context);
        taken.extend(bound.flat_map(|binding| &binding.keys).map(ToString::to_string));
    }
    let mut others: Vec<Block> = rest.iter().flat_map(|context| group(app, *context, &BTreeSet::new())).collect();
    others.extend(signs(app.language));
    let columns = if body.width >= TWO_COLUMNS {
        vec![panes, others]
    } else {
        panes.extend(others);
        vec![panes]
    };
    sheet(frame, app, body, words!(app.language, "Keys: those that work here first"), &columns);
}

/// The keys of a context; without those that do something else.
fn group(app: &App, context: Context, taken: &BTreeSet<String>) -> Vec<Block> {
    let mut blocks = vec![Block::new().with(app.language.known(context.title()), SpanStyle::Heading)];
    let bindings: Vec<&Binding> = app.input.keymap.bindings().iter().filter(|b| b.context == context && !b.keys.is_empty()).collect();
    // Bindings that do alike, such as the examples' digits, share a line.
    for alike in bindings.chunk_by(|a, b| a.help == b.help) {
        let keys = alike.iter().flat_map(|b| b.keys.iter().map(ToString::to_string));
        let keys: Vec<String> = keys.filter(|key| !taken.contains(key)).collect();
        if keys.is_empty() {
            continue;
        }
        let keys = keys.join(" ");
        let pad = KEYS.saturating_sub(keys.chars().count() + 2).max(1);
        let block = Block::new().indented(2, KEYS as u16).with(&keys, SpanStyle::Key).with(&"\u{a0}".repeat(pad), SpanStyle::Plain);
        blocks.push(block.with(app.language.known(alike.first().map_or("", |b| b.help.as_str())), SpanStyle::Plain));
    }
    blocks.push(Block::new());
    blocks
}

/// What a sign of origin means.
pub(super) fn meaning(mark: Mark, l: Language) -> &'static str {
    match mark {
        Mark::Question => words!(l, "from the question"),
        Mark::Hypothesis => words!(l, "from the hypothesis"),
        Mark::Model => words!(l, "from the language model's hypothesis alone"),
        Mark::Graph => words!(l, "added by the graph"),
        Mark::Contested => words!(l, "contested: the graph contradicts what the hypothesis says of it"),
        Mark::Learned => words!(l, "learned from feedback or taught"),
    }
}

/// What the signs mean.
fn signs(l: Language) -> Vec<Block> {
    let line = |sign: &str, span_style: SpanStyle, text: &str| {
        Block::new()
            .indented(2, KEYS as u16)
            .with(sign, span_style)
            .with(&"\u{a0}".repeat(KEYS - 3), SpanStyle::Plain)
            .with(text, SpanStyle::Plain)
    };
    let entity = |mark: Mark| line(mark.sign(), SpanStyle::Entity(mark), meaning(mark, l));
    vec![
        Block::new().with(words!(l, "Signs"), SpanStyle::Heading),
        entity(Mark::Question),
        entity(Mark::Hypothesis),
        entity(Mark::Model),
        entity(Mark::Graph),
        entity(Mark::Contested),
        entity(Mark::Learned),
        line("▲", SpanStyle::Good, words!(l, "a chain that you pinned")),
        line("✗", SpanStyle::Warning, words!(l, "a chain that you rejected")),
        line("→", SpanStyle::Dim, words!(l, "path: one anchor leads to the other")),
        line("⇉", SpanStyle::Dim, words!(l, "shared result: both lead to the same entity (co-ancestor)")),
        line("⇇", SpanStyle::Dim, words!(l, "shared cause: both come from the same entity (co-occurrence)")),
        line("∘", SpanStyle::Dim, words!(l, "neighbour: a relation of the only anchor")),
        Block::new(),
        Block::new().with(words!(l, "Keys that have changed"), SpanStyle::Heading),
        Block::new().indented(2, 2).with(
            words!(
                l,
                "Rating was g, b, G and is now + - * in the answer and the kept chains; g g and G go to the first and last row. \
                 Enter opens what is selected; i begins a question, e edits this one. An example is its number, then Enter."
            ),
            SpanStyle::Plain,
        ),
        Block::new(),
        Block::new().with(words!(l, "To select text with the mouse, hold Shift."), SpanStyle::Dim),
    ]
}
