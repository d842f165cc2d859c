//! Two runs side by side: above, the question and what a good answer states; below, a column for each run, whose sections begin
//! side by side. On a narrow screen all of it stands in one column.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use super::{chain, paint, pane};
use crate::run::{AnswerPart, ChainKey, Outcome};
use crate::text::{fold, sanitise_line};
use crate::tui::action::Action;
use crate::tui::app::{App, SideBySideFrame};
use crate::tui::keymap::Context;
use crate::tui::side_by_side::{Side, SideBySide};
use crate::tui::styled_text::{Block, SpanStyle, TextRow};

/// From this width on the runs stand side by side.
const TWO_COLUMNS: u16 = 100;
/// Cells for the headings to the left of the texts above the columns.
const HEAD: usize = 10;
/// Rows of the question that are shown where all runs stand in one column.
const QUESTION_ROWS: usize = 3;
/// Characters of the hypothesis, and of an answer that names nothing.
const SHORTENED: usize = 480;
/// Names of an expected entity that are shown.
const NAMES: usize = 3;
const SIGNS: &str = " ✓ expected  ✗ expected, not stated  + only in this run ";

pub(super) fn draw(buf: &mut Buffer, app: &mut App, body: Rect) {
    let Some(runs) = app.side_by_side.take() else { return };
    let mut memory = std::mem::take(&mut app.layout.frame.side_by_side);
    if body.width >= TWO_COLUMNS {
        side_by_side(buf, app, &runs, &mut memory, body);
    } else {
        stacked(buf, app, &runs, &mut memory, body);
    }
    app.layout.frame.side_by_side = memory;
    app.side_by_side = Some(runs);
    if let Some(runs) = &mut app.side_by_side {
        runs.offset = runs.offset.min(app.layout.frame.side_by_side.rows.saturating_sub(app.layout.frame.side_by_side.height));
    }
}

fn side_by_side(buf: &mut Buffer, app: &mut App, runs: &SideBySide, memory: &mut SideBySideFrame, body: Rect) {
    let head = head(runs, memory, body.width.saturating_sub(4), usize::from(body.height / 3).max(4) - 2);
    let height = (head.len() as u16 + 2).min(body.height);
    let [above, below] = Layout::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(body);
    let inner = pane::sheet(buf, &app.look.theme, above, &sanitise_line(&runs.pair().title));
    paint::rows(buf, &app.look.theme, within(inner), &head, 0, |_, _, style| style);
    pane::note(buf, &app.look.theme, above, SIGNS);

    let areas: [Rect; 2] = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(below);
    let version = runs.at() as u64;
    let rows: [Vec<TextRow>; 2] = [0, 1].map(|side| {
        let width = areas[side].width.saturating_sub(4);
        memory.sides[side].rows(version, width, || run(runs, side)).to_vec()
    });
    let rows = aligned(rows);
    let shown = usize::from(below.height.saturating_sub(2));
    let total = rows[0].len().max(rows[1].len());
    let offset = runs.offset.min(total.saturating_sub(shown));
    (memory.rows, memory.height, memory.second) = (total, shown, None);
    for (side, (rows, area)) in rows.iter().zip(areas).enumerate() {
        let inner = pane::sheet(buf, &app.look.theme, area, &name(runs, side));
        paint::rows(buf, &app.look.theme, within(inner), rows, offset, |_, _, style| style);
        pane::scrollbar(buf, &app.look.theme, area, offset, total);
        if area.height > 0 {
            app.layout.frame.picks.push((Rect { height: 1, ..area }, side));
        }
    }
    super::form::keys_below(buf, app, areas[0], &keys(app, &["open this run", "", "next", "before", "all"], &[0, 2, 3, 4]));
    super::form::keys_below(buf, app, areas[1], &keys(app, &["", "open this run"], &[1]));
}

