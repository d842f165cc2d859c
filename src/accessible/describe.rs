//! Describes a run in sentences: how it ended, the answer, the kept chains, the anchors and the hypothesis.

use std::collections::BTreeSet;

use super::case;
use super::phrases::{chain, duration, entity_kind, kept_chains};
use crate::pipeline::answer::headlines::{Headlines, has_shape, heading, is_headline, stands_under, unlisted};
use crate::pipeline::answer::left_out::LeftOut;
use crate::pipeline::llm::{cited_in, plain_line};
use crate::run::{AnchorOrigin, AnswerLine, AnswerPart, ChainKey, Marks, Outcome, PassageId, Trace, Triage};
use crate::text::{is_cjk, sanitise_line};
use crate::words::{Language, counted_words, words};

/// The most chains to name as gained, or as lost, after a decision.
const MOST_CHANGES: usize = 10;

/// A name within quotation marks.
fn quoted(text: &str) -> String {
    format!("\u{201C}{}\u{201D}", sanitise_line(text))
}

/// How a run ended, what it linked and found, and its answer.
pub(super) fn run(trace: &Trace, l: Language) -> Vec<String> {
    let time = duration(trace.elapsed_ms, l);
    // What must not be missed comes first.
    let mut said = case::headlines(trace);
    said.push(match &trace.outcome {
        Some(Outcome::NothingFound) if trace.case.refusal.is_some() => {
            words!(l, "Catena did not answer the question, in {time}.", time = time)
        }
        Some(Outcome::Answered) => words!(l, "Catena answered the question in {time}.", time = time),
        Some(Outcome::NothingFound) => words!(l, "Catena found no evidence for an answer, in {time}.", time = time),
        Some(Outcome::Failed { message }) => words!(l, "Catena could not answer this question. The reason: {why}", why = sentence(message)),
        Some(Outcome::Cancelled) | None => words!(l, "The run was stopped. You can still hear what it found until then.").into(),
    });
    said.extend(linked(trace, l));
    if trace.chains_found > 0 {
        let kept = trace.pruning.kept.len() as u64;
        let (found, kept) = (counted_words!(l, trace.chains_found, "chain", "chains"), counted_words!(l, kept, "chain", "chains"));
        said.push(words!(l, "Catena found {found} and kept {kept} as evidence.", found = found, kept = kept));
    }
    if let Some(why) = &trace.truncated {
        said.push(words!(l, "The search for chains is incomplete: {why}", why = sentence(why)));
    }
    said.extend(trace.warnings.iter().map(|warning| words!(l, "Warning: {warning}", warning = warning)));
    if !trace.answer.text.trim().is_empty() {
        said.extend(lines(trace, l));
    }
    said
}

/// How many entities were linked, and which terms were not understood.
fn linked(trace: &Trace, l: Language) -> Vec<String> {
    let mut said = Vec::new();
    if !trace.anchors.is_empty() {
        let by_question = trace.anchors.iter().filter(|anchor| anchor.origin != AnchorOrigin::Hypothesis).count() as u64;
        let others = trace.anchors.len() as u64 - by_question;
        let only = if others > 0 { words!(l, ", and the hypothesis names {others} more", others = others) } else { String::new() };
        let count = counted_words!(l, by_question, "entity", "entities");
        said.push(words!(l, "The question names {count} of the graph{only}.", count = count, only = only));
    }
    // An answer of the fixed shape says itself what was not understood, where it matters.
    if !trace.unlinked.is_empty() && !has_shape(&trace.answer) {
        let terms: Vec<String> = trace.unlinked.iter().map(|term| quoted(term)).collect();
        said.push(words!(l, "Not understood: {terms}.", terms = l.listed(&terms)));
    }
    said
}

/// The answer below its headlines, which come first.
pub(super) fn answer(trace: &Trace, l: Language) -> Vec<String> {
    case::headlines(trace).into_iter().chain(lines(trace, l)).collect()
}

