//! The tables of a report: what the search found, what the doctor decided, settings, models, times and prompts.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::graph::ChainKind;
use crate::run::{
    AnchorOrigin, ChainKey, Evidence, Marks, ModelInfo, PassageId, PassageKey, QuotedPassage, Stage, StageState, Trace, Triage,
};
use crate::text::{sanitise, sanitise_line};

/// A row of a table: a heading and its values.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) what: String,
    pub(super) values: Vec<String>,
}

/// An anchor.
#[derive(Debug, Serialize)]
pub(super) struct Anchor {
    pub(super) entity: String,
    pub(super) kind: String,
    pub(super) score: String,
    pub(super) origin: &'static str,
    pub(super) mention: String,
    pub(super) sign: &'static str,
    pub(super) mark: &'static str,
}

/// A prompt as it was sent.
#[derive(Debug, Serialize)]
pub(super) struct Prompt {
    pub(super) title: String,
    pub(super) system: String,
    pub(super) user: String,
}

/// A passage of a document.
#[derive(Debug, Serialize)]
pub(super) struct PassageRow {
    pub(super) id: String,
    pub(super) source: String,
    /// Its document's id, and where in the section's text it stands.
    pub(super) place: String,
    pub(super) url: String,
    pub(super) text: String,
}

/// Where a passage stands.
fn place(passage: &QuotedPassage) -> String {
    let nth = if passage.nth > 0 { format!(", section {} of this name", passage.nth.saturating_add(1)) } else { String::new() };
    format!("{} of {}{nth}, characters {} to {}", passage.document, passage.collection, passage.start, passage.end)
}

/// The passages that the answer cites, in its order.
pub(super) fn passages(trace: &Trace) -> Vec<PassageRow> {
    let cited = trace.answer.passages.iter().filter_map(|id| Some((id, trace.passages.get(id.place())?)));
    let row = |(id, passage): (&PassageId, &QuotedPassage)| PassageRow {
        id: id.to_string(),
        source: sanitise_line(&passage.source()),
        place: sanitise_line(&place(passage)),
        url: sanitise_line(&passage.url),
        text: sanitise_line(passage.text.trim()),
    };
    cited.map(row).collect()
}

fn row(what: &str, value: impl ToString) -> Row {
    Row { what: what.to_owned(), values: vec![sanitise_line(&value.to_string())] }
}

pub(super) fn kind_word(kind: ChainKind) -> &'static str {
    match kind {
        ChainKind::Path => "path",
        ChainKind::CoAncestor => "shared result",
        ChainKind::CoOccurrence => "shared cause",
        ChainKind::Neighbour => "neighbour",
    }
}

pub(super) fn anchors(trace: &Trace, marks: &Marks) -> Vec<Anchor> {
    let anchor = |anchor: &crate::run::Anchor| {
        let mark = marks.of_name(&anchor.entity);
        Anchor {
            entity: sanitise_line(&anchor.entity),
            kind: sanitise_line(&anchor.kind).replace('_', " "),
            score: format!("{:.2}", anchor.score),
            origin: match anchor.origin {
                _ if anchor.by_model => "language model",
                AnchorOrigin::Question => "question",
                AnchorOrigin::Hypothesis => "hypothesis",
                AnchorOrigin::Both => "both",
            },
            mention: sanitise_line(&anchor.mention),
            sign: mark.sign(),
            mark: mark.word(),
        }
    };
    trace.anchors.iter().map(anchor).collect()
}

/// What the search found, what scored the chains, and how many were kept.
pub(super) fn found(trace: &Trace, evidence: &Evidence) -> Vec<Row> {
    let mut rows = vec![row("Chains found", trace.chains_found)];
    rows.extend(trace.by_kind.iter().map(|(kind, count)| row(&format!("… {}", kind_word(*kind)), count)));
    if let Some(why) = &trace.truncated {
        rows.push(row("The search stopped early", why));
    }
    rows.extend(evidence.pruning.scored.iter().map(|by| row(&format!("Scored by {}", sanitise_line(&by.scorer)), by.chains)));
    rows.push(row("Kept as evidence", evidence.pruning.kept.len()));
    rows
}

