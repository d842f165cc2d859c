//! Rating and deciding, key by key, without a loop: what is asked for, what shows at once, and what comes back.

use std::sync::Arc;

use catena::dkg::{ProposalId, Rating};
use catena::feedback::DecisionResult;
use catena::run::{Event, EventKind, Stage};
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
        row.contains("Recorded as bad: its chains rank lower. Space r: 3 to review. Space d: undo. What waits is learned only if you")
            && !row.contains("Recording the rating"),
        "{row}"
    );
    bench.press(&["m"]);
    for said in ["(record 12)", "1 proposal contradicts what is", "is known", "Not proposed: 2", "reply was no JSON"] {
        assert!(bench.screen().contains(said), "{said}:\n{}", bench.screen());
    }
}

#[test]
fn at_a_hundred_columns_a_rating_says_what_changed_what_waits_and_how_it_is_undone() {
    let mut bench = Bench::new(100, 30);
    bench.app.on_reply(lessons::learning());
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["+", "enter"]);
    let given = catena::feedback::GivenRating::plain(Rating::Good);
    found(&mut bench, Reply::Rated { given, result: Ok(Box::new(lessons::rated())) });
    let row = bench.row_with("Recorded as good");
    assert!(row.contains("Recorded as good: its chains rank higher. Space r: 3 to review. Space d: undo."), "{row}");
}

