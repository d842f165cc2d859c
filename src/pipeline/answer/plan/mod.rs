//! The plan of an answer: which lines it has, in their fixed order, and the chains that prove each of them.
//!
//! The order is that of urgency and safety, not of scores: emergency, how the question was read, what was not understood, stored
//! interactions and contraindications, the sentence that answers the question, then the details in the order asked. The plan is made
//! from the case, the assessment and the graph before chains are chosen; [`super::compose`] then cites the kept chains.

mod after_failure;
mod after_procedures;
mod alarm;
mod alarm_reasons;
mod alone;
mod audience;
mod behind_pressure;
mod beware;
mod by_role;
mod calmed;
mod care;
mod causes;
mod clauses;
mod conditional;
mod conditions;
mod details;
mod explained_away;
mod instability;
mod instead;
mod masking;
mod of_life;
mod operations;
mod pinned;
mod prevention;
mod proof;
mod safety_net;
mod side_effects;
mod skin_reaction;
mod stopping;
mod subjects;
mod summary;
pub(crate) mod taken_twice;
pub(crate) mod together;
mod topics;
mod turned;
mod unasked;
mod unspecific;
pub(crate) mod urgency;
mod using;
mod value_bands;
pub(crate) mod warned_before;
mod withheld;

use std::collections::BTreeSet;

use self::clauses::Clauses;
use self::together::StatedTogether;
use super::compose::states;
use super::wording::Wording;
use crate::graph::{Chain, EntityId, Role};
use crate::language::knowledge::{Knowledge, named};
use crate::pipeline::differential::assess::Assessment;
use crate::pipeline::differential::evidence::{CaseEvidence, Standing, urgency_of};
use crate::pipeline::understand::after_procedure::AfterProcedure;
use crate::pipeline::understand::past_treatment::PastTreatment;
use crate::pipeline::understand::topics::ToldTopic;
use crate::pipeline::understand::unnamed::Unnamed;
use crate::pipeline::understand::using::UseTopic;
use crate::run::event::AnswerPart;
use crate::run::{AskKind, Case, FindingStatus, Urgency};

/// The most lines of details; lines about safety and lists that were asked for do not count.
const DETAILS: usize = 8;
/// The most entities that are named as also in the evidence.
const MORE: usize = 12;

/// A line of the answer before its citations.
#[derive(Debug, Clone)]
pub(crate) struct PlannedLine {
    pub(crate) part: AnswerPart,
    /// The entity that it states, first of all.
    pub(crate) entity: Option<EntityId>,
    /// Another entity that it states as a result (the other side of an interaction).
    pub(crate) other: Option<EntityId>,
    pub(crate) role: Option<Role>,
    /// The condition that a test or treatment is for.
    pub(crate) subject: Option<EntityId>,
    pub(crate) text: String,
    /// Chains that prove it. A line with none is no claim about the graph.
    pub(crate) proofs: Vec<Chain>,
    /// Where it states results that may stand together: each with its own proof.
    pub(crate) together: Option<StatedTogether>,
    /// Where it names several entities, each with its own proofs, besides what it states.
    pub(crate) clauses: Option<Clauses>,
    /// Whether what it offers needs care that it tells of.
    pub(crate) needs_care: bool,
}

impl PlannedLine {
    /// A line that states no entity.
    pub(crate) fn saying(part: AnswerPart, text: String) -> Self {
        Self {
            part,
            entity: None,
            other: None,
            role: None,
            subject: None,
            text,
            proofs: Vec::new(),
            together: None,
            clauses: None,
            needs_care: false,
        }
    }

    /// A line of clauses, each proven by itself.
    fn proven_by_clause(part: AnswerPart, clauses: Clauses) -> Self {
        let (proofs, text) = (clauses.proofs(), clauses.text(&|_: &Chain| true));
        Self { proofs, clauses: Some(clauses), ..Self::saying(part, text) }
    }

    /// The entities that it states.
    fn entities(&self) -> impl Iterator<Item = EntityId> {
        let together = self.together.iter().flat_map(|together| together.items.iter().map(|item| item.entity));
        [self.entity, self.other].into_iter().flatten().chain(together)
    }
}

/// What to say beside a treatment that is offered with care.
#[derive(Debug, Clone)]
pub(crate) struct Caution {
    /// Why.
    pub(crate) text: String,
    /// The chains that state it.
    pub(crate) proofs: Vec<Chain>,
    /// Whether it is so serious that other treatments come first.
    pub(crate) is_serious: bool,
    /// Whether it is a relative contraindication …
    pub(crate) is_relative: bool,
    /// … in this state, or with this drug.
    pub(crate) against: EntityId,
    /// Whether it is only about kinds of what is offered: of an anticoagulant, dabigatran.
    pub(crate) is_of_kinds: bool,
}

