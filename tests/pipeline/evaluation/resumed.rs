//! An evaluation that was ended in the middle goes on and comes to what it would have come to.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::*;

/// Questions enough that the program can be ended among them.
const MANY: usize = 80;

fn many(catena: &Catena) {
    let asks = ["Which tests are needed", "What medicine helps", "What could it be"];
    let about = ["heartburn", "regurgitation and nausea", "a stomach ulcer", "reflux with bleeding", "nausea"];
    let line = |id: usize| {
        let question = format!("I have {} for {id} days. {}?", about[id % about.len()], asks[id % asks.len()]);
        let gold = r#"{"conditions":["Reflux"],"tests":["Gastroscopy"],"treatments":["Omeprazole","Ranitidine"]}"#;
        format!("{{\"id\":\"{id}\",\"question\":\"{question}\",\"gold\":{gold}}}\n")
    };
    catena.write("questions.jsonl", (0..MANY).map(line).collect::<String>());
}

fn command(catena: &Catena, out: &str) -> Command {
    catena.command(
        crate::support::BINARY,
        ["eval", "questions.jsonl", "--kg", "small.tsv", "--method", "catena,hykge-hypothesis", "--seed", "3", "--out", out],
    )
}

/// Starts an evaluation and waits until it has written some lines.
fn started(catena: &Catena, out: &str, lines: usize) -> std::process::Child {
    let mut child =
        command(catena, out).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let began = Instant::now();
    while written(catena, out).len() < lines {
        assert!(began.elapsed() < Duration::from_secs(240), "no results come");
        if let Some(status) = child.try_wait().unwrap() {
            panic!("it ended by itself before it was stopped: {status}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

/// The whole lines of results.
fn written(catena: &Catena, out: &str) -> Vec<String> {
    let text = std::fs::read_to_string(catena.path(out).join("results.jsonl")).unwrap_or_default();
    text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(str::to_owned).collect()
}

#[test]
fn killed_at_any_time_and_started_again_it_ends_with_the_same_report() {
    let catena = prepared();
    many(&catena);
    assert!(command(&catena, "whole").output().unwrap().status.success());
    let mut before = 0;
    for lines in [1, 20, 60] {
        let mut child = started(&catena, "cut", lines);
        child.kill().unwrap();
        child.wait().unwrap();
        let kept = written(&catena, "cut").len();
        assert!(kept >= before && kept < 2 * MANY, "{kept} lines after {before}");
        before = kept;
    }
    // What a full disk or a power cut leaves at the end of a file.
    let results = catena.path("cut/results.jsonl");
    let mut bytes = std::fs::read(&results).unwrap();
    bytes.truncate(bytes.len() - 7);
    std::fs::write(&results, &bytes).unwrap();
    let kept: BTreeSet<String> = written(&catena, "cut").into_iter().collect();
    assert!(command(&catena, "cut").output().unwrap().status.success());
    for name in ["report.json", "report.md"] {
        let read = |out: &str| std::fs::read_to_string(catena.path(out).join(name)).unwrap();
        assert_eq!(read("cut"), read("whole"), "{name}");
    }
    let all = written(&catena, "cut");
    assert_eq!(all.len(), 2 * MANY, "each question once with each method");
    assert!(kept.iter().all(|line| all.contains(line)), "what was done is not done again");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_it_and_says_how_to_go_on() {
    let catena = prepared();
    many(&catena);
    let child = started(&catena, "out", 20);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ran = crate::support::ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("the same command continues from there"), "{}", ran.stderr);
    assert!(!catena.path("out/report.json").exists(), "half of the questions are no report");
    let kept = written(&catena, "out").len();
    assert!((20..2 * MANY).contains(&kept));
}

#[test]
fn more_methods_and_questions_are_added_to_what_is_there() {
    let catena = prepared();
    eval(&catena, &["--method", "catena", "--limit", "2", "--out", "out"], 0);
    let first = written(&catena, "out");
    assert_eq!(first.len(), 2);
    eval(&catena, &["--method", "catena,base", "--out", "out"], 0);
    let then = written(&catena, "out");
    assert_eq!((&then[..2], then.len()), (&first[..], 10));
    eval(&catena, &["--method", "catena,base", "--out", "out"], 0);
    assert_eq!(written(&catena, "out"), then, "nothing is asked twice");
}

#[test]
fn results_of_another_graph_setting_or_file_are_never_mixed_in() {
    let catena = prepared();
    eval(&catena, &["--out", "out"], 0);
    let refused = |arguments: &[&str], why: &str| {
        let said = eval(&catena, &[arguments, &["--out", "out"]].concat(), 1).stderr;
        assert!(said.contains(why) && said.contains("--out"), "{said}");
    };
    refused(&["--delta", "0.9"], "a setting");
    refused(&["--seed", "9"], "a setting");
    catena.write("small.tsv", format!("{}Cough\tsign_of\tReflux\n", crate::support::SMALL_GRAPH));
    refused(&[], "the graph");
    catena.write("small.tsv", crate::support::SMALL_GRAPH);
    catena.write("questions.jsonl", QUESTIONS.replace("nausea", "vertigo"));
    refused(&[], "the file of questions");
    // Without --out each has a folder of its own.
    eval(&catena, &[], 0);
    catena.write("questions.jsonl", QUESTIONS);
    eval(&catena, &[], 0);
    assert_eq!(std::fs::read_dir(catena.state().join("evaluations")).unwrap().count(), 2);
}
