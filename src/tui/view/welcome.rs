//! The first screen: what Catena is and is not, what it works with, and questions to try.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{header, paint, question};
use crate::run::{EngineInfo, ModelInfo};
use crate::text::sanitise_line;
use crate::tui::action::Action;
use crate::tui::app::{App, EngineState};
use crate::tui::examples::EXAMPLES;
use crate::tui::keymap::Context;
use crate::tui::styled_text::{self, Block, SpanStyle};

/// Text wider than this is hard to read.
const WIDEST: u16 = 104;
/// Cells for the names before what they name.
const NAMES: u16 = 14;
/// From this width on, the examples' fields are named.
const WITH_FIELDS: u16 = 96;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    let width = body.width.min(WIDEST);
    let x = body.x + (body.width - width) / 2;
    let roomy = body.height >= 34;
    let editor_height = if roomy {
        6
    } else if body.height >= 12 {
        4
    } else {
        body.height.min(3)
    };
    let top = if roomy { (body.height - 34) / 3 + 1 } else { 0 };
    let intro_height = match body.height {
        34.. => 3,
        20.. => 1,
        _ => 0,
    };
    if intro_height > 0 {
        let text = "Catena answers clinical questions from a knowledge graph and cites each claim.";
        let rows = styled_text::wrap(&[Block::new().with(text, SpanStyle::Strong)], width.max(1));
        let area = Rect::new(x + 1, body.y + top, width.saturating_sub(1), intro_height);
        paint::rows(frame.buffer_mut(), &app.look.theme, area.intersection(body), &rows, 0, |_, _, style| style);
    }
    let y = body.y + top + intro_height;
    let editor = Rect::new(x, y, width, editor_height).intersection(body);
    question::draw(frame, app, editor);
    let y = editor.bottom() + u16::from(roomy);
    let sheet = Rect::new(x, y.min(body.bottom()), width, body.bottom().saturating_sub(y));
    let rows = styled_text::wrap(&compose(app, roomy, width), width.saturating_sub(2).max(1));
    app.layout.frame.sheet_height = usize::from(sheet.height);
    app.layout.frame.sheet_rows = rows.len();
    app.sheets.offset = app.sheets.offset.min(rows.len().saturating_sub(usize::from(sheet.height)));
    let inside = Rect::new(sheet.x + u16::from(sheet.width > 2), sheet.y, sheet.width.saturating_sub(2), sheet.height);
    paint::rows(frame.buffer_mut(), &app.look.theme, inside, &rows, app.sheets.offset, |_, _, style| style);
}

fn named(name: &str, cells: u16) -> Block {
    let pad = usize::from(cells).saturating_sub(name.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum());
    Block::new().indented(2, 2 + cells).with(name, SpanStyle::Dim).with(&"\u{a0}".repeat(pad), SpanStyle::Plain)
}

fn compose(app: &App, roomy: bool, width: u16) -> Vec<Block> {
    let mut blocks = Vec::new();
    let gap = |blocks: &mut Vec<Block>| {
        if roomy {
            blocks.push(Block::new());
        }
    };
    blocks.push(Block::new().with("Try one", SpanStyle::Heading).with("  press its number to ask it", SpanStyle::Dim));
    for (number, example) in (1u8..).zip(&EXAMPLES) {
        let key = app.input.keymap.key_of(Action::Example(number), Context::FirstScreen);
        let fields = width >= WITH_FIELDS;
        let mut block = Block::new().indented(2, if fields { 16 } else { 4 }).with(&format!("{key}\u{a0}"), SpanStyle::Key);
        if fields {
            let cells: usize = example.field.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
            block.push(&format!("\u{a0}{}{}", example.field, "\u{a0}".repeat(11usize.saturating_sub(cells))), SpanStyle::Dim);
        }
        blocks.push(block.with(example.question, SpanStyle::Plain));
    }
    gap(&mut blocks);
    blocks.push(Block::new().with("In use", SpanStyle::Heading));
    in_use(app, &mut blocks);
    gap(&mut blocks);
    blocks.push(Block::new().with("What it is not", SpanStyle::Heading));
    let not = "Catena is not a medical device and does not replace clinical judgement. Its graph can be wrong or incomplete; check before \
               you act.";
    blocks.push(Block::new().indented(2, 2).with(not, SpanStyle::Plain));
    gap(&mut blocks);
    blocks.push(Block::new().with("Keys", SpanStyle::Heading));
    let mut keys = Block::new().indented(2, 2);
    let hints = [
        (Action::Ask, Context::Question, "ask"),
        (Action::NewLine, Context::Question, "new line"),
        (Action::HistoryPrevious, Context::Question, "earlier question"),
        (Action::Stop, Context::Anywhere, "stop a run"),
        (Action::Help, Context::FirstScreen, "all keys"),
        (Action::Quit, Context::Anywhere, "quit"),
    ];
    for (action, context, text) in hints {
        let key = app.input.keymap.key_of(action, context);
        if !key.is_empty() {
            keys.push(&key, SpanStyle::Key);
            keys.push(&format!("\u{a0}{}   ", text.replace(' ', "\u{a0}")), SpanStyle::Dim);
        }
    }
    blocks.push(keys);
    blocks
}

fn in_use(app: &App, blocks: &mut Vec<Block>) {
    match (&app.engine, app.engine.info()) {
        (EngineState::Failed(reason), _) => {
            blocks.push(
                Block::new().indented(2, 4).with("✗ The graph could not be opened: ", SpanStyle::Error).with(reason, SpanStyle::Plain),
            );
            blocks.push(Block::new().indented(4, 4).with("“catena check” says what is missing and how to get it.", SpanStyle::Dim));
        }
        (_, Some(info)) => opened(info, blocks),
        _ => blocks.push(Block::new().indented(2, 2).with(&format!("{} opening the graph…", header::spinner(app.now)), SpanStyle::Busy)),
    }
}

fn opened(info: &EngineInfo, blocks: &mut Vec<Block>) {
    let kg = &info.kg;
    let learned = if kg.learned > 0 { format!(" · {} learned", paint::count(kg.learned)) } else { String::new() };
    let graph =
        format!("{} · {} entities · {} triples{learned}", sanitise_line(&kg.name), paint::count(kg.entities), paint::count(kg.triples));
    blocks.push(named("Graph", NAMES).with(&graph, SpanStyle::Plain));
    let generator = if info.models.generator.kind == "graph" {
        "from the graph itself, no language model".to_owned()
    } else {
        model(&info.models.generator)
    };
    blocks.push(named("Text", NAMES).with(&generator, SpanStyle::Plain));
    let models = format!("{} links · {} ranks", model(&info.models.encoder), model(&info.models.reranker));
    blocks.push(named("Models", NAMES).with(&models, SpanStyle::Plain));
    let remote = [&info.models.generator, &info.models.encoder, &info.models.reranker].iter().any(|m| m.kind == "http");
    let network =
        if remote { "a remote model is configured: questions leave this machine" } else { "not used: questions stay on this machine" };
    blocks.push(named("Network", NAMES).with(network, if remote { SpanStyle::Warning } else { SpanStyle::Plain }));
}

fn model(model: &ModelInfo) -> String {
    format!("{} ({})", sanitise_line(&model.name), sanitise_line(&model.device))
}
