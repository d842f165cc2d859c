//! The answer: its parts, their lines, and the citations of each; or why there is none.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::{activity, case_head, notes, paint, pane, passages};
use crate::pipeline::answer::against::Against;
use crate::pipeline::answer::headlines::{Headlines, heading, is_headline, source_of_care, stands_under};
use crate::pipeline::answer::left_out::LeftOut;
use crate::pipeline::llm::{is_own, plain_line};
use crate::run::{AnswerLine, AnswerPart, Mark, Marks, ModelRole, Outcome, PassageId, Stage, StageState, Trace};
use crate::text::{is_cjk, sanitise_line};
use crate::tui::action::{Action, Pane};
use crate::tui::app::{App, RunView, Sameness};
use crate::tui::highlight::StyledLine;
use crate::tui::keymap::Context;
use crate::tui::styled_text::{Block, SpanStyle, TextRow};
use crate::words::{Language, counted_words, words};

/// An answer of which no more rows than these are seen is better read in a larger pane.
const FEW_ROWS: usize = 9;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let more = title(app);
    let inner = pane::frame(buf, app, Pane::Answer, area, &more);
    if inner.is_empty() {
        return;
    }
    let inner = case_head::draw(buf, app, inner);
    app.layout.frame.panes[Pane::Answer.index()] = inner;
    let shown = Shown {
        language: app.language,
        stopped: app.run.was_stopped(),
        opening: app.engine.is_opening(),
        unfolded: app.selection.unfolded,
        unfold_key: app.input.keymap.key_of(Action::More, Context::Panes),
        case_key: app.input.keymap.key_of(Action::Case, Context::Panes),
        anchor_key: app.input.keymap.key_of(Action::AddAnchor, Context::Panes),
        pin_key: app.input.keymap.key_of(Action::Pin, Context::Panes),
        left_out: app.run.left_out.clone().filter(|_| !app.run.outdated && !app.is_running()),
        width: inner.width,
    };
    let height = usize::from(inner.height);
    let listed = app.listed_lines();
    let (first_line, last_line) = (listed.first().copied(), listed.last().copied());
    let App { layout, run, .. } = app;
    let RunView { trace, marks, version, highlighted, .. } = run;
    // States outside the trace are part of the version of the text.
    let chinese = u64::from(shown.language == Language::Chinese);
    let version =
        version.wrapping_mul(16) + u64::from(shown.stopped) + 2 * u64::from(shown.opening) + 4 * u64::from(shown.unfolded) + 8 * chinese;
    let version = version.wrapping_mul(2) + u64::from(shown.left_out.is_some());
    let rows = layout.frame.answer.rows(version, inner.width, || compose(trace, marks, highlighted, &shown)).to_vec();
    let total = rows.len();
    app.layout.frame.answer_is_cramped = total > height && height <= FEW_ROWS;
    let of_selected = |row: &TextRow| row.item == Some(app.selection.answer.selected);
    if let (Some(first), Some(last)) = (rows.iter().position(of_selected), rows.iter().rposition(of_selected)) {
        // With the first line, its heading is shown too.
        let first = if Some(app.selection.answer.selected) == first_line { 0 } else { first };
        // With the last line, what stands below it, which cannot be selected.
        let last = if Some(app.selection.answer.selected) == last_line { total - 1 } else { last };
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
        // Other chains are kept now: what was written from those before is struck through until it is written again.
        _ if stale => style.crossed_out(),
        _ => style,
    };
    paint::rows(buf, &app.look.theme, inner, &rows, app.selection.answer.offset, look);
    let offset = app.selection.answer.offset;
    pane::scrollbar(buf, &app.look.theme, area, offset, total);
}

