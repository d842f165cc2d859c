//! Files that users of version 0.1 have (`tests/fixtures/v0.1`) still open, and say what they said then.

use std::fs;
use std::path::{Path, PathBuf};

use catena::run::{Trace, read_recording};
use catena::session::{KEPT_SESSIONS, Store};
use flate2::read::GzDecoder;
use serde_json::Value;

use crate::support::{Catena, Ran, files_under};

const SESSIONS: [&str; 2] = ["q1a2040c14c9-5701-0", "q1a2040c82fd-5701-1"];
const RECORDINGS: [&str; 8] = ["base", "embed", "hykge", "kgrag", "learned", "nothing", "rok", "wts"];
/// What the DKG of that time is proved by.
const HEAD: &str = "a843602b0824a29ccbd489ec7cd22e5a5035ec03583988616da4bd2bb0f56049";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v0.1")
}

/// Copies a folder; files that were packed are unpacked.
fn copy(from: &Path, to: &Path) {
    for name in files_under(from) {
        let target = to.join(name.strip_suffix(".gz").unwrap_or(&name));
        fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        let mut file = fs::File::open(from.join(&name)).expect("a file");
        let mut copy = fs::File::create(target).expect("a file");
        if name.ends_with(".gz") {
            std::io::copy(&mut GzDecoder::new(file), &mut copy).expect("is unpacked");
        } else {
            std::io::copy(&mut file, &mut copy).expect("is copied");
        }
    }
}

/// The program in the surroundings of a user of version 0.1.
fn user() -> Catena {
    let catena = Catena::new();
    copy(&fixtures().join("state"), &catena.state());
    catena
}

