//! Input and events change the state; one verb a file. Nothing here waits, draws, or does anything
//! outside the state: what is to be done outside is left as a [`Command`](super::Command).

mod ask;
mod compare;
mod find;
mod follow;
mod form;
mod learned;
mod list;
mod mouse;
mod pick;
mod play;
mod rate;
mod replies;
mod review;
mod scroll;
mod select;
mod side_by_side;
mod triage;

use std::time::Duration;

use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::action::{Action, Pane};
use super::app::{App, Engine, Overlay, Weight};
use super::chain_list::Sort;
use super::examples::EXAMPLES;
use super::form::Form;
use super::key::Key;
use super::keymap::{Context, Press};
use super::viewport::Camera;
use crate::dkg::Rating;
use scroll::Step;
use triage::{DELTA, SETTINGS};

/// Two keys within this time belong to one text.
const TYPED_TOGETHER: Duration = Duration::from_millis(600);

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
        if self.confirm.is_some() {
            return vec![Context::Confirm];
        }
        match &self.form {
            Some(Form::Gold { .. }) => return vec![Context::Writing],
            Some(_) => return vec![Context::Entry],
            None => {}
        }
        if self.search.is_some() {
            return vec![Context::Entry];
        }
        match &self.overlay {
            Some(Overlay::Picker(_)) => return vec![Context::Entry],
            Some(Overlay::Review) => return vec![Context::Review],
            Some(Overlay::Lessons) => return vec![Context::Lessons],
            Some(Overlay::Settings(_)) => return vec![Context::Settings],
            Some(Overlay::Help | Overlay::Messages | Overlay::Text(_)) => return vec![Context::Overlay],
            None => {}
        }
        self.contexts_below_the_sheet()
    }

    /// The same as if no sheet lay over the panes.
    pub(crate) fn contexts_below_the_sheet(&self) -> Vec<Context> {
        if self.is_beside() {
            return vec![Context::Beside];
        }
        match (self.first_screen, self.focus) {
            (true, _) if self.editor.text().is_empty() => return vec![Context::FirstScreen, Context::Question],
            (true, _) | (_, Pane::Question) => return vec![Context::Question],
            _ => {}
        }
        let of_pane = match self.focus {
            Pane::Chains | Pane::Kept => Some(Context::Chains),
            Pane::Anchors => Some(Context::Anchors),
            Pane::Graph => Some(Context::Graph),
            _ => None,
        };
        let playing = self.playing.map(|_| Context::Replay);
        let of_pair = self.beside.as_ref().map(|_| Context::Pair);
        [playing, of_pair, of_pane, Some(Context::Panes)].into_iter().flatten().collect()
    }

    /// Whether keys that are bound to nothing go into the question.
    fn is_typing(&self) -> bool {
        self.overlay.is_none()
            && self.form.is_none()
            && self.search.is_none()
            && !self.is_beside()
            && (self.first_screen || self.focus == Pane::Question)
    }

    fn on_key(&mut self, key: KeyEvent) {
        self.dirty = true;
        let example_key = self.example_key.take();
        let digit = match key.code {
            KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => Some(c),
            _ => None,
        };
        if let (Some((first, at)), Some(c)) = (example_key, digit)
            && (c.is_ascii_digit() || matches!(c, ' ' | '-'))
            && self.now.saturating_sub(at) < TYPED_TOGETHER
            && !self.editor.is_blank()
        {
            self.take_back_example(first, c);
            return;
        }
        let before = std::mem::take(&mut self.pending);
        if self.confirm.is_some() {
            self.answer_question(key);
            return;
        }
        match self.keymap.press(&before, key, &self.contexts()) {
            // Esc ends what was begun, and nothing else.
            Press::Act(Action::Stop) if !before.is_empty() => {}
            Press::Act(action) => {
                self.act(action);
                if let (Action::Example(_), Some(c)) = (action, digit) {
                    self.example_key = Some((c, self.now));
                }
            }
            Press::Begin => {
                self.pending = before;
                self.pending.push(Key::from(key));
            }
            Press::Unbound if !before.is_empty() => {
                let keys: Vec<String> = before.iter().chain([&Key::from(key)]).map(ToString::to_string).collect();
                if key.code != KeyCode::Esc {
                    self.say(Weight::Note, format!("{} does nothing here.", keys.join(" ")));
                }
            }
            Press::Unbound => self.on_text_key(key),
        }
    }

    /// A key that is bound to nothing goes where text is typed.
    fn on_text_key(&mut self, key: KeyEvent) {
        if let Some(form) = &mut self.form {
            form.input(key);
        } else if self.search.is_some() {
            self.type_search(key);
        } else if matches!(self.overlay, Some(Overlay::Picker(_))) {
            self.type_pick(key);
        } else if self.is_typing() {
            self.editor.input(key);
        }
    }

    /// Clinical questions often begin with an age: "54 year old …" and "5-year-old …" must not ask example
    /// 5. When such a key follows at once, a text was meant.
    fn take_back_example(&mut self, first: char, second: char) {
        self.stop_run();
        self.focus = Pane::Question;
        self.editor.set_text(&format!("{first}{second}"));
        self.first_screen = true;
    }

    fn on_paste(&mut self, text: &str) {
        self.dirty = true;
        if self.confirm.is_some() {
            return;
        }
        if let Some(form) = &mut self.form {
            if !form.paste(text) {
                self.say(Weight::Warning, "The pasted text was too long for an answer; its end was cut off.");
            }
            return;
        }
        if let Some(search) = &mut self.search {
            search.line.paste(text);
            self.search_changed();
            return;
        }
        match &mut self.overlay {
            Some(Overlay::Picker(picker)) => {
                picker.line.paste(text);
                self.pick_changed();
                return;
            }
            Some(_) => return,
            None => {}
        }
        if self.is_beside() {
            return;
        }
        // What is pasted is a question, wherever the focus is.
        self.focus = Pane::Question;
        if !self.editor.paste(text) {
            self.say(Weight::Warning, "The pasted text was too long for a question; its end was cut off.");
        }
    }

    pub(crate) fn act(&mut self, action: Action) {
        if self.is_barred(action) {
            return;
        }
        match action {
            Action::Ask => self.ask_editor(),
            Action::NewLine => match &mut self.form {
                Some(Form::Gold { editor, .. }) => editor.new_line(),
                _ => self.editor.new_line(),
            },
            Action::HistoryPrevious => self.editor.previous(),
            Action::HistoryNext => self.editor.next(),
            Action::NextExample => self.next_example(),
            Action::Example(number) => self.ask_example(number),
            Action::Clear => self.clear(),
            Action::Stop => self.close_or_stop(),
            Action::Quit => self.leave(),
            Action::Help => self.toggle(Overlay::Help, |open| matches!(open, Overlay::Help)),
            Action::Messages => self.toggle(Overlay::Messages, |open| matches!(open, Overlay::Messages)),
            Action::Palette => self.open_palette(),
            Action::Focus(pane) => self.go_to(pane),
            Action::FocusNext => self.step_focus(1),
            Action::FocusPrevious => self.step_focus(-1),
            Action::Zoom => self.zoomed = !self.zoomed,
            Action::NextTheme => self.next_theme(),
            Action::Accept => self.accept(),
            Action::Up => self.step(-1),
            Action::Down => self.step(1),
            Action::Left => self.sideways(-1),
            Action::Right => self.sideways(1),
            Action::PageUp => self.scroll_focused(Step::Pages(-1)),
            Action::PageDown => self.scroll_focused(Step::Pages(1)),
            Action::First => self.scroll_focused(Step::First),
            Action::Last => self.scroll_focused(Step::Last),
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
            Action::Pin => self.pin(),
            Action::Reject => match self.overlay {
                Some(Overlay::Review) => self.decide_selected(false),
                _ => self.reject(),
            },
            Action::Restore => self.restore(),
            Action::RejectKind => self.reject_kind(),
            Action::RejectThrough => self.choose_entity_to_reject(),
            Action::AddAnchor => self.choose_anchor(),
            Action::Undo => match self.overlay {
                Some(Overlay::Review) => self.undo_decision(),
                Some(Overlay::Lessons) => self.ask_to_undo_record(),
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
            Action::Copy => self.copy_selected(),
            Action::CopyAnswer => self.copy_answer(),
            Action::Prompts => self.show_prompts(),
            Action::Json => self.show_json(),
            Action::Closer => self.camera.closer(),
            Action::Farther => self.camera.farther(),
            Action::Fit => self.camera = Camera::default(),
            Action::RateGood => self.begin_rating(Rating::Good),
            Action::RateBad => self.begin_rating(Rating::Bad),
            Action::RateGold => self.begin_rating(Rating::Gold),
            Action::Review => self.open_review(),
            Action::Lessons => self.open_lessons(),
            Action::Mark => self.mark_proposal(),
            Action::Edit => self.edit_proposal(),
            Action::AcceptAll => self.decide_several(true),
            Action::RejectAll => self.decide_several(false),
            Action::NextPair => self.step_pair(1),
            Action::PreviousPair => self.step_pair(-1),
            Action::OpenFirst => self.open_side(0),
            Action::OpenSecond => self.open_side(1),
            Action::OtherRun => self.open_other(),
            Action::Beside => self.show_beside(),
            Action::Pairs => self.choose_pair(),
        }
    }

    /// One up or down in what has the keys.
    fn step(&mut self, by: isize) {
        let typing = self.is_typing();
        if let Some(form) = &mut self.form {
            form.step(by);
            return;
        }
        match &mut self.overlay {
            Some(Overlay::Settings(row)) => *row = row.saturating_add_signed(by).min(SETTINGS - 1),
            Some(Overlay::Picker(_)) => self.move_pick(by),
            None if self.search.is_some() => {}
            None if typing && by < 0 => self.editor.up(),
            None if typing => self.editor.down(),
            None if self.focus == Pane::Graph => self.camera.pan(0.0, by as f64),
            _ => self.scroll_focused(Step::Rows(by)),
        }
    }

    /// One to the left or right.
    fn sideways(&mut self, by: isize) {
        match self.overlay {
            Some(Overlay::Settings(row)) => self.change_setting(row, by),
            None if self.focus == Pane::Graph => self.camera.pan(by as f64, 0.0),
            None if self.focus == Pane::Anchors => self.change_setting(DELTA, by),
            _ => {}
        }
    }

    fn next_theme(&mut self) {
        if let Some(theme) = self.theme.next(self.colours) {
            let text = format!("Theme: {}", theme.name);
            self.theme = theme;
            self.say(Weight::Note, text);
        }
    }

    fn toggle(&mut self, overlay: Overlay, is_it: impl Fn(&Overlay) -> bool) {
        self.overlay = if self.overlay.as_ref().is_some_and(is_it) { None } else { Some(overlay) };
        self.sheet_offset = 0;
    }

    fn close_or_stop(&mut self) {
        if self.form.take().is_some() {
            self.say(Weight::Note, "Cancelled; nothing was recorded.");
        } else if self.search.is_some() {
            self.give_up_search();
        } else if self.overlay.take().is_some() {
            self.sheet_offset = 0;
        } else if self.range.take().is_some() {
        } else if self.playing.is_some() {
            self.stop_playing();
        } else if self.is_running() || self.waiting.is_some() || self.starting.is_some() {
            self.stop_run();
        } else if self.zoomed {
            self.zoomed = false;
        } else if self.forget_search() {
        } else if self.focus == Pane::Question && !self.first_screen {
            self.focus = Pane::Answer;
        } else if self.beside.is_some() {
            self.show_beside();
        }
    }

    fn go_to(&mut self, pane: Pane) {
        self.overlay = None;
        if self.first_screen && !self.trace.id.is_empty() {
            self.first_screen = false;
        }
        self.focus = pane;
    }

    fn step_focus(&mut self, step: isize) {
        if let Some(form) = &mut self.form {
            form.step(step);
            return;
        }
        if self.overlay.is_some() {
            return;
        }
        if self.first_screen {
            // There are panes to go to only when something was asked before.
            if !self.trace.id.is_empty() {
                self.first_screen = false;
                self.focus = Pane::Answer;
            }
            return;
        }
        self.focus = self.focus.step(step);
    }

    /// Leaves, unless a rating would be lost that the doctor was not told of.
    fn leave(&mut self) {
        if !self.ratings.is_empty() && !std::mem::replace(&mut self.warned_of_loss, true) {
            self.say(Weight::Warning, "A rating is still being recorded. Press once more to leave without it.");
            return;
        }
        self.stop_run();
        self.quit = true;
    }

    fn clear(&mut self) {
        self.overlay = None;
        self.form = None;
        if self.editor.text().is_empty() && !self.is_running() {
            self.first_screen = self.engine != Engine::Recording;
            self.sheet_offset = 0;
        }
        self.editor.set_text("");
        self.focus = Pane::Question;
    }

    fn next_example(&mut self) {
        self.form = None;
        let example = EXAMPLES[self.next_example % EXAMPLES.len()];
        self.next_example = (self.next_example + 1) % EXAMPLES.len();
        self.overlay = None;
        self.editor.set_text(example.question);
        self.focus = Pane::Question;
    }
}
