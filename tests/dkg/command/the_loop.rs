//! Feedback teaches, the next question sees it, and what was learned can be taken back.

use super::{QUESTION, asked, learned, learned_kept, rate, run};
use crate::support::{Catena, files_under};

#[test]
fn good_feedback_changes_the_next_answer_and_undoing_it_changes_it_back() {
    let catena = asked();
    let before = catena.trace(QUESTION, &["--kg", "small.tsv"], 0);
    let rated = rate(&catena, &["good", "--accept", "--comment", "well done"]);
    let accepted = rated["proposals"].as_array().unwrap().iter().filter(|proposal| proposal["status"] == "accepted").count() as u64;
    assert!(accepted > 0, "{rated}");
    let after = catena.trace(QUESTION, &["--kg", "small.tsv"], 0);
    assert_eq!(learned(&after), accepted);
    assert!(!learned_kept(&after).is_empty(), "learned chains are kept");
    assert_ne!(
        (&after["kept"], &after["answer"]["text"], &after["chains"]),
        (&before["kept"], &before["answer"]["text"], &before["chains"])
    );
    // What was learned shortens the way: a chain of one relation where there was one of two.
    let text = rated["proposals"][0]["text"].as_str().unwrap();
    assert!(learned_kept(&after).iter().any(|chain| chain.contains(text.split(" → ").next().unwrap())), "{text}");

    let log = run(&catena, &["dkg", "log"], 0).stdout;
    assert!(log.contains("rated good") && log.contains("accepted 2.0"), "{log}");
    assert!(!log.contains("heartburn and nausea") && !log.contains("well done"), "the log tells no question and no comment: {log}");
    let shown = run(&catena, &["dkg", "show", "1"], 0).stdout;
    assert!(shown.contains(QUESTION) && shown.contains("well done"), "a record is shown in full: {shown}");

    let undone = run(&catena, &["dkg", "undo", "3"], 0).stdout;
    assert!(undone.contains(&format!("{accepted} unlearned")), "{undone}");
    let again = catena.trace(QUESTION, &["--kg", "small.tsv"], 0);
    assert_eq!(learned(&again), 0);
    // The rating itself still speaks for the chains that the answer cited; undone too, it leaves nothing behind.
    assert_ne!(&again["chains"], &before["chains"]);
    run(&catena, &["dkg", "undo", "1"], 0);
    let again = catena.trace(QUESTION, &["--kg", "small.tsv"], 0);
    assert_eq!((&again["kept"], &again["answer"], &again["chains"]), (&before["kept"], &before["answer"], &before["chains"]));
    assert!(run(&catena, &["dkg", "log"], 0).stdout.contains("undone: accepted"));
    run(&catena, &["dkg", "undo", "5"], 0);
    run(&catena, &["dkg", "undo", "4"], 0);
    assert_eq!(learned(&catena.trace(QUESTION, &["--kg", "small.tsv"], 0)), accepted, "undoing the undo");
}

