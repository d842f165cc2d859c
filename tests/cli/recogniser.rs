//! `catena eval --ner`, and the setting of the recogniser.

use std::ffi::OsStr;

use crate::support::data::skip;
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
fn what_another_program_found_is_scored_and_its_errors_are_listed() {
    let catena = Catena::new();
    catena.write("marked.tsv", MARKED);
    let perfect = catena.run(["eval", "--ner", "marked.tsv", "--recogniser", "marked.tsv", "--json"]);
    assert_eq!(perfect.code, 0, "{}", perfect.stderr);
    let report = perfect.json();
    assert_eq!((&report["micro"]["f1"], &report["recogniser"]), (&1.0.into(), &"predictions".into()));
    assert!(report.get("misses").is_none(), "nobody asked for errors: {report}");
    catena.write("found.tsv", "Heartburn\tO\nafter\tB-Disease\nzorblaxin\tB-Disease\n\nBleeding\tB-Disease\n");
    let arguments = ["eval", "--ner", "marked.tsv", "--recogniser", "found.tsv", "--misses", "2", "--seed", "1"];
    let listed = catena.run(arguments.into_iter().chain(["--json"])).json();
    assert_eq!(listed["misses"]["all"], serde_json::json!({"type": 1, "missed": 1, "spurious": 1}));
    assert_eq!(listed["misses"]["drawn"].as_array().map(Vec::len), Some(2), "{listed}");
    let table = catena.run(arguments).stdout;
    assert!(table.contains("errors: 1 type, 1 missed, 1 spurious") && table.contains("text\tbegin\tend"), "{table}");
    catena.write("other.tsv", "Heartburn\tO\n");
    let other = catena.run(["eval", "--ner", "marked.tsv", "--recogniser", "other.tsv"]);
    assert!(other.code == 1 && other.stderr.contains("other texts"), "{}", other.stderr);
    let slip = catena.run(["eval", "--ner", "marked.tsv", "--recogniser", "w2nre"]);
    assert!(slip.code == 2 && slip.stderr.contains(r#"Did you mean "w2ner"?"#), "{}", slip.stderr);
}

#[test]
fn mentions_are_linked_to_the_concepts_of_a_terminology() {
    let catena = Catena::new();
    catena.write(
        "marked.txt",
        "1|t|Urate arthritis\n1|a|and CF\n1\t0\t15\tUrate arthritis\tDisease\tD006073\n1\t20\t22\tCF\tDisease\tD003550\n",
    );
    catena.write(
        "concepts.obo",
        "[Term]\nid: DOID:1\nname: gout\nsynonym: \"urate arthritis\" EXACT []\nxref: MESH:D006073\n\n[Term]\nid: DOID:2\nname: cystic fibrosis\nxref: MESH:D003550\n",
    );
    catena.write("train.txt", "2|t|CF\n2|a|here\n2\t0\t2\tCF\tDisease\tD003550\n");
    let alone = catena.run(["eval", "--ner", "marked.txt", "--concepts", "concepts.obo", "--json"]);
    assert_eq!(alone.code, 0, "{}", alone.stderr);
    let alone = alone.json();
    assert_eq!((&alone["mentions"], &alone["reachable"], &alone["exact"]), (&2.into(), &2.into(), &0.5.into()), "{alone}");
    let trained = ["eval", "--ner", "marked.txt", "--concepts", "concepts.obo", "--train", "train.txt"];
    let with = catena.run(trained.into_iter().chain(["--json"])).json();
    assert_eq!((&with["exact"], &with["accuracy_at_1"], &with["accuracy_at_5"]), (&1.0.into(), &1.0.into(), &1.0.into()), "{with}");
    assert!(catena.run(trained).stdout.contains("accuracy@5"));
    for (arguments, code, says) in [
        (["eval", "--ner", "marked.txt", "--concepts", "train.txt"], 1, "no term that refers to MeSH"),
        (["eval", "--ner", "marked.txt", "--train", "train.txt"], 2, "--concepts"),
    ] {
        let ran = catena.run(arguments);
        assert!(ran.code == code && ran.stderr.contains(says), "{arguments:?}: {} {}", ran.code, ran.stderr);
    }
}

/// The weights are there unless the program was built from the published crate.
fn has_weights() -> bool {
    if !cfg!(shipped_recogniser) {
        skip("this build has no weights of the recogniser");
    }
    cfg!(shipped_recogniser)
}

#[test]
fn a_disease_that_the_recogniser_finds_is_unknown_as_a_whole() {
    if !has_weights() {
        return;
    }
    let catena = Catena::new();
    for (question, name) in [
        ("What is the first-line drug in Holmgren-type rheumatoid arthritis?", "Holmgren-type rheumatoid arthritis"),
        ("my uncle has Pemberley's kidney fever. is there a test for it?", "Pemberley's kidney fever"),
        ("Does Strandvold cystic hepatosis turn into cancer?", "Strandvold cystic hepatosis"),
    ] {
        let trace = catena.trace(question, &[], 3);
        assert!(trace["case"]["not_understood"].to_string().contains(name), "{question}: {}", trace["case"]);
    }
    let known = catena.trace("Oluwaseun's asthma is worse, which inhaler first?", &[], 0);
    assert!(known["case"]["not_understood"].as_array().is_none_or(Vec::is_empty), "{}", known["case"]);
}

#[test]
fn the_recogniser_that_is_built_in_needs_no_file() {
    if !has_weights() {
        return;
    }
    let catena = Catena::new();
    catena.write("marked.tsv", MARKED);
    let ran = catena.run(["eval", "--ner", "marked.tsv", "--recogniser", "w2ner", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.json()["types"]["Chemical"]["recall"].as_f64() > Some(0.0), "{}", ran.stdout);
}

#[test]
fn invented_names_are_recognised_and_plain_questions_have_none() {
    if !has_weights() {
        return;
    }
    let catena = Catena::new();
    let scored = |name: &str| {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/ner").join(name);
        let ran =
            catena.run([OsStr::new("eval"), OsStr::new("--ner"), file.as_os_str(), OsStr::new("--recogniser=w2ner"), OsStr::new("--json")]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.json()
    };
    let invented = scored("invented.iob");
    assert!(invented["micro"]["recall"].as_f64() >= Some(0.9), "{invented}");
    let plain = scored("plain.iob");
    assert!(plain["texts"] == 200 && plain["texts_with_mentions"].as_u64() <= Some(10), "{plain}");
}

#[test]
fn a_drug_that_the_graph_lacks_is_called_an_unknown_drug() {
    if !has_weights() {
        return;
    }
    let trace = Catena::new().trace("Can I take Tindcleidra with grapefruit?", &[], 3);
    let terms = trace["case"]["not_understood"].as_array().cloned().unwrap_or_default();
    assert!(terms.iter().any(|term| term["text"] == "Tindcleidra" && term["likely"] == "drug"), "{terms:?}");
}

#[test]
fn a_disease_of_familiar_words_is_called_an_unknown_disease() {
    if !has_weights() {
        return;
    }
    let trace = Catena::new().run(["ask", "Which specialist treats keratoconus?", "--json"]).json();
    let terms = trace["case"]["not_understood"].as_array().cloned().unwrap_or_default();
    assert!(terms.iter().any(|term| term["text"] == "keratoconus" && term["likely"] == "condition"), "{terms:?}");
}
