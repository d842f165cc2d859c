//! The differential as lines: at most three conditions with what they explain, and dangerous ones that must not be missed.

use std::collections::BTreeSet;

use super::clauses::{Clause, ClauseItem, Clauses};
use super::proof::proof_of;
use super::{PlanInput, PlannedLine};
use crate::graph::{Chain, EntityId, Kind, Role, classes_of};
use crate::pipeline::differential::assess::Ranking;
use crate::pipeline::differential::evidence::{Standing, by_frequency, explains, shown_by, urgency_of};
use crate::pipeline::differential::flagged::points_elsewhere;
use crate::pipeline::safety::chains::membership;
use crate::run::event::AnswerPart;
use crate::run::{AskKind, ConditionStatus};

/// The most conditions of a differential.
const MOST: usize = 3;
/// How many further dangerous conditions are named.
const MUST_NOT_MISS: usize = 1;
/// The most findings that a line names.
const FINDINGS: usize = 4;
/// The most features that say what a condition is that was recognised as a whole.
const TYPICAL: usize = 2;
/// The most signs of a condition that a question is about.
const SIGNS: usize = 8;
/// The most findings that are named as not explained.
const LEFT_OPEN: usize = 2;
/// How typical a feature is by how often the condition has it.
const BY_FREQUENCY: [(&str, f64); 4] = [("very_common", 1.0), ("common", 0.8), ("uncommon", 0.2), ("rare", 0.1)];
const UNSTATED: f64 = 0.5;
/// A condition is named if its score is at least this share of the leading one's.
const NEAR: f64 = 0.4;
/// The same for a dangerous one that must not be missed.
const NEAR_ENOUGH_TO_MISS: f64 = 0.5;
/// How many findings it must explain: with one common complaint, everything would be dangerous.
const EXPLAINED_TO_MISS: usize = 2;
/// How far down the assessment dangerous conditions are looked for.
const IN_SIGHT: usize = 15;

/// What a condition has to do with the case.
pub(super) struct Account {
    pub(super) condition: EntityId,
    pub(super) score: f64,
    /// Findings of the case that it explains.
    pub(super) explains: Vec<EntityId>,
    /// Causes and risk factors of it that are in the case.
    pub(super) made_likelier_by: Vec<EntityId>,
    /// Where the words of the question as a whole fit it clearly, and no finding by itself: what is typical of it.
    pub(super) typical: Vec<EntityId>,
}

impl Account {
    fn of(input: &PlanInput<'_>, condition: EntityId, score: f64, findings: &[EntityId]) -> Self {
        let facts = input.knowledge.facts();
        let explains = findings.iter().copied().filter(|finding| is_explained(input, condition, *finding)).collect();
        let is_reason = |entity: &EntityId| {
            raising_class(input, condition, *entity).is_some()
                || facts.states(*entity, condition, |role| matches!(role, Role::AdverseEffect | Role::Complication))
        };
        // What is told makes a condition likelier as what is known does, where it is no sign of it: a fall, a bleed.
        let is_background = |entity: &EntityId| match input.evidence.standing(*entity) {
            Standing::Context => true,
            Standing::Finding => {
                findings.contains(entity) && !input.knowledge.is_condition(*entity) && !is_explained(input, condition, *entity)
            }
            Standing::Subject | Standing::Nothing => false,
        };
        let made_likelier_by = input.of_question.iter().copied().filter(is_background).filter(is_reason).collect();
        let mut account = Self { condition, score, explains, made_likelier_by, typical: Vec::new() };
        if input.evidence.recognised == Some(condition) && account.explains.is_empty() {
            account.typical = typical_of(input, condition, TYPICAL);
        }
        account
    }

