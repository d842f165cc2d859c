//! Why this chain? The selected chain in full, what stands at its ends, and how it fits each fragment of
//! question and hypothesis.

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{chain, paint, pane};
use crate::graph::{Chain, ChainKind};
use crate::run::{ChainKey, Explanation, Fate, ScoredChain, Trace};
use crate::run::{Mark, Marks};
use crate::text::sanitise_line;
use crate::tui::action::Pane;
use crate::tui::app::App;
use crate::tui::styled_text::{Block, Ink};

const BARS: [&str; 9] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█", "█"];
/// Shades of the strip, from no fit to a perfect one.
const HEAT: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
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
    let App { memory, trace, marks, theme, version, why_offset, explained, decisions, .. } = app;
    // The text depends on the selected chain too.
    let key = version.wrapping_mul(1 << 32).wrapping_add(u64::from(number));
    let explained = explained.as_ref().filter(|explained| explained.chain == number);
    let said = Said { trace, marks, explained, pinned: &decisions.wanted.pinned };
    let rows = memory.why.rows(key, inner.width, || compose(&said, number));
    let total = rows.len();
    *why_offset = (*why_offset).min(total.saturating_sub(height));
    let offset = *why_offset;
    paint::rows(buf, theme, inner, rows, offset, |_, _, style| style);
    pane::scrollbar(buf, app, area, offset, total);
}

/// What there is to say something from.
struct Said<'a> {
    trace: &'a Trace,
    marks: &'a Marks,
    explained: Option<&'a Explanation>,
    pinned: &'a BTreeSet<ChainKey>,
}

fn compose(said: &Said<'_>, number: u32) -> Vec<Block> {
    let Said { trace, marks, explained, .. } = *said;
    let Some(chain) = trace.table.chains.get(number as usize) else { return Vec::new() };
    let mut blocks = vec![chain::block(&trace.table, marks, chain).indented(0, 2)];
    blocks.push(place(said, number, chain));
    heat(said, number, &mut blocks);
    let interior = if chain.len() > 1 { &chain.nodes()[1..chain.len()] } else { &[] };
    let ends = [chain.nodes()[0], chain.nodes()[chain.len()]];
    for (node, is_end) in ends.iter().map(|node| (*node, true)).chain(interior.iter().map(|node| (*node, false))) {
        let Some(entity) = trace.table.entities.get(node as usize) else { continue };
        let mut block = Block::new().indented(0, 2);
        block.push_entity(&sanitise_line(&entity.name), marks.in_chain(chain, node));
        if !entity.kind.is_empty() {
            block.push(&format!(" · {}", sanitise_line(&entity.kind).replace('_', " ")), Ink::Dim);
        }
        if let Some(anchor) = trace.anchors.iter().find(|anchor| anchor.entity == entity.name) {
            let mention = sanitise_line(&anchor.mention);
            block.push(&format!(" · linked from “{mention}” at {:.2}", anchor.score), Ink::Dim);
        }
        let card = explained.and_then(|explained| explained.entities.iter().find(|card| card.name == entity.name));
        if let Some(card) = card {
            block.push(&format!(" · {} triples", paint::count(card.triples)), Ink::Dim);
        }
        if !entity.description.is_empty() && (is_end || explained.is_some()) {
            block.push(&format!("  {}", sanitise_line(&entity.description)), Ink::Plain);
        }
        if let Some(card) = card.filter(|card| is_end && !card.aliases.is_empty()) {
            let aliases: Vec<String> = card.aliases.iter().map(|alias| sanitise_line(alias)).collect();
            block.push(&format!("  Also: {}.", aliases.join(", ")), Ink::Dim);
        }
        blocks.push(block);
    }
    if let Some(explained) = explained.filter(|explained| !explained.triples.is_empty()) {
        blocks.push(Block::new().with("Where its triples come from", Ink::Heading));
        for triple in &explained.triples {
            let ink = if triple.learned { Ink::Entity(Mark::Learned) } else { Ink::Plain };
            let sign = if triple.learned { format!("{}\u{a0}", Mark::Learned.sign()) } else { String::new() };
            let block = Block::new().indented(0, 2).with(&sign, ink).with(&sanitise_line(&triple.text), ink);
            blocks.push(block.with(&format!("  {}", sanitise_line(&triple.source)), Ink::Dim));
        }
    }
    fragments(said, number, &mut blocks);
    blocks
}

