//! The case in sentences: how urgent it is, how the question was read, its items by number, and their corrections.

use std::io::{self, Write};

use super::describe::sentence;
use super::phrases::counted;
use super::session::AccessibleSession;
use crate::pipeline::answer::headlines::Headlines;
use crate::run::{AskKind, CaseCorrection, CaseItemKind, FindingStatus, Trace};
use crate::text::{capitalised, is_cjk, sanitise_line};
use crate::words::{Language, words};

/// What is said of a run without a case.
pub(super) const NO_CASE: &str = "This run has no case: how its question was read is not recorded.";

/// The longest correction in words, in bytes: as long as a line that can be typed on the screen.
const LONGEST_CORRECTION: usize = 512;
/// What is said where an item cannot have the status.
const OTHER_KIND: &str = "This item cannot have this status. A finding is present or absent; a drug is taken, new, considered, stopped or \
    allergic; a condition is known, suspected, excluded or past. Type remove and the number to remove an item.";

/// How urgent the case is, and how the question was read.
pub(super) fn headlines(trace: &Trace) -> Vec<String> {
    let Headlines { urgency, read_as } = Headlines::of(trace);
    urgency.map(|(_, text)| text).into_iter().chain(read_as).map(|line| sentence(&line)).collect()
}

/// The items of the case, numbered, and what is asked.
pub(super) fn items(trace: &Trace, l: Language) -> Vec<String> {
    if trace.case.is_empty() {
        return vec![l.known(NO_CASE).into()];
    }
    let chinese = trace.question.chars().any(is_cjk);
    let mut said: Vec<String> = Headlines::of(trace).read_as.iter().map(|line| sentence(line)).collect();
    for (item, number) in trace.case.items(chinese).into_iter().zip(1..) {
        let text = sanitise_line(&item.text);
        said.push(match item.kind {
            CaseItemKind::Finding(status) => {
                words!(l, "Item {number}, finding: {text}, {status}.", number = number, text = text, status = l.known(status.word()))
            }
            CaseItemKind::Patient => words!(l, "Item {number}, patient: {text}.", number = number, text = text),
            CaseItemKind::Words => words!(l, "Item {number}, your correction: {text}.", number = number, text = text),
            CaseItemKind::Result => words!(l, "Item {number}, result: {text}.", number = number, text = text),
            CaseItemKind::Drug(status) => {
                words!(l, "Item {number}, drug: {text}, {status}.", number = number, text = text, status = l.known(status.word()))
            }
            CaseItemKind::Condition(status) => {
                words!(l, "Item {number}, condition: {text}, {status}.", number = number, text = text, status = l.known(status.word()))
            }
            CaseItemKind::NotUnderstood => words!(l, "Item {number}, not understood: {text}.", number = number, text = text),
        });
    }
    let asked: Vec<&str> = trace.case.asked().iter().map(|kind| kind.title(chinese)).collect();
    said.push(match asked.is_empty() {
        true => words!(l, "The question does not say what it asks.").into(),
        false => words!(l, "Asked: {kinds}.", kinds = asked.join(l.choose(", ", "、"))),
    });
    said.push(
        words!(
            l,
            "To correct an item, type its new status and its number, such as absent 2 or stopped 3; to take it out, type remove and the number. To correct a value, or details about the patient, type instead and the correction: for example, instead potassium 6.1. To change what is asked, type asks."
        )
        .into(),
    );
    said
}

impl<W: Write> AccessibleSession<W> {
    /// The name of an item of the case, and what it is; if there is none of this number, says so.
    fn item(&mut self, trace: &Trace, number: usize) -> io::Result<Option<(String, CaseItemKind)>> {
        let items = trace.case.items(false);
        let item = number.checked_sub(1).and_then(|at| items.get(at)).map(|item| (item.name.clone(), item.kind));
        if trace.case.is_empty() {
            self.say(NO_CASE)?;
        } else if item.is_none() {
            let are = if items.len() == 1 { "is" } else { "are" };
            let count = counted(items.len() as u64, "item", "items");
            self.say(&format!("There is no item {number}; there {are} {count}. Type case to hear them."))?;
        }
        Ok(item)
    }

