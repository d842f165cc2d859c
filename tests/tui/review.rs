//! Rating and deciding, key by key, without a loop: what is asked for, what shows at once, and what comes back.

use catena::dkg::{ProposalId, Rating};
use catena::feedback::DecisionResult;
use catena::tui::{DkgRequest, DkgStatus, Effect, Reply};

use crate::harness::Bench;
use crate::lessons;
use crate::support::sample;

fn answered() -> Bench {
    let mut bench = Bench::new(160, 48);
    bench.app.on_reply(lessons::learning());
    bench.press(&["alt+1"]).run(&sample::answered("a"));
    while bench.app.next_effect().is_some() {}
    bench
}

fn reviewing() -> Bench {
    let mut bench = answered();
    bench.press(&["space", "r"]);
    assert_eq!(asked(&mut bench), [DkgRequest::Queue]);
    found(&mut bench, Reply::Queue(Box::new(lessons::waiting())));
    bench
}

fn found(bench: &mut Bench, found: Reply) {
    bench.app.on_reply(found);
    bench.draw();
}

/// The requests to the DKG.
fn asked(bench: &mut Bench) -> Vec<DkgRequest> {
    let mut asked = Vec::new();
    while let Some(command) = bench.app.next_effect() {
        if let Effect::Dkg(order) = command {
            asked.push(order);
        }
    }
    asked
}

fn id(item: u32) -> ProposalId {
    ProposalId { item, record: 13 }
}

#[test]
fn a_rating_is_sent_with_its_comment_and_what_came_of_it_is_said() {
    let mut bench = answered();
    bench.press(&["-"]).type_text(" wrong drug ").press(&["enter"]);
    assert!(bench.screen().contains("Recording the rating"));
    let orders = asked(&mut bench);
    let [DkgRequest::Rate { trace, given }] = orders.as_slice() else { panic!("{orders:?}") };
    assert_eq!((trace.id.as_str(), given.rating, given.comment.as_str(), given.accept), ("a", Rating::Bad, "wrong drug", false));
    found(&mut bench, Reply::Rated { given: given.clone(), result: Ok(Box::new(lessons::rated())) });
    let row = bench.row_with("Recorded as");
    assert!(
        row.contains("Recorded as bad (record 12). 3 proposals wait for your review: press Space r.")
            && !row.contains("Recording the rating"),
        "{row}"
    );
    bench.press(&["m"]);
    for said in ["is held back", "is known", "Not proposed: 2 statements (2 from a chain", "reply was no JSON"] {
        assert!(bench.screen().contains(said), "{said}:\n{}", bench.screen());
    }
}

#[test]
fn esc_gives_a_rating_up_and_nothing_is_recorded() {
    let mut bench = answered();
    for keys in ["+", "*"] {
        bench.press(&[keys]).type_text("q g b").press(&["esc"]);
        assert!(bench.screen().contains("Cancelled; nothing was recorded."), "{}", bench.screen());
    }
    assert!(asked(&mut bench).is_empty());
}

#[test]
fn there_must_be_an_answer_to_rate() {
    let mut bench = Bench::new(160, 48);
    bench.app.on_reply(lessons::learning());
    bench.press(&["alt+1"]).run(&sample::searching("a")).press(&["+"]);
    assert!(bench.screen().contains("The run is not finished yet"));
    let mut bench = Bench::new(160, 48);
    bench.app.on_reply(lessons::learning());
    bench.press(&["alt+1"]).run(&sample::failed("a")).press(&["-"]);
    assert!(bench.screen().contains("There is no answer to rate"), "{}", bench.screen());
    assert!(asked(&mut bench).is_empty());
}

#[test]
fn leaving_waits_once_for_a_rating_that_is_being_recorded() {
    let mut bench = answered();
    bench.press(&["+", "enter", "q"]);
    assert!(bench.screen().contains("Recording the rating") && !bench.app.wants_to_quit());
    bench.press(&["q"]);
    assert!(bench.app.wants_to_quit());
}