/// What kind of chain it is and where it came in.
fn place(said: &Said<'_>, number: u32, chain: &Chain) -> Block {
    let trace = said.trace;
    let kind_text = match chain.kind() {
        ChainKind::Path => "path: one leads to the other",
        ChainKind::CoAncestor => "co-ancestor: both lead to one thing",
        ChainKind::CoOccurrence => "co-occurrence: both come from one thing",
        ChainKind::Neighbour => "neighbour of the only anchor",
    };
    let mut block = Block::new().indented(0, 2).with(&format!("{} {kind_text}", chain::sign(chain.kind())), Ink::Dim);
    if chain.learned() {
        block.push(" · ", Ink::Dim);
        block.push_entity("learned from feedback", Mark::Learned);
    }
    block.push(" · ", Ink::Dim);
    let pruning = &trace.pruning;
    let lowest = pruning.kept.last().map_or(0.0, |scored| scored.score);
    let pinned = || said.pinned.contains(&ChainKey::of(&trace.table, chain));
    if let Some(at) = pruning.kept.iter().position(|scored| scored.chain == number) {
        block.push(&format!("kept as {} of {}", at + 1, pruning.kept.len()), Ink::Good);
        block.push(&format!(", score {:.2}", pruning.kept[at].score), Ink::Dim);
        if pinned() {
            block.push(" · ▲ pinned by you", Ink::Good);
        }
        return block;
    }
    if let Some(explained) = said.explained {
        not_kept(&mut block, &explained.fate);
    } else if let Some(at) = pruning.runners_up.iter().position(|scored| scored.chain == number) {
        let score = pruning.runners_up[at].score;
        block.push(&format!("not kept: runner-up {}", at + 1), Ink::Warning);
        block.push(&format!(", score {score:.2}; the last one kept has {lowest:.2}"), Ink::Dim);
    } else if !pruning.kept.is_empty() {
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

/// What kept a chain out.
fn not_kept(block: &mut Block, fate: &Fate) {
    match fate {
        Fate::Kept { .. } | Fate::Undecided => block.push("no choice was made yet", Ink::Dim),
        Fate::Rejected { by } => {
            block.push("✗ not kept", Ink::Warning);
            block.push(&format!(": {}", sanitise_line(by)), Ink::Dim);
        }
        Fate::Outscored { score, least_kept } => {
            block.push("not kept", Ink::Warning);
            block.push(&format!(": score {score:.2}; the last one kept has {least_kept:.2}"), Ink::Dim);
        }
        Fate::Alike { kept, score } => {
            block.push("not kept", Ink::Warning);
            block.push(&format!(": score {score:.2}, but it says little that ",), Ink::Dim);
            block.push(&format!("[{kept}]"), Ink::Citation(*kept));
            block.push(" does not say", Ink::Dim);
        }
        Fate::PrefilteredOut { read } => {
            block.push("not kept", Ink::Warning);
            let text = format!(": by a first glance behind the {} chains that were compared as a whole", paint::count(*read));
            block.push(&text, Ink::Dim);
        }
    }
}

/// The scores of a chain by fragment: as the choice knew them, or as they were found when asked why.
fn scores<'a>(said: &'a Said<'_>, number: u32) -> Option<&'a ScoredChain> {
    let pruning = &said.trace.pruning;
    let known = pruning.kept.iter().chain(&pruning.runners_up).find(|scored| scored.chain == number);
    known.or_else(|| said.explained.and_then(|explained| explained.scored.as_ref())).filter(|scored| !scored.by_fragment.is_empty())
}

/// The chain's row of the score matrix, a cell for each fragment.
fn heat(said: &Said<'_>, number: u32, blocks: &mut Vec<Block>) {
    let Some(scored) = scores(said, number) else { return };
    let cells: String = scored.by_fragment.iter().map(|score| HEAT[(score.clamp(0.0, 1.0) * 7.99) as usize]).collect();
    let best = scored.by_fragment.iter().copied().fold(0.0, f64::max);
    let block = Block::new().with("fit ", Ink::Dim).with(&cells, Ink::Bar);
    blocks.push(block.with(&format!(" best {best:.2}, a cell for each fragment below"), Ink::Dim));
}

/// A strip of scores: how well the chain fits each fragment.
fn fragments(said: &Said<'_>, number: u32, blocks: &mut Vec<Block>) {
    let pruning = &said.trace.pruning;
    let Some(scored) = scores(said, number) else { return };
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
