//! `catena eval`: figures, reports, resuming, comparing.

mod figures;
mod hostile;
mod reproduce;
mod resumed;

use std::path::Path;

use crate::support::{Catena, Ran};
use serde_json::Value;

/// Questions on [`crate::support::SMALL_GRAPH`], with what their answers should state.
const QUESTIONS: &str = r#"{"id":"1","question":"I have heartburn and regurgitation. What could it be?","gold":{"conditions":["Reflux"]}}
{"id":"2","question":"Which tests are needed for a stomach ulcer?","gold":{"tests":[["Gastroscopy","Endoscopy"],"Biopsy"]}}
{"id":"3","question":"What medicine helps against reflux?","gold":{"treatments":["Omeprazole","Ranitidine"]}}
{"id":"4","question":"I feel nausea. What is it?","gold":{"conditions":["Stomach ulcer"]}}
{"id":"5","question":"Which medicine for zorbing?","gold":{"treatments":["Omeprazole"]}}
"#;

/// Surroundings with the small graph and the questions.
fn prepared() -> Catena {
    let catena = Catena::new();
    catena.write("small.tsv", crate::support::SMALL_GRAPH);
    catena.write("questions.jsonl", QUESTIONS);
    catena
}

/// Evaluates the questions on the small graph.
fn eval(catena: &Catena, arguments: &[&str], code: i32) -> Ran {
    let ran = catena.run(["eval", "questions.jsonl", "--kg", "small.tsv"].iter().chain(arguments));
    assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    ran
}

/// A report, read from an evaluation's folder.
fn report(folder: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join("report.json")).expect("a report")).expect("JSON")
}