/// The answer without its headlines, one sentence for each line, with the kept chains that it cites.
fn lines(trace: &Trace, l: Language) -> Vec<String> {
    let answer = &trace.answer;
    if answer.text.trim().is_empty() {
        return vec![words!(l, "There is no answer.").into()];
    }
    let mut said = vec![words!(l, "This is the answer.").to_owned()];
    if answer.by_model || answer.lines.is_empty() {
        let headlines = Headlines::of(trace);
        said.extend(answer.text.lines().filter(|line| !headlines.has(line)).filter_map(|line| {
            let text = sentence(&plain_line(line).replace("**", ""));
            let cited: Vec<u32> = if answer.grounded { cited_in(line).into_iter().collect() } else { Vec::new() };
            Some(format!("{text}{}", rests_on(&cited, l))).filter(|text| !text.is_empty())
        }));
    } else {
        let mut part = None;
        // What the model says without evidence is read out at the end.
        let is_said = |line: &AnswerLine| !is_headline(line.part) && line.part != AnswerPart::ModelUnsupported;
        for (at, line) in answer.lines.iter().enumerate().filter(|(_, line)| is_said(line)) {
            let under = stands_under(&answer.lines, at);
            if part != Some(under) {
                part = Some(under);
                if under.has_heading() {
                    said.push(format!("{}{}", heading(&trace.question, under), l.choose(":", "：")));
                }
            }
            let cites = match line.part {
                AnswerPart::ModelContradicted if !line.citations.is_empty() => {
                    words!(l, " This contradicts {chains}.", chains = kept_chains(&line.citations, l))
                }
                _ => rests_on(&line.citations, l),
            };
            said.push(format!("{}{cites}{}", sentence(&line.text), passages(line, l)));
        }
        if has_shape(answer) {
            said.extend(unlisted(answer, &trace.question).into_iter().map(sentence));
        }
    }
    let unsupported: Vec<&str> =
        answer.lines.iter().filter(|line| line.part == AnswerPart::ModelUnsupported).map(|line| line.text.as_str()).collect();
    if !unsupported.is_empty() {
        said.push(format!("{}{}", heading(&trace.question, AnswerPart::ModelUnsupported), l.choose(":", "：")));
        said.extend(unsupported.into_iter().map(|text| sentence(&sanitise_line(text))));
    }
    if !answer.more.is_empty() {
        let more: Vec<String> = answer.more.iter().map(|name| sanitise_line(name)).collect();
        said.push(words!(l, "Also in the evidence: {names}.", names = l.listed(&more)));
    }
    if !answer.corrected.is_empty() {
        said.push(words!(l, "The evidence speaks against this part of the hypothesis: {names}", names = l.listed(&answer.corrected)));
    }
    if let Some(left_out) = LeftOut::of(trace) {
        let (what, number) = (left_out.sentence(l), left_out.chain + 1);
        said.push(words!(l, "{what}. Type pin chain {number} to pin it.", what = what, number = number));
    }
    if trace.is_stale() {
        said.push(
            words!(
                l,
                "This answer is outdated: the case or the kept chains have changed, and its numbers refer to the earlier ones. Type reread to regenerate it."
            )
            .into(),
        );
    }
    said
}

fn rests_on(citations: &[u32], l: Language) -> String {
    if citations.is_empty() { String::new() } else { words!(l, " This rests on {chains}.", chains = kept_chains(citations, l)) }
}

/// Which passages a line rests on, too, or is.
fn passages(line: &AnswerLine, l: Language) -> String {
    let ids: Vec<String> = line.passages.iter().map(ToString::to_string).collect();
    match (ids.as_slice(), line.citations.is_empty()) {
        ([], _) => String::new(),
        ([id], true) => words!(l, " This is passage {id}.", id = id),
        (_, true) => words!(l, " These are passages {ids}.", ids = l.listed(&ids)),
        ([id], false) => words!(l, " Passage {id} says so, too.", id = id),
        (_, false) => words!(l, " Passages {ids} say so, too.", ids = l.listed(&ids)),
    }
}

/// The passages that the answer cites, then the others that were found.
pub(super) fn all_passages(trace: &Trace, wanted: &Triage, l: Language) -> Vec<String> {
    if trace.passages.is_empty() {
        return vec![
            words!(l, "There are no passages. Answers cite passages where documents are in use; catena docs use chooses them.").into(),
        ];
    }
    let mut said = vec![words!(l, "{count} of documents.", count = counted_words!(l, trace.passages.len() as u64, "passage", "passages"))];
    for (place, passage) in trace.passages.iter().enumerate() {
        let id = PassageId::at(place);
        let is_cited = trace.answer.passages.contains(&id);
        let cited =
            if is_cited { words!(l, "The answer cites this passage.") } else { words!(l, "The answer does not cite this passage.") };
        let decided = match passage.key() {
            key if wanted.pinned_passages.contains(&key) => words!(l, " You pinned it."),
            key if wanted.rejected_passages.contains(&key) => words!(l, " You rejected it."),
            _ => "",
        };
        let (source, text) = (sanitise_line(&passage.source()), sentence(&quoted(passage.text.trim())));
        said.push(words!(
            l,
            "Passage {id}. {cited} It comes from {source}. It reads: {text}{decided}",
            id = id,
            cited = cited,
            source = source,
            text = text,
            decided = decided
        ));
    }
    said
}