    /// What its line says of what: each finding and reason with the chains that prove it.
    fn clauses(&self, input: &PlanInput<'_>) -> Vec<Clause> {
        let lines = &input.wording.plan;
        // A high potassium does not explain itself.
        let others: Vec<EntityId> = self.explains.iter().copied().filter(|finding| *finding != self.condition).collect();
        let explains = if others.is_empty() { &self.explains } else { &others };
        let explained = items(input, explains, FINDINGS, |finding| proofs_of_finding(input, self.condition, finding));
        let typical = items(input, &self.typical, TYPICAL, |feature| proof_of_sign(input, self.condition, feature));
        let reasons = items(input, &self.made_likelier_by, FINDINGS, |reason| proofs_of_reason(input, self.condition, reason));
        vec![
            Clause::naming_first(&lines.explains, explained, explains.len()),
            Clause::naming(&lines.recognised, typical),
            Clause::naming(&lines.likelier, reasons),
        ]
    }

    /// That it fits best, with how many findings it explains, and why it is first all the same where another of those named explains more; where none of
    /// that is proven, only that it is to be considered.
    pub(super) fn best_fit(&self, input: &PlanInput<'_>, all: usize, named: &[&Self]) -> Clauses {
        let plan = &input.wording.plan;
        let why = self.why_first(input, named).map_or_else(String::new, |why| format!("{}{why}", input.wording.space()));
        let name = [input.shown(self.condition)];
        let explained = items(input, &self.explains, FINDINGS, |finding| proofs_of_finding(input, self.condition, finding));
        let beyond = self.explains.len().saturating_sub(explained.len());
        // What it leaves open is named where that is little: it is what the reader looks for next.
        let graph = &input.knowledge.graph;
        let left: Vec<EntityId> = input.findings().into_iter().filter(|finding| !self.explains.contains(finding)).collect();
        let left: Vec<String> = left.into_iter().map(|finding| input.wording.name(graph, finding)).collect();
        let fill = |sentence: &str| input.wording.fill(sentence, &name).replace("{all}", &all.to_string());
        let if_all =
            (1..=LEFT_OPEN).contains(&left.len()).then(|| fill(&plan.best_fit_partly).replace("{left}", &input.wording.list(&left)));
        let if_all = if_all.map(|said| format!("{said}{why}"));
        let counted = Clause { said: format!("{}{why}", fill(&plan.best_fit)), items: explained, beyond, if_all };
        let otherwise = input.wording.fill(&plan.possible, &name);
        Clauses { opening: String::new(), clauses: vec![counted], otherwise, wording: input.wording }
    }

    /// Why it stands before another of those named that explains more.
    fn why_first(&self, input: &PlanInput<'_>, named: &[&Self]) -> Option<String> {
        let other = named.iter().max_by_key(|other| other.explains.len()).filter(|other| other.explains.len() > self.explains.len())?;
        let (plan, graph) = (&input.wording.plan, &input.knowledge.graph);
        let is_emergency = |condition: EntityId| urgency_of(input.knowledge, condition) == Some("emergency");
        let facts = input.knowledge.facts();
        let is_flag = |finding: &EntityId| facts.states(self.condition, *finding, |role| role == Role::RedFlag);
        let flags = self.explains.iter().copied().filter(is_flag).take(1);
        let flags: Vec<String> = flags.map(|flag| input.wording.name(graph, flag)).collect();
        let is_graver = is_emergency(self.condition) && !is_emergency(other.condition);
        let said = match is_graver {
            true if flags.is_empty() => plan.first_by_danger.clone(),
            true => input.wording.fill(&plan.first_by_flag, &flags),
            false => plan.first_by_likelihood.clone(),
        };
        Some(said.replace("{other}", &input.shown(other.condition)))
    }
}

/// The first of these entities, each once, with the chains that prove what is said of it.
fn items(input: &PlanInput<'_>, of: &[EntityId], most: usize, proofs: impl Fn(EntityId) -> Vec<Chain>) -> Vec<ClauseItem> {
    let graph = &input.knowledge.graph;
    let mut seen = BTreeSet::new();
    let once = of.iter().copied().filter(|entity| seen.insert(*entity)).take(most);
    once.map(|entity| ClauseItem { entity, shown: input.wording.name(graph, entity), proofs: proofs(entity) }).collect()
}

