//! Rating an answer: good, bad, or the answer that it should have been.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::dkg::{Rating, Status, act_word, rating_word};
use crate::feedback::{GivenRating, RatingResult, TaughtFact, is_usual};
use crate::run::Trace;
use crate::text::counted;
use crate::tui::action::Action;
use crate::tui::app::{App, EngineState, Overlay, Severity};
use crate::tui::effects::{DkgRequest, DkgStatus, Effect};
use crate::tui::form::TeachingForm;
use crate::tui::keymap::Context;
use crate::tui::teach_form::TeachForm;
use crate::tui::update::tour::NOTHING_CHANGES;
use crate::words::{Language, words};

/// For so long after the end of a replay, a key is taken to be meant for it.
const AFTER_REPLAY: Duration = Duration::from_secs(3);

impl App {
    /// Whether something can be taught; says why not.
    pub(super) fn can_teach(&mut self) -> bool {
        if self.before_tour.is_some() {
            self.say(Severity::Note, NOTHING_CHANGES);
            return false;
        }
        let text = match (&self.teaching.status, &self.engine) {
            (Some(DkgStatus { read_only: None, .. }), _) => return true,
            (Some(DkgStatus { read_only: Some(reason), .. }), _) => format!("Nothing can be recorded here: {reason}."),
            (None, EngineState::Recording) => {
                "This is a recording; Catena learns nothing from it. To rate answers, start Catena without it.".into()
            }
            (None, EngineState::Opening) => "The DKG is still opening. Try again in a moment.".into(),
            (None, _) => "Nothing can be learned here, because the DKG is not open. Restart Catena; `catena dkg verify` says what is wrong with the DKG."
                .into(),
        };
        self.say(Severity::Warning, text);
        false
    }

    /// Asks for what a rating needs: a comment, or the answer that it should have been.
    pub(super) fn begin_rating(&mut self, rating: Rating) {
        if !self.can_teach() {
            return;
        }
        // `+` and `-` set the speed of a replay, which ends when it likes.
        let ended = self.run.replay_ended.take();
        if ended.is_some_and(|ended| self.now.saturating_sub(ended) < AFTER_REPLAY) {
            self.say(Severity::Note, "The replay is over, so this key no longer sets its speed. Press it again to rate the answer.");
            return;
        }
        if self.is_running() {
            self.say(Severity::Note, "The run is not finished yet; you can rate its answer when it is.");
            return;
        }
        let settled = self.run.decisions.settled.clone().filter(|settled| settled.id == self.run.trace.id);
        // A mentor may also teach where nothing was found.
        let is_there = |trace: &Arc<Trace>| rating == Rating::Gold || (trace.evidence.is_some() && !trace.answer.text.trim().is_empty());
        let Some(trace) = settled.filter(|trace| is_there(trace)) else {
            self.say(Severity::Note, "There is no answer to rate: ask a question first.");
            return;
        };
        self.sheets.overlay = None;
        self.selection.search = None;
        self.sheets.form = Some(match rating {
            Rating::Gold => TeachingForm::gold(trace, ""),
            Rating::Good | Rating::Bad => TeachingForm::rate(trace, rating, ""),
        });
    }

    /// Opens the form that teaches a fact.
    pub(super) fn begin_teaching(&mut self) {
        if self.can_teach() {
            self.sheets.overlay = None;
            self.selection.search = None;
            self.sheets.form = Some(TeachingForm::Teach(Box::new(TeachForm::new(&TaughtFact::default()))));
        }
    }

    /// A fact was taught, or could not be.
    pub(super) fn taught(&mut self, fact: &TaughtFact, result: Result<Box<RatingResult>, String>) {
        let key = self.input.keymap.key_of(Action::Review, Context::Panes);
        let accept = self.input.keymap.key_of(Action::Accept, Context::Review);
        match result {
            Ok(taught) => {
                for warning in &taught.warnings {
                    self.say(Severity::Warning, warning.clone());
                }
                for state in &taught.proposals {
                    let text = state.proposal.triple.text();
                    let text = match state.status {
                        Status::Accepted { .. } => {
                            format!("Learned: {text}. {}", found_by(self.language))
                        }
                        Status::Redundant => format!("Already known, so nothing was learned: {text}."),
                        Status::Conflicting => format!("Held back ({key} shows it): it contradicts what is known. {text}"),
                        _ => format!("Not learned yet. To accept it, press {key}, then {accept}. {text}"),
                    };
                    self.say(Severity::Note, text);
                }
                self.teaching.review.go_to_first_of(&taught.proposals);
                self.reread_lists();
            }
            Err(reason) => {
                let problem = format!("Nothing was recorded: {reason}.");
                // What was typed is not lost, unless something else is being typed; and the form has room for the whole reason.
                if self.sheets.form.is_none() && self.sheets.confirm.is_none() {
                    self.sheets.form = Some(TeachingForm::Teach(Box::new(TeachForm::again(fact, problem.clone()))));
                }
                self.say(Severity::Error, problem);
            }
        }
    }

