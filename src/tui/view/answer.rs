//! The answer: its parts, their lines, and the citations of each; or why there is none.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{activity, case_head, paint, pane};
use crate::pipeline::answer::headlines::{Headlines, heading, is_headline, unlisted};
use crate::pipeline::llm::{is_own, plain_line};
use crate::run::{AnswerLine, AnswerPart, Mark, Marks, ModelRole, Outcome, Refusal, Stage, StageState, Trace};
use crate::text::{counted, is_cjk, sanitise_line};
use crate::tui::action::{Action, Pane};
use crate::tui::app::{App, RunView};
use crate::tui::highlight::StyledLine;
use crate::tui::keymap::Context;
use crate::tui::styled_text::{Block, SpanStyle, TextRow};

/// Cells for the headings to the left of the texts that stand in for an answer.
const NOTES: usize = 16;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let more = title(app);
    let inner = pane::frame(buf, app, Pane::Answer, area, &more);
    if inner.is_empty() {
        return;
    }
    let inner = case_head::draw(buf, app, inner);
    app.layout.frame.panes[Pane::Answer.index()] = inner;
    let shown = Shown {
        stopped: app.run.was_stopped(),
        opening: app.engine.is_opening(),
        unfolded: app.selection.unfolded,
        unfold_key: app.input.keymap.key_of(Action::More, Context::Panes),
        case_key: app.input.keymap.key_of(Action::Case, Context::Panes),
        anchor_key: app.input.keymap.key_of(Action::AddAnchor, Context::Panes),
    };
    let height = usize::from(inner.height);
    let first_line = app.answer_lines().first().copied();
    let App { layout, run, .. } = app;
    let RunView { trace, marks, version, highlighted, .. } = run;
    // States outside the trace are part of the version of the text.
    let version = version.wrapping_mul(8) + u64::from(shown.stopped) + 2 * u64::from(shown.opening) + 4 * u64::from(shown.unfolded);
    let rows = layout.frame.answer.rows(version, inner.width, || compose(trace, marks, highlighted, &shown)).to_vec();
    let total = rows.len();
    let of_selected = |row: &TextRow| row.item == Some(app.selection.answer.selected);
    if let (Some(first), Some(last)) = (rows.iter().position(of_selected), rows.iter().rposition(of_selected)) {
        // With the first line, its heading is shown too.
        let first = if Some(app.selection.answer.selected) == first_line { 0 } else { first };
        let offset = paint::reveal(app.selection.answer.offset, last, height, total);
        app.selection.answer.offset = paint::reveal(offset, first, height, total);
    }
    app.selection.answer.offset = app.selection.answer.offset.min(total.saturating_sub(height));
    let focused = app.layout.focus == Pane::Answer && app.sheets.overlay.is_none();
    for (row, y) in rows.iter().skip(app.selection.answer.offset).zip(inner.top()..inner.bottom()) {
        if focused && row.item == Some(app.selection.answer.selected) {
            buf.set_style(Rect::new(inner.x, y, inner.width, 1), app.look.theme.styles.selected);
            paint::gutter(buf, &app.look.theme, (inner.x, y), true);
        }
    }
    // Citations are of what the answer was read from, which may be kept in another place now, or no longer.
    let selected = |id: u32| app.selection.chain.is_some() && app.cited_chain(id) == app.selection.chain;
    let stale = app.run.outdated;
    let cited = app.look.theme.styles.cited;
    let quiet = app.look.theme.styles.dim;
    let look = |_: &TextRow, span_style: SpanStyle, style: Style| match span_style {
        SpanStyle::Citation(id) if selected(id) => style.patch(cited).bold().reversed(),
        SpanStyle::Citation(_) if stale => quiet,
        _ => style,
    };
    paint::rows(buf, &app.look.theme, inner, &rows, app.selection.answer.offset, look);
    let offset = app.selection.answer.offset;
    pane::scrollbar(buf, &app.look.theme, area, offset, total);
}

