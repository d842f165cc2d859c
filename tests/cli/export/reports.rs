//! What reports say of a run, and that they say it of the evidence that its answer was read from.

use std::sync::Arc;

use catena::report::{Format, report, report_with};
use catena::run::{Event, EventKind, Outcome, Pruning, ScoredChain, Stage, Trace, Triage, TripleOrigin};
use catena::session::time_of_id;

use super::{evidence, small_run};
use crate::support::sample;

fn written(trace: &Trace, format: Format) -> String {
    report(trace, format, time_of_id(&trace.id)).expect("is written")
}

#[test]
fn markdown_of_a_small_run() {
    let text = written(&Trace::fold(&small_run()), Format::Markdown);
    insta::assert_snapshot!("markdown", text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn dot_of_a_small_run() {
    let text = written(&Trace::fold(&small_run()), Format::Dot);
    insta::assert_snapshot!("dot", text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn every_form_names_the_evidence_and_none_replaces_judgement() {
    let trace = Trace::fold(&sample::answered("q19a1ff60b13-1-0"));
    let html = written(&trace, Format::Html);
    for (id, text) in (1..).zip(evidence(&trace)) {
        assert!(html.contains(&format!("id=\"chain-{id}\"")), "{id}");
        for entity in text.split(['→', '←']).map(str::trim) {
            assert!(html.contains(entity), "{entity}");
        }
    }
    for id in &trace.answer.citations {
        assert!(html.contains(&format!("<a class=\"cite\" href=\"#chain-{id}\">[{id}]</a>")), "{id}");
    }
    for form in [Format::Html, Format::Markdown, Format::Dot] {
        assert!(written(&trace, form).to_lowercase().contains("not replace clinical judgement"), "{form:?}");
    }
    assert!(html.contains("2025-10-26 10:00 UTC"), "the date of the run");
    assert!(html.contains(env!("CARGO_PKG_VERSION")) && html.contains("q19a1ff60b13-1-0"));
    for sign in ["●", "○", "◆", "✚", "★"] {
        assert!(html.contains(sign), "{sign} is not only a colour");
    }
}

#[test]
fn a_page_needs_nothing_but_itself() {
    let html = written(&Trace::fold(&small_run()), Format::Html);
    assert!(html.contains("default-src 'none'"));
    for remote in ["http:", "https:", "<script", "src=", "@import", "url(h", "url(/"] {
        assert!(!html.contains(remote), "{remote}");
    }
}

/// The run after its evidence was triaged, and not read again.
fn triaged() -> Trace {
    let mut events = small_run();
    let run = Arc::clone(&events[0].run);
    let triage = Triage { rejected_through: ["Omeprazole".to_owned()].into(), ..Triage::default() };
    let kept = [1, 2].map(|chain| ScoredChain { chain, score: 0.5, by_fragment: vec![] }).to_vec();
    for what in [
        EventKind::Revised { triage: Arc::new(triage), from: Stage::Prune },
        EventKind::ChainsPruned { pruning: Arc::new(Pruning { kept, ..Pruning::default() }) },
        EventKind::RunFinished { outcome: Outcome::Answered, total_ms: 40.0 },
    ] {
        events.push(Event { run: Arc::clone(&run), at_ms: 30.0, what });
    }
    Trace::fold(&events)
}

#[test]
fn an_answer_that_was_read_before_the_triage_keeps_its_evidence_and_says_so() {
    let (before, after) = (Trace::fold(&small_run()), triaged());
    assert!(after.is_stale());
    let omeprazole = &evidence(&before)[0];
    assert!(omeprazole.starts_with("Omeprazole"));
    for form in [Format::Html, Format::Markdown] {
        let (was, is) = (written(&before, form), written(&after, form));
        assert!(!was.contains("answer is outdated") && is.contains("answer is outdated"), "{form:?}");
        assert_eq!(was.matches("chain-1\"").count(), is.matches("chain-1\"").count(), "{form:?}: [1] still leads to the first chain");
        assert!(is.contains("Kept now") && is.contains("Chains rejected through"));
    }
    let json: serde_json::Value = serde_json::from_str(&written(&after, Format::Json)).expect("JSON");
    assert!(json["warnings"].as_array().expect("warnings").iter().any(|warning| warning.as_str().expect("a text").contains("outdated")));
    assert!(written(&after, Format::Dot).contains("Omeprazole"), "the graph is that of the answer");
}

#[test]
fn a_learned_triple_stands_with_the_reason_that_was_given_for_it() {
    let mut trace = Trace::fold(&small_run());
    let first = trace.pruning.kept[0].chain as usize;
    let mut table = (*trace.table).clone();
    let mut wire = serde_json::to_value(table.chains[first]).expect("JSON");
    wire["l"] = true.into();
    table.chains[first] = serde_json::from_value(wire).expect("a chain");
    let text = table.text(&table.chains[first]);
    trace.table = Arc::new(table);
    trace.evidence.as_mut().expect("an answer").table = Arc::clone(&trace.table);
    let source = "learned (record 3): taught directly, because: BNF <b>2026".to_owned();
    let origin = TripleOrigin { text, source, learned: true, qualifiers: Default::default() };
    for form in [Format::Html, Format::Markdown] {
        let with = report_with(&trace, form, None, std::slice::from_ref(&origin)).expect("is written");
        assert!(with.contains("because: BNF") && !with.contains("<b>2026"), "{form:?}: {with}");
        assert!(!report(&trace, form, None).expect("is written").contains("BNF"), "{form:?}");
    }
}

#[test]
fn runs_without_an_answer_are_reported_as_what_they_are() {
    for (events, says) in [
        (sample::nothing("a"), "The graph holds no evidence"),
        (sample::failed("a"), "The run failed"),
        (small_run()[..30].to_vec(), "ends before the run does"),
    ] {
        let trace = Trace::fold(&events);
        for form in [Format::Html, Format::Markdown] {
            assert!(written(&trace, form).contains(says), "{says}");
        }
        written(&trace, Format::Dot);
        written(&trace, Format::Json);
    }
    assert!(written(&Trace::default(), Format::Html).contains("There is no answer"));
}

#[test]
fn a_model_and_what_is_its_own_are_named() {
    let trace = Trace::fold(&sample::written("a"));
    let html = written(&trace, Format::Html);
    assert!(html.contains("written by a language model") && html.contains("<em class=\"own\">"), "{html:.0}");
    assert!(html.contains("qwen3-8b"));
}
