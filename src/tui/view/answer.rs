//! The answer: its parts, their lines, and the citations of each; or why there is none.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{activity, paint, pane};
use crate::pipeline::llm::{is_own, plain_line};
use crate::run::{Mark, Marks};
use crate::run::{ModelRole, Outcome, Stage, StageState, Trace};
use crate::text::{is_cjk, sanitise_line};
use crate::tui::action::{Action, Pane};
use crate::tui::app::{App, Engine};
use crate::tui::highlight::Line;
use crate::tui::keymap::Context;
use crate::tui::styled_text::{Block, Ink, Row};

/// Cells for the headings beside the texts that stand in for an answer.
const NOTES: usize = 16;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let more = title(app);
    let inner = pane::frame(buf, app, Pane::Answer, area, &more);
    if inner.is_empty() {
        return;
    }
    let (stopped, opening, height) = (app.was_stopped(), app.engine == Engine::Opening, usize::from(inner.height));
    let App { memory, trace, marks, version, highlighted, .. } = app;
    // States outside the trace are part of the version of the text.
    let version = version.wrapping_mul(4) + u64::from(stopped) + 2 * u64::from(opening);
    let rows = memory.answer.rows(version, inner.width, || compose(trace, marks, highlighted, stopped, opening)).to_vec();
    let total = rows.len();
    let of_selected = |row: &Row| row.item == Some(app.answer.selected);
    if let (Some(first), Some(last)) = (rows.iter().position(of_selected), rows.iter().rposition(of_selected)) {
        // With the first line, its heading is shown too.
        let first = if app.answer.selected == 0 { 0 } else { first };
        let offset = paint::reveal(app.answer.offset, last, height, total);
        app.answer.offset = paint::reveal(offset, first, height, total);
    }
    app.answer.offset = app.answer.offset.min(total.saturating_sub(height));
    let focused = app.focus == Pane::Answer && app.overlay.is_none();
    for (row, y) in rows.iter().skip(app.answer.offset).zip(inner.top()..inner.bottom()) {
        if focused && row.item == Some(app.answer.selected) {
            buf.set_style(Rect::new(inner.x, y, inner.width, 1), app.theme.styles.selected);
            paint::gutter(buf, &app.theme, (inner.x, y), true);
        }
    }
    // Citations are of what the answer was read from, which may be kept in another place now, or no longer.
    let selected = |id: u32| app.chain.is_some() && app.cited_chain(id) == app.chain;
    let stale = app.stale;
    let cited = app.theme.styles.cited;
    let quiet = app.theme.styles.dim;
    let look = |_: &Row, ink: Ink, style: Style| match ink {
        Ink::Citation(id) if selected(id) => style.patch(cited).bold().reversed(),
        Ink::Citation(_) if stale => quiet,
        _ => style,
    };
    paint::rows(buf, &app.theme, inner, &rows, app.answer.offset, look);
    let offset = app.answer.offset;
    pane::scrollbar(buf, app, area, offset, total);
}

fn title(app: &App) -> Vec<(String, Ink)> {
    let time = || paint::duration(app.elapsed_ms());
    match &app.trace.outcome {
        _ if app.was_stopped() => vec![("stopped".into(), Ink::Warning)],
        Some(Outcome::Answered) => {
            let cited = app.trace.answer.citations.len();
            let mut title =
                vec![("from ".into(), Ink::Dim), (format!("{cited} chains"), Ink::Strong), (format!(" · {}", time()), Ink::Dim)];
            if app.stale {
                let key = app.keymap.key_of(Action::Reread, Context::Panes);
                title.push((" · the evidence has changed: ".into(), Ink::Warning));
                title.push((key, Ink::Key));
                title.push((" reads it anew".into(), Ink::Warning));
            }
            title
        }
        Some(Outcome::NothingFound) => vec![("no evidence".into(), Ink::Warning)],
        Some(Outcome::Failed { .. }) => vec![("failed".into(), Ink::Error)],
        Some(Outcome::Cancelled) => vec![("stopped".into(), Ink::Warning)],
        None if app.is_running() => {
            let mut title = vec![("working…".into(), Ink::Busy)];
            if matches!(app.trace.stage(Stage::Read), StageState::Running { .. }) {
                title.extend(activity::of(&app.trace, ModelRole::Generator, Stage::Read, app.elapsed_ms(), app.silence()));
            }
            title
        }
        None => Vec::new(),
    }
}

