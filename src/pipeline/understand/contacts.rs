//! Contact with somebody who has something catching: "on chemo, sat next to a child with chickenpox". The illness is not the patient's; that he was near it
//! is, where the graph knows such a contact.

use super::layout::Layout;
use super::scope::Scopes;
use crate::graph::EvolvingGraph;
use crate::run::{Case, CaseCondition, ConditionStatus, FindingStatus};
use crate::text::Token;

/// How the graph's names of such contacts begin.
const CONTACT: &str = "Contact with ";
/// Words right before somebody that one was near.
const NEAR: [[&str; 2]; 20] = [
    ["next", "to"],
    ["exposed", "to"],
    ["contact", "with"],
    ["close", "to"],
    ["sat", "with"],
    ["sat", "by"],
    ["sat", "beside"],
    ["sitting", "with"],
    ["played", "with"],
    ["playing", "with"],
    ["met", "up"],
    ["looked", "after"],
    ["looking", "after"],
    ["cared", "for"],
    ["room", "with"],
    ["car", "with"],
    ["live", "with"],
    ["lives", "with"],
    ["been", "with"],
    ["was", "with"],
];
const NEAR_ONE: [&str; 6] = ["beside", "around", "hugged", "kissed", "visited", "near"];
/// People that one meets.
const PEOPLE: [&str; 26] = [
    "child",
    "kid",
    "boy",
    "girl",
    "baby",
    "toddler",
    "man",
    "woman",
    "friend",
    "colleague",
    "coworker",
    "someone",
    "somebody",
    "person",
    "people",
    "neighbour",
    "neighbor",
    "pupil",
    "student",
    "classmate",
    "roommate",
    "flatmate",
    "patient",
    "resident",
    "passenger",
    "lady",
];
/// Words behind them that lead to what they have.
const HAVING: [&str; 7] = ["with", "who", "whos", "having", "that", "has", "had"];
/// How many words before somebody it is said that one was near, and how many what he has may reach.
const BEFORE: usize = 4;
const REACH: usize = 6;

impl Scopes {
    /// Marks what somebody has whom the patient was near.
    pub(super) fn find_contacts(&mut self, tokens: &[Token], layout: &Layout) {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        for at in (0..tokens.len()).filter(|at| PEOPLE.contains(&word(*at)) && HAVING.contains(&word(at + 1))) {
            let begin = at.saturating_sub(BEFORE).max(layout.sentence(at).first);
            let is_near = |before: usize| {
                NEAR_ONE.contains(&word(before)) || NEAR.iter().any(|near| near[0] == word(before) && near[1] == word(before + 1))
            };
            if !(begin..at).any(is_near) {
                continue;
            }
            let last = layout.sentence(at).last.min(at + 2 + REACH);
            let end = (at + 3..last).find(|next| tokens.get(*next).is_some_and(|token| token.after_break)).unwrap_or(last);
            self.mark(at + 2..end, |marks| marks.family = true);
        }
    }
}

/// Whether an entity of this name is such a contact.
pub(super) fn is_contact(name: &str) -> bool {
    name.starts_with(CONTACT)
}

/// Adds the contacts that the graph knows with what others are told to have. `is_corrected`: whether the doctor has decided on an item of this name.
pub(crate) fn add_contacts(case: &mut Case, graph: &EvolvingGraph, is_corrected: impl Fn(&str) -> bool) {
    let of_others = case.findings.iter().filter(|finding| finding.status == FindingStatus::FamilyHistory);
    let contacts: Vec<CaseCondition> = of_others
        .filter_map(|finding| {
            let name = format!("{CONTACT}{}", finding.entity.as_deref()?.to_lowercase());
            let known = case.conditions.iter().any(|condition| condition.entity.as_deref() == Some(name.as_str()));
            graph.find(&name).filter(|_| !known && !is_corrected(&name))?;
            Some(CaseCondition {
                entity: Some(name),
                text: finding.text.clone(),
                status: ConditionStatus::Known,
                start: finding.start,
                end: finding.end,
            })
        })
        .collect();
    case.conditions.extend(contacts);
    case.conditions.sort_by_key(|condition| condition.start);
}