fn stacked(buf: &mut Buffer, app: &mut App, runs: &SideBySide, memory: &mut SideBySideFrame, body: Rect) {
    let inner = within(pane::sheet(buf, &app.look.theme, body, &sanitise_line(&runs.pair().title)));
    let width = inner.width;
    let expected = memory.expected.rows(runs.at() as u64, width, || expected(runs)).len();
    let mut rows = head(runs, memory, width, QUESTION_ROWS + expected);
    let signs = TextRow { indent: 0, pieces: vec![(SIGNS.trim().to_owned(), SpanStyle::Dim)], item: None };
    rows.push(signs);
    let mut heads = [0; 2];
    for (side, head) in heads.iter_mut().enumerate() {
        rows.push(empty(None));
        *head = rows.len();
        let name = format!("── {} ", name(runs, side));
        let rule = "─".repeat(usize::from(width).saturating_sub(name.chars().count()));
        rows.push(TextRow { indent: 0, pieces: vec![(name, SpanStyle::Key), (rule, SpanStyle::Dim)], item: None });
        let of_run = memory.sides[side].rows(runs.at() as u64, width, || run(runs, side));
        rows.extend_from_slice(of_run);
    }
    let shown = usize::from(inner.height);
    let offset = runs.offset.min(rows.len().saturating_sub(shown));
    (memory.rows, memory.height, memory.second) = (rows.len(), shown, Some(heads[1]));
    paint::rows(buf, &app.look.theme, inner, &rows, offset, |_, _, style| style);
    pane::scrollbar(buf, &app.look.theme, body, offset, rows.len());
    for (side, head) in heads.into_iter().enumerate() {
        if let Some(y) = head.checked_sub(offset).filter(|y| *y < shown) {
            app.layout.frame.picks.push((Rect::new(inner.x, inner.y + y as u16, inner.width, 1), side));
        }
    }
    let mut below = keys(app, &["open first", "open second", "next", "before", "all"], &[2, 3, 0, 1, 4]);
    below.push((app.input.keymap.key_of(Action::FocusNext, Context::Anywhere), "other run"));
    super::form::keys_below(buf, app, body, &below);
}

/// The keys of this screen with what each does, in an order of one's own.
fn keys<'a>(app: &App, words: &[&'a str], order: &[usize]) -> Vec<(String, &'a str)> {
    let actions = [Action::OpenFirst, Action::OpenSecond, Action::NextPair, Action::PreviousPair, Action::Pairs];
    let key = |at: &usize| Some((app.input.keymap.key_of(*actions.get(*at)?, Context::SideBySide), *words.get(*at)?));
    order.iter().filter_map(key).collect()
}

/// The inside without a column at either end.
fn within(inner: Rect) -> Rect {
    Rect::new(inner.x + u16::from(inner.width > 2), inner.y, inner.width.saturating_sub(2), inner.height)
}

fn empty(item: Option<usize>) -> TextRow {
    TextRow { indent: 0, pieces: Vec::new(), item }
}

/// `1 hykge · 0.50`
fn name(runs: &SideBySide, side: usize) -> String {
    let pair = runs.pair();
    let (name, share) = (sanitise_line(&pair.names[side]), sanitise_line(&pair.shares[side]));
    format!("{} {name} · {share}", side + 1)
}

/// The question and the expected entities, in at most this many rows.
fn head(runs: &SideBySide, memory: &mut SideBySideFrame, width: u16, most: usize) -> Vec<TextRow> {
    let version = runs.at() as u64;
    let expected = memory.expected.rows(version, width, || expected(runs));
    let question = memory.question.rows(version, width, || vec![labelled("Question").with(&shown_question(runs), SpanStyle::Strong)]);
    // A long question, such as an examination's, leaves room for what is expected; open a run to read the whole.
    let room = most.saturating_sub(expected.len()).max(1);
    let mut rows: Vec<TextRow> = question.iter().take(room).cloned().collect();
    if let Some(last) = rows.last_mut().filter(|_| question.len() > room) {
        last.pieces.push((" …".into(), SpanStyle::Dim));
        shorten(last, width);
    }
    let room = most.saturating_sub(rows.len()).max(1);
    rows.extend(expected.iter().take(room).cloned());
    if let Some(last) = rows.last_mut().filter(|_| expected.len() > room) {
        let text = "… and more: each column shows what its run states and what it misses";
        last.pieces = vec![(text.into(), SpanStyle::Dim)];
    }
    rows
}

/// Makes room at the end of a row for the ellipsis that it ends with.
fn shorten(row: &mut TextRow, width: u16) {
    let cells = |row: &TextRow| {
        usize::from(row.indent) + row.pieces.iter().map(|(text, _)| unicode_width::UnicodeWidthStr::width(text.as_str())).sum::<usize>()
    };
    while cells(row) > usize::from(width) {
        let Some((text, _)) = row.pieces.iter_mut().rev().nth(1) else { return };
        if text.pop().is_none() {
            return;
        }
    }
}