/// The chains that state together that a condition explains a finding.
fn proofs_of_finding(input: &PlanInput<'_>, condition: EntityId, finding: EntityId) -> Vec<Chain> {
    let knowledge = input.knowledge;
    let is_feature = |role| matches!(role, Role::Symptom | Role::RedFlag | Role::Complication);
    let mut proofs = proof_of(knowledge, condition, finding, is_feature);
    proofs.extend(proof_of(knowledge, finding, condition, |role| role == Role::Cause));
    proofs.truncate(1);
    if let Some(wider) = wider_of(input, condition, finding).filter(|_| proofs.is_empty()) {
        proofs.extend(proof_of(knowledge, condition, wider, is_feature).into_iter().take(1));
        proofs.extend(proof_of(knowledge, finding, wider, |role| role == Role::Broader).into_iter().take(1));
    }
    if let Some(class) = class_with(input, condition, finding).filter(|_| proofs.is_empty()) {
        proofs.extend(proof_of(knowledge, class, finding, is_feature).into_iter().take(1));
        proofs.extend(proof_of(knowledge, condition, class, |role| role == Role::Broader).into_iter().take(1));
    }
    proofs
}

/// The chain that states that a feature is a sign of a condition.
fn proof_of_sign(input: &PlanInput<'_>, condition: EntityId, feature: EntityId) -> Vec<Chain> {
    proof_of(input.knowledge, condition, feature, |role| role == Role::Symptom).into_iter().take(1).collect()
}

/// The chains that state together that something makes a condition likelier.
fn proofs_of_reason(input: &PlanInput<'_>, condition: EntityId, reason: EntityId) -> Vec<Chain> {
    let knowledge = input.knowledge;
    let mut proofs = proof_of(knowledge, condition, reason, is_raising);
    proofs.extend(proof_of(knowledge, reason, condition, |role| matches!(role, Role::AdverseEffect | Role::Complication)));
    proofs.truncate(1);
    if let Some(class) = raising_class(input, condition, reason).filter(|_| proofs.is_empty()) {
        proofs.extend(membership(&knowledge.graph, reason, class));
        proofs.extend(proof_of(knowledge, condition, class, is_raising).into_iter().take(1));
    }
    proofs
}

/// Whether a role is that of what makes a condition likelier.
fn is_raising(role: Role) -> bool {
    matches!(role, Role::Cause | Role::RiskFactor)
}

/// What is stated to make a condition likelier: the entity itself or, of a drug, a class of it.
fn raising_class(input: &PlanInput<'_>, condition: EntityId, entity: EntityId) -> Option<EntityId> {
    let (graph, facts) = (&input.knowledge.graph, input.knowledge.facts());
    let is_drug = matches!(graph.kind(entity), Kind::Drug | Kind::DrugClass);
    let classes = if is_drug { classes_of(graph, entity) } else { Vec::new() };
    std::iter::once(entity).chain(classes).find(|class| facts.states(condition, *class, is_raising))
}

/// The features that a condition has most often.
fn typical_of(input: &PlanInput<'_>, condition: EntityId, most: usize) -> Vec<EntityId> {
    let knowledge = input.knowledge;
    let often = |feature: EntityId| by_frequency(knowledge, condition, feature, Role::Symptom, &BY_FREQUENCY, UNSTATED);
    let facts = knowledge.facts();
    let features = facts.players_of_role(condition, Role::Symptom).filter(|feature| !input.evidence.absent.contains(feature));
    let mut features: Vec<(f64, EntityId)> = features.map(|feature| (often(feature), feature)).collect();
    features.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    features.into_iter().map(|(_, feature)| feature).take(most).collect()
}