fn title(app: &App) -> Vec<(String, SpanStyle)> {
    let (l, time) = (app.language, || paint::duration(app.elapsed_ms()));
    match &app.run.trace.outcome {
        _ if app.run.was_stopped() && app.run.trace.answer.refining => {
            vec![(words!(l, "stopped").into(), SpanStyle::Warning), (words!(l, " · without the language model").into(), SpanStyle::Dim)]
        }
        _ if app.run.was_stopped() => vec![(words!(l, "stopped").into(), SpanStyle::Warning)],
        Some(Outcome::Answered) => {
            let mut title =
                vec![(words!(l, "from ").into(), SpanStyle::Dim), (cited(&app.run.trace, app.run.outdated, l), SpanStyle::Strong)];
            if !app.is_clinic() {
                title.push((format!(" · {}", time()), SpanStyle::Dim));
            }
            if app.run.outdated {
                let key = app.input.keymap.key_of(Action::Reread, Context::Panes);
                title.push((words!(l, " · outdated: press ").into(), SpanStyle::Warning));
                title.push((key, SpanStyle::Key));
                title.push((words!(l, " to regenerate it").into(), SpanStyle::Warning));
            } else {
                match app.run.sameness {
                    Sameness::All => title.push((words!(l, " · unchanged").into(), SpanStyle::Dim)),
                    Sameness::Words => title.push((words!(l, " · citations changed").into(), SpanStyle::Dim)),
                    Sameness::Other => {}
                }
            }
            title
        }
        Some(Outcome::NothingFound) if notes::is_refused(&app.run.trace) => vec![(words!(l, "not answered").into(), SpanStyle::Warning)],
        Some(Outcome::NothingFound) if notes::is_without_passages(&app.run.trace) => {
            vec![(words!(l, "no passages").into(), SpanStyle::Warning)]
        }
        Some(Outcome::NothingFound) => vec![(words!(l, "no evidence").into(), SpanStyle::Warning)],
        Some(Outcome::Failed { .. }) => vec![(words!(l, "failed").into(), SpanStyle::Error)],
        Some(Outcome::Cancelled) => vec![(words!(l, "stopped").into(), SpanStyle::Warning)],
        None if app.is_running() && app.run.trace.answer.refining => {
            let mut title = vec![
                (words!(l, "complete").into(), SpanStyle::Good),
                (words!(l, " · the language model may add to it").into(), SpanStyle::Busy),
            ];
            let stage =
                if matches!(app.run.trace.stage(Stage::Hypothesis), StageState::Running { .. }) { Stage::Hypothesis } else { Stage::Read };
            title.extend(activity::of(&app.run.trace, ModelRole::Generator, stage, app.elapsed_ms(), app.silence()));
            title
        }
        None if app.is_running() => {
            let mut title = vec![(words!(l, "working…").into(), SpanStyle::Busy)];
            if matches!(app.run.trace.stage(Stage::Read), StageState::Running { .. }) {
                title.extend(activity::of(&app.run.trace, ModelRole::Generator, Stage::Read, app.elapsed_ms(), app.silence()));
            }
            title
        }
        None => Vec::new(),
    }
}

/// How many chains the answer cites and, unless others are kept by now, of how many that were: the rest fit the question, but prove no line.
fn cited(trace: &Trace, outdated: bool, l: Language) -> String {
    let cited = trace.answer.citations.len();
    let kept = trace.evidence.as_ref().map_or(0, |evidence| evidence.pruning.kept.len());
    match cited < kept && !outdated {
        true => words!(l, "{cited} of {kept} kept chains", cited = cited, kept = kept),
        false => counted_words!(l, cited as u64, "chain", "chains"),
    }
}

/// What the text of the pane depends on, besides the trace.
pub(super) struct Shown {
    pub(super) language: Language,
    stopped: bool,
    opening: bool,
    /// What else the evidence holds is listed, not only counted.
    unfolded: bool,
    unfold_key: String,
    pub(super) case_key: String,
    pub(super) anchor_key: String,
    pin_key: String,
    left_out: Option<LeftOut>,
    width: u16,
}

