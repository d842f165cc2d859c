//! Lists to choose from: opening them, typing into them, taking something.

use crossterm::event::KeyEvent;

use crate::report::Format;
use crate::tui::action::Action;
use crate::tui::app::{App, Overlay, Weight};
use crate::tui::command::Command;
use crate::tui::picker::{Choice, Item, Offer, Picker};

impl App {
    fn open_picker(&mut self, offer: Offer, items: Vec<Item>) {
        self.overlay = Some(Overlay::Picker(Box::new(Picker::new(offer, items))));
    }

    /// Everything that can be done, from the same bindings as the help.
    pub(super) fn open_palette(&mut self) {
        let mut items: Vec<Item> = Vec::new();
        for binding in self.keymap.bindings() {
            let action = binding.action;
            let is_of_lists = matches!(action, Action::Accept | Action::Palette);
            // The digits of the examples and what only moves about in a list are for keys.
            if is_of_lists || items.iter().any(|item| item.choice == Choice::Do(action)) {
                continue;
            }
            let keys = self.keymap.bindings().iter().filter(|b| b.action == action).flat_map(|b| &b.keys);
            let mut shown: Vec<String> = keys.map(ToString::to_string).collect();
            shown.dedup();
            shown.truncate(3);
            let detail = binding.context.title().to_lowercase();
            items.push(Item { label: binding.help.clone(), detail, aside: shown.join("  "), choice: Choice::Do(action) });
        }
        self.open_picker(Offer::Actions, items);
    }

    pub(super) fn choose_session(&mut self, beside: bool) {
        if beside && self.trace.id.is_empty() {
            self.say(Weight::Note, "Ask something first; then an earlier run can stand beside it.");
            return;
        }
        self.open_picker(if beside { Offer::Comparison } else { Offer::Sessions }, Vec::new());
        if let Some(Overlay::Picker(picker)) = &mut self.overlay {
            picker.awaited = true;
        }
        self.commands.push_back(Command::ListSessions);
    }

    pub(super) fn choose_report(&mut self) {
        if self.decisions.settled.is_none() {
            self.say(Weight::Note, "There is no finished run to write about yet.");
            return;
        }
        let forms = [
            (Format::Html, "HTML", "one page for any browser, with the graph"),
            (Format::Markdown, "Markdown", "text with headings, for notes and records"),
            (Format::Json, "JSON", "everything, for other programs"),
            (Format::Dot, "DOT", "the graph, for Graphviz"),
        ];
        let item = |(format, label, detail): (_, &str, &str)| Item {
            label: label.into(),
            detail: detail.into(),
            aside: String::new(),
            choice: Choice::Report(format),
        };
        self.open_picker(Offer::Reports, forms.map(item).to_vec());
    }

    pub(super) fn type_pick(&mut self, key: KeyEvent) {
        if let Some(Overlay::Picker(picker)) = &mut self.overlay
            && picker.line.input(key)
        {
            self.pick_changed();
        }
    }

    /// What is typed has changed.
    pub(super) fn pick_changed(&mut self) {
        let Some(Overlay::Picker(picker)) = &mut self.overlay else { return };
        picker.refit();
        if picker.offer.is_looked_up() {
            let typed = picker.line.text().trim().to_owned();
            picker.awaited = !typed.is_empty();
            if typed.is_empty() {
                picker.offer_items(Vec::new());
                return;
            }
            self.commands.retain(|command| !matches!(command, Command::Complete(_)));
            self.commands.push_back(Command::Complete(typed));
        }
    }

    pub(super) fn move_pick(&mut self, by: isize) {
        if let Some(Overlay::Picker(picker)) = &mut self.overlay {
            let last = picker.fitting().len().saturating_sub(1);
            picker.at.selected = picker.at.selected.saturating_add_signed(by).min(last);
        }
    }

    /// Takes what is selected in what is open.
    pub(super) fn accept(&mut self) {
        if self.form.is_some() {
            self.take_form();
            return;
        }
        if matches!(self.overlay, Some(Overlay::Review)) {
            self.decide_selected(true);
            return;
        }
        if self.search.is_some() {
            self.take_search();
            return;
        }
        let Some(Overlay::Picker(picker)) = &self.overlay else { return };
        let offer = picker.offer;
        let Some(choice) = picker.choice().cloned() else { return };
        self.overlay = None;
        match choice {
            Choice::Do(action) => self.act(action),
            Choice::Entity(name) if offer == Offer::Through => self.reject_through(&name),
            Choice::Entity(name) => self.add_anchor(&name),
            Choice::Pair(at) => self.go_to_pair(at),
            Choice::Session(id) => self.commands.push_back(Command::OpenSession { id, beside: offer == Offer::Comparison }),
            Choice::Report(format) => {
                if let Some(trace) = self.decisions.settled.clone() {
                    self.commands.push_back(Command::Export { trace, format });
                }
            }
        }
    }

    /// Takes the item on which the mouse was clicked.
    pub(super) fn click_pick(&mut self, item: usize) {
        if let Some(Overlay::Picker(picker)) = &mut self.overlay {
            picker.at.selected = item;
        }
        self.accept();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::TuiOptions;

    #[test]
    fn the_list_of_actions_has_each_once_in_the_words_of_the_help() {
        let mut app = App::new(&TuiOptions::default()).expect("the built-in keymap is sound");
        app.open_palette();
        let Some(Overlay::Picker(picker)) = &app.overlay else { unreachable!("the list is open") };
        for action in Action::all() {
            let items = picker.fitting().filter(|item| item.choice == Choice::Do(action)).count();
            let expected = usize::from(!matches!(action, Action::Accept | Action::Palette));
            assert_eq!(items, expected, "{action:?}");
        }
        for item in picker.fitting() {
            let of_help = app.keymap.bindings().iter().any(|binding| binding.help == item.label);
            assert!(of_help && !item.aside.is_empty(), "{item:?}");
        }
    }
}
