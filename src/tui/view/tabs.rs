//! The heads of the tabs, where panes do not fit side by side.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::paint;
use crate::tui::action::Pane;
use crate::tui::app::App;

pub(super) fn draw(buf: &mut Buffer, app: &mut App, area: Rect) {
    if area.is_empty() {
        return;
    }
    let title = |pane: Pane| app.language.known(pane.title());
    let names: usize = Pane::ALL.iter().map(|pane| title(*pane).width() + 3).sum();
    let narrow = usize::from(area.width) < names;
    let mut x = area.x;
    for pane in Pane::ALL {
        let focused = pane == app.layout.focus;
        // Where names do not fit, only the open tab keeps its own.
        let name = if narrow && !focused { format!(" {} ", pane.index() + 1) } else { format!(" {} {}", pane.index() + 1, title(pane)) };
        let style =
            if focused { app.look.theme.styles.selected.patch(app.look.theme.styles.title_focused) } else { app.look.theme.styles.title };
        let used = paint::styled(buf, (x, area.y), area.right().saturating_sub(x), [(name.as_str(), style)]);
        app.layout.frame.tabs.push((Rect::new(x, area.y, used, 1), pane));
        x += used;
    }
}