#[test]
fn a_decision_is_off_the_list_at_once_and_comes_back_when_it_fails() {
    let mut bench = reviewing();
    bench.press(&["home", "a"]);
    assert!(!bench.screen().contains("Omeprazole → treats → Heartburn  ") && bench.row_with("Waiting for your decision").contains('2'));
    assert_eq!(asked(&mut bench), [DkgRequest::Accept(vec![id(0)])]);
    found(&mut bench, Reply::Decided { accepted: true, proposals: vec![id(0)], result: Err("the disk is full".into()) });
    assert!(bench.row_with("Waiting for your decision").contains('3') && bench.screen().contains("not recorded: the disk is full"));
    // Rejected, it can be taken back.
    bench.press(&["home", "x"]);
    assert_eq!(asked(&mut bench), [DkgRequest::Reject(vec![id(0)])]);
    let outcome = DecisionResult { record: 14, learned: 0, unlearned: 0 };
    found(&mut bench, Reply::Decided { accepted: false, proposals: vec![id(0)], result: Ok(outcome) });
    assert_eq!(asked(&mut bench), [DkgRequest::Queue]);
    bench.press(&["u"]);
    assert_eq!(asked(&mut bench), [DkgRequest::Undo(14)]);
    bench.press(&["u"]);
    assert!(bench.screen().contains("Nothing to undo here"));
}

#[test]
fn several_are_decided_after_a_question_and_contradictions_are_named() {
    let mut bench = reviewing();
    bench.press(&["X", "esc"]);
    assert!(asked(&mut bench).is_empty() && bench.screen().contains("No: nothing has changed"));
    bench.press(&["A", "y"]);
    assert_eq!(asked(&mut bench), [DkgRequest::Accept(vec![id(0), id(1), id(2)])], "what is held back is not meant by all");
    let mut bench = reviewing();
    // One alone that contradicts what is known.
    bench.press(&["end", "up", "a"]);
    assert!(asked(&mut bench).is_empty() && bench.screen().contains("Learn it despite the contradiction?"));
    let question: String = bench.screen().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(question.contains("It contradicts “Ibuprofen → contraindicated in → Peptic ulcer”"), "{question}");
    bench.press(&["n"]);
    assert!(asked(&mut bench).is_empty());
    // Marked ones, one of them such.
    bench.press(&["home", "space", "end", "up", "space", "A"]);
    assert!(bench.screen().contains("Accept 2 marked proposals?") && bench.screen().contains("It contradicts"));
    bench.press(&["y"]);
    assert_eq!(asked(&mut bench), [DkgRequest::Accept(vec![id(0), id(3)])]);
}

#[test]
fn a_proposal_is_worded_anew_and_an_unknown_relation_is_told_apart() {
    let mut bench = reviewing();
    bench.press(&["home", "e"]).type_text(" MUPS").press(&["down", "right", "down"]).type_text(" well").press(&["enter"]);
    let orders = asked(&mut bench);
    let [DkgRequest::Edit { proposal, triple, other_relation: true }] = orders.as_slice() else { panic!("{orders:?}") };
    assert_eq!(*proposal, id(0));
    let said = (triple.head.name.as_str(), triple.head.kind.as_str(), triple.relation.name.as_str(), triple.tail.name.as_str());
    assert_eq!(said, ("Omeprazole MUPS", "drug_class", "treats well", "Heartburn"));
    bench.press(&["e"]);
    for _ in 0.."Omeprazole".len() {
        bench.press(&["backspace"]);
    }
    bench.press(&["enter"]);
    assert!(bench.screen().contains("The head is empty."));
}

#[test]
fn where_nothing_may_be_written_the_list_is_shown_and_decides_nothing() {
    let mut bench = Bench::new(160, 48);
    let reason = "another Catena writes (process 7)".to_owned();
    bench.app.on_reply(Reply::DkgStatus(DkgStatus { read_only: Some(reason), ..DkgStatus::default() }));
    bench.draw();
    assert!(bench.screen().contains("cannot record anything here: another Catena writes"));
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["space", "r"]);
    found(&mut bench, Reply::Queue(Box::new(lessons::waiting())));
    asked(&mut bench);
    bench.press(&["a", "x", "A", "X", "e"]);
    assert!(asked(&mut bench).is_empty() && bench.row_with("Waiting for your decision").contains('3'));
    assert!(bench.screen().contains("Nothing can be recorded here: another Catena writes"));
}

#[test]
fn text_of_proposals_and_records_cannot_reach_the_terminal() {
    let mut bench = reviewing();
    let evil = "\u{1b}[2Jred\u{7} \u{202e}txet\u{200b}";
    let mut waiting = lessons::waiting();
    for state in &mut waiting.pending {
        state.proposal.triple.head.name = evil.into();
        state.proposal.triple.tail.kind = evil.into();
        state.proposal.basis.chains = vec![evil.into()];
        state.proposal.basis.why = evil.into();
    }
    found(&mut bench, Reply::Queue(Box::new(waiting)));
    let is_safe = |bench: &Bench| !bench.screen().chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}');
    bench.press(&["home"]);
    assert!(bench.screen().contains("[2Jred txet") && is_safe(&bench));
    bench.press(&["e"]);
    assert!(bench.screen().contains("Edit this proposal") && is_safe(&bench));
}
