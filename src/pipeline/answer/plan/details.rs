//! The details of an answer: for each thing asked, in the order asked, what the graph states about its subject.

use std::collections::BTreeSet;

use super::conditional::is_unmet;
use super::proof::proof_of;
use super::together::{StatedItem, StatedTogether};
use super::{Caution, PlanInput, PlannedLine, causes, conditions, instead, subjects, summary, withheld};
use crate::graph::{EntityId, Kind, Role, classes_of};
use crate::pipeline::differential::assess::Ranking;
use crate::run::event::AnswerPart;
use crate::run::{AskKind, CaseAsk, ConditionStatus, UrgencyLevel};

/// The most results of the one thing asked …
const ASKED: usize = 8;
/// … of each of several things asked …
const ASKED_WITH_OTHERS: usize = 6;
/// … and of what belongs to the leading condition without being asked.
const BESIDE: usize = 4;
/// The most conditions that are named before the care that was asked for.
const CONDITIONS_BESIDE: usize = 2;
/// The most causes of a single finding beyond the conditions of the differential.
const FURTHER_CAUSES: usize = 3;
/// The most treatments of which it is said that the case forbids them.
const LEFT_OUT: usize = 2;
/// The most that are looked at for a place in a list.
const CONSIDERED: usize = 60;

/// The lines of details; those beyond the most that are shown come last.
pub(super) fn of(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let mut lines: Vec<PlannedLine> = Vec::new();
    // What the findings are a sign of comes before the care for it, in whatever order both were asked for.
    let mut asks: Vec<&CaseAsk> = input.case.asks.iter().collect();
    asks.sort_by_key(|ask| !(input.evidence.seeks_diagnosis && ask.kind == AskKind::Diagnosis));
    let most = if asks.len() > 1 { ASKED_WITH_OTHERS } else { ASKED };
    let diagnoses = input.evidence.seeks_diagnosis;
    let leading = subjects::conditions(input);
    // What a drug may have caused comes first, but behind the conditions where these are asked for and a new drug is not enough to explain it.
    let by_new_drug = causes::drug_explaining_all(input).is_some();
    if !diagnoses || by_new_drug {
        lines.extend(causes::of_drugs(input, true));
        lines.extend(causes::of_drugs(input, false));
    }
    // Where findings are told and care is asked for, what they are a sign of comes first, but leaves room for the care.
    if diagnoses && !asks.iter().any(|ask| matches!(ask.kind, AskKind::Diagnosis | AskKind::Causes)) {
        let most = if asks.is_empty() { usize::MAX } else { CONDITIONS_BESIDE };
        lines.extend(conditions::lines(input).into_iter().take(most));
    }
    let is_pressing = diagnoses && input.urgency.level == Some(UrgencyLevel::Emergency);
    let mut later = Vec::new();
    for ask in asks.iter().copied() {
        match ask.kind {
            AskKind::Diagnosis => {
                let most = if asks.len() > 2 { CONDITIONS_BESIDE } else { usize::MAX };
                lines.extend(conditions::lines(input).into_iter().take(most));
            }
            AskKind::Causes => {
                let of = subjects::of_ask(input, Some(ask));
                let asked = ask.of.iter().filter_map(|name| input.entity(name)).count();
                if asked == 0 || input.findings().len() > 1 {
                    let named = conditions::lines(input);
                    let more = match input.findings().as_slice() {
                        [finding] => causes::further(input, *finding, &named, FURTHER_CAUSES),
                        _ => Vec::new(),
                    };
                    lines.extend(named.into_iter().chain(more));
                } else {
                    lines.extend(of.first().into_iter().flat_map(|of| causes::lines(input, *of, most)));
                }
            }
            AskKind::Tests => lines.extend(asked_tests(input, ask, most)),
            AskKind::Treatment | AskKind::Dose => {
                // What a drug was meant for that the case rules out needs another treatment first of all.
                let mut subjects = subjects::of_ask(input, Some(ask));
                let untreated = instead::treated_by_ruled_out(input);
                subjects.sort_by_key(|subject| !untreated.contains(subject));
                lines.extend(treatments(input, &subjects, most));
            }
            // What is there now comes before what is to be prevented.
            AskKind::Prevention if is_pressing => later.extend(prevention(input, ask, most)),
            AskKind::Prevention => lines.extend(prevention(input, ask, most)),
            AskKind::Monitoring => lines.extend(monitoring(input, ask, most)),
            AskKind::Prognosis => lines.extend(prognosis(input, ask, most)),
            AskKind::Other => lines.extend(overview(input)),
            AskKind::Contraindications => lines.extend(withheld::lines(input, ask)),
            // Answered by the safety pass.
            AskKind::Safety | AskKind::Interactions | AskKind::SideEffects => {}
        }
    }
    // "Is shingles contagious?", "How is coeliac disease confirmed?": of a condition that is named without a patient, what is known is told.
    let is_of_nobody = lines.is_empty() && asks.iter().all(|ask| ask.kind == AskKind::Diagnosis) && input.findings().is_empty();
    if (asks.is_empty() && !diagnoses) || is_of_nobody {
        lines.extend(overview(input));
    }
    if diagnoses {
        // A drug that may have caused as much stands beside what leads; others come later.
        let first = lines.iter().position(|line| line.part == AnswerPart::Conditions && line.role.is_none());
        if let Some(first) = first.filter(|_| !by_new_drug) {
            lines.splice(first + 1..first + 1, causes::beside(input));
        }
        lines.extend(causes::of_drugs(input, true));
        lines.extend(causes::of_drugs(input, false));
    }
    if diagnoses && lines.iter().any(|line| line.part == AnswerPart::Conditions) {
        if !input.asks(AskKind::Tests) {
            lines.extend(tests(input, &leading, BESIDE + 1));
        }
        // Where several fit one finding as well, nobody is treated for the first of them.
        let is_led = summary::is_led(input) || leading.iter().any(|condition| input.of_question.contains(condition));
        if !input.asks(AskKind::Treatment) && is_led {
            lines.extend(treatments(input, &leading, BESIDE));
        }
    }
    lines.extend(later);
    // Where nothing can be said of what it may be, what the patient is known to have is looked after.
    if lines.is_empty() && diagnoses && asks.is_empty() {
        lines.extend(of_known(input));
    }
    let mut seen = BTreeSet::new();
    lines.retain(|line| line.entity.is_none_or(|entity| seen.insert((line.part, entity))));
    lines
}