/// The decisions of the doctor; empty if there are none.
pub(super) fn triage(triage: &Triage) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut say = |what: &str, values: Vec<String>| {
        if !values.is_empty() {
            rows.push(Row { what: what.to_owned(), values: values.iter().map(|value| sanitise_line(value)).collect() });
        }
    };
    let chains = |keys: &BTreeSet<ChainKey>| keys.iter().map(ToString::to_string).collect();
    say("How the question was read, corrected", triage.case.iter().map(ToString::to_string).collect());
    say("Chains pinned", chains(&triage.pinned));
    say("Chains rejected", chains(&triage.rejected));
    say("Chains restored", chains(&triage.restored));
    let passages = |keys: &BTreeSet<PassageKey>| keys.iter().map(ToString::to_string).collect();
    say("Passages pinned", passages(&triage.pinned_passages));
    say("Passages rejected", passages(&triage.rejected_passages));
    say("Kinds of chains rejected", triage.rejected_kinds.iter().map(|kind| kind_word(*kind).to_owned()).collect());
    say("Chains rejected through", triage.rejected_through.iter().cloned().collect());
    say("Anchors rejected", triage.rejected_anchors.iter().cloned().collect());
    say("Anchors added", triage.added_anchors.clone());
    say("Longest chain (k), changed to", triage.k.map(|k| k.to_string()).into_iter().collect());
    say("Chains kept (top-k), changed to", triage.top_k.map(|k| k.to_string()).into_iter().collect());
    say("Linking threshold (δ), changed to", triage.delta.map(|delta| delta.to_string()).into_iter().collect());
    rows
}

pub(super) fn settings(trace: &Trace) -> Vec<Row> {
    let kg = &trace.kg;
    let mut rows = vec![
        row("Graph", format!("{}: {} entities, {} triples, {} of them learned", kg.name, kg.entities, kg.triples, kg.learned)),
        row("Method", &trace.method),
    ];
    if let Some(settings) = &trace.settings {
        rows.push(row("Longest chain (k)", format!("{} relations", settings.k)));
        rows.push(row("Chains kept (top-k)", settings.top_k));
        rows.push(row("Linking threshold (δ)", settings.delta));
        rows.push(row("Fragments", format!("{} words, overlapping by {}", settings.fragment_words, settings.fragment_overlap)));
        rows.push(row("Seed", settings.seed));
    }
    rows
}

pub(super) fn models(trace: &Trace) -> Vec<Row> {
    let Some(models) = &trace.models else { return Vec::new() };
    let model = |what: &str, model: &ModelInfo| {
        let place = if model.device.is_empty() { model.kind.clone() } else { format!("{}, {}", model.kind, model.device) };
        row(what, format!("{} ({place})", model.name))
    };
    vec![model("Generator", &models.generator), model("Encoder", &models.encoder), model("Reranker", &models.reranker)]
}

pub(super) fn timings(trace: &Trace) -> Vec<Row> {
    let time = |ms: f64| if ms >= 1000.0 { format!("{:.1} s", ms / 1000.0) } else { format!("{ms:.1} ms") };
    let done = Stage::ALL.iter().filter_map(|stage| match trace.stage(*stage) {
        StageState::Done { elapsed_ms } => Some(row(stage.as_str(), time(elapsed_ms))),
        StageState::Waiting | StageState::Running { .. } => None,
    });
    let mut rows: Vec<Row> = done.collect();
    rows.push(row("total", time(trace.elapsed_ms)));
    rows
}

pub(super) fn prompts(trace: &Trace) -> Vec<Prompt> {
    let prompt = |prompt: &crate::run::SentPrompt| {
        let own = if prompt.own { ", the user's own" } else { "" };
        Prompt {
            title: sanitise_line(&format!(
                "{} (version {}, {}{own}), for the stage {}",
                prompt.name,
                prompt.version,
                prompt.hash,
                prompt.stage.as_str()
            )),
            system: sanitise(&prompt.system).into_owned(),
            user: sanitise(&prompt.user).into_owned(),
        }
    };
    trace.prompts.iter().map(prompt).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_says_which_of_several_sections_of_one_name_it_is_in() {
        let first = QuotedPassage { document: "d".into(), collection: "c".into(), start: 2, end: 5, ..QuotedPassage::default() };
        assert_eq!(place(&first), "d of c, characters 2 to 5");
        assert_eq!(place(&QuotedPassage { nth: 1, ..first }), "d of c, section 2 of this name, characters 2 to 5");
    }
}
