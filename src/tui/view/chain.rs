//! Chains as pieces of text: entities with their signs, relations quieter than what they relate.

use unicode_width::UnicodeWidthStr;

use crate::graph::{Chain, ChainKind, ChainTable};
use crate::run::{Mark, Marks};
use crate::text::sanitise_line;
use crate::tui::styled_text::{Block, SpanStyle};

/// Cells that are set aside for what is left out beside a piece.
const GAP: usize = 3;

/// Fewer cells than this say nothing of the entity at the beginning.
const SHORTEST_HEAD: usize = 8;

/// The sign of a kind of chain.
pub(super) fn sign(kind: ChainKind) -> &'static str {
    match kind {
        ChainKind::Path => "→",
        ChainKind::CoAncestor => "⇉",
        ChainKind::CoOccurrence => "⇇",
        ChainKind::Neighbour => "∘",
    }
}

/// The pieces of a chain on one line.
pub(super) fn pieces(table: &ChainTable, marks: &Marks, chain: &Chain) -> Vec<(String, SpanStyle)> {
    let mut pieces = Vec::with_capacity(2 + 3 * chain.len());
    let entity = |node: u32| {
        let mark = marks.in_chain(chain, node);
        let name = table.entities.get(node as usize).map_or_else(|| "?".into(), |e| sanitise_line(&e.name));
        (format!("{}\u{a0}{name}", mark.sign()), SpanStyle::Entity(mark))
    };
    let relation = |number: u16, forward: bool| {
        let display = table.relations.get(usize::from(number)).map_or_else(|| "?".into(), |r| sanitise_line(&r.display));
        let arrow = if forward { '→' } else { '←' };
        let span_style = if chain.learned() { SpanStyle::Entity(Mark::Learned) } else { SpanStyle::Relation };
        (format!(" {arrow} {display} {arrow} "), span_style)
    };
    // The sign says what the colour of the relations says.
    if chain.learned() {
        pieces.push((format!("{}\u{a0}", Mark::Learned.sign()), SpanStyle::Entity(Mark::Learned)));
    }
    pieces.push(entity(chain.nodes()[0]));
    for hop in chain.hops() {
        pieces.push(relation(hop.relation, hop.forward));
        pieces.push(entity(hop.to));
    }
    pieces
}

/// The pieces of a chain in so many cells. If they do not fit, its middle is left out, never its informative end; what is `sought`
/// is kept in sight. What a chain has in common with the one `above` it, from the start, recedes.
pub(super) fn fitted(
    pieces: &[(String, SpanStyle)],
    width: u16,
    above: &[(String, SpanStyle)],
    sought: &[String],
) -> Vec<(String, SpanStyle)> {
    // Entities and relations alternate; a learned chain has a sign before them.
    let entity_at = (pieces.len() + 1) % 2;
    let common = pieces.iter().zip(above).take_while(|(one, other)| one.0 == other.0).count();
    // The last entity tells two chains apart; it stays as it is.
    let common = common.min(pieces.len().saturating_sub(1));
    let styled = |at: usize| {
        let (text, style) = &pieces[at];
        (text.clone(), if at < common { SpanStyle::Dim } else { *style })
    };
    let cells = |at: usize| pieces[at].0.width();
    let room = usize::from(width);
    if (0..pieces.len()).map(cells).sum::<usize>() <= room {
        return (0..pieces.len()).map(styled).collect();
    }
    let mut order: Vec<usize> = Vec::with_capacity(pieces.len() * 3);
    let last = pieces.len() - 1;
    // What tells the chain from the one above it comes first: its last entity, or where that is the same, what else is new in it.
    let is_new = |at: &usize| above.iter().all(|(text, _)| *text != pieces[*at].0);
    if above.is_empty() || is_new(&last) {
        order.push(last);
    } else {
        order.extend((0..=last).filter(|at| at % 2 == entity_at && is_new(at)));
        order.push(last);
    }
    order.extend((0..pieces.len()).filter(|at| {
        let text = pieces[*at].0.to_lowercase();
        sought.iter().any(|word| text.contains(word))
    }));
    order.push(0);
    order.extend((1..last).rev());
    let order_first = order.first().copied().unwrap_or(last);
    let mut taken = vec![false; pieces.len()];
    let mut used = 0;
    for at in order {
        // A piece that is left out leaves an ellipsis and a blank.
        if !taken[at] && used + cells(at) + GAP <= room {
            taken[at] = true;
            used += cells(at) + GAP;
        }
    }
    if !taken[order_first] {
        // Not even what tells it apart fits: it is clipped at its own end.
        return vec![("… ".to_owned(), SpanStyle::Dim), styled(order_first)];
    }
    let mut fitted: Vec<(String, SpanStyle)> = Vec::new();
    let mut is_gap = false;
    // Where a chain begins is told, if only by its first letters.
    let left = room.saturating_sub(used);
    if !taken[0] && left >= SHORTEST_HEAD {
        let (text, style) = styled(0);
        fitted.push((clipped(&text, left - 1), style));
        is_gap = true;
    }
    for (at, taken) in taken.into_iter().enumerate() {
        if taken {
            let blank = if is_gap && !pieces[at].0.starts_with(' ') { " " } else { "" };
            let (text, style) = styled(at);
            fitted.push((format!("{blank}{text}"), style));
        } else if !is_gap {
            let blank = fitted.last().is_some_and(|(text, _)| !text.ends_with(' '));
            fitted.push((if blank { " …" } else { "…" }.to_owned(), SpanStyle::Dim));
        }
        is_gap = !taken;
    }
    fitted
}

