//! Whether a question wants to know what the patient has, or only what to do about something that it names.

use super::evidence::{explains, present, urgency_of};
use crate::graph::{EntityId, Role, qualifier_keys as keys};
use crate::language::knowledge::{Knowledge, named};
use crate::pipeline::understand::unknown::is_unfamiliar;
use crate::run::{AskKind, Case, CaseAsk, CaseFinding, ConditionStatus, DrugStatus, FindingStatus, LikelyKind, NotUnderstood, Severity};
use crate::text::tokenise;

/// So many findings can be judged without what somebody thinks that they are.
const ENOUGH_TO_JUDGE: usize = 2;

impl Case {
    /// Whether care is asked for, of nothing that the question names.
    pub(super) fn asks_for_care(&self) -> bool {
        let is_care = |kind| matches!(kind, AskKind::Tests | AskKind::Treatment | AskKind::Dose | AskKind::Prognosis | AskKind::Other);
        let is_safety = |kind| matches!(kind, AskKind::Safety | AskKind::Interactions | AskKind::SideEffects);
        self.asks.iter().any(|ask| is_care(ask.kind))
            && self.asks.iter().all(|ask| !is_safety(ask.kind) && (!is_care(ask.kind) || self.is_of_nothing_else(ask)))
    }

    /// Whether the question wants to know what the patient has: it asks so, or tells of findings and asks for nothing.
    pub(crate) fn seeks_diagnosis(&self) -> bool {
        let asks = self.asks_what_it_is();
        let perhaps = self.findings.iter().any(|finding| finding.status == FindingStatus::Uncertain);
        asks || ((perhaps || self.tells_of_now()) && self.is_about_nothing_named())
    }

    /// Whether the case tells of something that is there.
    pub(crate) fn tells_of_now(&self) -> bool {
        let is_there = |finding: &CaseFinding| finding.status == FindingStatus::Present;
        self.findings.iter().any(is_there) || self.results.iter().any(|result| result.finding.is_some())
    }

    /// Whether the question asks in so many words what it is or what it comes from.
    pub(crate) fn asks_what_it_is(&self) -> bool {
        self.asks.iter().any(|ask| matches!(ask.kind, AskKind::Diagnosis | AskKind::Causes))
    }

    /// Whether the question wants to know what the patient has, or asks for care and names nothing that the patient has.
    pub(crate) fn leaves_open_what_it_is(&self) -> bool {
        self.seeks_diagnosis() || self.is_about_nothing_named()
    }

    /// Whether an ask names nothing but some of several findings that are told: "tests for a swollen, painful calf" asks what they are a sign of.
    fn is_of_nothing_else(&self, ask: &CaseAsk) -> bool {
        let told = |name: &String| self.findings.iter().any(|f| f.status == FindingStatus::Present && f.entity.as_ref() == Some(name));
        let is_known = |name: &String| self.conditions.iter().any(|c| c.entity.as_ref() == Some(name));
        let names_findings = || ask.of.iter().any(told) && ask.of.iter().all(|name| told(name) || is_known(name));
        ask.of.is_empty() || (self.findings.len() + self.results.len() > 1 && names_findings())
    }

    /// Whether nothing that is asked is about something named: the question can only mean what the findings are a sign of.
    fn is_about_nothing_named(&self) -> bool {
        let is_care = |kind| matches!(kind, AskKind::Tests | AskKind::Treatment | AskKind::Prognosis | AskKind::Other);
        // What somebody merely thinks of is not what the patient has, where enough is told to judge by: "sure it's a stroke. Test?"
        let is_there = |finding: &&CaseFinding| matches!(finding.status, FindingStatus::Present | FindingStatus::Uncertain);
        let is_judged = self.findings.iter().filter(is_there).count() >= ENOUGH_TO_JUDGE;
        let now = |status| status == ConditionStatus::Known || (status == ConditionStatus::Suspected && !is_judged);
        let mut asks = self.asks.iter().filter(|ask| !self.is_of_waiting(ask)).peekable();
        let asks_nothing = asks.peek().is_none();
        asks.all(|ask| is_care(ask.kind) && self.is_of_nothing_else(ask))
            && (asks_nothing || !self.conditions.iter().any(|condition| now(condition.status)))
    }

