//! The extractive reader: composes the answer from the kept chains alone, part by part; each line cites the chains that it rests on.
//! It states nothing that no kept chain states.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::statements::{Statement, corrected, forbidden, statements};
use super::wording::{ConditionReason, Wording};
use crate::graph::{EntityId, FoundChains, Role};
use crate::language::knowledge::Knowledge;
use crate::language::link::Anchors;
use crate::pipeline::differential::assess::{Assessment, Ranking};
use crate::pipeline::differential::confidence::Confidence;
use crate::pipeline::understand::intent::Intent;
use crate::run::event::{Answer, AnswerLine, AnswerPart, Pruning};

/// The most lines in a part.
const LINES: usize = 12;
/// The same for conditions.
const CONDITION_LINES: usize = 5;
/// The most chains that a line cites.
const CITATIONS: usize = 4;
/// The most other entities that a line names.
const OTHERS: usize = 3;

/// The input of the reader.
pub(crate) struct ReadInput<'a> {
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) found: &'a FoundChains,
    pub(crate) pruning: &'a Pruning,
    pub(crate) anchors: &'a Anchors,
    pub(crate) assessment: &'a Assessment,
    pub(crate) intent: &'a Intent,
    pub(crate) wording: &'a Wording,
    /// The hypothesis if a language model wrote it; otherwise empty.
    pub(crate) hypothesis: &'a str,
}

/// Composes the answer.
pub(crate) fn read(input: &ReadInput<'_>) -> Answer {
    let statements = statements(input);
    let of_question: HashSet<EntityId> = input.anchors.of_question().map(|a| a.entity).collect();
    let subjects: HashSet<EntityId> = of_question.iter().copied().chain(input.assessment.leading().map(|(e, _)| e)).collect();
    let forbidden = forbidden(input, &statements, &of_question);

    // A drug that prevents a condition does not treat it.
    let prevents =
        |s: &Statement| s.role == Role::Prevention && (input.intent.asks(AnswerPart::Treatments) || !of_question.contains(&s.owner));

    let mut lines = condition_lines(input, &statements, &of_question);
    lines.extend(player_lines(
        input,
        &statements,
        AnswerPart::Tests,
        &input.assessment.tests,
        |s| matches!(s.role, Role::Test | Role::Monitoring) && subjects.contains(&s.owner),
        &forbidden,
    ));
    lines.extend(player_lines(
        input,
        &statements,
        AnswerPart::Treatments,
        &input.assessment.treatments,
        |s| (s.role.is_treatment() || prevents(s)) && subjects.contains(&s.owner),
        &forbidden,
    ));
    let stated: HashSet<EntityId> = lines.iter().map(|(entity, _)| *entity).chain(of_question.iter().copied()).collect();
    let cautions = caution_lines(input, &statements, &stated);
    lines.extend(cautions);
    if lines.is_empty() {
        lines = finding_lines(input, &statements);
    }

    // The parts asked for come first; the rest follows in the usual order.
    lines.sort_by_key(|(_, line)| !input.intent.asks(line.part));

    let warned = caution_entities(input, &statements, &of_question);
    let entities = result_entities(input, &lines, &warned);
    let text = text_of(input, &lines);
    let citations: BTreeSet<u32> = lines.iter().flat_map(|(_, line)| line.citations.iter().copied()).collect();
    let corrected = corrected(input, &statements, &forbidden);
    Answer {
        text,
        entities,
        citations: citations.into_iter().collect(),
        passages: Vec::new(),
        corrected,
        grounded: !lines.is_empty(),
        lines: lines.into_iter().map(|(_, line)| line).collect(),
        by_model: false,
        more: Vec::new(),
        refining: false,
    }
}

/// Entities on which the evidence contradicts the hypothesis, by name.
pub(crate) fn corrections(input: &ReadInput<'_>) -> Vec<String> {
    let statements = statements(input);
    let of_question: HashSet<EntityId> = input.anchors.of_question().map(|anchor| anchor.entity).collect();
    let forbidden = forbidden(input, &statements, &of_question);
    corrected(input, &statements, &forbidden)
}

/// The answer without evidence: says so, and names what was not understood.
pub(crate) fn no_evidence(understood: &[String], unlinked: &[String], wording: &Wording) -> Answer {
    let mut sentences = Vec::new();
    if understood.is_empty() {
        sentences.push(wording.answer.nothing_linked.clone());
    } else {
        sentences.push(wording.fill(&wording.answer.no_evidence, understood));
    }
    if !unlinked.is_empty() {
        let shown: Vec<String> = unlinked.iter().take(8).map(|term| format!("“{}”", crate::text::sanitise_line(term))).collect();
        sentences.push(wording.fill(&wording.answer.not_linked, &shown));
    }
    sentences.push(wording.answer.rephrase.clone());
    Answer { text: sentences.join(" "), ..Answer::default() }
}

