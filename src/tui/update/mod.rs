//! Input and events change the state; one verb per file. Nothing here waits, draws, or does anything
//! outside the state: what is to be done outside is left as an [`Effect`](super::Effect).

mod again;
mod ask;
mod case;
pub(crate) mod case_words;
mod check;
mod compare;
mod find;
mod follow;
mod form;
mod layout;
mod learned;
mod list;
mod mouse;
mod passages;
mod pick;
mod play;
mod question;
mod rate;
mod rejected;
mod replies;
mod review;
mod scroll;
mod select;
mod sheets;
mod side_by_side;
mod source;
mod tour;
mod triage;

use std::time::Duration;

use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyEventKind};

use super::action::{Action, Pane};
use super::app::{App, Overlay, Severity};
use super::chain_list::Sort;
use super::effects::Effect;
use super::form::TeachingForm;
use super::key::KeyPress;
use super::keymap::{Context, Press};
use super::screen_layout::ScreenLayout;
use super::sources::SourceKind;
use super::viewport::Viewport;
use crate::dkg::Rating;
use crate::words::words;
pub(crate) use again::kinds_of_decisions;
pub(crate) use layout::DEMO_STAGES;
use scroll::ScrollStep;
use triage::{DELTA, SETTINGS};

impl App {
    /// Takes in a key, a click, a paste or a change of the terminal's size.
    pub fn on_input(&mut self, input: Input) {
        match input {
            Input::Key(key) if key.kind != KeyEventKind::Release => self.on_key(key),
            Input::Paste(text) => self.on_paste(&text),
            Input::Mouse(mouse) => self.on_mouse(mouse),
            Input::Resize(..) => self.dirty = true,
            _ => {}
        }
    }

    /// Time has passed.
    pub fn on_tick(&mut self, now: Duration) {
        self.now = now;
        // Elapsed times and the spinner have moved.
        self.dirty |= self.is_animated();
    }

    /// Where the keys hold now, the nearest first.
    pub(crate) fn contexts(&self) -> Vec<Context> {
        if self.sheets.confirm.is_some() {
            return vec![Context::Confirm];
        }
        match &self.sheets.form {
            Some(TeachingForm::Gold { .. } | TeachingForm::Check(_)) => return vec![Context::Writing],
            Some(_) => return vec![Context::Entry],
            None => {}
        }
        if self.selection.search.is_some() {
            return vec![Context::Entry];
        }
        match &self.sheets.overlay {
            Some(sheet) => vec![sheets::of_sheet(sheet)],
            None => self.contexts_below_the_sheet(),
        }
    }

    /// The same as if no sheet lay over the panes.
    pub(crate) fn contexts_below_the_sheet(&self) -> Vec<Context> {
        if self.is_side_by_side() {
            return vec![Context::SideBySide];
        }
        match (self.shows_first_screen(), self.layout.focus) {
            (true, _) if self.input.editor.text().is_empty() => return vec![Context::FirstScreen, Context::Question],
            (true, _) => return vec![Context::Question],
            (_, Pane::Question) if self.is_in_editor() => return vec![Context::Question],
            _ => {}
        }
        let of_pane = match self.layout.focus {
            Pane::Chains => &[Context::Chains][..],
            Pane::Kept => &[Context::Kept, Context::Chains],
            Pane::Answer => &[Context::Answer],
            Pane::Anchors => &[Context::Anchors],
            Pane::Graph => &[Context::Graph],
            _ => &[],
        };
        let playing = self.run.playback().map(|_| Context::Replay);
        let of_pair = self.side_by_side.as_ref().map(|_| Context::RunPair);
        let demo = self.is_demo().then_some(Context::Demo);
        demo.into_iter().chain(playing).chain(of_pair).chain(of_pane.iter().copied()).chain([Context::Panes]).collect()
    }

    /// Whether keys that are bound to nothing go into the question.
    fn is_typing(&self) -> bool {
        self.sheets.overlay.is_none()
            && self.sheets.form.is_none()
            && self.selection.search.is_none()
            && !self.is_side_by_side()
            && (self.shows_first_screen() || self.is_in_editor())
    }