    /// Gives an item a status; `wanted` is its kind with this status.
    pub(super) async fn mark_item(&mut self, trace: &Trace, number: usize, wanted: CaseItemKind) -> io::Result<()> {
        let Some((item, kind)) = self.item(trace, number)? else { return Ok(()) };
        // A condition can be absent, too.
        let wanted = match wanted {
            CaseItemKind::Finding(status @ (FindingStatus::Present | FindingStatus::Absent)) => {
                kind.marked(status == FindingStatus::Present).unwrap_or(wanted)
            }
            _ => wanted,
        };
        if kind == wanted {
            return self.say("Nothing changes: this is already so.");
        }
        let name = sanitise_line(&item);
        let (word, correction) = match (kind, wanted) {
            (CaseItemKind::Finding(_), CaseItemKind::Finding(status)) => (status.word(), CaseCorrection::Status { item, status }),
            (CaseItemKind::Drug(_), CaseItemKind::Drug(status)) => (status.word(), CaseCorrection::Drug { item, status }),
            (CaseItemKind::Condition(_), CaseItemKind::Condition(status)) => (status.word(), CaseCorrection::Condition { item, status }),
            _ => return self.say(OTHER_KIND),
        };
        let said = format!("{} is now marked as: {word}.", capitalised(&name));
        self.change(&said, |triage| triage.correct(correction)).await
    }

    pub(super) async fn remove_item(&mut self, trace: &Trace, number: usize) -> io::Result<()> {
        let Some((item, kind)) = self.item(trace, number)? else { return Ok(()) };
        if kind == CaseItemKind::Patient {
            return self
                .say("You cannot remove the patient. To correct details, type instead and the details: for example, instead aged 34.");
        }
        let said = format!("{} is no longer part of the case.", capitalised(&sanitise_line(&item)));
        self.change(&said, |triage| triage.correct(CaseCorrection::Remove { item })).await
    }

    /// What the words say holds in place of what the question says.
    pub(super) async fn correct_in_words(&mut self, trace: &Trace, text: String) -> io::Result<()> {
        if trace.case.is_empty() {
            return self.say(NO_CASE);
        }
        if text.len() > LONGEST_CORRECTION {
            return self.say("This correction is too long. Type one or two facts at a time.");
        }
        let said = format!("Corrected: {}.", sanitise_line(&text));
        self.change(&said, |triage| triage.correct(CaseCorrection::Words { text })).await
    }

    pub(super) async fn change_asks(&mut self, trace: &Trace, kinds: Vec<AskKind>) -> io::Result<()> {
        if trace.case.is_empty() {
            return self.say(NO_CASE);
        }
        if trace.case.asked() == kinds {
            return self.say("Nothing changes: this is already so.");
        }
        let names: Vec<&str> = kinds.iter().map(|kind| kind.title(false)).collect();
        let said = format!("Asked now: {}.", names.join(", "));
        self.change(&said, |triage| triage.correct(CaseCorrection::Asks { kinds })).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::run::{Case, CaseDrug, CaseFinding, Urgency, UrgencyLevel};

    #[test]
    fn urgency_comes_first_and_items_have_numbers() {
        let mut trace = Trace::default();
        assert_eq!(items(&trace, Language::English), [NO_CASE]);
        let finding = CaseFinding { text: "nauseated".into(), entity: Some("Nausea".into()), ..CaseFinding::default() };
        let drug = CaseDrug { text: "digoxin".into(), entity: Some("Digoxin".into()), ..CaseDrug::default() };
        trace.case = Arc::new(Case { findings: vec![finding], drugs: vec![drug], ..Case::default() });
        trace.urgency = Urgency { level: Some(UrgencyLevel::Emergency), text: Some("act now".into()), ..Urgency::default() };
        let said = headlines(&trace);
        assert!(said[0] == "Emergency: act now." && said[1].starts_with("Read as: ") && said.len() == 2, "{said:?}");
        let said = items(&trace, Language::English);
        assert!(said.iter().any(|line| line == "Item 1, finding: nausea, present."), "{said:?}");
        assert!(said.iter().any(|line| line == "Item 2, drug: digoxin, taken."), "{said:?}");
    }
}
