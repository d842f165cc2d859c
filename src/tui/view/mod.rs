//! Drawing: one pane a file. Drawing reads the state, writes only [`FrameMemory`](super::app::FrameMemory)
//! and scroll offsets, and never works for longer than a frame.

mod activity;
mod anchors;
mod answer;
mod chain;
mod chains;
mod footer;
mod header;
mod help;
mod hypothesis;
mod kept;
mod layout;
mod messages;
mod paint;
mod pane;
mod question;
mod tabs;
mod welcome;
mod why;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::action::Pane;
use super::app::{App, Overlay};
use crate::pipeline::Marks;

/// Draws the screen.
pub fn draw(frame: &mut Frame<'_>, app: &mut App) {
    app.dirty = false;
    if std::mem::take(&mut app.marks_stale) {
        app.marks = Marks::of(&app.trace);
    }
    app.memory.panes = Default::default();
    app.memory.tabs.clear();
    let area = frame.area();
    if area.is_empty() {
        return;
    }
    frame.buffer_mut().set_style(area, app.theme.styles.screen);
    let plan = layout::plan(area, app.focus, app.zoomed);
    header::draw(frame.buffer_mut(), app, plan.header);
    footer::draw(frame.buffer_mut(), app, &plan);
    if app.first_screen {
        welcome::draw(frame, app, plan.body);
    } else {
        tabs::draw(frame.buffer_mut(), app, plan.tabs);
        for (pane, area) in &plan.panes {
            draw_pane(frame, app, *pane, *area);
        }
    }
    match app.overlay {
        Some(Overlay::Help) => help::draw(frame, app, plan.body),
        Some(Overlay::Messages) => messages::draw(frame, app, plan.body),
        None => {}
    }
}

fn draw_pane(frame: &mut Frame<'_>, app: &mut App, pane: Pane, area: Rect) {
    let buf = frame.buffer_mut();
    match pane {
        Pane::Question => question::draw(frame, app, area),
        Pane::Hypothesis => hypothesis::draw(buf, app, area),
        Pane::Anchors => anchors::draw(buf, app, area),
        Pane::Chains => chains::draw(buf, app, area),
        Pane::Kept => kept::draw(buf, app, area),
        Pane::Answer => answer::draw(buf, app, area),
        Pane::Why => why::draw(buf, app, area),
    }
}