    fn on_key(&mut self, key: KeyEvent) {
        self.dirty = true;
        self.sheets.passing = None;
        let before = std::mem::take(&mut self.input.pending);
        if self.sheets.confirm.is_some() {
            self.answer_question(key);
            return;
        }
        if before.is_empty()
            && let Some(said) = self.said_in_tour(&KeyPress::from(key).to_string())
        {
            self.sheets.passing = Some(said);
            return;
        }
        match self.input.keymap.press(&before, key, &self.contexts()) {
            // Esc ends what was begun, and nothing else.
            Press::Act(Action::Stop) if !before.is_empty() => {}
            Press::Act(action) => self.act(action),
            Press::Begin => {
                self.input.pending = before;
                self.input.pending.push(KeyPress::from(key));
            }
            Press::Unbound if !before.is_empty() && key.code == KeyCode::Esc => {}
            // Nothing that is typed into the question is lost to a sequence that it began by chance.
            Press::Unbound if !before.is_empty() && self.is_typing() => {
                for press in before {
                    self.input.editor.input(press.event());
                }
                self.input.editor.input(key);
            }
            Press::Unbound if !before.is_empty() => {
                let keys: Vec<String> = before.iter().chain([&KeyPress::from(key)]).map(ToString::to_string).collect();
                self.sheets.passing = Some(format!("{} does nothing here.", keys.join(" ")));
            }
            Press::Unbound => self.on_text_key(key),
        }
    }

    /// A key that is bound to nothing goes where text is typed.
    fn on_text_key(&mut self, key: KeyEvent) {
        if let Some(form) = &mut self.sheets.form {
            if let Some(name) = form.input(key) {
                self.effects.retain(|effect| !matches!(effect, Effect::Complete(_)));
                self.effects.push_back(Effect::Complete(name));
            }
        } else if self.selection.search.is_some() {
            self.type_search(key);
        } else if matches!(self.sheets.overlay, Some(Overlay::Picker(_))) {
            self.type_pick(key);
        } else if self.is_typing() {
            self.input.editor.input(key);
        } else if !matches!(self.sheets.overlay, Some(Overlay::Help | Overlay::Messages | Overlay::Text(_))) && key.code != KeyCode::Esc {
            let name = KeyPress::from(key).to_string();
            let context = self.contexts().first().copied().filter(|_| self.sheets.overlay.is_some()).unwrap_or(Context::Panes);
            let help = self.input.keymap.key_of(Action::Help, context);
            self.sheets.passing = Some(format!("{name} does nothing here. {help} shows the keys."));
        }
    }

    fn on_paste(&mut self, text: &str) {
        self.dirty = true;
        if self.sheets.confirm.is_some() {
            return;
        }
        if let Some(form) = &mut self.sheets.form {
            if !form.paste(text) {
                self.say(Severity::Warning, "The pasted text was too long for an answer; its end was cut off.");
            }
            return;
        }
        if let Some(search) = &mut self.selection.search {
            search.line.paste(text);
            self.search_changed();
            return;
        }
        if let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay {
            picker.line.paste(text);
            return self.pick_changed();
        }
        if self.sheets.overlay.is_some() || self.is_side_by_side() {
            return;
        }
        // What is pasted is a question, wherever the focus is.
        self.layout.presents_question = false;
        self.layout.focus = Pane::Question;
        if !self.input.editor.paste(text) {
            self.say(Severity::Warning, "The pasted text was too long for a question; its end was cut off.");
        }
    }

