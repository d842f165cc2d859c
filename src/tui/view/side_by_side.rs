//! Two runs beside each other: above, the question and what a good answer states; below, a column for each run, whose sections begin
//! side by side. On a narrow screen all of it stands in one column.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use super::{chain, paint, pane};
use crate::run::{ChainKey, Outcome};
use crate::text::{fold, sanitise_line};
use crate::tui::action::Action;
use crate::tui::app::{App, BesideMemory};
use crate::tui::keymap::Context;
use crate::tui::side_by_side::{Beside, Side};
use crate::tui::styled_text::{Block, Ink, Row};

/// From this width on the runs stand beside each other.
const TWO_COLUMNS: u16 = 100;
/// Cells for the headings beside the texts above the columns.
const HEAD: usize = 10;
/// Rows of the question that are shown where all runs stand in one column.
const QUESTION_ROWS: usize = 3;
/// Characters of the hypothesis, and of an answer that names nothing.
const SHORTENED: usize = 480;
/// Names of an expected entity that are shown.
const NAMES: usize = 3;
const SIGNS: &str = " ✓ expected  ✗ expected, not stated  + only in this run ";

pub(super) fn draw(buf: &mut Buffer, app: &mut App, body: Rect) {
    let Some(beside) = app.beside.take() else { return };
    let mut memory = std::mem::take(&mut app.memory.beside);
    if body.width >= TWO_COLUMNS {
        side_by_side(buf, app, &beside, &mut memory, body);
    } else {
        stacked(buf, app, &beside, &mut memory, body);
    }
    app.memory.beside = memory;
    app.beside = Some(beside);
    if let Some(beside) = &mut app.beside {
        beside.offset = beside.offset.min(app.memory.beside.rows.saturating_sub(app.memory.beside.height));
    }
}

fn side_by_side(buf: &mut Buffer, app: &mut App, beside: &Beside, memory: &mut BesideMemory, body: Rect) {
    let head = head(beside, memory, body.width.saturating_sub(4), usize::from(body.height / 3).max(4) - 2);
    let height = (head.len() as u16 + 2).min(body.height);
    let [above, below] = Layout::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(body);
    let inner = pane::sheet(buf, app, above, &sanitise_line(&beside.pair().title));
    paint::rows(buf, &app.theme, within(inner), &head, 0, |_, _, style| style);
    pane::note(buf, app, above, SIGNS);

    let areas: [Rect; 2] = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(below);
    let version = beside.at() as u64;
    let rows: [Vec<Row>; 2] = [0, 1].map(|side| {
        let width = areas[side].width.saturating_sub(4);
        memory.sides[side].rows(version, width, || run(beside, side)).to_vec()
    });
    let rows = aligned(rows);
    let shown = usize::from(below.height.saturating_sub(2));
    let total = rows[0].len().max(rows[1].len());
    let offset = beside.offset.min(total.saturating_sub(shown));
    (memory.rows, memory.height, memory.second) = (total, shown, None);
    for (side, (rows, area)) in rows.iter().zip(areas).enumerate() {
        let inner = pane::sheet(buf, app, area, &name(beside, side));
        paint::rows(buf, &app.theme, within(inner), rows, offset, |_, _, style| style);
        pane::scrollbar(buf, app, area, offset, total);
        if area.height > 0 {
            app.memory.picks.push((Rect { height: 1, ..area }, side));
        }
    }
    super::form::keys_below(buf, app, areas[0], &keys(app, &["open this run", "", "next", "before", "all"], &[0, 2, 3, 4]));
    super::form::keys_below(buf, app, areas[1], &keys(app, &["", "open this run"], &[1]));
}