    /// Sends a request to the DKG.
    pub(super) fn teach(&mut self, order: DkgRequest) {
        self.effects.push_back(Effect::Dkg(order));
    }

    pub(super) fn send_rating(&mut self, trace: Arc<Trace>, given: GivenRating) {
        self.teaching.ratings.push_back(Arc::clone(&trace));
        self.teaching.warned_of_loss = false;
        self.teach(DkgRequest::Rate { trace, given });
    }

    /// The state of the DKG has changed.
    pub(super) fn learning_stands(&mut self, learning: DkgStatus) {
        let before = self.teaching.status.take();
        let (told, told_read_only) = before.map_or((0, false), |before| (before.notices.len(), before.read_only.is_some()));
        if let Some(reason) = learning.read_only.as_ref().filter(|_| !told_read_only) {
            self.say(Severity::Warning, format!("Catena uses what it learned before, but cannot record anything here: {reason}."));
        }
        for notice in learning.notices.iter().skip(told) {
            self.say(Severity::Warning, notice.clone());
        }
        self.teaching.status = Some(learning);
    }

    /// A rating was recorded, or could not be.
    pub(super) fn rated(&mut self, given: &GivenRating, result: Result<Box<RatingResult>, String>) {
        // They come back in the order in which they were sent.
        let trace = self.teaching.ratings.pop_front();
        match result {
            Ok(rated) => {
                // What a repeated rating comes to is said below.
                for warning in rated.warnings.iter().filter(|_| !rated.repeated) {
                    // Most ratings change nothing.
                    let severity = if is_usual(warning) { Severity::Note } else { Severity::Warning };
                    self.say(severity, warning.clone());
                }
                self.teaching.review.go_to_first_of(&rated.proposals);
                let key = self.input.keymap.key_of(Action::Review, Context::Panes);
                let run = trace.as_ref().map(|trace| trace.id.clone()).unwrap_or_default();
                self.teaching.came_of = Some((run, came_of(given.rating, &rated, self.language)));
                let cites = trace.is_some_and(|trace| !trace.answer.citations.is_empty());
                let learned = self.input.keymap.key_of(Action::Learned, Context::Panes);
                let keys = Keys { review: &key, learned: &learned };
                let kept = comment_kept(&given.comment, &learned, self.language);
                self.say(Severity::Note, in_words(given.rating, &rated, &keys, cites, self.language) + &kept);
                self.reread_lists();
            }
            Err(reason) => {
                self.say(Severity::Error, format!("The rating was not recorded: {reason}."));
                // What was typed is not lost, unless something else is being typed.
                if let Some(trace) = trace.filter(|_| self.sheets.form.is_none() && self.sheets.confirm.is_none()) {
                    self.sheets.form = Some(TeachingForm::again(trace, given));
                }
            }
        }
    }

    /// Reads the pending proposals or the learned triples again, where a sheet shows them.
    pub(super) fn reread_lists(&mut self) {
        match self.sheets.overlay {
            Some(Overlay::Review) => self.teach(DkgRequest::Queue),
            Some(Overlay::Learned) => self.teach(DkgRequest::Learned),
            _ => {}
        }
    }
}

/// What becomes of a triple that is learned: a question about it uses it, or the answer says below its lines that it was left out. Short, so that it is
/// not cut off.
pub(super) fn found_by(l: Language) -> &'static str {
    words!(l, "Questions about it use it, marked ★, or say why not.")
}

/// Why nothing that follows from a rating waits for the review.
fn came_of(rating: Rating, rated: &RatingResult, l: Language) -> String {
    let warnings: Vec<&str> = rated.warnings.iter().map(|warning| l.known(warning)).collect();
    match rated.proposals.is_empty() {
        true if !warnings.is_empty() => warnings.join(l.choose(" ", "")),
        true if rating == Rating::Good => words!(l, "Catena found nothing new to learn in this answer.").to_owned(),
        true => words!(l, "Your rating taught Catena nothing new.").to_owned(),
        false => words!(l, "The proposals from your rating are already decided or already known.").to_owned(),
    }
}