    pub(crate) fn act(&mut self, action: Action) {
        if self.is_barred(action) {
            return;
        }
        match action {
            Action::Ask => self.ask_editor(),
            Action::NewLine => match &mut self.sheets.form {
                Some(TeachingForm::Gold { editor, .. } | TeachingForm::Check(editor)) => editor.new_line(),
                _ => self.input.editor.new_line(),
            },
            Action::HistoryPrevious => self.input.editor.previous(),
            Action::HistoryNext => self.input.editor.next(),
            Action::NewQuestion => self.new_question(),
            Action::EditQuestion => self.edit_question(),
            Action::Open => self.open_selected(),
            Action::StageNext => self.step_stage(1),
            Action::StagePrevious => self.step_stage(-1),
            Action::StageStep => self.step_demo(),
            Action::NextLayout => self.next_layout(),
            Action::NextExample => self.next_example(),
            Action::Example(number) => self.ask_example(number),
            Action::Clear => self.clear(),
            Action::Stop => self.close_or_stop(),
            Action::Quit => self.leave(),
            Action::Help => self.toggle(Overlay::Help, |open| matches!(open, Overlay::Help)),
            Action::Messages => self.toggle(Overlay::Messages, |open| matches!(open, Overlay::Messages)),
            Action::Palette => self.open_palette(),
            Action::Tour => self.start_tour(),
            Action::Graphs => self.choose_source(SourceKind::Graph),
            Action::Models => self.choose_source(SourceKind::Generator),
            Action::Methods => self.choose_method(),
            Action::Focus(Pane::Question) => self.open_pane(Pane::Question),
            Action::Focus(pane) => self.go_to(pane),
            Action::FocusNext => self.step_focus(1),
            Action::FocusPrevious => self.step_focus(-1),
            Action::Zoom => self.zoom(),
            Action::NextTheme => self.next_theme(),
            Action::NextLanguage => self.next_language(),
            Action::Accept => self.accept(),
            Action::Up => self.step(-1),
            Action::Down => self.step(1),
            Action::Left => self.sideways(-1),
            Action::Right => self.sideways(1),
            Action::PageUp => self.scroll_focused(ScrollStep::Pages(-1)),
            Action::PageDown => self.scroll_focused(ScrollStep::Pages(1)),
            Action::First => self.scroll_focused(ScrollStep::First),
            Action::Last => self.scroll_focused(ScrollStep::Last),
            Action::NextKept => self.step_kept(1),
            Action::PreviousKept => self.step_kept(-1),
            Action::Find => self.begin_search(false),
            Action::Filter => self.begin_search(true),
            Action::FindNext => self.find_next(true),
            Action::FindPrevious => self.find_next(false),
            Action::SortAsFound => self.sort_by(Sort::AsFound),
            Action::SortByScore => self.sort_by(Sort::Score),
            Action::SortByLength => self.sort_by(Sort::Length),
            Action::SortByKind => self.sort_by(Sort::Kind),
            Action::GroupByAnchors => self.group_by_anchors(),
            Action::SelectRange => self.select_range(),
            Action::Pin => match self.sheets.overlay {
                Some(Overlay::Passages(_)) => self.pin_passage(),
                _ => self.pin(),
            },
            Action::Reject => match self.sheets.overlay {
                Some(Overlay::Review) => self.decide_selected(false),
                Some(Overlay::Case(_)) => self.remove_case_row(),
                Some(Overlay::Passages(_)) => self.reject_passage(),
                _ => self.reject(),
            },
            Action::Restore => match self.sheets.overlay {
                Some(Overlay::Passages(_)) => self.restore_passage(),
                _ => self.restore(),
            },
            Action::Passages => self.open_passages(),
            Action::OpenDocument => self.open_document(),
            Action::CheckText => self.begin_check(),
            Action::RejectKind => self.reject_kind(),
            Action::RejectThrough => self.choose_entity_to_reject(),
            Action::AddAnchor => self.choose_anchor(),
            Action::Undo => match self.sheets.overlay {
                Some(Overlay::Review) => self.undo_decision(),
                Some(Overlay::Learned) => self.ask_to_undo_record(),
                _ => self.undo(),
            },
            Action::Redo => self.redo(),
            Action::Reread => self.reread(),
            Action::Settings => self.open_settings(),
            Action::Sessions => self.choose_session(false),
            Action::Compare => self.choose_session(true),
            Action::Export => self.choose_report(),
            Action::Replay => self.play_again(),
            Action::PlayPause => self.play_pause(),
            Action::PlayStep => self.play_step(),
            Action::PlayFaster => self.play_speed(1),
            Action::PlaySlower => self.play_speed(-1),
            Action::Copy => match self.sheets.overlay {
                Some(Overlay::Passages(_)) => self.copy_address(),
                _ => self.copy_selected(),
            },
            Action::CopyAnswer => self.copy_answer(),
            Action::Prompts => self.show_prompts(),
            Action::Json => self.show_json(),
            Action::Closer => self.layout.viewport.closer(),
            Action::Farther => self.layout.viewport.farther(),
            Action::Fit => self.layout.viewport = Viewport::default(),
            Action::FitSelection => self.fit_selection(),
            Action::RateGood => self.begin_rating(Rating::Good),
            Action::RateBad => self.begin_rating(Rating::Bad),
            Action::RateGold => self.begin_rating(Rating::Gold),
            Action::Teach => self.begin_teaching(),
            Action::Review => self.open_review(),
            Action::Learned => self.open_learned(),
            Action::Mark => match self.sheets.overlay {
                Some(Overlay::Case(_)) => self.turn_case_row(),
                _ => self.mark_proposal(),
            },
            Action::Case => self.open_case(),
            Action::AddFinding => self.choose_case_item(),
            Action::Present => self.mark_case_row(true),
            Action::Absent => self.mark_case_row(false),
            Action::FollowUp => self.begin_follow_up(),
            Action::More => self.unfold_answer(),
            Action::Edit if matches!(self.sheets.overlay, Some(Overlay::Case(_))) => self.edit_case_row(),
            Action::Edit => self.edit_proposal(),
            Action::AcceptAll => self.decide_several(true),
            Action::RejectAll => self.decide_several(false),
            Action::NextPair => self.step_pair(1),
            Action::PreviousPair => self.step_pair(-1),
            Action::OpenFirst => self.open_side(0),
            Action::OpenSecond => self.open_side(1),
            Action::OtherRun => self.open_other(),
            Action::SideBySide => self.show_side_by_side(),
            Action::Pairs => self.choose_pair(),
        }
    }