/// What the safety pass says, ready to be stated.
#[derive(Default)]
pub(crate) struct PlannedSafety<'a> {
    /// Stored statements about the case, worst first, and sentences about pairs without one.
    pub(crate) lines: Vec<PlannedLine>,
    /// Those about drugs that are given together in an illness of the patient, where its treatment is asked for: said behind it.
    pub(crate) standard: Vec<PlannedLine>,
    /// Complete lists that the question asks for.
    pub(crate) lists: Vec<PlannedLine>,
    /// Whether of one of them only the most serious is said.
    pub(crate) is_cut: bool,
    /// Whether a treatment must not be offered for this case.
    pub(crate) forbids: Option<&'a dyn Fn(EntityId) -> bool>,
    /// Whether a treatment that must not be offered is contraindicated whatever else holds.
    pub(crate) is_absolute: Option<&'a dyn Fn(EntityId) -> bool>,
    /// What to say beside a treatment that is offered with care; `None` if nothing.
    pub(crate) caution: Option<&'a dyn Fn(EntityId) -> Option<Caution>>,
    /// Why a treatment must not be offered for this case; `None` if it may be.
    pub(crate) withheld: Option<&'a dyn Fn(EntityId) -> Option<PlannedLine>>,
}

/// What a plan is made from.
pub(crate) struct PlanInput<'a> {
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) case: &'a Case,
    pub(crate) evidence: &'a CaseEvidence,
    pub(crate) assessment: &'a Assessment,
    pub(crate) urgency: &'a Urgency,
    /// The condition because of which the case is an emergency.
    pub(crate) emergency: Option<EntityId>,
    pub(crate) safety: &'a PlannedSafety<'a>,
    pub(crate) wording: &'static Wording,
    /// Whether the question asks what a condition shows itself by.
    pub(crate) asks_for_signs: bool,
    /// Whether the patient is treated in hospital already.
    pub(crate) in_hospital: bool,
    /// What went wrong after a procedure.
    pub(crate) after_procedure: &'a [AfterProcedure],
    /// What it points at without naming it.
    pub(crate) unnamed: Option<Unnamed>,
    /// The kinds of drugs that the question asks for.
    pub(crate) wanted: &'a [EntityId],
    /// The drugs for which the question wants another: they are not offered.
    pub(crate) replaced: &'a [EntityId],
    /// The drugs that it says have failed, and those that it says are not tolerated.
    pub(crate) failed: &'a [EntityId],
    pub(crate) not_tolerated: &'a [EntityId],
    /// The states of allergies with a severe reaction.
    pub(crate) severe_allergies: &'a [EntityId],
    /// What the question says of the treatment so far.
    pub(crate) past_treatment: PastTreatment,
    /// Drugs of which the question asks what happens if they are stopped.
    pub(crate) stopping: &'a [EntityId],
    /// The same, whatever else the question tells.
    pub(crate) stopping_beside: &'a [EntityId],
    /// What the question asks about using drugs.
    pub(crate) using: &'a [(UseTopic, Vec<EntityId>)],
    /// What the graph tells of topics that the question asks about.
    pub(crate) topics: &'a [ToldTopic],
    /// Topics that it asks about without naming of what.
    pub(crate) open_topics: &'a [&'static str],
    /// Entities that the question names, in its order.
    pub(crate) of_question: &'a [EntityId],
    /// What ratings of answers to questions like this one asked for, and what the question itself is about: what is said of what. It has a
    /// place in its list, wherever it ranks.
    pub(crate) preferred: &'a [(EntityId, Role, EntityId)],
    /// Those of them that ratings asked for: what they state is said.
    pub(crate) remembered: &'a [(EntityId, Role, EntityId)],
    /// Chains that the doctor pinned: what they state is said.
    pub(crate) pinned: &'a [Chain],
}

/// A planned answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    /// Its lines, in order.
    pub(crate) lines: Vec<PlannedLine>,
    /// What else the evidence holds.
    pub(crate) more: Vec<EntityId>,
    /// Chains that the doctor rejected, and those that are pinned in spite of it.
    pub(crate) rejected: Vec<Chain>,
    pub(crate) pinned: Vec<Chain>,
}

