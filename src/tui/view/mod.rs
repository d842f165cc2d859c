//! Drawing: one pane a file. Drawing reads the state, writes only [`LastFrame`](super::app::PaneLayout::frame)
//! and scroll offsets, and never works for longer than a frame.

mod activity;
mod anchors;
mod answer;
mod case;
mod case_head;
mod chain;
mod chains;
mod demo;
mod footer;
mod form;
mod graph;
mod header;
mod help;
mod hints;
mod hypothesis;
mod kept;
mod keys;
mod layout;
mod learned;
mod messages;
mod notes;
mod paint;
mod pane;
mod passages;
mod picker;
mod question;
mod review;
mod settings;
mod side_by_side;
mod tabs;
mod welcome;
mod why;
mod why_alarm;
mod why_uncited;

use ratatui::Frame;
use ratatui::layout::Rect;

pub(crate) use welcome::{RECENT_ITEMS, RUN_ITEMS};

use super::action::Pane;
use super::app::{App, Overlay};
use crate::run::Marks;

/// Draws the screen.
pub fn draw(frame: &mut Frame<'_>, app: &mut App) {
    app.dirty = false;
    if std::mem::take(&mut app.run.marks_stale) {
        app.run.marks = Marks::of(&app.run.trace);
    }
    app.layout.frame.panes = Default::default();
    app.layout.frame.alarm = Rect::ZERO;
    app.layout.frame.answer_is_cramped = false;
    app.layout.frame.tabs.clear();
    app.layout.frame.picks.clear();
    app.find_language();
    let area = frame.area();
    if area.is_empty() {
        return;
    }
    frame.buffer_mut().set_style(area, app.look.theme.styles.screen);
    let plan = layout::plan(area, app.layout.focus, app.layout.zoomed, &app.layout.splits, app.arrangement());
    app.layout.frame.dividers.clone_from(&plan.dividers);
    header::draw(frame.buffer_mut(), app, plan.header);
    if app.is_side_by_side() {
        app.layout.frame.dividers.clear();
        side_by_side::draw(frame.buffer_mut(), app, plan.body);
    } else if app.shows_first_screen() {
        welcome::draw(frame, app, plan.body);
    } else {
        tabs::draw(frame.buffer_mut(), app, plan.tabs);
        demo::draw(frame.buffer_mut(), app, plan.strip, plan.caption);
        let answer_is_seen = plan.panes.iter().any(|(pane, _)| *pane == Pane::Answer);
        for (at, (pane, area)) in plan.panes.iter().enumerate() {
            let strip = at == 0 && !answer_is_seen && plan.strip.is_empty();
            let area = if strip { case_head::strip(frame.buffer_mut(), app, *area) } else { *area };
            draw_pane(frame, app, *pane, area);
        }
    }
    // It names keys for what the panes could not show.
    footer::draw(frame.buffer_mut(), app, &plan);
    match &app.sheets.overlay {
        Some(Overlay::Help) => help::draw(frame, app, plan.body),
        Some(Overlay::Messages) => messages::draw(frame, app, plan.body),
        Some(Overlay::Settings(_)) => settings::draw(frame, app, plan.body),
        Some(Overlay::Case(_)) => case::draw(frame, app, plan.body),
        Some(Overlay::Passages(_)) => passages::draw(frame, app, plan.body),
        Some(Overlay::Picker(_)) => picker::draw(frame, app, plan.body),
        Some(Overlay::Text(_)) => messages::text(frame, app, plan.body),
        Some(Overlay::Review) => {
            review::draw(frame.buffer_mut(), app, plan.body);
            footer::cursor(frame, app, plan.message);
        }
        Some(Overlay::Learned) => learned::draw(frame.buffer_mut(), app, plan.body),
        None => footer::cursor(frame, app, plan.message),
    }
    form::draw(frame, app, plan.body);
    form::question(frame.buffer_mut(), app, plan.body);
    keys::draw(frame.buffer_mut(), app, plan.body);
}

fn draw_pane(frame: &mut Frame<'_>, app: &mut App, pane: Pane, area: Rect) {
    let buf = frame.buffer_mut();
    // What is searched for stands out wherever it is; typing decides before the search is over.
    let found = match &app.selection.search {
        Some(search) if !search.filters => search.line.text().to_owned(),
        _ => app.selection.searched.clone(),
    };
    match pane {
        Pane::Question => question::draw(frame, app, area),
        Pane::Hypothesis => hypothesis::draw(buf, app, area),
        Pane::Anchors => anchors::draw(buf, app, area),
        Pane::Chains => chains::draw(buf, app, area),
        Pane::Kept => kept::draw(buf, app, area),
        Pane::Answer => answer::draw(buf, app, area),
        Pane::Why => why::draw(buf, app, area),
        Pane::Graph => graph::draw(buf, app, area),
    }
    if pane == app.layout.focus && !matches!(pane, Pane::Question | Pane::Graph) {
        let inner = match pane {
            // With the lines above the answer, which stay while it scrolls.
            Pane::Answer => Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area },
            _ => app.layout.frame.panes[pane.index()],
        };
        paint::highlight(frame.buffer_mut(), inner, &found, app.look.theme.styles.cited);
    }
}
