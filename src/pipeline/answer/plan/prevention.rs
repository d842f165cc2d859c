//! What prevents: what was asked to be prevented, and what is given because of what the patient is: vaccines and antibiotics where the spleen is out.

use std::collections::BTreeSet;

use super::by_role::{by_role, qualifier};
use super::conditional::is_unmet;
use super::details::treatments;
use super::{PlanInput, PlannedLine, after_failure, subjects};
use crate::graph::{EntityId, Kind, Role, classes_of, members_of};
use crate::run::event::AnswerPart;
use crate::run::{CaseAsk, ConditionStatus, DrugStatus};
use crate::text::{Token, tokenise};

/// The members of a class that are looked at.
const MEMBERS: usize = 200;
/// What drugs make of somebody, as far as vaccines go.
const MAKES: [(&str, &str); 2] = [("Immunosuppressant", "Immunosuppression"), ("Cytotoxic drug", "Immunosuppression")];
/// Words behind which a condition of a statement names what it is not for: "not in pregnancy".
const DENIES: [&str; 5] = ["no", "not", "without", "never", "unless"];

/// What prevents what is asked about. Where a kind of drug is asked for, as vaccines, that kind, and first what is stated for such patients.
pub(super) fn lines(input: &PlanInput<'_>, ask: &CaseAsk, most: usize) -> Vec<PlannedLine> {
    let kinds = wanted_kinds(input);
    if !kinds.is_empty() && !names_goal(input, ask, &kinds) {
        let for_state = for_state(input, &kinds, most);
        if !for_state.is_empty() {
            return for_state;
        }
    }
    let lines = of_subjects(input, ask, most);
    let is_of_kind = |line: &PlannedLine| line.entity.is_some_and(|entity| is_any_of(input, entity, &kinds));
    if kinds.is_empty() || lines.iter().any(is_of_kind) {
        return lines;
    }
    // Condoms are no answer to "which vaccines?".
    Vec::new()
}

/// The kinds of drugs that the question asks for and that prevent: vaccines.
fn wanted_kinds(input: &PlanInput<'_>) -> Vec<EntityId> {
    let (graph, facts) = (&input.knowledge.graph, input.knowledge.facts());
    let prevents = |class: EntityId| {
        let count = |role: Role| {
            let all = std::iter::once(class).chain(members_of(graph, class, MEMBERS));
            all.map(|member| facts.owners_of_role(member, role).count()).sum::<usize>()
        };
        count(Role::Prevention) > count(Role::Treatment) + count(Role::FirstLine)
    };
    let considered = input.case.drugs.iter().filter(|drug| drug.status == DrugStatus::Proposed);
    let considered = considered.filter_map(|drug| input.entity(drug.entity.as_deref()?));
    considered.filter(|entity| matches!(graph.kind(*entity), Kind::DrugClass) && prevents(*entity)).collect()
}

/// Whether the question names what is to be prevented: "which vaccine against shingles?".
fn names_goal(input: &PlanInput<'_>, ask: &CaseAsk, kinds: &[EntityId]) -> bool {
    let facts = input.knowledge.facts();
    let prevents = |goal: EntityId| facts.players_of_role(goal, Role::Prevention).any(|player| is_any_of(input, player, kinds));
    let goals = ask.of.iter().filter_map(|name| input.entity(name));
    goals.filter(|goal| input.of_question.contains(goal)).any(prevents)
}

fn is_any_of(input: &PlanInput<'_>, entity: EntityId, kinds: &[EntityId]) -> bool {
    kinds.contains(&entity) || classes_of(&input.knowledge.graph, entity).iter().any(|class| kinds.contains(class))
}

/// What is stated to prevent something in what the patient is or has: the condition of the statement (`when`) names it. Of the kinds asked for,
/// and of other drugs against what the state puts at risk of.
fn for_state(input: &PlanInput<'_>, kinds: &[EntityId], most: usize) -> Vec<PlannedLine> {
    let (graph, facts) = (&input.knowledge.graph, input.knowledge.facts());
    let states = states(input);
    if states.is_empty() {
        return Vec::new();
    }
    let members = kinds.iter().flat_map(|kind| members_of(graph, *kind, MEMBERS));
    let of_kinds = members.flat_map(|member| facts.owners_of_role(member, Role::Prevention).map(move |of| (of, member)));
    let risks: BTreeSet<EntityId> = states.iter().flat_map(|state| facts.owners_of_role(*state, Role::RiskFactor)).collect();
    let of_risks = risks.into_iter().flat_map(|risk| facts.players_of_role(risk, Role::Prevention).map(move |player| (risk, player)));
    let is_for_state = |(of, player): &(EntityId, EntityId)| {
        let when = qualifier(input, (*of, *player), Role::Prevention, &["when"]);
        when.is_some_and(|when| names_one(input, &when, &states) && !is_unmet(input, &when))
    };
    let pairs: BTreeSet<(EntityId, EntityId)> =
        of_kinds.chain(of_risks).filter(is_for_state).filter(|(_, player)| !input.is_forbidden(*player)).collect();
    // Nobody who asks for vaccines is told of tablets alone.
    if !pairs.iter().any(|(_, player)| is_any_of(input, *player, kinds)) {
        return Vec::new();
    }
    // What prevents several things is said of the one that most of the others prevent as well.
    let count = |of: EntityId| pairs.iter().filter(|(other, _)| *other == of).count();
    let mut goals: Vec<EntityId> = pairs.iter().map(|(of, _)| *of).collect();
    goals.dedup();
    goals.sort_by_key(|of| (std::cmp::Reverse(count(*of)), *of));
    let mut said: BTreeSet<EntityId> = BTreeSet::new();
    let mut lines: Vec<PlannedLine> = Vec::new();
    for goal in goals {
        let is_out = |player: EntityId| said.contains(&player) || !pairs.contains(&(goal, player));
        let found = by_role(input, &[goal], AnswerPart::Treatments, &[Role::Prevention], &input.assessment.treatments, most, &is_out);
        said.extend(found.iter().filter_map(|line| line.entity));
        lines.extend(found);
    }
    lines.truncate(most);
    lines
}