/// The answer if the doctor has rejected all evidence.
pub(crate) fn all_rejected(wording: &Wording) -> Answer {
    Answer { text: wording.answer.all_rejected.clone(), ..Answer::default() }
}

/// Sorts entities by a ranking; unranked ones come last, by name.
fn rank_of(ranking: &Ranking) -> impl Fn(EntityId) -> (usize, EntityId) + use<> {
    let places: HashMap<EntityId, usize> = ranking.iter().enumerate().map(|(place, (entity, _))| (*entity, place)).collect();
    move |entity| (places.get(&entity).copied().unwrap_or(usize::MAX), entity)
}

fn citations<'a>(statements: impl Iterator<Item = &'a Statement>) -> Vec<u32> {
    let all: BTreeSet<u32> = statements.flat_map(|s| s.cited.iter().copied()).collect();
    all.into_iter().take(CITATIONS).collect()
}

fn names(input: &ReadInput<'_>, entities: impl Iterator<Item = EntityId>, most: usize) -> Vec<String> {
    let mut seen = HashSet::new();
    entities.filter(|e| seen.insert(*e)).take(most).map(|e| input.wording.name(&input.knowledge.graph, e)).collect()
}

fn line(
    input: &ReadInput<'_>,
    part: AnswerPart,
    entity: EntityId,
    role: Option<Role>,
    said: &str,
    citations: Vec<u32>,
) -> (EntityId, AnswerLine) {
    let graph = &input.knowledge.graph;
    let text = format!("{}{}{said}", input.wording.name_with_original(graph, entity), input.wording.colon());
    (
        entity,
        AnswerLine {
            part,
            entity: graph.entity_name(entity).to_owned(),
            also: Vec::new(),
            role,
            text,
            citations,
            passages: Vec::new(),
            unsupported: false,
        },
    )
}

/// Conditions that explain the question's findings, or that the question names and the evidence mentions.
fn condition_lines(input: &ReadInput<'_>, statements: &[Statement], of_question: &HashSet<EntityId>) -> Vec<(EntityId, AnswerLine)> {
    let knowledge = input.knowledge;
    let mut by_condition: BTreeMap<EntityId, Vec<&Statement>> = BTreeMap::new();
    for statement in statements {
        let about_condition = statement.role.is_feature()
            || statement.role.is_treatment()
            || matches!(statement.role, Role::Test | Role::Cause | Role::RiskFactor | Role::Complication | Role::Monitoring);
        if about_condition && knowledge.is_condition(statement.owner) {
            by_condition.entry(statement.owner).or_default().push(statement);
        }
    }
    let mut conditions: Vec<EntityId> = by_condition.keys().copied().collect();
    conditions.sort_by_key({
        let rank = rank_of(&input.assessment.conditions);
        move |condition| rank(*condition)
    });
    // If the question names no condition and asks for no part, conditions near to its words are worth stating.
    let names_condition = of_question.iter().any(|entity| knowledge.is_condition(*entity));
    // A question whether something is safe asks for no diagnosis.
    let only_cautions = input.intent.parts == [AnswerPart::Cautions];
    conditions.retain(|condition| !only_cautions || of_question.contains(condition));
    let mut lines = Vec::new();
    for condition in conditions {
        let about = &by_condition[&condition];
        let explaining: Vec<&Statement> =
            about.iter().copied().filter(|s| of_question.contains(&s.player) && !s.role.is_treatment()).collect();
        // Smoking raises the risk of many conditions, but none explains it.
        let is_risk_alone = explaining.iter().all(|s| s.role == Role::RiskFactor);
        let (reason, based_on) = if !explaining.is_empty() {
            (if is_risk_alone { ConditionReason::Related } else { ConditionReason::Explains }, explaining)
        } else if of_question.contains(&condition) {
            (ConditionReason::Named, about.clone())
        } else if input.intent.asks(AnswerPart::Conditions) || (input.intent.parts.is_empty() && !names_condition) {
            (ConditionReason::Related, about.clone())
        } else {
            continue;
        };
        let others = names(input, based_on.iter().map(|s| s.player), OTHERS);
        let said = input.wording.condition_line(reason, &others);
        lines.push(line(input, AnswerPart::Conditions, condition, None, &said, citations(based_on.into_iter())));
        if lines.len() == CONDITION_LINES {
            break;
        }
    }
    lines
}