fn title(app: &App) -> Vec<(String, SpanStyle)> {
    let time = || paint::duration(app.elapsed_ms());
    match &app.run.trace.outcome {
        _ if app.run.was_stopped() && app.run.trace.answer.refining => {
            vec![("stopped".into(), SpanStyle::Warning), (" · without the language model".into(), SpanStyle::Dim)]
        }
        _ if app.run.was_stopped() => vec![("stopped".into(), SpanStyle::Warning)],
        Some(Outcome::Answered) => {
            let cited = app.run.trace.answer.citations.len();
            let mut title = vec![
                ("from ".into(), SpanStyle::Dim),
                (counted(cited as u64, "chain", "chains"), SpanStyle::Strong),
                (format!(" · {}", time()), SpanStyle::Dim),
            ];
            if app.run.outdated {
                let key = app.input.keymap.key_of(Action::Reread, Context::Panes);
                title.push((" · outdated: press ".into(), SpanStyle::Warning));
                title.push((key, SpanStyle::Key));
                title.push((" to regenerate it".into(), SpanStyle::Warning));
            }
            title
        }
        Some(Outcome::NothingFound) if is_refused(&app.run.trace) => vec![("not answered".into(), SpanStyle::Warning)],
        Some(Outcome::NothingFound) => vec![("no evidence".into(), SpanStyle::Warning)],
        Some(Outcome::Failed { .. }) => vec![("failed".into(), SpanStyle::Error)],
        Some(Outcome::Cancelled) => vec![("stopped".into(), SpanStyle::Warning)],
        None if app.is_running() && app.run.trace.answer.refining => {
            let mut title = vec![("complete".into(), SpanStyle::Good), (" · the language model may add to it".into(), SpanStyle::Busy)];
            let stage =
                if matches!(app.run.trace.stage(Stage::Hypothesis), StageState::Running { .. }) { Stage::Hypothesis } else { Stage::Read };
            title.extend(activity::of(&app.run.trace, ModelRole::Generator, stage, app.elapsed_ms(), app.silence()));
            title
        }
        None if app.is_running() => {
            let mut title = vec![("working…".into(), SpanStyle::Busy)];
            if matches!(app.run.trace.stage(Stage::Read), StageState::Running { .. }) {
                title.extend(activity::of(&app.run.trace, ModelRole::Generator, Stage::Read, app.elapsed_ms(), app.silence()));
            }
            title
        }
        None => Vec::new(),
    }
}

/// What the text of the pane depends on, besides the trace.
struct Shown {
    stopped: bool,
    opening: bool,
    /// What else the evidence holds is listed, not only counted.
    unfolded: bool,
    unfold_key: String,
    case_key: String,
    anchor_key: String,
}

/// Whether the answer only says why there is none.
fn is_refused(trace: &Trace) -> bool {
    trace.case.refusal.is_some() || trace.answer.lines.iter().any(|line| line.part == AnswerPart::NotUnderstood)
}

/// The text of the pane.
fn compose(trace: &Trace, marks: &Marks, highlighted: &[StyledLine], shown: &Shown) -> Vec<Block> {
    let mut blocks = Vec::new();
    match &trace.outcome {
        Some(Outcome::Failed { message }) => failed(message, &mut blocks),
        Some(Outcome::NothingFound) => nothing(trace, marks, shown, &mut blocks),
        _ if shown.stopped && trace.answer.text.is_empty() => {
            blocks.push(
                Block::new()
                    .with("Stopped. ", SpanStyle::Warning)
                    .with("No answer was written. The other panes show what was found so far.", SpanStyle::Plain),
            );
        }
        None if trace.answer.text.is_empty() && trace.answer.lines.is_empty() => progress(trace, shown.opening, &mut blocks),
        _ => {}
    }
    let failed_before = matches!(trace.outcome, Some(Outcome::Failed { .. })) && trace.answer.text.is_empty();
    if !failed_before && trace.outcome != Some(Outcome::NothingFound) {
        body(trace, marks, highlighted, shown, &mut blocks);
    }
    blocks
}