/// The text with a full stop, if it ends without punctuation.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let last = text.chars().next_back();
    let needs_stop = last.is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | '\u{201D}' | '"'));
    let stop = if last.is_some_and(is_cjk) { "。" } else { "." };
    format!("{text}{}", if needs_stop { stop } else { "" })
}

/// The kept chains, best first.
pub(super) fn kept(trace: &Trace, marks: &Marks, l: Language) -> Vec<String> {
    if trace.pruning.kept.is_empty() {
        return vec![words!(l, "No chain is kept.").into()];
    }
    let count = trace.pruning.kept.len() as u64;
    let mut said = vec![words!(l, "{count} kept as evidence, the best first.", count = counted_words!(l, count, "chain is", "chains are"))];
    for (id, number, walk) in trace.kept() {
        let score = trace.pruning.kept.get(id as usize - 1).map_or(0.0, |scored| scored.score);
        let pinned = trace.triage.verdict(&trace.table, walk) == crate::run::triage::Verdict::Pinned;
        let pinned = if pinned { words!(l, " You pinned it.") } else { "" };
        let (text, score) = (chain(&trace.table, marks, walk, l), format!("{score:.2}"));
        said.push(words!(
            l,
            "Kept chain {id}: {text}. Its score is {score}, and it is chain {number} of all.{pinned}",
            id = id,
            text = text,
            score = score,
            number = number + 1,
            pinned = pinned
        ));
    }
    said
}

/// The anchors, and the user's decisions about them.
pub(super) fn anchors(trace: &Trace, wanted: &Triage, l: Language) -> Vec<String> {
    let mut said = Vec::new();
    if trace.anchors.is_empty() {
        said.push(words!(l, "There are no anchors: nothing was linked to the graph.").to_owned());
    }
    for (anchor, at) in trace.anchors.iter().zip(1..) {
        let kind = entity_kind(&anchor.kind);
        let kind = if kind.is_empty() { String::new() } else { format!(", {kind}") };
        let name = sanitise_line(&anchor.entity);
        if wanted.added_anchors.contains(&anchor.entity) {
            said.push(words!(l, "Anchor {at}: {name}{kind}. You added it.", at = at, name = name, kind = kind));
            continue;
        }
        let origin = match anchor.origin {
            _ if anchor.by_model => words!(l, "the language model's hypothesis"),
            AnchorOrigin::Question => words!(l, "the question"),
            AnchorOrigin::Hypothesis => words!(l, "the hypothesis"),
            AnchorOrigin::Both => words!(l, "the question and the hypothesis"),
        };
        said.push(words!(
            l,
            "Anchor {at}: {name}{kind}. It comes from {mention} in {origin}; score {score}.",
            at = at,
            name = name,
            kind = kind,
            mention = quoted(&anchor.mention),
            origin = origin,
            score = format_args!("{:.2}", anchor.score)
        ));
    }
    said.extend(trace.unlinked.iter().map(|term| words!(l, "Not linked: {term}.", term = quoted(term))));
    said.extend(wanted.rejected_anchors.iter().map(|name| words!(l, "Rejected by you: {name}.", name = sanitise_line(name))));
    said
}

/// The hypothesis, one line per paragraph.
pub(super) fn hypothesis(trace: &Trace, l: Language) -> Vec<String> {
    if trace.hypothesis.trim().is_empty() {
        return vec![words!(l, "There is no hypothesis.").into()];
    }
    let begin = match trace.triage.case.is_empty() {
        true => words!(l, "This is the hypothesis. Catena compares the evidence with it; it is not the answer.").to_owned(),
        false => words!(l, "This is the hypothesis from before your correction; it is not the answer.").to_owned(),
    };
    let Some((of_graph, by_model)) = trace.model_hypothesis.and_then(|begins| trace.hypothesis.split_at_checked(begins)) else {
        return std::iter::once(begin).chain(trace.hypothesis.lines().map(plain_line)).collect();
    };
    let mut said = vec![begin, words!(l, "From the graph:").to_owned()];
    said.extend(of_graph.lines().map(plain_line).filter(|line| !line.is_empty()));
    said.push(words!(l, "From the language model:").to_owned());
    said.extend(by_model.lines().map(plain_line).filter(|line| !line.is_empty()));
    said
}

