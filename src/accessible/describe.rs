//! Describes a run in sentences: how it ended, the answer, the kept chains, the anchors and the hypothesis.

use std::collections::BTreeSet;

use super::case;
use super::phrases::{chain, counted, duration, entity_kind, kept_chains, listed};
use crate::pipeline::answer::headlines::{Headlines, has_shape, heading, is_headline, unlisted};
use crate::pipeline::llm::{cited_in, plain_line};
use crate::run::{AnchorOrigin, AnswerPart, ChainKey, Marks, Outcome, Trace, Triage};
use crate::text::sanitise_line;

/// The most chains to name as gained, or as lost, after a decision.
const MOST_CHANGES: usize = 10;

/// A name within quotation marks.
fn quoted(text: &str) -> String {
    format!("\u{201C}{}\u{201D}", sanitise_line(text))
}

/// How a run ended, what it linked and found, and its answer.
pub(super) fn run(trace: &Trace) -> Vec<String> {
    let time = duration(trace.elapsed_ms);
    // What must not be missed comes first.
    let mut said = case::headlines(trace);
    said.push(match &trace.outcome {
        Some(Outcome::NothingFound) if trace.case.refusal.is_some() => format!("Catena did not answer the question, in {time}."),
        Some(Outcome::Answered) => format!("Catena answered the question in {time}."),
        Some(Outcome::NothingFound) => format!("Catena found no evidence for an answer, in {time}."),
        Some(Outcome::Failed { message }) => format!("Catena could not answer the question: {}", sentence(message)),
        Some(Outcome::Cancelled) | None => "The run was stopped. You can still hear what it found until then.".into(),
    });
    said.extend(linked(trace));
    if trace.chains_found > 0 {
        let kept = trace.pruning.kept.len() as u64;
        said.push(format!(
            "Catena found {} and kept {} as evidence.",
            counted(trace.chains_found, "chain", "chains"),
            counted(kept, "chain", "chains")
        ));
    }
    if let Some(why) = &trace.truncated {
        said.push(format!("The search for chains is incomplete: {}", sentence(why)));
    }
    said.extend(trace.warnings.iter().map(|warning| format!("Warning: {warning}")));
    if !trace.answer.text.trim().is_empty() {
        said.extend(lines(trace));
    }
    said
}

/// How many entities were linked, and which terms were not understood.
fn linked(trace: &Trace) -> Vec<String> {
    let mut said = Vec::new();
    if !trace.anchors.is_empty() {
        let by_question = trace.anchors.iter().filter(|anchor| anchor.origin != AnchorOrigin::Hypothesis).count() as u64;
        let others = trace.anchors.len() as u64 - by_question;
        let only = if others > 0 { format!(", and the hypothesis names {others} more") } else { String::new() };
        said.push(format!("The question names {} of the graph{only}.", counted(by_question, "entity", "entities")));
    }
    // An answer of the fixed shape says itself what was not understood, where it matters.
    if !trace.unlinked.is_empty() && !has_shape(&trace.answer) {
        let terms: Vec<String> = trace.unlinked.iter().map(|term| quoted(term)).collect();
        said.push(format!("Not understood: {}.", listed(&terms)));
    }
    said
}

/// The answer below its headlines, which come first.
pub(super) fn answer(trace: &Trace) -> Vec<String> {
    case::headlines(trace).into_iter().chain(lines(trace)).collect()
}

/// The answer without its headlines, one sentence for each line, with the kept chains that it cites.
fn lines(trace: &Trace) -> Vec<String> {
    let answer = &trace.answer;
    if answer.text.trim().is_empty() {
        return vec!["There is no answer.".into()];
    }
    let mut said = vec!["This is the answer.".to_owned()];
    if answer.by_model || answer.lines.is_empty() {
        let headlines = Headlines::of(trace);
        said.extend(answer.text.lines().filter(|line| !headlines.has(line)).filter_map(|line| {
            let text = sentence(&plain_line(line).replace("**", ""));
            let cited: Vec<u32> = if answer.grounded { cited_in(line).into_iter().collect() } else { Vec::new() };
            Some(format!("{text}{}", rests_on(&cited))).filter(|text| !text.is_empty())
        }));
    } else {
        let mut part = None;
        // What the model says without evidence is read out at the end.
        for line in answer.lines.iter().filter(|line| !is_headline(line.part) && line.part != AnswerPart::ModelUnsupported) {
            if part != Some(line.part) {
                part = Some(line.part);
                if line.part.has_heading() {
                    said.push(format!("{}:", heading(&trace.question, line.part)));
                }
            }
            said.push(format!("{}{}", sentence(&line.text), rests_on(&line.citations)));
        }
        if has_shape(answer) {
            said.extend(unlisted(answer, &trace.question).into_iter().map(sentence));
        }
    }
    let unsupported: Vec<&str> =
        answer.lines.iter().filter(|line| line.part == AnswerPart::ModelUnsupported).map(|line| line.text.as_str()).collect();
    if !unsupported.is_empty() {
        said.push(format!("{}:", heading(&trace.question, AnswerPart::ModelUnsupported)));
        said.extend(unsupported.into_iter().map(|text| sentence(&sanitise_line(text))));
    }
    if !answer.more.is_empty() {
        let more: Vec<String> = answer.more.iter().map(|name| sanitise_line(name)).collect();
        said.push(format!("Also in the evidence: {}.", listed(&more)));
    }
    if !answer.corrected.is_empty() {
        said.push(format!("The evidence contradicts the hypothesis about {}.", listed(&answer.corrected)));
    }
    if trace.is_stale() {
        said.push(
            "This answer is outdated: the case or the kept chains have changed, and its numbers refer to the earlier ones. \
             Type reread to regenerate it."
                .into(),
        );
    }
    said
}