fn stacked(buf: &mut Buffer, app: &mut App, beside: &Beside, memory: &mut BesideMemory, body: Rect) {
    let inner = within(pane::sheet(buf, app, body, &sanitise_line(&beside.pair().title)));
    let width = inner.width;
    let expected = memory.expected.rows(beside.at() as u64, width, || expected(beside)).len();
    let mut rows = head(beside, memory, width, QUESTION_ROWS + expected);
    let signs = Row { indent: 0, pieces: vec![(SIGNS.trim().to_owned(), Ink::Dim)], item: None };
    rows.push(signs);
    let mut heads = [0; 2];
    for (side, head) in heads.iter_mut().enumerate() {
        rows.push(empty(None));
        *head = rows.len();
        let name = format!("── {} ", name(beside, side));
        let rule = "─".repeat(usize::from(width).saturating_sub(name.chars().count()));
        rows.push(Row { indent: 0, pieces: vec![(name, Ink::Key), (rule, Ink::Dim)], item: None });
        let of_run = memory.sides[side].rows(beside.at() as u64, width, || run(beside, side));
        rows.extend_from_slice(of_run);
    }
    let shown = usize::from(inner.height);
    let offset = beside.offset.min(rows.len().saturating_sub(shown));
    (memory.rows, memory.height, memory.second) = (rows.len(), shown, Some(heads[1]));
    paint::rows(buf, &app.theme, inner, &rows, offset, |_, _, style| style);
    pane::scrollbar(buf, app, body, offset, rows.len());
    for (side, head) in heads.into_iter().enumerate() {
        if let Some(y) = head.checked_sub(offset).filter(|y| *y < shown) {
            app.memory.picks.push((Rect::new(inner.x, inner.y + y as u16, inner.width, 1), side));
        }
    }
    let mut below = keys(app, &["open first", "open second", "next", "before", "all"], &[2, 3, 0, 1, 4]);
    below.push((app.keymap.key_of(Action::FocusNext, Context::Anywhere), "other run"));
    super::form::keys_below(buf, app, body, &below);
}

/// The keys of this screen with what each does, in an order of one's own.
fn keys<'a>(app: &App, words: &[&'a str], order: &[usize]) -> Vec<(String, &'a str)> {
    let actions = [Action::OpenFirst, Action::OpenSecond, Action::NextPair, Action::PreviousPair, Action::Pairs];
    let key = |at: &usize| Some((app.keymap.key_of(*actions.get(*at)?, Context::Beside), *words.get(*at)?));
    order.iter().filter_map(key).collect()
}

/// The inside without a column at either end.
fn within(inner: Rect) -> Rect {
    Rect::new(inner.x + u16::from(inner.width > 2), inner.y, inner.width.saturating_sub(2), inner.height)
}

fn empty(item: Option<usize>) -> Row {
    Row { indent: 0, pieces: Vec::new(), item }
}

/// `1 hykge · 0.50`
fn name(beside: &Beside, side: usize) -> String {
    let pair = beside.pair();
    let (name, share) = (sanitise_line(&pair.names[side]), sanitise_line(&pair.shares[side]));
    format!("{} {name} · {share}", side + 1)
}

/// Question and what is expected, in so many rows at most.
fn head(beside: &Beside, memory: &mut BesideMemory, width: u16, most: usize) -> Vec<Row> {
    let version = beside.at() as u64;
    let expected = memory.expected.rows(version, width, || expected(beside));
    let question = memory.question.rows(version, width, || vec![labelled("Question").with(&shown_question(beside), Ink::Strong)]);
    // A long question, such as an examination's, leaves room for what is expected; open a run to read the whole.
    let room = most.saturating_sub(expected.len()).max(1);
    let mut rows: Vec<Row> = question.iter().take(room).cloned().collect();
    if let Some(last) = rows.last_mut().filter(|_| question.len() > room) {
        last.pieces.push((" …".into(), Ink::Dim));
        shorten(last, width);
    }
    let room = most.saturating_sub(rows.len()).max(1);
    rows.extend(expected.iter().take(room).cloned());
    if let Some(last) = rows.last_mut().filter(|_| expected.len() > room) {
        let text = "… and more: the columns say of each run what it states of it, and what it does not";
        last.pieces = vec![(text.into(), Ink::Dim)];
    }
    rows
}

