//! The hypothesis, with what was linked in it marked.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{activity, paint, pane};
use crate::run::{Mark, Marks};
use crate::run::{MentionOrigin, ModelRole, Stage, StageState, Trace};
use crate::text::fold;
use crate::tui::action::Pane;
use crate::tui::app::{App, RunView};
use crate::tui::styled_text::{Block, SpanStyle};
use crate::words::{Language, words};

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let l = app.language;
    let generator = app.run.trace.models.as_ref().map(|m| &m.generator);
    // It is not written again when the case is corrected.
    let is_corrected = !app.run.trace.triage.case.is_empty() && !app.run.trace.hypothesis.is_empty();
    let mut more = match generator {
        _ if is_corrected => vec![(words!(l, "before correction").to_owned(), SpanStyle::Warning)],
        Some(model) if model.kind == "graph" => vec![(words!(l, "from the graph").to_owned(), SpanStyle::Dim)],
        Some(model) => vec![(crate::text::sanitise_line(&model.name), SpanStyle::Dim)],
        None => Vec::new(),
    };
    if matches!(app.run.trace.stage(Stage::Hypothesis), StageState::Running { .. }) && app.is_running() {
        more.extend(activity::of(&app.run.trace, ModelRole::Generator, Stage::Hypothesis, app.elapsed_ms(), app.silence()));
    }
    let inner = pane::frame(buf, app, Pane::Hypothesis, area, &more);
    if app.run.trace.hypothesis.is_empty() {
        let text = match app.run.trace.stage(Stage::Hypothesis) {
            _ if app.run.was_stopped() => words!(l, "Stopped before it was written."),
            _ if app.run.trace.outcome.is_some() => words!(l, "No hypothesis for this question."),
            StageState::Done { .. } => words!(l, "No hypothesis for this question."),
            _ => words!(l, "A first guess at the answer, to find more entities than the question names."),
        };
        pane::empty_text(buf, &app.look.theme, inner, text);
        return;
    }
    let height = usize::from(inner.height);
    let App { layout, run, look, selection, .. } = app;
    let RunView { trace, marks, version, .. } = run;
    let (theme, hypothesis_offset) = (&look.theme, &mut selection.hypothesis_offset);
    let rows =
        layout.frame.hypothesis.rows(*version, inner.width, || marked(&trace.hypothesis, trace, marks, MentionOrigin::Hypothesis, l));
    let total = rows.len();
    *hypothesis_offset = (*hypothesis_offset).min(total.saturating_sub(height));
    paint::rows(buf, theme, inner, rows, *hypothesis_offset, |_, _, style| style);
    let offset = *hypothesis_offset;
    pane::scrollbar(buf, &app.look.theme, area, offset, total);
}

/// The mentions of a text that are to be marked: in order, without overlaps; linked ones before others,
/// longer ones before shorter ones.
pub(super) fn spans(text: &str, trace: &Trace, marks: &Marks, origin: MentionOrigin) -> Vec<(Range<usize>, Option<Mark>)> {
    let unlinked: std::collections::HashSet<String> = trace.unlinked.iter().map(|text| fold(text)).collect();
    let mut found: Vec<(Range<usize>, Option<Mark>)> = trace
        .mentions
        .iter()
        .filter(|mention| mention.origin == origin && mention.start < mention.end && text.get(mention.start..mention.end).is_some())
        .filter_map(|mention| {
            let mark = marks.of_mention(&mention.text);
            (mark.is_some() || unlinked.contains(&fold(&mention.text))).then_some((mention.start..mention.end, mark))
        })
        .collect();
    found.sort_by_key(|(range, mark)| (mark.is_none(), range.start, std::cmp::Reverse(range.end)));
    let mut taken: Vec<(Range<usize>, Option<Mark>)> = Vec::with_capacity(found.len());
    for (range, mark) in found {
        let at = taken.partition_point(|(other, _)| other.start < range.start);
        let free = (at == 0 || taken[at - 1].0.end <= range.start) && taken.get(at).is_none_or(|(other, _)| range.end <= other.start);
        if free {
            taken.insert(at, (range, mark));
        }
    }
    taken
}

/// A text with its mentions marked, one paragraph a line.
pub(super) fn marked(text: &str, trace: &Trace, marks: &Marks, origin: MentionOrigin, l: Language) -> Vec<Block> {
    let spans = spans(text, trace, marks, origin);
    let piece = |whole: Range<usize>| {
        let mut block = Block::new();
        let mut at = whole.start;
        for (range, mark) in spans.iter().filter(|(range, _)| range.start >= whole.start && range.end <= whole.end) {
            block.push(&text[at..range.start], SpanStyle::Plain);
            let mention = &text[range.clone()];
            match mark {
                Some(mark) => block.push_entity(mention, *mark),
                None => block.push(mention, SpanStyle::Unlinked),
            }
            at = range.end;
        }
        block.push(&text[at..whole.end], SpanStyle::Plain);
        block
    };
    let begins = trace.model_hypothesis.filter(|begins| origin == MentionOrigin::Hypothesis && text.is_char_boundary(*begins));
    let Some(begins) = begins else { return vec![piece(0..text.len())] };
    let model = trace.models.as_ref().map_or(words!(l, "the language model"), |models| models.generator.name.as_str());
    let of_graph = text[..begins].trim_end().len();
    vec![
        Block::new().with(words!(l, "From the graph"), SpanStyle::Heading),
        piece(0..of_graph),
        Block::new(),
        Block::new().with(
            &words!(l, "{sign} From {name}", sign = Mark::Model.sign(), name = crate::text::sanitise_line(model)),
            SpanStyle::Entity(Mark::Model),
        ),
        piece(begins..text.len()),
    ]
}
