//! `catena docs remove`: one document goes, and with `--recordings` whatever quotes it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::Catena;

const SENTENCE: &str = "Adults begin with 50 mg once daily.";

/// The files under a folder that hold a text.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if fs::read(&path).is_ok_and(|bytes| bytes.windows(text.len()).any(|w| w.eq_ignore_ascii_case(text.as_bytes()))) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

/// A recording in which the answer repeats the sentence once more, cited by nothing, as a language model may write it.
fn repeated(events: &str) -> String {
    let line = |line: &str| {
        let mut event: Value = serde_json::from_str(line).expect("JSON");
        if let Some(text) = event.pointer("/answer/text").and_then(Value::as_str) {
            let text = format!("{text}\nThe language model also says: adults begin with 50 mg once daily!");
            event["answer"]["text"] = Value::String(text);
        }
        event.to_string() + "\n"
    };
    events.lines().map(line).collect()
}

#[test]
fn whatever_quotes_a_removed_document_is_listed_and_then_removed() {
    let catena = Catena::new();
    let documents = [
        r#"{"id":"zoloft","title":"Zoloft (sertraline)","section":"dosage_and_administration","text":"Adults begin with 50 mg once daily. Swallow the tablets whole with some water."}"#,
        r#"{"id":"other","title":"Asthma","section":"treatment","text":"Salbutamol opens the airways. Swallow the tablets whole with some water."}"#,
    ];
    let file = catena.write("docs.jsonl", documents.join("\n"));
    assert_eq!(catena.run(["docs", "import", "jsonl", &file.to_string_lossy(), "--name", "mine"]).code, 0);
    let recording = catena.path("run.jsonl");
    let recorded = recording.to_string_lossy().into_owned();
    assert_eq!(catena.run(["ask", "What is the dose of Zoloft?", "--docs", "mine", "--events", &recorded]).code, 0);
    let events = repeated(&fs::read_to_string(&recording).expect("a recording"));
    fs::write(&recording, &events).expect("a recording");
    assert_eq!(catena.run(["dkg", "feedback", &recorded, "good"]).code, 0);
    let in_journal = holding(&catena.state().join("dkg"), "begin with 50 mg");
    assert!(in_journal.is_empty(), "the journal holds places alone: {in_journal:?}");

    let evaluations = catena.state().join("evaluations");
    fs::create_dir_all(evaluations.join("some/traces")).expect("a folder");
    let duel = |text: &str| format!("{{\"plan\":1}}\n{}\n", serde_json::json!({"id": "1", "prompts": [format!("1. Zoloft: {text}\n")]}));
    fs::write(evaluations.join("duels-ours.jsonl"), duel(SENTENCE)).expect("a file");
    fs::write(evaluations.join("some/traces/run.jsonl"), &events).expect("a file");
    // What another document says, too, is no quotation of this one.
    fs::write(evaluations.join("duels-others.jsonl"), duel("Swallow the tablets whole with some water.")).expect("a file");
    let report = catena.run(["export", &recorded, "--to", "md"]);
    catena.write("catena-dose.md", &report.stdout);
    catena.write("catena-own.md", SENTENCE);

    let told = catena.run(["docs", "remove", "mine", "zoloft"]);
    assert_eq!(told.code, 0, "{}", told.stderr);
    assert!(told.stderr.contains("2 files of evaluations still quote it") && told.stderr.contains("duels-ours.jsonl"), "{}", told.stderr);
    assert!(told.stderr.contains("1 report in this folder still quotes it") && told.stderr.contains("catena-dose.md"), "{}", told.stderr);
    assert!(!told.stderr.contains("others") && !told.stderr.contains("catena-own"), "{}", told.stderr);
    assert!(evaluations.join("duels-ours.jsonl").exists(), "nothing else is removed unasked");

    assert_eq!(catena.run(["docs", "import", "jsonl", &file.to_string_lossy(), "--name", "mine"]).code, 0);
    let ran = catena.run(["docs", "remove", "mine", "zoloft", "--recordings"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("2 files of evaluations that quoted it removed:"), "{}", ran.stdout);
    assert_eq!(holding(&catena.state(), "begin with 50 mg"), Vec::<String>::new());
    assert!(evaluations.join("duels-others.jsonl").exists() && catena.path("catena-own.md").exists());
    assert!(!catena.path("catena-dose.md").exists());
    assert!(catena.run(["docs", "show", "mine"]).stdout.contains("other"), "the other document is there");
}
