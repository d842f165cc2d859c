//! Documents and a language model on the command line: `catena docs import --generator` goes on after a kill, and `catena check-answer --generator`
//! judges claims that the rules do not find.

use std::process::Stdio;

use crate::support::http::{Scripted, Step, status, stream_head, text};
use crate::support::{BINARY, Catena};

/// What was read is kept after so many documents.
const KEPT_EVERY: usize = 10;
const DOCUMENTS: usize = KEPT_EVERY + 2;

/// Makes a server known as the model "clinic".
fn configure(catena: &Catena, server: &Scripted) {
    let table = format!("[remote.clinic]\nbase_url = \"{}\"\nmodel = \"ward\"\nproxy = \"none\"\nretries = 0\n", server.url());
    std::fs::write(catena.state().join("config.toml"), table).expect("a configuration");
}

#[test]
fn an_import_that_was_killed_goes_on_where_it_was() {
    let catena = Catena::new();
    let lines = (0..DOCUMENTS).map(|at| format!("{{\"id\":\"{at}\",\"title\":\"Asthma\",\"text\":\"Wheeze at night in case {at}.\"}}\n"));
    let file = catena.write("docs.jsonl", lines.collect::<String>());
    let file = file.to_string_lossy();
    let arguments = ["docs", "import", "jsonl", &file, "--name", "mine", "--generator", "clinic"];
    // The model answers for the first documents and never for the next.
    let mut replies = vec![text("0"); KEPT_EVERY];
    replies.push(vec![stream_head(), Step::Hold]);
    let server = Scripted::start(replies);
    configure(&catena, &server);
    let mut running = catena.command(BINARY, arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("runs");
    (0..=KEPT_EVERY).for_each(|_| server.wait_for_request());
    running.kill().expect("killed");
    running.wait().expect("ended");
    assert_eq!(catena.run(["docs", "list"]).stdout, "", "nothing was imported");

    let server = Scripted::start(vec![text("0"); DOCUMENTS]);
    configure(&catena, &server);
    let ran = catena.run(arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(server.requests().len(), DOCUMENTS - KEPT_EVERY, "only what it had not read is asked for");
    assert!(
        ran.stdout.contains(&format!("read {} parts ({KEPT_EVERY} parts were already read in an earlier import)", DOCUMENTS - KEPT_EVERY)),
        "{}",
        ran.stdout
    );
    let left: Vec<String> = std::fs::read_dir(catena.state().join("documents"))
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.contains("draft"))
        .collect();
    assert!(left.is_empty(), "no draft is left: {left:?}");
}

#[test]
fn a_language_model_judges_the_claims_that_the_rules_do_not_find() {
    let catena = Catena::new();
    let document = r#"{"id":"z","title":"Zoloft (sertraline)","section":"pregnancy","text":"Third-trimester use may cause breathing trouble in the newborn."}"#;
    let file = catena.write("docs.jsonl", document);
    assert_eq!(catena.run(["docs", "import", "jsonl", &file.to_string_lossy(), "--name", "mine"]).code, 0);
    let claims = "Newborns may have breathing trouble after use in the third trimester.\n\
                  Newborns never have breathing trouble after use in the third trimester.\n\
                  Newborns sleep long in the third trimester.\n";
    let note = catena.write("note.md", claims);
    let note = note.to_string_lossy();
    let by_rule = catena.run(["check-answer", &note, "--docs", "mine"]);
    assert!(by_rule.stdout.contains("3 claims: 0 supported, 0 contradicted, 3 not found."), "{}", by_rule.stdout);

    // The second verdict is not borne out by the passage; the third reply is none.
    let server = Scripted::start([text("S 1"), text("S 1"), text("Perhaps.")]);
    configure(&catena, &server);
    let ran = catena.run(["check-answer", &note, "--docs", "mine", "--generator", "clinic"]);
    assert_eq!((ran.code, server.requests().len()), (0, 3), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("supported     Newborns may have breathing trouble"), "{}", ran.stdout);
    assert!(ran.stdout.contains("in the newborn.” (by the language model)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("3 claims: 1 supported, 0 contradicted, 2 not found."), "{}", ran.stdout);
    assert!(ran.stderr.contains("reply has no verdict for 1 claim"), "{}", ran.stderr);
    let asked = server.requests()[0].json();
    assert_eq!(asked["temperature"].as_f64(), Some(0.0));
    assert!(asked.to_string().contains("1. Zoloft (sertraline), pregnancy: Third-trimester use"), "{asked}");

    let server = Scripted::start([text("C 1"), status(500, "no"), status(500, "no")]);
    configure(&catena, &server);
    let ran = catena.run(["check-answer", &note, "--docs", "mine", "--generator", "clinic", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let of = |at: usize| (told["claims"][at]["verdict"].as_str(), told["claims"][at]["by_model"].as_bool());
    assert_eq!((of(0), of(1)), ((Some("contradicted"), Some(true)), (Some("not_found"), None)));
    assert!(ran.stderr.contains("The language model failed") && ran.stderr.contains("stands for 2 claims"), "{}", ran.stderr);
}

#[test]
fn a_language_model_judges_how_useful_passages_are() {
    let catena = Catena::new();
    let document = r#"{"id":"z","title":"Zoloft (sertraline)","section":"pregnancy","text":"Third-trimester use may cause breathing trouble in the newborn."}"#;
    let file = catena.write("docs.jsonl", document);
    assert_eq!(catena.run(["docs", "import", "jsonl", &file.to_string_lossy(), "--name", "mine"]).code, 0);
    let lines: String =
        ["1", "2"].map(|id| format!("{{\"id\":\"{id}\",\"question\":\"Zoloft in pregnancy?\",\"relevant\":{{\"z\":1}}}}\n")).concat();
    let set = catena.write("set.jsonl", lines);
    let server = Scripted::start([text("8"), text("no idea"), text("6"), text("4")]);
    configure(&catena, &server);
    let ran = catena.run(["eval", &set.to_string_lossy(), "--docs", "mine", "--method", "idep,bm25", "--generator", "clinic"]);
    assert_eq!((ran.code, server.requests().len()), (0, 4), "{}", ran.stderr);
    for told in [
        "idep, usefulness of the first ten passages by the judge, 0 to 10: 8.00 (8.00–8.00); 1 reply was no number",
        "bm25, usefulness of the first ten passages by the judge, 0 to 10: 5.00",
    ] {
        assert!(ran.stdout.contains(told), "{told}: {}", ran.stdout);
    }
    assert!(server.requests()[0].json().to_string().contains("1. Zoloft (sertraline): Third-trimester use"));
}
