//! Chains as pieces of text: entities with their signs, relations quieter than what they relate.

use crate::graph::{Chain, ChainKind, ChainTable};
use crate::run::{Mark, Marks};
use crate::text::sanitise_line;
use crate::tui::styled_text::{Block, SpanStyle};

/// The sign of a kind of chain.
pub(super) fn sign(kind: ChainKind) -> &'static str {
    match kind {
        ChainKind::Path => "→",
        ChainKind::CoAncestor => "⇉",
        ChainKind::CoOccurrence => "⇇",
        ChainKind::Neighbour => "∘",
    }
}

/// The short name of a kind of chain, in titles.
pub(super) fn short(kind: ChainKind) -> &'static str {
    match kind {
        ChainKind::Path => "path",
        ChainKind::CoAncestor => "co-anc",
        ChainKind::CoOccurrence => "co-occ",
        ChainKind::Neighbour => "near",
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

/// The same as a paragraph, to be wrapped.
pub(super) fn block(table: &ChainTable, marks: &Marks, chain: &Chain) -> Block {
    let mut block = Block::new();
    for (text, span_style) in pieces(table, marks, chain) {
        block.push(&text, span_style);
    }
    block
}