/// Makes room at the end of a row for the ellipsis that it ends with.
fn shorten(row: &mut Row, width: u16) {
    let cells = |row: &Row| {
        usize::from(row.indent) + row.pieces.iter().map(|(text, _)| unicode_width::UnicodeWidthStr::width(text.as_str())).sum::<usize>()
    };
    while cells(row) > usize::from(width) {
        let Some((text, _)) = row.pieces.iter_mut().rev().nth(1) else { return };
        if text.pop().is_none() {
            return;
        }
    }
}

fn shown_question(beside: &Beside) -> String {
    match beside.pair().question().trim() {
        "" => "neither run was recorded".into(),
        question => question.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// A heading with its text beside it.
fn labelled(heading: &str) -> Block {
    let pad = HEAD.saturating_sub(heading.chars().count()).max(1);
    Block::new().indented(0, HEAD as u16).with(heading, Ink::Heading).with(&"\u{a0}".repeat(pad), Ink::Plain)
}

/// What is expected, by who states it.
fn expected(beside: &Beside) -> Vec<Block> {
    let parts = beside.pair().expected.iter().filter(|part| !part.entities.is_empty());
    let (first, second) = beside.side(0);
    let mut blocks = Vec::new();
    for part in parts {
        let mut block = labelled(if blocks.is_empty() { "Expected" } else { "" });
        block.push(&format!("{}: ", sanitise_line(&part.part)), Ink::Dim);
        let [one, two] = &beside.pair().names;
        let groups = [
            ((true, true), "✓", Ink::Good, "stated by both".to_owned()),
            ((true, false), "✓", Ink::Good, format!("only by 1 {}", sanitise_line(one))),
            ((false, true), "✓", Ink::Good, format!("only by 2 {}", sanitise_line(two))),
            ((false, false), "✗", Ink::Warning, "by neither".to_owned()),
        ];
        let mut begun = false;
        for (by, sign, ink, who) in groups {
            let stated = |names: &&Vec<String>| (first.states_one_of(names), second.states_one_of(names)) == by;
            for (at, names) in part.entities.iter().filter(stated).enumerate() {
                if at == 0 {
                    block.push(if begun { "   " } else { "" }, Ink::Plain);
                    block.push(&format!("{who} "), Ink::Dim);
                    begun = true;
                } else {
                    block.push(" · ", Ink::Dim);
                }
                block.push(&format!("{sign}\u{a0}"), ink);
                push_names(&mut block, names);
            }
        }
        blocks.push(block);
    }
    if blocks.is_empty() {
        blocks.push(labelled("Expected").with("nothing that can be compared by name", Ink::Dim));
    }
    blocks
}

/// An entity's first name, and quietly some of the others.
fn push_names(block: &mut Block, names: &[String]) {
    let Some((first, others)) = names.split_first() else { return };
    block.push(&sanitise_line(first), Ink::Strong);
    let different: Vec<String> = others.iter().filter(|name| fold(name) != fold(first)).map(|name| sanitise_line(name)).collect();
    if different.is_empty() {
        return;
    }
    let more = if different.len() > NAMES { ", …" } else { "" };
    let shown = different[..different.len().min(NAMES)].join(", ");
    block.push(&format!(" (or {shown}{more})"), Ink::Dim);
}

/// The sections of a run; blocks are marked with the number of their section, so that those of both runs can begin side by side.
fn run(beside: &Beside, side: usize) -> Vec<Block> {
    let (this, other) = beside.side(side);
    if beside.pair().events(side).is_empty() {
        return vec![Block::new().with("Nothing was recorded of this run.", Ink::Warning)];
    }
    let sections = [outcome(this), stated(beside, this, other), hypothesis(this), anchors(this, other), kept(this, other), warnings(this)];
    let mut blocks = Vec::new();
    for (number, section) in sections.into_iter().enumerate().filter(|(_, section)| !section.is_empty()) {
        blocks.extend(section.into_iter().map(|block| block.item(number)));
        blocks.push(Block::new().item(number));
    }
    blocks.pop();
    blocks
}

fn heading(text: &str, more: &str) -> Block {
    Block::new().with(text, Ink::Heading).with(&format!("  {more}"), Ink::Dim)
}

fn quiet(text: &str) -> Block {
    Block::new().indented(2, 2).with(text, Ink::Dim)
}

/// How the run ended.
fn outcome(this: &Side) -> Vec<Block> {
    let trace = &this.trace;
    let time = paint::duration(trace.elapsed_ms);
    match &trace.outcome {
        Some(Outcome::Answered) => vec![Block::new().with("answered", Ink::Good).with(&format!(" in {time}"), Ink::Dim)],
        Some(Outcome::NothingFound) => vec![Block::new().with("nothing found", Ink::Warning).with(&format!(" in {time}"), Ink::Dim)],
        Some(Outcome::Failed { message }) => {
            vec![Block::new().indented(0, 2).with("✗\u{a0}failed: ", Ink::Error).with(&sanitise_line(message), Ink::Plain)]
        }
        Some(Outcome::Cancelled) => vec![Block::new().with("stopped before it was over", Ink::Warning)],
        None => vec![Block::new().with("the recording ends before the run does", Ink::Warning)],
    }
}

/// What the answer states, in its order; then what it does not state of what is expected.
fn stated(beside: &Beside, this: &Side, other: &Side) -> Vec<Block> {
    let answer = &this.trace.answer;
    let all = || beside.pair().expected.iter().flat_map(|part| &part.entities);
    let missed: Vec<_> = all().filter(|names| !this.states_one_of(names)).collect();
    let total = all().count();
    let count = if total == 0 { answer.entities.len().to_string() } else { format!("{} of {total} expected", total - missed.len()) };
    let mut blocks = vec![heading("States", &count)];
    for (at, name) in answer.entities.iter().enumerate() {
        let line = answer.lines.iter().find(|line| fold(&line.entity) == fold(name));
        let mark = line.map_or_else(|| this.marks.of_name(name), |line| this.marks.of_line(&this.trace, line));
        let mut block = Block::new().indented(2, 9);
        block.push(&format!("{}{}\u{a0}", if at < 9 { "\u{a0}" } else { "" }, at + 1), Ink::Dim);
        block.push(if beside.expects(name) { "✓" } else { "\u{a0}" }, Ink::Good);
        block.push(if other.states(name) { "\u{a0}" } else { "+" }, Ink::Key);
        block.push("\u{a0}", Ink::Plain);
        block.push_entity(&sanitise_line(name), mark);
        for (nth, id) in line.iter().flat_map(|line| &line.citations).enumerate() {
            block.push(if nth == 0 { "\u{a0}" } else { "" }, Ink::Plain);
            block.push(&format!("[{id}]"), Ink::Citation(*id));
        }
        blocks.push(block);
    }
    if answer.entities.is_empty() {
        blocks.push(match answer.text.trim() {
            "" => quiet("no answer"),
            text => Block::new().indented(2, 2).with(&shortened(text), Ink::Plain),
        });
    }
    for names in missed {
        let mut block = Block::new().indented(5, 9).with("✗\u{a0}\u{a0}", Ink::Warning);
        block.push(names.first().map(|name| sanitise_line(name)).unwrap_or_default().as_str(), Ink::Plain);
        blocks.push(block);
    }
    blocks
}

fn hypothesis(this: &Side) -> Vec<Block> {
    let text = match this.trace.hypothesis.trim() {
        "" => quiet("none"),
        text => Block::new().indented(2, 2).with(&shortened(text), Ink::Plain),
    };
    vec![heading("Hypothesis", ""), text]
}

fn anchors(this: &Side, other: &Side) -> Vec<Block> {
    let trace = &this.trace;
    let mut block = Block::new().indented(2, 2);
    for anchor in &trace.anchors {
        block.push(if other.links(&anchor.entity) { "" } else { "+" }, Ink::Key);
        // A name is not parted: the next anchor begins where it ends.
        block.push_entity(&sanitise_line(&anchor.entity).replace(' ', "\u{a0}"), this.marks.of_name(&anchor.entity));
        block.push("   ", Ink::Plain);
    }
    for term in &trace.unlinked {
        block.push(&format!("✗\u{a0}“{}”", sanitise_line(term).replace(' ', "\u{a0}")), Ink::Unlinked);
        block.push("   ", Ink::Plain);
    }
    let unlinked = if trace.unlinked.is_empty() { String::new() } else { format!(" · {} not linked", trace.unlinked.len()) };
    let none = trace.anchors.is_empty() && trace.unlinked.is_empty();
    vec![heading("Anchors", &format!("{}{unlinked}", trace.anchors.len())), if none { quiet("none") } else { block }]
}

fn kept(this: &Side, other: &Side) -> Vec<Block> {
    let trace = &this.trace;
    let total = trace.pruning.kept.len();
    let mut blocks = vec![heading("Kept chains", &format!("{total} of {} found", paint::count(trace.chains_found)))];
    for ((id, _, kept), scored) in trace.kept().zip(&trace.pruning.kept) {
        let cited = trace.answer.citations.contains(&id);
        let mut block = Block::new().indented(2, 9);
        block.push(&format!("{}[{id}]", if id < 10 { "\u{a0}" } else { "" }), if cited { Ink::Citation(id) } else { Ink::Dim });
        block.push(if other.keeps(&ChainKey::of(&trace.table, kept)) { "\u{a0}" } else { "+" }, Ink::Key);
        block.push(&format!("\u{a0}{:.2}\u{a0}", scored.score), Ink::Dim);
        for (text, ink) in chain::pieces(&trace.table, &this.marks, kept) {
            block.push(&text, ink);
        }
        blocks.push(block);
    }
    if total == 0 {
        blocks.push(quiet("none"));
    }
    blocks
}

fn warnings(this: &Side) -> Vec<Block> {
    let stopped = this.trace.truncated.iter().map(|reason| format!("The search stopped early: {reason}"));
    let all = this.trace.warnings.iter().cloned().chain(stopped);
    let blocks: Vec<Block> =
        all.map(|text| Block::new().indented(2, 4).with("⚠\u{a0}", Ink::Warning).with(&sanitise_line(&text), Ink::Plain)).collect();
    if blocks.is_empty() { blocks } else { [vec![heading("Warnings", "")], blocks].concat() }
}

/// The beginning of a text, on one line.
fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SHORTENED) {
        Some((end, _)) => format!("{} …", text[..end].rsplit_once(' ').map_or(&text[..end], |(whole, _)| whole)),
        None => text,
    }
}

/// Fills up the shorter of each two sections, so that the next ones begin side by side.
fn aligned([left, right]: [Vec<Row>; 2]) -> [Vec<Row>; 2] {
    let sections = left.iter().chain(&right).filter_map(|row| row.item).max().map_or(0, |last| last + 1);
    if sections == 0 || left.iter().chain(&right).any(|row| row.item.is_none()) {
        return [left, right];
    }
    let mut both = [Vec::new(), Vec::new()];
    for section in 0..sections {
        let of = |rows: &[Row]| -> Vec<Row> { rows.iter().filter(|row| row.item == Some(section)).cloned().collect() };
        let mut of_both = [of(&left), of(&right)];
        let height = of_both[0].len().max(of_both[1].len());
        for (rows, all) in of_both.iter_mut().zip(&mut both) {
            rows.resize(height, empty(Some(section)));
            all.append(rows);
        }
    }
    both
}
