//! The evolving graph on the command line, through the real program: answers rated, learned from, taken back, exchanged.

mod damage;
mod exchange;
mod lines;
mod property;
mod teach;
mod the_loop;

use crate::support::{Catena, Ran, SMALL_GRAPH};
use serde_json::Value;

/// A question whose good answer teaches something in the small graph.
const QUESTION: &str = "heartburn and nausea";

/// Surroundings with the small graph, and a recorded answer.
fn asked() -> Catena {
    let catena = Catena::new();
    catena.write("small.tsv", SMALL_GRAPH);
    catena.trace(QUESTION, &["--kg", "small.tsv", "--events", "run.jsonl"], 0);
    catena
}

/// Runs, and what it prints must be harmless and its code the one given.
fn run(catena: &Catena, arguments: &[&str], code: i32) -> Ran {
    let ran = catena.run(arguments);
    assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    // The tabs of TSV, and no others, are what they should be.
    let tabs = if arguments.contains(&"tsv") { " " } else { "\t" };
    Ran { stdout: ran.stdout.replace('\t', tabs), stderr: ran.stderr.clone(), code }.assert_harmless();
    ran
}

/// Rates the recorded answer.
fn rate(catena: &Catena, rating: &[&str]) -> Value {
    let mut arguments = vec!["dkg", "feedback", "run.jsonl"];
    arguments.extend(rating);
    arguments.extend(["--json", "--kg", "small.tsv"]);
    run(catena, &arguments, 0).json()
}

fn learned(trace: &Value) -> u64 {
    trace["kg"]["learned"].as_u64().expect("a number")
}

/// Texts of the kept chains that were learned.
fn learned_kept(trace: &Value) -> Vec<String> {
    let kept = crate::support::numbers(&trace["kept"]);
    let chains = trace["chains"].as_array().expect("chains").iter();
    let is_meant = |chain: &&Value| chain["learned"] == true && kept.contains(&chain["id"].as_u64().expect("an id"));
    chains.filter(is_meant).map(|chain| chain["text"].as_str().expect("a text").to_owned()).collect()
}
