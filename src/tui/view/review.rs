//! The review: what is proposed to be learned, and for the selected proposal all there is to know before deciding about it.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use super::{header, paint, pane};
use crate::dkg::{Act, CheckNote, ProposalState, act_word, proposer_words};
use crate::graph::{NamedEntity, NamedTriple};
use crate::run::Mark;
use crate::text::sanitise_line;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::keymap::Context;
use crate::tui::review::{Group, ReviewRow};
use crate::tui::styled_text::{self, Block, Ink};

/// From this width on, what is said of a proposal stands beside the list.
const BESIDE: u16 = 130;
/// The keys on its lower border.
const KEYS: [(Action, &str); 8] = [
    (Action::Accept, "accept"),
    (Action::Reject, "turn down"),
    (Action::Edit, "edit"),
    (Action::Mark, "mark"),
    (Action::AcceptAll, "accept all"),
    (Action::RejectAll, "turn all down"),
    (Action::Undo, "undo"),
    (Action::Lessons, "what was learned"),
];
/// Lines longer than this are hard to read across.
const WIDEST: u16 = 180;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, body: Rect) {
    let width = body.width.min(WIDEST);
    let area = Rect::new(body.x + (body.width - width) / 2, body.y, width, body.height);
    let inner = pane::sheet(buf, app, area, "Review: what Catena may learn");
    if inner.is_empty() {
        return;
    }
    let keys = KEYS.map(|(action, what)| (app.keymap.key_of(action, Context::Review), what));
    super::form::keys_below(buf, app, area, &keys);
    let [list, said] = if inner.width >= BESIDE {
        Layout::horizontal([Constraint::Percentage(58), Constraint::Fill(1)]).areas(inner)
    } else {
        Layout::vertical([Constraint::Percentage(50), Constraint::Fill(1)]).areas(inner)
    };
    if app.review.items().is_empty() {
        if app.review.awaited {
            paint::pieces(buf, &app.theme, (inner.x + 1, inner.y), 1, [(header::spinner(app), Ink::Busy)]);
        } else {
            let text = "Nothing waits for a decision. Rate an answer (g good, b bad, G gold), and what follows from it is listed here.";
            pane::empty_text(buf, app, inner.inner(ratatui::layout::Margin::new(1, 0)), text);
        }
        return;
    }
    draw_list(buf, app, list);
    let blocks = app.review.selected().map(details).unwrap_or_default();
    let beside = said.x > list.x;
    let said = if beside { Rect::new(said.x + 1, said.y, said.width - 1, said.height) } else { said };
    if beside {
        for y in said.top()..said.bottom() {
            paint::styled(buf, (said.x - 1, y), 1, [("│", app.theme.styles.border)]);
        }
    } else {
        let line = "─".repeat(usize::from(said.width));
        paint::styled(buf, (said.x, said.y), said.width, [(line.as_str(), app.theme.styles.border)]);
    }
    let said =
        Rect::new(said.x + 1, said.y + u16::from(!beside), said.width.saturating_sub(2), said.height.saturating_sub(u16::from(!beside)));
    let rows = styled_text::wrap(&blocks, said.width.max(1));
    paint::rows(buf, &app.theme, said, &rows, 0, |_, _, style| style);
    if rows.len() > usize::from(said.height) && said.height > 0 {
        paint::pieces(buf, &app.theme, (said.right().saturating_sub(1), said.bottom() - 1), 1, [("…", Ink::Dim)]);
    }
}

fn draw_list(buf: &mut Buffer, app: &mut App, list: Rect) {
    let rows = app.review.rows();
    let selected = app.review.at.selected;
    let place = rows.iter().position(|row| *row == ReviewRow::Proposal(selected)).unwrap_or(0);
    // With the first of a group its heading is on the screen.
    let offset = paint::reveal(app.review.at.offset, place, usize::from(list.height), rows.len());
    let offset =
        if place > 0 && offset == place && matches!(rows.get(place - 1), Some(ReviewRow::Heading(..))) { place - 1 } else { offset };
    app.review.at.offset = offset;
    let mut picks = Vec::new();
    for (row, y) in rows.iter().skip(offset).zip(list.top()..list.bottom()) {
        match row {
            ReviewRow::Heading(group, count) => {
                let ink = if *group == Group::Conflicting { Ink::Warning } else { Ink::Heading };
                let count = format!("  {count}");
                paint::pieces(buf, &app.theme, (list.x + 1, y), list.width.saturating_sub(1), [(group.title(), ink), (&count, Ink::Dim)]);
            }
            ReviewRow::Proposal(at) => {
                let Some(state) = app.review.items().get(*at) else { continue };
                let area = Rect::new(list.x, y, list.width, 1);
                if *at == selected {
                    buf.set_style(area, app.theme.styles.selected);
                    paint::gutter(buf, &app.theme, (area.x, y), true);
                }
                let marked = if app.review.is_marked(state.id) { "◉ " } else { "  " };
                let mut pieces = vec![(marked.to_owned(), Ink::Key)];
                pieces.extend(line(state));
                paint::pieces(
                    buf,
                    &app.theme,
                    (list.x + 1, y),
                    list.width.saturating_sub(2),
                    pieces.iter().map(|(t, ink)| (t.as_str(), *ink)),
                );
                picks.push((area, *at));
            }
        }
    }
    app.memory.picks = picks;
}

