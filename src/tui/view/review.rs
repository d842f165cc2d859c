//! The review: the pending proposals, and everything that is known about the selected one.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use super::hints::ratings_named;
use super::{header, paint, pane};
use crate::dkg::{Act, CheckNote, ProposalState, Proposer, act_word, proposer_words};
use crate::graph::{NamedEntity, NamedTriple};
use crate::run::Mark;
use crate::text::sanitise_line;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::keymap::Context;
use crate::tui::review::{ReviewGroup, ReviewRow};
use crate::tui::styled_text::{self, Block, SpanStyle};
use crate::words::words;

/// From this width on, the details of a proposal stand to the right of the list.
const TWO_COLUMNS: u16 = 130;
/// The keys on its lower border.
const KEYS: [(Action, &str); 9] = [
    (Action::Accept, "accept"),
    (Action::Reject, "reject"),
    (Action::Edit, "edit"),
    (Action::Mark, "mark"),
    (Action::Undo, "undo"),
    (Action::Find, "search"),
    (Action::AcceptAll, "accept all"),
    (Action::RejectAll, "reject all"),
    (Action::Learned, "learned triples"),
];
/// Lines longer than this are hard to read across.
const WIDEST: u16 = 180;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, body: Rect) {
    let width = body.width.min(WIDEST);
    let area = Rect::new(body.x + (body.width - width) / 2, body.y, width, body.height);
    let inner = pane::sheet(buf, &app.look.theme, area, app.language.known("Review: what Catena may learn"));
    if inner.is_empty() {
        return;
    }
    let keys = KEYS.map(|(action, what)| (app.input.keymap.key_of(action, Context::Review), what));
    // Where nothing waits, nothing is accepted.
    if !app.teaching.review.items().is_empty() {
        super::form::keys_below(buf, app, area, &keys);
    }
    let [list, panel] = if inner.width >= TWO_COLUMNS {
        Layout::horizontal([Constraint::Percentage(58), Constraint::Fill(1)]).areas(inner)
    } else {
        Layout::vertical([Constraint::Percentage(50), Constraint::Fill(1)]).areas(inner)
    };
    if app.teaching.review.items().is_empty() {
        if app.teaching.review.awaited {
            paint::pieces(buf, &app.look.theme, (inner.x + 1, inner.y), 1, [(header::spinner(app.now), SpanStyle::Busy)]);
        } else {
            let l = app.language;
            let came_of = app.teaching.came_of.as_ref().filter(|(run, _)| !run.is_empty() && *run == app.run.trace.id);
            let text = match came_of {
                _ if app.teaching.review.last == Some(true) => words!(l, "Accepted; nothing more to review.").to_owned(),
                _ if app.teaching.review.last == Some(false) => words!(l, "Rejected; nothing more to review.").to_owned(),
                Some((_, why)) => words!(l, "No proposal is pending. {why}", why = sanitise_line(why)),
                None => words!(
                    l,
                    "No proposal is pending. In the answer (pane 6), press {keys}. Catena then lists here what it can learn.",
                    keys = ratings_named(app)
                ),
            };
            pane::empty_text(buf, &app.look.theme, inner.inner(ratatui::layout::Margin::new(1, 0)), &text);
        }
        return;
    }
    draw_list(buf, app, list);
    let sought = app.selection.search.as_ref().map_or(app.selection.searched.as_str(), |search| search.line.text());
    paint::highlight(buf, list, sought, app.look.theme.styles.cited);
    let blocks = app.teaching.review.selected().map(details).unwrap_or_default();
    let two_columns = panel.x > list.x;
    let panel = if two_columns { Rect::new(panel.x + 1, panel.y, panel.width - 1, panel.height) } else { panel };
    if two_columns {
        for y in panel.top()..panel.bottom() {
            paint::styled(buf, (panel.x - 1, y), 1, [("│", app.look.theme.styles.border)]);
        }
    } else {
        let line = "─".repeat(usize::from(panel.width));
        paint::styled(buf, (panel.x, panel.y), panel.width, [(line.as_str(), app.look.theme.styles.border)]);
    }
    let panel = Rect::new(
        panel.x + 1,
        panel.y + u16::from(!two_columns),
        panel.width.saturating_sub(2),
        panel.height.saturating_sub(u16::from(!two_columns)),
    );
    let rows = styled_text::wrap(&blocks, panel.width.max(1));
    paint::rows(buf, &app.look.theme, panel, &rows, 0, |_, _, style| style);
    if rows.len() > usize::from(panel.height) && panel.height > 0 {
        paint::pieces(buf, &app.look.theme, (panel.right().saturating_sub(1), panel.bottom() - 1), 1, [("…", SpanStyle::Dim)]);
    }
}

