//! Why this line? A line of the answer that no chain states: what it is instead, so that no other chain is taken for its proof.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{paint, pane};
use crate::run::{AnswerLine, AnswerPart};
use crate::text::sanitise_line;
use crate::tui::action::{Action, Pane};
use crate::tui::app::App;
use crate::tui::keymap::Context;
use crate::tui::styled_text::{Block, SpanStyle};
use crate::words::{Language, words};

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let l = app.language;
    let inner = pane::frame(buf, app, Pane::Why, area, &[(words!(l, "this line?").into(), SpanStyle::Dim)]);
    let key = app.input.keymap.key_of(Action::Passages, Context::Panes);
    let Some(blocks) = app.selected_uncited().map(|line| compose(line, &key, l)) else { return };
    let App { layout, run, look, selection, .. } = app;
    // No chain has this number, nor has the alarm.
    let number = u64::from(u32::MAX / 2).wrapping_add(selection.answer.selected as u64);
    let version = run.version.wrapping_mul(1 << 32).wrapping_add(number);
    let rows = layout.frame.why.rows(version, inner.width, || blocks);
    let total = rows.len();
    selection.why_offset = selection.why_offset.min(total.saturating_sub(usize::from(inner.height)));
    paint::rows(buf, &look.theme, inner, rows, selection.why_offset, |_, _, style| style);
    pane::scrollbar(buf, &app.look.theme, area, app.selection.why_offset, total);
}

fn compose(line: &AnswerLine, passages: &str, l: Language) -> Vec<Block> {
    let said = Block::new().indented(2, 2).with(&sanitise_line(&line.text), SpanStyle::Plain);
    vec![Block::new().with(&what_it_is(line, passages, l), SpanStyle::Heading), said]
}

/// What a line is that no chain states. `passages`: the key that lists the passages of documents.
fn what_it_is(line: &AnswerLine, passages: &str, l: Language) -> String {
    if line.is_quote() {
        return words!(l, "No chain states this line: it quotes a document. {key} lists the passages.", key = passages);
    }
    match line.part {
        AnswerPart::Safety => words!(l, "No chain states this line: it is a sentence of the safety check.").into(),
        AnswerPart::NotUnderstood => {
            words!(l, "No chain states this line: it says what Catena did not understand or does not answer.").into()
        }
        AnswerPart::Care if !line.entity.is_empty() => {
            let condition = sanitise_line(&line.entity);
            words!(l, "No chain states this line: it is from the entry of {condition} in the graph.", condition = condition)
        }
        part if part.is_of_model() => words!(l, "No chain states this line: it is about what the language model wrote.").into(),
        _ => words!(l, "No chain states this line: it is a sentence of Catena's own.").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_chains_says_what_it_is() {
        let line = |part, entity: &str, passages: usize| AnswerLine {
            part,
            entity: entity.into(),
            also: Vec::new(),
            role: None,
            text: "No contraindication of Warfarin in Old age is stored.".into(),
            citations: Vec::new(),
            passages: (0..passages).filter_map(|_| "D1".parse().ok()).collect(),
            unsupported: false,
        };
        let said = |line: &AnswerLine| what_it_is(line, "d", Language::English);
        assert_eq!(said(&line(AnswerPart::Safety, "", 0)), "No chain states this line: it is a sentence of the safety check.");
        assert!(said(&line(AnswerPart::Safety, "", 1)).contains("it quotes a document. d lists the passages."));
        assert!(said(&line(AnswerPart::Care, "Burn", 0)).contains("the entry of Burn"));
        assert!(said(&line(AnswerPart::Summary, "", 0)).ends_with("a sentence of Catena's own."));
    }
}