/// The keys that a rating leads on to.
struct Keys<'a> {
    /// Opens the review.
    review: &'a str,
    /// Opens the list of what was learned, where a rating is undone.
    learned: &'a str,
}

/// The result of a rating: first what holds at once, what waits, and where it is undone, since the end may be cut off; then the rest. `cites`: whether
/// the answer cites chains.
fn in_words(rating: Rating, rated: &RatingResult, keys: &Keys<'_>, cites: bool, l: Language) -> String {
    let key = keys.review;
    let waiting = rated.count(|status| status == Status::Pending);
    let one_or_more = counted(waiting as u64, "proposal", "proposals");
    if rated.repeated {
        let (already, record) = (RatingResult::rated_already(rating), rated.record);
        return match waiting {
            0 => format!("{already} (record {record}), so nothing new was recorded."),
            _ => format!("{already}. Press {key} to review {one_or_more} from that rating (record {record}). Nothing new was recorded."),
        };
    }
    let is_ranked = cites && rating != Rating::Gold;
    let mut text = recorded_as(rating, cites, l).to_owned();
    if rated.replaces.is_some() {
        text.push_str(&format!("{}.", in_place_of(rated, " Replaces your rating")));
    }
    // What somebody looks for in the review, and does not find, is said before the end can be cut off.
    if rating == Rating::Bad && waiting == 0 && rated.proposals.is_empty() {
        text.push_str(words!(l, " It used no learned fact."));
    }
    if waiting > 0 {
        text.push_str(&words!(l, " {key}: {count} to review.", key = key, count = waiting));
    }
    // Somebody can take the key away in their own keymap.
    if !keys.learned.is_empty() {
        text.push_str(&words!(l, " {key}: undo.", key = keys.learned));
    }
    if waiting > 0 {
        text.push_str(words!(l, " What waits is learned only if you accept it"));
        text.push_str(&format!(" (record {}).", rated.record));
    } else {
        text.push_str(&format!(" Record {}.", rated.record));
    }
    let learned: Vec<String> = rated
        .proposals
        .iter()
        .filter(|state| matches!(state.status, Status::Accepted { .. }))
        .map(|state| format!("{} {}", act_word(state.proposal.act), state.proposal.triple.text()))
        .collect();
    match learned.as_slice() {
        [] => {}
        [one] => text.push_str(&format!(" Applied at once: {one}.")),
        [first, rest @ ..] => text.push_str(&format!(" Applied at once: {first}, and {} more.", rest.len())),
    }
    text.push_str(&pinned(&rated.pinned));
    if waiting == 0 && learned.is_empty() && rated.pinned.is_empty() {
        text.push_str(&nothing_new(rating, rated, is_ranked));
    }
    match rated.count(|status| status == Status::Conflicting) {
        0 => {}
        1 => text.push_str(&format!(" 1 proposal contradicts what is known and is held back ({key} shows it).")),
        count => text.push_str(&format!(" {count} proposals contradict what is known and are held back ({key} shows them).")),
    }
    match rated.count(|status| status == Status::Redundant) {
        0 => {}
        _ if learned.is_empty() && waiting == 0 => {}
        count => text.push_str(&format!(" {}.", counted(count as u64, "is known already", "are known already"))),
    }
    text.push_str(&not_proposed(&rated.rejected));
    text
}

/// The words `said`, then the earlier rating of the same answer that no longer counts; empty if there is none.
fn in_place_of(rated: &RatingResult, said: &str) -> String {
    rated.replaces.map_or_else(String::new, |(record, before)| format!("{said} as {} (record {record})", rating_word(before)))
}

/// That a rating is recorded, and what it changes at once, whatever is learned: where the chains that the answer cites stand from now on.
fn recorded_as(rating: Rating, cites: bool, l: Language) -> &'static str {
    match rating {
        Rating::Good if cites => words!(l, "Recorded as good: its chains rank higher."),
        Rating::Bad if cites => words!(l, "Recorded as bad: its chains rank lower."),
        Rating::Good => words!(l, "Recorded as good."),
        Rating::Bad => words!(l, "Recorded as bad."),
        Rating::Gold => words!(l, "Recorded as gold."),
    }
}

/// Where a comment can be read again. `key`: what opens the list of what was learned.
fn comment_kept(comment: &str, key: &str, l: Language) -> String {
    // Somebody can take the key away in their own keymap.
    if comment.trim().is_empty() || key.is_empty() {
        return String::new();
    }
    words!(l, " Press {key} to read your comment among the learned triples.", key = key)
}