/// What is known of the entities that a question merely names.
fn overview(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let subjects = subjects::conditions(input);
    let mut lines = tests(input, &subjects, BESIDE + 1);
    lines.extend(treatments(input, &subjects, BESIDE + 1));
    lines
}

/// What is known of the conditions that the patient has now.
fn of_known(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let known = input.case.conditions.iter().filter(|condition| condition.status == ConditionStatus::Known);
    let known = known.filter_map(|condition| input.entity(condition.entity.as_deref()?));
    let subjects: Vec<EntityId> = known.filter(|entity| input.knowledge.is_condition(*entity)).collect();
    let mut lines = tests(input, &subjects, BESIDE + 1);
    lines.extend(treatments(input, &subjects, BESIDE + 1));
    lines
}

/// Tests of the subjects, the best first.
fn tests(input: &PlanInput<'_>, subjects: &[EntityId], most: usize) -> Vec<PlannedLine> {
    let done: BTreeSet<EntityId> = input.case.results.iter().filter_map(|result| input.entity(&result.test)).collect();
    let is_done = |test: EntityId| done.contains(&test);
    by_role(input, subjects, AnswerPart::Tests, &[Role::Test], &input.assessment.tests, most, &is_done)
}

/// Tests that were asked for: those of the leading condition, but the last place is for one that the next condition needs.
fn asked_tests(input: &PlanInput<'_>, ask: &CaseAsk, most: usize) -> Vec<PlannedLine> {
    let subjects = subjects::of_ask(input, Some(ask));
    let mut lines = tests(input, &subjects, most);
    if !input.evidence.seeks_diagnosis {
        return lines;
    }
    let (named, missed) = conditions::differential(input);
    let others: Vec<EntityId> = named.iter().chain(&missed).map(|account| account.condition).filter(|c| !subjects.contains(c)).collect();
    let is_new = |line: &PlannedLine| !lines.iter().any(|known| known.entity == line.entity);
    let next: Vec<PlannedLine> = others.iter().flat_map(|other| tests(input, &[*other], 2)).filter(is_new).take(2).collect();
    lines.truncate(most.saturating_sub(next.len()).max(2));
    lines.extend(next);
    lines.truncate(most);
    lines
}