/// The text of the pane.
fn compose(trace: &Trace, marks: &Marks, highlighted: &[StyledLine], shown: &Shown) -> Vec<Block> {
    let (mut blocks, l) = (Vec::new(), shown.language);
    match &trace.outcome {
        Some(Outcome::Failed { message }) => notes::failed(message, &mut blocks, l),
        Some(Outcome::NothingFound) => notes::nothing(trace, marks, shown, &mut blocks),
        _ if shown.stopped && trace.answer.text.is_empty() => {
            blocks.push(
                Block::new()
                    .with(words!(l, "Stopped. "), SpanStyle::Warning)
                    .with(words!(l, "No answer was written. The other panes show what was found so far."), SpanStyle::Plain),
            );
        }
        None if trace.answer.text.is_empty() && trace.answer.lines.is_empty() => notes::progress(trace, shown.opening, &mut blocks, l),
        _ => {}
    }
    let failed_before = matches!(trace.outcome, Some(Outcome::Failed { .. })) && trace.answer.text.is_empty();
    if !failed_before && trace.outcome != Some(Outcome::NothingFound) {
        body(trace, marks, highlighted, shown, &mut blocks);
        if notes::is_without_passages(trace) && !trace.answer.lines.is_empty() {
            blocks.push(Block::new());
            blocks.extend(notes::beside_lines(trace));
        }
        against(trace, marks, shown.language, &mut blocks);
        let has_learned = blocks.iter().any(|block| block.has(SpanStyle::Entity(Mark::Learned)));
        left_out(trace, shown, &mut blocks);
        if has_learned {
            blocks.push(Block::new());
            let said = words!(shown.language, "★ rests on a fact that was learned from feedback or taught.");
            blocks.push(Block::new().with(said, SpanStyle::Dim));
        }
    }
    blocks
}

