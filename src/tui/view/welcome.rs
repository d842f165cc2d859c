//! The first screen: what Catena is and is not, what it works with, and questions to try.

use ratatui::Frame;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::chain::shortened;
use super::{header, paint, question};
use crate::run::{EngineInfo, ModelInfo};
use crate::text::sanitise_line;
use crate::tui::action::Action;
use crate::tui::app::{App, EngineState};
use crate::tui::keymap::Context;
use crate::tui::styled_text::{self, Block, SpanStyle};
use crate::words::{Language, words};

/// Text wider than this is hard to read.
const WIDEST: u16 = 104;
/// Cells for the names before what they name.
const NAMES: u16 = 14;
/// From this width on, the examples' fields are named.
const WITH_FIELDS: u16 = 96;

/// Earlier questions that are listed, and the number of the first among what can be clicked.
const RECENT: usize = 3;
pub(crate) const RECENT_ITEMS: usize = 1000;
/// The number of the first earlier run among what can be clicked.
pub(crate) const RUN_ITEMS: usize = 2000;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, body: Rect) {
    let width = body.width.min(WIDEST);
    let x = body.x + (body.width - width) / 2;
    let roomy = body.height >= 34;
    let needed = u16::try_from(app.input.editor.rows_in(width.saturating_sub(2))).unwrap_or(u16::MAX).saturating_add(2);
    let editor_height = if roomy {
        6
    } else if body.height >= 12 {
        4
    } else {
        body.height.min(3)
    };
    // A long question is seen whole, up to half of the screen.
    let editor_height = editor_height.max(needed.min(body.height / 2));
    let top = if roomy { (body.height - 34) / 3 + 1 } else { 0 };
    let intro_height = match body.height {
        34.. => 3,
        20.. => 1,
        _ => 0,
    };
    if intro_height > 0 {
        let text = words!(app.language, "Catena answers clinical questions from a knowledge graph and cites each claim.");
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
    let sheet = more(frame, app, sheet, rows.len());
    // What lies over it scrolls by itself.
    let is_covered = app.sheets.overlay.is_some();
    if !is_covered {
        app.layout.frame.sheet_height = usize::from(sheet.height);
        app.layout.frame.sheet_rows = rows.len();
        app.sheets.offset = app.sheets.offset.min(rows.len().saturating_sub(usize::from(sheet.height)));
    }
    let offset = if is_covered { 0 } else { app.sheets.offset };
    let inside = Rect::new(sheet.x + u16::from(sheet.width > 2), sheet.y, sheet.width.saturating_sub(2), sheet.height);
    // What can be clicked.
    if !is_covered {
        let shown = rows.iter().skip(offset).zip(inside.top()..inside.bottom());
        app.layout.frame.picks = shown.filter_map(|(row, y)| Some((Rect::new(inside.x, y, inside.width, 1), row.item?))).collect();
    }
    paint::rows(frame.buffer_mut(), &app.look.theme, inside, &rows, offset, |_, _, style| style);
}

/// Says in the last row that there is more below, where there is; returns what is left of the area.
fn more(frame: &mut Frame<'_>, app: &App, area: Rect, rows: usize) -> Rect {
    if area.height < 3 || rows <= usize::from(area.height) {
        return area;
    }
    let left = Rect { height: area.height - 1, ..area };
    if app.sheets.offset + usize::from(left.height) < rows {
        let key = app.input.keymap.key_of(Action::PageDown, Context::FirstScreen);
        // While something is typed, the key belongs to the editor.
        let is_typing = !app.input.editor.text().is_empty();
        let text = if is_typing { "▼".to_owned() } else { words!(app.language, "▼ more: {key}", key = key) };
        let x = area.right().saturating_sub(text.width() as u16 + 1).max(area.x);
        paint::pieces(frame.buffer_mut(), &app.look.theme, (x, left.bottom()), area.width, [(text.as_str(), SpanStyle::Key)]);
    }
    left
}

fn named(name: &str, cells: u16) -> Block {
    let pad = usize::from(cells).saturating_sub(name.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum());
    Block::new().indented(2, 2 + cells).with(name, SpanStyle::Dim).with(&"\u{a0}".repeat(pad), SpanStyle::Plain)
}

fn compose(app: &App, roomy: bool, width: u16) -> Vec<Block> {
    let (mut blocks, l) = (Vec::new(), app.language);
    let gap = |blocks: &mut Vec<Block>| {
        if roomy {
            blocks.push(Block::new());
        }
    };
    let ask = app.input.keymap.key_of(Action::Ask, Context::Question);
    let hint = words!(l, "  type its number, then {ask}; or click it", ask = ask);
    let examples = app.engine.examples();
    if !examples.is_empty() {
        blocks.push(Block::new().with(words!(l, "Try one"), SpanStyle::Heading).with(&hint, SpanStyle::Dim));
    }
    for (number, example) in (1u8..).zip(&examples) {
        let fields = width >= WITH_FIELDS;
        let mut block = Block::new()
            .indented(2, if fields { 16 } else { 4 })
            .with(&format!("{number}\u{a0}"), SpanStyle::Key)
            .item(usize::from(number));
        if fields {
            let cells: usize = l.known(&example.field).chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
            block.push(&format!("\u{a0}{}{}", l.known(&example.field), "\u{a0}".repeat(11usize.saturating_sub(cells))), SpanStyle::Dim);
        }
        blocks.push(block.with(&sanitise_line(&example.question), SpanStyle::Plain));
    }
    if !app.sheets.latest_runs.is_empty() {
        gap(&mut blocks);
        let key = app.input.keymap.key_of(Action::Sessions, Context::FirstScreen);
        let hint = words!(l, "  {key} lists all of them; or click one", key = key);
        blocks.push(Block::new().with(words!(l, "Earlier runs"), SpanStyle::Heading).with(&hint, SpanStyle::Dim));
        for (at, run) in app.sheets.latest_runs.iter().enumerate() {
            let number = examples.len() + 1 + at;
            let when = format!("{number}\u{a0}{} ", run.when.replace(' ', "\u{a0}"));
            let room = usize::from(width).saturating_sub(6 + when.width());
            let question = shortened(&sanitise_line(&run.question), room);
            let block = Block::new().indented(2, 4).with(&when, SpanStyle::Key).with(&question, SpanStyle::Plain);
            blocks.push(block.item(RUN_ITEMS + at));
        }
    }
    let asked: Vec<&str> = app.input.editor.earlier().take(if roomy { RECENT } else { 0 }).collect();
    if !asked.is_empty() {
        gap(&mut blocks);
        let key = app.input.keymap.key_of(Action::HistoryPrevious, Context::Question);
        let hint = words!(l, "  {key} brings them back; or click one", key = key);
        blocks.push(Block::new().with(words!(l, "Asked before"), SpanStyle::Heading).with(&hint, SpanStyle::Dim));
        for (at, question) in asked.into_iter().enumerate() {
            let line = crate::text::sanitise_line(question);
            blocks.push(Block::new().indented(2, 4).with(&line, SpanStyle::Plain).item(RECENT_ITEMS + at));
        }
    }
    gap(&mut blocks);
    blocks.push(Block::new().with(words!(l, "What it is not"), SpanStyle::Heading));
    let not = words!(
        l,
        "Catena is not a medical device and does not replace clinical judgement. Its graph can be wrong or incomplete; check before you act."
    );
    blocks.push(Block::new().indented(2, 2).with(not, SpanStyle::Plain));
    gap(&mut blocks);
    blocks.push(Block::new().with(words!(l, "In use"), SpanStyle::Heading));
    in_use(app, &mut blocks);
    gap(&mut blocks);
    blocks.push(Block::new().with(words!(l, "Keys"), SpanStyle::Heading));
    let mut keys = Block::new().indented(2, 2);
    let hints = [
        (Action::Ask, Context::Question, words!(l, "ask")),
        (Action::NewLine, Context::Question, words!(l, "new line")),
        (Action::HistoryPrevious, Context::Question, words!(l, "earlier question")),
        (Action::Sessions, Context::FirstScreen, words!(l, "earlier runs")),
        (Action::Stop, Context::Anywhere, words!(l, "stop a run")),
        (Action::Help, Context::FirstScreen, words!(l, "all keys")),
        (Action::Quit, Context::Anywhere, words!(l, "quit")),
        (Action::Tour, Context::FirstScreen, words!(l, "tour")),
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
                Block::new()
                    .indented(2, 4)
                    .with(words!(app.language, "✗ The graph could not be opened: "), SpanStyle::Error)
                    .with(reason, SpanStyle::Plain),
            );
            blocks.push(
                Block::new()
                    .indented(4, 4)
                    .with(words!(app.language, "“catena check” says what is missing and how to get it."), SpanStyle::Dim),
            );
        }
        (_, Some(info)) => opened(info, blocks, app.language),
        _ => blocks.push(
            Block::new()
                .indented(2, 2)
                .with(&format!("{} {}", header::spinner(app.now), words!(app.language, "opening the graph…")), SpanStyle::Busy),
        ),
    }
}