/// Treatments of the subjects: first-line ones first. Nothing that the case forbids, and no drug that may have caused its findings.
fn treatments(input: &PlanInput<'_>, subjects: &[EntityId], most: usize) -> Vec<PlannedLine> {
    // Nobody is treated for what else a drug's effect could be. But an emergency is treated whatever has caused it, and so is what the
    // drug leads to.
    let is_meant =
        |drug: EntityId, subject: EntityId| input.of_question.contains(&subject) || causes::effects(input, drug).contains(&subject);
    let by_drug = causes::drug_explaining_all(input).filter(|_| input.urgency.level != Some(UrgencyLevel::Emergency));
    if by_drug.is_some_and(|drug| !subjects.iter().any(|subject| is_meant(drug, *subject))) {
        return Vec::new();
    }
    let culprits = causes::culprits(input);
    let is_out = |treatment: EntityId| culprits.contains(&treatment) || input.is_forbidden(treatment);
    let roles = [Role::FirstLine, Role::Treatment];
    by_role(input, subjects, AnswerPart::Treatments, &roles, &input.assessment.treatments, most, &is_out)
}

/// First-line treatments of what the listed treatments are for that the case forbids, or what prevents it where that is asked, each with
/// the reason: somebody who expects them must not think that they were forgotten.
pub(super) fn left_out(input: &PlanInput<'_>, details: &[PlannedLine]) -> Vec<PlannedLine> {
    let Some(withheld) = input.safety.withheld else { return Vec::new() };
    let care = details.iter().filter(|line| line.part == AnswerPart::Treatments);
    let mut subjects: Vec<EntityId> = care.filter_map(|line| line.subject).collect();
    if subjects.is_empty() && input.asks(AskKind::Treatment) {
        subjects = subjects::of_ask(input, input.case.asks.iter().find(|ask| ask.kind == AskKind::Treatment));
    }
    let facts = input.knowledge.facts();
    let mut seen: BTreeSet<EntityId> = input.safety.lines.iter().filter_map(|line| line.entity).collect();
    let mut treatments = Vec::new();
    for subject in subjects {
        let prevention = facts.players_of_role(subject, Role::Prevention).filter(|_| input.asks(AskKind::Prevention));
        let first = facts.players_of_role(subject, Role::FirstLine).chain(prevention).filter(|treatment| input.is_forbidden(*treatment));
        treatments.extend(first.filter(|treatment| seen.insert(*treatment)));
    }
    treatments.into_iter().filter_map(withheld).take(LEFT_OUT).collect()
}

fn prevention(input: &PlanInput<'_>, ask: &CaseAsk, most: usize) -> Vec<PlannedLine> {
    let subjects = prevented(input, ask);
    let is_out = |treatment: EntityId| input.is_forbidden(treatment);
    // "Which anticoagulant for stroke prevention in atrial fibrillation?": what treats the condition prevents what it leads to.
    let has = input.case.conditions.iter().filter(|condition| matches!(condition.status, ConditionStatus::Known));
    let has: Vec<EntityId> = has.filter_map(|condition| input.entity(condition.entity.as_deref()?)).collect();
    let leads_to = |condition: &EntityId| {
        let facts = input.knowledge.facts();
        subjects.iter().any(|goal| {
            goal != condition
                && (facts.states(*condition, *goal, |role| role == Role::Complication)
                    || facts.states(*goal, *condition, |role| matches!(role, Role::RiskFactor | Role::Cause)))
        })
    };
    let causes: Vec<EntityId> = has.into_iter().filter(leads_to).collect();
    if !causes.is_empty() {
        return treatments(input, &causes, most);
    }
    by_role(input, &subjects, AnswerPart::Treatments, &[Role::Prevention], &input.assessment.treatments, most, &is_out)
}

