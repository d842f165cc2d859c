//! The most useful keys of the moment, with what they do in a word or two.

use crate::tui::action::{Action, Pane};
use crate::tui::app::App;
use crate::tui::form::TeachingForm;
use crate::tui::keymap::Context;
use crate::words::words;

/// The most useful keys of the moment, the most useful first.
pub(super) fn of(app: &App) -> Vec<(String, String)> {
    let hint = |action: Action, context: Context, text: &str| (app.input.keymap.key_of(action, context), text.to_owned());
    let (mut hints, l) = (Vec::new(), app.language);
    match app.contexts().first() {
        Some(Context::Entry) => {
            return vec![hint(Action::Accept, Context::Entry, of_entry(app)), hint(Action::Stop, Context::Anywhere, words!(l, "cancel"))];
        }
        Some(Context::Overlay) => {
            return vec![
                hint(Action::Stop, Context::Anywhere, words!(l, "close")),
                hint(Action::Down, Context::Overlay, words!(l, "scroll")),
            ];
        }
        Some(Context::SideBySide) => {
            return vec![
                hint(Action::Help, Context::SideBySide, words!(l, "help")),
                hint(Action::Quit, Context::SideBySide, words!(l, "quit")),
            ];
        }
        // Their keys stand on their own lower borders.
        Some(context @ (Context::Review | Context::Learned | Context::Case)) => {
            return vec![hint(Action::Stop, Context::Anywhere, words!(l, "close")), hint(Action::Help, *context, words!(l, "help"))];
        }
        Some(Context::Writing) => {
            let checks = matches!(app.sheets.form, Some(TeachingForm::Check(_)));
            return vec![
                hint(Action::Accept, Context::Writing, if checks { words!(l, "check") } else { words!(l, "record") }),
                hint(Action::Stop, Context::Anywhere, words!(l, "cancel")),
            ];
        }
        Some(Context::Confirm) => {
            return vec![
                hint(Action::Accept, Context::Confirm, words!(l, "yes")),
                (words!(l, "other keys").into(), words!(l, "no").into()),
            ];
        }
        Some(Context::Settings) => {
            let change = format!(
                "{} {}",
                app.input.keymap.key_of(Action::Left, Context::Settings),
                app.input.keymap.key_of(Action::Right, Context::Settings)
            );
            return vec![(change, words!(l, "change").into()), hint(Action::Stop, Context::Anywhere, words!(l, "close"))];
        }
        Some(Context::Demo) => {
            let arrows = format!(
                "{} {}",
                app.input.keymap.key_of(Action::StagePrevious, Context::Demo),
                app.input.keymap.key_of(Action::StageNext, Context::Demo)
            );
            let mut hints = vec![hint(Action::StageStep, Context::Demo, words!(l, "next step")), (arrows, words!(l, "stage").into())];
            if app.tour.is_some() {
                hints.push(hint(Action::Quit, Context::Panes, words!(l, "leave the tour")));
            }
            hints.push(match app.run.playback() {
                Some(playing) => {
                    hint(Action::PlayPause, Context::Demo, if playing.paused { words!(l, "play") } else { words!(l, "pause") })
                }
                None => hint(Action::Replay, Context::Demo, words!(l, "from the start")),
            });
            hints.extend([
                hint(Action::NextLayout, Context::Panes, words!(l, "layout")),
                hint(Action::Help, Context::Panes, words!(l, "help")),
            ]);
            hints.extend([
                hint(Action::Export, Context::Demo, words!(l, "export")),
                hint(Action::NewQuestion, Context::Panes, words!(l, "new question")),
            ]);
            return hints;
        }
        Some(Context::Replay) => {
            return vec![
                hint(
                    Action::PlayPause,
                    Context::Replay,
                    if app.run.playback().is_some_and(|p| p.paused) { words!(l, "resume") } else { words!(l, "pause") },
                ),
                hint(Action::PlayStep, Context::Replay, words!(l, "step")),
                hint(Action::PlayFaster, Context::Replay, words!(l, "faster")),
                hint(Action::PlaySlower, Context::Replay, words!(l, "slower")),
                hint(Action::Stop, Context::Anywhere, words!(l, "end")),
            ];
        }
        _ => {}
    }
    let typing = app.shows_first_screen() || app.is_in_editor();
    let here = match typing {
        true if app.shows_first_screen() && app.input.editor.text().is_empty() => Context::FirstScreen,
        true => Context::Anywhere,
        false => Context::Panes,
    };
    hints.push(hint(Action::Help, here, words!(l, "help")));
    if app.is_running() {
        hints.push(hint(Action::Stop, Context::Anywhere, words!(l, "stop")));
    }
    if typing {
        hints.push(hint(Action::Ask, Context::Question, words!(l, "ask")));
        if here == Context::FirstScreen {
            hints.push(hint(Action::Sessions, here, words!(l, "earlier runs")));
        } else {
            if !app.run.trace.id.is_empty() {
                hints.push(hint(Action::Stop, Context::Anywhere, words!(l, "back")));
            }
            hints.push(hint(Action::HistoryPrevious, Context::Question, words!(l, "earlier question")));
            hints.push(hint(Action::Clear, Context::Anywhere, words!(l, "empty it")));
        }
    } else {
        if app.side_by_side.is_some() {
            hints.insert(0, hint(Action::SideBySide, Context::RunPair, words!(l, "both")));
            hints.push(hint(Action::OtherRun, Context::RunPair, words!(l, "other run")));
        }
        // What was enlarged by a key becomes smaller by it: that is to be seen, not tried.
        if app.layout.zoomed {
            hints.push(hint(Action::Zoom, Context::Panes, words!(l, "smaller")));
        }
        if app.run.outdated {
            hints.push(hint(Action::Reread, Context::Panes, words!(l, "regenerate")));
        }
        // Nothing in a recording can be changed, and nothing is asked in it.
        let decides = !app.engine.is_recording();
        let rates = app.teaching.can_record() && app.run.decisions.settled.is_some();
        match app.layout.focus {
            Pane::Chains | Pane::Kept => {
                hints.push(hint(Action::Open, Context::Panes, words!(l, "why?")));
                if decides {
                    hints.push(hint(Action::Pin, Context::Panes, words!(l, "pin")));
                    hints.push(hint(Action::Reject, Context::Panes, words!(l, "reject")));
                }
                hints.push(hint(Action::Find, Context::Panes, words!(l, "search")));
            }
            Pane::Anchors => {
                hints.push(hint(Action::Open, Context::Panes, words!(l, "its chains")));
                if decides {
                    hints.push(hint(Action::AddAnchor, Context::Panes, words!(l, "add")));
                    hints.push(hint(Action::Reject, Context::Panes, words!(l, "reject")));
                }
            }
            Pane::Graph => {
                hints.push(hint(Action::Closer, Context::Graph, words!(l, "zoom in")));
                hints.push(hint(Action::Fit, Context::Graph, words!(l, "all")));
            }
            Pane::Answer => {
                let has_neighbours = app.layout.frame.panes.iter().filter(|pane| !pane.is_empty()).count() > 1;
                if app.layout.frame.answer_is_cramped && has_neighbours && !app.layout.zoomed {
                    hints.push(hint(Action::Zoom, Context::Panes, words!(l, "enlarge")));
                }
                hints.push(hint(Action::Open, Context::Panes, words!(l, "why?")));
                if rates {
                    hints.extend(ratings(app, Context::Answer));
                }
            }
            Pane::Why => {
                hints.push(hint(Action::Open, Context::Panes, words!(l, "back")));
                if app.selection.chain.is_some() && !app.selection.alarm && app.selected_uncited().is_none() && decides {
                    hints.push(hint(Action::Pin, Context::Panes, words!(l, "pin")));
                    hints.push(hint(Action::Reject, Context::Panes, words!(l, "reject")));
                }
            }
            _ => hints.push(hint(Action::NextKept, Context::Panes, words!(l, "next kept"))),
        }
        // What waits for a decision comes before what can always be done.
        if app.teaching.status.as_ref().is_some_and(|learning| learning.pending > 0) {
            hints.insert(0, hint(Action::Review, Context::Panes, words!(l, "review")));
        }
        if decides {
            hints.push(hint(Action::NewQuestion, Context::Panes, words!(l, "new question")));
        }
        hints.push(hint(Action::NextLayout, Context::Panes, words!(l, "layout")));
        if app.teaching.can_record() {
            hints.push(hint(Action::Teach, Context::Panes, words!(l, "teach")));
        }
        if app.run.decisions.settled.is_some() {
            hints.push(hint(Action::Export, Context::Panes, words!(l, "export")));
        }
        if app.layout.focus == Pane::Kept && rates {
            hints.extend(ratings(app, Context::Kept));
        }
        if decides && !app.run.trace.case.is_empty() && app.run.decisions.settled.is_some() {
            hints.push(hint(Action::Case, Context::Panes, words!(l, "correct")));
            hints.push(hint(Action::FollowUp, Context::Panes, words!(l, "follow up")));
        }
        hints.push(hint(Action::Palette, Context::Panes, words!(l, "actions")));
    }
    if !app.shows_first_screen() {
        hints.push(hint(Action::FocusNext, Context::Anywhere, words!(l, "pane")));
    }
    hints.push(hint(Action::Quit, if typing { Context::Anywhere } else { here }, words!(l, "quit")));
    hints
}

