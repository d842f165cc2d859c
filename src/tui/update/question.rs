//! The question and what is selected: a new one, the present one again, and opening what is selected.

use crate::tui::action::Pane;
use crate::tui::app::{App, Severity};
use crate::tui::effects::Effect;
use crate::tui::view::{RECENT_ITEMS, RUN_ITEMS};

impl App {
    /// An empty editor for the next question. What was typed and never asked stays.
    pub(super) fn new_question(&mut self) {
        let text = self.input.editor.text();
        if self.input.editor.was_asked() || text == self.run.trace.question {
            self.input.editor.set_text("");
        }
        self.input.asks_again = false;
        self.open_pane(Pane::Question);
    }

    /// Asks the example that was clicked, or puts an earlier question into the editor.
    pub(super) fn take_from_first_screen(&mut self, item: usize) {
        match item.checked_sub(RECENT_ITEMS) {
            Some(at) if at >= RUN_ITEMS - RECENT_ITEMS => _ = self.open_latest(at - (RUN_ITEMS - RECENT_ITEMS)),
            Some(at) => {
                let question = self.input.editor.earlier().nth(at).map(str::to_owned);
                if let Some(question) = question {
                    self.input.editor.set_text(&question);
                }
            }
            None => self.ask_example(u8::try_from(item).unwrap_or(u8::MAX)),
        }
    }

    /// Opens one of the latest recorded runs; `false` if there are not so many.
    pub(super) fn open_latest(&mut self, at: usize) -> bool {
        let Some(run) = self.sheets.latest_runs.get(at) else { return false };
        self.effects.push_back(Effect::OpenSession { id: run.id.clone(), compare: false });
        true
    }

    /// The question on the screen, in the editor. One that continued a case continues it again: without the patient it would be another question.
    pub(super) fn edit_question(&mut self) {
        if self.run.trace.question.is_empty() {
            self.say(Severity::Note, "There is no question to edit yet.");
            return;
        }
        let question = self.run.trace.question.clone();
        self.input.editor.set_text(&question);
        self.input.asks_again = true;
        self.input.follows.clone_from(&self.run.trace.follows);
        self.input.led.clone_from(&self.run.led_before);
        self.open_pane(Pane::Question);
    }

    /// Opens what is selected: a chain or a line of the answer in “why?”, an anchor as the chains through it.
    pub(super) fn open_selected(&mut self) {
        match self.layout.focus {
            Pane::Anchors => self.open_anchor(),
            // Enter leads in, and out again.
            Pane::Why => {
                let back = self.layout.back.take().unwrap_or(Pane::Answer);
                self.go_back_to(back);
            }
            Pane::Hypothesis => {
                self.say(Severity::Note, "Enter opens what is selected: an anchor, a chain or a line of the answer.");
            }
            _ if self.selection.chain.is_none() && !self.selection.alarm => {
                self.say(Severity::Note, "There is nothing to open yet: ask a question first.")
            }
            _ => self.open_pane(Pane::Why),
        }
    }

    /// The chains through the selected anchor.
    fn open_anchor(&mut self) {
        let at = self.anchor_rows().get(self.selection.anchors.selected).copied();
        let Some(name) = at.and_then(|at| self.run.trace.anchors.get(at)).map(|anchor| anchor.entity.clone()) else {
            self.say(Severity::Note, "This mention is not linked, so no chain goes through it. Add the entity that you mean.");
            return;
        };
        self.selection.list.filter.clone_from(&name);
        self.arrange_chains();
        self.open_pane(Pane::Chains);
        self.sheets.passing = Some(format!("The chains through {name}. Esc shows all again."));
    }
}