/// What is to be prevented. Where the ask names nothing, of several known conditions the one that is told first: the others are what the
/// patient has besides. "Migraine, six a month. Asthma. Kidney stones. Wants a preventer."
fn prevented(input: &PlanInput<'_>, ask: &CaseAsk) -> Vec<EntityId> {
    let facts = input.knowledge.facts();
    let mut known: Vec<_> = input.case.conditions.iter().filter(|condition| condition.status == ConditionStatus::Known).collect();
    known.sort_by_key(|condition| condition.start);
    let mut known = known.into_iter().filter_map(|condition| input.entity(condition.entity.as_deref()?));
    let first = known.find(|entity| facts.players_of_role(*entity, Role::Prevention).next().is_some());
    match first.filter(|_| ask.of.is_empty() && !input.evidence.seeks_diagnosis) {
        Some(first) => vec![first],
        None => subjects::of_ask(input, Some(ask)),
    }
}

fn monitoring(input: &PlanInput<'_>, ask: &CaseAsk, most: usize) -> Vec<PlannedLine> {
    let mut subjects = subjects::of_ask(input, Some(ask));
    if ask.of.is_empty() {
        let drugs = input.case.drugs.iter().filter_map(|drug| input.entity(drug.entity.as_deref()?));
        subjects.extend(drugs);
    }
    // Monitoring of a class holds for its members as a reminder, not as a fact about them: the class is named.
    let classes: Vec<EntityId> =
        subjects.iter().flat_map(|subject| input.knowledge.facts().players_of_role(*subject, Role::Broader)).collect();
    subjects.extend(classes);
    by_role(input, &subjects, AnswerPart::Tests, &[Role::Monitoring], &input.assessment.tests, most, &|_| false)
}

fn prognosis(input: &PlanInput<'_>, ask: &CaseAsk, most: usize) -> Vec<PlannedLine> {
    let subjects = subjects::of_ask(input, Some(ask));
    let none = Ranking::new();
    by_role(input, &subjects, AnswerPart::Conditions, &[Role::Complication], &none, most, &|_| false)
}

/// How many leading conditions are in sight.
const IN_SIGHT: usize = 6;

/// What may be listed, in the order in which it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// The number of its role among those looked for.
    place: usize,
    /// Its line of treatment (`line`): 0 for what is done first, 1 where nothing is stated, 2 for what is done later.
    line: u8,
    /// Whether it is no drug where a drug was asked for.
    is_other: bool,
    /// Its place in the assessment.
    rank: usize,
    /// Whether it is no drug; this matters only where the rank does not say.
    is_no_drug: bool,
    player: EntityId,
    role: Role,
    subject: EntityId,
}