/// What the key does that takes what is typed.
fn of_entry(app: &App) -> &'static str {
    let l = app.language;
    match &app.sheets.form {
        Some(TeachingForm::Teach(form)) if !form.is_at_last() => words!(l, "next field"),
        Some(TeachingForm::SaveAs { .. }) => words!(l, "write it"),
        Some(TeachingForm::Check(_)) => words!(l, "check"),
        Some(_) => words!(l, "record"),
        None if app.selection.search.as_ref().is_some_and(|search| search.filters) => words!(l, "keep the filter"),
        None if app.selection.search.is_some() => words!(l, "search"),
        None => words!(l, "choose"),
    }
}

/// The keys that rate in the answer, each with what it says of it.
pub(super) fn ratings_named(app: &App) -> String {
    let key = |action| app.input.keymap.key_of(action, Context::Answer);
    let (good, bad, gold) = (key(Action::RateGood), key(Action::RateBad), key(Action::RateGold));
    words!(app.language, "{good} if it is good, {bad} if it is bad, {gold} to write a better one", good = good, bad = bad, gold = gold)
}

/// The keys that rate, as one hint.
fn ratings(app: &App, context: Context) -> Option<(String, String)> {
    let keys: Vec<String> = [Action::RateGood, Action::RateBad, Action::RateGold]
        .into_iter()
        .map(|action| app.input.keymap.key_of(action, context))
        .filter(|key| !key.is_empty())
        .collect();
    (!keys.is_empty()).then(|| (keys.join(" "), words!(app.language, "good bad gold").to_owned()))
}
