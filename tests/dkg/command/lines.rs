//! Feedback in plain lines.

use super::{QUESTION, run};
use crate::support::{Catena, SMALL_GRAPH};

fn talk(catena: &Catena, lines: &[&str]) -> String {
    let ran = catena.run_with(["--accessible", "--kg", "small.tsv"], format!("{}\n", lines.join("\n")).as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    ran.assert_harmless();
    let arrow = ran.stdout.chars().find(|c| matches!(c, '\u{2190}'..='\u{21FF}'));
    assert_eq!(arrow, None, "{}", ran.stdout);
    ran.stdout
}

#[test]
fn an_answer_is_rated_reviewed_learned_and_taken_back() {
    let catena = Catena::new();
    catena.write("small.tsv", SMALL_GRAPH);
    let said = talk(
        &catena,
        &["good", QUESTION, "good", "review", "reject 2.0", "accept all", "learned", QUESTION, "take back", "learned", "accept all"],
    );
    let order = [
        "You have not asked anything yet.",
        "Your rating is recorded as number 1.",
        "Proposal 2.0: learn ",
        "proposals wait for your decision.",
        "1 proposal rejected.",
        "accepted.",
        "The DKG has learned ",
        "(learned from feedback)",
        "is undone.",
        "The DKG has learned nothing yet.",
        " accepted. The DKG learned ",
    ];
    let mut rest = said.as_str();
    for begin in order.iter().filter(|begin| !begin.starts_with('(')) {
        let at = rest.find(begin).unwrap_or_else(|| panic!("{begin:?} in {rest}"));
        rest = &rest[at + begin.len()..];
    }
    let log = run(&catena, &["dkg", "log"], 0).stdout;
    assert!(log.contains("undone: accepted"), "{log}");
}

#[test]
fn a_gold_answer_ends_with_an_empty_line() {
    let catena = Catena::new();
    catena.write("small.tsv", SMALL_GRAPH);
    let said =
        talk(&catena, &[QUESTION, "gold", "Treatments: bismuth", "quit", "", "review", "reject 9.9", "gold", "", "gold", "unfinished"]);
    for begin in [
        "Type the correct answer",
        "Your rating is recorded as number 1.",
        "bismuth is new",
        "That failed: there is no proposal 9.9.",
        "You typed no answer, so nothing was recorded.",
        "The gold answer did not end",
    ] {
        assert!(said.to_lowercase().contains(&begin.to_lowercase()), "{begin:?} in {said}");
    }
    let shown = run(&catena, &["dkg", "show", "1"], 0).stdout;
    assert!(shown.contains("Treatments: bismuth\n          quit"), "every line belongs to the answer: {shown}");
    run(&catena, &["dkg", "show", "4"], 1);
}