/// The text of the pane.
fn compose(trace: &Trace, marks: &Marks, highlighted: &[Line], stopped: bool, opening: bool) -> Vec<Block> {
    let mut blocks = Vec::new();
    match &trace.outcome {
        Some(Outcome::Failed { message }) => failed(message, &mut blocks),
        Some(Outcome::NothingFound) => nothing(trace, &mut blocks),
        _ if stopped && trace.answer.text.is_empty() => {
            blocks.push(
                Block::new()
                    .with("Stopped. ", Ink::Warning)
                    .with("No answer was written. What had been found by then is in the other panes.", Ink::Plain),
            );
        }
        None if trace.answer.text.is_empty() && trace.answer.lines.is_empty() => progress(trace, opening, &mut blocks),
        _ => {}
    }
    let failed_before = matches!(trace.outcome, Some(Outcome::Failed { .. })) && trace.answer.text.is_empty();
    if !failed_before && trace.outcome != Some(Outcome::NothingFound) {
        body(trace, marks, highlighted, &mut blocks);
    }
    blocks
}

/// How far the run is, while there is no answer to show.
fn progress(trace: &Trace, opening: bool, blocks: &mut Vec<Block>) {
    if trace.id.is_empty() {
        blocks.push(if opening {
            Block::new().with("Opening the graph… ", Ink::Busy).with("Your question will be asked as soon as it is open.", Ink::Dim)
        } else {
            Block::new().with("Ask a question, and the answer comes here, with a citation for each claim.", Ink::Dim)
        });
        return;
    }
    for stage in Stage::ALL {
        let (sign, ink, time) = match trace.stage(stage) {
            StageState::Done { elapsed_ms } => ("✓", Ink::Good, paint::duration(elapsed_ms)),
            StageState::Running { .. } => ("▸", Ink::Busy, String::new()),
            StageState::Waiting => ("·", Ink::Dim, String::new()),
        };
        let name = if matches!(trace.stage(stage), StageState::Running { .. }) { Ink::Strong } else { Ink::Plain };
        let mut block = Block::new().indented(1, 3).with(&format!("{sign} "), ink);
        block.push(&padded(stage.as_str(), 12), name);
        block.push(&padded(&time, 10), Ink::Dim);
        blocks.push(block.with(&came_of(trace, stage), Ink::Dim));
    }
}

/// What a stage has found so far, in a few words.
fn came_of(trace: &Trace, stage: Stage) -> String {
    let unlinked = match trace.unlinked.len() {
        0 => String::new(),
        n => format!(", {n} not linked"),
    };
    match stage {
        _ if trace.stage(stage) == StageState::Waiting => String::new(),
        Stage::Hypothesis => String::new(),
        Stage::Recognise => format!("{} mentions", trace.mentions.len()),
        Stage::Link => format!("{} anchors{unlinked}", trace.anchors.len()),
        Stage::Search => format!("{} chains", paint::count(trace.chains_found)),
        Stage::Prune if trace.pruning.kept.is_empty() => String::new(),
        Stage::Prune => format!("{} kept", trace.pruning.kept.len()),
        Stage::Read => String::new(),
    }
}

/// A text of at least `cells` cells; the blanks are never cut off.
fn padded(text: &str, cells: usize) -> String {
    format!("{text}{}", "\u{a0}".repeat(cells.saturating_sub(text.chars().count())))
}

/// A heading with its text beside it.
fn note(heading: &str) -> Block {
    Block::new().indented(0, NOTES as u16).with(&padded(heading, NOTES), Ink::Heading)
}