/// Whether a condition has a finding, or what that is a kind of.
pub(super) fn is_explained(input: &PlanInput<'_>, condition: EntityId, finding: EntityId) -> bool {
    let is_of_wider = || wider_of(input, condition, finding).is_some() || class_with(input, condition, finding).is_some();
    explains(input.knowledge, condition, finding) || !points_elsewhere(input.knowledge, condition, finding) && is_of_wider()
}

/// What the condition is a kind of, if that has the finding: subacute thyroiditis makes sweat as every overactive thyroid does.
fn class_with(input: &PlanInput<'_>, condition: EntityId, finding: EntityId) -> Option<EntityId> {
    let facts = input.knowledge.facts();
    let is_feature = |class: &EntityId| facts.states(*class, finding, shown_by(input.knowledge, condition));
    facts.players_of_role(condition, Role::Broader).filter(|class| input.knowledge.is_condition(*class)).find(is_feature)
}

/// What a finding is a kind of, if the condition has that: a pansystolic murmur is a heart murmur.
fn wider_of(input: &PlanInput<'_>, condition: EntityId, finding: EntityId) -> Option<EntityId> {
    let facts = input.knowledge.facts();
    let is_feature = |wider: &EntityId| facts.states(condition, *wider, shown_by(input.knowledge, condition));
    facts.players_of_role(finding, Role::Broader).find(is_feature)
}

/// The first conditions of the assessment, best first. The one because of which the case is an emergency leads where it explains as much
/// as the first: the answer must not name another above it than below.
pub(super) fn leading(input: &PlanInput<'_>) -> Ranking {
    let mut conditions: Ranking = input.assessment.conditions.iter().take(IN_SIGHT).copied().collect();
    let findings = input.findings();
    let explained = |condition: EntityId| findings.iter().filter(|finding| is_explained(input, condition, **finding)).count();
    let place = input.emergency.and_then(|danger| conditions.iter().position(|(condition, _)| *condition == danger));
    if let (Some(place), Some((first, top))) = (place, conditions.first().copied())
        && let Some((danger, _)) = conditions.get(place).copied()
        && danger != first
        && explained(danger) >= explained(first).max(1)
    {
        conditions.remove(place);
        conditions.insert(0, (danger, top));
    }
    conditions
}

/// The conditions to name, the leading one first, and those that must not be missed.
pub(super) fn differential(input: &PlanInput<'_>) -> (Vec<Account>, Vec<Account>) {
    let findings = input.findings();
    let ranking = leading(input);
    let top = ranking.first().map_or(0.0, |(_, score)| *score);
    let mut named = Vec::new();
    let mut missed = Vec::new();
    for (condition, score) in &ranking {
        let account = Account::of(input, *condition, *score, &findings);
        let is_subject = input.evidence.standing(*condition) == Standing::Subject;
        let has_reason = !account.explains.is_empty() || is_subject || !account.made_likelier_by.is_empty() || !account.typical.is_empty();
        // A finding that is a condition of its own, as a high potassium, counts if it explains another.
        let is_mere_finding = findings.contains(condition)
            && (!matches!(input.knowledge.graph.kind(*condition), Kind::Disease) || account.explains.is_empty());
        // Beside a kind of it, the class says nothing new.
        let is_class_of_named = named.iter().any(|known: &Account| {
            input.knowledge.facts().states(known.condition, *condition, |role| role == Role::Broader)
                && known.explains.len() >= account.explains.len()
        });
        if is_class_of_named && !is_subject {
            continue;
        }
        if !has_reason || input.evidence.excluded.contains(condition) || is_mere_finding {
            continue;
        }
        if named.len() < MOST && *score >= NEAR * top {
            named.push(account);
        } else if urgency_of(input.knowledge, *condition) == Some("emergency")
            && account.explains.len() >= EXPLAINED_TO_MISS.min(findings.len())
            && *score >= NEAR_ENOUGH_TO_MISS * top
            && missed.len() < MUST_NOT_MISS
        {
            missed.push(account);
        }
    }
    // What the first line of the answer warns of is among what is named.
    let is_known = |condition: EntityId| {
        let name = input.knowledge.graph.entity_name(condition);
        input.case.conditions.iter().any(|c| c.status == ConditionStatus::Known && c.entity.as_deref() == Some(name))
    };
    let is_named = |condition: EntityId| named.iter().chain(&missed).any(|account: &Account| account.condition == condition);
    if let Some(danger) = input.emergency.filter(|danger| !is_named(*danger) && !is_known(*danger)) {
        let account = Account::of(input, danger, NEAR_ENOUGH_TO_MISS * top, &findings);
        if !account.explains.is_empty() || !account.typical.is_empty() {
            missed.insert(0, account);
            missed.truncate(MUST_NOT_MISS);
        }
    }
    (named, missed)
}

