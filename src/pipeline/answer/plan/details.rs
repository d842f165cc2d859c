//! The details of an answer: for each thing asked, in the order asked, what the graph states about its subject.

use std::collections::BTreeSet;

use super::by_role::by_role;
use super::together::{StatedItem, StatedTogether};
use super::{PlanInput, PlannedLine, after_failure, causes, conditions, instead, prevention, subjects, summary, unspecific, withheld};
use crate::graph::{EntityId, Role};
use crate::pipeline::differential::assess::Ranking;
use crate::pipeline::understand::overdose::is_overdose;
use crate::run::event::AnswerPart;
use crate::run::{AskKind, CaseAsk, ConditionStatus, DrugStatus, LikelyKind, NotUnderstood, UrgencyLevel};

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
/// The most treatments of which it is said why the case forbids them, and the most that are named besides.
const LEFT_OUT: usize = 2;
const LEFT_OUT_TOO: usize = 6;

/// The lines of details; those beyond the most that are shown come last.
/// `is_put_off`: it is already said that what is asked about must wait until the patient has been seen.
pub(super) fn of(input: &PlanInput<'_>, is_put_off: bool) -> Vec<PlannedLine> {
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
        // Ankles that swell since amlodipine, and a question about water tablets: what a kidney disease could do is beside the point.
        let is_meant = |line: &PlannedLine| {
            asks.is_empty() || !by_new_drug || line.entity.is_some_and(|condition| causes::is_of_drug_in_use(input, condition))
        };
        lines.extend(conditions::lines(input).into_iter().filter(is_meant).take(most));
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
                // "Na 122, urine osm 480: causes of SIADH?" asks for those of the condition that it names.
                let is_named = |condition: &EntityId| input.knowledge.is_condition(*condition) && input.of_question.contains(condition);
                let condition = ask.of.iter().filter_map(|name| input.entity(name)).find(is_named);
                if let Some(condition) = condition.filter(|_| input.findings().len() > 1) {
                    lines.extend(causes::lines(input, condition, most));
                } else if asked == 0 || input.findings().len() > 1 {
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
                if subjects.is_empty() {
                    subjects.clone_from(&untreated);
                }
                subjects.sort_by_key(|subject| !untreated.contains(subject));
                lines.extend(treatments(input, &subjects, most));
            }
            // What is there now comes before what is to be prevented.
            AskKind::Prevention if is_pressing => later.extend(prevention::lines(input, ask, most)),
            AskKind::Prevention => lines.extend(prevention::lines(input, ask, most)),
            AskKind::Monitoring if input.asks_for_signs && input.case.drugs.is_empty() => {}
            // What is watched is a list, of which nothing is left out because something else is asked as well.
            AskKind::Monitoring => lines.extend(monitoring(input, ask, ASKED)),
            AskKind::Prognosis => lines.extend(prognosis(input, ask, most)),
            AskKind::Other => lines.extend(overview(input)),
            AskKind::Contraindications => lines.extend(withheld::lines(input, ask)),
            // Answered by the safety pass.
            AskKind::Safety | AskKind::Interactions | AskKind::SideEffects => {}
        }
    }
    if !is_put_off {
        lines.extend(asked_uses(input));
    }
    // "Is shingles contagious?", "How is coeliac disease confirmed?": of a condition that is named without a patient, what is known is told.
    let is_of_nobody = lines.is_empty() && asks.iter().all(|ask| ask.kind == AskKind::Diagnosis) && input.findings().is_empty();
    // So it is of one that somebody who has no complaint of it is to watch for.
    if input.asks_for_signs {
        lines.splice(0..0, conditions::signs(input));
    } else if (asks.is_empty() && !diagnoses) || is_of_nobody {
        lines.extend(conditions::signs(input));
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

/// What is known of what the question names, where nothing stored answers what it asks: that helps somebody with blood in the
/// urine more than to be told so. Nothing is told around a drug or disease that nobody knows.
pub(super) fn related(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let is_unknown = |term: &NotUnderstood| term.subject || matches!(term.likely, Some(LikelyKind::Drug | LikelyKind::Condition));
    if input.case.not_understood.iter().any(is_unknown) {
        return Vec::new();
    }
    let is_told = !input.findings().is_empty();
    let mut lines: Vec<PlannedLine> =
        conditions::lines(input).into_iter().filter(|_| is_told && !input.evidence.seeks_diagnosis).take(CONDITIONS_BESIDE).collect();
    lines.extend(overview(input));
    lines
}

/// Whether nothing is told of the illness that makes the case an emergency, where only is asked what to watch: how a tablet is watched, and that it must
/// not be taken now, is no answer for somebody who bleeds.
pub(super) fn leaves_out_emergency(input: &PlanInput<'_>, details: &[PlannedLine]) -> bool {
    let asks = &input.case.asks;
    let is_told = |condition| details.iter().any(|line| line.entity == Some(condition) || line.subject == Some(condition));
    let is_watching = !asks.is_empty() && asks.iter().all(|ask| ask.kind == AskKind::Monitoring);
    is_watching && input.emergency.is_some_and(|condition| input.of_question.contains(&condition) && !is_told(condition))
}

/// What a drug is for in a condition that the question names: "Can linezolid be used in pneumonia?". Where the safety pass has something
/// to say of the drug, that is the answer.
fn asked_uses(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let asks = &input.case.asks;
    if asks.is_empty() || asks.iter().any(|ask| ask.kind != AskKind::Safety) {
        return Vec::new();
    }
    let facts = input.knowledge.facts();
    let roles = [Role::FirstLine, Role::Treatment, Role::Prevention];
    let considered = input.case.drugs.iter().filter(|drug| drug.status == DrugStatus::Proposed);
    let drugs: Vec<EntityId> = considered.filter_map(|drug| input.entity(drug.entity.as_deref()?)).collect();
    // Where something is stated against them, that is the answer, and what may be given instead. But what is stated against a drug that
    // was taken in excess does not answer whether its antidote is to be given.
    let is_antidote = |drug: &EntityId| {
        let mut of_question = input.of_question.iter().filter(|of| is_overdose(input.knowledge.graph.entity_name(**of)));
        !input.is_forbidden(*drug) && of_question.any(|of| facts.states(*of, *drug, |role| role == Role::FirstLine))
    };
    let is_against = drugs.iter().any(|drug| input.is_forbidden(*drug)) || input.safety.lines.iter().any(|line| !line.proofs.is_empty());
    // That it is a first choice is no answer where its safety beside another illness is in doubt, of which nothing is stored.
    let is_unchecked = input.safety.lines.iter().any(|line| line.proofs.is_empty());
    let is_beside = |drug: EntityId| {
        let known = input.case.conditions.iter().filter(|condition| condition.status == ConditionStatus::Known);
        let mut known = known.filter_map(|condition| input.entity(condition.entity.as_deref()?));
        known.any(|of| input.knowledge.is_condition(of) && !facts.states(of, drug, |role| roles.contains(&role)))
    };
    let is_doubtful = |drug: EntityId| is_unchecked && is_beside(drug);
    let drugs: Vec<EntityId> = drugs.into_iter().filter(|drug| (!is_against && !is_doubtful(*drug)) || is_antidote(drug)).collect();
    let uses = |drug: EntityId| {
        let is_for = |of: &EntityId| facts.states(*of, drug, |role| roles.contains(&role));
        let subjects: Vec<EntityId> = input.of_question.iter().copied().filter(is_for).collect();
        let is_out = |player: EntityId| player != drug;
        by_role(input, &subjects, AnswerPart::Treatments, &roles, &input.assessment.treatments, 1, &is_out)
    };
    drugs.into_iter().flat_map(uses).collect()
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
pub(super) fn tests(input: &PlanInput<'_>, subjects: &[EntityId], most: usize) -> Vec<PlannedLine> {
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
pub(super) fn treatments(input: &PlanInput<'_>, subjects: &[EntityId], most: usize) -> Vec<PlannedLine> {
    // Nobody is treated for what else a drug's effect could be. But an emergency is treated whatever has caused it, and so is what the
    // drug leads to.
    let is_meant =
        |drug: EntityId, subject: EntityId| input.of_question.contains(&subject) || causes::effects(input, drug).contains(&subject);
    let by_drug = causes::drug_explaining_all(input).filter(|_| input.urgency.level != Some(UrgencyLevel::Emergency));
    if by_drug.is_some_and(|drug| !subjects.iter().any(|subject| is_meant(drug, *subject))) {
        return Vec::new();
    }
    // Under an alarm that a finding raises, nobody is treated for the first of several guesses: bleeding in pregnancy, for a molar pregnancy.
    let is_alarm = input.urgency.level == Some(UrgencyLevel::Emergency) && input.urgency.condition.is_none();
    let is_guess = is_alarm && !summary::is_sure(input);
    let untreated = if is_guess { instead::treated_by_ruled_out(input) } else { Vec::new() };
    let counts = |subject: &EntityId| !is_guess || input.of_question.contains(subject) || untreated.contains(subject);
    let subjects: Vec<EntityId> = subjects.iter().copied().filter(counts).collect();
    let culprits = causes::culprits(input);
    let is_pressing = input.urgency.level == Some(UrgencyLevel::Emergency);
    let is_failure = input.past_treatment.asks_for_next || input.past_treatment.failed;
    let do_the_same = if is_pressing || !is_failure { BTreeSet::new() } else { causes::alike(input, &culprits) };
    // A racing heart after adrenaline is no reason to leave anaphylaxis without it.
    let is_culprit = |drug: EntityId| culprits.contains(&drug) && !after_failure::is_first_in_emergency(input, &subjects, drug);
    let mut given = after_failure::already_given(input, &subjects);
    given.extend(after_failure::twins(input, &subjects));
    // Nobody is treated for the first of many guesses.
    let is_guessed = unspecific::is_unspecific(input);
    let is_out = |treatment: EntityId| {
        (is_guessed && !unspecific::helps_several(input, treatment))
            || is_culprit(treatment)
            || input.is_forbidden(treatment)
            || given.contains(&treatment)
            || after_failure::is_given_up_for(input, &subjects, treatment)
            || after_failure::is_replaced(input, treatment)
    };
    let roles = [Role::FirstLine, Role::Treatment];
    let lines = |is_out: &dyn Fn(EntityId) -> bool| {
        by_role(input, &subjects, AnswerPart::Treatments, &roles, &input.assessment.treatments, most, is_out)
    };
    // Where nothing but their like is left, one that does it less may be tried: another insulin.
    let others = lines(&|treatment| is_out(treatment) || do_the_same.contains(&treatment));
    if others.is_empty() { lines(&is_out) } else { others }
}

/// First-line treatments of what the listed treatments are for that the case forbids, the usual ones of what leads, and what prevents it where that is
/// asked, each with the reason, what must never be given first: somebody who expects them must not think that they were forgotten.
pub(super) fn left_out(input: &PlanInput<'_>, details: &[PlannedLine]) -> Vec<PlannedLine> {
    let Some(withheld) = input.safety.withheld else { return Vec::new() };
    let care = details.iter().filter(|line| line.part == AnswerPart::Treatments);
    let mut subjects: Vec<EntityId> = care.filter_map(|line| line.subject).collect();
    if subjects.is_empty() && input.asks(AskKind::Treatment) {
        subjects = subjects::of_ask(input, input.case.asks.iter().find(|ask| ask.kind == AskKind::Treatment));
    }
    let facts = input.knowledge.facts();
    let mut seen: BTreeSet<EntityId> = input.safety.lines.iter().filter_map(|line| line.entity).collect();
    let is_absolute = |treatment: EntityId| input.safety.is_absolute.is_some_and(|is_absolute| is_absolute(treatment));
    let mut treatments = Vec::new();
    let leader = subjects.first().copied();
    for subject in subjects {
        let prevention = facts.players_of_role(subject, Role::Prevention).filter(|_| input.asks(AskKind::Prevention));
        // Of the others, what must never be given: what is merely given with care may be no choice anyway.
        let usual = facts.players_of_role(subject, Role::Treatment).filter(|of| Some(subject) == leader && is_absolute(*of));
        let first = facts.players_of_role(subject, Role::FirstLine).chain(prevention).chain(usual);
        let first = first.filter(|treatment| input.is_forbidden(*treatment));
        treatments.extend(first.filter(|treatment| seen.insert(*treatment)));
    }
    treatments.sort_by_key(|treatment| !is_absolute(*treatment));
    // An interaction that is asked about is stated already, and says enough of both drugs.
    let pair = |line: &PlannedLine| line.entity.zip(line.other).map(|(one, other)| (one.min(other), one.max(other)));
    let stated: BTreeSet<_> = input.safety.lines.iter().filter_map(pair).collect();
    let is_new = |line: &PlannedLine| pair(line).is_none_or(|pair| !stated.contains(&pair));
    let mut lines: Vec<PlannedLine> = treatments.into_iter().filter_map(withheld).filter(is_new).collect();
    let more = lines.split_off(LEFT_OUT.min(lines.len()));
    lines.extend(left_out_too(input, more));
    lines
}

/// One line for those that are left out besides.
fn left_out_too(input: &PlanInput<'_>, lines: Vec<PlannedLine>) -> Option<PlannedLine> {
    let item = |line: &PlannedLine| {
        let (entity, proof) = (line.entity?, *line.proofs.first()?);
        Some(StatedItem { entity, shown: input.shown(entity), proof })
    };
    let items: Vec<StatedItem> = lines.iter().filter_map(item).take(LEFT_OUT_TOO).collect();
    let proofs: Vec<_> = items.iter().map(|item| item.proof).collect();
    let (entity, role) = (items.first()?.entity, lines.first()?.role);
    let said = input.wording.plan.left_out_too.clone();
    let together = StatedTogether { items, said: [said.clone(), said], wording: input.wording };
    let (_, text) = together.proven(|_| true)?;
    Some(PlannedLine { entity: Some(entity), role, proofs, together: Some(together), ..PlannedLine::saying(AnswerPart::Safety, text) })
}

/// What is watched, of the drugs that are asked about, else of the conditions. A drug that is begun comes before what it is for.
fn monitoring(input: &PlanInput<'_>, ask: &CaseAsk, most: usize) -> Vec<PlannedLine> {
    let facts = input.knowledge.facts();
    let mut subjects = subjects::of_ask(input, Some(ask));
    // A pregnancy that must not happen is not watched.
    let is_of_patient =
        |entity: &EntityId| input.case.drugs.is_empty() || !is_state(input, *entity) || input.evidence.states.contains(entity);
    subjects.retain(is_of_patient);
    let drugs = |begun: bool| {
        let is_begun = move |status| matches!(status, DrugStatus::Proposed | DrugStatus::New) == begun;
        let drugs =
            input.case.drugs.iter().filter(move |drug| ask.of.is_empty() && is_begun(drug.status) && drug.status != DrugStatus::Allergic);
        drugs.filter_map(|drug| input.entity(drug.entity.as_deref()?)).collect::<Vec<_>>()
    };
    let mut lines: Vec<PlannedLine> = Vec::new();
    for mut of in [drugs(true), [subjects, drugs(false)].concat()] {
        // Monitoring of a class holds for its members as a reminder, not as a fact about them: the class is named.
        let classes: Vec<EntityId> = of.iter().flat_map(|subject| facts.players_of_role(*subject, Role::Broader)).collect();
        of.extend(classes);
        let is_said = |test: EntityId| lines.iter().any(|line| line.entity == Some(test));
        let found = by_role(input, &of, AnswerPart::Tests, &[Role::Monitoring], &input.assessment.tests, most, &is_said);
        lines.extend(found);
    }
    lines.truncate(most);
    lines
}

/// Whether something is what a patient can be, as pregnant, and no illness.
fn is_state(input: &PlanInput<'_>, entity: EntityId) -> bool {
    let name = input.knowledge.graph.entity_name(entity);
    ["Pregnancy", "Breastfeeding", "Childbearing potential", "Planning pregnancy"].contains(&name)
}

fn prognosis(input: &PlanInput<'_>, ask: &CaseAsk, most: usize) -> Vec<PlannedLine> {
    let subjects = subjects::of_ask(input, Some(ask));
    let none = Ranking::new();
    by_role(input, &subjects, AnswerPart::Conditions, &[Role::Complication], &none, most, &|_| false)
}
