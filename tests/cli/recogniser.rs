//! `catena eval --ner`, and the setting of the recogniser.

use crate::support::{Catena, SMALL_GRAPH};

const MARKED: &str = "Heartburn\tB-Disease\nafter\tO\nzorblaxin\tB-Chemical\n\nBleeding\tB-Disease\n";

#[test]
fn the_names_of_the_graph_are_scored_by_type() {
    let catena = Catena::new();
    catena.write("small.tsv", SMALL_GRAPH);
    catena.write("marked.tsv", MARKED);
    let ran = catena.run(["eval", "--ner", "marked.tsv", "--kg", "small.tsv", "--recogniser", "gazetteer", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report = ran.json();
    for key in ["precision", "recall", "f1"] {
        assert!(report["types"]["Disease"][key].is_number() && report["micro"][key].is_number(), "{report}");
    }
    assert_eq!(report["types"]["Chemical"]["f1"], 0.0, "the graph has no such drug: {report}");
    assert_eq!((&report["counts"]["Disease"]["marked"], &report["texts"]), (&2.into(), &2.into()));
    assert!(report["relaxed"]["types"]["Disease"]["recall"].as_f64() >= report["types"]["Disease"]["recall"].as_f64());
    let table = catena.run(["eval", "--ner", "marked.tsv", "--kg", "small.tsv", "--recogniser", "gazetteer"]);
    assert!(
        table.code == 0 && table.stdout.starts_with("gazetteer") && table.stdout.contains("F1 strict"),
        "{}{}",
        table.stdout,
        table.stderr
    );
}

#[test]
fn what_cannot_be_scored_says_why() {
    let catena = Catena::new();
    catena.write("marked.tsv", MARKED);
    catena.write("other.tsv", "no tags here\n");
    std::fs::write(catena.state().join("config.toml"), "recogniser = \"nowhere\"\n").expect("written");
    let cases: [(&[&str], i32, &str); 4] = [
        (&["eval", "--ner", "marked.tsv", "--recogniser", "w2ner"], 2, "nowhere"),
        (&["eval", "--ner", "other.tsv"], 1, "no marked text"),
        (&["eval", "--ner", "nowhere.tsv"], 1, "nowhere.tsv"),
        (&["eval"], 2, "DATASET"),
    ];
    for (arguments, code, says) in cases {
        let ran = catena.run(arguments);
        assert!(ran.code == code && ran.stderr.contains(says), "{arguments:?}: {} {}", ran.code, ran.stderr);
    }
}

#[test]
fn a_recogniser_that_is_not_there_is_a_warning_and_changes_nothing() {
    let catena = Catena::new();
    let question = "Is zorblaxin safe in pregnancy?";
    std::fs::write(catena.state().join("config.toml"), "recogniser = \"gazetteer\"\n").expect("written");
    let plain = catena.trace(question, &[], 3);
    std::fs::write(catena.state().join("config.toml"), "recogniser = \"nowhere\"\n").expect("written");
    let warned = catena.trace(question, &[], 3);
    assert_eq!(plain["case"], warned["case"]);
    let warnings = warned["warnings"].to_string();
    assert!(warnings.contains("nowhere") && warnings.contains("recognised by the graph alone"), "{warnings}");
    assert!(!plain["warnings"].to_string().contains("recognise"), "{}", plain["warnings"]);
    std::fs::write(catena.state().join("config.toml"), "recogniser = \"w2nre\"\n").expect("written");
    let slip = catena.trace(question, &[], 3)["warnings"].to_string();
    assert!(slip.contains(r#"Did you mean \"w2ner\"? Instead, names"#), "{slip}");
}

#[test]
fn the_recogniser_that_is_built_in_needs_no_file() {
    let catena = Catena::new();
    catena.write("marked.tsv", MARKED);
    let ran = catena.run(["eval", "--ner", "marked.tsv", "--recogniser", "w2ner", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.json()["types"]["Chemical"]["recall"].as_f64() > Some(0.0), "{}", ran.stdout);
}