/// How far the run is, while there is no answer to show.
fn progress(trace: &Trace, opening: bool, blocks: &mut Vec<Block>) {
    if trace.id.is_empty() {
        blocks.push(if opening {
            Block::new()
                .with("Opening the graph… ", SpanStyle::Busy)
                .with("Catena asks your question as soon as it is open.", SpanStyle::Dim)
        } else {
            Block::new().with("Ask a question: the answer appears here, with a citation for each claim.", SpanStyle::Dim)
        });
        return;
    }
    for stage in Stage::ALL {
        let (sign, span_style, time) = match trace.stage(stage) {
            StageState::Done { elapsed_ms } => ("✓", SpanStyle::Good, paint::duration(elapsed_ms)),
            StageState::Running { .. } => ("▸", SpanStyle::Busy, String::new()),
            StageState::Waiting => ("·", SpanStyle::Dim, String::new()),
        };
        let name = if matches!(trace.stage(stage), StageState::Running { .. }) { SpanStyle::Strong } else { SpanStyle::Plain };
        let mut block = Block::new().indented(1, 3).with(&format!("{sign} "), span_style);
        block.push(&padded(stage.as_str(), 12), name);
        block.push(&padded(&time, 10), SpanStyle::Dim);
        blocks.push(block.with(&stage_result(trace, stage), SpanStyle::Dim));
    }
}

/// What a stage has found so far, in a few words.
fn stage_result(trace: &Trace, stage: Stage) -> String {
    let unlinked = match trace.unlinked.len() {
        0 => String::new(),
        n => format!(", {n} not linked"),
    };
    match stage {
        _ if trace.stage(stage) == StageState::Waiting => String::new(),
        Stage::Hypothesis => String::new(),
        Stage::Recognise => counted(trace.mentions.len() as u64, "mention", "mentions"),
        Stage::Link => counted(trace.anchors.len() as u64, "anchor", "anchors") + &unlinked,
        Stage::Search => counted(trace.chains_found, "chain", "chains"),
        Stage::Prune if trace.pruning.kept.is_empty() => String::new(),
        Stage::Prune => format!("{} kept", trace.pruning.kept.len()),
        Stage::Read => String::new(),
    }
}

/// A text of at least `cells` cells; the blanks are never cut off.
fn padded(text: &str, cells: usize) -> String {
    format!("{text}{}", "\u{a0}".repeat(cells.saturating_sub(text.chars().count())))
}

/// A heading with its text to its right.
fn note(heading: &str) -> Block {
    Block::new().indented(0, NOTES as u16).with(&padded(heading, NOTES), SpanStyle::Heading)
}

fn failed(message: &str, blocks: &mut Vec<Block>) {
    blocks.push(note("What happened").with(message, SpanStyle::Error));
    let means = "There is no answer to this question. The other panes show what was found before the failure; it is still valid.";
    blocks.push(note("What it means").with(means, SpanStyle::Plain));
    let todo = "The question is still in the editor: go there and ask again. If it fails again, “catena check” says what is missing.";
    blocks.push(note("What to do").with(todo, SpanStyle::Plain));
}

fn nothing(trace: &Trace, marks: &Marks, shown: &Shown, blocks: &mut Vec<Block>) {
    if !trace.answer.lines.is_empty() || trace.case.refusal.is_some() {
        refused(trace, marks, shown, blocks);
        return;
    }
    let reply = match trace.answer.text.trim() {
        "" if trace.anchors.is_empty() => "Nothing in the question could be linked to the graph.",
        "" => "No evidence was found in the graph.",
        text => text,
    };
    blocks.push(note("No evidence").with(reply, SpanStyle::Strong));
    if !trace.unlinked.is_empty() {
        let mut block = note("Not understood");
        for (at, term) in trace.unlinked.iter().enumerate() {
            block.push(if at == 0 { "“" } else { ", “" }, SpanStyle::Dim);
            block.push(&sanitise_line(term), SpanStyle::Strong);
            block.push("”", SpanStyle::Dim);
        }
        blocks.push(block);
    }
    let todo = "Try another name for the condition, symptom, test or drug, or use a graph that covers it. Catena does not guess.";
    blocks.push(note("What to do").with(todo, SpanStyle::Plain));
}