    /// Whether an ask for safety is of nothing that could be checked: "flashes since last night, is it all right to wait till Monday?" asks
    /// what the findings are a sign of. A word that nobody knows may be the drug.
    fn is_of_waiting(&self, ask: &CaseAsk) -> bool {
        let is_new = |word: &NotUnderstood| {
            !word.passage && word.likely == Some(LikelyKind::Other) && tokenise(&word.text).iter().any(is_unfamiliar)
        };
        let may_be_drug = |word: &NotUnderstood| word.subject || word.likely == Some(LikelyKind::Drug) || is_new(word);
        ask.kind == AskKind::Safety
            && ask.of.is_empty()
            && self.drugs.iter().all(|drug| drug.status == DrugStatus::Allergic)
            && !self.not_understood.iter().any(may_be_drug)
    }
}

/// Whether a text that asks for nothing, or only for care, names what the patient has (`conditions`), and tells nothing that this leaves open: "twisted my ankle, swollen, can walk"
/// wants to know what to do about the ankle, not what else may swell it. A finding is accounted for if a condition shows itself by it or comes from it, or
/// if it is what the patient is (`is_state`); what a drug in use does to the patient is another illness. Nothing is settled where a finding or what is named is dangerous or severe, where a
/// drug is told of or something was not understood, or where an emergency that comes of what is named, or is a kind of it, would explain a finding, too: anaphylaxis, in
/// a food allergy with wheals. What is merely urgent counts, too, but beside a small acute illness only where it explains what the named one does not: a blocked nose in a cold is no sinusitis.
pub(super) fn names_what_it_is(knowledge: &Knowledge, case: &Case, conditions: &[EntityId], is_state: &dyn Fn(&EntityId) -> bool) -> bool {
    let find = |name: &Option<String>| name.as_deref().and_then(|name| named(&knowledge.graph, name, ""));
    let is_dangerous = |entity: EntityId| matches!(urgency_of(knowledge, entity), Some("emergency" | "urgent"));
    let told = case.findings.iter().filter(|finding| matches!(finding.status, FindingStatus::Present | FindingStatus::Uncertain));
    let is_calm = told.filter_map(|finding| find(&finding.entity)).all(|finding| !is_dangerous(finding))
        && case.results.iter().all(|result| !result.critical)
        && !conditions.iter().any(|condition| urgency_of(knowledge, *condition) == Some("emergency"));
    let comes_from = |condition: EntityId, finding: EntityId| {
        knowledge.facts().states(condition, finding, |role| matches!(role, Role::Cause | Role::RiskFactor))
    };
    let is_accounted_for = |finding: &EntityId| {
        is_state(finding)
            || conditions.iter().any(|condition| explains(knowledge, *condition, *finding) || comes_from(*condition, *finding))
    };
    let present = present(knowledge, case);
    let facts = knowledge.facts();
    let turns_into = |condition: EntityId| {
        let owners = [Role::Cause, Role::RiskFactor, Role::Broader].into_iter().flat_map(move |role| facts.owners_of_role(condition, role));
        owners.chain(facts.players_of_role(condition, Role::Complication))
    };
    // A cold is small; a cellulitis is urgent itself, and a diabetes stays: what may come of them is looked for.
    let is_acute = |condition: EntityId| knowledge.graph.attributes(condition).get(keys::ONSET) == Some("acute");
    let is_small = conditions.iter().all(|condition| is_acute(*condition) && !is_dangerous(*condition));
    let is_explained = |finding: &EntityId| conditions.iter().any(|condition| explains(knowledge, *condition, *finding));
    let is_worse = |other: EntityId| {
        let is_emergency = urgency_of(knowledge, other) == Some("emergency");
        let speaks_for_it =
            |finding: &EntityId| explains(knowledge, other, *finding) && (is_emergency || !is_small || !is_explained(finding));
        is_dangerous(other) && !conditions.contains(&other) && present.iter().any(speaks_for_it)
    };
    let may_be_worse = conditions.iter().any(|condition| turns_into(*condition).any(is_worse));
    let is_severe = case.findings.iter().any(|finding| finding.severity == Some(Severity::Severe));
    // "Football" and "walk" say nothing; a clause that was not read, or a word that may be a drug or an illness, does.
    let is_unread = case.not_understood.iter().any(|word| word.passage || word.likely.is_some());
    let is_open = may_be_worse || is_severe || is_unread || !case.drugs.is_empty();
    let mut ill = conditions.iter().filter(|condition| !is_state(condition));
    (case.asks.is_empty() || case.asks_for_care()) && ill.next().is_some() && is_calm && !is_open && present.iter().all(is_accounted_for)
}