fn shown_question(runs: &SideBySide) -> String {
    match runs.pair().question().trim() {
        "" => "neither run was recorded".into(),
        question => question.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// A heading with its text to its right.
fn labelled(heading: &str) -> Block {
    let pad = HEAD.saturating_sub(heading.chars().count()).max(1);
    Block::new().indented(0, HEAD as u16).with(heading, SpanStyle::Heading).with(&"\u{a0}".repeat(pad), SpanStyle::Plain)
}

/// What is expected, by who states it.
fn expected(runs: &SideBySide) -> Vec<Block> {
    let parts = runs.pair().expected.iter().filter(|part| !part.entities.is_empty());
    let (first, second) = runs.side(0);
    let mut blocks = Vec::new();
    for part in parts {
        let mut block = labelled(if blocks.is_empty() { "Expected" } else { "" });
        block.push(&format!("{}: ", sanitise_line(&part.part)), SpanStyle::Dim);
        let [one, two] = &runs.pair().names;
        let groups = [
            ((true, true), "✓", SpanStyle::Good, "stated by both".to_owned()),
            ((true, false), "✓", SpanStyle::Good, format!("only by 1 {}", sanitise_line(one))),
            ((false, true), "✓", SpanStyle::Good, format!("only by 2 {}", sanitise_line(two))),
            ((false, false), "✗", SpanStyle::Warning, "by neither".to_owned()),
        ];
        let mut begun = false;
        for (by, sign, span_style, who) in groups {
            let stated = |names: &&Vec<String>| (first.states_one_of(names), second.states_one_of(names)) == by;
            for (at, names) in part.entities.iter().filter(stated).enumerate() {
                if at == 0 {
                    block.push(if begun { "   " } else { "" }, SpanStyle::Plain);
                    block.push(&format!("{who} "), SpanStyle::Dim);
                    begun = true;
                } else {
                    block.push(" · ", SpanStyle::Dim);
                }
                block.push(&format!("{sign}\u{a0}"), span_style);
                push_names(&mut block, names);
            }
        }
        blocks.push(block);
    }
    if blocks.is_empty() {
        blocks.push(labelled("Expected").with("nothing that can be compared by name", SpanStyle::Dim));
    }
    blocks
}

/// An entity's first name, and quietly some of the others.
fn push_names(block: &mut Block, names: &[String]) {
    let Some((first, others)) = names.split_first() else { return };
    block.push(&sanitise_line(first), SpanStyle::Strong);
    let different: Vec<String> = others.iter().filter(|name| fold(name) != fold(first)).map(|name| sanitise_line(name)).collect();
    if different.is_empty() {
        return;
    }
    let more = if different.len() > NAMES { ", …" } else { "" };
    let shown = different[..different.len().min(NAMES)].join(", ");
    block.push(&format!(" (or {shown}{more})"), SpanStyle::Dim);
}

/// The sections of a run; blocks are marked with the number of their section, so that those of both runs can begin side by side.
fn run(runs: &SideBySide, side: usize) -> Vec<Block> {
    let (this, other) = runs.side(side);
    if runs.pair().events(side).is_empty() {
        return vec![Block::new().with("This run was not recorded.", SpanStyle::Warning)];
    }
    let sections = [outcome(this), stated(runs, this, other), hypothesis(this), anchors(this, other), kept(this, other), warnings(this)];
    let mut blocks = Vec::new();
    for (number, section) in sections.into_iter().enumerate().filter(|(_, section)| !section.is_empty()) {
        blocks.extend(section.into_iter().map(|block| block.item(number)));
        blocks.push(Block::new().item(number));
    }
    blocks.pop();
    blocks
}

fn heading(text: &str, more: &str) -> Block {
    Block::new().with(text, SpanStyle::Heading).with(&format!("  {more}"), SpanStyle::Dim)
}

fn quiet(text: &str) -> Block {
    Block::new().indented(2, 2).with(text, SpanStyle::Dim)
}

/// How the run ended.
fn outcome(this: &Side) -> Vec<Block> {
    let trace = &this.trace;
    let time = paint::duration(trace.elapsed_ms);
    match &trace.outcome {
        Some(Outcome::Answered) => vec![Block::new().with("answered", SpanStyle::Good).with(&format!(" in {time}"), SpanStyle::Dim)],
        Some(Outcome::NothingFound) => {
            vec![Block::new().with("nothing found", SpanStyle::Warning).with(&format!(" in {time}"), SpanStyle::Dim)]
        }
        Some(Outcome::Failed { message }) => {
            vec![Block::new().indented(0, 2).with("✗\u{a0}failed: ", SpanStyle::Error).with(&sanitise_line(message), SpanStyle::Plain)]
        }
        Some(Outcome::Cancelled) => vec![Block::new().with("stopped before it was finished", SpanStyle::Warning)],
        None => vec![Block::new().with("the recording ends before the run does", SpanStyle::Warning)],
    }
}

/// What the answer states, in its order; then the expected entities that it misses.
fn stated(runs: &SideBySide, this: &Side, other: &Side) -> Vec<Block> {
    let answer = &this.trace.answer;
    let all = || runs.pair().expected.iter().flat_map(|part| &part.entities);
    let missed: Vec<_> = all().filter(|names| !this.states_one_of(names)).collect();
    let total = all().count();
    let count = if total == 0 { answer.entities.len().to_string() } else { format!("{} of {total} expected", total - missed.len()) };
    let mut blocks = vec![heading("States", &count)];
    for (at, name) in answer.entities.iter().enumerate() {
        // What the sentence that answers names has a line of its own, mostly.
        let mut lines = answer.lines.iter().filter(|line| line.stated().any(|stated| fold(stated) == fold(name)));
        let first = lines.next();
        let line = first.filter(|first| first.part != AnswerPart::Summary).or_else(|| lines.next()).or(first);
        let mark = line.map_or_else(|| this.marks.of_name(name), |line| this.marks.of_stated(&this.trace, line, name));
        let mut block = Block::new().indented(2, 9);
        block.push(&format!("{}{}\u{a0}", if at < 9 { "\u{a0}" } else { "" }, at + 1), SpanStyle::Dim);
        block.push(if runs.expects(name) { "✓" } else { "\u{a0}" }, SpanStyle::Good);
        block.push(if other.states(name) { "\u{a0}" } else { "+" }, SpanStyle::Key);
        block.push("\u{a0}", SpanStyle::Plain);
        block.push_entity(&sanitise_line(name), mark);
        for (nth, id) in line.iter().flat_map(|line| &line.citations).enumerate() {
            block.push(if nth == 0 { "\u{a0}" } else { "" }, SpanStyle::Plain);
            block.push(&format!("[{id}]"), SpanStyle::Citation(*id));
        }
        blocks.push(block);
    }
    if answer.entities.is_empty() {
        blocks.push(match answer.text.trim() {
            "" => quiet("no answer"),
            text => Block::new().indented(2, 2).with(&shortened(text), SpanStyle::Plain),
        });
    }
    for names in missed {
        let mut block = Block::new().indented(5, 9).with("✗\u{a0}\u{a0}", SpanStyle::Warning);
        block.push(names.first().map(|name| sanitise_line(name)).unwrap_or_default().as_str(), SpanStyle::Plain);
        blocks.push(block);
    }
    blocks
}

fn hypothesis(this: &Side) -> Vec<Block> {
    let text = match this.trace.hypothesis.trim() {
        "" => quiet("none"),
        text => Block::new().indented(2, 2).with(&shortened(text), SpanStyle::Plain),
    };
    vec![heading("Hypothesis", ""), text]
}

fn anchors(this: &Side, other: &Side) -> Vec<Block> {
    let trace = &this.trace;
    let mut block = Block::new().indented(2, 2);
    for anchor in &trace.anchors {
        block.push(if other.links(&anchor.entity) { "" } else { "+" }, SpanStyle::Key);
        // A name does not wrap: the next anchor begins where it ends.
        block.push_entity(&sanitise_line(&anchor.entity).replace(' ', "\u{a0}"), this.marks.of_name(&anchor.entity));
        block.push("   ", SpanStyle::Plain);
    }
    for term in &trace.unlinked {
        block.push(&format!("✗\u{a0}“{}”", sanitise_line(term).replace(' ', "\u{a0}")), SpanStyle::Unlinked);
        block.push("   ", SpanStyle::Plain);
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
        block.push(&format!("{}[{id}]", if id < 10 { "\u{a0}" } else { "" }), if cited { SpanStyle::Citation(id) } else { SpanStyle::Dim });
        block.push(if other.keeps(&ChainKey::of(&trace.table, kept)) { "\u{a0}" } else { "+" }, SpanStyle::Key);
        block.push(&format!("\u{a0}{:.2}\u{a0}", scored.score), SpanStyle::Dim);
        for (text, span_style) in chain::pieces(&trace.table, &this.marks, kept) {
            block.push(&text, span_style);
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
    let blocks: Vec<Block> = all
        .map(|text| Block::new().indented(2, 4).with("⚠\u{a0}", SpanStyle::Warning).with(&sanitise_line(&text), SpanStyle::Plain))
        .collect();
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
fn aligned([left, right]: [Vec<TextRow>; 2]) -> [Vec<TextRow>; 2] {
    let sections = left.iter().chain(&right).filter_map(|row| row.item).max().map_or(0, |last| last + 1);
    if sections == 0 || left.iter().chain(&right).any(|row| row.item.is_none()) {
        return [left, right];
    }
    let mut both = [Vec::new(), Vec::new()];
    for section in 0..sections {
        let of = |rows: &[TextRow]| -> Vec<TextRow> { rows.iter().filter(|row| row.item == Some(section)).cloned().collect() };
        let mut of_both = [of(&left), of(&right)];
        let height = of_both[0].len().max(of_both[1].len());
        for (rows, all) in of_both.iter_mut().zip(&mut both) {
            rows.resize(height, empty(Some(section)));
            all.append(rows);
        }
    }
    both
}