fn draw_list(buf: &mut Buffer, app: &mut App, list: Rect) {
    let rows = app.teaching.review.rows();
    let selected = app.teaching.review.at.selected;
    let place = rows.iter().position(|row| *row == ReviewRow::Proposal(selected)).unwrap_or(0);
    // With the first of a group its heading is on the screen.
    let offset = paint::reveal(app.teaching.review.at.offset, place, usize::from(list.height), rows.len());
    let offset =
        if place > 0 && offset == place && matches!(rows.get(place - 1), Some(ReviewRow::Heading(..))) { place - 1 } else { offset };
    app.teaching.review.at.offset = offset;
    let mut picks = Vec::new();
    for (row, y) in rows.iter().skip(offset).zip(list.top()..list.bottom()) {
        match row {
            ReviewRow::Heading(group, count) => {
                let span_style = if *group == ReviewGroup::Conflicting { SpanStyle::Warning } else { SpanStyle::Heading };
                let count = format!("  {count}");
                paint::pieces(
                    buf,
                    &app.look.theme,
                    (list.x + 1, y),
                    list.width.saturating_sub(1),
                    [(app.language.known(group.title()), span_style), (&count, SpanStyle::Dim)],
                );
            }
            ReviewRow::Proposal(at) => {
                let Some(state) = app.teaching.review.items().get(*at) else { continue };
                let area = Rect::new(list.x, y, list.width, 1);
                if *at == selected {
                    buf.set_style(area, app.look.theme.styles.selected);
                    paint::gutter(buf, &app.look.theme, (area.x, y), true);
                }
                let marked = if app.teaching.review.is_marked(state.id) { "◉ " } else { "  " };
                let mut pieces = vec![(marked.to_owned(), SpanStyle::Key)];
                pieces.extend(line(state));
                paint::pieces(
                    buf,
                    &app.look.theme,
                    (list.x + 1, y),
                    list.width.saturating_sub(2),
                    pieces.iter().map(|(t, span_style)| (t.as_str(), *span_style)),
                );
                picks.push((area, *at));
            }
        }
    }
    app.layout.frame.picks = picks;
}

/// A proposal on one line.
fn line(state: &ProposalState) -> Vec<(String, SpanStyle)> {
    let span_style = match (ReviewGroup::of(state), state.proposal.act) {
        (ReviewGroup::Redundant, _) => SpanStyle::Dim,
        (_, Act::Add) => SpanStyle::Entity(Mark::Learned),
        (_, Act::Retract) => SpanStyle::Warning,
    };
    let (sign, word) = match (ReviewGroup::of(state), state.proposal.act) {
        (ReviewGroup::Conflicting, act) => ("⚠", act_word(act)),
        (_, Act::Add) => (Mark::Learned.sign(), act_word(Act::Add)),
        (_, Act::Retract) => ("✗", act_word(Act::Retract)),
    };
    let NamedTriple { head, relation, tail, .. } = &state.proposal.triple;
    let name = |entity: &NamedEntity, end: &str| {
        let new = if is_new(state, end) { format!(" (new {})", kind(entity)) } else { String::new() };
        (sanitise_line(&entity.name), new)
    };
    let ((head, head_new), (tail, tail_new)) = (name(head, "head"), name(tail, "tail"));
    let relation = sanitise_line(&relation.name.replace('_', " "));
    let sign_style = if ReviewGroup::of(state) == ReviewGroup::Conflicting { SpanStyle::Warning } else { span_style };
    vec![
        (format!("{sign} "), sign_style),
        (format!("{word}  "), SpanStyle::Dim),
        (head, span_style),
        (head_new, SpanStyle::Good),
        (format!(" → {relation} → "), SpanStyle::Relation),
        (tail, span_style),
        (tail_new, SpanStyle::Good),
    ]
}