/// A proposal on one line.
fn line(state: &ProposalState) -> Vec<(String, Ink)> {
    let ink = match (Group::of(state), state.proposal.act) {
        (Group::Redundant, _) => Ink::Dim,
        (_, Act::Add) => Ink::Entity(Mark::Learned),
        (_, Act::Retract) => Ink::Warning,
    };
    let (sign, word) = match (Group::of(state), state.proposal.act) {
        (Group::Conflicting, act) => ("⚠", act_word(act)),
        (_, Act::Add) => (Mark::Learned.sign(), act_word(Act::Add)),
        (_, Act::Retract) => ("✗", act_word(Act::Retract)),
    };
    let NamedTriple { head, relation, tail } = &state.proposal.triple;
    let name = |entity: &NamedEntity| {
        let new = if is_new(state, entity) { format!(" (new {})", kind(entity)) } else { String::new() };
        (sanitise_line(&entity.name), new)
    };
    let ((head, head_new), (tail, tail_new)) = (name(head), name(tail));
    let relation = sanitise_line(&relation.name.replace('_', " "));
    let sign_ink = if Group::of(state) == Group::Conflicting { Ink::Warning } else { ink };
    vec![
        (format!("{sign} "), sign_ink),
        (format!("{word}  "), Ink::Dim),
        (head, ink),
        (head_new, Ink::Good),
        (format!(" → {relation} → "), Ink::Relation),
        (tail, ink),
        (tail_new, Ink::Good),
    ]
}

fn is_new(state: &ProposalState, entity: &NamedEntity) -> bool {
    state.proposal.new_entities.contains(&entity.name)
}

fn kind(entity: &NamedEntity) -> String {
    if entity.kind.is_empty() { "entity".into() } else { sanitise_line(&entity.kind).replace('_', " ") }
}

/// All there is to know about a proposal before deciding.
fn details(state: &ProposalState) -> Vec<Block> {
    let proposal = &state.proposal;
    let NamedTriple { head, relation, tail } = &proposal.triple;
    let ink = if proposal.act == Act::Add { Ink::Entity(Mark::Learned) } else { Ink::Warning };
    let mut triple = Block::new().indented(0, 2);
    triple.push(&sanitise_line(&head.name), ink);
    triple.push(&format!(" ({})", kind(head)), Ink::Dim);
    triple.push(&format!(" → {} → ", sanitise_line(&relation.name.replace('_', " "))), Ink::Relation);
    triple.push(&sanitise_line(&tail.name), ink);
    triple.push(&format!(" ({})", kind(tail)), Ink::Dim);
    let mut blocks = vec![triple];
    let paragraph = || Block::new().indented(0, 2);
    if proposal.act == Act::Retract {
        blocks.push(paragraph().with("Accepted, it is learned no longer.", Ink::Warning));
    }
    for entity in [head, tail] {
        if is_new(state, entity) {
            let text = format!("{} is new to the graph, as a {}.", sanitise_line(&entity.name), kind(entity));
            blocks.push(paragraph().with(&text, Ink::Good));
        }
    }
    if let Some(note) = CheckNote::of(&proposal.standing) {
        let (lead, lead_ink, with_ink, source) = match &note.why {
            Some(why) => (format!("⚠ {} ", note.lead), Ink::Warning, Ink::Strong, (format!("({}): {why}", note.source), Ink::Plain)),
            None => (format!("{} ", note.lead), Ink::Strong, Ink::Plain, (format!("({})", note.source), Ink::Dim)),
        };
        blocks.push(paragraph().with(&lead, lead_ink).with(&note.with, with_ink));
        blocks.push(paragraph().with(&source.0, source.1));
    }
    if let Some(first) = &state.first {
        blocks.push(paragraph().with("Worded anew; first it said: ", Ink::Dim).with(&sanitise_line(&first.text()), Ink::Plain));
    }
    blocks.push(Block::new());
    let who = proposer_words(&proposal.proposer);
    let why = if proposal.basis.why.is_empty() { String::new() } else { format!(": {}", sanitise_line(&proposal.basis.why)) };
    blocks.push(paragraph().with(&format!("Proposed {who}"), Ink::Strong).with(&why, Ink::Plain));
    if !proposal.basis.chains.is_empty() {
        blocks.push(Block::new().with("It rests on", Ink::Heading));
        for chain in &proposal.basis.chains {
            blocks.push(paragraph().with(&sanitise_line(chain), Ink::Plain));
        }
    }
    blocks.push(Block::new().with(&format!("Proposal {}, from the rating in record {}", state.id, state.feedback), Ink::Dim));
    blocks
}