/// Why there is no answer, and what to do next.
fn refused(trace: &Trace, marks: &Marks, shown: &Shown, blocks: &mut Vec<Block>) {
    body(trace, marks, &[], shown, blocks);
    // Without lines, the body has the whole text already.
    let rest = if trace.answer.lines.is_empty() { Vec::new() } else { unlisted(&trace.answer, &trace.question) };
    blocks.extend(rest.into_iter().map(|text| Block::new().with(text, SpanStyle::Strong)));
    let Shown { case_key, anchor_key, .. } = shown;
    let todo = match &trace.case.refusal {
        Some(Refusal::NotClinical) => "Ask about a patient, a condition, a test or a drug.".to_owned(),
        Some(Refusal::Harm) => return,
        Some(Refusal::SubjectUnknown) => {
            format!(
                "Check the spelling, or write the name in another way. {anchor_key} searches the graph for an entity and adds it; another graph may know more."
            )
        }
        Some(Refusal::TooLittleUnderstood) | None => format!(
            "Name the main finding, condition or drug in other words. {case_key} shows how the question was read and corrects it; {anchor_key} adds an entity of the graph."
        ),
    };
    blocks.push(Block::new());
    blocks.push(note("What to do").with(&todo, SpanStyle::Plain));
}

/// The sign before a line that must not be missed; it says without colour what the line is.
fn sign(part: AnswerPart, is_stored: bool) -> Option<(&'static str, SpanStyle)> {
    match part {
        AnswerPart::Safety if is_stored => Some(("⚠\u{a0}", SpanStyle::Warning)),
        AnswerPart::Safety => Some(("–\u{a0}", SpanStyle::Dim)),
        AnswerPart::NotUnderstood => Some(("?\u{a0}", SpanStyle::Warning)),
        AnswerPart::ModelContradicted => Some(("✗\u{a0}", SpanStyle::Warning)),
        AnswerPart::ModelAdds => Some(("◇\u{a0}", SpanStyle::Entity(Mark::Model))),
        _ => None,
    }
}

fn body(trace: &Trace, marks: &Marks, highlighted: &[StyledLine], shown: &Shown, blocks: &mut Vec<Block>) {
    let names = names(trace, marks);
    if trace.answer.lines.is_empty() || trace.answer.by_model {
        written(trace, &names, highlighted, blocks);
        more(trace, shown, blocks);
        return;
    }
    let mut part = None;
    let listed = |line: &AnswerLine| !is_headline(line.part) && (!line.part.is_folded() || shown.unfolded);
    for (at, line) in trace.answer.lines.iter().enumerate().filter(|(_, line)| listed(line)) {
        if part != Some(line.part) {
            part = Some(line.part);
            if !blocks.is_empty() {
                blocks.push(Block::new());
            }
            if line.part.has_heading() {
                let warns = matches!(line.part, AnswerPart::Safety | AnswerPart::ModelContradicted);
                let style = if warns { SpanStyle::Warning } else { SpanStyle::Heading };
                blocks.push(Block::new().with(heading(&trace.question, line.part), style));
            }
        }
        let mark = marks.of_line(trace, line);
        let mut block = if line.part.has_heading() { Block::new().indented(2, 4) } else { Block::new().indented(0, 2) }.item(at);
        if let Some((sign, style)) = sign(line.part, !line.citations.is_empty()) {
            block.push(sign, style);
        }
        let text = sanitise_line(&line.text);
        let entity = sanitise_line(&line.entity);
        // A model's sentence stands as it was written.
        if find(&text, &entity, 0).is_none() && !entity.is_empty() && !line.part.is_of_model() {
            block.push_entity(&entity, mark);
            block.push(": ", SpanStyle::Plain);
        }
        // The stated entity's own mark goes before what its name has elsewhere.
        let mut own: Vec<_> = names.iter().filter(|(name, _)| *name != entity).cloned().collect();
        own.push((entity, mark));
        push_marked(&mut block, &text, &own);
        for (nth, id) in line.citations.iter().enumerate() {
            block.push(if nth == 0 { "\u{a0}" } else { "" }, SpanStyle::Plain);
            block.push(&format!("[{id}]"), SpanStyle::Citation(*id));
        }
        blocks.push(block);
    }
    more(trace, shown, blocks);
}