fn rests_on(citations: &[u32]) -> String {
    if citations.is_empty() { String::new() } else { format!(" This rests on {}.", kept_chains(citations)) }
}

/// The text with a full stop, if it ends without punctuation.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let needs_stop = text.chars().next_back().is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | '\u{201D}' | '"'));
    format!("{text}{}", if needs_stop { "." } else { "" })
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

/// The anchors, and the user's decisions about them.
pub(super) fn anchors(trace: &Trace, wanted: &Triage) -> Vec<String> {
    let mut said = Vec::new();
    if trace.anchors.is_empty() {
        said.push("There are no anchors: nothing was linked to the graph.".to_owned());
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
            _ if anchor.by_model => "the language model's hypothesis",
            AnchorOrigin::Question => "the question",
            AnchorOrigin::Hypothesis => "the hypothesis",
            AnchorOrigin::Both => "the question and the hypothesis",
        };
        said.push(format!(
            "Anchor {at}: {name}{kind}, linked from {} in {origin} with a score of {:.2}.",
            quoted(&anchor.mention),
            anchor.score
        ));
    }
    said.extend(trace.unlinked.iter().map(|term| format!("Not linked: {}.", quoted(term))));
    said.extend(wanted.rejected_anchors.iter().map(|name| format!("Rejected by you: {}.", sanitise_line(name))));
    said
}

/// The hypothesis, one line per paragraph.
pub(super) fn hypothesis(trace: &Trace) -> Vec<String> {
    if trace.hypothesis.trim().is_empty() {
        return vec!["There is no hypothesis.".into()];
    }
    let begin = "This is the hypothesis. Catena compares the evidence with it; it is not the answer.".to_owned();
    let Some((of_graph, by_model)) = trace.model_hypothesis.and_then(|begins| trace.hypothesis.split_at_checked(begins)) else {
        return std::iter::once(begin).chain(trace.hypothesis.lines().map(plain_line)).collect();
    };
    let mut said = vec![begin, "From the graph:".to_owned()];
    said.extend(of_graph.lines().map(plain_line).filter(|line| !line.is_empty()));
    said.push("From the language model:".to_owned());
    said.extend(by_model.lines().map(plain_line).filter(|line| !line.is_empty()));
    said
}

/// How a decision changed the evidence. `rereads`: the answer is regenerated next.
pub(super) fn changes(before: &Trace, now: &Trace, marks: &Marks, rereads: bool) -> Vec<String> {
    let keys = |trace: &Trace| -> BTreeSet<ChainKey> { trace.kept().map(|(_, _, chain)| ChainKey::of(&trace.table, chain)).collect() };
    let (had, has) = (keys(before), keys(now));
    let mut said = vec![format!("Catena now keeps {}.", counted(has.len() as u64, "chain", "chains"))];
    said.extend(new_warnings(before, now));
    let removed = before.kept().filter(|(_, _, walk)| !has.contains(&ChainKey::of(&before.table, walk)));
    let removed: Vec<String> =
        removed.map(|(id, _, walk)| format!("No longer kept, formerly kept chain {id}: {}.", chain(&before.table, marks, walk))).collect();
    let added = now.kept().filter(|(_, _, walk)| !had.contains(&ChainKey::of(&now.table, walk)));
    let added: Vec<String> = added.map(|(id, _, walk)| format!("New, kept chain {id}: {}.", chain(&now.table, marks, walk))).collect();
    for changes in [removed, added] {
        let more = changes.len().saturating_sub(MOST_CHANGES) as u64;
        said.extend(changes.into_iter().take(MOST_CHANGES));
        if more > 0 {
            said.push(format!("And {more} more. Type kept to hear all."));
        }
    }
    if had == has {
        said.push("The same chains are kept as before.".into());
    }
    if now.is_stale() && !rereads {
        said.push("The answer is outdated. Type reread to regenerate it.".into());
    }
    said
}

/// The regenerated answer.
pub(super) fn regenerated(before: &Trace, now: &Trace) -> Vec<String> {
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
    fn lines_of_an_answer_name_the_chains_they_rest_on() {
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
    fn missing_parts_are_reported() {
        let trace = Trace::default();
        let said = [answer(&trace), kept(&trace, &Marks::default()), anchors(&trace, &Triage::default()), hypothesis(&trace)];
        assert!(said.iter().all(|said| said.len() == 1 && said[0].ends_with('.')), "{said:?}");
    }
}