impl Plan {
    /// The plan of an answer. If the question is refused, it holds only what must be said all the same.
    pub(crate) fn of(input: &PlanInput<'_>) -> Self {
        let mut lines: Vec<PlannedLine> = Vec::new();
        lines.extend(summary::emergency(input));
        lines.extend(summary::read_as(input));
        lines.extend(summary::not_understood(input));
        let masking_lines = if input.case.refusal.is_none() { masking::lines(input) } else { Vec::new() };
        let is_put_off = !masking_lines.is_empty();
        lines.extend(masking_lines);
        lines.extend(input.safety.lines.iter().cloned());
        let stopping = stopping::lines(input);
        let using = if input.case.refusal.is_none() { using::lines(input) } else { Vec::new() };
        let topics = topics::lines(input);
        let is_all_told = topics::is_all(input);
        let is_about_value = after_procedures::is_all(input) || value_bands::is_all(input) || (is_all_told && topics::tells_of_scan(input));
        let is_about_use = !stopping.is_empty() || !using.is_empty() || topics::replaces(input) || is_about_value;
        // What is told of a topic hides nothing that must not wait.
        let leaves_urgent = stopping.is_empty() && using.is_empty() && !is_about_value && topics::leaves_urgent(input);
        lines.extend(after_procedures::lines(input));
        lines.extend(stopping);
        lines.extend(using);
        lines.extend(topics);
        let mut of_values = if input.case.refusal.is_none() { value_bands::lines(input) } else { Vec::new() };
        if !is_about_value {
            lines.append(&mut of_values);
        }
        if let Some(refusal) = &input.case.refusal {
            lines.extend(input.safety.standard.iter().cloned());
            lines.extend(summary::refusal(input, refusal));
            return Self { lines, ..Self::default() };
        }
        let mut details = details::of(input, is_put_off);
        // Who tells of no complaint and asks how to take an antibiotic does not ask what he has. Nor does who only asks how much of a drug to give.
        let is_about_dose = summary::asks_only_for_dose(input);
        let is_about_use = is_about_use || is_about_dose;
        if is_about_dose || is_all_told || is_about_use && input.findings().is_empty() && input.case.conditions.is_empty() {
            details.clear();
        }
        // Which drug may have done it belongs to what a value means.
        if is_about_value {
            details.retain(|line| line.part == AnswerPart::Cautions);
        }
        let is_silent = details.is_empty() && !is_about_value && input.safety.lines.is_empty() && input.safety.lists.is_empty();
        let is_left_out = !is_about_use && details::leaves_out_emergency(input, &details);
        let is_related = (is_silent && (!is_about_use || (leaves_urgent && !is_about_dose))) || (is_left_out && details.is_empty());
        if is_related || is_left_out {
            details.splice(0..0, details::related(input));
        }
        // Asked about stopping or using a drug, nobody wants all that it must not be given with.
        let is_list_asked = [AskKind::Interactions, AskKind::Contraindications, AskKind::SideEffects].iter().any(|kind| input.asks(*kind));
        let listed: Vec<PlannedLine> = if is_about_use && !is_list_asked { Vec::new() } else { input.safety.lists.clone() };
        let left_out = details::left_out(input, &details);
        lines.extend(left_out.into_iter().filter(|line| lines.iter().all(|told| told.text != line.text)).collect::<Vec<_>>());
        details.extend(instead::lines(input, &details));
        let unasked = if is_related || is_left_out || is_about_dose || is_about_value { None } else { unasked::condition(input) };
        if let Some(condition) = unasked {
            details.extend(unasked::lines(input, condition, &details));
        }
        let is_related = is_related && !details.is_empty();
        let accident = care::accident(input).filter(|_| details.is_empty());
        let said = match is_related {
            _ if accident.is_some() => None,
            true => summary::only_related(input),
            false if details.is_empty() && is_about_use || is_about_value => None,
            false => summary::sentence(input, &details, listed.iter().filter(|line| !line.proofs.is_empty()).count()),
        };
        // Whether to take two after a missed dose is no question of how much.
        let no_doses =
            summary::no_doses(input).filter(|_| !input.using.iter().any(|(topic, _)| matches!(topic, UseTopic::Missed | UseTopic::Twice)));
        lines.extend(unspecific::line(input).filter(|_| said.is_some() && !is_related));
        lines.extend(said.into_iter().chain(no_doses));
        lines.extend(listed);
        let care = care::line(input, &details, (is_related || is_left_out, unasked)).filter(|_| !is_about_value).or(accident);
        let mut details = together::joined(details);
        let of_side_effects = side_effects::lines(input, &details);
        // Behind what it is and the drugs that may have caused it, before the tests and treatments for it.
        let place = details.iter().rposition(|line| line.part == AnswerPart::Conditions).map_or(0, |last| last + 1);
        let is_drug = |line: &&PlannedLine| line.part == AnswerPart::Cautions && line.role == Some(Role::AdverseEffect);
        let place = place + details.iter().skip(place).take_while(is_drug).count();
        let cared_for = care::subject(input, &details, (is_related || is_left_out, unasked)).filter(|_| !is_about_dose && !is_about_value);
        let decided = topics::decisions(input, cared_for);
        let (beware, of_beware) = beware::lines(input, &details, cared_for);
        // Of what the traps name and the case forbids, why it does, unless that stands above.
        let is_safety = |line: &&PlannedLine| line.part == AnswerPart::Safety;
        let warned: BTreeSet<EntityId> = lines.iter().filter(is_safety).flat_map(PlannedLine::entities).collect();
        lines.extend(of_beware.into_iter().filter(|line| line.entity.is_none_or(|drug| !warned.contains(&drug))));
        details.splice(
            place..place,
            of_values.into_iter().chain(decided).chain(care).chain(beware).chain(of_side_effects).chain(safety_net::lines(input)),
        );
        let mut more: Vec<EntityId> = details.iter().skip(DETAILS).flat_map(PlannedLine::entities).collect();
        details.truncate(DETAILS);
        lines.extend(details);
        lines.extend(input.safety.standard.iter().cloned());
        pinned::add_remembered(input, &mut lines);
        pinned::add(input, &mut lines);
        let visible: BTreeSet<EntityId> = lines.iter().flat_map(PlannedLine::entities).collect();
        more.extend(conditions::further(input).into_iter().filter(|_| !is_about_dose && !is_about_value));
        let mut seen = visible;
        more.retain(|entity| seen.insert(*entity));
        more.truncate(MORE);
        Self { lines, more, rejected: Vec::new(), pinned: input.pinned.to_vec() }
    }