/// One line for a folded part: how much is in it, and the key that shows it.
fn fold(question: &str, part: AnswerPart, count: usize, shown: &Shown) -> Block {
    let sign = if shown.unfolded { "▾" } else { "▸" };
    let block = Block::new().with(&format!("{sign}\u{a0}{}: {count}", heading(question, part)), SpanStyle::Dim);
    let what = if shown.unfolded { "\u{a0}folds\u{a0}it" } else { "\u{a0}shows\u{a0}it" };
    block.with("   ", SpanStyle::Plain).with(&shown.unfold_key, SpanStyle::Key).with(what, SpanStyle::Dim)
}

/// What else the evidence holds: one line with a count, or the names; and how much the model says without evidence.
fn more(trace: &Trace, shown: &Shown, blocks: &mut Vec<Block>) {
    let unsupported = trace.answer.lines.iter().filter(|line| line.part == AnswerPart::ModelUnsupported).count();
    // Unfolded, they stand under their own heading.
    if unsupported > 0 && !shown.unfolded {
        blocks.push(Block::new());
        blocks.push(fold(&trace.question, AnswerPart::ModelUnsupported, unsupported, shown));
    }
    let of_lines: Vec<&AnswerLine> = trace.answer.lines.iter().filter(|line| line.part == AnswerPart::More).collect();
    let names: Vec<String> = trace.answer.more.iter().map(|name| sanitise_line(name)).collect();
    let others = names.iter().filter(|name| of_lines.iter().all(|line| line.entity != **name));
    let count = of_lines.len() + others.count();
    if count == 0 {
        return;
    }
    blocks.push(Block::new());
    blocks.push(fold(&trace.question, AnswerPart::More, count, shown));
    if shown.unfolded {
        blocks.push(Block::new().indented(2, 2).with(&names.join(", "), SpanStyle::Dim));
    }
}

/// A text as it was written, with its Markdown highlighted once that is done; the lines that state something can be selected.
fn written(trace: &Trace, names: &[(String, Mark)], highlighted: &[StyledLine], blocks: &mut Vec<Block>) {
    let mut next = 0;
    let headlines = Headlines::of(trace);
    let is_above = |at: usize| trace.answer.lines.get(at).is_some_and(|line| is_headline(line.part));
    for (number, line) in trace.answer.text.lines().enumerate() {
        let mut block = if line.starts_with("- ") { Block::new().indented(0, 2) } else { Block::new() };
        if trace.answer.lines.get(next).is_some_and(|stated| stated.text == plain_line(line)) {
            if is_above(next) {
                next += 1;
                continue;
            }
            let stated = trace.answer.lines.get(next);
            if let Some((sign, style)) = stated.and_then(|stated| sign(stated.part, !stated.citations.is_empty())) {
                block.push(sign, style);
            }
            block = block.item(next);
            next += 1;
        } else if headlines.has(line) {
            continue;
        }
        let mut at = 0;
        let own: Vec<(usize, usize)> = is_own(line).into_iter().collect();
        let spans = highlighted
            .get(number)
            .filter(|pieces| own.is_empty() && pieces.iter().map(|(text, _)| text.len()).sum::<usize>() == line.len());
        if let Some(pieces) = spans {
            for (text, span_style) in pieces {
                match span_style {
                    SpanStyle::Plain => push_marked(&mut block, text, names),
                    span_style => block.push(text, *span_style),
                }
            }
            blocks.push(block);
            continue;
        }
        for (start, length) in own {
            push_cited(&mut block, &line[at..start], names);
            block.push(&line[start..start + length], SpanStyle::Warning);
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
        block.push(&rest[open..end], SpanStyle::Citation(id));
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
        block.push(&text[at..range.start], SpanStyle::Plain);
        block.push_entity(&text[range.clone()], mark);
        at = range.end;
    }
    block.push(&text[at..], SpanStyle::Plain);
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
        let cited: Vec<_> = rows[0].pieces.iter().filter(|(_, span_style)| matches!(span_style, SpanStyle::Citation(_))).collect();
        assert_eq!(cited, [&("[2]".to_owned(), SpanStyle::Citation(2)), &("[10]".to_owned(), SpanStyle::Citation(10))]);
    }
}