    /// One up or down in what has the keys.
    fn step(&mut self, by: isize) {
        let typing = self.is_typing();
        if let Some(form) = &mut self.sheets.form {
            form.step(by);
            return;
        }
        match &mut self.sheets.overlay {
            Some(Overlay::Settings(row)) => *row = row.saturating_add_signed(by).min(SETTINGS - 1),
            Some(Overlay::Picker(_)) => self.move_pick(by),
            None if self.selection.search.is_some() => {}
            None if typing && by < 0 => self.input.editor.up(),
            None if typing => self.input.editor.down(),
            None if self.layout.focus == Pane::Graph => self.layout.viewport.pan(0.0, by as f64),
            _ => self.scroll_focused(ScrollStep::Rows(by)),
        }
    }

    /// One to the left or right.
    fn sideways(&mut self, by: isize) {
        match self.sheets.overlay {
            Some(Overlay::Settings(row)) => self.change_setting(row, by),
            None if self.layout.focus == Pane::Graph => self.layout.viewport.pan(by as f64, 0.0),
            None if self.layout.focus == Pane::Anchors => self.change_setting(DELTA, by),
            _ => {}
        }
    }

    /// Gives the focused pane the whole screen, or no longer; where it has that anyway, says so.
    fn zoom(&mut self) {
        let seen = self.layout.frame.panes.iter().filter(|pane| !pane.is_empty()).count();
        let stands_alone = seen == 1 && self.arrangement() == ScreenLayout::SideBySide && !self.shows_first_screen();
        if stands_alone && !self.layout.zoomed {
            let next = self.input.keymap.key_of(Action::FocusNext, Context::Anywhere);
            self.sheets.passing = Some(words!(self.language, "This pane already fills the screen. {key} shows the next pane.", key = next));
            return;
        }
        self.layout.zoomed = !self.layout.zoomed;
    }

    fn next_theme(&mut self) {
        if let Some(theme) = self.look.theme.next(self.look.colours) {
            let text = format!("Theme: {}", theme.name);
            self.look.theme = theme;
            self.say(Severity::Note, text);
        }
    }

    fn go_to(&mut self, pane: Pane) {
        self.sheets.overlay = None;
        self.layout.presents_question = false;
        self.layout.back = None;
        if self.shows_first_screen() && !self.run.trace.id.is_empty() {
            self.layout.first_screen = false;
        }
        self.layout.focus = pane;
        self.leave_alarm();
    }

    /// Where chains have the keys, a chain is selected and explained, no longer the alarm or a line that no chain states.
    fn leave_alarm(&mut self) {
        if (self.selection.alarm || self.selection.uncited)
            && matches!(self.layout.focus, Pane::Chains | Pane::Kept | Pane::Graph)
            && let Some(chain) = self.selection.chain
        {
            self.select_chain(chain);
        }
    }

    /// Opens a pane from another one; Esc leads back.
    fn open_pane(&mut self, pane: Pane) {
        let from = Some(self.layout.focus).filter(|from| *from != pane && *from != Pane::Question);
        self.go_to(pane);
        self.layout.back = from;
    }

    fn step_focus(&mut self, step: isize) {
        if let Some(form) = &mut self.sheets.form {
            form.complete_or_step(step);
            return;
        }
        if self.sheets.overlay.is_some() {
            return;
        }
        if self.shows_first_screen() {
            // There are panes to go to only when something was asked before.
            if !self.run.trace.id.is_empty() {
                self.layout.first_screen = false;
                self.layout.focus = Pane::Answer;
            }
            return;
        }
        self.layout.focus = self.layout.focus.step(step);
        self.layout.presents_question = self.is_demo() && self.layout.focus == Pane::Question;
        self.leave_alarm();
    }

    fn clear(&mut self) {
        if let Some(form) = &mut self.sheets.form {
            form.clear();
            return;
        }
        if let Some(search) = &mut self.selection.search {
            search.line.clear();
            self.search_changed();
            return;
        }
        if let Some(Overlay::Picker(picker)) = &mut self.sheets.overlay {
            picker.line.clear();
            return self.pick_changed();
        }
        self.sheets.overlay = None;
        self.end_tour();
        if self.input.editor.text().is_empty() && !self.is_running() {
            self.input.follows = None;
            self.layout.first_screen = !self.engine.is_recording();
            self.sheets.offset = 0;
        }
        self.input.editor.set_text("");
        self.input.asks_again = false;
        self.layout.presents_question = false;
        self.layout.focus = Pane::Question;
    }

    fn next_example(&mut self) {
        // What is being written is not lost to an example.
        if self.sheets.form.is_some() {
            return;
        }
        let examples = self.engine.examples();
        let Some(example) = examples.get(self.input.next_example % examples.len().max(1)) else { return };
        self.input.next_example = (self.input.next_example + 1) % examples.len();
        self.sheets.overlay = None;
        self.input.editor.set_text(&example.question);
        self.layout.presents_question = false;
        self.layout.focus = Pane::Question;
    }
}
