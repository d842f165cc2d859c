//! Whole questions by the binary, with models as they are used: a server of language models, an encoder from its files.

use std::path::PathBuf;

use crate::support::http::{Scripted, status, text};
use crate::support::{Catena, strings};
use serde_json::Value;

const QUESTION: &str = "I feel stomach reflux after eating. What medicine should I take?";
const HYPOTHESIS: &str =
    "Reflux after meals suggests gastro-oesophageal reflux disease. Omeprazole is usual. Do not take calcium carbonate.";

fn warned(trace: &Value, of: &str) -> bool {
    strings(&trace["warnings"]).iter().any(|warning| warning.contains(of))
}

/// A binary whose configuration names the server as its language model.
fn with_server(server: &Scripted) -> Catena {
    let catena = Catena::new();
    let config = format!(
        "generator = \"clinic\"\n[remote.clinic]\nbase_url = \"{}\"\nmodel = \"ward-model\"\nproxy = \"none\"\nretries = 0\n",
        server.url()
    );
    std::fs::write(catena.state().join("config.toml"), config).unwrap();
    catena
}

#[test]
fn a_question_is_answered_by_a_server_in_two_requests() {
    let answer = "- Omeprazole treats gastro-oesophageal reflux disease [77].\n- Zorbium is new.";
    let server = Scripted::start([text(HYPOTHESIS), text(answer)]);
    let trace = with_server(&server).trace(QUESTION, &[], 0);
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[0].json()["messages"].to_string().contains(QUESTION));
    assert!(requests[1].json()["messages"].to_string().contains("<evidence>"));
    let start = trace["model_hypothesis_start"].as_u64().expect("a number") as usize;
    assert_eq!(&trace["hypothesis"].as_str().expect("a text")[start..], HYPOTHESIS);
    assert_eq!(trace["models"]["generator"], serde_json::json!({"kind": "http", "name": "ward-model", "device": "remote"}));
    assert!(strings(&trace["answer"]["entities"]).contains(&"Omeprazole"), "{}", trace["answer"]);
    let lines = trace["answer"]["lines"].as_array().unwrap();
    let of_part =
        |part: &str| lines.iter().filter(|line| line["part"] == part).map(|line| line["text"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(of_part("model_adds"), ["Omeprazole treats gastro-oesophageal reflux disease."], "{}", trace["answer"]);
    assert_eq!(of_part("model_unsupported"), ["Zorbium is new."]);
    assert!(!trace["answer"]["text"].to_string().contains("77"));
    assert_eq!(trace["prompts"][0]["name"], "hykge/hypothesis");
}

#[test]
fn a_server_that_fails_costs_the_language_model_and_not_the_answer() {
    let server = Scripted::start([status(500, "out of memory"), status(401, "no key")]);
    let catena = with_server(&server);
    let trace = catena.trace(QUESTION, &[], 0);
    let alone = catena.trace(QUESTION, &["--generator", "graph"], 0);
    let text = |trace: &serde_json::Value| trace["answer"]["text"].as_str().unwrap().to_owned();
    assert!(text(&trace).starts_with(&text(&alone)) && text(&trace).ends_with("rests on the evidence alone."), "{}", text(&trace));
    assert!(warned(&trace, "the graph's alone") && warned(&trace, "composed from the evidence chains"), "{}", trace["warnings"]);
}

#[test]
fn a_sentence_encoder_links_and_its_vectors_are_kept() {
    let Some(folder) = std::env::var_os("CATENA_TEST_MINILM").map(PathBuf::from) else { return };
    let catena = Catena::new();
    let encoder = folder.to_string_lossy().into_owned();
    // As few names as are kept: embedding those of the starter graph takes a build for tests ten minutes.
    let named = "Heartburn\thas_symptom\tBurning behind the breastbone\nAntacid\ttreats\tHeartburn\n";
    let others: String = (0..120).map(|number| format!("Heartburn\tneed_medical_test\tTest {number}\n")).collect();
    catena.write("heart.tsv", format!("{named}{others}"));
    let imported = catena.run(["kg", "import", "tsv", "heart.tsv", "--name", "heart"]);
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    let options = ["--kg", "heart", "--encoder", &encoder];
    let trace = catena.trace("I have a burning feeling behind my breastbone", &options, 0);
    assert_eq!(trace["models"]["encoder"]["name"], encoder);
    assert!(!trace["anchors"].as_array().unwrap().is_empty());
    let kept: Vec<String> = crate::support::files_under(&catena.state());
    assert!(
        kept.iter().any(|file| file.starts_with("graphs/heart.") && !file.contains(".catena-static.") && file.ends_with(".vectors")),
        "{kept:?}"
    );
    let again = catena.trace("I have a burning feeling behind my breastbone", &options, 0);
    assert_eq!((&again["anchors"], &again["answer"]), (&trace["anchors"], &trace["answer"]));
}