/// What the patient is and has, with its classes: what the question names, and what an operation or a drug that it names makes of somebody.
fn states(input: &PlanInput<'_>) -> BTreeSet<EntityId> {
    let (graph, facts) = (&input.knowledge.graph, input.knowledge.facts());
    let excluded = |entity: &EntityId| input.evidence.excluded.contains(entity) || input.evidence.absent.contains(entity);
    let named: Vec<EntityId> =
        input.of_question.iter().copied().chain(input.evidence.states.iter().copied()).filter(|e| !excluded(e)).collect();
    let mut states: BTreeSet<EntityId> = BTreeSet::new();
    for entity in named {
        let with_classes: Vec<EntityId> = std::iter::once(entity).chain(classes_of(graph, entity)).collect();
        let is_risk = |state: &EntityId| matches!(graph.kind(*state), Kind::RiskFactor);
        let made = with_classes.iter().flat_map(|of| facts.owners_of_role(*of, Role::Cause)).filter(is_risk);
        states.extend(made.collect::<Vec<_>>());
        let makes =
            |(class, state): (&str, &str)| with_classes.iter().any(|of| graph.entity_name(*of) == class).then(|| input.entity(state))?;
        states.extend(MAKES.into_iter().filter_map(makes));
        if !matches!(graph.kind(entity), Kind::Drug | Kind::DrugClass | Kind::Test) {
            states.extend(with_classes);
        }
    }
    states
}

/// Whether a condition of a statement names one of these, and not as what it does not hold for.
fn names_one(input: &PlanInput<'_>, when: &str, states: &BTreeSet<EntityId>) -> bool {
    // A denial reaches as far as its part: "not in pregnancy, breastfeeding or low immunity".
    when.split([';', '(']).map(tokenise).any(|clause| {
        let is_denied = |at: usize| clause.iter().take(at).any(|token: &Token| DENIES.contains(&token.text.as_str()));
        (0..clause.len()).any(|at| {
            let hit = input.knowledge.graph.names().longest_at(&clause, at);
            hit.is_some_and(|hit| hit.entities.iter().any(|(entity, _)| states.contains(entity))) && !is_denied(at)
        })
    })
}

fn of_subjects(input: &PlanInput<'_>, ask: &CaseAsk, most: usize) -> Vec<PlannedLine> {
    let subjects = prevented(input, ask);
    // What prevents is offered as what treats is: not what has failed, is not tolerated or is to be replaced, nor, where the next is asked for, what the
    // patient has had.
    let is_had = |treatment: EntityId| input.past_treatment.asks_for_next && had(input).contains(&treatment);
    let is_out = |treatment: EntityId| {
        input.is_forbidden(treatment)
            || after_failure::is_given_up_for(input, &subjects, treatment)
            || after_failure::is_replaced(input, treatment)
            || is_had(treatment)
    };
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
    let mut direct = by_role(input, &subjects, AnswerPart::Treatments, &[Role::Prevention], &input.assessment.treatments, most, &is_out);
    if causes.is_empty() {
        return direct;
    }
    // What is stated to prevent it in such a patient comes first: an anticoagulant against stroke, in atrial fibrillation.
    let with_classes = |of: &EntityId| std::iter::once(*of).chain(classes_of(&input.knowledge.graph, *of)).collect::<Vec<_>>();
    let of_patient: BTreeSet<EntityId> = causes.iter().flat_map(with_classes).collect();
    let is_for_patient = |line: &PlannedLine| {
        let pair = line.subject.zip(line.entity);
        let when = pair.and_then(|pair| qualifier(input, pair, Role::Prevention, &["when"]));
        when.is_some_and(|when| names_one(input, &when, &of_patient))
    };
    let is_stated = direct.iter().any(is_for_patient);
    // What only raises the risk is not treated in its place: the kidneys, where gout is to be prevented.
    let is_only_risk = |cause: &EntityId| {
        let facts = input.knowledge.facts();
        let leads = |goal: &EntityId| {
            facts.states(*cause, *goal, |role| role == Role::Complication) || facts.states(*goal, *cause, |role| role == Role::Cause)
        };
        !subjects.iter().any(leads)
    };
    if is_stated || (!direct.is_empty() && causes.iter().all(is_only_risk)) {
        direct.sort_by_key(|line| !is_for_patient(line));
        return direct;
    }
    treatments(input, &causes, most)
}

/// The drugs that the patient takes or has taken.
fn had(input: &PlanInput<'_>) -> Vec<EntityId> {
    let had = input.case.drugs.iter().filter(|drug| drug.status.was_given());
    had.filter_map(|drug| input.entity(drug.entity.as_deref()?)).collect()
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