fn failed(message: &str, blocks: &mut Vec<Block>) {
    blocks.push(note("What happened").with(message, Ink::Error));
    let means = "There is no answer to this question. What the other panes show was found before the failure and still holds.";
    blocks.push(note("What it means").with(means, Ink::Plain));
    let todo = "The question is still in the editor: go there and ask again. If it fails again, “catena check” says what is missing.";
    blocks.push(note("What to do").with(todo, Ink::Plain));
}

fn nothing(trace: &Trace, blocks: &mut Vec<Block>) {
    let reply = match trace.answer.text.trim() {
        "" if trace.anchors.is_empty() => "Nothing in the question could be linked to the graph.",
        "" => "No evidence was found in the graph.",
        text => text,
    };
    blocks.push(note("No evidence").with(reply, Ink::Strong));
    if !trace.unlinked.is_empty() {
        let mut block = note("Not understood");
        for (at, term) in trace.unlinked.iter().enumerate() {
            block.push(if at == 0 { "“" } else { ", “" }, Ink::Dim);
            block.push(&sanitise_line(term), Ink::Strong);
            block.push("”", Ink::Dim);
        }
        blocks.push(block);
    }
    let todo = "Name a condition, symptom, test or drug in another way, or use a graph that covers it. Catena does not guess.";
    blocks.push(note("What to do").with(todo, Ink::Plain));
}

fn body(trace: &Trace, marks: &Marks, highlighted: &[Line], blocks: &mut Vec<Block>) {
    let names = names(trace, marks);
    if trace.answer.lines.is_empty() || trace.answer.by_model {
        written(trace, &names, highlighted, blocks);
        return;
    }
    let mut part = None;
    for (at, line) in trace.answer.lines.iter().enumerate() {
        if part != Some(line.part) {
            part = Some(line.part);
            if !blocks.is_empty() {
                blocks.push(Block::new());
            }
            blocks.push(Block::new().with(line.part.title(), Ink::Heading));
        }
        let mark = marks.of_line(trace, line);
        let mut block = Block::new().indented(2, 4).item(at);
        let text = sanitise_line(&line.text);
        let entity = sanitise_line(&line.entity);
        if find(&text, &entity, 0).is_none() && !entity.is_empty() {
            block.push_entity(&entity, mark);
            block.push(": ", Ink::Plain);
        }
        // The stated entity's own mark goes before what its name has elsewhere.
        let mut own: Vec<_> = names.iter().filter(|(name, _)| *name != entity).cloned().collect();
        own.push((entity, mark));
        push_marked(&mut block, &text, &own);
        for (nth, id) in line.citations.iter().enumerate() {
            block.push(if nth == 0 { "\u{a0}" } else { "" }, Ink::Plain);
            block.push(&format!("[{id}]"), Ink::Citation(*id));
        }
        blocks.push(block);
    }
}

/// A text as it was written, in the inks of its Markdown once they are known; its lines that state something can be selected.
fn written(trace: &Trace, names: &[(String, Mark)], highlighted: &[Line], blocks: &mut Vec<Block>) {
    let mut next = 0;
    for (number, line) in trace.answer.text.lines().enumerate() {
        let mut block = if line.starts_with("- ") { Block::new().indented(0, 2) } else { Block::new() };
        if trace.answer.lines.get(next).is_some_and(|stated| stated.text == plain_line(line)) {
            block = block.item(next);
            next += 1;
        }
        let mut at = 0;
        let own: Vec<(usize, usize)> = is_own(line).into_iter().collect();
        let inks = highlighted
            .get(number)
            .filter(|pieces| own.is_empty() && pieces.iter().map(|(text, _)| text.len()).sum::<usize>() == line.len());
        if let Some(pieces) = inks {
            for (text, ink) in pieces {
                match ink {
                    Ink::Plain => push_marked(&mut block, text, names),
                    ink => block.push(text, *ink),
                }
            }
            blocks.push(block);
            continue;
        }
        for (start, length) in own {
            push_cited(&mut block, &line[at..start], names);
            block.push(&line[start..start + length], Ink::Warning);
            at = start + length;
        }
        push_cited(&mut block, &line[at..], names);
        blocks.push(block);
    }
}

