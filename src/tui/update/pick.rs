//! Lists to choose from: opening them, typing into them, taking something.

use crossterm::event::KeyEvent;

use crate::report::Format;
use crate::tui::action::Action;
use crate::tui::app::{App, Overlay, Severity};
use crate::tui::effects::Effect;
use crate::tui::form::TeachingForm;
use crate::tui::keymap::{Binding, Context};
use crate::tui::line_input::LineInput;
use crate::tui::picker::{Picker, PickerChoice, PickerItem, PickerKind};
use crate::tui::sessions::report_name;
use crate::tui::sources::EngineChoice;
use crate::tui::update::case_words::what_follows;
use crate::words::words;

impl App {
    pub(super) fn open_picker(&mut self, offer: PickerKind, items: Vec<PickerItem>) {
        self.sheets.overlay = Some(Overlay::Picker(Box::new(Picker::new(offer, items))));
    }

    /// Everything that can be done, from the same bindings as the help.
    pub(super) fn open_palette(&mut self) {
        let mut items: Vec<PickerItem> = Vec::new();
        // What works where one is comes first.
        let here = self.contexts_below_the_sheet();
        let rank = |context: Context| here.iter().position(|known| *known == context).unwrap_or(here.len());
        let mut bindings: Vec<&Binding> = self.input.keymap.bindings().iter().collect();
        bindings.sort_by_key(|binding| rank(binding.context));
        for binding in bindings {
            let action = binding.action;
            if is_for_fingers(action) || items.iter().any(|item| item.choice == PickerChoice::Do(action)) {
                continue;
            }
            let keys = self.input.keymap.bindings().iter().filter(|b| b.action == action).flat_map(|b| &b.keys);
            let mut shown: Vec<String> = keys.map(ToString::to_string).collect();
            shown.dedup();
            shown.truncate(3);
            shown.extend(action.command().map(|command| format!(":{command}")));
            let detail = self.language.known(binding.context.title()).to_lowercase();
            let label = self.language.known(&binding.help).to_owned();
            items.push(PickerItem { label, detail, aside: shown.join("  "), choice: PickerChoice::Do(action) });
        }
        self.open_picker(PickerKind::Actions, items);
    }

    pub(super) fn choose_session(&mut self, compare: bool) {
        if compare && self.run.trace.id.is_empty() {
            self.say(Severity::Note, "Ask a question first; then you can compare its run with an earlier one.");
            return;
        }
        self.open_picker(if compare { PickerKind::Comparison } else { PickerKind::Sessions }, Vec::new());
        if let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay {
            picker.awaited = true;
        }
        self.effects.push_back(Effect::ListSessions);
    }

    pub(super) fn choose_report(&mut self) {
        if self.run.decisions.settled.is_none() {
            self.say(Severity::Note, "There is no finished run to export yet.");
            return;
        }
        let l = self.language;
        let forms = [
            (Format::Html, "HTML", words!(l, "one page for any browser, with the graph")),
            (Format::Markdown, "Markdown", words!(l, "text with headings, for notes and records")),
            (Format::Json, "JSON", words!(l, "everything, for other programs")),
            (Format::Dot, "DOT", words!(l, "the graph, for Graphviz")),
        ];
        let item = |(format, label, detail): (_, &str, &str)| PickerItem {
            label: label.into(),
            detail: detail.into(),
            aside: String::new(),
            choice: PickerChoice::Report(format),
        };
        self.open_picker(PickerKind::Reports, forms.map(item).to_vec());
    }

    pub(super) fn type_pick(&mut self, key: KeyEvent) {
        if let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay
            && picker.line.input(key)
        {
            self.pick_changed();
        }
    }

    /// What is typed has changed.
    pub(super) fn pick_changed(&mut self) {
        let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay else { return };
        picker.refused = None;
        picker.refit();
        if picker.offer.is_looked_up() {
            let typed = picker.line.text().trim().to_owned();
            picker.awaited = !typed.is_empty();
            if typed.is_empty() {
                picker.offer_items(Vec::new());
                return;
            }
            if picker.offer == PickerKind::CaseWords {
                let said = what_follows(picker, self.language);
                let items = picker.with_words(Vec::new(), &said);
                picker.offer_items(items);
                return;
            }
            self.effects.retain(|effect| !matches!(effect, Effect::Complete(_)));
            self.effects.push_back(Effect::Complete(typed));
        }
    }