    /// Whether the doctor rejected what a proof states: then no longer chain that happens to state it, too, stands in for it. What is
    /// pinned as a whole holds.
    pub(crate) fn is_rejected(&self, proof: &Chain) -> bool {
        let is_pinned = || self.pinned.iter().any(|pinned| pinned.len() == proof.len() && states(pinned, proof));
        self.rejected.iter().any(|rejected| states(proof, rejected)) && !is_pinned()
    }

    /// The chains that its lines rest on, in their order.
    pub(crate) fn proofs(&self) -> impl Iterator<Item = &Chain> {
        self.lines.iter().flat_map(|line| &line.proofs)
    }
}

impl PlanInput<'_> {
    /// Whether a drug of the case accounts for all of it, and nothing that is told is dangerous by itself: then a condition that fits as
    /// well is no reason to hurry.
    pub(crate) fn is_by_drug(&self) -> bool {
        let is_dangerous = |finding: &EntityId| matches!(urgency_of(self.knowledge, *finding), Some("emergency" | "urgent"));
        !self.findings().iter().any(is_dangerous) && causes::drug_explaining_all(self).is_some()
    }

    /// Whether a drug in use is stated to cause a condition.
    pub(crate) fn is_of_drug_in_use(&self, condition: EntityId) -> bool {
        causes::is_of_drug_in_use(self, condition)
    }

    /// Of what a drug that leads is stated to cause, a listed condition that must not wait.
    pub(crate) fn danger_of_drug(&self) -> Option<EntityId> {
        causes::danger_of_drug(self)
    }

    /// The entity of a name of the case.
    fn entity(&self, name: &str) -> Option<EntityId> {
        named(&self.knowledge.graph, name, "")
    }

    /// The entity's name in the language of the question, with the graph's name where that differs.
    fn shown(&self, entity: EntityId) -> String {
        self.wording.name_with_original(&self.knowledge.graph, entity)
    }

    /// The findings and abnormal results that are present, in the order of the question.
    fn findings(&self) -> Vec<EntityId> {
        let present = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
        let findings = self.case.findings.iter().filter(|finding| present(finding.status));
        let findings = findings.filter_map(|finding| Some((finding.start, finding.entity.as_deref()?)));
        let results = self.case.results.iter().filter_map(|result| Some((result.start, result.finding.as_deref()?)));
        let mut all: Vec<(usize, &str)> = findings.chain(results).collect();
        all.sort_by_key(|(start, _)| *start);
        let mut entities: Vec<EntityId> = all.into_iter().filter_map(|(_, name)| self.entity(name)).collect();
        if entities.is_empty() && self.evidence.seeks_diagnosis {
            // Of a condition alone it is asked what it is a sign of.
            let named = self.case.conditions.iter().filter_map(|condition| self.entity(condition.entity.as_deref()?));
            entities = named.filter(|entity| self.evidence.standing(*entity) == Standing::Finding).collect();
        }
        let mut seen = BTreeSet::new();
        entities.retain(|entity| seen.insert(*entity));
        entities
    }

    /// Whether something is asked.
    fn asks(&self, kind: AskKind) -> bool {
        self.case.asks.iter().any(|ask| ask.kind == kind)
    }

    fn is_forbidden(&self, drug: EntityId) -> bool {
        self.safety.forbids.is_some_and(|forbids| forbids(drug))
    }
}
