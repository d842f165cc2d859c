//! What plays a role for the subjects of an answer, as the treatments of a condition do: which of it is listed, and in which order.

use std::collections::BTreeSet;

use super::conditional::{is_for_another_drug, is_for_taking_another, is_unmet};
use super::proof::proof_of;
use super::subjects::is_emergency_to_treat;
use super::together::{StatedItem, StatedTogether};
use super::{Caution, PlanInput, PlannedLine, after_failure, instability, subjects};
use crate::graph::{EntityId, Kind, Role, classes_of};
use crate::pipeline::differential::assess::Ranking;
use crate::pipeline::differential::evidence::urgency_of;
use crate::run::event::AnswerPart;
use crate::run::{AskKind, UrgencyLevel};

/// The most that are looked at for a place in a list.
const CONSIDERED: usize = 60;
/// Groups of which one does what the other does: a diuretic is no second best for a thiazide while an ACE inhibitor may be given.
const OF_ONE_PURPOSE: [&str; 4] = ["Antibiotic", "Antifungal drug", "Antiviral drug", "Antimalarial drug"];
/// How many leading conditions are in sight.
const IN_SIGHT: usize = 6;

/// What may be listed, in the order in which it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// The number of its role among those looked for, behind all of them for what is not of the kind that is asked for.
    place: usize,
    /// Its line of treatment: 0 for what comes after the failure of what was given, where that is wanted; 1 for what else comes next in an emergency, also beside a first choice that was repeated; 2 for
    /// what is done first (`line`), 3 where nothing is stated, 4 for what is done later.
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
    // "Which antibiotic?": other treatments come behind.
    let is_wanted =
        |player: EntityId| input.wanted.contains(&player) || classes_of(graph, player).iter().any(|of| input.wanted.contains(of));
    let is_beside = |player: EntityId| wants_drugs && !input.wanted.is_empty() && !is_wanted(player);
    let mut players: Vec<Candidate> = Vec::new();
    let is_emergency = input.urgency.level == Some(UrgencyLevel::Emergency) && input.case.is_about_a_patient();
    // What is acute is treated before what the patient has long had, where nothing is told that the others could fit: a thrombosis, in somebody with
    // diabetes. An emergency always is: adrenaline, in somebody with asthma.
    let at_once = instability::treated_at_once(input).filter(|_| part == AnswerPart::Treatments);
    let is_urgent = |subject: &EntityId| is_emergency_to_treat(input, *subject) || at_once == Some(*subject);
    let is_any_urgent = subjects.iter().any(is_urgent);
    // So it is where nothing that is told is more than a value of the others.
    let beside = subjects::beside_acute(input, subjects);
    let is_beside_acute = |subject: &EntityId| beside.iter().any(|(of, _)| of == subject);
    let is_first = |subject: &EntityId| {
        let is_told = !input.findings().is_empty();
        let is_acute = if is_told { !beside.is_empty() && !is_beside_acute(subject) } else { !subjects::is_long_term(input, *subject) };
        is_urgent(subject) || (!is_any_urgent && is_acute)
    };
    let is_late_subject = |subject: &EntityId| subjects.contains(subject) && subjects.iter().any(is_first) && !is_first(subject);
    for subject in &with_kinds(input, subjects, roles, is_out) {
        let is_wider = !subjects.contains(subject) && !is_kind_of_any(input, *subject, subjects);
        let wants_other = after_failure::wants_other(input, *subject);
        // Asked for the next step in an illness that gives no alarm, nobody wants to know what an attack is treated with.
        let is_calm_now = !matches!(input.urgency.level, Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent));
        let is_between_attacks = wants_other && is_calm_now && subjects::is_long_term(input, *subject);
        // Whether a first choice is left that was not tried. In an emergency what comes second is what is asked for.
        let is_calm = urgency_of(input.knowledge, *subject) != Some("emergency");
        let is_tried = |player: EntityId| is_out(player) || after_failure::is_like_given(input, *subject, player);
        let is_untried = |player: EntityId| {
            let when = qualifier(input, (*subject, player), Role::FirstLine, &["when"]);
            let may_be_given = when.is_none_or(|when| !is_unmet(input, &when));
            is_drug(player) && !is_tried(player) && may_be_given
        };
        let has_untried = wants_other && is_calm && facts.players_of_role(*subject, Role::FirstLine).any(is_untried);
        for (place, role) in roles.iter().enumerate() {
            // What holds for another kind of the wider condition, or for mild disease, is not for this patient.
            let is_at_once = |player: EntityId| at_once == Some(*subject) && instability::is_at_once(input, *subject, player);
            let is_for_others = |player: EntityId| {
                // Under a failing circulation nobody slows the rate, and only what holds then is done.
                if at_once == Some(*subject) && !is_at_once(player) {
                    return true;
                }
                let when = qualifier(input, (*subject, player), *role, &["when"]);
                when.is_some_and(|when| {
                    let is_for_attack = || is_between_attacks && when.contains("acute attack");
                    let is_for_another = || is_for_another_drug(input, *subject, &when);
                    is_wider || is_for_attack() || (is_emergency && is_for_mild(&when)) || is_unmet(input, &when) || is_for_another()
                })
            };
            let of_role = facts.players_of_role(*subject, *role).filter(|player| !is_out(*player) && !is_for_others(*player));
            // What is given after the first choice has failed is what is asked for, where it has. But another first choice that was not tried comes before
            // what is only for stubborn disease: a nasal steroid, before a desensitisation, where an antihistamine is not enough.
            let of_failure = |player: EntityId| {
                let of = (*subject, player);
                let is_next = wants_other && after_failure::is_next(input, of, *role);
                let is_of_given = || after_failure::is_next_of_given(input, of, *role);
                let is_at_once = || (is_calm && !has_untried) || is_of_given();
                match is_next {
                    true if is_at_once() => Some(true),
                    true => Some(false),
                    false => None,
                }
            };
            let is_next = |player: EntityId| of_failure(player).is_some();
            let is_beside_first = |player: EntityId| after_failure::is_next_beside_first(input, (*subject, player), *role);
            let line = |player: EntityId| match (of_failure(player), qualifier(input, (*subject, player), *role, &["line"]).as_deref()) {
                _ if is_at_once(player) => 0,
                (Some(true), _) => 0,
                (Some(false), _) => {
                    if is_calm {
                        3
                    } else {
                        1
                    }
                }
                // Given more than once and not enough, the first choice goes on behind what is now added.
                (None, _) if input.past_treatment.repeated && is_beside_first(player) => {
                    let when = qualifier(input, (*subject, player), *role, &["when"]).unwrap_or_default();
                    if is_for_taking_another(input, &when) { 3 } else { 1 }
                }
                (None, Some("second" | "third")) if !is_beside_first(player) => 4,
                (None, Some("first")) => 2,
                (None, None) if has_untried && *role == Role::FirstLine && is_drug(player) && !is_tried(player) => 2,
                _ => 3,
            };
            players.extend(of_role.map(|player| Candidate {
                place: match (is_beside(player), is_next(player)) {
                    (true, _) => 2 * (place + roles.len()),
                    (_, true) => 0,
                    // Right behind the first choice, which goes on.
                    _ if place > 0 && is_beside_first(player) => 1,
                    _ => 2 * place,
                },
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
    // What is treated at once is treated with its first choice, with care, where another illness is the reason: a giant cell arteritis with steroids, in
    // a diabetes. A pregnancy, an age or an allergy is no such reason, nor what the patient is, as somebody whose kidneys work badly.
    let is_pressing = |of: &Candidate, caution: &Caution| {
        let is_disease = matches!(graph.kind(caution.against), Kind::Disease) && !input.evidence.states.contains(&caution.against);
        let is_urgent = || matches!(urgency_of(input.knowledge, of.subject), Some("emergency" | "urgent"));
        of.role == Role::FirstLine && caution.is_relative && is_disease && is_urgent()
    };
    let needs_care = |of: &Candidate| {
        caution(input, of).is_some_and(|caution| caution.is_serious && !is_of_subject(of, &caution) && !is_pressing(of, &caution))
    };
    let replaced = if part == AnswerPart::Treatments { replaced_groups(input, &players, &needs_care) } else { BTreeSet::new() };
    let replaces = |of: &Candidate| !replaced.is_empty() && classes_of(graph, of.player).iter().any(|class| replaced.contains(class));
    // What several classes belong to is a purpose, no kind of drug: an SGLT2 inhibitor is no second metformin because both lower the glucose.
    let is_wide = |class: EntityId| facts.owners_of_role(class, Role::Broader).any(|kind| matches!(graph.kind(kind), Kind::DrugClass));
    // A class that is listed itself speaks for its members.
    let of_place: BTreeSet<(usize, EntityId)> = players.iter().map(|candidate| (candidate.place, candidate.player)).collect();
    let mut listed: BTreeSet<EntityId> = BTreeSet::new();
    let mut order: Vec<(bool, bool, bool, bool, u8, bool, usize)> = Vec::new();
    let is_considered = |(at, candidate): &(usize, &Candidate)| *at < CONSIDERED || is_preferred(input, candidate);
    for (at, candidate) in players.iter().enumerate().filter(is_considered) {
        let Candidate { place, line, player, .. } = candidate;
        let mut classes: Vec<EntityId> = facts.players_of_role(*player, Role::Broader).collect();
        let is_spoken_for = classes.iter().any(|class| of_place.contains(&(*place, *class)));
        classes.retain(|class| !is_wide(*class));
        let repeats = is_spoken_for || classes.iter().any(|class| listed.contains(class)) || listed.contains(player);
        // What comes after the first choice of an emergency is named, though it is of its class: a vasopressor, beside adrenaline.
        let repeats = repeats && !after_failure::is_next_beside_first(input, (candidate.subject, *player), candidate.role);
        // Nor does the first choice of an emergency give way to its class.
        let repeats =
            repeats && !(candidate.role == Role::FirstLine && after_failure::is_first_in_emergency(input, &[candidate.subject], *player));
        if !is_spoken_for {
            listed.extend(classes);
        }
        listed.insert(*player);
        let is_late = part == AnswerPart::Treatments && needs_care(candidate);
        order.push((is_beside(*player), is_late_subject(&candidate.subject), is_late, !replaces(candidate), *line, repeats, at));
    }
    order.sort_unstable();
    let players: Vec<_> = order.into_iter().filter_map(|(.., at)| players.get(at).copied()).collect();
    let players = with_each(input, players, subjects, most);
    with_preferred(input, players, most).iter().filter_map(|candidate| line_of(input, part, candidate)).collect()
}

/// The line of a statement that is made wherever it stands in its list: which role something plays for a subject.
pub(super) fn stated(input: &PlanInput<'_>, part: AnswerPart, (subject, role, player): (EntityId, Role, EntityId)) -> Option<PlannedLine> {
    let first = Candidate { place: 0, line: 0, is_other: false, rank: 0, is_no_drug: false, player, role, subject };
    line_of(input, part, &first)
}

fn line_of(input: &PlanInput<'_>, part: AnswerPart, candidate: &Candidate) -> Option<PlannedLine> {
    let Candidate { player, role, subject, .. } = *candidate;
    let proofs: Vec<_> = proof_of(input.knowledge, subject, player, |of| of == role).into_iter().take(1).collect();
    let others = [input.wording.name(&input.knowledge.graph, subject)];
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
    if let Some(caution) = caution(input, candidate) {
        let care = input.wording.fill(&plan.with_care, &[caution.text]);
        let stated = line(format!("{shown}{}{}{when}{care}", input.wording.colon(), said[0]));
        let proofs = proofs.iter().copied().chain(caution.proofs).collect();
        return Some(PlannedLine { proofs, needs_care: true, ..stated });
    }
    let items = vec![StatedItem { entity: player, shown: format!("{shown}{when}"), proof }];
    let together = StatedTogether { items, said, wording: input.wording };
    let text = format!("{shown}{}{}{when}", input.wording.colon(), together.said[0]);
    Some(PlannedLine { together: Some(together), ..line(text) })
}

/// The groups of drugs of which the case rules out the first choice, or brings it into doubt: antibiotics, where nobody may have a penicillin. What
/// is given instead comes before what does something else.
fn replaced_groups(input: &PlanInput<'_>, players: &[Candidate], needs_care: &dyn Fn(&Candidate) -> bool) -> BTreeSet<EntityId> {
    let facts = input.knowledge.facts();
    let subjects: BTreeSet<EntityId> = players.iter().map(|candidate| candidate.subject).collect();
    let first = subjects.iter().flat_map(|subject| facts.players_of_role(*subject, Role::FirstLine));
    let doubtful = players.iter().filter(|candidate| candidate.role == Role::FirstLine && needs_care(candidate)).map(|of| of.player);
    let out: BTreeSet<EntityId> = first.filter(|drug| input.is_forbidden(*drug)).chain(doubtful).collect();
    if out.is_empty() {
        return BTreeSet::new();
    }
    let graph = &input.knowledge.graph;
    let safe: Vec<&Candidate> = players.iter().filter(|of| !out.contains(&of.player) && !needs_care(of)).collect();
    let shares = |of: &Candidate, classes: &[EntityId]| classes_of(graph, of.player).iter().any(|class| classes.contains(class));
    let group = |drug: &EntityId| {
        let mut classes = classes_of(graph, *drug);
        classes.retain(|class| OF_ONE_PURPOSE.contains(&graph.entity_name(*class)));
        // Where another first choice does the same, nothing has to be replaced.
        if safe.iter().any(|of| of.role == Role::FirstLine && shares(of, &classes)) {
            return None;
        }
        // The nearest group that holds something else: what is farther has less in common with it.
        classes.into_iter().find(|class| safe.iter().any(|of| shares(of, std::slice::from_ref(class))))
    };
    out.iter().filter_map(group).collect()
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

/// A list whose first so many hold something for each of the subjects: what is acute comes first, but the other one was asked about, too. Beside an
/// emergency nothing else is.
fn with_each(input: &PlanInput<'_>, mut players: Vec<Candidate>, subjects: &[EntityId], most: usize) -> Vec<Candidate> {
    if subjects.len() > most || subjects.iter().any(|subject| is_emergency_to_treat(input, *subject)) {
        return players;
    }
    for subject in subjects {
        let place = players.iter().position(|candidate| candidate.subject == *subject);
        let Some(place) = place.filter(|place| *place >= most) else { continue };
        // The last of what has more than one among the first makes room.
        let kept = players.get(..most).unwrap_or_default();
        let is_spare = |at: &usize| kept.get(*at).is_some_and(|of| kept.iter().filter(|other| other.subject == of.subject).count() > 1);
        let Some(spare) = (0..most).rev().find(is_spare) else { continue };
        let candidate = players.remove(place);
        players.remove(spare);
        players.insert(most - 1, candidate);
    }
    players
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
pub(super) fn qualifier(input: &PlanInput<'_>, (owner, player): (EntityId, EntityId), role: Role, keys: &[&str]) -> Option<String> {
    let stated = input.knowledge.facts().triples(owner, player).into_iter().filter(|(of, _)| *of == role);
    let qualifiers = stated.map(|(_, t)| input.knowledge.graph.qualifiers(t.head, t.relation, t.tail));
    let find = |qualifiers: crate::graph::Qualifiers| keys.iter().find_map(|key| qualifiers.get(key).map(str::to_owned));
    qualifiers.filter_map(find).next()
}
