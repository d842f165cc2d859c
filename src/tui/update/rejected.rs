//! How a decision about chains changed the answer: whether the words and the citations are the same as before, and whether a rejected chain is still
//! cited.

use crate::run::{ChainKey, Trace};
use crate::tui::action::Action;
use crate::tui::app::{App, Sameness, Severity, StatusMessage};
use crate::tui::keymap::Context;
use crate::words::words;

/// The beginning of the message that appears as soon as a kept chain is rejected; the number of the chain follows.
pub(super) const REJECTED: &str = "Rejected [";

impl App {
    /// How much of the answer is the same as before the last decision.
    pub(super) fn sameness(&self) -> Sameness {
        let now = &self.run.trace;
        let before = self.run.decisions.settled.as_ref().filter(|before| before.id == now.id && before.triage != now.triage);
        let Some(before) = before.filter(|_| !self.run.stepped_back) else { return Sameness::Other };
        let texts = |trace: &Trace| trace.answer.lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
        match texts(before) == texts(now) {
            false => Sameness::Other,
            true if citations(before) == citations(now) => Sameness::All,
            true => Sameness::Words,
        }
    }

    /// Says that a rejected chain is no longer cited, if it was cited before: another chain may now have its number.
    pub(super) fn say_rejected(&mut self) {
        let now = &self.run.trace;
        let Some(before) = self.run.decisions.settled.as_ref().filter(|before| before.id == now.id) else { return };
        let (cited_before, cited) = (citations(before), citations(now));
        let is_in = |cited: &[Vec<(u32, Option<ChainKey>)>], key: &ChainKey| {
            cited.iter().flatten().any(|(_, known)| known.as_ref().is_some_and(|known| *known == *key || *known == key.reversed()))
        };
        let mut gone = now.triage.rejected.difference(&before.triage.rejected).filter(|key| is_in(&cited_before, key)).peekable();
        if gone.peek().is_none() || gone.any(|key| is_in(&cited, key)) {
            return;
        }
        let differs = |now: &&(u32, Option<ChainKey>)| cited_before.iter().flatten().any(|one| (one.0 == now.0) != (one.1 == now.1));
        let renumbered = cited.iter().flatten().find(differs).is_some();
        // Short, so that the keys beside it stay in sight.
        let (l, undo) = (self.language, self.input.keymap.key_of(Action::Undo, Context::Panes));
        let gone: Vec<&ChainKey> = now.triage.rejected.difference(&before.triage.rejected).collect();
        let said = if let Some(id) = standing(before, now, &gone) {
            words!(l, "Rejected ({undo} undoes it). Its line stays: chain [{id}] states it too.", undo = undo, id = id)
        } else if renumbered {
            words!(l, "Rejected: no longer cited ({undo} undoes it). Citations are renumbered.", undo = undo)
        } else {
            words!(l, "Rejected: no longer cited ({undo} undoes it).", undo = undo)
        };
        // It takes the place of what was said before the evidence was chosen again.
        let is_before = |last: &StatusMessage| last.severity == Severity::Note && last.text.starts_with(REJECTED);
        if self.sheets.messages.last().is_some_and(is_before) {
            self.sheets.messages.pop();
        }
        self.say(Severity::Note, said);
    }
}

/// The chain on which a line still stands that rested on a rejected one: by the number that the line cites now and did not cite, or else by its first.
/// `None` if no such line stands as it was.
fn standing(before: &Trace, now: &Trace, gone: &[&ChainKey]) -> Option<u32> {
    let is_gone = |key: &ChainKey| gone.iter().any(|gone| **gone == *key || **gone == key.reversed());
    let rested = before.answer.lines.iter().zip(citations(before));
    let (line, cited_before) = rested.into_iter().find(|(line, cited)| {
        let stays = now.answer.lines.iter().any(|other| other.part == line.part && other.text == line.text);
        stays && cited.iter().any(|(_, key)| key.as_ref().is_some_and(is_gone))
    })?;
    let (_, cited) = now.answer.lines.iter().zip(citations(now)).find(|(other, _)| other.part == line.part && other.text == line.text)?;
    let is_new = |key: &Option<ChainKey>| !cited_before.iter().any(|(_, known)| known == key);
    let new = cited.iter().find(|(_, key)| is_new(key)).or(cited.first());
    new.map(|(id, _)| *id)
}

/// The citations of each line of the answer: each number, with the chain that it stands for in the evidence of the answer.
fn citations(trace: &Trace) -> Vec<Vec<(u32, Option<ChainKey>)>> {
    let (table, pruning) = match &trace.evidence {
        Some(evidence) => (&evidence.table, &evidence.pruning),
        None => (&trace.table, &trace.pruning),
    };
    let key = |id: u32| {
        let scored = pruning.kept.get((id as usize).checked_sub(1)?)?;
        Some(ChainKey::of(table, table.chains.get(scored.chain as usize)?))
    };
    trace.answer.lines.iter().map(|line| line.citations.iter().map(|id| (*id, key(*id))).collect()).collect()
}
