//! `catena export`, through the binary.

use catena::config::Paths;
use catena::run::{Event, write_event};
use catena::session::Store;
use serde_json::Value;

use super::small_run;
use crate::support::Catena;

fn recording(events: &[Event]) -> Vec<u8> {
    let mut bytes = Vec::new();
    events.iter().for_each(|event| write_event(&mut bytes, event).expect("written"));
    bytes
}

#[test]
fn a_recording_of_ask_is_exported_in_every_form() {
    let catena = Catena::new();
    let trace = catena.trace("I feel stomach reflux after eating. What medicine should I take?", &["--events", "run.jsonl"], 0);
    let export = |form: &str| {
        let ran = catena.run(["export", "run.jsonl", "--to", form]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{form}");
        ran.assert_harmless();
        ran.stdout
    };
    let json: Value = serde_json::from_str(&export("json")).expect("JSON");
    assert_eq!(json, trace, "the same as `ask --json` printed");
    let (md, html, dot) = (export("md"), export("html").replace("&#x27;", "'"), export("dot"));
    for chain in trace["chains"].as_array().expect("chains").iter().take(10) {
        for name in chain["entities"].as_array().expect("names") {
            let name = name.as_str().expect("a name");
            assert!(md.contains(name) && html.contains(name) && dot.contains(name), "{name}");
        }
    }
    assert!(md.starts_with("# ") && html.starts_with("<!DOCTYPE html>") && dot.contains("digraph"));
}

#[test]
fn a_report_goes_where_it_is_told_and_is_only_for_its_owner() {
    let catena = Catena::new();
    let bytes = recording(&small_run());
    catena.write("run.jsonl", &bytes);
    let printed = catena.run(["export", "run.jsonl", "--to", "html"]).stdout;
    let ran = catena.run(["export", "run.jsonl", "--to", "html", "--output", "report.html"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert_eq!(std::fs::read_to_string(catena.path("report.html")).expect("written"), printed);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(catena.path("report.html")).expect("there").permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(catena.run(["export", "run.jsonl", "--to", "html", "--output", "-"]).stdout, printed);
    assert_eq!(catena.run_with(["export", "-", "--to", "html"], &bytes).stdout, printed);
    assert_eq!(catena.run(["export", "run.jsonl", "--to", "html", "--output", "no/such/x.html"]).code, 1);
}

#[test]
fn a_session_is_exported_by_its_id() {
    let catena = Catena::new();
    let store = Store::open(&Paths::under(&catena.state()).sessions(), 10).expect("opens");
    let mut recorder = store.recorder();
    small_run().iter().for_each(|event| assert!(recorder.take(event).expect("written")));
    let ran = catena.run(["export", "q19a1ff60b13-1-0", "--to", "md"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("Omeprazole"));
}

#[test]
fn a_recording_that_was_cut_short_is_reported_as_far_as_it_goes() {
    let catena = Catena::new();
    let bytes = recording(&small_run());
    catena.write("run.jsonl", &bytes[..bytes.len() - 20]);
    let ran = catena.run(["export", "run.jsonl", "--to", "md"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("incomplete") && ran.stdout.contains("ends before the run does"), "{}", ran.stderr);
}

#[test]
fn errors_are_in_plain_words_and_print_no_report() {
    let catena = Catena::new();
    catena.write("note.txt", "hello\n");
    for (arguments, code, says) in [
        (&["export", "missing", "--to", "md"][..], 1, "no file and no recorded session"),
        (&["export", "note.txt", "--to", "md"], 1, "line 1 is not a Catena event"),
        (&["export", "../../etc/passwd\u{1b}[31m", "--to", "md"], 1, "no file and no recorded session"),
        (&["export", "note.txt", "--to", "pdf"], 2, "pdf"),
        (&["export", "note.txt"], 2, "--to"),
        (&["export"], 2, "FILE"),
    ] {
        let ran = catena.run(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stdout.is_empty() && ran.stderr.contains(says), "{arguments:?}: {}", ran.stderr);
        ran.assert_harmless();
    }
    assert!(!catena.state().join("sessions").exists(), "looking for a session makes no folder");
}