/// How a decision changed the evidence. `rereads`: the answer is regenerated next.
pub(super) fn changes(before: &Trace, now: &Trace, marks: &Marks, rereads: bool, l: Language) -> Vec<String> {
    let keys = |trace: &Trace| -> BTreeSet<ChainKey> { trace.kept().map(|(_, _, chain)| ChainKey::of(&trace.table, chain)).collect() };
    let (had, has) = (keys(before), keys(now));
    let mut said = vec![words!(l, "Catena now keeps {count}.", count = counted_words!(l, has.len() as u64, "chain", "chains"))];
    said.extend(new_warnings(before, now, l));
    let removed = before.kept().filter(|(_, _, walk)| !has.contains(&ChainKey::of(&before.table, walk)));
    let text = |trace: &Trace, walk| chain(&trace.table, marks, walk, l);
    let removed: Vec<String> = removed
        .map(|(id, _, walk)| words!(l, "No longer kept, formerly kept chain {id}: {text}.", id = id, text = text(before, walk)))
        .collect();
    let added = now.kept().filter(|(_, _, walk)| !had.contains(&ChainKey::of(&now.table, walk)));
    let added: Vec<String> =
        added.map(|(id, _, walk)| words!(l, "New, kept chain {id}: {text}.", id = id, text = text(now, walk))).collect();
    for changes in [removed, added] {
        let more = changes.len().saturating_sub(MOST_CHANGES) as u64;
        said.extend(changes.into_iter().take(MOST_CHANGES));
        if more > 0 {
            said.push(words!(l, "And {more} more. Type kept to hear all.", more = more));
        }
    }
    if had == has {
        said.push(words!(l, "The same chains are kept as before.").into());
    }
    if now.is_stale() && !rereads {
        said.push(words!(l, "The answer is outdated. Type reread to regenerate it.").into());
    }
    said
}

/// The regenerated answer.
pub(super) fn regenerated(before: &Trace, now: &Trace, l: Language) -> Vec<String> {
    new_warnings(before, now, l).chain(answer(now, l)).collect()
}

fn new_warnings(before: &Trace, now: &Trace, l: Language) -> impl Iterator<Item = String> {
    let new = now.warnings.iter().filter(|warning| !before.warnings.contains(warning));
    new.map(move |warning| words!(l, "Warning: {warning}", warning = warning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Answer;

    fn line(part: AnswerPart, text: &str, citations: &[u32]) -> AnswerLine {
        AnswerLine {
            part,
            entity: "Antacid".into(),
            role: None,
            text: text.into(),
            citations: citations.into(),
            passages: Vec::new(),
            also: Vec::new(),
            unsupported: false,
        }
    }

    #[test]
    fn lines_of_an_answer_name_the_chains_they_rest_on() {
        let line = line(AnswerPart::Treatments, "Antacid: treatment of Heartburn", &[2, 4]);
        let answer_of = |given: Answer| {
            let mut trace = Trace::default();
            trace.answer = given;
            answer(&trace, Language::English).split_off(1)
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
    fn what_a_language_model_says_is_told_apart() {
        let l = Language::English;
        let mut trace = Trace::default();
        trace.hypothesis = "Reflux burns.\n\nGallstones hurt.".into();
        assert_eq!(hypothesis(&trace, l)[1..], ["Reflux burns.", "", "Gallstones hurt."], "the graph's alone");
        trace.model_hypothesis = Some("Reflux burns.\n\n".len());
        assert_eq!(hypothesis(&trace, l)[1..], ["From the graph:", "Reflux burns.", "From the language model:", "Gallstones hurt."]);

        trace.answer = Answer {
            text: "x".into(),
            lines: vec![
                line(AnswerPart::Treatments, "Antacid treats reflux", &[1]),
                line(AnswerPart::ModelAdds, "Antacids help.", &[1]),
                line(AnswerPart::ModelContradicted, "Never eat again.", &[2]),
                line(AnswerPart::ModelUnsupported, "Chew slowly.", &[]),
            ],
            ..Answer::default()
        };
        let expected = [
            "Treatments:",
            "Antacid treats reflux. This rests on kept chain 1.",
            "The language model adds, with evidence:",
            "Antacids help. This rests on kept chain 1.",
            "The language model also says this, but the evidence contradicts it:",
            "Never eat again. This contradicts kept chain 2.",
            "The language model also says, without evidence:",
            "Chew slowly.",
        ];
        assert_eq!(answer(&trace, l)[1..], expected);
    }

    #[test]
    fn missing_parts_are_reported() {
        let trace = Trace::default();
        let l = Language::English;
        let said = [answer(&trace, l), kept(&trace, &Marks::default(), l), anchors(&trace, &Triage::default(), l), hypothesis(&trace, l)];
        assert!(said.iter().all(|said| said.len() == 1 && said[0].ends_with('.')), "{said:?}");
    }
}