/// The lines of the differential.
pub(super) fn lines(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let (named, missed) = differential(input);
    let named = named.iter().map(|account| line(input, account, false));
    let proven = |line: &PlannedLine| !line.proofs.is_empty();
    named.chain(missed.iter().map(|account| line(input, account, true))).filter(proven).collect()
}

/// The line of a condition that the differential may leave out; `None` if nothing in the case speaks for it, or it does not befit the patient.
pub(super) fn line_of(input: &PlanInput<'_>, condition: EntityId) -> Option<PlannedLine> {
    let (_, score) = *input.assessment.conditions.iter().find(|(known, _)| *known == condition)?;
    let account = Account::of(input, condition, score, &input.findings());
    Some(line(input, &account, false)).filter(|line| !line.proofs.is_empty() && !input.evidence.excluded.contains(&condition))
}

fn line(input: &PlanInput<'_>, account: &Account, missed: bool) -> PlannedLine {
    let lines = &input.wording.plan;
    let mut opening = format!("{}{}", input.shown(account.condition), input.wording.colon());
    if missed {
        opening.push_str(&lines.must_not_miss);
        opening.push_str(input.wording.semicolon());
    }
    let said = Clauses { opening, clauses: account.clauses(input), otherwise: lines.considered.clone(), wording: input.wording };
    PlannedLine { entity: Some(account.condition), ..PlannedLine::proven_by_clause(AnswerPart::Conditions, said) }
}

/// The signs that a condition has most often, where the question is about the condition and tells of no patient: "What are the signs of a stroke?"
pub(super) fn signs(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let knowledge = input.knowledge;
    let is_asked = |kind: AskKind| matches!(kind, AskKind::Diagnosis | AskKind::Monitoring);
    let asked = input.case.asks.iter().filter(|ask| is_asked(ask.kind)).flat_map(|ask| &ask.of);
    let conditions = asked.filter_map(|name| input.entity(name)).filter(|entity| knowledge.is_condition(*entity));
    let line = |condition: EntityId| {
        let features = typical_of(input, condition, SIGNS);
        let signs = items(input, &features, SIGNS, |feature| proof_of_sign(input, condition, feature));
        let said = Clauses {
            opening: format!("{}{}", input.shown(condition), input.wording.colon()),
            clauses: vec![Clause::naming(&input.wording.plan.signs, signs)],
            otherwise: String::new(),
            wording: input.wording,
        };
        let line = PlannedLine { entity: Some(condition), ..PlannedLine::proven_by_clause(AnswerPart::Conditions, said) };
        (!features.is_empty()).then_some(line)
    };
    conditions.take(MOST).filter_map(line).collect()
}

/// Conditions beyond those named, for "also in the evidence".
pub(super) fn further(input: &PlanInput<'_>) -> Vec<EntityId> {
    if !input.evidence.seeks_diagnosis {
        return Vec::new();
    }
    input.assessment.conditions.iter().take(IN_SIGHT).map(|(condition, _)| *condition).collect()
}