    pub(super) fn move_pick(&mut self, by: isize) {
        if let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay {
            let last = picker.fitting().len().saturating_sub(1);
            picker.at.selected = picker.at.selected.saturating_add_signed(by).min(last);
        }
    }

    /// Accepts the selection in the open sheet.
    pub(super) fn accept(&mut self) {
        if self.sheets.form.is_some() {
            self.take_form();
            return;
        }
        if self.selection.search.is_some() {
            self.take_search();
            return;
        }
        if matches!(self.sheets.overlay, Some(Overlay::Review)) {
            self.decide_selected(true);
            return;
        }
        if matches!(self.sheets.overlay, Some(Overlay::Case(_))) {
            self.apply_case();
            return;
        }
        let Some(Overlay::Picker(picker)) = &self.sheets.overlay else { return };
        let offer = picker.offer;
        // A value is taken as it is typed now, not as it was when the graph was last asked for names.
        let is_value = offer == PickerKind::CaseItems && picker.awaited && picker.states_number();
        let choice = if is_value { Some(PickerChoice::CaseWords) } else { picker.choice().cloned() };
        let Some(choice) = choice else { return };
        // They are taken when they have been read.
        if choice == PickerChoice::CaseWords {
            self.read_case_words();
            return;
        }
        let below = match self.sheets.overlay.take() {
            Some(Overlay::Picker(picker)) => picker.below,
            _ => None,
        };
        match choice {
            PickerChoice::Do(action) => self.act(action),
            PickerChoice::Entity(name) if offer == PickerKind::Through => self.reject_through(&name),
            PickerChoice::CaseItem { name, kind } => self.add_case_item(&name, kind, below),
            PickerChoice::CaseWords => {}
            PickerChoice::Entity(name) => self.add_anchor(&name),
            PickerChoice::RunPair(at) => self.go_to_pair(at),
            PickerChoice::Graph(name) => self.reopen(EngineChoice { graph: Some(name), generator: None }),
            PickerChoice::Model(name) => self.reopen(EngineChoice { graph: None, generator: Some(name) }),
            PickerChoice::Method(method) => self.use_method(method),
            PickerChoice::NotNow(why) => self.say(Severity::Warning, why),
            PickerChoice::Session(id) => self.effects.push_back(Effect::OpenSession { id, compare: offer == PickerKind::Comparison }),
            PickerChoice::Report(format) => {
                if let Some(trace) = self.run.decisions.settled.clone() {
                    let name = report_name(&trace, format);
                    self.sheets.form = Some(TeachingForm::SaveAs { trace, format, path: Box::new(LineInput::new(&name)) });
                }
            }
        }
    }

    /// Takes the item on which the mouse was clicked.
    pub(super) fn click_pick(&mut self, item: usize) {
        if let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay {
            picker.at.selected = item;
        }
        self.accept();
    }
}

/// What only moves about, types or closes is for keys; nobody looks it up by its name.
fn is_for_fingers(action: Action) -> bool {
    use Action::{
        Accept, Down, First, FocusNext, FocusPrevious, HistoryNext, HistoryPrevious, Last, Left, NewLine, PageDown, PageUp, Palette, Right,
        Stop, Up,
    };
    matches!(
        action,
        Action::Example(_)
            | Accept
            | Down
            | First
            | FocusNext
            | FocusPrevious
            | HistoryNext
            | HistoryPrevious
            | Last
            | Left
            | NewLine
            | PageDown
            | PageUp
            | Palette
            | Right
            | Stop
            | Up
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::TuiOptions;

    #[test]
    fn the_list_of_actions_has_each_once_in_the_words_of_the_help() {
        let mut app = App::new(&TuiOptions::default()).expect("the built-in keymap is sound");
        app.open_palette();
        let Some(Overlay::Picker(picker)) = &app.sheets.overlay else { unreachable!("the list is open") };
        for action in Action::all() {
            let items = picker.fitting().filter(|item| item.choice == PickerChoice::Do(action)).count();
            let expected = usize::from(!is_for_fingers(action));
            assert_eq!(items, expected, "{action:?}");
        }
        for item in picker.fitting() {
            let of_help = app.input.keymap.bindings().iter().any(|binding| binding.help == item.label);
            assert!(of_help && !item.aside.is_empty(), "{item:?}");
        }
    }
}