fn run(catena: &Catena, arguments: &[&str]) -> Ran {
    let ran = catena.run(arguments);
    assert_eq!(ran.code, 0, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    ran
}

/// Everything that was said then is said now; later versions may say more.
fn assert_holds(now: &Value, then: &Value, path: &str) {
    match (now, then) {
        (Value::Object(now), Value::Object(then)) => {
            for (key, value) in then {
                let now = now.get(key).unwrap_or_else(|| panic!("{path}.{key} is gone"));
                assert_holds(now, value, &format!("{path}.{key}"));
            }
        }
        (Value::Array(now), Value::Array(then)) => {
            assert_eq!(now.len(), then.len(), "{path}");
            for (at, (now, then)) in now.iter().zip(then).enumerate() {
                assert_holds(now, then, &format!("{path}[{at}]"));
            }
        }
        _ => assert_eq!(now, then, "{path}"),
    }
}

fn expected(name: &str) -> Value {
    let file = fixtures().join("expected").join(format!("{name}.json"));
    serde_json::from_slice(&fs::read(file).expect("a file")).expect("JSON")
}

#[test]
fn recordings_of_every_method_give_the_same_trace() {
    let catena = Catena::new();
    for name in RECORDINGS {
        let file = fixtures().join("recordings").join(format!("{name}.jsonl"));
        let trace = run(&catena, &["export", &file.to_string_lossy(), "--to", "json"]).json();
        assert_holds(&trace, &expected(name), name);
        for form in ["md", "html", "dot"] {
            assert!(!run(&catena, &["export", &file.to_string_lossy(), "--to", form]).stdout.is_empty(), "{name} {form}");
        }
    }
    let names: Vec<String> = RECORDINGS.iter().map(|name| format!("{name}.jsonl")).collect();
    assert_eq!(files_under(&fixtures().join("recordings")), names, "every recording is opened");
}

#[test]
fn sessions_are_listed_and_give_the_same_trace() {
    let catena = user();
    for id in SESSIONS {
        assert_holds(&run(&catena, &["export", id, "--to", "json"]).json(), &expected(id), id);
    }
    // With the list of then, and without it, when it is made from the files.
    for without_index in [false, true] {
        if without_index {
            fs::remove_file(catena.state().join("sessions/index")).expect("there was one");
        }
        let store = Store::open(&catena.state().join("sessions"), KEPT_SESSIONS).expect("opens");
        let listing = store.list().expect("is listed");
        let listed = format!("{listing:?}");
        assert!(SESSIONS.iter().all(|id| listed.contains(id)) && listed.contains("What medicine helps against reflux?"), "{listed}");
        for id in SESSIONS {
            let recorded = store.read(id).expect("is read");
            let trace = recorded.trace();
            assert!(!trace.answer.text.is_empty() && trace.warnings.is_empty(), "{id}: {:?}", trace.warnings);
            assert_eq!(u64::from(trace.revisions), expected(id)["revisions"].as_u64().expect("a number"), "{id}");
        }
    }
}

#[test]
fn the_dkg_is_whole_is_read_and_goes_on() {
    let catena = user();
    let verified = run(&catena, &["dkg", "verify"]).stdout;
    assert!(verified.contains(HEAD) && verified.contains("all 8 records are intact"), "{verified}");
    assert_eq!(
        run(&catena, &["dkg", "export", "--to", "jsonl"]).stdout,
        fs::read_to_string(fixtures().join("learned.jsonl")).expect("a file")
    );
    let log = run(&catena, &["dkg", "log"]).stdout;
    let then = fs::read_to_string(fixtures().join("expected/log.txt")).expect("a file");
    let times = |log: &str| -> Vec<String> { log.lines().map(|line| line.split("  ").take(2).collect::<String>()).collect() };
    assert_eq!(times(&log), times(&then), "the same records at the same times: {log}");

    // A question sees what was learned, as it did then.
    let trace = catena.trace("heartburn and nausea", &[], 0);
    assert_eq!(trace["kg"]["learned"], 2, "{}", trace["kg"]);
    let chains = trace["chains"].as_array().expect("chains");
    assert!(chains.iter().any(|chain| chain["learned"] == true), "{}", trace["chains"]);

    // One more record can be added.
    run(&catena, &["dkg", "undo", "7"]);
    assert!(run(&catena, &["dkg", "verify"]).stdout.contains("all 9 records are intact"));
    assert_eq!(catena.trace("heartburn and nausea", &[], 0)["kg"]["learned"], 1);
}

#[test]
fn the_dkgs_store_is_made_again_from_its_journal() {
    let catena = user();
    fs::remove_dir_all(catena.state().join("dkg/state")).expect("there was one");
    assert_eq!(catena.trace("heartburn and nausea", &[], 0)["kg"]["learned"], 2);
    assert!(run(&catena, &["dkg", "verify"]).stdout.contains(HEAD));
    // The next record makes the store again.
    run(&catena, &["dkg", "undo", "7"]);
    let verified = run(&catena, &["dkg", "verify"]).stdout;
    assert!(verified.contains("all 9 records are intact") && verified.contains("agrees"), "{verified}");
}

#[test]
fn what_was_exported_is_imported() {
    let catena = Catena::new();
    catena.write("small.tsv", fs::read(fixtures().join("small.tsv")).expect("a file"));
    let file = fixtures().join("learned.jsonl");
    let imported = run(&catena, &["dkg", "import", &file.to_string_lossy(), "--kg", "small.tsv"]).stdout;
    assert!(imported.contains('2'), "{imported}");
    assert_eq!(catena.trace("heartburn and nausea", &["--kg", "small.tsv"], 0)["kg"]["learned"], 2);
}

#[test]
fn an_imported_graph_opens_and_is_the_same() {
    let catena = user();
    assert!(run(&catena, &["kg", "list"]).stdout.contains("small"));
    run(&catena, &["kg", "check", "small"]);
    let stats = run(&catena, &["kg", "stats", "small"]).stdout;
    assert!(stats.contains("entities    13") && stats.contains("triples     14"), "{stats}");
    assert!(run(&catena, &["kg", "show", "Omeprazole", "--kg", "small"]).stdout.contains("Stomach ulcer"));
}

#[test]
fn a_configuration_is_used() {
    let catena = user();
    let check = run(&catena, &["check"]);
    for used in ["config.toml (in use)", "small: 13 entities", "linking threshold 0.8"] {
        assert!(check.stdout.contains(used), "{used}: {}", check.stdout);
    }
    // Every key has its effect.
    let settings = &catena.trace("heartburn and nausea", &[], 0)["settings"];
    assert_eq!((&settings["k"], &settings["top_k"], &settings["delta"]), (&2.into(), &5.into(), &0.8.into()), "{settings}");
}

#[test]
fn an_evaluation_is_carried_on_and_its_recordings_open() {
    let catena = user();
    catena.write("questions.jsonl", fs::read(fixtures().join("questions.jsonl")).expect("a file"));
    copy(&fixtures().join("eval"), &catena.path("eval"));
    let evaluate = |out: &str| catena.run(["eval", "questions.jsonl", "--method", "hykge,wts", "--k", "2", "--out", out]);
    // Another program's answers are never mixed with this one's.
    let refused = evaluate("eval");
    assert!(refused.code != 0 && refused.stderr.contains("another evaluation"), "{}", refused.stderr);
    // With this program's plan, what is there is used, and nothing is asked again.
    assert_eq!(evaluate("new").code, 0);
    fs::copy(catena.path("new/plan.json"), catena.path("eval/plan.json")).expect("is copied");
    let before = fs::read(catena.path("eval/results.jsonl")).expect("results");
    let carried_on = evaluate("eval");
    assert_eq!(carried_on.code, 0, "{}", carried_on.stderr);
    assert_eq!(fs::read(catena.path("eval/results.jsonl")).expect("results"), before);
    let report = |folder: &str| -> Value {
        serde_json::from_slice(&fs::read(catena.path(folder).join("report.json")).expect("a report")).expect("JSON")
    };
    let then: Value = serde_json::from_slice(&fs::read(fixtures().join("eval/report.json")).expect("a report")).expect("JSON");
    assert_eq!(report("eval")["questions"], then["questions"]);
    for (now, then) in report("eval")["arms"].as_array().expect("arms").iter().zip(then["arms"].as_array().expect("arms")) {
        for measure in ["key_entity_conditions", "key_entity_tests", "key_entity_treatments", "recall_kept"] {
            assert_eq!(now["measures"][measure]["value"], then["measures"][measure]["value"], "{measure}");
        }
    }
    let mut opened = 0;
    for name in files_under(&fixtures().join("eval/traces")) {
        let file = fs::File::open(fixtures().join("eval/traces").join(&name)).expect("a file");
        let trace = Trace::fold(&read_recording(std::io::BufReader::new(file)).expect("is read"));
        assert!(trace.outcome.is_some() && !trace.question.is_empty(), "{name}");
        opened += 1;
    }
    assert_eq!(opened, 10, "five questions by two methods");
}
