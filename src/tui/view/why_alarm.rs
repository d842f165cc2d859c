//! Why this line? What raised the alarm above the answer: the facts of the case, what each of them does, and the chains that state it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{paint, pane};
use crate::pipeline::answer::headlines::Headlines;
use crate::run::{Mark, Marks, Trace, UrgencyLevel, UrgencyReason, UrgencyReasonKind};
use crate::text::sanitise_line;
use crate::tui::action::{Action, Pane};
use crate::tui::alarm_chains::stating;
use crate::tui::app::{App, RunView};
use crate::tui::keymap::Context;
use crate::tui::styled_text::{Block, SpanStyle};
use crate::words::{Language, words};

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let l = app.language;
    let inner = pane::frame(buf, app, Pane::Why, area, &[(words!(l, "this alarm?").into(), SpanStyle::Dim)]);
    let correct = app.input.keymap.key_of(Action::Case, Context::Panes);
    let App { layout, run, look, selection, .. } = app;
    let RunView { trace, marks, version, .. } = run;
    // No chain has this number.
    let key = version.wrapping_mul(1 << 32).wrapping_add(u64::from(u32::MAX));
    let rows = layout.frame.why.rows(key, inner.width, || compose(trace, marks, &correct, l));
    let total = rows.len();
    selection.why_offset = selection.why_offset.min(total.saturating_sub(usize::from(inner.height)));
    paint::rows(buf, &look.theme, inner, rows, selection.why_offset, |_, _, style| style);
    pane::scrollbar(buf, &app.look.theme, area, app.selection.why_offset, total);
}

fn compose(trace: &Trace, marks: &Marks, correct: &str, l: Language) -> Vec<Block> {
    let Some((level, line)) = Headlines::of(trace).urgency else { return Vec::new() };
    let style = if level == UrgencyLevel::Emergency { SpanStyle::Error } else { SpanStyle::Warning };
    let mut blocks = vec![Block::new().with(&line, style), Block::new()];
    let urgency = &trace.urgency;
    if urgency.because.is_empty() {
        let said = words!(l, "This recording does not say what raised it: an older version made it. Ask its question again.");
        blocks.push(Block::new().with(said, SpanStyle::Plain));
        return blocks;
    }
    blocks.push(Block::new().with(words!(l, "What in the case raised it"), SpanStyle::Heading));
    let condition = urgency.condition.as_deref().map(sanitise_line).unwrap_or_default();
    for reason in &urgency.because {
        let mut block = Block::new().indented(0, 2);
        match &reason.entity {
            Some(entity) => {
                let mark = marks.of_name(entity);
                // What raised it stands in the question, whether it became an anchor or not.
                let mark = if mark == Mark::Graph { Mark::Question } else { mark };
                block.push_entity(&sanitise_line(&reason.text), mark);
            }
            None => block.push(&format!("●\u{a0}{}", sanitise_line(&reason.text)), SpanStyle::Entity(Mark::Question)),
        }
        let colon = if reason.text.is_empty() { "" } else { l.choose(": ", "：") };
        block.push(&format!("{colon}{}", said_of(reason, &condition, l)), SpanStyle::Plain);
        for (nth, (id, _)) in stating(trace, reason).into_iter().enumerate() {
            block.push(if nth == 0 { "\u{a0}" } else { "" }, SpanStyle::Plain);
            block.push(&format!("[{id}]"), SpanStyle::Citation(id));
        }
        blocks.push(block);
    }
    blocks.push(Block::new());
    if !condition.is_empty() {
        let entry = match level {
            UrgencyLevel::Emergency => {
                words!(l, "The graph's entry for {condition} says that it can be an emergency, and what to do.", condition = condition)
            }
            _ => words!(l, "The graph's entry for {condition} says that it is urgent, and what to do.", condition = condition),
        };
        blocks.push(Block::new().with(&entry, SpanStyle::Dim));
    }
    let wrong = words!(
        l,
        "Did Catena misread the case? Press {key} to correct it. Catena then checks again whether this is urgent.",
        key = correct
    );
    blocks.push(Block::new().with(&wrong, SpanStyle::Dim));
    blocks
}

/// What a fact of the case does.
fn said_of(reason: &UrgencyReason, condition: &str, l: Language) -> String {
    match reason.kind {
        UrgencyReasonKind::Finding => words!(l, "{condition} explains it", condition = condition),
        UrgencyReasonKind::RedFlag => words!(l, "a red flag of {condition}", condition = condition),
        UrgencyReasonKind::Danger => words!(l, "it must not wait, whatever causes it").into(),
        UrgencyReasonKind::Company => words!(l, "with it, the case is an emergency").into(),
        UrgencyReasonKind::Result => words!(l, "a critical value").into(),
        UrgencyReasonKind::Drug => words!(l, "in use, and can cause {condition}", condition = condition),
        UrgencyReasonKind::Named => words!(l, "the question names it").into(),
        UrgencyReasonKind::Words => words!(l, "the words of the question say so").into(),
    }
}