/// What the hypothesis proposed and the case rules out, each with its reason.
fn against(trace: &Trace, marks: &Marks, l: Language, blocks: &mut Vec<Block>) {
    let all = Against::all(trace);
    if !all.is_empty() {
        blocks.push(Block::new());
    }
    for Against { treatment, relation, state, severity } in all {
        let mut block = Block::new().indented(0, 2).with(words!(l, "Left out: "), SpanStyle::Dim);
        block.push_entity(&sanitise_line(&treatment), marks.of_name(&treatment));
        block.push(&format!(" {} ", sanitise_line(&relation)), SpanStyle::Plain);
        block.push_entity(&sanitise_line(&state), marks.of_name(&state));
        if !severity.is_empty() {
            block.push(&format!(" ({})", sanitise_line(l.known(&severity))), SpanStyle::Dim);
        }
        blocks.push(block);
    }
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

pub(super) fn body(trace: &Trace, marks: &Marks, highlighted: &[StyledLine], shown: &Shown, blocks: &mut Vec<Block>) {
    let names = names(trace, marks);
    if trace.answer.lines.is_empty() || trace.answer.by_model {
        written(trace, &names, highlighted, blocks);
        more(trace, shown, blocks);
        return;
    }
    let mut part = None;
    let listed = |line: &AnswerLine| !is_headline(line.part) && (!line.part.is_folded() || shown.unfolded);
    for (at, line) in trace.answer.lines.iter().enumerate().filter(|(_, line)| listed(line)) {
        let under = stands_under(&trace.answer.lines, at);
        if part != Some(under) {
            part = Some(under);
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
        let mut block = passages::block_of(line).item(at);
        if let Some((sign, style)) = sign(line.part, !line.citations.is_empty()).filter(|_| !line.is_quote()) {
            block.push(sign, style);
        }
        let text = sanitise_line(&line.text);
        let entity = sanitise_line(&line.entity);
        // A model's sentence stands as it was written.
        if find(&text, &entity, 0).is_none() && !entity.is_empty() && !line.part.is_of_model() && !line.is_quote() {
            block.push_entity(&entity, mark);
            block.push(": ", SpanStyle::Plain);
        }
        // The marks of what the line states go before what the names have elsewhere.
        let stated: Vec<(String, Mark)> =
            line.stated().map(|stated| (sanitise_line(stated), marks.of_stated(trace, line, stated))).collect();
        let is_stated = |name: &String| stated.iter().any(|(stated, _)| stated == name);
        let mut own: Vec<_> = names.iter().filter(|(name, _)| !is_stated(name)).cloned().collect();
        let shows_learned = stated.iter().any(|(_, mark)| *mark == Mark::Learned);
        own.extend(stated);
        push_marked(&mut block, &text, &own);
        // What is cited shows only why the condition is named.
        if line.part == AnswerPart::Care {
            block.push(source_of_care(line, shown.language), SpanStyle::Dim);
        }
        for (nth, id) in line.citations.iter().enumerate() {
            block.push(if nth == 0 { "\u{a0}" } else { "" }, SpanStyle::Plain);
            block.push(&format!("[{id}]"), SpanStyle::Citation(*id));
            // Where both ends are known, only their relation is learned.
            if !shows_learned && marks.cites_learned(trace, line, *id) {
                block.push(Mark::Learned.sign(), SpanStyle::Entity(Mark::Learned));
            }
        }
        passages::push_ids(&mut block, line);
        blocks.push(block);
    }
    more(trace, shown, blocks);
}

/// One line for what the hypothesis proposed and the answer leaves out, with the key that pins it.
fn left_out(trace: &Trace, shown: &Shown, blocks: &mut Vec<Block>) {
    let Some(left_out) = &shown.left_out else { return };
    let l = shown.language;
    let pins = words!(l, " here pins it");
    let sign = if left_out.is_learned { format!("{}\u{a0}", Mark::Learned.sign()) } else { String::new() };
    let most = usize::from(shown.width).saturating_sub(pins.width() + shown.pin_key.width() + sign.width() + 3);
    let said = [left_out.sentence(l), left_out.brief(l)].into_iter().find(|said| said.width() <= most);
    let said = said.unwrap_or_else(|| left_out.short(l));
    blocks.push(Block::new());
    let block = Block::new()
        .item(trace.answer.lines.len())
        .with(&sign, SpanStyle::Entity(Mark::Learned))
        .with(&said, SpanStyle::Dim)
        .with("; ", SpanStyle::Dim);
    blocks.push(block.with(&shown.pin_key, SpanStyle::Key).with(pins, SpanStyle::Dim));
}

/// One line for a folded part: how much is in it, and the key that shows it.
fn fold(question: &str, part: AnswerPart, count: usize, shown: &Shown) -> Block {
    let sign = if shown.unfolded { "▾" } else { "▸" };
    let block = Block::new().with(&format!("{sign}\u{a0}{}: {count}", heading(question, part)), SpanStyle::Dim);
    let l = shown.language;
    let what = if shown.unfolded { words!(l, "\u{a0}folds\u{a0}it") } else { words!(l, "\u{a0}shows\u{a0}it") };
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
    let others = names.iter().filter(|name| of_lines.iter().all(|line| line.stated().all(|stated| stated != name.as_str())));
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
        // Whether something learned is stated of it depends on the line.
        let known = chain.nodes().iter().filter_map(|node| trace.table.entities.get(*node as usize));
        names.extend(known.map(|entity| (entity.name.clone(), marks.of_name(&entity.name))));
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
        let inside = rest[open + 1..].split_once(']').map_or("", |(inside, _)| inside);
        if let Ok(id) = inside.parse::<PassageId>() {
            push_marked(block, &rest[..open], names);
            block.push(&format!("[{id}]"), SpanStyle::Passage(id));
            rest = &rest[open + inside.len() + 2..];
            continue;
        }
        let id = inside.parse::<u32>().ok().map(|id| (inside.len(), id));
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