/// The beginning of a text in so many cells, with an ellipsis.
fn clipped(text: &str, cells: usize) -> String {
    let mut kept = String::new();
    for c in text.chars() {
        if kept.width() + c.to_string().width() + 1 > cells {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}

/// The words that are sought in a pane, folded to small letters.
pub(super) fn sought(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_lowercase).collect()
}

/// The same as a paragraph, to be wrapped.
pub(super) fn block(table: &ChainTable, marks: &Marks, chain: &Chain) -> Block {
    let mut block = Block::new();
    for (text, span_style) in pieces(table, marks, chain) {
        block.push(&text, span_style);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[(String, SpanStyle)]) -> String {
        pieces.iter().map(|(text, _)| text.as_str()).collect()
    }

    fn chain(names: &[&str]) -> Vec<(String, SpanStyle)> {
        names.iter().map(|name| ((*name).to_owned(), SpanStyle::Plain)).collect()
    }

    #[test]
    fn the_middle_is_left_out_and_the_end_stays() {
        let first = chain(&["● Reflux", " → treats → ", "Antacid", " → may cause → ", "Constipation"]);
        let second = chain(&["● Reflux", " → treats → ", "Antacid", " → may cause → ", "Diarrhoea"]);
        let fit = |pieces: &[(String, SpanStyle)], above: &[_], width, words: &str| shown(&fitted(pieces, width, above, &sought(words)));
        assert_eq!(fit(&first, &[], 80, ""), "● Reflux → treats → Antacid → may cause → Constipation");
        assert_eq!(fit(&first, &[], 44, ""), "● Reflux … → may cause → Constipation");
        assert_eq!(fit(&second, &first, 30, ""), "● Reflux … Diarrhoea");
        assert_eq!(fit(&second, &first, 34, "antacid"), "● Reflux … Antacid … Diarrhoea");
        assert_eq!(fit(&first, &[], 8, ""), "… Constipation", "painting clips it");
        for width in 14..60 {
            let cells = shown(&fitted(&first, width, &[], &[])).width();
            assert!(cells <= usize::from(width) + 1, "{cells} cells of {width}");
        }
    }

    #[test]
    fn what_is_the_same_as_above_recedes() {
        let above = chain(&["A", " → ", "B", " → ", "C"]);
        let dim = |pieces: &[(String, SpanStyle)]| pieces.iter().filter(|(_, style)| *style == SpanStyle::Dim).count();
        assert_eq!(dim(&fitted(&chain(&["A", " → ", "B", " → ", "D"]), 80, &above, &[])), 4);
        assert_eq!(dim(&fitted(&above, 80, &above, &[])), 4, "the end never recedes");
        assert_eq!(dim(&fitted(&chain(&["X", " → ", "B"]), 80, &above, &[])), 0);
    }

    #[test]
    fn what_differs_in_the_middle_is_shown_where_both_ends_are_the_same() {
        let above = chain(&[
            "Reflux disease",
            " ← first-line ← ",
            "Omeprazole",
            " → treats → ",
            "Oesophageal stricture",
            " → test → ",
            "Upper endoscopy",
        ]);
        let other = chain(&[
            "Reflux disease",
            " ← first-line ← ",
            "Omeprazole",
            " → treats → ",
            "Laryngeal reflux",
            " → test → ",
            "Upper endoscopy",
        ]);
        for width in 20..100 {
            let (one, two) = (shown(&fitted(&above, width, &[], &[])), shown(&fitted(&other, width, &above, &[])));
            assert!(two.contains("Laryngeal reflux") && one != two, "{width}: {one} | {two}");
        }
    }
}