/// The names to be marked in an answer: anchors, the entities of the kept chains, and what the answer states.
fn names(trace: &Trace, marks: &Marks) -> Vec<(String, Mark)> {
    let mut names: Vec<(String, Mark)> = trace.anchors.iter().map(|a| (a.entity.clone(), marks.of_name(&a.entity))).collect();
    for (_, _, chain) in trace.kept() {
        names.extend(chain.nodes().iter().filter_map(|node| {
            let entity = trace.table.entities.get(*node as usize)?;
            Some((entity.name.clone(), marks.in_chain(chain, *node)))
        }));
    }
    names.extend(trace.answer.entities.iter().map(|name| (name.clone(), marks.of_name(name))));
    names.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.0.cmp(&b.0)));
    names.dedup_by(|a, b| a.0 == b.0);
    names.retain(|(name, _)| !name.trim().is_empty());
    names
}

/// Pushes text with citations `[n]` in it.
fn push_cited(block: &mut Block, text: &str, names: &[(String, Mark)]) {
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let id = rest[open + 1..].split_once(']').and_then(|(id, _)| Some((id.len(), id.parse::<u32>().ok()?)));
        let Some((digits, id)) = id else {
            push_marked(block, &rest[..=open], names);
            rest = &rest[open + 1..];
            continue;
        };
        push_marked(block, &rest[..open], names);
        let end = open + digits + 2;
        block.push(&rest[open..end], Ink::Citation(id));
        rest = &rest[end..];
    }
    push_marked(block, rest, names);
}

/// Pushes text with every known entity in it marked; where two begin at one place, the longer.
fn push_marked(block: &mut Block, text: &str, names: &[(String, Mark)]) {
    let mut at = 0;
    while at < text.len() {
        let next = names
            .iter()
            .filter_map(|(name, mark)| find(text, name, at).map(|range| (range, *mark)))
            .min_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let Some((range, mark)) = next else { break };
        block.push(&text[at..range.start], Ink::Plain);
        block.push_entity(&text[range.clone()], mark);
        at = range.end;
    }
    block.push(&text[at..], Ink::Plain);
}

/// Where a name stands in a text as whole words, whatever its case, from `from` on.
fn find(text: &str, name: &str, from: usize) -> Option<Range<usize>> {
    if name.is_empty() || !text.is_char_boundary(from) {
        return None;
    }
    let inside_word = |c: char| c.is_alphanumeric() && !is_cjk(c);
    text[from..].char_indices().map(|(at, _)| from + at).find_map(|start| {
        let end = start + name.len();
        let same = text.get(start..end).is_some_and(|piece| piece.eq_ignore_ascii_case(name));
        let whole =
            same && !text[..start].chars().next_back().is_some_and(inside_word) && !text[end..].chars().next().is_some_and(inside_word);
        whole.then_some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_whole_words() {
        assert_eq!(find("Antacids and an antacid.", "Antacid", 0), Some(16..23));
        assert_eq!(find("患有胃炎时", "胃炎", 0), Some(6..12));
        assert_eq!(find("short", "much longer", 0), None);
    }

    #[test]
    fn a_bracket_that_is_no_citation_stays_text() {
        let mut block = Block::new();
        push_cited(&mut block, "Lactate [mmol/l] rises [2][10].", &[]);
        let rows = crate::tui::styled_text::wrap(&[block], 80);
        let cited: Vec<_> = rows[0].pieces.iter().filter(|(_, ink)| matches!(ink, Ink::Citation(_))).collect();
        assert_eq!(cited, [&("[2]".to_owned(), Ink::Citation(2)), &("[10]".to_owned(), Ink::Citation(10))]);
    }
}