/// What was known already, but left out of the answer.
fn pinned(facts: &[String]) -> String {
    match facts {
        [] => String::new(),
        [one] => format!(" Already known, but ranked out: pinned for questions like this: {one}."),
        [first, rest @ ..] => format!(" Already known, but ranked out: pinned for questions like this: {first}, and {} more.", rest.len()),
    }
}

/// Why nothing new follows from a rating; nothing, where what it does to the ranking is said instead.
fn nothing_new(rating: Rating, rated: &RatingResult, is_ranked: bool) -> String {
    // What is held back or not proposed could be new.
    let is_all = rated.rejected.is_empty() && rated.count(|status| status == Status::Conflicting) == 0;
    let mut known = rated.proposals.iter().filter(|state| state.status == Status::Redundant).map(|state| state.proposal.triple.text());
    match (known.next(), known.count()) {
        (Some(one), 0) => format!(" Nothing new was learned: the graph already knows that {one}."),
        (Some(one), more) => format!(" Nothing new was learned: the graph already knows that {one}, and {more} more."),
        (None, _) if is_ranked => String::new(),
        (None, _) if rating == Rating::Good && is_all => " There is nothing new to learn from it.".to_owned(),
        (None, _) => " Nothing new was learned from it.".to_owned(),
    }
}

/// What was not proposed, and why.
fn not_proposed(rejected: &BTreeMap<String, u64>) -> String {
    if rejected.is_empty() {
        return String::new();
    }
    let reasons: Vec<String> = rejected.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    format!(" Not proposed: {} ({}).", counted(rejected.values().sum(), "statement", "statements"), reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: Keys<'static> = Keys { review: "Space r", learned: "Space d" };

    #[test]
    fn a_rating_that_is_repeated_is_said_not_to_count_twice() {
        let rated = RatingResult { record: 12, repeated: true, ..RatingResult::default() };
        let said = |rating| in_words(rating, &rated, &KEYS, false, Language::English);
        assert_eq!(said(Rating::Bad), "You have already rated this answer as bad (record 12), so nothing new was recorded.");
        assert_eq!(said(Rating::Gold), "You have already entered this gold answer (record 12), so nothing new was recorded.");
    }

    #[test]
    fn what_a_rating_changes_and_how_it_is_undone_stand_first() {
        let mut rated = RatingResult { record: 12, ..RatingResult::default() };
        let l = Language::English;
        let said = |rating, rated: &RatingResult| in_words(rating, rated, &KEYS, true, l);
        assert_eq!(said(Rating::Bad, &rated), "Recorded as bad: its chains rank lower. It used no learned fact. Space d: undo. Record 12.");
        assert_eq!(said(Rating::Good, &rated), "Recorded as good: its chains rank higher. Space d: undo. Record 12.");
        assert!(said(Rating::Gold, &rated).starts_with("Recorded as gold. Space d: undo."), "a gold answer moves no chain");
        rated.replaces = Some((9, Rating::Good));
        let replaced = "Recorded as bad: its chains rank lower. Replaces your rating as good (record 9). It used no learned fact. Space d: undo. Record 12.";
        assert_eq!(said(Rating::Bad, &rated), replaced);
        assert_eq!(comment_kept("too late", "Space d", l), " Press Space d to read your comment among the learned triples.");
        assert_eq!(comment_kept(" ", "Space d", l), "");
        assert_eq!(comment_kept("too late", "", l), "", "no key opens them");
    }

    #[test]
    fn what_came_of_a_rating_is_said_in_words() {
        let mut rated = RatingResult { record: 12, ..RatingResult::default() };
        let said = |rating, rated: &RatingResult| in_words(rating, rated, &KEYS, false, Language::English);
        assert_eq!(said(Rating::Good, &rated), "Recorded as good. Space d: undo. Record 12. There is nothing new to learn from it.");
        assert_eq!(
            said(Rating::Bad, &rated),
            "Recorded as bad. It used no learned fact. Space d: undo. Record 12. Nothing new was learned from it."
        );
        rated.rejected = [("from a chain that you rejected".to_owned(), 2), ("an entity related to itself".to_owned(), 1)].into();
        let text = said(Rating::Gold, &rated);
        assert!(text.starts_with("Recorded as gold. Space d: undo. Record 12."), "{text}");
        assert!(text.ends_with("Not proposed: 3 statements (1 an entity related to itself; 2 from a chain that you rejected)."), "{text}");
        let rated = RatingResult { record: 3, pinned: vec!["a → treats → b".into()], ..RatingResult::default() };
        let text = said(Rating::Gold, &rated);
        assert!(text.ends_with(" Record 3. Already known, but ranked out: pinned for questions like this: a → treats → b."), "{text}");
    }
}