/// Tests or treatments that the kept chains state, in the assessment's order.
fn player_lines(
    input: &ReadInput<'_>,
    statements: &[Statement],
    part: AnswerPart,
    ranking: &Ranking,
    belongs: impl Fn(&Statement) -> bool,
    forbidden: &HashSet<EntityId>,
) -> Vec<(EntityId, AnswerLine)> {
    let mut by_player: BTreeMap<EntityId, Vec<&Statement>> = BTreeMap::new();
    for statement in statements.iter().filter(|s| belongs(s) && !forbidden.contains(&s.player)) {
        by_player.entry(statement.player).or_default().push(statement);
    }
    let mut players: Vec<EntityId> = by_player.keys().copied().collect();
    players.sort_by_key({
        let rank = rank_of(ranking);
        move |player| rank(*player)
    });
    players
        .into_iter()
        .take(LINES)
        .filter_map(|player| {
            let about = &by_player[&player];
            // First-line treatments first; a line states the strongest role only.
            let role = about
                .iter()
                .map(|s| s.role)
                .max_by_key(|role| (*role == Role::FirstLine, *role != Role::Prevention, *role != Role::Monitoring))?;
            let same: Vec<&Statement> = about.iter().copied().filter(|s| s.role == role).collect();
            let others = names(input, same.iter().map(|s| s.owner), OTHERS);
            Some(line(input, part, player, Some(role), &input.wording.role_line(role, &others), citations(about.iter().copied())))
        })
        .collect()
}

/// Warnings in the kept chains: about stated treatments, and red flags and complications of stated conditions.
fn caution_lines(input: &ReadInput<'_>, statements: &[Statement], stated: &HashSet<EntityId>) -> Vec<(EntityId, AnswerLine)> {
    // Warn of a contraindicated drug that the hypothesis proposed, but not of one that nobody mentioned.
    let proposed: HashSet<EntityId> = input.anchors.entities().into_iter().collect();
    let mut grouped: BTreeMap<(EntityId, Role), Vec<&Statement>> = BTreeMap::new();
    for statement in statements {
        let concerns = match statement.role {
            Role::Contraindication | Role::AdverseEffect | Role::Interaction => {
                stated.contains(&statement.owner) || proposed.contains(&statement.owner)
            }
            Role::RedFlag | Role::Complication => stated.contains(&statement.owner),
            _ => false,
        };
        if concerns {
            grouped.entry((statement.owner, statement.role)).or_default().push(statement);
        }
    }
    let urgency = |role: Role| match role {
        Role::Contraindication => 0,
        Role::Interaction => 1,
        Role::RedFlag => 2,
        Role::AdverseEffect => 3,
        _ => 4,
    };
    let mut keys: Vec<(EntityId, Role)> = grouped.keys().copied().collect();
    keys.sort_by_key(|(owner, role)| (urgency(*role), *owner));
    keys.into_iter()
        .take(LINES)
        .map(|(owner, role)| {
            let about = &grouped[&(owner, role)];
            let most = if input.intent.asks(AnswerPart::Cautions) { LINES } else { OTHERS };
            let others = names(input, about.iter().map(|s| s.player), most);
            line(input, AnswerPart::Cautions, owner, Some(role), &input.wording.role_line(role, &others), citations(about.iter().copied()))
        })
        .collect()
}

/// Warnings in the kept chains about entities of the question: adverse effects, states, other drugs. If the
/// question names both sides ("is A safe in B?"), these come first.
fn caution_entities(input: &ReadInput<'_>, statements: &[Statement], of_question: &HashSet<EntityId>) -> Vec<String> {
    let is_warning = |s: &&Statement| matches!(s.role, Role::Contraindication | Role::AdverseEffect | Role::Interaction);
    let mut direct = Vec::new();
    let mut others = Vec::new();
    for statement in statements.iter().filter(is_warning) {
        match (of_question.contains(&statement.owner), of_question.contains(&statement.player)) {
            (true, true) => direct.extend([statement.owner, statement.player]),
            (true, false) => others.push(statement.player),
            _ => {}
        }
    }
    // If the question names both sides, the assessment holds nothing else.
    others.retain(|entity| input.assessment.cautions.iter().any(|(known, _)| known == entity));
    others.sort_by_key({
        let rank = rank_of(&input.assessment.cautions);
        move |entity| rank(*entity)
    });
    direct.into_iter().chain(others).map(|entity| input.knowledge.graph.entity_name(entity).to_owned()).collect()
}

