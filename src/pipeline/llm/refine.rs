//! The built-in answer, and what a language model's text adds to it. The model may add, never take away: the base stays as it is, line
//! for line, and the model's sentences stand below it, sorted by what the evidence says of them.

use std::collections::{BTreeSet, HashSet};

use super::align::{Aligned, Evidence, Verdict};
use super::alone::plain_line;
use super::sentences::sentences;
use super::unusable::{Unusable, by_form};
use crate::graph::{EntityId, Role};
use crate::pipeline::answer::compose::text_of;
use crate::pipeline::answer::extractive::{ReadInput, corrections};
use crate::pipeline::answer::statements::statements;
use crate::run::event::{Answer, AnswerLine, AnswerPart};
use crate::text::{fold, sanitise_line};

/// The most sentences of a text that are read.
const SENTENCES: usize = 60;
/// The most sentences of each kind that the answer shows.
const SHOWN: usize = 12;

/// Adds to an answer what a language model wrote, and whether its text had to be ended because it repeated itself; `None`: it failed. `forbids`: whether
/// the safety pass speaks against a drug.
pub(crate) fn refine(input: &ReadInput<'_>, base: Answer, text: Option<(&str, bool)>, forbids: &dyn Fn(EntityId) -> bool) -> Answer {
    let mut answer = Answer { refining: false, corrected: corrections(input), ..base };
    let lines = match judged(input, text, forbids) {
        Ok(judged) => {
            let names = result(input, &judged, forbids);
            answer.entities.extend(names.into_iter().filter(|name| !answer.entities.contains(name)).collect::<Vec<_>>());
            lines(input, &judged)
        }
        Err(why) => vec![note(why.line(input.wording))],
    };
    append(&mut answer, lines, input);
    answer
}

/// The sentences with what the evidence says of each, or why none of them is used.
fn judged(
    input: &ReadInput<'_>,
    text: Option<(&str, bool)>,
    forbids: &dyn Fn(EntityId) -> bool,
) -> Result<Vec<(String, Aligned)>, Unusable> {
    let (text, looped) = text.ok_or(Unusable::Failed)?;
    let written: Vec<&str> =
        text.lines().flat_map(|line| sentences(line).into_iter().map(move |range| &line[range])).take(SENTENCES).collect();
    if let Some(why) = by_form(text, &written, input.wording) {
        return Err(why);
    }
    let of_question = input.anchors.of_question().map(|anchor| anchor.entity);
    let subjects: HashSet<EntityId> = of_question.chain(input.assessment.leading().map(|(entity, _)| entity)).collect();
    let statements = statements(input);
    let evidence = Evidence::new(&input.knowledge.graph, &statements, subjects, forbids);
    let mut seen = HashSet::new();
    let mut judged = Vec::new();
    for sentence in written {
        let plain = sanitise_line(&plain_line(sentence)).replace("**", "");
        let aligned = evidence.align(&plain);
        // A heading says nothing.
        let is_heading = plain.ends_with([':', '：']) && !aligned.names_something;
        if !is_heading && plain.chars().any(char::is_alphabetic) && seen.insert(fold(&plain)) {
            judged.push((plain, aligned));
        }
    }
    if !judged.iter().any(|(_, aligned)| aligned.names_something) {
        return Err(if judged.is_empty() { Unusable::Empty } else { Unusable::OffTheQuestion });
    }
    let supported = judged.iter().filter(|(_, aligned)| aligned.verdict == Verdict::Supported).count();
    if supported * 2 < judged.len() && looped {
        return Err(Unusable::Loops);
    }
    if supported * 2 < judged.len() {
        return Err(Unusable::Unsupported { supported, all: judged.len() });
    }
    Ok(judged)
}

/// What the supported sentences state of what is asked for, in their order.
fn result(input: &ReadInput<'_>, judged: &[(String, Aligned)], forbids: &dyn Fn(EntityId) -> bool) -> Vec<String> {
    let of_question: HashSet<EntityId> = input.anchors.of_question().map(|anchor| anchor.entity).collect();
    let supported = judged.iter().filter(|(_, aligned)| aligned.verdict == Verdict::Supported);
    let stated = supported.flat_map(|(_, aligned)| &aligned.stated);
    let asked = stated.filter(|(entity, role)| {
        let part = part_of(input, *entity, *role);
        !of_question.contains(entity) && input.intent.asks(part) && !(part == AnswerPart::Treatments && forbids(*entity))
    });
    let mut seen = HashSet::new();
    asked.filter(|(entity, _)| seen.insert(*entity)).map(|(entity, _)| input.knowledge.graph.entity_name(*entity).to_owned()).collect()
}

/// The part of an answer that a statement belongs to.
fn part_of(input: &ReadInput<'_>, entity: EntityId, role: Option<Role>) -> AnswerPart {
    match role {
        Some(role) if role.is_treatment() || role == Role::Prevention => AnswerPart::Treatments,
        Some(Role::Test | Role::Monitoring) => AnswerPart::Tests,
        Some(Role::AdverseEffect | Role::Contraindication | Role::Interaction) => AnswerPart::Cautions,
        _ if input.knowledge.is_condition(entity) => AnswerPart::Conditions,
        _ => AnswerPart::Findings,
    }
}

/// The lines that sentences become, sorted by what the evidence says of them.
fn lines(input: &ReadInput<'_>, judged: &[(String, Aligned)]) -> Vec<AnswerLine> {
    let parts = [
        (Verdict::Supported, AnswerPart::ModelAdds),
        (Verdict::Contradicted, AnswerPart::ModelContradicted),
        (Verdict::Unsupported, AnswerPart::ModelUnsupported),
    ];
    let of = |(verdict, part): (Verdict, AnswerPart)| {
        let those = judged.iter().filter(move |(_, aligned)| aligned.verdict == verdict).take(SHOWN);
        those.map(move |(text, aligned)| {
            let subject = aligned.stated.first();
            AnswerLine {
                part,
                entity: subject.map(|(entity, _)| input.knowledge.graph.entity_name(*entity).to_owned()).unwrap_or_default(),
                role: subject.and_then(|(_, role)| *role),
                text: text.clone(),
                citations: aligned.citations.clone(),
                passages: Vec::new(),
                also: Vec::new(),
                unsupported: part == AnswerPart::ModelUnsupported,
            }
        })
    };
    parts.into_iter().flat_map(of).collect()
}

fn note(text: String) -> AnswerLine {
    AnswerLine {
        part: AnswerPart::ModelNote,
        entity: String::new(),
        role: None,
        text,
        citations: Vec::new(),
        passages: Vec::new(),
        also: Vec::new(),
        unsupported: false,
    }
}

/// Puts the model's lines below the answer, each part under its heading.
fn append(answer: &mut Answer, lines: Vec<AnswerLine>, input: &ReadInput<'_>) {
    for part in [AnswerPart::ModelNote, AnswerPart::ModelAdds, AnswerPart::ModelContradicted, AnswerPart::ModelUnsupported] {
        let of_part: Vec<AnswerLine> = lines.iter().filter(|line| line.part == part).cloned().collect();
        if of_part.is_empty() {
            continue;
        }
        answer.text.push_str("\n\n");
        if part.has_heading() {
            answer.text.push_str(input.wording.part(part));
            answer.text.push('\n');
        }
        answer.text.push_str(&text_of(&of_part));
        let cited: BTreeSet<u32> =
            answer.citations.iter().copied().chain(of_part.iter().flat_map(|line| line.citations.iter().copied())).collect();
        answer.citations = cited.into_iter().collect();
        answer.lines.extend(of_part);
    }
}