#[test]
fn nothing_is_learned_unseen_and_the_review_decides() {
    let catena = asked();
    let rated = rate(&catena, &["good"]);
    let waits = |proposal: &&serde_json::Value| proposal["status"] == "pending";
    let ids: Vec<&str> =
        rated["proposals"].as_array().unwrap().iter().filter(waits).map(|proposal| proposal["id"].as_str().unwrap()).collect();
    assert!(ids.len() > 1, "{rated}");
    assert_eq!(learned(&catena.trace(QUESTION, &["--kg", "small.tsv"], 0)), 0);
    let review = run(&catena, &["dkg", "review", "--json"], 0).json();
    assert_eq!(review["pending"].as_array().unwrap().len(), ids.len());
    assert!(run(&catena, &["dkg", "review"], 0).stdout.contains(ids[0]));
    run(&catena, &["dkg", "reject", ids[0]], 0);
    let said = run(&catena, &["dkg", "accept", "--all"], 0).stdout;
    assert!(said.contains(&format!("{} ", ids.len() - 1)), "{said}");
    assert_eq!(learned(&catena.trace(QUESTION, &["--kg", "small.tsv"], 0)), ids.len() as u64 - 1);
    // What was in conflict is held back, and is not accepted with the others.
    let review = run(&catena, &["dkg", "review", "--json"], 0).json();
    assert_eq!(review["pending"].as_array().unwrap().len(), 0, "{review}");
    assert!(run(&catena, &["dkg", "show", ids[0]], 0).stdout.contains("rejected by"));

    let shown = run(&catena, &["dkg", "show", "HEARTBURN"], 0).stdout;
    assert!(shown.contains("Heartburn") && shown.contains("from an answer rated good"), "{shown}");
    run(&catena, &["dkg", "show", "zorbing"], 3);
    let stats = run(&catena, &["dkg", "log", "--stats"], 0).stdout;
    assert!(
        stats.contains("learned") && stats.contains("learned triples") && stats.contains(|c| ('\u{2801}'..='\u{28FF}').contains(&c)),
        "{stats}"
    );
    let numbers = run(&catena, &["dkg", "log", "--stats", "--json"], 0).json();
    assert_eq!((&numbers["days"][0]["rejected"], &numbers["by_type"]["feedback"]), (&1.into(), &1.into()));
    let lines = run(&catena, &["dkg", "log", "--limit", "2", "--json"], 0).lines();
    assert_eq!(lines.iter().map(|line| line["record"].as_u64().unwrap()).collect::<Vec<_>>(), [3, 4], "the newest, newest last");
    let check = run(&catena, &["check"], 0).stdout;
    assert!(check.contains(&format!("{} triples learned, 0 proposals waiting", ids.len() - 1)), "{check}");
}

#[test]
fn a_bad_answer_takes_back_what_it_rests_on() {
    let catena = asked();
    rate(&catena, &["good", "--accept"]);
    // What was learned of heartburn answers this; nothing else in the graph does.
    let question = "Which treatment helps against heartburn?";
    let taught = catena.trace(question, &["--kg", "small.tsv", "--events", "run.jsonl"], 0);
    assert!(!learned_kept(&taught).is_empty());
    let rated = rate(&catena, &["bad"]);
    let proposals = rated["proposals"].as_array().unwrap();
    assert!(!proposals.is_empty() && proposals.iter().all(|proposal| proposal["proposal"]["act"] == "retract"), "{rated}");
    run(&catena, &["dkg", "accept", "--all"], 0);
    let after = catena.trace(question, &["--kg", "small.tsv"], 0);
    assert_eq!(learned(&after), learned(&taught) - proposals.len() as u64);
}

