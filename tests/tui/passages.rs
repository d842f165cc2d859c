//! The passages of documents on the screen: cited behind the lines, listed, opened in their document, and decided about.

use std::sync::Arc;

use catena::config::LanguageChoice;
use catena::run::{CheckedClaim, ClaimVerdict, Event, EventKind, PassageId, QuotedPassage, Stage, StoredDocument, StoredSection, Triage};
use catena::tui::{Effect, Reply};

use crate::harness::{Bench, options};
use crate::support::sample;

const TEXT: &str = "Before it.\nOmeprazole is indicated for reflux.\nAfter it.";

fn passage(place: usize, start: usize, text: &str) -> QuotedPassage {
    QuotedPassage {
        collection: "labels".into(),
        document: format!("d{place}"),
        title: "Prilosec\u{1b}[31m".into(),
        section: "indications_and_usage".into(),
        nth: 0,
        date: "20230102".into(),
        url: "https://example.org/prilosec".into(),
        start,
        end: start + text.chars().count(),
        text: text.into(),
    }
}

fn passages() -> Vec<QuotedPassage> {
    vec![passage(0, 11, "Omeprazole is indicated for reflux."), passage(1, 0, "Something else.")]
}

fn answered() -> Bench {
    let mut events = sample::answered("a");
    let at = events.iter().position(|event| matches!(event.what, EventKind::AnswerFinished { .. })).expect("an answer");
    if let EventKind::AnswerFinished { answer } = &mut events[at].what {
        answer.lines[0].passages = vec![PassageId::at(0)];
        answer.passages = vec![PassageId::at(0)];
    }
    let found = EventKind::PassagesFound { passages: Arc::new(passages()) };
    events.insert(at, Event { run: "a".into(), at_ms: 24.5, what: found });
    let mut bench = Bench::new(120, 40);
    bench.press(&["1", "enter"]).run(&events);
    while bench.app.next_effect().is_some() {}
    bench
}

/// The effects that wait, without recording.
fn effects(bench: &mut Bench) -> Vec<Effect> {
    std::iter::from_fn(|| bench.app.next_effect()).filter(|effect| !matches!(effect, Effect::Record(_))).collect()
}

fn revised(bench: &mut Bench) -> (Triage, Stage) {
    match effects(bench).pop() {
        Some(Effect::Revise { triage, from, .. }) => ((*triage).clone(), from),
        other => panic!("{other:?}"),
    }
}

#[test]
fn passages_are_cited_listed_and_opened_at_their_place() {
    let mut bench = answered();
    assert!(bench.screen().contains("[D1]"), "behind the chains of its line:\n{}", bench.screen());
    bench.press(&["d"]);
    let screen = bench.screen();
    for shown in ["✓ [D1] Prilosec[31m, indications and usage, 2023-01-02  cited", "· [D2]", "not cited", "Something else."] {
        assert!(screen.contains(shown), "{shown:?}\n{screen}");
    }
    bench.press(&["o"]);
    let [Effect::OpenDocument(wanted)] = &effects(&mut bench)[..] else { panic!("the document is asked for") };
    assert_eq!(**wanted, passages()[0]);
    let section = StoredSection { name: "indications_and_usage".into(), text: TEXT.into() };
    let document = StoredDocument {
        title: "Prilosec".into(),
        url: "https://example.org/prilosec".into(),
        sections: vec![section],
        ..StoredDocument::default()
    };
    bench.app.on_reply(Reply::Document { passage: wanted.clone(), document: Some(Box::new(document)) });
    bench.draw();
    let screen = bench.screen();
    for shown in ["Before it.", "▌ Omeprazole is indicated for reflux.", "After it.", "https://example.org/prilosec"] {
        assert!(screen.contains(shown), "{shown:?}\n{screen}");
    }
    bench.press(&["esc"]);
    assert!(bench.screen().contains("Passages of documents"), "{}", bench.screen());
    bench.press(&["y"]);
    assert_eq!(effects(&mut bench), [Effect::Copy("https://example.org/prilosec".into())], "an address is copied, never opened");
    bench.app.on_reply(Reply::Document { passage: Box::new(passages()[0].clone()), document: None });
    bench.draw();
    assert!(bench.screen().contains("The document is not among those in use"), "{}", bench.screen());
}