#[test]
fn a_key_that_was_meant_for_a_replay_rates_nothing_just_after_its_end() {
    let mut bench = answered();
    bench.press(&["space", "p"]);
    bench.carry_on(&sample::answered("a"));
    bench.press(&["-"]);
    assert!(bench.screen().contains("The replay is over") && !bench.screen().contains("Bad answer"), "{}", bench.screen());
    bench.press(&["-"]);
    assert!(bench.screen().contains("Bad answer"), "{}", bench.screen());
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

/// A run whose best chain holds a learned triple; `kind` is that of what writes its answer.
fn of_learned(kind: &str) -> Vec<Event> {
    let mut events = sample::answered("a");
    for event in &mut events {
        match &mut event.what {
            EventKind::RunStarted { models, .. } => models.generator.kind = kind.into(),
            EventKind::ChainsFound { table, .. } => {
                let chain = &mut Arc::make_mut(table).chains[0];
                let mut recorded = serde_json::to_value(*chain).expect("a chain is written");
                recorded["l"] = true.into();
                *chain = serde_json::from_value(recorded).expect("and read");
            }
            _ => {}
        }
    }
    events
}

#[test]
fn an_answer_of_what_is_withdrawn_is_regenerated_at_once_or_marked() {
    // The built-in reader regenerates it; with a language model that waits for the doctor; what rests on nothing learned stands.
    for (events, regenerates, is_marked) in
        [(of_learned("graph"), true, true), (of_learned("candle"), false, true), (sample::answered("a"), false, false)]
    {
        let mut bench = Bench::new(160, 48);
        bench.app.on_reply(lessons::learning());
        bench.press(&["alt+1"]).run(&events);
        while bench.app.next_effect().is_some() {}
        assert!(!bench.screen().contains("outdated"), "{}", bench.screen());
        let outcome = DecisionResult { record: 15, learned: 0, unlearned: 1 };
        found(&mut bench, Reply::Undone { record: 12, result: Ok(outcome) });
        assert_eq!(bench.screen().contains("outdated: press r"), is_marked, "{}", bench.screen());
        let mut from = Vec::new();
        while let Some(effect) = bench.app.next_effect() {
            if let Effect::Revise { from: stage, .. } = effect {
                from.push(stage);
            }
        }
        assert_eq!(from, if regenerates { vec![Stage::Read] } else { Vec::new() });
    }
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
fn an_empty_review_names_the_keys_that_rate() {
    let mut bench = answered();
    bench.press(&["space", "r"]);
    asked(&mut bench);
    let mut none = lessons::waiting();
    none.pending.clear();
    none.redundant.clear();
    none.conflicting.clear();
    found(&mut bench, Reply::Queue(Box::new(none)));
    let screen = bench.screen();
    assert!(screen.contains("+ if it is good, - if it is bad, * to write a better one"), "{screen}");
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

#[test]
fn a_search_finds_a_proposal_and_no_letter_of_it_decides() {
    let mut bench = reviewing();
    bench.press(&["home", "/"]).type_text("gavi");
    assert!(bench.row_with("Search:").contains("gavi") && asked(&mut bench).is_empty(), "{}", bench.screen());
    bench.press(&["enter"]);
    assert!(bench.screen().contains("“gavi”: 1 of 1 · n next · N previous"), "{}", bench.screen());
    bench.press(&["a"]);
    assert_eq!(asked(&mut bench), [DkgRequest::Accept(vec![id(1)])]);
    // What is nowhere moves nothing; Esc gives the search up, and the review stays.
    bench.press(&["/"]).type_text("warfarin").press(&["enter"]);
    assert!(bench.screen().contains("“warfarin” is in none of these proposals."), "{}", bench.screen());
    bench.press(&["/"]).type_text("ax").press(&["esc"]);
    assert!(asked(&mut bench).is_empty() && bench.screen().contains("Waiting for your decision"));
}

#[test]
fn the_help_of_a_sheet_comes_back_to_it_and_a_key_without_a_use_says_so() {
    let mut bench = reviewing();
    bench.press(&["?"]);
    let help = bench.screen();
    assert!(help.contains("Search these proposals"), "{help}");
    let of_review = help.find("In the review").expect("the keys of the review");
    assert!(help.find("In the panes").is_none_or(|of_panes| of_review < of_panes), "those of the sheet come first:\n{help}");
    bench.press(&["?"]);
    assert!(bench.screen().contains("Waiting for your decision"), "{}", bench.screen());
    bench.press(&["z"]);
    assert!(bench.screen().contains("z does nothing here. ? shows the keys."), "{}", bench.screen());
    bench.press(&["?", "esc", "esc"]);
    assert!(!bench.screen().contains("Waiting for your decision"));
}

#[test]
fn the_review_opens_at_what_was_taught_last_and_says_that_it_was_taught() {
    let mut bench = Bench::new(80, 24);
    bench.app.on_reply(lessons::learning());
    bench.press(&["alt+1"]).run(&sample::answered("a"));
    let mut waiting = lessons::waiting();
    waiting.pending[2].proposal.act = catena::dkg::Act::Add;
    waiting.pending[2].proposal.proposer = catena::dkg::Proposer::Doctor;
    waiting.pending[2].proposal.basis = catena::dkg::Basis::default();
    let rated = catena::feedback::RatingResult { record: 12, proposals: vec![waiting.pending[2].clone()], ..Default::default() };
    found(&mut bench, Reply::Taught { fact: Default::default(), result: Ok(Box::new(rated)) });
    let said = bench.row_with("Not learned yet");
    assert!(said.contains("To accept it, press Space r, then a."), "nothing of what to do is cut off: {said}");
    bench.press(&["space", "r"]);
    asked(&mut bench);
    found(&mut bench, Reply::Queue(Box::new(waiting)));
    assert!(bench.screen().contains("Proposal 13.2, taught directly, record 12"), "{}", bench.screen());
    bench.press(&["a"]);
    assert_eq!(asked(&mut bench), [DkgRequest::Accept(vec![id(2)])]);
    // The one before it comes next, not one that is held back.
    bench.press(&["a"]);
    assert_eq!(asked(&mut bench), [DkgRequest::Accept(vec![id(1)])]);
}

#[test]
fn enter_in_the_form_that_teaches_goes_on_and_no_letter_is_a_key() {
    let mut bench = answered();
    bench.press(&["space", "t"]);
    for text in ["Lefamulin", "treats", "Pneumonia"] {
        assert!(bench.screen().contains("Enter goes on to the next field") && bench.screen().contains("Enter next field"));
        // Where nothing is typed, nothing is gone on from.
        bench.press(&["enter"]).type_text(text).press(&["enter"]);
        assert!(asked(&mut bench).is_empty(), "{}", bench.screen());
    }
    bench.type_text("licensed for it");
    assert!(bench.screen().contains("Enter records") && bench.screen().contains("licensed for it"), "{}", bench.screen());
    bench.press(&["enter"]);
    let orders = asked(&mut bench);
    let [DkgRequest::Teach(fact)] = orders.as_slice() else { panic!("{orders:?}") };
    assert_eq!((fact.text().as_str(), fact.why.as_str()), ("Lefamulin treats Pneumonia", "licensed for it"));
}

#[test]
fn a_rating_that_is_repeated_is_said_in_one_row() {
    let mut bench = Bench::new(80, 24);
    bench.app.on_reply(lessons::learning());
    bench.press(&["alt+1"]).run(&sample::answered("a")).press(&["+"]);
    assert!(bench.screen().contains("Enter record"), "the hint is that of the form:\n{}", bench.screen());
    bench.press(&["enter"]);
    let given = catena::feedback::GivenRating::plain(Rating::Good);
    let repeated = catena::feedback::RatingResult { repeated: true, ..lessons::rated() };
    found(&mut bench, Reply::Rated { given, result: Ok(Box::new(repeated)) });
    assert!(bench.screen().contains("You have already rated this answer as good. Press Space r"), "{}", bench.screen());
}

#[test]
fn a_fact_that_was_not_recorded_is_there_again_with_the_whole_reason() {
    let mut bench = Bench::new(80, 24);
    bench.app.on_reply(lessons::learning());
    bench.press(&["alt+1"]).run(&sample::answered("a"));
    let fact =
        catena::feedback::TaughtFact { head: "Amiloride".into(), relation: "raises".into(), tail: "potassium".into(), why: String::new() };
    let reason = "the relation “raises” is not understood; use a word such as: treats, prevents, causes, may cause, interacts with, needs";
    found(&mut bench, Reply::Taught { fact, result: Err(reason.into()) });
    let screen = bench.screen();
    assert!(screen.contains("Amiloride") && screen.contains("interacts with, needs."), "nothing of the reason is cut off:\n{screen}");
    // What is typed goes into the relation, and the reason is gone.
    bench.type_text("x");
    assert!(bench.screen().contains("raisesx") && !bench.screen().contains("interacts with, needs."), "{}", bench.screen());
    // Ctrl+L empties the field and keeps the form.
    bench.press(&["ctrl+l"]);
    assert!(bench.screen().contains("Teach a fact") && bench.screen().contains("Amiloride"), "{}", bench.screen());
    assert!(!bench.row_with("relation ").contains("raises"), "{}", bench.screen());
}

#[test]
fn enter_on_a_proposal_opens_it_and_learns_nothing() {
    let mut bench = answered();
    bench.press(&["space", "r"]);
    asked(&mut bench);
    found(&mut bench, Reply::Queue(Box::new(lessons::waiting())));
    bench.press(&["enter"]);
    assert!(bench.screen().contains("Edit this proposal"), "{}", bench.screen());
    assert!(asked(&mut bench).is_empty());
}

#[test]
fn a_gold_answer_survives_the_keys_that_empty_the_question() {
    let mut bench = answered();
    bench.press(&["*", "end"]).type_text("; gastritis").press(&["alt+e"]);
    assert!(bench.screen().contains("; gastritis"), "{}", bench.screen());
    bench.press(&["ctrl+l"]);
    assert!(bench.screen().contains("Gold answer: the correct answer") && !bench.screen().contains("; gastritis"), "{}", bench.screen());
}

#[test]
fn an_empty_review_says_why_a_rating_came_to_nothing() {
    let mut bench = answered();
    let review = |bench: &mut Bench| {
        bench.press(&["space", "r"]);
        found(bench, Reply::Queue(Box::default()));
        bench.screen()
    };
    assert!(review(&mut bench).contains("In the answer (pane 6), press"), "{}", bench.screen());
    bench.press(&["esc", "+", "enter"]);
    let nothing = "Catena found nothing new to learn in this answer.";
    let result = catena::feedback::RatingResult { record: 12, warnings: vec![nothing.into()], ..Default::default() };
    found(&mut bench, Reply::Rated { given: catena::feedback::GivenRating::plain(Rating::Good), result: Ok(Box::new(result)) });
    let screen = review(&mut bench);
    assert!(screen.contains(&format!("No proposal is pending. {nothing}")) && !screen.contains("pane 6"), "{screen}");
    // Another answer is not rated yet.
    bench.press(&["esc"]).run(&sample::answered("b"));
    assert!(review(&mut bench).contains("In the answer (pane 6), press"), "{}", bench.screen());
}

#[test]
fn the_form_that_teaches_says_what_an_empty_field_wants_and_takes_a_whole_sentence() {
    let mut bench = answered();
    bench.press(&["space", "t", "enter"]);
    assert!(bench.screen().contains("Type a name, such as a drug"), "{}", bench.screen());
    bench.type_text("Lefamulin treats pneumonia").press(&["enter", "enter"]);
    let orders = asked(&mut bench);
    let [DkgRequest::Teach(fact)] = orders.as_slice() else { panic!("{orders:?}") };
    assert_eq!([fact.head.as_str(), &fact.relation, &fact.tail], ["Lefamulin", "treats", "pneumonia"]);
}

#[test]
fn a_review_in_which_all_is_decided_says_so() {
    let mut bench = answered();
    bench.press(&["space", "r"]);
    let mut waiting = lessons::waiting();
    waiting.pending.truncate(1);
    (waiting.conflicting, waiting.redundant) = (Vec::new(), Vec::new());
    found(&mut bench, Reply::Queue(Box::new(waiting.clone())));
    bench.press(&["a"]);
    let outcome = DecisionResult { record: 14, learned: 1, unlearned: 0 };
    found(&mut bench, Reply::Decided { accepted: true, proposals: vec![id(0)], result: Ok(outcome) });
    found(&mut bench, Reply::Queue(Box::default()));
    let screen = bench.screen();
    assert!(screen.contains("Accepted; nothing more to review.") && !screen.contains("No proposal is pending"), "{screen}");
    assert!(screen.contains("Questions about it use it, marked ★, or say why not. Learned: Omeprazole →"), "{screen}");
    // Opened again, it says what can be done.
    bench.press(&["esc", "space", "r"]);
    found(&mut bench, Reply::Queue(Box::default()));
    assert!(bench.screen().contains("No proposal is pending") && !bench.screen().contains("nothing more"), "{}", bench.screen());
    found(&mut bench, Reply::Queue(Box::new(waiting)));
    bench.press(&["x"]);
    assert!(bench.screen().contains("Rejected; nothing more to review."), "{}", bench.screen());
}

#[test]
fn that_nothing_is_new_is_no_warning_and_a_second_rating_says_what_it_replaces() {
    let mut bench = answered();
    bench.press(&["+", "enter"]);
    let nothing = "Catena found nothing new to learn in this answer.";
    let result = catena::feedback::RatingResult {
        record: 12,
        warnings: vec![nothing.into()],
        replaces: Some((9, Rating::Bad)),
        ..Default::default()
    };
    found(&mut bench, Reply::Rated { given: catena::feedback::GivenRating::plain(Rating::Good), result: Ok(Box::new(result)) });
    let row = bench.row_with("Recorded as good");
    assert!(row.contains("Replaces your rating as bad (record 9).") && !row.contains('⚠'), "{row}");
    bench.press(&["m"]);
    let row = bench.row_with(nothing);
    assert!(!row.contains('⚠'), "{row}");
}
