//! A run in sentences: how it ended, the answer, what was kept, linked and supposed.

use std::collections::BTreeSet;

use super::words::{chain, counted, duration, entity_kind, kept_chains, listed};
use crate::pipeline::llm::{cited_in, plain_line};
use crate::run::{AnchorOrigin, ChainKey, Marks, Outcome, Trace, Triage};
use crate::text::sanitise_line;

/// The most chains that are told as gained or lost by one decision.
const MOST_CHANGES: usize = 10;

/// A name within quotation marks.
fn quoted(text: &str) -> String {
    format!("\u{201C}{}\u{201D}", sanitise_line(text))
}

/// How a question's run ended, what was linked and found, and the answer.
pub(super) fn run(trace: &Trace) -> Vec<String> {
    let time = duration(trace.elapsed_ms);
    let mut said = vec![match &trace.outcome {
        Some(Outcome::Answered) => format!("The question was answered in {time}."),
        Some(Outcome::NothingFound) => format!("No evidence was found for an answer, in {time}."),
        Some(Outcome::Failed { message }) => format!("The question could not be answered: {}", ended(message)),
        Some(Outcome::Cancelled) | None => "The run was stopped. What had been found by then can still be heard.".into(),
    }];
    said.extend(linked(trace));
    if trace.chains_found > 0 {
        let kept = trace.pruning.kept.len() as u64;
        said.push(format!(
            "{} found, and {} kept as evidence.",
            counted(trace.chains_found, "chain was", "chains were"),
            counted(kept, "is", "are")
        ));
    }
    if let Some(why) = &trace.truncated {
        said.push(format!("The search for chains ended before it was complete: {}", ended(why)));
    }
    said.extend(trace.warnings.iter().map(|warning| format!("Warning: {warning}")));
    if !trace.answer.text.trim().is_empty() {
        said.extend(answer(trace));
    }
    said
}

/// How many entities were linked, and what was not understood.
fn linked(trace: &Trace) -> Vec<String> {
    let mut said = Vec::new();
    if !trace.anchors.is_empty() {
        let by_question = trace.anchors.iter().filter(|anchor| anchor.origin != AnchorOrigin::Hypothesis).count() as u64;
        let others = trace.anchors.len() as u64 - by_question;
        let only = if others > 0 { format!(", and the hypothesis {others} more") } else { String::new() };
        said.push(format!("The question names {} of the graph{only}.", counted(by_question, "entity", "entities")));
    }
    if !trace.unlinked.is_empty() {
        let terms: Vec<String> = trace.unlinked.iter().map(|term| quoted(term)).collect();
        said.push(format!("Not understood: {}.", listed(&terms)));
    }
    said
}

/// The answer, a line of it a sentence, each with the chains that it rests on.
pub(super) fn answer(trace: &Trace) -> Vec<String> {
    let answer = &trace.answer;
    if answer.text.trim().is_empty() {
        return vec!["There is no answer.".into()];
    }
    let mut said = vec!["This is the answer.".to_owned()];
    if answer.by_model || answer.lines.is_empty() {
        said.extend(answer.text.lines().filter_map(|line| {
            let text = ended(&plain_line(line).replace("**", ""));
            let cited: Vec<u32> = if answer.grounded { cited_in(line).into_iter().collect() } else { Vec::new() };
            Some(format!("{text}{}", rests_on(&cited))).filter(|text| !text.is_empty())
        }));
    } else {
        let mut part = None;
        for line in &answer.lines {
            if part != Some(line.part) {
                part = Some(line.part);
                said.push(format!("{}:", line.part.title()));
            }
            said.push(format!("{}{}", ended(&line.text), rests_on(&line.citations)));
        }
    }
    if !answer.corrected.is_empty() {
        said.push(format!("The evidence says otherwise than the hypothesis about {}.", listed(&answer.corrected)));
    }
    if trace.is_stale() {
        said.push(
            "Other chains are kept now than those that this answer was read from, and its numbers are of that time. \
             Type reread to have it read anew."
                .into(),
        );
    }
    said
}

fn rests_on(citations: &[u32]) -> String {
    if citations.is_empty() { String::new() } else { format!(" This rests on {}.", kept_chains(citations)) }
}

/// A sentence that ends.
pub(super) fn ended(text: &str) -> String {
    let text = text.trim();
    let open = text.chars().next_back().is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | '\u{201D}' | '"'));
    format!("{text}{}", if open { "." } else { "" })
}

/// The kept chains, best first.
pub(super) fn kept(trace: &Trace, marks: &Marks) -> Vec<String> {
    if trace.pruning.kept.is_empty() {
        return vec!["No chain is kept.".into()];
    }
    let count = trace.pruning.kept.len() as u64;
    let mut said = vec![format!("{} kept as evidence, the best first.", counted(count, "chain is", "chains are"))];
    for (id, number, walk) in trace.kept() {
        let score = trace.pruning.kept.get(id as usize - 1).map_or(0.0, |scored| scored.score);
        let pinned = trace.triage.verdict(&trace.table, walk) == crate::run::triage::Verdict::Pinned;
        let pinned = if pinned { " You pinned it." } else { "" };
        let text = chain(&trace.table, marks, walk);
        said.push(format!("Kept chain {id}: {text}. Its score is {score:.2}, and it is chain {} of all.{pinned}", number + 1));
    }
    said
}