/// Whether the entity at this end of the triple ("head" or "tail") is not in the graph yet.
fn is_new(state: &ProposalState, end: &str) -> bool {
    state.proposal.new_entities.iter().any(|new| new == end)
}

fn kind(entity: &NamedEntity) -> String {
    if entity.kind.is_empty() { "entity".into() } else { sanitise_line(&entity.kind).replace('_', " ") }
}

/// All there is to know about a proposal before deciding.
fn details(state: &ProposalState) -> Vec<Block> {
    let proposal = &state.proposal;
    let NamedTriple { head, relation, tail, .. } = &proposal.triple;
    let span_style = if proposal.act == Act::Add { SpanStyle::Entity(Mark::Learned) } else { SpanStyle::Warning };
    let mut triple = Block::new().indented(0, 2);
    triple.push(&sanitise_line(&head.name), span_style);
    triple.push(&format!(" ({})", kind(head)), SpanStyle::Dim);
    triple.push(&format!(" → {} → ", sanitise_line(&relation.name.replace('_', " "))), SpanStyle::Relation);
    triple.push(&sanitise_line(&tail.name), span_style);
    triple.push(&format!(" ({})", kind(tail)), SpanStyle::Dim);
    let mut blocks = vec![triple];
    if !proposal.triple.qualifiers.is_empty() {
        blocks.push(Block::new().indented(2, 2).with(&sanitise_line(&proposal.triple.qualifiers.to_string()), SpanStyle::Plain));
    }
    let paragraph = || Block::new().indented(0, 2);
    if proposal.act == Act::Retract {
        blocks.push(paragraph().with("If you accept this, the triple is no longer learned.", SpanStyle::Warning));
    }
    for (entity, end) in [(head, "head"), (tail, "tail")] {
        if is_new(state, end) {
            let text = format!("{} is new to the graph, as a {}.", sanitise_line(&entity.name), kind(entity));
            blocks.push(paragraph().with(&text, SpanStyle::Good));
        }
    }
    if let Some(note) = CheckNote::of(&proposal.standing) {
        let (lead, lead_style, with_style, source) = match &note.why {
            Some(why) => {
                let source = (format!("({}): {why}", note.source), SpanStyle::Plain);
                (format!("⚠ {} ", note.lead), SpanStyle::Warning, SpanStyle::Strong, source)
            }
            None => (format!("{} ", note.lead), SpanStyle::Strong, SpanStyle::Plain, (format!("({})", note.source), SpanStyle::Dim)),
        };
        blocks.push(paragraph().with(&lead, lead_style).with(&note.with, with_style));
        blocks.push(paragraph().with(&source.0, source.1));
    }
    if let Some(first) = &state.first {
        blocks.push(paragraph().with("Edited; originally: ", SpanStyle::Dim).with(&sanitise_line(&first.text()), SpanStyle::Plain));
    }
    blocks.push(Block::new());
    let who = proposer_words(&proposal.proposer);
    let why = if proposal.basis.why.is_empty() { String::new() } else { format!(": {}", sanitise_line(&proposal.basis.why)) };
    blocks.push(paragraph().with(&format!("Proposed {who}"), SpanStyle::Strong).with(&why, SpanStyle::Plain));
    if !proposal.basis.chains.is_empty() {
        blocks.push(Block::new().with("Based on", SpanStyle::Heading));
        for chain in &proposal.basis.chains {
            blocks.push(paragraph().with(&sanitise_line(chain), SpanStyle::Plain));
        }
    }
    let from = if proposal.proposer == Proposer::Doctor { "taught directly," } else { "from the rating in" };
    blocks.push(Block::new().with(&format!("Proposal {}, {from} record {}", state.id, state.feedback), SpanStyle::Dim));
    blocks
}
