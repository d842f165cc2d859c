//! The planned answer of a run: made from the case and the assessment before chains are chosen, around every method.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::named_facts;
use super::remembered::Remembered;
use super::run_state::Understood;
use crate::graph::{Chain, EntityId, EvolvingGraph, Kind, Role, classes_of, qualifier_keys as keys};
use crate::language::context::RunContext;
use crate::language::knowledge::named;
use crate::pipeline::answer::plan::{Caution, Plan, PlanInput, PlannedLine, PlannedSafety, taken_twice, urgency, warned_before};
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::differential::assess::Assessment;
use crate::pipeline::differential::evidence::CaseEvidence;
use crate::pipeline::differential::of_drugs::is_adverse_effect;
use crate::pipeline::safety::states::is_of_degree;
use crate::pipeline::safety::{
    AskedKind, SafetyKind, SafetyLine, SafetyPart, SafetyRank, SafetyReport, SafetyStatement, Verdict, WhenHolds, changed, safety,
};
use crate::pipeline::search;
use crate::pipeline::understand::after_procedure::after_procedures;
use crate::pipeline::understand::general::asks_in_general;
use crate::pipeline::understand::in_hospital::is_in_hospital;
use crate::pipeline::understand::intent::asks_for_signs;
use crate::pipeline::understand::past_treatment::PastTreatment;
use crate::pipeline::understand::register::is_lay;
use crate::pipeline::understand::severe_allergy::severe_allergies;
use crate::pipeline::understand::stopping::{asked_to_stop, asked_to_stop_beside};
use crate::pipeline::understand::topics::asked_of_topics;
use crate::pipeline::understand::unnamed::Unnamed;
use crate::pipeline::understand::using::{UseTopic, asked_of_use};
use crate::run::event::AnswerPart;
use crate::run::{AskKind, CaseFinding, ChainKey, ConditionStatus, DrugStatus, FindingStatus, Triage, Urgency, UrgencyLevel};
use crate::text::tokenise;

/// How many leading conditions may come of a substance of the case.
const LEADERS: usize = 2;

/// The most reasons for care that are given beside one treatment.
const MOST_CAUTIONS: usize = 3;

/// A plan, and how urgent the case is.
#[derive(Debug, Clone, Default)]
pub(super) struct Planned {
    pub(super) plan: Plan,
    pub(super) urgency: Urgency,
    /// What ratings pinned for questions like this one, and what was learned of the very things that it names.
    pub(super) remembered: Vec<Remembered>,
    /// What the safety pass says of the case; `None` where it did not run.
    report: Option<Arc<SafetyReport>>,
}