#[test]
fn a_mentors_answer_teaches_a_graph_that_knows_nothing() {
    let catena = Catena::new();
    catena.write("empty.tsv", "Fig\tgrows_on\tFig tree\n");
    let question = "heartburn after eating";
    catena.trace(question, &["--kg", "empty.tsv", "--events", "run.jsonl"], 3);
    let answer = "Conditions: reflux\nTreatments: omeprazole\n";
    let arguments = ["dkg", "feedback", "run.jsonl", "gold", "--answer", "-", "--accept", "--kg", "empty.tsv", "--json"];
    let ran = catena.run_with(arguments, answer.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rated = ran.json();
    assert!(rated["proposals"].as_array().unwrap().iter().any(|proposal| proposal["status"] == "accepted"), "{rated}");
    let trace = catena.trace(question, &["--kg", "empty.tsv"], 0);
    assert!(learned(&trace) > 0 && !learned_kept(&trace).is_empty(), "{trace}");
    assert!(trace["answer"]["text"].as_str().unwrap().to_lowercase().contains("omeprazole"), "{}", trace["answer"]);
}

#[test]
fn the_configuration_decides_whether_it_is_used_and_accepted() {
    let catena = asked();
    let ran = crate::support::ran(
        catena
            .command(crate::support::BINARY, ["dkg", "feedback", "run.jsonl", "good", "--kg", "small.tsv"])
            .env("CATENA_DKG_AUTO_ACCEPT", "true")
            .output()
            .unwrap(),
    );
    assert!(ran.code == 0 && ran.stdout.contains("accepted at once"), "{}{}", ran.stdout, ran.stderr);
    assert!(learned(&catena.trace(QUESTION, &["--kg", "small.tsv"], 0)) > 0);
    std::fs::write(catena.state().join("config.toml"), "[dkg]\nuse = false\n").unwrap();
    assert_eq!(learned(&catena.trace(QUESTION, &["--kg", "small.tsv"], 0)), 0);
    std::fs::write(catena.state().join("config.toml"), "[dkg]\nredundancy_distance = 3.0\n").unwrap();
    let refused = run(&catena, &["ask", "fever"], 2);
    assert!(refused.stderr.contains("redundancy_distance"), "{}", refused.stderr);
    std::fs::write(catena.state().join("config.toml"), "[dkg]\nauto = true\n").unwrap();
    assert!(run(&catena, &["dkg", "log"], 2).stderr.contains("auto"));
}

#[test]
fn what_is_typed_wrongly_is_said_and_records_nothing() {
    let catena = asked();
    for (arguments, code, says) in [
        (&["dkg", "feedback", "run.jsonl", "gold"][..], 2, "--answer"),
        (&["dkg", "feedback", "run.jsonl", "gold", "--answer", "  "], 2, "empty"),
        (&["dkg", "feedback", "run.jsonl", "good", "--answer", "x"], 2, "--comment"),
        (&["dkg", "feedback", "-", "gold", "--answer", "-"], 2, "standard input"),
        (&["dkg", "feedback", "run.jsonl", "splendid"], 2, "splendid"),
        (&["dkg", "feedback", "missing\u{1b}[31m", "good"], 1, "no file and no recorded session"),
        (&["dkg", "accept"], 2, "ID"),
        (&["dkg", "accept", "seven"], 2, "12.0"),
        (&["dkg", "accept", "7.0"], 1, "no proposal 7.0"),
        (&["dkg", "reject", "1.0", "--all"], 2, "--all"),
        (&["dkg", "undo"], 2, "N"),
        (&["dkg", "undo", "1"], 1, "no record 1"),
        (&["dkg", "show", "1"], 1, "no record 1"),
        (&["dkg", "export"], 2, "--to"),
        (&["dkg", "import", "missing.tsv"], 1, "missing.tsv"),
        (&["dkg"], 2, "feedback"),
    ] {
        let ran = run(&catena, arguments, code);
        assert!(ran.stderr.contains(says), "{arguments:?}: {}", ran.stderr);
    }
    let verified = run(&catena, &["dkg", "verify", "--json"], 0).json();
    assert_eq!((&verified["records"], &verified["whole"]), (&0.into(), &true.into()));
    let before = files_under(&catena.state());
    for reads in [&["dkg", "log"][..], &["dkg", "review"], &["dkg", "log", "--stats"], &["dkg", "export", "--to", "nt"], &["check"]] {
        run(&catena, reads, 0);
    }
    assert_eq!(files_under(&catena.state()), before, "who only reads makes nothing");
}

#[test]
fn hostile_text_is_recorded_and_shown_harmlessly() {
    let catena = asked();
    let hostile = "Treatments: zo\u{1b}[31mrb\u{1b}]0;t\u{7} │ \u{202E}gnirts \u{9b}2J\nConditions: blo\u{200B}rb";
    let arguments = ["dkg", "feedback", "run.jsonl", "gold", "--answer", hostile, "--comment", hostile, "--accept", "--kg", "small.tsv"];
    run(&catena, &arguments, 0);
    let all: [&[&str]; 10] = [
        &["dkg", "log"],
        &["dkg", "log", "--json"],
        &["dkg", "show", "1"],
        &["dkg", "show", "1", "--json"],
        &["dkg", "show", "2"],
        &["dkg", "show", "heartburn"],
        &["dkg", "review", "--json"],
        &["dkg", "export", "--to", "jsonl", "--with-questions"],
        &["dkg", "export", "--to", "nt", "--with-questions"],
        &["dkg", "export", "--to", "jsonl"],
    ];
    for arguments in all {
        let code = if arguments[1] == "show" && arguments[2] == "heartburn" { catena.run(arguments).code } else { 0 };
        run(&catena, arguments, code);
    }
}