#[test]
fn a_decision_about_a_passage_has_the_answer_read_again() {
    let mut bench = answered();
    bench.press(&["d", "x"]);
    let (triage, from) = revised(&mut bench);
    assert_eq!((triage.rejected_passages.iter().next(), from), (Some(&passages()[0].key()), Stage::Read));
    assert!(bench.screen().contains("✗ [D1]"), "{}", bench.screen());
    bench.press(&["u"]);
    assert!(effects(&mut bench).is_empty() && bench.screen().contains("✓ [D1]"), "{}", bench.screen());
    bench.press(&["j", "p"]);
    let (triage, _) = revised(&mut bench);
    assert_eq!(triage.pinned_passages.iter().next(), Some(&passages()[1].key()));
    assert!(bench.screen().contains("▲ [D2]"), "{}", bench.screen());
}

fn checked() -> Vec<CheckedClaim> {
    let claim = |text: &str, verdict, chains: &[&str], passages: Vec<QuotedPassage>| CheckedClaim {
        text: text.into(),
        verdict,
        chains: chains.iter().map(|chain| (*chain).to_owned()).collect(),
        passages,
        by_model: false,
    };
    vec![
        claim("Omeprazole treats reflux.", ClaimVerdict::Supported, &["Omeprazole → treats → Reflux"], vec![passages()[0].clone()]),
        claim("Omeprazole causes reflux.\u{1b}[31m", ClaimVerdict::Contradicted, &["Omeprazole → treats → Reflux"], Vec::new()),
        claim("The moon is made of cheese.", ClaimVerdict::NotFound, &[], Vec::new()),
    ]
}

#[test]
fn the_claims_of_a_typed_text_are_checked_and_shown_with_their_sources() {
    let mut bench = answered();
    bench.press(&["C", "ctrl+s"]);
    assert!(bench.screen().contains("Check the claims of a text") && effects(&mut bench).is_empty(), "nothing is written yet");
    bench.type_text("Omeprazole treats reflux.").press(&["enter"]).type_text("More.").press(&["ctrl+s"]);
    assert_eq!(effects(&mut bench), [Effect::CheckText("Omeprazole treats reflux.\nMore.".into())]);
    bench.app.on_reply(Reply::Checked(checked()));
    bench.draw();
    let screen = bench.screen();
    for shown in [
        "3 claims: 1 supported, 1 contradicted, 1 not found",
        "✓ Omeprazole treats reflux.  supported",
        "graph: Omeprazole → treats → Reflux",
        "indications and usage, 2023-01-02: “Omeprazole is indicated for",
        "✗ Omeprazole causes reflux.[31m  contradicted",
        "· The moon is made of cheese.  not found",
        "Not found does not mean wrong.",
    ] {
        assert!(screen.contains(shown), "{shown:?}\n{screen}");
    }
    bench.press(&["esc"]);
    assert!(!bench.screen().contains("not found does not"), "closed");

    let mut chinese = Bench::with(120, 40, &catena::tui::TuiOptions { language: LanguageChoice::Chinese, ..options() });
    chinese.app.on_reply(Reply::Checked(checked()));
    chinese.draw();
    let screen = chinese.screen().replace(' ', "");
    for shown in ["3条论断：1条有依据，1条与依据矛盾，1条未找到", "图谱：Omeprazole", "未找到不等于错误。"]
    {
        assert!(screen.contains(shown), "{shown:?}\n{screen}");
    }
}

#[test]
fn without_passages_the_screen_says_how_to_get_them() {
    let mut bench = Bench::new(120, 40);
    bench.press(&["1", "enter"]).run(&sample::answered("a"));
    bench.press(&["d"]);
    assert!(bench.screen().contains("catena docs use"), "{}", bench.screen());
}