fn opened(info: &EngineInfo, blocks: &mut Vec<Block>, l: Language) {
    let kg = &info.kg;
    let learned = if kg.learned > 0 { words!(l, " · {count} learned", count = paint::count(kg.learned)) } else { String::new() };
    let graph = words!(
        l,
        "{name} · {entities} entities · {triples} triples{learned}",
        name = sanitise_line(&kg.name),
        entities = paint::count(kg.entities),
        triples = paint::count(kg.triples),
        learned = learned
    );
    blocks.push(named(words!(l, "Graph"), NAMES).with(&graph, SpanStyle::Plain));
    let generator = if info.models.generator.kind == "graph" {
        words!(l, "from the graph itself, no language model").to_owned()
    } else {
        model(&info.models.generator)
    };
    blocks.push(named(words!(l, "Text"), NAMES).with(&generator, SpanStyle::Plain));
    let models =
        words!(l, "{encoder} links · {reranker} ranks", encoder = model(&info.models.encoder), reranker = model(&info.models.reranker));
    blocks.push(named(words!(l, "Models"), NAMES).with(&models, SpanStyle::Plain));
    let remote = [&info.models.generator, &info.models.encoder, &info.models.reranker].iter().any(|m| m.kind == "http");
    let network = match remote {
        true => words!(l, "a remote model is configured: questions leave this machine"),
        false => words!(l, "not used: questions stay on this machine"),
    };
    blocks.push(named(words!(l, "Network"), NAMES).with(network, if remote { SpanStyle::Warning } else { SpanStyle::Plain }));
}

fn model(model: &ModelInfo) -> String {
    format!("{} ({})", sanitise_line(&model.name), sanitise_line(&model.device))
}