impl Planned {
    /// Plans the answer to a question. `remembered`: `None` where the method does not listen to what was taught.
    pub(super) fn of(
        ctx: &RunContext<'_>,
        understood: &Understood,
        assessment: &Assessment,
        (question, triage, remembered): (&str, &Triage, Option<Vec<Remembered>>),
    ) -> Self {
        let (knowledge, graph) = (ctx.knowledge, &ctx.knowledge.graph);
        let wording = Wording::for_text(question);
        let mut evidence = CaseEvidence::of(knowledge, &understood.case, understood.recognised);
        let judged = urgency::judge(knowledge, (question, &understood.case), &evidence, assessment, wording);
        let mut urgency = judged.urgency;
        let entities = |names: Vec<&str>| {
            let all: Vec<EntityId> = names.into_iter().filter_map(|name| named(graph, name, "")).collect();
            // "My blood pressure tablet amlodipine" is one drug.
            let is_wider = |class: &EntityId| all.iter().any(|drug| classes_of(graph, *drug).contains(class));
            all.iter().copied().filter(|drug| !is_wider(drug)).collect()
        };
        let using = asked_of_use(question, &understood.case).into_iter().map(|(topic, drugs)| (topic, entities(drugs)));
        let using: Vec<(UseTopic, Vec<EntityId>)> = using.collect();
        if urgency.level != Some(UrgencyLevel::Emergency) && understood.case.refusal.is_none() {
            urgency = taken_twice::urgency(knowledge, &using, &understood.case, wording).unwrap_or(urgency);
        }
        let tokens = tokenise(question);
        let after_procedure = if understood.case.refusal.is_none() { after_procedures(&tokens, &understood.case) } else { Vec::new() };
        if let Some(first) = after_procedure.first() {
            urgency = first.urgency(&understood.case, urgency, wording.is_chinese());
        }
        let kept = warned_before::kept(knowledge, &understood.case, &urgency, wording);
        let is_kept = kept.is_some();
        urgency = kept.unwrap_or(urgency);
        // What somebody has now outranks what is to be prevented: where that is an emergency, the answer says first what it is.
        let asks = &understood.case.asks;
        let only_prevents = !asks.is_empty() && asks.iter().all(|ask| ask.kind == AskKind::Prevention);
        let is_goal = |condition: EntityId| understood.intent.goals.contains(&condition);
        let is_now = understood.case.tells_of_now() && !judged.condition.is_some_and(is_goal);
        evidence.seeks_diagnosis |= only_prevents && is_now && urgency.level == Some(UrgencyLevel::Emergency);
        let is_rejected = |entity: &EntityId| triage.rejected_anchors.contains(graph.entity_name(*entity));
        let named_in_question = understood.anchors.iter().map(|(entity, _)| *entity);
        let of_question: Vec<EntityId> = named_in_question.filter(|entity| !is_rejected(entity)).collect();
        let mut report = safety(graph, &understood.case);
        if let Some(pair) = changed(graph, question, &understood.case) {
            report.change(pair);
        }
        if let Some(kind) = AskedKind::of(graph, question) {
            report.list_only(graph, &understood.case, &kind);
        }
        if urgency.level != Some(UrgencyLevel::Emergency) {
            report.add_same_ingredients(graph, question, &understood.case);
        }
        report.list_level(graph, question);
        // What the case most likely is forbids drugs as what it is known to be does. Of drugs in use, only where it is dangerous.
        let mut suspected: Vec<EntityId> = judged.condition.into_iter().collect();
        if evidence.seeks_diagnosis && understood.case.drugs.iter().any(|drug| drug.status == DrugStatus::Proposed) {
            suspected.extend(assessment.conditions.first().map(|(leader, _)| *leader).filter(|leader| !suspected.contains(leader)));
        }
        report.suspect(graph, &suspected);
        // In an emergency, what merely interacts may be the lesser evil: it is offered with a caution, as a benzodiazepine in delirium tremens.
        let is_emergency = urgency.level == Some(UrgencyLevel::Emergency);
        // So it is with the substance that the illness comes of, as alcohol in its withdrawal.
        // Where nothing is told but what the patient has, what merely resembles a name of the question is no illness: what lithium can do
        // must not speak for what does it.
        let tells = !understood.case.findings.is_empty() || !understood.case.results.is_empty() || evidence.seeks_diagnosis;
        let leads = |condition: &EntityId| tells || of_question.contains(condition);
        let leaders = || assessment.conditions.iter().map(|(condition, _)| *condition).take(LEADERS).filter(leads);
        // What holds of its class does, too: ramipril, where an ACE inhibitor makes the cough.
        let is_cause = |entity: EntityId| {
            let makes = |role| matches!(role, Role::Cause | Role::RiskFactor);
            let itself_and_classes: Vec<EntityId> = std::iter::once(entity).chain(classes_of(graph, entity)).collect();
            let comes_of = |condition: EntityId| itself_and_classes.iter().any(|of| knowledge.facts().states(condition, *of, makes));
            leaders().any(comes_of)
        };
        // Spironolactone beside ramipril is what heart failure is treated with, and needs its potassium watched.
        let has = |name: &str| {
            understood
                .case
                .conditions
                .iter()
                .any(|condition| condition.status == ConditionStatus::Known && condition.entity.as_deref() == Some(name))
        };
        let is_standard = |statement: &SafetyStatement| {
            let of_part = |part: &SafetyPart| part.qualifiers.list(keys::STANDARD_IN).any(has);
            statement.rank() == SafetyRank::Major && statement.parts.iter().filter(|part| part.rank == SafetyRank::Major).all(of_part)
        };
        // What takes the place of a drug that did harm is not given beside it: an angiotensin receptor blocker, where ramipril makes somebody cough.
        let drugs: Vec<(usize, usize)> = understood.case.drugs.iter().map(|drug| (drug.start, drug.end)).collect();
        let past_treatment = PastTreatment::of(&tokens, &drugs);
        let is_told = |finding: &CaseFinding| finding.status == FindingStatus::Present;
        let told = understood.case.findings.iter().filter(|finding| is_told(finding)).filter_map(|finding| finding.entity.as_deref());
        let past = understood.case.conditions.iter().filter(|condition| condition.status == ConditionStatus::Past);
        let told = told.chain(past.filter_map(|condition| condition.entity.as_deref()));
        let told: Vec<EntityId> = told.filter_map(|name| named(graph, name, "")).collect();
        // Only of the drug that is to be replaced, where the question says which.
        let replaced = &understood.intent.wanted.replaced;
        let is_meant = |drug: EntityId| replaced.is_empty() || replaced.contains(&drug);
        let did_harm = |drug: EntityId| is_meant(drug) && told.iter().any(|effect| is_adverse_effect(knowledge, drug, *effect));
        // What is not tolerated is left, and stands in the way of nothing: duloxetine, where amitriptyline was not tolerated. What failed is left only
        // where it was stopped or is to be replaced: who is "not controlled on verapamil" still takes it.
        let left = PastTreatment::not_tolerated_of(&tokens, &drugs);
        let left = left.into_iter().filter_map(|number| understood.case.drugs.get(number)).filter_map(|drug| drug.entity.as_deref());
        let left: Vec<EntityId> = left.filter_map(|name| named(graph, name, "")).collect();
        let failed = PastTreatment::failed_of(&tokens, &drugs).into_iter().filter_map(|number| understood.case.drugs.get(number));
        let failed = failed.filter(|drug| drug.status.was_given());
        let failed: Vec<(DrugStatus, EntityId)> =
            failed.filter_map(|drug| Some((drug.status, named(graph, drug.entity.as_deref()?, "")?))).collect();
        let is_given_up = |status: DrugStatus, drug: EntityId| {
            status == DrugStatus::Stopped || replaced.contains(&drug) || (past_treatment.asks_for_another && is_meant(drug))
        };
        let given_up: Vec<EntityId> = failed.iter().filter(|(status, drug)| is_given_up(*status, *drug)).map(|(_, drug)| *drug).collect();
        let failed: Vec<EntityId> = failed.into_iter().map(|(_, drug)| drug).collect();
        // After an anaphylaxis, what may be given with care after a rash is not offered, unless an emergency leaves no time.
        let allergens = understood.case.drugs.iter().filter(|drug| drug.status == DrugStatus::Allergic);
        let allergens = allergens.map(|drug| (drug.entity.as_deref(), (drug.start, drug.end)));
        // "Penicillin allergy" may be read as what the patient has.
        let states = understood.case.conditions.iter().filter(|condition| condition.status != ConditionStatus::Excluded);
        let states = states.filter_map(|of| Some((of.entity.as_deref()?, (of.start, of.end))));
        let is_allergy = |name: &str| named(graph, name, "").is_some_and(|state| !report.allergies_to(state).is_empty());
        let states = states.filter(|(name, _)| is_allergy(name)).map(|(name, place)| (Some(name), place));
        let (names, places): (Vec<Option<&str>>, Vec<(usize, usize)>) = allergens.chain(states).unzip();
        let severe = severe_allergies((question, &tokens), &places).into_iter();
        let severe = severe.filter_map(|number| named(graph, (*names.get(number)?)?, ""));
        let severe_allergies: Vec<EntityId> = severe.flat_map(|allergen| report.allergies_to(allergen)).collect();
        // Only what cross-reacts: furosemide after a reaction to a sulfonamide, and a carbapenem after one to penicillin, are given with care.
        let is_of_severe = |statement: &SafetyStatement| {
            let says = |part: &SafetyPart, key: &str, word: &str| part.qualifiers.get(key).is_some_and(|said| said.contains(word));
            let is_meant = |part: &SafetyPart| says(part, keys::WHEN, "severe") && says(part, keys::EFFECT, "cross-reaction");
            !is_emergency
                && statement.kind == SafetyKind::Contraindication
                && severe_allergies.contains(&statement.player)
                && statement.parts.iter().any(is_meant)
        };
        let of_severe = |drug: EntityId| {
            if severe_allergies.is_empty() { None } else { report.cautions(graph, drug).into_iter().find(is_of_severe) }
        };
        let is_left = |statement: &SafetyStatement| {
            statement.kind == SafetyKind::Interaction
                && statement.rank() == SafetyRank::Major
                && [statement.owner, statement.player].iter().any(|drug| left.contains(drug) || given_up.contains(drug))
        };
        let is_replaced = |statement: &SafetyStatement| {
            is_left(statement)
                || past_treatment.asks_for_another
                    && statement.kind == SafetyKind::Interaction
                    && statement.rank() == SafetyRank::Major
                    && (did_harm(statement.owner) || did_harm(statement.player))
        };
        let is_lesser_evil = |statement: &SafetyStatement| {
            if is_standard(statement) || is_replaced(statement) {
                return true;
            }
            let is_of_cause = statement.kind == SafetyKind::Interaction && (is_cause(statement.owner) || is_cause(statement.player));
            statement.rank() == SafetyRank::Major && (is_emergency || is_of_cause)
        };
        // "Any heart failure; absolute when severe" holds for every heart failure.
        let is_of_degree = |part: &SafetyPart| is_of_degree(part.qualifiers.get(keys::WHEN).unwrap_or_default());
        let is_untold = |statement: &SafetyStatement| {
            statement.rank() == SafetyRank::Relative && statement.parts.iter().all(|part| part.when != WhenHolds::Yes && is_of_degree(part))
        };
        // A drug is out for whatever forbids it and is no lesser evil: where what failed is left, for the tramadol that goes on.
        let out_for = |drug: EntityId| {
            let found = report.forbidding(graph, drug).into_iter().find(|statement| !is_lesser_evil(statement));
            found.or_else(|| of_severe(drug))
        };
        let forbids = |drug: EntityId| out_for(drug).is_some();
        let in_hospital = understood.case.refusal.is_none() && is_in_hospital(&tokens, &understood.case);
        if let Some(text) = urgency.text.as_mut() {
            // What merely interacts may be the lesser evil in an emergency.
            let is_contraindicated = |drug: &EntityId| {
                let found = report.verdict(graph, *drug).filter(|(verdict, _)| *verdict == Verdict::Forbidden);
                found.is_some_and(|(_, statement)| statement.rank() == SafetyRank::Contraindicated)
            };
            let out = drugs_named(graph, text).into_iter().filter(is_contraindicated);
            let names: Vec<String> = out.map(|drug| wording.name(graph, drug)).collect();
            if !names.is_empty() {
                text.push_str(&wording.fill(&wording.plan.not_here, &names));
            }
            if in_hospital {
                *text = wording.in_hospital(text);
            }
            if is_emergency && understood.case.refusal.is_none() && is_lay(&tokens) {
                *text = wording.with_where_to_go(text);
            }
        }
        // Looking at all kinds of a class costs time, and each class is looked at more than once.
        let known_kinds: RefCell<BTreeMap<EntityId, Vec<SafetyStatement>>> = RefCell::default();
        let kinds_out = |class: EntityId| {
            let known = known_kinds.borrow().get(&class).cloned();
            known.unwrap_or_else(|| {
                let found = report.kinds_out(graph, class);
                known_kinds.borrow_mut().insert(class, found.clone());
                found
            })
        };
        let caution = |drug: EntityId| {
            if forbids(drug) {
                return None;
            }
            let mut statements = report.cautions(graph, drug);
            // What is offered as a class is not offered with the kinds of it that the case forbids.
            let is_of_kinds = statements.is_empty();
            let mut of_kinds = kinds_out(drug);
            of_kinds.retain(|new| !statements.iter().any(|known| known.is_about(new.owner, new.player)));
            statements.extend(of_kinds);
            let (first, more) = statements.split_first()?;
            let rank = first.rank();
            // Of what weighs less, one reason is enough.
            let said = || std::iter::once(first).chain(more.iter().filter(|s| s.rank() <= SafetyRank::Relative)).take(MOST_CAUTIONS);
            Some(Caution {
                text: said().map(|s| SafetyReport::line_of(graph, wording, s)).collect::<Vec<_>>().join(wording.between_sentences()),
                proofs: said().flat_map(|s| s.chains().take(1)).collect(),
                // The lesser evil keeps its place: what an emergency is treated with first comes first. So does what is said with care only under
                // a condition that the case does not tell: an anticoagulant, in a hypertension that nobody calls severe.
                is_serious: !is_of_kinds && rank <= SafetyRank::Relative && !is_lesser_evil(first) && !is_untold(first),
                is_relative: rank == SafetyRank::Relative,
                against: first.player,
                is_of_kinds,
            })
        };
        let withheld = |drug: EntityId| {
            let statement = out_for(drug)?;
            let said = SafetyReport::line_of(graph, wording, &statement);
            let text = format!("{}{}", said.trim_end_matches(['.', '。']), wording.plan.left_out);
            Some(PlannedLine {
                entity: Some(drug),
                role: Some(statement.role()),
                proofs: statement.chains().collect(),
                ..PlannedLine::saying(AnswerPart::Safety, text)
            })
        };
        let is_absolute = |drug: EntityId| out_for(drug).is_some_and(|statement| statement.rank() == SafetyRank::Contraindicated);
        let planned = |line: SafetyLine| PlannedLine {
            entity: named(graph, &line.entity, ""),
            role: line.role,
            proofs: line.chains,
            ..PlannedLine::saying(AnswerPart::Safety, line.text)
        };
        let asks_for_care = asks.iter().any(|ask| matches!(ask.kind, AskKind::Treatment | AskKind::Diagnosis));
        let (stated, standard) =
            if asks_for_care { report.standard_apart(graph, wording) } else { (report.lines(graph, wording), Vec::new()) };
        let safety = PlannedSafety {
            lines: stated.into_iter().map(planned).collect(),
            standard: standard.into_iter().map(planned).collect(),
            lists: report.lists.iter().flat_map(|list| list.lines(graph, wording)).map(planned).collect(),
            is_cut: report.lists.iter().any(|list| list.omitted > 0),
            forbids: Some(&forbids),
            is_absolute: Some(&is_absolute),
            caution: Some(&caution),
            withheld: Some(&withheld),
        };
        let named_facts = named_facts::of_question(knowledge, &of_question);
        let rated: Vec<(EntityId, Role, EntityId)> = remembered.iter().flatten().map(|one| one.fact).collect();
        let listens = remembered.is_some();
        let mut remembered = remembered.unwrap_or_default();
        if listens {
            remembered.extend(named_facts::learned(&named_facts));
        }
        let mut preferred: Vec<(EntityId, Role, EntityId)> = remembered.iter().map(|one| one.fact).collect();
        preferred.extend(named_facts::considered(knowledge, &named_facts, &understood.case));
        let chains = |keys: &BTreeSet<ChainKey>| keys.iter().filter_map(|key| search::chain_of(graph, key)).collect::<Vec<Chain>>();
        let pinned = chains(&triage.pinned);
        let stopping = asked_to_stop(question, &understood.case);
        let stopping: Vec<EntityId> = stopping.into_iter().filter_map(|name| named(graph, name, "")).collect();
        let stopping_beside = asked_to_stop_beside(question, &understood.case);
        let stopping_beside: Vec<EntityId> = stopping_beside.into_iter().filter_map(|name| named(graph, name, "")).collect();
        let topics = asked_of_topics(graph, question, &understood.case);
        let input = PlanInput {
            knowledge,
            case: &understood.case,
            evidence: &evidence,
            assessment,
            urgency: &urgency,
            emergency: judged.condition.filter(|_| is_emergency),
            safety: &safety,
            wording,
            asks_for_signs: asks_for_signs(&tokens),
            unnamed: Unnamed::of(&tokens),
            in_hospital,
            after_procedure: &after_procedure,
            wanted: &understood.intent.wanted.classes,
            replaced: &understood.intent.wanted.replaced,
            failed: &failed,
            not_tolerated: &left,
            severe_allergies: &severe_allergies,
            past_treatment,
            stopping: &stopping,
            stopping_beside: &stopping_beside,
            using: &using,
            topics: &topics.told,
            open_topics: &topics.open,
            of_question: &of_question,
            preferred: &preferred,
            remembered: &rated,
            pinned: &pinned,
        };
        // "Think of a tumour" does not stand above an answer that begins with the drug that does the same.
        let is_guess = |condition: EntityId| {
            let name = graph.entity_name(condition);
            urgency.level == Some(UrgencyLevel::Urgent) && !understood.case.conditions.iter().any(|c| c.entity.as_deref() == Some(name))
        };
        let routine = Urgency { level: Some(UrgencyLevel::Routine), ..Urgency::default() };
        // But what the drug itself is known to do is no guess: a lack of white cells under carbimazole.
        let is_idle_guess = |condition: EntityId| is_guess(condition) && !input.is_of_drug_in_use(condition);
        // "Does atorvastatin cause muscle ache?" tells of nobody who takes it.
        let danger = input.danger_of_drug().filter(|_| !asks_in_general(&tokens, &understood.case));
        let of_danger =
            danger.map(|condition| urgency::of_drugs_in_use(knowledge, condition, &evidence, (wording, &understood.case.patient)));
        let is_calm = !matches!(urgency.level, Some(UrgencyLevel::Emergency | UrgencyLevel::Urgent));
        let is_lowered = !is_kept && judged.condition.is_some_and(is_idle_guess) && input.is_by_drug();
        let input = match &of_danger {
            Some(of_danger) if is_calm || is_lowered => PlanInput { urgency: of_danger, ..input },
            None if is_lowered => PlanInput { urgency: &routine, ..input },
            _ => input,
        };
        let rejected = chains(&triage.rejected);
        let plan = Plan { rejected, ..Plan::of(&input) };
        let urgency = input.urgency.clone();
        Self { plan, urgency, remembered, report: Some(Arc::new(report)) }
    }

    /// Whether the safety pass speaks against a drug.
    pub(super) fn forbids(&self, graph: &EvolvingGraph, drug: EntityId) -> bool {
        self.report.as_ref().is_some_and(|report| report.forbids(graph, drug))
    }

    /// The chains that the answer rests on.
    pub(super) fn needed(&self) -> Vec<Chain> {
        self.plan.proofs().copied().collect()
    }
}

/// The drugs and classes of drugs that a text names, in order, each once.
fn drugs_named(graph: &EvolvingGraph, text: &str) -> Vec<EntityId> {
    let tokens = tokenise(text);
    let mut drugs = Vec::new();
    for at in 0..tokens.len() {
        let Some(hit) = graph.names().longest_at(&tokens, at) else { continue };
        let is_drug = |entity: &EntityId| matches!(graph.kind(*entity), Kind::Drug | Kind::DrugClass);
        for (entity, _) in hit.entities.iter().filter(|(entity, _)| is_drug(entity)) {
            if !drugs.contains(entity) {
                drugs.push(*entity);
            }
        }
    }
    drugs
}
