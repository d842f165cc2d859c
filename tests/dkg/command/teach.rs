//! `catena dkg teach`: a fact is checked, waits, is accepted, used and undone like any other proposal.

use super::{asked, run};
use serde_json::Value;

fn teach(catena: &crate::support::Catena, fact: [&str; 3], more: &[&str]) -> Value {
    let arguments = [&["dkg", "teach"], &fact[..], more, &["--json", "--kg", "small.tsv"]].concat();
    run(catena, &arguments, 0).json()
}

#[test]
fn a_fact_in_plain_words_waits_is_accepted_and_undone() {
    let catena = asked();
    let taught = teach(&catena, ["Bisodol", "relieves", "heartburn"], &["--why", "ward guideline"]);
    let proposal = &taught["proposals"][0];
    assert_eq!(proposal["status"], "pending", "{taught}");
    let text = proposal["text"].as_str().expect("a text");
    assert!(text.starts_with("Bisodol") && text.to_lowercase().ends_with("heartburn"), "{text}");
    assert_eq!(proposal["proposal"]["proposer"], "doctor", "{taught}");
    assert!(proposal["proposal"]["basis"]["why"].as_str().is_some_and(|why| why.contains("ward guideline")), "{taught}");
    let id = proposal["id"].as_str().expect("an id").to_owned();
    run(&catena, &["dkg", "accept", &id], 0);
    let trace = catena.trace("What helps against heartburn?", &["--kg", "small.tsv"], 0);
    assert_eq!(trace["kg"]["learned"], 1);
    let accepted = run(&catena, &["dkg", "log"], 0).stdout;
    let record = accepted.lines().last().and_then(|line| line.split_whitespace().next()).expect("a record").to_owned();
    run(&catena, &["dkg", "undo", &record], 0);
    assert_eq!(catena.trace("What helps against heartburn?", &["--kg", "small.tsv"], 0)["kg"]["learned"], 0);
    assert!(run(&catena, &["dkg", "verify"], 0).stdout.contains("intact"));
}

#[test]
fn accepted_at_once_and_known_the_second_time() {
    let catena = asked();
    let taught = teach(&catena, ["Bisodol", "treats", "heartburn"], &["--accept"]);
    assert_eq!(taught["proposals"][0]["status"], "accepted", "{taught}");
    let again = teach(&catena, ["Bisodol", "treats", "heartburn"], &["--accept"]);
    assert_eq!(again["proposals"][0]["status"], "redundant", "{again}");
}

#[test]
fn what_cannot_be_read_is_refused_and_nothing_is_recorded() {
    let catena = asked();
    for (fact, says) in [
        (["Bisodol", "frobnicates", "heartburn"], "is not understood; use a word such as: treats"),
        (["Bisodol", "", "heartburn"], "the relation is empty"),
        (["12", "treats", "heartburn"], "cannot be learned: no letters in a name"),
        (["Heartburn", "treats", "heartburn"], "cannot be learned"),
    ] {
        let arguments = [&["dkg", "teach"], &fact[..], &["--kg", "small.tsv"]].concat();
        let refused = run(&catena, &arguments, 1);
        assert!(refused.stderr.contains(says), "{fact:?}: {}", refused.stderr);
    }
    assert!(run(&catena, &["dkg", "log"], 0).stdout.trim().is_empty() || !run(&catena, &["dkg", "log"], 0).stdout.contains("rated"));
}