/// Plain statements, for graphs whose relations have no known roles.
fn finding_lines(input: &ReadInput<'_>, statements: &[Statement]) -> Vec<(EntityId, AnswerLine)> {
    let graph = &input.knowledge.graph;
    let mut lines: Vec<(EntityId, AnswerLine)> = Vec::new();
    let anchors: HashSet<EntityId> = input.anchors.of_question().map(|a| a.entity).collect();
    for (scored, id) in input.pruning.kept.iter().zip(1u32..).take(LINES) {
        let chain = &input.found.chains[scored.chain as usize];
        let nodes = chain.nodes().iter().map(|node| EntityId(*node));
        let Some(entity) = nodes.clone().find(|e| !anchors.contains(e)).or_else(|| nodes.clone().next()) else { continue };
        if lines.iter().any(|(known, _)| *known == entity) || statements.is_empty() {
            continue;
        }
        lines.push(line(input, AnswerPart::Findings, entity, None, &graph.chain_text(chain), vec![id]));
    }
    lines
}

/// The entities that the answer states as its result: the parts asked for, in the order of their lines; if the question asks for
/// no part, by confidence across all parts.
fn result_entities(input: &ReadInput<'_>, lines: &[(EntityId, AnswerLine)], warned: &[String]) -> Vec<String> {
    let of = |part: AnswerPart| lines.iter().filter(move |(_, line)| line.part == part).map(|(_, line)| line.entity.clone());
    let asked: Vec<AnswerPart> = input.intent.parts.iter().copied().filter(|part| of(*part).next().is_some()).collect();
    let mut entities: Vec<String> = Vec::new();
    let in_question: HashSet<&str> = input.anchors.of_question().map(|a| input.knowledge.graph.entity_name(a.entity)).collect();
    if asked.is_empty() {
        entities.extend(surest_first(input, lines));
        entities.extend(of(AnswerPart::Cautions));
        entities.extend(of(AnswerPart::Findings));
    } else {
        for part in asked {
            if part == AnswerPart::Cautions {
                entities.extend(warned.iter().cloned());
                entities.extend(of(part).filter(|entity| in_question.contains(entity.as_str())));
            } else {
                entities.extend(of(part));
            }
        }
        // After the conditions come the tests that confirm them and the treatments.
        if input.intent.parts == [AnswerPart::Conditions] {
            entities.extend(of(AnswerPart::Tests));
            entities.extend(of(AnswerPart::Treatments));
        }
    }
    let mut seen = HashSet::new();
    entities.retain(|entity| seen.insert(entity.clone()));
    entities
}

/// Conditions, tests and treatments by confidence; of equal ones, tests before treatments. The first condition leads, because the rest
/// depends on it. If it is not named in the question, conditions that are named come last.
fn surest_first(input: &ReadInput<'_>, lines: &[(EntityId, AnswerLine)]) -> Vec<String> {
    let confidence = Confidence::of(input.assessment);
    let mut order: Vec<&(EntityId, AnswerLine)> =
        lines.iter().filter(|(_, line)| matches!(line.part, AnswerPart::Conditions | AnswerPart::Tests | AnswerPart::Treatments)).collect();
    let led = usize::from(order.first().is_some_and(|(_, line)| line.part == AnswerPart::Conditions));
    let is_named = |entity: EntityId| input.anchors.of_question().any(|anchor| anchor.entity == entity);
    let news = order[..led].iter().any(|(condition, _)| !is_named(*condition));
    let sure = |(entity, line): &(EntityId, AnswerLine)| match line.part {
        AnswerPart::Conditions if news && is_named(*entity) => 0.0,
        part => confidence.in_part(part, *entity),
    };
    order[led..].sort_by(|a, b| sure(b).total_cmp(&sure(a)));
    order.into_iter().map(|(_, line)| line.entity.clone()).collect()
}

fn text_of(input: &ReadInput<'_>, lines: &[(EntityId, AnswerLine)]) -> String {
    let mut text = String::new();
    let mut part = None;
    for (_, line) in lines {
        if part != Some(line.part) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(input.wording.part(line.part));
            text.push('\n');
            part = Some(line.part);
        }
        text.push_str("- ");
        text.push_str(&line.text);
        text.push(' ');
        for id in &line.citations {
            text.push_str(&format!("[{id}]"));
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}