/// The anchors, and what was decided about them.
pub(super) fn anchors(trace: &Trace, wanted: &Triage) -> Vec<String> {
    let mut said = Vec::new();
    if trace.anchors.is_empty() {
        said.push("There is no anchor: nothing was linked to the graph.".to_owned());
    }
    for (anchor, at) in trace.anchors.iter().zip(1..) {
        let kind = entity_kind(&anchor.kind);
        let kind = if kind.is_empty() { String::new() } else { format!(", {kind}") };
        let name = sanitise_line(&anchor.entity);
        if wanted.added_anchors.contains(&anchor.entity) {
            said.push(format!("Anchor {at}: {name}{kind}, added by you."));
            continue;
        }
        let origin = match anchor.origin {
            AnchorOrigin::Question => "the question",
            AnchorOrigin::Hypothesis => "the hypothesis",
            AnchorOrigin::Both => "question and hypothesis",
        };
        said.push(format!("Anchor {at}: {name}{kind}, from {} in {origin}, linked at {:.2}.", quoted(&anchor.mention), anchor.score));
    }
    said.extend(trace.unlinked.iter().map(|term| format!("Not linked: {}.", quoted(term))));
    said.extend(wanted.rejected_anchors.iter().map(|name| format!("Rejected by you: {}.", sanitise_line(name))));
    said
}

/// The hypothesis, a paragraph a line.
pub(super) fn hypothesis(trace: &Trace) -> Vec<String> {
    if trace.hypothesis.trim().is_empty() {
        return vec!["There is no hypothesis.".into()];
    }
    let begin = "This is the hypothesis; it is what the evidence is held against, and no answer.".to_owned();
    std::iter::once(begin).chain(trace.hypothesis.lines().map(plain_line)).collect()
}

/// What a decision changed of the evidence.
pub(super) fn changes(before: &Trace, now: &Trace, marks: &Marks) -> Vec<String> {
    let keys = |trace: &Trace| -> BTreeSet<ChainKey> { trace.kept().map(|(_, _, chain)| ChainKey::of(&trace.table, chain)).collect() };
    let (had, has) = (keys(before), keys(now));
    let mut said = vec![format!("{} kept now.", counted(has.len() as u64, "chain is", "chains are"))];
    said.extend(new_warnings(before, now));
    let gone = before.kept().filter(|(_, _, walk)| !has.contains(&ChainKey::of(&before.table, walk)));
    let gone: Vec<String> =
        gone.map(|(id, _, walk)| format!("No longer kept is what was kept chain {id}: {}.", chain(&before.table, marks, walk))).collect();
    let come = now.kept().filter(|(_, _, walk)| !had.contains(&ChainKey::of(&now.table, walk)));
    let come: Vec<String> = come.map(|(id, _, walk)| format!("New is kept chain {id}: {}.", chain(&now.table, marks, walk))).collect();
    for changes in [gone, come] {
        let more = changes.len().saturating_sub(MOST_CHANGES) as u64;
        said.extend(changes.into_iter().take(MOST_CHANGES));
        if more > 0 {
            said.push(format!("So {} more; type kept to hear all.", counted(more, "is", "are")));
        }
    }
    if had == has {
        said.push("The same chains are kept as before.".into());
    }
    if now.is_stale() {
        said.push("The answer is still that from before. Type reread to have it read anew.".into());
    }
    said
}

/// The answer after it was read anew.
pub(super) fn read_anew(before: &Trace, now: &Trace) -> Vec<String> {
    new_warnings(before, now).chain(answer(now)).collect()
}

fn new_warnings(before: &Trace, now: &Trace) -> impl Iterator<Item = String> {
    now.warnings.iter().filter(|warning| !before.warnings.contains(warning)).map(|warning| format!("Warning: {warning}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Answer, AnswerLine, AnswerPart};

    #[test]
    fn an_answers_lines_name_the_chains_they_rest_on() {
        let line = AnswerLine {
            part: AnswerPart::Treatments,
            entity: "Antacid".into(),
            role: None,
            text: "Antacid: treatment of Heartburn".into(),
            citations: vec![2, 4],
            unsupported: false,
        };
        let answer_of = |given: Answer| {
            let mut trace = Trace::default();
            trace.answer = given;
            answer(&trace).split_off(1)
        };
        let extractive = Answer { text: "x".into(), lines: vec![line], ..Answer::default() };
        assert_eq!(answer_of(extractive), ["Treatments:", "Antacid: treatment of Heartburn. This rests on kept chains 2 and 4."]);
        let text = "## Plan\n\n- Give **antacids** [1][3] after meals [2].\n- Wait [sic]".to_owned();
        let written = Answer { text, by_model: true, grounded: true, ..Answer::default() };
        let said = answer_of(written);
        assert_eq!(said[0], "Plan.");
        assert!(said[1].starts_with("Give antacids") && said[1].ends_with("This rests on kept chains 1, 2 and 3."), "{said:?}");
        assert_eq!(said.len(), 3);
        assert!(!said[2].contains("rests on"), "{said:?}");
    }

    #[test]
    fn what_is_not_there_is_said_so() {
        let trace = Trace::default();
        let said = [answer(&trace), kept(&trace, &Marks::default()), anchors(&trace, &Triage::default()), hypothesis(&trace)];
        assert!(said.iter().all(|said| said.len() == 1 && said[0].ends_with('.')), "{said:?}");
    }
}