/// Lines for what plays one of these roles for the subjects, by role, then by the assessment's order, then by name.
pub(super) fn by_role(
    input: &PlanInput<'_>,
    subjects: &[EntityId],
    part: AnswerPart,
    roles: &[Role],
    ranking: &Ranking,
    most: usize,
    is_out: &dyn Fn(EntityId) -> bool,
) -> Vec<PlannedLine> {
    let facts = input.knowledge.facts();
    let graph = &input.knowledge.graph;
    let rank = |entity: EntityId| ranking.iter().position(|(known, _)| *known == entity).unwrap_or(usize::MAX);
    let wants_drugs = part == AnswerPart::Treatments && input.asks(AskKind::Treatment);
    let is_drug = |player: EntityId| matches!(graph.kind(player), Kind::Drug | Kind::DrugClass);
    let mut players: Vec<Candidate> = Vec::new();
    let is_emergency = input.urgency.level == Some(UrgencyLevel::Emergency) && input.case.is_about_a_patient();
    for subject in &with_kinds(input, subjects, roles, is_out) {
        let is_wider = !subjects.contains(subject) && !is_kind_of_any(input, *subject, subjects);
        for (place, role) in roles.iter().enumerate() {
            // What holds for another kind of the wider condition, or for mild disease, is not for this patient.
            let is_for_others = |player: EntityId| {
                let when = qualifier(input, (*subject, player), *role, &["when"]);
                when.is_some_and(|when| is_wider || (is_emergency && is_for_mild(&when)) || is_unmet(input, &when))
            };
            let of_role = facts.players_of_role(*subject, *role).filter(|player| !is_out(*player) && !is_for_others(*player));
            let line = |player: EntityId| match qualifier(input, (*subject, player), *role, &["line"]).as_deref() {
                Some("first") => 0,
                Some("second" | "third") => 2,
                _ => 1,
            };
            players.extend(of_role.map(|player| Candidate {
                place,
                line: line(player),
                is_other: wants_drugs && !is_drug(player),
                rank: rank(player),
                is_no_drug: !is_drug(player),
                player,
                role: *role,
                subject: *subject,
            }));
        }
    }
    players.sort_unstable();
    let mut seen = BTreeSet::new();
    players.retain(|candidate| seen.insert(candidate.player));
    // What may be given without a caution comes before what needs one, and members of a class that is listed already come behind other
    // classes: three kinds of treatment help more than three of one kind.
    // A moderate interaction is a reason to watch, not to do what comes second.
    // Nor is what is said with care of the very condition that it is treated with first: a beta blocker where the heart fails.
    let is_of_subject = |of: &Candidate, caution: &Caution| {
        let is_wider = || classes_of(graph, of.subject).contains(&caution.against);
        of.role == Role::FirstLine && caution.is_relative && (caution.against == of.subject || is_wider())
    };
    let needs_care = |of: &Candidate| caution(input, of).is_some_and(|caution| caution.is_serious && !is_of_subject(of, &caution));
    // A class that is listed itself speaks for its members.
    let of_place: BTreeSet<(usize, EntityId)> = players.iter().map(|candidate| (candidate.place, candidate.player)).collect();
    let mut listed: BTreeSet<EntityId> = BTreeSet::new();
    let mut order: Vec<(bool, u8, bool, usize)> = Vec::new();
    let is_considered = |(at, candidate): &(usize, &Candidate)| *at < CONSIDERED || is_preferred(input, candidate);
    for (at, candidate) in players.iter().enumerate().filter(is_considered) {
        let Candidate { place, line, player, .. } = candidate;
        let classes: Vec<EntityId> = facts.players_of_role(*player, Role::Broader).collect();
        let is_spoken_for = classes.iter().any(|class| of_place.contains(&(*place, *class)));
        let repeats = is_spoken_for || classes.iter().any(|class| listed.contains(class)) || listed.contains(player);
        if !is_spoken_for {
            listed.extend(classes);
        }
        listed.insert(*player);
        order.push((part == AnswerPart::Treatments && needs_care(candidate), *line, repeats, at));
    }
    order.sort_unstable();
    let players: Vec<_> = order.into_iter().filter_map(|(.., at)| players.get(at).copied()).collect();
    let lines = with_preferred(input, players, most).into_iter().filter_map(|candidate| {
        let Candidate { player, role, subject, .. } = candidate;
        let proofs: Vec<_> = proof_of(input.knowledge, subject, player, |of| of == role).into_iter().take(1).collect();
        let others = [input.wording.name(graph, subject)];
        let plan = &input.wording.plan;
        let said = match role {
            Role::Complication => [&plan.complication_of, &plan.complications_of].map(|said| input.wording.fill(said, &others)),
            _ => [input.wording.role_line(role, &others), input.wording.roles_line(role, &others)],
        };
        let when = when(input, subject, player, role).map(|when| input.wording.fill(&plan.when, &[when])).unwrap_or_default();
        let line = |text: String| PlannedLine {
            entity: Some(player),
            role: Some(role),
            subject: Some(subject),
            proofs: proofs.clone(),
            ..PlannedLine::saying(part, text)
        };
        let shown = input.shown(player);
        let proof = *proofs.first()?;
        // What needs a caution stands alone.
        if let Some(caution) = caution(input, &candidate) {
            let caution = input.wording.fill(&plan.with_care, &[caution.text]);
            return Some(line(format!("{shown}{}{}{when}{caution}", input.wording.colon(), said[0])));
        }
        let items = vec![StatedItem { entity: player, shown: format!("{shown}{when}"), proof }];
        let together = StatedTogether { items, said, wording: input.wording };
        let text = format!("{shown}{}{}{when}", input.wording.colon(), together.said[0]);
        Some(PlannedLine { together: Some(together), ..line(text) })
    });
    lines.collect()
}

/// What to say beside a candidate. What its condition always brings is no reason against what the condition is treated with first: a low
/// platelet count, where heparin has caused it.
fn caution(input: &PlanInput<'_>, of: &Candidate) -> Option<Caution> {
    let caution = input.safety.caution.and_then(|caution| caution(of.player))?;
    let brings = || input.knowledge.facts().states(of.subject, caution.against, |role| role == Role::Symptom);
    let is_of_condition = of.role == Role::FirstLine && caution.is_relative && of.subject != caution.against && brings();
    (!is_of_condition).then_some(caution)
}

