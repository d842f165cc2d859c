//! Why this chain? The selected chain in full, what stands at its ends, and how it fits each fragment of
//! question and hypothesis.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{chain, paint, pane};
use crate::graph::ChainKind;
use crate::pipeline::Trace;
use crate::pipeline::{Mark, Marks};
use crate::text::sanitise_line;
use crate::tui::action::Pane;
use crate::tui::app::App;
use crate::tui::ink::{Block, Ink};

const BARS: [&str; 9] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█", "█"];
/// Cells of the longest bar.
const BAR: usize = 6;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    let more = match (app.chain, app.selected_kept()) {
        (Some(_), Some(id)) => vec![("this chain? ".into(), Ink::Dim), (format!("[{id}]"), Ink::Citation(id))],
        _ => vec![("this chain?".into(), Ink::Dim)],
    };
    let inner = pane::frame(buf, app, Pane::Why, area, &more);
    let Some(number) = app.chain else {
        pane::empty_text(buf, app, inner, "The selected chain in full: its entities, and how it fits the question.");
        return;
    };
    let height = usize::from(inner.height);
    let App { memory, trace, marks, theme, version, why_offset, .. } = app;
    // The text depends on the selected chain too.
    let key = version.wrapping_mul(1 << 32).wrapping_add(u64::from(number));
    let rows = memory.why.rows(key, inner.width, || compose(trace, marks, number));
    let total = rows.len();
    *why_offset = (*why_offset).min(total.saturating_sub(height));
    let offset = *why_offset;
    paint::rows(buf, theme, inner, rows, offset, |_, _, style| style);
    pane::scrollbar(buf, app, area, offset, total);
}

fn compose(trace: &Trace, marks: &Marks, number: u32) -> Vec<Block> {
    let Some(chain) = trace.table.chains.get(number as usize) else { return Vec::new() };
    let mut blocks = vec![chain::block(&trace.table, marks, chain).indented(0, 2)];
    blocks.push(place(trace, number, chain.kind(), chain.learned()));
    let ends = [chain.nodes()[0], chain.nodes()[chain.len()]];
    for node in ends {
        let Some(entity) = trace.table.entities.get(node as usize) else { continue };
        let mut block = Block::new().indented(0, 2);
        block.push_entity(&sanitise_line(&entity.name), marks.in_chain(chain, node));
        if !entity.kind.is_empty() {
            block.push(&format!(" · {}", sanitise_line(&entity.kind).replace('_', " ")), Ink::Dim);
        }
        if !entity.description.is_empty() {
            block.push(&format!("  {}", sanitise_line(&entity.description)), Ink::Plain);
        }
        blocks.push(block);
    }
    fragments(trace, number, &mut blocks);
    blocks
}

/// What kind of chain it is and where it came in.
fn place(trace: &Trace, number: u32, kind: ChainKind, learned: bool) -> Block {
    let kind_text = match kind {
        ChainKind::Path => "path: one leads to the other",
        ChainKind::CoAncestor => "co-ancestor: both lead to one thing",
        ChainKind::CoOccurrence => "co-occurrence: both come from one thing",
        ChainKind::Neighbour => "neighbour of the only anchor",
    };
    let mut block = Block::new().indented(0, 2).with(&format!("{} {kind_text}", chain::sign(kind)), Ink::Dim);
    if learned {
        block.push(" · ", Ink::Dim);
        block.push_entity("learned from feedback", Mark::Learned);
    }
    let pruning = &trace.pruning;
    let lowest = pruning.kept.last().map_or(0.0, |scored| scored.score);
    if let Some(at) = pruning.kept.iter().position(|scored| scored.chain == number) {
        block.push(" · ", Ink::Dim);
        block.push(&format!("kept as {} of {}", at + 1, pruning.kept.len()), Ink::Good);
        block.push(&format!(", score {:.2}", pruning.kept[at].score), Ink::Dim);
    } else if let Some(at) = pruning.runners_up.iter().position(|scored| scored.chain == number) {
        let score = pruning.runners_up[at].score;
        block.push(" · ", Ink::Dim);
        block.push(&format!("not kept: runner-up {}", at + 1), Ink::Warning);
        block.push(&format!(", score {score:.2}; the last one kept has {lowest:.2}"), Ink::Dim);
    } else if !pruning.kept.is_empty() {
        block.push(" · ", Ink::Dim);
        block.push("not kept", Ink::Warning);
        match pruning.scored.last() {
            Some(last) => {
                let text = format!(": others fit better ({} compared {})", sanitise_line(&last.scorer), paint::count(last.chains));
                block.push(&text, Ink::Dim);
            }
            None => block.push(": others fit better", Ink::Dim),
        }
    }
    block
}

/// A strip of scores: how well the chain fits each fragment.
fn fragments(trace: &Trace, number: u32, blocks: &mut Vec<Block>) {
    let pruning = &trace.pruning;
    let scored = pruning.kept.iter().chain(&pruning.runners_up).find(|scored| scored.chain == number);
    let Some(scored) = scored.filter(|scored| !scored.by_fragment.is_empty()) else { return };
    blocks.push(Block::new().with("Fit with each fragment of question and hypothesis", Ink::Heading));
    for (score, fragment) in scored.by_fragment.iter().zip(&pruning.fragments) {
        let indent = BAR as u16 + 6;
        let block = Block::new().indented(0, indent).with(&bar(*score), Ink::Bar).with(&format!(" {score:>4.2} "), Ink::Dim);
        blocks.push(block.with(&sanitise_line(fragment), Ink::Plain));
    }
}

/// A bar of [`BAR`] cells at most; blanks that do not break fill it up.
fn bar(score: f64) -> String {
    let eighths = (score.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push_str(BARS[eighths % 8 - 1]);
    }
    let missing = BAR - bar.chars().count();
    bar + &"\u{a0}".repeat(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_one_length_whatever_the_score() {
        for score in [-1.0, 0.0, 0.01, 0.5, 0.99, 1.0, 7.0, f64::NAN] {
            assert_eq!(bar(score).chars().count(), BAR, "{score}");
        }
        assert!(bar(1.0).starts_with("██████"));
    }
}