/// Whether a rating asked for a statement.
fn is_preferred(input: &PlanInput<'_>, candidate: &Candidate) -> bool {
    let alike = |role: Role| role == candidate.role || (role.is_treatment() && candidate.role.is_treatment());
    input.preferred.iter().any(|(owner, role, player)| *owner == candidate.subject && *player == candidate.player && alike(*role))
}

/// The first of a list, and what ratings asked for: in the middle, behind what comes first by right, where no later limit cuts it off.
fn with_preferred(input: &PlanInput<'_>, mut players: Vec<Candidate>, most: usize) -> Vec<Candidate> {
    let rest = players.split_off(most.min(players.len()));
    let preferred: Vec<Candidate> = rest.into_iter().filter(|candidate| is_preferred(input, candidate)).take(most / 2).collect();
    players.truncate(most.saturating_sub(preferred.len()));
    let middle = (most / 2).min(players.len());
    players.splice(middle..middle, preferred);
    players
}

/// The subjects; where the graph states nothing of one in these roles that may be offered, its kinds: what treats pneumonia stands at those acquired
/// at home and in hospital.
fn with_kinds(input: &PlanInput<'_>, subjects: &[EntityId], roles: &[Role], is_out: &dyn Fn(EntityId) -> bool) -> Vec<EntityId> {
    let facts = input.knowledge.facts();
    let has = |entity: EntityId| roles.iter().any(|role| facts.players_of_role(entity, *role).any(|player| !is_out(player)));
    let of = |subject: &EntityId| {
        if has(*subject) {
            return vec![*subject];
        }
        // What treats a kind of it may harm in another: only what the question names, or what fits the case nearly as well, is looked up so.
        let is_named = input.of_question.contains(subject);
        let fitting: Vec<EntityId> = input.assessment.conditions.iter().take(IN_SIGHT).map(|(condition, _)| *condition).collect();
        let of_case: Vec<EntityId> =
            facts.owners_of_role(*subject, Role::Broader).filter(|kind| fitting.contains(kind) && has(*kind)).collect();
        if !is_named && !of_case.is_empty() {
            return of_case;
        }
        let kinds: Vec<EntityId> = facts.owners_of_role(*subject, Role::Broader).filter(|kind| is_named && has(*kind)).collect();
        if kinds.is_empty() { facts.players_of_role(*subject, Role::Broader).filter(|wider| has(*wider)).collect() } else { kinds }
    };
    subjects.iter().flat_map(of).collect()
}

/// Whether an entity is a kind of one of these.
fn is_kind_of_any(input: &PlanInput<'_>, entity: EntityId, of: &[EntityId]) -> bool {
    input.knowledge.facts().players_of_role(entity, Role::Broader).any(|wider| of.contains(&wider))
}

/// Whether a statement holds only where the disease is not severe.
fn is_for_mild(when: &str) -> bool {
    let mild = ["mild", "not severe", "uncomplicated", "minor", "outpatient", "at home"];
    let says = |word: &str| when.to_lowercase().split(|c: char| !c.is_alphanumeric() && c != ' ').any(|part| part.trim().contains(word));
    mild.into_iter().any(says) || (when.contains("stable") && !when.contains("unstable"))
}

/// The condition under which a statement holds, in the language of the question.
pub(super) fn when(input: &PlanInput<'_>, owner: EntityId, player: EntityId, role: Role) -> Option<String> {
    let keys: &[&str] = if input.wording.is_chinese() { &["when_zh", "when"] } else { &["when"] };
    qualifier(input, (owner, player), role, keys)
}

/// The first of these qualifiers that a statement has.
fn qualifier(input: &PlanInput<'_>, (owner, player): (EntityId, EntityId), role: Role, keys: &[&str]) -> Option<String> {
    let stated = input.knowledge.facts().triples(owner, player).into_iter().filter(|(of, _)| *of == role);
    let qualifiers = stated.map(|(_, t)| input.knowledge.graph.qualifiers(t.head, t.relation, t.tail));
    let find = |qualifiers: crate::graph::Qualifiers| keys.iter().find_map(|key| qualifiers.get(key).map(str::to_owned));
    qualifiers.filter_map(find).next()
}
